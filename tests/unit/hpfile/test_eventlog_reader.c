/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Framing of event logs and meaning of their records.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/sink.h"
#include "hpfile/eventlog.h"
#include "hpfile/str.h"
#include "log_build.h"

/* What a log says, one line a record. */
static hpf_status print(void *context, const hpf_event *event, hpf_error *err)
{
    (void)err;
    hpf_event_print(context, event);
    return HPF_OK;
}

static const hpf_event_visitor printing = {.event = print};

static hpf_status read_into(hpf_sink *said, hpf_str bytes, hpf_eventlog_end *end, hpf_error *err)
{
    hpf_eventlog *log = hpf_eventlog_create(&printing, said);
    hpf_status status = hpf_eventlog_feed(log, bytes.data, bytes.length, err);
    *end = hpf_eventlog_state(log);
    hpf_eventlog_destroy(log);
    return status;
}

static void expect_said(hpf_sink *log, const char *expected)
{
    hpf_sink *said = hpf_sink_to_memory();
    hpf_eventlog_end end;
    hpf_error err = {0};
    cr_expect_eq(read_into(said, hpf_sink_bytes(log), &end, &err), HPF_OK, "%s", err.message);
    cr_expect_eq(end, HPF_EVENTLOG_COMPLETE);
    hpf_str text = hpf_sink_bytes(said);
    cr_expect(hpf_str_is(text, expected), "%.*s", (int)text.length, text.data);
    hpf_sink_destroy(said);
    hpf_sink_destroy(log);
}

static void expect_failure(hpf_sink *log, hpf_status status, uint64_t offset, const char *message)
{
    hpf_sink *said = hpf_sink_to_memory();
    hpf_eventlog_end end;
    hpf_error err = {0};
    cr_expect_eq(read_into(said, hpf_sink_bytes(log), &end, &err), status);
    cr_expect_eq(err.offset, offset, "%llu", (unsigned long long)err.offset);
    cr_expect(strstr(err.message, message), "%s", err.message);
    hpf_sink_destroy(said);
    hpf_sink_destroy(log);
}

static hpf_sink *begun(void)
{
    hpf_sink *log = hpf_sink_to_memory();
    log_begin(log, 0);
    return log;
}

static hpf_sink *open_log(void)
{
    hpf_sink *log = begun();
    log_end_header(log);
    return log;
}

Test(eventlog_reader, records_print_their_fields)
{
    hpf_sink *log = open_log();
    log_put(log, 9, 5, "");
    log_put(log, 30, 1500000007, "4ss", 3ull, "prog", "\xff\"x");
    log_put(log, 58, 2000000000, "t", "caf\xc3\xa9\n");
    log_put(log, 163, 2000000001, "18144", 1ull, 1ull << 63, 2ull, 7ull, 4294967295ull);
    log_put(log, 161, 2000000002, "4sss1", 9ull, "l", "m", "s", 1ull);
    log_end(log);
    expect_said(log, "0.000000005 - GC_START\n"
                     "1.500000007 - PROGRAM_ARGS capset=3 args=[\"prog\",\"\\xff\\\"x\"]\n"
                     "2.000000000 - USER_MARKER marker=\"caf\xc3\xa9\\x0a\"\n"
                     "2.000000001 - HEAP_PROF_SAMPLE_COST_CENTRE profile=1 "
                     "bytes=9223372036854775808 stack=[7,4294967295]\n"
                     "2.000000002 - HEAP_PROF_COST_CENTRE cost_centre=9 label=\"l\" module=\"m\" "
                     "source=\"s\" flags=1\n");
}

