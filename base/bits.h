/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparing and reading eight bytes at a time. This is the only header of the library with compiler
 * extensions; each has an equivalent in plain C.
 */
#ifndef HPF_BITS_H
#define HPF_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__GNUC__)
#define HPF__LIKELY(x)   __builtin_expect(!!(x), 1)
#define HPF__UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define HPF__LIKELY(x)   (x)
#define HPF__UNLIKELY(x) (x)
#endif

static inline uint64_t hpf__load8(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/* Returns whether `length` bytes, at least 8, are the same. The last word overlaps the one before.
 */
static inline bool hpf__same_words(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i + 8 < length; i += 8) {
        if (hpf__load8(a + i) != hpf__load8(b + i)) {
            return false;
        }
    }
    return hpf__load8(a + length - 8) == hpf__load8(b + length - 8);
}

/* Returns whether `length` bytes are the same. */
static inline bool hpf__same_bytes(const char *a, const char *b, size_t length)
{
    return length < 8 ? memcmp(a, b, length) == 0 : hpf__same_words(a, b, length);
}

/* Whether bytes are the same where `bits` has ones, the lowest for the first; 32 can be read of
 * both. */
#if defined(__SSE2__)
static inline uint32_t hpf__equal_16(const char *a, const char *b)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
}

static inline bool hpf__same_in_32(const char *a, const char *b, uint32_t bits)
{
    uint32_t equal = hpf__equal_16(a, b) | hpf__equal_16(a + 16, b + 16) << 16;
    return (equal & bits) == bits;
}
#else
static inline bool hpf__same_in_32(const char *a, const char *b, uint32_t bits)
{
    for (; bits; bits >>= 1, a++, b++) {
        if (bits & 1 && *a != *b) {
            return false;
        }
    }
    return true;
}
#endif

/* Reads at most 8 digits at `p`, where 8 bytes can be read; returns how many there are. */
#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline unsigned hpf__read_digits(const char *p, uint64_t *value)
{
    uint64_t x = hpf__load8(p) ^ UINT64_C(0x3030303030303030);
    uint64_t others = ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
    unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (n == 0) {
        return 0;
    }
    /* The first digit is the lowest byte: move the last one to the top, then add up pairs of
     * digits, pairs of pairs, and the two halves. */
    x <<= (8 - n) * 8;
    x = (x * 10 + (x >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x * 100 + (x >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *value = (x * 10000 + (x >> 32)) & UINT64_C(0xffffffff);
    return n;
}
#else
static inline unsigned hpf__read_digits(const char *p, uint64_t *value)
{
    unsigned n = 0;
    uint64_t v = 0;
    for (; n < 8 && p[n] >= '0' && p[n] <= '9'; n++) {
        v = v * 10 + (uint64_t)(p[n] - '0');
    }
    *value = v;
    return n;
}
#endif

#endif
