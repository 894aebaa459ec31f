/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames are stored in chunks, one after the other; the adapter writes children directly into them.
 * Children that do not fit into a frame are fetched when it is empty, so an object with millions of
 * children needs no more room than one with thirty.
 */
#include "traverse.h"

#include <stdalign.h>
#include <stdlib.h>

#define BATCH       30u
#define CHUNK_BYTES (64u * 1024)

struct hpp__frame {
    hpp__frame *below;
    hpp_ref ref;       /* whose children these are */
    size_t next_index; /* of the child after the last one fetched */
    uint32_t data;
    uint16_t n_refs, n_visited;
    hpp_ref refs[];
};

struct hpp__chunk {
    hpp__chunk *previous, *next;
    size_t used_bytes;
    alignas(hpp__frame) unsigned char bytes[];
};

#define CHUNK_ROOM_BYTES (CHUNK_BYTES - sizeof(hpp__chunk))
#define FRAME_BYTES      (sizeof(hpp__frame) + BATCH * sizeof(hpp_ref))

/* ---- Chunks ---- */

static hpp__chunk *new_chunk(hpp__chunk *previous)
{
    hpp__chunk *chunk = malloc(CHUNK_BYTES);
    if (chunk) {
        *chunk = (hpp__chunk){.previous = previous};
    }
    return chunk;
}

/* Makes sure that the current chunk has room for a full frame. */
static bool make_room(hpp__traverse *t)
{
    if (t->chunk->used_bytes + FRAME_BYTES <= CHUNK_ROOM_BYTES) {
        return true;
    }
    if (!t->chunk->next) {
        t->chunk->next = new_chunk(t->chunk);
    }
    if (!t->chunk->next) {
        return false;
    }
    t->chunk = t->chunk->next;
    t->chunk->used_bytes = 0;
    return true;
}

static void free_chunks(hpp__chunk *chunk)
{
    while (chunk) {
        hpp__chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

/* ---- Frames ---- */

/* Fetches the next children of a frame that has none left. */
static void fetch(hpp__traverse *t, hpp__frame *frame)
{
    size_t n =
        t->heap->children(frame->refs, BATCH, frame->ref, frame->next_index, t->heap->context);
    frame->next_index += n;
    frame->n_refs = (uint16_t)n;
    frame->n_visited = 0;
}

/* Leaves a chunk that is empty: the top frame is always in the current chunk. */
static void step_back(hpp__traverse *t)
{
    if (t->chunk->used_bytes == 0 && t->chunk->previous) {
        t->chunk = t->chunk->previous;
    }
}

/* Pushes the children of an object, unless it has none. */
static void push(hpp__traverse *t, hpp_ref ref, uint32_t data)
{
    t->n_scans++;
    if (!make_room(t)) {
        t->visitor.drop(ref, t->visitor.context);
        return;
    }
    void *place = t->chunk->bytes + t->chunk->used_bytes;
    hpp__frame *frame = place;
    *frame = (hpp__frame){.below = t->top, .ref = ref, .data = data};
    fetch(t, frame);
    if (frame->n_refs > 0) {
        t->top = frame;
        t->chunk->used_bytes += sizeof *frame + frame->n_refs * sizeof(hpp_ref);
        t->n_frames++;
        t->max_frames = t->n_frames > t->max_frames ? t->n_frames : t->max_frames;
    }
    step_back(t);
}

static void pop(hpp__traverse *t)
{
    hpp__frame *frame = t->top;
    t->top = frame->below;
    t->n_frames--;
    t->chunk->used_bytes = (size_t)((unsigned char *)frame - t->chunk->bytes);
    step_back(t);
}

/* Returns whether all children of a frame have been visited. A full batch may have been the last
 * one. */
static bool is_exhausted(hpp__traverse *t, hpp__frame *frame)
{
    if (frame->n_visited < frame->n_refs) {
        return false;
    }
    if (frame->n_refs == BATCH) {
        fetch(t, frame);
    }
    return frame->n_visited == frame->n_refs;
}

/* Takes the next child from the stack. */
static hpp__arrival take(hpp__traverse *t)
{
    hpp__frame *frame = t->top;
    hpp__arrival next = {frame->refs[frame->n_visited++], frame->data};
    if (is_exhausted(t, frame)) {
        pop(t);
    }
    return next;
}

/* Lets children queue up, so that their words have arrived when it is their turn. */
static void fill_queue(hpp__traverse *t)
{
    while (t->top && t->n_queued < HPP__QUEUE_LENGTH) {
        hpp__arrival next = take(t);
        if (next.ref != 0) {
            t->visitor.approach(next.ref, t->visitor.context);
            t->queue[(t->queue_head + t->n_queued++) % HPP__QUEUE_LENGTH] = next;
        }
    }
}

static void arrive(hpp__traverse *t, hpp__arrival at)
{
    uint32_t child_data;
    t->n_visits++;
    if (t->visitor.arrive(at.ref, at.data, &child_data, t->visitor.context)) {
        push(t, at.ref, child_data);
    }
}

static void drain(hpp__traverse *t)
{
    for (fill_queue(t); t->n_queued > 0; fill_queue(t)) {
        hpp__arrival next = t->queue[t->queue_head];
        t->queue_head = (t->queue_head + 1) % HPP__QUEUE_LENGTH;
        t->n_queued--;
        arrive(t, next);
    }
}

void hpp__traverse_from(hpp__traverse *t, hpp_ref ref, uint32_t data)
{
    arrive(t, (hpp__arrival){ref, data});
    drain(t);
}

void hpp__traverse_children(hpp__traverse *t, hpp_ref ref, uint32_t data)
{
    push(t, ref, data);
    drain(t);
}

/* ---- Life ---- */

hpf_status hpp__traverse_init(hpp__traverse *t, const hpp_heap *heap, const hpp__visitor *visitor,
                              hpf_error *err)
{
    *t = (hpp__traverse){.heap = heap, .visitor = *visitor};
    t->first = t->chunk = new_chunk(NULL);
    return t->first ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__traverse_shrink(hpp__traverse *t)
{
    free_chunks(t->first->next);
    t->first->next = NULL;
}

void hpp__traverse_finish(hpp__traverse *t)
{
    free_chunks(t->first);
    *t = (hpp__traverse){0};
}
