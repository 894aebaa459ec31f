/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over a profile that computes what drawing and reporting need in bounded memory: totals
 * of every name, and the samples worth drawing.
 *
 * Drawn samples are the samples worth drawing. Up to `max_drawn` samples, all are drawn. Beyond
 * that the time range is divided into cells, and each cell keeps its sample with the smallest and
 * the one with the largest total, so that the outline keeps its peaks and dips; the first, the last
 * and the peak sample are always drawn. When there are too many cells they are joined in pairs,
 * from the left. A drawn sample is a whole sample, so bands at a drawn sample add up to the total.
 * Of a large profile only the place of a drawn sample in the input is kept; hpf_survey_series reads
 * those bytes again.
 *
 * Samples of an event log that are out of order are sorted by time; the places of all samples are
 * then kept.
 *
 * Quantities are downsampled in the same way, to at most 16384 points each.
 *
 * Memory: names + drawn samples + points, never rows.
 */
#ifndef HPFILE_SURVEY_H
#define HPFILE_SURVEY_H

#include "hpfile/event.h"
#include "hpfile/format.h"
#include "hpfile/overview.h"
#include "hpfile/frame.h"
#include "hpfile/source.h"
#include "hpfile/eventlog.h"
#include "hpfile/retainer_sets.h"
#include "hpfile/stacks.h"
#include "hpfile/sink.h"

HPF_BEGIN_DECLS

typedef struct hpf_survey_options {
    size_t size;           /* of the struct (version.h) */
    size_t max_drawn;      /* 0: the default, 8192 */
    size_t max_name_bytes; /* as in hpf_reader_options */
    /* Use only the samples from `from_time` to `to_time`, both included, for totals, drawn samples
     * and replay. Names and marks belong to the whole input. */
    bool has_window;
    double from_time, to_time;
    /* Returns whether a name of a job is wanted; NULL: all are. Totals, peak and drawn samples
     * belong to the wanted names, as if the others were in no sample; replay emits all costs. */
    bool (*is_wanted)(void *context, hpf_str job, hpf_str name);
    void *is_wanted_context;
    /* hpf_survey_series will not be called: do not store costs for it. */
    bool expects_no_series;
    bool has_log_profile; /* as in hpf_reader_options */
    uint8_t log_profile;
    /* Times of an event log count the mutator only (docs/formats/eventlog.md), not elapsed time;
     * other inputs have only one clock. */
    bool uses_mutator_clock;
    bool by_stack, by_line;     /* as in hpf_reader_options */
    const hpf_stack_view *view; /* as in hpf_reader_options */
    bool keeps_stacks;          /* as in hpf_reader_options */
    const hpf_format *format;   /* of the source; NULL: it is detected */
    hpf_str value;              /* as in hpf_reader_options */
    hpf_symboliser *symbolise;  /* as in hpf_reader_options */
    void *symbolise_context;
    bool symbolises_all;
    /* Survey the live bytes that the garbage collector measured, with two warnings, if the source
     * is an event log without samples that has them. */
    bool takes_live_bytes;
    hpf_warning *warning;
    void *warning_context;
    /* Called for each piece of input with the bytes read and the size of the input, 0 if unknown.
     */
    void (*progress)(void *context, uint64_t read_bytes, uint64_t all_bytes);
    void *progress_context;
} hpf_survey_options;

/* Reads the whole source, of any format that is read, which was opened with `keep` and is borrowed
 * for the survey's life. Errors: from source and reader; RANGE if no sample is in the window.
 */
HPF_API HPF_MUST_USE hpf_status hpf_survey_create(hpf_survey **out, hpf_source *source,
                                                  const hpf_survey_options *options,
                                                  hpf_error *err);
HPF_API void hpf_survey_destroy(hpf_survey *survey);

