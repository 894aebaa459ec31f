/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One pass over the blocks in address order, then closures, then one over the roots. Neighbouring
 * blocks are read together. Equal edges in a row are one.
 */
#include "graph.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "native/collector/roots/block_index.h"
#include "native/collector/roots/piece_reader.h"
#include "native/python/heap/roots.h"
#include "native/collector/roots/roots.h"
#include "native/python/heap/references.h"

enum {
    WORD_BYTES = 8,
    WORDS_AHEAD = 48,
    LARGE_NUMBER = 1 << 22,
    MOST_ROUNDING = 15, /* of a size by glibc's malloc */
};

/* A reference of a node, before its edge `place`, by a word that is probably a rest of something
 * else. */
typedef struct doubtful_edge {
    uint64_t place;
    uint32_t from, to, field;
} doubtful_edge;

typedef struct builder {
    hpp__graph *graph;
    hpp__block_index index;
    hpp__piece_reader reader;
    hpp__roots roots;
    hpp__python_roots python_roots;
    hpp__python_fields python_fields;
    bool has_python;
    const hpp__graph_names *names;
    doubtful_edge *doubtful; /* sorted by place */
    size_t n_doubtful, doubtful_capacity;
    hpp__map used_bytes;    /* by number of an array: what its elements take; 1 more */
    hpp__map certain_edges; /* by the same number, if its further edges are doubtful: 1 more */
    hpp__text name;
} builder;

static bool add_node(hpp__graph *g, hpp__graph_node node)
{
    size_t n = g->n_blocks + g->n_roots;
    node.first_edge = g->n_edges;
    return HPF__ARRAY_PUSH(g->nodes, n, g->nodes_capacity, node);
}

/* Adds an edge of the last node. Returns false without memory. */
static bool add_edge(hpp__graph *g, uint32_t to, uint32_t field)
{
    size_t n = g->n_edges;
    return (!g->with_fields || HPF__ARRAY_PUSH(g->fields, n, g->fields_capacity, field)) &&
           HPF__ARRAY_PUSH(g->edges, g->n_edges, g->edges_capacity, to);
}

/* Returns the number of the block that a word refers to, or HPP__NO_BLOCK. Blocks with one of the
 * marks `refused` are not referred to. */
static uint32_t find_block(const builder *b, uint64_t word, uint32_t refused)
{
    uint32_t to = hpp__block_index_find(&b->index, word);
    bool is_edge = to != HPP__NO_BLOCK &&
                   (!b->has_python || (hpp__python_refers(&b->graph->python, word, to) &&
                                       !(b->graph->python.of_block[to] & refused)));
    return is_edge ? to : HPP__NO_BLOCK;
}

/* ---- Blocks ---- */

/* Returns whether a word of an object of Python may be a small number of 32 bits: the other half
 * may be what was left of an address, and so the word an address inside a block that spans a
 * multiple of 4 GiB. Blocks that begin after it are too small to be hit often. */
static bool may_be_number(const builder *b, uint64_t word, uint32_t to)
{
    return (uint32_t)word < LARGE_NUMBER && word >> 32 != b->index.blocks[to].address >> 32 &&
           !hpp__python_type_of(&b->graph->python, to);
}

static bool add_older_edge(void *context, uint32_t to)
{
    hpp__graph *g = context;
    return g->python.of_block[to] & HPP__PYTHON_IS_HELD || add_edge(g, to, HPP__FIELD_UNKNOWN);
}

/* Returns the field that a word of a block is. */
static uint32_t field_at(builder *b, uint32_t block, uint64_t word)
{
    if (!b->graph->with_fields) {
        return HPP__FIELD_UNKNOWN;
    }
    bool is_of_python = b->has_python && b->graph->python.of_block[block] != 0;
    return is_of_python                 ? hpp__python_field(&b->python_fields, block, word)
           : word < HPP__FIELD_IS_NAMED ? (uint32_t)word
                                        : HPP__FIELD_UNKNOWN;
}

