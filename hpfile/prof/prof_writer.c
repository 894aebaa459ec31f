/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A tree of cost-centre stacks to `.prof`.
 *
 * Parents come before children in the array, so totals, inherited costs and pruning are single
 * loops, backwards where children report to parents. Children are then linked in printing order,
 * and the tree is walked by those links and the parents': deep trees need no deep C stack.
 */
#include "hpfile/sink.h"
#include "hpfile/prof.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "base/number.h"
#include "base/utf8.h"

enum { ENTRIES_WIDTH = 11 };
enum {
    MIN_LABEL_WIDTH = 11, /* "COST CENTRE" */
    MIN_MODULE_WIDTH = 6, /* "MODULE" */
    MIN_SRC_WIDTH = 3,    /* "SRC" */
    MIN_ID_WIDTH = 3,     /* "no." */
};

#define NONE UINT32_MAX

/* What is computed for a stack. */
typedef struct node {
    uint64_t inherited_ticks;
    uint64_t inherited_bytes;
    uint32_t first_child; /* NONE; pruned stacks are not linked */
    uint32_t next_sibling;
    uint32_t level; /* 0 for the root; children of a hidden stack are at its level */
    bool is_kept;
} node;

/* What is computed for a cost centre. */
typedef struct centre_sum {
    uint64_t ticks;
    uint64_t bytes;
    uint32_t index;
} centre_sum;

/* A report being written. */
typedef struct report {
    hpf_sink *sink;
    const hpf_prof *prof;
    bool is_full;  /* hidden and unused ones too */
    bool is_exact; /* with ticks and bytes */
    node *nodes;
    centre_sum *sums;
    uint32_t *order; /* stacks or cost centres, sorted */
    uint64_t total_ticks;
    uint64_t total_bytes;
} report;

/* Widths of the columns of text, in characters. */
typedef struct widths {
    size_t label, module, src, id;
} widths;

/* ---- layout ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void put_blanks(hpf_sink *sink, size_t n)
{
    static const char blanks[] = "                                ";
    while (n > 0) {
        size_t piece = n < sizeof blanks - 1 ? n : sizeof blanks - 1;
        hpf_sink_write(sink, blanks, piece);
        n -= piece;
    }
}

/* Writes `text`, and blanks up to `width` characters; a longer text is not cut. */
static void put_left(hpf_sink *sink, hpf_str text, size_t width)
{
    size_t length = hpf_utf8_length(text);
    hpf_sink_str(sink, text);
    put_blanks(sink, length < width ? width - length : 0);
}

static void put_right(hpf_sink *sink, hpf_str text, size_t width)
{
    put_blanks(sink, text.length < width ? width - text.length : 0);
    hpf_sink_str(sink, text);
}

static void put_whole(hpf_sink *sink, uint64_t value, size_t width)
{
    char text[HPF__NUMBER_BYTES];
    put_right(sink, (hpf_str){text, hpf__number_whole(text, value)}, width);
}

static void put_fixed(hpf_sink *sink, double value, int decimals, size_t width)
{
    char text[HPF__NUMBER_BYTES];
    put_right(sink, (hpf_str){text, hpf__number_fixed(text, value, decimals)}, width);
}

/* 1685530736 as 1,685,530,736. */
static void put_grouped(hpf_sink *sink, uint64_t value, size_t width)
{
    char digits[HPF__NUMBER_BYTES];
    char text[2 * HPF__NUMBER_BYTES];
    size_t n_digits = hpf__number_whole(digits, value);
    size_t length = 0;
    for (size_t i = 0; i < n_digits; i++) {
        if (i > 0 && (n_digits - i) % 3 == 0) {
            text[length++] = ',';
        }
        text[length++] = digits[i];
    }
    put_right(sink, (hpf_str){text, length}, width);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : (double)part / (double)whole * 100.0;
}

/* The table of cost centres has percentages of single precision: last digits come out as GHC's. */
static double rough_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : (double)((float)part / (float)whole * 100.0F);
}

/* ---- sums ---- */

static const hpf_prof_centre *centre_of(const report *r, uint32_t stack)
{
    return &r->prof->centres[r->prof->stacks[stack].centre_index];
}

