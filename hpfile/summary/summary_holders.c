/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Holders that small retainer sets have in common. The holder whose sets have the largest area goes
 * first, with all of its sets; those that remain are searched again.
 */
#include "hpfile/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"

#define LEAST_SHARE 0.01 /* of the whole area */

/* The members of all sets, one after the other. */
typedef struct members {
    hpf__intern names;
    uint32_t *list;
    size_t n, capacity;
    size_t *first; /* by row; one more ends the last */
} members;

/* Returns the labels of a name "(7)a,b", without the number; empty if it is none. */
static hpf_str labels_of(hpf_str name)
{
    size_t n = 1;
    while (n < name.length && name.data[n] >= '0' && name.data[n] <= '9') {
        n++;
    }
    bool is_set = n > 1 && n < name.length && name.data[0] == '(' && name.data[n] == ')';
    return is_set ? hpf_str_from(name, n + 1) : HPF_STR("");
}

/* Removes the first of labels, and returns it: up to a comma outside of brackets. */
static hpf_str next_label(hpf_str *labels)
{
    size_t n = 0;
    for (int depth = 0; n < labels->length && (depth > 0 || labels->data[n] != ','); n++) {
        char c = labels->data[n];
        depth += (c == '<' || c == '(' || c == '[') - (c == '>' || c == ')' || c == ']');
    }
    hpf_str label = {labels->data, n};
    *labels = hpf_str_from(*labels, n < labels->length ? n + 1 : n);
    return label;
}

static bool find_members(members *m, const hpf_survey *survey, const hpf_summary_row *rows,
                         uint32_t n_rows)
{
    hpf_retainer_set set;
    bool is_new;
    bool is_good = (m->first = calloc(n_rows + (size_t)1, sizeof *m->first)) != NULL;
    for (uint32_t i = 0; i < n_rows && is_good; i++) {
        bool is_known = hpf_survey_retainer_set(survey, rows[i].number, &set);
        hpf_str labels = labels_of(is_known ? set.name : rows[i].name);
        while (labels.length > 0 && is_good) {
            uint32_t number;
            is_good = hpf__intern_add(&m->names, next_label(&labels), &number, &is_new) == HPF_OK &&
                      HPF__ARRAY_PUSH(m->list, m->n, m->capacity, number);
        }
        m->first[i + 1] = m->n;
    }
    return is_good;
}

/* Finds the holder with the largest area; its sets are several. `area` and `n_sets` have room for
 * all holders. Returns UINT32_MAX without one. */
static uint32_t find_largest(const members *m, const hpf_summary_row *rows, const bool *is_taken,
                             uint32_t n_rows, double *area, uint32_t *n_sets)
{
    uint32_t largest = UINT32_MAX;
    memset(area, 0, m->names.n_names * sizeof *area);
    memset(n_sets, 0, m->names.n_names * sizeof *n_sets);
    for (uint32_t i = 0; i < n_rows; i++) {
        for (size_t k = m->first[i]; k < m->first[i + 1] && !is_taken[i]; k++) {
            area[m->list[k]] += rows[i].share;
            n_sets[m->list[k]]++;
        }
    }
    for (uint32_t h = 0; h < m->names.n_names; h++) {
        bool is_larger = largest == UINT32_MAX || area[h] > area[largest];
        largest = n_sets[h] > 1 && is_larger ? h : largest;
    }
    return largest;
}

static void add_row(hpf_summary_row *to, const hpf_summary_row *row)
{
    to->n_names++;
    to->share += row->share;
    to->mean += row->mean;
    to->growth += row->growth;
}

static bool fold(hpf_summary *s, members *m, uint32_t n_rows)
{
    hpf_summary_row *rows = s->rows + s->n_rows;
    bool *is_taken = calloc(n_rows + (size_t)1, sizeof *is_taken);
    double *area = malloc((m->names.n_names + (size_t)1) * sizeof *area);
    uint32_t *n_sets = malloc((m->names.n_names + (size_t)1) * sizeof *n_sets);
    bool is_good = is_taken && area && n_sets;
    for (uint32_t n = 0; is_good && n < HPF_SUMMARY_MOST_HOLDERS; n++) {
        uint32_t holder = find_largest(m, rows, is_taken, n_rows, area, n_sets);
        if (holder == UINT32_MAX || area[holder] < LEAST_SHARE) {
            break;
        }
        hpf_summary_row *to = &s->holders[s->n_holders++];
        *to = (hpf_summary_row){
            .name = hpf_arena_str(s->texts, m->names.names[holder]), .max = NAN, .r_squared = NAN};
        is_good = to->name.data != NULL;
        for (uint32_t i = 0; i < n_rows; i++) {
            for (size_t k = m->first[i]; k < m->first[i + 1] && !is_taken[i]; k++) {
                if (m->list[k] == holder) {
                    is_taken[i] = true;
                    add_row(to, &rows[i]);
                }
            }
        }
    }
    s->others = (hpf_summary_row){.max = NAN, .r_squared = NAN};
    for (uint32_t i = 0; is_good && i < n_rows; i++) {
        if (!is_taken[i]) {
            rows[s->others.n_names] = rows[i];
            add_row(&s->others, &rows[i]);
        }
    }
    free(is_taken);
    free(area);
    free(n_sets);
    return is_good;
}

hpf_status hpf_summary_find_holders(hpf_summary *s, const hpf_survey *survey, hpf_error *err)
{
    members m = {0};
    uint32_t n_rows = s->others.n_names;
    bool is_good = n_rows == 0 ||
                   ((s->texts = hpf_arena_create()) != NULL &&
                    find_members(&m, survey, s->rows + s->n_rows, n_rows) && fold(s, &m, n_rows));
    hpf__intern_finish(&m.names);
    free(m.list);
    free(m.first);
    return is_good ? HPF_OK : hpf_error_set_memory(err);
}
