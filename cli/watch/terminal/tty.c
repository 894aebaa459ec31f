/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Changes are drawn after a short delay, so that frequent samples cause at most twenty pictures a
 * second. While a slow terminal receives a picture, newer ones are skipped.
 *
 * Bands keep their places and colours from picture to picture; new bands appear on top. The order
 * is optimised again only when the number of samples has quadrupled.
 */
#include "tty.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "hpfile/str.h"

#include "diag.h"
#include "term.h"
#include "terminal/terminal_plot.h"
#include "watch/loop/watch.h"
#include "base/utf8.h"
#include "hprender/units.h"

/* ---- A frame --------------------------------------------------------------------------------- */

/* The text around the graph in a terminal: title, status line, help.
 *
 * The first line has the title and amounts, the last line the state and keys, and the line above
 * it the caveat, if any. Lines are cut at their end if they are too long. */

typedef struct tty_frame {
    const watched *profile; /* NULL: none yet */
    const hpr_chart *chart; /* NULL: nothing to draw yet */
    double window_s;        /* 0: the whole profile */
    double now_s;           /* clock_now_s() */
    bool is_paused, has_help;
    hpr__terminal_style style;
} tty_frame;

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

/* Draws everything. */
static void tty_frame_draw(hpr__screen *s, const tty_frame *f)
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

enum { MOST_BANDS = 60, DEFAULT_BANDS = 15, MOST_PROFILES = 256 };

static const double draw_delay_s = 0.05, clock_s = 1;
static const double windows_s[] = {10, 30, 60, 300, 900, 3600, 21600, 86400};
enum { N_WINDOWS = sizeof windows_s / sizeof *windows_s };

/* Names in the last picture, top one first, with their colours. */
typedef struct memory {
    hpf_str names[MOST_BANDS + 2]; /* the first is "*": new names are on top */
    hpr_pin pins[MOST_BANDS + 1];
    size_t n;           /* pins */
    uint64_t n_samples; /* number of samples when the order was found */
} memory;

typedef struct tty {
    view base;
    loop *loop;
    view_tty_options options;
    int fd, draw_timer, clock_timer, signals;
    term_abilities abilities;
    const watched *profiles[MOST_PROFILES];
    size_t n_profiles, current;
    hpr_chart *chart; /* chart of the current profile, or NULL */
    memory memory;
    int n_bands;
    double window_s;
    bool is_paused, has_help, is_normalised;
    bool is_stale; /* the chart does not match the options */
    bool has_news; /* the profile has grown since the last chart */
    char *chosen;  /* name of the selected band, or NULL */
    size_t n_chosen;
    hpr__screen shown; /* current contents of the terminal */
    hpr__screen_bytes pending;
    size_t n_written; /* bytes of `pending` that were written */
} tty;

/* --- memory --------------------------------------------------------------------------------- */

static void forget(memory *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free((char *)(uintptr_t)m->pins[i].name.data);
    }
    *m = (memory){.names = {HPF_STR("*")}};
}

static void remember(memory *m, const hpr_chart *chart, uint64_t n_samples)
{
    memory next = {.names = {HPF_STR("*")}, .n_samples = n_samples};
    for (uint32_t i = chart->n_bands; i-- > 0 && next.n < MOST_BANDS;) {
        const hpr_band *band = &chart->bands[i];
        char *copy = band->is_other ? NULL : malloc(band->name.length + 1);
        if (copy) {
            memcpy(copy, band->name.data, band->name.length);
            hpf_str name = {copy, band->name.length};
            next.pins[next.n++] = (hpr_pin){name, band->fill.colour};
            next.names[next.n] = name;
        }
    }
    forget(m);
    *m = next;
}

/* --- the chart ------------------------------------------------------------------------------ */

static const watched *current(const tty *t)
{
    return t->n_profiles ? t->profiles[t->current] : NULL;
}

