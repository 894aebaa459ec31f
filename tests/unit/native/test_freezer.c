/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Images of a process that runs: what they contain, and that the process does not notice. The
 * process is a child of the test, with a window and a table of blocks.
 */
#include "native/collector/image/freezer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/collector/image/image_blocks.h"
#include "native/collector/image/proc.h"
#include "native/collector/image/tracer.h"
#include "helped_program.h"
#include "native/target/counting/blocks.h"
#include "native/target/preload/helper.h"
#include "native/window/trie.h"
#include "native/window/window_writer.h"

#define MIB   ((uint64_t)1 << 20)
#define MAGIC UINT64_C(0x1234abcd5678ef90)

/* What the program and the test share. */
typedef struct shared {
    _Atomic int is_ready, should_close, should_end;
    _Atomic uint64_t n_rounds, n_wrong, n_signals;
    _Atomic uint64_t addresses[4];
    _Atomic uint32_t thread_id;
} shared;

typedef struct program {
    pid_t id;
    hpp__window_reader reader;
    hpp__freezer freezer;
} program;

static shared *common;

static void wait_until(_Atomic int *flag)
{
    const struct timespec pause = {0, 1000000};
    while (!atomic_load(flag)) {
        nanosleep(&pause, NULL);
    }
}

/* Starts a process that calls `run`, which sets is_ready. */
static void start(program *p, void (*run)(void))
{
    const char *reason;
    int links[2];
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(hpp__window_make(&reason, 16 * MIB) >= 0);
    atomic_store(&hpp__window->head.n_slots, 1);
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, links) == 0);
    p->id = fork();
    if (p->id == 0) {
        close(links[0]);
        common->n_wrong += !helped_program_begin(links[1]);
        run();
        hpp__helper_end();
        _exit(0);
    }
    close(links[1]);
    int helper = helped_program_receive(links[0]);
    wait_until(&common->is_ready);
    hpf_error err;
    cr_assert(hpp__window_reader_open(&p->reader, hpp__window, hpp__window->head.size_bytes, -1,
                                      &err) == HPF_OK);
    hpp__freezer_init(&p->freezer, (uint32_t)p->id, helper);
}

static hpp__image *take(program *p)
{
    hpf_error err = {0};
    hpp__image *image;
    hpp__window_reader_refresh(&p->reader);
    hpf_status status = hpp__freezer_take(&image, &p->freezer, &p->reader, &err);
    if (status == HPF_OK) {
        status = hpp__freezer_fill(image, &p->freezer, &p->reader, &err);
    }
    cr_assert(status == HPF_OK, "%s", err.message);
    return image;
}

/* Ends the process by itself, and checks that all went well in it. */
static void finish(program *p)
{
    int status;
    atomic_store(&common->should_end, 1);
    cr_assert(waitpid(p->id, &status, 0) == p->id);
    hpp__freezer_finish(&p->freezer);
    cr_assert(status == 0, "status %x", (unsigned)status);
    cr_assert(common->n_wrong == 0, "%llu of %llu calls went wrong",
              (unsigned long long)common->n_wrong, (unsigned long long)common->n_rounds);
}

static void end_by_force(program *p)
{
    kill(p->id, SIGKILL);
    waitpid(p->id, NULL, 0);
    hpp__freezer_finish(&p->freezer);
}

/* ---- Contents -------------------------------------------------------------------------------- */

enum { N_BLOCKS = 300, N_LEAVES = 2 };

static void put(const void *address, uint32_t site, uint64_t n_bytes)
{
    hpp_block before;
    if (!hpp__blocks_put(address, site, n_bytes, &before)) {
        common->n_wrong++;
    }
}

/* Blocks of many sizes, at the ends of pages of the table, and in two leaves. */
static void put_blocks(void)
{
    uintptr_t base = UINT64_C(100) << HPP_LEAF_SHIFT;
    for (uintptr_t i = 0; i < N_BLOCKS; i++) {
        put((void *)(base + i * 16368), (uint32_t)i + 3, i * 7 % 64);
    }
    put((void *)(base + ((uintptr_t)N_LEAVES << HPP_LEAF_SHIFT) - 16), 5, UINT64_C(5) << 31);
    put((void *)((UINT64_C(90) << HPP_LEAF_SHIFT)), 6, 16);
}

