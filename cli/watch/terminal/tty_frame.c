/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first line has the title and amounts, the last line the state and keys, and the line above it
 * the caveat, if any. Lines are cut at their end if they are too long.
 */
#include "tty_frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "hprender/units.h"

enum { LEAST_COLUMNS = 24, LEAST_ROWS = 7, LINE_BYTES = 2048 };

static const uint32_t good = 0x2E9E5B, bad = 0xC8453B;

/* A text that can be shown in a terminal. */
typedef struct shown {
    char text[3 * LINE_BYTES + 1];
} shown;

/* Makes a text, which may have come from a path or an input, fit to be shown in `width` columns. */
static void show(shown *out, const char *text, int width, const tty_frame *f)
{
    shown whole;
    hpf_str bytes = hpf_str_of(text);
    bytes.length = hpf_utf8_cut(bytes, LINE_BYTES);
    hpf_utf8_printable(whole.text, bytes, "");
    hpr__screen_elide(out->text, sizeof out->text, whole.text, width, !f->style.is_utf8);
}

static hpr__screen_style plain_style(bool is_bold)
{
    return (hpr__screen_style){HPR__SCREEN_OWN_COLOUR, HPR__SCREEN_OWN_COLOUR, is_bold};
}

static hpr__screen_style quiet_style(const tty_frame *f)
{
    return (hpr__screen_style){f->style.is_dark ? 0x8A8A8A : 0x6A6A6A, HPR__SCREEN_OWN_COLOUR,
                               false};
}

/* --- the first line ------------------------------------------------------------------------- */

static void describe_amounts(char *out, size_t room, const tty_frame *f)
{
    const hpr_chart *c = f->chart;
    char now[80], peak[80], at[256];
    hpr_chart amounts = *c;
    amounts.is_normalised = false; /* totals are always amounts */
    hpr__terminal_amount(now, &amounts, c->totals[hpr__terminal_last_point(c)], f->style.si_units);
    hpr__terminal_amount(peak, &amounts, c->peak_total, f->style.si_units);
    hpr_time_text(at, sizeof at, c->peak_time, c->headers[HPF_HEADER_SAMPLE_UNIT], "");
    snprintf(out, room, "%s, peak %s at %s", now, peak, at);
}

static void draw_title(hpr__screen *s, const tty_frame *f)
{
    char amounts[LINE_BYTES] = "";
    shown name;
    hpr__screen_style bold = plain_style(true), plain = plain_style(false);
    const char *title = f->chart && *f->chart->title.job ? f->chart->title.job
                        : f->profile                     ? f->profile->name
                                                         : "census";
    if (f->chart) {
        describe_amounts(amounts, sizeof amounts, f);
    }
    int columns = hpr__screen_text_columns(amounts);
    int room = s->columns - columns - 2;
    if (room < 8) {
        columns = 0;
        room = s->columns;
    }
    show(&name, title, room, f);
    hpr__screen_put(s, 0, 0, room, name.text, &bold);
    hpr__screen_put(s, 0, s->columns - columns, columns, amounts, &plain);
}

/* --- the last line -------------------------------------------------------------------------- */

static const char *state_text(const tty_frame *f)
{
    static const char *const texts[] = {[WATCHED_WAITING] = "waiting",
                                        [WATCHED_GROWING] = "live",
                                        [WATCHED_ENDED] = "ended",
                                        [WATCHED_FAILED] = "failed"};
    return !f->profile ? "waiting" : f->is_paused ? "paused" : texts[f->profile->state];
}

static void describe_age(char *out, size_t room, const tty_frame *f)
{
    char age[48];
    *out = '\0';
    if (f->profile->last_sample_s > 0 && f->profile->state != WATCHED_ENDED) {
        double age_s = floor(f->now_s - f->profile->last_sample_s);
        hpr_time_text(age, sizeof age, age_s, HPF_STR("seconds"), "");
        snprintf(out, room, ", last sample %s ago", age);
    }
}

static void describe_window(char *out, size_t room, double window_s)
{
    char length[48];
    *out = '\0';
    if (window_s > 0) {
        hpr_time_text(length, sizeof length, window_s, HPF_STR("seconds"), "");
        snprintf(out, room, ", window %s", length);
    }
}

