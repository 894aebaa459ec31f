/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes kept aside: any range comes back, from memory and from the temporary file alike.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "io/spool.h"
#include "rng.h"

static void fill(char *bytes, size_t n, uint64_t offset)
{
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (char)((offset + i) * 2654435761u >> 13);
    }
}

Test(keep, ranges_come_back_while_it_grows)
{
    static char piece[300000];
    static char expected[300000];
    rng chance = {2};
    hpf__spool keep;
    hpf__spool_init(&keep, NULL);
    while (keep.length < 3 * HPF__SPOOL_MEMORY_BYTES) {
        size_t n = (size_t)rng_below(&chance, sizeof piece);
        fill(piece, n, keep.length);
        cr_assert_eq(hpf__spool_append(&keep, (hpf_str){piece, n}, NULL), HPF_OK);
        uint64_t at = rng_below(&chance, keep.length + 1);
        uint64_t left = keep.length - at;
        size_t length = (size_t)(left < sizeof piece ? left : sizeof piece);
        memset(piece, 0, sizeof piece);
        cr_assert_eq(hpf__spool_read(&keep, at, piece, length, NULL), HPF_OK);
        fill(expected, length, at);
        cr_assert_eq(memcmp(piece, expected, length), 0, "at %llu", (unsigned long long)at);
    }
    cr_assert_geq(keep.fd, 0);
    cr_assert_null(keep.memory.bytes, "what went to the file is not held twice");
    hpf__spool_finish(&keep);
}

Test(keep, little_stays_in_memory)
{
    hpf__spool keep;
    hpf__spool_init(&keep, "/no/such/folder");
    cr_assert_eq(hpf__spool_append(&keep, HPF_STR("abc"), NULL), HPF_OK);
    cr_assert_eq(hpf__spool_append(&keep, HPF_STR(""), NULL), HPF_OK);
    cr_assert_eq(keep.fd, -1);
    char out[2];
    cr_assert_eq(hpf__spool_read(&keep, 1, out, 2, NULL), HPF_OK);
    cr_assert_eq(memcmp(out, "bc", 2), 0);
    hpf__spool_finish(&keep);
}

Test(keep, a_folder_that_is_not_there_is_named_in_the_error)
{
    hpf__spool keep;
    hpf_error err;
    char *much = calloc(1, HPF__SPOOL_MEMORY_BYTES + 1);
    hpf__spool_init(&keep, "/no/such/folder");
    hpf_str bytes = {much, HPF__SPOOL_MEMORY_BYTES + 1};
    cr_assert_eq(hpf__spool_append(&keep, bytes, &err), HPF_ERR_IO);
    cr_assert(strstr(err.message, "/no/such/folder"));
    hpf__spool_finish(&keep);
    free(much);
}
