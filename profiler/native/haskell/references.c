/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The number of a closure is how many there are before it, by the bits that marking has left.
 */
#include "references.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "hpfile/str.h"

enum {
    WORD_BYTES = 8,
    BITS = 64,
    MEGABLOCK_WORDS = HPP_HASKELL_MEGABLOCK_BYTES / WORD_BYTES,
    MOST_LINKS = 64, /* indirections in a row */
    MOST_LABEL_BYTES = 80,
};
#define NO_NUMBER UINT32_MAX

typedef struct walk {
    hpp__haskell_census *census;
    hpp__haskell_marking *marking;
    const hpp__haskell_visitor *visitor;
    uint32_t *before; /* by word of the marks: closures before it */
    uint32_t n_closures;
    hpp__map threads;  /* live ones, by address */
    uint32_t last;     /* the reference before */
    size_t n_links;    /* indirections that are being followed */
    bool is_of_thread; /* the root is a thread: it refers to itself */
    bool is_root_new;  /* the visitor does not know it yet */
    hpp__haskell_root root;
    hpp__text name;
    uint64_t variable; /* the info table that names the root: only those that hold something are
                          named; 0: it has a name */
    bool is_good;
} walk;

static size_t n_mark_words(const walk *w)
{
    return w->marking->heap->n_megablocks * (MEGABLOCK_WORDS / BITS);
}

static uint64_t address_at(const walk *w, size_t word, unsigned bit)
{
    size_t number = word * BITS + bit;
    return w->marking->heap->addresses[number / MEGABLOCK_WORDS] +
           number % MEGABLOCK_WORDS * WORD_BYTES;
}

/* Returns the number of the closure at an address, NO_NUMBER if it has no mark. */
static uint32_t number_of(const walk *w, uint64_t address)
{
    size_t number = hpp__haskell_word_number(w->marking->heap, address);
    uint64_t word = w->marking->is_reached[number / BITS];
    uint64_t bit = UINT64_C(1) << number % BITS;
    return word & bit ? w->before[number / BITS] + (uint32_t)__builtin_popcountll(word & (bit - 1))
                      : NO_NUMBER;
}

/* Takes away the marks of what stands for something else, and counts the others. */
static bool count_closures(walk *w)
{
    uint64_t n = 0;
    w->before = malloc(n_mark_words(w) * sizeof *w->before);
    for (size_t i = 0; i < n_mark_words(w) && w->before; i++) {
        uint64_t *marks = &w->marking->is_reached[i];
        for (uint64_t left = *marks; left != 0; left &= left - 1) {
            hpp__haskell_closure closure;
            uint64_t address = address_at(w, i, (unsigned)__builtin_ctzll(left));
            bool is_one =
                hpp__haskell_look_at(w->marking, address, &closure) && closure.n_words > 0;
            *marks &= is_one ? UINT64_MAX : ~(left & -left);
        }
        w->before[i] = (uint32_t)n;
        n += (uint64_t)__builtin_popcountll(*marks);
    }
    w->n_closures = (uint32_t)n;
    return w->before && n < NO_NUMBER - 2;
}

/* ---- References ---- */

static void add_reference(walk *w, uint32_t to)
{
    if (w->is_root_new) {
        if (w->variable != 0) {
            hpp__haskell_names_make_static(w->marking->names, &w->census->closures, w->variable);
            hpp__text_add(&w->name, hpp__text_str(&w->marking->names->description));
        }
        w->is_good =
            w->is_good && w->visitor->root(w->visitor->context, w->root, hpp__text_str(&w->name));
        w->is_root_new = false;
    }
    if (to != w->last) {
        w->is_good = w->is_good && w->visitor->reference(w->visitor->context, to);
        w->last = to;
    }
}

/* Gets what a closure or a root refers to. */
static void find(void *context, uint64_t address)
{
    walk *w = context;
    hpp__haskell_closure closure;
    uint32_t to = number_of(w, address);
    if (to != NO_NUMBER && (w->is_of_thread || !hpp__map_find(&w->threads, address))) {
        add_reference(w, to);
    } else if (to == NO_NUMBER && w->n_links < MOST_LINKS &&
               hpp__haskell_look_at(w->marking, address, &closure) && closure.n_words == 0) {
        w->n_links++;
        hpp__haskell_reach(w->marking, closure.stands_for);
        w->n_links--;
    }
}

static void add_closure(walk *w, uint64_t address)
{
    hpp__haskell_closure closure;
    if (!hpp__haskell_look_at(w->marking, address, &closure)) {
        w->is_good = false;
        return;
    }
    uint32_t kind = hpp__haskell_census_kind(w->census, &closure);
    w->last = NO_NUMBER;
    w->is_good = kind != UINT32_MAX &&
                 w->visitor->closure(w->visitor->context, closure.n_words * WORD_BYTES, kind);
    hpp__haskell_follow(w->marking, address, &closure);
}

static void add_closures(walk *w)
{
    for (size_t i = 0; i < n_mark_words(w); i++) {
        for (uint64_t left = w->marking->is_reached[i]; left != 0 && w->is_good; left &= left - 1) {
            add_closure(w, address_at(w, i, (unsigned)__builtin_ctzll(left)));
        }
    }
}

