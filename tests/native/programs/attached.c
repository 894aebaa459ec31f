/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that runs when it is attached to. It does what lines of its input say, and answers each
 * with a line:
 *   keep N       keeps one more block of N bytes, and a text that libc allocates
 *   give         frees the block of a million bytes that it had from the start
 *   grow         reallocates that block to two million bytes
 *   map N        maps N pages, and unmaps the mapping of a hundred pages that it had from the start
 *   threads N    starts N threads that allocate and free without pause
 *   done         ends them; each has kept ten blocks of 1000 bytes
 *   burner       starts a thread that never allocates
 *   burn N       makes it use N milliseconds of processor time
 *   spin         makes the main thread busy until the next line comes
 *   nap          sleeps for half a second, and says how that ended
 *   await        waits for half a second for an event that does not come, by epoll
 *   load PATH    loads a plug-in, which keeps three blocks
 *   lock         gives up all system calls but read, write and exit
 *   filter       begins to live under a filter of system calls as containers have: some fail
 *   trap         the same, and one call would end it
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    OLD_BYTES = 1000000,
    N_KEPT = 10,
    KEPT_BYTES = 1000,
    MAX_BLOCKS = 1000,
    MAX_THREADS = 16,
    PAGE_BYTES = 4096,
    N_OLD_PAGES = 100
};

static void *blocks[MAX_BLOCKS];
static size_t n_blocks;
static pthread_t threads[MAX_THREADS];
static int n_threads;
static atomic_bool is_done;
static void *thread_blocks[MAX_THREADS][N_KEPT];

__attribute__((noinline)) static void *keep_one(size_t n_bytes)
{
    return malloc(n_bytes);
}

static void *work(void *argument)
{
    void **kept = argument;
    for (size_t n = 0; !atomic_load(&is_done); n++) {
        char *block = malloc(16 + n % 300);
        block[n % 16] = 1;
        free(block);
    }
    for (int i = 0; i < N_KEPT; i++) {
        kept[i] = keep_one(KEPT_BYTES);
    }
    return NULL;
}

static void end_threads(void)
{
    atomic_store(&is_done, true);
    for (int i = 0; i < n_threads; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void spin(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    volatile unsigned count = 0;
    do {
        for (int i = 0; i < 10000000; i++) {
            count++;
        }
        free(malloc(count % 100 + 1));
    } while (poll(&input, 1, 0) == 0);
}

static sem_t may_burn, has_burnt;
static atomic_int burn_ms;

__attribute__((noinline)) static void burn(int ms)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const double end_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + ms / 1e3;
    while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end_s) {
        for (volatile int i = 0; i < 100000; i++) {
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    }
}

static void *burn_when_asked(void *argument)
{
    for (;;) {
        sem_wait(&may_burn);
        burn(burn_ms);
        sem_post(&has_burnt);
    }
    return argument;
}

static int nap(void)
{
    const struct timespec half = {0, 500000000};
    return nanosleep(&half, NULL) == 0 ? 0 : errno;
}

static int await(void)
{
    struct epoll_event event;
    int queue = epoll_create1(0);
    int n = epoll_wait(queue, &event, 1, 500);
    int wrong = n < 0 ? errno : n;
    close(queue);
    return wrong;
}

static int load(const char *path)
{
    void *object = dlopen(path, RTLD_NOW);
    size_t (*keep)(size_t n) = NULL;
    void *found = object ? dlsym(object, "keep_in_plugin") : NULL;
    memcpy(&keep, &found, sizeof keep);
    return keep && keep(3) > 0 ? 0 : 1;
}

static void *old_mapping;

__attribute__((noinline)) static void *map_pages(size_t n)
{
    return mmap(NULL, n * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int replace_mapping(size_t n)
{
    return munmap(old_mapping, (size_t)N_OLD_PAGES * PAGE_BYTES) != 0 ||
           munmap(map_pages(n + 1), PAGE_BYTES) != 0;
}

/* `action`: for sockets of virtual machines. */
static int filter(unsigned action)
{
#define LOAD(field)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
    struct sock_filter code[] = {
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWNS, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
        RETURN(SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_VSOCK, 0, 1),
        RETURN(action),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int act(char *line, char **old)
{
    char *argument = strchr(line, ' ');
    size_t n = argument ? (size_t)atol(argument + 1) : 0;
    if (strncmp(line, "keep", 4) == 0 && n_blocks + 2 < MAX_BLOCKS) {
        blocks[n_blocks++] = keep_one(n);
        char *text = NULL;
        int length = asprintf(&text, "%s", "kept by libc");
        blocks[n_blocks++] = length > 0 ? text : NULL;
    } else if (strcmp(line, "give") == 0) {
        free(*old);
        *old = NULL;
    } else if (strcmp(line, "grow") == 0) {
        *old = realloc(*old, (size_t)2 * OLD_BYTES);
        return (*old)[OLD_BYTES - 1];
    } else if (strcmp(line, "burner") == 0) {
        return sem_init(&may_burn, 0, 0) != 0 || sem_init(&has_burnt, 0, 0) != 0 ||
               pthread_create(&threads[n_threads], NULL, burn_when_asked, NULL) != 0;
    } else if (strncmp(line, "burn", 4) == 0) {
        burn_ms = (int)n;
        sem_post(&may_burn);
        while (sem_wait(&has_burnt) != 0) {
        }
    } else if (strncmp(line, "map", 3) == 0) {
        return replace_mapping(n);
    } else if (strncmp(line, "threads", 7) == 0) {
        for (; n_threads < (int)n && n_threads < MAX_THREADS; n_threads++) {
            pthread_create(&threads[n_threads], NULL, work, thread_blocks[n_threads]);
        }
    } else if (strcmp(line, "done") == 0) {
        end_threads();
    } else if (strcmp(line, "spin") == 0) {
        spin();
    } else if (strcmp(line, "nap") == 0) {
        return nap();
    } else if (strcmp(line, "await") == 0) {
        return await();
    } else if (strncmp(line, "load", 4) == 0) {
        return load(argument + 1);
    } else if (strcmp(line, "lock") == 0) {
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    } else if (strcmp(line, "filter") == 0) {
        return filter(SECCOMP_RET_ERRNO | EPERM);
    } else if (strcmp(line, "trap") == 0) {
        return filter(SECCOMP_RET_KILL_PROCESS);
    }
    return 0;
}

int main(void)
{
    static char line[4096], output[4096];
    char *old = malloc(OLD_BYTES);
    memset(old, 7, OLD_BYTES);
    old_mapping = map_pages(N_OLD_PAGES);
    setvbuf(stdout, output, _IOLBF, sizeof output);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        printf("begin %s\n", line);
        printf("%s: %d\n", line, act(line, &old));
    }
    printf("end\n");
    return 5;
}