static void stay(void)
{
    atomic_store(&common->is_ready, 1);
    wait_until(&common->should_end);
}

static void make_blocks(void)
{
    put_blocks();
    stay();
}

Test(freezer, has_all_blocks_in_order)
{
    program p;
    start(&p, make_blocks);
    hpp__image *image = take(&p);
    uint64_t base = UINT64_C(100) << HPP_LEAF_SHIFT;
    cr_assert(eq(u64, image->n_blocks, N_BLOCKS + 2));
    cr_assert(eq(u64, image->blocks[0].address, UINT64_C(90) << HPP_LEAF_SHIFT));
    cr_assert(eq(u32, image->blocks[0].site, 6));
    for (size_t i = 0; i < N_BLOCKS; i++) {
        const hpp__image_block *block = &image->blocks[i + 1];
        cr_assert(eq(u64, block->address, base + i * 16368));
        cr_assert(eq(u64, block->size_bytes, i * 7 % 64));
        cr_assert(eq(u32, block->site, (uint32_t)i + 3));
    }
    const hpp__image_block *huge = &image->blocks[N_BLOCKS + 1];
    cr_assert(eq(u64, huge->size_bytes, UINT64_C(5) << 31));
    cr_assert(
        eq(u64, hpp__image_block_of(image, huge->address + (UINT64_C(5) << 31) - 1), N_BLOCKS + 1));
    cr_assert(eq(u64, hpp__image_block_of(image, huge->address + (UINT64_C(5) << 31)), SIZE_MAX));
    cr_assert(eq(u64, hpp__image_block_of(image, image->blocks[0].address - 1), SIZE_MAX));
    hpp__image_close(image);
    finish(&p);
}

/* The blocks of a program that goes on may have sites that are newer than the reader. */
Test(freezer, knows_mappings_of_new_sites)
{
    const char *reason;
    const void *place = (const void *)(UINT64_C(100) << HPP_LEAF_SHIFT);
    hpp_block before;
    hpp__window_reader reader;
    hpp__image_block *blocks;
    size_t n;
    hpf_error err;
    cr_assert(hpp__window_make(&reason, 16 * MIB) >= 0);
    cr_assert(hpp__blocks_put((const char *)place + MIB, HPP_FIRST_SITE - 1, 4096, &before));
    cr_assert(hpp__window_reader_open(&reader, hpp__window, hpp__window->head.size_bytes, -1,
                                      &err) == HPF_OK);
    uint32_t site = hpp__trie_site(0, HPP_CALL_MMAP);
    cr_assert(site >= reader.n_sites);
    cr_assert(hpp__blocks_put(place, site, MIB, &before));
    hpp__proc_memory memory = hpp__proc_memory_open((uint32_t)getpid());
    cr_assert(hpp__image_blocks(&blocks, &n, &memory, &reader, &err) == HPF_OK);
    hpp__proc_memory_close(&memory);
    cr_assert(eq(u64, n, 2));
    cr_assert(blocks[0].site == site && blocks[0].is_mapping);
    cr_assert(not(blocks[1].is_mapping));
    free(blocks);
}

static unsigned char not_a_leaf[HPP_LEAF_BYTES] __attribute__((aligned(HPP_WINDOW_PAGE_BYTES)));

/* A program that goes on lists leaves in memory that its copy still uses for something else. */
Test(freezer, leaves_out_leaves_that_are_newer)
{
    program p;
    memset(not_a_leaf, 0xf7, sizeof not_a_leaf);
    start(&p, make_blocks);
    hpp_window_head *head = &hpp__window->head;
    _Atomic uint64_t *list = hpp__window_at(head->n_leaf_pages);
    list[head->n_leaves++] = hpp__leaf_entry((uintptr_t)not_a_leaf, 2000);
    list[head->n_leaves++] = hpp__leaf_entry((uintptr_t)not_a_leaf, HPP_LEAVES_PER_BRANCH);
    hpp__image *image = take(&p);
    cr_assert(eq(u64, image->n_blocks, N_BLOCKS + 2));
    hpp__image_close(image);
    finish(&p);
}

