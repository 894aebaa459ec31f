/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How long a program can wait for an image, as a ratio to the time of a plain fork() in the same
 * program; and what reading the image costs the collector.
 *
 *     bench_image [MIB [THREADS]]
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helped_program.h"
#include "native/collector/image/freezer.h"
#include "native/target/counting/blocks.h"
#include "native/window/window_writer.h"

enum { N_TIMES = 15, BLOCK_BYTES = 64 };

static size_t n_mib = 256;
static int n_threads = 4;

/* What the program tells the collector. */
static struct {
    _Atomic int is_ready;
    double fork_s;
} * common;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the processor time of the collector. */
static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[N_TIMES])
{
    qsort(times, N_TIMES, sizeof *times, compare);
    return times[N_TIMES / 2];
}

static void *spin(void *unused)
{
    volatile int i = 0;
    while (i >= 0) {
        i = 0;
    }
    return unused;
}

static void *sleep_on(void *unused)
{
    pause();
    return unused;
}

/* Fills memory with blocks, forks some times, and then runs on. */
static void run_program(int link)
{
    if (!helped_program_begin(link)) {
        _exit(1);
    }
    size_t n_bytes = n_mib << 20;
    char *heap = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(heap, n_bytes, MADV_NOHUGEPAGE);
    memset(heap, 1, n_bytes);
    for (size_t i = 0; i < n_bytes; i += BLOCK_BYTES) {
        hpp_block before;
        hpp__blocks_put(heap + i, 3, BLOCK_BYTES, &before);
    }
    double times[N_TIMES];
    for (int i = 0; i < N_TIMES; i++) {
        double begin_s = now_s();
        pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        times[i] = now_s() - begin_s;
        waitpid(child, NULL, 0);
    }
    common->fork_s = median(times);
    pthread_t thread;
    for (int i = 1; i < n_threads; i++) {
        pthread_create(&thread, NULL, i % 2 ? sleep_on : spin, NULL);
    }
    common->is_ready = 1;
    spin(NULL);
}

int main(int n_words, char **words)
{
    n_mib = n_words > 1 ? strtoul(words[1], NULL, 10) : n_mib;
    n_threads = n_words > 2 ? atoi(words[2]) : n_threads;
    const char *reason;
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (hpp__window_make(&reason, (uint64_t)64 << 20) < 0) {
        fprintf(stderr, "no window: %s\n", reason);
        return 1;
    }
    int links[2];
    pid_t program = socketpair(AF_UNIX, SOCK_STREAM, 0, links) == 0 ? fork() : -1;
    if (program == 0) {
        close(links[0]);
        run_program(links[1]);
    }
    close(links[1]);
    int helper = helped_program_receive(links[0]);
    while (!common->is_ready) {
        usleep(1000);
    }
    hpf_error err;
    hpp__window_reader reader;
    hpp__freezer freezer;
    double pauses[N_TIMES], whole[N_TIMES];
    hpf_status status =
        hpp__window_reader_open(&reader, hpp__window, hpp__window->head.size_bytes, -1, &err);
    hpp__freezer_init(&freezer, (uint32_t)program, helper);
    for (int i = 0; i < N_TIMES && status == HPF_OK; i++) {
        hpp__image *image;
        double begin_s = cpu_s();
        status = hpp__freezer_take(&image, &freezer, &reader, &err);
        if (status == HPF_OK) {
            status = hpp__freezer_fill(image, &freezer, &reader, &err);
        }
        if (status == HPF_OK) {
            pauses[i] = image->pause_s;
            hpp__image_close(image);
            whole[i] = cpu_s() - begin_s;
        }
    }
    hpp__freezer_finish(&freezer);
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    if (status != HPF_OK) {
        fprintf(stderr, "no image, since %s\n", err.message);
        return 1;
    }
    double gib = (double)n_mib / 1024;
    double pause_s = median(pauses), whole_s = median(whole);
    printf("%zu MiB, %d threads, %.1f million blocks\n", n_mib, n_threads,
           (double)(n_mib << 20) / BLOCK_BYTES / 1e6);
    printf("fork()       %7.2f ms  %6.2f ms/GiB\n", common->fork_s * 1e3,
           common->fork_s * 1e3 / gib);
    printf("pause        %7.2f ms  %6.2f ms/GiB  %.2f x fork()\n", pause_s * 1e3,
           pause_s * 1e3 / gib, pause_s / common->fork_s);
    printf("collector    %7.2f ms  %6.2f ms/GiB of processor time\n", whole_s * 1e3,
           whole_s * 1e3 / gib);
    return 0;
}
