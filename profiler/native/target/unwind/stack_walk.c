/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The outer words of the path are compared from the outermost inwards, once in a walk, when it
 * first meets a frame of the path: up to the first word that differs all frames can be joined.
 */
#include "stack_walk.h"

#include <string.h>

#include "native/window/trie.h"
#include "recursion.h"

enum {
    FIRST_BYTES = 1024,
    DEEP_FRAMES = 1024,      /* from here on, reading the time stamp is worth it */
    MAX_FRAMES_PER_TIME = 2, /* entered in a tick of the time stamp counter */
};

static hpp_stack_walk_frame *frames_of(const hpp_stack_walk *path)
{
    return path->frames.data;
}

static hpp_word *words_of(const hpp_stack_walk *path)
{
    return path->words.data;
}

static hpp_new_frame *new_frames_of(const hpp_stack_walk *path)
{
    return path->new_frames.data;
}

static hpp_word *new_words_of(const hpp_stack_walk *path)
{
    return path->new_words.data;
}

HPP_COLD static bool grow(hpp_growing *memory, size_t n_bytes)
{
    size_t n_more = memory->n_bytes > 0 ? 2 * memory->n_bytes : FIRST_BYTES;
    while (n_more < n_bytes) {
        n_more *= 2;
    }
    void *fresh = hpp__map_near(n_more);
    if (fresh == NULL) {
        return false;
    }
    if (memory->data != NULL) {
        memcpy(fresh, memory->data, memory->n_bytes);
        hpp__unmap(memory->data, memory->n_bytes);
    }
    *memory = (hpp_growing){fresh, n_more};
    return true;
}

bool hpp__growing_reserve(hpp_growing *memory, size_t n_bytes)
{
    return HPP_LIKELY(n_bytes <= memory->n_bytes) || grow(memory, n_bytes);
}

static uint16_t node_flags(bool is_exact, bool is_guessed)
{
    return (uint16_t)((is_exact ? HPP_NODE_EXACT : 0) | (is_guessed ? HPP_NODE_GUESSED : 0));
}

/* ---- joining ------------------------------------------------------------------------------- */

/* A walk looking for the path. */
typedef struct joint_search {
    uint32_t n_candidates; /* frames of the path that are not further in than the walk */
    uint32_t n_agreeing;   /* words from the outermost on that are as they were; UINT32_MAX: not
                              compared yet */
} joint_search;

/* Returns the index of the first of the words [first, n) that has changed, or `n`. */
HPP_UNSANITIZED static uint32_t count_agreeing(const hpp_word *words, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < n; i++) {
        if (words[i].address > HPP_STACK_WALK_NO_WORD &&
            hpp__memory_word(words[i].address) != words[i].value) {
            return i;
        }
    }
    return n;
}

/* Returns the number of frames, from the outermost on, that cannot have changed since the path was
 * kept. If a signal handler kept it after `begun_at`, none of them has. */
static uint32_t count_unchanged(const hpp_stack_walk *path, uint32_t n_frames, uint64_t begun_at)
{
    uint64_t time = hpp__time_between(path->kept_at, begun_at);
    return time < n_frames / MAX_FRAMES_PER_TIME ? n_frames - (uint32_t)time * MAX_FRAMES_PER_TIME
                                                 : 0;
}

/* Returns whether the walk has reached a frame of the path whose callers have not changed. */
static bool has_joined(hpp_stack_walk *path, joint_search *search, const hpp_walk *walk)
{
    const hpp_stack_walk_frame *frames = frames_of(path);
    while (search->n_candidates > 0 && frames[search->n_candidates - 1].sp < walk->sp) {
        search->n_candidates--;
    }
    if (search->n_candidates == 0) {
        return false;
    }
    const hpp_stack_walk_frame *frame = &frames[search->n_candidates - 1];
    if (frame->sp != walk->sp || frame->pc != walk->pc ||
        frame->flags != node_flags(walk->is_exact, walk->is_guessed)) {
        return false;
    }
    if (search->n_agreeing == UINT32_MAX) {
        uint32_t n_unchanged = count_unchanged(path, search->n_candidates, walk->begun_at);
        uint32_t first = n_unchanged > 0 ? frames[n_unchanged - 1].n_words : 0;
        search->n_agreeing = count_agreeing(words_of(path), first, frame->n_words);
        path->n_compared += search->n_agreeing - first;
    }
    return frame->n_words <= search->n_agreeing && frame->fp_word != HPP_STACK_WALK_NO_JOINT &&
           (frame->fp_word == 0 || words_of(path)[frame->fp_word - 1].value == walk->fp);
}