/* If a word is what was there before a std::string of libstdc++, returns the block of its text:
 * { text, length, capacity, rest }. Short texts are in the last two words instead. Structures of
 * programs can look the same, but operator new makes the texts of no others. */
static const hpp__image_block *text_before(const builder *b, const uint64_t *words, size_t i)
{
    static const uint64_t most = UINT64_C(1) << 40;
    uint64_t capacity = i >= 3 ? words[i - 1] : most;
    if (capacity >= most || words[i - 2] > capacity) {
        return NULL;
    }
    uint32_t text = hpp__block_index_find(&b->index, words[i - 3]);
    const hpp__image_block *block = text != HPP__NO_BLOCK ? &b->index.blocks[text] : NULL;
    bool is_text = block && block->address == words[i - 3] &&
                   block->size_bytes - (capacity + 1) <= MOST_ROUNDING;
    return is_text ? block : NULL;
}

/* If a word refers to the array of a container, notes how much of it is in use: all, if the words
 * around it are not there. Copies of the container can be left over; the largest is that in use, as
 * arrays grow. Returns false without memory. */
static bool note_use(builder *b, const uint64_t *words, size_t i, size_t n_words, uint32_t to)
{
    const hpp__image_block *block = &b->index.blocks[to];
    hpp__room_layout layout = b->has_python || !b->names->layout_of || words[i] != block->address
                                  ? HPP__ROOM_NONE
                                  : b->names->layout_of(b->names->context, block->site);
    if ((layout != HPP__ROOM_ARRAY && layout != HPP__ROOM_RUST) || b->certain_edges.n_keys > 0) {
        return true;
    }
    hpp__room room = {.used_bytes = block->size_bytes};
    if (i + 2 < n_words) {
        const uint64_t around[HPP__ROOM_WORDS] = {i > 0 ? words[i - 1] : 0, words[i], words[i + 1],
                                                  words[i + 2]};
        if (hpp__room_find(&room, layout, block, around, MOST_ROUNDING) == HPP__ROOM_NONE) {
            return true;
        }
    }
    uint64_t *used = hpp__map_add(&b->used_bytes, to + UINT64_C(1));
    if (used && *used <= room.used_bytes) {
        *used = room.used_bytes + 1;
    }
    return used != NULL;
}

/* Adds the edges of words, which are in the reader's piece; `first` is the number of the first one
 * in its block. Returns false without memory. The places of words further on are prefetched. A word
 * is skipped if its bit is set, and a pointer into the block itself, unless to its begin: such a
 * pointer is how short strings and empty lists are laid out, and holds nothing. */
static bool scan(builder *b, uint32_t from, uint64_t first, const void *memory, size_t n_bytes,
                 uint64_t skipped, hpp__python_hashes hashes)
{
    hpp__graph *g = b->graph;
    const uint64_t *words = memory;
    size_t n_left = hpp__piece_reader_left(&b->reader, memory) / WORD_BYTES;
    size_t n_ahead = n_left > WORDS_AHEAD ? n_left - WORDS_AHEAD : 0;
    bool is_object = b->has_python && hpp__python_type_of(&g->python, from);
    uint32_t refused = HPP__PYTHON_IS_HELD | (is_object ? 0 : HPP__PYTHON_IS_PART);
    uint32_t last = HPP__NO_BLOCK;
    for (size_t i = 0; i < n_bytes / WORD_BYTES; i++) {
        if (i < n_ahead) {
            hpp__block_index_approach(&b->index, words[i + WORDS_AHEAD]);
        }
        uint32_t to = find_block(b, words[i], refused);
        bool is_skipped = i < 64 && skipped >> i & 1;
        if (HPP_UNLIKELY(g->python.has_older) && to == HPP__NO_BLOCK && !is_skipped &&
            !hpp__python_older_follow_word(&b->python_roots.older, words[i], add_older_edge, g)) {
            return false;
        }
        if (HPP_LIKELY(to == HPP__NO_BLOCK)) {
            continue;
        }
        if (!note_use(b, words, i, n_bytes / WORD_BYTES, to)) {
            return false;
        }
        if (to == last || (to == from && words[i] != b->index.blocks[from].address) || is_skipped ||
            hpp__python_is_hash(hashes, first + i) ||
            (is_object && may_be_number(b, words[i], to))) {
            continue;
        }
        const hpp__image_block *text = text_before(b, words, i);
        if (text && b->names->calls_new && b->names->calls_new(b->names->context, text->site)) {
            continue;
        }
        uint32_t field = field_at(b, from, first + i);
        if (text) {
            const doubtful_edge edge = {g->n_edges, from, to, field};
            if (!HPF__ARRAY_PUSH(b->doubtful, b->n_doubtful, b->doubtful_capacity, edge)) {
                return false;
            }
            continue;
        }
        if (!add_edge(g, to, field)) {
            return false;
        }
        last = to;
    }
    return true;
}

