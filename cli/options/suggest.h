/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the word that a user probably meant: "did you mean report?".
 */
#ifndef CENSUS_SUGGEST_H
#define CENSUS_SUGGEST_H

#include <stddef.h>

/* A search for the word that is most similar to `given`. */
typedef struct suggestion {
    const char *given;
    size_t length;
    const char *word; /* borrowed; NULL: no similar word yet */
    size_t n_changes; /* that turn `given` into `word` */
} suggestion;

/* Compares `given` with a word that is valid. */
void suggest_compare(suggestion *s, const char *word);

/* Returns `word`, or the start of it, in a message: ": did you mean --bands?" for the prefix "--",
 * or "" if no word is similar. */
typedef struct suggested {
    char text[80];
} suggested;
suggested suggest_text(const suggestion *s, const char *prefix);

/* Does all of this for a list of words that ends with NULL. */
suggested suggest_of(const char *given, const char *const *words);

#endif
