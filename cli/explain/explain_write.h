/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An explanation in words, on one page, and as JSON.
 */
#ifndef CENSUS_EXPLAIN_WRITE_H
#define CENSUS_EXPLAIN_WRITE_H

#include "hpfile/explain.h"
#include "hpfile/sink.h"

/* Errors: MEMORY. */
HPF_MUST_USE hpf_status explain_write_text(const hpf_explanation *e, hpf_sink *sink,
                                           hpf_error *err);
HPF_MUST_USE hpf_status explain_write_json(const hpf_explanation *e, hpf_sink *sink,
                                           hpf_error *err);

#endif
