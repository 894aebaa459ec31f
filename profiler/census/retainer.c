/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The walk carries the number of a set. Arriving at an object joins it to the object's own.
 *
 * Without memory for the walk's stack, frames are dropped. The objects whose children were not
 * visited still have their sets. So after the walk, the children of all objects are updated, in
 * rounds until one drops nothing. Sets only grow and there are finitely many, so this ends, with
 * the same sets.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "retainer.h"

#include "base/array.h"

/* ---- Words ---- */

/* Passes of all engines: words that another engine has left are of an earlier pass. */
static _Atomic uint32_t n_passes;

/* Returns the set in a word, or none if the word is of an earlier pass. */
static uint32_t set_in(const hpp__retainer *r, uint64_t word)
{
    return word >> 32 == r->pass ? (uint32_t)word : HPP__SET_NONE;
}

uint32_t hpp__retainer_set(const hpp__retainer *r, hpp_ref ref, const hpp_object *object)
{
    const uint64_t *word =
        object->retainer_word ? object->retainer_word : hpp__map_find(&r->words, ref);
    uint32_t set = word ? set_in(r, *word) : HPP__SET_NONE;
    return set == HPP__SET_NONE && r->n_untraced > 0 ? HPP__SET_OUT_OF_MEMORY : set;
}

/* ---- The two parameters ---- */

static uint32_t identity_set(hpp__retainer *r, const hpp_object *object)
{
    uint32_t key = hpp__band_keys_get(&r->identity, object);
    if (key == HPP__KEY_OUT_OF_MEMORY) {
        r->sets.n_failed++;
        return HPP__SET_OUT_OF_MEMORY;
    }
    return hpp__sets_singleton(&r->sets, key);
}

static bool is_retainer(hpp__retainer *r, hpp_ref ref, const hpp_object *object)
{
    if (r->retaining.is_retainer) {
        return r->retaining.is_retainer(ref, object, r->retaining.context);
    }
    switch (r->retaining.rule) {
    case HPP_RETAINERS_ALL:
        return true;
    case HPP_RETAINERS_ROOTS:
        return false;
    case HPP_RETAINERS_NAMED:
        return hpp__restrict_passes(&r->named, object);
    default:
        return (hpp__object_flags(object) & HPP_RETAINER) != 0;
    }
}

/* ---- The walk ---- */

/* Returns the set that an object passes on to its children. */
static uint32_t set_for_children(hpp__retainer *r, hpp_ref ref, const hpp_object *object,
                                 uint32_t own)
{
    return is_retainer(r, ref, object) ? identity_set(r, object) : own;
}

static bool arrive(hpp_ref ref, uint32_t set, uint32_t *child_set, void *context)
{
    hpp__retainer *r = context;
    hpp_object object = {0};
    r->heap->describe(&object, ref, r->heap->context);
    uint64_t *word = object.retainer_word ? object.retainer_word : hpp__map_add(&r->words, ref);
    if (!word) {
        r->n_untraced++;
        return false;
    }
    uint32_t old = set_in(r, *word);
    uint32_t joined = hpp__sets_union(&r->sets, old, set);
    if (joined == old) {
        return false;
    }
    *word = (uint64_t)r->pass << 32 | joined;
    if (old == HPP__SET_NONE) {
        r->figures.n_objects++;
        r->n_in_table += object.retainer_word == NULL;
    } else if (is_retainer(r, ref, &object)) {
        return false;
    }
    *child_set = set_for_children(r, ref, &object, joined);
    return (hpp__object_flags(&object) & HPP_DEAD_WEAK) == 0;
}

static void approach(hpp_ref ref, void *context)
{
    hpp__retainer *r = context;
    HPP_PREFETCH(ref);
    HPP_PREFETCH(ref + 48); /* small objects often lie across two cache lines */
    hpp__map_prefetch(&r->words, ref);
}

/* Counts an object whose children could not be followed. Static ones are lost: a heap need not
 * visit them, so they cannot be found again. */
static void drop(hpp_ref ref, void *context)
{
    hpp__retainer *r = context;
    hpp_object object = {0};
    r->heap->describe(&object, ref, r->heap->context);
    r->n_untraced += (hpp__object_flags(&object) & HPP_STATIC) != 0;
    r->has_dropped = true;
}

/* ---- What holds the retainers ---- */

/* Adds a retainer in a census. Returns false without memory: then one is missing. */
static bool add_holding(hpp__holders *h, uint32_t retainer, uint32_t set, uint64_t size_bytes)
{
    uint64_t *index = hpp__map_add(&h->index_of, ((uint64_t)retainer + 1) << 32 | set);
    if (!index) {
        return false;
    }
    if (*index == 0) {
        if (!HPF__ARRAY_RESERVE(h->all, h->capacity, h->n + 1)) {
            return false;
        }
        h->all[h->n++] = (hpp__holding){.retainer = retainer, .set = set};
        *index = h->n;
    }
    h->all[*index - 1].size_bytes += size_bytes;
    h->all[*index - 1].n_objects++;
    return true;
}