Test(eventlog_reader, numbers_may_follow_a_text)
{
    hpf_sink *log = begun();
    log_declare(log, 42, HPF_EVENT_VARIABLE, "Intern string");
    log_end_header(log);
    log_put(log, 42, 1, "2t4", 12ull, "my_map/3", 7ull);
    log_put(log, 42, 2, "24", 4ull, 8ull);
    log_put(log, 42, 3, "22", 2ull, 9ull);
    log_end(log);
    expect_said(log, "0.000000001 - INTERN_STRING string=\"my_map/3\" id=7\n"
                     "0.000000002 - INTERN_STRING string=\"\" id=8\n"
                     "0.000000003 - INTERN_STRING\n");
}

Test(eventlog_reader, other_run_time_systems_have_types_of_their_own)
{
    hpf_sink *log = begun();
    log_declare(log, 68, 23, "Receiving message");
    log_declare(log, 100, 12, "Start a parallel conjunction");
    log_declare(log, 113, 0, "Calling main");
    log_end_header(log);
    log_put(log, 68, 1, "1442444", 3ull, 1ull, 2ull, 5ull, 6ull, 7ull, 90ull);
    log_put(log, 100, 2, "84", 1ull << 40, 12ull);
    log_put(log, 113, 3, "");
    log_end(log);
    expect_said(log, "0.000000001 - RECEIVE_MESSAGE tag=3 process=1 inport=2 from_machine=5 "
                     "from_process=6 from_thread=7 bytes=90\n"
                     "0.000000002 - MER_START_PAR_CONJUNCTION conjunction=1099511627776 name=12\n"
                     "0.000000003 - MER_CALLING_MAIN\n");
}

Test(eventlog_reader, a_block_gives_its_capability_to_the_records_in_it)
{
    hpf_sink *log = open_log();
    log_put(log, 18, 1, "482", 24ull + 10, 100ull, 7ull);
    log_put(log, 9, 2, "");
    log_put(log, 10, 3, "");
    log_put(log, 18, 4, "482", 24ull + 10, 100ull, 65535ull);
    log_put(log, 9, 5, "");
    log_end(log);
    expect_said(log, "0.000000001 7 BLOCK_MARKER block_bytes=34 end_ns=100 cap=7\n"
                     "0.000000002 7 GC_START\n"
                     "0.000000003 - GC_END\n"
                     "0.000000004 - BLOCK_MARKER block_bytes=34 end_ns=100 cap=65535\n"
                     "0.000000005 - GC_START\n");
}

Test(eventlog_reader, unknown_types_are_skipped_and_counted)
{
    hpf_sink *log = begun();
    log_declare(log, 300, 3, "Something \"new\"");
    log_declare(log, 65534, 0, "Nothing");
    log_end_header(log);
    log_put(log, 300, 1, "12", 1ull, 2ull);
    log_put(log, 65534, 2, "");
    log_put(log, 300, 3, "12", 1ull, 2ull);
    log_end(log);
    hpf_eventlog *reader = hpf_eventlog_create(&(hpf_event_visitor){0}, NULL);
    hpf_str bytes = hpf_sink_bytes(log);
    cr_assert_eq(hpf_eventlog_feed(reader, bytes.data, bytes.length, NULL), HPF_OK);
    size_t n = hpf_eventlog_n_types(reader);
    cr_expect_eq(hpf_eventlog_type(reader, n - 2)->n_events, 2);
    cr_expect_eq(hpf_eventlog_type(reader, n - 1)->n_events, 1);
    cr_expect_null(hpf_event_name(hpf_eventlog_type(reader, n - 2)));
    hpf_eventlog_destroy(reader);
    expect_said(log, "0.000000001 - 300 \"Something \\\"new\\\"\" bytes=3\n"
                     "0.000000002 - 65534 \"Nothing\" bytes=0\n"
                     "0.000000003 - 300 \"Something \\\"new\\\"\" bytes=3\n");
}