/* Adds the edges of a block, of its words before `end`. */
static bool scan_block(builder *b, uint32_t number, uint64_t end)
{
    uint64_t begin = b->index.blocks[number].address;
    hpp__python_hashes hashes = {0, 0};
    for (uint64_t at = begin; at + WORD_BYTES <= end;) {
        size_t n_bytes;
        bool is_head = b->has_python && at == begin;
        const void *memory = is_head ? hpp__piece_reader_head(&b->reader, number, &n_bytes)
                                     : hpp__piece_reader_block(&b->reader, number, at, &n_bytes);
        uint64_t skipped = 0;
        if (memory && is_head) {
            end = at + hpp__python_extent(&b->graph->python, number, memory, n_bytes / WORD_BYTES,
                                          &skipped);
            hashes =
                hpp__python_find_hashes(&b->graph->python, number, memory, n_bytes / WORD_BYTES);
        }
        size_t n_scanned = end - at < n_bytes ? (size_t)(end - at) : n_bytes;
        uint64_t first = (at - begin) / WORD_BYTES;
        if (memory && !scan(b, number, first, memory, n_scanned, skipped, hashes)) {
            return false;
        }
        at += n_bytes;
    }
    return true;
}

static bool add_block(builder *b, uint32_t number)
{
    const hpp__image_block *block = &b->index.blocks[number];
    bool is_text = !b->has_python && b->names->layout_of &&
                   b->names->layout_of(b->names->context, block->site) == HPP__ROOM_TEXT;
    bool is_added =
        add_node(b->graph, (hpp__graph_node){.size_bytes = block->size_bytes, .site = block->site});
    b->graph->n_blocks += is_added;
    return is_added && (is_text || scan_block(b, number, block->address + block->size_bytes));
}

/* ---- Roots ---- */

/* Makes a root with the name that was found. Returns one without texts if there is no memory. */
static hpp__graph_root make_root(builder *b, hpp__root_kind kind, hpf_str module, uint32_t order)
{
    hpf_arena *arena = b->graph->arena;
    hpf_str name = hpf_arena_str(arena, hpp__text_str(&b->name));
    module = hpf_arena_str(arena, module);
    return name.data && module.data ? (hpp__graph_root){kind, name, module, 0, order}
                                    : (hpp__graph_root){.name = {NULL, 0}};
}

/* Adds a root, whose edges follow. */
static bool add_root(builder *b, hpp__root_kind kind, hpf_str module, uint32_t order)
{
    hpp__graph *g = b->graph;
    hpp__graph_root root = make_root(b, kind, module, order);
    return root.name.data && add_node(g, (hpp__graph_node){.site = (uint32_t)g->n_roots}) &&
           HPF__ARRAY_PUSH(g->roots, g->n_roots, g->roots_capacity, root);
}

/* Adds the edges of words of an area, and a root for each of its parts that has any. `part` is the
 * one of the last edge. */
