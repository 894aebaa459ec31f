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
#include "eventlog/eventlog_messages.h"
#include "eventlog/eventlog_names.h"

#define STACK_AT 12u /* in a sample, after capability and tick */

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
    hpf__stack_messages messages;
    hpf__intern items;          /* frames of their stacks */
    char (*item_addresses)[20]; /* in the last profile, those without a name */
    node *nodes;                /* nodes[0] is the root */
    size_t nodes_capacity;
    uint64_t n_ticks;
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
        hpf__stack_messages_finish(&t->messages);
        hpf__intern_finish(&t->items);
        free(t->nodes);
        free(t->samples);
        free(t);
    }
}

bool hpf_eventlog_time_has_begun(const hpf_eventlog_time *t)
{
    return t->n_ticks > 0 || t->metadata.tick_ns > 0;
}

uint64_t hpf_eventlog_time_n_ticks(const hpf_eventlog_time *t)
{
    return t->n_ticks;
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
    t->n_ticks++;
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
    bool is_stack;
    hpf_status status = hpf__stack_messages_note(&t->messages, event->payload, &is_stack);
    if (status != HPF_OK || !is_stack) {
        return status;
    }
    hpf_str stack = {t->messages.stack.bytes, t->messages.stack.length}, rest = stack;
    uint32_t at = 0;
    size_t n = 0;
    while (hpf__stack_messages_cut(&rest).length > 0) {
        n++;
    }
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        hpf_str item = hpf__stack_messages_cut(&stack);
        status = n - i > MOST_ITEMS ? HPF_OK : find_child(t, at, item, &at);
    }
    return status == HPF_OK ? count(t, event->time_ns, at, hpf__read4(t->messages.thread)) : status;
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
        status = t->metadata.tick_ns > 0 ? HPF_OK : note_message(t, event);
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
    if (*item.data != HPF__ITEM_IS_INFO) {
        hpf_str text = hpf__stack_messages_text(&t->messages, item);
        return (hpf_prof_centre){.label = text.length > 0 ? text : HPF_STR("(unknown)"),
                                 .srcloc = hpf__stack_messages_place(&t->messages, item)};
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
            .ticks = from->ticks,
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
