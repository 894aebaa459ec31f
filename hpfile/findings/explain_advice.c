/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sorts the recordings by the question that each answers, and applies the rules of the guide. A
 * rule that needs two recordings joins them only as far as their shares allow: if a function makes
 * 80 % and a holder keeps 60 %, at least 40 % are both.
 */
#include "hpfile/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/frame.h"
#include "base/names.h"
#include "base/words.h"
#include "hpfile/breakdown.h"
#include "event/call_stacks.h"
#include "event/format_row.h"
#include "hpfile/findings.h"
#include "findings/explain_table.h"
#include "hpfile/str.h"
#include "hpfile/retainer_sets.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"

/* Most that a recording answers: by three break-downs, and who makes what is unused. */
enum { MOST_ANSWERS = 4 };

/* Shares from which a rule applies. */
static const double much = 0.25, most = 0.5, some = 0.05, lost = 0.01;

/* --- recordings ------------------------------------------------------------------------------- */

static bool is_native_job(hpf_str job)
{
    return hpf_native_part_of_job(job).length > 0;
}

static hpf_explain_question question_of(hpf_breakdown by, bool is_native)
{
    bool is_site = by == HPF_BREAKDOWN_CLOSURE_DESCR && is_native;
    return by == HPF_BREAKDOWN_COST_CENTRE || by == HPF_BREAKDOWN_MODULE || is_site
               ? HPF_EXPLAIN_MAKER
           : by == HPF_BREAKDOWN_BIOGRAPHY ? HPF_EXPLAIN_USE
           : by == HPF_BREAKDOWN_RETAINER  ? HPF_EXPLAIN_HOLDER
                                           : HPF_EXPLAIN_CONTENT;
}

/* Stores what a recording is restricted to. Returns false without memory. */
static bool note_restrictions(hpf_explain_recording *r, hpf_str job, hpf_arena *arena)
{
    static const char letters[HPF_N_RESTRICTIONS] = {'m', 'd', 'y', 'c', 'C', 'r', 'b'};
    hpf_str lists[HPF_N_RESTRICTIONS] = {0};
    hpf__buffer of = {0};
    bool is_ok = true;
    hpf_restrictions_of_job(job, lists);
    for (int i = 0; i < HPF_N_RESTRICTIONS && is_ok; i++) {
        if (lists[i].length == 0) {
            continue;
        }
        const char flag[] = {' ', '-', 'h', letters[i]};
        bool is_phases = i == HPF_RESTRICT_BIOGRAPHY;
        r->is_waste |= is_phases && !hpf_str_find(lists[i], "use");
        is_ok = (is_phases && r->is_waste) ||
                (hpf__buffer_append(&of, flag + (of.length == 0), sizeof flag - (of.length == 0)) &&
                 hpf__buffer_add(&of, lists[i]));
    }
    r->of_centre = lists[HPF_RESTRICT_COST_CENTRE];
    r->of = hpf_arena_str(arena, hpf__buffer_str(&of));
    is_ok = is_ok && r->of.data;
    hpf__buffer_finish(&of);
    return is_ok;
}

/* Returns the command line without the options of the profiler. */
static hpf_str program_of(hpf_str job)
{
    hpf_str command = hpf__call_stacks_command(job);
    const char *rts = hpf_str_find(command, " +RTS");
    command.length = rts ? (size_t)(rts - command.data) : command.length;
    return command;
}

static hpf_str first_word(hpf_str text)
{
    return hpf__base_name(hpf__take_until(&text, ' '));
}

/* Returns the break-down of a recording. Programs that were not compiled for profiling do not name
 * theirs, which is by closure type. */
static hpf_breakdown breakdown_of(const hpf_survey *survey)
{
    const hpf_eventlog_profile *profile = hpf_survey_eventlog_profile(survey);
    hpf_breakdown by = profile ? profile->breakdown
                               : hpf_breakdown_of_job(hpf_survey_header(survey, HPF_HEADER_JOB));
    for (hpf_name i = 0; i < hpf_survey_n_names(survey) && by == HPF_BREAKDOWN_NONE; i++) {
        by = hpf_str_begins(hpf_survey_name(survey, i), "THUNK") ? HPF_BREAKDOWN_CLOSURE_TYPE : by;
    }
    return by;
}

/* Returns whether names of a recording stand for closures. A `.hp` of these has only the names. */
static bool has_closures(const hpf_survey *survey)
{
    enum { MOST_FRAMES = 8 };
    bool is_any = false;
    for (hpf_name i = 0; i < hpf_survey_n_names(survey) && !is_any; i++) {
        hpf_frame frames[MOST_FRAMES];
        size_t n = hpf_survey_frames(survey, i, frames, MOST_FRAMES);
        is_any = hpf_str_begins(hpf_survey_name(survey, i), "THUNK");
        for (size_t k = 0; k < n && k < MOST_FRAMES; k++) {
            is_any |= hpf_str_is(frames[k].module, HPF__HASKELL_HEAP);
        }
    }
    return is_any;
}

