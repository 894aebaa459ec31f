/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A census runs a retainer pass if needed; then, for each live object that passes the restrictions,
 * it adds the size to the object's key. In a breakdown by biography all objects have the same key,
 * and phases are counted separately within it.
 */
#include "census.h"

#include <assert.h>
#include <pthread.h>

#include "band_key.h"
#include "bands.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/options.h"
#include "biography.h"
#include "hpfile/str.h"
#include "life_times.h"
#include "restrict.h"
#include "retainer.h"
#include "schemes.h"
#include "traverse.h"

/* A key of savings, or of a part of a band: the key of the band and of the stack is a pair; that
 * pair and what a further break-down says are one, and so on. */
typedef struct origin_pair {
    uint32_t producer; /* of savings; else the key of the band, or of the pair before */
    uint32_t set;      /* of savings; else the key of the stack, or of the further break-down */
} origin_pair;

/* A further break-down, by type, retainer or biography. */
typedef struct further {
    hpp_census *census;
    hpf_breakdown by;
    hpp__band_keys keys; /* by type */
    hpp__bands bands;
} further;

enum { MAX_FURTHER = HPP_MAX_FURTHER_BANDS };

struct hpp_census {
    hpp_heap heap;
    hpf_breakdown breakdown;
    bool has_retainers, has_biography, uses_sums;
    bool is_savings;       /* keys are pairs of a producer and a set */
    bool divides_by_stack; /* bands have parts, whose keys are pairs, in addition to keys */
    bool divides_by_phase; /* parts have phases */
    bool count_stacks, count_objects, many_threads;
    bool has_ended; /* all objects are dead */
    uint32_t max_name_bytes;
    uint32_t lost_key;    /* of the breakdown: the band OUT_OF_MEMORY */
    pthread_mutex_t lock; /* of the biography, its memos included, when there are many threads */
    hpf_arena *arena;
    hpp__restrict restrictions;
    hpp__band_keys keys; /* for breakdowns by producer, module, description, type or kind */
    hpp__retainer retainer;
    hpp__schemes schemes;
    hpp__retainer *compared; /* the retainers that visit_for_scheme adds to */
    hpp__map pair_of;        /* both of a pair -> its key */
    origin_pair *pairs;
    size_t pairs_capacity;
    uint32_t n_pairs;      /* with the first, OUT_OF_MEMORY */
    hpp__band_keys stacks; /* of parts; as are these: */
    further further[MAX_FURTHER];
    size_t n_further;
    hpp__bands divided;
    uint64_t *divided_counts; /* without biography */
    size_t divided_counts_capacity;
    hpp__biography biography;
    hpp__life_times *life_times; /* in the arena; NULL: not measured */
    hpp__bands bands;
    uint64_t *counts; /* cost by key, in a census without biography */
    size_t counts_capacity;
    hpp_census_result result;
};

/* A band of savings, or a part with a phase, is a key and, in the low bits, the phase. */
enum { PHASE_BITS = 3, PHASE_MASK = (1 << PHASE_BITS) - 1 };

/* The key of the pair OUT_OF_MEMORY. */
enum { LOST_PAIR = 0 };

/* ---- From an object to its key ---- */

static bool is_counted(const hpp_census *c, const hpp_object *object)
{
    uint32_t flags = hpp__object_flags(object);
    return !(flags & HPP_STATIC) && (!(flags & HPP_STACK) || c->count_stacks);
}

/* Returns the key of a pair, a new one if needed. Pairs of different levels differ. */
static uint32_t key_of_pair(hpp_census *c, size_t level, uint32_t producer, uint32_t set)
{
    enum { LEVEL_BITS = 2 };
    uint64_t of_level = ((uint64_t)producer + 1) << LEVEL_BITS | level;
    uint64_t *key = of_level >> 32 ? NULL : hpp__map_add(&c->pair_of, of_level << 32 | set);
    if (!key || (*key == 0 && (c->n_pairs == UINT32_MAX >> PHASE_BITS ||
                               !HPF__ARRAY_RESERVE(c->pairs, c->pairs_capacity, c->n_pairs + 1)))) {
        return LOST_PAIR;
    }
    if (*key == 0) {
        *key = c->n_pairs;
        c->pairs[c->n_pairs++] = (origin_pair){producer, set};
    }
    return (uint32_t)*key;
}

/* Returns the key of an object that has passed the restrictions. */
static uint32_t key_of(hpp_census *c, const hpp_object *object, uint32_t set)
{
    if (c->is_savings) {
        return key_of_pair(c, 0, hpp__band_keys_get(&c->keys, object), set);
    }
    switch (c->breakdown) {
    case HPF_BREAKDOWN_RETAINER:
        return set;
    case HPF_BREAKDOWN_BIOGRAPHY:
        return 0;
    default:
        return hpp__band_keys_get(&c->keys, object);
    }
}

