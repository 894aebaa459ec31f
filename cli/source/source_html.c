/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pages without scripts of their own: all of the look is here.
 */
#include "source_html.h"

#include "hpfile/sink.h"

static const char style_of_all[] =
    ":root { color-scheme: light dark; }\n"
    "body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; }\n"
    "h1 { font-size: 1.3em; }\n"
    "h2 { font-size: 1em; margin: 2em 0 .3em; }\n"
    "table { border-collapse: collapse; font: 12px/1.45 ui-monospace, monospace; }\n"
    "td, th { padding: 0 .7em; text-align: right; font-weight: normal; white-space: pre; }\n"
    "th { color: GrayText; }\n"
    "td:last-child, th:last-child { text-align: left; width: 100%; }\n"
    ".n { color: GrayText; }\n"
    ".h1 { background: rgba(230, 159, 0, .08); } .h2 { background: rgba(230, 159, 0, .18); }\n"
    ".h3 { background: rgba(230, 140, 0, .32); } .h4 { background: rgba(220, 100, 0, .42); }\n"
    ".h5 { background: rgba(213, 60, 0, .55); }\n";

void source_html_begin(hpf_sink *sink, hpf_str title, const char *style)
{
    hpf_sink_text(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    hpf_sink_markup(sink, title);
    hpf_sink_text(sink, "</title>\n<style>\n");
    hpf_sink_text(sink, style_of_all);
    hpf_sink_text(sink, style);
    hpf_sink_text(sink, "</style>\n<h1>");
    hpf_sink_markup(sink, title);
    hpf_sink_text(sink, "</h1>\n");
}
