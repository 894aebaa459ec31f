/* SPDX-License-Identifier: BSD-2-Clause */
#include "graph_heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/margin.h"
#include "native/collector/graph/leaks.h"

enum {
    RANK_GLOBAL, /* of Python */
    RANK_FRAME,
    RANK_VARIABLE,
    RANK_MAPPING,
    RANK_STACK, /* of the first frame; others follow in their order */
    RANK_LAST = RANK_STACK + HPP__STACK_ORDERS,
    RANK_NONE /* not reached */
};

enum { LARGE_SHARE = 20 };  /* this part of the heap is large */
enum { ON_REQUEST = 2 };    /* a group retains, whatever its blocks are */
enum { NO_PART = 1, PART }; /* of a container */

/* From here on, words of no frame of the program: the C library's, or what earlier calls have left.
 */
static const uint32_t unknown_rank = RANK_STACK + HPP__ORDER_LIBC;

uint64_t hpp__graph_heap_weight(const hpp__graph_heap *h, const hpp__graph_node *node)
{
    const hpp__group *group = &h->native->groups[node->group];
    if (!h->is_sample || group->is_closure) {
        return node->size_bytes;
    }
    double weight = hpf_margin_weight((double)node->size_bytes, group->rate_bytes) + 0.5;
    return node->site == HPP_SITE_NONE ? 0 : (uint64_t)weight;
}

uint64_t hpp__graph_heap_blocks(const hpp__graph_heap *h, const hpp__graph_node *node)
{
    uint64_t size = node->size_bytes > 0 ? node->size_bytes : 1;
    uint64_t bytes = hpp__graph_heap_weight(h, node);
    return bytes > size ? (bytes + size / 2) / size : node->site != HPP_SITE_NONE;
}

/* ---- For the engine ---- */

/* Returns the number of a node among the blocks whose lives are followed, or 0. */
static uint32_t watched(const hpp__graph_heap *h, size_t number)
{
    return h->watch && number < h->graph->n_blocks ? h->watch->of_node[number] : 0;
}

static hpp_ref ref_of(const hpp__graph_heap *h, size_t number)
{
    uint32_t followed = watched(h, number);
    return followed != 0 ? hpp__watched_ref(followed) : (uintptr_t)&h->graph->nodes[number];
}

static size_t number_of(const hpp__graph_heap *h, hpp_ref ref)
{
    return ref & 1 ? h->watch->blocks[hpp__watched_number(ref)].node
                   : (size_t)((const hpp__graph_node *)ref - h->graph->nodes);
}

/* Returns whether a block is a node, an array or a text of a container, which holds nothing by
 * itself. */
static bool is_part(const hpp__graph_heap *h, const hpp__graph *graph, size_t number)
{
    uint32_t site = graph->nodes[number].site;
    return number < hpp__graph_first_closure(graph) && site < h->part_of_site_capacity &&
           h->part_of_site[site] >= PART;
}

static void describe(hpp_object *out, hpp_ref ref, void *context)
{
    const hpp__graph_heap *h = context;
    size_t number = number_of(h, ref);
    hpp__graph_node *node = &h->graph->nodes[number];
    out->retainer_word = &node->mark;
    if (number >= h->graph->n_blocks) {
        out->size_bytes = node->size_bytes;
        const hpp__root_object *root = h->roots[node->site].object;
        out->shape = &root->shape;
        out->stack = root->stack;
        return;
    }
    const hpp__group *group = &h->native->groups[node->group];
    out->size_bytes = hpp__graph_heap_weight(h, node);
    out->shape = group->shape;
    out->stack = group->stack;
    out->calls = group->calls;
    unsigned char retains = h->retains[node->group];
    bool is_holder = retains == ON_REQUEST || (retains && !is_part(h, h->graph, number));
    out->flags = is_holder ? HPP_RETAINER : 0;
    uint32_t followed = watched(h, number);
    if (followed != 0) {
        out->size_bytes = h->watch->blocks[followed].bytes;
        out->life_word = &h->watch->blocks[followed].word;
    } else if (h->watch) {
        out->flags |= HPP_STATIC;
    }
}

