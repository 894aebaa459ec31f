/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The feed of one profile: the state of its viewers, and the next messages to them.
 *
 * Viewers have a list of names, which a snapshot starts and new names extend. A sample refers to
 * names by their place in this list; names without a place share the rest. A new snapshot is needed
 * to give such a name a place: when it becomes large, or when the list would become too long. A
 * snapshot is also sent when it is shorter than the pending events, and when a sample is earlier
 * than the one before it, which viewers could not insert. The snapshot of a profile that has ended
 * in a file has its whole stacks, with the lines of calls.
 */
#ifndef CENSUS_WATCH_HTTP_FEED_H
#define CENSUS_WATCH_HTTP_FEED_H

#include "watch/loop/watch.h"
#include "base/arena.h"
#include "base/intern.h"
#include "http_ring.h"

/* Marks and points of quantities for viewers. They are collected until they are sent, so that
 * points of a quantity are sent together. */

typedef struct http_annotation http_annotation;

/* All zero: empty. */
typedef struct http_annotations {
    http_annotation *points;
    size_t n_points, capacity;
    hpf_arena *arena; /* holds the labels */
} http_annotations;

typedef struct http_feed_name http_feed_name;

typedef struct http_feed {
    const watched *of;
    /* Only a snapshot brings viewers up to date. True at first, and while there are no viewers. */
    bool needs_snapshot;
    bool prefers_snapshot; /* a snapshot would be better for viewers */
    bool has_news;         /* the state or message has changed */
    bool has_file;         /* the last snapshot had more of the file than the live profile */

    http_feed_name *names; /* by name */
    uint32_t n_names;
    uint32_t *touched; /* names of the current sample; room for all names */
    size_t names_capacity, touched_capacity;
    uint32_t n_places; /* length of the viewers' list */
    uint64_t n_samples;
    double last_time; /* time of the last sample */

    /* Not yet sent: */
    hpf_arena *arena; /* holds names since the snapshot */
    hpf_name *new_names;
    size_t n_new_names, new_names_capacity;
    hpf_sink *samples; /* text of samples; NULL: none */
    http_annotations annotations;

    hpf_sink *findings;     /* what stands out, for the page; NULL: nothing is known */
    bool has_last_findings; /* they are of the whole file of a profile that has ended */

    bool si_units;
    bool has_new_lanes;  /* lanes may have changed since they were sent */
    double next_lanes_s; /* not before */
} http_feed;

void http_feed_init(http_feed *feed, const watched *of, bool si_units);
void http_feed_finish(http_feed *feed);

/* Restarts the feed with its profile. */
void http_feed_restart(http_feed *feed);

/* The state or message of the profile has changed. */
void http_feed_note_state(http_feed *feed);

/* Drops pending events; nothing is collected until the next snapshot. */
void http_feed_invalidate(http_feed *feed);

/* Events of the profile. */
void http_feed_add_name(http_feed *feed, hpf_name name, hpf_str text);
void http_feed_add_sample(http_feed *feed, const hpf_sample *sample);
void http_feed_add_mark(http_feed *feed, double time, hpf_str label);
void http_feed_add_line(http_feed *feed, hpf_str name, hpf_quantity_point point);

/* Sends pending events. */
void http_feed_flush(http_feed *feed, http_channel *to);
/* Sends the lanes of an event log, if they may have changed, at most once a second unless the
 * profile has ended. Returns false if they wait. */
bool http_feed_flush_lanes(http_feed *feed, http_channel *to);
/* Sends the state, if it has changed. */
void http_feed_flush_state(http_feed *feed, http_channel *to);

/* Writes the calls of the names that viewers know, as docs/formats/page.md says, and stores their
 * places in `places`, which is empty. Returns false without memory. */
bool http_feed_put_calls(const http_feed *feed, hpf__intern *places, hpf_sink *sink);

/* Sends a snapshot with series of about `most_bytes`. Returns false without samples or memory. */
bool http_feed_send_snapshot(http_feed *feed, size_t most_bytes, http_channel *to);

/* Appends a snapshot and the state to `base` as events, the last with the id `number` unless it is
 * 0. Returns false without memory; `base` is then unusable. */
bool http_feed_put_base(http_feed *feed, size_t most_bytes, const http_channel *to, hpf_sink *base,
                        uint64_t number);

#endif
