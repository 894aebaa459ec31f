/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a terminal sends when a key is pressed, told apart.
 */
#ifndef CENSUS_WATCH_KEYS_H
#define CENSUS_WATCH_KEYS_H

#include <stddef.h>

typedef enum key {
    KEY_NONE = 0, /* nothing that has a meaning; others are the character's own number */
    KEY_ESCAPE = 27,
    KEY_UP = 256,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
} key;

/* The first key in `bytes`, and how many bytes it took (at least 1). A sequence that is cut is
 * taken for what it begins with. */
int keys_next(const char *bytes, size_t n_bytes, size_t *used);

#endif
