/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counting boxes, and writing the totals.
 */
#include "coverage/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/utf8.h"
#include "coverage/haskell_text.h"

/* ---- Counting ---- */

void hpc_tally_box(hpc_tally tallies[HPC_N_TALLIES], const hpc_box *box, bool is_ticked)
{
    const int which = box->kind == HPC_BOX_TOP_LEVEL ? HPC_TOP_LEVEL
                      : box->kind == HPC_BOX_LOCAL   ? HPC_LOCAL
                                                     : HPC_EXPRESSIONS;
    tallies[which].n_boxes++;
    tallies[which].n_ticked += is_ticked;
    if (box->kind == HPC_BOX_ALTERNATIVE) {
        tallies[HPC_ALTERNATIVES].n_boxes++;
        tallies[HPC_ALTERNATIVES].n_ticked += is_ticked;
    }
}

/* Adds a declaration; `module` is the first of its names, unless NULL. */
static bool add_unused(hpc_totals *t, const hpc_box *box, const hpf_str *module)
{
    hpc_unused u = {.n_names = box->n_names + (module != NULL)};
    u.names = hpf_arena_array(t->arena, u.n_names, sizeof *u.names);
    for (size_t i = 0; i < u.n_names && u.names; i++) {
        hpf_str name = module ? (i == 0 ? *module : box->names[i - 1]) : box->names[i];
        u.names[i] = hpf_arena_str(t->arena, name);
        if (!u.names[i].data) {
            return false;
        }
    }
    return u.names && HPF__ARRAY_PUSH(t->unused, t->n_unused, t->capacity, u);
}

/* Adds a condition, which has two boxes. */
static bool count_condition(hpc_totals *t, const hpc_box *boxes, const uint64_t *counts, size_t n)
{
    if (n < 2 || boxes[1].kind != boxes[0].kind || !boxes[0].is_true || boxes[1].is_true) {
        return false;
    }
    hpc_condition_tally *to = &t->conditions[boxes[0].kind - HPC_BOX_GUARD];
    to->n_boxes++;
    to->n_true += counts[0] > 0 && counts[1] == 0;
    to->n_false += counts[0] == 0 && counts[1] > 0;
    to->n_both += counts[0] > 0 && counts[1] > 0;
    return true;
}

hpf_status hpc_totals_add(hpc_totals *t, const hpc_mix *mix, const hpc_tix_module *tix,
                          bool is_qualified, hpf_error *err)
{
    size_t n = mix->n_boxes < tix->n_counts ? mix->n_boxes : tix->n_counts;
    t->arena = t->arena ? t->arena : hpf_arena_create();
    if (!t->arena) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const hpc_box *box = &mix->boxes[i];
        bool is_ticked = tix->counts[i] > 0;
        if (hpc_box_is_condition(box)) {
            if (!count_condition(t, box, &tix->counts[i], n - i)) {
                return hpf_error_set(err, HPF_ERR_ARGUMENT,
                                     "box %zu of module %s is half of a condition: expected boxes "
                                     "for True and False in a row",
                                     i, tix->name.data);
            }
            i++;
            continue;
        }
        hpc_tally_box(t->tallies, box, is_ticked);
        if (!is_ticked && (box->kind == HPC_BOX_TOP_LEVEL || box->kind == HPC_BOX_LOCAL) &&
            !add_unused(t, box, is_qualified ? &tix->name : NULL)) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}

void hpc_totals_finish(hpc_totals *t)
{
    hpf_arena_destroy(t->arena);
    free(t->unused);
}

static hpc_condition_tally all_conditions(const hpc_totals *t)
{
    hpc_condition_tally all = {0};
    for (int i = 0; i < HPC_N_CONDITIONS; i++) {
        all.n_boxes += t->conditions[i].n_boxes;
        all.n_true += t->conditions[i].n_true;
        all.n_false += t->conditions[i].n_false;
        all.n_both += t->conditions[i].n_both;
    }
    return all;
}

/* ---- Text ---- */

static void write_share(hpf_sink *sink, const char *what, size_t n, size_t of)
{
    hpf_sink_printf(sink, "%3zu%% %s (%zu/%zu)", of > 0 ? n * 100 / of : 100, what, n, of);
}

static void write_tally(hpf_sink *sink, const char *what, hpc_tally t)
{
    write_share(sink, what, t.n_ticked, t.n_boxes);
    hpf_sink_text(sink, "\n");
}

static void write_condition(hpf_sink *sink, const char *what, hpc_condition_tally t)
{
    const size_t numbers[] = {t.n_true, t.n_false, t.n_boxes - t.n_true - t.n_false - t.n_both};
    static const char *const names[] = {"always True", "always False", "unevaluated"};
    hpf_sink_text(sink, "     ");
    write_share(sink, what, t.n_both, t.n_boxes);
    for (int i = 0; i < 3; i++) {
        if (numbers[i] > 0) {
            hpf_sink_printf(sink, ", %zu %s", numbers[i], names[i]);
        }
    }
    hpf_sink_text(sink, "\n");
}