static bool is_shown(const report *r, const hpf_prof_centre *centre)
{
    return r->is_full || !centre->is_hidden;
}

static hpf_status check_tree(const hpf_prof *prof, hpf_error *err)
{
    for (size_t i = 0; i < prof->n_stacks; i++) {
        const hpf_prof_stack *s = &prof->stacks[i];
        bool is_placed = i == 0 ? s->parent_index == HPF_PROF_NO_PARENT : s->parent_index < i;
        if (!is_placed || s->centre_index >= prof->n_centres) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT, "the cost-centre stacks are not a tree");
        }
    }
    if (prof->n_stacks == 0 || prof->n_stacks >= NONE) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "expected a root of cost-centre stacks");
    }
    return HPF_OK;
}

static void add_up(report *r)
{
    const hpf_prof *prof = r->prof;
    for (size_t i = prof->n_stacks; i-- > 0;) {
        const hpf_prof_stack *s = &prof->stacks[i];
        node *n = &r->nodes[i];
        centre_sum *sum = &r->sums[s->centre_index];
        sum->ticks += s->ticks;
        sum->bytes += s->allocated_bytes;
        n->is_kept |= r->is_full || s->entries > 0 || s->ticks > 0 || s->allocated_bytes > 0;
        if (is_shown(r, centre_of(r, (uint32_t)i))) {
            r->total_ticks += s->ticks;
            r->total_bytes += s->allocated_bytes;
            n->inherited_ticks += s->ticks;
            n->inherited_bytes += s->allocated_bytes;
        }
        if (i > 0) {
            node *parent = &r->nodes[s->parent_index];
            parent->inherited_ticks += n->inherited_ticks;
            parent->inherited_bytes += n->inherited_bytes;
            parent->is_kept |= n->is_kept;
        }
    }
}

/* ---- order ---- */

/* Sorts numbers of stacks in the order of printing. */
static int compare_stacks(const void *left, const void *right, void *context)
{
    const report *r = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const hpf_prof_stack *x = &r->prof->stacks[a], *y = &r->prof->stacks[b];
    if (x->entries != y->entries) {
        return x->entries > y->entries ? -1 : 1;
    }
    int order = hpf_str_compare(centre_of(r, a)->label, centre_of(r, b)->label);
    order = order ? order : (x->id < y->id) - (x->id > y->id);
    return order ? order : (a > b) - (a < b);
}

/* Links children to parents: the last in the overall order is linked first, and so ends last. */
static void link_children(report *r)
{
    size_t n = r->prof->n_stacks;
    for (size_t i = 0; i < n; i++) {
        r->nodes[i].first_child = NONE;
        r->nodes[i].next_sibling = NONE;
        r->order[i] = (uint32_t)i;
    }
    qsort_r(r->order, n, sizeof *r->order, compare_stacks, r);
    for (size_t k = n; k-- > 0;) {
        uint32_t i = r->order[k];
        uint32_t parent = r->prof->stacks[i].parent_index;
        if (i > 0 && r->nodes[i].is_kept) {
            r->nodes[i].next_sibling = r->nodes[parent].first_child;
            r->nodes[parent].first_child = i;
        }
    }
    for (size_t i = 1; i < n; i++) {
        uint32_t parent = r->prof->stacks[i].parent_index;
        r->nodes[i].level = r->nodes[parent].level + is_shown(r, centre_of(r, parent));
    }
}

/* Returns the stack printed after `i`, children first; NONE at the end. `leave` is called for `i`
 * when it has no children, and for each stack that ends with it. */
static uint32_t next_stack(report *r, uint32_t i, void (*leave)(report *r, uint32_t i))
{
    if (r->nodes[i].first_child != NONE) {
        return r->nodes[i].first_child;
    }
    while (i != NONE) {
        if (leave) {
            leave(r, i);
        }
        if (r->nodes[i].next_sibling != NONE) {
            return r->nodes[i].next_sibling;
        }
        i = r->prof->stacks[i].parent_index;
    }
    return NONE;
}

static void finish(report *r)
{
    free(r->nodes);
    free(r->sums);
    free(r->order);
}

