/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The `.hp` reader: statements to events, resumable anywhere.
 *
 * A statement is read whole or not at all: when its bytes are not all there, they wait in `carry`
 * for the next piece.
 */
#include "hp/hp_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hp/hp_lex.h"
#include "hp/hp_state.h"

/* A statement longer than this waits for a quarter more bytes before it is tried again, so that
 * reading a huge one in tiny pieces stays linear. */
#define PROMPT_BYTES 4096

hpf__hp_reader *hpf__hp_create(const hpf_events *events, void *context,
                               const hpf_reader_options *options)
{
    hpf__hp_reader *r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    r->events = *events;
    r->context = context;
    r->options = options ? *options : (hpf_reader_options){0};
    r->max_statement_bytes =
        r->options.max_name_bytes ? r->options.max_name_bytes : HPF_MAX_NAME_BYTES;
    r->line = 1;
    r->time = -INFINITY;
    if (!HPF__ARRAY_RESERVE(r->next_name, r->next_name_capacity, 1)) {
        free(r);
        return NULL;
    }
    r->next_name[0] = 0;
    return r;
}

void hpf__hp_destroy(hpf__hp_reader *r)
{
    if (!r) {
        return;
    }
    hpf__buffer_finish(&r->carry);
    hpf__buffer_finish(&r->unescaped);
    hpf__intern_finish(&r->names);
    free(r->next_name);
    hpf__costs_finish(&r->costs);
    free(r);
}

hpf_str hpf__hp_name(const hpf__hp_reader *r, hpf_name name)
{
    return r->names.names[name];
}

/* --- pieces --- */

/* Moves p->begin to `to`, keeping account of lines. */
static void advance(hpf__hp_reader *r, hpf__hp_piece *p, const char *to)
{
    for (const char *at = p->begin; (at = memchr(at, '\n', (size_t)(to - at))) != NULL;) {
        at++;
        r->line++;
        r->line_offset = r->offset + (uint64_t)(at - p->begin);
    }
    r->offset += (uint64_t)(to - p->begin);
    p->begin = to;
}

/* Reads all complete statements; moves p->begin after the last of them. */
static hpf_status read_statements(hpf__hp_reader *r, hpf__hp_piece *p)
{
    for (;;) {
        advance(r, p, hpf__skip_blanks(p->begin, p->end));
        hpf_status status = hpf__hp_read_plain_lines(r, p);
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
        status = hpf__hp_read_statement(r, p, &next);
        if (status == HPF_MORE && (size_t)(p->end - p->begin) > r->max_statement_bytes) {
            return hpf__hp_fail_long(r);
        }
        if (status != HPF_OK) {
            return status == HPF_MORE ? HPF_OK : status;
        }
        advance(r, p, next);
    }
}

static hpf_status read_carry(hpf__hp_reader *r, bool is_final)
{
    if (r->carry.length == 0) {
        return HPF_OK;
    }
    hpf__hp_piece p = {r->carry.bytes, r->carry.bytes + r->carry.length, is_final};
    hpf_status status = read_statements(r, &p);
    size_t left = (size_t)(p.end - p.begin);
    memmove(r->carry.bytes, p.begin, left);
    r->carry.length = left;
    r->retry_length = left + (left > PROMPT_BYTES ? left / 4 : 1);
    return status;
}

static hpf_status carry_over(hpf__hp_reader *r, const char *bytes, size_t n_bytes)
{
    return hpf__buffer_append(&r->carry, bytes, n_bytes) ? HPF_OK : hpf__hp_fail_memory(r);
}

/* Completes the statement in carry with the first line of the piece, or with all of it. */
static hpf_status feed_carry(hpf__hp_reader *r, hpf__hp_piece *p)
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

