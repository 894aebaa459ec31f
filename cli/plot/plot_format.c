/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The back ends of hprender, and the interactive page.
 */
#include "plot_format.h"

#include <string.h>
#include <strings.h>

#include "plot_html.h"

void plot_formats_print(FILE *to)
{
    fputs("Formats:\n", to);
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        fprintf(to, "  %-8s %s\n", (*b)->name, (*b)->summary);
    }
    fprintf(to, "  %-8s %s\n", plot_html.name, plot_html.summary);
}

static const hpr_backend *backend_by_name(const char *name)
{
    return strcasecmp(name, plot_html.name) == 0 ? &plot_html : hpr_backend_by_name(name);
}

const hpr_backend *plot_format_by_path(const char *path)
{
    const char *dot = strrchr(path, '.');
    bool is_html = dot && strcasecmp(dot + 1, plot_html.extension) == 0;
    return is_html ? &plot_html : hpr_backend_by_path(path);
}

const hpr_backend *plot_format_choose(const cmd *self, const plot_values *values)
{
    const hpr_backend *backend = NULL;
    if (values->format) {
        backend = backend_by_name(values->format);
        if (!backend) {
            cmd_misused(self, "unknown format '%s'", values->format);
        }
    } else if (values->output && strcmp(values->output, "-") != 0) {
        backend = plot_format_by_path(values->output);
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
