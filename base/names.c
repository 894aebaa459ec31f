/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/lex.h"

/* Names without their ids. */
typedef struct bare_names {
    hpf__intern texts;
    uint32_t *number; /* of each name: that of its text */
    hpf_str *first;   /* by number of a text: the first name with it */
    bool *is_shared;  /* by number of a text: names differ by their ids alone */
} bare_names;

static bool find_shared(bare_names *b, const hpf_str *names, size_t n)
{
    bool is_new = false, is_ok = b->number && b->first && b->is_shared;
    for (size_t i = 0; i < n && is_ok; i++) {
        hpf_str bare = hpf__without_id(names[i]);
        is_ok = hpf__intern_add(&b->texts, bare, &b->number[i], &is_new) == HPF_OK;
        if (is_ok && is_new) {
            b->first[b->number[i]] = names[i];
        } else if (is_ok && !hpf_str_equal(names[i], b->first[b->number[i]])) {
            b->is_shared[b->number[i]] = true;
        }
    }
    return is_ok;
}

bool hpf__drop_ids(hpf_str *names, size_t n)
{
    bare_names b = {
        .number = calloc(n + 1, sizeof *b.number),
        .first = calloc(n + 1, sizeof *b.first),
        .is_shared = calloc(n + 1, sizeof *b.is_shared),
    };
    bool is_ok = find_shared(&b, names, n);
    for (size_t i = 0; i < n && is_ok; i++) {
        names[i] = b.is_shared[b.number[i]] ? names[i] : hpf__without_id(names[i]);
    }
    hpf__intern_finish(&b.texts);
    free(b.number);
    free(b.first);
    free(b.is_shared);
    return is_ok;
}

hpf_str hpf__package_of_holders(hpf_str holders)
{
    const hpf_str none = {NULL, 0};
    size_t n = 0;
    while (n < holders.length && hpf__is_word(holders.data[n])) {
        n++;
    }
    if (n == 0 || n + 1 >= holders.length || holders.data[n] != '.') {
        return none;
    }
    for (size_t i = n; i < holders.length; i++) {
        char c = holders.data[i];
        bool is_same = c == ',' && holders.length - i - 1 > n &&
                       memcmp(holders.data, holders.data + i + 1, n + 1) == 0;
        if (!is_same && !hpf__is_word(c) && c != '.') {
            return none;
        }
    }
    return (hpf_str){holders.data, n};
}
