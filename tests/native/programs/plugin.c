/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A library to load and unload, built twice: PLUGIN_KEEPS names the function that keeps blocks.
 */
#include <stddef.h>
#include <stdlib.h>

#include "case.h"

/* A C++ run time of the library's own, which is elsewhere in the second one. */
#if PLUGIN_BYTES == 64
#define FIRST  __cxa_throw
#define SECOND not_called
#else
#define FIRST  not_called
#define SECOND __cxa_throw
#endif
#define VISIBLE __attribute__((visibility("default"), noinline))
VISIBLE void __cxa_throw(void *object, void *type, void (*destroy)(void *));
VISIBLE void not_called(void *object, void *type, void (*destroy)(void *));
VISIBLE size_t throw_in_plugin(void);
static volatile size_t first_bytes, second_bytes;

void FIRST(void *object, void *type, void (*destroy)(void *))
{
    first_bytes = (object == type && !destroy) * PLUGIN_BYTES;
}

void SECOND(void *object, void *type, void (*destroy)(void *))
{
    second_bytes = (object == type && !destroy) * PLUGIN_BYTES;
}

/* Returns 64 or 96, or the negative number if the wrong function is called. */
size_t throw_in_plugin(void)
{
    __cxa_throw(NULL, NULL, NULL);
    return PLUGIN_BYTES == 64 ? first_bytes - second_bytes : second_bytes - first_bytes;
}

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
