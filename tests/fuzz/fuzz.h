/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What fuzz targets share. Each defines LLVMFuzzerTestOneInput, which clang's libFuzzer calls with
 * bytes that it makes up, and standalone_driver.c with bytes of files and some changes to them.
 */
#ifndef CENSUS_TESTS_FUZZ_H
#define CENSUS_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a target may define: one change to an input, in the room of `max_size`; returns the new
 * size. Without it bytes are changed. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                                                     unsigned seed);

/* Changes bytes; libFuzzer's own, or the driver's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Ends the program when a law does not hold. */
#define fuzz_require(law, what)                                                                    \
    do {                                                                                           \
        if (!(law)) {                                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, what);                              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* A number that depends on the input alone: the same input is always treated the same way. */
static inline uint64_t fuzz_seed(const uint8_t *data, size_t size)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++) {
        h = (h ^ data[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

#endif
