/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What logs say of the non-moving collector.
 */
#include <criterion/criterion.h>

#include "hpfile/eventlog.h"
#include "log_build.h"
#include "source_dir.h"

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_nonmoving_note(context, event, err);
}

static hpf_eventlog_nonmoving read_source(hpf_source *source)
{
    const hpf_event_visitor visitor = {.event = note};
    hpf_eventlog_nonmoving read = {0};
    cr_assert_eq(hpf_eventlog_read_source(NULL, source, &visitor, &read, NULL), HPF_OK);
    hpf_source_destroy(source);
    return read;
}

static hpf_eventlog_nonmoving read_log(hpf_sink *log)
{
    hpf_source *source = NULL;
    log_end(log);
    cr_assert_eq(hpf_source_from_memory(&source, hpf_sink_bytes(log), NULL, NULL), HPF_OK);
    hpf_eventlog_nonmoving read = read_source(source);
    hpf_sink_destroy(log);
    return read;
}

static hpf_sink *begin(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 207);
    log_declare(log, 200, 0, "Begin mark");
    log_declare(log, 201, 4, "End mark");
    log_declare(log, 202, 0, "Begin sync");
    log_declare(log, 203, 0, "End sync");
    log_declare(log, 204, 0, "Begin sweep");
    log_declare(log, 205, 0, "End sweep");
    log_declare(log, 206, 2, "Flush");
    log_declare(log, 208, 8, "Pruned");
    return log;
}

Test(log_nonmoving, phases_are_counted_and_timed)
{
    hpf_sink *log = begin();
    log_end_header(log);
    log_put(log, 205, 5, "");
    log_put(log, 200, 10, "");
    log_put(log, 201, 40, "4", 7ull);
    log_put(log, 200, 50, "");
    log_put(log, 201, 60, "4", 5ull);
    log_put(log, 202, 61, "");
    log_put(log, 202, 62, "");
    log_put(log, 206, 63, "2", 0ull);
    log_put(log, 203, 65, "");
    log_put(log, 203, 66, "");
    log_put(log, 208, 67, "44", 3ull, 9ull);
    log_put(log, 204, 70, "");
    hpf_eventlog_nonmoving read = read_log(log);
    const hpf_nonmoving_time *mark = &read.phases[HPF_NONMOVING_MARK];
    const hpf_nonmoving_time *sync = &read.phases[HPF_NONMOVING_SYNC];
    cr_expect(mark->n == 2 && mark->total_ns == 40 && mark->longest_ns == 30);
    cr_expect(sync->n == 1 && sync->total_ns == 4);
    cr_expect_eq(read.phases[HPF_NONMOVING_SWEEP].n, 0);
    cr_expect_eq(read.n_marked, 12);
    cr_expect_eq(read.n_flushes, 1);
    cr_expect_eq(read.n_pruned, 3);
    cr_expect_eq(read.n_censuses, 0);
    hpf_eventlog_nonmoving_finish(&read);
}

static void expect_blocks(hpf_sink *log)
{
    hpf_eventlog_nonmoving read = read_log(log);
    cr_assert_eq(read.n_blocks, 3);
    cr_expect_eq(read.n_censuses, 2);
    cr_expect_eq(read.blocks[1].census, 0);
    cr_expect_eq(read.blocks[1].block_bytes, 16);
    cr_expect_eq(read.blocks[1].n_active, 1);
    cr_expect_eq(read.blocks[1].n_filled, 2);
    cr_expect_eq(hpf_nonmoving_live_bytes(&read.blocks[1]), 48);
    cr_expect_eq(read.blocks[2].census, 1);
    cr_expect_eq(read.blocks[2].time_ns, 9);
    cr_expect(read.peak_census == 0 && read.peak_bytes == 48 && read.peak_ns == 2);
    hpf_eventlog_nonmoving_finish(&read);
}

/* Sizes are emitted in bytes, or, earlier, by their logarithm. */
Test(log_nonmoving, a_census_ends_where_sizes_fall)
{
    hpf_sink *log = begin();
    log_declare(log, 207, 14, "Census");
    log_end_header(log);
    log_put(log, 207, 1, "2444", 8ull, 0ull, 0ull, 0ull);
    log_put(log, 207, 2, "2444", 16ull, 1ull, 2ull, 3ull);
    log_put(log, 207, 9, "2444", 8ull, 0ull, 0ull, 1ull);
    expect_blocks(log);
    log = begin();
    log_declare(log, 207, 13, "Census");
    log_end_header(log);
    log_put(log, 207, 1, "1444", 3ull, 0ull, 0ull, 0ull);
    log_put(log, 207, 2, "1444", 4ull, 1ull, 2ull, 3ull);
    log_put(log, 207, 9, "1444", 3ull, 0ull, 0ull, 1ull);
    expect_blocks(log);
}

/* Counted by reading the lines of census info --events. */
Test(log_nonmoving, a_real_log_has_all_its_collections)
{
    hpf_source *source = NULL;
    const char *path = CENSUS_SOURCE_DIR "/samples/eventlog/foldleak-plain-nonmoving.eventlog";
    cr_assert_eq(hpf_source_open(&source, path, NULL, NULL), HPF_OK);
    hpf_eventlog_nonmoving read = read_source(source);
    cr_expect_eq(read.n_censuses, 5);
    cr_expect_eq(read.n_blocks, 60);
    cr_expect_eq(read.phases[HPF_NONMOVING_SWEEP].n, 5);
    hpf_eventlog_nonmoving_finish(&read);
}
