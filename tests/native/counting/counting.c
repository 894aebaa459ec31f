/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table is an array of buckets with room for some blocks each. A block belongs to one thread at
 * a time, so entering and taking one is a compare-and-swap of its address; nothing waits, and
 * signal handlers may run at any moment. Blocks that do not fit go to the next bucket, and a bucket
 * that was ever full is marked forever.
 */
#include "counting.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { BUCKET_BITS = 18, N_BUCKETS = 1 << BUCKET_BITS, BLOCKS_PER_BUCKET = 15 };

typedef struct bucket {
    struct {
        _Atomic uintptr_t address;
        uint64_t size_bytes;
    } blocks[BLOCKS_PER_BUCKET];
    _Atomic uint64_t was_full;
} bucket;

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} real;

static bool is_finding; /* these functions */
static bucket *buckets;
static bool has_usable_sizes; /* the table is in a file: sizes are those that the allocator gave */
static counting *counts;
static char file_name[4000];      /* COUNTING_FILE, which the program may clear; empty: none */
static _Atomic int *same_process; /* in a page that is zero in a forked child */

/* The program has the same number of modules with thread-local storage as under the profiler, since
 * the memory of a thread depends on it. */
static _Thread_local volatile char is_touched;

static void *pages(size_t size_bytes)
{
    void *p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        abort();
    }
    return p;
}

/* Appends without printf, which may allocate. */
static void append_pid(char *name, size_t n)
{
    char digits[16];
    size_t n_digits = 0, length = strlen(name);
    for (unsigned rest = (unsigned)getpid(); rest > 0; rest /= 10) {
        digits[n_digits++] = (char)('0' + rest % 10);
    }
    if (length + n_digits + 2 > n) {
        abort();
    }
    name[length++] = '.';
    while (n_digits > 0) {
        name[length++] = digits[--n_digits];
    }
    name[length] = '\0';
}

static int open_new_file(void)
{
    char name[sizeof file_name + 64];
    memcpy(name, file_name, sizeof file_name);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EEXIST) {
        append_pid(name, sizeof name);
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    return fd;
}

static counting *new_counts(void)
{
    void *p = MAP_FAILED;
    int fd = file_name[0] ? open_new_file() : -1;
    if (fd >= 0 && ftruncate(fd, sizeof(counting)) == 0) {
        p = mmap(NULL, sizeof(counting), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    return p == MAP_FAILED ? pages(sizeof(counting)) : p;
}

/* Returns the table of blocks: in a file at `path`, unless that is NULL. */
static bucket *new_table(const char *path)
{
    const size_t n_bytes = N_BUCKETS * sizeof(bucket);
    int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0) {
        return pages(n_bytes);
    }
    void *p = ftruncate(fd, (off_t)n_bytes) == 0
                  ? mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                  : MAP_FAILED;
    close(fd);
    has_usable_sizes = p != MAP_FAILED;
    return has_usable_sizes ? p : pages(n_bytes);
}

static void begin_as_child(void)
{
    uint64_t live = counts->allocations - counts->frees;
    uint64_t live_bytes = counts->asked_bytes - counts->freed_bytes;
    counts = new_counts();
    counts->allocations = counts->inherited = live;
    counts->asked_bytes = counts->inherited_bytes = live_bytes;
    *same_process = 1;
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        abort();
    }
    return found;
}

