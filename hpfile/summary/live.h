/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where the input of a live profile may end.
 */
#ifndef HPF_LIVE_H
#define HPF_LIVE_H

#include "hpfile/live.h"

/* Returns whether the input may end here: there are samples, and no statement is incomplete, so
 * that hpf_live_finish would change nothing. */
HPF_API bool hpf_live_is_whole(const hpf_live *live);

/* Returns whether the input has an end marker, as event logs do. */
HPF_API bool hpf_live_has_end(const hpf_live *live);

/* Returns the number of bytes fed so far, without the sidecar. */
HPF_API uint64_t hpf_live_n_bytes(const hpf_live *live);

#endif
