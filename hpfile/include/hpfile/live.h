/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile that is still growing: bytes are pushed in as they come, and a survey is taken out at
 * any moment. Nothing is read twice.
 *
 * A survey taken in between shows the complete samples, as if the input ended behind the last of
 * them; one taken after hpf_live_finish is what hpf_survey_create finds in the same bytes. There
 * are three differences:
 * - Samples of an event log that are earlier than one before them are put in order as long as the
 *   costs of all samples are kept. From then on they get the time of the one before.
 * - Of large files, which hpf_survey_create reads in parts, sums of fractions may differ in the
 *   last digits, and other samples may be picked.
 * - When the samples worth drawing need more than half of `most_bytes`, the costs of small names
 *   are added up to one rest: of those beyond the 512 largest, the smallest first. Totals of all
 *   names stay exact. In series the rest counts with the names that it is of; if they are in
 *   several bands, each band gets so much of it as its names amount to. A name that rises to be
 *   among those that are kept has a series of its own from then on, and what it had before stays in
 *   the rest.
 *
 * Memory: names, `most_bytes`, and for each of the two surveys what a survey takes (survey.h) and
 * the last four series, of at most 8 MiB each; never rows.
 * Threads: one thread at a time.
 */
#ifndef HPFILE_LIVE_H
#define HPFILE_LIVE_H

#include "hpfile/survey.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_live hpf_live;

typedef struct hpf_live_options {
    size_t max_picks;     /* as in hpf_survey_options; 0: the default, 8192 */
    size_t most_bytes;    /* about what kept samples may take; 0: the default, 64 MiB */
    bool has_log_profile; /* as in hpf_reader_options */
    uint8_t log_profile;
    /* As in hpf_survey_options. */
    bool (*is_wanted)(void *context, hpf_str name);
    void *is_wanted_context;
    /* Also gets every event as it comes, after it was counted: samples without the costs of names
     * that are not wanted, also those that are earlier than one before them; what is fed as sidecar
     * too, where a mark labels the one that came at the same time. Must not call the live profile.
     * May be NULL; borrowed for the profile's life. */
    const hpf_events *listener;
    void *listener_context;
    hpf_warning *warning;
    void *warning_context;
} hpf_live_options;

/* NULL `options` means all zero. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_live_create(hpf_live **out, const hpf_live_options *options,
                                                hpf_error *err);
HPF_API void hpf_live_destroy(hpf_live *live);

/* The next bytes of the input, cut anywhere. Costs what the bytes cost to read; now and then, when
 * there is no room, also a sweep over what is kept. Errors: those of hpf_reader_feed; one that
 * failed stays failed. */
HPF_API HPF_MUST_USE hpf_status hpf_live_feed(hpf_live *live, const char *bytes, size_t n_bytes,
                                              hpf_error *err);

/* The next bytes of the file beside the input (sidecar.h). Its lines become lines of the profile;
 * its labels go to marks of the same times that have none, whichever comes first. Errors: those of
 * hpf_sidecar_read; one that failed stays failed, and what was read until then stays. */
HPF_API HPF_MUST_USE hpf_status hpf_live_feed_sidecar(hpf_live *live, const char *bytes,
                                                      size_t n_bytes, hpf_error *err);

/* The input has ended: reads what was held back. Errors: those of hpf_reader_finish. */
HPF_API HPF_MUST_USE hpf_status hpf_live_finish(hpf_live *live, hpf_error *err);

/* Whether the input may end here without hpf_live_finish, which would change nothing and say
 * nothing: there are samples, and all bytes fed are read. More of them may still follow. */
HPF_API bool hpf_live_is_whole(const hpf_live *live);

/* Whether the input itself has said that it is over, as event logs do. */
HPF_API bool hpf_live_has_end(const hpf_live *live);

/* What one should know of a profile that grows, as far as the input has told: HPF_OK if there is
 * nothing. Otherwise `caveat` says it, without a place, with the status
 * - HPF_MORE: why there is no sample yet. The program was started without a heap profile; its
 *   samples come in the end; the profile that is asked for has not begun.
 * - ORDER: samples came too late to be put in order.
 * - UNSUPPORTED: there are samples of other profiles, which are left out.
 * No warning says the same. It may change with whatever is fed. */
HPF_API hpf_status hpf_live_diagnosis(const hpf_live *live, hpf_error *caveat);

/* Complete samples, and bytes fed (not those of the sidecar), so far. */
HPF_API uint64_t hpf_live_n_samples(const hpf_live *live);
HPF_API uint64_t hpf_live_n_bytes(const hpf_live *live);

/* The profile so far, also when feeding has failed for another reason than memory. The survey is
 * the live profile's: it is not destroyed, gets no sidecar, and is valid until the next call that
 * is not hpf_live_snapshot_last or a count. hpf_survey_replay, also inside hpf_survey_emit, is
 * UNSUPPORTED when not all samples are kept; hpf_survey_amounts_at takes the nearest sample that is
 * kept. What is in a rest, or is not wanted, amounts to 0 for each name there. Costs time with
 * names and picks; nothing when nothing came since the last. Returns HPF_MORE, without an error,
 * while headers or the first sample are missing. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_live_snapshot(hpf_survey **out, hpf_live *live, hpf_error *err);

/* The same of the samples of the last `duration` only (in the sample unit, both ends included): as
 * if the input had no others, so bands are ranked for this stretch. All samples of the stretch
 * count if they take no more than a quarter of `most_bytes`, and what can be of it; before those
 * only samples that were picked for the whole do. `n_before` of the overview is the number of all
 * samples that do not count. It costs time with the samples of the stretch. Errors also: ARGUMENT
 * for a duration that is negative or not a number. */
HPF_API HPF_MUST_USE hpf_status hpf_live_snapshot_last(hpf_survey **out, hpf_live *live,
                                                       double duration, hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
