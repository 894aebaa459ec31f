/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What happens when the first look into the cache fails: a closer look, a walk, and remembering.
 */
#include "stacks.h"

#include "python_place.h"
#include "native/window/trie.h"
#include "native/target/unwind/loader.h"
#include "native/target/unwind/verify.h"
#include "native/window/window_writer.h"

static _Atomic uint32_t check_interval; /* 0: nothing is verified */

void hpp__stacks_new_generation(void)
{
    hpp__unwind_rules_new_generation();
}

void hpp__stacks_verify(uint32_t n)
{
    hpp__verify_begin();
    check_interval = n;
    hpp__stacks_new_generation();
}

void hpp__stacks_forget(hpp_thread *thread)
{
    hpp__python_places_forget(thread);
    if (thread->cache != NULL) {
        hpp__unwind_cache_forget(&thread->cache->table);
        hpp__stack_walk_forget(&thread->cache->path);
    }
}

void hpp__stacks_forked(hpp_thread *thread)
{
    thread->generation = 0;
    if (thread->cache != NULL) {
        thread->cache->generation = 0;
    }
}

static void count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static uint32_t lose_stack(void)
{
    count(&hpp__window->head.n_lost_stacks, 1);
    return HPP_SITE_UNKNOWN;
}

/* Returns the part of the stack that can be read without checks, in a call from a frame with `sp`.
 */
static hpp_memory memory_of(const hpp_thread *thread, uintptr_t sp)
{
    bool is_own = thread != NULL && sp >= thread->stack_low && sp < thread->stack_end;
    return is_own ? (hpp_memory){.low = sp, .end = thread->stack_end} : (hpp_memory){0};
}

static hpp_walk walk_from(hpp_caller caller, hpp_memory memory)
{
    return (hpp_walk){.pc = caller.pc, .sp = caller.sp, .fp = caller.fp, .memory = memory};
}

static void count_walk(hpp_stack_walk *path, hpp_stack_walk_outcome outcome)
{
    hpp_window_head *head = &hpp__window->head;
    count(&head->n_unwinds, 1);
    count(&head->n_frames, path->n_new_frames);
    count(&head->n_compared, path->n_compared);
    path->n_compared = 0;
    if (outcome == HPP_STACK_WALK_CUT) {
        count(&head->n_cut_stacks, 1);
    }
}

/* Finishes a walk from a frame that needs a full walk. */
static hpp_stack_walk_outcome walk_fully_from_here(hpp_stack_walk *path, hpp_caller caller,
                                                   hpp_memory memory)
{
    hpp_full_walk walk;
    if (!hpp__full_walk_begin_here(&walk, caller.pc, caller.sp, memory)) {
        return HPP_STACK_WALK_FAILED;
    }
    return hpp__stack_walk_fully(path, &walk);
}

/* Returns whether a call comes from the loader while it loads or unloads objects. */
static bool is_loading(hpp_caller caller)
{
    hpp_unwind_rule rule = hpp__unwind_rules_find(caller.pc - 1);
    return hpp__unwind_rule_is_loader(rule) && hpp__loader_is_changing();
}

/* ---- with a thread's memory ---------------------------------------------------------------- */

static bool has_cache(hpp_thread *thread)
{
    if (thread->cache == NULL) {
        hpp_unwind_cache *cache = hpp__map_near(sizeof(*cache));
        if (cache == NULL || !hpp__unwind_cache_begin(&cache->table)) {
            return false;
        }
        thread->cache = cache;
    }
    return true;
}

/* Clears the cache for the current generation. With verification, and below cost centres, the
 * thread's generation stays different, so that each call gets here. */
static void renew_cache(hpp_thread *thread)
{
    uint32_t generation = atomic_load_explicit(&hpp__generation, memory_order_acquire);
    if (thread->cache->generation != generation) {
        hpp__stacks_forget(thread);
        thread->cache->generation = generation;
    }
    thread->generation = check_interval == 0 && thread->centres == NULL ? generation : 0;
}

static uint32_t add_site(uint32_t node, hpp_call call)
{
    uint32_t site = node != 0 ? hpp__trie_site(node, call) : 0;
    return site != 0 ? site : lose_stack();
}

static hpp_place place_of(hpp_thread *thread, uint32_t site)
{
    return (hpp_place){site, hpp__thread_cell(thread, site)};
}

