/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/frame_tree.h"

#include "base/array.h"
#include "hpfile/str.h"

typedef struct shared_frame {
    uint32_t label, module, source, function_source; /* numbers of texts */
} shared_frame;

static hpf_frame frame_of(const hpf__frame_tree *tree, uint32_t number)
{
    shared_frame f;
    memcpy(&f, tree->frames.names[number].data, sizeof f);
    const hpf_str *texts = tree->texts.names;
    return (hpf_frame){.label = texts[f.label],
                       .module = texts[f.module],
                       .source = texts[f.source],
                       .function_source = texts[f.function_source]};
}

/* Stores the number of a text. One that is used again is mostly at the same address: comparing a
 * long text takes a fraction of the time of finding it. */
static hpf_status add_text(hpf__frame_tree *tree, hpf_str text, uint32_t *number)
{
    bool is_new;
    uint32_t *recent = &tree->recent[hpf__hash_word((uintptr_t)text.data) % HPF__RECENT_TEXTS];
    if (*recent < tree->texts.n_names && hpf_str_equal(tree->texts.names[*recent], text)) {
        *number = *recent;
        return HPF_OK;
    }
    hpf_status status = hpf__intern_add(&tree->texts, text, number, &is_new);
    if (status == HPF_OK) {
        tree->n_text_bytes += is_new ? text.length : 0;
        *recent = *number;
    }
    return status;
}

static hpf_status add_frame(hpf__frame_tree *tree, const hpf_frame *frame, uint32_t *number)
{
    shared_frame f;
    bool is_new;
    hpf_status status = add_text(tree, frame->label, &f.label);
    status = status == HPF_OK ? add_text(tree, frame->module, &f.module) : status;
    status = status == HPF_OK ? add_text(tree, frame->source, &f.source) : status;
    status = status == HPF_OK ? add_text(tree, frame->function_source, &f.function_source) : status;
    const hpf_str key = {(const char *)&f, sizeof f};
    return status == HPF_OK ? hpf__intern_add(&tree->frames, key, number, &is_new) : status;
}

hpf_status hpf__frame_tree_add(hpf__frame_tree *tree, const hpf_frame *frames, size_t n_frames,
                               uint32_t *node)
{
    *node = HPF__NO_FRAMES;
    for (size_t i = n_frames; i-- > 0;) {
        hpf__frame_node wanted = {.parent = *node};
        hpf_status status = add_frame(tree, &frames[i], &wanted.frame);
        if (status != HPF_OK) {
            return status;
        }
        hpf__hash_probe probe = {0};
        uint32_t hash = hpf__hash_word((uint64_t)wanted.parent << 32 | wanted.frame);
        do {
            *node = hpf__hash_next(&tree->node_of, hash, &probe);
        } while (*node != HPF__HASH_NONE && (tree->nodes[*node].parent != wanted.parent ||
                                             tree->nodes[*node].frame != wanted.frame));
        if (*node != HPF__HASH_NONE) {
            continue;
        }
        if (tree->n_nodes >= UINT32_MAX / 4) {
            return HPF_ERR_LIMIT;
        }
        if (!hpf__hash_reserve(&tree->node_of) ||
            !HPF__ARRAY_PUSH(tree->nodes, tree->n_nodes, tree->capacity, wanted)) {
            return HPF_ERR_MEMORY;
        }
        *node = (uint32_t)(tree->n_nodes - 1);
        hpf__hash_insert(&tree->node_of, hash, *node);
    }
    return HPF_OK;
}

size_t hpf__frame_tree_get(const hpf__frame_tree *tree, uint32_t node, hpf_frame *frames,
                           size_t room)
{
    size_t n = 0;
    for (; node != HPF__NO_FRAMES; node = tree->nodes[node].parent, n++) {
        if (n < room) {
            frames[n] = frame_of(tree, tree->nodes[node].frame);
        }
    }
    return n;
}

void hpf__frame_tree_finish(hpf__frame_tree *tree)
{
    hpf__intern_finish(&tree->texts);
    hpf__intern_finish(&tree->frames);
    hpf__hash_finish(&tree->node_of);
    free(tree->nodes);
    *tree = (hpf__frame_tree){0};
}
