/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sweeping: what stays moves to the front, old columns with their small names folded. A sweep
 * leaves at most three quarters of the room taken, so one costs a few times what was added since
 * the last.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "summary/columns.h"
#include "event/costs.h"

/* So many names are never folded. */
#define FEWEST_NAMES 512

/* Words that a column takes beside its costs. */
#define PLACE_WORDS (sizeof(hpf__column) / sizeof(uint64_t))

static size_t taken_words(const hpf__columns *c)
{
    return c->n_words + c->n_columns * PLACE_WORDS;
}

bool hpf__columns_are_full(const hpf__columns *c)
{
    return taken_words(c) >= c->sweep_words;
}

static size_t words_of(const hpf__columns *c, size_t i)
{
    size_t end = i + 1 < c->n_columns ? c->all[i + 1].at : c->n_words;
    return end - c->all[i].at + PLACE_WORDS;
}

/* Goes through the columns that are picks: the next one at or behind `column`, before `end`. */
static size_t next_pick(const hpf__columns *c, const hpf__picks *picks, size_t *pick, size_t column,
                        size_t end)
{
    for (; column < end; column++) {
        while (*pick < picks->n_all &&
               hpf__column_compare(&c->all[column], &picks->all[*pick]) > 0) {
            ++*pick;
        }
        if (*pick < picks->n_all && hpf__column_compare(&c->all[column], &picks->all[*pick]) == 0) {
            break;
        }
    }
    return column;
}

static size_t words_of_picks(const hpf__columns *c, const hpf__picks *picks, size_t end)
{
    size_t n_words = 0, pick = 0;
    for (size_t i = 0; (i = next_pick(c, picks, &pick, i, end)) < end; i++) {
        n_words += words_of(c, i);
    }
    return n_words;
}

/* The first of the latest columns, which take at most `most_words`: the last one is among them in
 * any case. */
static size_t find_latest(const hpf__columns *c, size_t most_words)
{
    size_t i = c->n_columns - 1;
    size_t n_words = words_of(c, i);
    while (i > c->n_old && n_words + words_of(c, i - 1) <= most_words) {
        n_words += words_of(c, --i);
    }
    return i;
}

/* --- which names are folded --- */

typedef struct judged {
    double worth;
    hpf_name name;
    size_t n_words; /* that it takes in old picks */
} judged;

static int by_worth(const void *left, const void *right)
{
    const judged *a = left, *b = right;
    if (a->worth != b->worth) {
        return a->worth > b->worth ? -1 : 1;
    }
    return (a->name > b->name) - (a->name < b->name);
}

static void count_words(const hpf__columns *c, const hpf__picks *picks, size_t end, judged *names)
{
    size_t pick = 0;
    for (size_t i = 0; (i = next_pick(c, picks, &pick, i, end)) < end; i++) {
        uint64_t n_costs;
        const uint64_t *word = hpf__columns_costs(c, i, &n_costs);
        for (; n_costs; n_costs--) {
            hpf_cost cost;
            const uint64_t *next = hpf__unpack(word, &cost);
            if (cost.name != HPF__REST) {
                names[cost.name].n_words += (size_t)(next - word);
            }
            word = next;
        }
    }
}

/* Its area when the run has lasted twice as long, if it stays as it is. A profile whose time stands
 * still has no areas. */
static double worth_of(const hpf__tally *tally, const hpf__account *account)
{
    double duration = tally->overview.last_time - tally->overview.first_time;
    bool is_alive = account->stamp == tally->overview.n_samples;
    if (duration > 0) {
        return account->trapezium + (is_alive ? account->current * duration : 0);
    }
    return hpf__account_sum(account);
}

/* How many of the largest names can be kept if they are to take a quarter of the room; SIZE_MAX: as
 * many as there may be. */
static size_t count_affordable(const judged *names, size_t n_names, size_t most_words)
{
    size_t n = 0, n_words = 0;
    while (n < n_names && (n < FEWEST_NAMES || n_words + names[n].n_words <= most_words / 4)) {
        n_words += names[n++].n_words;
    }
    return n < n_names ? n : SIZE_MAX;
}

/* Judges all names anew. How many are kept only becomes less: a name at the border is not folded
 * and unfolded in turn. */
