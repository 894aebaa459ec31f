/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/regular_expression.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHARACTERS 4096
#define MOST_WAYS       50000
#define MOST_GROUPS     250 /* one inside the other */

/* Characters and operators of an expression after its repetitions are written out, and numbers of
 * ways through it that match no character: whole ways, those from its start to any character, those
 * from any character to its end, and the longest row of both inside. regcomp() follows all of them
 * where a loop or an anchor is among them. */
typedef struct {
    double characters, through, head, tail, most;
} cost;

static const cost NOTHING = {0, 1, 0, 0, 0}, EMPTY = {2, 1, 1, 1, 1}, CHARACTER = {1, 0, 1, 1, 1};
/* regcomp() copies what follows an anchor, for each set of anchors before it. */
static const cost ANCHOR = {1, 8, 8, 8, 8};

static cost sequence(cost a, cost b)
{
    return (cost){
        .characters = a.characters + b.characters,
        .through = a.through * b.through,
        .head = a.head + a.through * b.head,
        .tail = a.tail * b.through + b.tail,
        .most = fmax(fmax(a.most, b.most), a.tail * b.head),
    };
}

static cost either(cost a, cost b)
{
    return (cost){
        .characters = a.characters + b.characters + 1,
        .through = a.through + b.through,
        .head = a.head + b.head,
        .tail = a.tail + b.tail,
        .most = fmax(fmax(a.most, b.most), fmax(a.head + b.head, a.tail + b.tail)),
    };
}

static cost any_number_of(cost a)
{
    double around = a.head * a.tail, more = a.through > 0 ? 4 : 1;
    return (cost){
        .characters = a.characters + 1,
        .through = more * a.through + 1,
        .head = more * a.head + 1,
        .tail = more * a.tail + 1,
        .most = fmax(a.most, a.through > 0 ? around * around : around),
    };
}

/* Writes a repetition out as the C library does: aa((a|)a|) for a{2,4}, aaa* for a{2,}. */
static cost repeat(cost a, double low, double high)
{
    cost all = NOTHING, optional = EMPTY;
    if (high == 0) { /* read, and dropped */
        all.characters = a.characters;
        return all;
    }
    for (double i = 0; i < low && all.characters <= MOST_CHARACTERS; i++) {
        all = sequence(all, a);
    }
    if (isinf(high)) {
        return sequence(all, any_number_of(a));
    }
    for (double i = low; i < high && optional.characters <= MOST_CHARACTERS; i++) {
        optional = either(i > low ? sequence(optional, a) : a, EMPTY);
    }
    return high > low ? sequence(all, optional) : all;
}

/* Returns the end of the bracket expression that begins at `at`. */
static const char *bracket_end(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    at += *at == ']';
    while (*at && *at != ']') {
        bool is_class = *at == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=');
        const char closing[] = {at[1], ']', '\0'};
        const char *end = is_class ? strstr(at + 2, closing) : NULL;
        at = end ? end + 2 : at + 1;
    }
    return *at ? at + 1 : at;
}

/* Reads the bound {m}, {m,}, {,n} or {m,n} at `*at`, moves `*at` to its end, and repeats `a`. To
 * the C library a comma with a backslash is one, too. */
static cost read_bound(const char **at, cost a)
{
    char *end;
    double low = fmin((double)strtoul(*at + 1, &end, 10), RE_DUP_MAX), high = low;
    end += end[0] == '\\' && end[1] == ',';
    if (*end == ',') {
        bool is_open = end[1] == '}';
        high = is_open ? INFINITY : fmin((double)strtoul(end + 1, &end, 10), RE_DUP_MAX);
    }
    const char *brace = strchr(end, '}');
    *at = brace ? brace + 1 : end;
    return repeat(a, low, high);
}

/* Measures the expression at `*at`, up to its end or to the parenthesis that closes its group,
 * where it leaves `*at`. */
static cost measure(const char **at, int depth)
{
    cost all = NOTHING, branch = NOTHING, last = EMPTY;
    const char *start = *at, *branch_start = *at;
    for (;;) {
        const char c = **at;
        if (c == '\0' || c == '|' || (c == ')' && depth > 0)) {
            branch = sequence(branch, last);
            all = branch_start > start ? either(all, branch) : branch;
            if (c != '|') {
                return all;
            }
            branch = NOTHING;
            last = EMPTY;
            branch_start = ++*at;
        } else if (c == '*' || c == '+' || c == '?') {
            last = repeat(last, c == '+', c == '?' ? 1 : INFINITY);
            ++*at;
        } else if (c == '{' && (isdigit((unsigned char)(*at)[1]) || (*at)[1] == ',')) {
            last = read_bound(at, last);
        } else {
            if (*at > branch_start) {
                branch = sequence(branch, last);
            }
            bool is_escaped = c == '\\' && (*at)[1];
            bool is_anchor = is_escaped ? strchr("bB<>`'", (*at)[1]) != NULL : c == '^' || c == '$';
            last = is_anchor ? ANCHOR : CHARACTER;
            if (c == '[') {
                *at = bracket_end(*at);
            } else {
                *at += 1 + is_escaped;
            }
            if (c == '(' && depth == MOST_GROUPS) {
                last.characters = INFINITY;
            } else if (c == '(') {
                last = measure(at, depth + 1);
                last.characters++;
                *at += **at == ')';
            }
        }
    }
}

hpf_status hpf__regular_expression(regex_t *out, const char *text, hpf_error *err)
{
    const char *at = text;
    cost all = measure(&at, 0);
    if (all.characters > MOST_CHARACTERS) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "regular expression '%.60s' has more than %d characters when its "
                             "repetitions are written out",
                             text, MOST_CHARACTERS);
    }
    if (all.most > MOST_WAYS) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "regular expression '%.60s' matches the empty text in too many ways: "
                             "use fewer *, +, ?, {}, ^, $ or | in repeated groups",
                             text);
    }
    int wrong = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
    if (wrong == REG_ESPACE) {
        return hpf_error_set_memory(err);
    }
    if (wrong != 0) {
        char why[80];
        regerror(wrong, out, why, sizeof why);
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "invalid regular expression '%.60s': %s", text,
                             why);
    }
    return HPF_OK;
}
