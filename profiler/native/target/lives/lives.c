/* SPDX-License-Identifier: BSD-2-Clause */
#include "lives.h"

#include "native/window/trie.h"

/* Records that from `era` on, `bytes` of a site are in phase `to` instead of `from`; HPP_N_PHASES
 * is none. */
static void move(const hpp_life *life, uint32_t era, hpp_phase from, hpp_phase to)
{
    hpp_window_life *record = hpp__trie_life(life->site, era);
    if (record == NULL) {
        atomic_fetch_add(&hpp__window->head.n_lost_lives, 1);
        return;
    }
    if (from != HPP_N_PHASES) {
        atomic_fetch_sub_explicit(&record->bytes[from], (int64_t)life->bytes, memory_order_relaxed);
    }
    if (to != HPP_N_PHASES) {
        atomic_fetch_add_explicit(&record->bytes[to], (int64_t)life->bytes, memory_order_relaxed);
    }
}

hpp_life hpp__life_begin(uint32_t site, uint64_t bytes, uint32_t era)
{
    hpp_life life = {.site = site, .birth = era, .bytes = bytes};
    move(&life, era, HPP_N_PHASES, HPP_PHASE_VOID);
    return life;
}

void hpp__life_use(hpp_life *life, uint32_t era)
{
    if (life->last_use == 0 && era == life->birth) {
        move(life, era, HPP_PHASE_VOID, HPP_PHASE_USE);
    } else if (life->last_use == 0) {
        move(life, life->birth, HPP_PHASE_VOID, HPP_PHASE_LAG);
        move(life, era, HPP_PHASE_LAG, HPP_PHASE_USE);
    } else if (life->is_drag && era > life->last_use) {
        move(life, life->last_use + 1, HPP_PHASE_DRAG, HPP_PHASE_USE);
        life->is_drag = false;
    }
    life->last_use = era;
}

void hpp__life_rest(hpp_life *life, uint32_t era)
{
    if (life->last_use != 0 && !life->is_drag && life->last_use + 1 < era) {
        move(life, life->last_use + 1, HPP_PHASE_USE, HPP_PHASE_DRAG);
        life->is_drag = true;
    }
}

void hpp__life_end(hpp_life *life, uint32_t era)
{
    hpp__life_rest(life, era);
    hpp_phase last = life->last_use == 0 ? HPP_PHASE_VOID
                     : life->is_drag     ? HPP_PHASE_DRAG
                                         : HPP_PHASE_USE;
    move(life, era, last, HPP_N_PHASES);
}

void hpp__life_report(const hpp_life *life, uintptr_t address)
{
    hpp_window_head *head = &hpp__window->head;
    uint32_t image_era = atomic_load_explicit(&head->image_era, memory_order_relaxed);
    bool was_seen = life->birth <= image_era;
    /* An image may miss uses of its own era that are being recorded, and all that are not known yet
     * of a sampled block. */
    bool is_exact = head->biography_bytes == 0;
    bool is_known = life->last_use == 0 || (is_exact && life->last_use < image_era);
    if (!was_seen || is_known) {
        return;
    }
    uint64_t n = atomic_fetch_add(&head->n_deaths, 1);
    uint32_t place = (uint32_t)(n % HPP_MAX_DEATHS);
    hpp_window_death *chunk = NULL;
    if (n - atomic_load(&head->n_deaths_read) < HPP_MAX_DEATHS) {
        chunk = hpp__window_chunk(&hpp__window->death_pages[place / HPP_DEATHS_PER_CHUNK],
                                  HPP_DEATHS_PER_CHUNK * sizeof(*chunk) / HPP_WINDOW_PAGE_BYTES);
    }
    if (chunk == NULL) {
        atomic_fetch_add(&head->n_lost_lives, 1);
        return;
    }
    hpp_window_death *record = &chunk[place % HPP_DEATHS_PER_CHUNK];
    record->address = address;
    record->birth = life->birth;
    record->last_use = life->last_use;
    atomic_store_explicit(&record->number, n + 1, memory_order_release);
}
