/* SPDX-License-Identifier: BSD-2-Clause
 *
 * operator new and delete. Nearly always they are the C++ library's, which call malloc and are
 * counted there; then the entries here only jump to them, or call them: operator new[] leaves no
 * frame of its own, so the frame of its entry shows it, and those for a larger alignment do not
 * pass on how many bytes were requested. Allocators with their own operators (jemalloc, tcmalloc,
 * mimalloc) do not call malloc, and are counted here.
 *
 * The next operator is looked up at its first use: after this library in the global order, or, if
 * C++ was loaded by dlopen, in the scope of its caller.
 */
#include <errno.h>
#include <stdlib.h>

#include "accounting.h"
#include "entry.h"
#include "native/target/counting/next_allocator.h"
#include "native/target/unwind/loader.h"

/* NEW(index, symbol, call, how its entry goes on), DELETE(index, symbol) */
#define OPERATORS(NEW, DELETE, SIZED_DELETE)                                                       \
    NEW(0, _Znwm, HPP_CALL_NEW, HPP_JUMP_AT)                                                       \
    NEW(1, _Znam, HPP_CALL_NEW_ARRAY, HPP_CALL_AT)                                                 \
    NEW(2, _ZnwmRKSt9nothrow_t, HPP_CALL_NEW, HPP_JUMP_AT)                                         \
    NEW(3, _ZnamRKSt9nothrow_t, HPP_CALL_NEW_ARRAY, HPP_CALL_AT)                                   \
    NEW(4, _ZnwmSt11align_val_t, HPP_CALL_NEW, HPP_JUMP_AT)                                        \
    NEW(5, _ZnamSt11align_val_t, HPP_CALL_NEW_ARRAY, HPP_CALL_AT)                                  \
    NEW(6, _ZnwmSt11align_val_tRKSt9nothrow_t, HPP_CALL_NEW, HPP_JUMP_AT)                          \
    NEW(7, _ZnamSt11align_val_tRKSt9nothrow_t, HPP_CALL_NEW_ARRAY, HPP_CALL_AT)                    \
    DELETE(8, _ZdlPv)                                                                              \
    DELETE(9, _ZdaPv)                                                                              \
    DELETE(10, _ZdlPvRKSt9nothrow_t)                                                               \
    DELETE(11, _ZdaPvRKSt9nothrow_t)                                                               \
    DELETE(12, _ZdlPvSt11align_val_t)                                                              \
    DELETE(13, _ZdaPvSt11align_val_t)                                                              \
    DELETE(14, _ZdlPvSt11align_val_tRKSt9nothrow_t)                                                \
    DELETE(15, _ZdaPvSt11align_val_tRKSt9nothrow_t)                                                \
    SIZED_DELETE(16, _ZdlPvm)                                                                      \
    SIZED_DELETE(17, _ZdaPvm)                                                                      \
    SIZED_DELETE(18, _ZdlPvmSt11align_val_t)                                                       \
    SIZED_DELETE(19, _ZdaPvmSt11align_val_t)
enum { FIRST_ALIGNED = 4, N_NEW = 8, N_OPERATORS = 20 };

/* Where an operator's entry jumps to. */
typedef void operator_code(void);
extern operator_code *hpp__operator_targets[N_OPERATORS];
operator_code *hpp__operator_find(const uintptr_t arguments[], uintptr_t index, uintptr_t sp,
                                  uintptr_t caller_pc);

/* The next operators, for calls that are counted. They take one to three words; all are called with
 * three, which are in registers, so operators that take fewer ignore the rest. */
typedef void *new_code(size_t n_bytes, uintptr_t second, uintptr_t third);
typedef void delete_code(void *block, uintptr_t second, uintptr_t third);
static operator_code *next_operators[N_OPERATORS];

/* ---- counted --------------------------------------------------------------------------------- */

/* Calls the next operator, and counts the block, unless a malloc that the operator called has done
 * so. Exceptions of the allocator pass through. */