/* ---- Roots ---- */

static void begin_root(walk *w, hpp__haskell_root root, hpf_str name)
{
    w->root = root;
    w->variable = 0;
    w->name.length = 0;
    hpp__text_add(&w->name, name);
    w->is_root_new = true;
    w->last = NO_NUMBER;
}

/* Names a thread by its label, or by its number. */
static void begin_thread(walk *w, uint64_t address)
{
    hpp__haskell_heap *heap = w->marking->heap;
    const hpp_haskell_layout *layout = heap->layout;
    uint32_t id = 0;
    uint64_t label = 0, words[2];
    char text[MOST_LABEL_BYTES + 1] = "", number[16];
    (void)hpp__image_read(heap->image, &id, address + layout->thread_id, sizeof id);
    if (layout->thread_label != 0 &&
        hpp__image_read(heap->image, &label, address + layout->thread_label, sizeof label) &&
        label != 0 && hpp__image_read(heap->image, words, label, sizeof words)) {
        size_t n = words[1] < MOST_LABEL_BYTES ? (size_t)words[1] : MOST_LABEL_BYTES;
        bool is_read = hpp__image_read(heap->image, text, label + sizeof words, n);
        text[is_read ? n : 0] = '\0';
    }
    snprintf(number, sizeof number, "%" PRIu32, id);
    begin_root(w, HPP__HASKELL_THREAD, HPF_STR("thread "));
    hpp__text_add(&w->name, hpf_str_of(text[0] ? text : number));
}

static void add_threads(walk *w)
{
    const hpp__haskell_marking *m = w->marking;
    w->is_of_thread = true;
    for (size_t i = 0; i < m->n_threads; i++) {
        begin_thread(w, m->threads[i]);
        hpp__haskell_reach(w->marking, m->threads[i]);
    }
    w->is_of_thread = false;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Adds static closures that refer to the heap: variables that were evaluated. */
static bool add_statics(walk *w)
{
    const hpp__map *statics = &w->marking->statics;
    uint64_t *all = malloc((statics->n_keys + 1) * sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < statics->n_slots && all; i++) {
        if (statics->slots[i].key != 0) {
            all[n++] = statics->slots[i].key;
        }
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, by_address);
    }
    for (size_t i = 0; i < n; i++) {
        enum { SAVED_INFO = 3 };
        uint64_t words[SAVED_INFO + 1];
        const hpp__haskell_info *info =
            hpp__haskell_read(w->marking->heap, words, all[i], sizeof words)
                ? hpp__haskell_info_at(&w->census->closures, words[0])
                : NULL;
        if (info) {
            bool is_variable = info->type == HPP_HASKELL_IND_STATIC;
            begin_root(w, HPP__HASKELL_CAF, HPF_STR(""));
            w->variable = is_variable ? words[SAVED_INFO] : words[0];
            hpp__haskell_follow_static(w->marking, all[i]);
        }
    }
    free(all);
    return all != NULL;
}

static void add_weaks(walk *w)
{
    const hpp__map *weaks = &w->marking->weaks;
    begin_root(w, HPP__HASKELL_WEAK, HPF_STR("weak pointers"));
    for (size_t i = 0; i < weaks->n_slots; i++) {
        if (weaks->slots[i].key != 0) {
            hpp__haskell_reach(w->marking, weaks->slots[i].key);
        }
    }
}

static void add_rest(walk *w, uint32_t number, hpf_str name)
{
    begin_root(w, HPP__HASKELL_REST, name);
    add_reference(w, number);
}

bool hpp__haskell_references_visit(hpp__haskell_census *census, const hpp__haskell_visitor *visitor)
{
    hpp__haskell_marking *m = &census->marking;
    walk w = {.census = census, .marking = m, .visitor = visitor};
    w.is_good = count_closures(&w);
    for (size_t i = 0; i < m->n_threads && w.is_good; i++) {
        w.is_good = hpp__map_add(&w.threads, m->threads[i]) != NULL;
    }
    m->found = find;
    m->found_context = &w;
    add_closures(&w);
    w.is_good = w.is_good &&
                visitor->closure(visitor->context, census->unreached_bytes,
                                 hpp__haskell_census_unreached(census)) &&
                visitor->closure(visitor->context, census->pinned_rest_bytes,
                                 hpp__haskell_census_unreached(census) + 1);
    if (w.is_good) {
        add_threads(&w);
        begin_root(&w, HPP__HASKELL_STABLE, HPF_STR("stable pointers"));
        hpp__haskell_reach_stables(m);
        w.is_good = add_statics(&w) && w.is_good;
        add_weaks(&w);
        add_rest(&w, w.n_closures, HPF_STR("UNREACHED"));
        add_rest(&w, w.n_closures + 1, HPF_STR("PINNED"));
    }
    m->found = NULL;
    hpp__map_finish(&w.threads);
    hpp__text_finish(&w.name);
    free(w.before);
    return w.is_good && !m->is_short;
}
