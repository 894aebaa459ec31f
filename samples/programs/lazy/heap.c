/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap: chunks that are filled front to back, and Cheney's copying collector: survivors are
 * copied to new chunks, which are scanned for references to more survivors until there are none.
 * Large objects do not move: each has a chunk of its own, which is kept. Indirections are not
 * copied: references to them are replaced by references to their values.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

enum {
    CHUNK_BYTES = 64 * 1024,
    LARGE_BYTES = CHUNK_BYTES / 4, /* objects of this size and more are not copied */
};

/* ---- Objects --------------------------------------------------------------------------------- */

static size_t payload_bytes(const lz_object *o)
{
    if (o->info->kind == LZ_BYTES) {
        size_t n_bytes = *(const size_t *)(const void *)(o + 1);
        return sizeof(size_t) + (n_bytes + 7) / 8 * 8;
    }
    return o->info->n_words * sizeof(lz_object *);
}

size_t lz_size_bytes(const lz_object *o)
{
    return sizeof *o + payload_bytes(o);
}

bool lz_is_static(const lz_object *o)
{
    return (o->info->shape.flags & HPP_STATIC) != 0;
}

/* Returns the copy of an object, which its header refers to, or NULL if it was not copied. */
static lz_object *forwarded(const lz_object *o)
{
    uintptr_t info = (uintptr_t)o->info;
    return info & 1 ? (lz_object *)(info - 1) : NULL;
}

/* ---- Allocation ------------------------------------------------------------------------------ */

static lz_chunk *new_chunk(size_t capacity_bytes)
{
    lz_chunk *chunk = aligned_alloc(16, (sizeof *chunk + capacity_bytes + 15) / 16 * 16);
    if (!chunk) {
        lz_fail("out of memory");
    }
    *chunk = (lz_chunk){.capacity_bytes = capacity_bytes};
    return chunk;
}

static char *bytes_of(lz_chunk *chunk)
{
    return (char *)(chunk + 1);
}

static void *allocate(lz_runtime *rt, size_t n_bytes)
{
    lz_chunk *chunk = rt->filling;
    if (n_bytes >= LARGE_BYTES) {
        chunk = new_chunk(n_bytes);
        chunk->next = rt->large;
        rt->large = chunk;
    } else if (!chunk || chunk->capacity_bytes - chunk->used_bytes < n_bytes) {
        chunk = new_chunk(CHUNK_BYTES);
        *(rt->filling ? &rt->filling->next : &rt->chunks) = chunk;
        rt->filling = chunk;
    }
    void *place = bytes_of(chunk) + chunk->used_bytes;
    chunk->used_bytes += n_bytes;
    return place;
}

/* Creates an object with `n_bytes` of payload, filled with zeros. */
static lz_object *new_object(lz_runtime *rt, const lz_info *info, size_t n_bytes)
{
    size_t size_bytes = sizeof(lz_object) + n_bytes;
    lz_object *o = allocate(rt, size_bytes);
    memset(o, 0, size_bytes);
    o->info = info;
    rt->allocated_bytes += size_bytes;
    return o;
}

/* Reports a complete object to the profiler, which charges it to the current cost-centre stack and,
 * for -B, to the code address `place` that created it, without the profiler's own header. */
static lz_object *created(lz_runtime *rt, lz_object *o, const void *place)
{
    size_t n_bytes = lz_size_bytes(o);
    lz_ticky_allocated(rt, o->info, n_bytes - sizeof(hpp_header));
    hpp_runtime_created(rt->profile, (hpp_ref)o, n_bytes);
    if (rt->options && rt->options->heap_bins) {
        hpp_profiler_allocated_at(hpp_runtime_profiler(rt->profile), place,
                                  n_bytes - sizeof(hpp_header));
    }
    return o;
}

lz_object *lz_new(lz_runtime *rt, const lz_info *info, lz_object *first, lz_object *second,
                  lz_object *third)
{
    lz_object *given[] = {first, second, third, NULL};
    lz_object *o = new_object(rt, info, info->n_words * sizeof *given);
    memcpy(lz_refs(o), given, info->n_words * sizeof *given);
    return created(rt, o, __builtin_return_address(0));
}

