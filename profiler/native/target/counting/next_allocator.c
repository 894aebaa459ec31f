/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The next allocator. See real.h.
 */
#include "next_allocator.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "native/target/unwind/loader.h"
#include "native/window/platform.h"
#include "blocks.h"

enum { POOL_BYTES = 64 * 1024, POOL_ALIGNMENT = 16 };

/* ---- pool ------------------------------------------------------------------------------------ */

/* Blocks one after the other, each preceded by its size. */
static HPP_LARGE char pool[POOL_BYTES];
static _Atomic size_t pool_used;

static void *pool_take(size_t n_bytes)
{
    n_bytes += n_bytes == 0;
    if (n_bytes > POOL_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    size_t rounded = hpp__round_up(n_bytes, POOL_ALIGNMENT);
    size_t place = atomic_fetch_add(&pool_used, POOL_ALIGNMENT + rounded);
    if (place > POOL_BYTES || POOL_BYTES - place < POOL_ALIGNMENT + rounded) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(pool + place, &n_bytes, sizeof(n_bytes));
    hpp__blocks_note(pool + place + POOL_ALIGNMENT); /* no other allocator may get it */
    return pool + place + POOL_ALIGNMENT;
}

size_t hpp__next_allocator_pool_bytes(const void *block)
{
    const char *bytes = block;
    if ((uintptr_t)bytes < (uintptr_t)pool || (uintptr_t)bytes >= (uintptr_t)pool + POOL_BYTES) {
        return 0;
    }
    size_t n_bytes;
    memcpy(&n_bytes, bytes - POOL_ALIGNMENT, sizeof(n_bytes));
    return n_bytes;
}

/* ---- first use ------------------------------------------------------------------------------- */

/* Volatile: libc's headers promise that dlsym does not call back. */
static _Thread_local volatile bool is_finding HPP_INITIAL_EXEC;

static void *first_malloc(size_t n_bytes)
{
    if (is_finding) {
        return pool_take(n_bytes);
    }
    hpp__next_allocator_find();
    return hpp__next.malloc(n_bytes);
}

/* The pool has never been written to. */
static void *first_calloc(size_t n, size_t n_bytes)
{
    if (is_finding) {
        size_t n_all;
        if (__builtin_mul_overflow(n, n_bytes, &n_all)) {
            errno = ENOMEM;
            return NULL;
        }
        return pool_take(n_all);
    }
    hpp__next_allocator_find();
    return hpp__next.calloc(n, n_bytes);
}

/* While names are looked up, `block` cannot be but NULL or of the pool. */
static void *first_realloc(void *block, size_t n_bytes)
{
    if (!is_finding) {
        hpp__next_allocator_find();
        return hpp__next.realloc(block, n_bytes);
    }
    void *moved = pool_take(n_bytes);
    if (moved != NULL && block != NULL) {
        size_t n_before = hpp__next_allocator_pool_bytes(block);
        memcpy(moved, block, n_before < n_bytes ? n_before : n_bytes);
    }
    return moved;
}

static void *first_reallocarray(void *block, size_t n, size_t n_bytes)
{
    if (!is_finding) {
        hpp__next_allocator_find();
        return hpp__next.reallocarray(block, n, n_bytes);
    }
    errno = ENOMEM;
    return NULL;
}

static void first_free(void *block)
{
    if (!is_finding) {
        hpp__next_allocator_find();
        hpp__next.free(block);
    }
}

static void *first_memalign(size_t alignment, size_t n_bytes)
{
    hpp__next_allocator_find();
    return hpp__next.memalign(alignment, n_bytes);
}

static int first_posix_memalign(void **block, size_t alignment, size_t n_bytes)
{
    hpp__next_allocator_find();
    return hpp__next.posix_memalign(block, alignment, n_bytes);
}

static void *first_aligned_alloc(size_t alignment, size_t n_bytes)
{
    hpp__next_allocator_find();
    return hpp__next.aligned_alloc(alignment, n_bytes);
}

static void *first_valloc(size_t n_bytes)
{
    hpp__next_allocator_find();
    return hpp__next.valloc(n_bytes);
}

static void *first_pvalloc(size_t n_bytes)
{
    hpp__next_allocator_find();
    return hpp__next.pvalloc(n_bytes);
}

/* Mappings do not look up names: an allocator of the program may make them while it holds a lock,
 * and the error message of a failed lookup is a block of that allocator. */

/* Returns a result of the kernel as libc does. */
static long with_errno(long result)
{
    if (result < 0 && result >= -4095) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

static void *first_mmap(void *wanted, size_t n_bytes, int protection, int flags, int file,
                        off_t offset)
{
    return (void *)with_errno(
        hpp__syscall(SYS_mmap, (long)wanted, (long)n_bytes, protection, flags, file, offset));
}

static int first_munmap(void *begin, size_t n_bytes)
{
    return (int)with_errno(hpp__syscall(SYS_munmap, (long)begin, (long)n_bytes, 0, 0, 0, 0));
}

static void *first_mremap(void *block, size_t n_before, size_t n_bytes, int flags, void *wanted)
{
    return (void *)with_errno(hpp__syscall(SYS_mremap, (long)block, (long)n_before, (long)n_bytes,
                                           flags, (long)wanted, 0));
}

static int first_mprotect(void *begin, size_t n_bytes, int protection)
{
    return (int)with_errno(
        hpp__syscall(SYS_mprotect, (long)begin, (long)n_bytes, protection, 0, 0, 0));
}

hpp_next_allocator hpp__next = {
    .malloc = first_malloc,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .reallocarray = first_reallocarray,
    .free = first_free,
    .memalign = first_memalign,
    .posix_memalign = first_posix_memalign,
    .aligned_alloc = first_aligned_alloc,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
    .mmap = first_mmap,
    .munmap = first_munmap,
    .mremap = first_mremap,
    .mprotect = first_mprotect,
};

/* ---- finding --------------------------------------------------------------------------------- */

bool hpp__is_attached;

/* The bounds of this library, by the linker. */
extern const char __ehdr_start[] HPP_HIDDEN;
extern const char _end[] HPP_HIDDEN;

bool hpp__next_allocator_is_own(uintptr_t address)
{
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

/* Returns whether a function is only an entry of the executable's PLT: one that is linked at fixed
 * addresses has such an entry for each function of a library whose address it takes, and dlsym
 * returns that. */
static bool is_stub(const void *function)
{
    Dl_info object;
    const ElfW(Sym) *symbol = NULL;
    return dladdr1(function, &object, (void **)(uintptr_t)&symbol, RTLD_DL_SYMENT) != 0 &&
           symbol != NULL && symbol->st_shndx == SHN_UNDEF;
}

/* Returns a function of the first object after the executable that has it, or NULL. */
static void *find_behind_stub(const char *name)
{
    void *found = NULL;
    for (const struct link_map *m = _r_debug.r_map->l_next; m != NULL && found == NULL;
         m = m->l_next) {
        void *object = dlopen(m->l_name, RTLD_LAZY | RTLD_NOLOAD);
        struct dl_find_object place;
        if (object != NULL) {
            void *function = dlsym(object, name); /* of this object, or one that it needs */
            bool is_here =
                hpp__loader_find(&place, (uintptr_t)function) && place.dlfo_link_map == m;
            found = is_here ? function : NULL;
            dlclose(object);
        }
    }
    return found;
}

/* A library that is loaded late is in the search order after all others, but only for itself. */
void *hpp__next_function(const char *name)
{
    void *found = dlsym(hpp__is_attached ? RTLD_DEFAULT : RTLD_NEXT, name);
    if (hpp__is_attached && found != NULL && is_stub(found)) {
        found = find_behind_stub(name);
    }
    return hpp__next_allocator_is_own((uintptr_t)found) ? NULL : found;
}

/* Replaces `*function` if the name is known. */
static void find(void *function, const char *name)
{
    void *found = hpp__next_function(name);
    if (found != NULL) {
        memcpy(function, &found, sizeof(found));
    }
}

static atomic_bool is_found;

bool hpp__next_allocator_is_found(void)
{
    return atomic_load_explicit(&is_found, memory_order_relaxed);
}

/* Once only: a name that is not there costs an error message, which would count as the program's.
 */
HPP_COLD HPP_ANY_STACK void hpp__next_allocator_find(void)
{
    if (is_finding || is_found) {
        return;
    }
    int error = errno;
    is_finding = true;
    find(&hpp__next.mmap, "mmap");
    find(&hpp__next.munmap, "munmap");
    find(&hpp__next.mremap, "mremap");
    find(&hpp__next.mprotect, "mprotect");
    find(&hpp__next.free_sized, "free_sized");
    find(&hpp__next.free_aligned_sized, "free_aligned_sized");
    find(&hpp__next.sdallocx, "sdallocx");
    find(&hpp__next.usable_size, "malloc_usable_size");
    hpp__next.python = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    find(&hpp__next.calloc, "calloc");
    find(&hpp__next.realloc, "realloc");
    find(&hpp__next.reallocarray, "reallocarray");
    find(&hpp__next.free, "free");
    find(&hpp__next.memalign, "memalign");
    find(&hpp__next.posix_memalign, "posix_memalign");
    find(&hpp__next.aligned_alloc, "aligned_alloc");
    find(&hpp__next.valloc, "valloc");
    find(&hpp__next.pvalloc, "pvalloc");
    find(&hpp__next.malloc, "malloc");
    /* Clear our failed lookups, so that the program does not see them. */
    dlerror();
    is_finding = false;
    is_found = true;
    errno = error;
}

bool hpp__next_allocator_is_hidden(void)
{
    const void *first = hpp__is_attached ? NULL : dlsym(RTLD_DEFAULT, "malloc");
    return first != NULL && !hpp__next_allocator_is_own((uintptr_t)first) && !is_stub(first);
}

bool hpp__next_allocator_is_together(const void *function, const void *other)
{
    struct dl_find_object mine, theirs;
    return function != NULL && other != NULL && hpp__loader_find(&mine, (uintptr_t)function) &&
           hpp__loader_find(&theirs, (uintptr_t)other) &&
           mine.dlfo_link_map == theirs.dlfo_link_map;
}
