/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprender/html_dominators.h"

#include <stdlib.h>

#include "html/html_profile.h"
#include "hpfile/sink.h"
#include "style/palette.h"

typedef struct writer {
    const hpr_html_dominators *page;
    hpf_json json;
    uint32_t *positions; /* by name: position in the page's list + 1 */
    uint32_t *names;     /* the list */
    uint32_t n_names;
    uint32_t *holders, *holders_before; /* the latter only of a comparison */
} writer;

/* Adds the position of a name; -1 for what is too deep. */
static void put_name(writer *w, uint32_t name)
{
    if (name == HPF_SNAPSHOT_NONE) {
        hpf_json_number(&w->json, NULL, -1);
        return;
    }
    if (w->positions[name] == 0) {
        w->names[w->n_names++] = name;
        w->positions[name] = w->n_names;
    }
    hpf_json_whole(&w->json, NULL, w->positions[name] - 1);
}

/* Adds the way to the largest object of a group, if it has one then: name, bytes that the last node
 * of the step retains, number of nodes; a step of 0 nodes is a gap. Returns false without memory.
 */
static bool put_path(writer *w, const hpf_dominator_group *group)
{
    size_t n;
    bool is_gone = group->largest == HPF_SNAPSHOT_NONE;
    const hpf_snapshot *s = is_gone ? w->page->before->snapshot : w->page->snapshot;
    const hpf_dominators *d = is_gone ? w->page->before->dominators : w->page->dominators;
    hpf_snapshot_step *steps =
        hpf_snapshot_path(s, is_gone ? w->holders_before : w->holders,
                          is_gone ? group->largest_before : group->largest, &n);
    hpf_json_array(&w->json, NULL);
    for (size_t i = 0; steps && i < n; i++) {
        uint32_t node = steps[i].n_nodes > 0 ? steps[i].node : 0;
        hpf_json_array(&w->json, NULL);
        put_name(w, s->names[node]);
        hpf_json_whole(&w->json, NULL, d->retained_bytes[node]);
        hpf_json_whole(&w->json, NULL, steps[i].n_nodes);
        hpf_json_close(&w->json);
    }
    hpf_json_close(&w->json);
    free(steps);
    return steps != NULL;
}

static bool put_groups(writer *w)
{
    bool fits = true;
    hpf_json_array(&w->json, "groups");
    for (uint32_t i = 0; i < w->page->tree->n_groups && fits; i++) {
        const hpf_dominator_group *g = &w->page->tree->groups[i];
        const uint64_t numbers[] = {g->parent,         g->retained_bytes, g->self_bytes,
                                    g->n_retained,     g->n_objects,      g->n_rest,
                                    g->n_rest_objects, g->rest_bytes};
        const uint64_t before[] = {g->before_bytes, g->n_before, g->rest_before_bytes};
        hpf_json_array(&w->json, NULL);
        put_name(w, g->name);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            hpf_json_whole(&w->json, NULL, numbers[k]);
        }
        fits = put_path(w, g);
        for (size_t k = 0; w->page->before && k < sizeof before / sizeof *before; k++) {
            hpf_json_whole(&w->json, NULL, before[k]);
        }
        hpf_json_close(&w->json);
    }
    hpf_json_close(&w->json);
    return fits;
}

static void put_names(writer *w)
{
    hpf_json_array(&w->json, "names");
    for (uint32_t i = 0; i < w->n_names; i++) {
        hpf_str name = hpf_snapshot_text(w->page->snapshot, w->names[i]);
        hpf_json_array(&w->json, NULL);
        hpf_json_bytes(&w->json, NULL, name);
        hpr__html_colour(&w->json, NULL, hpr__palette_of_name(name, false));
        hpr__html_colour(&w->json, NULL, hpr__palette_of_name(name, true));
        if (w->page->questions) {
            hpf_json_whole(&w->json, NULL, w->names[i]);
        }
        hpf_json_close(&w->json);
    }
    hpf_json_close(&w->json);
}

/* Returns false without memory. */
static bool begin(writer *w, const hpr_html_dominators *page)
{
    size_t n_texts = (size_t)hpf_snapshot_n_texts(page->snapshot) + 1;
    *w = (writer){.page = page,
                  .positions = calloc(n_texts, sizeof *w->positions),
                  .names = calloc(n_texts, sizeof *w->names),
                  .holders = hpf_snapshot_holders(page->snapshot),
                  .holders_before =
                      page->before ? hpf_snapshot_holders(page->before->snapshot) : NULL};
    return w->positions && w->names && w->holders && (!page->before || w->holders_before);
}

static hpf_status end(writer *w, bool fits, hpf_sink *sink, hpf_error *err)
{
    free(w->positions);
    free(w->names);
    free(w->holders);
    free(w->holders_before);
    return fits ? hpf_sink_flush(sink, err) : hpf_error_set_memory(err);
}

hpf_status hpr_html_dominators_write_groups(const hpr_html_dominators *page, hpf_sink *sink,
                                            hpf_error *err)
{
    writer w;
    bool fits = begin(&w, page);
    if (fits) {
        w.json = hpf_json_begin_line(sink);
        hpf_json_object(&w.json, NULL);
        fits = put_groups(&w);
        put_names(&w);
        hpf_json_end(&w.json);
    }
    return end(&w, fits, sink, err);
}

hpf_status hpr_html_dominators_write(const hpr_html_dominators *page, hpf_sink *sink,
                                     hpf_error *err)
{
    const hpr__html_piece *pieces = hpr__html_dominators_pieces;
    writer w;
    bool fits = begin(&w, page);
    if (fits) {
        bool is_known = page->theme <= HPR_THEME_DARK;
        hpr__html_piece_write(sink, &pieces[0]);
        hpf_sink_text(sink, page->questions ? "'self'" : "'none'");
        hpr__html_piece_write(sink, &pieces[1]);
        w.json = hpf_json_begin_line(sink);
        hpf_json_object(&w.json, NULL);
        hpf_json_whole(&w.json, "version", 1);
        hpf_json_text(&w.json, "file", page->file);
        if (page->before) {
            hpf_json_text(&w.json, "before", page->before_file);
        }
        if (page->where) {
            hpf_json_text(&w.json, "where", page->where);
        }
        hpf_json_text(&w.json, "theme", hpr_theme_names[is_known ? page->theme : HPR_THEME_LIGHT]);
        hpf_json_bool(&w.json, "si", page->si_units);
        if (page->questions) {
            hpf_json_text(&w.json, "questions", page->questions);
        }
        hpr__html_look(&w.json);
        fits = put_groups(&w);
        put_names(&w);
        hpf_json_end(&w.json);
        hpr__html_piece_write(sink, &pieces[2]);
    }
    return end(&w, fits, sink, err);
}
