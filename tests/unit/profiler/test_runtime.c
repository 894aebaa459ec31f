/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Random programs on a heap whose objects move and whose slots are used again. Objects have
 * headers, or none, or some do. The program calls only the hooks that the profile needs, and keeps
 * a record of every object; each profile is compared with what the definitions say of the records.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpprof/runtime.h"
#include "core/profiler.h"
#include "hpprof/scope.h"
#include "rng.h"
#include "scratch.h"

enum { N_ERAS = 10, N_SLOTS = 96, N_OBJECTS = 1000, N_CENTRES = 4, N_CHILDREN = 2, NONE = -1 };

/* An object of the record, by the order of creation. */
typedef struct object {
    bool is_thunk; /* a retainer */
    bool has_header, is_root;
    uint64_t payload_bytes;
    int centre;
    int children[N_CHILDREN];
    int slot;                              /* NONE: the collector has found it dead */
    int created, first_use, last_use, end; /* eras from 1; 0: never */
    unsigned retainers[N_ERAS + 1];        /* at the census of each era: a bit for each centre */
} object;

typedef struct cell {
    hpp_header header;
    int object; /* NONE: free */
} cell;

typedef enum header_use { NO_HEADERS, SOME_HEADERS, ALL_HEADERS } header_use;

/* What a profile shows. */
typedef struct view {
    bool by_phase;     /* else by producer */
    int only_phase;    /* NONE: all */
    int only_retainer; /* a centre; NONE: all objects */
} view;

static struct {
    cell slots[N_SLOTS];
    object objects[N_OBJECTS];
    int n_objects, era;
    header_use headers;
    rng random;
    hpp_runtime *runtime;
    hpp_needs needs;
} w;

static hpp_cc centres[N_CENTRES] = {
    HPP_CC_INIT("c0", "M", "", 0),
    HPP_CC_INIT("c1", "M", "", 0),
    HPP_CC_INIT("c2", "M", "", 0),
    HPP_CC_INIT("c3", "M", "", 0),
};

static const hpp_shape data = {.description = {"Data", 4}};
static const hpp_shape thunk = {.description = {"thunk", 5}, .flags = HPP_RETAINER};

static int random_below(int limit)
{
    return (int)rng_below(&w.random, (uint64_t)limit);
}

/* ---- The language ---- */

static hpp_ref ref_of(const object *o)
{
    return (hpp_ref)&w.slots[o->slot];
}

static object *object_at(hpp_ref ref)
{
    int index = ((cell *)ref)->object;
    cr_assert_neq(index, NONE, "a free slot is described");
    return &w.objects[index];
}

static const hpp_shape *shape_of(hpp_ref ref, void *context)
{
    (void)context;
    return object_at(ref)->is_thunk ? &thunk : &data;
}

static uint64_t size_of(const object *o)
{
    return o->payload_bytes + (o->has_header ? sizeof(hpp_header) : 0);
}

static uint64_t size_at(hpp_ref ref, void *context)
{
    (void)context;
    return size_of(object_at(ref));
}

static hpp_header *header_at(hpp_ref ref, void *context)
{
    (void)context;
    return object_at(ref)->has_header ? &((cell *)ref)->header : NULL;
}

static size_t children_of(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                          void *context)
{
    (void)context;
    const object *o = object_at(ref);
    size_t n = 0;
    for (size_t i = from_index; i < N_CHILDREN && n < capacity; i++) {
        out[n++] = o->children[i] == NONE ? 0 : ref_of(&w.objects[o->children[i]]);
    }
    return n;
}

static int visit_slots(hpp_visit_root *visit, void *visit_context, void *context)
{
    bool only_roots = context != NULL;
    for (int i = 0; i < N_SLOTS; i++) {
        if (w.slots[i].object != NONE && (!only_roots || w.objects[w.slots[i].object].is_root)) {
            visit((hpp_ref)&w.slots[i], visit_context);
        }
    }
    return 0;
}

static int visit_roots(hpp_visit_root *visit, void *visit_context, void *context)
{
    (void)context;
    return visit_slots(visit, visit_context, &w);
}

static int visit_objects(hpp_visit_root *visit, void *visit_context, void *context)
{
    (void)context;
    return visit_slots(visit, visit_context, NULL);
}

/* ---- The collector ---- */

static bool is_live(const object *o)
{
    return o->end == 0;
}

static int free_slot(void)
{
    int first = random_below(N_SLOTS);
    for (int i = 0; i < N_SLOTS; i++) {
        int slot = (first + i) % N_SLOTS;
        if (w.slots[slot].object == NONE) {
            return slot;
        }
    }
    return NONE;
}

/* What the collector leaves in a slot that it has freed. */
static void clear_slot(int index)
{
    memset(&w.slots[index], 0x5a, sizeof w.slots[index]);
    w.slots[index].object = NONE;
}

