/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The classic look: its shades, and the steps from a survey to a chart.
 */
#include "classic/classic.h"
#include "classic/auxfile.h"

#include <math.h>

#include "hpfile/str.h"
#include "chart/stack.h"

#define N_GRAYS   10
#define N_COLOURS 27

static const double grays[N_GRAYS] = {0, 0.2, 0.6, 0.3, 0.9, 0.4, 1, 0.7, 0.5, 0.8};

/* red * 0.1 + green * 0.001 + blue * 0.00001, as literals, since sums would round differently. */
static const double colours[N_COLOURS] = {
    0.000000, 0.000010, 0.001000, 0.001010, 0.100000, 0.100010, 0.101000, 0.101010, 0.000005,
    0.000500, 0.000510, 0.001005, 0.050000, 0.050010, 0.051000, 0.051010, 0.100005, 0.100500,
    0.100510, 0.101005, 0.000505, 0.050005, 0.050500, 0.050510, 0.051005, 0.100505, 0.050505,
};

/* Shades: one number per band, which the `.aux` file records. It is a grey level or, in colour,
 * three levels in one number: red * 0.1 + green * 0.001 + blue * 0.00001. Levels above 1 count as
 * 1, as in PostScript. */

static double level(double value)
{
    return value < 1 ? value : 1;
}

static hpr_fill fill_of_gray(double shade)
{
    double gray = level(shade);

    return (hpr_fill){.is_gray = true, .colour = {gray, gray, gray}};
}

/* Returns two decimal digits of the number, as tenths. The product is truncated, so that the last
 * digit is sometimes too small by one, as in hp2ps: half red and full green (0.051) gives 0.5 0.9
 * 0. */
static double decode(double shade, double factor)
{
    return level(fmod(trunc(shade * factor), 100) / 10);
}

static hpr_fill fill_of_colour(double shade)
{
    return (hpr_fill){
        .colour = {decode(shade, 100), decode(shade, 10000), decode(shade, 1000000)},
    };
}

/* Returns the `index`-th shade that hp2ps assigns in a drawing. */
static double shade_of_index(size_t index, bool colour)
{
    return colour ? colours[index % N_COLOURS] : grays[index % N_GRAYS];
}

/* Returns the band OTHER if the profile has a name "OTHER" and this is its band, else NULL. */
static const hpr_band *twin_below(const hpr__chart *chart, uint32_t index)
{
    const hpr_band *lowest = &chart->bands[0];
    bool is_twin =
        index > 0 && lowest->is_other && hpf_str_equal(lowest->name, chart->bands[index].name);
    return is_twin ? lowest : NULL;
}

/* Sets the shade and the fill of every band, from the bottom: the shade in the previous `.aux`
 * file, or the next one of the table. `capacity` is how many shades hp2ps can keep. Errors:
 * LIMIT. */
static hpf_status shade_bands(hpr__chart *chart, const hpr_classic *classic, size_t capacity,
                              hpf_error *err)
{
    const hpr_auxfile *previous = classic->previous;
    size_t n_known = previous ? hpr__auxfile_n_shades(previous) : 0;
    size_t n_new = 0;

    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        hpr_band *band = &chart->bands[i];
        const hpr_band *twin = twin_below(chart, i);

        if (twin) {
            band->classic_shade = twin->classic_shade;
        } else if (!previous || !hpr__auxfile_shade(previous, band->name, &band->classic_shade)) {
            band->classic_shade = shade_of_index(n_new++, classic->colour);
        }
        band->fill = classic->colour ? fill_of_colour(band->classic_shade)
                                     : fill_of_gray(band->classic_shade);
    }
    if (n_known + n_new > capacity) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "%zu SHADE lines and %zu new names; at most %zu fit this profile",
                             n_known, n_new, capacity);
    }
    return HPF_OK;
}

hpf_status hpr__chart_classic(hpr__chart *chart, hpf_survey *survey, const hpr_options *options,
                              hpf_error *err)
{
    hpr__assignment assignment;
    hpf_status status = hpr__classic_select(&assignment, chart->arena, survey, options, err);

    status = status ? status : hpr__stack_fetch(chart, survey, &assignment, NULL, err);
    if (!status) {
        status =
            shade_bands(chart, &options->classic, hpr__classic_map_capacity(survey, options), err);
    }
    status = status ? status : hpr__classic_layout(chart, survey, options, err);
    return status;
}
