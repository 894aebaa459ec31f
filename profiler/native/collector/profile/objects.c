/* SPDX-License-Identifier: BSD-2-Clause */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "census/snapshot.h"
#include "hpfile/str.h"
#include "native/collector/graph/leaks.h"
#include "symbol/resolve.h"

static hpp__site_type type_of_site(void *context, uint32_t site)
{
    hpp__site_heap *native = context;
    return hpp__site_heap_type(native, hpp__site_heap_group(native, site));
}

static bool calls_new(void *context, uint32_t site)
{
    hpp__graph_heap *heap = context;
    hpp__site_heap *native = heap->native;
    return hpf_str_is(native->groups[hpp__site_heap_group(native, site)].shape->kind, "new");
}

static hpp__room_layout layout_of(void *context, uint32_t site)
{
    return hpp__graph_heap_layout(context, site);
}

/* Adds the bytes and blocks that a block counts for. */
static void add_block(hpp__alive *to, const hpp__objects *o, const hpp__graph_node *node,
                      bool is_indirect)
{
    uint64_t bytes = hpp__graph_heap_weight(&o->heap, node);
    uint64_t blocks = hpp__graph_heap_blocks(&o->heap, node);
    to->bytes += bytes;
    to->blocks += blocks;
    to->indirect_bytes += is_indirect ? bytes : 0;
    to->indirect_blocks += is_indirect ? blocks : 0;
}

/* Adds up the live blocks by group. */
static bool add_up(hpp__objects *o)
{
    size_t n_groups = o->heap.native->n_groups;
    bool is_good = HPF__ARRAY_RESERVE(o->live, o->live_capacity, n_groups);
    o->n_live = is_good ? n_groups : 0;
    for (size_t i = 0; i < o->n_live; i++) {
        o->live[i] = (hpp__alive){0};
    }
    for (size_t i = 0; is_good && i < o->graph.n_blocks; i++) {
        const hpp__graph_node *node = &o->graph.nodes[i];
        add_block(&o->live[node->group], o, node, false);
    }
    return is_good;
}

bool hpp__objects_open(hpp__objects *o, const hpp__image *image, hpp_resolver *resolver,
                       hpp__closure_heap *closures, bool with_fields)
{
    hpf_error err;
    hpp__types types = {0};
    hpp__site_heap *native = o->heap.native;
    const hpp__graph_names names = {resolver, calls_new, layout_of, &o->heap};
    bool is_open =
        hpp__graph_init(&o->graph, image, &o->past, &names, closures ? closures->census : NULL,
                        with_fields, &err) == HPF_OK &&
        (!closures || hpp__closure_heap_group(closures, &o->graph));
    if (is_open && native->with_types) {
        is_open = hpp__types_init(&types, image, &o->graph, type_of_site, native, &err) == HPF_OK;
        o->types = (hpp_type_figures){.by_class = types.bytes_by[HPP__NAMED_BY_CLASS],
                                      .by_container = types.bytes_by[HPP__NAMED_BY_CONTAINER],
                                      .by_variable = types.bytes_by[HPP__NAMED_BY_VARIABLE],
                                      .by_owner = types.bytes_by[HPP__NAMED_BY_OWNER],
                                      .by_site = types.bytes_by[HPP__NAMED_BY_SITE]};
        for (size_t i = hpp__graph_first_closure(&o->graph); i < o->graph.n_blocks; i++) {
            o->types.by_class += o->graph.nodes[i].size_bytes; /* constructors are */
        }
    }
    is_open =
        is_open && hpp__graph_heap_set(&o->heap, &o->graph, native->with_types ? &types : NULL);
    is_open = is_open && add_up(o);
    hpp__types_finish(&types);
    is_open = is_open && hpp__image_is_whole(image);
    o->n_failed += !is_open;
    return is_open;
}

uint64_t hpp__objects_bytes(const hpp__objects *o)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < o->n_live; i++) {
        sum += o->live[i].bytes;
    }
    return sum;
}

bool hpp__objects_have_grown(const hpp__objects *o)
{
    return hpp__objects_bytes(o) > o->waste_of_bytes + o->waste_of_bytes / 10;
}

void hpp__objects_find_waste(hpp__objects *o, const hpp__image *image)
{
    uint64_t bytes = hpp__objects_bytes(o);
    bool is_most = bytes >= o->waste_of_bytes;
    hpp__waste *waste = is_most ? &o->most_waste : &o->waste;
    if (!o->heap.is_sample) {
        o->waste_of_bytes = is_most ? bytes : o->waste_of_bytes;
        o->n_failed += !hpp__waste_find(waste, &o->heap, image);
        o->found_waste = waste;
    }
}

/* Adds up the lost blocks by group. Marks are from the retainer pass. */
static bool find_leaks(hpp__objects *o)
{
    const hpp__graph *g = &o->graph;
    size_t n_groups = o->heap.native->n_groups;
    unsigned char *losses = malloc(g->n_blocks + 1);
    for (size_t i = 0; losses && i < g->n_blocks; i++) {
        losses[i] = g->nodes[i].mark == 0 ? HPP__LOSS_SOMEHOW : HPP__LOSS_NONE;
    }
    bool is_good = losses && HPF__ARRAY_RESERVE(o->lost, o->lost_capacity, n_groups) &&
                   hpp__leaks_find(g, losses);
    hpp__alive all = {0};
    for (size_t i = 0; is_good && i < g->n_blocks; i++) {
        if (losses[i] != HPP__LOSS_NONE) {
            add_block(&all, o, &g->nodes[i], losses[i] == HPP__LOSS_INDIRECT);
        }
    }
    bool is_most = is_good && all.bytes >= o->all_lost.bytes;
    if (is_most) {
        o->all_lost = all;
        o->n_lost = n_groups;
        memset(o->lost, 0, n_groups * sizeof *o->lost);
    }
    for (size_t i = 0; is_most && i < g->n_blocks; i++) {
        if (losses[i] != HPP__LOSS_NONE) {
            add_block(&o->lost[g->nodes[i].group], o, &g->nodes[i],
                      losses[i] == HPP__LOSS_INDIRECT);
        }
    }
    free(losses);
    return is_good;
}

