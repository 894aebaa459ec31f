/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts the blocks of Python's own allocators, in a program that is an interpreter.
 *
 * PyMem_SetAllocator replaces the allocators of the domains "mem" and "obj" by hooks that call the
 * ones before them, usually pymalloc. It may be called before the interpreter starts. The domain
 * "raw" stays as it is where it is malloc, which is counted anyway.
 *
 * With PYTHONMALLOC and -X dev, the interpreter sets its allocators while it starts, and with them
 * the hooks are gone. It calls setlocale after that and before it makes objects, so hooks are
 * installed again there. Each installation has its own context, so hooks may be above one another,
 * and above tracemalloc's; the outermost one counts.
 *
 * While few samples are counted (rate.h), a hook right above pymalloc does nothing but count down
 * for a small block, and there is none for free: pymalloc is asked for so much for a sample that it
 * gets it from malloc, and its free ends there, too. pymalloc makes its arenas by an allocator that
 * has a hook, so that they are no mappings of the program.
 *
 * A free-threaded interpreter looks for its objects in the memory of its own allocators: they stay,
 * below the hooks.
 *
 * In an interpreter that runs already, another thread may read an allocator while it is set, and
 * call the new function with the old context, or the other way round. pymalloc has no context, so
 * hooks are installed there only in its place: it ignores theirs, and a hook without one takes the
 * first.
 */
#include <string.h>

#include "accounting.h"
#include "entry.h"
#include "native/target/counting/next_allocator.h"
#include "native/target/counting/python_place.h"
#include "native/target/lives/sampler.h"
#include "process.h"
#include "python_hooks.h"

/* PyMemAllocatorEx of CPython. */
typedef struct python_allocator {
    void *context;
    void *(*malloc)(void *context, size_t n_bytes);
    void *(*calloc)(void *context, size_t n, size_t n_bytes);
    void *(*realloc)(void *context, void *block, size_t n_bytes);
    void (*free)(void *context, void *block);
} python_allocator;

/* PyObjectArenaAllocator of CPython. */
typedef struct python_arenas {
    void *context;
    void *(*allocate)(void *context, size_t n_bytes);
    void (*free)(void *context, void *arena, size_t n_bytes);
} python_arenas;

typedef enum python_domain { DOMAIN_RAW, DOMAIN_MEMORY, DOMAIN_OBJECT } python_domain;

/* The context of a hook. */
typedef struct hook {
    python_allocator next;
    hpp_call call;
    bool has_free; /* whether it notices frees, of all blocks */
} hook;

enum {
    PYMALLOC_BYTES = 512, /* the largest block that pymalloc does not get from malloc */
    FEW_SAMPLES_BYTES = 64 * PYMALLOC_BYTES, /* between samples, so that larger ones add little */
};

enum { MAX_HOOKS = 8 };
static hook hooks[MAX_HOOKS];
static _Atomic uint32_t n_hooks;

static void (*get_allocator)(python_domain domain, python_allocator *out);
static void (*set_allocator)(python_domain domain, python_allocator *allocator);
static void (*get_arenas)(python_arenas *out);
static void (*set_arenas)(python_arenas *allocator);
static int (*is_initialized)(void);

/* What a hook right above pymalloc calls. pymalloc has no context. */
void *(*hpp__pymalloc)(void *context, size_t n_bytes)HPP_HIDDEN;
static void *(*next_arena)(void *context, size_t n_bytes);

