/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A question becomes steps in postfix order, so that no part of the evaluation is recursive. What a
 * condition says of a text is found once for each distinct text; what it says of ways to an object
 * is found for all nodes at once.
 */
#include "hpfile/question.h"

#include <stdlib.h>

#include "base/lex.h"
#include "base/number.h"
#include "base/regular_expression.h"
#include "base/words.h"

/* Most steps; most parentheses and `not` around one condition. */
enum { MOST_STEPS = 200, MOST_DEPTH = 50 };

typedef enum word {
    TYPE, /* texts */
    NAME,
    SITE,
    HOLDER,
    HELD_BY, /* ways to an object from those with a text */
    REACHABLE_FROM,
    SIZE, /* numbers */
    RETAINED,
    EDGES,
    AND,
    OR,
    NOT,
    N_WORDS
} word;

static const char *const words[N_WORDS] = {
    [TYPE] = "type",
    [NAME] = "name",
    [SITE] = "site",
    [HOLDER] = "holder",
    [HELD_BY] = "held_by",
    [SIZE] = "size",
    [REACHABLE_FROM] = "reachable_from",
    [RETAINED] = "retained",
    [EDGES] = "edges",
    [AND] = "and",
    [OR] = "or",
    [NOT] = "not",
};

/* A condition, or what joins the results of the steps before it. */
typedef struct step {
    word word;
    bool is_pattern;
    regex_t pattern;
    hpf_str text; /* in the text of the question */
    bool is_below, is_equal, is_above;
    double number;
} step;

struct hpf_question {
    char *text;
    step steps[MOST_STEPS];
    uint32_t n_steps;
};

/* ---- From text to steps ---- */

typedef struct parser {
    hpf_question *question;
    const char *at, *end;
    uint32_t depth;
    hpf_error *err;
} parser;

static hpf_status fail_at(const parser *p, const char *at, hpf_status status, const char *what)
{
    hpf_status result = hpf_error_set(p->err, status, "%s", what);
    p->err->line = 1;
    p->err->offset = (uint64_t)(at - p->question->text);
    p->err->column = (uint32_t)p->err->offset + 1;
    return result;
}

