/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of a name fall from sample to sample. The share that is left at a duration gives the
 * quantiles, and the area the mean.
 */
#include "life_times.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"

#include "unit_format.h"

typedef struct row {
    hpf_str phase, producer;
    double bytes, left, area; /* in all; longer than the last duration; bytes x time */
    double half_s, most_s, longest_s;
} row;

typedef struct distribution {
    row *rows; /* by name, then sorted */
    double *amounts, time_s;
    size_t n_rows, n_shown;
} distribution;

enum { PHASE, BYTES, MEAN, HALF, MOST, LONGEST, PRODUCER, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [PHASE] = {"phase", "phase", TABLE_NAME},
    [BYTES] = {"bytes", "bytes", TABLE_BYTES},
    [MEAN] = {"mean_seconds", "mean", TABLE_TIME},
    [HALF] = {"median_seconds", "half", TABLE_TIME},
    [MOST] = {"p90_seconds", "90 %", TABLE_TIME},
    [LONGEST] = {"longest_seconds", "longest", TABLE_TIME},
    [PRODUCER] = {"producer", "producer", TABLE_NAME},
};

static void fill(const void *context, size_t index, table_cell *cells)
{
    const row *r = &((const distribution *)context)->rows[index];
    cells[PHASE].name = r->phase;
    cells[BYTES].whole = (uint64_t)r->bytes;
    cells[MEAN].real = r->area / r->bytes;
    cells[HALF].real = r->half_s;
    cells[MOST].real = r->most_s;
    cells[LONGEST].real = r->longest_s;
    cells[PRODUCER].name = r->producer;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    distribution *d = context;
    (void)err;
    memset(d->amounts, 0, d->n_rows * sizeof *d->amounts);
    for (size_t i = 0; i < sample->n_costs; i++) {
        d->amounts[sample->costs[i].name] += hpf_cost_amount(&sample->costs[i]);
    }
    for (size_t i = 0; i < d->n_rows; i++) {
        row *r = &d->rows[i];
        double left = d->amounts[i];
        r->bytes = r->bytes < left ? left : r->bytes;
        r->area += r->left * (sample->time - d->time_s);
        r->left = left;
        r->half_s = left > 0.5 * r->bytes ? sample->time : r->half_s;
        r->most_s = left > 0.1 * r->bytes ? sample->time : r->most_s;
        r->longest_s = left > 0 ? sample->time : r->longest_s;
    }
    d->time_s = sample->time;
    return HPF_OK;
}

/* Reads the names, "PHASE producer". Returns false if one is something else. */
static bool read_names(distribution *d, const hpf_survey *survey)
{
    static const char *const phases[] = {"LAG ", "USE ", "DRAG ", "VOID "};
    for (uint32_t i = 0; i < d->n_rows; i++) {
        hpf_str name = hpf_survey_name(survey, i);
        size_t k = 0;
        while (k < sizeof phases / sizeof *phases && !hpf_str_begins(name, phases[k])) {
            k++;
        }
        if (k == sizeof phases / sizeof *phases) {
            return false;
        }
        size_t n = strlen(phases[k]);
        d->rows[i].phase = (hpf_str){name.data, n - 1};
        d->rows[i].producer = hpf_str_from(name, n);
    }
    return d->n_rows > 0;
}

static int compare_areas(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int order = (x->area < y->area) - (x->area > y->area);
    order = order ? order : (x->bytes < y->bytes) - (x->bytes > y->bytes);
    order = order ? order : hpf_str_compare(x->producer, y->producer);
    return order ? order : hpf_str_compare(x->phase, y->phase);
}

static void write_rows(const distribution *d, const input *in, table_format format, bool exact,
                       hpf_sink *sink)
{
    const table rows = {columns, N_COLUMNS, d->n_shown, fill, d, exact, 0};
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB);
    if (format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_bytes(&json, "job", job);
        table_write_json(&rows, &json, "rows");
        hpf_json_end(&json);
        return;
    }
    if (format == TABLE_AS_TEXT) {
        hpf_sink_name(sink, job);
        hpf_sink_text(sink, "\n\n");
    }
    table_write(&rows, format, sink);
    if (format == TABLE_AS_TEXT && d->n_shown < d->n_rows) {
        hpf_sink_printf(sink, "(%s more)\n", format_count(d->n_rows - d->n_shown).text);
    }
}

hpf_status life_times_write(const input *in, table_format format, size_t most_rows, bool exact,
                            hpf_sink *sink, hpf_error *err)
{
    static const hpf_events events = {.sample = on_sample};
    distribution d = {.n_rows = hpf_survey_n_names(in->survey)};
    d.rows = calloc(d.n_rows + 1, sizeof *d.rows);
    d.amounts = calloc(d.n_rows + 1, sizeof *d.amounts);
    d.n_shown = most_rows && most_rows < d.n_rows ? most_rows : d.n_rows;
    hpf_status status = d.rows && d.amounts ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK && !read_names(&d, in->survey)) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "--life-times needs a NAME.lives.hp, which programs that embed "
                               "hpprof write with -hb --life-times: other recordings do not have "
                               "these times");
    }
    status = status == HPF_OK ? hpf_survey_replay(in->survey, &events, &d, err) : status;
    if (status == HPF_OK) {
        qsort(d.rows, d.n_rows, sizeof *d.rows, compare_areas);
        write_rows(&d, in, format, exact, sink);
    }
    free(d.rows);
    free(d.amounts);
    return status;
}
