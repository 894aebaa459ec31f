/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growable arrays: a pointer, a length and a capacity, which the owner keeps where it likes and
 * frees with free(). An empty array is NULL, 0, 0. And bisection, for arrays of any kind.
 *
 *     hpf_mark *marks;
 *     size_t n_marks, marks_capacity;
 *     ...
 *     if (!HPF__ARRAY_PUSH(marks, n_marks, marks_capacity, mark)) {
 *         return hpf_error_set_memory(err);
 *     }
 *
 * The macros evaluate their arguments more than once. Not for code that runs inside an allocator.
 */
#ifndef HPF_ARRAY_H
#define HPF_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for at least `needed` elements, doubling the capacity. Returns the array, which may
 * have moved. Without memory the array and `*capacity` stay as they are. */
static inline void *hpf__array_grow(void *array, size_t *capacity, size_t needed,
                                    size_t element_bytes)
{
    size_t wanted = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    wanted = wanted < 16 ? 16 : wanted;
    wanted = wanted < needed ? needed : wanted;
    bool fits = wanted <= PTRDIFF_MAX / element_bytes;
    void *moved = fits ? realloc(array, wanted * element_bytes) : NULL;
    if (moved) {
        *capacity = wanted;
    }
    return moved ? moved : array;
}

/* Makes room for `needed` elements. Returns false when there is no memory; the array is unchanged
 * then. `array` and `capacity` are lvalues. */
#define HPF__ARRAY_RESERVE(array, capacity, needed)                                                \
    ((needed) <= (capacity) ||                                                                     \
     ((array) = hpf__array_grow((array), &(capacity), (needed), sizeof *(array)),                  \
      (needed) <= (capacity)))

/* Does the same and zeroes what is added, for arrays whose elements are read before they are
 * written. */
static inline void *hpf__array_grow_zeroed(void *array, size_t *capacity, size_t needed,
                                           size_t element_bytes)
{
    size_t before = *capacity;
    if (before == 0) { /* pages of a large array that are not used stay untouched */
        char *new = calloc(needed, element_bytes);
        *capacity = new ? needed : 0;
        return new;
    }
    char *moved = hpf__array_grow(array, capacity, needed, element_bytes);
    if (*capacity > before) {
        memset(moved + before * element_bytes, 0, (*capacity - before) * element_bytes);
    }
    return moved;
}
#define HPF__ARRAY_RESERVE_ZEROED(array, capacity, needed)                                         \
    ((needed) <= (capacity) ||                                                                     \
     ((array) = hpf__array_grow_zeroed((array), &(capacity), (needed), sizeof *(array)),           \
      (needed) <= (capacity)))

/* Appends `value`. Returns false when there is no memory; the array is unchanged then. */
#define HPF__ARRAY_PUSH(array, n, capacity, value)                                                 \
    (HPF__ARRAY_RESERVE(array, capacity, (size_t)(n) + 1) ? ((array)[(n)++] = (value), true)       \
                                                          : false)

/* Sorts the first `n` items; an array without items may be NULL. */
#define HPF__ARRAY_SORT(array, n, compare) hpf__array_sort((array), (n), sizeof *(array), (compare))

static inline void hpf__array_sort(void *array, size_t n, size_t item_bytes,
                                   int (*compare)(const void *left, const void *right))
{
    if (n > 0) {
        qsort(array, n, item_bytes, compare);
    }
}

/* Stores the first number from 0 to `n` for which `is_before` is false, by bisection. `is_before`
 * is an expression of the number `i`: true up to some number, and false from there on. */
#define HPF__ARRAY_BISECT(first, n, i, is_before)                                                  \
    do {                                                                                           \
        size_t hpf__end = (n);                                                                     \
        (first) = 0;                                                                               \
        while ((first) < hpf__end) {                                                               \
            size_t i = (first) + (hpf__end - (first)) / 2;                                         \
            if (is_before) {                                                                       \
                (first) = i + 1;                                                                   \
            } else {                                                                               \
                hpf__end = i;                                                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#endif
