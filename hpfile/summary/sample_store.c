/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words are appended and never change until compaction, which moves what it keeps to the front. A
 * compaction leaves at most three quarters of the room taken, so it costs a few times what was
 * added since the last one.
 */
#include "summary/sample_store.h"

#include <stdlib.h>

#include "base/array.h"

/* Number of the largest names that are never folded. */
#define FEWEST_NAMES 512

/* Words that a sample takes in addition to its costs. */
#define SAMPLE_WORDS (sizeof(hpf__stored_sample) / sizeof(uint64_t))

void hpf__sample_store_init(hpf__sample_store *s, size_t most_bytes)
{
    *s = (hpf__sample_store){.most_words = most_bytes / sizeof *s->words, .n_kept = SIZE_MAX};
    s->full_words = s->most_words;
}

void hpf__sample_store_finish(hpf__sample_store *s)
{
    free(s->samples);
    free(s->words);
    free(s->is_folded);
    *s = (hpf__sample_store){0};
}

void hpf__sample_store_drop(hpf__sample_store *s)
{
    hpf__sample_store_finish(s);
    s->is_dropped = true;
}

/* Makes room for `n_more` words. The last doubling stops at what may be taken. */
static bool make_room(hpf__sample_store *s, size_t n_more)
{
    size_t needed = s->n_words + n_more;
    size_t most = s->full_words > needed ? s->full_words : needed;
    if (needed > s->words_capacity && s->words_capacity > most / 2) {
        uint64_t *words = realloc(s->words, most * sizeof *words);
        s->words = words ? words : s->words;
        s->words_capacity = words ? most : s->words_capacity;
        return words != NULL;
    }
    return HPF__ARRAY_RESERVE(s->words, s->words_capacity, needed);
}

bool hpf__sample_store_add(hpf__sample_store *s, const hpf_sample *sample)
{
    if (!HPF__ARRAY_RESERVE(s->samples, s->capacity, s->n_samples + 1) ||
        !make_room(s, 1 + 2 * sample->n_costs)) {
        return false;
    }
    s->samples[s->n_samples++] =
        (hpf__stored_sample){sample->time, sample->begin_offset, sample->end_offset, s->n_words};
    uint64_t *to = s->words + s->n_words;
    *to++ = sample->n_costs;
    for (size_t i = 0; i < sample->n_costs; i++) {
        to = hpf__pack(to, &sample->costs[i]);
    }
    s->n_words = (size_t)(to - s->words);
    return true;
}

static int compare_samples(const void *left, const void *right)
{
    const hpf__stored_sample *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return (a->end_offset > b->end_offset) - (a->end_offset < b->end_offset);
}

void hpf__sample_store_sort(hpf__sample_store *s)
{
    HPF__ARRAY_SORT(s->samples, s->n_samples, compare_samples);
}

size_t hpf__sample_store_find(const hpf__sample_store *s, size_t from,
                              const hpf_drawn_sample *drawn_sample)
{
    size_t first;
    if (from < s->n_samples && hpf__stored_sample_compare(&s->samples[from], drawn_sample) == 0) {
        return from; /* the usual case: samples are looked up in order */
    }
    HPF__ARRAY_BISECT(first, s->n_samples, i,
                      i < from || hpf__stored_sample_compare(&s->samples[i], drawn_sample) < 0);
    bool is_found =
        first < s->n_samples && hpf__stored_sample_compare(&s->samples[first], drawn_sample) == 0;
    return is_found ? first : s->n_samples;
}

size_t hpf__sample_store_find_time(const hpf__sample_store *s, double time)
{
    size_t first;
    HPF__ARRAY_BISECT(first, s->n_samples, i, s->samples[i].time < time);
    return first;
}

/* --- compaction --- */

static size_t taken_words(const hpf__sample_store *s)
{
    return s->n_words + s->n_samples * SAMPLE_WORDS;
}

bool hpf__sample_store_is_full(const hpf__sample_store *s)
{
    return taken_words(s) >= s->full_words;
}

static size_t words_of(const hpf__sample_store *s, size_t i)
{
    size_t end = i + 1 < s->n_samples ? s->samples[i + 1].at : s->n_words;
    return end - s->samples[i].at + SAMPLE_WORDS;
}

/* Returns the first sample from `i` on, before `end`, that is a drawn sample; `*drawn sample` is
 * the drawn sample at which the search begins, and where it ended. */
static size_t next_drawn(const hpf__sample_store *s, const hpf__downsample *drawn,
                         size_t *drawn_sample, size_t i, size_t end)
{
    for (; i < end; i++) {
        while (*drawn_sample < drawn->n_all &&
               hpf__stored_sample_compare(&s->samples[i], &drawn->all[*drawn_sample]) > 0) {
            ++*drawn_sample;
        }
        if (*drawn_sample < drawn->n_all &&
            hpf__stored_sample_compare(&s->samples[i], &drawn->all[*drawn_sample]) == 0) {
            break;
        }
    }
    return i;
}

static size_t words_of_drawn(const hpf__sample_store *s, const hpf__downsample *drawn, size_t end)
{
    size_t n_words = 0, drawn_sample = 0;
    for (size_t i = 0; (i = next_drawn(s, drawn, &drawn_sample, i, end)) < end; i++) {
        n_words += words_of(s, i);
    }
    return n_words;
}

/* Returns the first of the latest samples, which take at most `most_words`. The last sample is
 * always one of them. */