static bool choose_folded(hpf__columns *c, const hpf__tally *tally, const hpf__picks *picks,
                          size_t end, bool is_tight)
{
    size_t n_names = tally->n_accounts;
    judged *names = calloc(n_names + 1, sizeof *names);
    if (!names || !HPF__ARRAY_RESERVE(c->is_folded, c->judged_capacity, n_names)) {
        free(names);
        return false;
    }
    for (size_t i = 0; i < n_names; i++) {
        names[i].name = (hpf_name)i;
        names[i].worth = worth_of(tally, &tally->accounts[i]);
    }
    count_words(c, picks, end, names);
    qsort(names, n_names, sizeof *names, by_worth);
    size_t n_affordable = is_tight ? count_affordable(names, n_names, c->most_words) : SIZE_MAX;
    c->n_kept = n_affordable < c->n_kept ? n_affordable : c->n_kept;
    for (size_t i = 0; i < n_names; i++) {
        c->is_folded[names[i].name] = i >= c->n_kept;
    }
    c->n_judged = n_names;
    free(names);
    return true;
}

/* --- moving --- */

static bool is_folded(const hpf__columns *c, hpf_name name)
{
    return name == HPF__REST || (name < c->n_judged && c->is_folded[name]);
}

/* Writes a column with its folded names added up; what it was lies at `from`, not before `to`. */
static uint64_t *write_folded(const hpf__columns *c, uint64_t *to, const uint64_t *from)
{
    hpf_cost rest = {.name = HPF__REST};
    bool has_rest = false;
    uint64_t *n_written = to;
    uint64_t n_costs = *from++, n = 0;
    for (to++; n_costs; n_costs--) {
        hpf_cost cost;
        from = hpf__unpack(from, &cost);
        if (is_folded(c, cost.name)) {
            hpf__cost_add(&rest, &cost);
            has_rest = true;
        } else {
            to = hpf__pack(to, &cost);
            n++;
        }
    }
    if (has_rest) {
        to = hpf__pack(to, &rest);
        n++;
    }
    *n_written = n;
    return to;
}

/* Moves columns [begin, end) to those that are there. */
static void move_whole(hpf__columns *c, size_t begin, size_t end, size_t end_word)
{
    size_t first_word = c->all[begin].at;
    memmove(c->words + c->n_words, c->words + first_word,
            (end_word - first_word) * sizeof *c->words);
    for (size_t i = begin; i < end; i++) {
        c->all[c->n_columns] = c->all[i];
        c->all[c->n_columns++].at -= first_word - c->n_words;
    }
    c->n_words += end_word - first_word;
}

static void move(hpf__columns *c, const hpf__picks *picks, size_t first_latest)
{
    size_t n_columns = c->n_columns, n_words = c->n_words, pick = 0;
    hpf__columns old = *c;
    c->n_columns = 0;
    c->n_words = 0;
    for (size_t i = 0; (i = next_pick(&old, picks, &pick, i, first_latest)) < first_latest; i++) {
        const uint64_t *from = c->words + c->all[i].at;
        uint64_t *to = c->words + c->n_words;
        c->all[c->n_columns] = c->all[i];
        c->all[c->n_columns++].at = c->n_words;
        c->n_words = (size_t)(write_folded(c, to, from) - c->words);
    }
    c->n_old = c->n_columns;
    move_whole(c, first_latest, n_columns, n_words);
}

bool hpf__columns_sweep(hpf__columns *c, const hpf__tally *tally, const hpf__picks *picks)
{
    size_t for_picks = words_of_picks(c, picks, c->n_columns);
    size_t room = c->most_words / 4 * 3;
    size_t for_latest = for_picks < c->most_words / 2 ? room - for_picks : c->most_words / 4;
    size_t first_latest = find_latest(c, for_latest);
    bool is_tight = words_of_picks(c, picks, first_latest) > c->most_words / 2;
    if ((is_tight || c->n_judged) && !choose_folded(c, tally, picks, first_latest, is_tight)) {
        return false;
    }
    c->n_folds += c->n_kept < c->n_judged;
    move(c, picks, first_latest);
    size_t soon = taken_words(c) + taken_words(c) / 4;
    c->sweep_words = soon > c->most_words ? soon : c->most_words;
    return true;
}
