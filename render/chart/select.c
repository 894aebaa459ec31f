/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Weighs names, and decides which become bands and which go into OTHER.
 */
#include "hpfile/survey.h"
#include "base/arena.h"
#include "base/hash_table.h"
#include "base/names.h"
#include "chart/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/match.h"
#include "hpfile/str.h"
#include "chart/group.h"

/* The rank of a name that had a band before is its weight times this. */
static const double kept_factor = 1.1;

/* Names with this share of the peak are drawn. */
static const double high_share = 0.05;

/* Retainer sets with less than this share of the area are drawn as their package. */
static const double small_share = 0.02;

enum { MOST_READABLE = 40, MOST_BANDS = 200 };

/* A name, or names that count as one. */
typedef struct weighed {
    double weight;
    double rank; /* the weight, raised for names to keep */
    hpf_str text;
    hpf_name name; /* for pages: the number of the row */
    bool is_high;  /* in some sample a twentieth of the peak, or more */
} weighed;

/* Sorts the largest first, and equal ones by text, so that the numbers of names do not matter. */
static int compare_weighed(const void *a, const void *b)
{
    const weighed *x = a;
    const weighed *y = b;
    if (x->rank != y->rank) {
        return x->rank > y->rank ? -1 : 1;
    }
    return hpf_str_compare(x->text, y->text);
}

typedef struct selection {
    const hpf_survey *survey;
    const hpr_options *options;
    weighed *list;
    uint32_t n;
    uint32_t n_names;   /* of the survey */
    hpf_name *first_of; /* by name: the first name of its group */
} selection;

/* Returns the part of a name that names its group, from the innermost frame of an event log if
 * there is one, else from the name itself. Borrowed from the survey; empty if the name has no such
 * part. */
static hpf_str part_of(const hpf_survey *survey, hpf_name name, const hpr_options *options)
{
    hpf_frame innermost;
    hpf_str known = {NULL, 0};
    if (hpf_survey_frames(survey, name, &innermost, 1) > 0) {
        known = options->group == HPR_GROUP_MODULE ? innermost.module
                : options->group == HPR_GROUP_TYPE || options->group == HPR_GROUP_HOLDER
                    ? innermost.type
                    : known;
    }
    return known.length > 0 || options->group == HPR_GROUP_HOLDER
               ? known
               : hpr__part_of(hpf_survey_name(survey, name), options->group,
                              options->n_prefix_parts);
}

static hpf_str group_text(const hpf_survey *survey, hpf_name name, const hpr_options *options)
{
    hpf_str part = part_of(survey, name, options);
    return part.length > 0 ? part : hpf_survey_name(survey, name);
}

uint32_t hpr_count_ungrouped(const hpf_survey *survey, const hpr_options *options)
{
    uint32_t n = 0;
    for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
        n += hpf_survey_totals(survey, name)->n_samples > 0 &&
             part_of(survey, name, options).length == 0;
    }
    return n;
}

/* Lists the names that occur in a sample. */
static void list_names(selection *sel)
{
    const hpf_overview *overview = hpf_survey_overview(sel->survey);
    bool has_area = overview->total.trapezium > 0;
    for (hpf_name name = 0; name < sel->n_names; name++) {
        const hpf_totals *totals = hpf_survey_totals(sel->survey, name);
        sel->first_of[name] = name;
        if (totals->n_samples > 0) {
            double weight = has_area && !sel->options->by_sample ? totals->trapezium : totals->sum;
            hpf_str text = group_text(sel->survey, name, sel->options);
            bool is_high = totals->max >= high_share * overview->peak_total;
            sel->list[sel->n++] = (weighed){weight, weight, text, name, is_high};
        }
    }
}