enum { N_COPIES = 1000, FIRST_COPY = 1000 };

static void make_copies_of_leaves(void)
{
    const uintptr_t indexes[] = {100, 100 + N_LEAVES - 1, 90}; /* as listed */
    put_blocks();
    for (uintptr_t i = 0; i < N_COPIES; i++) {
        hpp__branches[0]->leaves[FIRST_COPY + i] = hpp__leaf_at(indexes[i % 3]);
    }
    stay();
}

/* A program may list the same leaf for any number of addresses. */
Test(freezer, reads_each_leaf_once)
{
    program p;
    start(&p, make_copies_of_leaves);
    hpp_window_head *head = &hpp__window->head;
    _Atomic uint64_t *list = hpp__window_at(head->n_leaf_pages);
    uint32_t n = head->n_leaves;
    for (uint32_t i = 0; i < N_COPIES; i++) {
        list[n + i] = hpp__leaf_entry(hpp__leaf_of_entry(list[i % n]), FIRST_COPY + i);
    }
    head->n_leaves = n + N_COPIES;
    hpp__image *image = take(&p);
    cr_assert(eq(u64, image->n_blocks, N_BLOCKS + 2));
    hpp__image_close(image);
    finish(&p);
}

/* Two numbers of different pages, which one thread keeps equal at any moment but one. */
static void count(void)
{
    volatile uint64_t *pages =
        mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    common->addresses[0] = (uintptr_t)&pages[0];
    common->addresses[1] = (uintptr_t)&pages[MIB];
    put((void *)(uintptr_t)pages, 7, 16 * MIB);
    atomic_store(&common->is_ready, 1);
    for (uint64_t n = 1; !common->should_end; n++) {
        pages[0] = n;
        pages[MIB] = n;
        common->n_rounds = n;
    }
}