/* Reads several sources of one format without times, such as pprof, as one profile, in which each
 * is a sample, in the order in which they were taken; with their place in the list as times if the
 * format does not say when. Sets `*failed` to the source with the error. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_create_series(hpf_survey **out,
                                                         hpf_source *const *sources,
                                                         size_t n_sources,
                                                         const hpf_survey_options *options,
                                                         size_t *failed, hpf_error *err);

/* Adds the sidecar of a `.hp` file (docs/formats/sidecar.md): its quantities, and its labels for
 * marks of the same times that have none. Errors: SYNTAX, LIMIT, MEMORY, from the source; what was
 * read before an error remains. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_add_sidecar(hpf_survey *survey, hpf_source *sidecar,
                                                       hpf_error *err);

HPF_API hpf_str hpf_survey_header(const hpf_survey *survey, hpf_header which);
HPF_API uint32_t hpf_survey_n_names(const hpf_survey *survey);
HPF_API hpf_str hpf_survey_name(const hpf_survey *survey, hpf_name name);
/* Fills at most `room` frames of a name of an event log: its stack, innermost first, or its info
 * table. Returns how many there are; 0 for other names. Borrowed from the survey. */
HPF_API size_t hpf_survey_frames(const hpf_survey *survey, hpf_name name, hpf_frame *frames,
                                 size_t room);
/* Returns the rules by which stacks are named, with the life of the survey; NULL without memory. */
HPF_API const hpf_frame_rules *hpf_survey_frame_rules(const hpf_survey *survey);
HPF_API const hpf_totals *hpf_survey_totals(const hpf_survey *survey, hpf_name name);
HPF_API const hpf_overview *hpf_survey_overview(const hpf_survey *survey);

/* Finds the first mark of that label after a time, and stores its time. Returns how many there are.
 */
HPF_API size_t hpf_survey_find_mark(const hpf_survey *survey, const char *label, double after,
                                    double *time);

/* Returns the index of the peak among the drawn samples. */
HPF_API size_t hpf_survey_peak_index(const hpf_survey *survey);

/* Computes the series of bands at the drawn samples. `band_of_name[name]` is a band in [0,
 * n_bands), or HPF_NO_BAND. Fills `values`, n_bands rows of overview->n_drawn amounts. Errors: IO
 * when the input has changed; MEMORY; from the source. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_series(hpf_survey *survey, const uint32_t *band_of_name,
                                                  uint32_t n_bands, double *values, hpf_error *err);

/* Emits the whole profile again: headers, names, marks and quantities by time, samples. With
 * `marks_in_place`, marks and quantities come between the samples: where the input has them, or by
 * time if samples were sorted or there is a sidecar. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_emit(hpf_survey *survey, bool marks_in_place,
                                                const hpf_events *events, void *context,
                                                hpf_error *err);

/* Fill `amounts`, one element for each name, with the costs of a drawn sample, or of
 * the sample nearest to `time` (the earlier of two times; of samples of one time, the last). Stores
 * the time of that sample in `*sample_time`, unless NULL. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_drawn_amounts(hpf_survey *survey, size_t drawn_index,
                                                         double *amounts, hpf_error *err);
HPF_API HPF_MUST_USE hpf_status hpf_survey_amounts_at(hpf_survey *survey, double time,
                                                      double *amounts, double *sample_time,
                                                      hpf_error *err);

/* Sets the retainer sets for hpf_survey_retainer_set, borrowed for the survey's life; NULL: none.
 */
HPF_API void hpf_survey_use_retainer_sets(hpf_survey *survey, hpf_retainer_sets *sets);

/* Stores the retainer set of a name, borrowed. Returns false if it is unknown. */
HPF_API bool hpf_survey_retainer_set(const hpf_survey *survey, hpf_name name,
                                     hpf_retainer_set *set);
HPF_API bool hpf_survey_retainer_set_named(const hpf_survey *survey, hpf_str name,
                                           hpf_retainer_set *set);

/* Returns the metadata of the event log; NULL for other inputs. Borrowed. */
HPF_API const hpf_eventlog_metadata *hpf_survey_eventlog_metadata(const hpf_survey *survey);
/* Returns the mean number of bytes between sampled blocks (margin.h): amounts are estimates. 0: all
 * blocks were counted, or amounts are not bytes. */
HPF_API double hpf_survey_rate_bytes(const hpf_survey *survey);
/* Reads how large the blocks of each name are, from the totals of stacks in the recording of a
 * sample, for the two below. Errors: MEMORY; from the source. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_find_spreads(hpf_survey *survey, hpf_error *err);
/* Return the variance of estimates for each byte, of a name and of all names: the margin of `bytes`
 * is hpf_margin(bytes, bytes * spread, rate_bytes). If the sizes of blocks are not known, it is the
 * largest one, as of small blocks. 0 of all names: their total is exact. */
