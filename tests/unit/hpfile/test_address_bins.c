/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of bins: written bins are read back sorted and added up; invalid files are errors.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/address_bins.h"

enum { HEAD_BYTES = 56 };

static hpf_sink *sink;

static void set_up(void)
{
    sink = hpf_sink_to_memory();
}

static void tear_down(void)
{
    hpf_sink_destroy(sink);
}

TestSuite(bins, .init = set_up, .fini = tear_down);

static hpf_status read_bytes(hpf_bins *out, hpf_str bytes, hpf_error *err)
{
    hpf_source *source;
    cr_assert_eq(hpf_source_from_memory(&source, bytes, NULL, NULL), HPF_OK);
    hpf_status status = hpf_bins_read(out, source, err);
    hpf_source_destroy(source);
    return status;
}

static void expect_bin(const hpf_bins *bins, size_t index, uint64_t address, uint64_t count)
{
    cr_assert_lt(index, bins->n_bins);
    cr_assert_eq(bins->bins[index].address, address);
    cr_assert_eq(bins->bins[index].count, count);
}

Test(bins, are_read_sorted_and_added_up)
{
    static const hpf_bin unsorted[] = {{UINT64_MAX, 1}, {0x400100, 7}, {0x400000, UINT64_MAX - 1},
                                       {5, 0},          {0x400100, 3}, {0x400000, 9}};
    hpf_bins bins = {HPF_BINS_HEAP, 8, 12, unsorted, 6, NULL, 0, NULL};
    hpf_bins_write(sink, &bins);
    hpf_str bytes = hpf_sink_bytes(sink);
    cr_assert_eq(bytes.length, HEAD_BYTES + 5 * 16, "an empty bin takes no room");
    hpf_bins back;
    cr_assert_eq(read_bytes(&back, bytes, NULL), HPF_OK);
    cr_assert_eq(back.kind, HPF_BINS_HEAP);
    cr_assert_eq(back.unit, 8);
    cr_assert_eq(back.unknown_count, 12);
    cr_assert_eq(back.n_bins, 3);
    expect_bin(&back, 0, 0x400000, UINT64_MAX);
    expect_bin(&back, 1, 0x400100, 10);
    expect_bin(&back, 2, UINT64_MAX, 1);
    hpf_bins_finish(&back);
}

Test(bins, time_and_heap_have_one_layout)
{
    static const hpf_bin one[] = {{0x1122334455667788, 2}};
    static const unsigned char wanted[] = {
        'h',  'p',  'f',  '.',  'b',  'i',  'n',  's',  2,   0,   0,
        0,    0,    0,    0,    0, /* version */
        1,    0,    0,    0,    0,    0,    0,    0,    3,   0,   0,
        0,    0,    0,    0,    0, /* kind, unit */
        4,    0,    0,    0,    0,    0,    0,    0,    1,   0,   0,
        0,    0,    0,    0,    0,                   /* unknown, bins */
        1,    0,    0,    0,    0,    0,    0,    0, /* objects */
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 2,   0,   0,
        0,    0,    0,    0,    0, /* a bin */
        16,   0,    0,    0,    0,    0,    0,    0,    32,  0,   0,
        0,    0,    0,    0,    0, /* start, end */
        8,    0,    0,    0,    0,    0,    0,    0,    2,   0,   0,
        0,    0,    0,    0,    0,                                       /* bias, path */
        1,    0,    0,    0,    0,    0,    0,    0,    '/', 'p', 0xab}; /* build id */
    static const hpf_bins_object object = {16, 32, 8, {"/p", 2}, {"\xab", 1}};
    hpf_bins bins = {HPF_BINS_TIME, 3, 4, one, 1, &object, 1, NULL};
    hpf_bins_write(sink, &bins);
    cr_assert_eq(hpf_sink_bytes(sink).length, sizeof wanted);
    cr_assert_arr_eq(hpf_sink_bytes(sink).data, wanted, sizeof wanted);
}