/* Returns the key of an object in a census, or HPP__NO_BAND, and its set. */
static uint32_t key_if_counted(hpp_census *c, hpp_ref ref, const hpp_object *object, uint32_t *set)
{
    *set = HPP__SET_NONE;
    if (!hpp__restrict_passes(&c->restrictions, object)) {
        return HPP__NO_BAND;
    }
    if (c->has_retainers) {
        *set = hpp__retainer_set(&c->retainer, ref, object);
        if (!hpp__retainer_set_passes(&c->retainer, &c->restrictions, *set)) {
            return HPP__NO_BAND;
        }
        hpp__retainer_charge(&c->retainer, *set, object->size_bytes);
    }
    return key_of(c, object, *set);
}

/* Returns the key of the part of a band that an object is in. */
static uint32_t part_of(hpp_census *c, uint32_t key, uint32_t set, const hpp_object *object)
{
    uint32_t *known = object->stack_word;
    if (known && *known != LOST_PAIR) {
        return *known;
    }
    hpp_object divided = *object;
    divided.stack = object->calls ? object->calls : object->stack;
    uint32_t stack = hpp__band_keys_get(&c->stacks, &divided);
    uint32_t part = stack == HPP__KEY_OUT_OF_MEMORY ? LOST_PAIR : key_of_pair(c, 0, key, stack);
    for (size_t i = 0; i < c->n_further && part != LOST_PAIR; i++) {
        further *f = &c->further[i];
        if (f->by == HPF_BREAKDOWN_RETAINER) {
            part = key_of_pair(c, i + 1, part, set);
        } else if (f->by != HPF_BREAKDOWN_BIOGRAPHY) {
            uint32_t type = hpp__band_keys_get(&f->keys, object);
            part = type == HPP__KEY_OUT_OF_MEMORY ? LOST_PAIR : key_of_pair(c, i + 1, part, type);
        }
    }
    if (known) {
        *known = part;
    }
    return part;
}

/* ---- Counting ---- */

/* Returns the object with its cost instead of its size. */
static hpp_object with_cost(const hpp_census *c, const hpp_object *object)
{
    hpp_object costed = *object;
    costed.size_bytes = c->count_objects ? 1 : object->size_bytes;
    return costed;
}

static void count(hpp_census *c, uint32_t key, uint64_t cost)
{
    if (!HPF__ARRAY_RESERVE_ZEROED(c->counts, c->counts_capacity, key + (size_t)1)) {
        key = c->lost_key;
    }
    c->counts[key] += cost;
}

static void count_part(hpp_census *c, uint32_t part, uint64_t cost)
{
    if (!HPF__ARRAY_RESERVE_ZEROED(c->divided_counts, c->divided_counts_capacity,
                                   part + (size_t)1)) {
        part = LOST_PAIR;
    }
    c->divided_counts[part] += cost;
}

static int visit_object(hpp_ref ref, const hpp_object *object, void *context)
{
    hpp_census *c = context;
    uint32_t set;
    if (c->has_retainers) {
        hpp__retainer_add_holder(&c->retainer, ref, object);
    }
    if (!is_counted(c, object)) {
        return 0;
    }
    c->result.live_bytes += object->size_bytes;
    c->result.n_live_objects++;
    hpp_object costed = with_cost(c, object);
    uint32_t key = key_if_counted(c, ref, &costed, &set);
    bool is_in_band = key != HPP__NO_BAND;
    uint32_t part = is_in_band && c->divides_by_stack ? part_of(c, key, set, &costed) : key;
    c->result.inherited_bytes += is_in_band ? object->inherited_bytes : 0;
    if (c->has_biography) {
        hpp__biography_see(&c->biography, ref, &costed, part);
    } else if (is_in_band) {
        count(c, key, costed.size_bytes);
        if (c->divides_by_stack) {
            count_part(c, part, costed.size_bytes);
        }
    }
    return 0;
}

/* Returns the key of a sum. A sum never changes its stack and shape, so the key is cached, except
 * OUT_OF_MEMORY. */
static uint32_t key_of_sum(hpp_census *c, const hpp_object *sum)
{
    uint32_t set;
    if (!sum->band_word) {
        return key_if_counted(c, 0, sum, &set);
    }
    if (*sum->band_word == 0) {
        uint32_t key = key_if_counted(c, 0, sum, &set);
        if (key == c->lost_key) {
            return key;
        }
        *sum->band_word = key == HPP__NO_BAND ? key : key + 1;
    }
    return *sum->band_word == HPP__NO_BAND ? HPP__NO_BAND : *sum->band_word - 1;
}

