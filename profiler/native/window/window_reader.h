/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a window in the collector, and checks every record.
 *
 * The program may be hostile, broken, or killed during a store. Every index and page number is
 * loaded once, compared with the size of the window, and used from the copy. Counts never decrease,
 * whatever the program stores. An invalid or incomplete record is treated as missing; it may be
 * valid later.
 *
 * Reading a hole would fill it. A program may say that it has allocated more than it has: no more
 * records are counted than there is room for in the pages that exist, and slots and chunks of cells
 * are read only if a page of them exists.
 *
 * Threads: use a reader in one thread at a time; the program may write meanwhile.
 */
#ifndef HPP_NATIVE_WINDOW_WINDOW_READER_H
#define HPP_NATIVE_WINDOW_WINDOW_READER_H

#include <stdbool.h>

#include "hpfile/event.h"
#include "window.h"

/* The pages of a window that are known to exist. */
typedef struct hpp__page_set {
    uint64_t *exist; /* a bit for each */
    size_t capacity; /* in words */
} hpp__page_set;
void hpp__page_set_finish(hpp__page_set *pages);

typedef struct hpp__window_reader {
    const hpp_window *window; /* borrowed */
    uint64_t size_bytes;
    int file; /* of the window, borrowed; -1: none, all of its pages may exist */
    /* Borrowed, set after opening; NULL: they are looked up each time. */
    hpp__page_set *pages;
    /* As of the last refresh, limited to the size of the tables. */
    uint64_t used_bytes;
    uint64_t n_pages; /* that exist, or a few more */
    uint32_t n_nodes, n_sites, n_slots, n_modules, n_marks, n_lives, n_codes, n_peaks, n_watched;
    uint64_t n_deaths, n_thread_events;
} hpp__window_reader;

/* Opens a window of `n_bytes` at `bytes`, which is aligned to 8 and borrowed, and refreshes. `file`
 * is the file that is mapped there, or -1.
 * Errors: SYNTAX if it is not a window, VERSION if it has another version. */
hpf_status hpp__window_reader_open(hpp__window_reader *out, const void *bytes, uint64_t n_bytes,
                                   int file, hpf_error *err);

/* Reloads the counts. Records below them can be read. */
void hpp__window_reader_refresh(hpp__window_reader *reader);

/* Copy a record. Return false if there is none with that index, or it is incomplete or invalid.
 * `parent` of a node is less than its index, `module_index` at most n_modules, and its address not
 * 0; `node` of a site is less than n_nodes, and its call one of hpp_call. Texts are terminated. */
bool hpp__window_reader_node(const hpp__window_reader *reader, uint32_t index,
                             hpp_window_node *out);
bool hpp__window_reader_site(const hpp__window_reader *reader, uint32_t index,
                             hpp_window_site *out);

/* Returns whether a site is one of inherited blocks. */
bool hpp__window_reader_is_inherited(const hpp__window_reader *reader, uint32_t site);

/* Returns the mean number of bytes between samples that the blocks of a site were drawn with, if
 * the first one of the process was `first_bytes`; and the mean of now. */
double hpp__window_reader_rate(const hpp__window_reader *reader, uint32_t site, double first_bytes);
double hpp__window_reader_rate_now(const hpp__window_reader *reader, double first_bytes);

bool hpp__window_reader_module(const hpp__window_reader *reader, uint32_t index,
                               hpp_window_module *out);

/* Copies a record of lives; its site is less than n_sites, its era not 0. */
bool hpp__window_reader_life(const hpp__window_reader *reader, uint32_t index,
                             hpp_window_life *out);

/* Copies the complete deaths from number `*from` on, at most HPP_MAX_DEATHS, and returns how many
 * there are. Advances `*from` to the first one that is not complete: later ones will be copied
 * again. If the thread that reports it has not done so when half of the records wait for it, it is
 * skipped. */
size_t hpp__window_reader_deaths(const hpp__window_reader *reader, uint64_t *from,
                                 hpp_window_death *out);

/* Copies the place of a sampled block. Returns its offset in the window; 0 if there is none. */
uint64_t hpp__window_reader_watched(const hpp__window_reader *reader, uint32_t index,
                                    hpp_window_watched *out);

/* Copies the exceptions of a type and a site, if the record is complete. Its site is less than
 * n_sites, its type terminated. */
bool hpp__window_reader_throw(const hpp__window_reader *reader, uint32_t index,
                              hpp_window_throw *out);

/* Copies the begin or end of a thread if it is complete. Its name is terminated, its slot below
 * HPP_MAX_SLOTS. */
bool hpp__window_reader_thread_event(const hpp__window_reader *reader, uint64_t number,
                                     hpp_window_thread_event *out);

/* A mark; its time is from CLOCK_MONOTONIC. */
typedef struct hpp__window_mark {
    uint64_t time_ns;
    char text[sizeof((hpp_window_mark *)0)->text];
} hpp__window_mark;
bool hpp__window_reader_mark(const hpp__window_reader *reader, uint32_t index,
                             hpp__window_mark *out);

/* A cost centre of a scope. `number` is the address of its node. */
bool hpp__window_reader_scope(const hpp__window_reader *reader, uint64_t number,
                              hpp_window_scope *out);

/* Copies the code of Python frames. Its texts are within the record. */
bool hpp__window_reader_code(const hpp__window_reader *reader, uint64_t number,
                             hpp_window_code *out);

/* Returns a slot; NULL if there is none, or its page does not exist. Read its directory of cells
 * through the functions below only. These three use `pages`. */
const hpp_window_slot *hpp__window_reader_slot(const hpp__window_reader *reader, uint32_t index);

/* Returns the index of the first chunk of cells, from `chunk_index` on, whose entry in the
 * directory is on a page that exists; HPP_MAX_CELL_CHUNKS if there is none. */
enum { HPP__CHUNKS_PER_PAGE = HPP_WINDOW_PAGE_BYTES / sizeof(uint32_t) };
uint32_t hpp__window_reader_next_chunk(const hpp__window_reader *reader,
                                       const hpp_window_slot *slot, uint32_t chunk_index);

/* Returns the HPP_CELLS_PER_CHUNK cells of chunk `chunk_index` of a slot; NULL if it was never
 * used. */
const hpp_window_cell *hpp__window_reader_cells(const hpp__window_reader *reader,
                                                const hpp_window_slot *slot, uint32_t chunk_index);

/* A peak: its number (from 1), and the time of CLOCK_MONOTONIC (0: unknown). */
typedef struct hpp__window_peak {
    uint32_t number;
    uint64_t time_ns, live_bytes;
} hpp__window_peak;

/* Returns the last peak of the last refresh; false if there was none, or there is a newer one by
 * now. */
bool hpp__window_reader_peak(const hpp__window_reader *reader, hpp__window_peak *out);

/* Returns the list of leaves (block_table.h), and stores its length; NULL if there is none. Entries
 * may be 0, and are not checked. */
const _Atomic uint64_t *hpp__window_reader_leaves(const hpp__window_reader *reader, uint32_t *n);

/* Returns the next word of the command line, and advances `*at`, which starts at 0; data is NULL at
 * the end. The word is borrowed from the window, which may change. */
hpf_str hpp__window_reader_word(const hpp__window_reader *reader, size_t *at);

#endif
