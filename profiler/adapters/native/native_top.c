/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over the groups into a table of places, then a sort.
 */
#include "base/arena.h"
#include "native_top.h"

#include "grow.h"
#include "hpfile/str.h"
#include "text.h"

enum { MAX_PATH_BYTES = 200 };

/* A place, and the heaviest of its groups. */
typedef struct place {
    hpf_str text;
    hpp__alive alive;
    size_t heaviest;
    uint64_t heaviest_bytes;
} place;

typedef struct places {
    place *list;
    size_t n, capacity;
} places;

static hpf_str text_of(const hpp__group *group)
{
    return group->shape->description.length > 0 ? group->shape->description : HPF_STR("UNKNOWN");
}

static int by_text(const void *a, const void *b)
{
    return hpf_str_compare(((const place *)a)->text, ((const place *)b)->text);
}

static int by_bytes(const void *a, const void *b)
{
    const place *left = a;
    const place *right = b;
    if (left->alive.bytes != right->alive.bytes) {
        return left->alive.bytes < right->alive.bytes ? 1 : -1;
    }
    return by_text(a, b);
}

/* Equal texts stand together: each run becomes its first. */
static void join_equal(places *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++) {
        place *last = n > 0 ? &all->list[n - 1] : NULL;
        const place *next = &all->list[i];
        if (!last || !hpf_str_equal(last->text, next->text)) {
            all->list[n++] = *next;
            continue;
        }
        last->alive.bytes += next->alive.bytes;
        last->alive.blocks += next->alive.blocks;
        if (next->heaviest_bytes > last->heaviest_bytes) {
            last->heaviest = next->heaviest;
            last->heaviest_bytes = next->heaviest_bytes;
        }
    }
    all->n = n;
}

/* "caller/.../main" of a stack, without its innermost function; with "..." where it is cut. */
static hpf_str path_of(const hpp__stack *stack, hpf_arena *arena)
{
    hpp__text text = {0};
    const hpp__stack *at = stack ? stack->parent : NULL;
    for (; at && at->parent && text.length < MAX_PATH_BYTES; at = at->parent) {
        hpp__text_add(&text, text.length > 0 ? HPF_STR("/") : HPF_STR(""));
        hpp__text_add(&text, at->function->label);
    }
    if (at && at->parent) {
        hpp__text_add(&text, HPF_STR("/..."));
    }
    const char *copy = hpf_arena_text(arena, hpp__text_str(&text));
    hpf_str path = {copy ? copy : "", copy ? text.length : 0};
    hpp__text_finish(&text);
    return path;
}

size_t hpp__native_top(const hpp__native_heap *heap, const hpp__alive *alive, size_t n_alive,
                       hpp_site_figures *out, size_t n_most, hpf_arena *arena)
{
    places all = {0};
    for (size_t i = 0; i < n_alive && i < heap->n_groups; i++) {
        if (alive[i].bytes > 0 && hpp__grow(&all.list, &all.capacity, all.n + 1, sizeof(place))) {
            all.list[all.n++] = (place){text_of(&heap->groups[i]), alive[i], i, alive[i].bytes};
        }
    }
    if (all.n == 0) {
        return 0;
    }
    qsort(all.list, all.n, sizeof *all.list, by_text);
    join_equal(&all);
    qsort(all.list, all.n, sizeof *all.list, by_bytes);
    size_t n = all.n < n_most ? all.n : n_most;
    for (size_t i = 0; i < n; i++) {
        const hpp__group *group = &heap->groups[all.list[i].heaviest];
        out[i] = (hpp_site_figures){
            .place = all.list[i].text,
            .module = group->shape->module,
            .path = path_of(group->stack, arena),
            .live_bytes = all.list[i].alive.bytes,
            .live_blocks = all.list[i].alive.blocks,
        };
    }
    free(all.list);
    return n;
}
