/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a site to its group: by its stack and its shape; shapes by function, file, line and call.
 */
#include <math.h>

#include "base/arena.h"
#include "site_heap.h"

#include "hpfile/margin.h"
#include "hpfile/str.h"

#include "base/array.h"
#include "base/text.h"

enum { MAX_LINE = (1 << 28) - 1, LEVEL_SHIFT = 28 };
static const uint32_t inherited_number = UINT32_MAX; /* not in the list */

static const hpp_shape unknown_shape = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, 0};
static const hpp_shape inherited_shape = {
    {"INHERITED", 9}, {"INHERITED", 9}, {"INHERITED", 9}, {"INHERITED", 9}, 0};

static hpf_str call_name(uint32_t call)
{
    static const hpf_str names[HPP_N_CALLS] = {[HPP_CALL_MALLOC] = {"malloc", 6},
                                               [HPP_CALL_CALLOC] = {"calloc", 6},
                                               [HPP_CALL_REALLOC] = {"realloc", 7},
                                               [HPP_CALL_ALIGNED] = {"aligned", 7},
                                               [HPP_CALL_NEW] = {"new", 3},
                                               [HPP_CALL_NEW_ARRAY] = {"new[]", 5},
                                               [HPP_CALL_POOL] = {"pool", 4},
                                               [HPP_CALL_PYTHON_MEMORY] = {"PyMem", 5},
                                               [HPP_CALL_PYTHON_OBJECT] = {"PyObject", 8},
                                               [HPP_CALL_MMAP] = {"mmap", 4},
                                               [HPP_CALL_TICK] = {"", 0},
                                               [HPP_CALL_ENTRY] = {"", 0},
                                               [HPP_CALL_THROW] = {"", 0}};
    return names[call];
}

/* ---- Shapes ---- */

/* Returns "function@file:line", or "function". */
static hpf_str describe(hpp__site_heap *h, const hpp__frame *frame)
{
    hpp__text text = {0};
    hpp__text_add(&text, frame->function->label);
    if (frame->file.length > 0 && frame->line > 0) {
        hpp__text_add(&text, HPF_STR("@"));
        hpp__text_add(&text, frame->file);
        hpp__text_add(&text, HPF_STR(":"));
        hpp__text_add_number(&text, frame->line);
    }
    char *copy = text.is_short ? NULL : hpf_arena_alloc(h->arena, text.length + 1);
    hpf_str description = {copy, copy ? hpp__names_clean(copy, hpp__text_str(&text)) : 0};
    hpp__text_finish(&text);
    return description;
}

static const hpp_shape *make_shape(hpp__site_heap *h, const hpp__frame *frame, uint32_t call)
{
    hpp_shape *shape = hpf_arena_alloc(h->arena, sizeof *shape);
    hpf_str description = describe(h, frame);
    if (!shape || !description.data) {
        return NULL;
    }
    shape->description = description;
    shape->type = HPF_STR("");
    shape->module = frame->function->module;
    shape->kind = call_name(call);
    return shape;
}

/* Returns the number of a key in `map`, from 1, or the next one of `*n`; 0 without memory. */
static uint64_t number_of(hpp__map *map, uint64_t key, uint32_t *n)
{
    uint64_t *number = hpp__map_add(map, key);
    if (number && *number == 0) {
        *number = ++*n;
    }
    return number ? *number : 0;
}

/* Returns the number of the shape of a place, from 1; 0 without memory. */
static uint32_t shape_of(hpp__site_heap *h, const hpp__frame *frame, uint32_t call)
{
    uint64_t file = number_of(&h->files, (uintptr_t)frame->file.data | 1, &h->n_files);
    uint64_t place =
        number_of(&h->places, (uint64_t)frame->function->index << 32 | file, &h->n_places);
    uint64_t line = frame->line < MAX_LINE ? frame->line : MAX_LINE;
    uint64_t *number = hpp__map_add(&h->shapes, place << 32 | line << 4 | call);
    if (!number || file == 0 || place == 0) {
        return 0;
    }
    if (*number == 0 &&
        HPF__ARRAY_RESERVE(h->shape_list, h->shape_list_capacity, h->n_shapes + (size_t)1)) {
        const hpp_shape *shape = make_shape(h, frame, call);
        h->shape_list[h->n_shapes] = shape;
        *number = shape ? ++h->n_shapes : 0;
    }
    return (uint32_t)*number;
}