/* Returns the index of the group of a text among the first `n` of the list, or HPF__HASH_NONE. */
static uint32_t find_group(const selection *sel, const hpf__hash_table *groups, uint32_t hash,
                           hpf_str text)
{
    hpf__hash_probe probe = {0};
    uint32_t group;
    do {
        group = hpf__hash_next(groups, hash, &probe);
    } while (group != HPF__HASH_NONE && !hpf_str_equal(sel->list[group].text, text));
    return group;
}

/* Merges entries with the same text. A group has the name of its first entry. Returns false without
 * memory. */
static bool join_groups(selection *sel)
{
    hpf__hash_table groups = {0};
    uint32_t n = 0;
    bool is_good = true;
    for (uint32_t i = 0; i < sel->n && is_good; i++) {
        const weighed next = sel->list[i];
        uint32_t hash = hpf__hash_bytes(next.text.data, next.text.length);
        uint32_t group = find_group(sel, &groups, hash, next.text);
        if (group != HPF__HASH_NONE) {
            sel->list[group].weight += next.weight;
            sel->list[group].rank += next.rank;
            sel->list[group].is_high |= next.is_high;
            sel->first_of[next.name] = sel->list[group].name;
        } else if ((is_good = hpf__hash_reserve(&groups))) {
            hpf__hash_insert(&groups, hash, n);
            sel->list[n++] = next;
        }
    }
    hpf__hash_finish(&groups);
    sel->n = n;
    return is_good;
}

static double sum_weights(const weighed *list, uint32_t n)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += list[i].weight;
    }
    return total;
}

/* Names small retainer sets after their package. */
static void name_by_package(selection *sel)
{
    double total = sum_weights(sel->list, sel->n);
    for (uint32_t i = 0; i < sel->n; i++) {
        weighed *set = &sel->list[i];
        hpf_str package = hpr__part_of(set->text, HPR_GROUP_HOLDER, 0);
        bool is_small = set->weight < small_share * total && !set->is_high;
        set->text = is_small && package.length > 0 ? package : set->text;
    }
}

/* Joins names as the options say: first those with the same text, then small retainer sets. */
static bool group_names(selection *sel)
{
    if (!join_groups(sel)) {
        return false;
    }
    if (sel->options->group == HPR_GROUP_HOLDER) {
        name_by_package(sel);
        if (!join_groups(sel)) {
            return false;
        }
        for (hpf_name name = 0; name < sel->n_names; name++) {
            sel->first_of[name] = sel->first_of[sel->first_of[name]];
        }
    }
    return true;
}

static void favour_kept(selection *sel)
{
    const hpr_options *o = sel->options;
    for (size_t k = 0; k < o->n_keep_names; k++) {
        uint32_t i = 0;
        while (i < sel->n && !hpf_str_equal(sel->list[i].text, o->keep_names[k])) {
            i++;
        }
        if (i < sel->n) {
            sel->list[i].rank *= kept_factor;
        }
    }
}

