/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A whole profile in memory, exact: every sample with every cost.
 *
 * For conversion, comparison and tests. Drawing does not need it: see survey.h.
 *
 * Ownership: everything a model gives out is borrowed until it is destroyed or receives an event.
 * Threads: one thread at a time while it is built; any number of readers afterwards.
 */
#ifndef HPFILE_MODEL_H
#define HPFILE_MODEL_H

#include "hpfile/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_model hpf_model;

HPF_API hpf_model *hpf_model_create(void);
HPF_API void hpf_model_destroy(hpf_model *model);

/* The events that build a model; the context is the model. */
HPF_API extern const hpf_events hpf_model_events;

HPF_API hpf_str hpf_model_header(const hpf_model *model, hpf_header which);
HPF_API uint32_t hpf_model_n_names(const hpf_model *model);
HPF_API hpf_str hpf_model_name(const hpf_model *model, hpf_name name);
HPF_API size_t hpf_model_n_samples(const hpf_model *model);
/* Costs as they came, not yet added up by name; offsets are in the input. */
HPF_API hpf_sample hpf_model_sample(const hpf_model *model, size_t index);
HPF_API size_t hpf_model_n_marks(const hpf_model *model);
HPF_API double hpf_model_mark(const hpf_model *model, size_t index, hpf_str *label);

/* Emits the whole model again: headers, then names, then samples, with the marks and the points of
 * lines that came before each. */
HPF_API HPF_MUST_USE hpf_status hpf_model_replay(const hpf_model *model, const hpf_events *events,
                                                 void *context, hpf_error *err);

/* Whether two models say the same: headers, marks, lines, sample times, and per sample the same
 * amounts for the same names, in the same order, repeated names included. The numbers of names may
 * differ.
 */
HPF_API bool hpf_model_equal(const hpf_model *a, const hpf_model *b);

#ifdef __cplusplus
}
#endif
#endif