/* Returns the shape with a number; also of the unknown one, 0, and of the inherited one. */
static const hpp_shape *shape_at(const hpp__site_heap *h, uint32_t number)
{
    return number == 0                  ? &unknown_shape
           : number == inherited_number ? &inherited_shape
                                        : h->shape_list[number - 1];
}

/* Returns the number of a shape that is like another but has a type; 0 without memory. */
static uint32_t shape_with_type(hpp__site_heap *h, uint32_t shape, hpf_str type)
{
    uint32_t type_number;
    bool is_new;
    if (hpf__intern_add(&h->types, type, &type_number, &is_new) != HPF_OK) {
        return 0;
    }
    uint64_t *number = hpp__map_add(&h->typed, (uint64_t)(type_number + 1) << 32 | shape);
    if (number && *number == 0 &&
        HPF__ARRAY_RESERVE(h->shape_list, h->shape_list_capacity, h->n_shapes + (size_t)1)) {
        hpp_shape *copy = hpf_arena_alloc(h->arena, sizeof *copy);
        if (copy) {
            *copy = *shape_at(h, shape);
            copy->type = h->types.names[type_number];
            h->shape_list[h->n_shapes] = copy;
            *number = ++h->n_shapes;
        }
    }
    return number ? (uint32_t)*number : 0;
}

/* ---- Groups ---- */

static bool add_group(hpp__site_heap *h, hpp__group group)
{
    if (!HPF__ARRAY_RESERVE(h->groups, h->groups_capacity, h->n_groups + 1) ||
        !HPF__ARRAY_RESERVE(h->costs, h->costs_capacity, h->n_groups + 1) ||
        !HPF__ARRAY_RESERVE(h->inherited, h->inherited_capacity, h->n_groups + 1) ||
        !HPF__ARRAY_RESERVE(h->phases, h->phases_capacity, h->n_groups + 1)) {
        return false;
    }
    h->phases[h->n_groups] = (hpp_phase_bytes){0};
    h->costs[h->n_groups] = (hpp__costs){0};
    h->inherited[h->n_groups] = 0;
    h->groups[h->n_groups++] = group;
    return true;
}

/* Returns the number of the group with a stack, a shape and a mean, from 1, which is added if it is
 * new; 0 without memory. */
static uint32_t add_once(hpp__site_heap *h, hpp__group group)
{
    const hpp__stack *stack = group.calls ? group.calls : group.stack;
    int level = group.rate_bytes > 0 ? ilogb(group.rate_bytes / h->rate_bytes) : 0;
    uint64_t key = (uint64_t)(stack ? stack->id : 0) << 32 | (uint64_t)level << LEVEL_SHIFT |
                   group.shape_number;
    uint64_t *number = hpp__map_add(&h->by_shape, key);
    group.shape = h->shape_list[group.shape_number - 1];
    if (number && *number == 0 && add_group(h, group)) {
        *number = h->n_groups;
    }
    return number ? (uint32_t)*number : 0;
}

/* Returns the call of a site. Operator new usually calls an allocator of C; it is recognised by its
 * name then. */
static uint32_t call_of(const hpp_window_site *site, const hpp__producer *producer)
{
    bool may_be_new = site->call == HPP_CALL_MALLOC || site->call == HPP_CALL_ALIGNED;
    bool is_new = producer->call != HPP_CALL_MALLOC;
    return may_be_new && is_new ? (uint32_t)producer->call : site->call;
}

/* Returns the number of the group of a site, from 1; 0 if it is not known yet. */
static uint32_t find_group(hpp__site_heap *h, uint32_t site_index)
{
    hpp_window_site site;
    if (site_index < HPP_FIRST_SITE) {
        return (site_index == HPP_SITE_INHERITED ? HPP__GROUP_INHERITED : HPP__GROUP_UNKNOWN) + 1;
    }
    if (!hpp__window_reader_site(h->reader, site_index, &site) || site.node == 0) {
        return 0;
    }
    if (!hpp_call_is_block(site.call)) {
        return HPP__GROUP_TICKS + 1;
    }
    hpp__producer producer = hpp__named_stacks_producer(h->stacks, site.node);
    if (!producer.stack) {
        return 0;
    }
    const hpp__stack *calls =
        h->calls ? hpp__named_stacks_producer(h->calls, site.node).stack : NULL;
    if (h->calls && !calls) {
        return 0;
    }
    uint32_t shape = shape_of(h, &producer.frame, call_of(&site, &producer));
    hpp__site_type type = {.type = HPF_STR("")};
    if (h->with_types && shape > 0) {
        type = hpp__named_stacks_type(h->stacks, site.node, &producer);
        hpf_str place = h->shape_list[shape - 1]->description;
        shape = shape_with_type(h, shape, type.type.length > 0 ? type.type : place);
    }
    bool is_sample = site.call != HPP_CALL_MMAP; /* all mappings are counted */
    double rate_bytes = hpp__window_reader_rate(h->reader, site_index, h->rate_bytes);
    return shape > 0 ? add_once(h, (hpp__group){.stack = producer.stack,
                                                .calls = calls,
                                                .shape_number = shape,
                                                .rate_bytes = is_sample ? rate_bytes : 0,
                                                .naming = type.naming,
                                                .is_object = type.is_object})
                     : 0;
}