static const char *next(parser *p)
{
    p->at = hpf__skip_blanks(p->at, p->end);
    return p->at;
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Removes a word from the rest, and returns it; N_WORDS if it is unknown. */
static word take_word(parser *p)
{
    const char *begin = next(p);
    while (p->at < p->end && is_of_word(*p->at)) {
        p->at++;
    }
    hpf_str text = {begin, (size_t)(p->at - begin)};
    int which = 0;
    while (which < N_WORDS && !hpf_str_is(text, words[which])) {
        which++;
    }
    p->at = which < N_WORDS ? p->at : begin;
    return (word)which;
}

/* Removes a word from the rest if it comes next. */
static bool take(parser *p, word wanted)
{
    const char *begin = next(p);
    bool is_next = take_word(p) == wanted;
    p->at = is_next ? p->at : begin;
    return is_next;
}

static bool take_sign(parser *p, char sign)
{
    bool is_next = next(p) < p->end && *p->at == sign;
    p->at += is_next;
    return is_next;
}

/* Adds a step. Returns NULL after an error. */
static step *push(parser *p, word w)
{
    hpf_question *q = p->question;
    if (q->n_steps == MOST_STEPS) {
        (void)fail_at(p, p->at, HPF_ERR_LIMIT, "the question has more than 200 words");
        return NULL;
    }
    q->steps[q->n_steps].word = w;
    return &q->steps[q->n_steps++];
}

static hpf_status parse_text(parser *p, step *s, bool is_pattern)
{
    hpf_error why;
    const char *begin = next(p);
    if (begin == p->end || (*begin != '"' && *begin != '\'')) {
        return fail_at(p, begin, HPF_ERR_SYNTAX, "expected a text in quotes");
    }
    const char *close = memchr(begin + 1, *begin, (size_t)(p->end - begin - 1));
    if (!close) {
        return fail_at(p, begin, HPF_ERR_SYNTAX, "the text has no quote at its end");
    }
    s->text = (hpf_str){begin + 1, (size_t)(close - begin - 1)};
    p->at = close + 1;
    if (!is_pattern) {
        return HPF_OK;
    }
    char *pattern = strndup(s->text.data, s->text.length);
    if (!pattern) {
        return hpf_error_set_memory(p->err);
    }
    s->is_pattern = hpf__regular_expression(&s->pattern, pattern, &why) == HPF_OK;
    free(pattern);
    return s->is_pattern ? HPF_OK : fail_at(p, begin, why.status, why.message);
}

/* Parses a number with a unit, such as 100, 1.5k, 16 MiB. */
static hpf_status parse_number(parser *p, step *s)
{
    const char *begin = next(p);
    uint32_t n_points = 0;
    while (p->at < p->end && (hpf__is_digit(*p->at) || (*p->at == '.' && p->at > begin))) {
        n_points += *p->at++ == '.';
    }
    size_t n = (size_t)(p->at - begin);
    if (n == 0 || n > HPF__NUMBER_MAX || n_points > 1 || p->at[-1] == '.') {
        return fail_at(p, begin, HPF_ERR_SYNTAX, "expected a number, such as 100, 64k or 1.5M");
    }
    s->number = hpf__number_parse(begin, n);
    hpf_str unit = {next(p), 0};
    while (p->at + unit.length < p->end && is_of_word(unit.data[unit.length] | 0x20)) {
        unit.length++;
    }
    int power, base;
    bool is_unit = hpf__read_unit(unit, &power, &base);
    for (int i = 0; is_unit && i < power; i++) {
        s->number *= base == 1000 ? 1000 : 1024;
    }
    p->at += is_unit ? unit.length : 0;
    return HPF_OK;
}

static hpf_status parse_condition(parser *p)
{
    const char *begin = next(p);
    word w = take_word(p);
    if (w >= AND) {
        return fail_at(
            p, begin, HPF_ERR_SYNTAX,
            "expected type, name, site, holder, held_by, reachable_from, size, retained or "
            "edges");
    }
    const char *sign = next(p);
    step *s = push(p, w);
    if (!s) {
        return p->err->status;
    }
    if (w <= REACHABLE_FROM) {
        bool is_pattern = take_sign(p, '~');
        return is_pattern || take_sign(p, '=') || w > HOLDER
                   ? parse_text(p, s, is_pattern)
                   : fail_at(p, sign, HPF_ERR_SYNTAX, "expected = or ~ and a text");
    }
    s->is_below = take_sign(p, '<');
    s->is_above = !s->is_below && take_sign(p, '>');
    s->is_equal = p->at < p->end && *p->at == '=';
    p->at += s->is_equal;
    return s->is_below || s->is_above || s->is_equal
               ? parse_number(p, s)
               : fail_at(p, sign, HPF_ERR_SYNTAX, "expected <, <=, =, >= or > and a number");
}

static hpf_status parse_or(parser *p);

/* Parses a condition, the opposite of one, or a question in parentheses. */
static hpf_status parse_one(parser *p)
{
    const char *begin = next(p);
    bool is_not = take(p, NOT);
    if (!is_not && !take_sign(p, '(')) {
        return parse_condition(p);
    }
    if (++p->depth > MOST_DEPTH) {
        return fail_at(p, begin, HPF_ERR_LIMIT, "more than 50 parentheses in each other");
    }
    hpf_status status = is_not ? parse_one(p) : parse_or(p);
    p->depth--;
    if (status == HPF_OK && !is_not && !take_sign(p, ')')) {
        return fail_at(p, p->at, HPF_ERR_SYNTAX, "expected and, or or )");
    }
    return status == HPF_OK && is_not && !push(p, NOT) ? p->err->status : status;
}

/* Parses what `joint` joins. */
static hpf_status parse_joined(parser *p, word joint, hpf_status (*parse)(parser *p))
{
    hpf_status status = parse(p);
    while (status == HPF_OK && take(p, joint)) {
        status = parse(p);
        status = status == HPF_OK && !push(p, joint) ? p->err->status : status;
    }
    return status;
}

static hpf_status parse_and(parser *p)
{
    return parse_joined(p, AND, parse_one);
}

static hpf_status parse_or(parser *p)
{
    return parse_joined(p, OR, parse_and);
}

hpf_status hpf_question_parse(hpf_question **out, const char *text, hpf_error *err)
{
    hpf_error ignored;
    hpf_question *q = calloc(1, sizeof *q);
    parser p = {.question = q, .err = err ? err : &ignored};
    *out = NULL;
    if (!q || !(q->text = strdup(text))) {
        free(q);
        return hpf_error_set_memory(err);
    }
    p.at = q->text;
    p.end = p.at + strlen(p.at);
    hpf_status status = parse_or(&p);
    if (status == HPF_OK && next(&p) < p.end) {
        status = fail_at(&p, p.at, HPF_ERR_SYNTAX, "expected and, or or the end");
    }
    if (status == HPF_OK) {
        *out = q;
    } else {
        hpf_question_destroy(q);
    }
    return status;
}

void hpf_question_destroy(hpf_question *q)
{
    for (uint32_t i = 0; q && i < q->n_steps; i++) {
        if (q->steps[i].is_pattern) {
            regfree(&q->steps[i].pattern);
        }
    }
    if (q) {
        free(q->text);
    }
    free(q);
}

/* ---- Answers ---- */

/* What is known of a text. "g_cache" is equal to the variable "g_cache@server", too. */
enum { UNKNOWN, DIFFERENT, EQUAL, EQUAL_TO_PLACE };

typedef struct search {
    const hpf_question *question;
    const hpf_snapshot *snapshot;
    const hpf_dominators *dominators;
    const uint32_t *holders;
    uint8_t *known[MOST_STEPS]; /* by step: of texts by their numbers; of ways, by node */
    uint32_t *queue;            /* room for all nodes */
} search;

static uint8_t compare(const step *s, hpf_str text)
{
    if (s->is_pattern) {
        return regexec(&s->pattern, text.data, 0, NULL, 0) == 0 ? EQUAL : DIFFERENT;
    }
    size_t length = s->text.length;
    bool begins = text.length >= length && memcmp(text.data, s->text.data, length) == 0;
    return !begins                    ? DIFFERENT
           : text.length == length    ? EQUAL
           : text.data[length] == '@' ? EQUAL_TO_PLACE
                                      : DIFFERENT;
}

/* Returns whether a text of a node, by its number, is what a condition asks for. */
static bool has_text(const search *f, const step *s, uint8_t *known, uint32_t node, uint32_t text)
{
    if (known[text] == UNKNOWN) {
        known[text] = compare(s, hpf_snapshot_text(f->snapshot, text));
    }
    return known[text] == EQUAL || (known[text] == EQUAL_TO_PLACE && !f->snapshot->is_object[node]);
}

/* Marks the nodes with marks, and those to which they lead; marked ones are in the queue. */
static void mark_reachable(const search *f, uint8_t *marks, uint32_t n)
{
    const hpf_snapshot *s = f->snapshot;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = s->first_edges[f->queue[i]]; k < s->first_edges[f->queue[i] + 1]; k++) {
            if (!marks[s->targets[k]]) {
                marks[s->targets[k]] = 1;
                f->queue[n++] = s->targets[k];
            }
        }
    }
}