lz_object *lz_int(lz_runtime *rt, int64_t number)
{
    static const lz_info int_info = LZ_CONSTRUCTOR_INFO("I#", "Int", 0, 1);
    lz_object *o = new_object(rt, &int_info, sizeof number);
    memcpy(o + 1, &number, sizeof number);
    return created(rt, o, __builtin_return_address(0));
}

int64_t lz_int_value(lz_object *o)
{
    int64_t number;
    memcpy(&number, o + 1, sizeof number);
    return number;
}

lz_object *lz_cell(lz_runtime *rt, lz_object *content)
{
    static const lz_info cell_info = {
        .kind = LZ_CELL,
        .n_refs = 1,
        .n_words = 1,
        .shape = LZ_SHAPE("MUT_VAR", "IORef", "MUT_VAR", HPP_RETAINER | HPP_INHERENTLY_USED),
    };
    return lz_new(rt, &cell_info, content, NULL, NULL);
}

lz_object *lz_bytes(lz_runtime *rt, size_t n_bytes)
{
    static const lz_info bytes_info = {
        .kind = LZ_BYTES,
        .shape = LZ_SHAPE("ARR_WORDS", "ByteArray#", "ARR_WORDS", HPP_INHERENTLY_USED),
    };
    lz_object *o = new_object(rt, &bytes_info, sizeof n_bytes + (n_bytes + 7) / 8 * 8);
    memcpy(o + 1, &n_bytes, sizeof n_bytes);
    return created(rt, o, __builtin_return_address(0));
}

/* ---- Weak pointers --------------------------------------------------------------------------- */

static const lz_info dead_weak_info = {
    .kind = LZ_DEAD_WEAK,
    .n_words = LZ_WEAK_WORDS,
    .shape = LZ_SHAPE("DEAD_WEAK", "Weak#", "CONSTR", HPP_DEAD_WEAK),
};

lz_object *lz_weak(lz_runtime *rt, lz_object *key, lz_object *value)
{
    static const lz_info weak_info = {
        .kind = LZ_WEAK,
        .n_words = LZ_WEAK_WORDS,
        .shape = LZ_SHAPE("WEAK", "Weak#", "WEAK", HPP_WEAK),
    };
    lz_object *weak = lz_new(rt, &weak_info, key, value, NULL);
    lz_refs(weak)[LZ_WEAK_NEXT] = rt->weaks;
    rt->weaks = weak;
    return weak;
}

void lz_finalize(lz_object *weak, lz_object *finalizer)
{
    lz_refs(weak)[LZ_WEAK_FINALIZER] = finalizer;
}

lz_object *lz_weak_value(lz_object *weak)
{
    return weak->info->kind == LZ_WEAK ? lz_refs(weak)[LZ_WEAK_VALUE] : NULL;
}

/* ---- Collection ------------------------------------------------------------------------------ */

static lz_object *copy(lz_runtime *rt, lz_object *o)
{
    size_t n_bytes = lz_size_bytes(o);
    lz_object *to = allocate(rt, n_bytes);
    memcpy(to, o, n_bytes);
    rt->filling->has_survivors = true;
    o->info = (const lz_info *)((uintptr_t)to | 1);
    if (rt->needs.moved) {
        hpp_runtime_moved(rt->profile, (hpp_ref)o, (hpp_ref)to);
    }
    return to;
}

/* Returns the chunk of a large object, or NULL for other objects. */
static lz_chunk *chunk_of_large(lz_object *o)
{
    return lz_size_bytes(o) >= LARGE_BYTES ? (lz_chunk *)(void *)o - 1 : NULL;
}

static lz_object *behind_indirections(lz_object *o)
{
    while (o && !forwarded(o) && o->info->kind == LZ_INDIRECTION && !lz_is_static(o)) {
        o = lz_refs(o)[0];
    }
    return o;
}

static void keep_static(lz_runtime *rt, lz_static *s)
{
    if (s->found_by != rt->n_collections) {
        s->found_by = rt->n_collections;
        s->next = rt->unscanned;
        rt->unscanned = s;
    }
}

