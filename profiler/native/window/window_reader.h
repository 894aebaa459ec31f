/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The collector's end of the window: bytes to records that can be relied on.
 *
 * The program may be hostile, or broken, or dead in the middle of a store. So nothing read here is
 * followed before it is checked: every index and page number is loaded once, compared with what the
 * window has room for, and used from the copy. Counts never go back, whatever the program stores.
 * A record that makes no sense, or is not complete yet, is not there; it may be later.
 *
 * Pages that the program has not taken are never touched: reading a hole would fill it.
 *
 * Threads: one reader, one thread at a time; the program writes meanwhile.
 */
#ifndef HPP_NATIVE_WINDOW_READER_H
#define HPP_NATIVE_WINDOW_READER_H

#include <stdbool.h>

#include "hpfile/event.h"
#include "window.h"

typedef struct hpp__window_reader {
    const hpp_window *window; /* borrowed */
    uint64_t size_bytes;
    /* As of the last refresh, and within what the tables have room for. */
    uint64_t used_bytes;
    uint32_t n_nodes, n_sites, n_slots, n_modules, n_marks;
} hpp__window_reader;

/* Takes `n_bytes` of memory at `bytes`, aligned to 8, for a window, and refreshes. Borrows them.
 * Errors: SYNTAX when it is none, VERSION when it is that of another version. */
hpf_status hpp__window_reader_open(hpp__window_reader *out, const void *bytes, uint64_t n_bytes,
                                   hpf_error *err);

/* Loads the counts again. Records below them are there to be read. */
void hpp__window_reader_refresh(hpp__window_reader *reader);

/* Copies a record. False: there is none with that index, or it is not complete, or makes no sense.
 * `parent` of a node is less than its index, `module_index` at most n_modules, and its address not
 * 0; `node` of a site is less than n_nodes, and its call one of hpp_call. Texts are terminated. */
bool hpp__window_reader_node(const hpp__window_reader *reader, uint32_t index,
                             hpp_window_node *out);
bool hpp__window_reader_site(const hpp__window_reader *reader, uint32_t index,
                             hpp_window_site *out);
bool hpp__window_reader_module(const hpp__window_reader *reader, uint32_t index,
                               hpp_window_module *out);

/* A mark: when (CLOCK_MONOTONIC) and what. */
typedef struct hpp__window_mark {
    uint64_t time_ns;
    char text[sizeof((hpp_window_mark *)0)->text];
} hpp__window_mark;
bool hpp__window_reader_mark(const hpp__window_reader *reader, uint32_t index,
                             hpp__window_mark *out);

/* A slot, or NULL. Its directory of cells is to be read through hpp__window_reader_cells alone. */
const hpp_window_slot *hpp__window_reader_slot(const hpp__window_reader *reader, uint32_t index);

/* The HPP_CELLS_PER_CHUNK cells of chunk `chunk_index` of a slot, or NULL: never touched. */
const hpp_window_cell *hpp__window_reader_cells(const hpp__window_reader *reader,
                                                const hpp_window_slot *slot, uint32_t chunk_index);

/* The words of the command line, from `*at` on, which begins with 0: the next word, or data NULL
 * at the end. Borrowed from the window: a word's length is what it was when it was asked for. */
hpf_str hpp__window_reader_word(const hpp__window_reader *reader, size_t *at);

#endif