static hpr_options options_of(const tty *t, bool is_sticky)
{
    hpr_options o = t->options.chart;
    const memory *m = &t->memory;
    int columns, rows;
    term_size(t->fd, &columns, &rows);
    o.width_pt = fmax(columns, 40) * HPR__CELL_WIDTH_PT;
    o.height_pt = fmax(rows, 8) * HPR__CELL_HEIGHT_PT;
    o.legend = HPR_LEGEND_NONE;
    o.overlay = HPR_OVERLAY_NONE;
    o.as_lines = false; /* character cells are too coarse for lines */
    o.no_title = false; /* the frame draws the title */
    o.steady_y = true;
    o.n_bands = t->n_bands;
    o.normalise = t->is_normalised;
    o.theme = t->options.has_theme   ? o.theme
              : t->abilities.is_dark ? HPR_THEME_DARK
                                     : HPR_THEME_LIGHT;
    if (is_sticky) {
        o.keep_names = m->names + 1;
        o.n_keep_names = m->n;
        o.pins = m->pins;
        o.n_pins = m->n;
        o.order = HPR_ORDER_SUM;
        o.order_names = m->names;
        o.n_order_names = m->n + 1;
    }
    return o;
}

/* The chart keeps an order that was requested. */
static bool is_order_free(const tty *t)
{
    const hpr_options *o = &t->options.chart;
    return o->order == HPR_ORDER_DEFAULT && o->n_order_names == 0;
}

static void lay_out(tty *t)
{
    const hpr_measurer measurer = {hpr__terminal_measure, NULL};
    const watched *of = current(t);
    hpf_survey *survey;
    hpr_chart *chart = NULL;
    t->is_stale = t->has_news = false;
    if (!of || watched_survey(&survey, of, t->window_s, NULL) != HPF_OK) {
        return;
    }
    uint64_t n_samples = hpf_survey_overview(survey)->n_samples;
    bool is_sticky = is_order_free(t) && t->memory.n > 0 && n_samples < 4 * t->memory.n_samples;
    hpr_options o = options_of(t, is_sticky);
    if (hpr_chart_create(&chart, survey, &o, measurer, NULL) == HPF_OK) {
        hpr_chart_destroy(t->chart);
        t->chart = chart;
        remember(&t->memory, chart, is_sticky ? t->memory.n_samples : n_samples);
    }
}

/* --- drawing -------------------------------------------------------------------------------- */

/* Writes pending output. Returns false if the terminal does not accept all of it. */
static bool write_pending(tty *t)
{
    while (t->n_written < t->pending.text.length) {
        ssize_t n = write(t->fd, t->pending.text.bytes + t->n_written,
                          t->pending.text.length - t->n_written);
        if (n < 0 && errno == EAGAIN) {
            loop_change(t->loop, t->fd, EPOLLIN | EPOLLOUT);
            return false;
        }
        if (n < 0 && errno != EINTR) { /* the terminal was closed */
            loop_stop(t->loop);
            break;
        }
        t->n_written += n > 0 ? (size_t)n : 0;
    }
    t->pending.text.length = t->n_written = 0;
    loop_change(t->loop, t->fd, EPOLLIN);
    return true;
}

static void show_screen(tty *t, hpr__screen *next)
{
    hpr__screen_say(&t->pending, "\x1b[?2026h");
    hpr__screen_update(&t->pending, &t->shown, next, t->abilities.depth);
    hpr__screen_say(&t->pending, "\x1b[?2026l");
    hpr__screen_finish(&t->shown);
    if (t->pending.is_short) { /* contents unknown: write everything next time */
        t->pending.is_short = false;
        hpr__screen_finish(next);
    } else {
        t->shown = *next;
    }
    write_pending(t);
}

static void draw(tty *t)
{
    hpr__screen next;
    int columns, rows;
    if (t->pending.text.length > 0) {
        return;
    }
    if (t->is_stale || (t->has_news && !t->is_paused)) {
        lay_out(t);
    }
    term_size(t->fd, &columns, &rows);
    if (!hpr__screen_init(&next, columns, rows)) {
        return;
    }
    const tty_frame frame = {
        .profile = current(t),
        .chart = t->chart,
        .window_s = t->window_s,
        .now_s = clock_now_s(),
        .is_paused = t->is_paused,
        .has_help = t->has_help,
        .style = {t->abilities.depth,
                  t->abilities.is_utf8,
                  t->abilities.is_dark,
                  t->options.chart.si_units,
                  {t->chosen, t->n_chosen}},
    };
    tty_frame_draw(&next, &frame);
    show_screen(t, &next);
}