static int visit_sum(const hpp_object *sum, uint64_t n_objects, void *context)
{
    hpp_census *c = context;
    if (!is_counted(c, sum)) {
        return 0;
    }
    c->result.live_bytes += sum->size_bytes;
    c->result.n_live_objects += n_objects;
    uint32_t key = key_of_sum(c, sum);
    if (key == HPP__NO_BAND) {
        return 0;
    }
    uint32_t part = c->divides_by_stack ? part_of(c, key, HPP__SET_NONE, sum) : key;
    uint64_t cost = c->count_objects ? n_objects : sum->size_bytes;
    c->result.inherited_bytes += sum->inherited_bytes;
    if (c->has_biography) {
        hpp__biography_add(&c->biography, part, sum->phases, c->has_ended);
    } else {
        count(c, key, cost);
        if (c->divides_by_stack) {
            count_part(c, part, cost);
        }
    }
    return 0;
}

static int visit_for_scheme(hpp_ref ref, const hpp_object *object, void *context)
{
    hpp_census *c = context;
    if (is_counted(c, object) && hpp__restrict_passes(&c->restrictions, object)) {
        hpp_object costed = with_cost(c, object);
        hpp__retainer_charge(c->compared, hpp__retainer_set(c->compared, ref, object),
                             costed.size_bytes);
    }
    return 0;
}

/* Runs the passes of all schemes but the profile's own, which is the last one to run. */
static void pass_schemes(hpp_census *c)
{
    for (size_t i = 1; i < c->schemes.n; i++) {
        c->compared = &c->schemes.retainers[i];
        hpp__scheme_pass(&c->schemes.all[i], c->compared);
        c->heap.objects(visit_for_scheme, c, c->heap.context);
        hpp__scheme_add(&c->schemes.all[i], &c->compared->figures);
    }
    hpp__scheme_pass(c->schemes.all, &c->retainer);
}

static void count_all(hpp_census *c)
{
    if (c->counts) {
        memset(c->counts, 0, c->counts_capacity * sizeof *c->counts);
    }
    if (c->divided_counts) {
        memset(c->divided_counts, 0, c->divided_counts_capacity * sizeof *c->divided_counts);
    }
    if (c->has_biography) {
        hpp__biography_begin_census(&c->biography);
    }
    if (c->uses_sums) {
        c->heap.sums(visit_sum, c, c->heap.context);
    } else {
        c->heap.objects(visit_object, c, c->heap.context);
    }
}

/* ---- Phases ---- */

/* Keys of the breakdown by biography. */
enum { KEY_LOST, KEY_LAG, KEY_USE, KEY_DRAG, KEY_VOID, KEY_INHERENT, KEY_NOT_YET, KEY_NOT_SINCE };

/* One phase as a result shows it: what it costs, and which phases it may turn out to be. */
typedef struct shown_phase {
    uint32_t key, phases;
    uint64_t size_bytes;
} shown_phase;

#define N_SHOWN_PHASES 5

static void list_phases(shown_phase out[N_SHOWN_PHASES], const hpp__phases *p, bool is_final)
{
    out[0] = (shown_phase){KEY_INHERENT, HPP__INHERENT, p->inherent_bytes};
    if (is_final) {
        out[1] = (shown_phase){KEY_LAG, HPP__LAG, p->unused_bytes};
        out[2] = (shown_phase){KEY_USE, HPP__USE, p->used_bytes};
        out[3] = (shown_phase){KEY_DRAG, HPP__DRAG, p->used_now_bytes};
        out[4] = (shown_phase){KEY_VOID, HPP__VOID, p->void_bytes};
    } else {
        out[1] = (shown_phase){KEY_NOT_YET, HPP__LAG | HPP__VOID, p->unused_bytes};
        out[2] = (shown_phase){KEY_USE, HPP__USE, p->used_now_bytes};
        out[3] =
            (shown_phase){KEY_NOT_SINCE, HPP__USE | HPP__DRAG, p->used_bytes - p->used_now_bytes};
        out[4] = (shown_phase){KEY_LOST, 0, 0};
    }
}

/* What a part of a band consists of. */
typedef struct constituents {
    uint32_t band;                 /* its key; the phase in a break-down by biography */
    uint32_t further[MAX_FURTHER]; /* keys of the further break-downs */
    uint32_t stack;                /* its key */
    bool is_lost;                  /* only the phase is known */
} constituents;

static constituents take_apart(const hpp_census *c, uint32_t key)
{
    uint32_t phase = c->divides_by_phase ? key & PHASE_MASK : 0;
    uint32_t pair = c->divides_by_phase ? key >> PHASE_BITS : key;
    constituents out = {.is_lost = pair == LOST_PAIR};
    for (size_t i = c->n_further; i > 0; i--) {
        bool is_phase = c->further[i - 1].by == HPF_BREAKDOWN_BIOGRAPHY;
        out.further[i - 1] = is_phase      ? phase
                             : out.is_lost ? c->further[i - 1].bands.lost_key
                                           : c->pairs[pair].set;
        pair = is_phase || out.is_lost ? pair : c->pairs[pair].producer;
    }
    out.stack = out.is_lost ? HPP__KEY_OUT_OF_MEMORY : c->pairs[pair].set;
    out.band = c->breakdown == HPF_BREAKDOWN_BIOGRAPHY ? phase
               : out.is_lost                           ? c->lost_key
                                                       : c->pairs[pair].producer;
    return out;
}

