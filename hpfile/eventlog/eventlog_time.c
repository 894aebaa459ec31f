/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks become nodes of a tree when they are first seen, and then are looked up by their bytes.
 * Nodes keep the numbers of cost centres, which may be defined later. Stacks of ghc-stack-profiler
 * become nodes of the same tree, by the bytes of their items.
 */
#include "hpfile/eventlog.h"
#include "hpfile/prof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/big_endian.h"
#include "base/words.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/str.h"
#include "prof/prof_file.h"
#include "eventlog/eventlog_names.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/intern.h"
#include "hpfile/error.h"
#include "base/utf8.h"

/* ---- Stacks in messages ---------------------------------------------------------------------- */

/* The messages of the package ghc-stack-profiler in USER_BINARY_MSG records: the stack of a
 * thread at a moment, and the texts that stacks refer to by numbers.
 *
 * A message begins with two bytes that say what it is; numbers are big-endian:
 *
 *   FF CA  the rest of a stack: capability:4 thread:4 count:2 item...
 *   FF CB  a part of a stack, the same
 *   FF CC  a text: id:8 characters:2 UTF-8
 *   FF CD  a place in source: id:8 line:4 column:4 file:8, which is the id of a text
 *
 * Items are outermost first: 01 and the address of an info table, 02 and the id of a text, 03
 * and the ids of a text and a place, all of 8 bytes.
 *
 * Chunks of a stack are joined as they come in the records of one capability: the profiler writes
 * them from the outermost to the innermost, and blocks of other capabilities may stand between.
 * Chunks of another thread begin another stack. */

/* The first byte of an item. */
enum { ITEM_IS_INFO = 1, ITEM_IS_TEXT = 2, ITEM_IS_PLACED_TEXT = 3 };

typedef struct chunks {
    char thread[8];    /* the capability and thread of `stack` */
    hpf__buffer stack; /* the items of a stack so far */
    bool is_whole;     /* no more of them will come */
} chunks;

/* All zero is a log without messages. */
typedef struct stack_messages {
    hpf_arena *arena;
    hpf__intern ids; /* FF CC or FF CD without the FF, and the id */
    hpf_str *texts;  /* by the number of their id */
    size_t texts_capacity;
    chunks *chunks; /* of each capability, after those of none */
    size_t chunks_capacity;
} stack_messages;

enum { REST = 0xffca, PART = 0xffcb, TEXT = 0xffcc, PLACE = 0xffcd };

#define TAG_BYTES   2u
#define ID_BYTES    8u
#define KEY_BYTES   (1 + ID_BYTES) /* the tag's second byte, and an id */
#define HEAD_BYTES  (TAG_BYTES + 8u + 2u)
#define TEXT_AT     (TAG_BYTES + ID_BYTES + 2u)
#define PLACE_BYTES (TAG_BYTES + ID_BYTES + 4u + 4u + ID_BYTES)

static void stack_messages_finish(stack_messages *m)
{
    hpf__intern_finish(&m->ids);
    for (size_t i = 0; i < m->chunks_capacity; i++) {
        hpf__buffer_finish(&m->chunks[i].stack);
    }
    free(m->chunks);
    hpf_arena_destroy(m->arena);
    free(m->texts);
    *m = (stack_messages){0};
}

static hpf_str find(const stack_messages *m, unsigned tag, const char *id)
{
    char key[KEY_BYTES] = {(char)tag};
    uint32_t number;
    memcpy(key + 1, id, ID_BYTES);
    return hpf__intern_find(&m->ids, (hpf_str){key, sizeof key}, &number) ? m->texts[number]
                                                                          : HPF_STR("");
}

/* Returns the text of an item that has one, and the place of one that has a place; empty if it was
 * not defined. Borrowed. */
static hpf_str stack_messages_text(const stack_messages *m, hpf_str item)
{
    return *item.data == ITEM_IS_INFO ? HPF_STR("") : find(m, TEXT, item.data + 1);
}

