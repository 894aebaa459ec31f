/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pages of the window's file, and pages of the program that hold its table of blocks.
 */
#include "memory_guard.h"

#include <sys/stat.h>
#include <unistd.h>

#include "native/collector/image/proc.h"
#include "native/window/block_table.h"

enum { STAT_BLOCK_BYTES = 512 };
static const uint64_t max_measured_bytes = (uint64_t)16 << 30; /* of addresses: takes 30 ms */
static const double least_share_bytes = 16 << 20;
static const uint64_t measure_every_ns = 1000000000;

/* Estimates the size of the table from its first leaves if there are very many. */
static uint64_t measure_table(const hpp__window_reader *reader, uint32_t process_id)
{
    uint32_t n;
    const _Atomic uint64_t *leaves = hpp__window_reader_leaves(reader, &n);
    uint32_t n_looked = 0;
    uint64_t sum = 0;
    int pagemap = leaves && n > 0 ? hpp__proc_open_pagemap(process_id) : -1;
    if (pagemap < 0) {
        return 0;
    }
    while (n_looked < n && HPP_LEAF_BYTES <= max_measured_bytes / (n_looked + UINT64_C(1))) {
        sum +=
            hpp__proc_touched_bytes(pagemap, hpp__leaf_of_entry(leaves[n_looked]), HPP_LEAF_BYTES);
        n_looked++;
    }
    close(pagemap);
    return n_looked > 0 ? sum / n_looked * n : 0;
}

double hpp__memory_guard_measure(hpp__memory_guard *guard, const hpp__window_reader *reader,
                                 int file, uint32_t process_id, uint64_t now_ns)
{
    struct stat window;
    if (fstat(file, &window) != 0) {
        return -1;
    }
    if (process_id != 0 &&
        (!guard->was_measured || now_ns - guard->measured_ns >= measure_every_ns)) {
        guard->table_bytes = measure_table(reader, process_id);
        guard->measured_ns = now_ns;
        guard->was_measured = true;
    }
    return (double)window.st_blocks * STAT_BLOCK_BYTES + (double)guard->table_bytes;
}

uint32_t hpp__memory_guard_judge(hpp__memory_guard *guard, double profiler_bytes,
                                 double resident_bytes)
{
    double limit = guard->max_bytes > 0 ? (double)guard->max_bytes : -1;
    double share = resident_bytes * guard->max_percent / 100;
    share = share > least_share_bytes ? share : least_share_bytes;
    if (guard->max_percent > 0 && resident_bytes > 0 && (limit < 0 || share < limit)) {
        limit = share;
    }
    if (limit >= 0 && profiler_bytes > limit * 0.9) {
        guard->control |= HPP_CONTROL_NO_NEW_STACKS;
    }
    if (limit >= 0 && profiler_bytes > limit) {
        guard->control |= HPP_CONTROL_NO_NEW_BLOCKS;
    }
    return guard->control;
}
