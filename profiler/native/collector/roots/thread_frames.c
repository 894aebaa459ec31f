/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A stack of which more than MAX_STACK_BYTES are in use, or that has more than HPP__MAX_FRAMES
 * frames, is walked in its inner part only.
 */
#include "thread_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "symbol/resolve.h"

enum {
    MAX_STACK_BYTES = 1 << 20,
    MAX_FRAME_BYTES = 1 << 16, /* of a function whose frame pointer is looked for */
    NO_SLOT = -1,
};
static const int callee_saved[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
enum { N_CALLEE_SAVED = sizeof callee_saved / sizeof *callee_saved };

/* Finds what is at a code address. */
typedef struct code_finder {
    const hpp__image *image;
    hpp_resolver *resolver;
    hpp__find_object *find_object;
    const void *context;
} code_finder;

typedef struct walk {
    hpp__thread_frames *out;
    code_finder code;
    uint64_t registers[HPP__N_REGISTERS];
    uint64_t begin, end; /* of the words that were read */
    uint64_t at;         /* the end of the last frame */
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

static bool add_part(hpp__thread_frames *f, uint64_t begin, uint64_t end, uint32_t frame)
{
    return begin >= end || HPF__ARRAY_PUSH(f->parts, f->n_parts, f->parts_capacity,
                                           ((hpp__stack_part){begin, end, frame}));
}

/* Finds the canonical frame address of a function, and where it has saved registers; 0: it has not.
 * Returns false if they cannot be. */
static bool find_places(const walk *w, const hpp_caller_rule *rule, uint64_t *cfa,
                        uint64_t saved[HPP_CALLER_REGISTERS])
{
    *cfa = w->registers[rule->cfa_register] + (uint64_t)rule->cfa_offset;
    if (rule->is_cfa_stored && !word_at(w, *cfa, cfa)) {
        return false;
    }
    for (int i = 0; i < HPP_CALLER_REGISTERS; i++) {
        uint64_t from =
            rule->saved_from[i] == HPP_CALLER_CFA ? *cfa : w->registers[rule->saved_from[i]];
        saved[i] = rule->is_saved[i] ? from + (uint64_t)rule->saved_at[i] : 0;
    }
    return *cfa > w->registers[HPP__REGISTER_SP] && *cfa > w->at && *cfa <= w->end &&
           *cfa % sizeof *cfa == 0;
}

/* Adds the parts of the last frame, from the end of the one before: its words, and the words of
 * saved registers, whose functions are not known yet. Then the registers have the values that they
 * had in the caller. Returns false without memory. */
static bool add_parts(walk *w, const uint64_t saved[HPP_CALLER_REGISTERS], uint64_t cfa)
{
    hpp__thread_frames *f = w->out;
    uint32_t frame = (uint32_t)f->n_frames - 1;
    for (;;) {
        int next = NO_SLOT;
        for (int i = 0; i < N_CALLEE_SAVED; i++) {
            uint64_t place = saved[callee_saved[i]];
            if (place >= w->at && place < cfa &&
                (next == NO_SLOT || place < saved[callee_saved[next]])) {
                next = i;
            }
        }
        if (next == NO_SLOT) {
            bool is_added = add_part(f, w->at, cfa, frame);
            w->at = cfa;
            return is_added;
        }
        uint64_t place = saved[callee_saved[next]];
        if (!add_part(f, w->at, place, frame) ||
            !add_part(f, place, place + sizeof place, HPP__NO_FRAME)) {
            return false;
        }
        *(w->is_in_slot[next] ? &f->parts[w->slot[next]].frame
                              : &f->registers[callee_saved[next]]) = frame;
        w->slot[next] = f->n_parts - 1;
        w->is_in_slot[next] = true;
        w->at = place + sizeof place;
    }
}

/* Restores the registers of the caller. Returns false if that is not possible. */
static bool go_to_caller(walk *w, const uint64_t saved[HPP_CALLER_REGISTERS], uint64_t cfa)
{
    for (int i = 0; i < HPP_CALLER_REGISTERS; i++) {
        if (saved[i] != 0 && !word_at(w, saved[i], &w->registers[i])) {
            return false;
        }
    }
    w->registers[HPP__REGISTER_SP] = cfa;
    return true;
}

/* Gives the registers of the thread that functions do not save to the last frame. */
static void own_registers(hpp__thread_frames *f)
{
    uint32_t kept[HPP__N_REGISTERS];
    memcpy(kept, f->registers, sizeof kept);
    for (int k = 0; k < HPP__N_REGISTERS; k++) {
        f->registers[k] = (uint32_t)f->n_frames - 1;
    }
    for (int i = 0; i < N_CALLEE_SAVED; i++) {
        f->registers[callee_saved[i]] = kept[callee_saved[i]];
    }
}

/* Finds the function at an address and its rule. */
static bool find_rule(const code_finder *code, uint64_t address, hpp__code_object *object,
                      hpp_caller_rule *out)
{
    return code->find_object(code->context, address, object) &&
           hpp__resolver_caller(code->resolver, object->object, address - object->bias, out);
}

typedef enum call_kind { NO_CALL, SOME_CALL, CALL_OF_FUNCTION } call_kind;

/* Returns whether the instruction before an address is a call of a function, or of one that it does
 * not name: by a pointer, or through the table of a library. */
static call_kind call_before(const code_finder *code, uint64_t address, hpf_str function)
{
    enum { CALL = 0xe8, CALL_BY_POINTER = 0xff, MAX_BYTES = 7 };
    unsigned char bytes[MAX_BYTES], *end = bytes + MAX_BYTES;
    int32_t distance;
    hpp__code_object object;
    hpp_caller_rule rule;
    if (!code->find_object(code->context, address, &object) ||
        !hpp__image_read(code->image, bytes, address - MAX_BYTES, MAX_BYTES)) {
        return NO_CALL;
    }
    if (end[-5] == CALL) {
        memcpy(&distance, end - 4, sizeof distance);
        bool is_known = find_rule(code, address + (uint64_t)(int64_t)distance, &object, &rule) &&
                        rule.function.length > 0;
        return !is_known                                ? SOME_CALL
               : hpf_str_equal(rule.function, function) ? CALL_OF_FUNCTION
                                                        : NO_CALL;
    }
    /* A register, or memory with a displacement of 1 or 4 bytes; perhaps with an index. */
    bool is_by_pointer = (end[-2] == CALL_BY_POINTER && (end[-1] & 0xf8) == 0xd0) ||
                         (end[-2] == CALL_BY_POINTER && (end[-1] & 0xf8) == 0x10) ||
                         (end[-3] == CALL_BY_POINTER && (end[-2] & 0xf8) == 0x50) ||
                         (end[-3] == CALL_BY_POINTER && end[-2] == 0x14) ||
                         (end[-4] == CALL_BY_POINTER && end[-3] == 0x54) ||
                         (end[-6] == CALL_BY_POINTER && (end[-5] & 0xf8) == 0x90) ||
                         (end[-6] == CALL_BY_POINTER && end[-5] == 0x15) ||
                         (end[-7] == CALL_BY_POINTER && end[-6] == 0x94);
    return is_by_pointer ? SOME_CALL : NO_CALL;
}

/* Returns whether the frame of a function whose frame pointer is `at` is followed by another one,
 * by the rule of the function that has called it. */
static bool has_caller(const walk *w, uint64_t at)
{
    enum { WORD_BYTES = 8 };
    hpp__code_object object;
    hpp_caller_rule caller;
    uint64_t saved, address;
    if (!word_at(w, at, &saved) || !word_at(w, at + WORD_BYTES, &address) ||
        !find_rule(&w->code, address - 1, &object, &caller) || caller.is_cfa_stored ||
        (caller.cfa_register != HPP__REGISTER_BP && caller.cfa_register != HPP__REGISTER_SP)) {
        return false;
    }
    uint64_t base = caller.cfa_register == HPP__REGISTER_BP ? saved : at + 2 * WORD_BYTES;
    return base > at && word_at(w, base + (uint64_t)caller.cfa_offset - WORD_BYTES, &address) &&
           call_before(&w->code, address, caller.function) != NO_CALL;
}

/* Finds the frame pointer of a function that has one, if the thread's is not known: below the
 * address to which the function returns is what it has saved of its caller's. Earlier calls may
 * have left the same for others, so a call of the function by its name counts more. Returns 0 if
 * there is none. */
static uint64_t find_frame_pointer(const walk *w, hpf_str function)
{
    enum { ALIGNMENT = 16, WORD_BYTES = 8 };
    uint64_t at = (w->registers[HPP__REGISTER_SP] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint64_t address, found = 0;
    for (uint64_t end = at + MAX_FRAME_BYTES; at < end && word_at(w, at + WORD_BYTES, &address);
         at += ALIGNMENT) {
        call_kind call = call_before(&w->code, address, function);
        if (call == CALL_OF_FUNCTION) {
            return at;
        }
        found = call == SOME_CALL && found == 0 && has_caller(w, at) ? at : found;
    }
    return found;
}

/* Returns false without memory. */
static bool follow(walk *w)
{
    hpp__thread_frames *f = w->out;
    bool is_in_program = false;
    while (f->n_frames < HPP__MAX_FRAMES) {
        /* A return address may be the end of its function. */
        uint64_t pc = w->registers[HPP__REGISTER_PC] - (f->n_frames > 0);
        hpp__stack_frame frame = {0};
        hpp_caller_rule rule;
        uint64_t saved[HPP_CALLER_REGISTERS];
        if (!find_rule(&w->code, pc, &frame.code, &rule)) {
            return true;
        }
        uint64_t *frame_pointer = &w->registers[HPP__REGISTER_BP];
        if (*frame_pointer == 0 && rule.cfa_register == HPP__REGISTER_BP) {
            *frame_pointer = find_frame_pointer(w, rule.function);
        }
        if (!find_places(w, &rule, &frame.cfa, saved)) {
            return true;
        }
        frame.pc = pc - frame.code.bias;
        frame.function = rule.function;
        if (!HPF__ARRAY_PUSH(f->frames, f->n_frames, f->frames_capacity, frame)) {
            return false;
        }
        if (!is_in_program && !frame.code.is_own) {
            is_in_program = true;
            own_registers(f);
        }
        if (!add_parts(w, saved, frame.cfa)) {
            return false;
        }
        if (!go_to_caller(w, saved, frame.cfa)) {
            return true;
        }
        f->frames[f->n_frames - 1].return_address = w->registers[HPP__REGISTER_PC];
    }
    return true;
}

/* Moves a frame, whose function may have gone on since the earlier image, to the last call that it
 * has made: that has left its return address before `end`. */
static void go_to_last_call(hpp__stack_frame *frame, const hpp__image *image, uint64_t end,
                            hpp_resolver *resolver)
{
    hpp_caller_rule rule;
    uint64_t word;
    if (hpp__image_read(image, &word, end - sizeof word, sizeof word) &&
        hpp__resolver_caller(resolver, frame->code.object, word - 1 - frame->code.bias, &rule) &&
        hpf_str_equal(rule.function, frame->function)) {
        frame->pc = word - 1 - frame->code.bias;
    }
}

/* Adds the outermost frames of an earlier image that are still there, and end after `at`. Returns
 * false without memory. */
static bool add_earlier(hpp__thread_frames *f, const hpp__image *image,
                        const hpp__thread_frames *earlier, hpp_resolver *resolver, uint64_t at)
{
    size_t first = earlier->n_frames;
    uint64_t word;
    while (
        first > 0 && earlier->n_frames - first < HPP__MAX_FRAMES &&
        earlier->frames[first - 1].cfa > at &&
        hpp__image_read(image, &word, earlier->frames[first - 1].cfa - sizeof word, sizeof word) &&
        word == earlier->frames[first - 1].return_address) {
        first--;
    }
    uint64_t inner_end = first > 0 ? earlier->frames[first - 1].cfa : 0;
    uint64_t begin = inner_end > at ? inner_end : at;
    uint32_t n_here = (uint32_t)f->n_frames;
    for (size_t i = first; i < earlier->n_frames; i++) {
        if (!HPF__ARRAY_PUSH(f->frames, f->n_frames, f->frames_capacity, earlier->frames[i])) {
            return false;
        }
    }
    if (f->n_frames > n_here && inner_end > at) {
        go_to_last_call(&f->frames[n_here], image, inner_end, resolver);
    }
    for (size_t i = 0; i < earlier->n_parts && f->n_frames > n_here; i++) {
        hpp__stack_part part = earlier->parts[i];
        bool is_known = part.frame != HPP__NO_FRAME && part.frame >= first;
        part.begin = part.begin > begin ? part.begin : begin;
        part.frame = is_known ? n_here + part.frame - (uint32_t)first : HPP__NO_FRAME;
        if (!add_part(f, part.begin, part.end, part.frame)) {
            return false;
        }
    }
    return true;
}

/* Returns whether a frame is of the program, but not of its very beginning. */
static bool is_of_program(const hpp__thread_frames *f, size_t i)
{
    const hpp__code_object *code = &f->frames[i].code;
    bool is_start = i + 1 == f->n_frames && hpf_str_is(f->frames[i].function, "_start");
    return !code->is_libc && !code->is_own && !is_start;
}

/* Counts frames from the outside, where the C library has called main or the function of a thread.
 */
static void set_depths(hpp__thread_frames *f)
{
    uint32_t depth = 0;
    for (size_t i = f->n_frames; i-- > 0;) {
        f->frames[i].depth = depth;
        depth += depth > 0 || is_of_program(f, i);
    }
}

/* Returns false without memory. */
static bool find_frames(hpp__thread_frames *f, const hpp__image *image,
                        const hpp__image_thread *thread, const hpp__thread_frames *earlier,
                        hpp_resolver *resolver, hpp__find_object *find_object, const void *context)
{
    uint64_t n_bytes = thread->stack_end - thread->stack_begin;
    n_bytes = n_bytes < MAX_STACK_BYTES ? n_bytes : MAX_STACK_BYTES;
    f->thread_id = thread->id;
    for (int k = 0; k < HPP__N_REGISTERS; k++) {
        f->registers[k] = HPP__NO_FRAME;
    }
    if (thread->stack_begin >= thread->stack_end || n_bytes < sizeof(uint64_t)) {
        return true;
    }
    walk w = {.out = f,
              .code = {image, resolver, find_object, context},
              .begin = thread->stack_begin,
              .at = thread->stack_begin};
    w.end = w.begin + n_bytes;
    memcpy(w.registers, thread->registers, sizeof w.registers);
    bool is_good = true;
    if (thread->registers[HPP__REGISTER_PC] != 0) {
        char *words = malloc((size_t)n_bytes);
        w.words = words;
        bool is_read = words && hpp__image_read(image, words, w.begin, (size_t)n_bytes);
        is_good = words && (!is_read || follow(&w));
        free(words);
    }
    is_good = is_good && (!earlier || add_earlier(f, image, earlier, resolver, w.at));
    set_depths(f);
    return is_good;
}

static const hpp__thread_frames *frames_of(const hpp__stacks *stacks, uint32_t thread_id)
{
    for (size_t i = 0; i < stacks->n; i++) {
        if (stacks->threads[i].thread_id == thread_id) {
            return &stacks->threads[i];
        }
    }
    return NULL;
}

bool hpp__thread_frames_find(hpp__stacks *stacks, const hpp__image *image, hpp_resolver *resolver,
                             hpp__find_object *find_object, const void *context)
{
    hpp__stacks earlier = *stacks;
    stacks->threads = calloc(image->n_threads + 1, sizeof *stacks->threads);
    stacks->n = stacks->threads ? image->n_threads : 0;
    bool is_good = stacks->threads != NULL;
    for (size_t i = 0; i < stacks->n && is_good; i++) {
        const hpp__image_thread *thread = &image->threads[i];
        is_good = find_frames(&stacks->threads[i], image, thread, frames_of(&earlier, thread->id),
                              resolver, find_object, context);
    }
    hpp__thread_frames_finish(&earlier);
    return is_good;
}

void hpp__thread_frames_finish(hpp__stacks *stacks)
{
    for (size_t i = 0; i < stacks->n; i++) {
        free(stacks->threads[i].frames);
        free(stacks->threads[i].parts);
    }
    free(stacks->threads);
    *stacks = (hpp__stacks){0};
}

const hpp__stack_frame *hpp__thread_frames_saver(const hpp__thread_frames *f, int number)
{
    for (int i = 0; i < N_CALLEE_SAVED; i++) {
        if (callee_saved[i] == number && f->registers[number] != HPP__NO_FRAME) {
            return &f->frames[f->registers[number]];
        }
    }
    return NULL;
}

bool hpp__thread_frames_has_own(const hpp__thread_frames *f)
{
    size_t i = 0;
    while (i < f->n_frames && !is_of_program(f, i)) {
        i++;
    }
    return i < f->n_frames;
}

hpp__stack_part hpp__thread_frames_part(const hpp__thread_frames *f, uint64_t address)
{
    size_t first; /* part that ends after the address */
    HPF__ARRAY_BISECT(first, f->n_parts, i, f->parts[i].end <= address);
    if (first == f->n_parts || f->parts[first].begin > address) {
        uint64_t end = first < f->n_parts ? f->parts[first].begin : UINT64_MAX;
        return (hpp__stack_part){address, end, HPP__NO_FRAME};
    }
    return f->parts[first];
}
