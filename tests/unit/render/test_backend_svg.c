/* SPDX-License-Identifier: BSD-2-Clause
 *
 * SVG: well-formed for any texts, and small.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"

static void check_well_formed(const drawing *d)
{
    size_t n_bytes;
    int status;
    char *bytes = drawing_of("svg", d, &n_bytes);
    char *said = drawing_judge("xmllint --noout @", bytes, n_bytes, &status);
    cr_assert_eq(status, 0, "%s", said);
    free(said);
    free(bytes);
}

Test(backend_svg, is_well_formed)
{
    check_well_formed(&(drawing){0});
    check_well_formed(&(drawing){.n_pages = 3});
    check_well_formed(&(drawing){.title = "<&>\"'\x01\xFF\xEF\xBF\xBF]]> --\n"});
}

static void check_has(const char *bytes, const char *wanted)
{
    cr_assert_not_null(strstr(bytes, wanted), "no %s in %s", wanted, bytes);
}

Test(backend_svg, texts_are_texts_and_bands_have_names)
{
    char *bytes = drawing_of("svg", &(drawing){.title = "x<y", .n_pages = 2}, NULL);
    check_has(bytes, "width=\"300pt\" height=\"400pt\" viewBox=\"0 0 300 400\"");
    check_has(bytes, "<title>x&lt;y</title>");
    check_has(bytes, "<title>a &lt; b &amp; &quot;c&quot;</title>");
    check_has(bytes, "<text x=\"220\" y=\"32\" font-size=\"10\">label one</text>");
    check_has(bytes, "<text x=\"150\" y=\"15\" font-size=\"10\" text-anchor=\"middle\" "
                     "font-weight=\"bold\">x&lt;y</text>");
    check_has(bytes, "<text transform=\"translate(20 30)rotate(-90)\" font-size=\"10\" "
                     "text-anchor=\"end\">bytes</text>");
    check_has(bytes, "<g transform=\"translate(0 200)\">");
    check_has(bytes, "font-family=\"Liberation Sans,");
    free(bytes);
}

static char *path_of(const hpr_point *points, size_t n)
{
    const hpr_item items[] = {
        {.kind = HPR_ITEM_PAGE},
        {.kind = HPR_ITEM_LINE,
         .points = points,
         .n_points = n,
         .stroke = {.on = true, .colour = {1, 0, 0.5}, .width_pt = 0.25}},
    };
    const hpr_scene scene = {.width_pt = 10,
                             .height_pt = 10,
                             .items = items,
                             .n_items = 2,
                             .title = "",
                             .date = "",
                             .creator = ""};
    return drawing_bytes(hpr_backend_by_name("svg"), &scene, NULL);
}

Test(backend_svg, paths_are_short)
{
    const hpr_point points[] = {{1, 2},       {1.5, 2},     {1.5, 2},   {1.5, 0.25},
                                {1.754, 0.5}, {1.758, 0.5}, {-3, -4.2}, {-3, 7}};
    char *bytes = path_of(points, sizeof points / sizeof points[0]);
    check_has(bytes, "<path d=\"M1 2h.5v-1.75l.25 .25h.01l-4.76-4.7v11.2\" fill=\"none\" "
                     "stroke=\"#ff0080\" stroke-width=\".25\" stroke-linejoin=\"round\"/>");
    free(bytes);
}

Test(backend_svg, rounding_errors_do_not_accumulate)
{
    hpr_point points[1001];
    for (int i = 0; i <= 1000; i++) {
        points[i] = (hpr_point){i * 0.0149, 0};
    }
    char *bytes = path_of(points, 1001);
    double x = 0;
    const char *p = strstr(bytes, "<path d=\"M0 0h") + strlen("<path d=\"M0 0h");
    while (*p != '"') {
        char *end;
        x += strtod(p, &end);
        p = end;
    }
    cr_assert_float_eq(x, 14.9, 0.0051);
    free(bytes);
}

Test(backend_svg, nan_and_infinity_are_still_valid)
{
    const hpr_point points[] = {{1, 1e300}, {-1e300, 2}, {3, 4}};
    char *bytes = path_of(points, 3);
    check_has(bytes, "M1 10000000l");
    free(bytes);
}
