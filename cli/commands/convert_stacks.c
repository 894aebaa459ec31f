/* SPDX-License-Identifier: BSD-2-Clause */
#include "convert_stacks.h"

#include <math.h>
#include <stdio.h>

#include "hpfile/str.h"
#include "hprender/units.h"

#include "eventlog/log.h"
#include "unit_format.h"

#define ALLOC_MISUSED "--alloc needs a .prof report of GHC"

hpf_status stacks_write_heap(const input *in, const stacks_options *options,
                             hpf_stack_format format, hpf_sink *sink, hpf_error *err)
{
    hpf_stack_export v;
    double time = 0;
    if (options->time || options->alloc || options->hidden) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             options->time    ? "--time needs an event log of GHC"
                             : options->alloc ? ALLOC_MISUSED
                                              : "--hidden needs a time profile");
    }
    hpf_str time_unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_status status = hpf_stack_export_heap(&v, in->survey, options->at.value, &time, err);
    if (status == HPF_OK) {
        char name[FORMATTED_BYTES + 16];
        snprintf(name, sizeof name, "heap at %s", format_time(time, time_unit, false).text);
        status = hpf_stack_export_write_heap(&v, in->survey, time / hpr_units_per_second(time_unit),
                                             name, format, sink, err);
    }
    hpf_stack_export_finish(&v);
    return status;
}

hpf_status stacks_write_prof(const input *in, const stacks_options *options,
                             hpf_stack_format format, hpf_sink *sink, hpf_error *err)
{
    hpf_prof_file *file;
    if (options->time || options->is_cut || !isnan(options->at.value)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--time, --at, --from and --to cannot be used with a .prof report: it "
                             "has only totals");
    }
    hpf_status status = hpf_prof_read(&file, in->source, err);
    if (status != HPF_OK) {
        return status;
    }
    status = hpf_prof_write_stacks(hpf_prof_file_report(file), options->hidden, options->alloc,
                                   format, sink, err);
    hpf_prof_file_destroy(file);
    return status;
}

hpf_status stacks_write_log(const input *in, const stacks_options *options, hpf_stack_format format,
                            hpf_sink *sink, hpf_error *err)
{
    if (options->alloc) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, ALLOC_MISUSED);
    }
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    if (!time) {
        return hpf_error_set_memory(err);
    }
    if (format == HPF_STACKS_SPEEDSCOPE) {
        hpf_eventlog_time_keep_order(time);
    }
    hpf_status status = log_read_time(in, time, err);
    status = status == HPF_OK
                 ? hpf_eventlog_time_write_stacks(time, options->hidden, format, sink, err)
                 : status;
    hpf_eventlog_time_destroy(time);
    return status;
}
