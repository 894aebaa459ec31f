/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census explain: what to change in a program, from several recordings of it.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "diag.h"
#include "findings/findings_write.h"
#include "output.h"
#include "path.h"
#include "plot/overlay.h"
#include "plot/retainers.h"
#include "hpfile/explain.h"
#include "hpfile/sink.h"
#include "hpfile/str.h"
#include "base/json.h"
#include "base/words.h"
#include "hpfile/survey.h"
#include "unit_format.h"

enum { WIDTH = 96, MOST_ROWS = 3 };

static formatted amount(const hpf_explanation *e, double value)
{
    return format_amount(value, hpf_survey_header(e->main->in->survey, HPF_HEADER_VALUE_UNIT),
                         false);
}

/* Writes "NAME (PLACE)". */
static void write_named(hpf_sink *to, hpf_str name, hpf_str place)
{
    hpf_sink_name(to, name);
    if (place.length > 0) {
        hpf_sink_text(to, " (");
        hpf_sink_name(to, place);
        hpf_sink_text(to, ")");
    }
}

/* --- holders ---------------------------------------------------------------------------------- */

/* Returns what a name in a profile by retainer means, or NULL. */
static const char *meaning_of_holder(const hpf_explanation *e, hpf_str name)
{
    return hpf_str_is(name, "SYSTEM")      ? "the stack: evaluations that are running"
           : hpf_str_is(name, "CAF")       ? "constants at the top level"
           : hpf_str_is(name, "MANY")      ? "more holders than -R allows"
           : hpf_str_is(name, "UNREACHED") ? e->language == HPF_EXPLAIN_CLOSURES
                                                 ? "what the next collection of all will free"
                                                 : "nothing refers to it: a leak"
           : hpf_str_find(name, "(stack_of_") || hpf_str_find(name, "(frame_of_")
               ? "local variables of the function"
           : hpf_str_begins(name, "stack_of_")  ? "local variables of a thread"
           : e->language == HPF_EXPLAIN_HASKELL ? "expressions or mutable variables that it made"
                                                : NULL;
}

/* Returns whether write_holder writes several things: variables or blocks. */
static bool is_plural(hpf_str holder)
{
    return hpf_str_find(holder, "_of_") || hpf_str_find(holder, ":");
}

/* Writes a holder as part of a sentence: "the local variables of main". */
static void write_holder(const hpf_explanation *e, hpf_sink *to, const hpf_explain_part *holder)
{
    hpf_str name = holder->name;
    const char *stack = hpf_str_find(name, "(stack_of_");
    const char *at = memchr(name.data, '@', name.length);
    stack = stack ? stack : hpf_str_find(name, "(frame_of_");
    if (e->language == HPF_EXPLAIN_HASKELL) {
        hpf_sink_text(to, "what ");
        write_named(to, name, holder->place);
        hpf_sink_text(to, " made");
    } else if (stack) {
        hpf_sink_text(to, "the local variables of ");
        hpf_sink_name(to, (hpf_str){name.data, (size_t)(stack - name.data)});
    } else if (at && hpf_str_find(
                         name, ":")) { /* FUNCTION@FILE:LINE, a site; VARIABLE@MODULE has no line */
        size_t n = (size_t)(at - name.data);
        hpf_sink_text(to, "the blocks of ");
        write_named(to, (hpf_str){name.data, n}, hpf_str_from(name, n + 1));
    } else {
        hpf_sink_name(to, name);
    }
}

/* --- advice ----------------------------------------------------------------------------------- */

/* What to use instead of lazy functions of a module. */
static const struct {
    const char *module, *instead;
} strict_variants[] = {
    {"Data.Map", "use Data.Map.Strict"},
    {"Data.IntMap", "use Data.IntMap.Strict"},
    {"Data.HashMap", "use Data.HashMap.Strict"},
    {"Data.IORef", "use modifyIORef' instead of modifyIORef"},
    {"Data.STRef", "use modifySTRef' instead of modifySTRef"},
    {"GHC.List", "use foldl' instead of foldl and sum"},
    {"Control.Monad.Trans.State", "use Control.Monad.State.Strict and modify'"},
    {"Control.Monad.Trans.Writer", "use Control.Monad.Trans.Writer.CPS, or the state monad"},
};

