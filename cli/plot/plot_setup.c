/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks options and reads the files that they name.
 */
#include "plot_setup.h"

#include "diag.h"
#include "font_choice.h"
#include "plot_format.h"
#include "suggest.h"

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
    bool is_valid =
        plot_options_check(values, s->backend, n_profiles, &complaint) &&
        (plot_options_chart(&s->options, values, n_profiles) ||
         opt_complain(&complaint,
                      "--group-by expects module, type, package or prefix:N, not '%s'%s",
                      values->group, suggest_of(values->group, groups).text)) &&
        name_filter_init(&s->filter, values->match, values->exclude, complaint.message,
                         sizeof complaint.message);
    if (!is_valid) {
        cmd_misused(self, "%s", complaint.message);
    }
    return is_valid;
}

/* Reads the lists that the options name. Returns false after a message. */
static bool read_lists(plot_setup *s)
{
    hpr_options *options = &s->options.chart;
    if (!name_list_read(&s->order, s->values->order_file) ||
        !colour_list_read(&s->colours, s->values->colours)) {
        return false;
    }
    options->order_names = s->order.names;
    options->n_order_names = s->order.n;
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
    name_filter_finish(&s->filter);
    name_list_finish(&s->order);
    name_list_finish(&s->overlay);
    colour_list_finish(&s->colours);
    hpr_fonts_destroy(s->fonts);
}

plot_name_filter *plot_setup_filter(const plot_setup *s)
{
    return s->values->match || s->values->exclude ? name_filter_keeps : NULL;
}