static int visit_objects(hpp_visit_object *visit, void *visit_context, void *context)
{
    const hpp__graph_heap *h = context;
    size_t n = h->graph ? h->graph->n_blocks : 0;
    int stop = 0;
    for (size_t i = 0; i < n && !stop; i++) {
        hpp_object object = {0};
        describe(&object, ref_of(h, i), context);
        bool is_inherited =
            hpp__window_reader_is_inherited(h->native->reader, h->graph->nodes[i].site);
        object.inherited_bytes = is_inherited ? object.size_bytes : 0;
        stop = visit(ref_of(h, i), &object, visit_context);
    }
    return stop;
}

static unsigned rank_of(const hpp__graph_heap *h, size_t number)
{
    const hpp__graph *g = h->graph;
    return number < g->n_blocks ? h->ranks[number] : h->roots[g->nodes[number].site].rank;
}

static size_t list_children(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                            void *context)
{
    const hpp__graph_heap *h = context;
    size_t number = number_of(h, ref);
    size_t n_edges;
    const uint32_t *edges = hpp__graph_edges(h->graph, number, &n_edges);
    unsigned rank = rank_of(h, number);
    size_t n = 0;
    for (size_t i = from_index; i < n_edges && n < capacity; i++) {
        out[n++] = h->ranks[edges[i]] < rank ? 0 : ref_of(h, edges[i]);
    }
    return n;
}

static int visit_roots(hpp_visit_root *visit, void *visit_context, void *context)
{
    const hpp__graph_heap *h = context;
    const hpp__graph *g = h->graph;
    int stop = 0;
    for (size_t i = 0; g && i < g->n_roots && !stop; i++) {
        stop = visit(ref_of(h, g->n_blocks + i), visit_context);
    }
    return stop;
}

/* ---- Roots ---- */

static hpf_str clean(hpf_arena *arena, hpf_str text)
{
    char *copy = hpf_arena_alloc(arena, text.length + 1);
    return (hpf_str){copy, copy ? hpp__names_clean(copy, text) : 0};
}

static hpp__root_object *make_root(hpp__graph_heap *h, hpf_str name, const hpp__graph_root *from)
{
    static const struct {
        const char *name;
        uint16_t rank;
    } kinds[HPP__N_ROOT_KINDS] = {
        [HPP__ROOT_GLOBAL] = {"variable", RANK_GLOBAL},
        [HPP__ROOT_PYTHON_MODULE] = {"module", RANK_GLOBAL},
        [HPP__ROOT_CLASS] = {"class", RANK_GLOBAL},
        [HPP__ROOT_FRAME] = {"frame", RANK_FRAME},
        [HPP__ROOT_VARIABLE] = {"variable", RANK_VARIABLE},
        [HPP__ROOT_MODULE] = {"variable", RANK_VARIABLE},
        [HPP__ROOT_TLS] = {"TLS", RANK_VARIABLE},
        [HPP__ROOT_MAPPING] = {"mapping", RANK_MAPPING},
        [HPP__ROOT_STACK] = {"stack", RANK_STACK},
        [HPP__ROOT_REGISTERS] = {"registers", RANK_STACK},
        [HPP__ROOT_INTERPRETER] = {"interpreter", RANK_LAST},
        [HPP__ROOT_CAF] = {"variable", RANK_GLOBAL},
        [HPP__ROOT_STABLE] = {"stable pointers", RANK_VARIABLE},
        [HPP__ROOT_HASKELL_THREAD] = {"thread", RANK_FRAME},
        [HPP__ROOT_WEAK] = {"weak pointers", RANK_MAPPING},
        [HPP__ROOT_REST] = {"garbage", RANK_LAST},
    };
    const char *kind = kinds[from->kind].name;
    hpp__root_object *root = hpf_arena_alloc(h->arena, sizeof *root);
    hpf_str module = from->module.length > 0 ? clean(h->arena, from->module) : name;
    if (!root || !module.data) {
        return NULL;
    }
    root->shape = (hpp_shape){.description = name,
                              .type = name,
                              .module = module,
                              .kind = hpf_str_of(kind),
                              .flags = HPP_STATIC | HPP_RETAINER};
    hpp__verdict verdict = hpp__retainer_sites_judge(h->sites, name, module);
    bool is_of_runtime = from->kind >= HPP__ROOT_GLOBAL;
    root->rank = verdict == HPP__VERDICT_BY_NUMBER  ? kinds[from->kind].rank
                 : verdict == HPP__VERDICT_DOES_NOT ? RANK_STACK + HPP__ORDER_LAST
                 : is_of_runtime                    ? RANK_GLOBAL
                                                    : RANK_VARIABLE;
    root->is_frame = root->rank == RANK_STACK;
    root->stack = h->with_stacks ? hpp__named_stacks_special(h->native->stacks, name) : NULL;
    return root->stack || !h->with_stacks ? root : NULL;
}

