/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocates in several functions and on several lines, and frees half of it.
 */
#include <stdlib.h>
#include <string.h>

enum { N = 60 };
static char *kept[3 * N];

__attribute__((noinline)) static char *leaf(size_t n_bytes)
{
    char *block = malloc(n_bytes);
    memset(block, 1, n_bytes);
    return block;
}

__attribute__((noinline)) static char *middle(size_t n_bytes)
{
    char *block = leaf(n_bytes);
    block[0]++;
    return block;
}

__attribute__((noinline)) static char *table(size_t n)
{
    char *block = calloc(n, 16);
    block[0]++;
    return block;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        kept[3 * i] = leaf(4000);
        kept[3 * i + 1] = middle(1000 * (size_t)(i + 1));
        kept[3 * i + 2] = table(50 * (size_t)(i + 1));
    }
    for (int i = 0; i < 3 * N; i += 2) {
        free(kept[i]);
        kept[i] = NULL;
    }
    return kept[1] == NULL;
}