static hpf_status prepare(report *r, hpf_error *err)
{
    const hpf_prof *prof = r->prof;
    hpf_status status = check_tree(prof, err);
    if (status != HPF_OK) {
        return status;
    }
    size_t most = larger(prof->n_stacks, prof->n_centres);
    r->nodes = calloc(prof->n_stacks, sizeof *r->nodes);
    r->sums = calloc(prof->n_centres, sizeof *r->sums);
    r->order = calloc(most, sizeof *r->order);
    if (!r->nodes || !r->sums || !r->order) {
        return hpf_error_set_memory(err);
    }
    add_up(r);
    link_children(r);
    return HPF_OK;
}

/* ---- text ---- */

static void put_title(report *r)
{
    hpf_sink *sink = r->sink;
    const hpf_prof *prof = r->prof;
    hpf_sink_text(sink, "\t");
    hpf_sink_str(sink, prof->date);
    hpf_sink_text(sink, " Time and Allocation Profiling Report  (Final)\n\n\t   ");
    hpf_sink_str(sink, prof->program);
    hpf_sink_text(sink, " +RTS");
    for (size_t i = 0; i < prof->n_options; i++) {
        hpf_sink_text(sink, " ");
        hpf_sink_str(sink, prof->options[i]);
    }
    hpf_sink_text(sink, " -RTS");
    for (size_t i = 0; i < prof->n_arguments; i++) {
        hpf_sink_text(sink, " ");
        hpf_sink_str(sink, prof->arguments[i]);
    }
    hpf_sink_text(sink, "\n\n");
}

static uint32_t n_processors(const report *r)
{
    return r->prof->n_processors > 0 ? r->prof->n_processors : 1;
}

static double total_time_s(const report *r)
{
    return (double)r->total_ticks * (double)r->prof->tick_us / (1e6 * n_processors(r));
}

static void put_totals(report *r)
{
    hpf_sink *sink = r->sink;
    hpf_sink_text(sink, "\ttotal time  = ");
    put_fixed(sink, total_time_s(r), 2, 11);
    hpf_sink_text(sink, " secs   (");
    put_whole(sink, r->total_ticks, 0);
    hpf_sink_text(sink, " ticks @ ");
    put_whole(sink, r->prof->tick_us, 0);
    hpf_sink_text(sink, " us, ");
    put_whole(sink, n_processors(r), 0);
    hpf_sink_text(sink, n_processors(r) > 1 ? " processors)\n" : " processor)\n");
    hpf_sink_text(sink, "\ttotal alloc = ");
    put_grouped(sink, r->total_bytes, 11);
    hpf_sink_text(sink, " bytes  (excludes profiling overheads)\n\n");
}

