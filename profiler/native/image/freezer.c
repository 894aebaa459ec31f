/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An image owns its copy until it is closed. Then the copy is killed, and its place waits for the
 * next stop of the program, in which the program reaps it.
 */
#include "freezer.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "image_blocks.h"
#include "image_lives.h"
#include "proc.h"

enum { COPY_NONE, COPY_OPEN, COPY_CLOSED };
enum { RED_ZONE_BYTES = 128 };
static const uint64_t copy_patience_ns = 1000000000;

/* An image with its arrays and texts. */
typedef struct taken_image {
    hpp__image image; /* the first member */
    hpp__copy *copy;
    hpp__image_block *blocks;
    hpp__image_thread *threads;
    hpp__image_map *maps;
    size_t maps_capacity;
    hpp__image_lives lives;
} taken_image;

hpf_status hpp__freezer_check(hpf_error *err)
{
    (void)err;
    return HPF_OK;
}

void hpp__freezer_init(hpp__freezer *f, uint32_t process_id)
{
    memset(f, 0, sizeof *f);
    f->max_copies = HPP__MAX_LARGE_COPIES;
    hpp__tracer_init(&f->tracer, process_id);
}

void hpp__freezer_finish(hpp__freezer *f)
{
    hpp__tracer_finish(&f->tracer);
}

/* ---- Images ---- */

static bool read_copy(void *context, void *out, uint64_t address, size_t n_bytes)
{
    const taken_image *taken = context;
    if (!hpp__proc_read_memory(taken->copy->id, out, address, n_bytes)) {
        return false;
    }
    hpp__image_lives_overlay(&taken->lives, out, address, n_bytes);
    return true;
}

static void close_copy(hpp__copy *copy)
{
    siginfo_t info;
    kill((pid_t)copy->id, SIGKILL);
    while (waitid(P_PID, copy->id, &info, WEXITED | __WALL) != 0 && errno == EINTR) {
    }
    atomic_store(&copy->state, COPY_CLOSED);
}

static void close_image(hpp__image *image)
{
    taken_image *taken = (taken_image *)(void *)image;
    close_copy(taken->copy);
    hpp__image_lives_finish(&taken->lives);
    for (size_t i = 0; i < image->n_maps; i++) {
        free((void *)(uintptr_t)taken->maps[i].path);
    }
    free(taken->maps);
    free(taken->threads);
    free(taken->blocks);
    free(taken);
}

/* ---- Contents ---- */

static bool add_map(taken_image *taken, char *line)
{
    hpp__image_map map = {0};
    unsigned long long begin, end, offset;
    char access[5];
    int n = 0;
    if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &begin, &end, access, &offset, &n) < 4 ||
        n == 0 || begin >= end) {
        return true;
    }
    line[strcspn(line, "\n")] = '\0';
    map.begin = begin;
    map.end = end;
    map.offset = offset;
    map.is_readable = access[0] == 'r';
    map.is_writable = access[1] == 'w';
    map.is_executable = access[2] == 'x';
    map.is_shared = access[3] == 's';
    map.path = strdup(line + n);
    return map.path && HPF__ARRAY_PUSH(taken->maps, taken->image.n_maps, taken->maps_capacity, map);
}

static hpf_status read_maps(taken_image *taken, hpf_error *err)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    bool is_done = true;
    snprintf(path, sizeof path, "/proc/%u/maps", (unsigned)taken->copy->id);
    FILE *file = fopen(path, "re");
    if (!file) {
        return hpf_error_set_os(err, errno, "its mappings cannot be read");
    }
    while (is_done && getline(&line, &room, file) > 0) {
        is_done = add_map(taken, line);
    }
    free(line);
    fclose(file);
    taken->image.maps = taken->maps;
    return is_done ? HPF_OK : hpf_error_set_memory(err);
}

static const hpp__image_map *map_of(const hpp__image *image, uint64_t address)
{
    for (size_t i = 0; i < image->n_maps; i++) {
        if (address >= image->maps[i].begin && address < image->maps[i].end) {
            return &image->maps[i];
        }
    }
    return NULL;
}

/* Finds the used part of a stack. A mapping can contain more than the stack: glibc's thread
 * descriptor, to which the thread pointer points, is on the last page of the stack of a thread, and
 * a stack in a block ends with it. */
static void find_stack(const hpp__image *image, hpp__image_thread *thread)
{
    uint64_t sp = thread->registers[HPP__REGISTER_SP];
    const hpp__image_map *map = map_of(image, sp);
    if (!map) {
        return;
    }
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t end = map->end;
    if (thread->thread_pointer >= sp && thread->thread_pointer < end) {
        end = (thread->thread_pointer / page_bytes + 1) * page_bytes;
    }
    size_t block = hpp__image_block_of(image, sp);
    if (block != SIZE_MAX) {
        const hpp__image_block *around = &image->blocks[block];
        uint64_t block_end = around->address + around->size_bytes;
        end = block_end < end ? block_end : end;
    }
    thread->stack_begin = sp - map->begin > RED_ZONE_BYTES ? sp - RED_ZONE_BYTES : map->begin;
    thread->stack_end = end;
}

