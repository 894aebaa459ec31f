/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census merge: adds up profiles of several processes.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "hpfile/format.h"
#include "hprender/units.h"
#include "hpfile/sum.h"

#include "cmd.h"
#include "diag.h"
#include "input.h"
#include "output.h"
#include "path.h"

enum { CLOCK_ELAPSED, CLOCK_MUTATOR, CLOCK_DATE };

typedef struct merge_values {
    const char *output, *format, *process;
    bool each;
    int clock;
} merge_values;

/* ---- a profile ---- */

static void warn(const char *path, const hpf_error *warning)
{
    diag_warning(path, warning);
}

static hpf_status write_headers(const hpf_sum *sum, size_t n, hpf_writer *writer, hpf_error *err)
{
    hpf_status status = HPF_OK;
    hpf_sink *job = hpf_sink_to_memory();
    if (!job) {
        return hpf_error_set_memory(err);
    }
    if (n > 1) {
        hpf_sink_printf(job, "%zu x ", n);
    }
    hpf_sink_str(job, hpf_sum_header(sum, HPF_HEADER_JOB));
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        hpf_str text =
            i == HPF_HEADER_JOB ? hpf_sink_bytes(job) : hpf_sum_header(sum, (hpf_header)i);
        status = hpf_writer_events.header(writer, (hpf_header)i, text, err);
    }
    hpf_sink_destroy(job);
    return status;
}

static hpf_status merge_to(hpf_sum *sum, const merge_values *values, char **paths, size_t n,
                           hpf_sink *sink, hpf_error *err)
{
    hpf_writer *writer = NULL;
    char **names = path_short_names(paths, n);
    hpf_status status = names ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        status = hpf_sum_add(sum, paths[i], values->each ? names[i] : NULL, err);
    }
    path_free_names(names, n);
    if (status == HPF_OK && values->clock == CLOCK_DATE) {
        hpf_str unit = hpf_sum_header(sum, HPF_HEADER_SAMPLE_UNIT);
        status = hpf_sum_shift_by_date(sum, hpr_units_per_second(unit), err);
    }
    status =
        status == HPF_OK ? hpf_writer_create(&writer, &hpf_format_hp, sink, NULL, err) : status;
    status = status == HPF_OK ? write_headers(sum, n, writer, err) : status;
    status = status == HPF_OK ? hpf_sum_emit(sum, &hpf_writer_events, writer, err) : status;
    status = status == HPF_OK ? hpf_writer_finish(writer, err) : status;
    hpf_writer_destroy(writer);
    return status;
}

