/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls malloc by its address. Linked at fixed addresses, it contains an entry for malloc that
 * dlsym returns, but no malloc.
 */
#include <stdio.h>
#include <stdlib.h>

typedef void *allocate(size_t size);
typedef void release(void *block);

int main(void)
{
    allocate *volatile allocator = malloc;
    release *volatile releaser = free;
    for (int i = 0; i < 1000; i++) {
        releaser(allocator(32));
    }
    printf("allocations 1000\nbytes 32000\n");
    return 0;
}
