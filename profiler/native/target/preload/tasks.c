/* SPDX-License-Identifier: BSD-2-Clause */
#include "tasks.h"

#include <fcntl.h>

#include "native/window/platform.h"

/* The kernel's record of a directory entry. */
typedef struct directory_entry {
    uint64_t number, offset;
    uint16_t n_bytes;
    unsigned char type;
    char name[];
} directory_entry;

static uint32_t number_of(const char *digits)
{
    uint32_t n = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++) {
        n = n * 10 + (uint32_t)(*digits - '0');
    }
    return n;
}

static long open_directory(long parent, const char *name)
{
    return hpp__syscall(SYS_openat, parent, (long)name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0,
                        0);
}

void hpp__tasks_visit(hpp_visit_task *visit, void *context)
{
    _Alignas(directory_entry) char entries[1024];
    uint32_t own_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    long tasks = open_directory(AT_FDCWD, "/proc/self/task");
    long n;
    while ((n = hpp__syscall(SYS_getdents64, tasks, (long)entries, sizeof entries, 0, 0, 0)) > 0) {
        for (long at = 0; at < n;) {
            const directory_entry *entry = (const void *)(entries + at);
            uint32_t id = number_of(entry->name);
            long directory = id != 0 && id != own_id ? open_directory(tasks, entry->name) : -1;
            if (directory >= 0) {
                visit(context, id, (int)directory);
                hpp__syscall(SYS_close, directory, 0, 0, 0, 0, 0);
            }
            at += entry->n_bytes;
        }
    }
    if (tasks >= 0) {
        hpp__syscall(SYS_close, tasks, 0, 0, 0, 0, 0);
    }
}