Test(freezer, has_memory_of_one_moment_that_does_not_change)
{
    program p;
    start(&p, count);
    for (int i = 0; i < 50; i++) {
        hpp__image *image = take(&p);
        uint64_t one, other, again, n_before = common->n_rounds;
        cr_assert(hpp__image_read(image, &one, common->addresses[0], sizeof one));
        while (common->n_rounds < n_before + 1000) {
            sched_yield();
        }
        cr_assert(hpp__image_read(image, &other, common->addresses[1], sizeof other));
        cr_assert(hpp__image_read(image, &again, common->addresses[0], sizeof again));
        cr_assert(one == again && (one == other || one == other + 1));
        cr_assert(not(hpp__image_read(image, &one, 16, sizeof one)));
        hpp__image_close(image);
    }
    finish(&p);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void set_marks(void)
{
    static volatile uint64_t marked_ns;
    common->addresses[0] = (uintptr_t)&marked_ns;
    atomic_store(&common->is_ready, 1);
    while (!common->should_end) {
        uint64_t mark_ns = now_ns();
        hpp__helper_note_mark(mark_ns);
        marked_ns = mark_ns;
    }
}

/* Also one that was set between the request and the copy. */
Test(freezer, has_the_time_of_the_last_mark_or_a_later_one)
{
    program p;
    start(&p, set_marks);
    for (int i = 0; i < 50; i++) {
        uint64_t marked_ns;
        hpp__image *image = take(&p);
        cr_assert(hpp__image_read(image, &marked_ns, common->addresses[0], sizeof marked_ns));
        cr_assert(ge(u64, image->time_ns, marked_ns));
        hpp__image_close(image);
    }
    finish(&p);
}

static void *wait_in_read(void *ends)
{
    char byte;
    common->thread_id = (uint32_t)syscall(SYS_gettid);
    prctl(PR_SET_NAME, "reader");
    atomic_store(&common->is_ready, 1);
    return read(((int *)ends)[0], &byte, 1) == 1 ? ends : NULL;
}

static void wait_in_a_thread(void)
{
    static int ends[2];
    pthread_t thread;
    if (pipe(ends) == 0) {
        pthread_create(&thread, NULL, wait_in_read, ends);
    }
    pause();
}

static const hpp__image_thread *thread_of(const hpp__image *image, uint32_t id)
{
    for (size_t i = 0; i < image->n_threads; i++) {
        if (image->threads[i].id == id) {
            return &image->threads[i];
        }
    }
    cr_assert(false, "no thread %u", (unsigned)id);
    return NULL;
}

Test(freezer, has_stacks_of_threads_that_wait)
{
    const struct timespec while_it_begins_to_wait = {0, 1000000};
    program p;
    start(&p, wait_in_a_thread);
    hpp__image *image = take(&p);
    while (image->n_moving > 0) {
        hpp__image_close(image);
        nanosleep(&while_it_begins_to_wait, NULL);
        image = take(&p);
    }
    cr_assert(eq(u64, image->n_threads, 2));
    for (size_t i = 0; i < 2; i++) {
        const hpp__image_thread *t = &image->threads[i];
        uint64_t sp = t->registers[HPP__REGISTER_SP];
        cr_assert(t->stack_begin < sp && sp < t->stack_end);
        cr_assert(ne(u64, t->registers[HPP__REGISTER_PC], 0));
    }
    const hpp__image_thread *reader = thread_of(image, common->thread_id);
    cr_assert(strcmp(reader->name, "reader") == 0, "%s", reader->name);
    cr_assert(eq(u64, reader->registers[HPP__REGISTER_DX], 1)); /* bytes to read */
    hpp__image_close(image);
    end_by_force(&p);
}

/* Allocates again and again, as far as the helper can see. */
static void come_by(void)
{
    volatile uint64_t on_stack = MAGIC;
    common->addresses[0] = (uintptr_t)&on_stack;
    atomic_store(&common->is_ready, 1);
    while (!common->should_end) {
        hpp__rest_for_image((const void *)(uintptr_t)MAGIC);
        common->n_rounds++;
    }
}

Test(freezer, has_the_place_of_a_thread_that_rests)
{
    program p;
    size_t n_resting = 0;
    start(&p, come_by);
    while (n_resting < 10) {
        hpp__image *image = take(&p);
        const hpp__image_thread *t = &image->threads[0];
        if (!t->is_moving && t->registers[HPP__REGISTER_DI] == MAGIC) {
            n_resting++;
            cr_assert(ne(u64, t->registers[HPP__REGISTER_PC], 0));
            cr_assert(t->registers[HPP__REGISTER_SP] < common->addresses[0]);
            cr_assert(t->stack_begin < t->registers[HPP__REGISTER_SP]);
            cr_assert(t->stack_end > common->addresses[0]);
        }
        hpp__image_close(image);
    }
    finish(&p);
}

static int answer_to;

/* Runs until the thread is due again: it nearly always does. */
static void be_busy(int number)
{
    (void)number;
    if (hpp__thread_state(hpp__self)->rest == HPP_REST_ASKS) {
        atomic_store(&common->is_ready, 1);
    }
    for (uint64_t end = now_ns() + 2000000; now_ns() < end;) {
        common->n_rounds++;
    }
    if (common->should_end) {
        (void)send(answer_to, "", 1, MSG_NOSIGNAL); /* it may have been answered */
    }
}

static void ask(void)
{
    volatile uint64_t on_stack = MAGIC;
    int links[2];
    common->addresses[0] = (uintptr_t)&on_stack;
    common->n_wrong += socketpair(AF_UNIX, SOCK_STREAM, 0, links) != 0;
    answer_to = links[1];
    struct sigaction action = {.sa_handler = be_busy};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 2100}, {0, 2100}}, never = {0};
    setitimer(ITIMER_REAL, &often, NULL);
    common->n_wrong += !hpp__thread_ask(hpp__self, links[0], HPP_HELLO_LEAVE, 100);
    setitimer(ITIMER_REAL, &never, NULL);
}

Test(freezer, has_the_place_of_a_thread_that_asks_for_it)
{
    program p;
    start(&p, ask);
    for (int i = 0; i < 10; i++) {
        hpp__image *image = take(&p);
        const hpp__image_thread *t = &image->threads[0];
        cr_assert(eq(u64, image->n_moving, 0));
        cr_assert(t->stack_begin < t->registers[HPP__REGISTER_SP]);
        cr_assert(t->registers[HPP__REGISTER_SP] < common->addresses[0]);
        cr_assert(common->addresses[0] < t->stack_end);
        hpp__image_close(image);
    }
    finish(&p);
}

