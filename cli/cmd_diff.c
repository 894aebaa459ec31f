/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census diff: two profiles, band by band.
 */
#include <limits.h>

#include "hpfile/str.h"

#include "cmd.h"
#include "diag.h"
#include "diff_table.h"
#include "exit.h"
#include "output.h"

typedef struct diff_values {
    const char *output; /* NULL: standard output */
    int format;         /* index into `writers` */
    int by;             /* hpf_diff_measure */
    int n_bands;
    bool exact;
} diff_values;

static void (*const writers[])(hpf_sink *sink, const diff_table *t) = {
    diff_table_text,
    diff_table_json,
    diff_table_csv,
    diff_table_markdown,
};
static const char *const format_names[] = {"text", "json", "csv", "markdown", NULL};
static const char *const measure_names[] = {
    [HPF_DIFF_MEAN] = "mean", [HPF_DIFF_PEAK] = "peak", [HPF_DIFF_END] = "end", NULL};

static const opt diff_options[] = {
    {.letter = 'o',
     .name = "output",
     .kind = OPT_TEXT,
     .offset = offsetof(diff_values, output),
     .argument = "FILE",
     .help = "write to FILE (default: standard output, also -)"},
    {.letter = 'm',
     .name = "bands",
     .kind = OPT_INT,
     .offset = offsetof(diff_values, n_bands),
     .argument = "N",
     .high = INT_MAX,
     .help = "list the N largest differences (default 10; 0: all)"},
    {.name = "by",
     .kind = OPT_CHOICE,
     .offset = offsetof(diff_values, by),
     .argument = "WHAT",
     .choices = measure_names,
     .help = "which differences are the largest: of the mean (default), at the peak or at the end"},
    {.name = "format",
     .kind = OPT_CHOICE,
     .offset = offsetof(diff_values, format),
     .argument = "FORMAT",
     .choices = format_names,
     .help = "text (default), json, csv or markdown"},
    {.name = "bytes",
     .kind = OPT_FLAG,
     .offset = offsetof(diff_values, exact),
     .help = "all digits instead of MiB and ms"},
    {.name = NULL},
};

static int write_table(const input *inputs, hpf_diff *diff, const diff_values *values)
{
    const char *name;
    uint32_t n_rows = hpf_diff_n_rows(diff);
    uint32_t most = (uint32_t)values->n_bands;
    const diff_table table = {
        .inputs = inputs,
        .diff = diff,
        .n_rows = most > 0 && most < n_rows ? most : n_rows,
        .exact = values->exact,
    };
    hpf_sink *sink = output_open(values->output, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpf_diff_sort(diff, (hpf_diff_measure)values->by);
    writers[values->format](sink, &table);
    return output_close(sink, name);
}

/* Amounts in different units have no difference. */
static bool check_units(const input *inputs)
{
    hpf_str before = hpf_survey_header(inputs[0].survey, HPF_HEADER_VALUE_UNIT);
    hpf_str after = hpf_survey_header(inputs[1].survey, HPF_HEADER_VALUE_UNIT);
    bool is_same = hpf_str_equal(before, after);
    if (!is_same) {
        diag_say("%s is in %.*s, %s in %.*s: they cannot be compared", inputs[0].name,
                 (int)before.length, before.data, inputs[1].name, (int)after.length, after.data);
    }
    return is_same;
}

static int compare(const input *inputs, const diff_values *values)
{
    hpf_error err;
    hpf_diff *diff;
    if (!check_units(inputs)) {
        return EXIT_FAILED;
    }
    if (hpf_diff_create(&diff, inputs[0].survey, inputs[1].survey, &err) != HPF_OK) {
        diag_say("%s", err.message);
        return EXIT_FAILED;
    }
    int status = write_table(inputs, diff, values);
    hpf_diff_destroy(diff);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    diff_values values = {.n_bands = 10};
    int status = EXIT_FAILED;
    input inputs[2];
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc != 3) {
        return cmd_misused(self, "which two profiles?");
    }
    if (!input_open(&inputs[0], argv[1])) {
        return EXIT_FAILED;
    }
    if (input_open(&inputs[1], argv[2])) {
        status = compare(inputs, &values);
        input_close(&inputs[1]);
    }
    input_close(&inputs[0]);
    return status;
}

const cmd cmd_diff = {
    .name = "diff",
    .summary = "Compare two profiles, band by band",
    .operands = "A B",
    .options = diff_options,
    .run = run,
};