static bool scan_area(builder *b, const hpp__root_area *area, uint64_t address, const void *memory,
                      size_t n_bytes, hpp__root_part *part)
{
    hpp__graph *g = b->graph;
    const uint64_t *words = memory;
    for (size_t i = 0; i < n_bytes / WORD_BYTES; i++, address += WORD_BYTES) {
        uint32_t to = find_block(b, words[i], HPP__PYTHON_IS_HELD | HPP__PYTHON_IS_PART);
        if (HPP_LIKELY(to == HPP__NO_BLOCK) ||
            hpp__roots_is_chunk_header(&b->roots, area, words[i], &b->index.blocks[to])) {
            continue;
        }
        if (address < part->begin || address >= part->end) {
            b->name.length = 0;
            *part = hpp__roots_part(&b->roots, area, address, &b->name);
            if (!part->is_skipped && !add_root(b, part->kind, part->module, part->order)) {
                return false;
            }
        }
        if (part->is_skipped) {
            continue;
        }
        if (!add_edge(g, to, HPP__FIELD_UNKNOWN) ||
            !note_use(b, words, i, n_bytes / WORD_BYTES, to)) {
            return false;
        }
    }
    return true;
}

static bool add_area(builder *b, const hpp__root_area *area)
{
    hpp__root_part part = {0};
    for (uint64_t at = area->begin; at + WORD_BYTES <= area->end;) {
        size_t n_bytes;
        const void *memory = hpp__piece_reader_at(&b->reader, at, area->end, area->end, &n_bytes);
        if (memory && !scan_area(b, area, at, memory, n_bytes, &part)) {
            return false;
        }
        at += n_bytes;
    }
    return true;
}

/* Returns the number of a register whose value is a frame's; -1 if there is none. */
static int find_register(const hpp__thread_frames *frames, const hpp__stack_frame *frame)
{
    int k = HPP__N_REGISTERS - 1;
    while (k >= 0 && hpp__thread_frames_saver(frames, k) != frame) {
        k--;
    }
    return k;
}

/* Lists the frames of a thread that have values in registers, which a system call does not show. */
static bool list_hidden(builder *b, const hpp__root_area *registers)
{
    hpp__graph *g = b->graph;
    const hpp__thread_frames *frames = &b->roots.stacks->threads[registers->index];
    for (size_t i = 0; i < frames->n_frames; i++) {
        const hpp__stack_frame *frame = &frames->frames[i];
        int k = frame->code.is_libc ? -1 : find_register(frames, frame);
        if (k < 0) {
            continue;
        }
        b->name.length = 0;
        hpp__root_part part =
            hpp__roots_part(&b->roots, registers, (uint64_t)k * WORD_BYTES, &b->name);
        hpp__hidden_frame hidden = {make_root(b, part.kind, part.module, part.order),
                                    frame->return_address};
        if (!hidden.root.name.data ||
            !HPF__ARRAY_PUSH(g->hidden, g->n_hidden, g->hidden_capacity, hidden)) {
            return false;
        }
    }
    return true;
}

static bool add_registers(builder *b, const hpp__image *image)
{
    for (uint32_t i = 0; i < image->n_threads; i++) {
        const hpp__image_thread *thread = &image->threads[i];
        hpp__root_area area = {0, sizeof thread->registers, HPP__ROOT_REGISTERS, i};
        hpp__root_part part = {0};
        if ((!thread->is_moving &&
             !scan_area(b, &area, 0, thread->registers, sizeof thread->registers, &part)) ||
            (thread->is_in_call && !list_hidden(b, &area))) {
            return false;
        }
    }
    return true;
}

/* Adds a root for each mapping of the program that is a block. */
static bool add_mapping_roots(builder *b, const hpp__image *image)
{
    hpp__graph *g = b->graph;
    for (uint32_t i = 0; i < image->n_blocks; i++) {
        const hpp__image_block *block = &image->blocks[i];
        b->name.length = 0;
        if (!block->is_mapping) {
            continue;
        }
        if (!add_root(b, HPP__ROOT_MAPPING, HPF_STR(""), 0) ||
            !add_edge(g, i, HPP__FIELD_UNKNOWN)) {
            return false;
        }
        g->roots[g->n_roots - 1].site = block->site;
    }
    return true;
}

