/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls with a stack that is not aligned as the ABI requires. Handwritten assembly and some code
 * generators make such calls, and allocators accept them.
 */
#include "case.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t any_call(uintptr_t a, uintptr_t b, uintptr_t c);

/* call_askew(call, a, b, c): call(a, b, c), 8 bytes from where the stack pointer should be. */
uintptr_t call_askew(any_call *call, uintptr_t a, uintptr_t b, uintptr_t c);
__asm__(".text\n"
        ".globl call_askew\n"
        ".type call_askew, @function\n"
        "call_askew:\n"
        "    .cfi_startproc\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    call *%rax\n"
        "    ret\n"
        "    .cfi_endproc\n"
        "    .size call_askew, . - call_askew\n");

#define ASKEW(function, a, b, c)                                                                   \
    call_askew((any_call *)(uintptr_t)(function), (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c))

static void let_go(void *block)
{
    ASKEW(free, block, 0, 0);
}

/* Allocates a block of `size_bytes` in one of several ways. */
static void *make(unsigned way, size_t size_bytes)
{
    void *block = NULL;
    switch (way % 8) {
    case 0:
        return (void *)ASKEW(calloc, 1, size_bytes, 0);
    case 1:
        return (void *)ASKEW(realloc, NULL, size_bytes, 0);
    case 2:
        return (void *)ASKEW(reallocarray, NULL, 1, size_bytes);
    case 3:
        return (void *)ASKEW(memalign, 64, size_bytes, 0);
    case 4:
        return (void *)ASKEW(aligned_alloc, 64, size_bytes, 0);
    case 5:
        must(ASKEW(posix_memalign, &block, 64, size_bytes) == 0, "posix_memalign");
        return block;
    case 6:
        return (void *)ASKEW(valloc, size_bytes, 0, 0);
    default:
        return (void *)ASKEW(malloc, size_bytes, 0, 0);
    }
}

/* Keeps, frees and resizes blocks at each depth. */
OWN_FRAME static size_t keep_askew(int depth)
{
    size_t live = depth > 0 ? keep_askew(depth - 1) : 0;
    for (unsigned way = 0; way < 16; way++) {
        size_t size_bytes = (size_t)depth + 100 * way;
        let_go(made(make(way, size_bytes)));
        void *block = made(make(way, size_bytes));
        made((void *)ASKEW(realloc, block, 3 * size_bytes + 1, 0));
        live += 3 * size_bytes + 1;
    }
    STAY();
    return live;
}

static int allocates(char **arguments)
{
    size_t live = 0;
    (void)arguments;
    for (int i = 0; i < 200; i++) {
        live += keep_askew(i % 23);
    }
    errno = 0;
    must(ASKEW(malloc, SIZE_MAX, 0, 0) == 0 && errno == ENOMEM, "too much is refused");
    must(ASKEW(reallocarray, NULL, SIZE_MAX, 3) == 0, "and so is a product");
    let_go(NULL);
    say("through call_askew %zu\n", live);
    return 0;
}

/* The first call of an operator resolves its symbol. */
static int news(char **arguments)
{
    must(dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL) != NULL, "the C++ library");
    void *create = dlsym(RTLD_DEFAULT, "_Znwm"), *destroy = dlsym(RTLD_DEFAULT, "_ZdlPv");
    (void)arguments;
    must(create != NULL && destroy != NULL, "operators");
    for (int i = 0; i < 100; i++) {
        ASKEW(destroy, ASKEW(create, 24 + i, 0, 0), 0, 0);
        made((void *)ASKEW(create, 24, 0, 0));
    }
    say("through call_askew %d\n", 2400);
    return 0;
}

static const native_case cases[] = {{"allocates", allocates}, {"news", news}, {NULL, NULL}};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