static void on_draw_time(void *context, uint32_t events)
{
    (void)events;
    draw(context);
}

static void draw_soon(tty *t)
{
    loop_arm(t->draw_timer, draw_delay_s, 0);
}

/* --- keys ----------------------------------------------------------------------------------- */

static void choose_window(tty *t, int step)
{
    int i = 0;
    while (i < N_WINDOWS && t->window_s > 0 && windows_s[i] < t->window_s) {
        i++;
    }
    i = t->window_s > 0 ? i : N_WINDOWS; /* the whole profile is the longest window */
    i += step;
    i = i < 0 ? 0 : i;
    t->window_s = i < N_WINDOWS ? windows_s[i] : 0;
    t->is_stale = true;
}

static void choose_band(tty *t, int step)
{
    const hpr_chart *c = t->chart;
    if (!c || c->n_bands == 0) {
        return;
    }
    int n = (int)c->n_bands;
    int at = n;
    for (int i = 0; i < n; i++) {
        at = hpf_str_equal(c->bands[i].name, (hpf_str){t->chosen, t->n_chosen}) ? i : at;
    }
    at = at == n ? (step < 0 ? n - 1 : 0) : at + step;
    free(t->chosen);
    t->chosen = NULL;
    t->n_chosen = 0;
    if (at >= 0 && at < n && (t->chosen = malloc(c->bands[at].name.length + 1))) {
        t->n_chosen = c->bands[at].name.length;
        memcpy(t->chosen, c->bands[at].name.data, t->n_chosen);
    }
}

static void show_profile(tty *t, size_t which)
{
    t->current = which;
    forget(&t->memory);
    hpr_chart_destroy(t->chart);
    t->chart = NULL;
    t->is_stale = true;
}

static void change_bands(tty *t, int by)
{
    int n = t->n_bands + by;
    t->n_bands = n < 1 ? 1 : n > MOST_BANDS ? MOST_BANDS : n;
    t->options.chart.fit_bands = false; /* exactly as many */
    t->is_stale = true;
}

/* Sends a command; the result becomes the message of the profile. */
static void send_to_program(const tty *t, int pressed)
{
    const watched *profile = current(t);
    if (profile) {
        (void)watched_send_command(profile, pressed == 's'   ? SOCKET_START_HEAP_PROFILE
                                            : pressed == 'S' ? SOCKET_STOP_HEAP_PROFILE
                                            : pressed == 't' ? SOCKET_START_TICKS
                                            : pressed == 'T' ? SOCKET_STOP_TICKS
                                                             : SOCKET_TAKE_CENSUS);
    }
}

static void take_key(tty *t, int pressed)
{
    bool had_help = t->has_help;
    t->has_help = false;
    switch (pressed) {
    case 'q':
        loop_stop(t->loop);
        break;
    case ' ':
    case 'p':
        t->is_paused = !t->is_paused;
        break;
    case 'w':
    case 'W':
        choose_window(t, pressed == 'w' ? -1 : 1);
        break;
    case '+':
    case '=':
    case '-':
        change_bands(t, pressed == '-' ? -1 : 1);
        break;
    case KEY_UP:
    case KEY_DOWN:
        choose_band(t, pressed == KEY_UP ? 1 : -1);
        break;
    case 'n':
        t->is_normalised = !t->is_normalised;
        t->is_stale = true;
        break;
    case 'o':
        forget(&t->memory);
        t->is_stale = true;
        break;
    case 's':
    case 'S':
    case 't':
    case 'T':
    case 'c':
        send_to_program(t, pressed);
        break;
    case '\t':
        show_profile(t, t->n_profiles ? (t->current + 1) % t->n_profiles : 0);
        break;
    case '?':
    case 'h':
        t->has_help = !had_help;
        break;
    default:
        break;
    }
}

