/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Call stacks of all kinds. Each block must be counted for its callers, even if another stack was
 * at the same addresses shortly before.
 */
#include "case.h"

#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- random paths
 * ---------------------------------------------------------------------------------
 */

enum { N_PATHS = 200, PATH_DEPTH = 8, N_WALKS = 4000 };

OWN_FRAME static size_t at_end(const char *path, size_t size_bytes)
{
    (void)path;
    free(made(malloc(size_bytes + 1)));
    made(malloc(size_bytes));
    return size_bytes;
}

/* Each depth has four functions with frames of the same size, so that they differ only in the words
 * of their frames; each calls any of the next depth. */
#define STEP(depth, letter, next)                                                                  \
    OWN_FRAME static size_t step_##depth##letter(const char *path, size_t size_bytes)              \
    {                                                                                              \
        size_t live = next(path + 1, size_bytes);                                                  \
        STAY();                                                                                    \
        return live;                                                                               \
    }
#define LEVEL(depth, next)                                                                         \
    STEP(depth, a, next)                                                                           \
    STEP(depth, b, next)                                                                           \
    STEP(depth, c, next)                                                                           \
    STEP(depth, d, next)                                                                           \
    OWN_FRAME static size_t go_##depth(const char *path, size_t size_bytes)                        \
    {                                                                                              \
        static size_t (*const steps[])(const char *, size_t) = {step_##depth##a, step_##depth##b,  \
                                                                step_##depth##c, step_##depth##d}; \
        size_t live = *path ? steps[*path - 'a'](path, size_bytes) : at_end(path, size_bytes);     \
        STAY();                                                                                    \
        return live;                                                                               \
    }
LEVEL(8, at_end)
LEVEL(7, go_8)
LEVEL(6, go_7)
LEVEL(5, go_6)
LEVEL(4, go_5)
LEVEL(3, go_4)
LEVEL(2, go_3)
LEVEL(1, go_2)

/* Prints the live bytes of each path: `path LETTERS BYTES`, the outermost letter first. */
static int paths(char **arguments)
{
    static char path[N_PATHS][PATH_DEPTH + 1];
    static size_t live[N_PATHS];
    uint32_t state = 7;
    (void)arguments;
    for (int i = 0; i < N_PATHS; i++) {
        uint32_t length = 1 + next_number(&state) % PATH_DEPTH;
        for (uint32_t k = 0; k < length; k++) {
            path[i][k] = "abcd"[next_number(&state) % 4];
        }
    }
    for (int i = 0; i < N_WALKS; i++) {
        uint32_t which = next_number(&state) % N_PATHS;
        live[which] += go_1(path[which], 16 + next_number(&state) % 200);
    }
    for (int i = 0; i < N_PATHS; i++) {
        say("path %s %zu\n", path[i], live[i]);
    }
    return 0;
}

/* ---- longjmp --------------------------------------------------------------------------------- */

static jmp_buf landing;
static void fall(int depth);
static void (*volatile fall_on)(int depth) = fall;

OWN_FRAME static void fall(int depth)
{
    volatile char frame[64];
    frame[0] = (char)depth;
    if (depth > 0) {
        fall_on(depth - 1);
    } else {
        keep(1, 100);
        longjmp(landing, 1);
    }
    frame[1] = frame[0];
}

OWN_FRAME static size_t climb(int depth)
{
    volatile char frame[64];
    frame[0] = (char)depth;
    size_t live = depth == 0 ? keep(1, 60) : climb(depth - 1);
    frame[1] = frame[0];
    return live;
}

static int jumps(char **arguments)
{
    volatile size_t fallen = 0, climbed = 0;
    (void)arguments;
    for (volatile int i = 0; i < 2000; i++) {
        if (setjmp(landing) == 0) {
            fall(i % 50);
        }
        fallen += 100;
        climbed += climb(i % 50);
    }
    say("through fall %zu\nthrough climb %zu\n", fallen, climbed);
    return 0;
}

/* ---- coroutines ------------------------------------------------------------------------------ */

enum { N_COROUTINES = 20, COROUTINE_BYTES = 64 * 1024, N_ROUNDS = 200 };

static ucontext_t home, coroutines[N_COROUTINES];

static void yield(int index)
{
    swapcontext(&coroutines[index], &home);
}

OWN_FRAME static void descend(int index, int depth, size_t size_bytes)
{
    if (depth > 0) {
        descend(index, depth - 1, size_bytes);
    } else {
        free(made(malloc(size_bytes)));
        keep(1, size_bytes);
        yield(index);
        keep(1, size_bytes);
    }
    STAY();
}

OWN_FRAME static void odd_life(int index)
{
    for (;;) {
        descend(index, index % 7, 20);
        yield(index);
    }
}

OWN_FRAME static void even_life(int index)
{
    for (;;) {
        descend(index, index % 7, 30);
        yield(index);
    }
}

static void begin_coroutine(int index, void *stack)
{
    ucontext_t *own = &coroutines[index];
    getcontext(own);
    own->uc_stack.ss_sp = stack;
    own->uc_stack.ss_size = COROUTINE_BYTES;
    own->uc_link = &home;
    makecontext(own, (void (*)(void))(index % 2 ? odd_life : even_life), 1, index);
}

static void run_rounds(int n)
{
    for (int round = 0; round < n; round++) {
        for (int i = 0; i < N_COROUTINES; i++) {
            swapcontext(&home, &coroutines[i]);
        }
    }
}

/* A coroutine keeps one block in each of its turns. In the second generation they have changed
 * stacks. */
static int yields(char **arguments)
{
    void *stacks[N_COROUTINES];
    (void)arguments;
    for (int generation = 0; generation < 2; generation++) {
        for (int i = 0; i < N_COROUTINES; i++) {
            stacks[i] = made(malloc(COROUTINE_BYTES));
        }
        for (int i = 0; i < N_COROUTINES; i++) {
            begin_coroutine(i, stacks[(i + generation) % N_COROUTINES]);
        }
        run_rounds(N_ROUNDS);
        for (int i = 0; i < N_COROUTINES; i++) {
            free(stacks[i]);
        }
    }
    size_t each = 2 * (size_t)N_ROUNDS * N_COROUTINES / 2;
    say("through odd_life %zu\nthrough even_life %zu\n", each * 20, each * 30);
    return 0;
}

/* One stack for all: each life is a single turn, and the next begins at the same addresses. */
static ucontext_t shared;

OWN_FRAME static void bottom(size_t size_bytes)
{
    made(malloc(size_bytes));
    STAY();
}

OWN_FRAME static void left_life(void)
{
    bottom(48);
    STAY();
}

OWN_FRAME static void right_life(void)
{
    bottom(80);
    STAY();
}

static int shares_one_stack(char **arguments)
{
    char *stack =
        mmap(NULL, COROUTINE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)arguments;
    must(stack != MAP_FAILED, "a stack");
    for (int i = 0; i < 4000; i++) {
        getcontext(&shared);
        shared.uc_stack.ss_sp = stack;
        shared.uc_stack.ss_size = COROUTINE_BYTES;
        shared.uc_link = &home;
        makecontext(&shared, i % 3 ? left_life : right_life, 0);
        swapcontext(&home, &shared);
    }
    size_t n_right = (4000 + 2) / 3;
    say("through left_life %zu\nthrough right_life %zu\n", (4000 - n_right) * 48, n_right * 80);
    munmap(stack, COROUTINE_BYTES);
    return 0;
}

#if defined(__x86_64__)
/* ---- stacks without unwind information --------------------------------------------------------
 *
 * Fibres with their own stacks, which a library switches in assembly: the caller of the first
 * function has no unwind information, and rbp has any value. Each stack is between unreadable
 * pages.
 */

enum { FIBRE_BYTES = 64 * 1024, PAGE = 4096, N_FIBRES = 300 };

/* switch_stacks(&from, to): saves the current stack, and continues with the other. enter_fibre
 * calls the function in rbx, which does not return. */
void switch_stacks(void **from, void *to);
extern char enter_fibre[];
__asm__(".text\n"
        ".globl switch_stacks\n"
        ".type switch_stacks, @function\n"
        "switch_stacks:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".globl enter_fibre\n"
        ".type enter_fibre, @function\n"
        "enter_fibre:\n"
        "    call *%rbx\n"
        "    hlt\n");

static void *main_stack, *fibre_stack;

OWN_FRAME static void live_on_fibre(void)
{
    for (;;) {
        keep(1, 56);
        STAY();
        switch_stacks(&fibre_stack, main_stack);
    }
}

/* Returns the value of rbp for the first frame of a fibre. */
static uintptr_t odd_rbp(int i, char *end)
{
    switch (i % 6) {
    case 0:
        return 0;
    case 1:
        return 0xdead0000beef0000; /* no address at all */
    case 2:
        return (uintptr_t)end - 8; /* the word after it cannot be read */
    case 3:
        return (uintptr_t)end;
    case 4:
        return (uintptr_t)end - FIBRE_BYTES - 16; /* in the page below */
    default:
        return (uintptr_t)end - 1; /* not aligned */
    }
}

static void run_fibre(int i, char *end)
{
    uintptr_t *top = (uintptr_t *)(void *)end - 3; /* the stack is aligned after it */
    memset(end - FIBRE_BYTES, 0x55, FIBRE_BYTES);
    top[0] = (uintptr_t)enter_fibre;
    top[-1] = odd_rbp(i, end);
    top[-2] = (uintptr_t)live_on_fibre;
    fibre_stack = top - 6;
    for (int turn = 0; turn < 10; turn++) {
        switch_stacks(&main_stack, fibre_stack);
    }
}

static int switches(char **arguments)
{
    char *pages = mmap(NULL, FIBRE_BYTES + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)arguments;
    must(pages != MAP_FAILED && mprotect(pages + PAGE, FIBRE_BYTES, PROT_READ | PROT_WRITE) == 0,
         "a stack between pages that cannot be read");
    for (int i = 0; i < N_FIBRES; i++) {
        run_fibre(i, pages + PAGE + FIBRE_BYTES);
    }
    say("live keep %d\nthrough live_on_fibre %d\n", N_FIBRES * 10 * 56, N_FIBRES * 10 * 56);
    return 0;
}
#endif

/* ---- deep recursion -------------------------------------------------------------------------- */

OWN_FRAME static size_t dig(int depth)
{
    size_t live = depth > 0 ? dig(depth - 1) : keep(10, 1000);
    STAY();
    return live;
}

OWN_FRAME static void *dig_deep(void *context)
{
    size_t *live = context;
    *live = dig(100000);
    *live += dig(100000);
    *live += dig(99990);
    return NULL;
}

/* A block at each level, on the way down and on the way up; the lowest level is entered once more
 * by another way, with the same frames everywhere but at the top. */
enum { LEVELS = 100000 };

OWN_FRAME static size_t keep_at_each_level(int depth)
{
    made(malloc(16));
    size_t live = 32 + (depth > 1 ? keep_at_each_level(depth - 1) : 0);
    made(malloc(16));
    return live;
}

static size_t kept_one_way, kept_other_way, kept_at_levels;

OWN_FRAME static size_t dig_one_way(int depth)
{
    kept_one_way += dig(depth);
    return kept_one_way;
}

OWN_FRAME static size_t dig_other_way(int depth)
{
    kept_other_way += dig(depth);
    return kept_other_way;
}

OWN_FRAME static void *keep_at_all_levels(void *context)
{
    for (int i = 0; i < 10; i++) {
        dig_one_way(LEVELS);
        dig_other_way(LEVELS);
    }
    kept_at_levels = keep_at_each_level(LEVELS);
    return context;
}

static void run_with_large_stack(void *(*run)(void *), void *context)
{
    pthread_attr_t attributes;
    pthread_t thread = pthread_self();
    must(pthread_attr_init(&attributes) == 0 &&
             pthread_attr_setstacksize(&attributes, (size_t)64 << 20) == 0 &&
             pthread_create(&thread, &attributes, run, context) == 0,
         "a thread with a large stack");
    pthread_join(thread, NULL);
}

static int digs(char **arguments)
{
    size_t live = 0;
    (void)arguments;
    run_with_large_stack(dig_deep, &live);
    say("live keep %zu\nthrough dig %zu\n", live, live);
    return 0;
}

static int keeps_at_all_levels(char **arguments)
{
    (void)arguments;
    run_with_large_stack(keep_at_all_levels, NULL);
    say("through keep_at_each_level %zu\n", kept_at_levels);
    say("through dig_one_way %zu\nthrough dig_other_way %zu\n", kept_one_way, kept_other_way);
    return 0;
}

/* Has frames of variable size. */
OWN_FRAME static size_t stretch(int depth, size_t room)
{
    volatile char *frame = alloca(room);
    frame[0] = frame[room - 1] = 1;
    size_t live = depth > 0 ? stretch(depth - 1, room + 40) : keep(1, 70);
    frame[0] = 2;
    return live;
}

static int stretches(char **arguments)
{
    size_t live = 0;
    (void)arguments;
    for (size_t i = 0; i < 2000; i++) {
        live += stretch((int)(i % 20), 16 + i % 333);
    }
    say("live keep %zu\nthrough stretch %zu\n", live, live);
    return 0;
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t n_signals;
static volatile size_t kept_in_signals;
static volatile sig_atomic_t next_alarm_us; /* 0: never */

/* Sends an alarm, once. */
static void set_alarm(long in_us)
{
    struct itimerval timer = {.it_value = {0, in_us}};
    must(setitimer(ITIMER_REAL, &timer, NULL) == 0, "a timer");
}

OWN_FRAME static void keep_in_signal(int number)
{
    (void)number;
    n_signals++;
    free(made(malloc(40)));
    made(malloc(24));
    kept_in_signals += 24;
    set_alarm(next_alarm_us); /* the next one comes after this one's end, however long it takes */
}

OWN_FRAME static size_t wander(int depth)
{
    size_t live = 0;
    if (depth > 0) {
        live = wander(depth - 1);
    } else {
        for (int i = 0; i < 20; i++) {
            free(made(malloc(16 + (size_t)i)));
            made(calloc(1, 8));
            live += 8;
        }
    }
    STAY();
    return live;
}

static void handle_alarms(int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = keep_in_signal;
    action.sa_flags = flags | SA_RESTART;
    must(sigaction(SIGALRM, &action, NULL) == 0, "a handler");
}

/* Handlers that allocate need an allocator that allows it (bump.c). The numbers differ between
 * runs, so they go to the named file, not to the output. */
static int is_signalled(char **arguments)
{
    size_t wandered = 0;
    handle_alarms(0);
    next_alarm_us = 100;
    set_alarm(next_alarm_us);
    for (int i = 0; n_signals < 3000 && i < 100000; i++) {
        wandered += wander(i % 40);
    }
    next_alarm_us = 0;
    set_alarm(0);
    must(n_signals >= 100, "signals arrive");
    must(arguments[0] != NULL && dup2(creat(arguments[0], 0600), 1) == 1, "a file for the numbers");
    say("live keep_in_signal %zu\nlive wander %zu\n", kept_in_signals, wandered);
    return 0;
}

/* Handles a signal on another stack. The program raises it itself, so every run is the same. */
static int has_other_stack(char **arguments)
{
    stack_t stack;
    (void)arguments;
    memset(&stack, 0, sizeof stack);
    stack.ss_size = (size_t)SIGSTKSZ * 4;
    stack.ss_sp = made(malloc(stack.ss_size));
    must(sigaltstack(&stack, NULL) == 0, "another stack");
    handle_alarms(SA_ONSTACK);
    for (int i = 0; i < 1000; i++) {
        raise(SIGALRM);
    }
    say("live keep_in_signal %zu\nthrough has_other_stack %zu\n", kept_in_signals,
        kept_in_signals + stack.ss_size);
    return 0;
}

/* ---- many stacks -----------------------------------------------------------------------------
 */

static void roam(uint32_t *random, int depth);

OWN_FRAME static void turn(uint32_t *random, int depth)
{
    roam(random, depth);
    STAY();
}

OWN_FRAME static void roam(uint32_t *random, int depth)
{
    if (depth == 0) {
        free(made(malloc(100)));
    } else if (next_number(random) % 2) {
        roam(random, depth - 1);
    } else {
        turn(random, depth - 1);
    }
    STAY();
}

enum { N_FORKS = 40 };
static volatile sig_atomic_t is_child, n_failed;

static void fork_in_signal(int number)
{
    int status = 0;
    pid_t child = fork();
    (void)number;
    is_child = child == 0;
    if (child != 0) {
        n_failed += child < 0 || waitpid(child, &status, 0) != child || status != 0;
        if (++n_signals < N_FORKS) {
            set_alarm(50 + 7 * (n_signals % 50));
        }
    }
}

/* Handlers of signals that come at any moment call fork; the child returns, and goes on. */
static int forks_in_signals(char **arguments)
{
    struct sigaction action;
    uint32_t random = 1;
    (void)arguments;
    memset(&action, 0, sizeof action);
    action.sa_handler = fork_in_signal;
    sigaction(SIGALRM, &action, NULL);
    set_alarm(100);
    while (n_signals < N_FORKS && !is_child) {
        roam(&random, 15);
    }
    for (int i = 0; i < 1000; i++) {
        roam(&random, 15);
    }
    if (is_child) {
        _exit(0);
    }
    say("%d children failed\n", (int)n_failed);
    return 0;
}

static size_t n_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_minflt;
}

/* Allocates from many stacks after each sample. Prints the page faults of a round. */
static int roams(char **arguments)
{
    enum { N_TIMES = 6, N_STACKS = 8000 };
    uint32_t random = 1;
    size_t n = 0;
    char letter;
    (void)arguments;
    for (int round = 0; round <= N_TIMES; round++) {
        size_t before = n_faults();
        for (int i = 0; i < N_STACKS; i++) {
            roam(&random, 10 + i % 20);
        }
        n += round > 0 ? n_faults() - before : 0;
        say("sample\n");
        must(read(STDIN_FILENO, &letter, 1) == 1, "a line");
    }
    say("faults roam %zu\nready\n", n / N_TIMES);
    return read(STDIN_FILENO, &letter, 1) != 0;
}

/* ---- an allocator of the program
 * ---------------------------------------------------------------------------------
 */

OWN_FRAME static void *pool_alloc(size_t size_bytes)
{
    return made(malloc(size_bytes));
}

OWN_FRAME static void add_line(void)
{
    *(volatile char *)pool_alloc(6000) = 1;
}

OWN_FRAME static void add_user(void)
{
    *(volatile char *)pool_alloc(4000) = 1;
}

static int wraps(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 100; i++) {
        add_line();
        add_user();
    }
    return 0;
}

static const native_case cases[] = {
    {"paths", paths},
    {"jumps", jumps},
    {"yields", yields},
    {"shares_one_stack", shares_one_stack},
#if defined(__x86_64__)
    {"switches", switches},
#endif
    {"digs", digs},
    {"keeps_at_all_levels", keeps_at_all_levels},
    {"stretches", stretches},
    {"is_signalled", is_signalled},
    {"has_other_stack", has_other_stack},
    {"forks_in_signals", forks_in_signals},
    {"roams", roams},
    {"wraps", wraps},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