/* Returns the object of the roots with a name; NULL without memory. */
static hpp__root_object *root_of(hpp__graph_heap *h, const hpp__graph_root *from, hpf_str text)
{
    hpf_arena *scratch = hpf_arena_create();
    hpf_str name = {NULL, 0};
    if (from->site != 0) {
        size_t group = hpp__site_heap_group(h->native, from->site); /* may move the groups */
        name = h->native->groups[group].shape->description;
    } else if (scratch) {
        name = clean(scratch, text);
    }
    uint32_t number = 0;
    bool is_new;
    bool is_good =
        name.data && hpf__intern_add(&h->names, name, &number, &is_new) == HPF_OK &&
        HPF__ARRAY_RESERVE_ZEROED(h->root_named, h->root_named_capacity, number + (size_t)1);
    if (is_good && !h->root_named[number]) {
        h->root_named[number] = make_root(h, h->names.names[number], from);
    }
    hpf_arena_destroy(scratch);
    return is_good ? h->root_named[number] : NULL;
}

static bool rank_root(hpp__graph_heap *h, const hpp__graph *graph, size_t number)
{
    const hpp__graph_root *from = &graph->roots[number];
    hpp__root_object *object = root_of(h, from, from->name);
    if (object) {
        h->roots[number] = (hpp__ranked_root){
            object, (uint16_t)(object->rank + (object->is_frame ? from->order : 0))};
    }
    return object != NULL;
}

static bool find_roots(hpp__graph_heap *h, const hpp__graph *graph)
{
    if (!HPF__ARRAY_RESERVE(h->roots, h->roots_capacity, graph->n_roots)) {
        return false;
    }
    for (size_t i = 0; i < graph->n_roots; i++) {
        if (!rank_root(h, graph, i)) {
            return false;
        }
    }
    return true;
}

/* Returns the place of a site, made if it has none yet; 0 without memory. */
static uint32_t number_of_place(hpp__graph_heap *h, uint32_t site)
{
    size_t group = hpp__site_heap_group(h->native, site); /* may move the groups */
    hpf_str description = h->native->groups[group].shape->description;
    uint64_t *number = hpp__map_add(&h->place_numbers, (uintptr_t)description.data | 1);
    if (number && *number == 0 &&
        HPF__ARRAY_PUSH(h->of_main, h->n_of_main, h->of_main_capacity, (hpp__place_of_main){0})) {
        *number = h->n_of_main;
    }
    return number ? (uint32_t)*number : 0;
}

/* Returns the place of a block; NULL if it has none. */
static hpp__place_of_main *place_of(hpp__graph_heap *h, const hpp__graph *graph, uint32_t block)
{
    uint32_t site = graph->nodes[block].site;
    if (block >= hpp__graph_first_closure(graph) || site >= h->place_of_site_capacity) {
        return NULL;
    }
    uint32_t *number = &h->place_of_site[site];
    *number = *number == 0 ? number_of_place(h, site) : *number;
    return *number != 0 ? &h->of_main[*number - 1] : NULL;
}

/* Gives a rank to the blocks that a root reaches and none of a lower rank. Returns their bytes.
 * `left` has room for all blocks. */
static uint64_t rank_from(hpp__graph_heap *h, const hpp__graph *graph, uint32_t root,
                          uint32_t *left)
{
    const hpp__graph_root *of = &graph->roots[root];
    bool is_on_stack = of->kind == HPP__ROOT_STACK || of->kind == HPP__ROOT_REGISTERS;
    bool is_of_main = graph->knows_main && is_on_stack && hpp__order_is_of_main(of->order);
    uint64_t n_bytes = 0;
    size_t n_left = 0, n;
    size_t from = graph->n_blocks + root;
    for (;;) {
        const uint32_t *edges = hpp__graph_edges(graph, from, &n);
        for (size_t i = 0; i < n; i++) {
            if (h->ranks[edges[i]] > h->roots[root].rank) {
                h->ranks[edges[i]] = h->roots[root].rank;
                n_bytes += graph->nodes[edges[i]].size_bytes;
                left[n_left++] = edges[i];
                hpp__place_of_main *place = is_of_main ? place_of(h, graph, edges[i]) : NULL;
                if (place) {
                    place->now.holder = h->roots[root].object;
                    place->now.n_held++;
                }
            }
        }
        if (n_left == 0) {
            return n_bytes;
        }
        from = left[--n_left];
    }
}

