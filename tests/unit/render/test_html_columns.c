/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Series packed in one pass equal the ones that are packed one by one.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html/html_pack.h"
#include "profile.h"
#include "rng.h"

enum { N_NAMES = 12, N_SAMPLES = 400 };

static const size_t no_costs[N_NAMES];

/* Returns a profile whose names come and go, and are sometimes in a sample twice. The caller frees
 * it.
 */
static char *made_up_profile(void)
{
    char *text = NULL;
    size_t size;
    rng random = {7};
    FILE *out = open_memstream(&text, &size);
    fputs(PROFILE_HEADERS, out);
    for (int t = 0; t < N_SAMPLES; t++) {
        fprintf(out, "BEGIN_SAMPLE %d\n", t);
        for (int i = 0; i < N_NAMES; i++) {
            bool is_there = t == 0 || (t / 16 + i) % 3 == 0 || rng_below(&random, 8) == 0;
            for (uint64_t n = is_there ? 1 + rng_below(&random, 2) : 0; n > 0; n--) {
                fprintf(out, "name%d\t%d\n", i, (int)(rng_below(&random, 4) * 1000));
            }
        }
        fprintf(out, "END_SAMPLE %d\n", t);
    }
    fclose(out);
    return text;
}

/* Gives two names one band, and one name none. */
static void fill_bands(uint32_t *band_of_name)
{
    for (uint32_t name = 0; name < N_NAMES; name++) {
        band_of_name[name] = name == 5 ? 4 : name == 11 ? HPF_NO_BAND : name;
    }
}

static void expect_as_packed_alone(size_t max_drawn)
{
    char *text = made_up_profile();
    test_profile profile = test_profile_open(text, max_drawn);
    size_t n_drawn = hpf_survey_overview(profile.survey)->n_drawn;
    uint32_t band_of_name[N_NAMES];
    hpr__columns columns = {.most_bytes = SIZE_MAX, .costs = no_costs, .n = N_NAMES};
    double *numbers = calloc(N_NAMES * n_drawn, sizeof *numbers);
    hpf__buffer alone = {NULL, 0, 0};
    hpf_error err;
    fill_bands(band_of_name);
    cr_assert_eq(hpf_survey_series(profile.survey, band_of_name, N_NAMES, numbers, &err), HPF_OK);
    cr_assert_eq(hpr__columns_pack(&columns, profile.survey, band_of_name, &err), HPF_OK);
    cr_assert_eq(columns.n, N_NAMES);
    for (uint32_t i = 0; i < N_NAMES; i++) {
        const hpf__buffer *packed = &columns.packers[i].packed;
        cr_assert(hpr__pack(&alone, numbers + i * n_drawn, n_drawn));
        cr_assert_eq(packed->length, alone.length);
        cr_assert_eq(memcmp(packed->bytes, alone.bytes, alone.length), 0, "band %u", i);
    }
    hpf__buffer_finish(&alone);
    hpr__columns_finish(&columns);
    test_profile_close(&profile);
    free(numbers);
    free(text);
}

Test(html_columns, packs_all_samples)
{
    expect_as_packed_alone(0);
}

Test(html_columns, packs_selected_samples)
{
    expect_as_packed_alone(60);
}

Test(html_columns, drops_the_last_bands)
{
    char *text = made_up_profile();
    test_profile profile = test_profile_open(text, 0);
    uint32_t band_of_name[N_NAMES];
    size_t costs[N_NAMES] = {0}, whole[N_NAMES];
    hpr__columns all = {.most_bytes = SIZE_MAX, .costs = costs, .n = N_NAMES};
    hpf_error err;
    fill_bands(band_of_name);
    cr_assert_eq(hpr__columns_pack(&all, profile.survey, band_of_name, &err), HPF_OK);
    for (size_t i = 0, sum = 0; i < N_NAMES; i++) {
        sum += all.packers[i].packed.length;
        whole[i] = sum;
    }
    hpr__columns_finish(&all);
    hpr__columns some = {.most_bytes = whole[3], .costs = costs, .n = N_NAMES};
    cr_assert_eq(hpr__columns_pack(&some, profile.survey, band_of_name, &err), HPF_OK);
    cr_expect_eq(some.n, 4);
    hpr__columns_finish(&some);
    costs[0] = 1; /* one byte more than there is room for */
    hpr__columns fewer = {.most_bytes = whole[3], .costs = costs, .n = N_NAMES};
    cr_assert_eq(hpr__columns_pack(&fewer, profile.survey, band_of_name, &err), HPF_OK);
    cr_expect_eq(fewer.n, 3);
    hpr__columns_finish(&fewer);
    test_profile_close(&profile);
    free(text);
}

Test(html_columns, rejects_fractions)
{
    test_profile profile =
        test_profile_open(PROFILE_HEADERS "BEGIN_SAMPLE 1\na\t0.5\nEND_SAMPLE 1\n", 0);
    const uint32_t band_of_name[] = {0};
    hpr__columns columns = {.most_bytes = SIZE_MAX, .costs = no_costs, .n = 1};
    hpf_error err;
    cr_expect_eq(hpr__columns_pack(&columns, profile.survey, band_of_name, &err),
                 HPF_ERR_UNSUPPORTED);
    hpr__columns_finish(&columns);
    test_profile_close(&profile);
}
