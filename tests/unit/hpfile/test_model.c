/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The model: it gives back what it was given, and equality is about what is said, not how it is
 * numbered.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/sink.h"
#include "readings.h"

#define HEAD "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n"
#define BODY                                                                                       \
    "MARK 0.5\nBEGIN_SAMPLE 1.0\na\t1\nb\t2\na\t3\nEND_SAMPLE 1.0\nMARK 1.5\nMARK 1.25\n"          \
    "BEGIN_SAMPLE 2.0\nb\t2.5\nEND_SAMPLE 2.0\nMARK 9.0\n"

static hpf_model *model_of(const char *text)
{
    hpf_error err;
    hpf_model *model = model_of_text((hpf_str){text, strlen(text)}, &err);
    cr_assert_not_null(model, "%s", err.message);
    return model;
}

static bool is(hpf_str text, const char *expected)
{
    return text.length == strlen(expected) && memcmp(text.data, expected, text.length) == 0;
}

Test(model, holds_everything)
{
    hpf_model *m = model_of(HEAD BODY);
    cr_assert(is(hpf_model_header(m, HPF_HEADER_JOB), "j"));
    cr_assert(is(hpf_model_header(m, HPF_HEADER_VALUE_UNIT), "b"));
    cr_assert_eq(hpf_model_n_names(m), 2);
    cr_assert(is(hpf_model_name(m, 1), "b"));
    cr_assert_eq(hpf_model_n_samples(m), 2);
    hpf_sample first = hpf_model_sample(m, 0);
    cr_assert(first.time == 1.0 && first.n_costs == 3);
    cr_assert(first.costs[2].name == 0 && first.costs[2].whole == 3, "not added up");
    cr_assert_eq(first.begin_offset, 0);
    cr_assert_eq(hpf_model_sample(m, 1).begin_offset, first.end_offset);
    cr_assert_eq(hpf_model_n_marks(m), 4);
    hpf_str label;
    cr_assert_eq(hpf_model_mark(m, 2, &label), 1.25);
    cr_assert_eq(label.length, 0);
    hpf_model_destroy(m);
    hpf_model_destroy(NULL);
}

/* Names come first in a replay, so the texts of events differ; what is read from them does not. */
Test(model, replay_into_another_gives_the_same)
{
    hpf_model *m = model_of(HEAD BODY);
    hpf_model *copy = hpf_model_create();
    cr_assert_eq(hpf_model_replay(m, &hpf_model_events, copy, NULL), HPF_OK);
    cr_assert(hpf_model_equal(m, copy));
    hpf_sink *a = write_model(m);
    hpf_sink *b = write_model(copy);
    cr_assert_eq(hpf_sink_position(a), hpf_sink_position(b));
    cr_assert_arr_eq(hpf_sink_bytes(a).data, hpf_sink_bytes(b).data, hpf_sink_position(a));
    hpf_sink_destroy(a);
    hpf_sink_destroy(b);
    hpf_model_destroy(copy);
    hpf_model_destroy(m);
}

Test(model, write_then_read_is_identity_and_writing_again_gives_the_same_bytes)
{
    hpf_model *m = model_of(HEAD BODY);
    hpf_sink *first = write_model(m);
    hpf_model *again = model_of_text(hpf_sink_bytes(first), NULL);
    cr_assert(hpf_model_equal(m, again));
    hpf_sink *second = write_model(again);
    cr_assert_eq(hpf_sink_position(first), hpf_sink_position(second));
    cr_assert_arr_eq(hpf_sink_bytes(first).data, hpf_sink_bytes(second).data,
                     hpf_sink_position(first));
    hpf_sink_destroy(first);
    hpf_sink_destroy(second);
    hpf_model_destroy(m);
    hpf_model_destroy(again);
}

Test(model, replay_to_an_empty_consumer_and_to_one_that_stops)
{
    hpf_model *m = model_of(HEAD BODY);
    cr_assert_eq(hpf_model_replay(m, &(hpf_events){0}, NULL, NULL), HPF_OK);
    hpf_model_destroy(m);
}

