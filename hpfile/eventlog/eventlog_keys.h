/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The keys of the bands of an event log: the bytes of a stack or a label in a record. A sample
 * tends to repeat the keys of the one before in the same order, so the key that followed last time
 * is compared first; only a miss is hashed.
 */
#ifndef HPF_EVENTLOG_KEYS_H
#define HPF_EVENTLOG_KEYS_H

#include "base/bits.h"
#include "base/intern.h"
#include "hpfile/event.h"

/* Most keys are not longer. */
#define HPF__KEY_HEAD_BYTES 32u

/* All that a guess needs, in one place: a line of a cache. */
typedef struct hpf__eventlog_key {
    char head[HPF__KEY_HEAD_BYTES]; /* the first bytes of the text */
    hpf_str text;                   /* the one in `texts` */
    uint32_t head_bits;             /* which bytes of `head` are of the text */
    hpf_name name;
    uint32_t next; /* the link that followed it last; 0: none did */
} hpf__eventlog_key;

typedef struct hpf__eventlog_keys {
    hpf__intern texts;
    hpf__eventlog_key *links; /* [key + 1]; [0] is the start of a sample */
    size_t capacity;
    uint32_t last; /* the last link, 0 at the start of a sample */
} hpf__eventlog_keys;

/* Stores the key of `text`. If it is new, its name is still to be set. Returns HPF_OK,
 * HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
hpf_status hpf__eventlog_keys_add(hpf__eventlog_keys *keys, hpf_str text, uint32_t *key,
                                  bool *is_new);
void hpf__eventlog_keys_finish(hpf__eventlog_keys *keys);

static inline void hpf__eventlog_keys_start(hpf__eventlog_keys *keys)
{
    keys->last = 0;
}

/* Returns the place of a key's name, valid until the next key is added. */
static inline hpf_name *hpf__eventlog_keys_name(const hpf__eventlog_keys *keys, uint32_t key)
{
    return &keys->links[key + 1].name;
}

/* Returns whether the key at `p` is the link's, if it has the same length. HPF__KEY_HEAD_BYTES can
 * be read there. The bytes after the head are compared together with the last word of the head, so
 * that they are no shorter than a word. */
static inline bool hpf__eventlog_key_is(const hpf__eventlog_key *link, const char *p)
{
    const size_t at = HPF__KEY_HEAD_BYTES - 8;
    return hpf__same_in_32(link->head, p, link->head_bits) &&
           (HPF__LIKELY(link->text.length <= HPF__KEY_HEAD_BYTES) ||
            hpf__same_words(link->text.data + at, p + at, link->text.length - at));
}

/* Returns whether `text` is the key that is expected; then it is the last one and `*name` its name.
 */
static inline bool hpf__eventlog_keys_guess(hpf__eventlog_keys *keys, hpf_str text, hpf_name *name)
{
    uint32_t guess = keys->links ? keys->links[keys->last].next : 0;
    if (HPF__UNLIKELY(guess == 0)) {
        return false;
    }
    const hpf__eventlog_key *known = &keys->links[guess];
    if (known->text.length != text.length ||
        !hpf__same_bytes(known->text.data, text.data, text.length)) {
        return false;
    }
    keys->last = guess;
    *name = known->name;
    return true;
}

#endif
