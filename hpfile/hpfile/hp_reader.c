/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The `.hp` reader: statements to events, resumable anywhere.
 *
 * A statement is read whole or not at all: when its bytes are not all there, they wait in `carry`
 * for the next piece. Most lines of a big profile never come that far. They are
 * `NAME<TAB>DIGITS<LF>` with the name that followed the same name in the sample before:
 * read_plain_lines guesses it, compares, and hashes only when the guess was wrong.
 *
 * Costs belong to the sample that the next END_SAMPLE closes, wherever they stand (as in hp2ps), so
 * a sample is gathered in `costs` and emitted at its end.
 */
#include "hp_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "buf.h"
#include "hp_lex.h"
#include "intern.h"
#include "number.h"

/* A statement longer than this waits for a quarter more bytes before it is tried again, so that
 * reading a huge one in tiny pieces stays linear. */
#define PROMPT_BYTES 4096

/* Beyond this many costs, and four for every name, repeated names of a sample are folded together.
 */
#define FOLD_COSTS 65536

struct hpf_reader {
    hpf_events events;
    void *context;
    hpf_reader_options options;
    hpf_error error; /* sticky */

    hpf__buf carry;       /* an unfinished statement */
    size_t retry_length;  /* of carry, before it is tried again */
    uint64_t offset;      /* of the next byte to be read */
    uint64_t line_offset; /* of the first byte of its line */
    uint32_t line;

    hpf__intern names;
    uint32_t
        *next_name; /* [name + 1]: 1 + the name that followed it last, [0]: that began a sample */
    size_t next_name_capacity;
    uint32_t last_name; /* 1 + the name of the last cost, 0 at the start of a sample */

    hpf_cost *costs; /* of the sample being gathered */
    size_t n_costs;
    size_t costs_capacity;
    hpf__buf unescaped;

    bool has_header[HPF_N_HEADERS];
    bool in_sample;    /* a BEGIN_SAMPLE has no END_SAMPLE yet */
    bool is_truncated; /* the input ended inside a statement */
    bool is_finished;
    double first_time; /* of the first BEGIN_SAMPLE; infinite before it */
    double time;       /* of the last */
    uint64_t n_samples;
    uint64_t sample_offset; /* end of the last sample */
};

/* The bytes being read: [begin, end), `begin` standing at reader->offset. */
typedef struct piece {
    const char *begin;
    const char *end;
    bool is_final;
} piece;

hpf_reader *hpf_reader_create(const hpf_events *events, void *context,
                              const hpf_reader_options *options)
{
    hpf_reader *r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    r->events = *events;
    r->context = context;
    r->options = options ? *options : (hpf_reader_options){0};
    r->line = 1;
    r->first_time = INFINITY;
    r->time = -INFINITY;
    r->next_name = hpf__grow(NULL, &r->next_name_capacity, 1, sizeof *r->next_name);
    if (!r->next_name) {
        free(r);
        return NULL;
    }
    r->next_name[0] = 0;
    return r;
}

void hpf_reader_destroy(hpf_reader *r)
{
    if (!r) {
        return;
    }
    hpf__buf_finish(&r->carry);
    hpf__buf_finish(&r->unescaped);
    hpf__intern_finish(&r->names);
    free(r->next_name);
    free(r->costs);
    free(r);
}

hpf_str hpf_reader_name(const hpf_reader *r, hpf_name name)
{
    return r->names.names[name];
}

uint32_t hpf_reader_n_names(const hpf_reader *r)
{
    return r->names.n_names;
}

/* --- errors --- */

/* Sets line, column and offset of the sticky error to the byte `at`, which lies in the statement
 * that begins at `begin`, the next byte to be read. */
static void place_error(hpf_reader *r, hpf_error *error, const char *begin, const char *at)
{
    uint64_t line_offset = r->line_offset;
    error->line = r->line;
    for (const char *p = begin; p < at; p++) {
        if (*p == '\n') {
            error->line++;
            line_offset = r->offset + (uint64_t)(p + 1 - begin);
        }
    }
    error->offset = r->offset + (uint64_t)(at - begin);
    error->column = (uint32_t)(error->offset - line_offset + 1);
}

static hpf_status fail_at(hpf_reader *r, const piece *p, const char *at, hpf_status status,
                          const char *message)
{
    hpf_error_set(&r->error, status, "%s", message);
    place_error(r, &r->error, p->begin, at);
    return status;
}

