/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Describes the heap to the profiler, and starts and stops profiles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

/* ---- The language: functions that describe objects ------------------------------------------- */

/* A thread and its stack are objects in profiles. The stack refers to the thread, to the objects in
 * its slots, and to the static objects that running code refers to. Both objects of the main thread
 * belong to no cost centre of the program. */
static const lz_info tso_info = {
    .kind = LZ_TSO,
    .shape = LZ_SHAPE("TSO", "TSO", "TSO", HPP_STACK),
};
static const lz_info stack_info = {
    .kind = LZ_STACK,
    .shape = LZ_SHAPE("STACK", "STACK", "STACK", HPP_STACK),
};

static const hpp_shape *shape(hpp_ref ref, void *context)
{
    (void)context;
    return &((const lz_object *)ref)->info->shape;
}

static lz_thread *thread_of_stack(lz_object *stack)
{
    return (lz_thread *)(void *)((char *)stack - offsetof(lz_thread, stack));
}

static uint64_t size_bytes(hpp_ref ref, void *context)
{
    (void)context;
    const lz_object *o = (const lz_object *)ref;
    if (o->info->kind == LZ_TSO) {
        return sizeof(lz_thread) - sizeof *o; /* without the other object in it */
    }
    if (o->info->kind == LZ_STACK) {
        const lz_thread *t = thread_of_stack((lz_object *)ref);
        return sizeof *o + t->n_slots * sizeof *t->slots + t->n_frames * sizeof *t->frames;
    }
    return lz_size_bytes(o);
}

static hpp_header *header(hpp_ref ref, void *context)
{
    (void)context;
    return &((lz_object *)ref)->profile;
}

/* Returns the children of an object: its references, then the static objects that its code (for
 * a stack, the code of each frame) refers to. */
static size_t children(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index, void *context)
{
    (void)context;
    lz_object *o = (lz_object *)ref;
    bool is_weak = o->info->kind == LZ_WEAK;
    const lz_thread *t = o->info->kind == LZ_STACK ? thread_of_stack(o) : NULL;
    lz_object **refs = t ? t->slots : lz_refs(o); /* a TSO has none */
    size_t n_refs = t ? t->n_slots : is_weak ? LZ_WEAK_FINALIZER + 1 : o->info->n_refs;
    size_t n = n_refs + (t ? t->n_frames + 1 : 1);
    size_t n_out = 0;
    for (size_t i = from_index; i < n && n_out < capacity; i++) {
        if (i < n_refs) {
            out[n_out++] = (hpp_ref)refs[i];
        } else {
            bool is_frame = t && i - n_refs < t->n_frames;
            out[n_out++] = is_frame ? (hpp_ref)t->frames[i - n_refs].info->srt
                           : t      ? (hpp_ref)&t->tso
                                    : (hpp_ref)o->info->srt;
        }
    }
    return n_out;
}

/* Context of visit_object. */
typedef struct visit_to {
    hpp_visit_root *visit;
    void *context;
} visit_to;

static int visit_object(lz_object *o, void *context)
{
    const visit_to *to = context;
    return to->visit((hpp_ref)o, to->context);
}

/* Visits all objects in the heap: after a collection, these are the live ones. */
static int objects(hpp_visit_root *visit, void *visit_context, void *context)
{
    lz_runtime *rt = context;
    visit_to to = {visit, visit_context};
    lz_thread *t = &rt->main_thread;
    int result = 0;
    do {
        result = visit((hpp_ref)&t->tso, visit_context);
        result = result == 0 ? visit((hpp_ref)&t->stack, visit_context) : result;
        t = t->next;
    } while (result == 0 && t != &rt->main_thread);
    return result == 0 ? lz_each_object(rt, visit_object, &to) : result;
}

/* Visits the stacks, the weak pointers, which the runtime keeps without references to them, and
 * finalizers that are due. */
static int roots(hpp_visit_root *visit, void *visit_context, void *context)
{
    lz_runtime *rt = context;
    lz_thread *t = &rt->main_thread;
    int result = 0;
    do {
        result = visit((hpp_ref)&t->stack, visit_context);
        t = t->next;
    } while (result == 0 && t != &rt->main_thread);
    for (lz_object *weak = rt->weaks; weak && result == 0; weak = lz_refs(weak)[LZ_WEAK_NEXT]) {
        result = visit((hpp_ref)weak, visit_context);
    }
    for (size_t i = 0; i < rt->n_finalizers && result == 0; i++) {
        result = visit((hpp_ref)rt->finalizers[i], visit_context);
    }
    return result;
}

/* ---- Threads --------------------------------------------------------------------------------- */