/* Returns how well a recording answers its question. */
static int worth(const hpf_explain_recording *r)
{
    bool is_log = r->in->format == &hpf_format_eventlog;
    return 4 * (r->of.length == 0) + 2 * (r->by != HPF_BREAKDOWN_TYPE) + is_log;
}

/* Adds a recording of --savings, whose names are pairs of a maker and its holders: one by maker,
 * one by holder. */
static hpf_status add_savings(hpf_explanation *e, const hpf_explain_recording *given, bool *is_it,
                              hpf_error *err)
{
    static const hpf_explain_question questions[] = {HPF_EXPLAIN_MAKER, HPF_EXPLAIN_HOLDER};
    static const int phases[HPF_N_SAVING_PHASES] = {HPF_EXPLAIN_LAG_PHASE, HPF_EXPLAIN_DRAG_PHASE,
                                                    HPF_EXPLAIN_VOID_PHASE};
    hpf_saving *savings, total;
    size_t n;
    double live = hpf_survey_live_area(given->in->survey);
    hpf_status status = hpf_savings_find(&savings, &n, &total, given->in->survey, err);
    *is_it = status == HPF_OK && n > 0;
    for (int i = 0; i < 2 && n > 0 && status == HPF_OK; i++) {
        hpf_explain_recording *r = &e->recordings[e->n_recordings++];
        *r = *given;
        r->by = i == 0 ? HPF_BREAKDOWN_COST_CENTRE : HPF_BREAKDOWN_RETAINER;
        r->question = questions[i];
        r->is_waste = true;
        status = hpf__explain_table_of_savings(&r->table, r, savings, n, e->arena, err);
        e->waste[r->question] = e->waste[r->question] ? e->waste[r->question] : r;
    }
    for (int k = 0; k < HPF_N_SAVING_PHASES && live > 0; k++) {
        e->phases[phases[k]] += total.areas[k] / live;
    }
    free(savings);
    return status;
}

/* Adds what a recording says by a break-down. */
static hpf_status add_answer(hpf_explanation *e, const hpf_explain_recording *r,
                             hpf__explain_key key, hpf_error *err)
{
    hpf_explain_recording *added = &e->recordings[e->n_recordings++];
    *added = *r;
    hpf_status status = hpf__explain_table_make(&added->table, added, key, NULL, e->arena, err);
    const hpf_explain_recording **place =
        r->is_waste ? &e->waste[r->question] : &e->answers[r->question];
    bool is_link = r->of_centre.length > 0; /* it says what holds a holder */
    bool is_empty = r->is_waste && added->table.n == 0;
    if (!is_empty && (!*place || (worth(added) > worth(*place) && !is_link))) {
        *place = added;
    }
    return status;
}

/* Adds the further break-downs of a recording, and the makers of what one by use shows to be
 * unused. */
static hpf_status add_further(hpf_explanation *e, const hpf_explain_recording *first,
                              hpf_error *err)
{
    static const hpf_breakdown all[] = {HPF_BREAKDOWN_TYPE, HPF_BREAKDOWN_RETAINER,
                                        HPF_BREAKDOWN_BIOGRAPHY};
    hpf_explain_recording r = *first;
    const hpf_eventlog_metadata *log = hpf_survey_eventlog_metadata(r.in->survey);
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == HPF_OK; i++) {
        bool is_further = log && (log->further >> all[i] & 1);
        r.by = all[i];
        r.question = question_of(r.by, true);
        status = is_further ? add_answer(e, &r, HPF__EXPLAIN_BY_NAME, err) : HPF_OK;
        if (status == HPF_OK && r.by == HPF_BREAKDOWN_BIOGRAPHY && !r.is_waste &&
            (is_further || first->by == r.by)) {
            r.question = HPF_EXPLAIN_MAKER;
            r.is_waste = true;
            status = add_answer(e, &r, HPF__EXPLAIN_BY_MAKER, err);
        }
    }
    return status;
}

static hpf_status add_recording(hpf_explanation *e, const hpf_recording *in, hpf_error *err)
{
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB), program = program_of(job);
    hpf_explain_recording r = {.in = in, .by = breakdown_of(in->survey)};
    bool is_native = is_native_job(job), is_savings = false;
    if (e->n_recordings > 0 && !hpf_str_equal(first_word(program), first_word(e->program))) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "%s and %s are recordings of two programs",
                             e->recordings[0].in->name, in->name);
    }
    e->program = e->n_recordings > 0 ? e->program : program;
    if (is_native) {
        bool is_python = hpf_str_begins(first_word(program), "python");
        r.has_closures = has_closures(in->survey);
        e->language = is_python                                               ? HPF_EXPLAIN_PYTHON
                      : r.has_closures || e->language == HPF_EXPLAIN_CLOSURES ? HPF_EXPLAIN_CLOSURES
                                                                              : HPF_EXPLAIN_NATIVE;
    }
    hpf_status status = HPF_OK;
    if (r.by == HPF_BREAKDOWN_NONE) {
        status = add_savings(e, &r, &is_savings, err);
        if (status != HPF_OK || is_savings) {
            return status;
        }
    }
    r.question = question_of(r.by, is_native);
    if (!note_restrictions(&r, job, e->arena)) {
        return hpf_error_set_memory(err);
    }
    if (r.by == HPF_BREAKDOWN_NONE || r.by == HPF_BREAKDOWN_ERA) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "%s: expected a recording by producer, description, biography or "
                             "retainer (-hc, -hd, -hb, -hr)",
                             in->name);
    }
    status = add_answer(e, &r, HPF__EXPLAIN_BY_NAME, err);
    return status == HPF_OK && is_native ? add_further(e, &r, err) : status;
}