/* Adds a root, with edges to blocks. `room` is as for rank_from. Returns false without memory. */
static bool add_root(hpp__graph_heap *h, hpp__graph *graph, const hpp__graph_root *from,
                     const uint32_t *blocks, size_t n_blocks, uint32_t *room)
{
    uint32_t root = (uint32_t)graph->n_roots;
    bool is_good = hpp__graph_add_root(graph, *from, blocks, n_blocks) &&
                   HPF__ARRAY_RESERVE(h->roots, h->roots_capacity, graph->n_roots) &&
                   rank_root(h, graph, root);
    if (is_good) {
        h->roots[root].object->held_bytes += rank_from(h, graph, root, room);
    }
    return is_good;
}

/* Returns whether a block was made in a call that returns to an address. */
static bool was_made_in(const hpp__graph_heap *h, const hpp__graph_node *block, uint64_t address)
{
    const hpp__window_reader *reader = h->native->reader;
    hpp_window_site site;
    hpp_window_node node;
    uint32_t at = hpp__window_reader_site(reader, block->site, &site) ? site.node : 0;
    while (at != 0 && hpp__window_reader_node(reader, at, &node)) {
        if (node.address == address) {
            return true;
        }
        at = node.parent;
    }
    return false;
}

/* Returns the only block that nothing refers to, directly or in a circle; SIZE_MAX if there are
 * several. */
static size_t find_only_lost(const unsigned char *losses, size_t n)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (losses[i] == HPP__LOSS_DIRECT) {
            if (found != SIZE_MAX) {
                return SIZE_MAX;
            }
            found = i;
        }
    }
    return found;
}

/* Returns the only block that nothing refers to, if a large part of the heap is lost; else the only
 * one that nothing known refers to, if it holds as much; else SIZE_MAX. `losses` has room for all
 * blocks. */
static size_t find_hidden(const hpp__graph_heap *h, const hpp__graph *graph, unsigned char *losses,
                          bool *is_good)
{
    const uint64_t large_bytes = hpp__graph_bytes(graph) / LARGE_SHARE;
    uint64_t lost_bytes = 0, unknown_bytes = 0;
    for (size_t i = 0; i < graph->n_blocks; i++) {
        lost_bytes += h->ranks[i] == RANK_NONE ? graph->nodes[i].size_bytes : 0;
        unknown_bytes += h->ranks[i] >= unknown_rank ? graph->nodes[i].size_bytes : 0;
    }
    if (unknown_bytes < large_bytes) {
        return SIZE_MAX;
    }
    uint32_t rank = lost_bytes > 0 && lost_bytes >= large_bytes ? RANK_NONE : unknown_rank;
    for (size_t i = 0; i < graph->n_blocks; i++) {
        losses[i] = h->ranks[i] >= rank ? HPP__LOSS_SOMEHOW : HPP__LOSS_NONE;
    }
    *is_good = hpp__leaks_find(graph, losses);
    return *is_good ? find_only_lost(losses, hpp__graph_first_closure(graph)) : SIZE_MAX;
}

/* Adds the register that seems to have the only block that nothing refers to, or nothing known: of
 * the innermost frame in which it was made. If there are more, some are lost, and so it may be if
 * it does not hold much. `room` is as for rank_from. Returns false without memory. */
static bool add_hidden(hpp__graph_heap *h, hpp__graph *graph, uint32_t *room)
{
    if (graph->n_hidden == 0) {
        return true;
    }
    unsigned char *losses = malloc(graph->n_blocks + 1);
    bool is_good = losses != NULL;
    size_t lost = is_good ? find_hidden(h, graph, losses, &is_good) : SIZE_MAX;
    free(losses);
    size_t i = 0;
    while (lost != SIZE_MAX && i < graph->n_hidden &&
           !was_made_in(h, &graph->nodes[lost], graph->hidden[i].return_address)) {
        i++;
    }
    if (lost == SIZE_MAX || i == graph->n_hidden) {
        return is_good;
    }
    const uint32_t block = (uint32_t)lost;
    return add_root(h, graph, &graph->hidden[i].root, &block, 1, room);
}

