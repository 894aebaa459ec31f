/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Keys that were not guessed.
 */
#include "log_keys.h"

#include <stdlib.h>

#include "buf.h"

static bool make_room(hpf__log_keys *k)
{
    size_t needed = (size_t)k->texts.n_names + 1;
    hpf_name *names = hpf__grow(k->names, &k->names_capacity, needed, sizeof *names);
    if (!names) {
        return false;
    }
    k->names = names;
    uint32_t *next = hpf__grow(k->next, &k->next_capacity, needed + 1, sizeof *next);
    if (!next) {
        return false;
    }
    if (!k->next) {
        next[0] = 0;
    }
    k->next = next;
    return true;
}

hpf_status hpf__log_keys_add(hpf__log_keys *k, hpf_str text, uint32_t *key, bool *is_new)
{
    if (!make_room(k)) {
        return HPF_ERR_MEMORY;
    }
    hpf_status status = hpf__intern_add(&k->texts, text, key, is_new);
    if (status != HPF_OK) {
        return status;
    }
    if (*is_new) {
        k->next[*key + 1] = 0;
        k->names[*key] = 0;
    }
    k->next[k->last] = *key + 1;
    k->last = *key + 1;
    return HPF_OK;
}

void hpf__log_keys_finish(hpf__log_keys *k)
{
    hpf__intern_finish(&k->texts);
    free(k->names);
    free(k->next);
    *k = (hpf__log_keys){0};
}
