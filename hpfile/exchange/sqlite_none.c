/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Instead of sqlite.c, in a build without libsqlite3: the first event fails.
 */
#include <stdlib.h>

#include "event/format_row.h"

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    (void)context;
    (void)which;
    (void)text;
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                         "SQLite is not built in: census was compiled without libsqlite3");
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    (void)sample;
    return on_header(context, HPF_HEADER_JOB, HPF_STR(""), err);
}

static hpf_status finish(hpf_writer *writer, hpf_error *err)
{
    return on_header(writer, HPF_HEADER_JOB, HPF_STR(""), err);
}

static void destroy(hpf_writer *writer)
{
    free(writer);
}

static hpf_writer *create(hpf_sink *sink, const hpf_writer_options *options)
{
    static const hpf_events events = {.header = on_header, .sample = on_sample};
    hpf_writer *w = calloc(1, sizeof *w);
    (void)sink;
    (void)options;
    if (w) {
        *w = (hpf_writer){&events, finish, destroy, 0};
    }
    return w;
}

const hpf_format hpf_format_sqlite = {
    .name = "sqlite",
    .extension = "sqlite",
    .summary = "database of SQLite: names, samples, costs, marks",
    .create_writer = create,
    .is_lossy = true,
};
