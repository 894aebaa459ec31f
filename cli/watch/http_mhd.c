/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One row for each function.
 */
#include "http_mhd.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libmicrohttpd.so.12"

typedef struct row {
    const char *name;
    size_t offset;
} row;

#define ROW(name) {"MHD_" #name, offsetof(http_mhd, name)},
static const row rows[] = {HTTP_MHD_FUNCTIONS(ROW)};
#undef ROW

static bool fill(http_mhd *out, void *library)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *address = dlsym(library, rows[i].name);
        if (!address) {
            return false;
        }
        memcpy((char *)out + rows[i].offset, &address, sizeof address);
    }
    return true;
}

const http_mhd *http_mhd_load(void)
{
    static http_mhd table;
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    return library && fill(&table, library) ? &table : NULL;
}
