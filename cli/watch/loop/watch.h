/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles that grow, and views of them. Inputs (watch_input.h) feed profiles; the events of a
 * profile go to all views. Inputs and views are independent, and share an event loop.
 *
 * Threads: a watch belongs to the thread of its loop.
 */
#ifndef CENSUS_WATCH_WATCH_H
#define CENSUS_WATCH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "hpfile/live.h"

#include "eventlog_socket.h"
#include "loop.h"

typedef struct file_calls file_calls;

/* ---- profiles ---- */

typedef enum watched_state {
    WATCHED_WAITING, /* waiting for the input to exist, or for its writer */
    WATCHED_GROWING,
    WATCHED_ENDED,  /* the writer is done; a file may still be replaced */
    WATCHED_FAILED, /* invalid input; earlier samples are kept */
} watched_state;

/* A profile as views see it. Lives as long as its watch. */
typedef struct watched {
    uint32_t number;  /* from 0 */
    const char *name; /* for messages: path, "stdin", "prog (pid 123)" */
    hpf_live *live;   /* never NULL; replaced when the input restarts */
    uint32_t epoch;   /* number of restarts */
    watched_state state;
    char message[200];    /* reason of waiting or failure: one line, or "" */
    char caveat[200];     /* what its samples lack, or why there are none: one line, or "" */
    double last_sample_s; /* clock_now_s() of the last sample; 0: none yet */
    bool can_control;     /* it accepts commands: an eventlog-socket */
    file_calls *calls;    /* of its file; NULL: it is in no file */
} watched;

/* Returns a survey of the profile, or with `window_s` above 0 of its last `window_s` seconds.
 * Borrowed, as for hpf_live_survey. HPF_MORE: there is nothing to show yet, or nothing of which a
 * view of stacks shows something. */
hpf_status watched_survey(hpf_survey **out, const watched *profile, double window_s,
                          hpf_error *err);

/* Returns a survey of an imported profile whose last sample is all that each stack has allocated,
 * borrowed; NULL if the profile does not say that. The first call reads the file again. */
hpf_survey *watched_allocated(const watched *profile);

/* Returns a survey of a profile that has ended in a file, with whole stacks and the lines of calls,
 * borrowed until the profile grows or restarts; NULL if it has no more than the profile. The first
 * call reads the file again. */
hpf_survey *watched_calls(const watched *profile);

/* Returns surveys of the resident set of a profile that has ended in a file, as for
 * hpr_html_profile; NULL if it has none. The first call reads the file again. */
hpf_survey *const *watched_resident(const watched *profile);

/* Returns the file of a profile that has ended, to be read again, and stores its format; NULL if it
 * has not ended, or cannot be read. */
hpf_source *watched_file(const watched *profile, const hpf_format **format);

/* Sends a command to the program. Returns false if it cannot be sent. The result becomes the
 * message of the profile; programs do not answer. */
bool watched_send_command(const watched *profile, socket_command command);

/* ---- views ---- */

/* A view starts with this struct. Functions may be NULL. They must not block. Views limit how often
 * they draw, because `grew` may be called hundreds of times a second. */
typedef struct view view;
struct view {
    /* A profile was added or restarted: drop earlier data about it. */
    void (*began)(view *v, const watched *profile);
    /* Events of the profile, between `began` and `grew`. The context is a `view_event_context *`
     * that is valid during the call. Return values are ignored. */
    const hpf_events *events;
    /* Called after input that completed at least one sample, or that had marks or quantities. */
    void (*grew)(view *v, const watched *profile);
    /* The state, message or caveat changed. */
    void (*changed)(view *v, const watched *profile);
    /* The watch ends: draws the last picture, restores the terminal, and frees the view. */
    void (*finish)(view *v);
};

typedef struct view_event_context {
    view *view;
    const watched *of;
} view_event_context;

/* ---- both together ---- */

typedef struct watch watch;

/* Copies `options` (its contexts are borrowed). Returns NULL without memory. */
watch *watch_create(const hpf_live_options *options);

/* Finishes the views in the order in which they were added, and ends the profiles. */
void watch_destroy(watch *w);

/* Adds a view, which the watch then owns, and notifies it of existing profiles. Returns false
 * without memory; the caller then still owns the view. */
bool watch_add_view(watch *w, view *v);

size_t watch_n_profiles(const watch *w);
const watched *watch_profile(const watch *w, size_t index);

/* Returns whether all profiles have ended or failed. */
bool watch_is_over(const watch *w);

/* ---- for inputs ---- */

/* Adds a profile in the waiting state. `name` is copied. `process` is the number of one of a
 * recording; 0: as the options say. Returns NULL without memory. */
watched *watch_add_profile(watch *w, const char *name, uint32_t process);

/* Chooses another process, for when the profile is restarted. */
void watch_choose_process(watched *profile, uint32_t process);

/* Restarts a profile: the next byte is the first one of another profile. */
void watch_restart_profile(watched *profile);

/* Adds bytes to a profile, in pieces of any size. Invalid input makes it fail; it then ignores
 * bytes until it is restarted. */
void watch_feed(watched *profile, const char *bytes, size_t n_bytes);
/* Reads a finished profile of any format instead. Invalid input of a format that can grow makes the
 * profile fail, that of others is an error. */
HPF_MUST_USE hpf_status watch_read(watched *profile, hpf_source *source, const hpf_format *format,
                                   hpf_error *err);
/* Adds bytes of the sidecar file (event/sidecar.h). An error is reported once, and the rest of the
 * file is ignored. */
void watch_feed_sidecar(watched *profile, const char *bytes, size_t n_bytes);

/* Ends a profile because its writer is done; it fails if it is not a profile. */
void watch_end_profile(watched *profile);
/* Resumes a profile that had ended but grows again. Returns false if it had ended inside a sample
 * and must be restarted. */
bool watch_resume_profile(watched *profile);

/* Sets the function that sends commands, and its context; NULL: the profile accepts no commands. */
typedef bool watch_command_sender(void *context, socket_command command);
void watch_set_command_sender(watched *profile, watch_command_sender *send, void *context);

/* Sets the file that the profile is read from. Returns false without memory. */
HPF_MUST_USE bool watch_set_file(watched *profile, const char *path);

/* Sets the function that watched_allocated calls, and its context. */
typedef hpf_survey *watch_allocated_reader(void *context);
void watch_set_allocated(watched *profile, watch_allocated_reader *read, void *context);

/* Sets the state and message. */
void watch_set_state(watched *profile, watched_state state, const char *format, ...)
    HPF_PRINTF(3, 4);

#endif
