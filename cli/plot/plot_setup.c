/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks options and reads the files that they name.
 */
#include "hpfile/survey.h"
#include "plot_setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "font_choice.h"
#include "options/suggest.h"

void plot_formats_print(FILE *to)
{
    fputs("Formats:\n", to);
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        fprintf(to, "  %-8s %s\n", (*b)->name, (*b)->summary);
    }
}

/* Returns the format whose name is most similar, for a message. */
static suggested suggest_format(const char *name)
{
    suggestion similar = {.given = name, .length = strlen(name)};
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        suggest_compare(&similar, (*b)->name);
    }
    return suggest_text(&similar, "");
}

const hpr_backend *plot_format_choose(const cmd *self, const plot_values *values)
{
    const hpr_backend *backend = NULL;
    if (values->format) {
        backend = hpr_backend_by_name(values->format);
        if (!backend) {
            cmd_misused(self, "unknown format '%s'%s", values->format,
                        suggest_format(values->format).text);
        }
    } else if (values->output && strcmp(values->output, "-") != 0) {
        backend = hpr_backend_by_path(values->output);
        if (!backend) {
            cmd_misused(self,
                        "cannot guess the format of '%s': use a name that ends in .pdf, .png, .svg "
                        "... or --format",
                        values->output);
        }
    } else {
        backend = hpr_backend_by_name("pdf");
    }
    return backend;
}

static const char *const groups[] = {"module", "type", "package", NULL};

/* Checks options that need more than their type. Returns false after a message. */
static bool check(plot_setup *s, const cmd *self, size_t n_profiles)
{
    opt_complaint complaint;
    const plot_values *values = s->values;
    s->backend = plot_format_choose(self, values);
    if (!s->backend) {
        return false;
    }
    hpf_error err;
    bool is_valid =
        plot_options_check(values, s->backend, n_profiles, &complaint) &&
        (plot_options_chart(&s->options, values, n_profiles) ||
         opt_complain(&complaint,
                      "--group-by expects module, type, package or prefix:N, not '%s'%s",
                      values->group, suggest_of(values->group, groups).text)) &&
        (hpf_name_filter_init(&s->filter, values->match, values->exclude, &err) == HPF_OK ||
         opt_complain(&complaint, "%s", err.message)) &&
        stack_options_view(&values->stacks, &s->view, &complaint);
    if (!is_valid) {
        cmd_misused(self, "%s", complaint.message);
    }
    return is_valid;
}

/* Reads the lists that the options name. Returns false after a message. */
static bool read_lists(plot_setup *s)
{
    hpr_options *options = &s->options;
    if (!colour_list_read(&s->colours, s->values->colours)) {
        return false;
    }
    options->pins = s->colours.pins;
    options->n_pins = s->colours.n;
    return true;
}

bool plot_setup_open_fonts(plot_setup *s)
{
    hpf_error err;
    hpf_status status = font_choice_open(&s->fonts, s->values->font, &err);
    if (status != HPF_OK) {
        diag_error("--font", &err);
    }
    return status == HPF_OK;
}

int plot_setup_init(plot_setup *out, const cmd *self, const plot_values *values, size_t n_profiles)
{
    *out = (plot_setup){.values = values};
    if (!check(out, self, n_profiles)) {
        return EXIT_MISUSED;
    }
    return read_lists(out) ? EXIT_DONE : EXIT_FAILED;
}

void plot_setup_finish(plot_setup *s)
{
    hpf_name_filter_finish(&s->filter);
    hpf_stack_view_destroy(s->view);
    name_list_finish(&s->overlay);
    colour_list_finish(&s->colours);
    hpr_fonts_destroy(s->fonts);
}

bool plot_setup_chooses(const plot_setup *s)
{
    return s->view || plot_setup_filter(s);
}

plot_name_filter *plot_setup_filter(const plot_setup *s)
{
    return s->values->match || s->values->exclude ? hpf_name_filter_keeps : NULL;
}

bool plot_setup_is_empty(const plot_setup *s, hpf_survey *const *surveys, size_t n,
                         char why[PLOT_WHY_BYTES])
{
    const plot_values *v = s->values;
    bool has = false, has_elsewhere = false;
    for (size_t i = 0; i < n; i++) {
        for (hpf_name name = 0; name < hpf_survey_n_names(surveys[i]) && !has; name++) {
            has = hpf_survey_totals(surveys[i], name)->n_samples > 0;
            has_elsewhere |= hpf_survey_input_sum(surveys[i], name) > 0;
        }
    }
    if (has) {
        return false;
    }
    if (!has_elsewhere) {
        snprintf(why, PLOT_WHY_BYTES,
                 "all samples are empty: nothing to draw; did the program end before its first "
                 "sample? Use a shorter interval, such as -i0.01");
    } else if (v->match || v->exclude) {
        snprintf(why, PLOT_WHY_BYTES, "no name is left by %s%s%s%s%s", v->match ? "--match " : "",
                 v->match ? v->match : "", v->match && v->exclude ? " and " : "",
                 v->exclude ? "--exclude " : "", v->exclude ? v->exclude : "");
    } else {
        snprintf(why, PLOT_WHY_BYTES, "all samples between --from and --to are empty");
    }
    return true;
}

plot_ungrouped plot_setup_count_ungrouped(const plot_setup *s, hpf_survey *const *surveys, size_t n)
{
    plot_ungrouped names = {0, 0};
    for (size_t i = 0; i < n && s->values->group; i++) {
        names.n += hpr_count_ungrouped(surveys[i], &s->options);
        for (hpf_name name = 0; name < hpf_survey_n_names(surveys[i]); name++) {
            names.n_names += hpf_survey_totals(surveys[i], name)->n_samples > 0;
        }
    }
    return names;
}

void plot_warn_of_ungrouped(plot_ungrouped names)
{
    hpf_error warning;
    if (names.n > 0) {
        hpf_error_set(&warning, HPF_ERR_UNSUPPORTED,
                      "%" PRIu32 " of %" PRIu32
                      " names have no such part, or were cut before its end: each is a group of "
                      "its own",
                      names.n, names.n_names);
        diag_warning("--group-by", &warning);
    }
}