/* Writes a sentence about the largest expressions of a library that has a strict variant. Returns
 * false if there are none. */
static bool write_variant(const hpf_explanation *e, hpf_sink *to)
{
    const hpf_explain_recording *r = e->answers[HPF_EXPLAIN_CONTENT];
    for (size_t i = 0; r && i < r->table.n && r->table.parts[i].share >= 0.05; i++) {
        hpf_str name = r->table.parts[i].name;
        name = hpf_str_begins(name, "<") ? hpf_str_from(name, 1) : name;
        for (size_t k = 0; k < sizeof strict_variants / sizeof *strict_variants; k++) {
            if (r->table.parts[i].kind == HPF_EXPLAIN_EXPRESSION &&
                hpf_str_begins(name, strict_variants[k].module)) {
                hpf_sink_printf(to, " %s come from %s: %s.",
                                format_share(r->table.parts[i].share).text,
                                strict_variants[k].module, strict_variants[k].instead);
                return true;
            }
        }
    }
    return false;
}

static void write_chain(const hpf_explanation *e, hpf_sink *to)
{
    for (size_t i = 0; i < e->n_steps; i++) {
        const hpf_explain_step *s = &e->steps[i];
        hpf_sink_text(to, i > 0 ? " <- " : "");
        hpf_sink_name(to, s->name);
        if (s->n_objects > 0 && !s->is_root) {
            hpf_sink_printf(to, " (%s object%s, %s)", format_count(s->n_objects).text,
                            s->n_objects == 1 ? "" : "s",
                            format_amount((double)s->size_bytes, HPF_STR("bytes"), false).text);
        }
        hpf_sink_text(to, s->is_root ? ", a root" : "");
    }
}

static void write_release(const hpf_explanation *e, const hpf_explain_advice *a, hpf_sink *to)
{
    const hpf_explain_step *narrow = e->narrowest;
    const hpf_explain_part *content = e->narrowest_content;
    const hpf_explain_part *maker = e->held_makers.n > 0 ? &e->held_makers.parts[0] : NULL;
    bool is_haskell = e->language == HPF_EXPLAIN_HASKELL, is_root = narrow && narrow->is_root;
    bool is_made = maker && maker->share >= a->share / 2;
    if (e->language == HPF_EXPLAIN_CLOSURES) {
        hpf_sink_text(to, "Let go of, or evaluate, what ");
        write_named(to, a->what->name, a->what->place);
        hpf_sink_printf(to, " holds: %s of the memory", format_share(a->share).text);
        if (is_made) {
            hpf_sink_printf(to, ", %s of it ", format_share(maker->share / a->share).text);
            write_named(to, maker->name, maker->place);
        }
    } else if (!is_haskell) {
        hpf_sink_text(to, is_made ? "Limit what " : "Empty or limit ");
        if (is_made) {
            write_named(to, maker->name, maker->place);
            hpf_sink_text(to, " makes, or empty what holds it: ");
        }
        write_holder(e, to, a->what);
        hpf_sink_printf(to, is_made ? " hold%s %s of the memory" : ": it hold%s %s of the memory",
                        is_made && is_plural(a->what->name) ? "" : "s",
                        format_share(a->share).text);
        if (is_made) {
            hpf_sink_printf(to, ", %s of it from there",
                            format_share(maker->share / a->share).text);
        }
    } else {
        hpf_sink_text(to, is_root ? "Let go of what " : "Evaluate, or let go of, what ");
        write_named(to, narrow ? narrow->name : a->what->name,
                    narrow ? narrow->place : a->what->place);
        hpf_sink_text(to, " made");
        if (narrow && narrow->n_objects > 0) {
            hpf_sink_printf(to, " (%s object%s%s", format_count(narrow->n_objects).text,
                            narrow->n_objects == 1 ? "" : "s", content ? ": " : "");
            hpf_sink_name(to, content ? content->name : HPF_STR(""));
            hpf_sink_text(to, is_root ? ", roots: weak or stable pointers)" : ")");
        }
        hpf_sink_printf(to, ": it keeps %s of the memory", format_share(a->share).text);
        for (size_t i = 0; i < e->n_steps && e->n_steps > 1; i++) {
            hpf_sink_text(to, i > 0 ? " <- " : ", by ");
            hpf_sink_name(to, e->steps[i].name);
        }
    }
    if (e->phases[HPF_EXPLAIN_DRAG_PHASE] >= 0.25) {
        hpf_sink_printf(to, "; %s of the memory is kept after its last use",
                        format_share(e->phases[HPF_EXPLAIN_DRAG_PHASE]).text);
    }
    hpf_sink_text(to, ".");
    if (is_haskell && !content && !is_root) {
        hpf_sink_text(to, " It is an expression that waits to be evaluated (force it: seq, a bang "
                          "pattern, a strict field) or a mutable variable (IORef, MVar, array).");
    }
}

