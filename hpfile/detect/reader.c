/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Detects the format from the first four bytes, and forwards to the reader of that format. Its
 * events go to the consumer, or to a stack viewer before it.
 */
#include "detect/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "detect/import.h"
#include "event/stack_view.h"
#include "event/stack_viewer.h"
#include "hp/hp_reader.h"

#define MAGIC_BYTES (sizeof HPF_EVENTLOG_MAGIC - 1)

struct hpf_reader {
    hpf_events events;
    void *context;
    hpf_reader_options options;
    hpf_error error; /* sticky; while there is no format */
    char head[MAGIC_BYTES];
    size_t n_head;
    hpf__hp_reader *hp; /* one of the three, or none while the format is not known */
    hpf__eventlog_heap *log;
    hpf__import *import;
    hpf_stack_viewer *viewer; /* or NULL: the events go to the consumer as they are */
    hpf_stack_view *of_names; /* if stacks are kept apart without a view */
    hpf_frame_rules *rules;   /* the usual ones, made when needed */
};

static hpf_str name_of_input(const hpf_reader *r, hpf_name name)
{
    return r->log      ? hpf__eventlog_heap_name(r->log, name)
           : r->import ? hpf__import_name(r->import, name)
                       : hpf__hp_name(r->hp, name);
}

/* Fills the frames of a name of the input; none if it is not known to be a stack. */
static size_t known_frames(const hpf_reader *r, hpf_name name, hpf_frame *frames, size_t room)
{
    return r->log      ? hpf__eventlog_heap_frames(r->log, name, frames, room)
           : r->import ? hpf__import_frames(r->import, name, frames, room)
                       : 0;
}

/* Fills the frames of a name of the input; the frames in its text if it is not known to be a
 * stack. */
static size_t all_frames(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    const hpf_reader *r = context;
    size_t n = known_frames(r, name, frames, room);
    return n ? n : hpf__frames_of_name(name_of_input(r, name), frames, room);
}

/* Emits events to a consumer, through the viewer if there is one. */
static void emit_to(hpf_reader *r, const hpf_events *events, void *context)
{
    if (r->viewer) {
        hpf_stack_viewer_emit_to(r->viewer, events, context);
    }
    r->events = r->viewer ? hpf_stack_viewer_events : *events;
    r->context = r->viewer ? (void *)r->viewer : context;
}

hpf_reader *hpf_reader_create(const hpf_events *events, void *context,
                              const hpf_reader_options *options)
{
    hpf_reader *r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    r->options = options ? *options : (hpf_reader_options){0};
    if (!r->options.rules && r->options.view) {
        r->options.rules = r->options.view->rules;
    }
    if (r->options.keeps_stacks && !r->options.view) {
        const hpf_stack_view_options names = {.size = sizeof names, .shows_names = true};
        if (hpf_stack_view_create(&r->of_names, &names, NULL) != HPF_OK) {
            hpf_reader_destroy(r);
            return NULL;
        }
        r->options.view = r->of_names;
    }
    bool has_viewer = r->options.view && (r->options.keeps_stacks || !r->options.view->shows_names);
    r->viewer = has_viewer ? hpf_stack_viewer_create(r->options.view, all_frames, r) : NULL;
    if (has_viewer && !r->viewer) {
        hpf_reader_destroy(r);
        return NULL;
    }
    if (has_viewer && r->options.keeps_stacks) {
        hpf__stack_viewer_keep_stacks(r->viewer);
    }
    emit_to(r, events, context);
    return r;
}

void hpf_reader_destroy(hpf_reader *r)
{
    if (r) {
        hpf__hp_destroy(r->hp);
        hpf__eventlog_heap_destroy(r->log);
        hpf__import_destroy(r->import);
        hpf_stack_viewer_destroy(r->viewer);
        hpf_frame_rules_destroy(r->rules);
        hpf_stack_view_destroy(r->of_names);
        free(r);
    }
}

hpf__eventlog_heap *hpf__reader_log(const hpf_reader *r)
{
    return r->log;
}

const hpf_frame_rules *hpf__reader_rules(hpf_reader *r)
{
    if (!r->options.rules) {
        hpf_error err; /* without memory, frames are as they are */
        (void)!hpf_frame_rules_create(&r->rules, NULL, 0, false, &err);
        r->options.rules = r->rules;
    }
    return r->options.rules;
}

static hpf_status feed_known(hpf_reader *r, const char *bytes, size_t n_bytes, hpf_error *err)
{
    return r->log      ? hpf__eventlog_heap_feed(r->log, bytes, n_bytes, err)
           : r->import ? hpf__import_feed(r->import, bytes, n_bytes, err)
                       : hpf__hp_feed(r->hp, bytes, n_bytes, err);
}

