/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/frame_tree.h"

#include "base/array.h"

enum { N_TEXTS = 3 };

static hpf_status add_frame(hpf__frame_tree *tree, const hpf_frame *frame, uint32_t *number)
{
    const hpf_str texts[N_TEXTS] = {frame->label, frame->module, frame->source};
    size_t lengths[N_TEXTS], n = sizeof lengths;
    for (size_t i = 0; i < N_TEXTS; i++) {
        lengths[i] = texts[i].length;
        n += texts[i].length;
    }
    if (!HPF__ARRAY_RESERVE(tree->key, tree->key_capacity, n)) {
        return HPF_ERR_MEMORY;
    }
    memcpy(tree->key, lengths, sizeof lengths);
    size_t at = sizeof lengths;
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (texts[i].length > 0) {
            memcpy(tree->key + at, texts[i].data, texts[i].length);
        }
        at += texts[i].length;
    }
    bool is_new;
    return hpf__intern_add(&tree->frames, (hpf_str){tree->key, n}, number, &is_new);
}

static hpf_frame frame_of(const hpf__frame_tree *tree, uint32_t number)
{
    const char *key = tree->frames.names[number].data;
    size_t lengths[N_TEXTS];
    memcpy(lengths, key, sizeof lengths);
    key += sizeof lengths;
    return (hpf_frame){.label = {key, lengths[0]},
                       .module = {key + lengths[0], lengths[1]},
                       .source = {key + lengths[0] + lengths[1], lengths[2]}};
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
    hpf__intern_finish(&tree->frames);
    hpf__hash_finish(&tree->node_of);
    free(tree->nodes);
    free(tree->key);
    *tree = (hpf__frame_tree){0};
}
