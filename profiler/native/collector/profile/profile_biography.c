/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Biographies: the lives of each era, and the samples that are written again at the end.
 */
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "profile_state.h"

hpp_phase_bytes hpp__profile_add_lives(hpp__profile *p, uint32_t number, uint64_t live_bytes)
{
    bool is_sample = p->reader.window->head.biography_bytes != 0;
    hpp__life_sums_advance(&p->biography.lives, number);
    return hpp__site_heap_add_lives(&p->heap, &p->biography.lives, is_sample ? &live_bytes : NULL);
}

void hpp__profile_keep_era(hpp__profile *p, const hpp__era *now)
{
    uint32_t n = hpp_census_n_eras(p->engine);
    if (n > 0 && HPF__ARRAY_RESERVE(p->biography.eras, p->biography.eras_capacity, n)) {
        p->biography.eras[n - 1] = *now;
    }
}

hpp_census_result hpp__profile_scale(hpp__profile *p, const hpp_census_result *result,
                                     const hpp__era *of)
{
    hpp_census_result out = *result;
    if (of->watched_bytes > 0) {
        bool is_sample = p->reader.window->head.biography_bytes != 0;
        out.live_bytes = of->live_bytes;
        hpp__followed_scale(&p->biography.watch, &out,
                            is_sample ? (double)of->live_bytes / (double)of->watched_bytes : 1);
    }
    return out;
}

/* Stores the phases of a sample. Returns false if it has no break-down by phase. */
static bool read_phases(hpp_phase_bytes *out, const hpp__profile *p,
                        const hpp_census_result *result)
{
    hpp_bands bands = {p->options->census->breakdown, result->bands, result->n_bands};
    for (int i = 0; i < HPP_MAX_FURTHER_BANDS && bands.by != HPF_BREAKDOWN_BIOGRAPHY; i++) {
        bands = result->further[i];
    }
    *out = (hpp_phase_bytes){0};
    for (size_t i = 0; i < bands.n_bands; i++) {
        hpf_str name = bands.bands[i].name;
        uint64_t bytes = bands.bands[i].size_bytes;
        *(hpf_str_is(name, "LAG")    ? &out->lag_bytes
          : hpf_str_is(name, "DRAG") ? &out->drag_bytes
          : hpf_str_is(name, "VOID") ? &out->void_bytes
                                     : &out->use_bytes) += bytes;
    }
    return bands.by == HPF_BREAKDOWN_BIOGRAPHY;
}

/* Notes the phases of a sample if it is the largest: of its bands, or of all blocks. */
static void note_phases(hpp__profile *p, const hpp_census_result *shown, uint64_t live_bytes,
                        const hpp_phase_bytes *of_all)
{
    hpp_biography_figures *b = &p->figures.biography;
    hpp_phase_bytes phases;
    bool is_largest = hpp__profile_note_peak(p, shown);
    b->are_of_bands = read_phases(&phases, p, shown);
    if (b->are_of_bands && is_largest) {
        b->live_bytes = shown->size_bytes;
        b->phases = phases;
    } else if (!b->are_of_bands && live_bytes > b->live_bytes) {
        b->live_bytes = live_bytes;
        b->phases = *of_all;
    }
}

/* Writes all samples again, with the phases that are known now. */
static hpf_status write_final_samples(hpp__profile *p, hpf_error *err)
{
    if (!hpp__life_sums_load(&p->biography.lives, &p->reader) || p->biography.marks.is_short) {
        return hpf_error_set_memory(err);
    }
    uint32_t n = hpp_census_n_eras(p->engine);
    p->figures.peak_bytes = 0; /* in its samples, the phases were not known */
    p->figures.peak_s = 0;
    for (int i = 0; i < 1 + HPP_MAX_FURTHER_BANDS; i++) {
        p->peak_bands[i].n = 0;
    }
    for (uint32_t i = 0; i < n && i < p->biography.eras_capacity; i++) {
        const hpp__era *era = &p->biography.eras[i];
        hpp_phase_bytes sum = hpp__profile_add_lives(p, era->number, era->live_bytes);
        hpp_census_result shown = hpp__profile_scale(p, hpp_census_final(p->engine, i), era);
        note_phases(p, &shown, era->live_bytes, &sum);
        hpp__marks_emit(&p->biography.marks, shown.time_s, &p->output);
        hpp__output_result(&p->output, &shown);
        hpp__profile_record(p, &shown, era->inherited_bytes);
    }
    hpp__marks_emit(&p->biography.marks, HUGE_VAL, &p->output);
    return p->output.n_lost_samples == 0 ? HPF_OK : hpf_error_set_memory(err);
}

/* Begins to write the files again, and copies what is not changed from the provisional ones. */
static hpf_status begin_again(hpp__profile *p, double end_s, uint32_t provisional, hpf_error *err)
{
    const char *path = hpp__profile_path(p, ".hp");
    const char *log = hpp__profile_path(p, ".eventlog");
    const hpp__recording *r = p->files.recording;
    char number[12];
    bool has_totals = hpp__profile_logs_totals(p);
    hpf_status status = path && log ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK && !p->files.without_hp) {
        status = hpp__output_replace(&p->output, path, err);
    }
    if (status == HPF_OK && p->has_log_file) {
        status =
            hpp__output_open_log(&p->output, log, p->options, p->engine, has_totals, &end_s, err);
    }
    if (status == HPF_OK && provisional != 0) {
        status = hpp__profile_begin_recording(p, &end_s, err);
    }
    if (status == HPF_OK) {
        hpp__profile_emit_headers(p);
    }
    if (status == HPF_OK && p->has_log_file) {
        status = hpp__output_copy_log(&p->output, HPP__OUT_LOG, log, NULL, err);
    }
    if (status == HPF_OK && provisional != 0 &&
        hpf_recording_writer_process(r->writer, provisional).has_log) {
        snprintf(number, sizeof number, "%u", (unsigned)provisional);
        status = hpp__output_copy_log(&p->output, HPP__OUT_RECORDING, r->path, number, err);
    }
    return status;
}

/* The provisional log of a recording is valid until the final one is complete. */
hpf_status hpp__profile_rewrite(hpp__profile *p, double end_s, hpf_error *err)
{
    uint32_t provisional = p->number;
    hpp__followed_end(&p->biography.watch, p->engine);
    hpf_status status = hpp_census_end(p->engine, err);
    status = status == HPF_OK ? begin_again(p, end_s, provisional, err) : status;
    status = status == HPF_OK ? write_final_samples(p, err) : status;
    if (status != HPF_OK) {
        hpp__output_drop(&p->output);
    } else {
        status = hpp__output_close(&p->output, err);
    }
    uint32_t final = p->number;
    if (final != provisional) {
        p->number = status == HPF_OK ? provisional : final;
        hpp__profile_end_recording(p, end_s, HPF_PROCESS_REPLACED, 0);
        p->number = status == HPF_OK ? final : provisional;
    }
    return status;
}