/* Returns whether the stack of the cache's gap was missed before, too. Of the native stacks below
 * Python frames, many occur only once: in the compiler, and in modules that are imported. */
static bool is_missed_again(hpp_unwind_cache *cache)
{
    const hpp_unwind_cache_gap *gap = &cache->table.gap;
    uint64_t hash = (gap->key + 8 * gap->sp + gap->a + 31 * gap->b) * 0x9e3779b97f4a7c15;
    uint32_t *missed = &cache->missed[hash >> 32 & (HPP_N_MISSED - 1)];
    bool is_same = *missed == (uint32_t)hash;
    *missed = (uint32_t)hash;
    return is_same;
}

/* Remembers the stack that the path is. What a caller in the loader does is looked at each time. */
static void remember(hpp_unwind_cache *cache, hpp_caller caller, hpp_call call,
                     const hpp_memory *memory, hpp_place place)
{
    bool are_own = hpp__stack_walk_is_own(&cache->path, memory);
    uint32_t n_known;
    uint32_t n_words;
    if (hpp__unwind_cache_has_gap(&n_known, &cache->table, &caller, call, are_own) &&
        !hpp__unwind_rule_is_loader(hpp__unwind_rules_find(caller.pc - 1)) &&
        (!(place.site & HPP_PLACE_IN_PYTHON) || is_missed_again(cache)) &&
        hpp__stack_walk_collect(&n_words, &cache->path, n_known, HPP_UNWIND_CACHE_MAX_WORDS)) {
        hpp__unwind_cache_add(&cache->table, caller, cache->path.new_words.data, n_words, place);
    }
    if (!are_own) {
        hpp__stack_walk_forget(&cache->path);
    }
}

static hpp_place place_by_walk(hpp_thread *thread, hpp_caller caller, hpp_call call,
                               hpp_visit *visit)
{
    hpp_unwind_cache *cache = thread->cache;
    hpp_memory memory = memory_of(thread, caller.sp);
    if (memory.end == 0) {
        hpp__stack_walk_forget(&cache->path);
    }
    hpp_walk walk = walk_from(caller, memory);
    walk.begun_at = visit->begun_at;
    hpp_stack_walk_outcome outcome = hpp__stack_walk(&cache->path, &walk);
    bool is_pure = outcome != HPP_STACK_WALK_HARD;
    if (!is_pure) {
        outcome = walk_fully_from_here(&cache->path, caller, memory);
    }
    count_walk(&cache->path, outcome);
    uint32_t node = outcome != HPP_STACK_WALK_FAILED ? hpp__stack_walk_extend(&cache->path) : 0;
    hpp_place place = hpp__python_place_begins(node)
                          ? (hpp_place){hpp__python_place_key(node, call), NULL}
                          : place_of(thread, add_site(node, call));
    if (!is_pure || place.site == HPP_SITE_UNKNOWN) {
        hpp__stack_walk_forget(&cache->path);
    } else {
        remember(cache, caller, call, &memory, place);
    }
    visit->kept_at = cache->path.n_frames > 0 ? cache->path.kept_at : 0;
    return place;
}

static bool is_due(hpp_unwind_cache *cache)
{
    if (check_interval == 0) {
        return false;
    }
    if (cache->until_check == 0) {
        cache->until_check = check_interval;
    }
    return --cache->until_check == 0;
}

/* Returns the site of a place below the open functions of a thread; 0: it has none, or they are not
 * on that stack, or there is no room. */
static uint32_t site_below_centres(const hpp_thread *thread, hpp_walk walk, hpp_call call)
{
    bool has_centres = thread != NULL && thread->centres != NULL;
    uint32_t node = has_centres ? hpp__centres_node(thread->centres, walk) : 0;
    return node != 0 ? hpp__centres_site(thread->centres, node, call) : 0;
}