/* Writes what holds most of what a maker makes, and what to do if it is meant to be kept. */
static void write_limit(const hpf_explanation *e, const hpf_explain_advice *a, hpf_sink *to)
{
    static const char *const means[] = {
        [HPF_EXPLAIN_HASKELL] = "remove entries that are not needed any more",
        [HPF_EXPLAIN_NATIVE] = "erase entries that are not needed any more",
        [HPF_EXPLAIN_PYTHON] =
            "delete entries that are not needed any more (lru_cache: set maxsize)",
        [HPF_EXPLAIN_CLOSURES] = "remove entries that are not needed any more",
    };
    if (a->holder) {
        hpf_sink_text(to, " It is held by ");
        write_holder(e, to, a->holder);
        hpf_sink_text(to, ".");
    }
    hpf_sink_printf(to, " If it is a cache, a table or a log, %s.", means[e->language]);
}

/* Returns the name of the largest expressions; closure types have none. */
static hpf_str largest_expression(const hpf_explanation *e)
{
    const hpf_explain_table *table = &e->answers[HPF_EXPLAIN_CONTENT]->table;
    size_t i = 0;
    while (i + 1 < table->n && table->parts[i].kind != HPF_EXPLAIN_EXPRESSION) {
        i++;
    }
    return hpf_str_begins(table->parts[i].name, "THUNK") ? HPF_STR("what waits")
                                                         : table->parts[i].name;
}

/* Writes which closures wait to be evaluated. */
static void write_waiting(const hpf_explain_advice *a, hpf_sink *to)
{
    hpf_sink_printf(to,
                    "Evaluate sooner: %s of the memory are expressions that wait to be evaluated "
                    "(thunks)",
                    format_share(a->share).text);
    if (a->what) {
        hpf_sink_text(to, ", the largest part ");
        write_named(to, a->what->name, a->what->place);
        hpf_sink_printf(to, ", %s", format_share(a->what->share).text);
    }
    if (a->holder) {
        hpf_sink_text(to, "; ");
        hpf_sink_name(to, a->holder->name);
        hpf_sink_printf(to, " holds %s", format_share(a->holder->share).text);
    }
    hpf_sink_text(to, ". Use seq, a bang pattern (!x), a strict field, or what evaluates at once: "
                      "Data.Map.Strict, foldl', modifyIORef'.");
}

