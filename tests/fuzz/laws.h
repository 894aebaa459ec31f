/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What holds for profiles of any format. Each function ends the program when it does not.
 */
#ifndef CENSUS_TESTS_LAWS_H
#define CENSUS_TESTS_LAWS_H

#include "model.h"
#include "hpfile/format.h"
#include "hpfile/source.h"
#include "rng.h"

/* Returns the format as which a pushed input is read: an event log, or else .hp. */
const hpf_format *law_format(hpf_str text);

/* Cutting the input into pieces changes nothing of what is said. */
void law_cuts(hpf_str text, rng *chance);

/* The survey of a source adds up to what the model holds, also in its series. `model` is NULL for
 * an input that is refused. If samples come `in_order`, replaying tells the same ones; if not, the
 * survey may refuse them. */
void law_survey(hpf_source *source, const hpf_format *format, const hpf_model *model,
                size_t max_drawn, bool in_order);
void law_survey_memory(hpf_str text, const hpf_model *model, size_t max_drawn, bool in_order);

#endif
