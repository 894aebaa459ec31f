/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Big-endian numbers out of bytes. Compilers make single loads of these.
 */
#ifndef HPF_BIG_ENDIAN_H
#define HPF_BIG_ENDIAN_H

#include <stdint.h>

static inline uint16_t hpf__read2(const char *at)
{
    const unsigned char *p = (const unsigned char *)at;
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t hpf__read4(const char *at)
{
    const unsigned char *p = (const unsigned char *)at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t hpf__read8(const char *at)
{
    const unsigned char *p = (const unsigned char *)at;
    return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 |
           (uint64_t)p[3] << 32 | (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
           (uint64_t)p[6] << 8 | p[7];
}

#endif
