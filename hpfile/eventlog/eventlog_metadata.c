/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Metadata of a log: program, run-time system, date, heap profiles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "eventlog/eventlog_metadata.h"
#include "base/buffer.h"
#include "base/big_endian.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/str.h"
#include "base/date.h"
#include "base/names.h"
#include "base/words.h"
#include "hpfile/eventlog.h"

#define DEFAULT_MBLOCK_BYTES (UINT64_C(1) << 20)

void hpf_eventlog_metadata_finish(hpf_eventlog_metadata *metadata)
{
    hpf_arena_destroy(metadata->arena);
    free(metadata->profiles);
    *metadata = (hpf_eventlog_metadata){0};
}

bool hpf__eventlog_metadata_is_ghc(const hpf_eventlog_metadata *metadata)
{
    hpf_str rts = metadata->rts;
    return rts.length == 0 || hpf_str_begins(rts, "GHC-");
}

static hpf_status keep(hpf_eventlog_metadata *metadata, hpf_str text, hpf_str *copy, hpf_error *err)
{
    *copy = hpf_arena_str(metadata->arena, text);
    return copy->data ? HPF_OK : hpf_error_set_memory(err);
}

/* --- the command line --- */

static bool put_word(hpf__buffer *job, hpf_str word)
{
    return (job->length == 0 || hpf__buffer_append(job, " ", 1)) &&
           (word.length == 0 || hpf__buffer_add(job, word));
}

/* Iterates over the words of a command line after the first: the words of the program, or of the
 * run-time system. */
typedef struct words {
    hpf_str rest;
    bool is_rts;  /* between +RTS and -RTS; so is +RTS itself */
    bool is_over; /* after --RTS all words are the program's */
} words;

/* Reads the next word of the wanted kind. Returns false after the last. */
static bool find_word(words *w, bool want_rts, hpf_str *word)
{
    while (w->rest.length) {
        *word = hpf__take_until(&w->rest, '\0');
        bool is_end = hpf_str_is(*word, "-RTS") || hpf_str_is(*word, "--RTS");
        if (!w->is_over && is_end) {
            w->is_rts = false;
            w->is_over = hpf_str_is(*word, "--RTS");
            continue;
        }
        w->is_rts |= !w->is_over && hpf_str_is(*word, "+RTS");
        if (w->is_rts == want_rts) {
            return true;
        }
    }
    return false;
}

static bool put_words(hpf__buffer *job, hpf_str args, bool want_rts)
{
    words w = {.rest = args};
    bool is_put = true;
    for (hpf_str word; is_put && find_word(&w, want_rts, &word);) {
        is_put = put_word(job, word);
    }
    return is_put;
}

static bool put_ghc_job(hpf__buffer *job, hpf_str args)
{
    return !args.length || (put_word(job, hpf__base_name(hpf__take_until(&args, '\0'))) &&
                            put_words(job, args, false) && put_words(job, args, true));
}

/* Other run-time systems do not take words from the program: the job has all words. */
static bool put_other_job(hpf__buffer *job, hpf_str args)
{
    size_t length = args.length && !args.data[args.length - 1] ? args.length - 1 : args.length;
    bool is_put = length == 0 || hpf__buffer_append(job, args.data, length);
    for (size_t i = 0; i < job->length; i++) {
        job->bytes[i] = job->bytes[i] ? job->bytes[i] : ' ';
    }
    return is_put;
}

bool hpf__eventlog_metadata_has_option(const hpf_eventlog_metadata *metadata, const char *beginning)
{
    words w = {.rest = metadata->args};
    bool is_there = false;
    if (metadata->args.length) {
        (void)hpf__take_until(&w.rest, '\0');
    }
    for (hpf_str word; !is_there && find_word(&w, true, &word);) {
        is_there = hpf_str_begins(word, beginning);
    }
    return is_there;
}

static hpf_status note_args(hpf_eventlog_metadata *metadata, hpf_str args, hpf_error *err)
{
    hpf__buffer job = {0};
    hpf_status status = keep(metadata, args, &metadata->args, err);
    bool is_put = hpf__eventlog_metadata_is_ghc(metadata) ? put_ghc_job(&job, args)
                                                          : put_other_job(&job, args);
    if (status == HPF_OK) {
        hpf_str text = {job.bytes, job.length};
        status = is_put ? keep(metadata, text, &metadata->job, err) : hpf_error_set_memory(err);
    }
    hpf__buffer_finish(&job);
    return status;
}

/* --- the others --- */