/* Writes one piece of advice as sentences. */
static void write_advice(const hpf_explanation *e, const hpf_explain_advice *a, hpf_sink *to)
{
    const char *share = (formatted[]){format_share(a->share)}[0].text;
    hpf_str name = a->what ? a->what->name : HPF_STR(""), place = a->what ? a->what->place : name;
    const hpf_overview *o = hpf_survey_overview(e->main->in->survey);
    hpf_str time_unit = hpf_survey_header(e->main->in->survey, HPF_HEADER_SAMPLE_UNIT);
    switch (a->kind) {
    case HPF_EXPLAIN_EVALUATE:
        if (e->language == HPF_EXPLAIN_CLOSURES) {
            write_waiting(a, to);
            break;
        }
        hpf_sink_text(to, a->what ? "Evaluate sooner what " : "Evaluate sooner ");
        write_named(to, a->what ? name : largest_expression(e), place);
        hpf_sink_printf(to,
                        "%s: %s of the memory are expressions that wait to be evaluated (thunks)",
                        a->what ? " makes" : "", share);
        if (a->holder) {
            hpf_sink_printf(to, ", and the ones of ");
            hpf_sink_name(to, name);
            hpf_sink_printf(to, " hold %s", format_share(a->holder->share).text);
        }
        hpf_sink_text(to, ".");
        hpf_sink_printf(to, " %s seq, a bang pattern (!x), a strict field.",
                        write_variant(e, to) ? "Otherwise:" : "Use");
        break;
    case HPF_EXPLAIN_RELEASE:
        write_release(e, a, to);
        break;
    case HPF_EXPLAIN_STACK:
        hpf_sink_printf(to,
                        "%s of the memory is held only by evaluations that are running (SYSTEM, "
                        "the stack): a function keeps it in a local variable, or waits in deep "
                        "recursion.",
                        share);
        break;
    case HPF_EXPLAIN_CONSTANT:
        write_named(to, name, place);
        hpf_sink_printf(to,
                        " is a constant at the top level, and what was evaluated of it stays: "
                        "%s of the memory. Make it a function with an argument, or a local "
                        "value of the function that uses it.",
                        share);
        break;
    case HPF_EXPLAIN_LIST:
        hpf_sink_printf(to, "A list is in memory as a whole: its cells (:) take %s", share);
        if (a->holder) {
            hpf_sink_text(to, "; ");
            write_named(to, a->holder->name, a->holder->place);
            hpf_sink_printf(to, " makes most of the memory");
        }
        hpf_sink_text(to,
                      ". It is used more than once: compute all results in one pass, or make the "
                      "list again for each use.");
        break;
    case HPF_EXPLAIN_LEAK:
        if (a->what) {
            hpf_sink_text(to, "Free what ");
            write_named(to, name, place);
            hpf_sink_printf(
                to,
                " allocates: nothing refers to %s of it any more near the end of the run "
                "(a leak), and to",
                amount(e, a->what->amounts[3]).text);
        } else {
            hpf_sink_text(to, "Free what is lost (a leak): nothing refers any more to");
        }
        hpf_sink_printf(to, " %s of the memory over time.", share);
        if (e->lost_makers.n > 1 && e->lost_makers.parts[1].share >= a->share / 10) {
            hpf_sink_text(to, " Also free what ");
            write_named(to, e->lost_makers.parts[1].name, e->lost_makers.parts[1].place);
            hpf_sink_text(to, " allocates.");
        }
        break;
    case HPF_EXPLAIN_PEAK:
        hpf_sink_text(to, "Need less at once in ");
        write_named(to, name, place);
        hpf_sink_printf(to, ": it makes %s", amount(e, a->what->amounts[4]).text);
        hpf_sink_printf(to, " of the peak of %s", amount(e, o->peak_total).text);
        hpf_sink_printf(to, " at %s", format_time(o->peak_time, time_unit, false).text);
        hpf_sink_text(to, e->has_short_peak
                              ? ", and the heap is above half of that only for a short time."
                              : ".");
        break;
    case HPF_EXPLAIN_GROWTH:
        hpf_sink_text(to, e->language == HPF_EXPLAIN_CLOSURES ? "Limit " : "Limit what ");
        write_named(to, name, place);
        hpf_sink_printf(to, "%s: it grows until the end, from %s",
                        e->language == HPF_EXPLAIN_CLOSURES ? "" : " makes",
                        amount(e, a->what->amounts[0]).text);
        hpf_sink_printf(to, " after a quarter of the run to %s.",
                        amount(e, a->what->amounts[3]).text);
        write_limit(e, a, to);
        break;
    case HPF_EXPLAIN_DRAG:
    case HPF_EXPLAIN_VOID:
    case HPF_EXPLAIN_LAG: {
        static const char *const actions[] = {
            [HPF_EXPLAIN_DRAG] = "Let go earlier of",
            [HPF_EXPLAIN_VOID] = "Do not make, or only when needed,",
            [HPF_EXPLAIN_LAG] = "Make later, or evaluate sooner,"};
        static const char *const states[] = {
            [HPF_EXPLAIN_DRAG] = "is kept after its last use (DRAG)",
            [HPF_EXPLAIN_VOID] = "is never used (VOID)",
            [HPF_EXPLAIN_LAG] = "is there before its first use (LAG)"};
        bool is_later = a->kind == HPF_EXPLAIN_LAG && e->language != HPF_EXPLAIN_HASKELL;
        hpf_sink_text(to, is_later ? "Make later" : actions[a->kind]);
        if (a->what) {
            hpf_sink_text(to, " what ");
            write_named(to, name, place);
            hpf_sink_printf(to, " makes: %s of the memory %s.", share, states[a->kind]);
        } else {
            hpf_sink_printf(to, " what %s: %s of the memory.", states[a->kind], share);
        }
        break;
    }
    case HPF_EXPLAIN_LARGEST:
        write_named(to, name, place);
        hpf_sink_printf(to, " %s %s of the memory: look there first.",
                        e->language == HPF_EXPLAIN_CLOSURES ? "is" : "makes", share);
        if (e->language != HPF_EXPLAIN_HASKELL || e->data > 0) {
            write_limit(e, a, to);
        }
        break;
    }
}

