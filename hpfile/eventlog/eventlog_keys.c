/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Keys that were not guessed.
 */
#include "eventlog/eventlog_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool make_room(hpf__eventlog_keys *k)
{
    bool is_first = k->links == NULL;
    size_t needed = (size_t)k->texts.n_names + 2;
    if (!HPF__ARRAY_RESERVE(k->links, k->capacity, needed)) {
        return false;
    }
    if (is_first) {
        k->links[0] = (hpf__eventlog_key){0};
    }
    return true;
}

static hpf__eventlog_key link_of(hpf_str text)
{
    hpf__eventlog_key link = {.text = text};
    size_t n = text.length < HPF__KEY_HEAD_BYTES ? text.length : HPF__KEY_HEAD_BYTES;
    if (n) {
        memcpy(link.head, text.data, n);
    }
    link.head_bits = (uint32_t)((UINT64_C(1) << n) - 1);
    return link;
}

hpf_status hpf__eventlog_keys_add(hpf__eventlog_keys *k, hpf_str text, uint32_t *key, bool *is_new)
{
    if (!make_room(k)) {
        return HPF_ERR_MEMORY;
    }
    hpf_status status = hpf__intern_add(&k->texts, text, key, is_new);
    if (status != HPF_OK) {
        return status;
    }
    if (*is_new) {
        k->links[*key + 1] = link_of(k->texts.names[*key]);
    }
    k->links[k->last].next = *key + 1;
    k->last = *key + 1;
    return HPF_OK;
}

void hpf__eventlog_keys_finish(hpf__eventlog_keys *k)
{
    hpf__intern_finish(&k->texts);
    free(k->links);
    *k = (hpf__eventlog_keys){0};
}