/* Returns the index of the group of a site. */
static size_t group_of(hpp__site_heap *h, uint32_t site_index)
{
    if (site_index >= h->group_of_capacity) {
        return HPP__GROUP_UNKNOWN;
    }
    if (h->group_of[site_index] == 0) {
        h->group_of[site_index] = find_group(h, site_index);
    }
    return h->group_of[site_index] > 0 ? h->group_of[site_index] - 1 : HPP__GROUP_UNKNOWN;
}

hpp__site_type hpp__site_heap_type(const hpp__site_heap *h, size_t group)
{
    const hpp__group *of = &h->groups[group];
    bool is_known = of->naming != HPP__NAMED_BY_SITE;
    return (hpp__site_type){is_known ? of->shape->type : HPF_STR(""), of->is_object, of->naming};
}

size_t hpp__site_heap_typed_group(hpp__site_heap *h, size_t group, hpf_str type)
{
    hpp__group typed = h->groups[group];
    uint32_t shape = group == HPP__GROUP_INHERITED ? inherited_number : typed.shape_number;
    if (type.length == 0 || group == HPP__GROUP_TICKS || hpf_str_equal(typed.shape->type, type)) {
        return group;
    }
    typed.shape_number = shape_with_type(h, shape, type);
    typed.band_word = typed.stack_word = 0;
    uint32_t number = typed.shape_number > 0 ? add_once(h, typed) : 0;
    return number > 0 ? number - 1 : group;
}

size_t hpp__site_heap_group(hpp__site_heap *h, uint32_t site)
{
    /* Without room, the site is unknown. */
    (void)HPF__ARRAY_RESERVE_ZEROED(h->group_of, h->group_of_capacity, site + (size_t)1);
    return group_of(h, site);
}

bool hpp__site_heap_add_closures(hpp__site_heap *h, const hpp__group *group, size_t *index)
{
    *index = h->n_groups;
    return add_group(h, *group);
}

void hpp__site_heap_add_up(hpp__site_heap *h, const hpp__window_sums *sums)
{
    memset(h->costs, 0, h->n_groups * sizeof *h->costs);
    memset(h->inherited, 0, h->n_groups * sizeof *h->inherited);
    h->rate_now = hpp__window_reader_rate_now(h->reader, h->rate_bytes);
    /* Without room, sites that have no place in the array are unknown. */
    (void)HPF__ARRAY_RESERVE_ZEROED(h->group_of, h->group_of_capacity, sums->n_sites);
    for (uint32_t site = HPP_SITE_UNKNOWN; site < sums->n_sites; site++) {
        const hpp__costs *costs = &sums->sites[site];
        if ((costs->allocations | costs->frees) != 0) {
            size_t group = group_of(h, site);
            hpp__costs_add(&h->costs[group], costs);
            h->inherited[group] +=
                hpp__window_reader_is_inherited(h->reader, site) ? hpp__costs_live_bytes(costs) : 0;
        }
    }
}

uint64_t hpp__site_heap_live_bytes(const hpp__site_heap *h)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < h->n_groups; i++) {
        sum += i != HPP__GROUP_TICKS ? hpp__costs_live_bytes(&h->costs[i]) : 0;
    }
    return sum;
}

/* A sum that is rounded as part of a total, so that the total is exact. */
typedef struct running {
    double factor, exact;
    uint64_t rounded;
} running;

static uint64_t next_part(running *total, int64_t bytes)
{
    total->exact += bytes > 0 ? (double)bytes * total->factor : 0;
    uint64_t before = total->rounded;
    total->rounded = (uint64_t)(total->exact + 0.5);
    return total->rounded - before;
}

