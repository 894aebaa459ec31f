/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Suffixes off, suffix on.
 */
#include "beside.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/event.h"

static bool drop_suffix(hpf_str *name, const char *suffix)
{
    size_t length = strlen(suffix);
    if (name->length <= length || memcmp(name->data + name->length - length, suffix, length) != 0) {
        return false;
    }
    name->length -= length;
    return true;
}

char *beside_name(const char *path, const char *suffix)
{
    hpf_str base = {path, strlen(path)};
    size_t n_suffix = strlen(suffix) + 1;
    if (!drop_suffix(&base, ".gz") && !drop_suffix(&base, ".xz")) {
        drop_suffix(&base, ".zst");
    }
    bool is_profile = drop_suffix(&base, ".hp") || drop_suffix(&base, ".eventlog");
    char *name = is_profile ? malloc(base.length + n_suffix) : NULL;
    if (name) {
        memcpy(name, base.data, base.length);
        memcpy(name + base.length, suffix, n_suffix);
    }
    return name;
}
