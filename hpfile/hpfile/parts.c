/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A part begins behind a line END_SAMPLE near a quarter of the file. Whether that really is the end
 * of a sample only the part before it can tell: if its reader is at rest there, the parts are
 * joined, and the result is what one reader would have found; if not, the later parts are thrown
 * away.
 */
#include "parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "source_file.h"

#define N_PARTS     4
#define PIECE_BYTES (256u << 10)

typedef struct part {
    const hpf_source *source;
    uint64_t begin, end; /* of its bytes in the file */
    hpf__hp_reader *reader;
    hpf__tally *tally;
    hpf__tally own_tally; /* of all parts but the first */
    char *buffer;
    hpf__progress *progress; /* only the first part tells */
    void *progress_context;
    uint64_t all_bytes;
    hpf_status status;
    hpf_error error;
    pthread_t thread;
} part;

/* The first byte behind a line END_SAMPLE at or after `from`; 0 when there is none within a piece.
 */
static uint64_t find_joint(const hpf_source *source, uint64_t from, char *buffer)
{
    const char word[] = "\nEND_SAMPLE ";
    size_t n = 0;
    if (hpf__source_file_read(source, from, buffer, PIECE_BYTES, &n, NULL) != HPF_OK) {
        return 0;
    }
    const char *end = buffer + n;
    for (const char *at = buffer; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        if ((size_t)(end - at) > sizeof word && memcmp(at, word, sizeof word - 1) == 0) {
            const char *line_end = memchr(at + 1, '\n', (size_t)(end - at - 1));
            return line_end ? from + (uint64_t)(line_end + 1 - buffer) : 0;
        }
    }
    return 0;
}

static void read_part(part *p)
{
    for (uint64_t at = p->begin; at < p->end && p->status == HPF_OK;) {
        size_t room = p->end - at < PIECE_BYTES ? (size_t)(p->end - at) : PIECE_BYTES;
        size_t n = 0;
        p->status = hpf__source_file_read(p->source, at, p->buffer, room, &n, &p->error);
        if (p->status == HPF_OK && n == 0) {
            p->end = at; /* the file became shorter */
            break;
        }
        if (p->status == HPF_OK) {
            p->status = hpf__hp_feed(p->reader, p->buffer, n, &p->error);
        }
        at += n;
        if (p->progress) {
            p->progress(p->progress_context, (at - p->begin) * N_PARTS, p->all_bytes);
        }
    }
}

static void *thread_main(void *context)
{
    read_part(context);
    return NULL;
}

static hpf_status join_part(part *first, const part *later, hpf_error *err)
{
    hpf_name *names = malloc(((size_t)hpf__hp_n_names(later->reader) + 1) * sizeof *names);
    if (!names) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf__hp_join_names(first->reader, later->reader, names, err);
    if (status == HPF_OK) {
        status = hpf__tally_join(first->tally, &later->own_tally, names, err);
    }
    if (status == HPF_OK) {
        status = hpf__hp_join(first->reader, later->reader, names, err);
    }
    free(names);
    return status;
}

/* Joins part after part; `*at` is where the reader stands then. A part that failed is left to be
 * read again: its error then comes with the right line. */
static hpf_status join_parts(part *parts, size_t n_parts, uint64_t *at, hpf_error *err)
{
    *at = parts[0].end;
    if (parts[0].status != HPF_OK) {
        if (err) {
            *err = parts[0].error;
        }
        return parts[0].status;
    }
    for (size_t i = 1; i < n_parts; i++) {
        if (parts[i].status != HPF_OK || parts[i].begin != *at ||
            !hpf__hp_fits(parts[0].reader, parts[i].reader)) {
            break;
        }
        hpf_status status = join_part(&parts[0], &parts[i], err);
        if (status != HPF_OK) {
            return status;
        }
        *at = parts[i].end;
    }
    return HPF_OK;
}

static void finish_part(part *p)
{
    hpf__tally_finish(&p->own_tally);
    hpf__hp_destroy(p->reader);
    free(p->buffer);
}

static bool start_part(part *p, const hpf_source *source, uint64_t begin, uint64_t end,
                       const hpf__tally *first)
{
    *p = (part){.source = source, .begin = begin, .end = end};
    bool is_ready = hpf__tally_init(&p->own_tally, first->picks.max_picks, true);
    p->own_tally.from_time = first->from_time;
    p->own_tally.to_time = first->to_time;
    p->own_tally.is_wanted = first->is_wanted;
    p->own_tally.is_wanted_context = first->is_wanted_context;
    if (first->recall.is_lost) {
        hpf__recall_lose(&p->own_tally.recall);
    }
    p->own_tally.recall.most_words /= N_PARTS;
    p->tally = &p->own_tally;
    p->reader = hpf__hp_create(&hpf__tally_events, p->tally, NULL);
    p->buffer = malloc(PIECE_BYTES);
    if (is_ready && p->reader && p->buffer) {
        hpf__hp_start_at(p->reader, begin);
        if (pthread_create(&p->thread, NULL, thread_main, p) == 0) {
            return true;
        }
    }
    finish_part(p);
    return false;
}

/* Places where the file is cut, increasing; returns the number of parts. */
static size_t find_cuts(const hpf_source *source, uint64_t size, char *buffer, uint64_t *cuts)
{
    size_t n = 0;
    cuts[n++] = 0;
    for (uint64_t i = 1; i < N_PARTS; i++) {
        uint64_t cut = find_joint(source, size / N_PARTS * i, buffer);
        if (cut > cuts[n - 1]) {
            cuts[n++] = cut;
        }
    }
    cuts[n] = size;
    return n;
}

hpf_status hpf__parts_read(hpf__hp_reader *reader, hpf__tally *tally, hpf_source *source,
                           uint64_t least_bytes, hpf__progress *progress, void *progress_context,
                           hpf_error *err)
{
    uint64_t size = hpf__source_file_bytes(source);
    if (size == 0 || size < least_bytes) {
        return HPF_OK;
    }
    part parts[N_PARTS];
    uint64_t cuts[N_PARTS + 1];
    parts[0] = (part){.source = source,
                      .reader = reader,
                      .tally = tally,
                      .progress = progress,
                      .progress_context = progress_context,
                      .all_bytes = size};
    parts[0].buffer = malloc(PIECE_BYTES);
    if (!parts[0].buffer) {
        return hpf_error_set_memory(err);
    }
    size_t n_parts = find_cuts(source, size, parts[0].buffer, cuts);
    size_t n_started = 1;
    while (n_started < n_parts &&
           start_part(&parts[n_started], source, cuts[n_started], cuts[n_started + 1], tally)) {
        n_started++;
    }
    parts[0].end = cuts[1];
    tally->recall.most_words /= N_PARTS;
    read_part(&parts[0]);
    tally->recall.most_words *= N_PARTS;
    for (size_t i = 1; i < n_started; i++) {
        pthread_join(parts[i].thread, NULL);
    }
    uint64_t at = 0;
    hpf_status status = join_parts(parts, n_started, &at, err);
    hpf__source_file_seek(source, at);
    free(parts[0].buffer);
    for (size_t i = 1; i < n_started; i++) {
        finish_part(&parts[i]);
    }
    return status;
}