hpp_place hpp__stacks_place_anew(hpp_thread *thread, hpp_caller caller, hpp_call call,
                                 hpp_visit *visit)
{
    hpp_place place;
    bool is_known_new = hpp__stacks_are_current(thread);
    if (is_loading(caller)) {
        hpp__stacks_new_generation();
    }
    uint32_t site =
        site_below_centres(thread, walk_from(caller, memory_of(thread, caller.sp)), call);
    if (site != 0) {
        return place_of(thread, site);
    }
    if (!has_cache(thread)) {
        return place_of(thread, lose_stack());
    }
    renew_cache(thread);
    if (is_known_new || !hpp__unwind_cache_find(&place, &thread->cache->table, &caller, call)) {
        place = place_by_walk(thread, caller, call, visit);
    }
    if (is_due(thread->cache) && place.site != HPP_SITE_UNKNOWN &&
        !(place.site & HPP_PLACE_IN_PYTHON)) {
        hpp__verify_site(place.site, &thread->cache->verified, caller,
                         memory_of(thread, caller.sp));
    }
    return place;
}

/* ---- without ------------------------------------------------------------------------------- */

/* Paths for temporary use. */
typedef struct spare_path {
    atomic_flag is_taken;
    hpp_stack_walk path;
} spare_path;

enum { N_SPARE_PATHS = 16, MAX_INTERRUPTED_FRAMES = 1 << 17 };

static spare_path spare_paths[N_SPARE_PATHS];

/* Returns NULL if all are in use. */
static spare_path *take_spare_path(void)
{
    for (unsigned i = 0; i < N_SPARE_PATHS; i++) {
        if (!atomic_flag_test_and_set_explicit(&spare_paths[i].is_taken, memory_order_acquire)) {
            return &spare_paths[i];
        }
    }
    return NULL;
}

/* Where an unaided walk begins: at a caller, or at an interrupted context. */
typedef struct beginning {
    hpp_caller caller;
    const void *context; /* NULL: at the caller */
    hpp_memory memory;
} beginning;

static uint32_t walk_to_node(hpp_stack_walk *path, const beginning *begin)
{
    hpp_walk walk = walk_from(begin->caller, begin->memory);
    walk.is_exact = begin->context != NULL;
    hpp__stack_walk_forget(path);
    path->max_new_frames = begin->context != NULL ? MAX_INTERRUPTED_FRAMES : 0;
    hpp_stack_walk_outcome outcome = hpp__stack_walk(path, &walk);
    if (outcome == HPP_STACK_WALK_HARD && begin->context != NULL) {
        hpp_full_walk full;
        hpp__full_walk_begin_interrupted(&full, begin->context, begin->memory);
        outcome = hpp__stack_walk_fully(path, &full);
    } else if (outcome == HPP_STACK_WALK_HARD) {
        outcome = walk_fully_from_here(path, begin->caller, begin->memory);
    }
    count_walk(path, outcome);
    uint32_t node = outcome != HPP_STACK_WALK_FAILED ? hpp__stack_walk_extend(path) : 0;
    hpp__stack_walk_forget(path);
    return node;
}

static uint32_t node_from(const beginning *begin)
{
    spare_path *spare = take_spare_path();
    uint32_t node;
    if (spare != NULL) {
        node = walk_to_node(&spare->path, begin);
        atomic_flag_clear_explicit(&spare->is_taken, memory_order_release);
    } else {
        hpp_stack_walk path = {0};
        node = walk_to_node(&path, begin);
        hpp__stack_walk_end(&path);
    }
    return node;
}

uint32_t hpp__stacks_site_unaided(hpp_caller caller, hpp_call call)
{
    uint32_t site = site_below_centres(hpp__self, walk_from(caller, (hpp_memory){0}), call);
    beginning begin = {.caller = caller};
    return site != 0 ? site : add_site(node_from(&begin), call);
}

uint32_t hpp__stacks_site_interrupted(hpp_thread *thread, const void *context, hpp_call call)
{
    hpp_full_walk full;
    hpp__full_walk_begin_interrupted(&full, context, (hpp_memory){0});
    beginning begin = {.context = context};
    begin.caller.pc = hpp__full_walk_pc(&full);
    begin.caller.sp = hpp__full_walk_sp(&full);
    begin.caller.fp = full.registers.value[HPP_CFI_FP];
    begin.memory = memory_of(thread, begin.caller.sp);
    hpp_walk walk = walk_from(begin.caller, begin.memory);
    walk.is_exact = true;
    uint32_t site = site_below_centres(thread, walk, call);
    if (site != 0) {
        return site;
    }
    uint32_t node = node_from(&begin);
    if (hpp__python_place_begins(node)) {
        site = hpp__python_place_interrupted(thread, hpp__python_place_key(node, call));
        return site != 0 ? site : lose_stack();
    }
    return add_site(node, call);
}
