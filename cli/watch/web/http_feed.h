/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the viewers have been feed of one profile, and what they are to be feed next.
 *
 * Viewers have a list of names, which a snapshot begins and which new names lengthen. A sample is
 * feed by places in this list; names without a place share the rest. It takes a new snapshot to
 * give them one: when one of them becomes large enough to be looked at, or when the list would
 * become too long. And when so much comes at once that a snapshot is shorter, nothing is feed one
 * by one; nor is a sample that is earlier than the one before it, which viewers could not put in
 * its place.
 */
#ifndef CENSUS_WATCH_HTTP_FEED_H
#define CENSUS_WATCH_HTTP_FEED_H

#include "http_annotations.h"
#include "watch/loop/watch.h"

typedef struct http_feed_name http_feed_name;

typedef struct http_feed {
    const watched *of;
    /* What viewers know is not all that there was: only a snapshot helps. So it is at first, and
     * whenever nobody listens. */
    bool needs_snapshot;
    bool prefers_snapshot; /* viewers would be better off with one */
    bool has_news;         /* another state or message */

    http_feed_name *names; /* by name */
    uint32_t n_names, names_capacity;
    uint32_t *touched; /* names of the sample at hand; as many as `names` */
    uint32_t n_places; /* length of the viewers' list */
    uint64_t n_samples;
    double last_time; /* of the sample that came last */

    /* Not yet feed: */
    hpf_arena *arena; /* of names since the snapshot */
    hpf_str *new_names;
    size_t n_new_names, new_names_capacity;
    hpf_sink *samples; /* as text; NULL: none */
    http_annotations annotations;
} http_feed;

void http_feed_init(http_feed *feed, const watched *of);
void http_feed_finish(http_feed *feed);

/* The profile begins anew: what viewers know is void. */
void http_feed_restart(http_feed *feed);

/* Nothing is kept for viewers any more, until the next snapshot. */
void http_feed_invalidate(http_feed *feed);

/* What the profile tells. */
void http_feed_add_name(http_feed *feed, hpf_name name, hpf_str text);
void http_feed_add_sample(http_feed *feed, const hpf_sample *sample);
void http_feed_add_mark(http_feed *feed, double time, hpf_str label);
void http_feed_add_line(http_feed *feed, hpf_str name, hpf_line_point point);

/* Tells what is not feed yet. */
void http_feed_flush(http_feed *feed, http_channel *to);
/* Tells the state, if there is news of it. */
void http_feed_flush_state(http_feed *feed, http_channel *to);

/* Tells all there is by a snapshot, with series of about `most_bytes`. False: there is nothing yet,
 * or no memory. */
bool http_feed_send_snapshot(http_feed *feed, size_t most_bytes, http_channel *to);

/* Appends the same to `base`, and the state, as events of which the last has the id `number` unless
 * that is 0. False when there is no memory: then `base` is of no use. */
bool http_feed_put_base(http_feed *feed, size_t most_bytes, const http_channel *to, hpf_sink *base,
                        uint64_t number);

#endif
