/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads: many at once, many one after another, blocks that another thread frees, blocks of
 * thread-local storage, and libraries that are loaded and unloaded meanwhile.
 */
#include "case.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int is_over;

static pthread_t start(void *(*run)(void *), void *context)
{
    pthread_attr_t attributes;
    pthread_t thread = pthread_self();
    must(pthread_attr_init(&attributes) == 0 &&
             pthread_attr_setstacksize(&attributes, 128 * 1024) == 0 &&
             pthread_create(&thread, &attributes, run, context) == 0,
         "a thread");
    pthread_attr_destroy(&attributes);
    return thread;
}

OWN_FRAME static size_t keep_in_thread(size_t n, size_t size_bytes)
{
    for (size_t i = 0; i < n; i++) {
        free(made(malloc(size_bytes + 1)));
        made(malloc(size_bytes));
    }
    return n * size_bytes;
}

/* ---- many threads ---------------------------------------------------------------------------- */

enum { N_AT_ONCE = 1000 };

static pthread_barrier_t all_are_there, all_may_end;

static void *be_one_of_many(void *context)
{
    keep_in_thread(3, (size_t)(uintptr_t)context);
    pthread_barrier_wait(&all_are_there);
    pthread_barrier_wait(&all_may_end);
    keep_in_thread(1, (size_t)(uintptr_t)context);
    return NULL;
}

/* Stops itself when all threads run, so that a test can read the counts. */
static int thousand(char **arguments)
{
    static pthread_t threads[N_AT_ONCE];
    size_t live = 0;
    must(pthread_barrier_init(&all_are_there, NULL, N_AT_ONCE + 1) == 0 &&
             pthread_barrier_init(&all_may_end, NULL, N_AT_ONCE + 1) == 0,
         "barriers");
    for (uintptr_t i = 0; i < N_AT_ONCE; i++) {
        threads[i] = start(be_one_of_many, (void *)(i + 1));
        live += 4 * (i + 1);
    }
    pthread_barrier_wait(&all_are_there);
    if (arguments[0]) {
        raise(SIGSTOP);
    }
    pthread_barrier_wait(&all_may_end);
    for (int i = 0; i < N_AT_ONCE; i++) {
        pthread_join(threads[i], NULL);
    }
    say("live keep_in_thread %zu\n", live);
    return 0;
}

static void *live_shortly(void *context)
{
    keep_in_thread(1, (size_t)(uintptr_t)context);
    return NULL;
}

/* 20,000 threads, of which at most four live at a time. */
static int churns(char **arguments)
{
    enum { N = 20000, TOGETHER = 4 };
    pthread_t threads[TOGETHER];
    size_t live = 0;
    (void)arguments;
    for (uintptr_t i = 0; i < N; i++) {
        if (i >= TOGETHER) {
            pthread_join(threads[i % TOGETHER], NULL);
        }
        threads[i % TOGETHER] = start(live_shortly, (void *)(i % 100));
        live += i % 100;
    }
    for (int i = 0; i < TOGETHER; i++) {
        pthread_join(threads[i], NULL);
    }
    say("live keep_in_thread %zu\n", live);
    return 0;
}

static void *leave(void *context)
{
    pthread_detach(pthread_self());
    keep_in_thread(2, 50);
    atomic_fetch_add((atomic_int *)context, 1);
    pthread_exit(NULL);
}

static int detaches(char **arguments)
{
    static atomic_int n_done;
    (void)arguments;
    for (int i = 0; i < 200; i++) {
        start(leave, &n_done);
    }
    while (atomic_load(&n_done) < 200) {
        usleep(1000);
    }
    usleep(100 * 1000);
    say("live keep_in_thread %d\n", 200 * 2 * 50);
    return 0;
}

/* Is cancelled where POSIX allows it, which excludes malloc: each thread has kept its block then.
 */
static void *be_cancelled(void *context)
{
    (void)context;
    keep_in_thread(1, 500);
    while (!is_over) {
        free(made(malloc(100)));
        pthread_testcancel();
    }
    return NULL;
}

static int cancels(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 100; i++) {
        void *result;
        pthread_t thread = start(be_cancelled, NULL);
        usleep(i % 2 ? 300 : 0);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        must(result == PTHREAD_CANCELED, "the thread is cancelled");
    }
    say("live be_cancelled 0\nlive keep_in_thread %d\n", 100 * 500);
    return 0;
}

/* ---- thread-local storage -------------------------------------------------------------------- */

static pthread_key_t first_key, second_key;

/* Runs when its thread ends, in each round that the C library grants. */
OWN_FRAME static void end_value(void *value)
{
    int *rounds = value;
    if (--*rounds > 0) {
        free(made(malloc(300)));
        pthread_setspecific(first_key, value);
    } else {
        free(value);
        pthread_setspecific(second_key, made(malloc(77)));
    }
}

OWN_FRAME static void keep_when_ending(void *value)
{
    free(value);
    made(malloc(40));
}

