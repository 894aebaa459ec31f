/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where bytes of profiles come from: files, pipes, sockets. An input has one profile in the watch
 * and feeds it as long as both are there.
 */
#ifndef CENSUS_WATCH_INPUTS_H
#define CENSUS_WATCH_INPUTS_H

#include "watch/loop/watch.h"

typedef struct watch_input watch_input;

/* What all inputs begin with. */
struct watch_input {
    bool is_exhausted; /* nothing can come any more, whatever happens */
    /* Takes what is there by now; NULL: it does not have to be told. */
    void (*look)(watch_input *in);
    void (*destroy)(watch_input *in);
};

typedef struct watch_input_options {
    loop *l;
    watch *w;
    bool once;        /* the profile ends with its first writer */
    double idle_s;    /* a file that has not grown for so long is done; 0: as input_file.h says */
    bool is_notified; /* of a file: watch_input_look is called when it has grown */
} watch_input_options;

/* The input that a word of the command line names: "-", `unix:PATH`, `tcp:HOST:PORT`, or a path. A
 * FIFO or a socket under that path is read as such. `word` and the contents of `options` are
 * borrowed. NULL after a message. */
watch_input *watch_input_open(const char *word, const watch_input_options *options);

void watch_input_look(watch_input *in);

/* NULL is no mistake. */
void watch_input_destroy(watch_input *in);

#endif
