/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words are compared by the number of letters that must be inserted, removed, replaced or swapped
 * with a neighbour (optimal string alignment).
 */
#include "options/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LETTERS = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the number of changes that turn one word into the other. */
static size_t count_changes(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t changes[MOST_LETTERS + 1][MOST_LETTERS + 1]; /* between the first i and j letters */
    for (size_t i = 0; i <= n_a; i++) {
        for (size_t j = 0; j <= n_b; j++) {
            if (i == 0 || j == 0) {
                changes[i][j] = i + j;
                continue;
            }
            bool is_same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            changes[i][j] = least(least(changes[i - 1][j], changes[i][j - 1]) + 1,
                                  changes[i - 1][j - 1] + !is_same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                changes[i][j] = least(changes[i][j], changes[i - 2][j - 2] + 1);
            }
        }
    }
    return changes[n_a][n_b];
}

void suggest_compare(suggestion *s, const char *word)
{
    size_t n = strlen(word);
    if (s->length == 0 || s->length > MOST_LETTERS || n > MOST_LETTERS) {
        return;
    }
    bool is_start = n > s->length && strncmp(word, s->given, s->length) == 0;
    size_t n_changes = is_start ? 1 : count_changes(s->given, s->length, word, n);
    /* One change in two or three letters, two in up to eight, then three. */
    size_t most = s->length < 2 ? 0 : s->length < 4 ? 1 : s->length < 9 ? 2 : 3;
    if ((is_start || n_changes <= most) && (!s->word || n_changes < s->n_changes)) {
        s->word = word;
        s->n_changes = n_changes;
    }
}

suggested suggest_text(const suggestion *s, const char *prefix)
{
    suggested out = {""};
    if (s->word) {
        snprintf(out.text, sizeof out.text, ": did you mean %s%s?", prefix, s->word);
    }
    return out;
}

suggested suggest_of(const char *given, const char *const *words)
{
    suggestion s = {.given = given, .length = strlen(given)};
    for (size_t i = 0; words[i]; i++) {
        suggest_compare(&s, words[i]);
    }
    return suggest_text(&s, "");
}