/* --- figures ---------------------------------------------------------------------------------- */

static const hpf_explain_part *part_named(const hpf_explain_table *table, const char *name)
{
    for (size_t i = 0; table && i < table->n; i++) {
        if (hpf_str_is(table->parts[i].name, name)) {
            return &table->parts[i];
        }
    }
    return NULL;
}

static double share_named(const hpf_explain_table *table, const char *name)
{
    const hpf_explain_part *part = part_named(table, name);
    return part ? part->share : 0;
}

static void sum_contents(hpf_explanation *e)
{
    const hpf_explain_recording *r = e->answers[HPF_EXPLAIN_CONTENT];
    e->tells_content = r && (r->by != HPF_BREAKDOWN_TYPE || r->has_closures) && r->of.length == 0;
    for (size_t i = 0; e->tells_content && i < r->table.n; i++) {
        const hpf_explain_part *p = &r->table.parts[i];
        e->expressions += p->kind == HPF_EXPLAIN_EXPRESSION ? p->share : 0;
        e->data += p->kind == HPF_EXPLAIN_DATA ? p->share : 0;
    }
}

static void sum_phases(hpf_explanation *e)
{
    static const char *const names[] = {"LAG", "USE", "DRAG", "VOID"};
    const hpf_explain_recording *r = e->answers[HPF_EXPLAIN_USE];
    for (int i = 0; r && r->of.length == 0 && i < 4; i++) {
        e->phases[i] = share_named(&r->table, names[i]);
    }
}

/* Returns whether the recordings show that another program than GHC's run-time system wrote them.
 */
static bool is_of_ghc(const hpf_explanation *e)
{
    const hpf_explain_recording *r = e->answers[HPF_EXPLAIN_HOLDER];
    size_t n = 0;
    if (r && r->in->sets) {
        hpf_retainer_sets_holdings(r->in->sets, &n);
    }
    return e->language == HPF_EXPLAIN_HASKELL && n == 0;
}

/* Makes the tables by function: of everything, and of what nothing holds. */
static hpf_status find_makers(hpf_explanation *e, hpf_error *err)
{
    static const hpf_explain_question order[HPF_EXPLAIN_N_QUESTIONS] = {
        HPF_EXPLAIN_MAKER, HPF_EXPLAIN_HOLDER, HPF_EXPLAIN_CONTENT, HPF_EXPLAIN_USE};
    const hpf_str unreached = HPF_STR("UNREACHED");
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < HPF_EXPLAIN_N_QUESTIONS && status == HPF_OK && e->makers.n == 0; i++) {
        const hpf_explain_recording *r = e->answers[order[i]];
        bool is_whole = r && r->of.length == 0;
        status = is_whole ? hpf__explain_table_make(&e->makers, r, HPF__EXPLAIN_BY_MAKER, NULL,
                                                    e->arena, err)
                          : HPF_OK;
    }
    if (status == HPF_OK && e->answers[HPF_EXPLAIN_HOLDER]) {
        status = hpf__explain_table_make(&e->lost_makers, e->answers[HPF_EXPLAIN_HOLDER],
                                         HPF__EXPLAIN_BY_MAKER, &unreached, e->arena, err);
    }
    return status;
}

/* --- holders ---------------------------------------------------------------------------------- */

/* Removes the next holder from the name of a set of holders, and returns it. Names of native
 * holders contain commas: their sets are not divided. */
static hpf_str next_holder(const hpf_explanation *e, hpf_str *rest)
{
    const char *comma =
        e->language == HPF_EXPLAIN_HASKELL ? memchr(rest->data, ',', rest->length) : NULL;
    hpf_str holder = {rest->data, comma ? (size_t)(comma - rest->data) : rest->length};
    *rest = hpf_str_from(*rest, holder.length + (comma ? 1 : 0));
    return holder;
}

/* Returns whether a name in a profile by retainer is no holder that a program could release. */
static bool is_no_holder(hpf_str name)
{
    static const char *const words[] = {
        "SYSTEM", "CAF",  "MANY",   "UNREACHED", "OUT_OF_MEMORY", "Python_interpreter",
        "MAIN",   "IDLE", "PINNED", NULL};
    bool is_word = name.length == 0;
    for (size_t i = 0; words[i]; i++) {
        is_word |= hpf_str_is(name, words[i]);
    }
    return is_word;
}