static int compare_centres(const void *left, const void *right, void *context)
{
    const report *r = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t x = r->sums[a].ticks, y = r->sums[b].ticks;
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

/* Collects the centres worth listing in `order`. Hidden ones count for the widths, as in GHC. */
static size_t select_centres(report *r, widths *w)
{
    size_t n = 0;
    for (size_t i = 0; i < r->prof->n_centres; i++) {
        const hpf_prof_centre *c = &r->prof->centres[i];
        if (r->is_full || r->sums[i].ticks > r->total_ticks / 100 ||
            r->sums[i].bytes > r->total_bytes / 100) {
            w->label = larger(w->label, hpf_utf8_length(c->label));
            w->module = larger(w->module, hpf_utf8_length(c->module));
            w->src = larger(w->src, hpf_utf8_length(c->srcloc));
            r->order[n++] = (uint32_t)i;
        }
    }
    qsort_r(r->order, n, sizeof *r->order, compare_centres, r);
    return n;
}

static void put_place(hpf_sink *sink, const hpf_prof_centre *c, size_t indent, const widths *w)
{
    put_blanks(sink, indent);
    put_left(sink, c->label, w->label - indent);
    hpf_sink_text(sink, " ");
    put_left(sink, c->module, w->module);
    hpf_sink_text(sink, " ");
    put_left(sink, c->srcloc, w->src);
    hpf_sink_text(sink, " ");
}

static const hpf_prof_centre column_titles = {
    .label = {"COST CENTRE", 11}, .module = {"MODULE", 6}, .srcloc = {"SRC", 3}};

static void end_line(report *r, uint64_t ticks, uint64_t bytes)
{
    if (r->is_exact) {
        hpf_sink_text(r->sink, "  ");
        put_whole(r->sink, ticks, 5);
        hpf_sink_text(r->sink, " ");
        put_whole(r->sink, bytes, 9);
    }
    hpf_sink_text(r->sink, "\n");
}

static void put_centres(report *r)
{
    widths w = {MIN_LABEL_WIDTH, MIN_MODULE_WIDTH, MIN_SRC_WIDTH, 0};
    size_t n = select_centres(r, &w);
    put_place(r->sink, &column_titles, 0, &w);
    hpf_sink_text(r->sink, " %time %alloc");
    hpf_sink_text(r->sink, r->is_exact ? "  ticks     bytes\n\n" : "\n\n");
    for (size_t k = 0; k < n; k++) {
        const hpf_prof_centre *c = &r->prof->centres[r->order[k]];
        const centre_sum *sum = &r->sums[r->order[k]];
        if (is_shown(r, c)) {
            put_place(r->sink, c, 0, &w);
            put_fixed(r->sink, rough_percent(sum->ticks, r->total_ticks), 1, 6);
            hpf_sink_text(r->sink, " ");
            put_fixed(r->sink, rough_percent(sum->bytes, r->total_bytes), 1, 6);
            end_line(r, sum->ticks, sum->bytes);
        }
    }
    hpf_sink_text(r->sink, "\n\n");
}

static widths measure_tree(report *r)
{
    widths w = {MIN_LABEL_WIDTH, MIN_MODULE_WIDTH, MIN_SRC_WIDTH, MIN_ID_WIDTH};
    for (uint32_t i = 0; i != NONE; i = next_stack(r, i, NULL)) {
        const hpf_prof_centre *c = centre_of(r, i);
        char number[HPF__NUMBER_BYTES];
        w.label = larger(w.label, r->nodes[i].level + hpf_utf8_length(c->label));
        w.module = larger(w.module, hpf_utf8_length(c->module));
        w.src = larger(w.src, hpf_utf8_length(c->srcloc));
        w.id = larger(w.id, hpf__number_whole(number, r->prof->stacks[i].id));
    }
    return w;
}

static void put_stack(report *r, uint32_t i, const widths *w)
{
    const hpf_prof_stack *s = &r->prof->stacks[i];
    const node *n = &r->nodes[i];
    hpf_sink *sink = r->sink;
    put_place(sink, centre_of(r, i), n->level, w);
    put_whole(sink, s->id, w->id);
    hpf_sink_text(sink, " ");
    if (r->prof->without_entries) {
        put_blanks(sink, ENTRIES_WIDTH);
    } else {
        put_whole(sink, s->entries, ENTRIES_WIDTH);
    }
    hpf_sink_text(sink, "  ");
    put_fixed(sink, percent(s->ticks, r->total_ticks), 1, 5);
    hpf_sink_text(sink, "  ");
    put_fixed(sink, percent(s->allocated_bytes, r->total_bytes), 1, 5);
    hpf_sink_text(sink, "   ");
    put_fixed(sink, percent(n->inherited_ticks, r->total_ticks), 1, 5);
    hpf_sink_text(sink, "  ");
    put_fixed(sink, percent(n->inherited_bytes, r->total_bytes), 1, 5);
    end_line(r, s->ticks, s->allocated_bytes);
}

static void put_tree(report *r)
{
    widths w = measure_tree(r);
    hpf_sink *sink = r->sink;
    put_blanks(sink, w.label + w.module + w.src + w.id + 4);
    put_blanks(sink, ENTRIES_WIDTH);
    hpf_sink_text(sink, "    individual      inherited\n");
    put_place(sink, &column_titles, 0, &w);
    put_left(sink, HPF_STR("no."), w.id);
    hpf_sink_text(sink, "     entries  %time %alloc   %time %alloc");
    hpf_sink_text(sink, r->is_exact ? "  ticks     bytes\n\n" : "\n\n");
    for (uint32_t i = 0; i != NONE; i = next_stack(r, i, NULL)) {
        if (is_shown(r, centre_of(r, i))) {
            put_stack(r, i, &w);
        }
    }
}

hpf_status hpf_prof_write(hpf_sink *sink, const hpf_prof *prof, hpf_prof_detail detail,
                          hpf_error *err)
{
    report r = {.sink = sink,
                .prof = prof,
                .is_full = detail == HPF_PROF_ALL,
                .is_exact = detail != HPF_PROF_PLAIN};
    hpf_status status = prepare(&r, err);
    if (status == HPF_OK) {
        put_title(&r);
        put_totals(&r);
        put_centres(&r);
        put_tree(&r);
    }
    finish(&r);
    return status;
}

/* ---- JSON ---- */

/* Writes a member: separator, name, text in quotes. */
static void put_json_text(hpf_sink *sink, const char *before, hpf_str text)
{
    static const char letters[] = "btn.fr"; /* of 8 to 13; there is none for 11 */
    hpf_sink_text(sink, before);
    hpf_sink_text(sink, "\"");
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\') {
            hpf_sink_printf(sink, "\\%c", c);
        } else if (c >= 8 && c <= 13 && c != 11) {
            hpf_sink_printf(sink, "\\%c", letters[c - 8]);
        } else if (c < 0x20) {
            hpf_sink_printf(sink, "\\u%04x", c);
        } else {
            hpf_sink_write(sink, &text.data[i], 1);
        }
    }
    hpf_sink_text(sink, "\"");
}