/* The bins of the proposal: 4 bytes for the address and 8 for the count. */
Test(bins, addresses_of_32_bits_take_four_bytes)
{
    static const hpf_bin some[] = {{UINT32_MAX, UINT64_MAX}, {UINT64_MAX, 0}, {0x401136, 2}};
    static const hpf_bins_object object = {0, UINT64_MAX, 0, {"/p", 2}, {"", 0}};
    static const unsigned char wanted[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff, 0xff, 0x36, 0x11, 0x40, 0,
                                           2,    0,    0,    0,    0,    0,    0,    0};
    hpf_bins bins = {HPF_BINS_HEAP, 1, 0, some, 3, &object, 1, NULL};
    hpf_bins back;
    hpf_bins_write(sink, &bins);
    cr_assert_eq(hpf_sink_bytes(sink).data[8], 3);
    cr_assert_arr_eq(hpf_sink_bytes(sink).data + HEAD_BYTES, wanted, sizeof wanted);
    cr_assert_eq(read_bytes(&back, hpf_sink_bytes(sink), NULL), HPF_OK);
    cr_assert_eq(back.n_bins, 2);
    expect_bin(&back, 0, 0x401136, 2);
    expect_bin(&back, 1, UINT32_MAX, UINT64_MAX);
    cr_assert_eq(back.n_objects, 1);
    cr_assert_eq(back.objects[0].end, UINT64_MAX);
    hpf_bins_finish(&back);
}

Test(bins, objects_survive_the_round_trip)
{
    static const hpf_bins_object objects[] = {{1, 2, 3, {"/bin/a", 6}, {"\0id", 3}},
                                              {4, 5, UINT64_MAX, {"", 0}, {"", 0}}};
    hpf_bins bins = {HPF_BINS_HEAP, 1, 0, NULL, 0, objects, 2, NULL};
    hpf_bins back;
    hpf_bins_write(sink, &bins);
    cr_assert_eq(read_bytes(&back, hpf_sink_bytes(sink), NULL), HPF_OK);
    cr_assert_eq(back.n_objects, 2);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(back.objects[i].start, objects[i].start);
        cr_assert_eq(back.objects[i].end, objects[i].end);
        cr_assert_eq(back.objects[i].bias, objects[i].bias);
        cr_assert_eq(back.objects[i].path.length, objects[i].path.length);
        cr_assert_eq(back.objects[i].build_id.length, objects[i].build_id.length);
    }
    cr_assert_arr_eq(back.objects[0].path.data, "/bin/a", 6);
    cr_assert_arr_eq(back.objects[0].build_id.data, "\0id", 3);
    hpf_bins_finish(&back);
}

Test(bins, random_ones_survive_the_round_trip)
{
    enum { N = 3000 };
    static hpf_bin some[N];
    uint64_t state = 1, total = 0, total_back = 0;
    for (int i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        some[i] = (hpf_bin){state >> 52, state >> 40 & 0xfff};
        total += some[i].count;
    }
    hpf_bins bins = {HPF_BINS_HEAP, 1, 0, some, N, NULL, 0, NULL};
    hpf_bins back;
    hpf_bins_write(sink, &bins);
    cr_assert_eq(read_bytes(&back, hpf_sink_bytes(sink), NULL), HPF_OK);
    for (size_t i = 0; i < back.n_bins; i++) {
        total_back += back.bins[i].count;
        cr_assert(i == 0 || back.bins[i - 1].address < back.bins[i].address);
    }
    cr_assert_eq(total_back, total);
    hpf_bins_finish(&back);
}

static void check_invalid(uint64_t address)
{
    const hpf_bin one[] = {{address, 2}};
    static const hpf_bins_object object = {0, 2, 0, {"/p", 2}, {"ab", 2}};
    hpf_bins bins = {HPF_BINS_TIME, 1, 0, one, 1, &object, 1, NULL};
    hpf_bins_write(sink, &bins);
    hpf_str bytes = hpf_sink_bytes(sink);
    hpf_bins back;
    hpf_error err;
    for (size_t length = 0; length < bytes.length; length++) {
        cr_assert_eq(read_bytes(&back, (hpf_str){bytes.data, length}, &err), HPF_ERR_SYNTAX);
        cr_assert_null(back.bins);
    }
    char *copy = malloc(bytes.length);
    memcpy(copy, bytes.data, bytes.length);
    copy[8] = 1;
    cr_assert_eq(read_bytes(&back, (hpf_str){copy, bytes.length}, &err), HPF_ERR_VERSION);
    copy[8] = address <= UINT32_MAX ? 3 : 2;
    copy[16] = 3;
    cr_assert_eq(read_bytes(&back, (hpf_str){copy, bytes.length}, &err), HPF_ERR_SYNTAX);
    cr_assert_eq(err.offset, 16);
    free(copy);
}

Test(bins, invalid_files_are_errors)
{
    check_invalid(UINT64_MAX);
    hpf_sink_destroy(sink);
    sink = hpf_sink_to_memory();
    check_invalid(1);
}