/* Returns the share of all sets that contain a holder. */
static double share_held(const hpf_explanation *e, const hpf_explain_table *table, hpf_str holder)
{
    double share = 0;
    for (size_t i = 0; i < table->n; i++) {
        bool is_member = false;
        for (hpf_str rest = table->parts[i].name; rest.length > 0 && !is_member;) {
            is_member = hpf_str_equal(next_holder(e, &rest), holder);
        }
        share += is_member ? table->parts[i].share : 0;
    }
    return share;
}

/* Stores the holder whose sets have the largest share, or NULL, in `*out`: a part of its own with
 * that share, from the largest of these sets. */
static hpf_status find_holder(const hpf_explain_part **out, const hpf_explanation *e,
                              hpf_error *err)
{
    enum { MOST_SETS = 16 };
    const hpf_explain_recording *r = e->answers[HPF_EXPLAIN_HOLDER];
    hpf_explain_part best = {.share = 0};
    *out = NULL;
    for (size_t i = 0; r && i < r->table.n && i < MOST_SETS; i++) {
        for (hpf_str rest = r->table.parts[i].name; rest.length > 0;) {
            hpf_str holder = next_holder(e, &rest);
            double share = is_no_holder(holder) ? 0 : share_held(e, &r->table, holder);
            if (share > best.share) {
                best = r->table.parts[i];
                best.name = holder;
                best.share = share;
                best.place = hpf__explain_place(r, holder);
            }
        }
    }
    hpf_explain_part *found = best.share > 0 ? hpf_arena_alloc(e->arena, sizeof *found) : NULL;
    if (found) {
        *found = best;
        *out = found;
    }
    return found || best.share == 0 ? HPF_OK : hpf_error_set_memory(err);
}

/* Returns the name of a holder in a report: the label of `C_lookup[Main],main[Main],MAIN[MAIN]` and
 * of `Main.lookup,Main.main`. */
static hpf_str label_of_member(const hpf_explanation *e, hpf_str member)
{
    if (e->language != HPF_EXPLAIN_HASKELL) {
        return member;
    }
    hpf_str label = next_holder(e, &member);
    const char *module = memchr(label.data, '[', label.length);
    return module ? (hpf_str){label.data, (size_t)(module - label.data)} : label;
}

static void add_step(hpf_explanation *e, hpf_explain_step step)
{
    if (e->n_steps < HPF_EXPLAIN_MOST_STEPS) {
        e->steps[e->n_steps++] = step;
    }
}

/* Follows a holder to the roots by the report of its recording. */
static void follow_report(hpf_explanation *e, const hpf_explain_part *holder)
{
    const hpf_explain_recording *r = e->answers[HPF_EXPLAIN_HOLDER];
    hpf_str listed[HPF_EXPLAIN_MOST_STEPS];
    hpf_chain c = {.listed = listed};
    hpf_retainer_set set;
    c.holdings = r->in->sets ? hpf_retainer_sets_holdings(r->in->sets, &c.n_holdings) : NULL;
    bool is_known =
        c.n_holdings > 0 && hpf_survey_retainer_set_named(r->in->survey, holder->set, &set);
    hpf_str rest = is_known ? set.members : HPF_STR(""), member = {0};
    do {
        member = hpf_retainer_sets_next_member(&rest);
    } while (member.data && !hpf_str_equal(label_of_member(e, member), holder->name));
    while (member.data && e->n_steps < HPF_EXPLAIN_MOST_STEPS) {
        hpf_held all = hpf_chain_holdings_of(&c, member);
        hpf_str label = label_of_member(e, member);
        add_step(e, (hpf_explain_step){label, hpf__explain_place(r, label), all.n_objects,
                                       all.size_bytes, all.is_root});
        listed[c.n_listed++] = member;
        rest = all.best && !all.is_root ? all.best->by : HPF_STR("");
        do {
            member = hpf_retainer_sets_next_member(&rest);
        } while (member.data && hpf_chain_has_listed(&c, member));
    }
}

static bool is_step(const hpf_explanation *e, hpf_str name)
{
    bool is_it = false;
    for (size_t i = 0; i < e->n_steps; i++) {
        is_it |= hpf_str_equal(e->steps[i].name, name);
    }
    return is_it;
}

/* Returns the holder in the largest set of a recording that is no step yet; empty if there is none.
 */
static hpf_str next_step(const hpf_explanation *e, const hpf_explain_recording *r)
{
    for (size_t i = 0; i < r->table.n; i++) {
        for (hpf_str rest = r->table.parts[i].name; rest.length > 0;) {
            hpf_str holder = next_holder(e, &rest);
            if (!is_step(e, holder)) {
                return holder;
            }
        }
    }
    return HPF_STR("");
}

