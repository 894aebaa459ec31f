/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The order of closures is that of a stack, so that lists of any length need no recursion.
 */
#include "marking.h"

#include <stdlib.h>

#include "base/array.h"

enum {
    WORD_BYTES = 8,
    TAG_MASK = 7,
    MOST_STATICS = 1 << 24,
    MOST_STABLES = 1 << 24,
    MOST_ROUNDS = 64,            /* of weak pointers that keep the keys of others */
    MOST_STATIC_WORDS = 1 << 12, /* read at once */
    FIRST_WORDS = 5,             /* that tell how large a closure is */
    MOST_FRAMES = 256,           /* that are looked at for the name of a stack */
};

/* What becomes of a thread (rts/Constants.h). */
enum { THREAD_KILLED = 3, THREAD_COMPLETE = 4 };

static void push(hpp__haskell_marking *m, uint64_t address)
{
    m->is_short |= !HPF__ARRAY_PUSH(m->left, m->n_left, m->left_capacity, address);
}

/* ---- Closures by themselves ---- */

/* Returns up to `n` words of the object at an address, and stores how many there are, or returns
 * NULL. */
static const uint64_t *words_at(hpp__haskell_marking *m, const hpp__haskell_group *group,
                                uint64_t address, size_t *n)
{
    uint64_t most = (group->end - address) / WORD_BYTES;
    *n = *n < most ? *n : (size_t)most;
    return *n > 0 ? hpp__haskell_words(m->heap, address, *n) : NULL;
}

/* Returns the info table of the closure at an address of a group; NULL if there is none. */
static const hpp__haskell_info *info_of(hpp__haskell_marking *m, const hpp__haskell_group *group,
                                        uint64_t address)
{
    size_t n = 1;
    const uint64_t *words = address % WORD_BYTES == 0 ? words_at(m, group, address, &n) : NULL;
    return words ? hpp__haskell_info_at(m->closures, words[0]) : NULL;
}

static bool bit_of(const hpp__haskell_marking *m, uint64_t address, uint64_t **word, uint64_t *bit)
{
    size_t number = hpp__haskell_word_number(m->heap, address);
    *word = &m->is_reached[number / 64];
    *bit = UINT64_C(1) << number % 64;
    return (**word & *bit) != 0;
}

/* Reaches a static closure, unless it was already. */
static void reach_static(hpp__haskell_marking *m, uint64_t address)
{
    uint64_t word;
    if (m->found || address == 0 || hpp__map_find(&m->statics, address) ||
        m->statics.n_keys >= MOST_STATICS ||
        !hpp__haskell_read(m->heap, &word, address, sizeof word) ||
        !hpp__haskell_info_at(m->closures, word)) {
        return;
    }
    if (hpp__map_add(&m->statics, address)) {
        push(m, address);
    } else {
        m->is_short = true;
    }
}

void hpp__haskell_reach(hpp__haskell_marking *m, uint64_t pointer)
{
    uint64_t address = pointer & ~(uint64_t)TAG_MASK;
    const hpp__haskell_group *group = hpp__haskell_group_of(m->heap, address);
    if (!group && !hpp__haskell_has(m->heap, address)) {
        reach_static(m, address);
        return;
    }
    if (group &&
        group->flags & HPP_HASKELL_IS_COMPACT) { /* its first words are: itself, its owner */
        size_t n = 2;
        const uint64_t *words = words_at(m, group, group->begin, &n);
        address = words && n == 2 ? words[1] : 0;
        const hpp__haskell_group *owner = hpp__haskell_group_of(m->heap, address);
        group = owner && owner->flags & HPP_HASKELL_IS_COMPACT ? owner : NULL;
    }
    uint64_t *word, bit;
    if (!group || address < group->begin || address >= group->object_end) {
        m->n_invalid++;
    } else if (m->found) {
        m->found(m->found_context, address);
    } else if (!bit_of(m, address, &word, &bit)) {
        *word |= bit;
        push(m, address);
    }
}

