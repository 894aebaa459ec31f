/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of cases in tests/cases (JSON), which tests in C and in the browser share.
 */
#ifndef CENSUS_TESTS_CASES_H
#define CENSUS_TESTS_CASES_H

#include "io/json_lex.h"

/* A JSON value. */
typedef struct case_value {
    hpf__json_kind kind;
    hpf_str key;  /* in an object */
    hpf_str text; /* of a string, number or word; ends with a NUL that is not counted */
    struct case_value *items;
    size_t n_items;
} case_value;

/* Reads tests/cases/NAME. Ends the program if it is missing or wrong. Never freed: tests end soon.
 */
const case_value *cases_read(const char *name);

/* Return a member of an object, which must have it. A number that is null is NAN. */
const case_value *case_member(const case_value *object, const char *key);
double case_number(const case_value *object, const char *key);
bool case_bool(const case_value *object, const char *key);
hpf_str case_text(const case_value *object, const char *key);

double case_number_of(const case_value *value);

/* Returns the text of a profile with the `times` and `names` of a case, the amounts of each name at
 * each time. The caller frees it. */
char *case_profile(const case_value *profile);

#endif