/* Follows a holder by recordings of what holds the objects of one cost centre: -hr -hcHOLDER. */
static void follow_recordings(hpf_explanation *e, const hpf_explain_part *holder)
{
    hpf_str next = holder->name;
    for (size_t i = 0; i < e->n_recordings && e->n_steps < HPF_EXPLAIN_MOST_STEPS; i++) {
        const hpf_explain_recording *r = &e->recordings[i];
        if (r->question != HPF_EXPLAIN_HOLDER || r->of_centre.length == 0 ||
            !hpf_str_equal(r->of_centre, next)) {
            continue;
        }
        if (e->n_steps == 0) {
            add_step(e, (hpf_explain_step){.name = next, .place = holder->place});
        }
        next = next_step(e, r);
        if (next.length == 0) {
            return;
        }
        add_step(e, (hpf_explain_step){.name = next,
                                       .place = hpf__explain_place(r, next),
                                       .is_root = is_no_holder(next)});
        i = (size_t)-1; /* search all again */
    }
}

/* Returns whether objects of a name can hold others in a profile by retainer. */
static bool can_hold(const hpf_explain_part *p)
{
    static const char *const words[] = {"MUT_", "MVAR", "TVAR", "WEAK", NULL};
    bool is_variable = false;
    for (size_t i = 0; words[i]; i++) {
        is_variable |= hpf_str_begins(p->name, words[i]);
    }
    return is_variable || p->kind == HPF_EXPLAIN_EXPRESSION;
}

/* Finds what is easiest to release: the step with the fewest objects, nearest to the roots. Only if
 * nothing else holds, a root. */
static void find_narrowest(hpf_explanation *e)
{
    const hpf_explain_step *found = NULL;
    for (size_t i = 0; i < e->n_steps; i++) {
        const hpf_explain_step *s = &e->steps[i];
        bool is_narrower = !found || s->n_objects <= found->n_objects;
        found = is_narrower && (!s->is_root || !found) ? s : found;
    }
    e->narrowest = found;
    for (size_t i = 0; i < e->n_recordings && found; i++) {
        const hpf_explain_recording *r = &e->recordings[i];
        bool is_of_it =
            r->question == HPF_EXPLAIN_CONTENT && hpf_str_equal(r->of_centre, found->name);
        size_t n_holding = 0;
        for (size_t k = 0; k < r->table.n && is_of_it; k++) {
            n_holding += can_hold(&r->table.parts[k]);
            e->narrowest_content =
                can_hold(&r->table.parts[k]) ? &r->table.parts[k] : e->narrowest_content;
        }
        e->narrowest_content = n_holding == 1 || !is_of_it ? e->narrowest_content : NULL;
    }
}

/* --- advice ----------------------------------------------------------------------------------- */

static const hpf_explain_part *first_part(const hpf_explain_table *table)
{
    return table && table->n > 0 ? &table->parts[0] : NULL;
}

/* Returns the code of the largest closures that wait to be evaluated, by its name, or NULL. */
static const hpf_explain_part *largest_waiting(const hpf_explain_table *makers)
{
    static const char *const words[] = {"thunk ", "application of ", "field of "};
    for (size_t i = 0; i < makers->n; i++) {
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            if (hpf_str_begins(makers->parts[i].name, words[k])) {
                return &makers->parts[i];
            }
        }
    }
    return NULL;
}

/* Returns the share that must have both of two properties with these shares. */
static double share_of_both(double a, double b)
{
    return fmax(0, a + b - 1);
}

static void advise(hpf_explanation *e, hpf_explain_advice_kind kind, double share,
                   const hpf_explain_part *what, const hpf_explain_part *holder)
{
    if (e->n_advice < HPF_EXPLAIN_MOST_ADVICE && !isnan(share)) {
        e->advice[e->n_advice++] = (hpf_explain_advice){kind, share, what, holder};
    }
}

static bool is_advised(const hpf_explanation *e, hpf_explain_advice_kind kind)
{
    bool is_it = false;
    for (size_t i = 0; i < e->n_advice; i++) {
        is_it |= e->advice[i].kind == kind;
    }
    return is_it;
}

static bool is_named(const hpf_explanation *e, const hpf_explain_part *part)
{
    bool is_it = false;
    for (size_t i = 0; i < e->n_advice; i++) {
        const hpf_explain_part *what = e->advice[i].what;
        is_it |= what && hpf_str_equal(what->name, part->name);
    }
    return is_it;
}

/* Returns the maker of at least half of what has a share of the memory, by the shares of makers, or
 * NULL. */
static const hpf_explain_part *maker_of_half(const hpf_explain_table *makers, double share)
{
    const hpf_explain_part *maker = first_part(makers);
    return maker && share_of_both(maker->share, share) >= share / 2 ? maker : NULL;
}

/* Adds what is not in use. In recordings of GHC, data counts as never used though it is read: only
 * more than all data is sure to be unused. Advice to release a holder speaks of drag itself. */
