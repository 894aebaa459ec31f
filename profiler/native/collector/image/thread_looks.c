/* SPDX-License-Identifier: BSD-2-Clause */
#include "thread_looks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "proc.h"

/* Stores where a thread waits. */
static void find_place(hpp__thread_look *look, uint32_t process_id)
{
    char path[64], text[256];
    unsigned long long a[6] = {0}, sp = 0, pc = 0;
    snprintf(path, sizeof path, "/proc/%u/task/%u/syscall", (unsigned)process_id,
             (unsigned)look->id);
    if (!hpp__proc_read_text(path, text, sizeof text)) {
        return;
    }
    bool is_in_call = sscanf(text, "%*d %llx %llx %llx %llx %llx %llx %llx %llx", &a[0], &a[1],
                             &a[2], &a[3], &a[4], &a[5], &sp, &pc) == 8;
    bool waits_for_page = !is_in_call && sscanf(text, "-1 %llx %llx", &sp, &pc) == 2;
    look->is_waiting = (is_in_call || waits_for_page) && sp != 0; /* 0: it has ended */
    look->sp = sp;
    look->pc = pc;
    for (size_t i = 0; i < 6 && is_in_call; i++) {
        look->arguments[i] = a[i];
    }
}

/* Reads how long and how often a thread has run. */
static bool read_run(uint32_t process_id, uint32_t id, char out[64])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", (unsigned)process_id, (unsigned)id);
    return hpp__proc_read_text(path, out, 64);
}

static const hpp__thread_look *look_of(const hpp__thread_looks *looks, uint32_t id)
{
    for (size_t i = 0; i < looks->n; i++) {
        if (looks->list[i].id == id) {
            return &looks->list[i];
        }
    }
    return NULL;
}

static void look_at(hpp__thread_look *look, uint32_t process_id, const hpp__thread_looks *earlier)
{
    char run_after[64];
    const hpp__thread_look *before = look_of(earlier, look->id);
    if (!read_run(process_id, look->id, look->run)) {
        return;
    }
    bool is_counted = look->run[0] != '0'; /* else the kernel does not */
    if (is_counted && before && before->is_waiting && strcmp(before->run, look->run) == 0) {
        *look = *before; /* it has not run since, so it is where it was */
        return;
    }
    find_place(look, process_id);
    if (look->is_waiting) {
        look->is_waiting =
            read_run(process_id, look->id, run_after) && strcmp(run_after, look->run) == 0;
    }
}

bool hpp__thread_looks_take(hpp__thread_looks *looks, uint32_t process_id,
                            const hpp__thread_looks *earlier)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task", (unsigned)process_id);
    DIR *all = opendir(path);
    const struct dirent *entry;
    bool is_good = true;
    looks->n = 0;
    while (all && is_good && (entry = readdir(all))) {
        hpp__thread_look look = {.id = (uint32_t)strtoul(entry->d_name, NULL, 10)};
        if (look.id != 0) {
            look_at(&look, process_id, earlier);
            char state = look.is_waiting ? 'S' : hpp__proc_thread_state(process_id, look.id);
            is_good = state == 'Z' || state == 'X' ||
                      HPF__ARRAY_PUSH(looks->list, looks->n, looks->capacity, look);
        }
    }
    if (all) {
        closedir(all);
    }
    return is_good;
}

void hpp__thread_looks_finish(hpp__thread_looks *looks)
{
    free(looks->list);
    *looks = (hpp__thread_looks){0};
}

bool hpp__thread_look_is_same(const hpp__thread_look *now, const hpp__thread_looks *before)
{
    const hpp__thread_look *then = look_of(before, now->id);
    return now->is_waiting && then && then->is_waiting && strcmp(now->run, then->run) == 0;
}
