/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A library to load and unload, built twice: PLUGIN_KEEPS names the function that keeps blocks.
 */
#include <stddef.h>
#include <stdlib.h>

#include "case.h"

OWN_FRAME static void PLUGIN_KEEPS(size_t n, size_t size_bytes)
{
    for (size_t i = 0; i < n; i++) {
        *(void *volatile *)malloc(size_bytes) = NULL;
        free(malloc(size_bytes * 2));
    }
}

__attribute__((visibility("default"))) extern void *plugin_holder;
void *plugin_holder; /* for the program */

__attribute__((visibility("default"))) size_t keep_in_plugin(size_t n);

size_t keep_in_plugin(size_t n)
{
    PLUGIN_KEEPS(n, PLUGIN_BYTES);
    return n * PLUGIN_BYTES;
}
