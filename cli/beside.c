/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Suffixes off, suffix on.
 */
#include "beside.h"

#include <stdlib.h>
#include <string.h>

#include "path.h"

char *beside_name(const char *path, const char *suffix)
{
    hpf_str base = path_uncompressed(path);
    size_t n_suffix = strlen(suffix) + 1;
    bool is_profile = path_drop_suffix(&base, ".hp") || path_drop_suffix(&base, ".eventlog");
    char *name = is_profile ? malloc(base.length + n_suffix) : NULL;
    if (name) {
        memcpy(name, base.data, base.length);
        memcpy(name + base.length, suffix, n_suffix);
    }
    return name;
}