static bool add_python_roots(builder *b)
{
    hpp__graph *g = b->graph;
    const hpp__python_roots *python = &b->python_roots;
    for (size_t i = 0; i < python->n_roots; i++) {
        const hpp__python_root *root = &python->roots[i];
        b->name.length = 0;
        hpp__text_add(&b->name, root->name);
        if (!add_root(b, root->kind, HPF_STR(""), 0)) {
            return false;
        }
        for (size_t k = 0; k < root->n_blocks; k++) {
            uint32_t to = python->blocks[root->first_block + k];
            bool is_edge = root->is_holder || !(g->python.of_block[to] & HPP__PYTHON_IS_HELD);
            if (is_edge && !add_edge(g, to, HPP__FIELD_UNKNOWN)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Closures ---- */

static bool add_closure(void *context, uint64_t n_bytes, uint32_t kind)
{
    builder *b = context;
    bool is_added = b->graph->n_blocks < HPP__NO_BLOCK - 1 &&
                    add_node(b->graph, (hpp__graph_node){.size_bytes = n_bytes, .site = kind});
    b->graph->n_blocks += is_added;
    b->graph->n_closures += is_added;
    return is_added;
}

static bool add_reference(void *context, uint32_t to)
{
    builder *b = context;
    hpp__graph *g = b->graph;
    return add_edge(g, (uint32_t)hpp__graph_first_closure(g) + to, HPP__FIELD_UNKNOWN);
}

static bool add_haskell_root(void *context, hpp__haskell_root root, hpf_str name)
{
    builder *b = context;
    b->name.length = 0;
    hpp__text_add(&b->name, name);
    return add_root(b, HPP__ROOT_CAF + (hpp__root_kind)root, HPF_STR(""), 0);
}

static bool add_closures(builder *b, hpp__haskell_census *haskell)
{
    const hpp__haskell_visitor visitor = {
        .closure = add_closure, .reference = add_reference, .root = add_haskell_root, .context = b};
    return !haskell || hpp__haskell_references_visit(haskell, &visitor);
}

/* ---- Doubtful edges ---- */

/* Counts the edges that arrays have before the end of their elements; others are doubtful. */
static bool count_certain(builder *b)
{
    hpp__graph *g = b->graph;
    size_t n_left = b->used_bytes.n_keys;
    for (uint32_t i = 0; n_left > 0; i++) {
        const hpp__image_block *block = &b->index.blocks[i];
        const uint64_t *used = hpp__map_find(&b->used_bytes, i + UINT64_C(1));
        n_left -= used != NULL;
        if (!used || *used - 1 + WORD_BYTES > block->size_bytes) {
            continue;
        }
        const size_t n_edges = g->n_edges, n_doubtful = b->n_doubtful;
        uint64_t *n_certain = hpp__map_add(&b->certain_edges, i + UINT64_C(1));
        if (!n_certain || !scan_block(b, i, block->address + *used - 1)) {
            return false;
        }
        *n_certain = 1 + g->n_edges - n_edges;
        g->n_edges = n_edges;
        b->n_doubtful = n_doubtful;
    }
    return true;
}

/* Returns how many edges of a node are certain, the first ones. */
static size_t certain_edges(const builder *b, size_t node, size_t n_edges)
{
    const uint64_t *n = hpp__map_find(&b->certain_edges, node + 1);
    return n && *n - 1 < n_edges ? (size_t)(*n - 1) : n_edges;
}

/* Marks what the roots reach by edges that are certain. `left` has room for all blocks. */
static void mark_reached(const builder *b, bool *reached, uint32_t *left)
{
    const hpp__graph *g = b->graph;
    size_t n_left = 0, n;
    for (size_t root = 0; root < g->n_roots; root++) {
        size_t from = g->n_blocks + root;
        for (bool is_more = true; is_more;) {
            const uint32_t *edges = hpp__graph_edges(g, from, &n);
            n = certain_edges(b, from, n);
            for (size_t i = 0; i < n; i++) {
                if (!reached[edges[i]]) {
                    reached[edges[i]] = true;
                    left[n_left++] = edges[i];
                }
            }
            is_more = n_left > 0;
            from = is_more ? left[--n_left] : from;
        }
    }
}

/* Puts the doubtful edges in their places, and drops those among the edges that lead to what is
 * reached. If it only drops, it does so in place. Returns false without memory. */
static bool merge_doubtful(builder *b, const bool *reached)
{
    hpp__graph *g = b->graph;
    const hpp__graph old = *g;
    size_t n_merged = 0;
    bool is_good = true, is_in_place = b->n_doubtful == 0;
    g->n_edges = 0;
    if (!is_in_place) {
        g->edges = g->fields = NULL;
        g->edges_capacity = g->fields_capacity = 0;
    }
    for (size_t node = 0; node < g->n_blocks + g->n_roots; node++) {
        uint64_t i = old.nodes[node].first_edge, end = old.nodes[node + 1].first_edge;
        uint64_t certain_end = i + certain_edges(b, node, (size_t)(end - i));
        g->nodes[node].first_edge = g->n_edges;
        while (is_good) {
            const doubtful_edge *next = n_merged < b->n_doubtful ? &b->doubtful[n_merged] : NULL;
            if (next && next->from == node && next->place == i) {
                is_good = add_edge(g, next->to, next->field);
                n_merged++;
            } else if (i < end) {
                is_good =
                    (i >= certain_end && reached[old.edges[i]]) ||
                    add_edge(g, old.edges[i], old.fields ? old.fields[i] : HPP__FIELD_UNKNOWN);
                i++;
            } else {
                break;
            }
        }
    }
    g->nodes[g->n_blocks + g->n_roots].first_edge = g->n_edges;
    if (!is_in_place) {
        free(old.edges);
        free(old.fields);
    }
    return is_good;
}

/* Decides on the doubtful edges: those to blocks that no other ones reach may be references after
 * all. */
static bool decide_doubtful(builder *b)
{
    const hpp__graph *g = b->graph;
    if (b->n_doubtful == 0 && b->certain_edges.n_keys == 0) {
        return true;
    }
    bool *reached = calloc(g->n_blocks + 1, sizeof *reached);
    uint32_t *left = malloc((g->n_blocks + 1) * sizeof *left);
    bool is_good = reached && left;
    size_t n = 0;
    if (is_good) {
        mark_reached(b, reached, left);
        for (size_t i = 0; i < b->n_doubtful; i++) {
            if (!reached[b->doubtful[i].to]) {
                b->doubtful[n++] = b->doubtful[i];
            }
        }
        b->n_doubtful = n;
    }
    is_good = is_good && ((n == 0 && b->certain_edges.n_keys == 0) || merge_doubtful(b, reached));
    free(reached);
    free(left);
    return is_good;
}

/* Returns whether it is known what the first thread has in its frames: main has not returned, and
 * the thread was not running. */
static bool knows_main(const hpp__roots *r)
{
    size_t i = 0;
    while (i < r->image->n_threads && r->image->threads[i].id != r->image->process_id) {
        i++;
    }
    return i < r->image->n_threads && !r->image->threads[i].is_moving &&
           hpp__thread_frames_has_own(&r->stacks->threads[i]);
}

static bool build(builder *b, const hpp__image *image, hpp__python_past *past,
                  hpp__haskell_census *haskell)
{
    hpp__python *python = &b->graph->python;
    if (!hpp__python_init(python, image, &b->index, hpp__python_find(&b->roots),
                          b->graph->with_fields, past) ||
        !hpp__python_roots_init(&b->python_roots, python, past)) {
        return false;
    }
    b->has_python = python->of_block != NULL;
    b->graph->knows_main = knows_main(&b->roots);
    b->python_fields = (hpp__python_fields){.python = python, .names = &b->graph->field_names};
    for (uint32_t i = 0; i < image->n_blocks; i++) {
        if (!add_block(b, i)) {
            return false;
        }
    }
    if (!add_closures(b, haskell)) {
        return false;
    }
    for (size_t i = 0; i < b->roots.n_areas; i++) {
        if (!add_area(b, &b->roots.areas[i])) {
            return false;
        }
    }
    return add_registers(b, image) && add_mapping_roots(b, image) && add_python_roots(b) &&
           add_node(b->graph, (hpp__graph_node){0}) && count_certain(b) && decide_doubtful(b);
}

void hpp__graph_past_finish(hpp__graph_past *past)
{
    hpp__thread_frames_finish(&past->stacks);
    hpp__python_past_finish(&past->python);
}

hpf_status hpp__graph_init(hpp__graph *graph, const hpp__image *image, hpp__graph_past *past,
                           const hpp__graph_names *names, hpp__haskell_census *haskell,
                           bool with_fields, hpf_error *err)
{
    builder b = {.graph = graph, .names = names, .reader = {.pagemap = -1}};
    *graph = (hpp__graph){.arena = hpf_arena_create(), .with_fields = with_fields};
    hpf_status status = hpp__block_index_init(&b.index, image->blocks, image->n_blocks, err);
    if (status == HPF_OK) {
        status = hpp__roots_init(&b.roots, image, &past->stacks, names->resolver, err);
    }
    if (status == HPF_OK &&
        (!graph->arena || !hpp__piece_reader_init(&b.reader, image) ||
         !HPF__ARRAY_RESERVE(graph->nodes, graph->nodes_capacity, image->n_blocks + 1) ||
         !build(&b, image, &past->python, haskell))) {
        status = hpf_error_set_memory(err);
    }
    graph->n_unread_bytes = b.reader.n_unread_bytes;
    graph->areas = b.roots.areas;
    graph->n_areas = b.roots.n_areas;
    b.roots.areas = NULL;
    free(b.doubtful);
    hpp__map_finish(&b.used_bytes);
    hpp__map_finish(&b.certain_edges);
    hpp__text_finish(&b.name);
    hpp__roots_finish(&b.roots);
    hpp__python_roots_finish(&b.python_roots);
    hpp__python_fields_finish(&b.python_fields);
    hpp__piece_reader_finish(&b.reader);
    hpp__block_index_finish(&b.index);
    return status;
}

bool hpp__graph_add_root(hpp__graph *g, hpp__graph_root root, const uint32_t *blocks,
                         size_t n_blocks)
{
    g->nodes[g->n_blocks + g->n_roots].site = (uint32_t)g->n_roots; /* it ended the last edges */
    bool is_good = HPF__ARRAY_PUSH(g->roots, g->n_roots, g->roots_capacity, root);
    for (size_t i = 0; i < n_blocks && is_good; i++) {
        is_good = add_edge(g, blocks[i], HPP__FIELD_UNKNOWN);
    }
    return is_good && add_node(g, (hpp__graph_node){0});
}

void hpp__graph_finish(hpp__graph *graph)
{
    free(graph->nodes);
    free(graph->edges);
    free(graph->fields);
    hpf__intern_finish(&graph->field_names);
    free(graph->roots);
    free(graph->hidden);
    free(graph->areas);
    hpf_arena_destroy(graph->arena);
    hpp__python_finish(&graph->python);
    *graph = (hpp__graph){0};
}

hpp__graph_field hpp__graph_field_of(const hpp__graph *graph, size_t node, size_t index)
{
    uint32_t field = graph->fields[graph->nodes[node].first_edge + index];
    bool is_named = field != HPP__FIELD_UNKNOWN && field & HPP__FIELD_IS_NAMED;
    return (hpp__graph_field){
        is_named ? graph->field_names.names[field & ~HPP__FIELD_IS_NAMED] : HPF_STR(""), field};
}