static void advise_use(hpf_explanation *e, bool is_released)
{
    const hpf_explain_recording *r = e->waste[HPF_EXPLAIN_MAKER];
    double lag = e->phases[HPF_EXPLAIN_LAG_PHASE], drag = e->phases[HPF_EXPLAIN_DRAG_PHASE];
    double unused = e->phases[HPF_EXPLAIN_VOID_PHASE], all = r ? drag + unused : 1;
    const hpf_explain_table *makers = r ? &r->table : &e->makers;
    if (drag >= much && !is_released) {
        advise(e, HPF_EXPLAIN_DRAG, drag, maker_of_half(makers, drag / all), NULL);
    }
    if (unused - (!e->is_ghc ? 0 : e->tells_content ? e->data : 1) >= much) {
        advise(e, HPF_EXPLAIN_VOID, unused, maker_of_half(makers, unused / all), NULL);
    }
    if (lag >= much && !is_advised(e, HPF_EXPLAIN_EVALUATE) && maker_of_half(&e->makers, lag)) {
        advise(e, HPF_EXPLAIN_LAG, lag, maker_of_half(&e->makers, lag), NULL);
    }
}

/* Returns the largest holder if it holds most of what a maker makes, as far as that is known. */
static const hpf_explain_part *holder_of(const hpf_explanation *e, const hpf_explain_part *maker,
                                         const hpf_explain_part *holder)
{
    if (!holder || !maker) {
        return NULL;
    }
    double both = share_of_both(maker->share, holder->share);
    for (size_t i = 0; i < e->held_makers.n; i++) {
        const hpf_explain_part *p = &e->held_makers.parts[i];
        both = hpf_str_equal(p->name, maker->name) ? p->share : both;
    }
    return both >= maker->share / 2 ? holder : NULL;
}

static void advise_growth(hpf_explanation *e, const hpf_explain_part *holder)
{
    const hpf_explain_table *table = e->makers.n > 0 ? &e->makers
                                     : e->answers[HPF_EXPLAIN_HOLDER]
                                         ? &e->answers[HPF_EXPLAIN_HOLDER]->table
                                         : NULL;
    const hpf_explain_part *lost_maker = first_part(&e->lost_makers);
    for (size_t i = 0; table && i < table->n; i++) {
        const hpf_explain_part *p = &table->parts[i];
        bool is_lost = lost_maker && hpf_str_equal(p->name, lost_maker->name);
        if (p->grows && p->share >= some && !is_lost && !is_no_holder(p->name)) {
            advise(e, HPF_EXPLAIN_GROWTH, p->share, p, holder_of(e, p, holder));
            return;
        }
    }
}

/* Returns the largest constant at the top level of the program, by all that it made. */
static const hpf_explain_part *find_constant(const hpf_explanation *e)
{
    size_t i = 0;
    while (i < e->makers.n && !e->makers.parts[i].is_constant) {
        i++;
    }
    return i < e->makers.n ? &e->makers.parts[i] : NULL;
}

/* Returns the maker of the largest part of the peak, or NULL. */
static const hpf_explain_part *maker_of_peak(const hpf_explanation *e)
{
    const hpf_explain_part *largest = first_part(&e->makers);
    for (size_t i = 0; i < e->makers.n; i++) {
        const hpf_explain_part *p = &e->makers.parts[i];
        largest = p->amounts[4] > largest->amounts[4] ? p : largest;
    }
    return largest;
}

