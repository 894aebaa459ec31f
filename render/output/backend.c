/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of output formats.
 */
#include "hprender/backend.h"

#include <string.h>
#include <strings.h>

#include "output/backends.h"

static const hpr_backend *const backends[] = {
    &hpr__backend_pdf,      &hpr__backend_ps,   &hpr__backend_eps,
    &hpr__backend_png,      &hpr__backend_svg,  &hpr__backend_pgf,
    &hpr__backend_pgfplots, &hpr__backend_json, NULL,
};

const hpr_backend *const *hpr_backends(void)
{
    return backends;
}

void hpr__options_fit(hpr_options *options, const hpr_backend *backend, const hpr_output *output,
                      double width_pt, size_t n_columns)
{
    options->tolerance_pt =
        backend == &hpr__backend_png ? 0.5 / hpr__png_px_per_pt(output, width_pt) : 0;
    options->most_points = (backend->most_points + n_columns - 1) / n_columns;
}

const hpr_backend *hpr_backend_by_name(const char *name)
{
    for (const hpr_backend *const *b = backends; *b; b++) {
        if (strcasecmp((*b)->name, name) == 0) {
            return *b;
        }
    }
    return NULL;
}

const hpr_backend *hpr_backend_by_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (!dot) {
        return NULL;
    }
    for (const hpr_backend *const *b = backends; *b; b++) {
        if (strcasecmp((*b)->extension, dot + 1) == 0) {
            return *b;
        }
    }
    return NULL;
}