/* ---- walking ------------------------------------------------------------------------------- */

static bool reserve_step(hpp_stack_walk *path)
{
    size_t n_frames = path->n_new_frames + (size_t)1;
    size_t n_words = path->n_new_words + (size_t)HPP_MAX_STEP_WORDS;
    return hpp__growing_reserve(&path->new_frames, n_frames * sizeof(hpp_new_frame)) &&
           hpp__growing_reserve(&path->new_words, n_words * sizeof(hpp_word));
}

static void add_new_frame(hpp_stack_walk *path, const hpp_new_frame *frame)
{
    new_frames_of(path)[path->n_new_frames] = *frame;
    new_frames_of(path)[path->n_new_frames++].first_word = path->n_new_words;
}

/* The current fp of a walk: frames from `first_frame` on have it, and it was read from `slot`. */
typedef struct fp_range {
    uintptr_t slot;
    uint32_t first_frame;
    bool is_noted;
} fp_range;

static void mark_range(hpp_stack_walk *path, const fp_range *range, uint32_t fp_word)
{
    hpp_new_frame *frames = new_frames_of(path);
    for (uint32_t i = range->first_frame; i < path->n_new_frames; i++) {
        frames[i].fp_word = fp_word;
    }
}

/* Tracks fp through a step. If the step needed fp, its word is the first that the step appended,
 * unless an earlier frame already needed it. */
static void follow_fp(hpp_stack_walk *path, fp_range *range, const hpp_walk *walk,
                      hpp_unwind_rule rule, uint32_t first_word)
{
    const hpp_word *words = new_words_of(path);
    bool needs_fp = hpp__unwind_rule_kind(rule) != HPP_UNWIND_RULE_SP;
    if (range->is_noted && needs_fp) {
        mark_range(path, range, HPP_STACK_WALK_NO_JOINT);
    } else if (needs_fp && path->n_new_words > first_word &&
               words[first_word].address == range->slot) {
        mark_range(path, range, first_word + 1);
    }
    if (walk->fp_slot != range->slot) {
        range->slot = walk->fp_slot;
        range->first_frame = path->n_new_frames;
    }
    range->is_noted = walk->fp_is_noted;
}

/* Removes the frames of the path that are inside of the joined one. The word of fp that its outer
 * frames need is now the one that this walk has read; none if this walk has noted it already. */
static void cut_at_joint(hpp_stack_walk *path, uint32_t n_frames, const fp_range *range)
{
    const hpp_stack_walk_frame *joint = &frames_of(path)[n_frames - 1];
    path->n_frames = n_frames;
    path->n_words = joint->n_words;
    path->n_without_joint_fp = range->first_frame;
    if (joint->fp_word != 0) {
        path->joint_fp_slot = range->is_noted ? 0 : range->slot;
        words_of(path)[joint->fp_word - 1].address =
            range->is_noted ? HPP_STACK_WALK_NO_WORD : range->slot;
    }
}

/* Returns the outcome of a walk whose last step was `step`. */
static hpp_stack_walk_outcome outcome_of(hpp_step step)
{
    switch (step) {
    case HPP_STEP_END:
        return HPP_STACK_WALK_WHOLE;
    case HPP_STEP_HARD:
        return HPP_STACK_WALK_HARD;
    default:
        return HPP_STACK_WALK_CUT;
    }
}

static hpp_stack_walk_outcome fail(hpp_stack_walk *path)
{
    hpp__stack_walk_forget(path);
    return HPP_STACK_WALK_FAILED;
}

static bool is_full(const hpp_stack_walk *path)
{
    return path->max_new_frames != 0 && path->n_new_frames >= path->max_new_frames;
}

