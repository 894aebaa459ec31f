/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A stack of which more than MAX_STACK_BYTES are in use, or that has more than MAX_FRAMES frames,
 * has functions for its inner part only.
 */
#include "thread_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MAX_STACK_BYTES = 1 << 20, MAX_FRAMES = 1024, NO_SLOT = -1 };
static const int callee_saved[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
enum { N_CALLEE_SAVED = sizeof callee_saved / sizeof *callee_saved };

typedef struct walk {
    hpp__thread_frames *out;
    uint64_t registers[HPP__N_REGISTERS];
    uint64_t begin, end; /* of the words that were read */
    const char *words;
    /* Where the value of each register that functions save is now: a part, or else the register
     * itself. */
    size_t slot[N_CALLEE_SAVED];
    bool is_in_slot[N_CALLEE_SAVED];
} walk;

static bool word_at(const walk *w, uint64_t address, uint64_t *out)
{
    if (address < w->begin || address > w->end - sizeof *out) {
        return false;
    }
    memcpy(out, w->words + (address - w->begin), sizeof *out);
    return true;
}

static bool add_part(walk *w, uint64_t begin, uint64_t end, hpf_str function)
{
    hpp__thread_frames *f = w->out;
    return begin >= end || HPF__ARRAY_PUSH(f->parts, f->n_parts, f->capacity,
                                           ((hpp__stack_part){begin, end, function}));
}

/* Adds the parts of a frame, [begin, cfa): its words, and the words of saved registers, whose
 * functions are not known yet. Then the registers have the values that they had in the caller.
 * Returns false without memory. */
static bool add_frame(walk *w, const hpp_caller_rule *rule, uint64_t begin, uint64_t cfa)
{
    uint64_t at = begin;
    for (;;) {
        int next = NO_SLOT;
        for (int i = 0; i < N_CALLEE_SAVED; i++) {
            uint64_t place = cfa + (uint64_t)rule->saved_at[callee_saved[i]];
            bool is_here = rule->is_saved[callee_saved[i]] && place >= at && place < cfa;
            if (is_here &&
                (next == NO_SLOT || place < cfa + (uint64_t)rule->saved_at[callee_saved[next]])) {
                next = i;
            }
        }
        if (next == NO_SLOT) {
            return add_part(w, at, cfa, rule->function);
        }
        uint64_t place = cfa + (uint64_t)rule->saved_at[callee_saved[next]];
        if (!add_part(w, at, place, rule->function) ||
            !add_part(w, place, place + sizeof place, HPF_STR(""))) {
            return false;
        }
        hpf_str *owner = w->is_in_slot[next] ? &w->out->parts[w->slot[next]].function
                                             : &w->out->registers[callee_saved[next]];
        *owner = rule->function;
        w->slot[next] = w->out->n_parts - 1;
        w->is_in_slot[next] = true;
        at = place + sizeof place;
    }
}

/* Restores the registers of the caller. Returns false if that is not possible. */
static bool go_to_caller(walk *w, const hpp_caller_rule *rule, uint64_t cfa)
{
    for (int i = 0; i < HPP_CALLER_REGISTERS; i++) {
        if (rule->is_saved[i] && !word_at(w, cfa + (uint64_t)rule->saved_at[i], &w->registers[i])) {
            return false;
        }
    }
    w->registers[HPP__REGISTER_SP] = cfa;
    return true;
}

/* Returns false without memory. */
static bool follow(walk *w, const hpp__image_thread *thread, hpp_resolver *resolver,
                   hpp__find_object *find_object, const void *context)
{
    uint64_t begin = thread->stack_begin;
    for (int i = 0; i < MAX_FRAMES; i++) {
        /* A return address may be the end of its function. */
        uint64_t pc = w->registers[HPP__REGISTER_PC] - (i > 0);
        uint32_t object;
        uint64_t bias;
        hpp_caller_rule rule;
        if (!find_object(context, pc, &object, &bias) ||
            !hpp_resolver_caller(resolver, object, pc - bias, &rule)) {
            return true;
        }
        uint64_t cfa = w->registers[rule.cfa_register] + (uint64_t)rule.cfa_offset;
        bool is_further = cfa > w->registers[HPP__REGISTER_SP] && cfa > begin && cfa <= w->end;
        if (!is_further || cfa % sizeof cfa != 0) {
            return true;
        }
        for (int k = 0; k < HPP__N_REGISTERS && i == 0; k++) {
            bool is_saved = false;
            for (int s = 0; s < N_CALLEE_SAVED; s++) {
                is_saved = is_saved || callee_saved[s] == k;
            }
            w->out->registers[k] = is_saved ? HPF_STR("") : rule.function;
        }
        if (!add_frame(w, &rule, begin, cfa)) {
            return false;
        }
        if (!go_to_caller(w, &rule, cfa)) {
            return true;
        }
        begin = cfa;
    }
    return true;
}

bool hpp__thread_frames_find(hpp__thread_frames *f, const hpp__image *image,
                             const hpp__image_thread *thread, hpp_resolver *resolver,
                             hpp__find_object *find_object, const void *context)
{
    uint64_t n_bytes = thread->stack_end - thread->stack_begin;
    n_bytes = n_bytes < MAX_STACK_BYTES ? n_bytes : MAX_STACK_BYTES;
    f->n_parts = 0;
    memset(f->registers, 0, sizeof f->registers);
    if (thread->registers[HPP__REGISTER_PC] == 0 || thread->stack_begin >= thread->stack_end ||
        n_bytes < sizeof(uint64_t)) {
        return true;
    }
    char *words = malloc((size_t)n_bytes);
    walk w = {.out = f, .begin = thread->stack_begin, .words = words};
    w.end = w.begin + n_bytes;
    memcpy(w.registers, thread->registers, sizeof w.registers);
    bool is_read = words && hpp__image_read(image, words, w.begin, (size_t)n_bytes);
    bool is_good = words && (!is_read || follow(&w, thread, resolver, find_object, context));
    free(words);
    return is_good;
}

void hpp__thread_frames_finish(hpp__thread_frames *f)
{
    free(f->parts);
    *f = (hpp__thread_frames){0};
}

hpp__stack_part hpp__thread_frames_part(const hpp__thread_frames *f, uint64_t address)
{
    size_t first; /* part that ends after the address */
    HPF__ARRAY_BISECT(first, f->n_parts, i, f->parts[i].end <= address);
    return first < f->n_parts && f->parts[first].begin <= address
               ? f->parts[first]
               : (hpp__stack_part){address, UINT64_MAX, HPF_STR("")};
}
