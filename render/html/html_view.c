/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options and colours for a page's script.
 */
#include "html/html_profile.h"

#include <stdio.h>

#include "style/colour.h"
#include "style/palette.h"

void hpr__html_colour(hpf_json *json, const char *key, hpr_colour colour)
{
    char text[32];
    snprintf(text, sizeof text, "#%02x%02x%02x", hpr__colour_byte(colour.red),
             hpr__colour_byte(colour.green), hpr__colour_byte(colour.blue));
    hpf_json_text(json, key, text);
}

static void put_names(hpf_json *json, const char *key, const hpf_str *names, size_t n)
{
    hpf_json_array(json, key);
    for (size_t i = 0; i < n; i++) {
        hpf_json_bytes(json, NULL, names[i]);
    }
    hpf_json_close(json);
}

static void put_overlay(hpf_json *json, const hpr_options *options)
{
    static const char *const words[] = {
        [HPR_OVERLAY_FITTING] = "fitting", [HPR_OVERLAY_ALL] = "all", [HPR_OVERLAY_NONE] = "none"};
    if (options->overlay == HPR_OVERLAY_NAMED) {
        put_names(json, "lines", options->overlay_names, options->n_overlay_names);
    } else {
        hpf_json_text(json, "lines", words[options->overlay]);
    }
}

void hpr__html_view(hpf_json *json, const hpr_page_options *page)
{
    const hpr_options *options = &page->chart;
    static const char *const orders[] = {
        [HPR_ORDER_DEFAULT] = "wiggle",   [HPR_ORDER_WIGGLE] = "wiggle", [HPR_ORDER_SUM] = "sum",
        [HPR_ORDER_AREA] = "area",        [HPR_ORDER_STDDEV] = "stddev", [HPR_ORDER_NAME] = "name",
        [HPR_ORDER_FIRST_SEEN] = "first", [HPR_ORDER_GROWTH] = "growth"};
    static const char *const themes[] = {
        [HPR_THEME_AUTO] = "auto", [HPR_THEME_LIGHT] = "light", [HPR_THEME_DARK] = "dark"};
    bool is_known = options->theme <= HPR_THEME_DARK;

    hpf_json_object(json, "view");
    hpf_json_number(json, "bands", options->n_bands);
    hpf_json_number(json, "trace", options->trace_percent);
    hpf_json_text(json, "order", orders[options->order]);
    hpf_json_bool(json, "reverse", options->reverse);
    put_names(json, "order_names", options->order_names, options->n_order_names);
    hpf_json_text(json, "mode",
                  options->as_lines    ? "lines"
                  : options->normalise ? "share"
                                       : "stacked");
    hpf_json_text(json, "theme", is_known ? themes[options->theme] : "light");
    hpf_json_bool(json, "si", options->si_units);
    hpf_json_bool(json, "marks", !options->no_marks);
    put_overlay(json, options);
    hpf_json_bool(json, "same_scale", page->same_scale);
    hpf_json_close(json);
}

static void put_theme(hpf_json *json, const char *key, hpr_theme which)
{
    const hpr__theme *theme = hpr__theme_of(which);
    hpf_json_object(json, key);
    hpr__html_colour(json, "background", theme->background);
    hpr__html_colour(json, "ink", theme->text);
    hpr__html_colour(json, "faint", theme->muted);
    hpr__html_colour(json, "rule", theme->rule);
    hpr__html_colour(json, "grid", theme->grid);
    hpr__html_colour(json, "outline", theme->outline);
    hpr__html_colour(json, "edge", theme->edge);
    hpf_json_array(json, "greys");
    for (int i = 0; i < HPR__N_GREYS; i++) {
        hpr__html_colour(json, NULL, hpr__palette_grey(i, which == HPR_THEME_DARK));
    }
    hpf_json_close(json);
    hpf_json_close(json);
}

void hpr__html_look(hpf_json *json)
{
    hpf_json_object(json, "look");
    hpf_json_array(json, "palette");
    for (int hue = 0; hue < HPR__N_HUES; hue++) {
        for (int lightness = 0; lightness < HPR__N_LIGHTNESSES; lightness++) {
            hpr__html_colour(json, NULL, hpr__palette_colour(hue, lightness));
        }
    }
    hpf_json_close(json);
    put_theme(json, "light", HPR_THEME_LIGHT);
    put_theme(json, "dark", HPR_THEME_DARK);
    hpf_json_close(json);
}
