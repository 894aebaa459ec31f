/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A run-time system writes its events in blocks. The first one has the command line; a heap profile
 * begins in it or, from GHC 9.2 on, in the next one. While no heap profile has begun it may still
 * be in a buffer, so the command line decides.
 */
#include "hpfile/eventlog.h"
#include "eventlog/eventlog_diagnosis.h"
#include "eventlog/eventlog_metadata.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/str.h"

#include <stdio.h>
#include <string.h>

void hpf__eventlog_list_profiles(const hpf_eventlog_metadata *metadata,
                                 char ids[HPF__PROFILE_LIST_BYTES])
{
    bool is_listed[UINT8_MAX + 1] = {false};
    size_t n = 0;
    snprintf(ids, HPF__PROFILE_LIST_BYTES, "none");
    for (size_t i = 0; i < metadata->n_profiles; i++) {
        unsigned id = metadata->profiles[i].id;
        if (!is_listed[id] && n + 8 < HPF__PROFILE_LIST_BYTES) {
            n += (size_t)snprintf(ids + n, HPF__PROFILE_LIST_BYTES - n, n ? ", %u" : "%u", id);
            is_listed[id] = true;
        }
    }
}

static const hpf_eventlog_profile *find_profile(const hpf__eventlog_state *s)
{
    size_t i = 0;
    while (i < s->metadata->n_profiles && s->metadata->profiles[i].id != s->profile) {
        i++;
    }
    return i < s->metadata->n_profiles ? &s->metadata->profiles[i] : NULL;
}

/* The biography of an object is known when it dies, so all samples of a biographical profile, or of
 * one restricted by biography, are written at the end. */
static bool is_biographical(const hpf_eventlog_profile *profile)
{
    return profile->breakdown == HPF_BREAKDOWN_BIOGRAPHY ||
           profile->filters[HPF_RESTRICT_BIOGRAPHY].length > 0;
}

/* Returns why there are no samples yet of a profile that has begun or was requested; NULL: no
 * reason. */
static const char *find_delay(const hpf__eventlog_state *s, const hpf_eventlog_profile *profile)
{
    if (profile && is_biographical(profile)) {
        return "a biographical profile: its samples are written when the program ends";
    }
    if (hpf__eventlog_metadata_has_option(s->metadata, "--no-automatic-heap-samples")) {
        return "the program takes samples only on request: --no-automatic-heap-samples";
    }
    if (s->is_running &&
        !hpf__eventlog_metadata_has_option(s->metadata, "--eventlog-flush-interval")) {
        return "no heap sample yet: use --eventlog-flush-interval=1 (GHC 9.2 or later) to get them "
               "sooner";
    }
    return NULL;
}

/* Returns why there is no sample; NULL: no reason, or not GHC's run-time system. */
static const char *find_lack(const hpf__eventlog_state *s)
{
    const hpf_eventlog_profile *profile = find_profile(s);
    if (!hpf__eventlog_metadata_is_ghc(s->metadata)) {
        return NULL;
    }
    if (profile || hpf__eventlog_metadata_has_option(s->metadata, "-h")) {
        return find_delay(s, profile);
    }
    if (!s->is_running) {
        return NULL;
    }
    return s->metadata->args.length
               ? "no heap profile: the program was started without -h (run it with +RTS -l -hT)"
               : "no heap profile in the event log yet: run the program with +RTS -l -hT";
}

/* While there is no sample. */
static hpf_status say_what_lacks(const hpf__eventlog_state *s, hpf_error *diagnosis)
{
    if (s->is_chosen && s->metadata->n_profiles > 0 && !find_profile(s)) {
        char ids[HPF__PROFILE_LIST_BYTES];
        hpf__eventlog_list_profiles(s->metadata, ids);
        return hpf_error_set(diagnosis, HPF_MORE,
                             "no heap profile number %d in the event log yet, which has %s",
                             s->profile, ids);
    }
    const char *lack = find_lack(s);
    return lack ? hpf_error_set(diagnosis, HPF_MORE, "%s", lack) : HPF_OK;
}

hpf_status hpf__eventlog_diagnosis(const hpf__eventlog_state *s, hpf_error *diagnosis)
{
    if (s->n_others && !s->is_chosen) {
        char ids[HPF__PROFILE_LIST_BYTES];
        hpf__eventlog_list_profiles(s->metadata, ids);
        return hpf_error_set(diagnosis, HPF_ERR_UNSUPPORTED,
                             "the event log has several heap profiles (%s): using number %d", ids,
                             s->profile);
    }
    return s->n_samples || s->is_over ? HPF_OK : say_what_lacks(s, diagnosis);
}

static bool has(const hpf_eventlog *log, unsigned id)
{
    return hpf_eventlog_n_of_type(log, id) > 0;
}

/* Returns whether the run-time system is a profiling one: "GHC-9.4.7 rts_thr_p". */
static bool is_profiling(hpf_str rts)
{
    return rts.length > 2 && (memcmp(rts.data + rts.length - 2, "_p", 2) == 0 ||
                              (rts.length > 8 && hpf_str_find(rts, "_p_") != NULL));
}

hpf_eventlog_missing hpf_eventlog_find_missing(const hpf_eventlog *log,
                                               const hpf_eventlog_metadata *metadata,
                                               bool has_samples)
{
    bool is_complete = hpf_eventlog_state(log) == HPF_EVENTLOG_COMPLETE;
    bool is_profiled = is_profiling(metadata->rts), was_asked = metadata->n_profiles > 0;
    bool has_none = is_complete && !was_asked && !has(log, HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN) &&
                    !has(log, HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN);
    const struct {
        bool is_missing;
        const char *text;
    } all[] = {
        {!is_complete && !has_samples,
         "events that were still buffered when the program was killed: +RTS "
         "--eventlog-flush-interval=1 (GHC 9.2 or later)"},
        {has_none, is_profiled
                       ? "a heap profile: +RTS -l -hc (or -hy, -hd, -hm, -hr, -hb)"
                       : "a heap profile: +RTS -l -hT (built with -prof also -hc and others)"},
        {was_asked && !has_samples, "samples of a short run: +RTS -i0.01"},
        {!has(log, HPF__EVENT_HEAP_SIZE) && !has(log, HPF__EVENT_HEAP_LIVE),
         "heap size and live bytes: +RTS -lg (part of -l)"},
        {!has(log, HPF__EVENT_USER_MARKER),
         "marks: Debug.Trace.traceMarker in the program, and +RTS -lu (part of -l)"},
        {!has(log, HPF__EVENT_PROF_SAMPLE_COST_CENTRE) && is_profiled,
         "time by cost centre: +RTS -p -l"},
    };
    hpf_eventlog_missing out = {.n = 0};
    for (size_t i = 0; hpf__eventlog_metadata_is_ghc(metadata) && i < sizeof all / sizeof *all;
         i++) {
        if (all[i].is_missing) {
            out.hints[out.n++] = all[i].text;
        }
    }
    return out;
}
