/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What tells the bands of an event log apart: the bytes of a stack, or a label, as they stand in
 * the record. A sample tends to repeat the keys of the one before in the same order, so the key
 * that followed last time is compared first, and only a miss is hashed.
 */
#ifndef HPF_LOG_KEYS_H
#define HPF_LOG_KEYS_H

#include "bits.h"
#include "intern.h"

typedef struct hpf__log_keys {
    hpf__intern texts;
    hpf_name *names; /* by key */
    uint32_t *next;  /* [key + 1]: 1 + the key that followed it last; [0]: the first of a sample */
    size_t names_capacity, next_capacity;
    uint32_t last; /* 1 + the last key, 0 at the start of a sample */
} hpf__log_keys;

/* The key of `text`. If it is new, keys->names[*key] is still to be set. Returns HPF_OK,
 * HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
hpf_status hpf__log_keys_add(hpf__log_keys *keys, hpf_str text, uint32_t *key, bool *is_new);
void hpf__log_keys_finish(hpf__log_keys *keys);

static inline void hpf__log_keys_start(hpf__log_keys *keys)
{
    keys->last = 0;
}

/* Whether `text` is the key that is expected; then it is the last one and `*name` its name. */
static inline bool hpf__log_keys_guess(hpf__log_keys *keys, hpf_str text, hpf_name *name)
{
    uint32_t guess = keys->next ? keys->next[keys->last] : 0;
    if (HPF__UNLIKELY(guess == 0)) {
        return false;
    }
    const hpf_str *known = &keys->texts.names[guess - 1];
    if (known->length != text.length || !hpf__same_bytes(known->data, text.data, text.length)) {
        return false;
    }
    keys->last = guess;
    *name = keys->names[guess - 1];
    return true;
}

#endif