/* Fields of a later GHC behind the known ones, and missing ones of an earlier GHC. */
Test(eventlog_reader, records_may_be_longer_or_shorter_than_documented)
{
    hpf_sink *log = hpf_sink_to_memory();
    hpf_sink_text(log, "hdrbhetb");
    log_declare(log, 2, 6, "Stop thread");
    log_declare(log, 50, 20, "Current heap size, and more");
    log_declare(log, 39, -1, "Something else of this number");
    log_declare(log, 207, 13, "Nonmoving heap census");
    log_end_header(log);
    log_put(log, 2, 1, "42", 8ull, 3ull);
    log_put(log, 50, 2, "488", 0ull, 77ull, 99ull);
    log_put(log, 39, 3, "21", 1ull, 5ull);
    log_put(log, 207, 4, "1444", 3ull, 4ull, 5ull, 6ull);
    log_end(log);
    expect_said(log, "0.000000001 - STOP_THREAD thread=8 status=3:ThreadYielding\n"
                     "0.000000002 - HEAP_SIZE capset=0 size_bytes=77\n"
                     "0.000000003 - 39 \"Something else of this number\" bytes=1\n"
                     "0.000000004 - NONMOVING_HEAP_CENSUS log2_block=3 n_active=4 n_filled=5 "
                     "n_live_blocks=6\n");
}

/* GHC 9.10 declares a byte too many, which is the first one of the next record. */
Test(eventlog_reader, an_info_table_ends_with_its_sixth_text)
{
    for (size_t piece = 1; piece < 200; piece++) {
        hpf_sink *log = open_log();
        hpf_sink *next = hpf_sink_to_memory();
        log_put(next, 9, 3, "");
        hpf_str tail = hpf_str_from(hpf_sink_bytes(next), 1);
        log_put(log, 169, 1, "8ssssss", 64ull, "f_info", "15", "Int", "f", "Main", "f.hs:1:2");
        log_put(log, 169, 2, "8ssssss1", 72ull, "g_info", "15", "", "g", "Main", ":", 0ull);
        hpf_sink_write(log, tail.data, tail.length);
        log_end(log);
        hpf_str bytes = hpf_sink_bytes(log);
        hpf_eventlog *reader = hpf_eventlog_create(&(hpf_event_visitor){0}, NULL);
        for (size_t from = 0; from < bytes.length; from += piece) {
            size_t n = bytes.length - from < piece ? bytes.length - from : piece;
            cr_assert_eq(hpf_eventlog_feed(reader, bytes.data + from, n, NULL), HPF_OK);
        }
        cr_assert_eq(hpf_eventlog_state(reader), HPF_EVENTLOG_COMPLETE);
        cr_assert_eq(hpf_eventlog_n_events(reader), 3);
        cr_assert_eq(hpf_eventlog_damaged(reader).n_places, 0);
        hpf_eventlog_destroy(reader);
        hpf_sink_destroy(next);
        hpf_sink_destroy(log);
    }
}

Test(eventlog_reader, bytes_after_the_end_marker_are_ignored)
{
    hpf_sink *log = open_log();
    log_put(log, 9, 1, "");
    log_end(log);
    hpf_sink_text(log, "anything");
    expect_said(log, "0.000000001 - GC_START\n");
}

Test(eventlog_reader, the_last_declaration_of_a_type_counts)
{
    hpf_sink *log = begun();
    log_declare(log, 9, 4, "Starting GC again");
    log_end_header(log);
    log_put(log, 9, 1, "4", 5ull);
    log_end(log);
    expect_said(log, "0.000000001 - GC_START\n");
}

Test(eventlog_reader, an_undeclared_type_is_an_error_with_its_place)
{
    hpf_sink *log = open_log();
    uint64_t at = hpf_sink_position(log);
    log_put(log, 301, 1, "");
    expect_failure(log, HPF_ERR_SYNTAX, at, "type 301 at byte");

    /* Changes of samples before cannot be read after damage. */
    log = begun();
    log_declare(log, 1000, -1, "Heap profile changes since last sample");
    log_end_header(log);
    log_put(log, 9, 1, "");
    at = hpf_sink_position(log);
    log_put(log, 301, 1, "");
    expect_failure(log, HPF_ERR_SYNTAX, at, "type 301 at byte");
}

