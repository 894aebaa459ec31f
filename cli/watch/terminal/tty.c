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
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "hpfile/str.h"

#include "diag.h"
#include "term.h"
#include "tty_frame.h"

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

static void show(tty *t, hpr__screen *next)
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
    show(t, &next);
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