/* Reaches what a word refers to if there is a closure. */
static void reach_if_closure(hpp__haskell_marking *m, uint64_t pointer)
{
    uint64_t address = pointer & ~(uint64_t)TAG_MASK;
    const hpp__haskell_group *group = hpp__haskell_group_of(m->heap, address);
    const hpp__haskell_info *info = group ? info_of(m, group, address) : NULL;
    if (!group || (info && !hpp__haskell_is_frame(info->type) && address < group->object_end)) {
        hpp__haskell_reach(m, pointer);
    }
}

static void reach_all(hpp__haskell_marking *m, const uint64_t *words, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        hpp__haskell_reach(m, words[i]);
    }
}

static void reach_all_if_closures(hpp__haskell_marking *m, const uint64_t *words, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        reach_if_closure(m, words[i]);
    }
}

/* ---- Stacks ---- */

/* Returns where the bitmap of a large frame is: its number of words, then the bits. */
static uint64_t large_bitmap(const hpp__haskell_info *info)
{
    return info->address + (uint64_t)(int64_t)(int32_t)(uint32_t)info->bitmap;
}

enum { SIZE_BITS = 6 }; /* of the bitmap of a small frame */

/* Returns how many words the frame at the beginning of `n` words of a stack has; 0 if it is no
 * frame. */
static uint64_t frame_words(hpp__haskell_marking *m, const hpp__haskell_info *info,
                            const uint64_t *words, uint64_t n)
{
    uint64_t size = 0;
    if (!info || !hpp__haskell_is_frame(info->type)) {
        return 0;
    }
    switch (info->type) {
    case HPP_HASKELL_RET_BIG:
        size = hpp__haskell_read(m->heap, &size, large_bitmap(info), sizeof size) ? size : n;
        break;
    case HPP_HASKELL_RET_FUN: /* size, function, arguments */
        size = n > 2 && words[1] < n - 2 ? 2 + words[1] : n;
        break;
    case HPP_HASKELL_RET_BCO: /* its code knows the size: what follows is looked at word by word */
        break;
    default:
        size = info->bitmap % (1 << SIZE_BITS);
    }
    return size < n ? 1 + size : 0;
}

/* Reaches the words of a frame that are pointers, by a bitmap in memory. */
static void reach_by_bitmap(hpp__haskell_marking *m, uint64_t bitmap, const uint64_t *words,
                            uint64_t n)
{
    uint64_t bits = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (i % 64 == 0 &&
            !hpp__haskell_read(m->heap, &bits, bitmap + WORD_BYTES + i / 64 * WORD_BYTES,
                               sizeof bits)) {
            return;
        }
        if (!(bits >> i % 64 & 1)) {
            hpp__haskell_reach(m, words[i]);
        }
    }
}

/* Reaches what the frame at the beginning of `n` words of a stack refers to. Returns its words; 1
 * if it is no frame. */
static uint64_t follow_frame(hpp__haskell_marking *m, const uint64_t *words, uint64_t n)
{
    const hpp__haskell_info *found = hpp__haskell_info_at(m->closures, words[0]);
    uint64_t n_words = frame_words(m, found, words, n);
    if (n_words == 0) {
        reach_if_closure(m, words[0]);
        return 1;
    }
    const hpp__haskell_info info = *found; /* others are added meanwhile */
    if (info.table != 0) {
        reach_static(m, info.table);
    }
    if (info.type == HPP_HASKELL_RET_BIG) {
        reach_by_bitmap(m, large_bitmap(&info), words + 1, n_words - 1);
    } else if (info.type == HPP_HASKELL_RET_FUN) {
        hpp__haskell_reach(m, words[2]);
        reach_all_if_closures(m, words + 3, words[1]);
    } else {
        for (uint64_t i = 0, bits = info.bitmap >> SIZE_BITS; i + 1 < n_words; i++, bits >>= 1) {
            if (!(bits & 1)) {
                hpp__haskell_reach(m, words[1 + i]);
            }
        }
    }
    return n_words;
}

static void follow_stack(hpp__haskell_marking *m, const uint64_t *words, uint64_t n)
{
    while (n > 0) {
        uint64_t n_words = follow_frame(m, words, n);
        words += n_words;
        n -= n_words;
    }
}

/* ---- What a closure refers to ---- */

enum { FINALIZERS = 1, KEY, VALUE, FINALIZER, LINK, WEAK_WORDS }; /* words of a weak pointer */

