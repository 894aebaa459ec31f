/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets are stored by their numbers. The name of a set is composed of its members when a profile's
 * name is looked up, which must be a prefix of it.
 */
#include "base/arena.h"
#include "hpfile/prof.h"
#include "hpfile/retainer_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "hpfile/str.h"
#include "base/intern.h"
#include "base/names.h"
#include "base/words.h"
#include "io/byte_cursor.h"

enum {
    CUT_BYTES = 25, /* where GHC cuts names by default, without dots */
};

struct hpf_retainer_sets {
    hpf_arena *arena;
    hpf__intern ids;
    hpf_str *members; /* by the number of the id */
    size_t members_capacity;
    hpf_prof_holding *holdings;
    size_t n_holdings, holdings_capacity;
    hpf__buffer name;
};

void hpf_retainer_sets_destroy(hpf_retainer_sets *s)
{
    if (s) {
        hpf_arena_destroy(s->arena);
        hpf__intern_finish(&s->ids);
        hpf__buffer_finish(&s->name);
        free(s->members);
        free(s->holdings);
        free(s);
    }
}

uint32_t hpf_retainer_sets_n(const hpf_retainer_sets *s)
{
    return s->ids.n_names;
}

const hpf_prof_holding *hpf_retainer_sets_holdings(const hpf_retainer_sets *s, size_t *n)
{
    *n = s->n_holdings;
    return s->holdings;
}

/* --- reading --- */

static hpf_str key_of(const uint64_t *id)
{
    return (hpf_str){(const char *)id, sizeof *id};
}

static hpf_status keep(hpf_retainer_sets *s, uint64_t id, hpf_str text)
{
    uint32_t number;
    bool is_new;
    hpf_str copy = hpf_arena_str(s->arena, text);
    if (!copy.data ||
        !HPF__ARRAY_RESERVE(s->members, s->members_capacity, (size_t)s->ids.n_names + 1) ||
        hpf__intern_add(&s->ids, key_of(&id), &number, &is_new) != HPF_OK) {
        return HPF_ERR_MEMORY;
    }
    s->members[number] = copy;
    return HPF_OK;
}

static hpf_status keep_holding(hpf_retainer_sets *s, const hpf_prof_holding *holding)
{
    hpf_prof_holding copy = *holding;
    copy.retainer = hpf_arena_str(s->arena, holding->retainer);
    copy.by = hpf_arena_str(s->arena, holding->by);
    if (!copy.retainer.data || !copy.by.data ||
        !HPF__ARRAY_RESERVE(s->holdings, s->holdings_capacity, s->n_holdings + 1)) {
        return HPF_ERR_MEMORY;
    }
    s->holdings[s->n_holdings++] = copy;
    return HPF_OK;
}

static hpf_status read_line(hpf_retainer_sets *s, hpf_str line)
{
    uint64_t id;
    hpf_str text;
    hpf_prof_holding holding;
    if (hpf_prof_read_set(&id, &text, line) == HPF_OK) {
        return keep(s, id, text);
    }
    return hpf_prof_read_holding(&holding, line) == HPF_OK ? keep_holding(s, &holding) : HPF_OK;
}

static hpf_status read_source(hpf_retainer_sets *s, hpf_source *source, hpf_error *err)
{
    hpf__lines lines = {.scan = {.source = source, .err = err, .line = 1}};
    hpf_status status;
    while ((status = hpf__lines_next(&lines)) == HPF_OK) {
        if (read_line(s, lines.text) != HPF_OK) {
            status = hpf_error_set_memory(err);
            break;
        }
    }
    hpf__buffer_finish(&lines.bytes);
    return status == HPF_END ? HPF_OK : status;
}

hpf_status hpf_retainer_sets_read(hpf_retainer_sets **out, hpf_source *source, hpf_error *err)
{
    hpf_retainer_sets *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s || !(s->arena = hpf_arena_create())) {
        free(s);
        return hpf_error_set_memory(err);
    }
    hpf_status status = read_source(s, source, err);
    if (status == HPF_OK) {
        *out = s;
    } else {
        hpf_retainer_sets_destroy(s);
    }
    return status;
}

