/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that contains an allocator. It holds its lock while it maps its memory, and allocates
 * before all constructors.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

enum { HEADER_BYTES = 16, ARENA_BYTES = 1 << 24, KEPT_BYTES = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *arena;
static size_t used_bytes;

static char *map(size_t n_bytes)
{
    return mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

EXPORT void *malloc(size_t size)
{
    pthread_mutex_lock(&lock);
    if (arena == NULL) {
        arena = map(ARENA_BYTES);
    }
    char *block = arena + used_bytes + HEADER_BYTES;
    used_bytes += HEADER_BYTES + (size + HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES;
    pthread_mutex_unlock(&lock);
    memcpy(block - HEADER_BYTES, &size, sizeof(size));
    return block;
}

EXPORT void *calloc(size_t n, size_t size)
{
    return malloc(n * size); /* memory is not used twice */
}

EXPORT void free(void *block)
{
    (void)block;
}

EXPORT void *realloc(void *block, size_t size)
{
    size_t before = 0;
    char *moved = malloc(size);
    if (block != NULL) {
        memcpy(&before, (char *)block - HEADER_BYTES, sizeof(before));
        memcpy(moved, block, before < size ? before : size);
    }
    return moved;
}

static void allocate_first(void)
{
    free(malloc(1));
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_all)(void) = allocate_first;

int main(void)
{
    char *kept = map(KEPT_BYTES);
    kept[0] = 1;
    printf("live map %d\n", KEPT_BYTES);
    return 0;
}
