/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Follows two files that form one profile. If either restarts, both are read again from the start,
 * because events of one file cannot be taken back.
 */
#include "hpfile/live.h"
#include "input_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"
#include "diag.h"

#include "follow.h"

static const double settled_s = 1, most_idle_s = 30;

typedef struct file {
    watch_input input; /* first: a `watch_input *` is a `file *` */
    watch_input_options options;
    watched *profile;
    char *lines_path;
    follow *hp, *lines; /* lines: NULL if the profile has no sidecar file */
    bool has_bytes, lines_have_bytes;
    bool had_writer;      /* since the profile started */
    bool is_gone;         /* views were notified */
    double last_growth_s; /* clock_now_s() of the last bytes, or of the start */
} file;

/* ---- restarting ---- */

static void restart(file *f)
{
    if (f->has_bytes || f->lines_have_bytes) {
        watch_restart_profile(f->profile);
    }
    f->has_bytes = f->lines_have_bytes = f->had_writer = false;
    f->last_growth_s = clock_now_s();
}

static void hp_begins(void *context)
{
    file *f = context;
    restart(f);
    if (f->lines) {
        follow_again(f->lines);
    }
}

/* The first bytes of the sidecar file do not restart the profile. */
static void lines_begin(void *context)
{
    file *f = context;
    if (f->lines_have_bytes) {
        restart(f);
        follow_again(f->hp);
    }
}

/* ---- the end ---- */

/* Returns how long a file must not grow to be complete. */
static double patience_s(const file *f, open_writers now)
{
    return now == WRITERS_NONE                         ? settled_s
           : now == WRITERS_UNKNOWN && f->options.once ? most_idle_s
                                                       : 1e300;
}

static void end_if_done(file *f)
{
    double idle_s = clock_now_s() - f->last_growth_s;
    if (idle_s < settled_s || f->profile->state != WATCHED_GROWING) {
        return;
    }
    open_writers now = follow_writers(f->hp);
    f->had_writer |= now == WRITERS_SOME;
    bool may_end = f->had_writer || hpf_live_n_samples(f->profile->live) > 0 ||
                   hpf_live_has_end(f->profile->live);
    if (may_end && idle_s >= patience_s(f, now)) {
        watch_end_profile(f->profile);
    }
}

/* ---- news ---- */

static void read_again(file *f)
{
    restart(f);
    follow_again(f->hp);
    if (f->lines) {
        follow_again(f->lines);
    }
}

static void hp_bytes(void *context, const char *bytes, size_t n_bytes)
{
    file *f = context;
    if (f->profile->state == WATCHED_ENDED && !watch_resume_profile(f->profile)) {
        read_again(f);
        return;
    }
    f->has_bytes = true;
    f->last_growth_s = clock_now_s();
    watch_feed(f->profile, bytes, n_bytes);
}

static void lines_bytes(void *context, const char *bytes, size_t n_bytes)
{
    file *f = context;
    f->lines_have_bytes = true;
    watch_feed_sidecar(f->profile, bytes, n_bytes);
}

/* A removed file is still read; only the message changes. */
static void say_gone(file *f, bool is_gone)
{
    if (f->is_gone != is_gone && f->profile->state == WATCHED_GROWING) {
        watch_set_state(f->profile, WATCHED_GROWING, "%s",
                        is_gone ? "file removed; waiting for a new one" : "");
        f->is_gone = is_gone;
    }
}

static void hp_looked(void *context, follow_found found)
{
    file *f = context;
    say_gone(f, found == FOLLOW_GONE);
    if (found == FOLLOW_SAME || found == FOLLOW_GONE) {
        end_if_done(f);
    }
    if (f->profile->state != WATCHED_WAITING) {
        return;
    }
    if (found == FOLLOW_NOTHING) {
        watch_set_state(f->profile, WATCHED_WAITING, "the file does not exist yet");
    } else if (found == FOLLOW_CLOSED) {
        watch_set_state(f->profile, WATCHED_WAITING, "%s", strerror(follow_error(f->hp)));
    } else {
        watch_set_state(f->profile, WATCHED_WAITING, "the file is empty so far");
    }
}

static void lines_looked(void *context, follow_found found)
{
    (void)context;
    (void)found;
}

static const follow_listener hp_events = {hp_begins, hp_bytes, hp_looked};
static const follow_listener lines_events = {lines_begin, lines_bytes, lines_looked};

/* ---- life ---- */

static void destroy(watch_input *in)
{
    file *f = (file *)in;
    follow_destroy(f->hp);
    follow_destroy(f->lines);
    free(f->lines_path);
    free(f);
}

static void look(watch_input *in)
{
    file *f = (file *)in;
    follow_look(f->hp);
    if (f->lines) {
        follow_look(f->lines);
    }
}

/* Event logs contain their quantities. */
static bool is_text(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".hp") == 0;
}

static bool start(file *f, const char *path)
{
    const char *name = f->options.name ? f->options.name : path;
    f->profile = watch_add_profile(f->options.w, name, f->options.process);
    f->lines_path = is_text(path) ? companion_path(path, ".lines") : NULL;
    f->hp = follow_create(f->options.l, path, f->options.is_notified, &hp_events, f);
    if (f->lines_path) {
        f->lines =
            follow_create(f->options.l, f->lines_path, f->options.is_notified, &lines_events, f);
    }
    return f->profile && watch_set_file(f->profile, path) && f->hp && (f->lines || !f->lines_path);
}

/* A missing file may appear later, but an existing one must be readable. */
static bool is_readable(const char *path)
{
    if (access(path, R_OK) == 0 || errno == ENOENT) {
        return true;
    }
    diag_say("%s: %s", path, strerror(errno));
    return false;
}

watch_input *input_file_create(const char *path, const watch_input_options *options)
{
    if (!is_readable(path)) {
        return NULL;
    }
    file *f = calloc(1, sizeof *f);
    if (!f) {
        diag_say("out of memory");
        return NULL;
    }
    f->input.destroy = destroy;
    f->input.look = look;
    f->options = *options;
    f->last_growth_s = clock_now_s();
    if (!start(f, path)) {
        diag_say("cannot follow %s: %s", path, strerror(errno));
        destroy(&f->input);
        return NULL;
    }
    return &f->input;
}

void input_file_choose(watch_input *in, uint32_t process)
{
    file *f = (file *)in;
    watch_choose_process(f->profile, process);
    read_again(f);
}

bool input_file_end(watch_input *in)
{
    file *f = (file *)in;
    look(in);
    if (!f->has_bytes) {
        return false;
    }
    watch_end_profile(f->profile);
    return true;
}
