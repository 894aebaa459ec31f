/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <stdlib.h>

#include "hpfile/findings.h"

#include "unit_format.h"

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
    const hpf_life_time *r = &((const hpf_life_time *)context)[index];
    cells[PHASE].name = r->phase;
    cells[BYTES].whole = (uint64_t)r->bytes;
    cells[MEAN].real = r->area / r->bytes;
    cells[HALF].real = r->half_s;
    cells[MOST].real = r->most_s;
    cells[LONGEST].real = r->longest_s;
    cells[PRODUCER].name = r->producer;
}

hpf_status life_times_write(const input *in, table_format format, size_t most_rows, bool exact,
                            hpf_sink *sink, hpf_error *err)
{
    hpf_life_time *all;
    size_t n;
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB);
    hpf_status status = hpf_life_times_find(&all, &n, in->survey, err);
    size_t n_shown = most_rows && most_rows < n ? most_rows : n;
    const table rows = {columns, N_COLUMNS, n_shown, fill, all, exact, 0};
    if (status == HPF_OK && format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_bytes(&json, "job", job);
        table_write_json(&rows, &json, "rows");
        hpf_json_end(&json);
    } else if (status == HPF_OK) {
        bool is_text = format == TABLE_AS_TEXT;
        hpf_sink_name(sink, is_text ? job : HPF_STR(""));
        hpf_sink_text(sink, is_text ? "\n\n" : "");
        table_write(&rows, format, sink);
        if (is_text && n_shown < n) {
            hpf_sink_printf(sink, "(%s more)\n", format_count(n - n_shown).text);
        }
    }
    free(all);
    return status;
}