static double all_bytes(const hpp__life_sums *lives)
{
    double sum = 0;
    for (uint32_t site = 0; site < lives->n_sites; site++) {
        for (int phase = 0; phase < HPP_N_PHASES; phase++) {
            int64_t bytes = lives->sites[site].bytes[phase];
            sum += bytes > 0 ? (double)bytes : 0;
        }
    }
    return sum;
}

static void add_phase_bytes(hpp_phase_bytes *to, const hpp_phase_bytes *from)
{
    to->lag_bytes += from->lag_bytes;
    to->use_bytes += from->use_bytes;
    to->drag_bytes += from->drag_bytes;
    to->void_bytes += from->void_bytes;
}

hpp_phase_bytes hpp__site_heap_add_lives(hpp__site_heap *h, const hpp__life_sums *lives,
                                         const uint64_t *live_bytes)
{
    double known_bytes = all_bytes(lives);
    bool is_sample = live_bytes && known_bytes > 0;
    running total = {.factor = is_sample ? (double)*live_bytes / known_bytes : 1};
    hpp_phase_bytes sum = {0};
    memset(h->phases, 0, h->n_groups * sizeof *h->phases);
    for (uint32_t site = HPP_SITE_UNKNOWN; site < lives->n_sites; site++) {
        const int64_t *bytes = lives->sites[site].bytes;
        if ((bytes[HPP_PHASE_LAG] | bytes[HPP_PHASE_USE] | bytes[HPP_PHASE_DRAG] |
             bytes[HPP_PHASE_VOID]) != 0) {
            hpp_phase_bytes part = {.lag_bytes = next_part(&total, bytes[HPP_PHASE_LAG]),
                                    .use_bytes = next_part(&total, bytes[HPP_PHASE_USE]),
                                    .drag_bytes = next_part(&total, bytes[HPP_PHASE_DRAG]),
                                    .void_bytes = next_part(&total, bytes[HPP_PHASE_VOID])};
            size_t group = group_of(h, site); /* may move the phases */
            add_phase_bytes(&h->phases[group], &part);
            add_phase_bytes(&sum, &part);
        }
    }
    return sum;
}

/* ---- For the engine ---- */

static int visit_sums(hpp_visit_sum *visit, void *visit_context, void *context)
{
    const hpp__site_heap *h = context;
    int stop = 0;
    for (size_t i = 0; i < h->n_groups && !stop; i++) {
        hpp__group *group = &h->groups[i];
        uint64_t live_bytes = hpp__costs_live_bytes(&h->costs[i]);
        uint64_t left_out = i < h->n_left_out ? h->left_out[i] : 0;
        hpp_object sum = {
            .size_bytes = live_bytes > left_out ? live_bytes - left_out : 0,
            .shape = group->shape,
            .stack = group->stack,
            .calls = group->calls,
            .band_word = &group->band_word,
            .stack_word = &group->stack_word,
            .phases = &h->phases[i],
            .inherited_bytes = h->inherited[i],
        };
        uint64_t n_blocks = hpp__costs_live_blocks(&h->costs[i]);
        const hpp_phase_bytes *p = sum.phases;
        uint64_t any =
            sum.size_bytes | n_blocks | p->lag_bytes | p->use_bytes | p->drag_bytes | p->void_bytes;
        if (any != 0 && i != HPP__GROUP_TICKS) {
            stop = visit(&sum, n_blocks, visit_context);
        }
    }
    return stop;
}

/* ---- Life ---- */

static bool add_special_groups(hpp__site_heap *h)
{
    const hpf_str name = HPF_STR("INHERITED");
    const hpp__stack *inherited = hpp__named_stacks_special(h->stacks, name);
    const hpp__stack *calls = h->calls ? hpp__named_stacks_special(h->calls, name) : NULL;
    return inherited && (calls || !h->calls) &&
           add_group(h, (hpp__group){.shape = &unknown_shape}) &&
           add_group(h,
                     (hpp__group){.stack = inherited, .calls = calls, .shape = &inherited_shape}) &&
           add_group(h, (hpp__group){.shape = &unknown_shape});
}

