/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the helper says is not trusted: the kernel tells which process has sent a message, and a
 * program can only send as one of its own.
 */
#include "freezer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/descriptor.h"
#include "native/machine/clock.h"
#include "image_blocks.h"
#include "image_lives.h"
#include "proc.h"
#include "tracer.h"
#include "watched_pages.h"

enum {
    RED_ZONE_BYTES = 128,
    MOST_TRIES = 3,
    END_PATIENCE_MS = 1000,
    PATIENCE_WITH_ONE_US = 100000,
};
#define MOST_PAUSE_S 0.005                       /* of a copy that is taken again */
static const uint64_t patience_ns = 10000000000; /* with a fork of a large process */

/* The states of threads in the memory of the program. */
typedef struct thread_states {
    hpp_thread_state *list;
    size_t n;
    uint32_t rest;
    bool has_other_ids; /* of threads: the program is in a name space of its own */
} thread_states;

/* Pages of the copy, each in the place that its number gives. Objects of interpreters are read one
 * by one, and most are near each other. */
enum { CACHED_PAGES = 1024, PAGE_BYTES = HPP_WINDOW_PAGE_BYTES };
typedef struct page_cache {
    uint64_t addresses[CACHED_PAGES]; /* 0: none */
    char bytes[CACHED_PAGES][PAGE_BYTES];
} page_cache;

/* An image with its arrays and texts. */
typedef struct taken_image {
    hpp__image image; /* the first member */
    hpp__copy *copy;
    hpp__proc_memory memory; /* of the copy, from when the image is filled */
    hpp__image_thread *threads;
    hpp__image_map *maps;
    size_t maps_capacity;
    thread_states states;
    hpp__image_lives lives;
    hpp__image_own *own;
    page_cache *pages; /* NULL until a page is read */
} taken_image;

hpf_status hpp__freezer_check(hpf_error *err)
{
    (void)err;
    return HPF_OK;
}

