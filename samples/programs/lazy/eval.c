/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Evaluation: a thunk is overwritten with a black hole while its code runs, and then with an
 * indirection to its value. The runtime has its own stack of slots, in parallel to the C stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"

enum { CALLS_PER_LOOK = 256 };

void lz_fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(1);
}

/* ---- The stack ------------------------------------------------------------------------------- */

static lz_object **push(lz_runtime *rt, const lz_info *info, size_t n_slots)
{
    lz_thread *t = rt->running;
    if (t->n_frames == t->max_frames || t->max_slots - t->n_slots < n_slots) {
        lz_raise(rt, "stack overflow");
    }
    lz_object **slots = t->slots + t->n_slots;
    memset(slots, 0, n_slots * sizeof *slots);
    t->frames[t->n_frames++] = (lz_frame){info, t->n_slots};
    t->n_slots += n_slots;
    lz_ticky_entered(rt, info);
    return slots;
}

static void pop(lz_runtime *rt)
{
    lz_thread *t = rt->running;
    t->n_slots = t->frames[--t->n_frames].first_slot;
}

/* Collects garbage if necessary. Objects move nowhere else, so callers keep references in slots.
 * Reading the clock takes longer than a call, so most calls do not read it. */
static void collect_if_due(lz_runtime *rt)
{
    bool looks = rt->n_pushed++ % CALLS_PER_LOOK == 0;
    bool is_due = looks && hpp_runtime_wants_collection(rt->profile);
    if (is_due) {
        lz_census(rt);
    } else if (rt->allocated_bytes >= rt->limit_bytes) {
        lz_collect(rt);
    }
}

static void used(lz_runtime *rt, lz_object *o)
{
    hpp_header_used(rt->profile, &rt->needs, (hpp_ref)o, &o->profile);
}

/* ---- Thunks ---------------------------------------------------------------------------------- */

static const lz_info blackhole_info = {
    .kind = LZ_BLACKHOLE,
    .n_words = 1,
    .shape = LZ_SHAPE("BLACKHOLE", "*", "BLACKHOLE", 0),
};
static const lz_info indirection_info = {
    .kind = LZ_INDIRECTION,
    .n_refs = 1,
    .n_words = 1,
    .shape = LZ_SHAPE("IND", "*", "IND", 0),
};
static const lz_info static_blackhole_info = {
    .kind = LZ_BLACKHOLE,
    .n_words = 1,
    .shape = LZ_SHAPE("BLACKHOLE", "*", "BLACKHOLE", HPP_STATIC),
};
/* Not a retainer, although a top-level thunk is one: like all other static objects, it only
 * connects what refers to it with its value. */
static const lz_info static_indirection_info = {
    .kind = LZ_INDIRECTION,
    .n_refs = 1,
    .n_words = 1,
    .shape = LZ_SHAPE("IND_STATIC", "*", "IND_STATIC", HPP_STATIC),
};

static lz_object *force(lz_runtime *rt, lz_object *thunk);

/* Returns the value of an object that code has returned. */
static lz_object *value_of(lz_runtime *rt, lz_object *o)
{
    while (o->info->kind == LZ_INDIRECTION) {
        o = lz_refs(o)[0];
    }
    if (o->info->kind == LZ_BLACKHOLE) {
        lz_raise(rt, "<<loop>>");
    }
    return o->info->kind == LZ_THUNK ? force(rt, o) : o;
}

/* Runs code under a cost-centre stack; NULL means the current one. */
static lz_object *run(lz_runtime *rt, const lz_info *info, lz_object **slots, const hpp_ccs *ccs)
{
    lz_object *value = NULL;
    HPP_UNDER(ccs ? ccs : hpp_ccs_current())
    {
        value = value_of(rt, info->code(rt, slots));
    }
    return value;
}

/* Evaluates a top-level thunk, which is outside the heap and has no cost. Its value is alive as
 * long as code that refers to it can still run. */
static lz_object *force_static(lz_runtime *rt, lz_static *caf)
{
    const lz_info *info = caf->object.info;
    lz_object **slots = push(rt, info, 1 + info->n_locals);
    slots[0] = &caf->object;
    collect_if_due(rt);
    caf->object.profile.producer = hpp_ccs_of_caf(caf->centre);
    caf->object.info = &static_blackhole_info;
    lz_object *value = run(rt, info, slots + 1, caf->object.profile.producer);
    caf->refs[0] = value;
    caf->object.info = &static_indirection_info;
    pop(rt);
    return value;
}

/* Evaluates a thunk. Slot 0 holds the thunk, the next slots belong to the code. The black hole does
 * not refer to the free variables, so they are alive only as long as the code needs them. */
static lz_object *force(lz_runtime *rt, lz_object *thunk)
{
    if (lz_is_static(thunk)) {
        return force_static(rt, (lz_static *)(void *)thunk);
    }
    const lz_info *info = thunk->info;
    lz_object **slots = push(rt, info, 1 + info->n_refs + info->n_locals);
    slots[0] = thunk;
    collect_if_due(rt);
    thunk = slots[0];
    memcpy(slots + 1, lz_refs(thunk), info->n_refs * sizeof *slots);
    used(rt, thunk);
    lz_overwrite(rt, thunk, &blackhole_info, NULL);
    lz_object *value = run(rt, info, slots + 1, thunk->profile.producer);
    lz_overwrite(rt, slots[0], &indirection_info, value);
    pop(rt);
    return value;
}