static hpf_str stack_messages_place(const stack_messages *m, hpf_str item)
{
    return *item.data == ITEM_IS_PLACED_TEXT ? find(m, PLACE, item.data + 1 + ID_BYTES)
                                             : HPF_STR("");
}

/* Defines what a message has the id of, again if it was defined before. */
static hpf_status define(stack_messages *m, hpf_str payload, hpf_str text)
{
    uint32_t number;
    bool is_new;
    hpf_str id = {payload.data + 1, KEY_BYTES};
    m->arena = m->arena ? m->arena : hpf_arena_create();
    hpf_str copy = m->arena ? hpf_arena_str(m->arena, text) : (hpf_str){0};
    if (!copy.data ||
        !HPF__ARRAY_RESERVE(m->texts, m->texts_capacity, m->ids.n_names + (size_t)1)) {
        return HPF_ERR_MEMORY;
    }
    hpf_status status = hpf__intern_add(&m->ids, id, &number, &is_new);
    if (status == HPF_OK) {
        m->texts[number] = copy;
    }
    return status;
}

static hpf_status define_place(stack_messages *m, hpf_str payload)
{
    hpf__buffer text = {0};
    char place[32];
    const char *p = payload.data + TAG_BYTES + ID_BYTES;
    hpf_str file = find(m, TEXT, p + 8);
    int n = snprintf(place, sizeof place, ":%u:%u", (unsigned)hpf__read4(p),
                     (unsigned)hpf__read4(p + 4));
    hpf_status status = HPF_ERR_MEMORY;
    if (hpf__buffer_add(&text, file) && hpf__buffer_append(&text, place, (size_t)n)) {
        status = define(m, payload, hpf__buffer_str(&text));
    }
    hpf__buffer_finish(&text);
    return status;
}

/* Cuts the next item from the begin of items; empty if there is none, or an invalid one. */
static hpf_str stack_messages_cut(hpf_str *items)
{
    size_t n = items->length == 0                    ? 0
               : *items->data == ITEM_IS_INFO        ? 1 + ID_BYTES
               : *items->data == ITEM_IS_TEXT        ? 1 + ID_BYTES
               : *items->data == ITEM_IS_PLACED_TEXT ? 1 + 2 * ID_BYTES
                                                     : 0;
    hpf_str item = {items->data, n <= items->length ? n : 0};
    *items = hpf_str_from(*items, item.length);
    return item;
}

/* Returns the first `n` items of a text; empty if there are fewer. */
static hpf_str first_items(hpf_str text, size_t n)
{
    hpf_str rest = text;
    while (n > 0 && stack_messages_cut(&rest).length > 0) {
        n--;
    }
    return (hpf_str){text.data, n == 0 ? text.length - rest.length : 0};
}

/* Stores the chunks so far if these items end a stack, else NULL. */
static hpf_status add_items(stack_messages *m, const hpf_event *event, const chunks **whole)
{
    hpf_str payload = event->payload;
    const char *thread = payload.data + TAG_BYTES;
    size_t n = hpf__read2(payload.data + HEAD_BYTES - 2);
    size_t at = event->cap == HPF_EVENT_NO_CAP ? 0 : event->cap + (size_t)1;
    if (!HPF__ARRAY_RESERVE_ZEROED(m->chunks, m->chunks_capacity, at + 1)) {
        return HPF_ERR_MEMORY;
    }
    chunks *c = &m->chunks[at];
    if (c->is_whole || memcmp(c->thread, thread, sizeof c->thread) != 0) {
        c->stack.length = 0;
        memcpy(c->thread, thread, sizeof c->thread);
    }
    c->is_whole = hpf__read2(payload.data) == REST;
    if (!hpf__buffer_add(&c->stack, first_items(hpf_str_from(payload, HEAD_BYTES), n))) {
        return HPF_ERR_MEMORY;
    }
    *whole = c->is_whole && c->stack.length > 0 ? c : NULL;
    return HPF_OK;
}

/* Reads a record, and stores the chunks of a stack that it ended, until the next call, else NULL.
 * Other messages, and invalid ones, are ignored. Returns HPF_OK, HPF_ERR_MEMORY or
 * HPF_ERR_LIMIT. */
