/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists and looks up the back ends of hprender.
 */
#include "plot_format.h"

#include <string.h>

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
