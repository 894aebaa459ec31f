/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles that grow, and views of them. Inputs (inputs.h) feed profiles; whatever a profile tells
 * goes to every view. Neither knows the other, and both wait in the same loop.
 *
 * Threads: one watch, one thread, that of its loop.
 */
#ifndef CENSUS_WATCH_WATCH_H
#define CENSUS_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/live.h"

#include "control.h"
#include "loop.h"

/* ---- profiles ---- */

typedef enum watched_state {
    WATCHED_WAITING, /* for the input to be there, or for its writer */
    WATCHED_GROWING,
    WATCHED_ENDED,  /* the writer is done; a file may yet be replaced by another */
    WATCHED_FAILED, /* what came is no profile; what was complete before stays */
} watched_state;

/* One profile, as views see it. Lives as long as its watch. */
typedef struct watched {
    uint32_t number;  /* from 0 */
    const char *name; /* for people: path, "stdin", "prog (pid 123)" */
    hpf_live *live;   /* never NULL; another one each time the input begins anew */
    uint32_t epoch;   /* how often it has begun anew */
    watched_state state;
    char message[200];    /* what it waits for, or why it failed: one line, maybe "" */
    char caveat[200];     /* what its samples lack, or why there are none: one line, maybe "" */
    double last_sample_s; /* loop_now_s() when the last sample came; 0: none yet */
    bool can_control;     /* it takes commands: an eventlog-socket */
} watched;

/* The profile as a survey, to be drawn: the whole of it, or with `window_s` above 0 what its last
 * so many seconds are. Borrowed, as hpf_live_snapshot says. HPF_MORE: there is nothing to show yet.
 */
hpf_status watched_survey(hpf_survey **out, const watched *profile, double window_s,
                          hpf_error *err);

/* Tells the program that is watched. False: it takes no commands, or not now. What became of it is
 * a message; programs do not answer. */
bool watched_tell(const watched *profile, control_command command);

/* ---- views ---- */

/* A view embeds this as its first member. Any function may be NULL. They do not wait, and what they
 * draw they draw at most so often as is of use: `grew` may come hundreds of times a second. */
typedef struct view view;
struct view {
    /* There is a new profile, or one has begun anew: forget what you had of it. */
    void (*began)(view *v, const watched *profile);
    /* What the profile tells, as it comes, between `began` and `grew`. The context is a
     * `view_event_context *` that is valid during the call. What they return is ignored: that a
     * view cannot keep up is no fault of the profile. */
    const hpf_events *events;
    /* After a batch of input in which at least one sample was completed, or marks or lines came. */
    void (*grew)(view *v, const watched *profile);
    /* Another state, message or caveat. */
    void (*changed)(view *v, const watched *profile);
    /* The watch is over: the last picture, the terminal restored. Frees the view. */
    void (*finish)(view *v);
};

typedef struct view_event_context {
    view *view;
    const watched *of;
} view_event_context;

/* ---- both together ---- */

typedef struct watch watch;

/* `options` (which names count; the rest is the watch's own business) is copied, its contexts are
 * borrowed. NULL when there is no memory. */
watch *watch_create(const hpf_live_options *options);
/* Finishes the views in the order of their coming, and ends the profiles. */
void watch_destroy(watch *w);

/* The view is the watch's from now on, and hears at once of the profiles that are there. False
 * without memory: the view is still the caller's. */
bool watch_add_view(watch *w, view *v);

size_t watch_n_profiles(const watch *w);
const watched *watch_profile(const watch *w, size_t index);

/* Whether all profiles have ended or failed. */
bool watch_is_over(const watch *w);

/* ---- what inputs tell ---- */

/* A profile that waits. `name` is copied. NULL when there is no memory. */
watched *watch_add_profile(watch *w, const char *name);

/* The input begins anew: its next byte is the first one of another profile. */
void watch_begin_anew(watch *w, watched *profile);

/* The next bytes, cut anywhere. When they are not those of a profile it fails, and takes no more
 * until it begins anew. */
void watch_feed(watch *w, watched *profile, const char *bytes, size_t n_bytes);
/* Bytes of the file beside it (event/sidecar.h). What is wrong there is said once, and then the
 * file is left alone. */
void watch_feed_sidecar(watch *w, watched *profile, const char *bytes, size_t n_bytes);

/* The writer is done: the profile ends, or fails if there was none. */
void watch_end_profile(watch *w, watched *profile);
/* Bytes are behind the end: it was none. True: the profile grows again, and takes them; false: it
 * ended in the middle of something, and has to begin anew. */
bool watch_go_on(watch *w, watched *profile);

/* Who tells the program, with its context; NULL: it takes no commands any more. */
typedef bool watch_teller(void *context, control_command command);
void watch_set_teller(watch *w, watched *profile, watch_teller *teller, void *context);

/* Sets state and message. */
void watch_say(watch *w, watched *profile, watched_state state, const char *format, ...)
    HPF_PRINTF(4, 5);

#endif
