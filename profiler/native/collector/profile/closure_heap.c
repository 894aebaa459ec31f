/* SPDX-License-Identifier: BSD-2-Clause */
#include "closure_heap.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/frame.h"
#include "base/names.h"
#include "base/words.h"
#include "hpfile/str.h"
#include "native/collector/image/proc.h"
#include "symbol/resolve.h"

/* ---- For the engine ---- */

static int visit_sums(hpp_visit_sum *visit, void *visit_context, void *context)
{
    const hpp__closure_heap *h = context;
    int stop = h->native->heap.sums(visit, visit_context, h->native);
    for (uint32_t i = 0; i < h->names.n_names && !stop; i++) {
        hpp__closure_sum *from = h->sums[i];
        if (!from || from->n_bytes == 0) {
            continue;
        }
        const hpp_object sum = {
            .size_bytes = from->n_bytes,
            .shape = &from->shape,
            .calls = from->calls,
            .band_word = &from->band_word,
            .stack_word = &from->stack_word,
        };
        stop = visit(&sum, from->n_closures, visit_context);
    }
    return stop;
}

/* ---- Sums ---- */

/* Returns the stack that has the name of closures; that of all of them if they have none. */
static const hpp__stack *stack_of(hpp__closure_heap *h, const hpp__haskell_sum *from)
{
    const hpp__object_name name = {
        .name = from->description,
        .module = from->module.length > 0 ? from->module : HPF_STR(HPF__HASKELL_HEAP),
        .file = from->file,
        .line = from->line,
    };
    const hpp__stack *own = h->native->calls && from->description.length > 0
                                ? hpp__named_stacks_object_kind(h->native->calls, &name)
                                : NULL;
    return own ? own : h->calls;
}

/* Replaces the key by that of closures with the same names. Returns false without memory. */
static bool make_key(hpp__closure_heap *h, const hpp__haskell_sum *from)
{
    const hpf_str parts[] = {from->kind, from->description, from->module, from->file};
    h->key.length = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        hpp__text_add(&h->key, parts[i]);
        hpp__text_add(&h->key, (hpf_str){"", 1}); /* a NUL */
    }
    hpp__text_add_number(&h->key, from->line);
    return !h->key.is_short;
}

/* Returns what closures are called, with their source: "thunk_of_Main.add@Main.hs:12". */
static hpf_str describe(hpp__closure_heap *h, const hpp__haskell_sum *from, hpf_str kind)
{
    hpp__text text = {0};
    if (from->description.length == 0) {
        return kind;
    }
    hpp__text_add(&text, from->description);
    if (from->line > 0) {
        hpp__text_add(&text, HPF_STR("@"));
        hpp__text_add(&text, hpf__base_name(from->file));
        hpp__text_add(&text, HPF_STR(":"));
        hpp__text_add_number(&text, from->line);
    }
    char *copy = text.is_short ? NULL : hpf_arena_alloc(h->arena, text.length + 1);
    hpf_str clean = {copy, copy ? hpp__names_clean(copy, hpp__text_str(&text)) : 0};
    hpp__text_finish(&text);
    return copy ? clean : kind;
}

/* Returns the sum of closures with the same names; NULL without memory. */
static hpp__closure_sum *sum_of(hpp__closure_heap *h, const hpp__haskell_sum *from)
{
    uint32_t number = 0;
    bool is_new;
    if (!make_key(h, from) ||
        !HPF__ARRAY_RESERVE_ZEROED(h->sums, h->sums_capacity, h->names.n_names + (size_t)1) ||
        hpf__intern_add(&h->names, hpp__text_str(&h->key), &number, &is_new) != HPF_OK) {
        return NULL;
    }
    if (is_new) {
        hpp__closure_sum *sum = hpf_arena_alloc(h->arena, sizeof *sum);
        hpf_str kept = h->names.names[number], kind = hpf__take_until(&kept, '\0');
        h->sums[number] = sum;
        if (sum) {
            *sum = (hpp__closure_sum){.shape = {.description = describe(h, from, kind),
                                                .type = kind,
                                                .module = HPF_STR(HPF__HASKELL_HEAP),
                                                .kind = kind},
                                      .calls = stack_of(h, from)};
        }
    }
    return h->sums[number];
}

static void add_sum(const hpp__haskell_sum *from, uint32_t kind, void *context)
{
    hpp__closure_sum *sum = sum_of(context, from);
    (void)kind;
    if (sum) {
        sum->n_bytes += from->n_bytes;
        sum->n_closures += from->n_closures;
    }
}

