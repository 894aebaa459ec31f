/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiled by `census cc`: one block for each way in which code accesses memory, of a size that no
 * sum of others has. Called as `exact BASE`, with the BASE of `census run -o`; prints, for itself
 * and for a forked child, the bytes that were used once and the bytes that never were.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "wait_for_sample.h"

enum { MAX_KINDS = 32, FIRST_BYTES = 32 };

typedef unsigned char wide __attribute__((vector_size(16)));
typedef struct odd_struct {
    char bytes[37];
} odd_struct;
typedef struct bits {
    unsigned first : 3, second : 5;
} bits;

static char *volatile blocks[MAX_KINDS];
static size_t used_bytes;
static volatile long sink;
static volatile size_t length = 20; /* unknown to the compiler */
static jmp_buf jump;

static size_t size_of(int kind)
{
    return (size_t)FIRST_BYTES << kind;
}

static char *use(int kind)
{
    used_bytes += size_of(kind);
    return blocks[kind];
}

static void on_signal(int number)
{
    sink += use(number == SIGUSR1 ? 12 : 0)[5];
}

static void *thread(void *block)
{
    ((volatile char *)block)[1] = 1;
    return NULL;
}

static void use_all(void)
{
    pthread_t other;
    int n_local = (int)length;
    char local[n_local];
    odd_struct copy;
    wide vector = {1};
    sink += *use(0);
    *(volatile short *)use(1) = 1;
    sink += *(volatile int *)(use(2) + 28);
    *(volatile long *)use(3) += 1;
    *(volatile wide *)(void *)use(4) = vector;
    memcpy(&copy, use(5) + 3, sizeof copy);
    sink += copy.bytes[length];
    ((bits *)(void *)use(6))->second = 3;
    memset(local, 1, length);
    memcpy(use(7) + 2000, local, length);
    sink += memcmp(use(8) + 100, local, length);
    sink += (long)strlen(use(9) + size_of(9) - 1);
    blocks[10][size_of(10) / 2 + 77] = 1; /* far from the beginning */
    used_bytes += size_of(10);
    if (setjmp(jump) == 0) {
        sink += use(11)[1];
        longjmp(jump, 1);
    }
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    pthread_create(&other, NULL, thread, use(13));
    pthread_join(other, NULL);
    sink += getpid() == write(-1, use(14), 10);
    /* Not used: 15, and 16, which is only moved by realloc. */
    blocks[16] = realloc(blocks[16], size_of(16));
}

static void nothing(void)
{
}

static void wait_for_samples(const char *path)
{
    for (int i = 0; i < 2; i++) {
        wait_for_sample(path, nothing);
    }
}

int main(int argc, char **argv)
{
    char path[4096];
    size_t all_bytes = 0;
    must(argc == 2, "the base of the profile is given");
    snprintf(path, sizeof path, "%s.hp", argv[1]);
    for (int i = 0; i <= 16; i++) {
        blocks[i] = i == 15 ? calloc(1, size_of(i)) : malloc(i == 16 ? 100 : size_of(i));
        must(blocks[i] != NULL, "there is memory");
        memset(blocks[i], 0, i == 16 ? 100 : size_of(i));
        all_bytes += size_of(i);
    }
    free(malloc(1)); /* the creation of the last one is over */
    wait_for_samples(path);
    use_all();
    wait_for_samples(path);
    say("own %zu %zu\n", used_bytes, all_bytes - used_bytes);
    pid_t child = fork();
    if (child == 0) {
        snprintf(path, sizeof path, "%s.%d.hp", argv[1], (int)getpid());
        free(malloc(1));
        sink += blocks[15][1];
        wait_for_samples(path);
        say("child %zu %zu\n", size_of(15), all_bytes - size_of(15));
        exit(0);
    }
    must(waitpid(child, NULL, 0) == child, "the child ends");
    return 0;
}