/* Moves an entry of a heap, whose last entry in the order is at the top, to where it belongs. */
static void sift_down(weighed *heap, uint32_t n, uint32_t at)
{
    const weighed moved = heap[at];
    for (uint32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && compare_weighed(&heap[child], &heap[child + 1]) < 0;
        if (compare_weighed(&moved, &heap[child]) >= 0) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Sorts the first `n_first` entries of the order to the begin of the list. */
static void sort_first(weighed *list, uint32_t n, uint32_t n_first)
{
    if (n_first < n) {
        for (uint32_t i = n_first / 2; i > 0; i--) {
            sift_down(list, n_first, i - 1);
        }
        for (uint32_t i = n_first; i < n && n_first > 0; i++) {
            if (compare_weighed(&list[i], &list[0]) < 0) {
                const weighed last = list[0];
                list[0] = list[i];
                list[i] = last;
                sift_down(list, n_first, 0);
            }
        }
    }
    qsort(list, n_first < n ? n_first : n, sizeof *list, compare_weighed);
}

/* Returns how many of the list remain without the traces at its end. */
static uint32_t without_traces(const weighed *list, uint32_t n, double percent)
{
    double total = sum_weights(list, n), traces = 0;
    while (n > 0) {
        traces += list[n - 1].weight;
        if (traces >= percent / 100 * total) {
            break;
        }
        n--;
    }
    return n;
}

/* Moves the high entries after the first `*n_drawn` of the list behind these, sorted, and counts
 * them, up to MOST_READABLE. The others keep their order. */
static void add_high(weighed *list, uint32_t n, uint32_t *n_drawn)
{
    uint32_t n_before = *n_drawn;
    for (uint32_t i = n_before; i < n; i++) {
        if (list[i].is_high) {
            weighed high = list[i];
            uint32_t to = *n_drawn;
            while (to > n_before && compare_weighed(&high, &list[to - 1]) < 0) {
                to--;
            }
            memmove(&list[to + 1], &list[to], (i - to) * sizeof *list);
            list[to] = high;
            ++*n_drawn;
        }
    }
    uint32_t most = n_before < MOST_READABLE ? MOST_READABLE : n_before;
    *n_drawn = *n_drawn < most ? *n_drawn : most;
}

/* Sorts the list by rank, and returns how many of its names get a band of their own. */
static uint32_t limit_names(weighed *list, uint32_t n, const hpr_options *options)
{
    /* Sorts as much of the list as the choice of bands needs: often ten of 20,000 names. */
    sort_first(list, n, options->n_bands > 0 ? (uint32_t)options->n_bands + 1 : n);
    uint32_t n_large = without_traces(list, n, options->trace_percent);
    if (options->n_bands < 0) {
        return 0;
    }
    if (options->n_bands > 0 && n_large > (uint32_t)options->n_bands) {
        n_large = (uint32_t)options->n_bands;
    }
    if (options->fit_bands) {
        add_high(list, n, &n_large);
    }
    return n_large + 1 == n ? n : n_large;
}

/* Assigns all names of a group to the band of its first name, and names the band after the group.
 */
static hpf_status assign_groups(hpr__assignment *assignment, hpf_arena *arena, const selection *sel,
                                hpf_error *err)
{
    hpf_str *texts = hpf_arena_array(arena, assignment->n_bands, sizeof *texts);
    if (!texts) {
        return hpf_error_set_memory(err);
    }
    for (hpf_name name = 0; name < sel->n_names; name++) {
        assignment->band_of_name[name] = assignment->band_of_name[sel->first_of[name]];
    }
    for (uint32_t i = 0; i < sel->n; i++) {
        uint32_t band = assignment->band_of_name[sel->list[i].name];
        if (band != HPF_NO_BAND) {
            texts[band] = sel->list[i].text;
        }
    }
    assignment->texts = texts;
    return HPF_OK;
}

static hpf_status make_assignment(hpr__assignment *assignment, hpf_arena *arena, selection *sel,
                                  hpf_error *err)
{
    uint32_t n_drawn = limit_names(sel->list, sel->n, sel->options);
    hpf_name *names = hpf_arena_array(arena, sel->n, sizeof *names);
    if (!names) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < sel->n; i++) {
        names[i] = sel->list[i].name;
    }
    hpr__assignment_parts parts = {
        .drawn = names,
        .n_drawn = n_drawn,
        .folded = names + n_drawn,
        .n_folded = sel->n - n_drawn,
        .other_on_top = true,
    };
    hpf_status status = hpr__assignment_init(assignment, arena, sel->n_names, &parts, err);
    if (!status && sel->options->group != HPR_GROUP_NONE) {
        status = assign_groups(assignment, arena, sel, err);
    }
    assignment->dropped_names = 0; /* the other names are in no sample */
    return status;
}

/* Lists the names that occur in a sample, or their groups. */
static hpf_status begin_selection(selection *sel, hpf_arena *arena, const hpf_survey *survey,
                                  const hpr_options *options, hpf_error *err)
{
    uint32_t n_names = hpf_survey_n_names(survey);
    *sel = (selection){
        .survey = survey,
        .options = options,
        .list = hpf_arena_array(arena, n_names, sizeof *sel->list),
        .first_of = hpf_arena_array(arena, n_names, sizeof *sel->first_of),
        .n_names = n_names,
    };
    if (!sel->list || !sel->first_of) {
        return hpf_error_set_memory(err);
    }
    list_names(sel);
    return options->group == HPR_GROUP_NONE || group_names(sel) ? HPF_OK
                                                                : hpf_error_set_memory(err);
}

/* Returns the number of largest entries that hold half of the weight, up to one more than are ever
 * drawn. Sorts only these. */
static uint32_t n_for_half(selection *sel)
{
    double total = sum_weights(sel->list, sel->n), sum = 0;
    uint32_t n = 0;
    int n_drawn = sel->options->n_bands > MOST_BANDS ? sel->options->n_bands : MOST_BANDS;
    uint32_t most = (uint32_t)n_drawn + 1;
    most = most < sel->n ? most : sel->n;
    sort_first(sel->list, sel->n, most);
    while (n < most && sum < total / 2) {
        sum += sel->list[n++].weight;
    }
    return n;
}

hpf_status hpr__fit_bands(hpr_options *options, const char **caption, hpf_arena *arena,
                          const hpf_survey *survey, hpf_error *err)
{
    static const struct {
        hpr_group group;
        const char *name;
    } ways[] = {{HPR_GROUP_NONE, NULL},
                {HPR_GROUP_PREFIX, "by innermost cost centre"},
                {HPR_GROUP_MODULE, "by module"},
                {HPR_GROUP_HOLDER, "small sets by package"}};
    hpr_options tried = *options;
    uint32_t n_alone = 0, n_names = 0;
    const char *name = NULL;
    char text[80];
    *caption = NULL;
    /* Or by set, where stacks have sets. */
    bool is_by_type = options->group == HPR_GROUP_TYPE && hpf_survey_has_types(survey);
    if (options->group != HPR_GROUP_NONE && !is_by_type) {
        return HPF_OK;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        selection sel;
        if (is_by_type &&
            (ways[i].group == HPR_GROUP_PREFIX || ways[i].group == HPR_GROUP_MODULE)) {
            continue;
        }
        tried.group = i == 0 ? options->group : ways[i].group;
        tried.n_prefix_parts = 1;
        if (begin_selection(&sel, arena, survey, &tried, err)) {
            return HPF_ERR_MEMORY;
        }
        uint32_t n = n_for_half(&sel);
        if (i == 0) {
            n_alone = n < MOST_BANDS ? n : MOST_BANDS;
            n_names = sel.n;
            if (n <= (uint32_t)options->n_bands) {
                return HPF_OK;
            }
        }
        /* Only the name of a stack begins with its innermost cost centre. */
        bool is_stack =
            sel.n > 0 && hpf__without_id(hpf_survey_name(survey, sel.list[0].name)).length <
                             hpf_survey_name(survey, sel.list[0].name).length;
        bool is_usable = i == 0 || (sel.n < n_names && (i != 1 || is_stack));
        if (n <= MOST_READABLE && is_usable) {
            options->group = tried.group;
            options->n_prefix_parts = 1;
            name = ways[i].name;
            options->n_bands = n > (uint32_t)options->n_bands ? (int)n : options->n_bands;
            break;
        }
        if (i + 1 == sizeof ways / sizeof *ways) {
            options->n_bands = (int)n_alone;
        }
    }
    if (name) {
        *caption = name;
        return HPF_OK;
    }
    snprintf(text, sizeof text, "the largest %d of %" PRIu32 " names", options->n_bands, n_names);
    *caption = hpf_arena_text(arena, hpf_str_of(text));
    return *caption ? HPF_OK : hpf_error_set_memory(err);
}

hpf_status hpr__modern_select(hpr__assignment *assignment, hpf_arena *arena, hpf_survey *survey,
                              const hpr_options *options, hpf_error *err)
{
    selection sel;
    if (begin_selection(&sel, arena, survey, options, err)) {
        return HPF_ERR_MEMORY;
    }
    favour_kept(&sel);
    return make_assignment(assignment, arena, &sel, err);
}

/* --- several profiles ------------------------------------------------------------------------ */

/* All names of all profiles are sorted by the text of their bands; equal neighbours form one row.
 */
typedef struct page_name {
    hpf_str text; /* of its band */
    size_t profile;
    hpf_name name;
    double weight;
    bool is_high;
    uint32_t row;
} page_name;

typedef struct page_selection {
    hpf_arena *arena;
    hpf_survey *const *surveys;
    size_t n_surveys;
    const hpr_options *options;
    page_name *entries; /* names that occur in a sample */
    size_t n_entries;
    weighed *rows; /* their `name` is the number of the row */
    uint32_t n_rows;
} page_selection;

static int compare_page_names(const void *a, const void *b)
{
    const page_name *x = a;
    const page_name *y = b;
    int by_text = hpf_str_compare(x->text, y->text);
    if (by_text || x->profile != y->profile) {
        return by_text ? by_text : x->profile < y->profile ? -1 : 1;
    }
    return x->name < y->name ? -1 : x->name > y->name;
}

static double mean_of(const page_selection *s, size_t profile, const hpf_totals *totals)
{
    const hpf_survey *survey = s->surveys[profile];
    return s->options->by_sample ? totals->sum / (double)hpf_survey_overview(survey)->n_samples
                                 : hpf_survey_mean(survey, totals);
}

/* Returns the divisor of the means of a profile. */
static double whole_of(const page_selection *s, size_t profile)
{
    double mean = mean_of(s, profile, &hpf_survey_overview(s->surveys[profile])->total);
    return s->options->same_scale || !(mean > 0) ? 1 : mean;
}

static void list_profile(page_selection *s, size_t profile, const hpf_match *match)
{
    const hpf_survey *survey = s->surveys[profile];
    double whole = whole_of(s, profile);
    for (hpf_name name = 0; name < hpf_survey_n_names(survey); name++) {
        uint32_t row = hpf_match_row(match, profile, name);
        if (row == HPF_NO_ROW) {
            continue;
        }
        hpf_str text = s->options->group == HPR_GROUP_NONE
                           ? hpf_match_name(match, row)
                           : hpf__without_id(group_text(survey, name, s->options));
        const hpf_totals *totals = hpf_survey_totals(survey, name);
        double peak = hpf_survey_overview(survey)->peak_total;
        s->entries[s->n_entries++] = (page_name){text,
                                                 profile,
                                                 name,
                                                 mean_of(s, profile, totals) / whole,
                                                 totals->max >= high_share * peak,
                                                 0};
    }
}

static hpf_status make_rows(page_selection *s, hpf_error *err)
{
    s->rows = hpf_arena_array(s->arena, s->n_entries, sizeof *s->rows);
    if (!s->rows) {
        return hpf_error_set_memory(err);
    }
    qsort(s->entries, s->n_entries, sizeof *s->entries, compare_page_names);
    for (size_t i = 0; i < s->n_entries; i++) {
        page_name *e = &s->entries[i];
        if (i == 0 || !hpf_str_equal(s->rows[s->n_rows - 1].text, e->text)) {
            /* The match owns the text, and is destroyed soon. */
            hpf_str copy = hpf_arena_str(s->arena, e->text);
            if (!copy.data) {
                return hpf_error_set_memory(err);
            }
            s->rows[s->n_rows] = (weighed){0, 0, copy, s->n_rows, false};
            s->n_rows++;
        }
        s->rows[s->n_rows - 1].weight += e->weight;
        s->rows[s->n_rows - 1].rank += e->weight;
        s->rows[s->n_rows - 1].is_high |= e->is_high;
        e->row = s->n_rows - 1;
        e->text = s->rows[e->row].text;
    }
    return HPF_OK;
}

static hpf_status list_all(page_selection *s, hpf_error *err)
{
    hpf_match *match;
    size_t room = 0;
    for (size_t i = 0; i < s->n_surveys; i++) {
        room += hpf_survey_n_names(s->surveys[i]);
    }
    s->entries = hpf_arena_array(s->arena, room, sizeof *s->entries);
    if (!s->entries) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_match_create(&match, s->surveys, s->n_surveys, false, err);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < s->n_surveys; i++) {
        list_profile(s, i, match);
    }
    status = make_rows(s, err);
    hpf_match_destroy(match);
    return status;
}