void hpp__freezer_init(hpp__freezer *f, uint32_t process_id, int link)
{
    const int on = 1;
    *f = (hpp__freezer){.process_id = process_id, .link = link};
    f->max_copies = HPP__MAX_LARGE_COPIES;
    f->n_more_tries = MOST_TRIES;
    if (link >= 0) {
        setsockopt(link, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    }
}

/* The copies end when the socket is closed only. */
void hpp__freezer_end_helper(hpp__freezer *f)
{
    if (f->link >= 0) {
        shutdown(f->link, SHUT_WR);
    }
    f->has_ended = true;
}

void hpp__freezer_finish(hpp__freezer *f)
{
    hpf__close(f->link);
    f->link = -1;
    hpp__thread_looks_finish(&f->before);
    hpp__thread_looks_finish(&f->after);
}

/* ---- Images ---- */

/* Reads memory of the copy. The file of /proc would also read memory of devices. */
static bool read_memory(const taken_image *taken, void *out, uint64_t address, size_t n_bytes)
{
    const hpp__image_map *map = hpp__image_map_of(&taken->image, address);
    return hpp__image_map_is_anonymous(map) && n_bytes <= map->end - address
               ? hpp__proc_memory_read(&taken->memory, out, address, n_bytes)
               : hpp__proc_read_memory(taken->copy->id, out, address, n_bytes);
}

/* Returns the page at an address; NULL if it cannot be read whole, or without memory. */
static const char *cached_page(taken_image *taken, uint64_t address)
{
    if (!taken->pages && (taken->pages = malloc(sizeof *taken->pages)) != NULL) {
        memset(taken->pages->addresses, 0, sizeof taken->pages->addresses);
    }
    if (!taken->pages || address == 0) {
        return NULL;
    }
    size_t place = address / PAGE_BYTES % CACHED_PAGES;
    char *page = taken->pages->bytes[place];
    if (taken->pages->addresses[place] != address) {
        bool is_read = read_memory(taken, page, address, PAGE_BYTES);
        taken->pages->addresses[place] = is_read ? address : 0;
    }
    return taken->pages->addresses[place] == address ? page : NULL;
}

static bool read_copy(void *context, void *out, uint64_t address, size_t n_bytes)
{
    taken_image *taken = context;
    size_t offset = address % PAGE_BYTES;
    const char *page = n_bytes <= PAGE_BYTES - offset ? cached_page(taken, address - offset) : NULL;
    if (page) {
        memcpy(out, page + offset, n_bytes);
    } else if (!read_memory(taken, out, address, n_bytes)) {
        return false;
    }
    hpp__image_lives_overlay(&taken->lives, out, address, n_bytes);
    return true;
}

/* Kills a process, and waits until it has ended. */
static void kill_process(int pidfd)
{
    struct pollfd end = {.fd = pidfd, .events = POLLIN};
    (void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
    (void)poll(&end, 1, END_PATIENCE_MS);
    close(pidfd);
}

static void close_copy(hpp__copy *copy)
{
    kill_process(copy->pidfd);
    atomic_store(&copy->is_open, false);
}

static void close_image(hpp__image *image)
{
    taken_image *taken = (taken_image *)(void *)image;
    close_copy(taken->copy);
    hpp__proc_memory_close(&taken->memory);
    hpp__image_lives_finish(&taken->lives);
    for (size_t i = 0; i < image->n_maps; i++) {
        free((void *)(uintptr_t)taken->maps[i].path);
    }
    free(taken->maps);
    free(taken->threads);
    free(taken->states.list);
    free(taken->own);
    free(image->own_blocks);
    free(taken->pages);
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

/* Finds the used part of a stack, or all of the stack of a moving thread. A mapping can contain
 * more than the stack: glibc's thread descriptor, to which the thread pointer points, is on the
 * last page of the stack of a thread, and a stack in a block ends with it. The first thread has its
 * descriptor elsewhere. */
static void find_stack(const hpp__image *image, hpp__image_thread *thread, uint64_t used_begin)
{
    const hpp__image_map *map =
        hpp__image_map_of(image, used_begin ? used_begin : thread->thread_pointer);
    for (size_t i = 0; used_begin == 0 && thread->id == image->process_id && i < image->n_maps;
         i++) {
        map = strcmp(image->maps[i].path, "[stack]") == 0 ? &image->maps[i] : map;
    }
    if (!map) {
        return;
    }
    uint64_t begin = used_begin ? used_begin : map->begin;
    hpp__image_stack stack;
    if (!used_begin && hpp__image_find_stack(image, thread->thread_pointer, &stack)) {
        begin = stack.guard_end;
    }
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t end = map->end;
    if (thread->thread_pointer >= begin && thread->thread_pointer < end) {
        end = (thread->thread_pointer / page_bytes + 1) * page_bytes;
    }
    size_t block = hpp__image_block_of(image, used_begin ? used_begin : end - 1);
    if (block != SIZE_MAX) {
        const hpp__image_block *around = &image->blocks[block];
        uint64_t block_end = around->address + around->size_bytes;
        begin = used_begin ? begin : around->address;
        end = block_end < end ? block_end : end;
    }
    thread->stack_begin =
        used_begin && begin - map->begin > RED_ZONE_BYTES ? begin - RED_ZONE_BYTES : begin;
    thread->stack_end = end;
}

/* Reads the states from the memory of the process or its copy, in place of those read before. */
static bool read_states(thread_states *states, uint32_t memory_of, const hpp_window_head *head)
{
    free(states->list);
    states->list = hpp__proc_read_threads(memory_of, head, &states->n);
    return states->list != NULL;
}

/* Returns the state of a thread, or NULL. */
static const hpp_thread_state *state_of(const taken_image *taken, const hpp__freezer *f,
                                        uint32_t thread_id)
{
    const thread_states *states = &taken->states;
    uint32_t id_inside =
        states->has_other_ids ? hpp__proc_id_inside(f->process_id, thread_id) : thread_id;
    for (size_t i = 0; i < states->n; i++) {
        if (states->list[i].thread_id == id_inside) {
            return &states->list[i];
        }
    }
    return NULL;
}

static bool is_resting(const hpp_thread_state *state, const taken_image *taken)
{
    return state && (state->rest == HPP_REST_ASKS ||
                     (taken->states.rest % 2 == 1 && state->rest == taken->states.rest));
}

/* Counts the threads that can come to rest: they run, and do not wait for an answer. One that has
 * just asked may not be in the call that waits yet. */
static size_t count_running(const taken_image *taken, const hpp__freezer *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->before.n; i++) {
        const hpp_thread_state *state = state_of(taken, f, f->before.list[i].id);
        n += !f->before.list[i].is_waiting && !(state && state->rest == HPP_REST_ASKS);
    }
    return n;
}

static size_t count_moving(const taken_image *taken, const hpp__freezer *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->after.n; i++) {
        const hpp__thread_look *look = &f->after.list[i];
        n += !hpp__thread_look_is_same(look, &f->before) &&
             !is_resting(state_of(taken, f, look->id), taken);
    }
    return n;
}

/* Keeps the names of the threads, which may end. */
static hpf_status name_threads(taken_image *taken, const hpp__freezer *f, hpf_error *err)
{
    taken->threads = calloc(f->after.n + 1, sizeof *taken->threads);
    for (size_t i = 0; taken->threads && i < f->after.n; i++) {
        hpp__image_thread *thread = &taken->threads[i];
        thread->id = f->after.list[i].id;
        (void)hpp__proc_thread_name(f->process_id, thread->id, thread->name);
    }
    taken->image.threads = taken->threads;
    taken->image.n_threads = taken->threads ? f->after.n : 0;
    return taken->threads ? HPF_OK : hpf_error_set_memory(err);
}

static void fill_thread(hpp__image_thread *to, const taken_image *taken, const hpp__freezer *f,
                        const hpp__thread_look *look)
{
    const hpp_thread_state *state = state_of(taken, f, look->id);
    uint64_t used_begin = 0;
    to->thread_pointer = state ? state->thread_pointer : 0;
    if (is_resting(state, taken)) {
        memcpy(to->registers, state->registers, sizeof to->registers);
        to->registers[HPP__REGISTER_DI] = state->block;
        used_begin = to->registers[HPP__REGISTER_SP];
    } else if (hpp__thread_look_is_same(look, &f->before)) {
        static const int argument_registers[6] = {HPP__REGISTER_DI, HPP__REGISTER_SI,
                                                  HPP__REGISTER_DX, HPP__REGISTER_R10,
                                                  HPP__REGISTER_R8, HPP__REGISTER_R9};
        for (size_t i = 0; i < 6; i++) {
            to->registers[argument_registers[i]] = look->arguments[i];
        }
        to->is_in_call = true;
        to->registers[HPP__REGISTER_PC] = look->pc;
        to->registers[HPP__REGISTER_SP] = used_begin = look->sp;
    } else {
        to->is_moving = true;
    }
    find_stack(&taken->image, to, used_begin);
}

/* Reads the list of the library's mappings. Without a whole one, /proc is read later. */
static void read_own_maps(taken_image *taken, const hpp_window_head *head)
{
    uint64_t address = atomic_load(&head->own_maps);
    uint32_t n;
    _Static_assert(sizeof(hpp__image_own) == sizeof(hpp_own_map), "the list is read as it is");
    if (address == 0 || !hpp__proc_read_memory(taken->copy->id, &n, address, sizeof n) ||
        n > HPP_MAX_OWN_MAPS) {
        return;
    }
    taken->own = malloc((n + (size_t)1) * sizeof *taken->own);
    if (taken->own &&
        hpp__proc_read_memory(taken->copy->id, taken->own, address + offsetof(hpp_own_maps, list),
                              n * sizeof *taken->own)) {
        taken->image.own = taken->own;
        taken->image.n_own = n;
    }
}

hpf_status hpp__freezer_fill(hpp__image *image, hpp__freezer *f, const hpp__window_reader *reader,
                             hpf_error *err)
{
    taken_image *taken = (taken_image *)(void *)image;
    hpp__window_reader now = *reader;
    hpf_status status = read_maps(taken, err);
    taken->memory = hpp__proc_memory_open(taken->copy->id);
    read_own_maps(taken, &now.window->head);
    hpp__window_reader_refresh(&now); /* it then has the leaves and sites of all blocks */
    if (status == HPF_OK) {
        status = hpp__image_blocks(&image->own_blocks, &image->n_blocks, &taken->memory, &now, err);
        image->blocks = image->own_blocks;
    }
    if (status == HPF_OK && f->next_era.control) {
        status = hpp__image_lives_fill(&taken->lives, &taken->image, &now.window->head, err);
        taken->image.lives = taken->lives.lives;
        taken->image.n_lives = taken->lives.n_lives;
    }
    for (size_t i = 0; status == HPF_OK && i < image->n_threads; i++) {
        fill_thread(&taken->threads[i], taken, f, &f->after.list[i]);
    }
    return status;
}

/* ---- Taking ---- */

/* When there is no memory, the kernel is to kill a copy, not the program. */
static void prefer_to_kill(uint32_t process_id)
{
    static const char most[] = "1000";
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/oom_score_adj", (unsigned)process_id);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? write(file, most, sizeof most - 1) : 0;
    (void)n; /* it is as likely to be killed as the program then */
    hpf__close(file);
}

/* An answer, and the process that has sent it. */
typedef struct answer {
    hpp_image_answer text;
    struct ucred sender;
} answer;

/* Receives an answer. Returns HPF_MORE if there is none; HPF_END if there will be none. */
static hpf_status receive(int link, answer *out)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec bytes = {&out->text, sizeof out->text};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(link, &message, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return HPF_MORE;
    }
    const struct cmsghdr *c = n == (ssize_t)sizeof out->text ? CMSG_FIRSTHDR(&message) : NULL;
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS ||
        out->text.number == 0) {
        return HPF_END;
    }
    memcpy(&out->sender, CMSG_DATA(c), sizeof out->sender);
    return HPF_OK;
}