/* Adds the cost of a part to it, and to the bands of the further break-downs. */
static void add_part(hpp_census *c, uint32_t key, uint64_t cost)
{
    hpp__bands_add(&c->divided, key, cost);
    constituents of = c->n_further > 0 && cost > 0 ? take_apart(c, key) : (constituents){0};
    for (size_t i = 0; i < c->n_further; i++) {
        hpp__bands_add(&c->further[i].bands, of.further[i], cost);
    }
}

/* Adds the cost of a phase of a band, or of a part of a band. */
static void add_phase(hpp_census *c, uint32_t band, const shown_phase *phase)
{
    uint32_t with_phase = band << PHASE_BITS | phase->key;
    bool is_lost = band == c->lost_key;
    uint32_t key = c->is_savings && !is_lost                 ? with_phase
                   : c->breakdown == HPF_BREAKDOWN_BIOGRAPHY ? phase->key
                                                             : band;
    if (c->divides_by_stack) {
        uint32_t part = c->divides_by_phase ? with_phase : band;
        add_part(c, part, phase->size_bytes);
        key = take_apart(c, part).band;
    }
    hpp__bands_add(&c->bands, key, phase->size_bytes);
}

static void add_phases(hpp_census *c, const hpp__phases *phases, size_t n, bool is_final)
{
    for (size_t i = 0; i < n; i++) {
        shown_phase shown[N_SHOWN_PHASES];
        list_phases(shown, &phases[i], is_final);
        for (size_t j = 0; j < N_SHOWN_PHASES; j++) {
            if (shown[j].phases & c->restrictions.phases && shown[j].size_bytes > 0) {
                add_phase(c, phases[i].band, &shown[j]);
            }
        }
    }
}

/* ---- Results ---- */

static const char *const phase_names[] = {"OUT_OF_MEMORY", "LAG",           "USE",
                                          "DRAG",          "VOID",          "INHERENT_USE",
                                          "NOT_YET_USED",  "NOT_USED_SINCE"};

/* Appends the name of a key of a break-down. */
static void write_key(const hpp_census *c, hpf_breakdown by, const hpp__band_keys *keys,
                      uint32_t key, hpp__text *out)
{
    switch (by) {
    case HPF_BREAKDOWN_RETAINER:
        hpp__retainer_write_name(&c->retainer, key, c->max_name_bytes, out);
        break;
    case HPF_BREAKDOWN_BIOGRAPHY:
        hpp__text_add(out, hpf_str_of(phase_names[key]));
        break;
    default:
        hpp__band_keys_write_name(keys, key, c->max_name_bytes, out);
    }
}

static void write_name(uint32_t key, hpp__text *out, void *context)
{
    const hpp_census *c = context;
    if (c->is_savings && key != c->lost_key) {
        const origin_pair *pair = &c->pairs[key >> PHASE_BITS];
        hpp__text_add(out, hpf_str_of(phase_names[key & PHASE_MASK]));
        hpp__text_add(out, HPF_STR(" "));
        hpp__band_keys_write_name(&c->keys, pair->producer, c->max_name_bytes, out);
        hpp__text_add(out, HPF_STR(" <- "));
        hpp__retainer_write_name(&c->retainer, pair->set, c->max_name_bytes, out);
    } else {
        write_key(c, c->breakdown, &c->keys, key, out);
    }
}

static void write_divided_name(uint32_t key, hpp__text *out, void *context)
{
    write_name(take_apart(context, key).band, out, context);
}

static void write_further_name(uint32_t key, hpp__text *out, void *context)
{
    const further *f = context;
    write_key(f->census, f->by, &f->keys, key, out);
}

static void begin_bands(hpp_census *c)
{
    hpp__bands_begin(&c->bands);
    if (c->divides_by_stack) {
        hpp__bands_begin(&c->divided);
    }
    for (size_t i = 0; i < c->n_further; i++) {
        hpp__bands_begin(&c->further[i].bands);
    }
}

/* Ends bands, and stores them. */
static void end_bands(hpp_census *c, hpp__bands *bands, hpp_bands *out)
{
    hpp_census_result result;
    hpp__bands_end(bands, &result);
    *out = (hpp_bands){.bands = result.bands, .n_bands = result.n_bands};
    if (result.missing.unnamed_bytes > c->result.missing.unnamed_bytes) {
        c->result.missing.unnamed_bytes = result.missing.unnamed_bytes;
    }
}

