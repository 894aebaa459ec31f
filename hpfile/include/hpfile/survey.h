/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over a profile that keeps what drawing and reporting need, in bounded memory: totals for
 * every name, and the samples worth drawing.
 *
 * Picks: while there are at most `max_picks` samples, all of them are picked. Beyond that the time
 * range is divided into cells, and each cell keeps the sample with its smallest and the one with
 * its largest total, so that the outline keeps its peaks and dips; the first, the last and the peak
 * sample are always picked. Cells are of equal width, and as they come to hold too many, they are
 * joined in pairs, from the left: some are twice as wide as others then. What is picked of a longer
 * profile was picked of its beginning, if it lies there. A pick is a whole sample, so bands at a
 * pick still add up to the total. Only the place of a pick in the input is kept; hpf_survey_series
 * reads those bytes again.
 *
 * Samples of an event log that stand in another order than that of time are put in order: their
 * places are then kept too.
 *
 * Lines are thinned in the same way: at most 16384 points each, the smallest and the largest of
 * every cell and the last one.
 *
 * Memory: names + picks + points, never rows.
 */
#ifndef HPFILE_SURVEY_H
#define HPFILE_SURVEY_H

#include "hpfile/event.h"
#include "hpfile/eventlog.h"
#include "hpfile/overview.h"
#include "hpfile/frame.h"
#include "hpfile/retainer_sets.h"
#include "hpfile/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_survey_options {
    size_t max_picks; /* 0: the default, 8192 */
    /* Only the samples at times from `from_time` to `to_time`, both included: for totals, picks and
     * replay it is as if the input had no others. Names and marks are those of the whole input. */
    bool has_window;
    double from_time, to_time;
    /* Whether a name counts; NULL: all do. One that does not is known, but in no sample: totals,
     * peak and picks are those of the others. Called once or more for each name. Replay tells every
     * cost. */
    bool (*is_wanted)(void *context, hpf_str name);
    void *is_wanted_context;
    /* hpf_survey_series will not be asked: no costs are kept to answer it without reading again. */
    bool expects_no_series;
    bool has_log_profile; /* as in hpf_reader_options */
    uint8_t log_profile;
    hpf_warning *warning;
    void *warning_context;
    /* Called for each piece of input with the bytes read and, if known, all there are (else 0). */
    void (*progress)(void *context, uint64_t read_bytes, uint64_t all_bytes);
    void *progress_context;
} hpf_survey_options;

/* Reads the whole source. The source must have been opened with `keep`, and is borrowed for the
 * survey's life. Errors: those of source and reader; RANGE when no sample is in the window. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_create(hpf_survey **out, hpf_source *source,
                                                  const hpf_survey_options *options,
                                                  hpf_error *err);
HPF_API void hpf_survey_destroy(hpf_survey *survey);

/* Adds what is told beside a `.hp` file (sidecar.h): its lines to those of the survey, its labels
 * to marks of the same times that have none. Errors: those of hpf_sidecar_read; what was read until
 * then stays. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_add_sidecar(hpf_survey *survey, hpf_source *sidecar,
                                                       hpf_error *err);

/* Says where hpf_survey_retainer_set looks; borrowed for the survey's life. NULL: nowhere. */
HPF_API void hpf_survey_use_retainer_sets(hpf_survey *survey, hpf_retainer_sets *sets);

HPF_API hpf_str hpf_survey_header(const hpf_survey *survey, hpf_header which);
HPF_API uint32_t hpf_survey_n_names(const hpf_survey *survey);
HPF_API hpf_str hpf_survey_name(const hpf_survey *survey, hpf_name name);
/* As hpf_reader_frames. */
HPF_API size_t hpf_survey_frames(const hpf_survey *survey, hpf_name name, hpf_frame *frames,
                                 size_t room);
/* The retainer set that a name stands for; false: it is not known. Borrowed. */
HPF_API bool hpf_survey_retainer_set(const hpf_survey *survey, hpf_name name,
                                     hpf_retainer_set *set);
/* What the event log says of itself; NULL for other inputs. Borrowed. */
HPF_API const hpf_eventlog_metadata *hpf_survey_eventlog_metadata(const hpf_survey *survey);
/* The reader that the event log was read by: what types it declares and how many events of each it
 * has, its end, its last time; NULL for other inputs. Borrowed. */
HPF_API const hpf_eventlog *hpf_survey_eventlog(const hpf_survey *survey);
/* The heap profile that was read of it; NULL when the log does not say how that began. */
HPF_API const hpf_eventlog_profile *hpf_survey_eventlog_profile(const hpf_survey *survey);
HPF_API const hpf_totals *hpf_survey_totals(const hpf_survey *survey, hpf_name name);
/* Costs of `name` after the last complete sample (hpf_events.leftover). */
HPF_API double hpf_survey_leftover(const hpf_survey *survey, hpf_name name);

HPF_API const hpf_overview *hpf_survey_overview(const hpf_survey *survey);

/* The pick of the peak, and the last one that is not empty (GHC ends its profiles with an empty
 * sample); the last one if all are. */
HPF_API size_t hpf_survey_peak_pick(const hpf_survey *survey);
HPF_API size_t hpf_survey_end_pick(const hpf_survey *survey);

/* What a name, or all of them, costs on average: over time, area by duration; in a profile without
 * duration over its samples. */
HPF_API double hpf_survey_mean(const hpf_survey *survey, const hpf_totals *totals);

/* Series of bands at the picks. `band_of_name[name]` is a band in [0, n_bands), or HPF_NO_BAND.
 * `values` has n_bands rows of overview->n_picks amounts, and is overwritten. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_series(hpf_survey *survey, const uint32_t *band_of_name,
                                                  uint32_t n_bands, double *values, hpf_error *err);

/* Every sample again, in order, to another consumer, with marks and lines (names are not defined
 * again). */
HPF_API HPF_MUST_USE hpf_status hpf_survey_replay(hpf_survey *survey, const hpf_events *events,
                                                  void *context, hpf_error *err);

/* The whole profile to another consumer: headers and names; marks and lines in the order of time;
 * samples in order. With `marks_in_place`, marks and lines are sent between the samples: where the
 * input has them, or by time, if samples are not in order there or a sidecar tells more. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_emit(hpf_survey *survey, bool marks_in_place,
                                                const hpf_events *events, void *context,
                                                hpf_error *err);

/* One moment: what each name costs in the sample of pick `pick_index`, or in the sample nearest to
 * `time`, the earlier of two. `amounts` has one element for each name, and is overwritten;
 * `*sample_time`, unless NULL, becomes the time of that sample. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_pick_amounts(hpf_survey *survey, size_t pick_index,
                                                        double *amounts, hpf_error *err);
HPF_API HPF_MUST_USE hpf_status hpf_survey_amounts_at(hpf_survey *survey, double time,
                                                      double *amounts, double *sample_time,
                                                      hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
