/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks that hold each other in a known way. Prints its process id and "ready"; frees the large
 * block at the first line of its standard input, prints "freed", and ends with the input.
 *
 *   cache -> make_table, 64 pointers -> 64 of make_value, each -> make_text
 *   first -> 1000 of make_node, a list, each -> make_name
 *   both  -> make_shared: the table and the first node of the list refer to it
 *   large -> make_large
 *   nothing -> 3 of make_ring, which refer to each other, one -> make_lost
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"

enum {
    N_VALUES = 64,
    VALUE_BYTES = 1000,
    TEXT_BYTES = 50,
    N_NODES = 1000,
    NAME_BYTES = 24,
    SHARED_BYTES = 5000,
    LARGE_BYTES = 400000,
    LOST_BYTES = 700,
    STALE_BYTES = 1 << 16,
};

typedef struct node {
    struct node *next;
    void *name, *shared, *unused; /* of its own size: compilers merge equal functions */
} node;

static void **cache;
static node *first;
static void *large;

/* Overwrites what earlier calls have left on the stack. */
static OWN_FRAME void clear_stack(void)
{
    volatile char stale[STALE_BYTES];
    memset((void *)(uintptr_t)stale, 0, sizeof stale);
    __asm__ volatile("" ::"r"(stale) : "memory");
#ifdef __x86_64__ /* the dynamic loader saves these registers on the stack */
    __asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tpxor %%xmm2, %%xmm2\n\t"
                     "pxor %%xmm3, %%xmm3\n\tpxor %%xmm4, %%xmm4\n\tpxor %%xmm5, %%xmm5\n\t"
                     "pxor %%xmm6, %%xmm6\n\tpxor %%xmm7, %%xmm7"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#endif
}

static OWN_FRAME void *make_text(void)
{
    return calloc(1, TEXT_BYTES);
}

static OWN_FRAME void *make_name(void)
{
    return calloc(1, NAME_BYTES);
}

static OWN_FRAME void *make_shared(void)
{
    return calloc(1, SHARED_BYTES);
}

static OWN_FRAME void *make_lost(void)
{
    return calloc(1, LOST_BYTES);
}

static OWN_FRAME void *make_large(void)
{
    return calloc(1, LARGE_BYTES);
}

static OWN_FRAME void **make_value(void)
{
    return calloc(1, VALUE_BYTES);
}

static OWN_FRAME void **make_table(void)
{
    return calloc(N_VALUES + 1, sizeof(void *));
}

static OWN_FRAME node *make_node(void)
{
    return calloc(1, sizeof(node));
}

static OWN_FRAME void **make_ring(void)
{
    return calloc(2, sizeof(void *));
}

static OWN_FRAME void build(void)
{
    cache = make_table();
    for (int i = 0; i < N_VALUES; i++) {
        void **value = make_value();
        value[7] = make_text();
        cache[i] = (char *)value + 100; /* into the middle */
    }
    for (int i = 0; i < N_NODES; i++) {
        node *n = make_node();
        n->name = make_name();
        n->next = first;
        first = n;
    }
    cache[N_VALUES] = first->shared = make_shared();
    void **a = made(make_ring()), **b = made(make_ring()), **c = made(make_ring());
    a[0] = b;
    b[0] = c;
    c[0] = a;
    b[1] = make_lost();
    made(a);
}

static OWN_FRAME void free_large(void)
{
    free(large);
    large = NULL;
}

/* Allocates now and then, as a program does that has little to do. */
static void wait_for_input(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, 10) == 0) {
        free(malloc(16));
    }
}

int main(int argc, char **argv)
{
    char c;
    setvbuf(stdout, NULL, _IONBF, 0);
    build();
    clear_stack();
    large = make_large(); /* last: a snapshot that has it has everything */
    clear_stack();        /* of the end of the heap, which malloc has read */
    printf("%d\nready\n", (int)getpid());
    if (argc > 1 && strcmp(argv[1], "busy") == 0) {
        wait_for_input();
    }
    if (read(STDIN_FILENO, &c, 1) == 1) {
        free_large();
        printf("freed\n");
    }
    while (read(STDIN_FILENO, &c, 1) == 1) {
    }
    return 0;
}
