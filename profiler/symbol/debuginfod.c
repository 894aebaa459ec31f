/* SPDX-License-Identifier: BSD-2-Clause
 *
 * libdebuginfod, loaded when it is first wanted: it brings an HTTP client along, and most never
 * want it. See debuginfod_find_debuginfo(3).
 */
#include "debuginfod.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

typedef struct debuginfod debuginfod;

typedef struct calls {
    debuginfod *(*begin)(void);
    int (*find)(debuginfod *client, const unsigned char *build_id, int n_build_id, char **path);
    void (*end)(debuginfod *client);
} calls;

static int load_one(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static int load(calls *call)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    return library && load_one(library, "debuginfod_begin", &call->begin) &&
           load_one(library, "debuginfod_find_debuginfo", &call->find) &&
           load_one(library, "debuginfod_end", &call->end);
}

char *hpp__debuginfod_fetch(const uint8_t *build_id, size_t n_build_id)
{
    calls call;
    debuginfod *client = load(&call) ? call.begin() : NULL;
    char *path = NULL;
    if (!client) {
        return NULL;
    }
    int fd = call.find(client, build_id, (int)n_build_id, &path);
    if (fd >= 0) {
        close(fd);
    }
    call.end(client);
    return fd >= 0 ? path : NULL;
}
