/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Changes event logs as logs: records come, go, are repeated, get other types, times and fields,
 * and the frame around them stays whole. Random bytes would nearly always end the reading at the
 * first record that they hit.
 */
#ifndef CENSUS_TESTS_LOG_MUTATOR_H
#define CENSUS_TESTS_LOG_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

#include "rng.h"

/* One change to the log of `size` bytes in the room of `max_size`; returns its new size. What is no
 * log is changed as bytes. */
size_t log_mutate(uint8_t *data, size_t size, size_t max_size, rng *chance);

#endif
