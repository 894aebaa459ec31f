/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stores definitions and composes names of them, in the form of GHC's fprint_ccs (rts/ProfHeap.c).
 */
#include "base/arena.h"
#include "eventlog/eventlog_names.h"
#include "eventlog/eventlog_metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/frame.h"
#include "base/words.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/str.h"
#include "base/bits.h"
#include "base/intern.h"
#include "hpfile/event.h"
#include "base/array.h"

#define CENTRE_ID_BYTES 4u
#define ADDRESS_BYTES   8u
#define MAX_DEPTH       255
#define MAX_KEY_BYTES   (1 + MAX_DEPTH * CENTRE_ID_BYTES) /* of a stack */

void hpf__eventlog_names_finish(hpf__eventlog_names *n)
{
    hpf_arena_destroy(n->arena);
    hpf_frame_rules_destroy(n->own_rules);
    hpf__intern_finish(&n->centre_ids);
    hpf__intern_finish(&n->info_addresses);
    hpf__eventlog_keys_finish(&n->stacks);
    hpf__eventlog_keys_finish(&n->labels);
    hpf__intern_finish(&n->texts);
    hpf__buffer_finish(&n->scratch);
    free(n->centres);
    free(n->functions);
    free(n->infos);
    free(n->origins);
    free(n->alike);
    *n = (hpf__eventlog_names){0};
}

/* --- definitions --- */

/* Copies a payload, so that frames can point into it. */
static hpf_status keep(hpf__eventlog_names *n, hpf_str payload, hpf_str *copy)
{
    if (!n->arena && !(n->arena = hpf_arena_create())) {
        return HPF_ERR_MEMORY;
    }
    *copy = hpf_arena_str(n->arena, payload);
    return copy->data ? HPF_OK : HPF_ERR_MEMORY;
}

/* Returns the place for the definition of `id` in `*frames`, which grows. Returns NULL with
 * `*status` set on failure. */
static hpf_frame *place_of(hpf__intern *ids, hpf_str id, hpf_frame **frames, size_t *capacity,
                           hpf_status *status)
{
    uint32_t number;
    bool is_new;
    *status = HPF_ERR_MEMORY;
    if (!HPF__ARRAY_RESERVE(*frames, *capacity, (size_t)ids->n_names + 1)) {
        return NULL;
    }
    *status = hpf__intern_add(ids, id, &number, &is_new);
    return *status == HPF_OK ? &(*frames)[number] : NULL;
}

/* Returns the id of the function that a cost centre is a call in; empty if it is none. */
static hpf_str function_of(const hpf__eventlog_names *n, uint32_t centre)
{
    return centre < n->functions_capacity ? n->functions[centre] : HPF_STR("");
}

static void take_flags(hpf_frame *frame, unsigned flags)
{
    frame->is_caf = (flags & HPF__CENTRE_IS_CAF) != 0;
    frame->further = hpf__eventlog_further(flags);
    if (flags == HPF__CENTRE_IS_BAND || frame->further != HPF_BREAKDOWN_NONE) {
        frame->type = frame->label;
    }
}

hpf_status hpf__eventlog_names_define_centre(hpf__eventlog_names *n, hpf_str payload)
{
    hpf_str rest;
    if (payload.length < CENTRE_ID_BYTES) {
        return HPF_OK;
    }
    hpf_status status = keep(n, payload, &rest);
    if (status != HPF_OK) {
        return status;
    }
    hpf_str id = {rest.data, CENTRE_ID_BYTES};
    hpf_frame *frame = place_of(&n->centre_ids, id, &n->centres, &n->centres_capacity, &status);
    if (frame) {
        rest = hpf_str_from(rest, CENTRE_ID_BYTES);
        *frame = (hpf_frame){0};
        frame->label = hpf__take_until(&rest, '\0');
        frame->module = hpf__take_until(&rest, '\0');
        frame->source = hpf__take_until(&rest, '\0');
        take_flags(frame, rest.length ? (unsigned char)*rest.data : 0);
    }
    return status;
}

