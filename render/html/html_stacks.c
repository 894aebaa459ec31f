/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Node 0 is the root; the node of a frame below a parent is found by both numbers.
 */
#include "html/html_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "base/names.h"
#include "hpfile/match.h"
#include "hpfile/survey.h"

enum { MOST_FRAMES = 1 << 16 };

/* Returns the innermost frames of a name, innermost first, to be freed by the caller, and stores
 * their number, and how many are inside the one that names the stack; a type is not passed over,
 * and the number of a retainer set is left out. Returns NULL without memory. */
static hpf_frame *frames_of(const hpf_survey *survey, hpf_name name, size_t *n, size_t *n_inside)
{
    *n_inside = 0;
    size_t n_known = hpf_survey_frames(survey, name, NULL, 0);
    hpf_str text = hpf_survey_name(survey, name);
    *n = n_known ? n_known : hpf__frames_of_name(text, NULL, 0);
    *n = *n < MOST_FRAMES ? *n : MOST_FRAMES;
    hpf_frame *frames = calloc(*n, sizeof *frames);
    if (frames && n_known) {
        hpf_survey_frames(survey, name, frames, *n);
        size_t n_types = hpf__n_types(frames, *n);
        for (size_t i = 0; i < n_types; i++) {
            frames[i].label = hpf__without_id(frames[i].label);
        }
        if (n_types == 0) {
            *n_inside = hpf_frame_rules_own(hpf_survey_frame_rules(survey), frames, *n);
        }
    } else if (frames) {
        hpf__frames_of_name(text, frames, *n);
        hpf_str last = frames[*n - 1].label;
        if (*n > 1 && hpf_str_ends(last, "...")) {
            frames[*n - 1].label = HPF_STR("(callers were cut)"); /* by -L: no function */
        }
    }
    return frames;
}

bool hpr__has_stacks(const hpf_survey *survey)
{
    hpf_retainer_set set;
    bool has = false;
    for (hpf_name name = 0; name < hpf_survey_n_names(survey) && !has; name++) {
        if (hpf_survey_retainer_set(survey, name, &set)) {
            return false;
        }
        has = hpf_survey_frames(survey, name, NULL, 0) > 1 ||
              hpf__frames_of_name(hpf_survey_name(survey, name), NULL, 0) > 1;
    }
    return has;
}

/* Returns the place that a frame has in all stacks: where its function begins. */
static hpf_str place_of(const hpf_frame *frame)
{
    return frame->function_source.length > 0 ? frame->function_source : frame->source;
}

static bool put_text(hpf__buffer *to, hpf_str text)
{
    return hpf__buffer_add(to, text) && hpf__buffer_append(to, "", 1);
}

/* Puts the texts of a frame into `text`, each ended by a NUL. */
static bool put_frame(hpf__buffer *text, const hpf_frame *frame)
{
    text->length = 0;
    return hpf__append_frame(text, frame) && hpf__buffer_append(text, "", 1) &&
           put_text(text, frame->module) && put_text(text, place_of(frame));
}

enum { CALL = '\1' /* with which the texts of a call begin */ };

/* Returns the place of a call, or ":LINE" if it is in the file of its function. */
static hpf_str call_text(const hpf_frame *frame)
{
    size_t n = frame->function_source.length;
    while (n > 0 && frame->function_source.data[n - 1] != ':') {
        n--;
    }
    bool is_same = n > 0 && frame->source.length > n &&
                   memcmp(frame->source.data, frame->function_source.data, n) == 0;
    return is_same ? hpf_str_from(frame->source, n - 1) : frame->source;
}

/* Stores the number of a frame, which may be a call in another one. Errors: MEMORY, LIMIT. */
static hpf_status number_frame(hpr__stacks *s, const hpf_frame *frame, uint32_t *number)
{
    bool is_new;
    hpf_status status =
        put_frame(&s->text, frame)
            ? hpf__intern_add(&s->frames, hpf__buffer_str(&s->text), number, &is_new)
            : HPF_ERR_MEMORY;
    if (status == HPF_OK && frame->function_source.length > 0) {
        char start[16];
        int length = snprintf(start, sizeof start, "%c%u", CALL, (unsigned)*number);
        s->text.length = 0;
        status = put_text(&s->text, (hpf_str){start, (size_t)length}) &&
                         put_text(&s->text, call_text(frame))
                     ? hpf__intern_add(&s->frames, hpf__buffer_str(&s->text), number, &is_new)
                     : HPF_ERR_MEMORY;
    }
    return status;
}

hpf_status hpr__stacks_add(hpr__stacks *s, const hpf_survey *survey, hpf_name name, hpf_error *err)
{
    size_t n, n_inside;
    hpf_frame *frames = frames_of(survey, name, &n, &n_inside);
    size_t n_own = n - n_inside;
    uint32_t node[2] = {0, 0}; /* parent, frame */
    hpf_status status = frames ? HPF_OK : HPF_ERR_MEMORY;
    while (status == HPF_OK && n-- > 0) {
        uint32_t number;
        bool is_new;
        status = number_frame(s, &frames[n], &node[1]);
        if (status == HPF_OK) {
            hpf_str key = {(const char *)node, sizeof node};
            status = hpf__intern_add(&s->nodes, key, &number, &is_new);
        }
        if (status == HPF_OK && is_new &&
            !(hpr__packer_put(&s->parents, node[0]) && hpr__packer_put(&s->calls, node[1]))) {
            status = HPF_ERR_MEMORY;
        }
        node[0] = status == HPF_OK ? number + 1 : 0;
    }
    free(frames);
    if (status == HPF_OK &&
        !(hpr__packer_put(&s->ends, node[0]) && hpr__packer_put(&s->owns, (int64_t)n_own))) {
        status = HPF_ERR_MEMORY;
    }
    return status == HPF_ERR_LIMIT    ? hpf_error_set(err, status, "more than 2^30 stacks")
           : status == HPF_ERR_MEMORY ? hpf_error_set_memory(err)
                                      : HPF_OK;
}