/* ---- What main holds ---- */

/* Notes what main holds, once the blocks have their ranks. Of a place with blocks that only unknown
 * words reach, it stays as it was. */
static void note_main(hpp__graph_heap *h, const hpp__graph *graph)
{
    for (uint32_t i = 0; i < graph->n_blocks; i++) {
        hpp__place_of_main *place = h->ranks[i] >= unknown_rank ? place_of(h, graph, i) : NULL;
        if (place) {
            place->now.n_lost += h->ranks[i] == RANK_NONE;
            place->now.n_unknown += h->ranks[i] != RANK_NONE;
        }
    }
    for (size_t i = 0; i < h->n_of_main; i++) {
        hpp__place_of_main *place = &h->of_main[i];
        place->known = place->now.n_unknown == 0 || place->now.holder ? place->now : place->known;
        place->now = (hpp__held_by_main){0};
    }
}

/* A block, to be sorted by what held those of its place. */
typedef struct held_block {
    const hpp__root_object *holder;
    uint32_t block;
} held_block;

static int by_holder(const void *a, const void *b)
{
    const held_block *left = a, *right = b;
    return left->holder != right->holder
               ? hpf_str_compare(left->holder->shape.description, right->holder->shape.description)
               : (left->block > right->block) - (left->block < right->block);
}

/* Returns what held the blocks of a block's place when that was known, if only unknown words reach
 * the block now; or nothing, if it is not known. NULL: it does not apply. */
static const hpp__root_object *holder_in_main(hpp__graph_heap *h, const hpp__graph *graph,
                                              uint32_t block)
{
    bool is_due =
        h->ranks[block] == RANK_NONE ? !graph->knows_main : h->ranks[block] >= unknown_rank;
    const hpp__place_of_main *place = is_due ? place_of(h, graph, block) : NULL;
    bool is_clean =
        place && place->known.n_lost < (place->known.n_held + LARGE_SHARE - 1) / LARGE_SHARE;
    return is_clean ? place->known.holder : NULL;
}

/* Adds the variables of main as roots of such blocks. `room` is as for rank_from. Returns false
 * without memory. */
static bool add_main(hpp__graph_heap *h, hpp__graph *graph, uint32_t *room)
{
    size_t n_all = 0, n = 0;
    for (uint32_t i = 0; i < graph->n_blocks; i++) {
        n_all += holder_in_main(h, graph, i) != NULL;
    }
    held_block *held = malloc((n_all + 1) * sizeof *held);
    bool is_good = held != NULL;
    for (uint32_t i = 0; is_good && n < n_all; i++) {
        const hpp__root_object *holder = holder_in_main(h, graph, i);
        if (holder) {
            held[n++] = (held_block){holder, i};
        }
    }
    if (n > 0) {
        qsort(held, n, sizeof *held, by_holder);
    }
    for (size_t i = 0, end = 0; is_good && i < n; i = end) {
        while (end < n && held[end].holder == held[i].holder) {
            room[end - i] = held[end].block;
            end++;
        }
        const hpp__graph_root root = {.kind = HPP__ROOT_STACK,
                                      .name = held[i].holder->shape.description,
                                      .module = HPF_STR("")};
        is_good = add_root(h, graph, &root, room, end - i, room);
    }
    free(held);
    return is_good;
}

/* ---- Ranks ---- */

/* A root, to be sorted. */
typedef struct root_at {
    uint32_t rank, root;
} root_at;

static int by_rank(const void *a, const void *b)
{
    const root_at *left = a, *right = b;
    return left->rank != right->rank   ? (left->rank > right->rank) - (left->rank < right->rank)
           : left->root != right->root ? (left->root > right->root) - (left->root < right->root)
                                       : 0;
}