void hpp__retainer_end_holders(hpp__retainer *r)
{
    hpp__holders *h = &r->holders;
    for (size_t i = 0; i < h->n; i++) {
        hpp__holding *holding = &h->all[i];
        if (holding->n_most_objects == 0 || holding->size_bytes > holding->most_bytes) {
            holding->most_bytes = holding->size_bytes;
            holding->n_most_objects = holding->n_objects;
        }
        holding->size_bytes = holding->n_objects = 0;
    }
}

static void add_holder(hpp__retainer *r, const hpp_object *object, uint32_t set,
                       uint64_t size_bytes)
{
    uint32_t key = hpp__band_keys_get(&r->identity, object);
    if (key == HPP__KEY_OUT_OF_MEMORY || !add_holding(&r->holders, key, set, size_bytes)) {
        r->sets.n_failed++;
    }
}

void hpp__retainer_add_holder(hpp__retainer *r, hpp_ref ref, const hpp_object *object)
{
    if (is_retainer(r, ref, object)) {
        add_holder(r, object, hpp__retainer_set(r, ref, object), object->size_bytes);
    }
}

static int visit_root(hpp_ref ref, void *context)
{
    hpp__retainer *r = context;
    hpp_object object = {0};
    if (ref != 0) {
        r->heap->describe(&object, ref, r->heap->context);
        add_holder(r, &object, HPP__SET_OF_ROOT, 0);
        hpp__traverse_from(&r->traverse, ref, identity_set(r, &object));
    }
    return 0;
}

static int resume(hpp_ref ref, const hpp_object *object, void *context)
{
    hpp__retainer *r = context;
    const uint64_t *word =
        object->retainer_word ? object->retainer_word : hpp__map_find(&r->words, ref);
    uint32_t set = word ? set_in(r, *word) : HPP__SET_NONE;
    if (set != HPP__SET_NONE && !(hpp__object_flags(object) & HPP_DEAD_WEAK)) {
        hpp__traverse_children(&r->traverse, ref, set_for_children(r, ref, object, set));
    }
    return 0;
}

/* Starts a pass. Words of dead objects accumulate in the table; it is cleared when most words are
 * such. */
static void begin_pass(hpp__retainer *r)
{
    if (r->words.n_keys > 2 * r->n_in_table) {
        hpp__map_clear(&r->words);
    }
    r->pass = atomic_fetch_add(&n_passes, 1) + 1;
    r->n_in_table = 0;
    r->n_untraced = 0;
    r->has_dropped = false;
    r->figures = (hpp_retainer_figures){0};
    r->traverse.n_visits = 0;
    r->traverse.n_scans = 0;
    r->traverse.max_frames = 0;
}

void hpp__retainer_pass(hpp__retainer *r)
{
    begin_pass(r);
    r->heap->roots(visit_root, r, r->heap->context);
    while (r->has_dropped) {
        r->has_dropped = false;
        r->heap->objects(resume, r, r->heap->context);
    }
    hpp__traverse_shrink(&r->traverse);
    r->figures.n_visits = r->traverse.n_visits;
    r->figures.n_scans = r->traverse.n_scans;
    r->figures.max_frames = r->traverse.max_frames;
    r->figures.n_sets = r->sets.n_sets - HPP__FIRST_SET;
}

/* ---- What a set is called ---- */

static hpf_str special_name(uint32_t set)
{
    return set == HPP__SET_MANY   ? HPF_STR("MANY")
           : set == HPP__SET_NONE ? HPF_STR("UNREACHED")
                                  : HPF_STR("OUT_OF_MEMORY");
}

/* A set, for reading its labels. */
typedef struct labelled {
    const hpp__retainer *retainer;
    uint32_t set;
} labelled;

static hpf_str label_at(size_t i, void *context)
{
    const labelled *l = context;
    uint32_t n;
    return l->set < HPP__FIRST_SET
               ? special_name(l->set)
               : hpp__band_keys_label(&l->retainer->identity,
                                      hpp__sets_elements(&l->retainer->sets, l->set, &n)[i]);
}

static bool check_names(const hpp__retainer *r, const hpp__restrict *restrictions, uint32_t set)
{
    labelled l = {r, set};
    size_t n_labels = set < HPP__FIRST_SET ? 1 : r->sets.sets[set].n;
    return hpp__restrict_passes_set(restrictions, n_labels, label_at, &l);
}

/* Returns the notes of a set, or NULL without memory. */
static unsigned char *note_of(hpp__retainer *r, uint32_t set)
{
    return HPF__ARRAY_RESERVE_ZEROED(r->notes, r->notes_capacity, set + (size_t)1) ? &r->notes[set]
                                                                                   : NULL;
}