static HPP_NO_INLINE void *make(uint32_t index, size_t n_bytes, uintptr_t second, uintptr_t third,
                                const hpp_caller *caller, hpp_call call)
{
    new_code *next = (new_code *)next_operators[index];
    uint64_t bytes_to_count = hpp__bytes_to_count;
    void *block = next(hpp__asked_bytes(n_bytes), second, third);
    bool is_drawn = hpp__bytes_to_count != bytes_to_count;
    if (block != NULL && !is_drawn && hpp__blocks_get(block).site == 0) {
        hpp__account_allocation(block, n_bytes, *caller, call);
    }
    return block;
}

static void give_back(uint32_t index, void *block, uintptr_t second, uintptr_t third)
{
    hpp__peak_show();
    hpp_block gone = hpp__account_take(block);
    if (gone.site != 0) {
        hpp__account_free(gone);
    }
    ((delete_code *)next_operators[index])(block, second, third);
}

#define COUNTED_NEW(index, symbol, call, go_on)                                                    \
    void *hpp__on##symbol(size_t n_bytes, uintptr_t second, uintptr_t third,                       \
                          HPP_CALLER_PARAMETERS);                                                  \
    HPP_ANY_STACK void *hpp__on##symbol(size_t n_bytes, uintptr_t second, uintptr_t third,         \
                                        HPP_CALLER_PARAMETERS)                                     \
    {                                                                                              \
        return make(index, n_bytes, second, third, &HPP_CALLER, call);                             \
    }                                                                                              \
    extern operator_code hpp__counted##symbol;                                                     \
    HPP_ASM_FUNCTION(".hidden hpp__counted" #symbol "\n.globl", "hpp__counted" #symbol,            \
                     HPP_CALLER_AFTER_3 HPP_JUMP("hpp__on" #symbol));
#define COUNTED_DELETE(index, symbol)                                                              \
    static HPP_ANY_STACK void counted_##index(void *block, uintptr_t second, uintptr_t third)      \
    {                                                                                              \
        give_back(index, block, second, third);                                                    \
    }
#define COUNTED_SIZED_DELETE(index, symbol)                                                        \
    static HPP_ANY_STACK void counted_##index(void *block, uintptr_t n_bytes, uintptr_t third)     \
    {                                                                                              \
        give_back(index, block, hpp__asked_bytes(n_bytes), third);                                 \
    }
OPERATORS(COUNTED_NEW, COUNTED_DELETE, COUNTED_SIZED_DELETE)

#define NEW_CODE(index, symbol, call, go_on) [index] = hpp__counted##symbol,
#define DELETE_CODE(index, symbol)           [index] = (operator_code *)counted_##index,
static operator_code *const counted_operators[N_OPERATORS] = {
    OPERATORS(NEW_CODE, DELETE_CODE, DELETE_CODE)};

/* ---- for a larger alignment ------------------------------------------------------------------ */

_Thread_local size_t hpp__new_bytes HPP_INITIAL_EXEC;

/* An exception of the operator leaves the bytes behind, for the next aligned allocation of as many
 * after rounding. */
static inline void *make_aligned(uint32_t index, size_t n_bytes, uintptr_t second, uintptr_t third)
{
    hpp__new_bytes = n_bytes;
    void *block = ((new_code *)next_operators[index])(n_bytes, second, third);
    hpp__new_bytes = 0;
    return block;
}

#define ALIGNED_NEW(index)                                                                         \
    static void *aligned_##index(size_t n_bytes, uintptr_t second, uintptr_t third)                \
    {                                                                                              \
        return make_aligned(index, n_bytes, second, third);                                        \
    }
ALIGNED_NEW(4)
ALIGNED_NEW(5)
ALIGNED_NEW(6)
ALIGNED_NEW(7)
static new_code *const aligned_operators[N_NEW - FIRST_ALIGNED] = {aligned_4, aligned_5, aligned_6,
                                                                   aligned_7};

/* ---- entries --------------------------------------------------------------------------------- */

/* At first use: look the next one up, and go there with the arguments as they were. */
#define ENTRY(index, symbol, go_on)                                                                \
    extern operator_code hpp__first##symbol;                                                       \
    HPP_ASM_FUNCTION(".hidden hpp__first" #symbol "\n.globl", "hpp__first" #symbol,                \
                     HPP_CALL_THEN_JUMP("hpp__operator_find", #index));                            \
    HPP_ASM_FUNCTION(".globl", #symbol, go_on("hpp__operator_targets", "8*" #index));
#define NEW_ENTRY(index, symbol, call, go_on) ENTRY(index, symbol, go_on)
#define DELETE_ENTRY(index, symbol)           ENTRY(index, symbol, HPP_JUMP_AT)
OPERATORS(NEW_ENTRY, DELETE_ENTRY, DELETE_ENTRY)

#define NEW_FIRST(index, symbol, call, go_on) [index] = hpp__first##symbol,
#define DELETE_FIRST(index, symbol)           [index] = hpp__first##symbol,
operator_code *hpp__operator_targets[N_OPERATORS] = {
    OPERATORS(NEW_FIRST, DELETE_FIRST, DELETE_FIRST)};

/* ---- lookup ---------------------------------------------------------------------------------- */

#define NEW_NAME(index, symbol, call, go_on) [index] = #symbol,
#define DELETE_NAME(index, symbol)           [index] = #symbol,
static const char *const names[N_OPERATORS] = {OPERATORS(NEW_NAME, DELETE_NAME, DELETE_NAME)};

static void *look_in(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) {
        return NULL;
    }
    void *found = dlsym(library, name);
    dlclose(library);
    return found;
}

/* Keeps the library of a function loaded: one outside of the global order could be unloaded. */
static void pin(void *function)
{
    struct dl_find_object object;
    if (hpp__loader_find(&object, (uintptr_t)function)) {
        dlopen(object.dlfo_link_map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

/* Looks for an operator in the caller's libraries, since the global order has our own first. */
static void *look_where_caller_would(uintptr_t caller_pc, const char *name)
{
    struct dl_find_object object;
    void *found = NULL;
    if (hpp__loader_find(&object, caller_pc)) {
        found = look_in(object.dlfo_link_map->l_name, name);
    }
    found = found != NULL ? found : look_in("libstdc++.so.6", name);
    found = found != NULL ? found : look_in("libc++abi.so.1", name);
    found = found != NULL ? found : look_in("libc++.so.1", name);
    if (found != NULL) {
        pin(found);
    }
    return found;
}

/* Returns whether the entry calls, from a frame of its own. */
static bool has_frame(uintptr_t index)
{
    return index < N_NEW && index % 2 == 1;
}

/* No operator at all cannot be: without this library, the caller would not have been loaded. */
HPP_COLD HPP_ANY_STACK operator_code *
hpp__operator_find(const uintptr_t arguments[], uintptr_t index, uintptr_t sp, uintptr_t caller_pc)
{
    (void)arguments;
    int error = errno;
    hpp__next_allocator_find();
    void *found = hpp__next_function(names[index]);
    if (found == NULL) {
        caller_pc = has_frame(index) ? ((const uintptr_t *)sp)[1] : caller_pc;
        found = look_where_caller_would(caller_pc, names[index]);
    }
    if (found == NULL) {
        abort();
    }
    operator_code *target = (operator_code *)(uintptr_t)found;
    next_operators[index] = target;
    if (hpp__next_allocator_is_together(found, (const void *)(uintptr_t)hpp__next.malloc)) {
        target = counted_operators[index];
    }
    if (found == (void *)(uintptr_t)target && index >= FIRST_ALIGNED && index < N_NEW) {
        target = (operator_code *)aligned_operators[index - FIRST_ALIGNED];
    }
    hpp__operator_targets[index] = target;
    errno = error;
    return target;
}