static const char nul_message[] = "NUL byte, expected text";

/* A message shows so many bytes of a word of the input. */
#define SHOWN_BYTES 23

static const char *shown_end(const char *at, const char *end)
{
    const char *last = end - at > SHOWN_BYTES ? at + SHOWN_BYTES : end;
    while (at < last && !hpf__is_blank(*at)) {
        at++;
    }
    return at;
}

/* A word for a message: short, printable, quoted. `out` has room for 40 bytes. */
static void describe(char *out, const char *at, const char *end)
{
    if (at == end) {
        strcpy(out, "the end of the input");
        return;
    }
    const char *last = shown_end(at, end);
    size_t n = 0;
    out[n++] = '\'';
    for (; at < last; at++) {
        out[n++] = (unsigned char)*at < ' ' || (unsigned char)*at >= 127 ? '?' : *at;
    }
    bool is_all = at == end || hpf__is_blank(*at);
    strcpy(out + n, is_all ? "'" : "...'");
}

/* Waits for as much of the refused word as the message shows: however the input is cut, the error
 * is the same. */
static hpf_status fail_expecting(hpf_reader *r, const piece *p, const char *at,
                                 const char *expected, const char *after)
{
    char found[40];
    const char *limit = p->end - at > SHOWN_BYTES ? at + SHOWN_BYTES : p->end;
    const char *word_end = hpf__word_end(at, limit);
    if (!p->is_final && word_end == p->end) {
        return HPF_MORE;
    }
    if (word_end < limit && *word_end == '\0') {
        return fail_at(r, p, word_end, HPF_ERR_SYNTAX, nul_message);
    }
    describe(found, at, p->end);
    hpf_error_set(&r->error, HPF_ERR_SYNTAX, "expected %s after %s, found %s", expected, after,
                  found);
    place_error(r, &r->error, p->begin, at);
    return HPF_ERR_SYNTAX;
}

static hpf_status fail_memory(hpf_reader *r)
{
    return hpf_error_set_memory(&r->error);
}

/* --- names and costs --- */

static hpf_status define_name(hpf_reader *r, hpf_str text, hpf_name *name)
{
    bool is_new;
    hpf_status status = hpf__intern_add(&r->names, text, name, &is_new);
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(&r->error, status, "more than 2^30 names");
    }
    if (status != HPF_OK) {
        return fail_memory(r);
    }
    if (!is_new) {
        return HPF_OK;
    }
    uint32_t *next =
        hpf__grow(r->next_name, &r->next_name_capacity, (size_t)*name + 2, sizeof *next);
    if (!next) {
        return fail_memory(r);
    }
    r->next_name = next;
    next[*name + 1] = 0;
    return r->events.name ? r->events.name(r->context, *name, r->names.names[*name], &r->error)
                          : HPF_OK;
}

static void add_to(hpf_cost *total, const hpf_cost *cost)
{
    if (!total->is_real && !cost->is_real && total->whole <= UINT64_MAX - cost->whole) {
        total->whole += cost->whole;
    } else {
        total->real = hpf_cost_amount(total) + hpf_cost_amount(cost);
        total->is_real = 1;
    }
}

/* Adds up the costs of repeated names, so that a sample's memory goes with its names. */
static hpf_status fold_costs(hpf_reader *r)
{
    size_t *place = calloc(r->names.n_names, sizeof *place);
    if (!place) {
        return fail_memory(r);
    }
    size_t n = 0;
    for (size_t i = 0; i < r->n_costs; i++) {
        size_t *at = &place[r->costs[i].name];
        if (*at) {
            add_to(&r->costs[*at - 1], &r->costs[i]);
        } else {
            r->costs[n++] = r->costs[i];
            *at = n;
        }
    }
    r->n_costs = n;
    free(place);
    return HPF_OK;
}

static hpf_status make_room_for_cost(hpf_reader *r)
{
    if (r->n_costs >= FOLD_COSTS && r->n_costs / 4 >= r->names.n_names) {
        hpf_status status = fold_costs(r);
        if (status != HPF_OK) {
            return status;
        }
    }
    hpf_cost *costs = hpf__grow(r->costs, &r->costs_capacity, r->n_costs + 1, sizeof *costs);
    if (!costs) {
        return fail_memory(r);
    }
    r->costs = costs;
    return HPF_OK;
}