/* Merges into the file `path`, or standard output. Returns an exit status. */
static int merge_into(const merge_values *values, const char *path, char **paths, size_t n)
{
    const char *name;
    symboliser *functions = NULL;
    const hpf_sum_options options = {.size = sizeof options,
                                     .uses_mutator_clock = values->clock == CLOCK_MUTATOR,
                                     .temporary_dir = input_temporary_dir(),
                                     .process = values->process,
                                     .symbolise = symboliser_frames,
                                     .symbolise_context = &functions,
                                     .warning = warn};
    hpf_sink *sink = output_open(path, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpf_error err;
    hpf_sum *sum;
    int exit_status = EXIT_FAILED;
    hpf_status status = hpf_sum_create(&sum, n, &options, &err);
    status = status == HPF_OK ? merge_to(sum, values, paths, n, sink, &err) : status;
    if (status == HPF_OK) {
        exit_status = output_close(sink, name);
    } else {
        const char *failed = sum ? hpf_sum_failed(sum) : NULL;
        diag_error(failed ? failed : name, &err);
        hpf_sink_destroy(sink);
    }
    hpf_sum_destroy(sum);
    symboliser_destroy(functions);
    return exit_status;
}

/* ---- the command ---- */

/* Merges to a temporary file, and converts that. */
static int merge_and_convert(const merge_values *v, char **paths, size_t n)
{
    char path[PATH_MAX];
    char convert[] = "convert", as_hp[] = "--input=hp", output[] = "-o", to[] = "--format";
    int length = snprintf(path, sizeof path, "%s/census-merge-XXXXXX", input_temporary_dir());
    errno = ENAMETOOLONG;
    int fd = length < (int)sizeof path ? mkstemp(path) : -1;
    if (fd < 0) {
        diag_say("cannot create a temporary file in %s: %s", input_temporary_dir(),
                 strerror(errno));
        return EXIT_FAILED;
    }
    close(fd);
    int status = merge_into(v, path, paths, n);
    if (status == EXIT_DONE) {
        char *target = strdup(v->output ? v->output : "-"),
             *format = v->format ? strdup(v->format) : NULL;
        char *words[] = {convert, as_hp, output, target, path, format ? to : NULL, format, NULL};
        const cmd *command = cmd_find(convert);
        status = command->run(command, format ? 7 : 5, words);
        free(target);
        free(format);
    }
    unlink(path);
    return status;
}

static const char *const clock_names[] = {
    [CLOCK_ELAPSED] = "elapsed", [CLOCK_MUTATOR] = "mutator", [CLOCK_DATE] = "date", NULL};

static const char *format_names[32]; /* of the formats that are written, ends with NULL */

#define AT(member) offsetof(merge_values, member)
static const opt merge_options[] = {
    OPT('o', "output", OPT_TEXT, AT(output), "FILE",
        "write to FILE (default or -: standard output)"),
    OPT(0, "format", OPT_TEXT, AT(format), "FORMAT",
        "output format, any of census convert (default: from the name of the output, or hp)",
        .choices = format_names),
    OPT(0, "each", OPT_FLAG, AT(each), NULL,
        "a band for each profile, with the name of its file (default: all bands, added up by "
        "name)"),
    OPT(0, "clock", OPT_CHOICE, AT(clock), "CLOCK",
        "elapsed (default): all profiles begin at time 0; mutator: the same, with event logs in "
        "time in which threads run; date: as far apart as their dates",
        .choices = clock_names),
    INPUT_PROCESS(AT(process)),
    {.name = NULL},
};
#undef AT

static const opt *all_options(void)
{
    size_t n = 0, most = sizeof format_names / sizeof *format_names - 1;
    for (const hpf_format *const *f = hpf_formats(); *f && n < most; f++) {
        if ((*f)->writer) {
            format_names[n++] = (*f)->name;
        }
    }
    return merge_options;
}

/* Returns whether the name of the output or --format names a format of profiles. */
static bool has_format(const merge_values *v)
{
    const char *output = v->output ? v->output : "-";
    bool has = !v->format && strcmp(output, "-") == 0;
    const char *dot = strrchr(output, '.');
    const char *word = v->format ? v->format : dot ? dot + 1 : "";
    for (const hpf_format *const *f = hpf_formats(); *f && !has; f++) {
        has = (*f)->writer &&
              (strcmp((*f)->name, word) == 0 || (!v->format && strcmp((*f)->extension, word) == 0));
    }
    return has;
}

static int run(const cmd *self, int argc, char **argv)
{
    merge_values values = {.output = NULL};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc < 2) {
        return cmd_misused(self, "no profiles given");
    }
    if (!has_format(&values)) {
        return cmd_misused(self, "no output format: use -o NAME.hp, .csv, .json, .eventlog, or "
                                 "--format as for census convert");
    }
    for (int i = 1; i < argc && values.output; i++) {
        if (path_is_same_file(argv[i], values.output)) {
            return cmd_misused(self, "the output '%s' would overwrite a profile", argv[i]);
        }
    }
    hpf_str name = {values.output ? values.output : "-",
                    strlen(values.output ? values.output : "-")};
    bool is_hp = values.format ? strcmp(values.format, "hp") == 0
                               : hpf_str_is(name, "-") || path_drop_suffix(&name, ".hp");
    size_t n = (size_t)argc - 1;
    return is_hp ? merge_into(&values, values.output, argv + 1, n)
                 : merge_and_convert(&values, argv + 1, n);
}

const cmd cmd_merge = {
    .name = "merge",
    .summary = "Add up the profiles of several processes",
    .operands = "FILE...",
    .make_options = all_options,
    .run = run,
};
