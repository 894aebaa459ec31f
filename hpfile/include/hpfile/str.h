/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparing texts that are bytes with a length, and what names of profiles have in front.
 */
#ifndef HPFILE_STR_H
#define HPFILE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes with a length; not terminated, of no particular encoding. Borrowed unless said otherwise.
 */
typedef struct hpf_str {
    const char *data;
    size_t length;
} hpf_str;

/* A string literal as an hpf_str. */
#define HPF_STR(literal) ((hpf_str){(literal), sizeof(literal) - 1})

/* Order by bytes, a prefix before what it begins: negative, 0 or positive as for memcmp. */
static inline int hpf_str_compare(hpf_str a, hpf_str b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Whether two texts are the same bytes. */
static inline bool hpf_str_equal(hpf_str a, hpf_str b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

/* The same for a text that ends with a NUL. */
static inline bool hpf_str_is(hpf_str text, const char *word)
{
    hpf_str other = {word, strlen(word)};
    return hpf_str_equal(text, other);
}

/* A name without what only numbers the run's cost-centre stacks: "(241)main" is "main". */
static inline hpf_str hpf_str_without_id(hpf_str name)
{
    size_t i = 1;
    while (i < name.length && name.data[i] >= '0' && name.data[i] <= '9') {
        i++;
    }
    if (i == 1 || i + 1 >= name.length || name.data[0] != '(' || name.data[i] != ')') {
        return name;
    }
    hpf_str bare = {name.data + i + 1, name.length - i - 1};
    return bare;
}

#endif
