/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Growing by doubling, in one place.
 */
#include "buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *hpf__grow(void *array, size_t *capacity, size_t needed, size_t element_bytes)
{
    if (needed <= *capacity) {
        return array;
    }
    size_t wanted = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    if (wanted < 16) {
        wanted = 16;
    }
    if (wanted < needed) {
        wanted = needed;
    }
    if (wanted > SIZE_MAX / element_bytes) {
        return NULL;
    }
    void *moved = realloc(array, wanted * element_bytes);
    if (moved) {
        *capacity = wanted;
    }
    return moved;
}

bool hpf__buf_reserve(hpf__buf *buf, size_t n_more)
{
    if (n_more > SIZE_MAX - buf->length) {
        return false;
    }
    if (buf->length + n_more <= buf->capacity) {
        return true;
    }
    char *bytes = hpf__grow(buf->bytes, &buf->capacity, buf->length + n_more, 1);
    if (!bytes) {
        return false;
    }
    buf->bytes = bytes;
    return true;
}

bool hpf__buf_append(hpf__buf *buf, const void *bytes, size_t n_bytes)
{
    if (!hpf__buf_reserve(buf, n_bytes)) {
        return false;
    }
    if (n_bytes) {
        memcpy(buf->bytes + buf->length, bytes, n_bytes);
    }
    buf->length += n_bytes;
    return true;
}

void hpf__buf_finish(hpf__buf *buf)
{
    free(buf->bytes);
    *buf = (hpf__buf){0};
}