hpp_stack_walk_outcome hpp__stack_walk(hpp_stack_walk *path, hpp_walk *walk)
{
    joint_search search = {path->n_frames, UINT32_MAX};
    fp_range range = {walk->fp_slot, 0, walk->fp_is_noted};
    path->n_new_frames = 0;
    path->n_new_words = 0;
    path->joint_fp_slot = 0;
    for (;;) {
        if (has_joined(path, &search, walk)) {
            cut_at_joint(path, search.n_candidates, &range);
            return HPP_STACK_WALK_JOINED;
        }
        if (!reserve_step(path)) {
            return fail(path);
        }
        if (HPP_UNLIKELY(is_full(path))) {
            hpp__stack_walk_forget(path);
            return outcome_of(HPP_STEP_LOST);
        }
        hpp_unwind_rule rule = hpp__unwind_rules_find(hpp__walk_place(walk));
        uint32_t first_word = path->n_new_words;
        add_new_frame(path,
                      &(hpp_new_frame){.pc = walk->pc,
                                       .sp = walk->sp,
                                       .module_number = hpp__unwind_rule_module(rule),
                                       .flags = node_flags(walk->is_exact, walk->is_guessed)});
        hpp_step step = hpp__walk_step(walk, rule, new_words_of(path), &path->n_new_words);
        follow_fp(path, &range, walk, rule, first_word);
        if (HPP_UNLIKELY(step != HPP_STEP_UP)) {
            path->n_frames = 0;
            path->n_words = 0;
            return outcome_of(step);
        }
    }
}

hpp_stack_walk_outcome hpp__stack_walk_fully(hpp_stack_walk *path, hpp_full_walk *walk)
{
    hpp__stack_walk_forget(path);
    path->n_new_frames = 0;
    path->n_new_words = 0;
    for (;;) {
        if (!reserve_step(path)) {
            return fail(path);
        }
        hpp_new_frame frame = {.pc = hpp__full_walk_pc(walk),
                               .sp = hpp__full_walk_sp(walk),
                               .flags = node_flags(walk->is_exact, walk->is_guessed)};
        hpp_step step = hpp__full_walk_step(walk);
        frame.module_number = walk->module_number;
        add_new_frame(path, &frame);
        if (step != HPP_STEP_UP || is_full(path)) {
            return outcome_of(step == HPP_STEP_END ? step : HPP_STEP_LOST);
        }
    }
}

/* ---- from frames to nodes ------------------------------------------------------------------ */

static bool reserve_extension(hpp_stack_walk *path)
{
    size_t n_frames = (size_t)path->n_frames + path->n_new_frames;
    size_t n_words = (size_t)path->n_words + path->n_new_words;
    return hpp__growing_reserve(&path->known_calls, HPP_N_KNOWN_CALLS * sizeof(hpp_known_call)) &&
           hpp__growing_reserve(&path->words, n_words * sizeof(hpp_word)) &&
           hpp__growing_reserve(&path->frames, n_frames * sizeof(hpp_stack_walk_frame));
}

/* Appends the new words to the path, in reverse: the innermost is the last. A full walk has none.
 */
static void push_new_words(hpp_stack_walk *path)
{
    if (path->n_new_words == 0) {
        return;
    }
    hpp_word *words = words_of(path) + path->n_words;
    const hpp_word *new_words = new_words_of(path);
    for (uint32_t i = 0; i < path->n_new_words; i++) {
        words[i] = new_words[path->n_new_words - 1 - i];
    }
    path->n_words += path->n_new_words;
}

/* Returns `fp_word` of a new frame, as the path counts words. */
static uint32_t fp_word_in_path(const hpp_stack_walk *path, uint32_t index, uint32_t joint_fp_word)
{
    uint32_t fp_word = new_frames_of(path)[index].fp_word;
    if (joint_fp_word != 0 && index >= path->n_without_joint_fp) {
        bool is_noted = words_of(path)[joint_fp_word - 1].address == HPP_STACK_WALK_NO_WORD;
        return is_noted ? HPP_STACK_WALK_NO_JOINT : joint_fp_word;
    }
    return fp_word == 0 || fp_word == HPP_STACK_WALK_NO_JOINT ? fp_word
                                                              : path->n_words + 1 - fp_word;
}

