/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads structs of options.
 */
#include "base/options.h"

#include <string.h>

hpf_status hpf__options_copy(void *out, size_t n_bytes, const void *given, hpf_error *err)
{
    size_t size = n_bytes;
    memset(out, 0, n_bytes);
    if (given) {
        memcpy(&size, given, sizeof size);
    }
    if (size < sizeof size || size > n_bytes) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "options of %zu bytes, expected at most %zu: `size` must be the size "
                             "of the struct, and the library no older than its headers",
                             size, n_bytes);
    }
    if (given) {
        memcpy(out, given, size);
    }
    memcpy(out, &n_bytes, sizeof n_bytes);
    return HPF_OK;
}