/* Stores the bands in the result, with their parts and those of the further break-downs. */
static void end_all_bands(hpp_census *c)
{
    hpp__bands_end(&c->bands, &c->result);
    for (size_t part = 0; part < c->divided_counts_capacity; part++) {
        add_part(c, (uint32_t)part, c->divided_counts[part]);
    }
    if (c->divides_by_stack) {
        end_bands(c, &c->divided, &c->result.by_stack);
    }
    for (size_t i = 0; i < c->n_further; i++) {
        end_bands(c, &c->further[i].bands, &c->result.further[i]);
        c->result.further[i].by = c->further[i].by;
    }
}

static void note_missing(hpp_census *c)
{
    if (c->has_retainers) {
        hpp__retainer_end_holders(&c->retainer);
        c->result.retainers = c->retainer.figures;
        c->result.missing.n_untraced = c->retainer.n_untraced;
        c->result.missing.n_sets = c->retainer.sets.n_failed;
        c->retainer.sets.n_failed = 0;
    }
    c->result.missing.n_biographies = c->biography.n_lost;
    c->result.missing.n_eras = c->biography.n_skipped;
}

static void keep_era(hpp_census *c)
{
    hpp__era era = {
        .time_s = c->result.time_s,
        .live_bytes = c->result.live_bytes,
        .n_live_objects = c->result.n_live_objects,
        .retainers = c->result.retainers,
        .missing = c->result.missing,
    };
    hpp__biography_end_census(&c->biography, &era);
    c->result.missing.n_eras = c->biography.n_skipped;
}

const hpp_census_result *hpp_census_take(hpp_census *c, double time_s)
{
    c->result = (hpp_census_result){.time_s = time_s, .era = c->result.era + 1};
    begin_bands(c);
    if (!c->has_ended) {
        if (c->has_retainers) {
            pass_schemes(c);
        }
        count_all(c);
        if (c->schemes.n > 0) {
            hpp__scheme_add(c->schemes.all, &c->retainer.figures);
        }
        note_missing(c);
        if (c->has_biography) {
            c->result.era = c->biography.era;
            c->result.is_provisional = true;
            add_phases(c, c->biography.now, c->biography.now_capacity, false);
            keep_era(c);
        } else {
            for (size_t key = 0; key < c->counts_capacity; key++) {
                hpp__bands_add(&c->bands, (uint32_t)key, c->counts[key]);
            }
        }
    }
    end_all_bands(c);
    return &c->result;
}

uint32_t hpp_census_n_eras(const hpp_census *c)
{
    return c->has_biography ? c->biography.era - 1 : 0;
}

const hpp_census_result *hpp_census_final(hpp_census *c, uint32_t index)
{
    assert(index < hpp_census_n_eras(c));
    const hpp__era *era = &c->biography.eras[index];
    c->result = (hpp_census_result){
        .time_s = era->time_s,
        .era = index + 1,
        .is_provisional = !c->biography.is_summed_up,
        .live_bytes = era->live_bytes,
        .n_live_objects = era->n_live_objects,
        .retainers = era->retainers,
        .missing = era->missing,
    };
    c->result.missing.n_biographies = c->biography.n_lost;
    c->result.missing.n_eras = c->biography.n_skipped;
    begin_bands(c);
    if (c->uses_sums && c->has_ended) {
        count_all(c);
        c->result.live_bytes = era->live_bytes;
        c->result.n_live_objects = era->n_live_objects;
        add_phases(c, c->biography.now, c->biography.now_capacity, true);
    } else {
        add_phases(c, era->phases, era->n_phases, c->biography.is_summed_up);
    }
    end_all_bands(c);
    return &c->result;
}

/* ---- Hooks ---- */

static bool lives(const hpp_census *c)
{
    return c->has_biography && !c->has_ended;
}

static void lock(hpp_census *c)
{
    if (c->many_threads) {
        pthread_mutex_lock(&c->lock);
    }
}

static void unlock(hpp_census *c)
{
    if (c->many_threads) {
        pthread_mutex_unlock(&c->lock);
    }
}

uint32_t hpp_census_era(const hpp_census *c)
{
    return lives(c) ? c->biography.era : 0;
}

const uint32_t *hpp__census_era_place(const hpp_census *c)
{
    return &c->biography.era;
}

void hpp_census_created(hpp_census *c, hpp_ref ref, uint64_t *life_word)
{
    if (lives(c)) {
        lock(c);
        hpp__biography_created(&c->biography, ref, life_word);
        unlock(c);
    }
}

void hpp_census_used(hpp_census *c, hpp_ref ref, uint64_t *life_word)
{
    if (lives(c)) {
        lock(c);
        hpp__biography_used(&c->biography, ref, life_word);
        unlock(c);
    }
}

/* Finds the key under which an object dies: the key of the censuses that visited it. No key is
 * created here, so that the order of bands does not depend on when dead objects are found. Returns
 * false if no census has counted it. */
static bool find_last_key(hpp_census *c, const hpp_object *object, uint32_t *key)
{
    *key = 0;
    return hpp__restrict_passes(&c->restrictions, object) &&
           (c->breakdown == HPF_BREAKDOWN_BIOGRAPHY || hpp__band_keys_find(&c->keys, object, key));
}

