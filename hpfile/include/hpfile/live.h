/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile that is still growing. The caller feeds the new bytes, and takes a survey at any
 * moment. Each update reads only the new bytes.
 *
 * A survey shows the complete samples so far. A survey after hpf_live_finish equals the one that
 * hpf_survey_create makes of the same bytes, with two exceptions:
 * - Samples of an event log that are out of order are sorted only while all samples are stored.
 * Later ones get the time of the sample before them.
 * - When the samples worth drawing need more than half of `most_bytes`, the costs of the smallest
 * names, but never of the 512 largest, are added up to one rest. Totals of all names stay exact. In
 * series the rest is divided among the bands of these names in proportion to their sums. A name
 * that becomes large later has costs of its own from then on.
 *
 * Memory: the names, `most_bytes`, and for each of the two surveys the memory of a survey
 * (survey.h) and its last four series, at most 8 MiB each; never rows. Threads: one thread at a
 * time.
 */
#ifndef HPFILE_LIVE_H
#define HPFILE_LIVE_H

#include "hpfile/survey.h"
#include "hpfile/eventlog.h"
#include "hpfile/recording.h"

HPF_BEGIN_DECLS

typedef struct hpf_live hpf_live;

typedef struct hpf_live_options {
    size_t size;           /* of the struct (version.h) */
    size_t max_drawn;      /* as in hpf_survey_options; 0: the default, 8192 */
    size_t max_name_bytes; /* as in hpf_reader_options */
    size_t most_bytes;     /* for the stored samples, approximately; 0: 64 MiB */
    /* As in hpf_source_options, of a recording that is fed; NULL: its first process with a log.
     * "all" is UNSUPPORTED, as the sum is read whole. Borrowed. */
    const char *process;
    bool has_log_profile; /* as in hpf_reader_options */
    uint8_t log_profile;
    /* "ticky-entries", "ticky-allocs" or "ticky-allocd": this amount of the ticky counters of an
     * event log instead of its heap profile; counters that are not defined yet are numbers. Other
     * profiles that are fed then are an error, ARGUMENT. For hpf_live_read as in
     * hpf_reader_options. Empty: the heap profile. Borrowed. */
    hpf_str value;
    /* As in hpf_survey_options. Events wait until the records of all processors up to their time
     * are there, in at most 64 MiB. */
    bool uses_mutator_clock;
    const hpf_stack_view *view; /* as in hpf_reader_options */
    hpf_symboliser *symbolise;  /* as in hpf_reader_options */
    void *symbolise_context;
    bool has_activity; /* keep what the run-time system of an event log did: 3 MiB */
    bool has_costs;    /* keep the ticks and allocations of the stacks of an event log */
    /* As in hpf_survey_options. */
    bool (*is_wanted)(void *context, hpf_str job, hpf_str name);
    void *is_wanted_context;
    /* Receives every event after it was counted: samples in the order of the input, without the
     * costs of names that are not wanted; also the events of the sidecar, where a mark labels the
     * mark of the same time. Must not call the live profile. May be NULL; borrowed for the
     * profile's life. */
    const hpf_events *listener;
    void *listener_context;
    hpf_warning *warning;
    void *warning_context;
} hpf_live_options;

/* Creates an empty profile. NULL `options` are all zero. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_live_create(hpf_live **out, const hpf_live_options *options,
                                                hpf_error *err);
HPF_API void hpf_live_destroy(hpf_live *live);

/* Feeds the next bytes of a `.hp` file or event log, cut anywhere. Takes time in proportion to the
 * bytes, and sometimes for the compaction of the stored samples. Errors: from the reader; they
 * are sticky.
 */
HPF_API HPF_MUST_USE hpf_status hpf_live_feed(hpf_live *live, const char *bytes, size_t n_bytes,
                                              hpf_error *err);

/* Reads a finished profile of any format, instead of hpf_live_feed; NULL detects the format. The
 * source was opened with `keep`. Errors:
 * those of source and reader. */
HPF_API HPF_MUST_USE hpf_status hpf_live_read(hpf_live *live, hpf_source *source,
                                              const hpf_format *format, hpf_error *err);

/* Feeds the next bytes of the sidecar file. Its quantities become quantities of the profile; its
 * labels go to the marks of the same times that have none, whichever comes first. Errors: SYNTAX,
 * LIMIT, MEMORY; they are sticky, and what was read before them remains. */
HPF_API HPF_MUST_USE hpf_status hpf_live_feed_sidecar(hpf_live *live, const char *bytes,
                                                      size_t n_bytes, hpf_error *err);