void hpp__objects_record(hpp__objects *o, hpp__output *output, const hpp_census_result *result)
{
    bool is_complete = result->missing.n_untraced == 0 && find_leaks(o);
    bool is_kept = hpp__retainer_log_add(&o->log, output, result);
    o->n_failed += !is_complete || !is_kept;
}

/* What is known of the nodes of a graph while they are written. */
typedef struct identities {
    const hpp__objects *objects;
    const uint64_t *addresses; /* of blocks, by number; NULL: not known */
    hpp_resolver *resolver;
    hpf__intern members; /* names */
    hpp__map known;      /* type and word -> number of a name of a member, plus 2; 1: none */
    hpp__text scratch;
} identities;

static size_t number_of(const identities *known, hpp_ref ref)
{
    return (size_t)((const hpp__graph_node *)ref - known->objects->graph.nodes);
}

/* Returns the address of a block; 0 for a closure, which moves, or a root. */
static uint64_t address_of(hpp_ref ref, void *context)
{
    const identities *known = context;
    size_t number = number_of(known, ref);
    return known->addresses && number < hpp__graph_first_closure(&known->objects->graph)
               ? known->addresses[number]
               : 0;
}

/* Returns the name of the member at a word of a block with a type; empty if it is not known. The
 * first words of a type are asked for once. */
static hpf_str member_of(identities *known, hpf_str type, uint64_t size_bytes, uint32_t word)
{
    enum { WORD_BYTES = 8, KEPT_BITS = 12 };
    bool is_kept = word >> KEPT_BITS == 0 && (uintptr_t)type.data >> (64 - KEPT_BITS) == 0;
    uint64_t *kept =
        is_kept ? hpp__map_add(&known->known, (uintptr_t)type.data << KEPT_BITS | word) : NULL;
    uint32_t number;
    bool is_new, is_known = kept && *kept != 0;
    if (!is_known) {
        uint64_t offset = word * (uint64_t)WORD_BYTES;
        bool is_named =
            hpp__resolver_member(known->resolver, type, size_bytes, offset, &known->scratch) &&
            hpf__intern_add(&known->members, hpp__text_str(&known->scratch), &number, &is_new) ==
                HPF_OK;
        if (kept) {
            *kept = is_named ? number + UINT64_C(2) : 1;
        }
        return is_named ? known->members.names[number] : HPF_STR("");
    }
    return *kept > 1 ? known->members.names[*kept - 2] : HPF_STR("");
}

static void field_of(hpp_ref ref, size_t index, hpf_str *name, uint32_t *number, void *context)
{
    identities *known = context;
    const hpp__graph *g = &known->objects->graph;
    const hpp__graph_heap *heap = &known->objects->heap;
    size_t node = number_of(known, ref);
    hpp__graph_field field = hpp__graph_field_of(g, node, index);
    *name = field.name;
    *number = field.number;
    if (field.name.length == 0 && field.number != HPP__FIELD_UNKNOWN && node < g->n_blocks &&
        heap->native->with_types && !(g->python.of_block && g->python.of_block[node])) {
        hpf_str type = heap->native->groups[g->nodes[node].group].shape->type;
        *name = type.length > 0 ? member_of(known, type, g->nodes[node].size_bytes, field.number)
                                : HPF_STR("");
    }
}

hpf_status hpp__objects_write(hpp__objects *o, const uint64_t *addresses, hpp_resolver *resolver,
                              uint64_t process, const char *path, hpf_error *err)
{
    identities known = {.objects = o, .addresses = addresses, .resolver = resolver};
    const hpp__waste *waste = o->found_waste;
    const hpp__heap_snapshot_options options = {.by_type = o->heap.native->with_types,
                                                .with_sites = true,
                                                .identify = address_of,
                                                .field = o->graph.with_fields ? field_of : NULL,
                                                .context = &known,
                                                .process = process,
                                                .ref_bytes = sizeof *o->graph.nodes,
                                                .first_ref = (uintptr_t)o->graph.nodes,
                                                .waste = waste ? waste->rows : NULL,
                                                .n_waste = waste ? waste->n_rows : 0};
    hpf_snapshot snapshot;
    hpf_status status = hpp__heap_snapshot_take(&snapshot, &o->heap.heap, options, err);
    hpf__intern_finish(&known.members);
    hpp__map_finish(&known.known);
    hpp__text_finish(&known.scratch);
    hpp__objects_close(o);
    return status == HPF_OK ? hpp__heap_snapshot_write(&snapshot, path, err) : status;
}

void hpp__objects_close(hpp__objects *o)
{
    hpp__graph_heap_set(&o->heap, NULL, NULL);
    hpp__graph_finish(&o->graph);
}

void hpp__objects_finish(hpp__objects *o)
{
    hpp__graph_heap_finish(&o->heap);
    hpp__graph_finish(&o->graph);
    hpp__graph_past_finish(&o->past);
    hpp__retainer_log_finish(&o->log);
    hpp__waste_finish(&o->waste);
    hpp__waste_finish(&o->most_waste);
    free(o->live);
    free(o->lost);
    *o = (hpp__objects){0};
}