/* Reaches what a weak pointer keeps while its key is reached. */
static void follow_weak(hpp__haskell_marking *m, const uint64_t *words)
{
    hpp__haskell_reach(m, words[VALUE]);
    hpp__haskell_reach(m, words[FINALIZER]);
}

/* Returns whether a collection keeps the black hole that stands for a pointer: that of a thunk
 * which a thread evaluates. Others are indirections to results. */
static bool is_evaluated(hpp__haskell_marking *m, uint64_t pointer)
{
    const hpp__haskell_group *group =
        pointer % WORD_BYTES == 0 ? hpp__haskell_group_of(m->heap, pointer) : NULL;
    const hpp__haskell_info *info = group ? info_of(m, group, pointer) : NULL;
    return info && (info->type == HPP_HASKELL_TSO || info->type == HPP_HASKELL_BLOCKING_QUEUE ||
                    info->type == HPP_HASKELL_WHITEHOLE);
}

static void follow_thread(hpp__haskell_marking *m, const uint64_t *words)
{
    const hpp_haskell_layout *layout = m->heap->layout;
    hpp__haskell_reach(m, words[1]); /* the next one of a queue */
    hpp__haskell_reach(m, words[3]); /* its stack */
    reach_if_closure(m, words[layout->thread_block_info / WORD_BYTES]);
    hpp__haskell_reach(m, words[layout->thread_record / WORD_BYTES]);
    if (layout->thread_label != 0) {
        hpp__haskell_reach(m, words[layout->thread_label / WORD_BYTES]);
    }
    hpp__haskell_reach(m, words[layout->thread_exceptions / WORD_BYTES]);
    hpp__haskell_reach(m, words[layout->thread_queue / WORD_BYTES]);
}

/* Reaches what a closure of the heap refers to. `n` is its size in words. */
static void follow(hpp__haskell_marking *m, const hpp__haskell_info *info, const uint64_t *words,
                   uint64_t n)
{
    enum { THUNK_PAYLOAD = 2, PAYLOAD = 1 };
    if (info->table != 0 && info->type >= HPP_HASKELL_FUN &&
        info->type <= HPP_HASKELL_THUNK_STATIC) {
        reach_static(m, info->table);
    }
    switch (info->type) {
    case HPP_HASKELL_THUNK:
    case HPP_HASKELL_THUNK_1_0:
    case HPP_HASKELL_THUNK_0_1:
    case HPP_HASKELL_THUNK_2_0:
    case HPP_HASKELL_THUNK_1_1:
    case HPP_HASKELL_THUNK_0_2:
        reach_all(m, words + THUNK_PAYLOAD, info->n_pointers);
        break;
    case HPP_HASKELL_THUNK_SELECTOR:
        hpp__haskell_reach(m, words[THUNK_PAYLOAD]);
        break;
    case HPP_HASKELL_AP: /* number of arguments, function, arguments */
        hpp__haskell_reach(m, words[3]);
        reach_all_if_closures(m, words + 4, n - 4);
        break;
    case HPP_HASKELL_PAP:
        hpp__haskell_reach(m, words[2]);
        reach_all_if_closures(m, words + 3, n - 3);
        break;
    case HPP_HASKELL_AP_STACK:
        hpp__haskell_reach(m, words[3]);
        follow_stack(m, words + 4, n - 4);
        break;
    case HPP_HASKELL_MUT_ARR_PTRS_CLEAN:
    case HPP_HASKELL_MUT_ARR_PTRS_DIRTY:
    case HPP_HASKELL_MUT_ARR_PTRS_FROZEN_CLEAN:
    case HPP_HASKELL_MUT_ARR_PTRS_FROZEN_DIRTY:
        reach_all(m, words + 3, words[1]);
        break;
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_CLEAN:
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_DIRTY:
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_FROZEN_CLEAN:
    case HPP_HASKELL_SMALL_MUT_ARR_PTRS_FROZEN_DIRTY:
        reach_all(m, words + 2, words[1]);
        break;
    case HPP_HASKELL_BLACKHOLE:
        hpp__haskell_reach(m, words[PAYLOAD]);
        break;
    case HPP_HASKELL_CONTINUATION: /* code, a place, number of words, stack */
        follow_stack(m, words + 4, n - 4);
        break;
    case HPP_HASKELL_TSO:
        follow_thread(m, words);
        break;
    case HPP_HASKELL_TREC_CHUNK:
        reach_all_if_closures(m, words + PAYLOAD, n - PAYLOAD);
        break;
    case HPP_HASKELL_BCO:
        reach_all(m, words + PAYLOAD, n > 4 ? 3 : 0); /* instructions, literals, pointers */
        break;
    case HPP_HASKELL_ARR_WORDS:
    case HPP_HASKELL_COMPACT_NFDATA:
    case HPP_HASKELL_WHITEHOLE:
        break;
    default: /* pointers come first */
        reach_all(m, words + PAYLOAD, info->n_pointers);
    }
}