static size_t find_latest(const hpf__sample_store *s, size_t most_words)
{
    size_t i = s->n_samples - 1;
    size_t n_words = words_of(s, i);
    while (i > s->n_old && n_words + words_of(s, i - 1) <= most_words) {
        n_words += words_of(s, --i);
    }
    return i;
}

typedef struct ranked_name {
    double worth;
    hpf_name name;
    size_t n_words; /* that its costs take in old drawn samples */
} ranked_name;

static int by_worth(const void *left, const void *right)
{
    const ranked_name *a = left, *b = right;
    if (a->worth != b->worth) {
        return a->worth > b->worth ? -1 : 1;
    }
    return (a->name > b->name) - (a->name < b->name);
}

/* Adds the words that each name takes in the drawn samples before sample `end`. */
static void count_words(const hpf__sample_store *s, const hpf__downsample *drawn, size_t end,
                        ranked_name *names)
{
    size_t drawn_sample = 0;
    for (size_t i = 0; (i = next_drawn(s, drawn, &drawn_sample, i, end)) < end; i++) {
        uint64_t n_costs;
        const uint64_t *word = hpf__sample_store_costs(s, i, &n_costs);
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

/* Returns how many of the largest names fit in a quarter of the room, at least FEWEST_NAMES;
 * SIZE_MAX when all do. */
static size_t count_affordable(const ranked_name *names, size_t n_names, size_t most_words)
{
    size_t n = 0, n_words = 0;
    while (n < n_names && (n < FEWEST_NAMES || n_words + names[n].n_words <= most_words / 4)) {
        n_words += names[n++].n_words;
    }
    return n < n_names ? n : SIZE_MAX;
}

/* Ranks all names and decides which are folded. The number of names that are not folded never
 * grows: a name at the border would be folded and unfolded in turn. */
static bool choose_folded(hpf__sample_store *s, const hpf__downsample *drawn, size_t end,
                          bool is_tight, size_t n_names, hpf__worth *worth, const void *context)
{
    ranked_name *names = calloc(n_names + 1, sizeof *names);
    if (!names || !HPF__ARRAY_RESERVE(s->is_folded, s->ranked_capacity, n_names)) {
        free(names);
        return false;
    }
    for (size_t i = 0; i < n_names; i++) {
        names[i].name = (hpf_name)i;
        names[i].worth = worth(context, (hpf_name)i);
    }
    count_words(s, drawn, end, names);
    HPF__ARRAY_SORT(names, n_names, by_worth);
    size_t n_affordable = is_tight ? count_affordable(names, n_names, s->most_words) : SIZE_MAX;
    s->n_kept = n_affordable < s->n_kept ? n_affordable : s->n_kept;
    for (size_t i = 0; i < n_names; i++) {
        s->is_folded[names[i].name] = i >= s->n_kept;
    }
    s->n_ranked = n_names;
    free(names);
    return true;
}

/* Writes a sample's costs to `to`, which is not after `from`, with folded names added up. Returns
 * the place of the next sample. */
static uint64_t *write_folded(const hpf__sample_store *s, uint64_t *to, const uint64_t *from)
{
    hpf_cost rest = {.name = HPF__REST};
    bool has_rest = false;
    uint64_t *n_written = to;
    uint64_t n_costs = *from++, n = 0;
    for (to++; n_costs; n_costs--) {
        hpf_cost cost;
        from = hpf__unpack(from, &cost);
        if (cost.name == HPF__REST || (cost.name < s->n_ranked && s->is_folded[cost.name])) {
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

/* Moves the drawn samples before `first_latest`, folded, and all later samples to the front. */
static void move(hpf__sample_store *s, const hpf__downsample *drawn, size_t first_latest)
{
    const hpf__sample_store old = *s;
    size_t drawn_sample = 0;
    s->n_samples = 0;
    s->n_words = 0;
    for (size_t i = 0; (i = next_drawn(&old, drawn, &drawn_sample, i, first_latest)) < first_latest;
         i++) {
        const uint64_t *from = s->words + s->samples[i].at;
        uint64_t *to = s->words + s->n_words;
        s->samples[s->n_samples] = s->samples[i];
        s->samples[s->n_samples++].at = s->n_words;
        s->n_words = (size_t)(write_folded(s, to, from) - s->words);
    }
    s->n_old = s->n_samples;
    size_t first_word = s->samples[first_latest].at;
    size_t n_moved = old.n_words - first_word;
    memmove(s->words + s->n_words, s->words + first_word, n_moved * sizeof *s->words);
    for (size_t i = first_latest; i < old.n_samples; i++) {
        s->samples[s->n_samples] = s->samples[i];
        s->samples[s->n_samples++].at -= first_word - s->n_words;
    }
    s->n_words += n_moved;
}

bool hpf__sample_store_compact(hpf__sample_store *s, const hpf__downsample *drawn, size_t n_names,
                               hpf__worth *worth, const void *context)
{
    size_t for_drawn = words_of_drawn(s, drawn, s->n_samples);
    size_t room = s->most_words / 4 * 3;
    size_t for_latest = for_drawn < s->most_words / 2 ? room - for_drawn : s->most_words / 4;
    size_t first_latest = find_latest(s, for_latest);
    bool is_tight = words_of_drawn(s, drawn, first_latest) > s->most_words / 2;
    if ((is_tight || s->n_ranked) &&
        !choose_folded(s, drawn, first_latest, is_tight, n_names, worth, context)) {
        return false;
    }
    s->n_folds += s->n_kept < s->n_ranked;
    move(s, drawn, first_latest);
    size_t soon = taken_words(s) + taken_words(s) / 4;
    s->full_words = soon > s->most_words ? soon : s->most_words;
    return true;
}