static hpf_status stack_messages_note(stack_messages *m, const hpf_event *event,
                                      const chunks **whole)
{
    hpf_str payload = event->payload;
    unsigned tag = payload.length < TAG_BYTES ? 0 : hpf__read2(payload.data);
    *whole = NULL;
    if ((tag == REST || tag == PART) && payload.length >= HEAD_BYTES) {
        return add_items(m, event, whole);
    }
    if (tag == TEXT && payload.length >= TEXT_AT) {
        size_t n = hpf__read2(payload.data + TEXT_AT - 2);
        hpf_str text = hpf_str_from(payload, TEXT_AT);
        text.length = hpf_utf8_bytes(text, n);
        return define(m, payload, text);
    }
    return tag == PLACE && payload.length >= PLACE_BYTES ? define_place(m, payload) : HPF_OK;
}

#define STACK_AT 12u /* in a sample, after capability and tick */

/* --- Stacks --- */

/* Of longer stacks of ghc-stack-profiler, the innermost frames are read. */
enum { MOST_ITEMS = 1000 };

typedef struct node {
    uint32_t parent;
    bool is_item;
    uint32_t centre_id; /* its number in the log, or in `items` */
    uint64_t ticks;
} node;

struct hpf_eventlog_time {
    hpf_eventlog_metadata metadata;
    hpf__eventlog_names names; /* for the cost centres */
    hpf__eventlog_keys stacks; /* to nodes */
    hpf__intern children;      /* (parent, cost centre or item) to node - 1 */
    stack_messages messages;
    hpf__intern items;          /* frames of their stacks */
    char (*item_addresses)[20]; /* in the last profile, those without a name */
    node *nodes;                /* nodes[0] is the root */
    size_t nodes_capacity;
    uint64_t n_ticks[2]; /* of cost centres, and of messages */
    uint32_t n_caps;
    bool keeps_order;
    hpf_time_sample *samples;
    size_t n_samples, samples_capacity;
    hpf_str *words; /* of the last profile */
    hpf_prof_centre *prof_centres;
    hpf_prof_stack *prof_stacks;
};

hpf_eventlog_time *hpf_eventlog_time_create(void)
{
    hpf_eventlog_time *t = calloc(1, sizeof *t);
    if (!t || !HPF__ARRAY_RESERVE(t->nodes, t->nodes_capacity, 1)) {
        free(t);
        return NULL;
    }
    t->nodes[0] = (node){.parent = HPF_PROF_NO_PARENT};
    return t;
}

static void drop_profile(hpf_eventlog_time *t)
{
    free(t->words);
    free(t->prof_centres);
    free(t->prof_stacks);
    free(t->item_addresses);
    t->item_addresses = NULL;
    t->words = NULL;
    t->prof_centres = NULL;
    t->prof_stacks = NULL;
}

void hpf_eventlog_time_destroy(hpf_eventlog_time *t)
{
    if (t) {
        drop_profile(t);
        hpf_eventlog_metadata_finish(&t->metadata);
        hpf__eventlog_names_finish(&t->names);
        hpf__eventlog_keys_finish(&t->stacks);
        hpf__intern_finish(&t->children);
        stack_messages_finish(&t->messages);
        hpf__intern_finish(&t->items);
        free(t->nodes);
        free(t->samples);
        free(t);
    }
}

/* Whether the stacks of messages are ticks: not in a log of GHC's own profiler, which may say that
 * it began after them, since blocks of capabilities are written when they are full. */
static bool counts_messages(const hpf_eventlog_time *t)
{
    return t->metadata.tick_ns == 0;
}

bool hpf_eventlog_time_has_begun(const hpf_eventlog_time *t)
{
    return hpf_eventlog_time_n_ticks(t) > 0 || t->metadata.tick_ns > 0;
}

uint64_t hpf_eventlog_time_n_ticks(const hpf_eventlog_time *t)
{
    return t->n_ticks[false] + (counts_messages(t) ? t->n_ticks[true] : 0);
}

