/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growable bytes, and growing any array by doubling with the size checked.
 */
#ifndef HPF_BUF_H
#define HPF_BUF_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hpf__buf {
    char *bytes; /* NULL while capacity is 0 */
    size_t length;
    size_t capacity;
} hpf__buf;

/* Room for `n_more` bytes behind the last; false when there is no memory (nothing is lost). */
bool hpf__buf_reserve(hpf__buf *buf, size_t n_more);
bool hpf__buf_append(hpf__buf *buf, const void *bytes, size_t n_bytes);
void hpf__buf_finish(hpf__buf *buf);

/* Grows `array` (of `*capacity` elements) so that `needed` fit, at least doubling. Returns the
 * array, maybe moved, or NULL when there is no memory, with the old array untouched. */
void *hpf__grow(void *array, size_t *capacity, size_t needed, size_t element_bytes);

#endif