static void *own_values(void *context)
{
    int *rounds = made(malloc(sizeof *rounds));
    (void)context;
    *rounds = 3;
    pthread_setspecific(first_key, rounds);
    return NULL;
}

static int ends_values(char **arguments)
{
    enum { N = 500 };
    (void)arguments;
    must(pthread_key_create(&first_key, end_value) == 0 &&
             pthread_key_create(&second_key, keep_when_ending) == 0,
         "keys");
    for (int i = 0; i < N; i++) {
        pthread_join(start(own_values, NULL), NULL);
    }
    say("live keep_when_ending %d\nlive end_value 0\nlive own_values 0\n", N * 40);
    return 0;
}

/* ---- blocks freed by other threads ----------------------------------------------------------- */

enum { N_HANDS = 4, N_BOXES = 256, N_PASSES = 200000 };

static _Atomic(void *) boxes[N_HANDS][N_BOXES];

static void *hand_over(void *context)
{
    uintptr_t me = (uintptr_t)context;
    uint32_t state = (uint32_t)me + 1;
    for (int i = 0; i < N_PASSES; i++) {
        uint32_t size_bytes = 1 + next_number(&state) % 500;
        void *block = made(malloc(size_bytes));
        if (i % 5 == 0) {
            block = made(realloc(block, size_bytes * 2));
        }
        free(atomic_exchange(&boxes[(me + 1) % N_HANDS][next_number(&state) % N_BOXES], block));
    }
    return NULL;
}

static int hands_over(char **arguments)
{
    pthread_t threads[N_HANDS];
    for (uintptr_t i = 0; i < N_HANDS; i++) {
        threads[i] = start(hand_over, (void *)i);
    }
    for (int i = 0; i < N_HANDS; i++) {
        pthread_join(threads[i], NULL);
    }
    if (arguments[0]) {
        raise(SIGSTOP);
    }
    for (int i = 0; i < N_HANDS * N_BOXES; i++) {
        free(boxes[i / N_BOXES][i % N_BOXES]);
    }
    say("live hand_over 0\nlive keep_in_thread %zu\n", keep_in_thread(3, 333));
    return 0;
}

/* ---- libraries loaded and unloaded ----------------------------------------------------------- */

static _Atomic size_t kept_meanwhile;

static void *allocate_meanwhile(void *context)
{
    (void)context;
    while (!is_over) {
        free(made(malloc(100)));
        if (kept_meanwhile < 1000000) {
            kept_meanwhile += keep_in_thread(10, 10);
        }
    }
    return NULL;
}

static size_t use_library(const char *path)
{
    size_t (*keep_in_plugin)(size_t);
    void *library = dlopen(path, RTLD_NOW);
    must(library != NULL, "the library loads");
    void *symbol = dlsym(library, "keep_in_plugin");
    must(symbol != NULL, "the library has its function");
    memcpy(&keep_in_plugin, &symbol, sizeof symbol);
    size_t live = keep_in_plugin(100);
    dlclose(library);
    return live;
}

/* Loads two libraries in turn at the same addresses. Their blocks outlive them. Numbers that depend
 * on time go to the file. */
static int loads(char **arguments)
{
    pthread_t threads[2];
    size_t first = 0, second = 0;
    must(arguments[0] && arguments[1] && arguments[2], "two libraries and a file");
    for (int i = 0; i < 2; i++) {
        threads[i] = start(allocate_meanwhile, NULL);
    }
    for (int i = 0; i < 200; i++) {
        first += use_library(arguments[0]);
        second += use_library(arguments[1]);
    }
    is_over = 1;
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    say("live plugin_one_keeps %zu\nlive plugin_two_keeps %zu\n", first, second);
    must(dup2(creat(arguments[2], 0600), 1) == 1, "a file for the numbers");
    say("live keep_in_thread %zu\n", (size_t)kept_meanwhile);
    return 0;
}

/* Threads with names, one after another and two at a time; they allocate nothing themselves. */
static void *have_a_name(void *context)
{
    must(pthread_setname_np(pthread_self(), context) == 0, "a name");
    return NULL;
}

static int names(char **arguments)
{
    for (unsigned round = 0; round < (unsigned)atoi(arguments[0]); round++) {
        char own[2][16];
        pthread_t threads[2];
        for (unsigned i = 0; i < 2; i++) {
            snprintf(own[i], sizeof own[i], "worker %u.%u", round % 100000u, i % 2u);
            must(pthread_create(&threads[i], NULL, have_a_name, own[i]) == 0, "a thread");
        }
        for (unsigned i = 0; i < 2; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    pid_t child = fork();
    must(child >= 0, "a child");
    if (child == 0) {
        _exit(0);
    }
    must(waitpid(child, NULL, 0) == child, "the child's end");
    return 0;
}

static const native_case cases[] = {
    {"thousand", thousand},
    {"churns", churns},
    {"detaches", detaches},
    {"cancels", cancels},
    {"ends_values", ends_values},
    {"hands_over", hands_over},
    {"loads", loads},
    {"names", names},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