/* Writes a text in lines of WIDTH columns, the first with `head`, the others indented as far. */
static void write_wrapped(hpf_sink *sink, const char *head, hpf_str text)
{
    size_t indent = strlen(head), column = indent;
    hpf_sink_text(sink, head);
    while (text.length > 0) {
        hpf_str word = hpf__take_until(&text, ' ');
        if (column > indent && column + 1 + word.length > WIDTH) {
            hpf_sink_printf(sink, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            hpf_sink_text(sink, " ");
            column++;
        }
        hpf_sink_str(sink, word);
        column += word.length;
    }
    hpf_sink_text(sink, "\n");
}

/* --- rows ------------------------------------------------------------------------------------- */

static const char *meaning_of(const hpf_explanation *e, hpf_explain_question question,
                              const hpf_explain_part *p)
{
    static const char *const phases[][2] = {
        {"LAG", "made before it is used"},       {"USE", "in use"},
        {"DRAG", "kept after its last use"},     {"VOID", "never used"},
        {"INHERENT_USE", "in use all the time"}, {NULL, NULL}};
    if (question == HPF_EXPLAIN_HOLDER) {
        return meaning_of_holder(e, p->name);
    }
    if (question == HPF_EXPLAIN_CONTENT && e->language == HPF_EXPLAIN_HASKELL) {
        return p->kind == HPF_EXPLAIN_FUNCTION     ? "functions"
               : hpf_str_is(p->name, "BLACKHOLE")  ? "expressions that are being evaluated"
               : p->kind == HPF_EXPLAIN_EXPRESSION ? "expressions that wait, or functions"
               : hpf_str_is(p->name, ":")          ? "cells of lists"
               : hpf_str_is(p->name, "I#")         ? "numbers (Int)"
               : hpf_str_is(p->name, "ARR_WORDS")  ? "arrays of bytes or numbers"
                                                   : NULL;
    }
    for (int i = 0; question == HPF_EXPLAIN_USE && phases[i][0]; i++) {
        if (hpf_str_is(p->name, phases[i][0])) {
            return i == 3 && e->is_ghc ? "never used, or data: GHC does not see its use"
                                       : phases[i][1];
        }
    }
    return NULL;
}

/* Writes as many callers as fit into `room` columns. */
static void write_callers(hpf_sink *sink, hpf_str callers, int room)
{
    while (callers.length > 0) {
        const char *end = hpf_str_find(callers, " < ");
        size_t n = end ? (size_t)(end - callers.data) : callers.length;
        bool fits = (int)n + 3 + (end ? 6 : 0) <= room;
        hpf_sink_text(sink, " < ");
        hpf_sink_name(sink, fits ? (hpf_str){callers.data, n} : HPF_STR("..."));
        callers = fits && end ? hpf_str_from(callers, n + 3) : HPF_STR("");
        room -= (int)n + 3;
    }
}

static void write_rows(hpf_sink *sink, const hpf_explanation *e, const char *label,
                       const hpf_explain_recording *r, hpf_explain_question question,
                       const hpf_explain_table *table)
{
    for (size_t i = 0; i < table->n && i < MOST_ROWS; i++) {
        const hpf_explain_part *p = &table->parts[i];
        if (i > 0 && p->share < 0.02) {
            break;
        }
        const char *meaning = meaning_of(e, question, p);
        uint64_t begin = hpf_sink_position(sink);
        hpf_sink_printf(sink, "  %-12s%6s  ", i == 0 ? label : "", format_share(p->share).text);
        hpf_sink_name(sink, p->name);
        if (p->place.length > 0) {
            hpf_sink_text(sink, "  ");
            hpf_sink_name(sink, p->place);
        }
        hpf_sink_printf(sink, "%s%s", meaning ? "  " : "", meaning ? meaning : "");
        write_callers(sink, p->callers, WIDTH - (int)(hpf_sink_position(sink) - begin));
        if (i == 0 && r->of.length > 0) {
            hpf_sink_text(sink, "  (only of ");
            hpf_sink_name(sink, r->of);
            hpf_sink_text(sink, ")");
        }
        hpf_sink_text(sink, "\n");
    }
}

static const char *const labels[HPF_EXPLAIN_N_QUESTIONS] = {"made by", "consists of", "use",
                                                            "held by"};

static void write_why(const hpf_explanation *e, hpf_sink *sink)
{
    hpf_sink_text(sink, "\nWhy (shares of the memory over time)\n");
    for (int q = 0; q < HPF_EXPLAIN_N_QUESTIONS; q++) {
        const hpf_explain_recording *r = e->answers[q];
        bool is_of_stacks = q == HPF_EXPLAIN_MAKER && e->makers.n > 0;
        if (r || is_of_stacks) {
            const char *label = q == HPF_EXPLAIN_MAKER && e->language == HPF_EXPLAIN_CLOSURES
                                    ? "by code"
                                    : labels[q];
            write_rows(sink, e, label, r ? r : e->main, (hpf_explain_question)q,
                       is_of_stacks ? &e->makers : &r->table);
        }
    }
    if (e->n_steps > 1) {
        hpf_sink *text = hpf_sink_to_memory();
        if (text) {
            write_chain(e, text);
            write_wrapped(sink, "                      ", hpf_sink_bytes(text));
        }
        hpf_sink_destroy(text);
    }
    bool has_waste = e->waste[HPF_EXPLAIN_MAKER] || e->waste[HPF_EXPLAIN_CONTENT] ||
                     e->waste[HPF_EXPLAIN_HOLDER];
    hpf_sink_text(sink, has_waste ? "Of what is not in use\n" : "");
    for (int q = 0; q < HPF_EXPLAIN_N_QUESTIONS; q++) {
        if (e->waste[q]) {
            write_rows(sink, e, labels[q], e->waste[q], (hpf_explain_question)q,
                       &e->waste[q]->table);
        }
    }
}

/* Errors: MEMORY. */
static hpf_status explain_write_text(const hpf_explanation *e, hpf_sink *sink, hpf_error *err)
{
    const hpf_survey *survey = e->main->in->survey;
    const hpf_overview *o = hpf_survey_overview(survey);
    hpf_str time_unit = hpf_survey_header(survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_sink_name(sink, e->program);
    hpf_sink_printf(sink, "\npeak %s", amount(e, o->peak_total).text);
    hpf_sink_printf(sink, " at %s", format_time(o->peak_time, time_unit, false).text);
    hpf_sink_printf(sink, ", mean %s\n", amount(e, hpf_survey_mean(survey, &o->total)).text);
    if (o->peak_total <= 0) {
        hpf_sink_text(sink, "\nNo sample has live memory: use a shorter interval (-i).\n");
        return HPF_OK;
    }
    if (o->n_samples < HPF_EXPLAIN_FEWEST_SAMPLES) {
        hpf_sink_printf(sink,
                        "only %s samples, too few to show growth: use a shorter interval (-i)\n",
                        format_count(o->n_samples).text);
    }
    hpf_sink_text(sink, "\nWhat to change\n");
    for (size_t i = 0; i < e->n_advice; i++) {
        hpf_sink *text = hpf_sink_to_memory();
        if (!text) {
            return hpf_error_set_memory(err);
        }
        const char head[] = {' ', (char)('1' + i), '.', ' ', '\0'};
        write_advice(e, &e->advice[i], text);
        write_wrapped(sink, head, hpf_sink_bytes(text));
        hpf_sink_destroy(text);
    }
    hpf_sink_text(sink, e->n_advice == 0 ? "  These recordings alone do not show it.\n" : "");
    write_why(e, sink);
    hpf_sink_text(sink, e->n_gaps > 0 ? "\nNot known from these recordings; the run that shows it\n"
                                      : "");
    for (size_t i = 0; i < e->n_gaps; i++) {
        hpf_sink_text(sink, "  ");
        hpf_sink_name(sink, e->gaps[i].question);
        hpf_sink_text(sink, "\n      ");
        hpf_sink_name(sink, e->gaps[i].command);
        hpf_sink_text(sink, "\n");
    }
    return HPF_OK;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void write_json_parts(hpf_json *json, const hpf_explain_table *table)
{
    hpf_json_array(json, "parts");
    for (size_t i = 0; i < table->n && i < 10; i++) {
        const hpf_explain_part *p = &table->parts[i];
        hpf_json_object(json, NULL);
        hpf_json_str(json, "name", p->name);
        hpf_json_number(json, "share", p->share);
        hpf_json_str(json, "place", p->place);
        hpf_json_str(json, "callers", p->callers);
        hpf_json_bool(json, "grows", p->grows);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void write_json_answer(hpf_json *json, const hpf_explanation *e,
                              const hpf_explain_recording *r, hpf_explain_question question)
{
    static const char *const keys[HPF_EXPLAIN_N_QUESTIONS] = {"maker", "content", "use", "holder"};
    bool is_of_stacks = question == HPF_EXPLAIN_MAKER && e->makers.n > 0 && !(r && r->is_waste);
    if (!r && !is_of_stacks) {
        return;
    }
    hpf_json_object(json, NULL);
    hpf_json_text(json, "question", keys[question]);
    hpf_json_text(json, "recording", (r ? r : e->main)->in->name);
    hpf_json_str(json, "only_of", r ? r->of : HPF_STR(""));
    hpf_json_bool(json, "not_in_use", r && r->is_waste);
    write_json_parts(json, is_of_stacks ? &e->makers : &r->table);
    hpf_json_close(json);
}

static hpf_status explain_write_json(const hpf_explanation *e, hpf_sink *sink, hpf_error *err)
{
    static const char *const kinds[] = {
        [HPF_EXPLAIN_EVALUATE] = "evaluate", [HPF_EXPLAIN_RELEASE] = "release",
        [HPF_EXPLAIN_STACK] = "stack",       [HPF_EXPLAIN_CONSTANT] = "constant",
        [HPF_EXPLAIN_LIST] = "list",         [HPF_EXPLAIN_LEAK] = "leak",
        [HPF_EXPLAIN_PEAK] = "peak",         [HPF_EXPLAIN_GROWTH] = "growth",
        [HPF_EXPLAIN_DRAG] = "drag",         [HPF_EXPLAIN_VOID] = "void",
        [HPF_EXPLAIN_LAG] = "lag",           [HPF_EXPLAIN_LARGEST] = "largest"};
    const hpf_overview *o = hpf_survey_overview(e->main->in->survey);
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_str(&json, "program", e->program);
    hpf_json_number(&json, "peak", o->peak_total);
    hpf_json_number(&json, "peak_time", o->peak_time);
    hpf_json_number(&json, "mean", hpf_survey_mean(e->main->in->survey, &o->total));
    hpf_json_array(&json, "advice");
    for (size_t i = 0; i < e->n_advice; i++) {
        const hpf_explain_advice *a = &e->advice[i];
        hpf_sink *text = hpf_sink_to_memory();
        if (!text) {
            return hpf_error_set_memory(err);
        }
        write_advice(e, a, text);
        hpf_json_object(&json, NULL);
        hpf_json_text(&json, "kind", kinds[a->kind]);
        hpf_json_number(&json, "share", a->share);
        hpf_json_str(&json, "name", a->what ? a->what->name : HPF_STR(""));
        hpf_json_str(&json, "place", a->what ? a->what->place : HPF_STR(""));
        hpf_json_str(&json, "text", hpf_sink_bytes(text));
        hpf_json_close(&json);
        hpf_sink_destroy(text);
    }
    hpf_json_close(&json);
    hpf_json_array(&json, "answers");
    for (int q = 0; q < HPF_EXPLAIN_N_QUESTIONS; q++) {
        write_json_answer(&json, e, e->answers[q], (hpf_explain_question)q);
        if (e->waste[q]) {
            write_json_answer(&json, e, e->waste[q], (hpf_explain_question)q);
        }
    }
    hpf_json_close(&json);
    hpf_json_array(&json, "chain");
    for (size_t i = 0; i < e->n_steps; i++) {
        hpf_json_object(&json, NULL);
        hpf_json_str(&json, "name", e->steps[i].name);
        hpf_json_str(&json, "place", e->steps[i].place);
        hpf_json_whole(&json, "objects", e->steps[i].n_objects);
        hpf_json_whole(&json, "bytes", e->steps[i].size_bytes);
        hpf_json_bool(&json, "root", e->steps[i].is_root);
        hpf_json_close(&json);
    }
    hpf_json_close(&json);
    hpf_json_array(&json, "open");
    for (size_t i = 0; i < e->n_gaps; i++) {
        hpf_json_object(&json, NULL);
        hpf_json_str(&json, "question", e->gaps[i].question);
        hpf_json_str(&json, "command", e->gaps[i].command);
        hpf_json_close(&json);
    }
    hpf_json_end(&json);
    return HPF_OK;
}

typedef struct explain_values {
    const char *output;
    int format;
} explain_values;

static const char *const format_names[] = {"text", "json", NULL};

static const opt explain_options[] = {
    OPT('o', "output", OPT_TEXT, offsetof(explain_values, output), "FILE",
        "write to FILE (default or -: standard output)"),
    OPT(0, "format", OPT_CHOICE, offsetof(explain_values, format), "FORMAT",
        "text (default) or json", .choices = format_names),
    {.name = NULL},
};

/* Opens a recording with the whole stacks and the lines that it has, and the sets of its report. */
static bool open_recording(input *in, const char *path)
{
    const hpf_survey_options limits = {.by_stack = true, .by_line = true};
    if (!input_open_only(in, path, NULL) || !input_survey(in, &limits)) {
        return false;
    }
    overlay_add(in);
    return retainers_read(in, NULL);
}

/* Reads the places of cost centres from the report of an input; NULL if there is none, or if it is
 * a report of retainer sets only. */
static hpf_prof_file *read_report(const input *in)
{
    char *path = companion_path(in->name, ".prof");
    hpf_source *source = NULL;
    hpf_prof_file *report = NULL;
    if (path && hpf_source_open(&source, path, NULL, NULL) == HPF_OK &&
        hpf_prof_read(&report, source, NULL) != HPF_OK) {
        report = NULL;
    }
    hpf_source_destroy(source);
    free(path);
    return report;
}

static int run(const cmd *self, int argc, char **argv)
{
    explain_values values = {0};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc < 2) {
        return cmd_misused(self, "no recording given");
    }
    size_t n = (size_t)argc - 1, n_open = 0;
    input *inputs = calloc(n, sizeof *inputs);
    hpf_prof_file **reports = calloc(n, sizeof *reports);
    hpf_recording *recordings = calloc(n, sizeof *recordings);
    bool has_memory = inputs && reports && recordings;
    hpf_error err;
    if (!has_memory) {
        (void)hpf_error_set_memory(&err);
        diag_error("census", &err);
    }
    while (has_memory && n_open < n && open_recording(&inputs[n_open], argv[n_open + 1])) {
        recordings[n_open] = finding_recording(&inputs[n_open], false);
        recordings[n_open].report = reports[n_open] = read_report(&inputs[n_open]);
        n_open++;
    }
    if (n_open == n) {
        const char *name;
        hpf_explanation e;
        hpf_status found = hpf_explain_find(&e, recordings, n, &err);
        hpf_sink *sink = found == HPF_OK ? output_open(values.output, &name) : NULL;
        if (sink) {
            found = values.format ? explain_write_json(&e, sink, &err)
                                  : explain_write_text(&e, sink, &err);
        }
        if (found != HPF_OK) {
            diag_say("%s", err.message);
            hpf_sink_destroy(sink);
        } else {
            status = output_close(sink, name);
        }
        hpf_explain_finish(&e);
    }
    for (size_t i = 0; i < n_open; i++) {
        hpf_prof_file_destroy(reports[i]);
        input_close(&inputs[i]);
    }
    free(recordings);
    free(reports);
    free(inputs);
    return status;
}

const cmd cmd_explain = {
    .name = "explain",
    .summary = "Say what to change in a program, from recordings of it",
    .operands = "FILE...",
    .options = explain_options,
    .run = run,
};