/* Gives ranks to all blocks, and finds what roots hold. Returns false without memory. */
static bool find_ranks(hpp__graph_heap *h, hpp__graph *graph)
{
    uint32_t *left = malloc((graph->n_blocks + 1) * sizeof *left);
    root_at *order = malloc((graph->n_roots + 1) * sizeof *order);
    bool is_good = left && order &&
                   HPF__ARRAY_RESERVE_ZEROED(h->place_of_site, h->place_of_site_capacity,
                                             h->native->reader->n_sites + (size_t)1) &&
                   HPF__ARRAY_RESERVE(h->ranks, h->ranks_capacity, graph->n_blocks + 1);
    for (size_t i = 0; is_good && i < graph->n_blocks; i++) {
        h->ranks[i] = RANK_NONE;
    }
    for (uint32_t i = 0; is_good && i < graph->n_roots; i++) {
        order[i] = (root_at){h->roots[i].rank, i};
    }
    for (size_t i = 0; i < h->root_named_capacity; i++) {
        if (h->root_named[i]) {
            h->root_named[i]->held_bytes = 0;
        }
    }
    if (is_good && graph->n_roots > 0) {
        qsort(order, graph->n_roots, sizeof *order, by_rank);
    }
    for (size_t i = 0, n = graph->n_roots; is_good && i < n; i++) {
        uint32_t root = order[i].root;
        h->roots[root].object->held_bytes += rank_from(h, graph, root, left);
    }
    if (is_good && !graph->python.of_block) {
        is_good = add_hidden(h, graph, left);
        if (is_good && graph->knows_main) {
            note_main(h, graph);
        }
        is_good = is_good && add_main(h, graph, left);
    }
    free(left);
    free(order);
    return is_good;
}

/* Replaces frames that are not established by the stack of their thread. Returns false without
 * memory. */
static bool replace_frames(hpp__graph_heap *h, const hpp__graph *graph)
{
    uint64_t heap_bytes = hpp__graph_bytes(graph);
    h->n_censuses++;
    for (size_t i = 0; i < graph->n_roots; i++) {
        const hpp__graph_root *from = &graph->roots[i];
        hpp__root_object *object = h->roots[i].object;
        if (!object->is_frame || from->module.length == 0) {
            continue;
        }
        bool was_there = object->last_census + 1 == h->n_censuses && h->n_censuses > 1;
        object->is_established |=
            object->held_bytes > 0 && (was_there || object->held_bytes >= heap_bytes / LARGE_SHARE);
        hpp__root_object *stack = object->is_established ? object : root_of(h, from, from->module);
        if (!stack) {
            return false;
        }
        h->roots[i].object = stack;
        object->last_census = object->held_bytes > 0 ? h->n_censuses : object->last_census;
    }
    return true;
}

/* ---- Retainers ---- */

static hpp__verdict judge(hpp__graph_heap *h, size_t group_index)
{
    if (h->verdicts[group_index] == 0) {
        const hpp__group *group = &h->native->groups[group_index];
        hpf_str function = group->stack ? group->stack->function->label : HPF_STR("");
        h->verdicts[group_index] =
            (unsigned char)(1 + hpp__retainer_sites_judge(h->sites, group->shape->description,
                                                          function));
    }
    return (hpp__verdict)(h->verdicts[group_index] - 1);
}

/* In the counts of sites: the site had few blocks at the last census. */
static const uint64_t had_few = UINT64_C(1) << 63;

/* Returns where the live blocks of a group's site are counted; NULL without memory. Sites with the
 * same place have the same text. */
static uint64_t *count_of(hpp__graph_heap *h, size_t group_index)
{
    hpf_str description = h->native->groups[group_index].shape->description;
    return hpp__map_add(&h->n_of_site, (uintptr_t)description.data | 1);
}

static size_t group_of(hpp__graph_heap *h, uint32_t site, const hpp__types *types, size_t block)
{
    size_t group = hpp__site_heap_group(h->native, site);
    return types ? hpp__site_heap_typed_group(h->native, group, hpp__types_of(types, block))
                 : group;
}

/* Returns whether a site has few blocks. A second call for the same census has the same result. */
static bool has_few(uint64_t *count)
{
    uint64_t n = *count & ~had_few;
    uint64_t most = *count & had_few ? HPP__RETAINER_STILL_MAX_BLOCKS : HPP__RETAINER_MAX_BLOCKS;
    *count = n > 0 && n <= most ? n | had_few : n;
    return n <= most;
}

