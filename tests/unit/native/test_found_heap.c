/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap of this process, as an image of which some reads fail: the kernel may kill the copy.
 */
#include "native/collector/roots/found_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/collector/image/proc.h"

enum { MOST_MAPS = 512, PATH_BYTES = 16, MEMORY_BYTES = 1 << 30 };

static size_t n_left; /* reads that are answered */

static bool read_some(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    n_left -= n_left > 0;
    return n_left > 0 && hpp__proc_read_memory((uint32_t)getpid(), out, address, n_bytes);
}

static size_t read_maps(hpp__image_map maps[MOST_MAPS], char paths[MOST_MAPS][PATH_BYTES])
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[512];
    size_t n = 0;
    while (n < MOST_MAPS && fgets(line, sizeof line, file)) {
        unsigned long long begin, end;
        char access[5];
        *paths[n] = '\0';
        cr_assert(ge(int,
                     sscanf(line, "%llx-%llx %4s %*s %*s %*s %15s", &begin, &end, access, paths[n]),
                     3));
        maps[n] = (hpp__image_map){.begin = begin,
                                   .end = end,
                                   .is_readable = access[0] == 'r',
                                   .is_writable = access[1] == 'w',
                                   .is_executable = access[2] == 'x',
                                   .is_shared = access[3] == 's',
                                   .path = paths[n]};
        n++;
    }
    fclose(file);
    return n;
}

Test(found_heap, a_search_ends_wherever_memory_ends, .timeout = 120)
{
    static hpp__image_map maps[MOST_MAPS];
    static char paths[MOST_MAPS][PATH_BYTES];
    void *kept = malloc(100);
    hpp__image image = {.process_id = (uint32_t)getpid(),
                        .frozen_id = (uint32_t)getpid(),
                        .maps = maps,
                        .n_maps = read_maps(maps, paths),
                        .read = read_some};
    hpp__found_blocks heap;
    hpf_error err;
    n_left = SIZE_MAX;
    cr_assert(eq(int, hpp__found_heap_read(&heap, &image, MEMORY_BYTES, &err), HPF_OK));
    cr_assert(ne(ptr, (void *)(uintptr_t)hpp__found_blocks_at(&heap, (uintptr_t)kept), NULL));
    hpp__found_blocks_finish(&heap);
    size_t n_reads = SIZE_MAX - n_left;
    for (size_t n = 0; n < n_reads; n += 1 + n_reads / 2000) {
        n_left = n;
        (void)hpp__found_heap_read(&heap, &image, MEMORY_BYTES, &err);
        hpp__found_blocks_finish(&heap);
    }
    free(kept);
}