/* --- samples --- */

/* Stores the child of a node for a cost centre, of 4 bytes, or an item, which is longer. */
static hpf_status find_child(hpf_eventlog_time *t, uint32_t parent, hpf_str id, uint32_t *child)
{
    char key[32];
    bool is_new, is_item = id.length > 4;
    uint32_t number = 0;
    memcpy(key, &parent, 4);
    memcpy(key + 4, id.data, id.length);
    if (!HPF__ARRAY_RESERVE(t->nodes, t->nodes_capacity, (size_t)t->children.n_names + 2)) {
        return HPF_ERR_MEMORY;
    }
    hpf_status status = is_item ? hpf__intern_add(&t->items, id, &number, &is_new) : HPF_OK;
    status = status == HPF_OK
                 ? hpf__intern_add(&t->children, (hpf_str){key, 4 + id.length}, child, &is_new)
                 : status;
    if (status == HPF_OK) {
        ++*child;
        if (is_new) {
            t->nodes[*child] = (node){parent, is_item, is_item ? number : hpf__read4(id.data), 0};
        }
    }
    return status;
}

/* Returns the node of a stack, descending from the root, outermost frame first. */
static hpf_status find_node(hpf_eventlog_time *t, hpf_str stack, uint32_t *out)
{
    size_t depth = (unsigned char)stack.data[0];
    size_t there = (stack.length - 1) / 4;
    hpf_status status = HPF_OK;
    *out = 0;
    for (size_t i = depth < there ? depth : there; i-- > 0 && status == HPF_OK;) {
        status = find_child(t, *out, (hpf_str){stack.data + 1 + 4 * i, 4}, out);
    }
    return status;
}

static hpf_status keep_sample(hpf_eventlog_time *t, uint64_t time_ns, uint32_t stack, uint32_t cap)
{
    if (!HPF__ARRAY_RESERVE(t->samples, t->samples_capacity, t->n_samples + 1)) {
        return HPF_ERR_MEMORY;
    }
    t->samples[t->n_samples++] = (hpf_time_sample){time_ns, stack, (uint16_t)cap};
    return HPF_OK;
}

static hpf_status count(hpf_eventlog_time *t, uint64_t time_ns, uint32_t at, uint32_t cap)
{
    t->nodes[at].ticks++;
    t->n_ticks[t->nodes[at].is_item]++;
    t->n_caps = cap >= t->n_caps && cap < UINT16_MAX ? cap + 1 : t->n_caps;
    return t->keeps_order ? keep_sample(t, time_ns, at, cap) : HPF_OK;
}

static hpf_status note_sample(hpf_eventlog_time *t, const hpf_event *event)
{
    hpf_str payload = event->payload;
    uint32_t at = 0;
    uint32_t key;
    bool is_new;
    if (payload.length <= STACK_AT) {
        return HPF_OK;
    }
    uint32_t cap = hpf__read4(payload.data);
    hpf_str stack = hpf_str_from(payload, STACK_AT);
    hpf_status status = HPF_OK;
    if (!hpf__eventlog_keys_guess(&t->stacks, stack, &at)) {
        status = hpf__eventlog_keys_add(&t->stacks, stack, &key, &is_new);
        if (status == HPF_OK && is_new) {
            status = find_node(t, stack, hpf__eventlog_keys_name(&t->stacks, key));
        }
        at = status == HPF_OK ? *hpf__eventlog_keys_name(&t->stacks, key) : 0;
    }
    return status == HPF_OK ? count(t, event->time_ns, at, cap) : status;
}

/* Counts a stack of ghc-stack-profiler as a tick. */
static hpf_status note_message(hpf_eventlog_time *t, const hpf_event *event)
{
    const chunks *whole;
    hpf_status status = stack_messages_note(&t->messages, event, &whole);
    if (status != HPF_OK || !whole) {
        return status;
    }
    hpf_str stack = hpf__buffer_str(&whole->stack), rest = stack;
    uint32_t at = 0;
    size_t n = 0;
    while (stack_messages_cut(&rest).length > 0) {
        n++;
    }
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        hpf_str item = stack_messages_cut(&stack);
        status = n - i > MOST_ITEMS ? HPF_OK : find_child(t, at, item, &at);
    }
    return status == HPF_OK ? count(t, event->time_ns, at, hpf__read4(whole->thread)) : status;
}

