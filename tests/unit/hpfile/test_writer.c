/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The gate of all writers: events that no format can hold.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "retold.h"

typedef struct open_writer {
    hpf_sink *sink;
    hpf_writer *writer;
} open_writer;

static open_writer begin(const hpf_format *format)
{
    open_writer w = {.sink = hpf_sink_to_memory()};
    w.writer = create_writer(format, w.sink, NULL);
    cr_assert_not_null(w.writer);
    cr_assert_eq(hpf_writer_events.name(w.writer, 0, HPF_STR("a"), NULL), HPF_OK);
    return w;
}

static void end(open_writer w)
{
    hpf_writer_destroy(w.writer);
    hpf_sink_destroy(w.sink);
}

static hpf_status send_sample(open_writer w, double time, double amount, hpf_error *err)
{
    const hpf_cost cost = {.is_real = 1, .real = amount};
    const hpf_sample sample = {.time = time, .costs = &cost, .n_costs = 1};
    return hpf_writer_events.sample(w.writer, &sample, err);
}

static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY, -1e-9, 1e100};
enum { N_BAD = sizeof bad / sizeof *bad };

Test(writer, numbers_that_no_reader_accepts_are_refused)
{
    for (const hpf_format *const *f = hpf_formats(); *f; f++) {
        for (int i = 0; (*f)->writer && i < N_BAD; i++) {
            open_writer w = begin(*f);
            hpf_error err = {0};
            const hpf_events *e = &hpf_writer_events;
            cr_expect_eq(e->mark(w.writer, bad[i], HPF_STR(""), &err), HPF_ERR_RANGE);
            cr_expect_eq(
                e->quantity(w.writer, HPF_STR("heap"), (hpf_quantity_point){bad[i], 1}, &err),
                HPF_ERR_RANGE);
            cr_expect_eq(
                e->quantity(w.writer, HPF_STR("heap"), (hpf_quantity_point){1, bad[i]}, &err),
                HPF_ERR_RANGE);
            cr_expect_eq(send_sample(w, bad[i], 1, &err), HPF_ERR_RANGE, "%s: time %g", (*f)->name,
                         bad[i]);
            cr_expect_eq(send_sample(w, 1, bad[i], &err), HPF_ERR_RANGE, "%s: cost %g", (*f)->name,
                         bad[i]);
            cr_expect_eq(send_sample(w, 1, 1, &err), HPF_OK);
            end(w);
        }
    }
}

Test(writer, times_do_not_go_back)
{
    open_writer w = begin(&hpf_format_hp);
    hpf_error err;
    cr_expect_eq(send_sample(w, 2, 1, &err), HPF_OK);
    cr_expect_eq(send_sample(w, 2, 1, &err), HPF_OK);
    cr_expect_eq(send_sample(w, 1.5, 1, &err), HPF_ERR_ORDER);
    cr_expect_str_eq(err.message, "sample time 1.5 goes back, expected at least 2");
    end(w);
}

Test(writer, a_format_that_is_only_read_has_none)
{
    hpf_writer *writer;
    hpf_error err;
    hpf_sink *sink = hpf_sink_to_memory();
    cr_expect_eq(hpf_writer_create(&writer, &hpf_format_prof, sink, NULL, &err),
                 HPF_ERR_UNSUPPORTED);
    cr_expect_null(writer);
    hpf_sink_destroy(sink);
}