void hpp_census_dead(hpp_census *c, hpp_ref ref, const hpp_object *object)
{
    if (lives(c)) {
        hpp_object costed = with_cost(c, object);
        hpp__last_phase phase;
        uint32_t key;
        hpp__life_seconds life;
        lock(c);
        if (c->life_times && hpp__restrict_passes(&c->restrictions, object) &&
            hpp__biography_measure(&c->biography, ref, &costed, &life)) {
            hpp__life_times_add(c->life_times, &costed, &life);
        }
        if (hpp__biography_dead(&c->biography, ref, &costed, &phase) &&
            find_last_key(c, object, &key)) {
            hpp__biography_record(&c->biography, &phase, key);
        }
        unlock(c);
    }
}

void hpp_census_moved(hpp_census *c, hpp_ref from, hpp_ref to)
{
    if (lives(c)) {
        lock(c);
        hpp__biography_moved(&c->biography, from, to);
        unlock(c);
    }
}

static int kill_object(hpp_ref ref, const hpp_object *object, void *context)
{
    hpp_census_dead(context, ref, object);
    return 0;
}

hpf_status hpp_census_end(hpp_census *c, hpf_error *err)
{
    if (!c->has_biography) {
        return HPF_OK;
    }
    if (!c->has_ended && !c->uses_sums) {
        c->heap.objects(kill_object, c, c->heap.context);
    }
    c->has_ended = true;
    return hpp__biography_sum_up(&c->biography, err);
}

/* ---- Retainer sets ---- */

static hpf_str shown(const hpp__text *text)
{
    return text->is_short ? HPF_STR("OUT_OF_MEMORY") : hpp__text_str(text);
}

int hpp_census_each_set(hpp_census *c, hpp_visit_set *visit, void *context)
{
    int result = 0;
    uint32_t n_sets = c->has_retainers ? c->retainer.sets.n_sets : 0;
    for (uint32_t set = HPP__FIRST_SET; set < n_sets && result == 0; set++) {
        if (hpp__retainer_is_charged(&c->retainer, set)) {
            hpp__text text = {0};
            hpp__retainer_write_whole(&c->retainer, set, &text);
            result = visit(set, shown(&text), context);
            hpp__text_finish(&text);
        }
    }
    return result;
}

bool hpp_census_compares_schemes(const hpp_census *c)
{
    return c->schemes.n > 0;
}

int hpp_census_each_scheme(const hpp_census *c, hpp_visit_scheme *visit, void *context)
{
    int result = 0;
    for (size_t i = 0; i < c->schemes.n && result == 0; i++) {
        result = visit(&c->schemes.all[i], context);
    }
    return result;
}

int hpp_census_each_holding(hpp_census *c, hpp_visit_holding *visit, void *context)
{
    int result = 0;
    const hpp__retainer *r = &c->retainer;
    for (size_t i = 0; c->has_retainers && i < r->holders.n && result == 0; i++) {
        const hpp__holding *h = &r->holders.all[i];
        hpp__text retainer = {0}, by = {0};
        hpp__band_keys_write_whole(&r->identity, h->retainer, &retainer);
        if (h->set != HPP__SET_OF_ROOT) {
            hpp__retainer_write_whole(r, h->set, &by);
        }
        result = visit(&(hpp_holding){.retainer = shown(&retainer),
                                      .by = shown(&by),
                                      .is_root = h->set == HPP__SET_OF_ROOT,
                                      .size_bytes = h->most_bytes,
                                      .n_objects = h->n_most_objects},
                       context);
        hpp__text_finish(&retainer);
        hpp__text_finish(&by);
    }
    return result;
}

bool hpp_census_has_retainers(const hpp_census *c)
{
    return c->has_retainers;
}

const hpp__life_times *hpp__census_life_times(const hpp_census *c)
{
    return c->life_times;
}

bool hpp_census_has_biography(const hpp_census *c)
{
    return c->has_biography;
}

/* ---- Frames ---- */

static hpf_frame frame_of(const hpp_stacks *stacks, void *context, const void *stack)
{
    hpf_frame frame = {.label = stacks->label(stack, context),
                       .module = stacks->module(stack, context)};
    frame.source = stacks->source ? stacks->source(stack, context) : HPF_STR("");
    frame.function_source =
        stacks->function_source ? stacks->function_source(stack, context) : HPF_STR("");
    frame.is_caf = hpf_str_is(frame.label, "CAF");
    return frame;
}

/* Returns the name of a key that has a band. */
static hpf_str name_of(const hpp__bands *bands, uint32_t key)
{
    uint32_t index = key < bands->index_of_capacity ? bands->index_of[key] : 0;
    return index > 0 ? bands->bands[index - 1].name : HPF_STR("OUT_OF_MEMORY");
}