/* Finds what a condition says of ways for all nodes. Returns false without memory. */
static bool find_ways(search *f, uint32_t index)
{
    const hpf_snapshot *s = f->snapshot;
    const step *condition = &f->question->steps[index];
    uint8_t *marks = calloc(s->n_nodes, sizeof *marks);
    uint8_t *known = calloc((size_t)hpf_snapshot_n_texts(s) + 1, sizeof *known);
    uint32_t n = 0;
    for (uint32_t i = 0; marks && known && i < s->n_nodes; i++) {
        uint32_t node = f->dominators->order[i];
        marks[node] = has_text(f, condition, known, node, s->names[node]) ||
                      (condition->word == HELD_BY && marks[f->dominators->dominators[node]]);
        if (marks[node] && condition->word == REACHABLE_FROM) {
            f->queue[n++] = node;
        }
    }
    bool fits = marks && known;
    free(known);
    if (fits) {
        mark_reachable(f, marks, n);
    }
    f->known[index] = marks;
    return fits;
}

static bool holds(const search *f, uint32_t index, uint32_t node)
{
    const hpf_snapshot *s = f->snapshot;
    const step *condition = &f->question->steps[index];
    uint8_t *known = f->known[index];
    switch (condition->word) {
    case TYPE:
        return has_text(f, condition, known, node, s->names[node]);
    case NAME:
        return has_text(f, condition, known, node, (s->own_names ? s->own_names : s->names)[node]);
    case SITE:
        return s->sites[node] != HPF_SNAPSHOT_NONE &&
               has_text(f, condition, known, node, s->sites[node]);
    case HOLDER:
        return has_text(f, condition, known, f->holders[node], s->names[f->holders[node]]);
    case HELD_BY:
    case REACHABLE_FROM:
        return known[node];
    default:
        break;
    }
    double value = condition->word == SIZE       ? (double)s->sizes[node]
                   : condition->word == RETAINED ? (double)f->dominators->retained_bytes[node]
                                                 : s->first_edges[node + 1] - s->first_edges[node];
    return (condition->is_below && value < condition->number) ||
           (condition->is_above && value > condition->number) ||
           (condition->is_equal && value == condition->number);
}

