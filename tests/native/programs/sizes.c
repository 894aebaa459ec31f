/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All allocation functions and all sizes. The guarantees of the standard hold as without a
 * profiler.
 */
#include "case.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int million(char **arguments)
{
    (void)arguments;
    say("live keep %zu\n", keep(1000000, 1));
    return 0;
}

/* The block exceeds the memory, but the kernel does not count untouched pages. */
OWN_FRAME static size_t keep_huge(void)
{
    size_t size_bytes = (size_t)8 << 30;
    char *block = made(malloc(size_bytes));
    block[0] = block[size_bytes - 1] = 1;
    return size_bytes;
}

static int huge(char **arguments)
{
    (void)arguments;
    free(made(malloc((size_t)9 << 30)));
    say("live keep_huge %zu\n", keep_huge());
    return 0;
}

/* ---- alignment ------------------------------------------------------------------------------- */

static void *aligned(void *block, size_t alignment)
{
    must((uintptr_t)made(block) % alignment == 0, "the block is aligned");
    return block;
}

OWN_FRAME static size_t keep_aligned(size_t alignment, size_t size_bytes)
{
    void *block = NULL;
    must(posix_memalign(&block, alignment, size_bytes) == 0, "posix_memalign");
    aligned(block, alignment);
    aligned(memalign(alignment, size_bytes), alignment);
    aligned(aligned_alloc(alignment, size_bytes), alignment);
    aligned(valloc(size_bytes), 4096);
    aligned(pvalloc(4096), 4096);
    free(aligned(memalign(alignment, size_bytes), alignment));
    return 4 * size_bytes + 4096;
}

static int aligns(char **arguments)
{
    size_t live = 0;
    void *block = &live;
    (void)arguments;
    for (size_t alignment = 8; alignment <= 1 << 20; alignment *= 2) {
        live += keep_aligned(alignment, 3 * alignment) + keep_aligned(alignment, alignment);
    }
    must(posix_memalign(&block, 3, 10) == EINVAL && block == &live, "3 is no alignment");
    say("live keep_aligned %zu\n", live);
    return 0;
}

/* ---- realloc --------------------------------------------------------------------------------- */

static void check_content(const unsigned char *block, size_t n)
{
    for (size_t i = 0; i < n; i += n / 16 + 1) {
        must(block[i] == (unsigned char)i, "the content moves along");
    }
}

OWN_FRAME static unsigned char *resize(unsigned char *block, size_t before, size_t after)
{
    block = made(realloc(block, after));
    check_content(block, before < after ? before : after);
    for (size_t i = before; i < after; i++) {
        block[i] = (unsigned char)i;
    }
    return block;
}

/* Resizes from each size to the next, up and down; small sizes one by one. */
static size_t keep_resized(void)
{
    unsigned char *block = NULL;
    size_t size_bytes = 0, before = 0;
    while (size_bytes < 3000000) {
        size_bytes += 1 + size_bytes / 64;
        block = resize(block, before, size_bytes);
        before = size_bytes;
    }
    while (size_bytes > 100) {
        size_bytes -= 1 + size_bytes / 50;
        block = resize(block, before, size_bytes);
        before = size_bytes;
    }
    return size_bytes;
}

static size_t keep_jumping(void)
{
    enum { N = 64 };
    unsigned char *blocks[N] = {NULL};
    size_t sizes[N] = {0}, live = 0;
    uint32_t state = 1;
    for (int step = 0; step < 20000; step++) {
        uint32_t i = next_number(&state) % N;
        size_t next = 1 + (next_number(&state) % 4096 << next_number(&state) % 6);
        blocks[i] = resize(blocks[i], sizes[i], next);
        sizes[i] = next;
    }
    for (int i = 0; i < N; i++) {
        live += sizes[i];
    }
    return live;
}

static void fail_to_resize(void)
{
    volatile size_t most = SIZE_MAX;
    char *volatile block = made(malloc(100));
    block[99] = 9;
    errno = 0;
    must(realloc(block, most) == NULL && errno == ENOMEM, "too much is refused");
    must(reallocarray(block, most / 2, 3) == NULL && errno == ENOMEM, "and so is a product");
    must(block[99] == 9, "the block stays");
    free(block);
}

