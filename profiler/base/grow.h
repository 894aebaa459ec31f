/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growable arrays.
 */
#ifndef HPP_GROW_H
#define HPP_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `n` elements in `*array` by doubling, zeroes the new ones, and updates
 * `*capacity`. `array` is the address of a pointer to elements of `element_bytes`. Returns false
 * without memory; the array is unchanged then. */
static inline bool hpp__grow(void *array, size_t *capacity, size_t n, size_t element_bytes)
{
    if (n <= *capacity) {
        return true;
    }
    size_t larger = *capacity < 16 ? 16 : *capacity;
    while (larger < n && larger <= SIZE_MAX / 4 / element_bytes) {
        larger *= 2;
    }
    void *old;
    memcpy(&old, array, sizeof old);
    char *grown = larger < n ? NULL : realloc(old, larger * element_bytes);
    if (!grown) {
        return false;
    }
    memset(grown + *capacity * element_bytes, 0, (larger - *capacity) * element_bytes);
    memcpy(array, &grown, sizeof grown);
    *capacity = larger;
    return true;
}

#endif
