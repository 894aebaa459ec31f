/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for the bands of an event log. A log defines cost centres and info tables once, and then
 * uses their numbers; this table keeps the definitions and makes names of stacks and labels.
 *
 * A stack is written as GHC writes it into a `.hp` file, but whole: labels from the innermost,
 * divided by slashes, a CAF as MODULE.CAF, the empty stack as MAIN. GHC puts the number of the
 * stack in front, which logs do not have; where two stacks have the same text, the later ones get a
 * number in front, from 2: "(2)go/main". Stacks that begin with a type have its name, so that their
 * bands are the types', unless `by_stack` is set. A cost centre may be a call in another, a
 * function: stacks that differ only in calls have the name of the stack of functions, unless
 * `by_line` is set. The frames inside the one that names a stack (hpfile/frame.h) are not in
 * its text; stacks that differ only in these have one name, unless one of the two is set.
 */
#ifndef HPF_EVENTLOG_NAMES_H
#define HPF_EVENTLOG_NAMES_H

#include "base/buffer.h"
#include "base/arena.h"
#include "hpfile/frame.h"
#include "base/intern.h"
#include "base/bits.h"
#include "hpfile/event.h"

/* The keys of the bands of an event log: the bytes of a stack or a label in a record. A sample
 * tends to repeat the keys of the one before in the same order, so the key that followed last
 * time is compared first; only a miss is hashed. */

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

/* Where a name comes from. */
typedef struct hpf__eventlog_origin {
    bool is_stack;
    bool is_type;        /* of any number of stacks; the first one has `key` */
    uint32_t key;        /* in stacks or in labels */
    uint32_t n_alike;    /* number of names with this text after a number */
    uint32_t last_alike; /* the last of `alike`, plus 1; 0: none */
} hpf__eventlog_origin;

typedef struct hpf__eventlog_names {
    hpf_arena *arena; /* definitions */
    hpf__intern centre_ids;
    hpf_frame *centres; /* by the number of its id in centre_ids */
    hpf_str *functions; /* the same: the id of the function that a call is in; empty: no call */
    size_t centres_capacity, functions_capacity;
    hpf__intern info_addresses;
    hpf_frame *infos;
    size_t infos_capacity;
    bool labels_are_infos;     /* labels are addresses of info tables */
    hpf_symboliser *symbolise; /* names those that are not defined; may be NULL */
    void *symbolise_context;
    hpf_str program;              /* its path, for this */
    bool by_stack;                /* as in hpf_reader_options */
    bool by_line;                 /* as in hpf_reader_options, or the view needs it */
    const hpf_frame_rules *rules; /* borrowed; NULL: the usual ones, made when needed */
    hpf_frame_rules *own_rules;
    bool shares_names; /* some names are shared by many stacks */

    hpf__eventlog_keys stacks, labels;
    hpf__intern texts; /* the names */
    hpf__eventlog_origin *origins;
    size_t origins_capacity;
    uint32_t *alike; /* by key of a stack whose name is a simpler one's: the one before, plus 1 */
    size_t alike_capacity;
    size_t n_key_bytes, n_name_bytes; /* of stacks */
    hpf__buffer scratch;
} hpf__eventlog_names;

void hpf__eventlog_names_finish(hpf__eventlog_names *names);

/* The payloads of HEAP_PROF_COST_CENTRE and IPE records. Of a repeated definition the last counts,
 * for names made after it. HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
hpf_status hpf__eventlog_names_define_centre(hpf__eventlog_names *names, hpf_str payload);
hpf_status hpf__eventlog_names_define_info(hpf__eventlog_names *names, hpf_str payload);

/* The payload of a HEAP_PROF_CALL record, after the records of both cost centres; others are
 * ignored. Same errors. */
hpf_status hpf__eventlog_names_define_call(hpf__eventlog_names *names, hpf_str payload);

/* Store the name of a stack (one byte with its depth, numbers of cost centres) or of a label
 * (perhaps with a NUL after it) that hpf__eventlog_keys_guess did not find, and whether it is new.
 * Return HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
hpf_status hpf__eventlog_names_of_stack(hpf__eventlog_names *names, hpf_str key, hpf_name *name,
                                        bool *is_new);
hpf_status hpf__eventlog_names_of_label(hpf__eventlog_names *names, hpf_str key, hpf_name *name,
                                        bool *is_new);

/* As hpf_reader_frames. */
size_t hpf__eventlog_names_frames(const hpf__eventlog_names *names, hpf_name name,
                                  hpf_frame *frames, size_t room);

/* As hpf_reader_calls. */
size_t hpf__eventlog_names_calls(const hpf__eventlog_names *names, hpf_name name, hpf_frame *frames,
                                 size_t room);

#endif
