/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes that grow at the end.
 */
#ifndef HPF_BUFFER_H
#define HPF_BUFFER_H

#include <string.h>

#include "base/array.h"
#include "hpfile/str.h"

/* All zero is an empty buffer. */
typedef struct hpf__buffer {
    char *bytes; /* NULL while capacity is 0 */
    size_t length;
    size_t capacity;
} hpf__buffer;

/* Makes room for `n_more` bytes after the last. Returns false when there is no memory; the buffer
 * is unchanged then. */
static inline bool hpf__buffer_reserve(hpf__buffer *buffer, size_t n_more)
{
    return n_more <= SIZE_MAX - buffer->length &&
           HPF__ARRAY_RESERVE(buffer->bytes, buffer->capacity, buffer->length + n_more);
}

/* Appends bytes. Returns false when there is no memory; the buffer is unchanged then. */
static inline bool hpf__buffer_append(hpf__buffer *buffer, const void *bytes, size_t n_bytes)
{
    if (!hpf__buffer_reserve(buffer, n_bytes)) {
        return false;
    }
    if (n_bytes) {
        memcpy(buffer->bytes + buffer->length, bytes, n_bytes);
    }
    buffer->length += n_bytes;
    return true;
}

/* Appends a text. Fails like hpf__buffer_append. */
static inline bool hpf__buffer_add(hpf__buffer *buffer, hpf_str text)
{
    return hpf__buffer_append(buffer, text.data, text.length);
}

/* Returns the bytes so far. */
static inline hpf_str hpf__buffer_str(const hpf__buffer *buffer)
{
    return (hpf_str){buffer->bytes, buffer->length};
}

/* Frees the bytes; the buffer is empty then. */
static inline void hpf__buffer_finish(hpf__buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (hpf__buffer){0};
}

#endif