Test(model, equality_compares_contents)
{
    static const struct {
        const char *text;
        bool is_equal;
    } others[] = {
        {HEAD BODY, true},
        {HEAD "unused_first 1\nJOB \"j\"\n" BODY, false},
        {"DATE \"d\"\nJOB \"x\"\nVALUE_UNIT \"b\"\nSAMPLE_UNIT \"s\"\nJOB \"j\"\n" BODY, true},
        {"JOB \"k\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n" BODY, false},
        {HEAD BODY "MARK 10.0\n", false},
        {HEAD BODY "BEGIN_SAMPLE 3.0\nEND_SAMPLE 3.0\n", false},
        {HEAD "MARK 0.5\nBEGIN_SAMPLE 1.0\nb\t2\na\t1\na\t3\nEND_SAMPLE 1.0\nMARK 1.5\nMARK 1.25\n"
              "BEGIN_SAMPLE 2.0\nb\t2.5\nEND_SAMPLE 2.0\nMARK 9.0\n",
         false},
        {HEAD "MARK 0.5\nBEGIN_SAMPLE 1.0\na\t1\nb\t2\na\t3\nEND_SAMPLE 1.0\nMARK 1.5\nMARK 1.25\n"
              "BEGIN_SAMPLE 2.0\nb\t2.75\nEND_SAMPLE 2.0\nMARK 9.0\n",
         false},
        {HEAD "MARK 0.5\nBEGIN_SAMPLE 1.5\na\t1\nb\t2\na\t3\nEND_SAMPLE 1.0\nMARK 1.5\nMARK 1.25\n"
              "BEGIN_SAMPLE 2.0\nb\t2.5\nEND_SAMPLE 2.0\nMARK 9.0\n",
         false},
    };
    hpf_model *m = model_of(HEAD BODY);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        hpf_model *other = model_of(others[i].text);
        cr_expect_eq(hpf_model_equal(m, other), others[i].is_equal, "%zu", i);
        cr_expect_eq(hpf_model_equal(other, m), others[i].is_equal, "%zu", i);
        hpf_model_destroy(other);
    }
    hpf_model_destroy(m);
}

Test(model, a_whole_amount_and_a_fraction_of_the_same_size_differ)
{
    hpf_model *a = model_of(HEAD "BEGIN_SAMPLE 1.0\na\t5\nEND_SAMPLE 1.0\n");
    hpf_model *b = model_of(HEAD "BEGIN_SAMPLE 1.0\na\t5.0\nEND_SAMPLE 1.0\n");
    cr_assert(!hpf_model_equal(a, b));
    hpf_model_destroy(a);
    hpf_model_destroy(b);
}

/* A line's points stand where they came, among the samples. */
Test(model, quantities_are_stored_replayed_and_compared)
{
    hpf_model *a = model_of(HEAD BODY);
    hpf_model *b = model_of(HEAD BODY);
    const hpf_events *e = &hpf_model_events;
    cr_assert_eq(e->quantity(a, HPF_STR("heap"), (hpf_quantity_point){1, 5}, NULL), HPF_OK);
    cr_assert_eq(e->quantity(a, HPF_STR("live"), (hpf_quantity_point){1, 4}, NULL), HPF_OK);
    cr_expect(!hpf_model_equal(a, b));
    cr_assert_eq(e->quantity(b, HPF_STR("heap"), (hpf_quantity_point){1, 5}, NULL), HPF_OK);
    cr_assert_eq(e->quantity(b, HPF_STR("live"), (hpf_quantity_point){1, 3}, NULL), HPF_OK);
    cr_expect(!hpf_model_equal(a, b));
    hpf_model *again = hpf_model_create();
    cr_assert_eq(hpf_model_replay(a, &hpf_model_events, again, NULL), HPF_OK);
    cr_expect(hpf_model_equal(a, again));
    hpf_model_destroy(a);
    hpf_model_destroy(b);
    hpf_model_destroy(again);
}
