/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What changes the set of loaded objects: dlopen, dlmopen and dlclose. The entries say so to those
 * who remember what was loaded, and jump on: the dynamic linker looks at its caller, for its search
 * path and its place in the order, and still sees the true one.
 *
 * Saying so before is enough. What a remembered stack says of an object stays true until another is
 * mapped in its place, and that takes a dlopen.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#include "entry.h"
#include "platform.h"
#include "process.h"
#include "stacks.h"

enum { LOADER_DLOPEN, LOADER_DLMOPEN, LOADER_DLCLOSE, N_LOADERS };
static const char *const names[N_LOADERS] = {"dlopen", "dlmopen", "dlclose"};
static void *next_loaders[N_LOADERS];

void *hpp__before_loading(uintptr_t index);

/* Returns the next function. */
void *hpp__before_loading(uintptr_t index)
{
    int error = errno;
    if (next_loaders[index] == NULL) {
        next_loaders[index] = dlsym(RTLD_NEXT, names[index]);
    }
    if (hpp__alive()) {
        hpp__stacks_new_generation();
    }
    errno = error;
    return next_loaders[index];
}

#define LOADER_ENTRY(name, index)                                                                  \
    HPP_ASM_FUNCTION(".globl", name,                                                               \
                     "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"                                      \
                     "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"                                      \
                     "pushq %rdx\n.cfi_adjust_cfa_offset 8\n"                                      \
                     "movl $" index ", %edi\n"                                                     \
                     "call hpp__before_loading\n"                                                  \
                     "popq %rdx\n.cfi_adjust_cfa_offset -8\n"                                      \
                     "popq %rsi\n.cfi_adjust_cfa_offset -8\n"                                      \
                     "popq %rdi\n.cfi_adjust_cfa_offset -8\n"                                      \
                     "jmp *%rax\n")

LOADER_ENTRY("dlopen", "0");
LOADER_ENTRY("dlmopen", "1");
LOADER_ENTRY("dlclose", "2");