hpf_status hpf__eventlog_names_define_call(hpf__eventlog_names *n, hpf_str payload)
{
    uint32_t call, function;
    if (payload.length < 2 * CENTRE_ID_BYTES ||
        !hpf__intern_find(&n->centre_ids, (hpf_str){payload.data, CENTRE_ID_BYTES}, &call) ||
        !hpf__intern_find(&n->centre_ids,
                          (hpf_str){payload.data + CENTRE_ID_BYTES, CENTRE_ID_BYTES}, &function) ||
        call == function) {
        return HPF_OK;
    }
    if (!HPF__ARRAY_RESERVE_ZEROED(n->functions, n->functions_capacity, (size_t)call + 1)) {
        return HPF_ERR_MEMORY;
    }
    n->functions[call] = n->centre_ids.names[function];
    n->centres[call].function_source = n->centres[function].source;
    return HPF_OK;
}

hpf_status hpf__eventlog_names_define_info(hpf__eventlog_names *n, hpf_str payload)
{
    hpf_str rest;
    if (payload.length < ADDRESS_BYTES) {
        return HPF_OK;
    }
    hpf_status status = keep(n, payload, &rest);
    if (status != HPF_OK) {
        return status;
    }
    hpf_str id = {rest.data, ADDRESS_BYTES};
    hpf_frame *frame = place_of(&n->info_addresses, id, &n->infos, &n->infos_capacity, &status);
    if (frame) {
        rest = hpf_str_from(rest, ADDRESS_BYTES);
        *frame = (hpf_frame){0};
        frame->table = hpf__take_until(&rest, '\0');
        frame->closure_type = hpf__take_until(&rest, '\0');
        frame->type = hpf__take_until(&rest, '\0');
        frame->label = hpf__take_until(&rest, '\0');
        frame->module = hpf__take_until(&rest, '\0');
        frame->source = hpf__take_until(&rest, '\0');
    }
    return status;
}

/* Returns a known definition, or NULL. */
static const hpf_frame *find(const hpf__intern *ids, const hpf_frame *frames, hpf_str id)
{
    uint32_t number;
    return hpf__intern_find(ids, id, &number) ? &frames[number] : NULL;
}

static hpf_str without_nul(hpf_str key)
{
    hpf_str rest = key;
    return hpf__take_until(&rest, '\0');
}

/* Stores the address in a label such as "0x409f78". Returns false if it is none. */
static bool read_address(hpf_str label, char address[ADDRESS_BYTES])
{
    char digits[2 * ADDRESS_BYTES + 1] = {0};
    char *end;
    if (label.length < 3 || label.length > 2 + 2 * ADDRESS_BYTES ||
        memcmp(label.data, "0x", 2) != 0) {
        return false;
    }
    memcpy(digits, label.data + 2, label.length - 2);
    uint64_t number = strtoull(digits, &end, 16);
    if (*end || strspn(digits, " \t\n+-")) {
        return false;
    }
    for (size_t i = 0; i < ADDRESS_BYTES; i++) {
        address[i] = (char)(number >> 8 * (ADDRESS_BYTES - 1 - i));
    }
    return true;
}

/* Returns the info table at the address in a label, or NULL. */
static const hpf_frame *info_of_label(const hpf__eventlog_names *n, hpf_str label)
{
    char address[ADDRESS_BYTES];
    return read_address(label, address)
               ? find(&n->info_addresses, n->infos, (hpf_str){address, ADDRESS_BYTES})
               : NULL;
}

/* Defines the info table of a label by the symbols of the program, if the log does not. */
static hpf_status define_by_symbols(hpf__eventlog_names *n, hpf_str label)
{
    char address[ADDRESS_BYTES];
    const hpf_frame given = {.table = label, .module = n->program}, *frames = &given;
    size_t n_frames = 1;
    hpf_error err;
    if (!n->symbolise || n->program.length == 0 || info_of_label(n, label) ||
        !read_address(label, address)) {
        return HPF_OK;
    }
    hpf_status status = n->symbolise(n->symbolise_context, &frames, &n_frames, &err);
    if (status != HPF_OK || n_frames != 1 || frames[0].label.length == 0) {
        return status;
    }
    hpf_frame named = {0};
    status = keep(n, frames[0].label, &named.label);
    status = status == HPF_OK ? keep(n, frames[0].module, &named.module) : status;
    hpf_frame *frame = NULL;
    if (status == HPF_OK && (frame = place_of(&n->info_addresses, (hpf_str){address, ADDRESS_BYTES},
                                              &n->infos, &n->infos_capacity, &status))) {
        *frame = named;
    }
    return status;
}