static int compare_unused(const void *a, const void *b)
{
    const hpc_unused *x = a, *y = b;
    for (size_t i = 0; i < x->n_names && i < y->n_names; i++) {
        int order = hpf_str_compare(x->names[i], y->names[i]);
        if (order) {
            return order;
        }
    }
    return (x->n_names > y->n_names) - (x->n_names < y->n_names);
}

static void write_unused(hpf_sink *sink, hpc_totals *t)
{
    if (t->n_unused == 0) {
        return;
    }
    qsort(t->unused, t->n_unused, sizeof *t->unused, compare_unused);
    hpf_sink_text(sink, "unused declarations:\n");
    for (size_t i = 0; i < t->n_unused; i++) {
        hpf_sink_text(sink, "     ");
        for (size_t k = 0; k < t->unused[i].n_names; k++) {
            hpf_sink_text(sink, k > 0 ? "." : "");
            hpf_sink_name(sink, t->unused[i].names[k]);
        }
        hpf_sink_text(sink, "\n");
    }
}

void hpc_totals_write_text(hpc_totals *t, const hpf_str *module, bool has_declarations,
                           hpf_sink *sink)
{
    hpc_condition_tally all = all_conditions(t);
    if (module) {
        hpf_sink_text(sink, "-----<module ");
        hpf_sink_name(sink, *module);
        hpf_sink_text(sink, ">-----\n");
    }
    write_tally(sink, "expressions used", t->tallies[HPC_EXPRESSIONS]);
    write_tally(sink, "boolean coverage", (hpc_tally){all.n_boxes, all.n_both});
    write_condition(sink, "guards", t->conditions[HPC_GUARDS]);
    write_condition(sink, "'if' conditions", t->conditions[HPC_CONDITIONS]);
    write_condition(sink, "qualifiers", t->conditions[HPC_QUALIFIERS]);
    write_tally(sink, "alternatives used", t->tallies[HPC_ALTERNATIVES]);
    write_tally(sink, "local declarations used", t->tallies[HPC_LOCAL]);
    write_tally(sink, "top-level declarations used", t->tallies[HPC_TOP_LEVEL]);
    if (has_declarations) {
        write_unused(sink, t);
    }
}

/* ---- XML ---- */

static void write_xml_tally(hpf_sink *sink, const char *name, hpc_tally t)
{
    hpf_sink_printf(sink, "    <%s boxes=\"%zu\" count=\"%zu\"/>\n", name, t.n_boxes, t.n_ticked);
}

static void write_xml_condition(hpf_sink *sink, const char *name, hpc_condition_tally t)
{
    hpf_sink_printf(sink, "    <%s boxes=\"%zu\" true=\"%zu\" false=\"%zu\" count=\"%zu\"/>\n",
                    name, t.n_boxes, t.n_true, t.n_false, t.n_true + t.n_false + t.n_both);
}

void hpc_totals_write_xml(const hpc_totals *t, const hpf_str *module, hpf_sink *sink)
{
    hpf_sink_text(sink, module ? "  <module name = " : "  <summary");
    if (module) {
        hpc_haskell_show(sink, *module);
    }
    hpf_sink_text(sink, ">\n");
    write_xml_tally(sink, "exprs", t->tallies[HPC_EXPRESSIONS]);
    write_xml_condition(sink, "booleans", all_conditions(t));
    write_xml_condition(sink, "guards", t->conditions[HPC_GUARDS]);
    write_xml_condition(sink, "conditionals", t->conditions[HPC_CONDITIONS]);
    write_xml_condition(sink, "qualifiers", t->conditions[HPC_QUALIFIERS]);
    write_xml_tally(sink, "alts", t->tallies[HPC_ALTERNATIVES]);
    write_xml_tally(sink, "local", t->tallies[HPC_LOCAL]);
    write_xml_tally(sink, "toplevel", t->tallies[HPC_TOP_LEVEL]);
    hpf_sink_text(sink, module ? "  </module>\n" : "  </summary>\n");
}

/* ---- Boxes ---- */

void hpc_boxes_write(const hpc_tix_module *tix, const hpc_mix *mix, hpf_sink *sink)
{
    size_t n_characters = 0;
    for (size_t at = 0; at < tix->name.length; n_characters++) {
        at += hpf_utf8_next(hpf_str_from(tix->name, at), NULL);
    }
    int blanks = n_characters < 20 ? 20 - (int)n_characters : 0;
    for (size_t i = 0; i < mix->n_boxes && i < tix->n_counts; i++) {
        const hpc_span s = mix->boxes[i].span;
        char place[64];
        snprintf(place, sizeof place, "%lu:%lu-%lu:%lu", (unsigned long)s.first_line,
                 (unsigned long)s.first_column, (unsigned long)s.last_line,
                 (unsigned long)s.last_column);
        hpf_sink_printf(sink, "%5zu %10llu ", i, (unsigned long long)tix->counts[i]);
        hpf_sink_name(sink, tix->name);
        hpf_sink_printf(sink, "%*s %20s ", blanks, "", place);
        hpc_mix_write_box(&mix->boxes[i], sink);
        hpf_sink_text(sink, "\n");
    }
}