/* Waits for the answer to the last request, and ends copies that come too late for theirs. */
static hpf_status wait_for_answer(const hpp__freezer *f, answer *out)
{
    uint64_t end_ns = hpp__now_ns() + patience_ns;
    for (uint64_t now = hpp__now_ns(); now < end_ns; now = hpp__now_ns()) {
        struct pollfd link = {.fd = f->link, .events = POLLIN};
        (void)poll(&link, 1, (int)((end_ns - now) / 1000000 + 1));
        hpf_status status = receive(f->link, out);
        if (status == HPF_END || (status == HPF_OK && out->text.number == f->number)) {
            return status;
        }
        int late = status == HPF_OK && out->text.error == 0
                       ? (int)syscall(SYS_pidfd_open, out->sender.pid, 0)
                       : -1;
        if (late >= 0) {
            kill_process(late);
        }
    }
    return HPF_MORE;
}

bool hpp__freezer_has_ended(hpp__freezer *f)
{
    answer reply;
    if (f->link >= 0 && !f->has_ended && receive(f->link, &reply) == HPF_END) {
        hpp__freezer_end_helper(f);
    }
    return f->has_ended;
}

/* Returns a copy that is not open, or NULL. */
static hpp__copy *unused_copy(hpp__freezer *f)
{
    for (size_t i = 0; i < HPP__MAX_COPIES; i++) {
        if (!atomic_load(&f->copies[i].is_open)) {
            return &f->copies[i];
        }
    }
    return NULL;
}

