/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as a heap snapshot: they are refused with words, or are a graph whose dominators retain
 * all bytes, and which is the same when it is written and read again.
 */
#include "fuzz.h"
#include "hpfile/sink.h"
#include "hpfile/dominator_tree.h"
#include "hpfile/heapsnapshot.h"

enum {
    all = HPF_HEAPSNAPSHOT_IDS | HPF_HEAPSNAPSHOT_OWN_NAMES | HPF_HEAPSNAPSHOT_SITES |
          HPF_HEAPSNAPSHOT_EDGE_NAMES
};

static bool read_bytes(hpf_snapshot *s, hpf_str bytes)
{
    hpf_source *source = NULL;
    hpf_error err = {0};
    fuzz_require(hpf_source_from_memory(&source, bytes, NULL, NULL) == HPF_OK, "no source");
    hpf_status status = hpf_heapsnapshot_read(s, source, all, NULL, &err);
    fuzz_require((status == HPF_OK) == (s->n_nodes > 0), "neither a snapshot nor refused");
    fuzz_require(status == HPF_OK || (err.status == status && err.message[0]), "no message");
    hpf_source_destroy(source);
    return status == HPF_OK;
}

static void check_written(const hpf_snapshot *s)
{
    hpf_snapshot again;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_heapsnapshot_write(s, sink);
    fuzz_require(read_bytes(&again, hpf_sink_bytes(sink)), "what was written is refused");
    fuzz_require(again.n_nodes == s->n_nodes && again.n_edges == s->n_edges, "another graph");
    for (uint32_t i = 0; i < s->n_edges; i++) {
        fuzz_require(again.targets[i] == s->targets[i], "another edge");
    }
    hpf_snapshot_finish(&again);
    hpf_sink_destroy(sink);
}

/* The tree below the last group has the same amounts as the group. */
static void check_below(const hpf_snapshot *s, const hpf_dominators *d,
                        const hpf_dominator_tree *tree)
{
    hpf_dominator_tree below;
    uint32_t path[HPF_DOMINATOR_TREE_DEPTH + 2];
    const hpf_dominator_group *last = &tree->groups[tree->n_groups - 1], *g = last;
    for (uint32_t k = last->depth + 1; k-- > 0; g = &tree->groups[g->parent]) {
        path[k] = g->name;
    }
    if (hpf_dominator_tree_below(&below, s, d, path, last->depth + 1, 100, NULL) != HPF_OK) {
        fuzz_require(last->depth >= HPF_DOMINATOR_TREE_DEPTH, "the group is not found");
        return;
    }
    fuzz_require(below.groups[0].retained_bytes == last->retained_bytes &&
                     below.groups[0].self_bytes == last->self_bytes,
                 "another group");
    hpf_dominator_tree_finish(&below);
}

/* Names of references are texts or indices. */
static void check_references(const hpf_snapshot *s)
{
    size_t n = 0;
    for (uint32_t i = 0; s->edge_names && i < s->n_edges; i++) {
        fuzz_require(s->edge_names[i] >= HPF_SNAPSHOT_INDEX ||
                         s->edge_names[i] < hpf_snapshot_n_texts(s),
                     "a reference without a text");
    }
    for (uint32_t i = 0; i < s->n_nodes && s->n_nodes < 100; i++) {
        n += hpf_snapshot_referrers(s, i, NULL, 0);
    }
    fuzz_require(s->n_nodes >= 100 || n == s->n_edges, "references are lost");
}

static void check_tree(const hpf_snapshot *s)
{
    hpf_dominators d;
    hpf_dominator_tree tree;
    uint64_t bytes = 0, self_bytes = 0;
    fuzz_require(hpf_dominators_init(&d, s, NULL) == HPF_OK, "no dominators");
    fuzz_require(hpf_dominator_tree_init(&tree, s, &d, 0, 100, NULL) == HPF_OK, "no tree");
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        bytes += s->sizes[i];
    }
    for (uint32_t i = 0; i < tree.n_groups; i++) {
        self_bytes += tree.groups[i].self_bytes + tree.groups[i].rest_bytes;
    }
    fuzz_require(d.retained_bytes[0] == bytes && self_bytes == bytes, "bytes are lost");
    check_below(s, &d, &tree);
    hpf_dominator_tree_finish(&tree);
    hpf_dominators_finish(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_snapshot s;
    if (read_bytes(&s, (hpf_str){(const char *)data, size})) {
        fuzz_require(hpf_snapshot_connect(&s, NULL) == HPF_OK, "not connected");
        check_written(&s);
        check_tree(&s);
        check_references(&s);
        hpf_snapshot_finish(&s);
    }
    return 0;
}
