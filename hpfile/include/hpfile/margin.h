/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Margins of error of amounts that a sample of the blocks tells (`census run --rate`).
 *
 * A block of s bytes is in a sample of one for M bytes with probability p = 1 - exp(-s / M), and
 * then counts for w = s / p bytes. The sum of w is an unbiased estimate of all bytes, and the sum
 * of w^2 (1 - p) one of its variance. (Horvitz and Thompson, 1952.)
 */
#ifndef HPFILE_MARGIN_H
#define HPFILE_MARGIN_H

#include "hpfile/error.h"

HPF_BEGIN_DECLS

/* Returns the bytes that a block of a sample counts for; with `rate_bytes` 0, its own. */
HPF_API double hpf_margin_weight(double size, double rate_bytes);

/* Returns the variance of an estimate of `bytes` in `blocks` of about the same size; with 0 blocks,
 * how large it may be. Variances of different blocks may be added. 0 if `rate_bytes` is: all blocks
 * were counted. */
HPF_API double hpf_margin_variance(double bytes, double blocks, double rate_bytes);

/* Returns how far the amount may be from an estimate with this variance, with a probability of 95
 * %: on the side that is farther if there were few samples. */
HPF_API double hpf_margin(double bytes, double variance, double rate_bytes);

/* The same, of one estimate: hpf_margin with its hpf_margin_variance. */
HPF_API double hpf_margin_of(double bytes, double blocks, double rate_bytes);

HPF_END_DECLS
#endif