/* --- names --- */

static size_t stack_depth(hpf_str key)
{
    size_t emitted = key.length ? (unsigned char)key.data[0] : 0;
    size_t there = key.length ? (key.length - 1) / CENTRE_ID_BYTES : 0;
    return emitted < there ? emitted : there;
}

static hpf_str id_at(hpf_str stack, size_t i)
{
    return (hpf_str){stack.data + 1 + i * CENTRE_ID_BYTES, CENTRE_ID_BYTES};
}

/* Returns the type, or another band, with which a stack begins; empty if it is none. */
static hpf_str type_of_stack(const hpf__eventlog_names *n, hpf_str stack)
{
    return stack_depth(stack) > 0 ? find(&n->centre_ids, n->centres, id_at(stack, 0))->type
                                  : HPF_STR("");
}

/* Returns how many frames come before the functions of a stack. */
static size_t n_types(const hpf__eventlog_names *n, hpf_str stack)
{
    size_t depth = stack_depth(stack), i = 0;
    while (i < depth && find(&n->centre_ids, n->centres, id_at(stack, i))->type.length > 0) {
        i++;
    }
    return i;
}

/* Stores the index of the frame that names a stack, after those that come before the functions.
 * Returns HPF_OK or HPF_ERR_MEMORY. */
static hpf_status find_own(hpf__eventlog_names *n, hpf_str stack, size_t *own)
{
    hpf_frame frames[MAX_DEPTH];
    size_t depth = stack_depth(stack), first = n_types(n, stack);
    for (size_t i = first; i < depth; i++) {
        frames[i] = *find(&n->centre_ids, n->centres, id_at(stack, i));
    }
    if (!n->rules) {
        hpf_error err;
        hpf_status status = hpf_frame_rules_create(&n->own_rules, NULL, 0, false, &err);
        if (status != HPF_OK) {
            return HPF_ERR_MEMORY;
        }
        n->rules = n->own_rules;
    }
    *own = first + hpf_frame_rules_own(n->rules, frames + first, depth - first);
    return HPF_OK;
}

/* A log that was opened late may lack definitions. Such cost centres are shown by their numbers. */
static hpf_status define_missing(hpf__eventlog_names *n, hpf_str stack)
{
    hpf_status status = HPF_OK;
    size_t depth = stack_depth(stack);
    for (size_t i = 0; i < depth && status == HPF_OK; i++) {
        hpf_str id = id_at(stack, i);
        if (!find(&n->centre_ids, n->centres, id)) {
            char payload[40];
            memcpy(payload, id.data, CENTRE_ID_BYTES);
            int length = snprintf(payload + CENTRE_ID_BYTES, sizeof payload - CENTRE_ID_BYTES,
                                  "cost centre %u", (unsigned)hpf__read4(id.data));
            status = hpf__eventlog_names_define_centre(
                n, (hpf_str){payload, CENTRE_ID_BYTES + (size_t)length});
        }
    }
    return status;
}

static bool put_frame(hpf__buffer *buf, const hpf_frame *frame)
{
    if (hpf_str_is(frame->label, "CAF")) {
        return hpf__buffer_add(buf, frame->module) && hpf__buffer_add(buf, HPF_STR(".CAF"));
    }
    return hpf__buffer_add(buf, frame->label);
}

/* A log defines a label once, and uses it in any number of stacks. What names may take goes with
 * the stacks: 64 bytes for each frame, on average. */
enum { MOST_NAME_BYTES = 1 << 16, FIRST_NAME_BYTES = 1 << 22, NAME_BYTES_PER_BYTE = 16 };

/* Puts the text of a stack, from the frame `own` on, after its type; callers that there is no room
 * for become "...". */
