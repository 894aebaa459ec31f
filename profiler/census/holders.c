/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sums by pairs of numbers.
 */
#include "holders.h"

#include <stdlib.h>

#include "base/array.h"

void hpp__holders_finish(hpp__holders *h)
{
    hpp__map_finish(&h->index_of);
    free(h->all);
}

bool hpp__holders_add(hpp__holders *h, uint32_t retainer, uint32_t set, uint64_t size_bytes)
{
    uint64_t *index = hpp__map_add(&h->index_of, ((uint64_t)retainer + 1) << 32 | set);
    if (!index) {
        return false;
    }
    if (*index == 0) {
        if (!HPF__ARRAY_RESERVE(h->all, h->capacity, h->n + 1)) {
            return false;
        }
        h->all[h->n++] = (hpp__holding){.retainer = retainer, .set = set};
        *index = h->n;
    }
    h->all[*index - 1].size_bytes += size_bytes;
    h->all[*index - 1].n_objects++;
    return true;
}

void hpp__holders_end(hpp__holders *h)
{
    for (size_t i = 0; i < h->n; i++) {
        hpp__holding *holding = &h->all[i];
        if (holding->n_most_objects == 0 || holding->size_bytes > holding->most_bytes) {
            holding->most_bytes = holding->size_bytes;
            holding->n_most_objects = holding->n_objects;
        }
        holding->size_bytes = holding->n_objects = 0;
    }
}