static size_t count_open(const hpp__freezer *f)
{
    size_t n_open = 0;
    for (size_t i = 0; i < HPP__MAX_COPIES; i++) {
        n_open += atomic_load(&f->copies[i].is_open);
    }
    return n_open;
}

bool hpp__freezer_is_open(const hpp__freezer *f)
{
    return count_open(f) > 0;
}

bool hpp__freezer_has_room(hpp__freezer *f)
{
    return count_open(f) < f->max_copies;
}

/* Checks that the program can be asked for an image. */
static hpf_status check(hpp__freezer *f, const hpp_window_head *head, hpf_error *err)
{
    if (atomic_load(&head->seccomp_mode) != prctl(PR_GET_SECCOMP)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "it was under seccomp from the beginning");
    }
    int helper_error = atomic_load(&head->helper_error);
    if (helper_error == ECHILD) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "its children are in another name space of process ids, or it has no "
                             "/proc");
    }
    if (helper_error == EBUSY) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it waits for all its children, as a tracer");
    }
    if (helper_error != 0) {
        hpf_error_set_os(err, helper_error, "it cannot start a process that helps");
        return HPF_ERR_UNSUPPORTED;
    }
    if (f->link < 0 || hpp__freezer_has_ended(f)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "the process that helps has ended");
    }
    return hpp__freezer_has_room(f)
               ? HPF_OK
               : hpf_error_set(err, HPF_ERR_LIMIT, "earlier images of it are still being read");
}

