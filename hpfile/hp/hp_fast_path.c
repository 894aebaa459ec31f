/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Plain lines, as GHC writes them: nearly all lines of a big profile. Each is NAME<TAB>DIGITS<LF>
 * usually with the name that followed the same name in the sample before: this name is compared
 * first, and only a miss is hashed. All other statements are left to hp_parser.c.
 */
#include <string.h>

#include "hp/hp_lex.h"
#include "hp/hp_state.h"

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

/* Reads a plain line with another name than the predicted one. Returns HPF_MORE if the line is not
 * plain. */
static hpf_status read_other_line(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
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
    hpf_status status = hpf__hp_define_name(r, name, &cost.name);
    return status == HPF_OK ? hpf__hp_add_cost(r, cost) : status;
}

/* Reads plain lines whose names come in the same order as last time, as long as there is room for
 * costs; returns where it stopped. What changes is kept in registers meanwhile. */
static const char *read_guessed_lines(hpf__hp_reader *r, const char *at, const char *end)
{
    const hpf_str *names = r->names.names;
    hpf_cost *cost = r->costs.all + r->costs.n;
    const hpf_cost *last_cost = r->costs.all + r->costs.capacity;
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
    size_t n_lines = (size_t)(cost - r->costs.all) - r->costs.n;
    r->line += (uint32_t)n_lines;
    r->costs.n += n_lines;
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
static hpf_status read_sample_line(hpf__hp_reader *r, const hpf__hp_piece *p, const char *at,
                                   const char **next)
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
        hpf__hp_begin_sample(r, time, (size_t)(*next - at) - word.length);
        return HPF_OK;
    }
    return hpf__hp_end_sample(r, r->offset + (uint64_t)(*next - p->begin));
}

/* Reads lines NAME<TAB>DIGITS<LF> and those around a sample, as GHC writes them; p->begin moves
 * after the last one. */
hpf_status hpf__hp_read_plain_lines(hpf__hp_reader *r, hpf__hp_piece *p)
{
    const char *at = p->begin;
    hpf_status status = HPF_OK;
    while (status == HPF_OK) {
        at = r->costs.n < r->costs.capacity ? read_guessed_lines(r, at, p->end) : at;
        const char *next = at;
        status = read_sample_line(r, p, at, &next);
        if (status == HPF_OK) {
            next++;
        } else if (status == HPF_MORE) {
            status = read_other_line(r, p, at, &next);
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
