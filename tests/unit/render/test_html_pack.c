/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Packed series: unpacking restores every bit, and repetition takes few bytes.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html/html_pack.h"
#include "rng.h"

/* --- unpacking, after docs/formats/page.md -------------------------------------------------- */

static uint64_t next_number(const hpf__buffer *packed, size_t *at)
{
    uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
        cr_assert_lt(*at, packed->length);
        unsigned char byte = (unsigned char)packed->bytes[(*at)++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return number;
        }
    }
}

static size_t unpack_whole(const hpf__buffer *packed, double *out)
{
    size_t n = 0, at = 1;
    int64_t whole = 0, step = 0;
    double scale = pow(10, packed->bytes[0]);
    while (at < packed->length) {
        uint64_t token = next_number(packed, &at);
        uint64_t n_times = token & 1 ? (token >> 1) + 1 : 1;
        cr_assert_lt(token, (uint64_t)1 << 53, "a script could not count with it");
        if (!(token & 1)) {
            step = (int64_t)(token >> 2) ^ -(int64_t)(token >> 1 & 1);
        }
        for (uint64_t i = 0; i < n_times; i++) {
            whole += step;
            out[n++] = (double)whole / scale;
        }
    }
    return n;
}

static size_t unpack(const hpf__buffer *packed, double *out)
{
    if ((unsigned char)packed->bytes[0] != 255) {
        return unpack_whole(packed, out);
    }
    memcpy(out, packed->bytes + 1, packed->length - 1);
    return (packed->length - 1) / sizeof *out;
}

/* Packs, unpacks, compares; returns the packed size. */
static size_t there_and_back(const double *numbers, size_t n)
{
    hpf__buffer packed = {NULL, 0, 0};
    double *again = calloc(n + 1, sizeof *again);
    cr_assert(hpr__pack(&packed, numbers, n));
    cr_assert_eq(unpack(&packed, again), n);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(again[i], numbers[i], "number %zu: %.17g became %.17g", i, numbers[i],
                     again[i]);
    }
    size_t n_bytes = packed.length;
    hpf__buffer_finish(&packed);
    free(again);
    return n_bytes;
}

/* --- tests ---------------------------------------------------------------------------------- */

Test(html_pack, nothing_and_one_number)
{
    const double one[] = {7};
    cr_assert_eq(there_and_back(one, 0), 1);
    cr_assert_eq(there_and_back(one, 1), 2);
}

Test(html_pack, repetition_takes_a_few_bytes)
{
    static double zeros[8192], steps[8192];
    for (size_t i = 0; i < 8192; i++) {
        steps[i] = (double)i * 40;
    }
    cr_assert_leq(there_and_back(zeros, 8192), 4);
    cr_assert_leq(there_and_back(steps, 8192), 8);
}

Test(html_pack, whole_numbers_up_to_the_limit_and_beyond)
{
    const double limit = 1125899906842624.0; /* 2^50 */
    const double within[] = {limit - 1, 0, 1 - limit, limit - 1, 5, 5, 5, -3};
    const double beyond[] = {0, limit, 3 * limit, 18446744073709551615.0};
    cr_assert_gt(there_and_back(within, 8), 8);
    cr_assert_eq(there_and_back(beyond, 4), 1 + 4 * sizeof(double));
}

Test(html_pack, decimals_are_exact)
{
    double times[1000];
    for (size_t i = 0; i < 1000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.6f", 0.1 * (double)i + 0.000049 * (double)(i % 7));
        times[i] = strtod(text, NULL);
    }
    cr_assert_lt(there_and_back(times, 1000), 4000);
}

Test(html_pack, other_numbers_are_doubles)
{
    const double strange[] = {1.0 / 3, 1e-300, 1e300, 0.1 + 0.2, -2.5};
    cr_assert_eq(there_and_back(strange, 5), 1 + sizeof strange);
}

Test(html_pack, random_numbers_are_restored)
{
    rng random = {42};
    double numbers[300];
    for (int round = 0; round < 2000; round++) {
        size_t n = (size_t)rng_below(&random, 300);
        uint64_t most = (uint64_t)1 << rng_below(&random, 51);
        double scale = pow(10, (double)rng_below(&random, 4));
        for (size_t i = 0; i < n; i++) {
            bool is_repeated = i > 0 && rng_below(&random, 3) > 0;
            numbers[i] = is_repeated ? numbers[i - 1] : (double)rng_below(&random, most) / scale;
        }
        there_and_back(numbers, n);
    }
}

Test(html_pack, base64_is_padded)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {{"", "\"\""},        {"f", "\"Zg==\""},        {"fo", "\"Zm8=\""},
                 {"foo", "\"Zm9v\""}, {"foob", "\"Zm9vYg==\""}, {"\xff\xfe\xfd", "\"//79\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_json json = hpf_json_begin_line(sink);
        char bytes[8];
        memcpy(bytes, cases[i].bytes, strlen(cases[i].bytes));
        const hpf__buffer packed = {bytes, strlen(cases[i].bytes), sizeof bytes};
        cr_assert(hpr__packed_json(&json, NULL, &packed));
        hpf_sink_write(sink, "", 1);
        cr_assert_str_eq(hpf_sink_bytes(sink).data, cases[i].text);
        hpf_sink_destroy(sink);
    }
}