/* Stores the frames of a part of a band: what the band is, unless it is a stack itself, what the
 * further break-downs say, and the stack. */
static size_t divided_frames(const hpp_census *c, uint32_t index, hpf_frame *frames, size_t room)
{
    constituents of = take_apart(c, c->divided.key_of[index]);
    size_t n_names = 0;
    assert(room >= MAX_FURTHER + 2);
    if (c->breakdown != HPF_BREAKDOWN_COST_CENTRE) {
        hpf_str band = c->divided.bands[index].name;
        frames[n_names++] = (hpf_frame){.label = band, .type = band};
    }
    for (size_t i = 0; i < c->n_further; i++) {
        hpf_str name = name_of(&c->further[i].bands, of.further[i]);
        frames[n_names++] = (hpf_frame){.label = name, .type = name, .further = c->further[i].by};
    }
    if (of.is_lost) {
        return n_names;
    }
    size_t n = hpp__stack_frames(c->heap.stacks, c->heap.context, c->stacks.origins[of.stack].stack,
                                 frames + n_names, room - n_names);
    if (n == 0 && n_names > 0) { /* MAIN, or not a stack of functions */
        frames[n_names] = (hpf_frame){.label = hpp__band_keys_label(&c->stacks, of.stack)};
        n = 1;
    }
    return n_names + n;
}

size_t hpp__census_frames(const hpp_census *c, uint32_t band_index, hpf_frame *frames, size_t room)
{
    if (c->divides_by_stack) {
        return divided_frames(c, band_index, frames, room);
    }
    uint32_t key = c->bands.key_of[band_index];
    if (c->breakdown != HPF_BREAKDOWN_COST_CENTRE || c->is_savings || key == c->lost_key) {
        return 0;
    }
    return hpp__stack_frames(c->heap.stacks, c->heap.context, c->keys.origins[key].stack, frames,
                             room);
}

size_t hpp__stack_frames(const hpp_stacks *stacks, void *context, const void *stack,
                         hpf_frame *frames, size_t room)
{
    size_t n = 0;
    const void *below;
    for (; stack && (below = stacks->parent(stack, context)); stack = below) {
        if (n < room) {
            frames[n] = frame_of(stacks, context, stack);
        }
        n++;
    }
    return n;
}

/* ---- Life ---- */

static hpf_status init_parts(hpp_census *c, const hpp_census_options *options, hpf_error *err)
{
    bool by_object =
        c->breakdown != HPF_BREAKDOWN_RETAINER && c->breakdown != HPF_BREAKDOWN_BIOGRAPHY;
    c->lost_key = c->breakdown == HPF_BREAKDOWN_RETAINER ? HPP__SET_OUT_OF_MEMORY : 0;
    hpf_status status = hpp__restrict_init(&c->restrictions, &c->heap, options->restrictions,
                                           options->n_restrictions, c->arena, err);
    if (status == HPF_OK && c->breakdown == HPF_BREAKDOWN_INFO_TABLE) {
        status = hpf_error_set(err, HPF_ERR_ARGUMENT, "invalid break-down");
    }
    if (status == HPF_OK && by_object) {
        status = hpp__band_keys_init(&c->keys, c->breakdown, &c->heap, c->arena, err);
    }
    c->has_retainers = hpp_census_asks_for(options, HPF_BREAKDOWN_RETAINER) || c->is_savings;
    c->has_biography = hpp_census_asks_for(options, HPF_BREAKDOWN_BIOGRAPHY) || c->is_savings;
    if (c->is_savings) {
        c->restrictions.phases &= HPP__LAG | HPP__DRAG | HPP__VOID;
    }
    c->uses_sums =
        c->heap.sums && !c->has_retainers && (!c->has_biography || c->heap.sums_have_phases);
    if (status == HPF_OK && !c->uses_sums && !c->heap.objects) {
        status = hpf_error_set(err, HPF_ERR_ARGUMENT,
                               "this profile needs a heap that can visit objects");
    }
    if (status == HPF_OK && c->has_retainers) {
        uint32_t max = options->max_retainers ? options->max_retainers : 8;
        status =
            hpp__retainer_init(&c->retainer, &c->heap, &options->retaining, max, c->arena, err);
        status = status == HPF_OK
                     ? hpp__schemes_init(&c->schemes, &c->heap, options, max, c->arena, err)
                     : status;
    }
    if (status == HPF_OK && c->has_biography) {
        bool has_histories =
            c->has_retainers || options->n_further > 0 || c->heap.deaths_have_only_sizes;
        status =
            hpp__biography_init(&c->biography, c->heap.ref_shift, has_histories, c->lost_key, err);
    }
    if (status != HPF_OK || !options->life_times) {
        return status;
    }
    if (!c->has_biography || c->uses_sums) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "--life-times needs a biography: use -hb, or -hc with -hbdrag,void");
    }
    c->life_times = hpf_arena_alloc(c->arena, sizeof *c->life_times);
    return c->life_times ? hpp__life_times_init(c->life_times, &c->heap, c->arena, err)
                         : hpf_error_set_memory(err);
}