/* Called from assembly, and by Python. */
void *hpp__python_malloc(void *context, size_t n_bytes);
void *hpp__python_small_malloc(void *context, size_t n_bytes);
void *hpp__python_calloc(void *context, size_t n, size_t n_bytes);
void *hpp__python_realloc(void *context, void *block, size_t n_bytes);
static void on_python_free(void *context, void *block);
void *hpp__on_python_malloc(void *context, size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_python_calloc(void *context, size_t n, size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_python_realloc(void *context, void *block, size_t n_bytes, HPP_CALLER_PARAMETERS);

#define HIDDEN_ENTRY(name, n_arguments)                                                            \
    HPP_ASM_FUNCTION(".hidden hpp__python_" name "\n.globl", "hpp__python_" name,                  \
                     HPP_CALLER_AFTER_##n_arguments HPP_JUMP("hpp__on_python_" name))
HIDDEN_ENTRY("malloc", 2);
HPP_ASM_FUNCTION(".hidden hpp__python_small_malloc\n.globl", "hpp__python_small_malloc",
                 HPP_IF_UP_TO(HPP_ARGUMENT_2, "512")
                     HPP_IF_SUBTRACTED(HPP_ARGUMENT_2, "hpp__bytes_to_count")
                         HPP_JUMP_AT("hpp__pymalloc", "0")
                             HPP_ELSE HPP_CALLER_AFTER_2 HPP_JUMP("hpp__on_python_malloc"));
_Static_assert(PYMALLOC_BYTES == 512, "as the hook has it");
HIDDEN_ENTRY("calloc", 3);
HIDDEN_ENTRY("realloc", 3);

/* ---- blocks ---------------------------------------------------------------------------------- */

/* A hook may be called without its context while it is installed. */
HPP_ALWAYS_INLINE hook *hook_of(void *context)
{
    return HPP_LIKELY(context != NULL) ? context : &hooks[0];
}

/* Returns whether this hook is below another one, or a signal handler has interrupted one. */
static bool is_inner(void)
{
    return HPP_UNLIKELY(hpp__is_in_python_allocator);
}

/* What a thread was doing before it called the next allocator. */
typedef struct outside {
    hpp_thread *self;
    uint64_t bytes_to_sample, bytes_to_count;
} outside;

/* Begins and ends a call of the next allocator. Without hpp__ready, malloc takes its slow way,
 * where it is not counted; nor do its bytes count for the next sample. */
static outside go_in(void)
{
    outside before = {hpp__ready, hpp__bytes_to_sample, hpp__bytes_to_count};
    hpp__thread_enter();
    hpp__is_in_python_allocator = true;
    return before;
}

static void *come_out(outside before, void *block)
{
    hpp__is_in_python_allocator = false;
    hpp__bytes_to_sample = before.bytes_to_sample;
    hpp__bytes_to_count = before.bytes_to_count;
    hpp__thread_exit(before.self);
    return block;
}

/* Counts a new block; NULL is none. Is hpp__account_allocation for places in Python. */
HPP_ALWAYS_INLINE void *count(void *block, size_t n_bytes, hpp_caller caller, hpp_call call)
{
    hpp_place place = {HPP_SITE_NONE, NULL};
    hpp_thread *self = hpp__ready;
    if (HPP_UNLIKELY(block == NULL)) {
        return NULL;
    }
    if (HPP_LIKELY(self != NULL && hpp__alive_to_count())) {
        hpp__thread_enter();
        const hpp_place *known = hpp__stacks_remembered(self, caller, call);
        if (known == NULL && hpp__stacks_recall(&place, self, &caller, call)) {
            known = &place;
        }
        if (HPP_LIKELY(known != NULL)) {
            place =
                known->site & HPP_PLACE_IN_PYTHON ? hpp__python_place(self, known->site) : *known;
        }
        hpp__thread_exit(self);
    }
    return HPP_LIKELY(place.cell != NULL)
               ? hpp__account_block(block, n_bytes, place.cell, place.site)
               : hpp__account_allocation(block, n_bytes, caller, call);
}

/* Makes a block whose uses are watched; NULL: not this one. */
static HPP_NO_INLINE void *make_watched(size_t n_bytes, bool is_zeroed, const hpp_caller *caller,
                                        hpp_call call)
{
    void *block = hpp__sampler_make(n_bytes, HPP_GRANULE_BYTES, is_zeroed);
    if (block != NULL) {
        count(block, n_bytes, *caller, call);
        hpp__sampler_begin(block);
    }
    return block;
}

/* Returns whether a new block is not a sample, and not counted below another hook. */
HPP_ALWAYS_INLINE bool passes(size_t n_bytes)
{
    return !is_inner() && hpp__rate_passes(n_bytes);
}

/* ---- samples without a hook for free --------------------------------------------------------- */

static python_domain domain_of(const hook *h)
{
    return h->call == HPP_CALL_PYTHON_OBJECT ? DOMAIN_OBJECT : DOMAIN_MEMORY;
}

/* Returns whether the next allocator gets a larger block from malloc, as pymalloc does. */
static bool asks_malloc(const hook *h)
{
    outside before = go_in();
    hpp__bytes_to_count = UINT32_MAX;
    h->next.free(h->next.context, h->next.malloc(h->next.context, PYMALLOC_BYTES + 1));
    bool has_asked = hpp__bytes_to_count < UINT32_MAX;
    come_out(before, NULL);
    return has_asked;
}

/* Returns how many bytes to ask the next allocator for. If it turns out to be another one than
 * pymalloc, the hook notices frees from now on. */
static size_t bytes_to_ask(hook *h, size_t n_bytes)
{
    if (h->has_free || n_bytes > PYMALLOC_BYTES || !hpp__rate_is_due(n_bytes)) {
        return n_bytes;
    }
    if (asks_malloc(h)) {
        return PYMALLOC_BYTES + 1;
    }
    python_allocator now;
    get_allocator(domain_of(h), &now);
    if (now.context == h) {
        now.malloc = hpp__python_malloc;
        now.free = on_python_free;
        set_allocator(domain_of(h), &now);
    }
    h->has_free = true;
    return n_bytes;
}

/* ---- hooks ----------------------------------------------------------------------------------- */

/* Begins and ends a call of the next allocator for such a block. */
HPP_ALWAYS_INLINE uint64_t pass_in(void)
{
    hpp__is_in_python_allocator = true;
    return hpp__bytes_to_count;
}

HPP_ALWAYS_INLINE void *pass_out(uint64_t bytes_to_count, void *block)
{
    hpp__is_in_python_allocator = false;
    hpp__bytes_to_count = bytes_to_count;
    return block;
}

static HPP_NO_INLINE void *counted_malloc(hook *h, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    if (is_inner()) {
        return h->next.malloc(h->next.context, n_bytes);
    }
    void *watched =
        hpp__sampler_is_due(n_bytes) ? make_watched(n_bytes, false, &HPP_CALLER, h->call) : NULL;
    if (HPP_UNLIKELY(watched != NULL)) {
        return watched;
    }
    size_t n_asked = bytes_to_ask(h, n_bytes);
    outside before = go_in();
    void *block = come_out(before, h->next.malloc(h->next.context, n_asked));
    return count(block, n_bytes, HPP_CALLER, h->call);
}

void *hpp__on_python_malloc(void *context, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    hook *h = hook_of(context);
    if (!passes(n_bytes)) {
        return counted_malloc(h, n_bytes, pc, sp, fp);
    }
    uint64_t before = pass_in();
    return pass_out(before, h->next.malloc(h->next.context, n_bytes));
}

void *hpp__on_python_calloc(void *context, size_t n, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    hook *h = hook_of(context);
    size_t n_all = n * n_bytes; /* Python has excluded an overflow */
    if (passes(n_all)) {
        uint64_t passed = pass_in();
        return pass_out(passed, h->next.calloc(h->next.context, n, n_bytes));
    }
    if (is_inner()) {
        return h->next.calloc(h->next.context, n, n_bytes);
    }
    void *watched =
        hpp__sampler_is_due(n_all) ? make_watched(n_all, true, &HPP_CALLER, h->call) : NULL;
    if (HPP_UNLIKELY(watched != NULL)) {
        return watched;
    }
    size_t n_asked = bytes_to_ask(h, n_all);
    outside before = go_in();
    void *block = come_out(before, n_asked != n_all ? h->next.calloc(h->next.context, 1, n_asked)
                                                    : h->next.calloc(h->next.context, n, n_bytes));
    return count(block, n_all, HPP_CALLER, h->call);
}

/* Moves a block that is watched, or will be: to `moved`, or if that is NULL to one of the next
 * allocator. Returns where it is; NULL if there is no memory. */
static void *move_watched(const hook *h, void *block, size_t n_before, void *moved, size_t n_bytes)
{
    moved = moved != NULL ? moved : h->next.malloc(h->next.context, n_bytes);
    if (moved != NULL) {
        memcpy(moved, block, n_before < n_bytes ? n_before : n_bytes);
        if (!hpp__sampler_free(block)) {
            h->next.free(h->next.context, block);
        }
    }
    return moved;
}

static void put_back(const void *block, hpp_block kept, bool is_watched)
{
    hpp_block before;
    if (kept.site != 0 && !hpp__blocks_put(block, kept.site, kept.size_bytes, &before)) {
        hpp__account_free(kept);
    } else if (is_watched) {
        hpp__blocks_mark(block);
    }
}

static HPP_NO_INLINE void *counted_realloc(hook *h, void *block, size_t n_bytes,
                                           HPP_CALLER_PARAMETERS)
{
    if (is_inner()) {
        return h->next.realloc(h->next.context, block, n_bytes);
    }
    if (block == NULL) {
        return hpp__on_python_malloc(h, n_bytes, pc, sp, fp);
    }
    hpp_block gone = hpp__account_take(block);
    size_t n_before;
    bool was_watched = hpp__sampler_owns(block, &n_before);
    void *watched = gone.site != 0 && hpp__sampler_is_due(n_bytes)
                        ? hpp__sampler_make(n_bytes, HPP_GRANULE_BYTES, false)
                        : NULL;
    n_before = was_watched ? n_before : gone.size_bytes;
    size_t n_asked = bytes_to_ask(h, n_bytes);
    outside before = go_in();
    void *moved = was_watched || watched != NULL
                      ? move_watched(h, block, n_before, watched, n_bytes)
                      : h->next.realloc(h->next.context, block, n_asked);
    come_out(before, moved);
    if (HPP_UNLIKELY(moved == NULL)) {
        put_back(block, gone, was_watched);
        return NULL;
    }
    if (gone.site != 0) {
        hpp__account_free(gone);
    }
    count(moved, n_bytes, HPP_CALLER, h->call);
    if (HPP_UNLIKELY(watched != NULL)) {
        hpp__sampler_begin(watched);
    }
    return moved;
}

void *hpp__on_python_realloc(void *context, void *block, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    hook *h = hook_of(context);
    if (block == NULL || !hpp__blocks_lacks(block) || !passes(n_bytes)) {
        return counted_realloc(h, block, n_bytes, pc, sp, fp);
    }
    uint64_t before = pass_in();
    return pass_out(before, h->next.realloc(h->next.context, block, n_bytes));
}

/* Counts an unusual block as freed: a code object, or one that is watched, older than the hooks, of
 * an inner hook, or in a process that is not profiled. Returns whether it is the next allocator's.
 */
static HPP_NO_INLINE bool let_go(void *block)
{
    hpp__codes_freed((uintptr_t)block);
    hpp_block gone = hpp__account_take(block);
    if (gone.site != 0) {
        hpp__account_free(gone);
    }
    return !hpp__sampler_free(block);
}

static HPP_NO_INLINE void counted_free(const hook *h, void *block)
{
    if (is_inner() || block == NULL) {
        h->next.free(h->next.context, block);
        return;
    }
    if (HPP_LIKELY(hpp__account_free_usual(block)) || let_go(block)) {
        h->next.free(h->next.context, block);
    }
}

static void on_python_free(void *context, void *block)
{
    const hook *h = hook_of(context);
    if (hpp__blocks_lacks(block)) {
        h->next.free(h->next.context, block);
    } else {
        counted_free(h, block);
    }
}

/* Returns whether the interpreter is free-threaded. */
static bool has_own_memory(void)
{
    const hpp_python_offsets *at = hpp__python.offsets;
    return at != NULL && at->object_bytes > HPP_PYTHON_OBJECT_BYTES;
}

/* ---- arenas ---------------------------------------------------------------------------------- */

static void *on_python_arena(void *context, size_t n_bytes)
{
    bool was_inside = hpp__is_in_python_allocator;
    hpp__is_in_python_allocator = true;
    void *arena = next_arena(context, n_bytes);
    hpp__is_in_python_allocator = was_inside;
    return arena;
}

static void hook_arenas(void)
{
    python_arenas now = {0};
    if (hpp__blocks_are_samples && get_arenas != NULL && set_arenas != NULL) {
        get_arenas(&now);
    }
    if (now.allocate != NULL && now.allocate != on_python_arena && now.context == NULL) {
        next_arena = now.allocate;
        now.allocate = on_python_arena;
        set_arenas(&now);
    }
}

static void unhook_arenas(void)
{
    python_arenas now = {0};
    if (next_arena != NULL) {
        get_arenas(&now);
    }
    if (now.allocate == on_python_arena) {
        now.allocate = next_arena;
        set_arenas(&now);
    }
}

/* Returns whether an allocator seems to be pymalloc, so that a hook need not notice its frees.
 * Watched blocks are none of its own. */
static bool may_be_pymalloc(const python_allocator *allocator)
{
    python_allocator raw;
    get_allocator(DOMAIN_RAW, &raw);
    return next_arena != NULL && allocator->context == NULL && allocator->malloc != raw.malloc &&
           (hpp__pymalloc == NULL || hpp__pymalloc == allocator->malloc) &&
           hpp__settings.rate_bytes >= FEW_SAMPLES_BYTES && hpp__settings.biography_bytes == 0 &&
           !has_own_memory();
}

/* ---- installation ---------------------------------------------------------------------------- */

static bool is_ours(const python_allocator *allocator)
{
    return allocator->realloc == hpp__python_realloc;
}

static void install(python_domain domain, hpp_call call)
{
    python_allocator now;
    get_allocator(domain, &now);
    uint32_t index = atomic_load(&n_hooks);
    bool is_refused = hpp__is_attached && now.context != NULL;
    if (is_ours(&now) || is_refused || index == MAX_HOOKS) {
        return;
    }
    atomic_store(&n_hooks, index + 1);
    hooks[index] = (hook){now, call, !may_be_pymalloc(&now)};
    python_allocator ours = {&hooks[index], hpp__python_malloc, hpp__python_calloc,
                             hpp__python_realloc, on_python_free};
    if (!hooks[index].has_free) {
        hpp__pymalloc = now.malloc;
        ours.malloc = hpp__python_small_malloc;
        ours.free = now.free;
    }
    set_allocator(domain, &ours);
}

/* Since 3.15, a free-threaded interpreter does not use malloc. */
static bool has_own_raw(void)
{
    return has_own_memory() && hpp__python.offsets->minor >= 15;
}

static void install_all(void)
{
    hook_arenas();
    if (has_own_raw()) {
        install(DOMAIN_RAW, HPP_CALL_PYTHON_MEMORY);
    }
    install(DOMAIN_MEMORY, HPP_CALL_PYTHON_MEMORY);
    install(DOMAIN_OBJECT, HPP_CALL_PYTHON_OBJECT);
}

void hpp__python_hooks_begin(void)
{
    if (hpp__next.python == NULL) {
        return;
    }
    hpp__python_function(&get_allocator, "PyMem_GetAllocator");
    hpp__python_function(&set_allocator, "PyMem_SetAllocator");
    hpp__python_function(&get_arenas, "PyObject_GetArenaAllocator");
    hpp__python_function(&set_arenas, "PyObject_SetArenaAllocator");
    hpp__python_function(&is_initialized, "Py_IsInitialized");
    hpp__python.mark_block = hpp__blocks_are_samples ? NULL : hpp__blocks_mark;
    if (get_allocator != NULL && is_initialized != NULL &&
        hpp__python_start(hpp__settings.has_python_frames,
                          !hpp__is_attached && hpp__settings.biography_bytes == 0)) {
        install_all();
    }
}

static void remove_hook(python_domain domain)
{
    python_allocator now;
    get_allocator(domain, &now);
    if (is_ours(&now)) {
        python_allocator next = ((const hook *)now.context)->next;
        set_allocator(domain, &next);
    }
}

void hpp__python_hooks_end(void)
{
    if (atomic_load(&n_hooks) > 0) {
        if (has_own_raw()) {
            remove_hook(DOMAIN_RAW);
        }
        remove_hook(DOMAIN_MEMORY);
        remove_hook(DOMAIN_OBJECT);
        unhook_arenas();
    }
}

__attribute__((constructor)) static void begin(void)
{
    if (hpp__process_begin()) {
        hpp__python_hooks_begin();
    }
}

/* The interpreter is starting, and has set its allocators. Returns the next setlocale. */
void *hpp__before_setlocale(void);
HPP_ANY_STACK void *hpp__before_setlocale(void)
{
    static _Atomic(void *) next;
    if (HPP_UNLIKELY(atomic_load(&n_hooks) > 0) && !is_initialized()) {
        install_all();
    }
    if (atomic_load_explicit(&next, memory_order_relaxed) == NULL) {
        atomic_store(&next, hpp__next_function("setlocale"));
    }
    return atomic_load_explicit(&next, memory_order_relaxed);
}

HPP_ASM_FUNCTION(".globl", "setlocale", HPP_CALL_THEN_JUMP("hpp__before_setlocale", "0"));