lz_object *lz_eval(lz_runtime *rt, lz_object *o)
{
    if (o->info->kind == LZ_THUNK) {
        return force(rt, o);
    }
    o = value_of(rt, o);
    used(rt, o);
    return o;
}

/* ---- Functions ------------------------------------------------------------------------------- */

lz_object *lz_call(lz_runtime *rt, lz_object *function, lz_object *first, lz_object *second)
{
    const lz_info *info = function->info;
    lz_object *given[] = {first, second};
    lz_object **slots = push(rt, info, 1 + info->n_args + info->n_refs + info->n_locals);
    slots[0] = function;
    memcpy(slots + 1, given, info->n_args * sizeof *given);
    collect_if_due(rt);
    function = slots[0];
    memcpy(slots + 1 + info->n_args, lz_refs(function), info->n_refs * sizeof *slots);
    used(rt, function);
    /* Profiler: costs belong to the creator of the function, called by the current stack. */
    const hpp_ccs *captured = function->profile.producer;
    const hpp_ccs *ccs = captured ? hpp_ccs_append(hpp_ccs_current(), captured) : NULL;
    lz_object *value = run(rt, info, slots + 1, ccs);
    pop(rt);
    return value;
}

lz_object *lz_apply(lz_runtime *rt, lz_object *function, lz_object *argument)
{
    static const lz_info pap_info = {
        .kind = LZ_PAP,
        .n_refs = 2,
        .n_words = 2,
        .shape = LZ_SHAPE("PAP", "->*", "PAP", 0),
    };
    if (function->info->kind == LZ_PAP) {
        used(rt, function);
        return lz_call(rt, lz_refs(function)[0], lz_refs(function)[1], argument);
    }
    return function->info->n_args == 1 ? lz_call(rt, function, argument, NULL)
                                       : lz_new(rt, &pap_info, function, argument, NULL);
}

static lz_object *apply(lz_runtime *rt, lz_object **slots)
{
    slots[0] = lz_eval(rt, slots[0]);
    return lz_apply(rt, slots[0], slots[1]);
}

lz_object *lz_apply_later(lz_runtime *rt, lz_object *function, lz_object *argument)
{
    static const lz_info ap_info = {
        .kind = LZ_THUNK,
        .n_refs = 2,
        .n_words = 2,
        .code = apply,
        .shape = LZ_SHAPE("AP", "*", "AP", HPP_RETAINER),
    };
    return lz_new(rt, &ap_info, function, argument, NULL);
}

/* ---- Exceptions ------------------------------------------------------------------------------ */

static lz_object *raise_again(lz_runtime *rt, lz_object **slots)
{
    lz_raise(rt, (const char *)(intptr_t)lz_int_value(slots[0]));
}

/* Removes the frames of a lz_try. Thunks that were being evaluated will raise the exception. */
static void unwind(lz_runtime *rt, const lz_handler *handler, const char *message)
{
    static const lz_info raise_info = LZ_THUNK_INFO("raise", 1, 0, raise_again);
    lz_thread *t = rt->running;
    for (; t->n_frames > handler->n_frames; pop(rt)) {
        const lz_frame *frame = &t->frames[t->n_frames - 1];
        lz_object *o = frame->info->kind == LZ_THUNK ? t->slots[frame->first_slot] : NULL;
        if (o && o->info->kind == LZ_BLACKHOLE) {
            lz_object *text = lz_int(rt, (intptr_t)message);
            if (lz_is_static(o)) {
                lz_refs(o)[0] = lz_new(rt, &raise_info, text, NULL, NULL);
                o->info = &static_indirection_info;
            } else {
                lz_overwrite(rt, o, &raise_info, text);
            }
        }
    }
}

void lz_raise(lz_runtime *rt, const char *message)
{
    lz_handler *handler = rt->running->handler;
    /* Profiler: the stack belongs to the code that is running. */
    hpp_profiler_exception(hpp_runtime_profiler(rt->profile), message, STDERR_FILENO);
    if (handler) {
        unwind(rt, handler, message);
        handler->message = message;
        hpp_longjmp(&handler->jump, 1);
    }
    lz_collect(rt);
    lz_profile_stop(rt);
    lz_stats_print(rt);
    lz_fail(message);
}

lz_object *lz_try(lz_runtime *rt, lz_object *o, const char **message)
{
    lz_thread *t = rt->running;
    lz_handler handler = {.n_frames = t->n_frames, .outer = t->handler};
    lz_object *volatile value = NULL;
    t->handler = &handler;
    if (setjmp(HPP_JMP_MARK(&handler.jump)) == 0) {
        value = lz_eval(rt, o);
    }
    *message = t->handler->message;
    t->handler = t->handler->outer;
    return value;
}