/* Follows a stack from its end on. */
static void follow_stack_closure(hpp__haskell_marking *m, uint64_t address, const uint64_t *words,
                                 uint64_t n)
{
    enum { PAYLOAD = 3 };
    uint64_t place = (words[2] - address) / WORD_BYTES;
    if (words[2] > address && place >= PAYLOAD && place <= n) {
        follow_stack(m, words + place, n - place);
    } else {
        m->n_invalid++;
    }
}

/* Returns the info table of the innermost frame of the program's own code on a stack, else of the
 * innermost frame of Haskell's libraries. NULL if none of the first ones is known. */
static const hpp__haskell_info *frame_of(hpp__haskell_marking *m, uint64_t address)
{
    const hpp__haskell_group *group = hpp__haskell_group_of(m->heap, address);
    uint32_t of_library = UINT32_MAX;
    for (int n_left = MOST_FRAMES; group && address < group->end && n_left > 0; n_left--) {
        size_t n = (group->end - address) / WORD_BYTES;
        const uint64_t *words = words_at(m, group, address, &n);
        const hpp__haskell_info *info = words ? hpp__haskell_info_at(m->closures, words[0]) : NULL;
        uint64_t n_words = words ? frame_words(m, info, words, n) : 0;
        if (n_words > 0) {
            uint32_t frame = (uint32_t)(info - m->closures->infos);
            hpp__haskell_owner owner = hpp__haskell_names_owner(m->names, m->closures, frame);
            if (owner == HPP__HASKELL_PROGRAM) {
                return &m->closures->infos[frame];
            }
            of_library =
                owner == HPP__HASKELL_LIBRARY && of_library == UINT32_MAX ? frame : of_library;
        }
        address += (n_words > 0 ? n_words : 1) * WORD_BYTES;
    }
    return of_library != UINT32_MAX ? &m->closures->infos[of_library] : NULL;
}

/* Returns the info table of the closure that a pointer refers to: of the function itself if that is
 * partially applied, of the thunk that a field is selected from, or of the frame that a stack is
 * named by. NULL if it is not known. */
static const hpp__haskell_info *subject_of(hpp__haskell_marking *m, uint64_t pointer)
{
    for (int n_left = 64; n_left > 0; n_left--) {
        uint64_t address = pointer & ~(uint64_t)TAG_MASK, words[FIRST_WORDS - 1];
        if (address == 0 || !hpp__haskell_read_any(m->heap, words, address, sizeof words)) {
            return NULL;
        }
        const hpp__haskell_info *info = hpp__haskell_info_at(m->closures, words[0]);
        if (words[0] & 1) {
            pointer = words[0] - 1;
        } else if (info && (info->type == HPP_HASKELL_IND || info->type == HPP_HASKELL_IND_STATIC ||
                            (info->type == HPP_HASKELL_BLACKHOLE && !is_evaluated(m, words[1])))) {
            pointer = words[1];
        } else if (info && info->type == HPP_HASKELL_STACK) {
            return frame_of(m, hpp__haskell_subject(info, words, FIRST_WORDS - 1));
        } else if (info && hpp__haskell_has_subject(info)) {
            pointer = hpp__haskell_subject(info, words, FIRST_WORDS - 1);
        } else {
            return info;
        }
    }
    return NULL;
}