static hpf_status feed(hpf__hp_reader *r, const char *bytes, size_t n_bytes)
{
    hpf__hp_piece p = {bytes, bytes + n_bytes, false};
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
static hpf_status settle_status(hpf__hp_reader *r, hpf_status status, hpf_error *err)
{
    if (status != HPF_OK && r->error.status == HPF_OK) {
        hpf_error_set(&r->error, status, "%s", hpf_status_name(status));
    }
    if (r->error.status != HPF_OK && err) {
        *err = r->error;
    }
    return r->error.status;
}

hpf_status hpf__hp_feed(hpf__hp_reader *r, const char *bytes, size_t n_bytes, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (r->error.status == HPF_OK && n_bytes) {
        status = feed(r, bytes, n_bytes);
    }
    return settle_status(r, status, err);
}

/* --- the end --- */

static hpf_status fail_at_end(hpf__hp_reader *r, hpf_status status, const char *what)
{
    hpf_error_set(&r->error, status, "%s", what);
    r->error.offset = r->offset;
    r->error.line = r->line;
    r->error.column = (uint32_t)(r->offset - r->line_offset + 1);
    return status;
}

/* In hp2ps's order. */
static hpf_status check_complete(hpf__hp_reader *r)
{
    static const hpf_header order[] = {HPF_HEADER_JOB, HPF_HEADER_DATE, HPF_HEADER_VALUE_UNIT,
                                       HPF_HEADER_SAMPLE_UNIT};
    for (size_t i = 0; i < HPF_N_HEADERS; i++) {
        if (!r->has_header[order[i]]) {
            char message[100] = "no ";
            strcat(message, hpf__keyword_text((hpf__keyword)order[i]));
            strcat(message, " line found: this is not a heap profile");
            return fail_at_end(r, HPF_ERR_SYNTAX, message);
        }
    }
    if (r->n_samples == 0) {
        return fail_at_end(r, HPF_ERR_SYNTAX, "the profile has no complete sample");
    }
    return HPF_OK;
}

/* Warns of a truncated last sample or line, and emits the costs of the sample. */
static hpf_status leave_rest(hpf__hp_reader *r)
{
    bool has_cut_sample = r->is_truncated || r->in_sample || r->costs.n;
    if ((has_cut_sample || r->has_cut_line) && r->options.warning) {
        hpf_error warning;
        if (has_cut_sample) {
            hpf_error_set(&warning, HPF_END,
                          "the input ends inside a sample: kept the %llu complete %s before it",
                          (unsigned long long)r->n_samples,
                          r->n_samples == 1 ? "sample" : "samples");
        } else {
            hpf_error_set(&warning, HPF_END,
                          "the input ends inside its last line: kept all samples");
        }
        warning.offset = r->offset;
        warning.line = r->line;
        warning.column = (uint32_t)(r->offset - r->line_offset + 1);
        r->options.warning(r->options.warning_context, &warning);
    }
    if (r->costs.n && r->events.leftover) {
        return r->events.leftover(r->context, r->costs.all, r->costs.n, &r->error);
    }
    return HPF_OK;
}

hpf_status hpf__hp_finish(hpf__hp_reader *r, hpf_error *err)
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

void hpf__hp_revisit(hpf__hp_reader *r, const hpf_events *events, void *context)
{
    r->events = *events;
    r->context = context;
    r->error = (hpf_error){0};
    r->carry.length = 0;
    r->costs.n = 0;
    r->last_name = 0;
    r->in_sample = false;
    r->is_truncated = false;
    r->has_cut_line = false;
    r->time = -INFINITY;
    r->offset = 0;
    r->line_offset = 0;
    r->sample_offset = 0;
    r->line = 1;
}

hpf_status hpf__hp_settle(hpf__hp_reader *r, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (r->error.status == HPF_OK) {
        status = read_carry(r, true);
        r->time = -INFINITY;
    }
    return settle_status(r, status, err);
}

bool hpf__hp_is_between(const hpf__hp_reader *r)
{
    return r->error.status == HPF_OK && r->carry.length == 0 && !r->in_sample && r->costs.n == 0;
}