hpf_status hpp_census_create(hpp_census **out, const hpp_heap *heap,
                             const hpp_census_options *options, hpf_error *err)
{
    static const hpp_census_options none;
    options = options ? options : &none;
    *out = NULL;
    hpp_census *c = calloc(1, sizeof *c);
    if (!c) {
        return hpf_error_set_memory(err);
    }
    c->is_savings = options->savings;
    c->breakdown =
        options->breakdown && !c->is_savings ? options->breakdown : HPF_BREAKDOWN_COST_CENTRE;
    c->n_pairs = 1;
    c->max_name_bytes = options->max_name_bytes ? options->max_name_bytes : 25;
    c->count_stacks = options->count_stacks;
    c->count_objects = options->count_objects;
    c->many_threads = options->many_threads;
    pthread_mutex_init(&c->lock, NULL);
    c->arena = hpf_arena_create();
    hpf_status status = HPF__OPTIONS_COPY(&c->heap, heap, err);
    if (status == HPF_OK) {
        status = c->arena ? init_parts(c, options, err) : hpf_error_set_memory(err);
    }
    /* The counts of the band OUT_OF_MEMORY must not need memory later. */
    if (status == HPF_OK &&
        (!HPF__ARRAY_RESERVE_ZEROED(c->counts, c->counts_capacity, c->lost_key + (size_t)1) ||
         !hpp__bands_init(&c->bands, c->lost_key, write_name, c, c->arena))) {
        status = hpf_error_set_memory(err);
    }
    if (status != HPF_OK) {
        hpp_census_destroy(c);
        return status;
    }
    *out = c;
    return HPF_OK;
}

bool hpp__census_has_calls(const hpp_census *c)
{
    return c->heap.stacks && c->heap.stacks->function_source;
}

/* Adds a further break-down, unless the stacks say it. */
static hpf_status add_further(hpp_census *c, hpf_breakdown by, hpf_error *err)
{
    bool is_type = by == HPF_BREAKDOWN_TYPE, is_set = by == HPF_BREAKDOWN_RETAINER;
    if (!is_type && !is_set && by != HPF_BREAKDOWN_BIOGRAPHY) {
        return HPF_OK;
    }
    further *f = &c->further[c->n_further++];
    *f = (further){.census = c, .by = by};
    hpf_status status =
        is_type ? hpp__band_keys_init(&f->keys, by, &c->heap, c->arena, err) : HPF_OK;
    if (status == HPF_OK && !hpp__bands_init(&f->bands, is_set ? HPP__SET_OUT_OF_MEMORY : 0,
                                             write_further_name, f, c->arena)) {
        status = hpf_error_set_memory(err);
    }
    c->divides_by_phase |= by == HPF_BREAKDOWN_BIOGRAPHY;
    return status;
}

hpf_status hpp__census_divide_by_stack(hpp_census *c, const hpp_census_options *options,
                                       hpf_error *err)
{
    hpf_status status =
        hpp__band_keys_init(&c->stacks, HPF_BREAKDOWN_COST_CENTRE, &c->heap, c->arena, err);
    if (status == HPF_OK &&
        ((!c->has_biography &&
          !HPF__ARRAY_RESERVE_ZEROED(c->divided_counts, c->divided_counts_capacity, 1)) ||
         !hpp__bands_init(&c->divided, LOST_PAIR, write_divided_name, c, c->arena))) {
        status = hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < options->n_further && status == HPF_OK; i++) {
        status = add_further(c, options->further[i], err);
    }
    c->divides_by_phase |= c->breakdown == HPF_BREAKDOWN_BIOGRAPHY;
    c->biography.lost_band = LOST_PAIR;
    c->biography.keeps_phases = !c->uses_sums;
    c->divides_by_stack = status == HPF_OK;
    return status;
}

void hpp_census_destroy(hpp_census *c)
{
    if (!c) {
        return;
    }
    hpp__restrict_finish(&c->restrictions);
    hpp__band_keys_finish(&c->keys);
    hpp__band_keys_finish(&c->stacks);
    hpp__retainer_finish(&c->retainer);
    hpp__schemes_finish(&c->schemes);
    hpp__biography_finish(&c->biography);
    if (c->life_times) {
        hpp__life_times_finish(c->life_times);
    }
    hpp__bands_finish(&c->bands);
    hpp__bands_finish(&c->divided);
    for (size_t i = 0; i < c->n_further; i++) {
        hpp__band_keys_finish(&c->further[i].keys);
        hpp__bands_finish(&c->further[i].bands);
    }
    hpp__map_finish(&c->pair_of);
    free(c->pairs);
    free(c->counts);
    free(c->divided_counts);
    hpf_arena_destroy(c->arena);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