/* Two threads of the program wrote to the same place: 5 bytes of a record and the next records. The
 * end marker may follow soon. */
Test(eventlog_reader, damage_is_skipped)
{
    for (unsigned n_after = 1; n_after < 12; n_after++) {
        hpf_sink *log = open_log();
        log_put(log, 9, 1, "");
        uint64_t at = hpf_sink_position(log);
        hpf_sink_write(log, "\x55\xaa\0\0\1", 5);
        for (unsigned i = 0; i < n_after; i++) {
            log_put(log, 10, 20 + i, "");
        }
        log_end(log);
        hpf_str bytes = hpf_sink_bytes(log);
        for (size_t piece = 1; piece < bytes.length; piece += 3) {
            hpf_eventlog *reader = hpf_eventlog_create(&(hpf_event_visitor){0}, NULL);
            for (size_t from = 0; from < bytes.length; from += piece) {
                size_t n = bytes.length - from < piece ? bytes.length - from : piece;
                cr_assert_eq(hpf_eventlog_feed(reader, bytes.data + from, n, NULL), HPF_OK);
            }
            hpf_eventlog_damage damage = hpf_eventlog_damaged(reader);
            cr_assert_eq(hpf_eventlog_state(reader), HPF_EVENTLOG_COMPLETE);
            cr_assert_eq(hpf_eventlog_n_events(reader), 1 + n_after);
            cr_assert_eq(damage.n_places, 1);
            cr_assert_eq(damage.first_offset, at);
            cr_assert_eq(damage.n_bytes, 5);
            hpf_eventlog_destroy(reader);
        }
        hpf_sink_destroy(log);
    }
}

Test(eventlog_reader, ghc_6_12_is_refused_by_its_sizes)
{
    hpf_sink *log = begun();
    uint64_t at = hpf_sink_position(log);
    log_declare(log, 0, 8, "Create thread");
    log_end_header(log);
    expect_failure(log, HPF_ERR_VERSION, at, "GHC 6.12");
    log = begun();
    log_declare(log, 17, 0, "Startup");
    log_end_header(log);
    expect_failure(log, HPF_ERR_VERSION, at, "GHC 6.12");
}

Test(eventlog_reader, a_broken_header_is_an_error)
{
    hpf_sink *log = hpf_sink_to_memory();
    hpf_sink_text(log, "hdrbhetX");
    expect_failure(log, HPF_ERR_SYNTAX, 0, "hdrbhetb");

    log = hpf_sink_to_memory();
    hpf_sink_write(log, "hdrbhetbetb\0\0\1\0\0\xff\xff\xff\xff", 20);
    expect_failure(log, HPF_ERR_SYNTAX, 8, "wrong length");

    log = hpf_sink_to_memory();
    hpf_sink_write(log, "hdrbhetbetb\0\0\1\0\0\0\0\0\0\x80\0\0\0", 24);
    expect_failure(log, HPF_ERR_SYNTAX, 8, "wrong length");

    log = hpf_sink_to_memory();
    hpf_sink_text(log, "hdrbhetb");
    log_declare(log, 1, -2, "");
    expect_failure(log, HPF_ERR_SYNTAX, 8, "negative");

    log = hpf_sink_to_memory();
    hpf_sink_text(log, "hdrbhetbhetehdredatX");
    expect_failure(log, HPF_ERR_SYNTAX, 8, "expected a type");
}

static hpf_status stop_at_second(void *context, const hpf_event *event, hpf_error *err)
{
    int *n = context;
    (void)event;
    return ++*n == 2 ? hpf_error_set(err, HPF_ERR_LIMIT, "enough") : HPF_OK;
}

static hpf_status stop_at_once(void *context, const hpf_event *event, hpf_error *err)
{
    (void)context;
    (void)event;
    (void)err;
    return HPF_ERR_LIMIT;
}

