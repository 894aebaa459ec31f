/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers to text and back, always with a point, whatever locale the program has set.
 */
#ifndef HPF_NUMBER_H
#define HPF_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest number that hp2ps reads, in characters. */
#define HPF__NUMBER_MAX 32

/* Room for any number printed by the functions below. */
#define HPF__NUMBER_BYTES 352

/* Reads digits[.digits][e[sign]digits], `length` bytes that are known to be of that form, rounded
 * correctly; at most 64 bytes. Infinity when it is too large. */
double hpf__number_parse(const char *text, size_t length);

/* Each writes into `out` (HPF__NUMBER_BYTES) and returns the length, without a NUL. */
size_t hpf__number_whole(char *out, uint64_t value);
size_t hpf__number_fixed(char *out, double value, int decimals); /* as printf's %.*f */
size_t hpf__number_shortest(char *out, double value);            /* reads back as the same double */

/* Writes a time: at least six decimals, as GHC has them, and as many as it takes to read back as
 * the same double, without an exponent, which hp2ps does not read. Times that would take more
 * digits than a reader of `.hp` accepts are written with hpf__number_shortest. */
size_t hpf__number_time(char *out, double value);

#endif
