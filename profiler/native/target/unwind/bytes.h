/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads numbers from a range of bytes. After the end of the range, or an explicit failure, all
 * reads return 0 and `failed` is set.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_BYTES_H
#define HPP_NATIVE_TARGET_UNWIND_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct hpp_bytes {
    const uint8_t *at, *end;
    bool failed;
} hpp_bytes;

static inline size_t hpp__bytes_left(const hpp_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

static inline uint64_t hpp__bytes_fail(hpp_bytes *bytes)
{
    bytes->failed = true;
    bytes->at = bytes->end;
    return 0;
}

static inline void hpp__bytes_skip(hpp_bytes *bytes, uint64_t n)
{
    if (n > hpp__bytes_left(bytes)) {
        hpp__bytes_fail(bytes);
    } else {
        bytes->at += n;
    }
}

/* Reads an unsigned number of n <= 8 bytes. */
static inline uint64_t hpp__bytes_fixed(hpp_bytes *bytes, unsigned n)
{
    if (n > hpp__bytes_left(bytes)) {
        return hpp__bytes_fail(bytes);
    }
    uint64_t value = 0;
    memcpy(&value, bytes->at, n);
    bytes->at += n;
    return value;
}

/* Reads a signed one. */
static inline int64_t hpp__bytes_signed(hpp_bytes *bytes, unsigned n)
{
    unsigned unused = 64 - 8 * n;
    return (int64_t)(hpp__bytes_fixed(bytes, n) << unused) >> unused;
}

static inline uint64_t hpp__bytes_uleb(hpp_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = hpp__bytes_fixed(bytes, 1);
        if (shift < 64) {
            value |= (byte & 0x7f) << shift;
        }
        if (byte < 0x80) {
            return value;
        }
    }
}

static inline int64_t hpp__bytes_sleb(hpp_bytes *bytes)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint64_t byte;
    do {
        byte = hpp__bytes_fixed(bytes, 1);
        if (shift < 64) {
            value |= (byte & 0x7f) << shift;
        }
        shift += 7;
    } while (byte >= 0x80);
    if (shift < 64 && (byte & 0x40)) {
        value |= UINT64_MAX << shift;
    }
    return (int64_t)value;
}

#endif