static hpf_status refuse_gc_end(void *context, const hpf_event_type *type, bool *is_wanted,
                                hpf_error *err)
{
    (void)context;
    (void)err;
    *is_wanted = type->id != 10;
    return HPF_OK;
}

Test(eventlog_reader, a_visitor_stops_the_reader_and_leaves_types_out)
{
    hpf_sink *log = open_log();
    int n = 0;
    hpf_event_visitor visitor = {.type = refuse_gc_end, .event = stop_at_second};
    hpf_eventlog *reader = hpf_eventlog_create(&visitor, &n);
    hpf_error err = {0};
    log_put(log, 9, 1, "");
    log_put(log, 10, 1, "");
    log_put(log, 9, 1, "");
    log_put(log, 9, 1, "");
    hpf_str bytes = hpf_sink_bytes(log);
    cr_expect_eq(hpf_eventlog_feed(reader, bytes.data, bytes.length, &err), HPF_ERR_LIMIT);
    cr_expect_str_eq(err.message, "enough");
    cr_expect_eq(hpf_eventlog_feed(reader, bytes.data, bytes.length, NULL), HPF_ERR_LIMIT);
    cr_expect_eq(n, 2);
    hpf_eventlog_destroy(reader);
    visitor = (hpf_event_visitor){.event = stop_at_once};
    reader = hpf_eventlog_create(&visitor, NULL);
    err = (hpf_error){0};
    cr_expect_eq(hpf_eventlog_feed(reader, bytes.data, bytes.length, &err), HPF_ERR_LIMIT);
    cr_expect_eq(err.status, HPF_ERR_LIMIT, "a visitor that does not describe its error");
    cr_expect_str_eq(err.message, hpf_status_name(HPF_ERR_LIMIT));
    hpf_eventlog_destroy(reader);
    hpf_sink_destroy(log);
}

Test(eventlog_reader, a_record_is_read_as_soon_as_it_is_whole)
{
    hpf_sink *bytes = open_log();
    log_put(bytes, 9, 5, "");
    hpf_sink *said = hpf_sink_to_memory();
    hpf_eventlog *log = hpf_eventlog_create(&printing, said);
    hpf_str whole = hpf_sink_bytes(bytes);
    size_t first_bytes = whole.length - 5; /* half of the record */
    cr_assert_eq(hpf_eventlog_feed(log, whole.data, first_bytes, NULL), HPF_OK);
    cr_expect_eq(hpf_eventlog_n_events(log), 0);
    cr_assert_eq(hpf_eventlog_feed(log, whole.data + first_bytes, 5, NULL), HPF_OK);
    cr_expect_eq(hpf_eventlog_n_events(log), 1);
    hpf_eventlog_destroy(log);
    hpf_sink_destroy(said);
    hpf_sink_destroy(bytes);
}

Test(eventlog_reader, the_state_shows_how_the_input_ends)
{
    hpf_sink *log = open_log();
    size_t header = hpf_sink_bytes(log).length;
    hpf_sink *said = hpf_sink_to_memory();
    hpf_eventlog_end end;
    log_put(log, 9, 1, "");
    log_end(log);
    hpf_str bytes = hpf_sink_bytes(log);
    for (size_t n = 0; n <= bytes.length; n++) {
        cr_expect_eq(read_into(said, (hpf_str){bytes.data, n}, &end, NULL), HPF_OK);
        hpf_eventlog_end expected = n < header                        ? HPF_EVENTLOG_IN_HEADER
                                    : n == header || n == header + 10 ? HPF_EVENTLOG_OPEN
                                    : n == bytes.length               ? HPF_EVENTLOG_COMPLETE
                                                                      : HPF_EVENTLOG_IN_RECORD;
        cr_expect_eq(end, expected, "%zu", n);
    }
    hpf_sink_destroy(said);
    hpf_sink_destroy(log);
}