bool hpp__haskell_look_at(hpp__haskell_marking *m, uint64_t address, hpp__haskell_closure *out)
{
    const hpp__haskell_group *group = hpp__haskell_group_of(m->heap, address);
    size_t n = FIRST_WORDS;
    const uint64_t *words = group ? words_at(m, group, address, &n) : NULL;
    *out = (hpp__haskell_closure){.words = words, .n_first = n};
    if (words && words[0] & 1) { /* a collection has moved it */
        out->stands_for = words[0] - 1;
        return true;
    }
    const hpp__haskell_info *info = words ? hpp__haskell_info_at(m->closures, words[0]) : NULL;
    if (info && n > 1 &&
        (info->type == HPP_HASKELL_IND ||
         (info->type == HPP_HASKELL_BLACKHOLE && !is_evaluated(m, words[1])))) {
        out->stands_for = words[1];
        return true;
    }
    info = words ? hpp__haskell_info_at(m->closures, words[0]) : NULL; /* it may have moved */
    uint64_t n_words = info ? hpp__haskell_closure_words(m->closures, info, words, n) : 0;
    bool is_region = info && info->type == HPP_HASKELL_COMPACT_NFDATA;
    if (n_words == 0 || (!is_region && n_words > (group->end - address) / WORD_BYTES)) {
        return false;
    }
    out->info = (uint32_t)(info - m->closures->infos);
    out->n_words = n_words;
    out->place = hpp__haskell_place(group);
    return true;
}

uint32_t hpp__haskell_use_of(hpp__haskell_marking *m, const hpp__haskell_closure *closure)
{
    const hpp__haskell_info *info = &m->closures->infos[closure->info];
    uint64_t pointer = hpp__haskell_subject(info, closure->words, closure->n_first);
    const hpp__haskell_info *subject =
        info->type == HPP_HASKELL_STACK ? frame_of(m, pointer) : subject_of(m, pointer);
    return hpp__haskell_use_number(m->closures, closure->info, subject);
}

void hpp__haskell_follow(hpp__haskell_marking *m, uint64_t address,
                         const hpp__haskell_closure *closure)
{
    const hpp__haskell_info info = m->closures->infos[closure->info]; /* others are added */
    if (info.type == HPP_HASKELL_COMPACT_NFDATA || info.type == HPP_HASKELL_ARR_WORDS) {
        return;
    }
    const uint64_t *words = hpp__haskell_words(m->heap, address, (size_t)closure->n_words);
    if (words && info.type == HPP_HASKELL_STACK) {
        follow_stack_closure(m, address, words, closure->n_words);
    } else if (words) {
        follow(m, &info, words, closure->n_words);
    }
    if (words && info.type == HPP_HASKELL_WEAK && hpp__map_find(&m->weaks, address) &&
        closure->n_words >= WEAK_WORDS) {
        follow_weak(m, words);
    }
}

/* Counts a closure of the heap, and reaches what it refers to. */
static void visit(hpp__haskell_marking *m, uint64_t address)
{
    hpp__haskell_closure closure;
    if (!hpp__haskell_look_at(m, address, &closure)) {
        m->n_invalid++;
        return;
    }
    if (closure.n_words == 0) {
        hpp__haskell_reach(m, closure.stands_for);
        return;
    }
    hpp__haskell_info *info = &m->closures->infos[closure.info];
    uint64_t n_bytes = closure.n_words * WORD_BYTES;
    info->n_closures++;
    info->n_bytes += n_bytes;
    m->n_closures++;
    m->n_bytes += n_bytes;
    m->bytes_in[closure.place] += n_bytes;
    if (m->names && hpp__haskell_has_subject(info)) {
        uint32_t number = hpp__haskell_use_of(m, &closure);
        m->is_short |= number == 0;
        if (number > 0) {
            m->closures->uses[number - 1].n_closures++;
            m->closures->uses[number - 1].n_bytes += n_bytes;
        }
    }
    hpp__haskell_follow(m, address, &closure);
}

