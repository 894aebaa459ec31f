/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether two surveys are the same.
 */
#ifndef CENSUS_TESTS_SURVEYS_H
#define CENSUS_TESTS_SURVEYS_H

#include "hpfile/survey.h"

typedef struct surveys_excuses {
    bool ends; /* the second input ends somewhere else behind the last sample: marks, labels, lines
                  and leftovers may differ, and the first may know names that no sample has */
    bool series;  /* these are not compared, nor moments */
    bool moments; /* these are not compared */
} surveys_excuses;

/* What is different, or NULL: every number is compared to the last bit, series for several ways to
 * make bands of names. Ends the program when there is no memory. */
const char *surveys_differ(hpf_survey *a, hpf_survey *b, surveys_excuses excuses);

#endif