static void advise_all(hpf_explanation *e, const hpf_explain_part *holder)
{
    const hpf_explain_recording *held_by = e->answers[HPF_EXPLAIN_HOLDER];
    const hpf_explain_table *holders = held_by ? &held_by->table : NULL;
    const hpf_explain_recording *content = e->answers[HPF_EXPLAIN_CONTENT];
    const hpf_explain_part *maker = first_part(&e->makers);
    const hpf_explain_part *constant = find_constant(e);
    const hpf_explain_part *list = content ? part_named(&content->table, ":") : NULL;
    const hpf_explain_part *peak = maker_of_peak(e);
    double peak_bytes = hpf_survey_overview(e->main->in->survey)->peak_total;
    bool is_haskell = e->language == HPF_EXPLAIN_HASKELL;
    bool is_closures = e->language == HPF_EXPLAIN_CLOSURES; /* a collection frees UNREACHED */
    /* Memory that only the interpreter of Python knows seems lost, too. */
    double least_lost = e->language == HPF_EXPLAIN_PYTHON ? some : lost;
    if (!is_haskell && !is_closures && share_named(holders, "UNREACHED") >= least_lost) {
        advise(e, HPF_EXPLAIN_LEAK, share_named(holders, "UNREACHED"), first_part(&e->lost_makers),
               NULL);
    }
    if (constant && constant->share >= much) {
        advise(e, HPF_EXPLAIN_CONSTANT, constant->share, constant, NULL);
    }
    if (is_closures && e->expressions >= much) {
        advise(e, HPF_EXPLAIN_EVALUATE, e->expressions, largest_waiting(&e->makers), holder);
    } else if (is_haskell && e->expressions >= much) {
        bool holds = holder && holder->share >= much;
        advise(e, HPF_EXPLAIN_EVALUATE, e->expressions, holds ? holder : maker,
               holds ? holder : NULL);
    }
    if (peak && e->has_short_peak) {
        advise(e, HPF_EXPLAIN_PEAK, peak->share, peak, NULL);
    }
    if (!is_advised(e, HPF_EXPLAIN_EVALUATE)) {
        advise_growth(e, holder);
    }
    bool is_explained = is_advised(e, HPF_EXPLAIN_EVALUATE) || is_advised(e, HPF_EXPLAIN_GROWTH);
    bool is_released = holder && holder->share >= most && !is_explained;
    /* What is never used is better not made than released. */
    bool is_void =
        e->phases[HPF_EXPLAIN_VOID_PHASE] >= much && e->phases[HPF_EXPLAIN_DRAG_PHASE] < much;
    if (is_released && !is_void) {
        advise(e, HPF_EXPLAIN_RELEASE, holder->share, holder, holder);
    }
    advise_use(e, is_released);
    if (is_released && is_void) {
        advise(e, HPF_EXPLAIN_RELEASE, holder->share, holder, holder);
    }
    bool is_list_explained =
        is_released || is_advised(e, HPF_EXPLAIN_GROWTH) || is_advised(e, HPF_EXPLAIN_CONSTANT);
    if (is_haskell && list && list->share >= much && !is_list_explained) {
        advise(e, HPF_EXPLAIN_LIST, list->share, list, maker);
    }
    if (is_haskell && share_named(holders, "SYSTEM") >= most) {
        advise(e, HPF_EXPLAIN_STACK, share_named(holders, "SYSTEM"), NULL, NULL);
    }
    for (size_t i = 0; i < e->makers.n && (!is_haskell || e->n_advice == 0); i++) {
        const hpf_explain_part *p = &e->makers.parts[i];
        const hpf_explain_part *its_holder = holder_of(e, p, holder);
        bool is_mentioned =
            is_named(e, p) || (is_released && its_holder) || (is_closures && is_no_holder(p->name));
        bool is_large = p->share >= much, is_peak = p == peak && p->amounts[4] >= peak_bytes / 2;
        if ((is_large || is_peak) && !p->is_cut && !is_mentioned) {
            advise(e, is_large ? HPF_EXPLAIN_LARGEST : HPF_EXPLAIN_PEAK, p->share, p, its_holder);
        }
    }
}

/* --- what is not known ------------------------------------------------------------------------ */

/* Writes the command line of the program with `flags` for the profiler, which end in `of`. */
static void write_command(hpf_sink *to, const hpf_explanation *e, const char *flags, hpf_str of)
{
    bool is_native = e->language != HPF_EXPLAIN_HASKELL;
    hpf_str job = hpf_survey_header(e->main->in->survey, HPF_HEADER_JOB);
    hpf_sink_str(to, is_native ? HPF_STR("census run ") : e->program);
    hpf_sink_text(to, is_native ? "" : " +RTS ");
    hpf_sink_text(to, flags);
    if (of.length > 0) {
        hpf_sink_word(to, of);
    }
    if (is_native) {
        hpf_sink_text(to, " -o next.census -- ");
        hpf_sink_str(to, e->program);
        return;
    }
    while (job.length > 0) { /* keep the interval and the length of names */
        hpf_str word = hpf__take_until(&job, ' ');
        if (hpf_str_begins(word, "-i") || hpf_str_begins(word, "-L")) {
            hpf_sink_text(to, " ");
            hpf_sink_str(to, word);
        }
    }
}

/* Moves the text of a memory sink to an arena; without data if there is no memory. */
static hpf_str take_text(hpf_sink *from, hpf_arena *arena)
{
    bool is_whole = hpf_sink_flush(from, NULL) == HPF_OK;
    hpf_str text = is_whole ? hpf_arena_str(arena, hpf_sink_bytes(from)) : (hpf_str){0};
    hpf_sink_clear(from);
    return text;
}