static bool put_stack(hpf__eventlog_names *n, hpf__buffer *buf, hpf_str stack, size_t own)
{
    size_t depth = stack_depth(stack), begin = buf->length;
    n->n_key_bytes += stack.length;
    size_t most = FIRST_NAME_BYTES + n->n_key_bytes * NAME_BYTES_PER_BYTE;
    size_t room = most > n->n_name_bytes ? most - n->n_name_bytes : 0;
    room = room < MOST_NAME_BYTES ? room : MOST_NAME_BYTES;
    bool is_put = depth > 0 || hpf__buffer_add(buf, HPF_STR("MAIN"));
    size_t first = n_types(n, stack);
    for (size_t i = first > 0 ? 0 : own; i < depth && is_put;) {
        const hpf_frame *frame = find(&n->centre_ids, n->centres, id_at(stack, i));
        bool is_first = buf->length == begin;
        bool is_full = !is_first && buf->length - begin + frame->label.length > room;
        is_put = (is_first || hpf__buffer_add(buf, HPF_STR("/"))) &&
                 (is_full ? hpf__buffer_add(buf, HPF_STR("...")) : put_frame(buf, frame));
        i = is_full ? depth : i + 1 == first ? own : i + 1;
    }
    n->n_name_bytes += buf->length - begin;
    return is_put;
}

/* Bytes before the name in scratch, where a number may be put in front of it. */
#define NUMBER_ROOM 16

/* Defines the text in scratch as a name. If the name must be unique and exists already, the next
 * free number is put in front. */
static hpf_status add_text(hpf__eventlog_names *n, bool must_be_own, hpf_name *name, bool *is_new)
{
    char number[NUMBER_ROOM];
    char *text = n->scratch.bytes + NUMBER_ROOM;
    size_t length = n->scratch.length - NUMBER_ROOM;
    hpf_status status = hpf__intern_add(&n->texts, (hpf_str){text, length}, name, is_new);
    hpf_name first = *name;
    while (status == HPF_OK && must_be_own && !*is_new) {
        unsigned i = 2 + n->origins[first].n_alike++;
        size_t digits = (size_t)snprintf(number, sizeof number, "(%u)", i);
        memcpy(text - digits, number, digits);
        status =
            hpf__intern_add(&n->texts, (hpf_str){text - digits, length + digits}, name, is_new);
    }
    return status;
}

static bool begin_text(hpf__eventlog_names *n)
{
    n->scratch.length = 0;
    if (!hpf__buffer_reserve(&n->scratch, NUMBER_ROOM)) {
        return false;
    }
    n->scratch.length = NUMBER_ROOM;
    return true;
}

static hpf_status finish_name(hpf__eventlog_names *n, hpf__eventlog_origin origin, bool must_be_own,
                              hpf_name *name, bool *is_new)
{
    size_t needed = (size_t)n->texts.n_names + 1;
    if (!HPF__ARRAY_RESERVE(n->origins, n->origins_capacity, needed)) {
        return HPF_ERR_MEMORY;
    }
    hpf_status status = add_text(n, must_be_own, name, is_new);
    if (status == HPF_OK && *is_new) {
        n->origins[*name] = origin;
    }
    return status;
}

/* Stores the key of a stack as names show it: with functions in place of calls, unless by_line is
 * set, and without the frames inside `own`, unless by_stack or by_line is. Returns whether it
 * differs. */
static bool simplify(const hpf__eventlog_names *n, hpf_str stack, size_t own,
                     char simple[MAX_KEY_BYTES], hpf_str *key)
{
    size_t depth = stack_depth(stack), n_ids = 0;
    size_t first = n_types(n, stack);
    bool is_simpler = false;
    for (size_t i = 0; i < depth && !n->by_line; i++) {
        hpf_str id = id_at(stack, i);
        uint32_t number;
        hpf_str function =
            hpf__intern_find(&n->centre_ids, id, &number) ? function_of(n, number) : HPF_STR("");
        bool is_left_out = i >= first && i < own && !n->by_stack;
        is_simpler |= function.length > 0 || is_left_out;
        memcpy(simple + 1 + n_ids * CENTRE_ID_BYTES, function.length > 0 ? function.data : id.data,
               CENTRE_ID_BYTES);
        n_ids += !is_left_out;
    }
    simple[0] = (char)n_ids;
    *key = (hpf_str){simple, 1 + n_ids * CENTRE_ID_BYTES};
    return is_simpler;
}