void lz_profile_thread(lz_runtime *rt, lz_thread *t, const char *name)
{
    hpp_profiler *log = hpp_runtime_profiler(rt->profile);
    t->tso = (lz_object){.info = &tso_info};
    t->stack = (lz_object){.info = &stack_info};
    hpp_runtime_created(rt->profile, (hpp_ref)&t->tso, size_bytes((hpp_ref)&t->tso, rt));
    hpp_runtime_created(rt->profile, (hpp_ref)&t->stack, size_bytes((hpp_ref)&t->stack, rt));
    hpp_log_thread(log, t->id, HPP_THREAD_CREATED, 0);
    if (name) {
        hpp_log_thread_name(log, t->id, hpf_str_of(name));
    }
}

void lz_profile_thread_end(lz_runtime *rt, lz_thread *t)
{
    if (rt->needs.dead) {
        hpp_runtime_dead(rt->profile, (hpp_ref)&t->tso);
        hpp_runtime_dead(rt->profile, (hpp_ref)&t->stack);
    }
    hpp_log_task_ended(hpp_runtime_profiler(rt->profile), t->id, 0);
}

void lz_profile_task(lz_runtime *rt, const lz_thread *t)
{
    hpp_log_task_created(hpp_runtime_profiler(rt->profile), t->id, 0, (uint64_t)gettid());
}

void lz_profile_stops(lz_runtime *rt, hpp_log_thread_event why)
{
    hpp_log_thread(hpp_runtime_profiler(rt->profile), rt->running->id, why, 0);
}

void lz_profile_runs(lz_runtime *rt)
{
    hpp_log_thread(hpp_runtime_profiler(rt->profile), rt->running->id, HPP_THREAD_RUNS, 0);
}

void lz_trace(lz_runtime *rt, const char *message)
{
    hpp_log_message(hpp_runtime_profiler(rt->profile), hpf_str_of(message));
}

void lz_mark(lz_runtime *rt, const char *label)
{
    hpp_profiler_mark(hpp_runtime_profiler(rt->profile), hpf_str_of(label));
}

/* ---- Starting and stopping ------------------------------------------------------------------- */

uint64_t lz_processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The clock of the profile: processor time, without the collector's unless an event log shows its
 * pauses. */
static uint64_t now_ns(void *context)
{
    const lz_runtime *rt = context;
    return lz_processor_ns() - (rt->options->with_eventlog ? 0 : rt->collecting_ns);
}

/* Exits on invalid options. Warns of other errors, after which the program continues. */
static void check(hpf_status status, const hpf_error *err, const char *otherwise)
{
    if (status == HPF_ERR_ARGUMENT) {
        lz_fail(err->message);
    } else if (status != HPF_OK) {
        fprintf(stderr, "%s: %s\n", otherwise, err->message);
    }
}

static void add_options(lz_runtime *rt, const char *text)
{
    hpf_error err = {0};
    hpf_status status = hpp_options_parse(rt->options, hpf_str_of(text), &err);
    check(status, &err, "some options are ignored");
}

void lz_profile_start(lz_runtime *rt, const char *program, const char *const *arguments,
                      size_t n_arguments, const char *options)
{
    rt->options = hpp_options_create();
    const char *inherited = getenv("HPP_OPTIONS");
    add_options(rt, inherited ? inherited : "");
    add_options(rt, options);
    const hpp_language language = {
        .size = sizeof language,
        .shape = shape,
        .size_bytes = size_bytes,
        .header = header,
        .all_have_headers = true,
        .children = children,
        .objects = objects,
        .roots = roots,
        .context = rt,
    };
    const hpp_config config = {
        .size = sizeof config,
        .options = rt->options,
        .program = program,
        .arguments = arguments,
        .n_arguments = n_arguments,
        .clock = {now_ns, rt},
        .ticker = rt->options && rt->options->time_bins ? HPP_TICKER_SIGNAL : HPP_TICKER_THREAD,
    };
    hpf_error err = {0};
    rt->main_thread.tso = (lz_object){&tso_info, {hpp_ccs_builtin(HPP_CCS_SYSTEM), 0}};
    rt->main_thread.stack = (lz_object){&stack_info, {hpp_ccs_builtin(HPP_CCS_SYSTEM), 0}};
    check(hpp_runtime_start(&rt->profile, &language, &config, &err), &err, "no profile");
    rt->needs = hpp_runtime_needs(rt->profile);
    rt->counts_entries =
        rt->options && rt->options->with_eventlog && rt->options->log_classes & HPP_LOG_TICKY;
    hpp_log_thread(hpp_runtime_profiler(rt->profile), rt->running->id, HPP_THREAD_CREATED, 0);
    lz_profile_task(rt, rt->running);
    lz_profile_runs(rt);
}

void lz_profile_stop(lz_runtime *rt)
{
    hpf_error err = {0};
    lz_ticky_report(rt);
    lz_profile_stops(rt, HPP_THREAD_ENDED);
    check(hpp_runtime_stop(rt->profile, &err), &err, "the profile is incomplete");
    hpp_runtime_destroy(rt->profile);
    hpp_options_destroy(rt->options);
    rt->options = NULL;
    rt->profile = NULL;
    rt->needs = (hpp_needs){0};
}