/* Returns the node of the path with its innermost frames, also folded ones. */
static uint32_t node_with_whole_frames(const hpp_stack_walk *path)
{
    const hpp_stack_walk_frame *frames = frames_of(path);
    uint32_t n = path->n_frames;
    uint32_t i = n > HPP_WHOLE_FRAMES ? n - HPP_WHOLE_FRAMES : 0;
    while (i < n && !frames[i].is_folded) {
        i++;
    }
    uint32_t node = i > 0 ? frames[i - 1].node : 0;
    for (; i < n; i++) {
        uint16_t module_number = hpp__trie_look(frames[i].node)->module_index;
        node = hpp__trie_node(node, frames[i].pc, module_number,
                              (uint16_t)(frames[i].flags | HPP_NODE_AGAIN));
        if (node == 0) {
            break;
        }
    }
    return node;
}

uint32_t hpp__stack_walk_extend(hpp_stack_walk *path)
{
    if (!reserve_extension(path)) {
        hpp__stack_walk_forget(path);
        return 0;
    }
    push_new_words(path);
    hpp_stack_walk_frame *frames = frames_of(path);
    const hpp_stack_walk_frame *joint = path->n_frames > 0 ? &frames[path->n_frames - 1] : NULL;
    uint32_t joint_fp_word = joint ? joint->fp_word : 0;
    hpp_folded_stack stack = {joint ? joint->node : 0, false};
    for (uint32_t i = path->n_new_frames; i-- > 0;) {
        const hpp_new_frame *frame = &new_frames_of(path)[i];
        stack = hpp__recursion_push(
            path->known_calls.data,
            &(hpp_call_edge){frame->pc, stack.node, frame->module_number, frame->flags});
        if (stack.node == 0) {
            hpp__stack_walk_forget(path);
            return 0;
        }
        frames[path->n_frames++] =
            (hpp_stack_walk_frame){.pc = frame->pc,
                                   .sp = frame->sp,
                                   .node = stack.node,
                                   .n_words = path->n_words - frame->first_word,
                                   .fp_word = fp_word_in_path(path, i, joint_fp_word),
                                   .flags = frame->flags,
                                   .is_folded = stack.is_folded};
    }
    path->kept_at = path->n_frames >= DEEP_FRAMES ? hpp__time_stamp() : 0;
    return node_with_whole_frames(path);
}

static bool is_own(uintptr_t address, const hpp_memory *memory)
{
    return address == 0 || hpp__memory_is_own(memory, address);
}

/* Checks the new words only: joined ones were checked when the path was kept. */
bool hpp__stack_walk_is_own(const hpp_stack_walk *path, const hpp_memory *memory)
{
    const hpp_word *words = words_of(path);
    for (uint32_t i = path->n_words - path->n_new_words; i < path->n_words; i++) {
        if (!is_own(words[i].address, memory)) {
            return false;
        }
    }
    return is_own(path->joint_fp_slot, memory);
}

bool hpp__stack_walk_collect(uint32_t *n_words, hpp_stack_walk *path, uint32_t n_skipped,
                             uint32_t n_most)
{
    uint32_t n_room = path->n_words < n_most ? path->n_words : n_most;
    if (path->n_words / 2 > n_most ||
        !hpp__growing_reserve(&path->new_words, n_room * sizeof(hpp_word))) {
        return false;
    }
    const hpp_word *words = words_of(path);
    hpp_word *out = new_words_of(path);
    uint32_t i = path->n_words;
    for (uint32_t n_left = n_skipped; n_left > 0 && i > 0; i--) {
        n_left -= words[i - 1].address != HPP_STACK_WALK_NO_WORD;
    }
    uint32_t n = 0;
    while (i > 0 && n <= n_most) {
        const hpp_word *word = &words[--i];
        bool is_needed = word->address != HPP_STACK_WALK_NO_WORD;
        if (is_needed && n < n_room) {
            out[n] = *word;
        }
        n += is_needed;
    }
    path->n_compared += path->n_words - i;
    *n_words = n;
    return n <= n_most;
}

void hpp__stack_walk_forget(hpp_stack_walk *path)
{
    path->n_frames = 0;
    path->n_words = 0;
}

static void release(hpp_growing *memory)
{
    if (memory->data != NULL) {
        hpp__unmap(memory->data, memory->n_bytes);
    }
    *memory = (hpp_growing){0};
}

void hpp__stack_walk_end(hpp_stack_walk *path)
{
    release(&path->frames);
    release(&path->words);
    release(&path->known_calls);
    release(&path->new_frames);
    release(&path->new_words);
    hpp__stack_walk_forget(path);
}