static inline hpf_status add_cost(hpf_reader *r, hpf_cost cost)
{
    if (HPF__UNLIKELY(r->n_costs == r->costs_capacity)) {
        hpf_status status = make_room_for_cost(r);
        if (status != HPF_OK) {
            return status;
        }
    }
    r->costs[r->n_costs++] = cost;
    r->next_name[r->last_name] = cost.name + 1;
    r->last_name = cost.name + 1;
    return HPF_OK;
}

static void open_sample(hpf_reader *r, double time)
{
    if (r->first_time == INFINITY) {
        r->first_time = time;
    }
    r->time = time;
    r->in_sample = true;
}

static hpf_status emit_sample(hpf_reader *r, uint64_t end_offset)
{
    hpf_sample sample = {.time = r->time,
                         .costs = r->costs,
                         .n_costs = r->n_costs,
                         .begin_offset = r->sample_offset,
                         .end_offset = end_offset};
    r->in_sample = false;
    r->n_samples++;
    r->n_costs = 0;
    r->last_name = 0;
    r->sample_offset = end_offset;
    return r->events.sample ? r->events.sample(r->context, &sample, &r->error) : HPF_OK;
}

/* --- plain lines --- */

/* Reads DIGITS<LF> at `at`, where at least 24 bytes can be read. Returns the end of the line, or
 * NULL when it is anything else or has more than 19 digits. */
static inline const char *read_plain_value(const char *at, uint64_t *value)
{
    unsigned n = hpf__read_digits(at, value);
    if (n == 0) {
        return NULL;
    }
    at += n;
    if (n == 8) {
        for (const char *last = at + 11; at < last && hpf__is_digit(*at); at++) {
            *value = *value * 10 + (uint64_t)(*at - '0');
        }
    }
    return *at == '\n' ? at + 1 : NULL;
}

/* Finds the name of a plain line that was not guessed: up to a tab, no other blank before it.
 * Returns false when the line is not plain. */
static bool plain_name(const char *at, const char *end, hpf_str *name)
{
    const char *tab = hpf__word_end(at, end);
    *name = (hpf_str){at, (size_t)(tab - at)};
    return tab < end && *tab == '\t' && tab > at && *at != '"' &&
           hpf__keyword_of(at, name->length) == HPF__KEYWORD_NONE;
}

/* A plain line whose name was not guessed. Returns HPF_MORE when the line is not plain. */
static hpf_status read_strange_line(hpf_reader *r, const piece *p, const char *at,
                                    const char **next)
{
    hpf_str name;
    hpf_cost cost = {0};
    if (!plain_name(at, p->end, &name) || (size_t)(p->end - at) < name.length + 32) {
        return HPF_MORE;
    }
    *next = read_plain_value(at + name.length + 1, &cost.whole);
    if (!*next) {
        return HPF_MORE;
    }
    hpf_status status = define_name(r, name, &cost.name);
    return status == HPF_OK ? add_cost(r, cost) : status;
}

/* Reads plain lines whose names come in the same order as last time, as long as there is room for
 * costs; returns where it stopped. What changes is kept in registers meanwhile. */
static const char *read_guessed_lines(hpf_reader *r, const char *at, const char *end)
{
    const hpf_str *names = r->names.names;
    hpf_cost *cost = r->costs + r->n_costs;
    const hpf_cost *last_cost = r->costs + r->costs_capacity;
    uint32_t guess = r->next_name[r->last_name];
    uint32_t last_name = r->last_name;
    while (guess && cost < last_cost) {
        hpf_str name = names[guess - 1];
        if ((size_t)(end - at) < name.length + 32 || at[name.length] != '\t' ||
            !hpf__same_bytes(at, name.data, name.length)) {
            break;
        }
        const char *line_end = read_plain_value(at + name.length + 1, &cost->whole);
        if (!line_end) {
            break;
        }
        cost->name = guess - 1;
        cost->is_real = 0;
        cost++;
        last_name = guess;
        guess = r->next_name[guess];
        at = line_end;
    }
    size_t n_lines = (size_t)(cost - r->costs) - r->n_costs;
    r->line += (uint32_t)n_lines;
    r->n_costs += n_lines;
    r->last_name = last_name;
    return at;
}