hpf_status hpp__site_heap_init(hpp__site_heap *h, hpp__named_stacks *stacks,
                               hpp__named_stacks *calls, const hpp__window_reader *reader,
                               hpf_error *err)
{
    *h = (hpp__site_heap){.stacks = stacks, .calls = calls, .reader = reader};
    h->heap = (hpp_heap){.size = sizeof h->heap,
                         .sums = visit_sums,
                         .sums_have_phases = true,
                         .stacks = &hpp__named_stacks_view,
                         .context = h};
    h->arena = hpf_arena_create();
    return h->arena && add_special_groups(h) ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__site_heap_finish(hpp__site_heap *h)
{
    hpf_arena_destroy(h->arena);
    free(h->groups);
    free(h->costs);
    free(h->inherited);
    free(h->phases);
    free(h->group_of);
    hpp__map_finish(&h->files);
    hpp__map_finish(&h->places);
    hpp__map_finish(&h->shapes);
    hpp__map_finish(&h->by_shape);
    hpf__intern_finish(&h->types);
    hpp__map_finish(&h->typed);
    free(h->shape_list);
    *h = (hpp__site_heap){0};
}

/* ---- The places that cost most --------------------------------------------------------------- */

enum { MAX_PATH_BYTES = 200 };

/* A place, and the heaviest of its groups. */
typedef struct place {
    hpf_str text;
    hpp__alive alive;
    size_t heaviest;
    uint64_t heaviest_bytes;
    double variance;
} place;

typedef struct places {
    place *list;
    size_t n, capacity;
} places;

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

/* Merges equal texts, which are neighbours. */
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
        last->alive.indirect_bytes += next->alive.indirect_bytes;
        last->alive.indirect_blocks += next->alive.indirect_blocks;
        last->variance += next->variance;
        if (next->heaviest_bytes > last->heaviest_bytes) {
            last->heaviest = next->heaviest;
            last->heaviest_bytes = next->heaviest_bytes;
        }
    }
    all->n = n;
}

/* Returns "caller/.../main" of a stack, without its producer and, if any function is skipped,
 * without those of standard libraries; with "..." if it is cut. A C function that a Python function
 * has called is not the producer. */
static hpf_str path_of(const hpp__site_heap *heap, const hpp__stack *stack, hpf_arena *arena)
{
    hpp__text text = {0};
    const hpp__stack *at = stack ? stack->parent : NULL;
    at = at && at->function->is_python && !stack->function->is_python ? at->parent : at;
    for (; at && at->parent && text.length < MAX_PATH_BYTES; at = at->parent) {
        if (!heap->stacks->skips_none && at->function->owner >= HPF_FRAME_OF_STANDARD) {
            continue;
        }
        hpp__text_add(&text, text.length > 0 ? HPF_STR("/") : HPF_STR(""));
        hpp__text_add(&text, at->function->label);
    }
    if (at && at->parent) {
        hpp__text_add(&text, HPF_STR("/..."));
    }
    hpf_str path = hpf_arena_str(arena, hpp__text_str(&text));
    hpp__text_finish(&text);
    return path.data ? path : HPF_STR("");
}

/* Returns the variance of an estimate of the bytes of a group. */
static double variance_of(const hpp__site_heap *heap, size_t group, const hpp__alive *alive)
{
    double rate_bytes = group < heap->n_groups ? heap->groups[group].rate_bytes : 0;
    return hpf_margin_variance((double)alive->bytes, (double)alive->blocks, rate_bytes);
}

double hpp__site_heap_sum(const hpp__site_heap *heap, const hpp__alive *alive, size_t n_alive,
                          double *variance)
{
    double bytes = 0;
    *variance = 0;
    for (size_t i = 0; i < n_alive; i++) {
        bytes += (double)alive[i].bytes;
        *variance += variance_of(heap, i, &alive[i]);
    }
    return bytes;
}

size_t hpp__site_heap_top(const hpp__site_heap *heap, const hpp__alive *alive, size_t n_alive,
                          hpp_site_figures *out, size_t n_most, hpf_arena *arena)
{
    places all = {0};
    for (size_t i = 0; i < n_alive && i < heap->n_groups; i++) {
        if (alive[i].blocks > 0 && HPF__ARRAY_RESERVE(all.list, all.capacity, all.n + 1)) {
            hpf_str text = heap->groups[i].shape->description;
            text = text.length > 0 ? text : HPF_STR("UNKNOWN");
            all.list[all.n++] =
                (place){text, alive[i], i, alive[i].bytes, variance_of(heap, i, &alive[i])};
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
            .path = path_of(heap, group->stack, arena),
            .live_bytes = all.list[i].alive.bytes,
            .live_blocks = all.list[i].alive.blocks,
            .margin =
                hpf_margin((double)all.list[i].alive.bytes, all.list[i].variance, heap->rate_now),
            .indirect_bytes = all.list[i].alive.indirect_bytes,
            .indirect_blocks = all.list[i].alive.indirect_blocks,
        };
    }
    free(all.list);
    return n;
}
