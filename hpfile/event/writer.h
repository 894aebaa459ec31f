/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of events, for writers and for readers of foreign formats.
 */
#ifndef HPF_EVENT_WRITER_H
#define HPF_EVENT_WRITER_H

#include "hpfile/event.h"

/* Check the numbers of an event, which `what` names: they are finite and not negative. Samples must
 * not go back before `*time`, which becomes their time. Errors: RANGE, ORDER. */
hpf_status hpf__check_number(double number, const char *what, hpf_error *err);
hpf_status hpf__check_sample(const hpf_sample *sample, double *time, hpf_error *err);

#endif