/* Initialises an assignment without names. Its bands are numbers, and have the same texts in all
 * assignments. */
static hpf_status begin_assignment(hpr__assignment *assignment, const page_selection *s,
                                   size_t profile, uint32_t n_drawn, const hpf_str *texts,
                                   hpf_error *err)
{
    bool has_other = s->n_rows > n_drawn;
    uint32_t n_names = hpf_survey_n_names(s->surveys[profile]);
    *assignment = (hpr__assignment){
        .n_bands = n_drawn + has_other,
        .names = hpf_arena_array(s->arena, n_drawn + has_other, sizeof *assignment->names),
        .band_of_name = hpf_arena_array(s->arena, n_names, sizeof *assignment->band_of_name),
        .texts = texts,
    };
    if (!assignment->names || !assignment->band_of_name) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < assignment->n_bands; i++) {
        assignment->names[i] = i < n_drawn ? i : HPR__OTHER_BAND;
    }
    for (hpf_name i = 0; i < n_names; i++) {
        assignment->band_of_name[i] = HPF_NO_BAND;
    }
    return HPF_OK;
}

/* Assigns each name to the band of its row. */
static void fill_assignments(hpr__assignment *assignments, const page_selection *s,
                             const uint32_t *band_of_row, uint32_t other_band)
{
    for (size_t i = 0; i < s->n_entries; i++) {
        const page_name *e = &s->entries[i];
        uint32_t band = band_of_row[e->row];
        assignments[e->profile].band_of_name[e->name] = band;
        assignments[e->profile].other_names += band == other_band;
    }
}

