/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of bins: what is written is read back sorted and added up, and broken files are emitted.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "prof/address_bins.h"

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
    hpf_bins bins = {HPF_BINS_HEAP, 8, 0x400000, 12, unsorted, 6};
    hpf_bins_write(sink, &bins);
    hpf_str bytes = hpf_sink_bytes(sink);
    cr_assert_eq(bytes.length, HEAD_BYTES + 5 * 16, "an empty bin takes no room");
    hpf_bins back;
    cr_assert_eq(read_bytes(&back, bytes, NULL), HPF_OK);
    cr_assert_eq(back.kind, HPF_BINS_HEAP);
    cr_assert_eq(back.unit, 8);
    cr_assert_eq(back.base_address, 0x400000);
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
        'h',  'p',  'f',  '.',  'b',  'i',  'n',  's',  1, 0, 0, 0, 0, 0, 0, 0, /* version */
        1,    0,    0,    0,    0,    0,    0,    0,    3, 0, 0, 0, 0, 0, 0, 0, /* kind, unit */
        0,    0,    0,    0,    0,    0,    0,    0,    4, 0, 0, 0, 0, 0, 0, 0, /* base, unknown */
        1,    0,    0,    0,    0,    0,    0,    0,                            /* one bin */
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 2, 0, 0, 0, 0, 0, 0, 0};
    hpf_bins bins = {HPF_BINS_TIME, 3, 0, 4, one, 1};
    hpf_bins_write(sink, &bins);
    cr_assert_eq(hpf_sink_bytes(sink).length, sizeof wanted);
    cr_assert_arr_eq(hpf_sink_bytes(sink).data, wanted, sizeof wanted);
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
    hpf_bins bins = {HPF_BINS_HEAP, 1, 0, 0, some, N};
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

Test(bins, broken_files_are_told)
{
    static const hpf_bin one[] = {{1, 2}};
    hpf_bins bins = {HPF_BINS_TIME, 1, 0, 0, one, 1};
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
    copy[8] = 2;
    cr_assert_eq(read_bytes(&back, (hpf_str){copy, bytes.length}, &err), HPF_ERR_VERSION);
    copy[8] = 1;
    copy[16] = 3;
    cr_assert_eq(read_bytes(&back, (hpf_str){copy, bytes.length}, &err), HPF_ERR_SYNTAX);
    cr_assert_eq(err.offset, 16);
    free(copy);
}
