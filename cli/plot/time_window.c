/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A mark is found in the survey of the whole profile, which the survey of the window replaces.
 */
#include "time_window.h"

#include <math.h>
#include <stdio.h>

#include "diag.h"
#include "overlay.h"
#include "unit_format.h"

/* Most labels that a message lists. */
enum { MOST_LABELS = 5 };

const char *time_window_given(const time_window *w)
{
    const opt_given given[] = {{"from", w->from.value > -HUGE_VAL || w->from.mark},
                               {"to", w->to.value < HUGE_VAL || w->to.mark},
                               {NULL, false}};
    return opt_first_given(given);
}

bool time_window_has_mark(const time_window *w)
{
    return w->from.mark || w->to.mark;
}

bool time_window_check(const time_window *w, opt_complaint *complaint)
{
    return time_window_has_mark(w) || w->from.value <= w->to.value ||
           opt_complain(complaint, "--from must not be later than --to");
}

/* Says that there is no mark `label` after a time, and which marks there are. */
static void complain_of_mark(const input *in, const char *label, double after)
{
    const hpf_overview *o = hpf_survey_overview(in->survey);
    char list[400] = "";
    size_t length = 0, n_listed = 0, n_labels = 0;
    for (size_t i = 0; i < o->n_marks; i++) {
        hpf_str other = o->marks[i].label;
        bool is_known = other.length == 0;
        for (size_t k = 0; k < i && !is_known; k++) {
            is_known = hpf_str_equal(o->marks[k].label, other);
        }
        n_labels += !is_known;
        if (!is_known && n_listed < MOST_LABELS && length + other.length + 5 < sizeof list) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s\"%.*s\"",
                                       n_listed++ ? ", " : "", (int)other.length, other.data);
        }
    }
    if (n_labels == 0) {
        diag_say("%s: no mark has a label: set some with census mark, or give times", in->name);
    } else if (after > -HUGE_VAL) {
        hpf_str unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
        diag_say("%s: no mark \"%s\" after %s, where the part begins", in->name, label,
                 format_time(after, unit, false).text);
    } else {
        diag_say("%s: no mark \"%s\": the marks are %s%s", in->name, label, list,
                 n_listed < n_labels ? " and others" : "");
    }
}

/* Finds the first mark of that label after a time; with `warns` says if there are more. Returns
 * false after a message. */
static bool find_mark(const input *in, const char *label, double after, bool warns, double *time)
{
    size_t n = hpf_survey_find_mark(in->survey, label, after, time);
    if (n == 0) {
        complain_of_mark(in, label, after);
    } else if (n > 1 && warns) {
        hpf_str unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
        diag_say("%s: %zu marks \"%s\": using the first, at %s", in->name, n, label,
                 format_time(*time, unit, false).text);
    }
    return n > 0;
}

bool time_window_find(const time_window *w, input *in, bool warns, hpf_survey_options *limits)
{
    limits->has_window = true;
    limits->from_time = w->from.mark ? -HUGE_VAL : w->from.value;
    limits->to_time = w->to.mark ? HUGE_VAL : w->to.value;
    if (time_window_has_mark(w)) {
        overlay_add(in);
    }
    return input_accepts_time(in, "from", w->from) && input_accepts_time(in, "to", w->to) &&
           (!w->from.mark || find_mark(in, w->from.mark, -HUGE_VAL, warns, &limits->from_time)) &&
           (!w->to.mark || find_mark(in, w->to.mark, limits->from_time, warns, &limits->to_time));
}

bool time_window_apply(const time_window *w, input *in, hpf_survey_options limits, bool only_begin)
{
    if (!time_window_find(w, in, !only_begin, &limits) || !input_survey_again(in, &limits)) {
        return false;
    }
    limits.from_time = limits.to_time = hpf_survey_overview(in->survey)->first_time;
    return !only_begin || input_survey_again(in, &limits);
}