/* --- names --- */

hpf_str hpf_retainer_sets_next_member(hpf_str *rest)
{
    hpf_str member = {NULL, 0}, after;
    if (rest->length < 2 || *rest->data != '<') {
        return member;
    }
    hpf_str inner = {rest->data + 1, rest->length - 2};
    if (hpf__divide(inner, ">, <", &member, &after)) {
        *rest = (hpf_str){after.data - 1, after.length + 2};
        return member;
    }
    rest->length = 0;
    return inner;
}

/* Returns the label of a stack's innermost frame: `eval` of `Main.eval,Main.main`, or, as earlier
 * versions of GHC write it, of `eval[Main],main[Main]`. The empty stack is MAIN's. */
static hpf_str label_of(hpf_str member)
{
    hpf_str label = hpf__take_until(&member, ',');
    if (label.length == 0) {
        return HPF_STR("MAIN");
    }
    if (label.data[label.length - 1] == ']') {
        return hpf__take_until(&label, '[');
    }
    const char *point;
    while (*label.data >= 'A' && *label.data <= 'Z' &&
           (point = memchr(label.data, '.', label.length)) &&
           point + 1 < label.data + label.length) {
        label.length -= (size_t)(point + 1 - label.data);
        label.data = point + 1;
    }
    return label;
}

/* Composes "(105)SYSTEM,eval,lookupVar". `id` is the name up to its closing parenthesis. Members
 * are cost-centre stacks, or plain texts: hpprof also identifies retainers by type or module. */
static bool put_name(hpf_retainer_sets *s, hpf_str id, hpf_str members, bool are_stacks)
{
    hpf_str member;
    s->name.length = 0;
    bool fits = hpf__buffer_add(&s->name, id);
    for (bool is_first = true; fits && (member = hpf_retainer_sets_next_member(&members)).data;
         is_first = false) {
        hpf_str label = are_stacks ? label_of(member) : member;
        fits =
            (is_first || hpf__buffer_append(&s->name, ",", 1)) && hpf__buffer_add(&s->name, label);
    }
    return fits;
}

/* Returns whether the name of a profile is the whole name or a truncation of it. */
static bool is_same_name(hpf_str name, hpf_str whole)
{
    static const char dots[] = "...";
    size_t n_dots = sizeof dots - 1;
    bool has_dots = name.length > n_dots && hpf_str_ends(name, dots);
    bool may_be_cut = has_dots || name.length >= CUT_BYTES;
    size_t length = has_dots ? name.length - n_dots : name.length;
    return hpf_str_equal(name, whole) ||
           (may_be_cut && length < whole.length && memcmp(name.data, whole.data, length) == 0);
}

/* Reads the number in parentheses at the beginning of a name. Returns its length, or 0. */
static size_t read_id(hpf_str name, uint64_t *id)
{
    size_t length = name.length - hpf__without_id(name).length;
    hpf_str digits = hpf_str_from(name, length > 0);
    (void)hpf__take_whole(&digits, 10, id);
    return length;
}

bool hpf_retainer_sets_find(hpf_retainer_sets *s, hpf_str name, hpf_retainer_set *out)
{
    uint64_t id;
    uint32_t number;
    hpf_str head = {name.data, read_id(name, &id)};
    if (head.length == 0 || !hpf__intern_find(&s->ids, key_of(&id), &number)) {
        return false;
    }
    bool is_found = false;
    for (int are_stacks = 1; are_stacks >= 0 && !is_found; are_stacks--) {
        is_found = put_name(s, head, s->members[number], are_stacks) &&
                   is_same_name(name, hpf__buffer_str(&s->name));
    }
    if (!is_found) {
        return false;
    }
    hpf_str whole = {s->name.bytes, s->name.length};
    *out = (hpf_retainer_set){hpf_arena_str(s->arena, whole), s->members[number]};
    return out->name.data != NULL;
}
