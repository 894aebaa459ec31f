/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What all inputs of a watch have in common. An input has one profile in the watch and feeds it.
 */
#ifndef CENSUS_WATCH_WATCH_INPUT_H
#define CENSUS_WATCH_WATCH_INPUT_H

#include "watch/loop/watch.h"

typedef struct watch_input watch_input;

/* Every input begins with this. */
struct watch_input {
    bool is_exhausted;             /* nothing more can come */
    void (*look)(watch_input *in); /* reads available data; NULL: the input does so by itself */
    void (*destroy)(watch_input *in);
};

typedef struct watch_input_options {
    loop *l;
    watch *w;
    bool once;            /* the profile ends with its first writer */
    bool has_log_profile; /* --profile was given */
    const char *which;    /* the text of --process, or NULL */
    const char *name;     /* of the profile of a file; NULL: its path */
    uint32_t process;     /* of a recording, by its number; 0: the default */
    bool is_notified;     /* for a file: watch_input_look is called whenever it has grown */
} watch_input_options;

/* Reads available data. */
static inline void watch_input_look(watch_input *in)
{
    if (in->look) {
        in->look(in);
    }
}

/* Accepts NULL. */
static inline void watch_input_destroy(watch_input *in)
{
    if (in) {
        in->destroy(in);
    }
}

#endif
