/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hpc report: totals of modules, or of the program, as text or XML.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coverage/haskell_text.h"
#include "coverage/mix.h"
#include "diag.h"
#include "hpc_files.h"
#include "hpc_run.h"
#include "hpfile/sink.h"
#include "output.h"

/* Boxes of a kind, and how many of them were evaluated. */
typedef struct tally {
    size_t n_boxes, n_ticked;
} tally;

/* Conditions of a kind, by outcome. */
typedef struct condition_tally {
    size_t n_boxes, n_true, n_false, n_both; /* only True, only False */
} condition_tally;

enum { GUARDS, CONDITIONS, QUALIFIERS, N_CONDITION_KINDS };

/* A declaration that was not evaluated: the names that lead to it. */
typedef struct unused {
    hpf_str *names;
    size_t n_names;
} unused;

typedef struct totals {
    hpf_arena *arena; /* owner of the names */
    tally expressions, alternatives, local, top_level;
    condition_tally conditions[N_CONDITION_KINDS];
    unused *unused;
    size_t n_unused, capacity;
} totals;

/* ---- Counting ---- */

static void count(tally *to, bool is_ticked)
{
    to->n_boxes++;
    to->n_ticked += is_ticked;
}

/* Adds a declaration; `module` is the first of its names, unless NULL. */
static bool add_unused(totals *t, const hpf__box *box, const hpf_str *module)
{
    unused u = {.n_names = box->n_names + (module != NULL)};
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
static bool count_condition(totals *t, const hpf__box *boxes, const uint64_t *counts, size_t n)
{
    if (n < 2 || boxes[1].kind != boxes[0].kind || !boxes[0].is_true || boxes[1].is_true) {
        return false;
    }
    condition_tally *to = &t->conditions[boxes[0].kind - HPF__BOX_GUARD];
    to->n_boxes++;
    to->n_true += counts[0] > 0 && counts[1] == 0;
    to->n_false += counts[0] == 0 && counts[1] > 0;
    to->n_both += counts[0] > 0 && counts[1] > 0;
    return true;
}

/* Adds the boxes of a module. Returns false after a message. */
static bool count_boxes(totals *t, const hpf__mix *mix, const hpf__tix_module *tix,
                        bool is_qualified)
{
    size_t n = mix->n_boxes < tix->n_counts ? mix->n_boxes : tix->n_counts;
    for (size_t i = 0; i < n; i++) {
        const hpf__box *box = &mix->boxes[i];
        bool is_ticked = tix->counts[i] > 0;
        if (hpf__box_is_condition(box)) {
            if (!count_condition(t, box, &tix->counts[i], n - i)) {
                diag_say("box %zu of module %s is half of a condition: expected boxes for True and "
                         "False in a row",
                         i, tix->name.data);
                return false;
            }
            i++;
            continue;
        }
        if (box->kind == HPF__BOX_TOP_LEVEL || box->kind == HPF__BOX_LOCAL) {
            count(box->kind == HPF__BOX_LOCAL ? &t->local : &t->top_level, is_ticked);
            if (!is_ticked && !add_unused(t, box, is_qualified ? &tix->name : NULL)) {
                diag_say("out of memory");
                return false;
            }
            continue;
        }
        count(&t->expressions, is_ticked);
        if (box->kind == HPF__BOX_ALTERNATIVE) {
            count(&t->alternatives, is_ticked);
        }
    }
    return true;
}

static bool count_module(totals *t, const hpf__tix_module *tix, const hpc_options *options,
                         bool is_qualified)
{
    hpf__mix mix;
    bool is_counted =
        hpc_read_mix(&mix, tix->name.data, tix, options) && count_boxes(t, &mix, tix, is_qualified);
    hpf__mix_finish(&mix);
    return is_counted;
}

static bool begin_totals(totals *t)
{
    *t = (totals){.arena = hpf_arena_create()};
    if (!t->arena) {
        diag_say("out of memory");
    }
    return t->arena != NULL;
}

static void finish_totals(totals *t)
{
    hpf_arena_destroy(t->arena);
    free(t->unused);
}

static condition_tally all_conditions(const totals *t)
{
    condition_tally all = {0};
    for (int i = 0; i < N_CONDITION_KINDS; i++) {
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

static void write_tally(hpf_sink *sink, const char *what, tally t)
{
    write_share(sink, what, t.n_ticked, t.n_boxes);
    hpf_sink_text(sink, "\n");
}

static void write_condition(hpf_sink *sink, const char *what, condition_tally t)
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
    const unused *x = a, *y = b;
    for (size_t i = 0; i < x->n_names && i < y->n_names; i++) {
        int order = hpf_str_compare(x->names[i], y->names[i]);
        if (order) {
            return order;
        }
    }
    return (x->n_names > y->n_names) - (x->n_names < y->n_names);
}

static void write_unused(hpf_sink *sink, totals *t)
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

static void write_text(hpf_sink *sink, totals *t, bool has_declarations)
{
    condition_tally all = all_conditions(t);
    write_tally(sink, "expressions used", t->expressions);
    write_tally(sink, "boolean coverage", (tally){all.n_boxes, all.n_both});
    write_condition(sink, "guards", t->conditions[GUARDS]);
    write_condition(sink, "'if' conditions", t->conditions[CONDITIONS]);
    write_condition(sink, "qualifiers", t->conditions[QUALIFIERS]);
    write_tally(sink, "alternatives used", t->alternatives);
    write_tally(sink, "local declarations used", t->local);
    write_tally(sink, "top-level declarations used", t->top_level);
    if (has_declarations) {
        write_unused(sink, t);
    }
}

/* ---- XML ---- */

static void write_xml_tally(hpf_sink *sink, const char *name, tally t)
{
    hpf_sink_printf(sink, "    <%s boxes=\"%zu\" count=\"%zu\"/>\n", name, t.n_boxes, t.n_ticked);
}

static void write_xml_condition(hpf_sink *sink, const char *name, condition_tally t)
{
    hpf_sink_printf(sink, "    <%s boxes=\"%zu\" true=\"%zu\" false=\"%zu\" count=\"%zu\"/>\n",
                    name, t.n_boxes, t.n_true, t.n_false, t.n_true + t.n_false + t.n_both);
}

static void write_xml(hpf_sink *sink, const totals *t)
{
    write_xml_tally(sink, "exprs", t->expressions);
    write_xml_condition(sink, "booleans", all_conditions(t));
    write_xml_condition(sink, "guards", t->conditions[GUARDS]);
    write_xml_condition(sink, "conditionals", t->conditions[CONDITIONS]);
    write_xml_condition(sink, "qualifiers", t->conditions[QUALIFIERS]);
    write_xml_tally(sink, "alts", t->alternatives);
    write_xml_tally(sink, "local", t->local);
    write_xml_tally(sink, "toplevel", t->top_level);
}

/* ---- Reports ---- */

static bool report_module(hpf_sink *sink, const hpf__tix_module *tix, const hpc_options *options)
{
    totals t;
    bool is_counted = begin_totals(&t) && count_module(&t, tix, options, false);
    if (is_counted && options->xml) {
        hpf_sink_text(sink, "  <module name = ");
        hpf__haskell_show(sink, tix->name);
        hpf_sink_text(sink, ">\n");
        write_xml(sink, &t);
        hpf_sink_text(sink, "  </module>\n");
    } else if (is_counted) {
        hpf_sink_text(sink, "-----<module ");
        hpf_sink_name(sink, tix->name);
        hpf_sink_text(sink, ">-----\n");
        write_text(sink, &t, options->declarations);
    }
    finish_totals(&t);
    return is_counted;
}

static bool report_program(hpf_sink *sink, const hpf__tix *tix, const hpc_options *options)
{
    totals t;
    bool is_counted = begin_totals(&t);
    for (size_t i = 0; i < tix->n_modules && is_counted; i++) {
        is_counted = count_module(&t, &tix->modules[i], options, true);
    }
    if (is_counted && options->xml) {
        hpf_sink_text(sink, "  <summary>\n");
        write_xml(sink, &t);
        hpf_sink_text(sink, "  </summary>\n");
    } else if (is_counted) {
        write_text(sink, &t, options->declarations);
    }
    finish_totals(&t);
    return is_counted;
}

static bool report(hpf_sink *sink, const hpf__tix *tix, const hpc_options *options)
{
    bool is_done = true;
    if (options->xml) {
        const char *name = options->operands.items[0];
        hpf_sink_text(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage name=");
        hpf__haskell_show(sink, (hpf_str){name, strlen(name)});
        hpf_sink_text(sink, ">\n");
    }
    for (size_t i = 0; i < tix->n_modules && options->per_module && is_done; i++) {
        is_done = report_module(sink, &tix->modules[i], options);
    }
    if (is_done && (options->xml || !options->per_module)) {
        is_done = report_program(sink, tix, options);
    }
    hpf_sink_text(sink, options->xml ? "</coverage>\n" : "");
    return is_done;
}

static int compare_modules(const void *a, const void *b)
{
    return hpf_str_compare(((const hpf__tix_module *)a)->name, ((const hpf__tix_module *)b)->name);
}

int hpc_run_report(const hpc_command *self, hpc_options *options)
{
    hpf__tix tix;
    const char *name;
    int status = hpc_read_program(&tix, self, options, "unable to find tix file for:");
    hpf_sink *sink = status == EXIT_DONE ? output_open(NULL, &name) : NULL;
    if (tix.n_modules > 0) {
        qsort(tix.modules, tix.n_modules, sizeof *tix.modules, compare_modules);
    }
    if (status == EXIT_DONE) {
        bool is_done = sink && report(sink, &tix, options);
        status = is_done ? output_close(sink, name) : EXIT_FAILED;
        hpf_sink_destroy(is_done ? NULL : sink);
    }
    hpf__tix_finish(&tix);
    return status;
}