static void on_terminal(void *context, uint32_t events)
{
    tty *t = context;
    char bytes[256];
    ssize_t n = events & EPOLLIN ? read(t->fd, bytes, sizeof bytes) : -1;
    if (events & (EPOLLHUP | EPOLLERR) || n == 0) {
        loop_stop(t->loop);
        loop_remove(t->loop, t->fd);
        return;
    }
    for (size_t at = 0, used; n > 0 && at < (size_t)n; at += used) {
        take_key(t, keys_next(bytes + at, (size_t)n - at, &used));
    }
    if (t->pending.text.length > 0) {
        write_pending(t);
    }
    if (t->pending.text.length == 0) {
        draw(t);
    }
}

/* --- signals: size changes, suspend and resume --- */

static void on_signal(void *context, uint32_t events)
{
    tty *t = context;
    struct signalfd_siginfo came;
    (void)events;
    while (read(t->signals, &came, sizeof came) == (ssize_t)sizeof came) {
        if (came.ssi_signo == SIGTSTP) {
            term_restore();
            raise(SIGSTOP);
        }
        if (came.ssi_signo != SIGWINCH) {
            term_take(t->fd);
        }
        hpr__screen_finish(&t->shown);
        t->is_stale = true;
        draw(t);
    }
}

/* --- a view --------------------------------------------------------------------------------- */

static void began(view *v, const watched *profile)
{
    tty *t = (tty *)v;
    size_t i = 0;
    while (i < t->n_profiles && t->profiles[i] != profile) {
        i++;
    }
    if (i == t->n_profiles && i < MOST_PROFILES) {
        t->profiles[t->n_profiles++] = profile;
    }
    if (i == t->current) {
        show_profile(t, i);
    }
    draw_soon(t);
}

static void grew(view *v, const watched *profile)
{
    tty *t = (tty *)v;
    if (profile == current(t)) {
        t->has_news = true;
        draw_soon(t);
    }
}

static void changed(view *v, const watched *profile)
{
    (void)profile;
    draw_soon((tty *)v);
}

static void finish(view *v)
{
    tty *t = (tty *)v;
    term_restore();
    loop_remove(t->loop, t->draw_timer);
    loop_remove(t->loop, t->clock_timer);
    loop_remove(t->loop, t->signals);
    loop_remove(t->loop, t->fd);
    hpf__close(t->signals);
    close(t->fd);
    hpr_chart_destroy(t->chart);
    forget(&t->memory);
    hpr__screen_finish(&t->shown);
    hpf__buffer_finish(&t->pending.text);
    free(t->chosen);
    free(t);
}

static bool listen_to_signals(tty *t)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGWINCH);
    sigaddset(&ours, SIGTSTP);
    sigaddset(&ours, SIGCONT);
    sigprocmask(SIG_BLOCK, &ours, NULL);
    t->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    return t->signals >= 0 && loop_add(t->loop, t->signals, EPOLLIN, on_signal, t);
}

static bool begin(tty *t)
{
    t->draw_timer = loop_add_timer(t->loop, on_draw_time, t);
    t->clock_timer = loop_add_timer(t->loop, on_draw_time, t);
    if (t->draw_timer < 0 || t->clock_timer < 0 || !listen_to_signals(t) ||
        !loop_add(t->loop, t->fd, EPOLLIN, on_terminal, t) || !term_take(t->fd)) {
        return false;
    }
    loop_arm(t->clock_timer, clock_s, clock_s);
    draw_soon(t);
    return true;
}

view *view_tty_create(loop *l, const view_tty_options *options)
{
    tty *t = calloc(1, sizeof *t);
    int fd = term_open();
    if (!t || fd < 0) {
        diag_say(t ? "cannot open the terminal: %s" : "out of memory", strerror(errno));
        free(t);
        return NULL;
    }
    *t = (tty){
        .base = {.began = began, .grew = grew, .changed = changed, .finish = finish},
        .loop = l,
        .options = *options,
        .fd = fd,
        .draw_timer = -1,
        .clock_timer = -1,
        .signals = -1,
        .abilities = term_find_abilities(),
        .n_bands = options->chart.n_bands > 0 ? options->chart.n_bands : DEFAULT_BANDS,
        .window_s = options->window_s,
        .is_normalised = options->chart.normalise,
        .memory = {.names = {HPF_STR("*")}},
    };
    if (!begin(t)) {
        diag_say("cannot use the terminal: %s", strerror(errno));
        finish(&t->base);
        return NULL;
    }
    return &t->base;
}