static void run_alone(void)
{
    volatile uint64_t on_stack = MAGIC;
    common->addresses[0] = (uintptr_t)&on_stack;
    atomic_store(&common->is_ready, 1);
    while (!common->should_end) {
        common->n_rounds++;
    }
}

Test(freezer, has_the_whole_stack_of_a_thread_that_moves)
{
    program p;
    start(&p, run_alone);
    hpp__image *image = take(&p);
    cr_assert(eq(u64, image->n_threads, 1));
    cr_assert(eq(u64, image->n_moving, 1));
    const hpp__image_thread *t = &image->threads[0];
    cr_assert(t->is_moving && t->stack_begin < common->addresses[0] &&
              common->addresses[0] < t->stack_end);
    hpp__image_close(image);
    finish(&p);
}

static void *outlive(void *unused)
{
    make_blocks();
    hpp__helper_end();
    _exit(0);
    return unused;
}

static void leave_to_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, outlive, NULL);
    pthread_exit(NULL);
}

Test(freezer, has_memory_after_the_end_of_the_first_thread)
{
    program p;
    start(&p, leave_to_a_thread);
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)p.id);
    while (!strstr(text, ") Z ")) {
        cr_assert(hpp__proc_read_text(path, text, sizeof text));
    }
    hpp__image *image = take(&p);
    cr_assert(eq(u64, image->n_threads, 1));
    cr_assert(eq(u64, image->n_blocks, N_BLOCKS + 2));
    hpp__image_close(image);
    finish(&p);
}

/* ---- Effects on the program ------------------------------------------------------------------ */

static void expect_result(long result, long expected)
{
    common->n_rounds++;
    common->n_wrong += result != expected;
}

/* Each round ends when the test has taken an image: the calls are interrupted, and must end as they
 * do without. */
static void *wait_in_epoll(void *limit)
{
    int files = epoll_create1(0);
    struct epoll_event event;
    while (!common->should_end) {
        expect_result(epoll_wait(files, &event, 1, *(int *)limit), 0);
    }
    return NULL;
}

static void *wait_for_event(void *file)
{
    uint64_t n;
    while (!common->should_end) {
        expect_result(read(*(int *)file, &n, sizeof n), sizeof n);
    }
    return NULL;
}

static void *wait_for_event_by_epoll(void *file)
{
    int files = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(files, EPOLL_CTL_ADD, *(int *)file, &event);
    while (!common->should_end) {
        uint64_t n;
        expect_result(epoll_wait(files, &event, 1, -1), 1);
        expect_result(read(*(int *)file, &n, sizeof n), sizeof n);
    }
    return NULL;
}

static void *sleep_in_turn(void *unused)
{
    const struct timespec ms = {0, 3000000};
    struct pollfd none = {.fd = -1};
    while (!common->should_end) {
        expect_result(nanosleep(&ms, NULL), 0);
        expect_result(poll(&none, 1, 3), 0);
        expect_result(clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL), 0);
        expect_result(select(0, NULL, NULL, NULL, &(struct timeval){0, 3000}), 0);
    }
    return unused;
}

/* The set is removed at the end, which ends a call. */
static void *wait_for_semaphore(void *set)
{
    while (!common->should_end) {
        int result = semop(*(int *)set, &(struct sembuf){0, -1, 0}, 1);
        expect_result(common->should_end ? 0 : result, 0);
    }
    return NULL;
}

static void *wait_for_signal(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    while (!common->should_end) {
        int number;
        expect_result(sigwaitinfo(&set, NULL), SIGUSR2);
        expect_result(sigwait(&set, &number), 0);
    }
    return unused;
}

static void *receive_with_limit(void *unused)
{
    int ends[2];
    char byte;
    struct timeval limit = {0, 20000};
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while (!common->should_end) {
        expect_result(recv(ends[0], &byte, 1, 0), -1);
        common->n_wrong += errno != EAGAIN;
    }
    return unused;
}