HPF_API double hpf_survey_spread(const hpf_survey *survey, hpf_name name);
HPF_API double hpf_survey_spread_of_all(const hpf_survey *survey);
/* Returns the reader of the event log, which knows its types, the number of events, its end and its
 * last time; NULL for other inputs. Borrowed. */
HPF_API const hpf_eventlog *hpf_survey_eventlog(const hpf_survey *survey);
/* Returns the heap profile of the event log that was read; NULL if the log does not have its begin.
 */
HPF_API const hpf_eventlog_profile *hpf_survey_eventlog_profile(const hpf_survey *survey);

/* Returns the sum of a name in the whole input, also outside the window and of unwanted names. */
HPF_API double hpf_survey_input_sum(const hpf_survey *survey, hpf_name name);

/* Returns the cost of a name after the last complete sample (hpf_events.leftover). */
HPF_API double hpf_survey_leftover(const hpf_survey *survey, hpf_name name);

/* Returns the index of the last drawn sample that is not empty (GHC ends profiles with an empty
 * sample); of the last one if all are empty. */
HPF_API size_t hpf_survey_end_index(const hpf_survey *survey);

/* Returns the mean of a name, or of all: the area divided by the duration; in a profile without
 * duration, the mean over its samples. */
HPF_API double hpf_survey_mean(const hpf_survey *survey, const hpf_totals *totals);

/* The part of a profile between two times: samples, marks and quantities in the
 * window, and only the names that its samples use. */

typedef struct hpf_survey_part {
    const hpf_survey *survey; /* has the window too, so that it replays only samples in it */
    double from_time, to_time;
    const hpf_events *to; /* receives the part */
    void *context;
    hpf_name *number_of; /* by name of the survey: its number in the part, or UINT32_MAX */
    hpf_name *names;     /* by number in the part: the name in the survey */
    hpf_name n_names;
    hpf_cost *costs; /* of the current sample */
    size_t costs_capacity;
} hpf_survey_part;

/* Numbers the names of the part. The other members are set by the caller. Returns false without
 * memory. */
HPF_API bool hpf_survey_part_init(hpf_survey_part *cut);
HPF_API void hpf_survey_part_finish(hpf_survey_part *cut);

/* The events that a cut accepts; the context is the cut. */
HPF_API extern const hpf_events hpf_survey_part_events;

/* The stacks of a heap profile, for formats of stacks. */

/* Adds the amounts of names in a sample (hpf_survey_drawn_amounts) to those of their stacks.
 * Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_add_stacks(hpf_stacks *stacks, hpf_stack_amounts *to,
                                                      const hpf_survey *survey,
                                                      const double *by_name, hpf_error *err);

/* Adds the amounts of the last drawn sample. Errors: MEMORY, LIMIT, from the survey. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_add_latest_stacks(hpf_stacks *stacks,
                                                             hpf_stack_amounts *to,
                                                             hpf_survey *survey, hpf_error *err);

/* Returns whether names are the stacks that allocated the objects of types. */
HPF_API bool hpf_survey_has_types(const hpf_survey *survey);

/* Stores the frame that names a stack, and its index among the frames of the name; of very deep
 * stacks, the innermost frames are searched. Returns false if the name has no frames. */
HPF_API bool hpf_survey_own_frame(const hpf_survey *survey, hpf_name name, hpf_frame *frame,
                                  size_t *index);

/* Returns whether names have more than their texts tell: frames inside the one that names a stack,
 * or lines of calls. Several then belong to one band. */
HPF_API bool hpf_survey_hides_frames(const hpf_survey *survey);

/* Returns the program of a job: its first word. */
HPF_API hpf_str hpf_job_program(hpf_str job);

/* Writes the amounts of stacks at a time of the profile for pprof. Errors: MEMORY, the sink's. */
HPF_API HPF_MUST_USE hpf_status hpf_survey_write_pprof(const hpf_stacks *stacks,
                                                       const double *amounts,
                                                       const hpf_survey *survey, double time_s,
                                                       hpf_sink *sink, hpf_error *err);

HPF_END_DECLS
#endif