/* Creates the reader of the format, and feeds it what was held back. */
static hpf_status choose(hpf_reader *r, bool is_log, hpf_error *err)
{
    if (is_log) {
        r->log = hpf__eventlog_heap_create(&r->events, r->context, &r->options);
    } else if (r->options.has_log_profile) {
        hpf_error_set(&r->error, HPF_ERR_UNSUPPORTED,
                      "only event logs have heap profiles with numbers");
    } else if (r->options.value.length > 0) {
        hpf_error_set(&r->error, HPF_ERR_ARGUMENT, "no amount \"%.*s\": the profile has only one",
                      (int)r->options.value.length, r->options.value.data);
    } else {
        r->hp = hpf__hp_create(&r->events, r->context, &r->options);
    }
    if (!r->log && !r->hp) {
        if (r->error.status == HPF_OK) {
            hpf_error_set_memory(&r->error);
        }
        return hpf_reader_feed(r, NULL, 0, err);
    }
    return feed_known(r, r->head, r->n_head, err);
}

static bool is_known(const hpf_reader *r)
{
    return r->hp || r->log || r->import;
}

static bool is_magic(const hpf_reader *r)
{
    return memcmp(r->head, HPF_EVENTLOG_MAGIC, r->n_head) == 0;
}

hpf_status hpf_reader_feed(hpf_reader *r, const char *bytes, size_t n_bytes, hpf_error *err)
{
    hpf_status status = r->error.status;
    if (status != HPF_OK && err) {
        *err = r->error;
    }
    while (status == HPF_OK && n_bytes && !is_known(r)) {
        r->head[r->n_head++] = *bytes++;
        n_bytes--;
        if (!is_magic(r) || r->n_head == MAGIC_BYTES) {
            status = choose(r, is_magic(r), err);
        }
    }
    return status == HPF_OK && is_known(r) ? feed_known(r, bytes, n_bytes, err) : status;
}

hpf_status hpf_reader_finish(hpf_reader *r, hpf_error *err)
{
    hpf_status status = hpf_reader_feed(r, NULL, 0, err);
    if (status == HPF_OK && !is_known(r)) {
        status = choose(r, false, err);
    }
    if (status != HPF_OK || r->import) {
        return status;
    }
    status = r->log ? hpf__eventlog_heap_finish(r->log, err) : hpf__hp_finish(r->hp, err);
    return status == HPF_OK ? hpf__reader_check_view(r, err) : status;
}

bool hpf__reader_is_whole(const hpf_format *format, const hpf_reader_options *options)
{
    return !format->is_streamed || (options->value.length > 0 && format->read);
}

hpf_status hpf__reader_read(hpf_reader *r, const hpf_format *format, hpf_source *const *sources,
                            size_t n_sources, hpf_source *spool, size_t *failed, hpf_error *err)
{
    *failed = 0;
    if (r->options.has_log_profile) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "only event logs have heap profiles with numbers");
    }
    r->import = hpf__import_create(&r->events, r->context, &r->options);
    hpf_status status =
        r->import ? hpf__import_read(r->import, format, sources, n_sources, spool, failed, err)
                  : hpf_error_set_memory(err);
    return status == HPF_OK ? hpf__reader_check_view(r, err) : status;
}

hpf_status hpf__reader_check_view(const hpf_reader *r, hpf_error *err)
{
    return r->viewer ? hpf_stack_viewer_check(r->viewer, err) : HPF_OK;
}

void hpf_reader_revisit(hpf_reader *r, const hpf_events *events, void *context)
{
    emit_to(r, events, context);
    r->error = (hpf_error){0};
    r->n_head = 0;
    if (r->log) {
        hpf__eventlog_heap_revisit(r->log, &r->events, r->context);
    } else if (r->import) {
        hpf__import_revisit(r->import, &r->events, r->context);
    } else if (r->hp) {
        hpf__hp_revisit(r->hp, &r->events, r->context);
    }
}

hpf_status hpf_reader_settle(hpf_reader *r, hpf_error *err)
{
    hpf_status status = hpf_reader_feed(r, NULL, 0, err);
    if (status != HPF_OK || !is_known(r) || r->import) {
        return status;
    }
    return r->log ? hpf__eventlog_heap_settle(r->log, err) : hpf__hp_settle(r->hp, err);
}

bool hpf_reader_is_between(const hpf_reader *r)
{
    return r->import ? hpf__import_is_over(r->import)
                     : r->error.status == HPF_OK && r->hp && hpf__hp_is_between(r->hp);
}

hpf_str hpf_reader_name(const hpf_reader *r, hpf_name name)
{
    return r->viewer ? hpf__stack_viewer_name(r->viewer, name) : name_of_input(r, name);
}

size_t hpf_reader_frames(const hpf_reader *r, hpf_name name, hpf_frame *frames, size_t room)
{
    return r->viewer ? hpf__stack_viewer_frames(r->viewer, name, frames, room)
                     : known_frames(r, name, frames, room);
}

hpf_status hpf_read_source(hpf_source *source, const hpf_events *events, void *context,
                           const hpf_reader_options *options, hpf_error *err)
{
    hpf_reader *r = hpf_reader_create(events, context, options);
    if (!r) {
        return hpf_error_set_memory(err);
    }
    hpf_str piece;
    hpf_status status;
    while ((status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        status = hpf_reader_feed(r, piece.data, piece.length, err);
        if (status != HPF_OK) {
            break;
        }
    }
    if (status == HPF_END) {
        status = hpf_reader_finish(r, err);
    }
    hpf_reader_destroy(r);
    return status;
}