static void copy_registers(hpp__image_thread *to, const struct user_regs_struct *r)
{
    const uint64_t in_order[HPP__N_REGISTERS] = {
        r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8,
        r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip,
    };
    memcpy(to->registers, in_order, sizeof in_order);
    to->thread_pointer = r->fs_base;
}

/* The tracer still has the threads of its last stop. */
static hpf_status copy_threads(taken_image *taken, const hpp__tracer *tracer, hpf_error *err)
{
    taken->threads = calloc(tracer->n_threads + 1, sizeof *taken->threads);
    if (!taken->threads) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < tracer->n_threads; i++) {
        const hpp__traced *from = &tracer->threads[i];
        hpp__image_thread *to = &taken->threads[i];
        to->id = from->id;
        to->has_registers = from->has_registers;
        taken->image.n_without_registers += !from->has_registers;
        (void)hpp__proc_thread_name(tracer->process_id, from->id, to->name);
        copy_registers(to, &from->registers);
        find_stack(&taken->image, to);
    }
    taken->image.threads = taken->threads;
    taken->image.n_threads = tracer->n_threads;
    return HPF_OK;
}

static hpf_status fill(taken_image *taken, const hpp__tracer *tracer, hpp__window_reader reader,
                       bool with_lives, hpf_error *err)
{
    hpf_status status = read_maps(taken, err);
    hpp__window_reader_refresh(&reader); /* it then has the leaves and sites of all blocks */
    if (status == HPF_OK) {
        status = hpp__image_blocks(&taken->blocks, &taken->image.n_blocks, taken->copy->id, &reader,
                                   err);
        taken->image.blocks = taken->blocks;
    }
    if (status == HPF_OK && with_lives) {
        status = hpp__image_lives_fill(&taken->lives, &taken->image, &reader.window->head, err);
        taken->image.lives = taken->lives.lives;
        taken->image.n_lives = taken->lives.n_lives;
    }
    return status == HPF_OK ? copy_threads(taken, tracer, err) : status;
}

/* ---- Taking ---- */

/* Reaps the copies that have ended. */
static void reap(hpp__freezer *f, hpp__traced *host)
{
    for (size_t i = 0; i < HPP__MAX_COPIES; i++) {
        hpp__copy *copy = &f->copies[i];
        const uint64_t call[4] = {SYS_wait4, (uint64_t)copy->id_in_program, 0, WNOHANG | __WALL};
        int64_t result;
        uint32_t forked_id;
        if (host->may_call && atomic_load(&copy->state) == COPY_CLOSED &&
            hpp__tracer_call(host, &f->gates, call, &result, &forked_id) && result != 0) {
            atomic_store(&copy->state, COPY_NONE);
        }
    }
}

/* Frees the copy from the files that it shares with the program. It dies with the tracer. */
static bool settle_copy(uint32_t id, const hpp_window_gates *gates)
{
    const uint64_t close_all[4] = {SYS_close_range, 0, UINT32_MAX, 1 << 1 /* unshare */};
    hpp__traced copy = {.id = id, .is_seized = true};
    int64_t result;
    uint32_t forked_id;
    copy.is_stopped = hpp__tracer_wait(id, hpp__tracer_now_ns() + copy_patience_ns) != 0;
    return copy.is_stopped && ptrace(PTRACE_GETREGS, (pid_t)id, NULL, &copy.registers) == 0 &&
           hpp__tracer_call(&copy, gates, close_all, &result, &forked_id) &&
           ptrace(PTRACE_SETOPTIONS, (pid_t)id, NULL, PTRACE_O_EXITKILL) == 0;
}

/* Returns a copy that is not open, and that the program has reaped, or NULL. */
static hpp__copy *unused_copy(hpp__freezer *f)
{
    for (size_t i = 0; i < HPP__MAX_COPIES; i++) {
        if (atomic_load(&f->copies[i].state) == COPY_NONE) {
            return &f->copies[i];
        }
    }
    return NULL;
}

/* Returns whether there are gates at these addresses: the program may have called exec. The
 * first thread may have ended, and has no memory then. */
static bool has_gates(const hpp__freezer *f, const hpp__traced *thread)
{
    static const unsigned char begin[] = {0xf3, 0x0f, 0x1e,
                                          0xfa, 0x0f, 0x05}; /* endbr64, syscall */
    const uint64_t gates[] = {f->gates.gate, f->gates.fork_gate};
    unsigned char found[sizeof begin];
    for (size_t i = 0; i < 2; i++) {
        if (!hpp__proc_read_memory(thread->id, found, gates[i], sizeof found) ||
            memcmp(found, begin, sizeof found) != 0) {
            return false;
        }
    }
    return true;
}