static void put_json_number(hpf_sink *sink, const char *before, uint64_t value)
{
    hpf_sink_text(sink, before);
    hpf_sink_whole(sink, value);
}

static void put_json_head(report *r)
{
    hpf_sink *sink = r->sink;
    const hpf_prof *prof = r->prof;
    put_json_text(sink, "{\n\"program\": ", prof->program);
    put_json_text(sink, ",\n\"arguments\": [", prof->command);
    for (size_t i = 0; i < prof->n_arguments; i++) {
        put_json_text(sink, ", ", prof->arguments[i]);
    }
    hpf_sink_text(sink, "],\n\"rts_arguments\": [");
    for (size_t i = 0; i < prof->n_options; i++) {
        put_json_text(sink, i == 0 ? "" : ", ", prof->options[i]);
    }
    put_json_text(sink, "],\n\"end_time\": ", prof->date);
    put_json_number(sink, ",\n\"initial_capabilities\": ", prof->n_processors);
    hpf_sink_text(sink, ",\n\"total_time\": ");
    put_fixed(sink, total_time_s(r), 2, 11);
    put_json_number(sink, ",\n\"total_ticks\": ", r->total_ticks);
    put_json_number(sink, ",\n\"tick_interval\": ", prof->tick_us);
    put_json_number(sink, ",\n\"total_alloc\":", r->total_bytes);
}

static void put_json_centres(report *r)
{
    hpf_sink *sink = r->sink;
    hpf_sink_text(sink, ",\n\"cost_centres\": [\n");
    for (size_t i = 0; i < r->prof->n_centres; i++) {
        const hpf_prof_centre *c = &r->prof->centres[i];
        put_json_number(sink, i == 0 ? "{\"id\": " : ", {\"id\": ", c->id);
        put_json_text(sink, ", \"label\": ", c->label);
        put_json_text(sink, ", \"module\": ", c->module);
        put_json_text(sink, ", \"src_loc\": ", c->srcloc);
        hpf_sink_text(sink, c->is_caf ? ", \"is_caf\": true}" : ", \"is_caf\": false}");
    }
    hpf_sink_text(sink, "]\n");
}

static void end_json_stack(report *r, uint32_t i)
{
    hpf_sink_text(r->sink, r->nodes[i].next_sibling != NONE ? "]}\n," : "]}\n");
}