static bool is_match(const search *f, uint32_t node)
{
    bool results[MOST_STEPS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->question->n_steps; i++) {
        word w = f->question->steps[i].word;
        if (w == AND || w == OR) {
            n--;
            results[n - 1] = w == AND ? results[n - 1] && results[n] : results[n - 1] || results[n];
        } else if (w == NOT) {
            results[n - 1] = !results[n - 1];
        } else {
            results[n++] = holds(f, i, node);
        }
    }
    return results[0];
}

/* Adds up what no way from the root leads to that passes by all matches. */
static void add_freed(const search *f, hpf_matches *m, uint8_t *is_kept)
{
    const hpf_snapshot *s = f->snapshot;
    memcpy(is_kept, m->is_match, s->n_nodes);
    is_kept[0] = 1;
    f->queue[0] = 0;
    mark_reachable(f, is_kept, 1);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        bool is_freed = m->is_match[i] || !is_kept[i];
        m->freed_bytes += is_freed ? s->sizes[i] : 0;
        m->n_freed += is_freed && s->is_object[i];
    }
}

hpf_status hpf_question_ask(hpf_matches *out, const hpf_question *q, const hpf_snapshot *s,
                            const hpf_dominators *d, const uint32_t *holders, hpf_error *err)
{
    search f = {.question = q, .snapshot = s, .dominators = d, .holders = holders};
    for (uint32_t i = 0; i < q->n_steps; i++) {
        if (q->steps[i].word == SITE && !s->sites) {
            *out = (hpf_matches){0};
            return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                                 "the heap snapshot does not name both types and sites: take "
                                 "it with census run -hy");
        }
    }
    *out = (hpf_matches){.is_match = calloc(s->n_nodes, sizeof *out->is_match)};
    uint8_t *is_kept = malloc(s->n_nodes);
    f.queue = malloc(s->n_nodes * sizeof *f.queue);
    bool fits = out->is_match && is_kept && f.queue;
    for (uint32_t i = 0; i < q->n_steps && fits; i++) {
        if (q->steps[i].word <= HOLDER) {
            f.known[i] = calloc((size_t)hpf_snapshot_n_texts(s) + 1, sizeof *f.known[i]);
            fits = f.known[i] != NULL;
        } else if (q->steps[i].word <= REACHABLE_FROM) {
            fits = find_ways(&f, i);
        }
    }
    for (uint32_t i = 1; i < s->n_nodes && fits; i++) {
        out->is_match[i] = is_match(&f, i);
        out->n += out->is_match[i];
        out->self_bytes += out->is_match[i] ? s->sizes[i] : 0;
    }
    if (fits) {
        add_freed(&f, out, is_kept);
    }
    for (uint32_t i = 0; i < q->n_steps; i++) {
        free(f.known[i]);
    }
    free(f.queue);
    free(is_kept);
    if (!fits) {
        hpf_matches_finish(out);
        return hpf_error_set_memory(err);
    }
    return HPF_OK;
}

void hpf_matches_finish(hpf_matches *m)
{
    free(m->is_match);
    *m = (hpf_matches){0};
}