static hpf_status make_assignments(hpr__assignment *assignments, uint32_t *other_names,
                                   page_selection *s, hpf_error *err)
{
    uint32_t n_drawn = limit_names(s->rows, s->n_rows, s->options);
    hpf_str *texts = hpf_arena_array(s->arena, (size_t)n_drawn + 1, sizeof *texts);
    uint32_t *band_of_row = hpf_arena_array(s->arena, s->n_rows, sizeof *band_of_row);
    if (!texts || !band_of_row) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < s->n_rows; i++) {
        band_of_row[s->rows[i].name] = i < n_drawn ? i : n_drawn;
        if (i < n_drawn) {
            texts[i] = s->rows[i].text;
        }
    }
    *other_names = s->n_rows - n_drawn;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < s->n_surveys && !status; i++) {
        status = begin_assignment(&assignments[i], s, i, n_drawn, texts, err);
    }
    if (!status) {
        fill_assignments(assignments, s, band_of_row, n_drawn);
    }
    return status;
}

hpf_status hpr__page_select(hpr__assignment *assignments, uint32_t *other_names, hpf_arena *arena,
                            hpf_survey *const *surveys, size_t n_surveys,
                            const hpr_options *options, hpf_error *err)
{
    page_selection s = {
        .arena = arena, .surveys = surveys, .n_surveys = n_surveys, .options = options};
    hpf_status status = list_all(&s, err);
    return status ? status : make_assignments(assignments, other_names, &s, err);
}