hpf_status hpf_eventlog_time_note(hpf_eventlog_time *t, const hpf_event *event, hpf_error *err)
{
    hpf_status status = HPF_OK;
    switch (event->type->id) {
    case HPF__EVENT_PROF_SAMPLE_COST_CENTRE:
        status = note_sample(t, event);
        break;
    case HPF__EVENT_HEAP_PROF_COST_CENTRE:
        status = hpf__eventlog_names_define_centre(&t->names, event->payload);
        break;
    case HPF__EVENT_IPE:
        status = hpf__eventlog_names_define_info(&t->names, event->payload);
        break;
    case HPF__EVENT_USER_BINARY_MSG:
        status = counts_messages(t) ? note_message(t, event) : HPF_OK;
        break;
    default:
        return hpf_eventlog_metadata_note(&t->metadata, event, err);
    }
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(err, status, "more than 2^30 stacks");
    }
    return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
}

void hpf_eventlog_time_keep_order(hpf_eventlog_time *t)
{
    t->keeps_order = true;
}

static int compare_samples(const void *left, const void *right)
{
    const hpf_time_sample *a = left;
    const hpf_time_sample *b = right;
    int order = (a->cap > b->cap) - (a->cap < b->cap);
    order = order ? order : (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
    return order ? order : (a->stack > b->stack) - (a->stack < b->stack);
}

const hpf_time_sample *hpf_eventlog_time_samples(hpf_eventlog_time *t, size_t *n_samples)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_samples; i++) {
        if (counts_messages(t) || !t->nodes[t->samples[i].stack].is_item) {
            t->samples[n++] = t->samples[i];
        }
    }
    t->n_samples = n;
    HPF__ARRAY_SORT(t->samples, t->n_samples, compare_samples);
    *n_samples = t->n_samples;
    return t->samples;
}

/* --- the profile --- */

static hpf_prof_centre centre_of(const hpf_eventlog_time *t, uint32_t index)
{
    const hpf_frame *f = &t->names.centres[index];
    return (hpf_prof_centre){.label = f->label,
                             .module = f->module,
                             .srcloc = f->source,
                             .id = hpf__read4(t->names.centre_ids.names[index].data),
                             .is_caf = f->is_caf,
                             .is_hidden = hpf__prof_hides(f->label, f->source)};
}

/* A frame without a name is its address. */
static hpf_prof_centre centre_of_item(const hpf_eventlog_time *t, uint32_t index)
{
    hpf_str item = t->items.names[index];
    char *address = t->item_addresses[index];
    uint32_t info;
    if (*item.data != ITEM_IS_INFO) {
        hpf_str text = stack_messages_text(&t->messages, item);
        return (hpf_prof_centre){.label = text.length > 0 ? text : HPF_STR("(unknown)"),
                                 .srcloc = stack_messages_place(&t->messages, item)};
    }
    if (hpf__intern_find(&t->names.info_addresses, hpf_str_from(item, 1), &info)) {
        const hpf_frame *f = &t->names.infos[info];
        return (hpf_prof_centre){.label = f->label.length > 0 ? f->label : f->table,
                                 .module = f->module,
                                 .srcloc = f->source};
    }
    snprintf(address, sizeof *t->item_addresses, "0x%llx",
             (unsigned long long)hpf__read8(item.data + 1));
    return (hpf_prof_centre){.label = hpf_str_of(address)};
}

/* Lists the definitions, then one for the root, one for what is not defined, and the items. Returns
 * the index of the root's. */