static void wait_everywhere(void)
{
    static int limit_ms = 5, event, polled, set;
    event = eventfd(0, 0);
    polled = eventfd(0, 0);
    set = semget(IPC_PRIVATE, 1, 0600);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    pthread_t threads[7];
    pthread_create(&threads[0], NULL, wait_in_epoll, &limit_ms);
    pthread_create(&threads[1], NULL, wait_for_event, &event);
    pthread_create(&threads[2], NULL, wait_for_event_by_epoll, &polled);
    pthread_create(&threads[3], NULL, sleep_in_turn, NULL);
    pthread_create(&threads[4], NULL, wait_for_semaphore, &set);
    pthread_create(&threads[5], NULL, wait_for_signal, NULL);
    pthread_create(&threads[6], NULL, receive_with_limit, NULL);
    atomic_store(&common->is_ready, 1);
    const struct timespec ms = {0, 7000000};
    for (int i = 0; i < 20 || !common->should_end; i++) {
        uint64_t one = 1;
        nanosleep(&ms, NULL);
        expect_result(write(event, &one, sizeof one), sizeof one);
        expect_result(write(polled, &one, sizeof one), sizeof one);
        semop(set, &(struct sembuf){0, 1, 0}, 1);
        kill(getpid(), SIGUSR2);
    }
    semctl(set, 0, IPC_RMID);
}

Test(freezer, interrupts_no_system_call)
{
    program p;
    start(&p, wait_everywhere);
    for (int i = 0; i < 60; i++) {
        hpp__image_close(take(&p));
    }
    finish(&p);
}

static void note_signal(int number)
{
    (void)number;
    common->n_signals++;
}

static void expect_no_children(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, note_signal);
    atomic_store(&common->is_ready, 1);
    while (!common->should_end) {
        expect_result(waitpid(-1, NULL, WNOHANG), -1);
        common->n_wrong += errno != ECHILD;
    }
    pid_t own = fork();
    if (own == 0) {
        _exit(3);
    }
    int status;
    expect_result(wait(&status), own);
    expect_result(wait(&status), -1);
    hpp__helper_end();
    expect_result(waitpid(-1, &status, __WALL), -1);
    common->n_wrong += common->n_signals != 1;
}

Test(freezer, adds_no_child_that_the_program_sees)
{
    program p;
    start(&p, expect_no_children);
    for (int i = 0; i < 30; i++) {
        hpp__image *image = take(&p);
        hpp__image_close(image);
    }
    finish(&p);
}

static void count_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval every = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &every, NULL);
    atomic_store(&common->is_ready, 1);
    volatile double sum = 0;
    while (!common->should_end) {
        double before = sum;
        sum += 1;
        common->n_wrong += sum != before + 1;
        common->n_rounds++;
    }
}

Test(freezer, works_among_signals)
{
    program p;
    start(&p, count_signals);
    for (int i = 0; i < 20; i++) {
        hpp__image_close(take(&p));
    }
    uint64_t n_before = common->n_signals;
    while (common->n_signals < n_before + 10) {
        sched_yield();
    }
    finish(&p);
}

/* The files of the copy are closed: the other end of a pipe sees its end. */
static int pipe_ends[2];

static void close_pipe(void)
{
    atomic_store(&common->is_ready, 1);
    wait_until(&common->should_close);
    close(pipe_ends[1]);
    atomic_store(&common->is_ready, 2);
    wait_until(&common->should_end);
}

Test(freezer, keeps_no_file_open)
{
    program p;
    char byte;
    cr_assert(pipe(pipe_ends) == 0);
    start(&p, close_pipe);
    hpp__image *image = take(&p);
    close(pipe_ends[1]);
    atomic_store(&common->should_close, 1);
    while (common->is_ready != 2) {
        sched_yield();
    }
    cr_assert(read(pipe_ends[0], &byte, 1) == 0);
    hpp__image_close(image);
    finish(&p);
}

/* ---- Whatever goes wrong --------------------------------------------------------------------- */