bool hpp__retainer_set_passes(hpp__retainer *r, const hpp__restrict *restrictions, uint32_t set)
{
    if (!restrictions->has_retainers) {
        return true;
    }
    unsigned char *note = note_of(r, set);
    if (!note) {
        return check_names(r, restrictions, set);
    }
    if ((*note & (HPP__SET_PASSES | HPP__SET_FAILS)) == 0) {
        *note |= check_names(r, restrictions, set) ? HPP__SET_PASSES : HPP__SET_FAILS;
    }
    return (*note & HPP__SET_PASSES) != 0;
}

void hpp__retainer_charge(hpp__retainer *r, uint32_t set, uint64_t size_bytes)
{
    if (set == HPP__SET_NONE || size_bytes == 0) {
        return;
    }
    unsigned char *note = note_of(r, set);
    if (note) {
        *note |= HPP__SET_CHARGED;
    } else {
        r->sets.n_failed++; /* it may not be listed */
    }
    uint32_t n_retainers = set == HPP__SET_MANY ? r->sets.max_elements + 1 : r->sets.sets[set].n;
    r->figures.size_bytes += size_bytes;
    r->figures.n_costed++;
    r->figures.n_retainers += n_retainers;
    r->figures.largest_set =
        n_retainers > r->figures.largest_set ? n_retainers : r->figures.largest_set;
}

bool hpp__retainer_is_charged(const hpp__retainer *r, uint32_t set)
{
    return set < r->notes_capacity && (r->notes[set] & HPP__SET_CHARGED) != 0;
}

void hpp__retainer_write_name(const hpp__retainer *r, uint32_t set, size_t max_bytes,
                              hpp__text *out)
{
    if (set < HPP__FIRST_SET) {
        hpp__text_add(out, special_name(set));
        return;
    }
    size_t start = out->length;
    hpp__text_add(out, HPF_STR("("));
    hpp__text_add_number(out, set);
    hpp__text_add(out, HPF_STR(")"));
    labelled l = {r, set};
    for (uint32_t i = 0; i < r->sets.sets[set].n; i++) {
        hpp__text_add(out, i > 0 ? HPF_STR(",") : HPF_STR(""));
        hpp__text_add(out, label_at(i, &l));
    }
    hpp__text_cut(out, start + max_bytes);
}

void hpp__retainer_write_whole(const hpp__retainer *r, uint32_t set, hpp__text *out)
{
    uint32_t n;
    const uint32_t *elements = hpp__sets_elements(&r->sets, set, &n);
    if (set < HPP__FIRST_SET) {
        hpp__text_add(out, special_name(set));
    }
    for (uint32_t i = 0; i < n; i++) {
        hpp__text_add(out, i > 0 ? HPF_STR(", <") : HPF_STR("<"));
        hpp__band_keys_write_whole(&r->identity, elements[i], out);
        hpp__text_add(out, HPF_STR(">"));
    }
}

/* ---- Life ---- */

hpf_status hpp__retainer_init(hpp__retainer *r, const hpp_heap *heap,
                              const hpp_retaining *retaining, uint32_t max_retainers,
                              hpf_arena *arena, hpf_error *err)
{
    *r = (hpp__retainer){.heap = heap, .retaining = *retaining};
    r->words.is_near = true;
    r->words.unit_shift = heap->ref_shift;
    hpf_breakdown kind = retaining->identity ? retaining->identity : HPF_BREAKDOWN_COST_CENTRE;
    if (!heap->describe || !heap->children || !heap->roots) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "-hr needs roots and children, which this heap does not have");
    }
    hpf_status status = hpp__band_keys_init(&r->identity, kind, heap, arena, err);
    if (status == HPF_OK && retaining->rule == HPP_RETAINERS_NAMED) {
        status = hpp__restrict_init(&r->named, heap, &retaining->named, 1, arena, err);
        if (status == HPF_OK && (r->named.has_phases || r->named.has_retainers)) {
            status = hpf_error_set(err, HPF_ERR_ARGUMENT,
                                   "retainers cannot be selected by biography or retainer");
        }
    }
    if (status != HPF_OK) {
        return status;
    }
    if (!hpp__sets_init(&r->sets, max_retainers)) {
        return hpf_error_set_memory(err);
    }
    const hpp__visitor visitor = {arrive, approach, drop, r};
    return hpp__traverse_init(&r->traverse, heap, &visitor, err);
}

void hpp__retainer_finish(hpp__retainer *r)
{
    hpp__band_keys_finish(&r->identity);
    hpp__restrict_finish(&r->named);
    hpp__map_finish(&r->holders.index_of);
    free(r->holders.all);
    hpp__sets_finish(&r->sets);
    hpp__traverse_finish(&r->traverse);
    hpp__map_finish(&r->words);
    free(r->notes);
}
