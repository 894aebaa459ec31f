/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One line for each node and edge, as V8 writes them. All fields that Chrome's reader needs, no
 * others.
 */
#include <inttypes.h>

#include "base/json.h"
#include "base/number.h"
#include "hpfile/sink.h"
#include "hpfile/heapsnapshot.h"
#include "hpfile/waste.h"

enum { NATIVE = 8, SYNTHETIC = 9, ELEMENT = 1, PROPERTY = 2, MOST_NUMBERS = 6 };

/* Types have V8's numbers, for tools that do not look at the names. DevTools groups native objects
 * by their names. */
static const char fields[] =
    "{\"snapshot\":{\"meta\":{"
    "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"";
static const char types[] =
    "],\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\","
    "\"number\",\"native\",\"synthetic\"],\"string\",\"number\",\"number\",\"number\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\","
    "\"weak\"],\"string_or_number\",\"node\"],"
    "\"trace_function_info_fields\":[],\"trace_node_fields\":[],\"sample_fields\":[],"
    "\"location_fields\":[]}";

static void write_row(hpf_sink *sink, bool is_first, const uint64_t *numbers, size_t n)
{
    char row[MOST_NUMBERS * (HPF__NUMBER_BYTES + 1) + 2] = ",\n";
    size_t length = 2;
    for (size_t i = 0; i < n; i++) {
        length += hpf__number_whole(row + length, numbers[i]);
        row[length++] = ',';
    }
    hpf_sink_write(sink, row + is_first, length - 1 - is_first);
}

static void write_waste(const hpf_snapshot *s, hpf_sink *sink)
{
    hpf_sink_text(sink, ",\"waste\":[");
    for (size_t i = 0; i < s->n_waste; i++) {
        const hpf_waste *w = &s->waste[i];
        const uint64_t numbers[] = {w->n_blocks, w->n_empty, w->bytes, w->all_bytes};
        hpf_sink_printf(sink, "%s\n[\"%s\",", i > 0 ? "," : "", hpf_waste_name(w->kind));
        hpf_json_quoted(sink, w->type);
        hpf_sink_text(sink, ",");
        hpf_json_quoted(sink, w->site);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            hpf_sink_text(sink, ",");
            hpf_sink_whole(sink, numbers[k]);
        }
        hpf_sink_text(sink, "]");
    }
    hpf_sink_text(sink, "]");
}

/* Ids of nodes that have none, in a file of others, are above those. */
static const uint64_t first_other_id = UINT64_C(1) << 52;

void hpf_heapsnapshot_write(const hpf_snapshot *s, hpf_sink *sink)
{
    const uint32_t n_texts = hpf_snapshot_n_texts(s);
    const size_t n_fields = s->sites ? 6 : 5;
    hpf_sink_text(sink, fields);
    hpf_sink_text(sink, s->sites ? ",\"site\"" : "");
    hpf_sink_text(sink, types);
    hpf_sink_printf(sink, ",\"node_count\":%u,\"edge_count\":%u,\"trace_function_count\":0",
                    s->n_nodes, s->n_edges);
    if (s->process != 0) {
        hpf_sink_printf(sink, ",\"process\":\"%" PRIx64 "\"", s->process);
    }
    if (s->n_waste > 0) {
        write_waste(s, sink);
    }
    hpf_sink_text(sink, "},\n");
    hpf_sink_text(sink, "\"nodes\":[");
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        bool has_site = s->sites && s->sites[i] != HPF_SNAPSHOT_NONE;
        uint64_t number = 2 * (uint64_t)i + 1;
        const uint64_t row[] = {s->is_object[i] ? NATIVE : SYNTHETIC,
                                s->names[i],
                                !s->ids          ? number
                                : s->ids[i] == 0 ? first_other_id + number
                                                 : s->ids[i],
                                s->sizes[i],
                                s->first_edges[i + 1] - s->first_edges[i],
                                has_site ? s->sites[i] : n_texts};
        write_row(sink, i == 0, row, n_fields);
    }
    hpf_sink_text(sink, "],\n\"edges\":[");
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        for (uint32_t k = s->first_edges[i]; k < s->first_edges[i + 1]; k++) {
            uint32_t name = s->edge_names ? s->edge_names[k] : HPF_SNAPSHOT_NONE;
            bool is_known = name != HPF_SNAPSHOT_NONE, is_index = name >= HPF_SNAPSHOT_INDEX;
            const uint64_t row[] = {is_index ? ELEMENT : PROPERTY,
                                    !is_known  ? k - s->first_edges[i]
                                    : is_index ? name - HPF_SNAPSHOT_INDEX
                                               : name,
                                    (uint64_t)s->targets[k] * n_fields};
            write_row(sink, k == 0, row, sizeof row / sizeof *row);
        }
    }
    hpf_sink_text(sink, "],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n"
                        "\"locations\":[],\n\"strings\":[");
    for (uint32_t i = 0; i < n_texts; i++) {
        hpf_sink_text(sink, i == 0 ? "\n" : ",\n");
        hpf_json_quoted(sink, hpf_snapshot_text(s, i));
    }
    hpf_sink_text(sink, s->sites ? ",\n\"\"" : ""); /* of nodes without a site */
    hpf_sink_text(sink, "]}\n");
}
