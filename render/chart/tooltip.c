/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Collects frames and members of a name, and writes them as text.
 */
#include "hpfile/survey.h"
#include "hpfile/sink.h"
#include "base/frame.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "chart/tooltip.h"

#include <string.h>

/* A tip of more is for no reader. */
enum { MOST_TIP_BYTES = 1 << 14 };

static hpf_status copy_frame(hpr__chart *chart, hpf_frame *frame, hpf_error *err)
{
    hpf_str *const texts[] = {&frame->label, &frame->module,       &frame->source,
                              &frame->table, &frame->closure_type, &frame->type};
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++) {
        status = hpr__chart_bytes(chart, *texts[i], texts[i], err);
    }
    return status;
}

static hpf_status copy_frames(hpr__chart *chart, const hpf_survey *survey, hpf_name name,
                              hpr_band *band, hpf_error *err)
{
    size_t n = hpf_survey_frames(survey, name, NULL, 0);
    hpf_frame *frames = hpf_arena_array(chart->arena, n, sizeof *frames);
    if (!frames) {
        return hpf_error_set_memory(err);
    }
    hpf_survey_frames(survey, name, frames, n);
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < n && !status; i++) {
        status = copy_frame(chart, &frames[i], err);
    }
    band->frames = frames;
    band->n_frames = n;
    return status;
}

/* "THUNK  [Int]" */
static void write_info_table(hpf_sink *lines, const hpf_frame *frame)
{
    if (frame->closure_type.length || frame->type.length) {
        hpf_sink_text(lines, "\n");
        hpf_sink_str(lines, hpf_closure_type_name(frame->closure_type));
        hpf_sink_text(lines, frame->closure_type.length && frame->type.length ? "  " : "");
        hpf_sink_str(lines, frame->type);
    }
}

/* "eval  Main  interp.hs:(14,1)-(26,19)" */
static void write_frame(hpf_sink *lines, const hpf_frame *frame)
{
    hpf_sink_text(lines, "\n");
    hpf_sink_str(lines, frame->label);
    hpf_sink_text(lines, "  ");
    hpf_sink_str(lines, frame->module);
    hpf_sink_text(lines, frame->source.length ? "  " : "");
    hpf_sink_str(lines, frame->source);
    write_info_table(lines, frame);
}

static void write_members(hpf_sink *lines, hpf_str members)
{
    hpf_sink_text(lines, members.length ? "\n" : "");
    for (size_t i = 0; i < members.length; i++) {
        bool is_next = i + 3 < members.length && memcmp(members.data + i, ">, <", 4) == 0;
        hpf_sink_write(lines, members.data + i, 1);
        if (is_next) {
            hpf_sink_text(lines, "\n");
            i += 2;
        }
    }
}

void hpr__tooltip_lines(hpf_sink *lines, const hpf_frame *frames, size_t n_frames, hpf_str members)
{
    size_t n_bytes = 0;
    for (size_t i = 0; i < n_frames && n_bytes < MOST_TIP_BYTES; i++) {
        write_frame(lines, &frames[i]);
        n_bytes += frames[i].label.length + frames[i].module.length + frames[i].source.length;
    }
    hpf_sink_text(lines, n_bytes < MOST_TIP_BYTES ? "" : "\n...");
    write_members(lines, members);
}

static hpf_status write_tip(hpr__chart *chart, hpr_band *band, hpf_error *err)
{
    hpf_sink *lines = hpf_sink_to_memory();
    if (!lines) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_text(lines, band->text);
    hpr__tooltip_lines(lines, band->frames, band->n_frames, band->members);
    hpf_status status = hpf_sink_flush(lines, err);
    if (!status) {
        hpf_str bytes = hpf_sink_bytes(lines);
        bytes.length = hpf_utf8_cut(bytes, 2 * (size_t)MOST_TIP_BYTES);
        char *tip = hpf_arena_array(chart->arena, bytes.length + 1, 3);
        if (tip) {
            hpf_utf8_printable(tip, bytes, "\n");
        }
        band->tooltip = tip;
        status = tip ? HPF_OK : hpf_error_set_memory(err);
    }
    hpf_sink_destroy(lines);
    return status;
}

hpf_status hpr__tooltip_part(hpr__chart *chart, const hpf_survey *survey, hpf_name name,
                             hpr_band *band, hpf_error *err)
{
    hpf_retainer_set set;
    hpf_status status = copy_frames(chart, survey, name, band, err);
    if (!status && hpf_survey_retainer_set(survey, name, &set)) {
        status = hpr__chart_text(chart, set.name, &band->text, err);
        status = status ? status : hpr__chart_bytes(chart, set.members, &band->members, err);
    }
    bool is_more = band->n_frames || band->members.length;
    return status || !is_more ? status : write_tip(chart, band, err);
}
