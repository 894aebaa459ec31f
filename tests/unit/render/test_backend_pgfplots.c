/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Choice of the points that the pgfplots table holds: few enough, in order, with the ends and the
 * peak.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hprender/backend.h"

enum { N = 10000, PEAK = 6421 };

static double times[N], totals[N];

/* Writes a zigzag of `n` samples without bands, and reads the times of the table. Returns their
 * number. */
static size_t write_zigzag(size_t n, double read[N])
{
    for (size_t i = 0; i < n; i++) {
        times[i] = (double)i;
        totals[i] = (double)(i * 7919 % 101);
    }
    totals[PEAK] = 1000;
    const hpr_chart chart = {.n_points = n,
                             .times = times,
                             .xs = times,
                             .totals = totals,
                             .x = {.low = 0, .high = (double)(n - 1), .unit = "s", .factor = 1},
                             .y = {.low = 0, .high = 1000, .unit = "B", .factor = 1},
                             .plot_x_pt = 40,
                             .plot_width_pt = 400};
    const hpr_output output = {.dpi = 0};
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpr_backend_by_name("pgfplots")->write(&chart, NULL, &output, sink, NULL), HPF_OK);
    const hpf_str bytes = hpf_sink_bytes(sink);
    char *text = strndup(bytes.data, bytes.length);
    const char *row = strstr(text, "\\pgfplotstableread{\nt\n");
    cr_assert_not_null(row, "%.300s", text);
    size_t n_read = 0;
    for (row = strchr(row, '\n') + 3; *row != '}'; row = strchr(row, '\n') + 1) {
        read[n_read++] = strtod(row, NULL);
    }
    free(text);
    hpf_sink_destroy(sink);
    return n_read;
}

Test(backend_pgfplots, table_keeps_ends_and_peak_in_order)
{
    static double read[N];
    size_t n = write_zigzag(N, read);
    bool has_peak = false;
    cr_assert(n > 100 && n <= 204, "%zu", n);
    cr_assert(read[0] == 0 && read[n - 1] == N - 1);
    for (size_t i = 1; i < n; i++) {
        cr_assert_lt(read[i - 1], read[i]);
        has_peak |= read[i] == PEAK;
    }
    cr_assert(has_peak);
}

Test(backend_pgfplots, table_keeps_all_of_few_points)
{
    static double read[N];
    cr_assert_eq(write_zigzag(150, read), 150);
}