static void put_json_tree(report *r)
{
    hpf_sink *sink = r->sink;
    hpf_sink_text(sink, ",\n\"profile\": ");
    for (uint32_t i = 0; i != NONE; i = next_stack(r, i, end_json_stack)) {
        const hpf_prof_stack *s = &r->prof->stacks[i];
        put_json_number(sink, "{\"id\": ", centre_of(r, i)->id);
        put_json_number(sink, ", \"entries\": ", s->entries);
        put_json_number(sink, ", \"alloc\": ", s->allocated_bytes);
        put_json_number(sink, ", \"ticks\": ", s->ticks);
        hpf_sink_text(sink, ", \"children\": [");
    }
    hpf_sink_text(sink, "}\n");
}

hpf_status hpf_prof_write_json(hpf_sink *sink, const hpf_prof *prof, hpf_error *err)
{
    report r = {.sink = sink, .prof = prof, .is_full = true, .is_exact = true};
    hpf_status status = prepare(&r, err);
    if (status == HPF_OK) {
        put_json_head(&r);
        put_json_centres(&r);
        put_json_tree(&r);
    }
    finish(&r);
    return status;
}

/* ---- retainers ---- */

void hpf_prof_write_census(hpf_sink *sink, const hpf_prof_census *census)
{
    hpf_sink_text(sink, "Retainer Profiling: ");
    hpf_sink_whole(sink, census->number);
    hpf_sink_text(sink, ", at ");
    hpf_sink_fixed(sink, census->time_s, 6);
    hpf_sink_text(sink, " seconds\n\tMax auxiliary stack size = ");
    hpf_sink_whole(sink, census->max_stack_entries);
    hpf_sink_text(sink, "\n\tAverage number of visits per object = ");
    hpf_sink_fixed(sink, census->visits_per_object, 6);
    hpf_sink_text(sink, "\n");
    if (census->has_totals) {
        hpf_sink_text(sink, "\tCurrent total costs = ");
        hpf_sink_whole(sink, census->total_cost);
        hpf_sink_text(sink, "\n\tNumber of retainer sets = ");
        hpf_sink_whole(sink, census->n_sets);
        hpf_sink_text(sink, "\n");
    }
}

void hpf_prof_write_sets_title(hpf_sink *sink)
{
    hpf_sink_text(sink, "\nRetainer sets created during profiling:\n");
}

void hpf_prof_write_set(hpf_sink *sink, uint64_t id, hpf_str text)
{
    hpf_sink_text(sink, "SET ");
    hpf_sink_whole(sink, id);
    hpf_sink_text(sink, " = {");
    hpf_sink_str(sink, text);
    hpf_sink_text(sink, "}\n");
}

void hpf_prof_write_schemes_title(hpf_sink *sink)
{
    hpf_sink_text(sink,
                  "\nRetainer schemes, on average over all censuses:\n"
                  "visits  mean set  largest     sets  ms/census  R()          isRetainer()\n");
}

void hpf_prof_write_scheme(hpf_sink *sink, const hpf_prof_scheme *s)
{
    hpf_sink_printf(sink, "%6.2f  %8.2f  %7llu  %7llu  %9.3f  %-11.*s  ", s->visits, s->mean_set,
                    (unsigned long long)s->largest_set, (unsigned long long)s->n_sets, s->ms,
                    (int)s->identity.length, s->identity.data);
    hpf_sink_str(sink, s->is_retainer);
    hpf_sink_text(sink, "\n");
}

void hpf_prof_write_holdings_title(hpf_sink *sink)
{
    hpf_sink_text(sink, "\nRetainers of retainers, at most:\n");
}

void hpf_prof_write_holding(hpf_sink *sink, const hpf_prof_holding *h)
{
    if (h->is_root) {
        hpf_sink_text(sink, "ROOT <");
        hpf_sink_str(sink, h->retainer);
        hpf_sink_text(sink, ">\n");
        return;
    }
    bool is_set = h->by.length > 0 && h->by.data[0] == '<';
    hpf_sink_text(sink, "HELD ");
    hpf_sink_whole(sink, h->size_bytes);
    hpf_sink_text(sink, " bytes, ");
    hpf_sink_whole(sink, h->n_objects);
    hpf_sink_text(sink, " objects: <");
    hpf_sink_str(sink, h->retainer);
    hpf_sink_text(sink, is_set ? "> by {" : "> by ");
    hpf_sink_str(sink, h->by);
    hpf_sink_text(sink, is_set ? "}\n" : "\n");
}