/* Keeps an object alive, and returns its new address. */
static lz_object *evacuate(lz_runtime *rt, lz_object *o)
{
    o = behind_indirections(o);
    if (!o || forwarded(o)) {
        return o ? forwarded(o) : NULL;
    }
    if (lz_is_static(o)) {
        keep_static(rt, (lz_static *)(void *)o);
        return o;
    }
    lz_chunk *large = chunk_of_large(o);
    if (large && large->found_by == rt->n_collections) {
        return o;
    }
    rt->live_bytes += lz_size_bytes(o) - sizeof o->profile;
    if (large) {
        large->found_by = rt->n_collections;
        large->has_survivors = true;
        return o;
    }
    return copy(rt, o);
}

static void evacuate_refs(lz_runtime *rt, lz_object **refs, size_t n_refs)
{
    for (size_t i = 0; i < n_refs; i++) {
        refs[i] = evacuate(rt, refs[i]);
    }
}

/* Keeps everything alive that an object refers to. */
static void scavenge(lz_runtime *rt, lz_object *o)
{
    evacuate_refs(rt, lz_refs(o), o->info->n_refs);
    if (o->info->srt) {
        keep_static(rt, o->info->srt);
    }
}

/* Scavenges the next pending survivor. Large objects are bytes, without references. */
static bool scavenge_next(lz_runtime *rt)
{
    lz_static *s = rt->unscanned;
    if (s) {
        rt->unscanned = s->next;
        scavenge(rt, &s->object);
        return true;
    }
    lz_chunk *chunk = rt->scanning ? rt->scanning : rt->chunks;
    if (chunk && chunk->scanned_bytes == chunk->used_bytes && chunk->next) {
        chunk = chunk->next;
    }
    rt->scanning = chunk;
    if (!chunk || chunk->scanned_bytes == chunk->used_bytes) {
        return false;
    }
    lz_object *o = (lz_object *)(void *)(bytes_of(chunk) + chunk->scanned_bytes);
    chunk->scanned_bytes += lz_size_bytes(o);
    scavenge(rt, o);
    return true;
}

/* Returns where an object is after the collection; NULL for a thunk that is dead. */
static lz_object *new_place(lz_object *o)
{
    o = behind_indirections(o);
    if (!o || forwarded(o)) {
        return o ? forwarded(o) : NULL;
    }
    return o->info->kind == LZ_THUNK && !lz_is_static(o) ? NULL : o;
}

static bool survives(lz_runtime *rt, lz_object *o)
{
    o = behind_indirections(o);
    if (!o || forwarded(o)) {
        return o != NULL;
    }
    lz_chunk *large = lz_is_static(o) ? NULL : chunk_of_large(o);
    return lz_is_static(o) || (large && large->found_by == rt->n_collections);
}

/* Keeps those weak pointers of the list `*left` alive whose keys have survived, with their values,
 * and removes them from the list. Returns whether there were any. */
static bool keep_weaks(lz_runtime *rt, lz_object **left)
{
    lz_object *weak = *left;
    bool any = false;
    *left = NULL;
    while (weak) {
        lz_object *next = lz_refs(weak)[LZ_WEAK_NEXT];
        if (survives(rt, lz_refs(weak)[LZ_WEAK_KEY])) {
            /* It may already have been copied, if another object refers to it. */
            lz_object *to = evacuate(rt, weak);
            lz_refs(to)[LZ_WEAK_KEY] = evacuate(rt, lz_refs(to)[LZ_WEAK_KEY]);
            lz_refs(to)[LZ_WEAK_VALUE] = evacuate(rt, lz_refs(to)[LZ_WEAK_VALUE]);
            lz_refs(to)[LZ_WEAK_FINALIZER] = evacuate(rt, lz_refs(to)[LZ_WEAK_FINALIZER]);
            lz_refs(to)[LZ_WEAK_NEXT] = rt->weaks;
            rt->weaks = to;
            any = true;
        } else {
            lz_refs(weak)[LZ_WEAK_NEXT] = *left;
            *left = weak;
        }
        weak = next;
    }
    return any;
}