/* POSIX lets an object pointer from dlsym be used as a function. */
#define FIND(name)                                                                                 \
    do {                                                                                           \
        void *found = next(#name);                                                                 \
        memcpy(&real.name, &found, sizeof found);                                                  \
    } while (0)

static void begin(void)
{
    const char *path = getenv("COUNTING_FILE");
    is_finding = true;
    FIND(malloc);
    FIND(calloc);
    FIND(realloc);
    FIND(free);
    FIND(memalign);
    FIND(posix_memalign);
    FIND(valloc);
    FIND(pvalloc);
    is_finding = false;
    buckets = new_table(getenv("COUNTING_BLOCKS"));
    same_process = pages(4096);
    if (madvise(same_process, 4096, MADV_WIPEONFORK) != 0) {
        abort();
    }
    if (path && strlen(path) < sizeof file_name) {
        memcpy(file_name, path, strlen(path) + 1);
    }
    counts = new_counts();
    *same_process = 1;
}

/* Initialises the counters. The first call of a process happens before it has threads. */
static void ready(void)
{
    int error = errno;
    is_touched = 1;
    if (!same_process) {
        begin();
    } else if (!*same_process) {
        begin_as_child();
    }
    errno = error;
}

/* Creates the file even for a program that allocates nothing, or clears its environment first. */
__attribute__((constructor)) static void begin_early(void)
{
    ready();
}

static bucket *bucket_of(uintptr_t address, unsigned step)
{
    uint64_t hash = ((uint64_t)address >> 3) * 0x9e3779b97f4a7c15u;
    return &buckets[((hash >> (64 - BUCKET_BITS)) + step) % N_BUCKETS];
}

static bool enter_into(bucket *b, uintptr_t address, uint64_t size_bytes)
{
    for (int i = 0; i < BLOCKS_PER_BUCKET; i++) {
        uintptr_t none = 0;
        if (b->blocks[i].address == 0 &&
            atomic_compare_exchange_strong(&b->blocks[i].address, &none, address)) {
            b->blocks[i].size_bytes = size_bytes;
            return true;
        }
    }
    b->was_full = 1;
    return false;
}

static void *enter(void *block, uint64_t size_bytes, int call)
{
    if (!block) {
        return block;
    }
    unsigned step = 0;
    size_bytes = has_usable_sizes ? malloc_usable_size(block) : size_bytes;
    while (!enter_into(bucket_of((uintptr_t)block, step), (uintptr_t)block, size_bytes)) {
        if (++step == N_BUCKETS) {
            abort();
        }
    }
    counts->allocations += 1;
    counts->asked_bytes += size_bytes;
    counts->by_call[call] += 1;
    return block;
}

static bool take_from(bucket *b, uintptr_t address, uint64_t *size_bytes)
{
    for (int i = 0; i < BLOCKS_PER_BUCKET; i++) {
        if (b->blocks[i].address == address) {
            *size_bytes = b->blocks[i].size_bytes;
            b->blocks[i].address = 0;
            return true;
        }
    }
    return false;
}

/* Removes a block, and sets *size_bytes to its requested size. */
static bool take(void *block, uint64_t *size_bytes)
{
    bool is_found = false, goes_on = block != NULL;
    for (unsigned step = 0; goes_on && step < N_BUCKETS; step++) {
        bucket *b = bucket_of((uintptr_t)block, step);
        is_found = take_from(b, (uintptr_t)block, size_bytes);
        goes_on = !is_found && b->was_full;
    }
    if (is_found) {
        counts->frees += 1;
        counts->freed_bytes += *size_bytes;
    } else if (block) {
        counts->strangers += 1;
    }
    return is_found;
}

EXPORT void *malloc(size_t size)
{
    ready();
    return enter(real.malloc(size), size, COUNTING_MALLOC);
}

/* Before glibc 2.34, dlsym itself asks for memory, and does without. */
EXPORT void *calloc(size_t n, size_t size)
{
    if (is_finding) {
        return NULL;
    }
    ready();
    return enter(real.calloc(n, size), n * size, COUNTING_CALLOC);
}

EXPORT void free(void *block)
{
    uint64_t size_bytes;
    ready();
    take(block, &size_bytes);
    real.free(block);
}

/* Removes the block first, since another thread may get it once it is freed. If realloc fails, the
 * block is added again. */
EXPORT void *realloc(void *block, size_t size)
{
    uint64_t size_bytes = 0;
    ready();
    bool was_known = take(block, &size_bytes);
    void *moved = real.realloc(block, size);
    if (!moved && was_known && size > 0) {
        enter(block, size_bytes, COUNTING_REALLOC);
        counts->by_call[COUNTING_REALLOC] -= 1;
        counts->allocations -= 1;
        counts->asked_bytes -= size_bytes;
        counts->frees -= 1;
        counts->freed_bytes -= size_bytes;
    }
    return enter(moved, size, COUNTING_REALLOC);
}

EXPORT void *reallocarray(void *block, size_t n, size_t size)
{
    if (size > 0 && n > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, n * size);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    ready();
    return enter(real.memalign(alignment, size), size, COUNTING_ALIGNED);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    ready();
    int status = real.posix_memalign(block, alignment, size);
    if (status == 0) {
        enter(*block, size, COUNTING_ALIGNED);
    }
    return status;
}

EXPORT void *valloc(size_t size)
{
    ready();
    return enter(real.valloc(size), size, COUNTING_ALIGNED);
}

EXPORT void *pvalloc(size_t size)
{
    ready();
    return enter(real.pvalloc(size), size, COUNTING_ALIGNED);
}