/* Makes the name of a key that is new, the text of its stack or its type. */
static hpf_status name_stack(hpf__eventlog_names *n, hpf_str key, size_t own, uint32_t number,
                             bool *is_new)
{
    hpf_str type = n->by_stack ? HPF_STR("") : type_of_stack(n, key);
    bool is_type = type.length > 0;
    n->shares_names |= is_type;
    hpf__eventlog_origin origin = {.is_stack = !is_type, .is_type = is_type, .key = number};
    bool is_put = begin_text(n) && (is_type ? hpf__buffer_add(&n->scratch, type)
                                            : put_stack(n, &n->scratch, key, own));
    return is_put ? finish_name(n, origin, !is_type, hpf__eventlog_keys_name(&n->stacks, number),
                                is_new)
                  : HPF_ERR_MEMORY;
}

/* Gives a new key the name of a simpler stack, which may be in the log, too. */
static hpf_status name_as(hpf__eventlog_names *n, hpf_str simple, uint32_t number, bool *is_new)
{
    uint32_t number_of_simple;
    uint32_t last = n->stacks.last;
    size_t own;
    hpf_status status = hpf__eventlog_keys_add(&n->stacks, simple, &number_of_simple, is_new);
    n->stacks.last = last; /* the samples of the log have the other key */
    if (status == HPF_OK && *is_new) {
        status = find_own(n, simple, &own);
        status = status ? status : name_stack(n, simple, own, number_of_simple, is_new);
    }
    if (status == HPF_OK && !HPF__ARRAY_RESERVE(n->alike, n->alike_capacity, (size_t)number + 1)) {
        status = HPF_ERR_MEMORY;
    }
    if (status == HPF_OK) {
        hpf_name name = *hpf__eventlog_keys_name(&n->stacks, number_of_simple);
        n->shares_names = true;
        *hpf__eventlog_keys_name(&n->stacks, number) = name;
        n->alike[number] = n->origins[name].last_alike;
        n->origins[name].last_alike = number + 1;
    }
    return status;
}

hpf_status hpf__eventlog_names_of_stack(hpf__eventlog_names *n, hpf_str key, hpf_name *name,
                                        bool *is_new)
{
    uint32_t number;
    char simple[MAX_KEY_BYTES];
    hpf_str simple_key;
    size_t own = 0;
    *is_new = false;
    hpf_status status = hpf__eventlog_keys_add(&n->stacks, key, &number, is_new);
    if (status == HPF_OK && *is_new) {
        status = define_missing(n, key);
        status = status ? status : find_own(n, key, &own);
    }
    if (status == HPF_OK && *is_new) {
        status = simplify(n, key, own, simple, &simple_key)
                     ? name_as(n, simple_key, number, is_new)
                     : name_stack(n, key, own, number, is_new);
    }
    *name = status == HPF_OK ? *hpf__eventlog_keys_name(&n->stacks, number) : 0;
    return status;
}

hpf_status hpf__eventlog_names_of_label(hpf__eventlog_names *n, hpf_str key, hpf_name *name,
                                        bool *is_new)
{
    uint32_t number;
    *is_new = false;
    hpf_status status = hpf__eventlog_keys_add(&n->labels, key, &number, is_new);
    if (status == HPF_OK && *is_new) {
        hpf_str label = without_nul(key);
        label = label.length ? label : HPF_STR("(no name)");
        hpf__eventlog_origin origin = {.key = number};
        status = n->labels_are_infos ? define_by_symbols(n, label) : HPF_OK;
        if (status != HPF_OK) {
            return status;
        }
        const hpf_frame *info = n->labels_are_infos ? info_of_label(n, label) : NULL;
        bool is_put = begin_text(n) && (info ? hpf__append_info_table(&n->scratch, info)
                                             : hpf__buffer_add(&n->scratch, label));
        status = is_put ? finish_name(n, origin, info != NULL,
                                      hpf__eventlog_keys_name(&n->labels, number), is_new)
                        : HPF_ERR_MEMORY;
    }
    *name = status == HPF_OK ? *hpf__eventlog_keys_name(&n->labels, number) : 0;
    return status;
}