/* Forks the program in the place of one of its stopped threads. */
static hpf_status fork_copy(hpp__freezer *f, hpp__copy **out, hpf_error *err)
{
    hpp__traced *host = hpp__tracer_host(&f->tracer);
    if (!host) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "none of its threads can be stopped in time");
    }
    if (!has_gates(f, host)) {
        return hpf_error_set(err, HPF_ERR_IO, "it has ended, or become another program");
    }
    reap(f, host);
    hpp__copy *copy = unused_copy(f);
    if (!copy) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "earlier images of it are still being read");
    }
    const uint64_t call[4] = {SYS_clone, CLONE_FILES, 0, 0};
    bool has_called =
        host->may_call && hpp__tracer_call(host, &f->gates, call, &copy->id_in_program, &copy->id);
    if (has_called && copy->id_in_program < 0) {
        return hpf_error_set_os(err, (int)-copy->id_in_program, "it cannot fork");
    }
    if (copy->id == 0) {
        return hpf_error_set(err, HPF_ERR_IO, "it received a signal at the same moment");
    }
    if (!has_called) { /* the program cannot reap it: its id there is unknown */
        close_copy(copy);
        atomic_store(&copy->state, COPY_NONE);
        return hpf_error_set(err, HPF_ERR_IO, "it cannot be stopped while it forks");
    }
    atomic_store(&copy->state, COPY_OPEN);
    *out = copy;
    return HPF_OK;
}

bool hpp__freezer_has_room(hpp__freezer *f)
{
    size_t n_open = 0;
    for (size_t i = 0; i < HPP__MAX_COPIES; i++) {
        n_open += atomic_load(&f->copies[i].state) == COPY_OPEN;
    }
    return n_open < f->max_copies;
}

/* Checks that a system call in the place of a thread cannot harm the program. */
static hpf_status check_isolation(hpp__freezer *f, uint32_t events, hpf_error *err)
{
    if (events & HPP_EVENT_ISOLATED ||
        hpp__proc_seccomp(f->tracer.process_id) != hpp__proc_seccomp((uint32_t)getpid())) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "it has entered seccomp");
    }
    return hpp__freezer_has_room(f)
               ? HPF_OK
               : hpf_error_set(err, HPF_ERR_LIMIT, "earlier images of it are still being read");
}

/* Stops the program, forks it, and lets it go on. */
static hpf_status take_copy(hpp__freezer *f, taken_image *taken, hpf_error *err)
{
    const hpp__next_era *next = &f->next_era;
    uint64_t begin_ns = hpp__tracer_now_ns();
    hpf_status of_lives = HPF_OK;
    hpf_status status = hpp__tracer_stop(&f->tracer, err);
    taken->image.stop_ns = hpp__tracer_now_ns();
    if (status == HPF_OK) {
        status = fork_copy(f, &taken->copy, err);
    }
    if (status == HPF_OK && next->control) {
        of_lives = hpp__image_lives_stop(&taken->lives, taken->copy->id, next->control, err);
        uint32_t era = atomic_load(&next->control->era);
        atomic_store(&next->control->image_era, next->wants_deaths ? era : 0);
        atomic_store(&next->control->wanted_era, next->number);
    }
    hpp__tracer_go_on(&f->tracer);
    taken->image.pause_s = (double)(hpp__tracer_now_ns() - begin_ns) / 1e9;
    if (status != HPF_OK) {
        return status;
    }
    bool is_settled = settle_copy(taken->copy->id, &f->gates);
    if (is_settled && of_lives == HPF_OK) {
        return HPF_OK;
    }
    close_copy(taken->copy);
    return is_settled ? of_lives : hpf_error_set(err, HPF_ERR_IO, "its copy cannot be stopped");
}

hpf_status hpp__freezer_take(hpp__image **out, hpp__freezer *f, const hpp__window_reader *reader,
                             hpf_error *err)
{
    const hpp_window_head *head = &reader->window->head;
    *out = NULL;
    hpf_status status = check_isolation(f, atomic_load(&head->events), err);
    taken_image *taken = status == HPF_OK ? calloc(1, sizeof *taken) : NULL;
    if (!taken) {
        return status == HPF_OK ? hpf_error_set_memory(err) : status;
    }
    f->gates = head->gates;
    status = take_copy(f, taken, err);
    if (status != HPF_OK) {
        hpp__image_lives_finish(&taken->lives);
        free(taken);
        return status;
    }
    taken->image.process_id = f->tracer.process_id;
    taken->image.frozen_id = taken->copy->id;
    taken->image.read = read_copy;
    taken->image.read_context = taken;
    taken->image.close = close_image;
    status = fill(taken, &f->tracer, *reader, f->next_era.control != NULL, err);
    if (status != HPF_OK) {
        close_image(&taken->image);
        return status;
    }
    *out = &taken->image;
    return HPF_OK;
}

void hpp__freezer_reap(hpp__freezer *f)
{
    bool has_closed = false;
    for (size_t i = 0; i < HPP__MAX_COPIES; i++) {
        has_closed |= atomic_load(&f->copies[i].state) == COPY_CLOSED;
    }
    if (!has_closed || check_isolation(f, 0, NULL) != HPF_OK) {
        return;
    }
    if (hpp__tracer_stop(&f->tracer, NULL) == HPF_OK) {
        hpp__traced *host = hpp__tracer_host(&f->tracer);
        if (host && has_gates(f, host)) {
            reap(f, host);
        }
    }
    hpp__tracer_go_on(&f->tracer);
}