/* Asks for a copy, and waits for it. */
static hpf_status request_copy(hpp__freezer *f, taken_image *taken, hpf_error *err)
{
    uint32_t n_running = (uint32_t)count_running(taken, f);
    const hpp_image_request request = {
        .number = ++f->number,
        .n_running = f->waits_for_one && n_running > 1 ? 1 : n_running,
        .holds = f->next_era.control != NULL,
        .patience_us = f->waits_for_one ? PATIENCE_WITH_ONE_US : 0,
    };
    answer reply;
    bool is_sent = send(f->link, &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) ==
                   (ssize_t)sizeof request;
    hpf_status status = is_sent ? wait_for_answer(f, &reply) : HPF_END;
    if (status != HPF_OK) {
        hpp__freezer_end_helper(f);
        return hpf_error_set(err, HPF_ERR_IO,
                             status == HPF_END ? "it has ended" : "it does not fork in time");
    }
    if (reply.text.error != 0) {
        return hpf_error_set_os(err, reply.text.error, "it cannot fork");
    }
    hpp__copy *copy = unused_copy(f);
    int pidfd = copy ? (int)syscall(SYS_pidfd_open, reply.sender.pid, 0) : -1;
    if (pidfd < 0) {
        return hpf_error_set(err, HPF_ERR_IO, "its copy has ended");
    }
    prefer_to_kill((uint32_t)reply.sender.pid);
    copy->id = (uint32_t)reply.sender.pid;
    copy->pidfd = pidfd;
    atomic_store(&copy->is_open, true);
    taken->copy = copy;
    taken->states.rest = reply.text.rest;
    taken->image.time_ns = reply.text.time_ns;
    return HPF_OK;
}

/* Checks that the copy can be read. */
static hpf_status check_access(const taken_image *taken, uint64_t address, hpf_error *err)
{
    uint64_t any;
    errno = 0;
    if (hpp__proc_read_memory(taken->copy->id, &any, address, sizeof any)) {
        return HPF_OK;
    }
    return errno == EPERM ? hpp__tracer_refused(0, hpp__proc_ptrace_scope(HPP__PTRACE_SCOPE), err)
                          : hpf_error_set(err, HPF_ERR_IO, "its copy cannot be read");
}

/* Takes a copy, and begins the next era. What threads do from the copy to the beginning belongs to
 * the era before, as the reports of deaths show. */