static void collect(void)
{
    for (int i = 0; i < w.n_objects; i++) {
        object *o = &w.objects[i];
        if (!is_live(o) && o->slot != NONE) {
            if (w.needs.young_dead || (w.needs.dead && o->created < w.era)) {
                hpp_runtime_dead(w.runtime, ref_of(o));
            }
            clear_slot(o->slot);
            o->slot = NONE;
        }
    }
    for (int i = 0; i < w.n_objects; i++) {
        object *o = &w.objects[i];
        int from = o->slot, to = free_slot();
        if (is_live(o) && to != NONE && random_below(2) == 0) {
            w.slots[to] = w.slots[from];
            clear_slot(from);
            o->slot = to;
            if (w.needs.moved) {
                hpp_runtime_moved(w.runtime, (hpp_ref)&w.slots[from], (hpp_ref)&w.slots[to]);
            }
        }
    }
}

/* ---- The program ---- */

static int random_live_object(void)
{
    for (int tries = 0; w.n_objects > 0 && tries < 20; tries++) {
        int i = random_below(w.n_objects);
        if (is_live(&w.objects[i])) {
            return i;
        }
    }
    return NONE;
}

/* Records a new object in a slot. */
static object *new_object(int slot, int centre, bool has_header)
{
    object *o = &w.objects[w.n_objects];
    *o = (object){.is_thunk = random_below(3) == 0,
                  .has_header = has_header,
                  .is_root = random_below(4) == 0,
                  .payload_bytes = (uint64_t)random_below(50) + 1,
                  .centre = centre,
                  .children = {random_live_object(), random_live_object()},
                  .slot = slot,
                  .created = w.era};
    w.slots[slot].object = w.n_objects++;
    return o;
}

static void create(void)
{
    int slot = free_slot();
    if (slot == NONE || w.n_objects == N_OBJECTS) {
        return;
    }
    int centre = random_below(N_CENTRES);
    bool has_header = w.headers == SOME_HEADERS ? random_below(2) == 0 : w.headers == ALL_HEADERS;
    object *o = new_object(slot, centre, has_header);
    HPP_UNDER(hpp_ccs_push(hpp_ccs_builtin(HPP_CCS_MAIN), &centres[centre]))
    {
        hpp_runtime_created(w.runtime, ref_of(o), (size_t)size_of(o));
    }
}

static void use(object *o)
{
    if (o->has_header) {
        hpp_header_used(w.runtime, &w.needs, ref_of(o), &w.slots[o->slot].header);
    } else if (w.needs.used) {
        hpp_runtime_used(w.runtime, ref_of(o));
    }
    o->first_use = o->first_use ? o->first_use : w.era;
    o->last_use = w.era;
}

/* An object dies when the program drops it; the collector finds it later. */
static void drop(int index)
{
    w.objects[index].end = w.era;
    for (int i = 0; i < w.n_objects; i++) {
        for (int k = 0; k < N_CHILDREN; k++) {
            int *child = &w.objects[i].children[k];
            *child = *child == index ? NONE : *child;
        }
    }
}

static void record_overwriting(hpp_ref ref, hpp_header *header, bool is_done)
{
    if (header) {
        hpp_header_overwritten(w.runtime, &w.needs, ref, header, is_done);
    } else {
        hpp_runtime_overwritten(w.runtime, ref, is_done);
    }
}

static void overwrite(int index)
{
    object *old = &w.objects[index];
    if (w.n_objects == N_OBJECTS) {
        return;
    }
    hpp_header *header = old->has_header ? &w.slots[old->slot].header : NULL;
    record_overwriting(ref_of(old), header, false);
    drop(index);
    object *new = new_object(old->slot, old->centre, old->has_header);
    old->slot = NONE;
    record_overwriting(ref_of(new), header, true);
}

static void step(void)
{
    int action = random_below(12), i = random_live_object();
    if (action < 4 || i == NONE) {
        create();
    } else if (action < 8) {
        use(&w.objects[i]);
    } else if (action < 10) {
        drop(i);
    } else if (action < 11) {
        overwrite(i);
    } else {
        w.objects[i].children[random_below(N_CHILDREN)] = random_live_object();
    }
    if (random_below(15) == 0) {
        collect();
    }
}

/* ---- The definitions ---- */

enum { LAG, USE, DRAG, VOID, ABSENT };
static const char *const phase_names[] = {"LAG", "USE", "DRAG", "VOID"};
static const char *const phase_selectors[] = {"lag", "use", "drag", "void"};

static int phase_of(const object *o, int era)
{
    if (era < o->created || (o->end != 0 && era >= o->end)) {
        return ABSENT;
    }
    if (o->first_use == 0) {
        return VOID;
    }
    return era < o->first_use ? LAG : era <= o->last_use ? USE : DRAG;
}

/* Solves the equations of retainer sets for this era. */
static void solve_retainers(void)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < w.n_objects; i++) {
            object *o = &w.objects[i];
            if (!is_live(o)) {
                continue;
            }
            unsigned *own = &o->retainers[w.era];
            *own |= o->is_root ? 1u << o->centre : 0;
            unsigned passed_on = *own == 0 ? 0 : o->is_thunk ? 1u << o->centre : *own;
            for (int k = 0; k < N_CHILDREN; k++) {
                if (o->children[k] != NONE) {
                    unsigned *set = &w.objects[o->children[k]].retainers[w.era];
                    has_changed |= (passed_on & ~*set) != 0;
                    *set |= passed_on;
                }
            }
        }
    }
}