/* Returns whether a block is a mapping with megablocks in it. */
static bool is_inside(const hpp__closure_heap *h, const hpp__image_block *block)
{
    const uint64_t bytes = HPP_HASKELL_MEGABLOCK_BYTES;
    uint64_t first = (block->address + bytes - 1) / bytes * bytes;
    return block->is_mapping && first < block->address + block->size_bytes &&
           hpp__haskell_has(&h->census->heap, first);
}

/* Adds up these mappings by group. */
static bool find_inside(hpp__closure_heap *h, const hpp__image *image)
{
    bool is_good = true;
    for (size_t i = 0; i < image->n_blocks && is_good; i++) {
        const hpp__image_block *block = &image->blocks[i];
        if (!is_inside(h, block)) {
            continue;
        }
        size_t group = hpp__site_heap_group(h->native, block->site);
        is_good = HPF__ARRAY_RESERVE_ZEROED(h->inside, h->inside_capacity, group + 1);
        if (is_good) {
            h->inside[group] += block->size_bytes;
        }
    }
    h->native->left_out = h->inside;
    h->native->n_left_out = h->inside_capacity;
    return is_good;
}

/* ---- Variables of the run-time system ---- */

/* Returns the address of what the symbol table of an object names, 0 if it is not there. */
static uint64_t address_of(hpp__closure_heap *h, uint32_t object, uint64_t bias, const char *name)
{
    uint64_t address;
    return hpp__resolver_variable_named(h->resolver, object, name, &address) ? address + bias : 0;
}

