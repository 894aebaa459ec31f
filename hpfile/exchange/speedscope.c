/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The layout is our own: a line for each frame and for each sample, which stays readable and is a
 * third of what one line for each number would be.
 */
#include "hpfile/speedscope.h"

#include "base/json.h"
#include "event/format_row.h"

static const char *const units[] = {
    [HPF_SPEEDSCOPE_NONE] = "none",
    [HPF_SPEEDSCOPE_NANOSECONDS] = "nanoseconds",
    [HPF_SPEEDSCOPE_MICROSECONDS] = "microseconds",
    [HPF_SPEEDSCOPE_BYTES] = "bytes",
};

static void write_frame(hpf_json *json, hpf_stack_frame frame)
{
    hpf_json_object(json, NULL);
    hpf_json_str(json, "name", frame.name);
    if (frame.file.length) {
        hpf_json_str(json, "file", frame.file);
    }
    if (frame.file.length && frame.line) {
        hpf_json_whole(json, "line", frame.line);
    }
    if (frame.file.length && frame.column) {
        hpf_json_whole(json, "col", frame.column);
    }
    hpf_json_close(json);
}

static void write_frames(hpf_json *json, const hpf_stacks *stacks)
{
    hpf_json_object(json, "shared");
    hpf_json_array(json, "frames");
    for (uint32_t i = 0; i < hpf_stacks_n_frames(stacks); i++) {
        write_frame(json, hpf_stacks_frame(stacks, i));
    }
    hpf_json_close(json);
    hpf_json_close(json);
}

static void write_samples(hpf_json *json, const hpf_stacks *stacks,
                          const hpf_speedscope_profile *profile)
{
    hpf_json_array(json, "samples");
    for (size_t i = 0; i < profile->n_samples; i++) {
        size_t n;
        const uint32_t *frames = hpf_stacks_frames(stacks, profile->stacks[i], &n);
        hpf_json_array(json, NULL);
        for (size_t k = 0; k < n; k++) {
            hpf_json_whole(json, NULL, frames[k]);
        }
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static double sum_of(const hpf_speedscope_profile *profile)
{
    double sum = 0;
    for (size_t i = 0; i < profile->n_samples; i++) {
        sum += profile->weights[i];
    }
    return sum;
}

static void write_profile(hpf_json *json, const hpf_stacks *stacks,
                          const hpf_speedscope_profile *profile)
{
    hpf_json_object(json, NULL);
    hpf_json_text(json, "type", "sampled");
    hpf_json_str(json, "name", profile->name);
    hpf_json_text(json, "unit", units[profile->unit]);
    hpf_json_whole(json, "startValue", 0);
    hpf_json_number(json, "endValue", sum_of(profile));
    write_samples(json, stacks, profile);
    hpf_json_array(json, "weights");
    for (size_t i = 0; i < profile->n_samples; i++) {
        hpf_json_number(json, NULL, profile->weights[i]);
    }
    hpf_json_close(json);
    hpf_json_close(json);
}

void hpf_speedscope_write(hpf_sink *sink, hpf_str name, const hpf_stacks *stacks,
                          const hpf_speedscope_profile *profiles, size_t n_profiles)
{
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    hpf_json_text(&json, "exporter", "heapcensus");
    hpf_json_str(&json, "name", name);
    hpf_json_whole(&json, "activeProfileIndex", 0);
    write_frames(&json, stacks);
    hpf_json_array(&json, "profiles");
    for (size_t i = 0; i < n_profiles; i++) {
        write_profile(&json, stacks, &profiles[i]);
    }
    hpf_json_end(&json);
}

const hpf_format hpf_format_speedscope = {
    .name = "speedscope",
    .extension = "speedscope.json",
    .summary = "stacks for speedscope, with source locations",
    .stacks = HPF_STACKS_SPEEDSCOPE,
};