/* Reads "DIGITS.DIGITS<LF>" at `at`, where 32 bytes can be read; returns the place of the line
 * feed, or NULL when it is anything else. With at most 15 digits the division is exact to the last
 * bit. */
static const char *read_plain_time(const char *at, double *time)
{
    static const double scales[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    uint64_t whole;
    uint64_t decimals;
    unsigned n_whole = hpf__read_digits(at, &whole);
    if (n_whole == 0 || n_whole == 8 || at[n_whole] != '.') {
        return NULL;
    }
    at += n_whole + 1;
    unsigned n_decimals = hpf__read_digits(at, &decimals);
    if (n_decimals == 0 || at[n_decimals] != '\n') {
        return NULL;
    }
    *time = ((double)whole * scales[n_decimals] + (double)decimals) / scales[n_decimals];
    return at + n_decimals;
}

/* BEGIN_SAMPLE and END_SAMPLE as GHC writes them, where nothing is wrong. Returns HPF_MORE
 * otherwise. */
static hpf_status read_sample_line(hpf_reader *r, const piece *p, const char *at, const char **next)
{
    if (p->end - at < 64) {
        return HPF_MORE;
    }
    bool is_begin = *at == 'B';
    const hpf_str word = is_begin ? HPF_STR("BEGIN_SAMPLE ") : HPF_STR("END_SAMPLE ");
    double time;
    if (memcmp(at, word.data, word.length) != 0 ||
        !(*next = read_plain_time(at + word.length, &time))) {
        return HPF_MORE;
    }
    if (is_begin ? time < r->time : !r->in_sample) {
        return HPF_MORE;
    }
    if (is_begin) {
        open_sample(r, time);
        return HPF_OK;
    }
    return emit_sample(r, r->offset + (uint64_t)(*next - p->begin));
}

/* Reads lines NAME<TAB>DIGITS<LF> and those around a sample, as GHC writes them; p->begin moves
 * behind the last one. */
static hpf_status read_plain_lines(hpf_reader *r, piece *p)
{
    const char *at = p->begin;
    hpf_status status = HPF_OK;
    while (status == HPF_OK) {
        at = r->n_costs < r->costs_capacity ? read_guessed_lines(r, at, p->end) : at;
        const char *next = at;
        status = read_sample_line(r, p, at, &next);
        if (status == HPF_OK) {
            next++;
        } else if (status == HPF_MORE) {
            status = read_strange_line(r, p, at, &next);
        }
        if (status == HPF_OK) {
            at = next;
            r->line++;
        }
    }
    if (at > p->begin) {
        r->offset += (uint64_t)(at - p->begin);
        r->line_offset = r->offset;
        p->begin = at;
    }
    return status == HPF_MORE ? HPF_OK : status;
}

/* --- statements --- */

/* Each reads the statement at p->begin and returns HPF_OK with its end in `*next`, HPF_MORE when it
 * is not all there, or an error. `at` is where its argument is to be looked for. */

/* The input ends inside a statement: what was begun does not count. */
static hpf_status cut_off(hpf_reader *r, const piece *p, const char **next)
{
    if (!p->is_final) {
        return HPF_MORE;
    }
    r->is_truncated = true;
    *next = p->end;
    return HPF_OK;
}

static hpf_status fail_number(hpf_reader *r, const piece *p, const char *at, hpf__lexed why,
                              const char *after)
{
    if (why == HPF__LEX_LONG) {
        return fail_at(r, p, at, HPF_ERR_RANGE, "number of more than 32 characters");
    }
    if (why == HPF__LEX_HUGE) {
        return fail_at(r, p, at, HPF_ERR_RANGE, "number of 1e100 or more");
    }
    return fail_expecting(r, p, at, "a number", after);
}

static hpf_status read_header(hpf_reader *r, const piece *p, const char *at, hpf_header which,
                              const char **next)
{
    hpf__string_token token;
    at = hpf__skip_blanks(at, p->end);
    const char *keyword = hpf__keyword_text((hpf__keyword)which);
    switch (hpf__lex_string(&token, at, p->end, p->is_final)) {
    case HPF__LEX_MORE:
        return p->is_final ? fail_at(r, p, at, HPF_ERR_SYNTAX, "string without an end, expected \"")
                           : HPF_MORE;
    case HPF__LEXED:
        break;
    default:
        return fail_expecting(r, p, at, "a string in double quotes", keyword);
    }
    hpf_str text = token.inside;
    const char *nul = memchr(at, '\0', (size_t)(token.end - at));
    if (nul) {
        return fail_at(r, p, nul, HPF_ERR_SYNTAX, nul_message);
    }
    if (token.has_escapes) {
        r->unescaped.length = 0;
        if (!hpf__buf_reserve(&r->unescaped, text.length)) {
            return fail_memory(r);
        }
        text = (hpf_str){r->unescaped.bytes, hpf__string_unescape(r->unescaped.bytes, text)};
    }
    r->has_header[which] = true;
    *next = token.end;
    return r->events.header ? r->events.header(r->context, which, text, &r->error) : HPF_OK;
}

/* The number after BEGIN_SAMPLE, END_SAMPLE or MARK. */
static hpf_status read_time(hpf_reader *r, const piece *p, const char *at, hpf__keyword keyword,
                            double *time, const char **next)
{
    hpf__number_token token;
    at = hpf__skip_blanks(at, p->end);
    if (at == p->end) {
        return cut_off(r, p, next);
    }
    hpf__lexed lexed = hpf__lex_number(&token, at, p->end, p->is_final);
    if (lexed == HPF__LEX_MORE) {
        return HPF_MORE;
    }
    if (lexed != HPF__LEXED) {
        return fail_number(r, p, at, lexed, hpf__keyword_text(keyword));
    }
    *time = token.real;
    *next = token.end;
    return HPF_OK;
}

static hpf_status begin_sample(hpf_reader *r, const piece *p, const char *at, double time)
{
    if (time < r->time) {
        char now[HPF__NUMBER_BYTES];
        char before[HPF__NUMBER_BYTES];
        now[hpf__number_shortest(now, time)] = '\0';
        before[hpf__number_shortest(before, r->time)] = '\0';
        hpf_error_set(&r->error, HPF_ERR_ORDER, "sample time %s goes back, expected at least %s",
                      now, before);
        place_error(r, &r->error, p->begin, hpf__skip_blanks(at, p->end));
        return HPF_ERR_ORDER;
    }
    open_sample(r, time);
    return HPF_OK;
}

static hpf_status end_sample(hpf_reader *r, const piece *p, const char *next)
{
    if (!r->in_sample) {
        return fail_at(r, p, p->begin, HPF_ERR_ORDER,
                       "END_SAMPLE without a BEGIN_SAMPLE before it");
    }
    return emit_sample(r, r->offset + (uint64_t)(next - p->begin));
}

static hpf_status read_timed(hpf_reader *r, const piece *p, const char *at, hpf__keyword keyword,
                             const char **next)
{
    double time = 0;
    hpf_status status = read_time(r, p, at, keyword, &time, next);
    if (status != HPF_OK || r->is_truncated) {
        return status;
    }
    if (keyword == HPF__KEYWORD_BEGIN_SAMPLE) {
        /* The time of a file that was cut may have been cut too, and begins no sample any more. */
        bool is_last = p->is_final && *next == p->end;
        return is_last ? cut_off(r, p, next) : begin_sample(r, p, at, time);
    }
    if (keyword == HPF__KEYWORD_END_SAMPLE) {
        return end_sample(r, p, *next);
    }
    return r->events.mark ? r->events.mark(r->context, time, HPF_STR(""), &r->error) : HPF_OK;
}

static const char *line_end(const char *at, const char *end)
{
    const char *line_feed = memchr(at, '\n', (size_t)(end - at));
    return line_feed ? line_feed : end;
}

/* NAME with blanks inside: allowed when a tab parts it from a number that ends the line. Finds that
 * tab; HPF__LEX_BAD when there is none. */
static hpf__lexed find_value_tab(const piece *p, const char *at, const char **tab)
{
    const char *end = line_end(at, p->end);
    if (end == p->end && !p->is_final) {
        return HPF__LEX_MORE;
    }
    for (*tab = end; *tab > at && (*tab)[-1] != '\t'; (*tab)--) {
    }
    hpf__number_token token;
    const char *value = hpf__skip_blanks(*tab, end);
    if (*tab == at || hpf__lex_number(&token, value, end, true) != HPF__LEXED ||
        hpf__skip_blanks(token.end, end) != end || memchr(at, '\0', (size_t)(end - at))) {
        return HPF__LEX_BAD;
    }
    return HPF__LEXED;
}

static hpf_status take_cost(hpf_reader *r, const piece *p, hpf_str name, const char *at,
                            const char **next)
{
    hpf__number_token token;
    char quoted[40];
    hpf__lexed lexed = hpf__lex_number(&token, at, p->end, p->is_final);
    if (lexed == HPF__LEX_MORE) {
        return HPF_MORE;
    }
    if (lexed != HPF__LEXED) {
        describe(quoted, name.data, name.data + name.length);
        return fail_number(r, p, at, lexed, quoted);
    }
    hpf_cost cost = {.is_real = !token.is_whole};
    hpf_status status = define_name(r, name, &cost.name);
    if (status != HPF_OK) {
        return status;
    }
    if (token.is_whole) {
        cost.whole = token.whole;
    } else {
        cost.real = token.real;
    }
    *next = token.end;
    return add_cost(r, cost);
}

/* What is no value stands at `*at`, on the line of the name: maybe the name goes on. Then widens it
 * and moves `*at` to the value. Returns HPF_END when the input ends inside the line. */
static hpf_status widen_name(hpf_reader *r, const piece *p, hpf_str *name, const char **at)
{
    const char *tab;
    hpf__lexed lexed = find_value_tab(p, *at, &tab);
    if (lexed == HPF__LEX_MORE) {
        return HPF_MORE;
    }
    if (lexed == HPF__LEXED) {
        *at = hpf__skip_blanks(tab, p->end);
        for (; hpf__is_blank(tab[-1]); tab--) {
        }
        name->length = (size_t)(tab - p->begin);
        return HPF_OK;
    }
    const char *end = line_end(*at, p->end);
    const char *nul = memchr(*at, '\0', (size_t)(end - *at));
    if (nul) {
        return fail_at(r, p, nul, HPF_ERR_SYNTAX, nul_message);
    }
    return end == p->end ? HPF_END : HPF_OK;
}

static hpf_status read_cost(hpf_reader *r, const piece *p, const char *word_end, const char **next)
{
    const char *at = hpf__skip_blanks(word_end, p->end);
    if (at == p->end) {
        return cut_off(r, p, next);
    }
    hpf_str name = {p->begin, (size_t)(word_end - p->begin)};
    if (!hpf__is_digit(*at) && !memchr(word_end, '\n', (size_t)(at - word_end))) {
        hpf_status status = widen_name(r, p, &name, &at);
        if (status != HPF_OK) {
            return status == HPF_END ? cut_off(r, p, next) : status;
        }
    }
    return take_cost(r, p, name, at, next);
}

static hpf_status read_statement(hpf_reader *r, const piece *p, const char **next)
{
    const char *word_end = hpf__word_end(p->begin, p->end);
    if (*p->begin == '"') {
        return fail_at(r, p, p->begin, HPF_ERR_SYNTAX,
                       "string where a name or a keyword was expected");
    }
    if (word_end == p->end) {
        return cut_off(r, p, next);
    }
    if (*word_end == '\0') {
        return fail_at(r, p, word_end, HPF_ERR_SYNTAX, nul_message);
    }
    hpf__keyword keyword = hpf__keyword_of(p->begin, (size_t)(word_end - p->begin));
    if (keyword == HPF__KEYWORD_NONE) {
        return read_cost(r, p, word_end, next);
    }
    if (keyword <= HPF__KEYWORD_VALUE_UNIT) {
        return read_header(r, p, word_end, (hpf_header)keyword, next);
    }
    return read_timed(r, p, word_end, keyword, next);
}

/* --- pieces --- */

/* Moves p->begin to `to`, keeping account of lines. */
static void advance(hpf_reader *r, piece *p, const char *to)
{
    for (const char *at = p->begin; (at = memchr(at, '\n', (size_t)(to - at))) != NULL;) {
        at++;
        r->line++;
        r->line_offset = r->offset + (uint64_t)(at - p->begin);
    }
    r->offset += (uint64_t)(to - p->begin);
    p->begin = to;
}

/* Reads all statements that are complete; p->begin moves behind the last of them. */
static hpf_status read_statements(hpf_reader *r, piece *p)
{
    for (;;) {
        advance(r, p, hpf__skip_blanks(p->begin, p->end));
        hpf_status status = read_plain_lines(r, p);
        if (status != HPF_OK) {
            return status;
        }
        if (p->begin == p->end) {
            return HPF_OK;
        }
        if (hpf__is_blank(*p->begin)) {
            continue;
        }
        const char *next = p->begin;
        status = read_statement(r, p, &next);
        if (status != HPF_OK) {
            return status == HPF_MORE ? HPF_OK : status;
        }
        advance(r, p, next);
    }
}

static hpf_status read_carry(hpf_reader *r, bool is_final)
{
    if (r->carry.length == 0) {
        return HPF_OK;
    }
    piece p = {r->carry.bytes, r->carry.bytes + r->carry.length, is_final};
    hpf_status status = read_statements(r, &p);
    size_t left = (size_t)(p.end - p.begin);
    memmove(r->carry.bytes, p.begin, left);
    r->carry.length = left;
    r->retry_length = left + (left > PROMPT_BYTES ? left / 4 : 1);
    return status;
}

static hpf_status carry_over(hpf_reader *r, const char *bytes, size_t n_bytes)
{
    return hpf__buf_append(&r->carry, bytes, n_bytes) ? HPF_OK : fail_memory(r);
}

/* Completes the statement in carry with the first line of the piece, or with all of it. */
static hpf_status feed_carry(hpf_reader *r, piece *p)
{
    const char *line_end = memchr(p->begin, '\n', (size_t)(p->end - p->begin));
    size_t n = (size_t)((line_end ? line_end + 1 : p->end) - p->begin);
    hpf_status status = carry_over(r, p->begin, n);
    p->begin += n;
    if (status == HPF_OK && r->carry.length >= r->retry_length) {
        status = read_carry(r, false);
    }
    return status;
}

static hpf_status feed(hpf_reader *r, const char *bytes, size_t n_bytes)
{
    piece p = {bytes, bytes + n_bytes, false};
    hpf_status status = HPF_OK;
    while (status == HPF_OK && r->carry.length && p.begin < p.end) {
        status = feed_carry(r, &p);
    }
    if (status == HPF_OK && p.begin < p.end) {
        status = read_statements(r, &p);
        r->retry_length = 0;
        if (status == HPF_OK) {
            status = carry_over(r, p.begin, (size_t)(p.end - p.begin));
        }
    }
    return status;
}

/* Makes a status sticky, and hands the error out. A consumer may have returned a status without
 * describing it. */
static hpf_status settle_status(hpf_reader *r, hpf_status status, hpf_error *err)
{
    if (status != HPF_OK && r->error.status == HPF_OK) {
        hpf_error_set(&r->error, status, "%s", hpf_status_name(status));
    }
    if (r->error.status != HPF_OK && err) {
        *err = r->error;
    }
    return r->error.status;
}

hpf_status hpf_reader_feed(hpf_reader *r, const char *bytes, size_t n_bytes, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (r->error.status == HPF_OK && n_bytes) {
        status = feed(r, bytes, n_bytes);
    }
    return settle_status(r, status, err);
}

/* --- the end --- */

static hpf_status fail_at_end(hpf_reader *r, hpf_status status, const char *what)
{
    hpf_error_set(&r->error, status, "%s", what);
    r->error.offset = r->offset;
    r->error.line = r->line;
    r->error.column = (uint32_t)(r->offset - r->line_offset + 1);
    return status;
}

/* In hp2ps's order. */
static hpf_status check_complete(hpf_reader *r)
{
    static const hpf_header order[] = {HPF_HEADER_JOB, HPF_HEADER_DATE, HPF_HEADER_VALUE_UNIT,
                                       HPF_HEADER_SAMPLE_UNIT};
    for (size_t i = 0; i < HPF_N_HEADERS; i++) {
        if (!r->has_header[order[i]]) {
            char message[100] = "no ";
            strcat(message, hpf__keyword_text((hpf__keyword)order[i]));
            strcat(message, " in the whole input, expected a heap profile with one");
            return fail_at_end(r, HPF_ERR_SYNTAX, message);
        }
    }
    if (r->n_samples == 0) {
        return fail_at_end(r, HPF_ERR_SYNTAX,
                           "no complete sample in the whole input, expected one");
    }
    return HPF_OK;
}

/* Tells about a last sample that was cut short, and hands its costs on. */
static hpf_status leave_rest(hpf_reader *r)
{
    if ((r->is_truncated || r->in_sample || r->n_costs) && r->options.warning) {
        hpf_error warning;
        hpf_error_set(&warning, HPF_END,
                      "the input ends inside a sample: kept the %llu complete %s before it",
                      (unsigned long long)r->n_samples, r->n_samples == 1 ? "sample" : "samples");
        warning.offset = r->offset;
        warning.line = r->line;
        warning.column = (uint32_t)(r->offset - r->line_offset + 1);
        r->options.warning(r->options.warning_context, &warning);
    }
    if (r->n_costs && r->events.leftover) {
        return r->events.leftover(r->context, r->costs, r->n_costs, &r->error);
    }
    return HPF_OK;
}

hpf_status hpf_reader_finish(hpf_reader *r, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (r->error.status == HPF_OK && !r->is_finished) {
        r->is_finished = true;
        status = read_carry(r, true);
        if (status == HPF_OK) {
            status = check_complete(r);
        }
        if (status == HPF_OK) {
            status = leave_rest(r);
        }
    }
    return settle_status(r, status, err);
}

void hpf_reader_revisit(hpf_reader *r, const hpf_events *events, void *context)
{
    r->events = *events;
    r->context = context;
    r->error = (hpf_error){0};
    r->carry.length = 0;
    r->n_costs = 0;
    r->last_name = 0;
    r->in_sample = false;
    r->is_truncated = false;
    r->time = -INFINITY;
    r->offset = 0;
    r->line_offset = 0;
    r->sample_offset = 0;
    r->line = 1;
}

hpf_status hpf_reader_settle(hpf_reader *r, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (r->error.status == HPF_OK) {
        status = read_carry(r, true);
        r->time = -INFINITY;
    }
    return settle_status(r, status, err);
}

/* --- parts --- */

void hpf__reader_start_at(hpf_reader *r, uint64_t offset)
{
    r->offset = offset;
    r->line_offset = offset;
    r->sample_offset = offset;
}

bool hpf__reader_fits(const hpf_reader *r, const hpf_reader *later)
{
    return r->error.status == HPF_OK && r->carry.length == 0 && !r->in_sample && r->n_costs == 0 &&
           later->first_time >= r->time;
}

hpf_status hpf__reader_join_names(hpf_reader *r, const hpf_reader *later, hpf_name *names,
                                  hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (uint32_t i = 0; i < later->names.n_names && status == HPF_OK; i++) {
        status = define_name(r, later->names.names[i], &names[i]);
    }
    return settle_status(r, status, err);
}

hpf_status hpf__reader_join(hpf_reader *r, const hpf_reader *later, const hpf_name *names,
                            hpf_error *err)
{
    hpf_status status = carry_over(r, later->carry.bytes, later->carry.length);
    for (size_t i = 0; i < later->n_costs && status == HPF_OK; i++) {
        hpf_cost cost = later->costs[i];
        cost.name = names[cost.name];
        status = add_cost(r, cost);
    }
    for (int i = 0; i < HPF_N_HEADERS; i++) {
        r->has_header[i] |= later->has_header[i];
    }
    r->retry_length = later->retry_length;
    r->offset = later->offset;
    r->line_offset = later->line_offset;
    r->line += later->line - 1;
    r->in_sample = later->in_sample;
    r->time = later->time > r->time ? later->time : r->time;
    r->n_samples += later->n_samples;
    r->sample_offset = later->sample_offset;
    return settle_status(r, status, err);
}

hpf_status hpf_read_source(hpf_source *source, const hpf_events *events, void *context,
                           const hpf_reader_options *options, hpf_error *err)
{
    hpf_reader *r = hpf_reader_create(events, context, options);
    if (!r) {
        return hpf_error_set_memory(err);
    }
    hpf_str piece_read;
    hpf_status status;
    while ((status = hpf_source_next(source, &piece_read, err)) == HPF_OK) {
        status = hpf_reader_feed(r, piece_read.data, piece_read.length, err);
        if (status != HPF_OK) {
            break;
        }
    }
    if (status == HPF_END) {
        status = hpf_reader_finish(r, err);
    }
    hpf_reader_destroy(r);
    return status;
}
