/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that uses the hooks: two marks, and a pool with allocated and freed objects.
 * test_hooks.py has its final amounts.
 */
#include <census/mark.h>
#include <hpprof/native.h>

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16, N_OBJECTS = 100, OBJECT_BYTES = 48, N_FREED = 40 };

/* Makes a pool of one chunk, and frees `N_FREED` of its objects. */
static char *make_pool(void)
{
    char *chunk = malloc(CHUNK_BYTES);
    hpp_pool_chunk(chunk);
    for (int i = 0; i < N_OBJECTS; i++) {
        hpp_pool_allocated(chunk + i * OBJECT_BYTES, OBJECT_BYTES - i % 3);
    }
    for (int i = 0; i < N_FREED; i++) {
        hpp_pool_freed(chunk + i * OBJECT_BYTES);
    }
    return chunk;
}

int main(void)
{
    static char long_text[200];
    memset(long_text, 'x', sizeof(long_text) - 1);
    census_mark("first \xc3\xa9");
    char *emptied = make_pool();
    hpp_pool_emptied(emptied, CHUNK_BYTES);
    free(emptied);
    char *kept = make_pool();
    hpp_pool_allocated(kept + CHUNK_BYTES / 2 + 8, 8); /* not where an object can be */
    hpp_pool_freed(NULL);
    census_mark(long_text);
    return kept == NULL;
}