static hpf_status take_copy(hpp__freezer *f, taken_image *taken, const hpp__window_reader *reader,
                            hpf_error *err)
{
    const hpp_window_head *head = &reader->window->head;
    const hpp__next_era *next = &f->next_era;
    uint64_t begin_ns = hpp__now_ns();
    taken->states.has_other_ids = head->process_id != f->process_id;
    if (!hpp__thread_looks_take(&f->before, f->process_id, &f->after) ||
        !read_states(&taken->states, f->process_id, head)) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = request_copy(f, taken, err);
    if (status != HPF_OK) {
        return status;
    }
    status = check_access(taken, atomic_load(&head->thread_parts), err);
    if (status == HPF_OK && next->control) {
        hpp__window_reader now = *reader;
        hpp__watched_pages_look(&now, next->control, next->window, f->process_id, next->number - 1);
        status = hpp__image_lives_stop(&taken->lives, taken->copy->id, &now, err);
        uint32_t era = atomic_load(&next->control->era);
        atomic_store(&next->control->image_era, next->wants_deaths ? era : 0);
        atomic_store(&next->control->wanted_era, next->number);
    }
    if (next->control) {
        const hpp_image_request go_on = {0};
        (void)send(f->link, &go_on, sizeof go_on, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    uint64_t end_ns = hpp__now_ns();
    bool is_sane = taken->image.time_ns >= begin_ns && taken->image.time_ns <= end_ns;
    taken->image.time_ns = is_sane ? taken->image.time_ns : begin_ns;
    taken->image.pause_s = (double)(end_ns - taken->image.time_ns) / 1e9;
    if (status == HPF_OK && (!hpp__thread_looks_take(&f->after, f->process_id, &f->before) ||
                             !read_states(&taken->states, taken->copy->id, head))) {
        status = hpf_error_set_memory(err);
    }
    if (status != HPF_OK) {
        close_copy(taken->copy);
    }
    taken->image.n_moving = status == HPF_OK ? count_moving(taken, f) : 0;
    return status;
}

static void undo(taken_image *taken)
{
    hpp__image_lives_finish(&taken->lives);
    free(taken->states.list);
    *taken = (taken_image){0};
}

/* Takes copies until no thread is moving, as long as that is quick, and has helped before. A thread
 * that was about to wait does so soon. Where the era changes, there is one try. */
static hpf_status take_still_copy(hpp__freezer *f, taken_image *taken,
                                  const hpp__window_reader *reader, hpf_error *err)
{
    hpf_status status = take_copy(f, taken, reader, err);
    int n_left = f->next_era.control || f->waits_for_one ? 0 : f->n_more_tries;
    struct timespec pause = {0, 500000};
    double pause_s = taken->image.pause_s;
    while (status == HPF_OK && taken->image.n_moving > 0 && n_left > 0 && pause_s < MOST_PAUSE_S) {
        close_copy(taken->copy);
        undo(taken);
        nanosleep(&pause, NULL);
        pause.tv_nsec *= 2;
        status = take_copy(f, taken, reader, err);
        pause_s += taken->image.pause_s;
        n_left--;
    }
    taken->image.pause_s = pause_s;
    bool is_still = status == HPF_OK && taken->image.n_moving == 0;
    f->n_more_tries = is_still ? MOST_TRIES : f->n_more_tries / 2;
    return status;
}

hpf_status hpp__freezer_take(hpp__image **out, hpp__freezer *f, const hpp__window_reader *reader,
                             hpf_error *err)
{
    const hpp_window_head *head = &reader->window->head;
    *out = NULL;
    hpf_status status = check(f, head, err);
    taken_image *taken = status == HPF_OK ? calloc(1, sizeof *taken) : NULL;
    if (!taken) {
        return status == HPF_OK ? hpf_error_set_memory(err) : status;
    }
    status = take_still_copy(f, taken, reader, err);
    if (status != HPF_OK) {
        undo(taken);
        free(taken);
        return status;
    }
    taken->image.process_id = f->process_id;
    taken->image.frozen_id = taken->copy->id;
    taken->memory.file = -1;
    taken->image.read = read_copy;
    taken->image.read_context = taken;
    taken->image.close = close_image;
    status = name_threads(taken, f, err);
    if (status != HPF_OK) {
        close_image(&taken->image);
        return status;
    }
    *out = &taken->image;
    return HPF_OK;
}