static void add_finalizer(lz_runtime *rt, lz_object *finalizer)
{
    if (rt->n_finalizers == rt->finalizers_capacity) {
        rt->finalizers_capacity = 2 * rt->finalizers_capacity + 16;
        rt->finalizers = realloc(rt->finalizers, rt->finalizers_capacity * sizeof(*rt->finalizers));
        if (!rt->finalizers) {
            lz_fail("out of memory");
        }
    }
    rt->finalizers[rt->n_finalizers++] = evacuate(rt, finalizer);
}

/* Marks weak pointers whose keys are dead, if other objects keep these weak pointers alive. Their
 * finalizers are due. */
static void kill_weaks(lz_runtime *rt, lz_object *weak)
{
    while (weak) {
        if (lz_refs(weak)[LZ_WEAK_FINALIZER]) {
            add_finalizer(rt, lz_refs(weak)[LZ_WEAK_FINALIZER]);
        }
        lz_object *next = lz_refs(weak)[LZ_WEAK_NEXT];
        lz_object *to = forwarded(weak);
        if (to) {
            to->info = &dead_weak_info;
        }
        weak = next;
    }
}

static void find_survivors(lz_runtime *rt)
{
    lz_object *weaks = rt->weaks;
    rt->weaks = NULL;
    lz_thread *t = &rt->main_thread;
    do {
        evacuate_refs(rt, t->slots, t->n_slots);
        for (size_t i = 0; i < t->n_frames; i++) {
            if (t->frames[i].info->srt) {
                keep_static(rt, t->frames[i].info->srt);
            }
        }
        t = t->next;
    } while (t != &rt->main_thread);
    evacuate_refs(rt, rt->finalizers, rt->n_finalizers);
    do {
        while (scavenge_next(rt)) {
        }
    } while (keep_weaks(rt, &weaks));
    kill_weaks(rt, weaks);
    while (scavenge_next(rt)) {
    }
    lz_sparks_moved(rt, new_place);
}

/* ---- Walking the heap ------------------------------------------------------------------------ */

/* Visits all objects of a chunk that have not been copied, and skips slop. */
static int walk_chunk(lz_chunk *chunk, lz_visit *visit, void *context)
{
    int result = 0;
    size_t at = 0;
    while (at < chunk->used_bytes && result == 0) {
        lz_object *o = (lz_object *)(void *)(bytes_of(chunk) + at);
        if (!o->info) {
            at += sizeof o->info;
            continue;
        }
        lz_object *to = forwarded(o);
        at += lz_size_bytes(to ? to : o);
        result = to ? 0 : visit(o, context);
    }
    if (at > chunk->used_bytes) {
        lz_fail("something in the heap is no object");
    }
    return result;
}

static int walk(lz_chunk *chunks, lz_visit *visit, void *context)
{
    int result = 0;
    for (lz_chunk *chunk = chunks; chunk && result == 0; chunk = chunk->next) {
        result = walk_chunk(chunk, visit, context);
    }
    return result;
}

int lz_each_object(lz_runtime *rt, lz_visit *visit, void *context)
{
    int result = walk(rt->chunks, visit, context);
    return result == 0 ? walk(rt->large, visit, context) : result;
}

static int bury(lz_object *o, void *context)
{
    lz_runtime *rt = context;
    hpp_runtime_dead(rt->profile, (hpp_ref)o);
    return 0;
}

/* Frees the old chunks, and large objects that are not reachable. */
static void free_rest(lz_runtime *rt, lz_chunk *old)
{
    lz_chunk **link = &rt->large;
    while (*link) {
        lz_chunk *chunk = *link;
        if (chunk->found_by == rt->n_collections) {
            link = &chunk->next;
        } else {
            *link = chunk->next;
            chunk->next = old;
            old = chunk;
        }
    }
    while (old) {
        lz_chunk *next = old->next;
        /* Profiler: objects that have not been copied are dead. */
        if (rt->needs.young_dead || (rt->needs.dead && old->has_survivors)) {
            walk_chunk(old, bury, rt);
        }
        free(old);
        old = next;
    }
}

static uint64_t capacity_bytes(const lz_runtime *rt)
{
    uint64_t sum = 0;
    for (const lz_chunk *chunk = rt->chunks; chunk; chunk = chunk->next) {
        sum += chunk->capacity_bytes;
    }
    for (const lz_chunk *chunk = rt->large; chunk; chunk = chunk->next) {
        sum += chunk->capacity_bytes;
    }
    return sum;
}