static void draw_status(hpr__screen *s, const tty_frame *f)
{
    static const char keys[] = "q quit  space pause  ? help";
    char age[80] = "", window[120], line[LINE_BYTES];
    shown cut;
    bool has_message = f->profile && *f->profile->message;
    bool is_bad = f->profile && f->profile->state == WATCHED_FAILED;
    bool is_good = f->profile && f->profile->state == WATCHED_GROWING && !f->is_paused;
    hpr__screen_style dot = {is_bad    ? bad
                             : is_good ? good
                                       : quiet_style(f).ink,
                             HPR__SCREEN_OWN_COLOUR, false};
    hpr__screen_style plain = plain_style(false), quiet = quiet_style(f);
    int row = s->rows - 1;
    if (f->profile) {
        describe_age(age, sizeof age, f);
    }
    describe_window(window, sizeof window, f->window_s);
    snprintf(line, sizeof line, "%s%s%s%s%s", state_text(f), has_message ? ": " : "",
             has_message ? f->profile->message : "", age, window);
    int keys_columns = (int)sizeof keys - 1;
    int room = s->columns - 2 - keys_columns - 2;
    room = room < hpr__screen_text_columns(line) && room < 30 ? s->columns - 2 : room;
    show(&cut, line, room, f);
    hpr__screen_put(s, row, 0, 1, f->style.is_utf8 ? "●" : "*", &dot);
    hpr__screen_put(s, row, 2, room, cut.text, &plain);
    if (2 + room + 2 <= s->columns - keys_columns) {
        hpr__screen_put(s, row, s->columns - keys_columns, keys_columns, keys, &quiet);
    }
}

/* --- the middle ----------------------------------------------------------------------------- */

static void draw_help(hpr__screen *s, const tty_frame *f)
{
    static const char *const lines[] = {
        "s S     switch sampling in the program on, off",
        "c       request one sample now",
        "t T     switch ticks of its time on, off",
        "space   pause, continue",
        "w W     shorter window, longer window",
        "+ -     more bands, fewer bands",
        "up down select a band",
        "n       percentages or amounts",
        "o       reorder the bands",
        "tab     next profile",
        "q       quit",
    };
    enum { N_LINES = sizeof lines / sizeof *lines, N_CONTROLS = 3, WIDTH = 50 };
    hpr__screen_style style = {f->style.is_dark ? 0xFFFFFF : 0x000000,
                               f->style.is_dark ? 0x303030 : 0xE0E0E0, false};
    int first = f->profile && f->profile->can_control ? 0 : N_CONTROLS;
    int n = N_LINES - first;
    int row = (s->rows - n - 2) / 2, column = (s->columns - WIDTH) / 2;
    column = column < 0 ? 0 : column;
    for (int i = -1; i <= n; i++) {
        char text[WIDTH + 1];
        snprintf(text, sizeof text, "  %-*s", WIDTH - 2, i < 0 || i == n ? "" : lines[first + i]);
        hpr__screen_put(s, row + 1 + i, column, WIDTH, text, &style);
    }
}

static void draw_message(hpr__screen *s, int row, const char *text, const tty_frame *f)
{
    shown cut;
    hpr__screen_style quiet = quiet_style(f);
    show(&cut, text, s->columns, f);
    hpr__screen_put(s, row, (s->columns - hpr__screen_text_columns(cut.text)) / 2, s->columns,
                    cut.text, &quiet);
}

static bool has_caveat(const tty_frame *f)
{
    return f->profile && *f->profile->caveat;
}

/* Draws the plot, and the caveat below it. */
static void draw_plot(hpr__screen *s, const tty_frame *f)
{
    const hpr__terminal_box box = {1, 0, s->rows - 2 - has_caveat(f), s->columns};
    hpr__terminal_draw(s, &box, f->chart, &f->style);
    if (has_caveat(f)) {
        draw_message(s, s->rows - 2, f->profile->caveat, f);
    }
}

void tty_frame_draw(hpr__screen *s, const tty_frame *f)
{
    draw_title(s, f);
    if (s->rows >= LEAST_ROWS && s->columns >= LEAST_COLUMNS) {
        if (f->chart) {
            draw_plot(s, f);
        } else {
            draw_message(s, s->rows / 2, has_caveat(f) ? f->profile->caveat : "no sample yet", f);
        }
        if (f->has_help) {
            draw_help(s, f);
        }
    }
    if (s->rows > 1) {
        draw_status(s, f);
    }
}
