/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program whose heap of the C library is in parts: pages behind the program break are in use, so
 * more memory is mapped elsewhere. Keeps blocks of all parts, and frees some. Ends with its
 * input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N_BLOCKS = 30000, BARRIER_BYTES = 4096 };

static void *blocks[N_BLOCKS];

/* Takes a page. */
static void put_barrier(void *place)
{
    void *page = mmap(place, BARRIER_BYTES, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
}

int main(void)
{
    int c = 0;
    for (int i = 0; i < N_BLOCKS; i++) {
        if (i == N_BLOCKS / 10) {
            put_barrier(sbrk(0));
        }
        blocks[i] = malloc(24 + (size_t)i % 200);
    }
    for (int i = 0; i < N_BLOCKS; i += 7) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
    while (c != EOF) {
        c = getchar();
    }
    return 0;
}