/* Adds a question, about `of` unless that is empty, with the command that answers it. */
static hpf_status add_gap(hpf_explanation *e, const char *question, const char *flags, hpf_str of,
                          hpf_error *err)
{
    hpf_sink *text = hpf_sink_to_memory();
    if (!text) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_text(text, question);
    hpf_sink_str(text, of);
    hpf_str about = take_text(text, e->arena);
    write_command(text, e, flags, of);
    hpf_str command = take_text(text, e->arena);
    hpf_sink_destroy(text);
    if (e->n_gaps < HPF_EXPLAIN_MOST_GAPS) {
        e->gaps[e->n_gaps++] = (hpf_explain_gap){about, command};
    }
    return command.length && about.length ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status find_gaps(hpf_explanation *e, const hpf_explain_part *holder, hpf_error *err)
{
    const hpf_str all = HPF_STR("");
    const hpf_explain_part *maker = first_part(&e->makers);
    bool is_haskell = e->language == HPF_EXPLAIN_HASKELL;
    bool is_closures = e->language == HPF_EXPLAIN_CLOSURES; /* these have no use, only code */
    bool is_plain = is_haskell && e->main->by == HPF_BREAKDOWN_CLOSURE_TYPE;
    hpf_str narrow = e->narrowest ? e->narrowest->name : holder ? holder->name : all;
    bool wastes = e->phases[HPF_EXPLAIN_DRAG_PHASE] >= much || is_advised(e, HPF_EXPLAIN_VOID);
    bool is_holder_used = is_advised(e, HPF_EXPLAIN_RELEASE) || is_advised(e, HPF_EXPLAIN_EVALUATE);
    const struct {
        bool is_open;
        const char *question, *flags;
        hpf_str of;
    } gaps[] = {
        {!maker && !is_closures, is_plain ? "who makes it (compile with -prof)" : "who makes it",
         e->answers[HPF_EXPLAIN_HOLDER] && !is_haskell ? "-hr" : "-hc", all},
        {maker && maker->is_cut, "which function makes it: the names are cut",
         is_haskell ? "-hc -L500" : "-hc", all},
        {(is_haskell || is_closures) && !e->answers[HPF_EXPLAIN_CONTENT], "what it consists of",
         is_closures ? "-hT" : "-hd", all},
        {!is_closures && !e->answers[HPF_EXPLAIN_USE], "whether it is used", "-hb", all},
        {!e->answers[HPF_EXPLAIN_HOLDER], "who holds it", "-hr", all},
        {wastes && !e->waste[HPF_EXPLAIN_MAKER], "who makes what is not used",
         is_haskell ? "-hc -hbdrag,void" : "-hd -hbdrag,void", all},
        {maker && is_advised(e, HPF_EXPLAIN_LEAK) && e->lost_makers.n == 0,
         "who makes what nothing refers to", "-hr", all},
        {is_haskell && is_holder_used && holder && e->n_steps == 0, "who holds what was made by ",
         "-hr -hc", narrow},
        {is_haskell && is_advised(e, HPF_EXPLAIN_RELEASE) && !e->narrowest_content,
         "which expression or variable holds it, of those made by ", "-hd -hc", narrow},
        {is_haskell && maker && maker->place.length == 0 && !maker->is_cut,
         "where in the source text", "-p -hc", all},
    };
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps && status == HPF_OK; i++) {
        status =
            gaps[i].is_open ? add_gap(e, gaps[i].question, gaps[i].flags, gaps[i].of, err) : HPF_OK;
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------- */

hpf_status hpf_explain_find(hpf_explanation *out, const hpf_recording *recordings, size_t n,
                            hpf_error *err)
{
    hpf_explanation *e = out;
    *e = (hpf_explanation){.arena = hpf_arena_create()};
    e->recordings =
        e->arena ? hpf_arena_array(e->arena, n, MOST_ANSWERS * sizeof *e->recordings) : NULL;
    hpf_status status = e->recordings ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        status = add_recording(e, &recordings[i], err);
    }
    if (status != HPF_OK) {
        return status;
    }
    for (int q = HPF_EXPLAIN_N_QUESTIONS - 1; q >= 0; q--) {
        bool is_better =
            e->answers[q] && !(e->main && e->main->of.length == 0 && e->answers[q]->of.length > 0);
        e->main = is_better ? e->answers[q] : e->main;
    }
    e->main = e->main ? e->main : &e->recordings[0];
    const hpf_explain_part *holder = NULL;
    sum_contents(e);
    sum_phases(e);
    e->is_ghc = is_of_ghc(e);
    status = find_makers(e, err);
    status = status == HPF_OK ? hpf_findings_find(&e->findings, e->main->in, err) : status;
    for (size_t i = 0; i < e->findings.n && status == HPF_OK; i++) {
        e->has_short_peak |= e->findings.all[i].kind == HPF_FINDING_SHORT_PEAK;
    }
    status = status == HPF_OK ? find_holder(&holder, e, err) : status;
    if (status == HPF_OK && holder) {
        follow_report(e, holder);
        if (e->n_steps == 0) {
            follow_recordings(e, holder);
        }
        find_narrowest(e);
        status = hpf__explain_table_make(&e->held_makers, e->answers[HPF_EXPLAIN_HOLDER],
                                         HPF__EXPLAIN_BY_MAKER, &holder->name, e->arena, err);
    }
    if (status == HPF_OK && hpf_survey_overview(e->main->in->survey)->peak_total > 0) {
        advise_all(e, holder);
        status = find_gaps(e, holder, err);
    }
    return status;
}

void hpf_explain_finish(hpf_explanation *e)
{
    hpf_arena_destroy(e->arena);
}
