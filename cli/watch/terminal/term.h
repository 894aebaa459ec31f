/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The terminal: takes it over for a picture, and restores it on every exit, including signals; and
 * its keys.
 */
#ifndef CENSUS_WATCH_TERM_H
#define CENSUS_WATCH_TERM_H

#include "terminal/screen.h"

#include <stddef.h>

/* Abilities of the terminal, from the environment. */
typedef struct term_abilities {
    hpr__screen_depth depth;
    bool is_utf8;
    bool is_dark; /* it has a dark background, as far as known */
} term_abilities;

term_abilities term_find_abilities(void);

/* Opens the terminal for non-blocking reading and writing, even if standard input and output are
 * redirected. Returns a descriptor, or -1 with errno. */
int term_open(void);

/* Switches to the alternate screen, hides the cursor, and reads single keys. The terminal is
 * restored when the process exits or receives a signal that can be caught. */
bool term_take(int fd);

/* Restores the terminal. May be called at any time, also from a signal handler. */
void term_restore(void);

/* Stores the size; 80 x 24 if unknown. */
void term_size(int fd, int *columns, int *rows);

typedef enum key {
    KEY_NONE = 0, /* unknown; other keys are their character code */
    KEY_ESCAPE = 27,
    KEY_UP = 256,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
} key;

/* Returns the first key in `bytes`, and in `used` the number of its bytes (at least 1). An
 * incomplete sequence is read as separate keys. */
int keys_next(const char *bytes, size_t n_bytes, size_t *used);

#endif