static uint64_t expected_bytes(const view *v, int era, int band)
{
    uint64_t bytes = 0;
    for (int i = 0; i < w.n_objects; i++) {
        const object *o = &w.objects[i];
        int phase = phase_of(o, era);
        bool is_selected =
            phase != ABSENT && (v->only_phase == NONE || v->only_phase == phase) &&
            (v->only_retainer == NONE || (o->retainers[era] >> v->only_retainer & 1));
        bytes += is_selected && band == (v->by_phase ? phase : o->centre) ? o->payload_bytes : 0;
    }
    return bytes;
}

/* Compares all bands of a result; nothing else may be in it. */
static void check(const hpp_census_result *result, const view *v, int era)
{
    uint64_t sum = 0;
    for (int band = 0; band < 4; band++) {
        const char *name = v->by_phase ? phase_names[band] : centres[band].label;
        uint64_t found = 0, expected = expected_bytes(v, era, band);
        for (size_t i = 0; i < result->n_bands; i++) {
            hpf_str text = result->bands[i].name; /* "(id)c0" */
            size_t n = strlen(name);
            if (text.length >= n && memcmp(text.data + text.length - n, name, n) == 0) {
                found = result->bands[i].size_bytes;
            }
        }
        cr_assert_eq(found, expected, "era %d, %s: %lu bytes, expected %lu", era, name,
                     (unsigned long)found, (unsigned long)expected);
        sum += expected;
    }
    cr_assert_eq(result->size_bytes, sum);
}

/* ---- Runs ---- */

/* The profile's clock: an era is a second. */
static uint64_t era_ns(void *context)
{
    (void)context;
    return (uint64_t)w.era * UINT64_C(1000000000);
}

static void run(uint64_t seed, header_use headers, const view *v)
{
    memset(&w, 0, sizeof w);
    w.random = (rng){seed};
    w.headers = headers;
    for (int i = 0; i < N_SLOTS; i++) {
        clear_slot(i);
    }
    char text[100], *end = text + sprintf(text, v->by_phase ? "-hb" : "-hc");
    if (v->only_phase != NONE) {
        end += sprintf(end, " -hb%s", phase_selectors[v->only_phase]);
    }
    if (v->only_retainer != NONE) {
        sprintf(end, " -hr%s", centres[v->only_retainer].label);
    }
    hpp_options *options = hpp_options_create();
    cr_assert_eq(hpp_options_parse(options, (hpf_str){text, strlen(text)}, NULL), HPF_OK);
    options->stem = scratch_path("mixed");
    const hpp_language language = {.size = sizeof language,
                                   .shape = shape_of,
                                   .size_bytes = size_at,
                                   .header = headers == NO_HEADERS ? NULL : header_at,
                                   .all_have_headers = headers == ALL_HEADERS,
                                   .children = children_of,
                                   .objects = visit_objects,
                                   .roots = visit_roots};
    const hpp_config config = {.size = sizeof config,
                               .options = options,
                               .program = "mixed",
                               .ticker = HPP_TICKER_NONE,
                               .clock = {era_ns, NULL}};
    cr_assert_eq(hpp_runtime_start(&w.runtime, &language, &config, NULL), HPF_OK);
    w.needs = hpp_runtime_needs(w.runtime);
    hpp_census *census = hpp__profiler_engine(hpp_runtime_profiler(w.runtime));
    bool has_biography = v->by_phase || v->only_phase != NONE;
    for (w.era = 1; w.era <= N_ERAS; w.era++) {
        for (int n = random_below(60); n > 0; n--) {
            step();
        }
        collect();
        solve_retainers();
        const hpp_census_result *result = hpp_census_take(census, w.era);
        if (!has_biography) {
            check(result, v, w.era);
        }
    }
    cr_assert_eq(hpp_runtime_stop(w.runtime, NULL), HPF_OK);
    for (int era = 1; has_biography && era <= N_ERAS; era++) {
        check(hpp_census_final(census, (uint32_t)era - 1), v, era);
    }
    hpp_runtime_destroy(w.runtime);
    hpp_options_destroy(options);
}

/* Runs programs with each kind of view. */
static void run_all(header_use headers)
{
    scratch_begin();
    for (uint64_t seed = 1; seed <= 240; seed++) {
        run(seed, headers,
            &(view){.by_phase = seed % 2,
                    .only_phase = seed / 2 % 2 ? (int)(seed / 4 % 4) : NONE,
                    .only_retainer = seed / 16 % 2 ? (int)(seed / 32 % N_CENTRES) : NONE});
    }
    scratch_end();
}

Test(runtime, random_programs_with_headers)
{
    run_all(ALL_HEADERS);
}

Test(runtime, random_programs_without_headers)
{
    run_all(NO_HEADERS);
}

Test(runtime, random_programs_with_headers_in_some_objects)
{
    run_all(SOME_HEADERS);
}