/* --- frames --- */

size_t hpf__eventlog_names_frames(const hpf__eventlog_names *n, hpf_name name, hpf_frame *frames,
                                  size_t room)
{
    const hpf__eventlog_origin *origin = &n->origins[name];
    if (origin->is_type) {
        return 0;
    }
    if (!origin->is_stack) {
        hpf_str label = without_nul(n->labels.texts.names[origin->key]);
        const hpf_frame *info = n->labels_are_infos ? info_of_label(n, label) : NULL;
        if (info && room) {
            frames[0] = *info;
        }
        return info != NULL;
    }
    hpf_str stack = n->stacks.texts.names[origin->key];
    size_t depth = stack_depth(stack);
    for (size_t i = 0; i < depth && i < room; i++) {
        frames[i] = *find(&n->centre_ids, n->centres, id_at(stack, i));
    }
    return depth;
}

/* Gives a frame, a function, the place of a call in it. A second place leaves none. */
static void take_call(hpf_frame *frame, const hpf_frame *call)
{
    if (call->function_source.length == 0) {
        return;
    }
    if (frame->function_source.length == 0) {
        frame->source = call->source;
        frame->function_source = call->function_source;
    } else if (!hpf_str_equal(frame->source, call->source)) {
        frame->source = HPF_STR("");
    }
}

size_t hpf__eventlog_names_calls(const hpf__eventlog_names *n, hpf_name name, hpf_frame *frames,
                                 size_t room)
{
    const hpf__eventlog_origin *origin = &n->origins[name];
    size_t depth = hpf__eventlog_names_frames(n, name, frames, room);
    if (!origin->is_stack || depth > room) {
        return depth;
    }
    size_t first = n_types(n, n->stacks.texts.names[origin->key]);
    for (uint32_t next = origin->last_alike; next > 0; next = n->alike[next - 1]) {
        hpf_str stack = n->stacks.texts.names[next - 1];
        size_t n_left_out = stack_depth(stack) - depth;
        for (size_t i = first; i < depth; i++) {
            take_call(&frames[i], find(&n->centre_ids, n->centres, id_at(stack, n_left_out + i)));
        }
    }
    return depth;
}

/* Keys that were not guessed. */

static bool make_room(hpf__eventlog_keys *k)
{
    bool is_first = k->links == NULL;
    size_t needed = (size_t)k->texts.n_names + 2;
    if (!HPF__ARRAY_RESERVE(k->links, k->capacity, needed)) {
        return false;
    }
    if (is_first) {
        k->links[0] = (hpf__eventlog_key){0};
    }
    return true;
}

static hpf__eventlog_key link_of(hpf_str text)
{
    hpf__eventlog_key link = {.text = text};
    size_t n = text.length < HPF__KEY_HEAD_BYTES ? text.length : HPF__KEY_HEAD_BYTES;
    if (n) {
        memcpy(link.head, text.data, n);
    }
    link.head_bits = (uint32_t)((UINT64_C(1) << n) - 1);
    return link;
}

hpf_status hpf__eventlog_keys_add(hpf__eventlog_keys *k, hpf_str text, uint32_t *key, bool *is_new)
{
    if (!make_room(k)) {
        return HPF_ERR_MEMORY;
    }
    hpf_status status = hpf__intern_add(&k->texts, text, key, is_new);
    if (status != HPF_OK) {
        return status;
    }
    if (*is_new) {
        k->links[*key + 1] = link_of(k->texts.names[*key]);
    }
    k->links[k->last].next = *key + 1;
    k->last = *key + 1;
    return HPF_OK;
}

void hpf__eventlog_keys_finish(hpf__eventlog_keys *k)
{
    hpf__intern_finish(&k->texts);
    free(k->links);
    *k = (hpf__eventlog_keys){0};
}
