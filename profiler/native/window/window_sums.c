/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One walk over slots, directories, chunks and cells. No two of them share a page, so there are
 * never more of them than pages that exist: a window whose directories say otherwise is read so far
 * and no further.
 */
#include "window_sums.h"

#include "base/array.h"

static uint64_t load(const _Atomic uint64_t *from, memory_order order)
{
    return atomic_load_explicit(from, order);
}

/* Adds what is live in a cell to a site: at peak `number`, or now if nothing has changed since. */
static void add_live(hpp__costs *site, const hpp_window_cell *cell, uint64_t number)
{
    uint64_t freed_bytes = load(&cell->freed_bytes, memory_order_relaxed);
    uint64_t frees = load(&cell->frees, memory_order_relaxed);
    uint64_t bytes = load(&cell->allocated_bytes, memory_order_relaxed) - freed_bytes;
    uint64_t blocks = load(&cell->allocations, memory_order_relaxed) - frees;
    atomic_thread_fence(memory_order_acquire); /* had they changed, they would have been kept */
    if (load(&cell->peak, memory_order_acquire) == number) {
        bytes = (uint64_t)atomic_load_explicit(&cell->peak_bytes, memory_order_relaxed);
        blocks = (uint64_t)atomic_load_explicit(&cell->peak_blocks, memory_order_relaxed);
    }
    site->allocated_bytes += bytes;
    site->allocations += blocks;
}

static void add_cell(hpp__costs *site, const hpp_window_cell *cell)
{
    site->freed_bytes += load(&cell->freed_bytes, memory_order_acquire);
    site->frees += load(&cell->frees, memory_order_acquire);
    site->allocated_bytes += load(&cell->allocated_bytes, memory_order_relaxed);
    site->allocations += load(&cell->allocations, memory_order_relaxed);
}

/* Adds the cells of a slot: of the peak, or if that is 0 of this moment. Returns the bytes that its
 * threads have allocated. `n_pages` is how many pages there may still be. */
static uint64_t add_slot(hpp__window_sums *sums, const hpp__window_reader *reader,
                         const hpp_window_slot *slot, uint64_t peak, uint64_t *n_pages)
{
    uint64_t allocated_bytes = 0;
    const uint32_t n_chunks = (sums->n_sites + HPP_CELLS_PER_CHUNK - 1) / HPP_CELLS_PER_CHUNK;
    for (uint32_t chunk = 0; *n_pages > 0; chunk++) {
        chunk = hpp__window_reader_next_chunk(reader, slot, chunk);
        if (chunk >= n_chunks) {
            break;
        }
        *n_pages -= chunk % HPP__CHUNKS_PER_PAGE == 0;
        const hpp_window_cell *cells = hpp__window_reader_cells(reader, slot, chunk);
        if (!cells) {
            continue;
        }
        uint32_t begin = chunk * HPP_CELLS_PER_CHUNK;
        uint32_t n = sums->n_sites - begin;
        n = n < HPP_CELLS_PER_CHUNK ? n : HPP_CELLS_PER_CHUNK;
        for (uint32_t i = 0; i < n; i++) {
            if (peak != 0) {
                add_live(&sums->sites[begin + i], &cells[i], peak);
            } else {
                add_cell(&sums->sites[begin + i], &cells[i]);
            }
            allocated_bytes += load(&cells[i].allocated_bytes, memory_order_relaxed);
        }
        *n_pages -= *n_pages > 0;
    }
    return allocated_bytes;
}

/* Adds all slots. */
static bool take(hpp__window_sums *sums, const hpp__window_reader *reader, uint64_t peak)
{
    if (!HPF__ARRAY_RESERVE(sums->sites, sums->sites_capacity, reader->n_sites) ||
        !HPF__ARRAY_RESERVE(sums->allocated_bytes, sums->slots_capacity, reader->n_slots)) {
        return false;
    }
    sums->n_sites = reader->n_sites;
    sums->n_slots = reader->n_slots;
    if (sums->n_sites > 0) {
        memset(sums->sites, 0, sums->n_sites * sizeof *sums->sites);
    }
    uint64_t n_pages = reader->n_pages;
    for (uint32_t i = 0; i < sums->n_slots; i++) {
        const hpp_window_slot *slot = hpp__window_reader_slot(reader, i);
        n_pages -= slot && n_pages > 0; /* a slot has a page of its own */
        sums->allocated_bytes[i] = slot ? add_slot(sums, reader, slot, peak, &n_pages) : 0;
    }
    return true;
}

bool hpp__window_sums_take(hpp__window_sums *sums, const hpp__window_reader *reader)
{
    return take(sums, reader, 0);
}

static uint64_t positive(uint64_t n)
{
    return (int64_t)n > 0 ? n : 0;
}

bool hpp__window_sums_take_peak(hpp__window_sums *sums, hpp__window_peak *peak,
                                const hpp__window_reader *reader)
{
    hpp__window_peak now;
    if (!hpp__window_reader_peak(reader, peak) || !take(sums, reader, peak->number)) {
        return false;
    }
    for (uint32_t i = 0; i < sums->n_sites; i++) {
        hpp__costs *site = &sums->sites[i];
        site->allocations = positive(site->allocations);
        site->allocated_bytes = positive(site->allocated_bytes);
        if (hpp__window_reader_is_inherited(reader, i)) { /* allocated by another process */
            *site =
                (hpp__costs){.frees = -site->allocations, .freed_bytes = -site->allocated_bytes};
        }
    }
    return hpp__window_reader_peak(reader, &now);
}

uint64_t hpp__window_sums_live_bytes(const hpp__window_sums *sums)
{
    uint64_t live_bytes = 0;
    for (uint32_t i = 0; i < sums->n_sites; i++) {
        live_bytes += hpp__costs_live_bytes(&sums->sites[i]);
    }
    return live_bytes;
}

hpp__costs hpp__window_sums_total(const hpp__window_sums *sums)
{
    hpp__costs total = {0};
    for (uint32_t i = 0; i < sums->n_sites; i++) {
        hpp__costs_add(&total, &sums->sites[i]);
    }
    return total;
}

void hpp__window_sums_finish(hpp__window_sums *sums)
{
    free(sums->sites);
    free(sums->allocated_bytes);
    *sums = (hpp__window_sums){0};
}
