/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes the places from profiles: the innermost frame of a stack, the location of a cost centre,
 * the part after "@" of a name such as "get@file.c:12", the line of an address.
 */
#include "report_source.h"

#include <string.h>

#include "bins/bins.h"
#include "diag.h"
#include "hpfile/survey_stacks.h"
#include "hpfile/str.h"
#include "output.h"
#include "hpfile/prof.h"
#include "source/source_write.h"

/* Finds the files, and writes the view. Finishes the table. */
static hpf_status write_table(hpf_text_costs *table, hpf_str title, const char *what,
                              const report_source_options *options, hpf_sink *sink, hpf_error *err)
{
    hpf_text_folder *folder = NULL;
    hpf_status status = HPF_OK;
    if (table->n_files == 0) {
        status = hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "no source lines in the profile: record it with census run -o FILE.census, -hd or -B "
            "(compile with -g), or with GHC's -p or -l -hc");
    }
    status = status ? status : hpf_text_folder_create(&folder, options->folder, err);
    status = status ? status : hpf_text_costs_find(table, folder, err);
    if (status == HPF_OK) {
        const source_view view = {
            table,           title, what, options->n_lines, options->exact, options->has_colours,
            options->as_html};
        status = source_write(&view, sink, err);
    }
    hpf_text_folder_destroy(folder);
    hpf_text_costs_finish(table);
    return status;
}

/* Returns the place of a name: of the frame that names its stack, or after the last "@". */
static hpf_str place_of(const hpf_survey *survey, hpf_name name)
{
    hpf_frame frame;
    size_t index;
    if (hpf_survey_own_frame(survey, name, &frame, &index) && frame.source.length > 0) {
        return frame.source;
    }
    hpf_str text = hpf_survey_name(survey, name);
    size_t i = text.length;
    while (i > 0 && text.data[i - 1] != '@') {
        i--;
    }
    return (hpf_str){text.data + i, i > 0 ? text.length - i : 0};
}

hpf_status report_source_heap(const input *in, const report_source_options *options, hpf_sink *sink,
                              hpf_error *err)
{
    hpf_str unit = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT);
    hpf_text_costs table = {.columns = {{"mean", unit}}, .n_columns = 1};
    for (hpf_name i = 0; i < hpf_survey_n_names(in->survey); i++) {
        double mean = hpf_survey_mean(in->survey, hpf_survey_totals(in->survey, i));
        if (mean > 0 && !hpf_text_costs_add(&table, place_of(in->survey, i), &mean)) {
            hpf_text_costs_finish(&table);
            return hpf_error_set_memory(err);
        }
    }
    return write_table(&table, hpf_survey_header(in->survey, HPF_HEADER_JOB),
                       "Live memory by line, mean over time", options, sink, err);
}

hpf_status report_source_prof(const input *in, const report_source_options *options, hpf_sink *sink,
                              hpf_error *err)
{
    hpf_text_costs table = {.columns = {{"time", HPF_STR("seconds")}, {"alloc", HPF_STR("bytes")}},
                            .n_columns = 2};
    hpf_prof_file *file;
    hpf_status status = hpf_prof_read(&file, in->source, err);
    if (status != HPF_OK) {
        return status;
    }
    const hpf_prof *prof = hpf_prof_file_report(file);
    double s_per_tick =
        (double)prof->tick_us / 1e6 / (prof->n_processors > 1 ? (double)prof->n_processors : 1);
    for (size_t i = 0; i < prof->n_stacks && status == HPF_OK; i++) {
        const hpf_prof_stack *s = &prof->stacks[i];
        const hpf_prof_centre *centre = &prof->centres[s->centre_index];
        const double amounts[] = {(double)s->ticks * s_per_tick, (double)s->allocated_bytes};
        if (!centre->is_hidden && (amounts[0] > 0 || amounts[1] > 0) &&
            !hpf_text_costs_add(&table, centre->srcloc, amounts)) {
            status = hpf_error_set_memory(err);
        }
    }
    if (status == HPF_OK) {
        status =
            write_table(&table, prof->program, "Time and allocation by line", options, sink, err);
    } else {
        hpf_text_costs_finish(&table);
    }
    hpf_prof_file_destroy(file);
    return status;
}

int report_source_bins(const char *const *paths, size_t n, const report_source_options *options,
                       const char *output)
{
    hpp_bins_table bins;
    if (!bins_load(&bins, paths, n, false)) {
        return EXIT_FAILED;
    }
    hpp_bins_group_rows(&bins, HPP_BINS_BY_LINE);
    bool is_time = bins.kind == HPF_BINS_TIME;
    hpf_text_costs table = {.n_columns = 1};
    table.columns[0] = is_time ? (hpf_text_column){"time", HPF_STR("seconds")}
                               : (hpf_text_column){"alloc", HPF_STR("bytes")};
    double unit = is_time ? 1e-9 : 1, unknown = (double)bins.unknown[0] * unit;
    bool fits = hpf_text_costs_add(&table, HPF_STR(""), &unknown);
    for (size_t i = 0; i < bins.n_rows && fits; i++) {
        double amount = (double)bins.rows[i].amounts[0] * unit;
        fits = hpf_text_costs_add(&table, bins.rows[i].place, &amount);
    }
    const char *name;
    hpf_error err;
    hpf_sink *sink = output_open(output, &name);
    int status = EXIT_FAILED;
    hpf_status written = fits ? HPF_OK : hpf_error_set_memory(&err);
    if (!sink || written != HPF_OK) {
        hpf_text_costs_finish(&table);
    } else {
        written = write_table(&table, hpf_str_of(paths[0]),
                              is_time ? "Processor time by line" : "Allocation by line", options,
                              sink, &err);
    }
    if (sink && written == HPF_OK) {
        status = output_close(sink, name);
    } else if (sink) {
        diag_error(paths[0], &err);
        hpf_sink_destroy(sink);
    }
    hpp_bins_finish(&bins);
    return status;
}
