/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sites by the calling place alone, until stacks are unwound.
 */
#include "stacks.h"

enum { N_PLACES = 65536 };
static _Atomic uint64_t keys[N_PLACES];
static _Atomic uint32_t sites[N_PLACES];

static uint32_t new_site(uintptr_t pc, hpp_call call)
{
    uint32_t index = atomic_fetch_add(&hpp__window->head.n_nodes, 1);
    uint32_t site = atomic_fetch_add(&hpp__window->head.n_sites, 1);
    if (index >= HPP_NODES_PER_CHUNK || site >= HPP_SITES_PER_CHUNK) {
        return HPP_SITE_UNKNOWN;
    }
    hpp_window_node *nodes = hpp__window_at(hpp__window->node_pages[0]);
    hpp_window_site *all = hpp__window_at(hpp__window->site_pages[0]);
    nodes[index].address = pc;
    all[site] = (hpp_window_site){index, call};
    return site;
}

uint32_t hpp__stacks_site_unaided(hpp_caller caller, hpp_call call)
{
    uint64_t key = caller.pc << 4 | (uint64_t)call;
    for (uint32_t i = (uint32_t)(caller.pc * 0x9e3779b97f4a7c15u >> 48);; i = (i + 1) % N_PLACES) {
        uint64_t found = atomic_load_explicit(&keys[i], memory_order_acquire);
        if (found == 0 && atomic_compare_exchange_strong(&keys[i], &found, key)) {
            atomic_store(&sites[i], new_site(caller.pc, call));
            found = key;
        }
        if (found == key) {
            uint32_t site = atomic_load_explicit(&sites[i], memory_order_acquire);
            return site == 0 ? HPP_SITE_UNKNOWN : site;
        }
    }
}

hpp_place hpp__stacks_place(hpp_thread *thread, hpp_caller caller, hpp_call call)
{
    uint32_t site = hpp__stacks_site_unaided(caller, call);
    return (hpp_place){site, hpp__thread_cell(thread, site)};
}

uint32_t hpp__stacks_site_interrupted(hpp_thread *thread, const void *context, hpp_call call)
{
    (void)thread;
    (void)context;
    return hpp__stacks_site_unaided((hpp_caller){.pc = 1}, call);
}

void hpp__stacks_new_generation(void)
{
}

void hpp__stacks_forked(void)
{
}

void hpp__stacks_forget(hpp_thread *thread)
{
    (void)thread;
}
