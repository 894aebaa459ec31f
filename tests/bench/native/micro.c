/* SPDX-License-Identifier: BSD-2-Clause
 *
 * micro FRAMES PAIRS [rewind]: pairs of malloc and free under so many frames. The stack above stays
 * as it is, or with "rewind" every pair descends and returns through all frames.
 */
#include <stdio.h>
#include <stdlib.h>

#define OWN_FRAME __attribute__((noinline))
#define STAY()    __asm__ volatile("" ::: "memory")

OWN_FRAME static void pairs(long n)
{
    for (long i = 0; i < n; i++) {
        void *volatile block = malloc(24 + (size_t)(i & 63));
        free(block);
    }
}

OWN_FRAME static void descend(int frames, long n)
{
    if (frames <= 1) {
        pairs(n);
    } else {
        descend(frames - 1, n);
    }
    STAY();
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 10;
    long n = argc > 2 ? atol(argv[2]) : 1000000;
    if (argc > 3) {
        for (long i = 0; i < n; i++) {
            descend(frames, 1);
        }
    } else {
        descend(frames, n);
    }
    puts("done");
    return 0;
}
