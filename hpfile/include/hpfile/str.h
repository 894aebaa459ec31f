/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparing texts that are bytes with a length.
 */
#ifndef HPFILE_STR_H
#define HPFILE_STR_H

#include <string.h>

#include "hpfile/event.h"

/* Order by bytes, a prefix before what it begins: negative, 0 or positive as for memcmp. */
static inline int hpf_str_compare(hpf_str a, hpf_str b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

#endif