/* Ends the input. Errors: from the reader. */
HPF_API HPF_MUST_USE hpf_status hpf_live_finish(hpf_live *live, hpf_error *err);

/* Returns HPF_OK, or why the profile is incomplete so far, which `diagnosis` describes:
 * - HPF_MORE: there is no sample yet, because the program runs without a heap profile, or writes
 * its samples at the end, or the selected profile has not begun.
 * - ORDER: samples came too late to be sorted.
 * - UNSUPPORTED: samples of other profiles are skipped.
 * - ARGUMENT: there is no activity to keep, or nothing that the view would show.
 * It may change with each feed, and is not reported as a warning. */
HPF_API hpf_status hpf_live_diagnosis(const hpf_live *live, hpf_error *diagnosis);

/* Returns the number of complete samples so far. */
HPF_API uint64_t hpf_live_n_samples(const hpf_live *live);

/* Fills at most `room` frames of a name of the profile, as hpf_survey_frames does. */
HPF_API size_t hpf_live_frames(const hpf_live *live, hpf_name name, hpf_frame *frames, size_t room);

/* Does the same, and if `room` is enough for all frames, with the places of calls, as far as the
 * log has them: a frame then has a `function_source`, and its `source` is the place of its call, or
 * empty if the stacks with this name call from several so far. Takes time in proportion to these
 * stacks. */
HPF_API size_t hpf_live_calls(const hpf_live *live, hpf_name name, hpf_frame *frames, size_t room);

/* Stores a survey of the profile so far in `*out`, also after a failed feed. The live profile owns
 * it: do not destroy it or add a sidecar to it. It is valid until the next call other than
 * hpf_live_survey_last and the count. hpf_survey_emit is UNSUPPORTED when not all samples are
 * stored; hpf_survey_amounts_at uses the nearest stored sample, where folded and unwanted names
 * have 0. Takes time in proportion to names and drawn samples; none if nothing
 * was fed since the last call. Returns HPF_MORE, without an error, while headers or the first
 * sample are missing. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_live_survey(hpf_survey **out, hpf_live *live, hpf_error *err);

/* Stores a survey of the last `duration` only, in the sample unit, both ends included, as if the
 * input had no other samples. Samples for which a quarter of `most_bytes` has no room are included
 * only if they are worth drawing. `n_before` of the overview is the number of samples left out.
 * Takes time in proportion to the samples in the window. Errors: MEMORY; ARGUMENT for a duration
 * that is negative or not a number. */
HPF_API HPF_MUST_USE hpf_status hpf_live_survey_last(hpf_survey **out, hpf_live *live,
                                                     double duration, hpf_error *err);

/* Returns what the run-time system did between the first and the last sample of a survey of `live`,
 * borrowed until the next call with this argument. NULL without `has_activity`, for a profile that
 * is not an event log, and if there is nothing to show. */
HPF_API const hpf_activity *hpf_live_activity(hpf_live *live, hpf_survey *survey);

/* Returns whether the input may end here: there are samples, and no statement is incomplete, so
 * that hpf_live_finish would change nothing. */
HPF_API bool hpf_live_is_whole(const hpf_live *live);

/* Returns whether the input has an end marker, as event logs do. */
HPF_API bool hpf_live_has_end(const hpf_live *live);

/* Checks that the view of the options shows something of the names so far. Errors: RANGE,
 * UNSUPPORTED. */
HPF_API hpf_status hpf_live_check_view(const hpf_live *live, hpf_error *err);

/* Returns the time profile so far, borrowed; NULL without `has_costs`, and if the input is not an
 * event log with a time profile. */
HPF_API hpf_eventlog_time *hpf_live_time(const hpf_live *live);

/* Returns the process of a recording that is followed, as far as the recording was fed, borrowed
 * until the next feed; NULL if there is none. */
HPF_API const hpf_process *hpf_live_process(const hpf_live *live);

/* Returns the number of stacks that have totals; 0 without `has_costs`, and if the input is not an
 * event log with totals. */
HPF_API size_t hpf_live_n_totals(const hpf_live *live);

/* Stores the latest totals of a stack, and fills at most `room` of its frames, innermost first,
 * borrowed until the next feed. Returns the number of frames. */
HPF_API size_t hpf_live_totals(const hpf_live *live, size_t index, hpf_stack_totals *totals,
                               hpf_frame *frames, size_t room);

HPF_END_DECLS
#endif
