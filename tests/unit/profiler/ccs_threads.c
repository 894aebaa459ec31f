/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Many threads on the same cost-centre stacks while a clock ticks and a reader reads: run under
 * ThreadSanitizer, which Criterion's own processes do not survive. Exit status 0: no count is lost,
 * and no more ticks are counted than there was time.
 */
#define HPP_MODULE "Race"
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "ccs/ccs.h"
#include "hpprof/scope.h"

enum {
    N_THREADS = 6,
    N_TURNS = 4000,
    N_CENTRES = 40,
    TICK_NS = 100000,
};

static hpp_cc centres[N_CENTRES];
static bool is_over;
static pthread_mutex_t over_mutex = PTHREAD_MUTEX_INITIALIZER;

static bool over(void)
{
    pthread_mutex_lock(&over_mutex);
    bool result = is_over;
    pthread_mutex_unlock(&over_mutex);
    return result;
}

static void *tick_and_read(void *unused)
{
    (void)unused;
    while (!over()) {
        hpp__threads_tick(TICK_NS);
        uint32_t n_stacks = hpp_ccs_count();
        for (uint32_t id = 1; id <= n_stacks; id++) {
            hpp_ccs_costs(hpp_ccs_by_id(id));
        }
        for (const hpp_cc *centre = hpp_cc_newest(); centre; centre = centre->next) {
            hpp_cc_declare(&centres[0]);
        }
    }
    return NULL;
}

static void *run(void *seed)
{
    unsigned state = *(unsigned *)seed;
    const hpp_ccs *captured = hpp_ccs_current();
    for (int i = 0; i < N_TURNS; i++) {
        state = state * 1103515245u + 12345u;
        HPP_SCC_OF(&centres[state >> 16 & 31])
        {
            HPP_SCC_OF(&centres[32 + (state >> 24 & 7)])
            {
                hpp_ccs_allocated(1);
                hpp_ccs_enter_function(captured);
                captured = i % 64 == 0 ? hpp_ccs_current() : captured;
            }
        }
    }
    return NULL;
}

static hpp_costs all_costs(void)
{
    hpp_costs sum = {0, 0, 0};
    for (uint32_t id = 1; id <= hpp_ccs_count(); id++) {
        hpp_costs costs = hpp_ccs_costs(hpp_ccs_by_id(id));
        sum.entries += costs.entries;
        sum.ticks += costs.ticks;
        sum.allocated_bytes += costs.allocated_bytes;
    }
    return sum;
}

int main(void)
{
    for (int i = 0; i < N_CENTRES; i++) {
        centres[i] = (hpp_cc)HPP_CC_INIT("centre", "Race", "here", 0);
    }
    pthread_t reader, threads[N_THREADS];
    unsigned seeds[N_THREADS];
    int failed = pthread_create(&reader, NULL, tick_and_read, NULL);
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < N_THREADS; i++) {
            seeds[i] = i * 7919 + (unsigned)round;
            failed |= pthread_create(&threads[i], NULL, run, &seeds[i]);
        }
        for (int i = 0; i < N_THREADS && !failed; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    pthread_mutex_lock(&over_mutex);
    is_over = true;
    pthread_mutex_unlock(&over_mutex);
    pthread_join(reader, NULL);

    hpp_costs costs = all_costs();
    uint64_t n_turns = 2 * N_THREADS * N_TURNS;
    printf("%llu entries, %llu bytes, %u stacks\n", (unsigned long long)costs.entries,
           (unsigned long long)costs.allocated_bytes, hpp_ccs_count());
    uint64_t cpu_ns = (uint64_t)clock() * (1000000000 / CLOCKS_PER_SEC);
    return failed || costs.entries != 2 * n_turns || costs.allocated_bytes != n_turns ||
           costs.ticks * TICK_NS > cpu_ns;
}