void hpp__haskell_follow_static(hpp__haskell_marking *m, uint64_t address)
{
    uint64_t words[MOST_STATIC_WORDS];
    if (!hpp__haskell_read(m->heap, words, address, 2 * WORD_BYTES)) {
        return;
    }
    const hpp__haskell_info *found = hpp__haskell_info_at(m->closures, words[0]);
    const hpp__haskell_info info = found ? *found : (hpp__haskell_info){0};
    bool is_function = info.type == HPP_HASKELL_FUN_STATIC;
    if (info.table != 0 && (is_function || info.type == HPP_HASKELL_THUNK_STATIC)) {
        reach_static(m, info.table);
    }
    if (info.type == HPP_HASKELL_IND_STATIC) {
        hpp__haskell_reach(m, words[1]);
    } else if (is_function || hpp__haskell_is_constructor(info.type)) {
        /* A function may be a table of references, too: it has these as pointers. */
        for (uint64_t i = 0; i < info.n_pointers;) {
            uint64_t n = info.n_pointers - i;
            n = n < MOST_STATIC_WORDS ? n : MOST_STATIC_WORDS;
            if (!hpp__haskell_read(m->heap, words, address + (1 + i) * WORD_BYTES,
                                   (size_t)n * WORD_BYTES)) {
                return;
            }
            reach_all(m, words, n);
            i += n;
        }
    }
}

/* Visits what was reached, until nothing is left, or closures overlap. */
static void visit_all(hpp__haskell_marking *m)
{
    const uint64_t most_bytes = m->heap->n_megablocks * (uint64_t)HPP_HASKELL_MEGABLOCK_BYTES;
    while (m->n_left > 0 && !m->is_short && m->n_bytes <= most_bytes) {
        uint64_t address = m->left[--m->n_left];
        if (hpp__haskell_group_of(m->heap, address)) {
            visit(m, address);
        } else {
            hpp__haskell_follow_static(m, address);
        }
    }
}

/* ---- Roots ---- */

/* Returns the first `n` words of an object of a type, which a list has, or NULL. */
static const uint64_t *object_at(hpp__haskell_marking *m, uint64_t address, hpp_haskell_type type,
                                 size_t n)
{
    const hpp__haskell_group *group = hpp__haskell_group_of(m->heap, address);
    const hpp__haskell_info *info = group ? info_of(m, group, address) : NULL;
    size_t n_words = n;
    const uint64_t *words =
        info && info->type == type ? words_at(m, group, address, &n_words) : NULL;
    return n_words == n ? words : NULL;
}

static void note_capability(hpp__haskell_marking *m, uint64_t capability)
{
    size_t i = 0;
    while (i < m->n_capabilities && m->capabilities[i] != capability) {
        i++;
    }
    if (i == m->n_capabilities && i < HPP__HASKELL_MAX_CAPABILITIES) {
        m->capabilities[m->n_capabilities++] = capability;
    }
}

/* Reaches a thread, and notes whether it runs Haskell code. */
static void reach_thread(hpp__haskell_marking *m, uint64_t address, const uint64_t *words)
{
    const hpp_haskell_layout *layout = m->heap->layout;
    uint64_t capability = words[layout->thread_capability / WORD_BYTES], current;
    uint16_t what_next = (uint16_t)(words[layout->thread_what_next / WORD_BYTES] >>
                                    layout->thread_what_next % 8 * 8);
    if (what_next == THREAD_KILLED || what_next == THREAD_COMPLETE) {
        return; /* it is reached if anything refers to it */
    }
    note_capability(m, capability);
    m->is_short |= !HPF__ARRAY_PUSH(m->threads, m->n_threads, m->threads_capacity, address);
    hpp__haskell_reach(m, address);
    m->n_running += hpp__image_read(m->heap->image, &current, capability + layout->current_thread,
                                    sizeof current) &&
                    current == address;
}

static void reach_threads(hpp__haskell_marking *m)
{
    const hpp_haskell_layout *layout = m->heap->layout;
    hpp__map seen = {0};
    for (size_t g = 0; g < m->heap->n_generations; g++) {
        uint64_t at = 0;
        (void)hpp__image_read(m->heap->image, &at,
                              m->heap->generations[g] + layout->generation_threads, sizeof at);
        const uint64_t *words;
        while ((words = object_at(m, at, HPP_HASKELL_TSO, layout->thread_bytes / WORD_BYTES)) &&
               !hpp__map_find(&seen, at) && hpp__map_add(&seen, at)) {
            uint64_t next = words[2];
            reach_thread(m, at, words);
            at = next;
        }
    }
    hpp__map_finish(&seen);
}

