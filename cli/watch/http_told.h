/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the viewers have been told of one profile, and what they are to be told next.
 *
 * Viewers have a list of names, which a snapshot begins and which new names lengthen. A sample is
 * told by places in this list; names without a place share the rest. It takes a new snapshot to
 * give them one: when one of them becomes large enough to be looked at, or when the list would
 * become too long. And when so much comes at once that a snapshot is shorter, nothing is told one
 * by one; nor is a sample that is earlier than the one before it, which viewers could not put in
 * its place.
 */
#ifndef CENSUS_WATCH_HTTP_TOLD_H
#define CENSUS_WATCH_HTTP_TOLD_H

#include "http_beside.h"
#include "watch.h"

typedef struct http_told_name http_told_name;

typedef struct http_told {
    const watched *of;
    /* What viewers know is not all that there was: only a snapshot helps. So it is at first, and
     * whenever nobody listens. */
    bool is_behind;
    bool wants_snapshot; /* viewers would be better off with one */
    bool has_news;       /* another state or message */

    http_told_name *names; /* by name */
    uint32_t n_names, names_capacity;
    uint32_t *touched; /* names of the sample at hand; as many as `names` */
    uint32_t n_places; /* length of the viewers' list */
    uint64_t n_samples;
    double last_time; /* of the sample that came last */

    /* Not yet told: */
    hpf_arena *arena; /* of names since the snapshot */
    hpf_str *new_names;
    size_t n_new_names, new_names_capacity;
    hpf_sink *samples; /* as text; NULL: none */
    http_beside beside;
} http_told;

void http_told_init(http_told *told, const watched *of);
void http_told_finish(http_told *told);

/* The profile begins anew: what viewers know is void. */
void http_told_restart(http_told *told);

/* Nothing is kept for viewers any more, until the next snapshot. */
void http_told_fall_behind(http_told *told);

/* What the profile tells. */
void http_told_add_name(http_told *told, hpf_name name, hpf_str text);
void http_told_add_sample(http_told *told, const hpf_sample *sample);
void http_told_add_mark(http_told *told, double time, hpf_str label);
void http_told_add_line(http_told *told, hpf_str name, hpf_quantity_point point);

/* Tells what is not told yet. */
void http_told_flush(http_told *told, http_channel *to);
/* Tells the state, if there is news of it. */
void http_told_flush_state(http_told *told, http_channel *to);

/* Tells all there is by a snapshot, with series of about `most_bytes`. False: there is nothing yet,
 * or no memory. */
bool http_told_send_snapshot(http_told *told, size_t most_bytes, http_channel *to);

/* Appends the same to `base`, and the state, as events of which the last has the id `number` unless
 * that is 0. False when there is no memory: then `base` is of no use. */
bool http_told_put_base(http_told *told, size_t most_bytes, const http_channel *to, hpf_sink *base,
                        uint64_t number);

#endif