/* Returns NO_PART, or PART plus how words refer to the blocks of a site; NO_PART without memory. */
static unsigned part_of(hpp__graph_heap *h, uint32_t number)
{
    hpp_window_site site;
    if (!HPF__ARRAY_RESERVE_ZEROED(h->part_of_site, h->part_of_site_capacity, number + (size_t)1)) {
        return NO_PART;
    }
    if (h->part_of_site[number] == 0) {
        hpp__room_layout layout;
        bool is_part = hpp__window_reader_site(h->native->reader, number, &site) &&
                       site.node != 0 &&
                       hpp__named_stacks_is_part(h->native->stacks, site.node, &layout);
        h->part_of_site[number] = is_part ? (unsigned char)(PART + layout) : NO_PART;
    }
    return h->part_of_site[number];
}

hpp__room_layout hpp__graph_heap_layout(hpp__graph_heap *h, uint32_t site)
{
    unsigned part = part_of(h, site);
    return part == NO_PART ? HPP__ROOM_NONE : (hpp__room_layout)(part - PART);
}

static bool find_retainers(hpp__graph_heap *h, hpp__graph *graph, const hpp__types *types)
{
    /* Objects of Python are held by variables and functions with names; closures, too. */
    bool by_number = !graph->python.of_block;
    for (size_t i = 0; i < h->n_of_site.n_slots; i++) {
        h->n_of_site.slots[i].value &= had_few;
    }
    for (size_t i = 0; i < graph->n_blocks; i++) {
        hpp__graph_node *node = &graph->nodes[i];
        if (i < hpp__graph_first_closure(graph)) {
            node->group = (uint32_t)group_of(h, node->site, types, i);
        }
        uint64_t *n_blocks = count_of(h, node->group);
        if (!n_blocks) {
            return false;
        }
        bool is_of_site = by_number && i < hpp__graph_first_closure(graph);
        if (!is_of_site || part_of(h, node->site) == NO_PART) {
            *n_blocks += node->site == HPP_SITE_NONE ? 1 : hpp__graph_heap_blocks(h, node);
        }
    }
    size_t n_groups = h->native->n_groups;
    if (!HPF__ARRAY_RESERVE_ZEROED(h->verdicts, h->verdicts_capacity, n_groups) ||
        !HPF__ARRAY_RESERVE(h->retains, h->retains_capacity, n_groups)) {
        return false;
    }
    for (size_t i = 0; i < n_groups; i++) {
        uint64_t *n_blocks = count_of(h, i);
        hpp__verdict verdict = judge(h, i);
        if (!n_blocks) {
            return false;
        }
        bool may_retain = by_number && !h->native->groups[i].is_closure;
        h->retains[i] = verdict == HPP__VERDICT_BY_NUMBER ? may_retain && has_few(n_blocks)
                        : verdict == HPP__VERDICT_RETAINS ? ON_REQUEST
                                                          : 0;
    }
    return true;
}

bool hpp__graph_heap_set(hpp__graph_heap *h, hpp__graph *graph, const hpp__types *types)
{
    bool is_good = !graph || (find_roots(h, graph) && find_ranks(h, graph) &&
                              replace_frames(h, graph) && find_retainers(h, graph, types));
    h->graph = is_good ? graph : NULL;
    h->watch = NULL;
    return is_good;
}

bool hpp__graph_heap_reaches(const hpp__graph_heap *h, size_t block)
{
    return h->ranks[block] != RANK_NONE;
}

/* ---- Life ---- */

hpf_status hpp__graph_heap_init(hpp__graph_heap *h, hpp__site_heap *native,
                                const hpp__retainer_sites *sites, bool with_stacks, hpf_error *err)
{
    *h = (hpp__graph_heap){.native = native, .sites = sites, .with_stacks = with_stacks};
    h->heap = (hpp_heap){.size = sizeof h->heap,
                         .objects = visit_objects,
                         .describe = describe,
                         .children = list_children,
                         .roots = visit_roots,
                         .stacks = &hpp__named_stacks_view,
                         .context = h,
                         .deaths_have_only_sizes = true};
    h->arena = hpf_arena_create();
    return h->arena ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__graph_heap_finish(hpp__graph_heap *h)
{
    hpf_arena_destroy(h->arena);
    hpf__intern_finish(&h->names);
    free(h->root_named);
    free(h->roots);
    free(h->verdicts);
    free(h->retains);
    free(h->ranks);
    free(h->of_main);
    free(h->place_of_site);
    free(h->part_of_site);
    hpp__map_finish(&h->place_numbers);
    hpp__map_finish(&h->n_of_site);
    *h = (hpp__graph_heap){0};
}
