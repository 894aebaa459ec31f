/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts of names: of files, and of bands.
 */
#ifndef HPF_NAMES_H
#define HPF_NAMES_H

#include <stdbool.h>

#include "hpfile/str.h"

/* Returns the part of a path after its folders. */
static inline hpf_str hpf__base_name(hpf_str path)
{
    size_t begin = path.length;
    while (begin > 0 && path.data[begin - 1] != '/') {
        begin--;
    }
    return begin > 0 ? hpf_str_from(path, begin) : path;
}

/* Returns a name without the number of its cost-centre stack: "main" for "(241)main". */
static inline hpf_str hpf__without_id(hpf_str name)
{
    size_t i = 1;
    if (name.length == 0 || name.data[0] != '(') {
        return name;
    }
    while (i < name.length && name.data[i] >= '0' && name.data[i] <= '9') {
        i++;
    }
    if (i == 1 || i + 1 >= name.length || name.data[i] != ')') {
        return name;
    }
    hpf_str bare = {name.data + i + 1, name.length - i - 1};
    return bare;
}

/* Returns the package of Python to which all holders of a set belong: "email" of
 * "email.header.Header,email.utils.formatdate". Empty without one; borrowed from the holders. */
hpf_str hpf__package_of_holders(hpf_str holders);

/* Removes the ids of stacks from names for people, except from those that another one of them would
 * be equal to then. The names stay borrowed. Returns false without memory; they are unchanged then.
 */
bool hpf__drop_ids(hpf_str *names, size_t n);

#endif