OWN_FRAME static size_t keep_array(void)
{
    void *block = made(reallocarray(NULL, 10, 10));
    block = made(reallocarray(block, 1000, 30));
    made(block);
    return 30000;
}

static int resizes(char **arguments)
{
    (void)arguments;
    fail_to_resize();
    size_t live = keep_resized();
    live += keep_jumping();
    say("live resize %zu\nlive keep_array %zu\n", live, keep_array());
    return 0;
}

/* ---- zero, excessive and usable sizes -------------------------------------------------------- */

OWN_FRAME static size_t keep_nothing(void)
{
    for (int i = 0; i < 1000; i++) {
        made(malloc(0));
    }
    free(made(malloc(0)));
    made(calloc(0, 8));
    made(calloc(8, 0));
    free(NULL);
    free(made(realloc(NULL, 0)));
    return 0;
}

/* The compiler may leave out a call whose result is only compared. */
static int is_refused(void *block)
{
    void *volatile seen = block;
    return seen == NULL && errno == ENOMEM;
}

static void fail_to_allocate(void)
{
    volatile size_t most = SIZE_MAX;
    void *block = &block;
    errno = 0;
    must(is_refused(malloc(most)) && is_refused(malloc(most / 2)), "malloc refuses");
    must(is_refused(calloc(most / 2, 3)) && is_refused(calloc(1, most)), "calloc refuses");
    must(is_refused(memalign(4096, most - 100)), "memalign refuses");
    must(posix_memalign(&block, 4096, most - 100) == ENOMEM && block == &block,
         "posix_memalign refuses");
}

static void free_keeps_errno(void)
{
    void *small = made(malloc(10)), *large = made(malloc(10 << 20));
    errno = 77;
    free(small);
    free(large);
    free(NULL);
    must(errno == 77, "free keeps errno");
}

static void calloc_clears(void)
{
    for (size_t n = 1; n < 200000; n = n * 3 + 1) {
        unsigned char *block = made(malloc(n));
        memset(block, 0xff, n);
        free(block);
        block = made(calloc(1, n));
        for (size_t i = 0; i < n; i++) {
            must(block[i] == 0, "calloc clears");
        }
        free(block);
    }
}

/* realloc to size 0 may free the block, as free does. */
OWN_FRAME static void resize_to_nothing(void)
{
    void *block = made(malloc(1000));
    volatile size_t none = 0;
    must(realloc(block, none) == NULL, "the block is freed");
}

static int zero(char **arguments)
{
    (void)arguments;
    fail_to_allocate();
    free_keeps_errno();
    calloc_clears();
    resize_to_nothing();
    say("live keep_nothing %zu\nlive resize_to_nothing 0\n", keep_nothing());
    return 0;
}

/* Programs may use all bytes of malloc_usable_size. */
OWN_FRAME static size_t keep_usable(void)
{
    unsigned char *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        blocks[i] = made(malloc(i * 7));
        must(malloc_usable_size(blocks[i]) >= i * 7, "there is as much as was asked for");
        memset(blocks[i], (int)(i & 0xff), malloc_usable_size(blocks[i]));
    }
    for (size_t i = 0; i < 300; i++) {
        size_t usable = malloc_usable_size(blocks[i]);
        for (size_t k = 0; k < usable; k++) {
            must(blocks[i][k] == (i & 0xff), "no other code writes there");
        }
        blocks[i] = made(realloc(blocks[i], usable * 2 + 1));
        must(usable == 0 || blocks[i][usable - 1] == (i & 0xff), "all of it moves along");
        blocks[i] = made(realloc(blocks[i], 10 * i + 1));
    }
    return 10 * (299 * 300 / 2) + 300;
}

static int usable(char **arguments)
{
    (void)arguments;
    must(malloc_usable_size(NULL) == 0, "nothing is usable of nothing");
    say("live keep_usable %zu\n", keep_usable());
    return 0;
}

static const native_case cases[] = {
    {"million", million}, {"huge", huge},     {"aligns", aligns}, {"resizes", resizes},
    {"zero", zero},       {"usable", usable}, {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