static hpf_status note_profile(hpf_eventlog_metadata *metadata, hpf_str payload, hpf_error *err)
{
    const size_t fixed_bytes = 13;
    hpf_str rest;
    if (payload.length < fixed_bytes) {
        return HPF_OK;
    }
    if (!HPF__ARRAY_RESERVE(metadata->profiles, metadata->profiles_capacity,
                            metadata->n_profiles + 1)) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = keep(metadata, payload, &rest, err);
    if (status != HPF_OK) {
        return status;
    }
    hpf_eventlog_profile *p = &metadata->profiles[metadata->n_profiles++];
    *p = (hpf_eventlog_profile){.id = (uint8_t)*rest.data,
                                .period_ns = hpf__read8(rest.data + 1),
                                .breakdown = (hpf_breakdown)hpf__read4(rest.data + 9)};
    rest = hpf_str_from(rest, fixed_bytes);
    for (int i = 0; i < HPF_N_RESTRICTIONS && rest.length; i++) {
        p->filters[i] = hpf__take_until(&rest, '\0');
    }
    return HPF_OK;
}

/* Returns the payload after the capability set, with which many events begin. */
static hpf_str after_set(hpf_str payload)
{
    return payload.length < 4 ? (hpf_str){payload.data, 0} : hpf_str_from(payload, 4);
}

hpf_breakdown hpf__eventlog_further(unsigned flags)
{
    return flags == HPF__CENTRE_IS_TYPE           ? HPF_BREAKDOWN_TYPE
           : flags == HPF__CENTRE_IS_RETAINER_SET ? HPF_BREAKDOWN_RETAINER
           : flags == HPF__CENTRE_IS_PHASE        ? HPF_BREAKDOWN_BIOGRAPHY
                                                  : HPF_BREAKDOWN_NONE;
}

static hpf_status note_payload(hpf_eventlog_metadata *metadata, uint16_t id, hpf_str payload,
                               hpf_error *err)
{
    char date[HPF__DATE_BYTES];
    hpf_str rest = after_set(payload);
    switch (id) {
    case HPF__EVENT_RTS_IDENTIFIER:
        return keep(metadata, rest.length ? hpf__take_until(&rest, '\0') : rest, &metadata->rts,
                    err);
    case HPF__EVENT_PROGRAM_ARGS:
        return note_args(metadata, rest, err);
    case HPF__EVENT_WALL_CLOCK_TIME:
        if (rest.length < 8) {
            return HPF_OK;
        }
        hpf__date_write(date, hpf__read8(rest.data));
        return keep(metadata, (hpf_str){date, sizeof date - 1}, &metadata->date, err);
    case HPF__EVENT_OSPROCESS_PID:
        metadata->pid = rest.length < 4 ? 0 : hpf__read4(rest.data);
        return HPF_OK;
    case HPF__EVENT_HEAP_INFO_GHC:
        metadata->mblock_bytes =
            rest.length < 26 ? metadata->mblock_bytes : hpf__read8(rest.data + 18);
        return HPF_OK;
    case HPF__EVENT_PROF_BEGIN:
        if (payload.length >= 8 && hpf__read8(payload.data) > 0) {
            metadata->tick_ns = hpf__read8(payload.data);
        }
        return HPF_OK;
    case HPF__EVENT_HEAP_PROF_BEGIN:
        return note_profile(metadata, payload, err);
    case HPF__EVENT_HEAP_PROF_RATE:
    case HPF__EVENT_HEAP_PROF_WATCH:
        metadata->has_watch |= id == HPF__EVENT_HEAP_PROF_WATCH;
        if (payload.length >= 9 && hpf__read8(payload.data + 1) > metadata->rate_bytes) {
            metadata->rate_bytes = hpf__read8(payload.data + 1);
        }
        return HPF_OK;
    case HPF__EVENT_HEAP_PROF_COST_CENTRE: /* its flags come last */
        if (payload.length > 4) {
            unsigned char flags = (unsigned char)payload.data[payload.length - 1];
            metadata->further |= UINT64_C(1) << hpf__eventlog_further(flags);
        }
        return HPF_OK;
    default:
        return HPF_OK;
    }
}

bool hpf_eventlog_metadata_want(uint16_t id)
{
    switch (id) {
    case HPF__EVENT_RTS_IDENTIFIER:
    case HPF__EVENT_PROGRAM_ARGS:
    case HPF__EVENT_WALL_CLOCK_TIME:
    case HPF__EVENT_OSPROCESS_PID:
    case HPF__EVENT_HEAP_INFO_GHC:
    case HPF__EVENT_PROF_BEGIN:
    case HPF__EVENT_HEAP_PROF_BEGIN:
    case HPF__EVENT_HEAP_PROF_RATE:
    case HPF__EVENT_HEAP_PROF_WATCH:
        return true;
    default:
        return false;
    }
}

hpf_status hpf_eventlog_metadata_note(hpf_eventlog_metadata *metadata, const hpf_event *event,
                                      hpf_error *err)
{
    if (!metadata->arena) {
        metadata->mblock_bytes = DEFAULT_MBLOCK_BYTES;
        metadata->arena = hpf_arena_create();
    }
    if (!metadata->arena) {
        return hpf_error_set_memory(err);
    }
    return note_payload(metadata, event->type->id, event->payload, err);
}

/* A run-time system writes its events in blocks. The first one has the command line; a heap
 * profile begins in it or, from GHC 9.2 on, in the next one. While no heap profile has begun it
 * may still be in a buffer, so the command line decides. */

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