/* Profiler: notes the large objects, which do not move, by the power of two that they fit in; each
 * is a segment with one block. */
static void log_large(lz_runtime *rt)
{
    enum { MIN_LOG2 = 14, MAX_LOG2 = 48 };
    hpp_log_blocks sizes[MAX_LOG2] = {{0}};
    for (const lz_chunk *chunk = rt->large; chunk; chunk = chunk->next) {
        uint8_t log2 = MIN_LOG2;
        while (log2 < MAX_LOG2 - 1 && (size_t)1 << log2 < chunk->capacity_bytes) {
            log2++;
        }
        sizes[log2].log2_bytes = log2;
        sizes[log2].n_filled++;
        sizes[log2].n_live++;
    }
    for (uint8_t log2 = MIN_LOG2; log2 < MAX_LOG2; log2++) {
        if (sizes[log2].n_live > 0) {
            hpp_log_unmoved(hpp_runtime_profiler(rt->profile), &sizes[log2]);
        }
    }
}

void lz_collect(lz_runtime *rt)
{
    lz_moment begun = lz_now();
    uint64_t old_bytes = capacity_bytes(rt);
    lz_chunk *old = rt->chunks;
    rt->chunks = rt->filling = rt->scanning = NULL;
    rt->live_bytes = 0;
    rt->n_collections++;
    /* Profiler: the costs of the collector belong to GC, and its time is not on the clock, but in
     * the event log. */
    hpp_profiler *log = hpp_runtime_profiler(rt->profile);
    lz_profile_stops(rt, HPP_THREAD_COLLECTS);
    hpp_log_gc_begin(log);
    uint64_t begun_ns = lz_processor_ns();
    HPP_UNDER(hpp_ccs_builtin(HPP_CCS_GC))
    {
        find_survivors(rt);
        free_rest(rt, old);
    }
    rt->collecting_ns += lz_processor_ns() - begun_ns;
    rt->total_bytes += rt->allocated_bytes;
    lz_stats_collected(rt, begun, old_bytes + capacity_bytes(rt));
    rt->allocated_bytes = 0;
    hpp_log_allocated(log, rt->total_bytes);
    hpp_log_gc_end(log, &(hpp_log_gc){.generation = 1, /* all collections are complete */
                                      .copied_bytes = rt->live_bytes,
                                      .heap_bytes = capacity_bytes(rt),
                                      .live_bytes = rt->live_bytes});
    log_large(rt);
    hpp_log_sparks(log, &rt->sparks.counts, 0);
    lz_profile_runs(rt);
    size_t growth_bytes = (size_t)((rt->growth - 1) * (double)rt->live_bytes);
    rt->limit_bytes = growth_bytes > rt->nursery_bytes ? growth_bytes : rt->nursery_bytes;
}

void lz_census(lz_runtime *rt)
{
    lz_collect(rt);
    lz_ticky_report(rt);
    lz_moment begun = lz_now();
    hpp_profiler_census(hpp_runtime_profiler(rt->profile));
    lz_stats_profiled(rt, begun);
    if (rt->live_log) {
        fprintf(rt->live_log, "%zu\n", rt->live_bytes);
    }
}

void lz_heap_finish(lz_runtime *rt)
{
    lz_thread *t = &rt->main_thread;
    do {
        t->n_slots = t->n_frames = 0;
        t = t->next;
    } while (t != &rt->main_thread);
    rt->weaks = NULL;
    rt->n_finalizers = 0;
    free(rt->finalizers);
    rt->finalizers = NULL;
    lz_collect(rt);
}

void lz_overwrite(lz_runtime *rt, lz_object *o, const lz_info *info, lz_object *first)
{
    size_t slop_bytes = payload_bytes(o) - sizeof first;
    hpp_header_overwritten(rt->profile, &rt->needs, (hpp_ref)o, &o->profile, false);
    o->info = info;
    lz_refs(o)[0] = first;
    memset(lz_refs(o) + 1, 0, slop_bytes);
    hpp_header_overwritten(rt->profile, &rt->needs, (hpp_ref)o, &o->profile, true);
}
