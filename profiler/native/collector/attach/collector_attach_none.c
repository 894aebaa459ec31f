/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces collector_attach.c where no code makes a process call functions.
 */
#include "hpprof/collector.h"

hpf_status hpp_attach(hpp_attached *out, long process_id, const char *library, const char *settings,
                      hpf_error *err)
{
    (void)out;
    (void)process_id;
    (void)library;
    (void)settings;
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                         "running programs can be profiled on x86-64 only: start it by census run");
}

hpf_status hpp_detach(const hpp_attached *attached, hpp_collector *collector, hpf_error *err)
{
    (void)attached;
    (void)collector;
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                         "running programs can be profiled on x86-64 only");
}
