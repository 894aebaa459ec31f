/* SPDX-License-Identifier: BSD-2-Clause */
#include "tasks.h"

#include <fcntl.h>
#include <string.h>

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

void hpp__tasks_visit(void (*visit)(uint32_t thread_id))
{
    _Alignas(directory_entry) char entries[1024];
    uint32_t own_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    long tasks = hpp__syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/task",
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
    long n;
    while ((n = hpp__syscall(SYS_getdents64, tasks, (long)entries, sizeof entries, 0, 0, 0)) > 0) {
        for (long at = 0; at < n;) {
            const directory_entry *entry = (const void *)(entries + at);
            uint32_t id = number_of(entry->name);
            if (id != 0 && id != own_id) {
                visit(id);
            }
            at += entry->n_bytes;
        }
    }
    if (tasks >= 0) {
        hpp__syscall(SYS_close, tasks, 0, 0, 0, 0, 0);
    }
}

bool hpp__task_status(uint32_t thread_id, char *status, size_t n_bytes)
{
    static const char tasks[] = "/proc/self/task/", name[] = "/status";
    char text[sizeof tasks + 10 + sizeof name];
    char *path = text + sizeof text - sizeof name;
    memcpy(path, name, sizeof name);
    do {
        *--path = (char)('0' + thread_id % 10);
        thread_id /= 10;
    } while (thread_id != 0);
    path -= sizeof tasks - 1;
    memcpy(path, tasks, sizeof tasks - 1);

    long file = hpp__syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    long n = hpp__syscall(SYS_read, file, (long)status, (long)n_bytes - 1, 0, 0, 0);
    if (file >= 0) {
        hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
    }
    status[n > 0 ? n : 0] = '\0';
    return n > 0;
}