static uint32_t list_centres(hpf_eventlog_time *t, hpf_prof *out)
{
    uint32_t n = t->names.centre_ids.n_names;
    uint32_t root = n;
    for (uint32_t i = 0; i < n; i++) {
        t->prof_centres[i] = centre_of(t, i);
        bool is_main = hpf_str_is(t->prof_centres[i].label, "MAIN") &&
                       hpf_str_is(t->prof_centres[i].module, "MAIN");
        root = is_main ? i : root;
    }
    t->prof_centres[n] = (hpf_prof_centre){.label = HPF_STR("MAIN"), .module = HPF_STR("MAIN")};
    t->prof_centres[n + 1] =
        (hpf_prof_centre){.label = HPF_STR("(unknown)"), .module = HPF_STR("(unknown)")};
    for (uint32_t i = 0; i < t->items.n_names; i++) {
        t->prof_centres[n + 2 + i] = centre_of_item(t, i);
        t->prof_centres[n + 2 + i].id = i;
    }
    out->centres = t->prof_centres;
    out->n_centres = (size_t)n + 2 + t->items.n_names;
    return root;
}

static uint32_t index_of_centre(const hpf_eventlog_time *t, uint32_t id)
{
    char key[4];
    uint32_t index;
    for (int i = 0; i < 4; i++) {
        key[i] = (char)(id >> 8 * (3 - i));
    }
    return hpf__intern_find(&t->names.centre_ids, (hpf_str){key, sizeof key}, &index)
               ? index
               : t->names.centre_ids.n_names + 1;
}

static void list_stacks(hpf_eventlog_time *t, hpf_prof *out, uint32_t root)
{
    size_t n = (size_t)t->children.n_names + 1;
    for (size_t i = 0; i < n; i++) {
        const node *from = &t->nodes[i];
        t->prof_stacks[i] = (hpf_prof_stack){
            .centre_index = i == 0          ? root
                            : from->is_item ? t->names.centre_ids.n_names + 2 + from->centre_id
                                            : index_of_centre(t, from->centre_id),
            .parent_index = from->parent,
            .id = i + 1,
            .ticks = from->is_item && !counts_messages(t) ? 0 : from->ticks,
        };
    }
    out->stacks = t->prof_stacks;
    out->n_stacks = n;
}

/* Lists the words of JOB: the program's, then +RTS and the options. */
static void list_words(hpf_eventlog_time *t, hpf_prof *out)
{
    size_t n = 0;
    for (hpf_str job = t->metadata.job; job.length > 0;) {
        t->words[n++] = hpf__take_until(&job, ' ');
    }
    size_t rts = n ? 1 : 0;
    out->program = n ? t->words[0] : HPF_STR("(unknown)");
    out->command = out->program;
    out->arguments = t->words + rts;
    while (rts < n && !hpf_str_is(t->words[rts], "+RTS")) {
        rts++;
    }
    out->n_arguments = n ? rts - 1 : 0;
    out->options = t->words + rts + (rts < n);
    out->n_options = n - rts - (rts < n);
}

hpf_status hpf_eventlog_time_profile(hpf_eventlog_time *t, hpf_prof *out, hpf_error *err)
{
    size_t n_centres = (size_t)t->names.centre_ids.n_names + 2 + t->items.n_names;
    size_t n_stacks = (size_t)t->children.n_names + 1;
    *out = (hpf_prof){0};
    drop_profile(t);
    t->words = calloc(t->metadata.job.length + 2, sizeof *t->words);
    t->prof_centres = calloc(n_centres, sizeof *t->prof_centres);
    t->prof_stacks = calloc(n_stacks, sizeof *t->prof_stacks);
    t->item_addresses = calloc((size_t)t->items.n_names + 1, sizeof *t->item_addresses);
    if (!t->words || !t->prof_centres || !t->prof_stacks || !t->item_addresses) {
        return hpf_error_set_memory(err);
    }
    list_words(t, out);
    list_stacks(t, out, list_centres(t, out));
    out->date = t->metadata.date;
    out->tick_us = t->metadata.tick_ns / 1000;
    out->n_processors = t->n_caps;
    return HPF_OK;
}
