/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls malloc and free by their addresses. Linked at fixed addresses, it contains entries for them
 * that dlsym returns, but no malloc. It allocates and frees a thousand blocks. Then, for each
 * number that it reads, it replaces the block that it keeps by one of this size, and prints the
 * number.
 */
#include <stdio.h>
#include <stdlib.h>

typedef void *allocate(size_t size);
typedef void release(void *block);

int main(void)
{
    allocate *volatile allocator = malloc;
    release *volatile releaser = free;
    size_t n_bytes;
    void *kept = NULL;
    for (int i = 0; i < 1000; i++) {
        releaser(allocator(32));
    }
    while (scanf("%zu", &n_bytes) == 1) {
        releaser(kept);
        kept = allocator(n_bytes);
        printf("%zu\n", n_bytes);
        fflush(stdout);
    }
    releaser(kept);
    return 0;
}
