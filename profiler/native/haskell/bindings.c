/* SPDX-License-Identifier: BSD-2-Clause */
#include "bindings.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "native/collector/roots/piece_reader.h"

enum {
    MOST_NODES = 1 << 16,
    MOST_ENTRIES = 1 << 22,
    MOST_TEXT_BYTES = 1000,
    PIECE_WORDS = 500, /* of entries: a multiple of those of one */
};

/* The entry of an info table, by version: from `name` on, numbers of bytes in the texts. */
typedef struct entry_9_6 {
    uint64_t info;
    uint32_t name, closure, type, binding, module, file, span, unused;
} entry_9_6;

typedef struct entry_9_10 {
    uint32_t name, closure, type, binding, file, span;
} entry_9_10;

/* ---- Tables ---- */

/* Adds the `n` entries of a module; the addresses of their info tables are `stride` bytes from each
 * other. */
static void add_entries(hpp__haskell_bindings *p, const hpp__image *image,
                        hpp__haskell_bindings_node node, uint64_t n, uint64_t tables, size_t stride)
{
    uint64_t words[PIECE_WORDS];
    const size_t n_words = stride / sizeof *words, n_at_once = PIECE_WORDS / n_words;
    const size_t entry_bytes = p->layout->binding_bytes;
    node.end = node.entries + n * entry_bytes;
    if (n > MOST_ENTRIES - p->n_entries ||
        !HPF__ARRAY_PUSH(p->nodes, p->n_nodes, p->nodes_capacity, node)) {
        return;
    }
    p->n_entries += (size_t)n;
    for (uint64_t i = 0; i < n; i += n_at_once) {
        size_t n_read = n - i < n_at_once ? (size_t)(n - i) : n_at_once;
        if (!hpp__image_read(image, words, tables + i * stride, n_read * stride)) {
            return;
        }
        for (size_t k = 0; k < n_read; k++) {
            uint64_t info = words[k * n_words];
            uint64_t *entry = info != 0 ? hpp__map_add(&p->entry_of, info) : NULL;
            if (entry) {
                *entry = node.entries + (i + k) * entry_bytes;
            }
        }
    }
}

static int compare_nodes(const void *a, const void *b)
{
    const hpp__haskell_bindings_node *one = a, *other = b;
    return (one->entries > other->entries) - (one->entries < other->entries);
}

/* Adds the tables of a module. Returns the address of the next one's, 0 after the last. */
static uint64_t add_node(hpp__haskell_bindings *p, const hpp__image *image, uint64_t address)
{
    struct {
        uint64_t next, texts, n;
    } node_9_6;
    struct {
        uint64_t next, is_compressed, n, tables, entries, entries_bytes, texts, texts_bytes;
        uint32_t package, module;
    } node;
    if (p->layout->binding_bytes == sizeof(entry_9_6)) {
        if (!hpp__image_read(image, &node_9_6, address, sizeof node_9_6)) {
            return 0;
        }
        address += sizeof node_9_6;
        add_entries(p, image, (hpp__haskell_bindings_node){address, 0, node_9_6.texts, 0},
                    node_9_6.n, address, sizeof(entry_9_6));
        return node_9_6.next;
    }
    if (!hpp__image_read(image, &node, address, sizeof node)) {
        return 0;
    }
    if (!node.is_compressed) {
        add_entries(p, image,
                    (hpp__haskell_bindings_node){node.entries, 0, node.texts, node.module}, node.n,
                    node.tables, sizeof node.tables);
    }
    return node.next;
}

void hpp__haskell_bindings_read(hpp__haskell_bindings *p, const hpp__image *image,
                                const hpp_haskell_layout *layout, uint64_t variable)
{
    uint64_t list = 0;
    if (variable == 0 || layout->binding_bytes == 0 ||
        !hpp__image_read(image, &list, variable, sizeof list) || list == p->list) {
        return;
    }
    p->layout = layout;
    p->list = list;
    p->n_nodes = p->n_entries = 0;
    hpp__map_clear(&p->entry_of);
    for (size_t i = 0; list != 0 && i < MOST_NODES; i++) {
        list = add_node(p, image, list);
    }
    HPF__ARRAY_SORT(p->nodes, p->n_nodes, compare_nodes);
}

void hpp__haskell_bindings_finish(hpp__haskell_bindings *p)
{
    free(p->nodes);
    hpp__map_finish(&p->entry_of);
    hpf__intern_finish(&p->texts);
    *p = (hpp__haskell_bindings){0};
}

/* ---- Bindings ---- */

static bool is_text(unsigned char c)
{
    return c >= ' ';
}

/* Returns a text; empty if it is, or cannot be read. */
static hpf_str text_at(hpp__haskell_bindings *p, const hpp__image *image, uint64_t address)
{
    hpp__text text = {0};
    uint32_t number = 0;
    bool is_new;
    bool is_good = hpp__image_text(image, &text, address, MOST_TEXT_BYTES, is_text) &&
                   hpf__intern_add(&p->texts, hpp__text_str(&text), &number, &is_new) == HPF_OK;
    hpp__text_finish(&text);
    return is_good ? p->texts.names[number] : HPF_STR("");
}

/* Returns the first line of "12:5-30" or "(12,1)-(20,9)"; 0 if there is none. */
static uint32_t first_line(hpf_str span)
{
    uint32_t line = 0;
    for (size_t i = span.length > 0 && span.data[0] == '('; i < span.length; i++) {
        if (!isdigit((unsigned char)span.data[i]) || line > UINT32_MAX / 20) {
            break;
        }
        line = 10 * line + (uint32_t)(span.data[i] - '0');
    }
    return line;
}

bool hpp__haskell_bindings_find(hpp__haskell_bindings *p, const hpp__image *image, uint64_t info,
                                hpp__haskell_binding *out)
{
    const uint64_t *at = hpp__map_find(&p->entry_of, info);
    size_t n;
    HPF__ARRAY_BISECT(n, p->n_nodes, i, p->nodes[i].entries <= (at ? *at : 0));
    const hpp__haskell_bindings_node *node = at && n > 0 ? &p->nodes[n - 1] : NULL;
    if (!node || *at >= node->end) {
        return false;
    }
    entry_9_6 entry = {0};
    entry_9_10 other;
    if (p->layout->binding_bytes == sizeof entry) {
        if (!hpp__image_read(image, &entry, *at, sizeof entry)) {
            return false;
        }
    } else if (hpp__image_read(image, &other, *at, sizeof other)) {
        entry.binding = other.binding;
        entry.module = node->module;
        entry.file = other.file;
        entry.span = other.span;
    } else {
        return false;
    }
    *out = (hpp__haskell_binding){
        .name = text_at(p, image, node->texts + entry.binding),
        .module = text_at(p, image, node->texts + entry.module),
        .file = text_at(p, image, node->texts + entry.file),
        .line = first_line(text_at(p, image, node->texts + entry.span)),
    };
    return out->name.length > 0 && out->module.length > 0;
}