/* Looks for variables in the symbol table of the program or of its run-time system. */
static void find_variables(hpp__closure_heap *h, const hpp__image *image)
{
    char link[32], program[PATH_MAX], root[HPP__PROC_ROOT_BYTES];
    snprintf(link, sizeof link, "/proc/%u/exe", (unsigned)image->process_id);
    ssize_t n = readlink(link, program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    h->has_looked = true;
    for (size_t i = 0; i < image->n_maps && h->table_at == 0; i++) {
        const hpp__image_map *map = &image->maps[i];
        const char *slash = strrchr(map->path, '/');
        if (map->offset != 0 || !slash ||
            (strcmp(map->path, program) != 0 && strncmp(slash, "/libHSrts", 9) != 0)) {
            continue;
        }
        const hpp_object_file file = {
            .path = map->path,
            .root = hpp__proc_root_of_maps(image->process_id, root),
        };
        uint32_t object = hpp_resolver_object(h->resolver, &file);
        uint64_t bias = map->begin - hpp_resolver_address(h->resolver, object, 0);
        h->table_at = address_of(h, object, bias, "stable_ptr_table");
        h->size_at = address_of(h, object, bias, "SPT_size");
        h->bindings_at = address_of(h, object, bias, "ipeBufferList");
        h->variables.weaks = address_of(h, object, bias, "nonmoving_weak_ptr_list");
        for (unsigned k = 0; k < HPP__HASKELL_APPLICATIONS; k++) {
            char name[32];
            snprintf(name, sizeof name, "stg_ap_%u_upd_info", k + 1);
            h->variables.applications[k] = address_of(h, object, bias, name);
        }
    }
}

/* Reads where the stable pointers are, which are moved as their number grows. A run-time system
 * that is a library does not export how many there is room for: the block that they are in says so.
 */
static void read_variables(hpp__closure_heap *h, const hpp__image *image)
{
    uint64_t table = 0;
    uint32_t n = 0;
    if (!h->has_looked) {
        find_variables(h, image);
    }
    bool is_known =
        h->table_at != 0 && hpp__image_read(image, &table, h->table_at, sizeof table) && table != 0;
    if (is_known && h->size_at != 0) {
        is_known = hpp__image_read(image, &n, h->size_at, sizeof n);
    } else if (is_known) {
        size_t block = hpp__image_block_of(image, table);
        is_known = block != SIZE_MAX && image->blocks[block].address == table;
        n = is_known ? (uint32_t)(image->blocks[block].size_bytes / sizeof table) : 0;
    }
    h->variables.stables = is_known ? table : 0;
    h->variables.n_stables = n;
}

/* ---- A census ---- */

bool hpp__closure_heap_open(hpp__closure_heap *h, const hpp__image *image, bool for_graph)
{
    bool with_names = for_graph || h->native->calls;
    h->census = calloc(1, sizeof *h->census);
    if (!h->census) {
        return false;
    }
    read_variables(h, image);
    if (with_names) {
        hpp__haskell_bindings_read(&h->namer.bindings, image, h->layout, h->bindings_at);
    }
    hpp__haskell_found found = hpp__haskell_census_take(h->census, image, h->layout, &h->variables,
                                                        with_names ? &h->namer : NULL);
    bool is_unsettled = found == HPP__HASKELL_COLLECTING || found == HPP__HASKELL_RUNNING;
    h->n_counted += found == HPP__HASKELL_FOUND;
    h->n_skipped += is_unsettled;
    h->n_unfit += found == HPP__HASKELL_UNFIT;
    if (found != HPP__HASKELL_FOUND) {
        hpp__closure_heap_close(h);
    }
    return found == HPP__HASKELL_FOUND || (h->n_counted == 0 && !is_unsettled);
}

void hpp__closure_heap_close(hpp__closure_heap *h)
{
    if (h->census) {
        hpp__haskell_census_finish(h->census);
        free(h->census);
        h->census = NULL;
    }
}

bool hpp__closure_heap_count(hpp__closure_heap *h, const hpp__image *image)
{
    for (uint32_t i = 0; i < h->names.n_names; i++) {
        if (h->sums[i]) {
            h->sums[i]->n_bytes = h->sums[i]->n_closures = 0;
        }
    }
    if (h->inside_capacity > 0) {
        memset(h->inside, 0, h->inside_capacity * sizeof *h->inside);
    }
    if (!h->census) {
        return true;
    }
    hpp__haskell_census_each(h->census, add_sum, h);
    return find_inside(h, image);
}

/* ---- In a graph ---- */

void hpp__closure_heap_take_out(const hpp__closure_heap *h, hpp__image *image)
{
    size_t n = 0;
    for (size_t i = 0; i < image->n_blocks && h->census && image->own_blocks; i++) {
        if (!is_inside(h, &image->own_blocks[i])) {
            image->own_blocks[n++] = image->own_blocks[i];
        }
    }
    image->n_blocks = h->census && image->own_blocks ? n : image->n_blocks;
}

/* Finds the group of a kind of closures; that of what is unknown without memory. */
static void find_group(const hpp__haskell_sum *from, uint32_t kind, void *context)
{
    hpp__closure_heap *h = context;
    hpp__closure_sum *sum = sum_of(h, from);
    size_t index;
    if (sum && sum->group == 0) {
        const hpp__group group = {
            .stack = h->stack, .calls = sum->calls, .shape = &sum->shape, .is_closure = true};
        sum->group = hpp__site_heap_add_closures(h->native, &group, &index) ? index + 1 : 0;
    }
    h->groups[kind] = sum && sum->group > 0 ? sum->group - 1 : HPP__GROUP_UNKNOWN;
}

bool hpp__closure_heap_group(hpp__closure_heap *h, hpp__graph *graph)
{
    size_t n_kinds = h->census ? hpp__haskell_census_unreached(h->census) + (size_t)2 : 0;
    if (!HPF__ARRAY_RESERVE(h->groups, h->groups_capacity, n_kinds)) {
        return false;
    }
    if (h->census) {
        hpp__haskell_census_each(h->census, find_group, h);
    }
    for (size_t i = hpp__graph_first_closure(graph); i < graph->n_blocks; i++) {
        graph->nodes[i].group = (uint32_t)h->groups[graph->nodes[i].site];
        graph->nodes[i].site = HPP_SITE_UNKNOWN;
    }
    return true;
}

/* ---- Life ---- */

hpf_status hpp__closure_heap_init(hpp__closure_heap *h, hpp__site_heap *native,
                                  const hpp_haskell_layout *layout, hpp_resolver *resolver,
                                  hpf_error *err)
{
    *h = (hpp__closure_heap){
        .native = native, .layout = layout, .resolver = resolver, .namer.resolver = resolver};
    h->heap = (hpp_heap){.size = sizeof h->heap,
                         .sums = visit_sums,
                         .stacks = &hpp__named_stacks_view,
                         .context = h};
    h->arena = hpf_arena_create();
    h->stack = hpp__named_stacks_special(native->stacks, HPF_STR(HPF__HASKELL_HEAP));
    h->calls = native->calls ? hpp__named_stacks_special(native->calls, HPF_STR(HPF__HASKELL_HEAP))
                             : h->stack;
    return h->arena && h->stack && h->calls ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__closure_heap_finish(hpp__closure_heap *h)
{
    hpf_arena_destroy(h->arena);
    hpf__intern_finish(&h->names);
    hpp__haskell_names_finish(&h->namer);
    hpp__text_finish(&h->key);
    hpp__closure_heap_close(h);
    free(h->groups);
    free(h->sums);
    free(h->inside);
    *h = (hpp__closure_heap){0};
}
