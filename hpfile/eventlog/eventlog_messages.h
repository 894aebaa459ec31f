/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The messages of the package ghc-stack-profiler in USER_BINARY_MSG records: the stack of a thread
 * at a moment, and the texts that stacks refer to by numbers.
 *
 * A message begins with two bytes that say what it is; numbers are big-endian:
 *
 *   FF CA  the rest of a stack: capability:4 thread:4 count:2 item...
 *   FF CB  a part of a stack, the same
 *   FF CC  a text: id:8 characters:2 UTF-8
 *   FF CD  a place in source: id:8 line:4 column:4 file:8, which is the id of a text
 *
 * Items are outermost first: 01 and the address of an info table, 02 and the id of a text, 03 and
 * the ids of a text and a place, all of 8 bytes.
 */
#ifndef HPF_EVENTLOG_MESSAGES_H
#define HPF_EVENTLOG_MESSAGES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/intern.h"
#include "hpfile/error.h"

/* The first byte of an item. */
enum { HPF__ITEM_IS_INFO = 1, HPF__ITEM_IS_TEXT = 2, HPF__ITEM_IS_PLACED_TEXT = 3 };

/* All zero is a log without messages. */
typedef struct hpf__stack_messages {
    hpf_arena *arena;
    hpf__intern ids; /* FF CC or FF CD without the FF, and the id */
    hpf_str *texts;  /* by the number of their id */
    size_t texts_capacity;
    char thread[8];    /* the capability and thread of `stack` */
    hpf__buffer stack; /* the items of a stack so far */
    bool is_whole;     /* no more of them will come */
} hpf__stack_messages;

void hpf__stack_messages_finish(hpf__stack_messages *messages);

/* Reads a record, and stores whether it ended a stack: `stack` has its items, and begins with a
 * capability and a thread in `thread`, until the next call. Other messages, and invalid ones, are
 * ignored. Returns HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
hpf_status hpf__stack_messages_note(hpf__stack_messages *messages, hpf_str payload, bool *is_stack);

/* Cuts the next item from the begin of items; empty if there is none, or an invalid one. */
hpf_str hpf__stack_messages_cut(hpf_str *items);

/* Returns the text of an item that has one, and the place of one that has a place; empty if it was
 * not defined. Borrowed. */
hpf_str hpf__stack_messages_text(const hpf__stack_messages *messages, hpf_str item);
hpf_str hpf__stack_messages_place(const hpf__stack_messages *messages, hpf_str item);

#endif