/* A free entry has the address of another one. */
void hpp__haskell_reach_stables(hpp__haskell_marking *m)
{
    const hpp__haskell_variables *known = m->closures->variables;
    uint64_t end = known->stables + known->n_stables * WORD_BYTES;
    if (known->stables == 0 || known->n_stables > MOST_STABLES) {
        return;
    }
    for (uint64_t at = known->stables; at < end; at += WORD_BYTES) {
        uint64_t word;
        if (!hpp__haskell_read(m->heap, &word, at, sizeof word)) {
            return;
        }
        if (word < known->stables || word >= end) {
            reach_if_closure(m, word);
        }
    }
}

/* Returns whether a key of a weak pointer is reached, or is no object of the heap. */
static bool is_alive(hpp__haskell_marking *m, uint64_t pointer)
{
    for (int n_left = 64; n_left > 0; n_left--) {
        uint64_t address = pointer & ~(uint64_t)TAG_MASK, *word, bit;
        const hpp__haskell_group *group = hpp__haskell_group_of(m->heap, address);
        if (!group || bit_of(m, address, &word, &bit)) {
            return true;
        }
        size_t n = 2;
        const uint64_t *words = words_at(m, group, address, &n);
        const hpp__haskell_info *info =
            words && !(words[0] & 1) ? hpp__haskell_info_at(m->closures, words[0]) : NULL;
        bool is_link = info && n > 1 && info->type == HPP_HASKELL_IND;
        if (!words || !(words[0] & 1 || is_link)) {
            return false;
        }
        pointer = is_link ? words[1] : words[0] - 1;
    }
    return false;
}

/* Reaches the weak pointers of a list whose keys are reached, and what they refer to. `head` is
 * where the address of the first one is. Returns whether there were any that were not handled
 * before. */
static bool reach_weaks(hpp__haskell_marking *m, uint64_t head)
{
    uint64_t at = 0;
    bool is_any = false;
    (void)hpp__image_read(m->heap->image, &at, head, sizeof at);
    hpp__map seen = {0};
    const uint64_t *words;
    while ((words = object_at(m, at, HPP_HASKELL_WEAK, WEAK_WORDS)) && !hpp__map_find(&seen, at) &&
           hpp__map_add(&seen, at)) {
        uint64_t next = words[LINK];
        if (!hpp__map_find(&m->weaks, at) && is_alive(m, words[KEY])) {
            is_any |= hpp__map_add(&m->weaks, at) != NULL;
            hpp__haskell_reach(m, at);
            follow_weak(m, words);
        }
        at = next;
    }
    hpp__map_finish(&seen);
    return is_any;
}

/* ---- All ---- */

bool hpp__haskell_mark(hpp__haskell_marking *m, hpp__haskell_closures *closures,
                       hpp__haskell_names *names)
{
    hpp__haskell_heap *heap = closures->heap;
    *m = (hpp__haskell_marking){.heap = heap, .closures = closures, .names = names};
    size_t n_words = heap->n_megablocks * HPP_HASKELL_MEGABLOCK_BYTES / WORD_BYTES;
    m->is_reached = calloc(n_words / 64, sizeof *m->is_reached);
    if (!m->is_reached) {
        return false;
    }
    reach_threads(m);
    if (m->n_running > 0) {
        return !m->is_short;
    }
    hpp__haskell_reach_stables(m);
    visit_all(m);
    bool is_any = true;
    for (int n_left = MOST_ROUNDS; n_left > 0 && is_any && !m->is_short; n_left--) {
        is_any = false;
        for (size_t g = 0; g < heap->n_generations; g++) {
            is_any |= reach_weaks(m, heap->generations[g] + heap->layout->generation_weaks);
        }
        is_any |= reach_weaks(m, closures->variables->weaks);
        visit_all(m);
    }
    return !m->is_short;
}

void hpp__haskell_marking_finish(hpp__haskell_marking *m)
{
    free(m->is_reached);
    hpp__map_finish(&m->statics);
    hpp__map_finish(&m->weaks);
    free(m->left);
    free(m->threads);
    *m = (hpp__haskell_marking){0};
}