/* Adds label, module and place, or the frame and the place of a call, which follow each other in
 * `text`. */
static void put_texts(hpf_json *json, const char *text)
{
    bool is_call = *text == CALL;
    hpf_json_array(json, NULL);
    if (is_call) {
        hpf_json_whole(json, NULL, strtoul(text + 1, NULL, 10));
        text += strlen(text) + 1;
    }
    for (int i = 0; i < (is_call ? 1 : 3); i++) {
        hpf_str part = hpf_str_of(text);
        hpf_json_bytes(json, NULL, part);
        text += part.length + 1;
    }
    hpf_json_close(json);
}

bool hpr__stacks_json(hpf_json *json, hpr__stacks *s)
{
    hpf_json_whole(json, "n_nodes", s->nodes.n_names);
    hpf_json_array(json, "frames");
    for (uint32_t i = 0; i < s->frames.n_names; i++) {
        put_texts(json, s->frames.names[i].data);
    }
    hpf_json_close(json);
    return hpr__packer_finish(&s->parents) && hpr__packer_finish(&s->calls) &&
           hpr__packer_finish(&s->ends) && hpr__packer_finish(&s->owns) &&
           hpr__packed_json(json, "owns", &s->owns.packed) &&
           hpr__packed_json(json, "parents", &s->parents.packed) &&
           hpr__packed_json(json, "calls", &s->calls.packed) &&
           hpr__packed_json(json, "ends", &s->ends.packed);
}

void hpr__stacks_finish(hpr__stacks *s)
{
    hpf__intern_finish(&s->frames);
    hpf__intern_finish(&s->nodes);
    hpf__buffer_finish(&s->parents.packed);
    hpf__buffer_finish(&s->calls.packed);
    hpf__buffer_finish(&s->ends.packed);
    hpf__buffer_finish(&s->owns.packed);
    hpf__buffer_finish(&s->text);
}

/* Adds the label and the place of each frame, as the page shows them. */
static hpf_status add_texts(hpf__intern *texts, const hpf_survey *survey)
{
    hpf__buffer text = {0};
    hpf_status status = HPF_OK;
    for (hpf_name name = 0; name < hpf_survey_n_names(survey) && !status; name++) {
        size_t n, n_inside;
        hpf_frame *frames = frames_of(survey, name, &n, &n_inside);
        status = frames ? HPF_OK : HPF_ERR_MEMORY;
        for (size_t i = 0; i < n && !status; i++) {
            hpf_str source = place_of(&frames[i]);
            uint32_t number;
            bool is_new;
            text.length = 0;
            bool fits = hpf__append_frame(&text, &frames[i]) &&
                        (source.length == 0 ||
                         (hpf__buffer_append(&text, " ", 1) && hpf__buffer_add(&text, source)));
            status = fits ? hpf__intern_add(texts, hpf__buffer_str(&text), &number, &is_new)
                          : HPF_ERR_MEMORY;
        }
        free(frames);
    }
    hpf__buffer_finish(&text);
    return status;
}

hpf_status hpr__moved_frames_json(hpf_json *json, hpf_survey *const surveys[2], hpf_error *err)
{
    hpf__intern all = {0}, newer = {0};
    hpf_status status = add_texts(&all, surveys[0]);
    uint32_t n_older = all.n_names;
    status = status ? status : add_texts(&all, surveys[1]);
    status = status ? status : add_texts(&newer, surveys[1]);
    uint64_t *sides = calloc((size_t)all.n_names + 1, sizeof *sides);
    uint32_t *moved_to = calloc((size_t)all.n_names + 1, sizeof *moved_to);
    for (uint32_t i = 0; sides && i < all.n_names; i++) {
        uint32_t number;
        sides[i] = (uint64_t)(i < n_older) |
                   (uint64_t)hpf__intern_find(&newer, all.names[i], &number) << 1;
    }
    bool fits = sides && moved_to &&
                (status || hpf_moved_lines_find(all.names, all.n_names, sides, moved_to));
    hpf_json_array(json, "moved");
    for (uint32_t i = 0; fits && !status && i < n_older; i++) {
        if (moved_to[i] != i) {
            hpf_json_array(json, NULL);
            hpf_json_bytes(json, NULL, all.names[i]);
            hpf_json_bytes(json, NULL, all.names[moved_to[i]]);
            hpf_json_close(json);
        }
    }
    hpf_json_close(json);
    free(sides);
    free(moved_to);
    hpf__intern_finish(&all);
    hpf__intern_finish(&newer);
    return status == HPF_ERR_LIMIT ? hpf_error_set(err, status, "more than 2^30 frames")
           : status || !fits       ? hpf_error_set_memory(err)
                                   : HPF_OK;
}

void hpr__stack_json(hpf_json *json, hpf_str name, const hpf_frame *frames, size_t n_frames)
{
    size_t n = n_frames ? n_frames : hpf__frames_of_name(name, NULL, 0);
    hpf_frame *from_name = n_frames ? NULL : calloc(n, sizeof *from_name);
    hpf__buffer text = {0};
    if (from_name) {
        hpf__frames_of_name(name, from_name, n);
        frames = from_name;
    }
    hpf_json_array(json, "stack");
    while (frames && n > 0 && put_frame(&text, &frames[--n])) {
        put_texts(json, text.bytes);
    }
    hpf_json_close(json);
    hpf__buffer_finish(&text);
    free(from_name);
}
