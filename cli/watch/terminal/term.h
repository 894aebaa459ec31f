/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The terminal that the program is at: taken over for a picture, and given back on every way out,
 * signals included.
 */
#ifndef CENSUS_WATCH_TERM_H
#define CENSUS_WATCH_TERM_H

#include "screen.h"

#include <stddef.h>

/* What the terminal can do, from the environment. */
typedef struct term_abilities {
    screen_depth depth;
    bool is_utf8;
    bool is_dark; /* its ground, as far as it is known */
} term_abilities;

term_abilities term_look_around(void);

/* Opens the terminal, even where standard input and output are something else, for reading and
 * writing without waiting. Returns a descriptor, or -1 with errno. */
int term_open(void);

/* Takes it over: the other screen, no cursor, keys one by one. From now on it is given back when
 * the process exits or dies of a signal that can be caught. */
bool term_take(int fd);

/* Gives it back. May be called at any time, also from a signal handler. */
void term_give_back(void);

/* Its size; 80 x 24 where it does not say. */
void term_size(int fd, int *columns, int *rows);

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