static void wait_in_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        atomic_store(&common->is_ready, 1);
        while (!common->should_end) {
            sched_yield();
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *run_and_vfork(void *unused)
{
    wait_in_vfork();
    return unused;
}

static void vfork_in_a_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run_and_vfork, NULL);
    pthread_join(thread, NULL);
}

static void *vfork_again_and_again(void *unused)
{
    while (!common->should_end) {
        pid_t child = vfork();
        if (child == 0) {
            usleep(500);
            _exit(5);
        }
        int status;
        expect_result(waitpid(child, &status, 0), child);
        common->n_wrong += status != 5 << 8;
    }
    return unused;
}

static void vfork_in_two_threads(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, vfork_again_and_again, NULL);
    atomic_store(&common->is_ready, 1);
    vfork_again_and_again(NULL);
    pthread_join(thread, NULL);
}

Test(freezer, lets_threads_among_vforks_go_on)
{
    program p;
    start(&p, vfork_in_two_threads);
    for (int i = 0; i < 60; i++) {
        hpp__image_close(take(&p));
        uint64_t n_before = common->n_rounds;
        while (common->n_rounds < n_before + 3) {
            sched_yield();
        }
    }
    finish(&p);
}

Test(freezer, has_the_stack_of_a_thread_in_vfork)
{
    program p;
    start(&p, vfork_in_a_thread);
    hpp__image *image = take(&p);
    for (size_t i = 0; i < image->n_threads; i++) {
        const hpp__image_thread *t = &image->threads[i];
        cr_assert(t->is_moving || (t->registers[HPP__REGISTER_SP] > t->stack_begin &&
                                   t->registers[HPP__REGISTER_SP] < t->stack_end));
    }
    hpp__image_close(image);
    finish(&p);
}

static void give_up_processes(void)
{
    struct {
        long soft, hard;
    } none = {0, 0};
    if (setresuid(65534, 65534, 65534) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        syscall(SYS_prlimit64, 0, 6 /* RLIMIT_NPROC */, &none, NULL) != 0) {
        common->n_wrong++;
    }
    atomic_store(&common->is_ready, 1);
    wait_until(&common->should_end);
}

/* ---- mappings of the library ---- */

static void map_memory(void)
{
    void *gone = hpp__map(3 * MIB);
    atomic_store(&common->addresses[0], (uintptr_t)hpp__map(MIB));
    atomic_store(&common->addresses[1], (uintptr_t)gone);
    atomic_store(&common->addresses[2], (uintptr_t)hpp__map(2 * MIB));
    hpp__unmap(gone, 3 * MIB);
    atomic_store(&hpp__window->head.own_maps, (uintptr_t)&hpp__own_maps);
    atomic_store(&common->is_ready, 1);
    wait_until(&common->should_close);
    atomic_store(&hpp__own_maps.n, HPP_MAX_OWN_MAPS + 1);
    atomic_store(&common->is_ready, 2);
    wait_until(&common->should_end);
}

/* Returns the size of a listed mapping; 0 if there is none at the address. */
static uint64_t listed_bytes(const hpp__image *image, uint64_t begin)
{
    for (size_t i = 0; i < image->n_own; i++) {
        if (image->own[i].begin == begin) {
            return image->own[i].end - begin;
        }
    }
    return 0;
}

Test(freezer, lists_mappings_of_the_library_if_it_has_all)
{
    program p;
    start(&p, map_memory);
    hpp__image *image = take(&p);
    cr_assert_not_null(image->own);
    cr_assert_eq(listed_bytes(image, common->addresses[0]), MIB);
    cr_assert_eq(listed_bytes(image, common->addresses[1]), 0);
    cr_assert_eq(listed_bytes(image, common->addresses[2]), 2 * MIB);
    hpp__image_close(image);
    atomic_store(&common->should_close, 1);
    while (atomic_load(&common->is_ready) != 2) {
        sched_yield();
    }
    image = take(&p);
    cr_assert_null(image->own);
    hpp__image_close(image);
    finish(&p);
}

