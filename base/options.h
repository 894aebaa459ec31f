/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Structs of options, which begin with their size (hpfile/version.h).
 */
#ifndef HPF_OPTIONS_H
#define HPF_OPTIONS_H

#include "hpfile/error.h"

/* Copies `given` to `out`, which has `n_bytes`; members that `given` does not have yet are zero,
 * and all of them if it is NULL. Errors: ARGUMENT for a size that is not set, or is larger. */
HPF_MUST_USE hpf_status hpf__options_copy(void *out, size_t n_bytes, const void *given,
                                          hpf_error *err);

#define HPF__OPTIONS_COPY(out, given, err) hpf__options_copy((out), sizeof *(out), (given), (err))

#endif
