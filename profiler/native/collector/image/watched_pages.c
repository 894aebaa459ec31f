/* SPDX-License-Identifier: BSD-2-Clause */
#include "watched_pages.h"

#include <time.h>
#include <unistd.h>

#include "proc.h"

enum { PAGES_AT_ONCE = 512, MOST_READS = 1 << 17 /* 256 GiB of addresses */ };

/* The last pages that were read of a page table. */
typedef struct page_table {
    int pagemap;
    int n_reads_left;
    uint64_t first; /* page */
    bool is_there[PAGES_AT_ONCE];
} page_table;

static bool is_there(page_table *table, uint64_t address)
{
    uint64_t page = address / HPP_WINDOW_PAGE_BYTES, first = page - page % PAGES_AT_ONCE;
    if (first != table->first && table->n_reads_left > 0) {
        hpp__proc_touched_pages(table->pagemap, first * HPP_WINDOW_PAGE_BYTES, PAGES_AT_ONCE,
                                table->is_there);
        table->first = first;
        table->n_reads_left--;
    }
    return first == table->first && table->is_there[page % PAGES_AT_ONCE];
}

static bool is_used(page_table *table, const hpp_window_watched *place)
{
    bool is_found = false;
    for (uint32_t i = 0; i < place->n_probes && !is_found; i++) {
        is_found = is_there(table, hpp_window_probe(place->begin, place->n_pages, place->seed, i));
    }
    uint64_t n = place->n_probes == 0 ? place->n_pages : 0;
    for (uint64_t i = 0; i < n && !is_found && table->n_reads_left > 0; i++) {
        is_found = is_there(table, place->begin + i * HPP_WINDOW_PAGE_BYTES);
    }
    return is_found;
}

/* What is noted during a step, or for the step before, has the wrong number, and is of no effect.
 */
void hpp__watched_pages_look(hpp__window_reader *reader, hpp_window_head *control, int file,
                             uint32_t process_id, uint32_t era)
{
    if (atomic_load(&control->n_watched) == 0) {
        return;
    }
    hpp__window_reader_refresh(reader);
    uint64_t n_steps = atomic_load(&control->n_steps), now = n_steps << 32 | era;
    page_table table = {hpp__proc_open_pagemap(process_id), MOST_READS, UINT64_MAX, {false}};
    if (table.pagemap < 0) {
        return;
    }
    bool is_noted = n_steps % 2 == 0;
    for (uint32_t i = 0; is_noted && i < reader->n_watched; i++) {
        hpp_window_watched place;
        uint64_t at = hpp__window_reader_watched(reader, i, &place);
        if (at != 0 && place.seen >> 32 != n_steps && is_used(&table, &place)) {
            is_noted = pwrite(file, &now, sizeof now, (off_t)at) == sizeof now;
        }
    }
    if (is_noted && table.n_reads_left > 0) {
        atomic_store(&control->looked, now);
    }
    close(table.pagemap);
}

void hpp__watched_pages_look_again(hpp__window_reader *reader, hpp_window_head *control, int file,
                                   uint32_t process_id, uint32_t era)
{
    const struct timespec pause = {0, 250000};
    for (int i = 0; i < 20 && atomic_load(&control->n_steps) % 2 != 0; i++) {
        nanosleep(&pause, NULL); /* a step is going on */
    }
    bool is_known = atomic_load(&control->looked) >> 32 == atomic_load(&control->n_steps);
    if (!is_known && atomic_load(&control->era) <= era) {
        hpp__watched_pages_look(reader, control, file, process_id, era + 1);
    }
}
