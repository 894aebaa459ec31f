/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chunks of a stack are joined as they come: the profiler writes them from the outermost to the
 * innermost. Chunks of another thread begin another stack.
 */
#include "eventlog/eventlog_messages.h"

#include <stdio.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/utf8.h"

enum { REST = 0xffca, PART = 0xffcb, TEXT = 0xffcc, PLACE = 0xffcd };

#define TAG_BYTES   2u
#define ID_BYTES    8u
#define KEY_BYTES   (1 + ID_BYTES) /* the tag's second byte, and an id */
#define HEAD_BYTES  (TAG_BYTES + 8u + 2u)
#define TEXT_AT     (TAG_BYTES + ID_BYTES + 2u)
#define PLACE_BYTES (TAG_BYTES + ID_BYTES + 4u + 4u + ID_BYTES)

void hpf__stack_messages_finish(hpf__stack_messages *m)
{
    hpf__intern_finish(&m->ids);
    hpf__buffer_finish(&m->stack);
    hpf_arena_destroy(m->arena);
    free(m->texts);
    *m = (hpf__stack_messages){0};
}

static hpf_str find(const hpf__stack_messages *m, unsigned tag, const char *id)
{
    char key[KEY_BYTES] = {(char)tag};
    uint32_t number;
    memcpy(key + 1, id, ID_BYTES);
    return hpf__intern_find(&m->ids, (hpf_str){key, sizeof key}, &number) ? m->texts[number]
                                                                          : HPF_STR("");
}

hpf_str hpf__stack_messages_text(const hpf__stack_messages *m, hpf_str item)
{
    return *item.data == HPF__ITEM_IS_INFO ? HPF_STR("") : find(m, TEXT, item.data + 1);
}

hpf_str hpf__stack_messages_place(const hpf__stack_messages *m, hpf_str item)
{
    return *item.data == HPF__ITEM_IS_PLACED_TEXT ? find(m, PLACE, item.data + 1 + ID_BYTES)
                                                  : HPF_STR("");
}

/* Defines what a message has the id of, again if it was defined before. */
static hpf_status define(hpf__stack_messages *m, hpf_str payload, hpf_str text)
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

static hpf_status define_place(hpf__stack_messages *m, hpf_str payload)
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

hpf_str hpf__stack_messages_cut(hpf_str *items)
{
    size_t n = items->length == 0                         ? 0
               : *items->data == HPF__ITEM_IS_INFO        ? 1 + ID_BYTES
               : *items->data == HPF__ITEM_IS_TEXT        ? 1 + ID_BYTES
               : *items->data == HPF__ITEM_IS_PLACED_TEXT ? 1 + 2 * ID_BYTES
                                                          : 0;
    hpf_str item = {items->data, n <= items->length ? n : 0};
    *items = hpf_str_from(*items, item.length);
    return item;
}

/* Returns the first `n` items of a text; empty if there are fewer. */
static hpf_str first_items(hpf_str text, size_t n)
{
    hpf_str rest = text;
    while (n > 0 && hpf__stack_messages_cut(&rest).length > 0) {
        n--;
    }
    return (hpf_str){text.data, n == 0 ? text.length - rest.length : 0};
}

static hpf_status add_items(hpf__stack_messages *m, hpf_str payload)
{
    const char *thread = payload.data + TAG_BYTES;
    size_t n = hpf__read2(payload.data + HEAD_BYTES - 2);
    hpf_str items = first_items(hpf_str_from(payload, HEAD_BYTES), n);
    if (m->is_whole || memcmp(m->thread, thread, sizeof m->thread) != 0) {
        m->stack.length = 0;
        memcpy(m->thread, thread, sizeof m->thread);
    }
    m->is_whole = hpf__read2(payload.data) == REST;
    return hpf__buffer_add(&m->stack, items) ? HPF_OK : HPF_ERR_MEMORY;
}

hpf_status hpf__stack_messages_note(hpf__stack_messages *m, hpf_str payload, bool *is_stack)
{
    unsigned tag = payload.length < TAG_BYTES ? 0 : hpf__read2(payload.data);
    *is_stack = false;
    if ((tag == REST || tag == PART) && payload.length >= HEAD_BYTES) {
        hpf_status status = add_items(m, payload);
        *is_stack = status == HPF_OK && m->is_whole && m->stack.length > 0;
        return status;
    }
    if (tag == TEXT && payload.length >= TEXT_AT) {
        size_t n = hpf__read2(payload.data + TEXT_AT - 2);
        hpf_str text = hpf_str_from(payload, TEXT_AT);
        text.length = hpf_utf8_bytes(text, n);
        return define(m, payload, text);
    }
    return tag == PLACE && payload.length >= PLACE_BYTES ? define_place(m, payload) : HPF_OK;
}