/* The kernel of the machine may have no Yama: its file is imitated. */
Test(freezer, says_what_yama_asks_for)
{
    static const struct {
        const char *scope, *expected;
    } cases[] = {{NULL, "has given up being dumpable"},
                 {"0\n", "has given up being dumpable"},
                 {"1\n", "census did not start it: set kernel.yama.ptrace_scope to 0, or be root"},
                 {"2\n", "set kernel.yama.ptrace_scope to 0 or 1, or be root"},
                 {"3\n", "kernel.yama.ptrace_scope is 3, until the system starts again"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[] = "/tmp/census-scope-XXXXXX";
        int fd = mkstemp(path);
        cr_assert(fd >= 0);
        if (cases[i].scope) {
            cr_assert(write(fd, cases[i].scope, 2) == 2);
        } else {
            unlink(path);
        }
        close(fd);
        hpf_error err;
        uint32_t scope = hpp__proc_ptrace_scope(path);
        unlink(path);
        cr_expect_eq(hpp__tracer_refused(0, scope, &err), HPF_ERR_UNSUPPORTED);
        cr_expect_not_null(strstr(err.message, cases[i].expected), "%s", err.message);
        cr_expect_eq(hpp__tracer_refused(7, scope, &err), HPF_ERR_UNSUPPORTED);
        cr_expect_not_null(strstr(err.message, "process 7 already traces it"), "%s", err.message);
    }
}

Test(freezer, works_when_the_program_gives_up_privileges)
{
    program p;
    if (geteuid() != 0) {
        cr_skip_test("only root can give up privileges");
    }
    start(&p, give_up_processes);
    hpp__image_close(take(&p));
    finish(&p);
}

static bool is_gone(uint32_t process_id)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)process_id);
    return !hpp__proc_read_text(path, text, sizeof text) || strstr(text, ") Z ") != NULL;
}

/* As when the process that takes images is killed: the kernel closes its socket. */
Test(freezer, ends_with_the_collector)
{
    program p;
    start(&p, count);
    hpp__image *image = take(&p);
    uint32_t copy_id = image->frozen_id;
    uint32_t helper_id = hpp__proc_parent(copy_id);
    cr_assert(eq(u32, hpp__proc_parent(helper_id), (uint32_t)p.id));
    hpp__freezer_finish(&p.freezer);
    while (!is_gone(copy_id) || !is_gone(helper_id)) {
        sched_yield();
    }
    hpp__image_close(image);
    uint64_t n_before = common->n_rounds;
    while (common->n_rounds < n_before + 10) {
        sched_yield();
    }
    finish(&p);
}

/* The image outlives the program, and its helper does not. */
Test(freezer, is_read_after_the_end_of_the_program)
{
    program p;
    start(&p, make_blocks);
    hpp__image *image = take(&p);
    uint32_t helper_id = hpp__proc_parent(image->frozen_id);
    atomic_store(&common->should_end, 1);
    cr_assert(waitpid(p.id, NULL, 0) == p.id);
    cr_assert(is_gone(helper_id));
    uint64_t word;
    cr_assert(hpp__image_read(image, &word, (uintptr_t)&common, sizeof word));
    cr_assert(eq(u64, word, (uintptr_t)common));
    hpp__image_close(image);
    hpp__freezer_finish(&p.freezer);
}

/* A program that is killed takes its helper with it. */
Test(freezer, ends_with_the_program)
{
    program p;
    start(&p, make_blocks);
    hpp__image *image = take(&p);
    uint32_t helper_id = hpp__proc_parent(image->frozen_id);
    end_by_force(&p);
    while (!is_gone(helper_id)) {
        sched_yield();
    }
    hpp__image_close(image);
}

Test(freezer, leaves_the_end_of_the_program_to_its_parent)
{
    program p;
    hpp__image *image;
    hpf_error err;
    start(&p, count);
    image = take(&p);
    kill(p.id, SIGKILL);
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
    uint64_t word;
    cr_assert(hpp__image_read(image, &word, common->addresses[0], sizeof word));
    hpp__image_close(image);
    while (hpp__freezer_take(&image, &p.freezer, &p.reader, &err) == HPF_OK) {
        hpp__image_close(image); /* the helper has not ended yet */
    }
    int status;
    cr_assert(waitpid(p.id, &status, 0) == p.id);
    cr_assert(eq(int, status, SIGKILL));
    hpp__freezer_finish(&p.freezer);
}
