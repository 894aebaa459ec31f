/* SPDX-License-Identifier: BSD-2-Clause */
#include "rate.h"

#include "chance.h"
#include "process_state.h"

_Thread_local uint64_t hpp__bytes_to_count HPP_INITIAL_EXEC;
static _Thread_local uint64_t random_state HPP_INITIAL_EXEC; /* 0: none yet */

HPP_COLD HPP_ANY_STACK bool hpp__rate_draw(size_t n_bytes)
{
    if (random_state == 0) {
        random_state = hpp__chance_begin();
        hpp__bytes_to_count = hpp__chance_bytes(&random_state, hpp__settings.rate_bytes);
    }
    if (n_bytes < hpp__bytes_to_count) {
        hpp__bytes_to_count -= n_bytes;
        return false;
    }
    hpp__bytes_to_count = hpp__chance_bytes(&random_state, hpp__settings.rate_bytes);
    return true;
}

hpp_weight hpp__rate_weigh(uint64_t n_bytes)
{
    if (!hpp__blocks_are_samples) {
        return (hpp_weight){n_bytes, 1};
    }
    uint64_t size = n_bytes > 0 ? n_bytes : 1;
    uint64_t bytes = hpp__chance_represented(size, hpp__settings.rate_bytes);
    return (hpp_weight){bytes, (uint32_t)((bytes + size / 2) / size)};
}

void hpp__rate_start(void)
{
    hpp__blocks_are_samples = hpp__settings.rate_bytes != 0;
    atomic_store(&hpp__alive_kind, hpp__blocks_are_samples ? HPP_ALIVE_SAMPLED : HPP_ALIVE);
}

void hpp__rate_forked(void)
{
    random_state = 0;
    hpp__bytes_to_count = 0;
}
