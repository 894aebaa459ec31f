/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that programs call which `census cc` compiled: at the entry and exit of their functions
 * (-finstrument-functions; without `census run` libc has empty ones), and, through libcensus-cc.a,
 * for scopes (hpprof/scope.h). And the functions that skip exits: longjmp, and what handlers of C++
 * exceptions call first.
 */
#include <dlfcn.h>
#include <string.h>

#include "cxx_runtime.h"
#include "entry.h"
#include "process.h"
#include "native/target/counting/process_state.h"
#include "thread_life.h"

void hpp__on_function_entry(uintptr_t function, uintptr_t return_address, uintptr_t frame_pointer);
void hpp__on_function_exit(uintptr_t function, uintptr_t return_address, uintptr_t frame_pointer);
void *census_scopes(void);
void census_scope_enter(uintptr_t restored[2], uint32_t *number, const char *const texts[3],
                        uintptr_t frame_pointer, uintptr_t return_address);
void census_scope_enter_under(uintptr_t restored[2], uint32_t node, uintptr_t frame_pointer,
                              uintptr_t return_address);

/* The calling thread's; NULL until its first function. */
static _Thread_local hpp_centres *own_centres HPP_INITIAL_EXEC;

static hpp_centre_counter *find_counter(uint32_t node)
{
    hpp_thread *self = hpp__self;
    uint32_t site = self != NULL ? hpp__trie_site(node, HPP_CALL_ENTRY) : 0;
    hpp_window_cell *cell = site != 0 ? hpp__thread_cell(self, site) : NULL;
    return cell != NULL ? &cell->allocations : NULL;
}

/* Returns the calling thread's cost-centre stack, or NULL if the process is not profiled. */
static HPP_COLD hpp_centres *find_centres(void)
{
    if (!hpp__alive() && !hpp__process_wake()) {
        return NULL;
    }
    hpp_thread *self = hpp__self != NULL ? hpp__self : hpp__thread_begin();
    if (self != NULL && self->centres == NULL) {
        self->centres = hpp__centres_create(find_counter);
        if (self->centres != NULL) {
            hpp__centres_forget(self->centres, self->stack_low, self->stack_end);
            self->generation = 0; /* its allocations now need the slower way */
        }
    }
    own_centres = self != NULL ? self->centres : NULL;
    return own_centres;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Frame pointers identify frames; the entries pass the calling function's. */
HPP_ASM_FUNCTION(".globl", "__cyg_profile_func_enter",
                 HPP_ENTRY_FRAME HPP_JUMP("hpp__on_function_entry"));
HPP_ASM_FUNCTION(".globl", "__cyg_profile_func_exit",
                 HPP_EXIT_FRAME HPP_JUMP("hpp__on_function_exit"));

static HPP_NO_INLINE void enter_slowly(uintptr_t function, uintptr_t return_address,
                                       uintptr_t frame_pointer)
{
    hpp_centres *centres = own_centres;
    if (centres == NULL || !hpp__alive()) {
        centres = find_centres();
    }
    if (centres != NULL) {
        hpp__centres_enter(centres, hpp__centres_key(function, HPP_NODE_ENTRY), frame_pointer,
                           return_address);
    }
}

void hpp__on_function_entry(uintptr_t function, uintptr_t return_address, uintptr_t frame_pointer)
{
    hpp_centres *centres = own_centres;
    if (HPP_UNLIKELY(centres == NULL || !hpp__alive() ||
                     !hpp__centres_enter_usual(centres, hpp__centres_key(function, HPP_NODE_ENTRY),
                                               frame_pointer, return_address))) {
        enter_slowly(function, return_address, frame_pointer);
    }
}

void hpp__on_function_exit(uintptr_t function, uintptr_t return_address, uintptr_t frame_pointer)
{
    (void)function;
    (void)return_address;
    hpp_centres *centres = own_centres;
    if (HPP_LIKELY(centres != NULL) &&
        HPP_UNLIKELY(!hpp__centres_leave_usual(centres, frame_pointer))) {
        hpp__centres_leave(centres, frame_pointer);
    }
}

/* ---- skipped exits --------------------------------------------------------------------------- */

enum { LONGJMP, LONGJMP_BSD, SIGLONGJMP, LONGJMP_CHECKED, N_JUMPS, BEGIN_CATCH = N_JUMPS };
static const char *const jump_names[N_JUMPS] = {
    [LONGJMP] = "longjmp",
    [LONGJMP_BSD] = "_longjmp",
    [SIGLONGJMP] = "siglongjmp",
    [LONGJMP_CHECKED] = "__longjmp_chk",
};
static _Atomic(hpp_code *) jumps[N_JUMPS];

hpp_code *hpp__before_skipping(const uintptr_t arguments[], uintptr_t index, uintptr_t sp,
                               uintptr_t pc);

/* Returns the next function of that name. */
static hpp_code *find_jump(uintptr_t index)
{
    hpp_code *code = atomic_load_explicit(&jumps[index], memory_order_relaxed);
    if (HPP_UNLIKELY(code == NULL)) {
        code = (hpp_code *)(uintptr_t)dlsym(RTLD_NEXT, jump_names[index]);
        atomic_store_explicit(&jumps[index], code, memory_order_relaxed);
    }
    return code;
}

/* Before a signal handler may call them. */
__attribute__((constructor)) static void find_jumps(void)
{
    for (uintptr_t i = 0; i < N_JUMPS; i++) {
        find_jump(i);
    }
}

/* Closes the functions that a call skips. Returns the function that is to be called. */
hpp_code *hpp__before_skipping(const uintptr_t arguments[], uintptr_t index, uintptr_t sp,
                               uintptr_t pc)
{
    if (own_centres != NULL) {
        const uintptr_t *buffer = (const uintptr_t *)arguments[0];
        hpp__centres_skip(own_centres, index == BEGIN_CATCH ? sp : hpp__jump_sp(buffer));
    }
    return index == BEGIN_CATCH ? hpp__cxx_next(HPP_CXX_BEGIN_CATCH, pc) : find_jump(index);
}

#define SKIPPING(name, index)                                                                      \
    HPP_ASM_FUNCTION(".globl", name, HPP_CALL_THEN_JUMP("hpp__before_skipping", #index))
SKIPPING("longjmp", 0);
SKIPPING("_longjmp", 1);
SKIPPING("siglongjmp", 2);
SKIPPING("__longjmp_chk", 3);
SKIPPING("__cxa_begin_catch", 4);

/* ---- scopes ---------------------------------------------------------------------------------- */

static void copy_text(char *to, size_t room, const char *text)
{
    memcpy(to, text, strnlen(text, room - 1));
}

/* Returns the number of a new cost centre; 0 if there is no room. */
static HPP_COLD uint32_t add_scope(const char *const texts[3])
{
    uint32_t index = hpp__window_next(&hpp__window->head.n_scopes, HPP_MAX_SCOPES);
    if (index == UINT32_MAX) {
        return 0;
    }
    hpp_window_scope *scope = &hpp__window->scopes[index];
    copy_text(scope->label, sizeof(scope->label), texts[0]);
    copy_text(scope->module, sizeof(scope->module), texts[1]);
    copy_text(scope->source, sizeof(scope->source), texts[2]);
    atomic_store_explicit(&scope->is_complete, 1, memory_order_release);
    return index + 1;
}

/* Returns the calling thread's cost-centre stack, which begins with two words that the end of a
 * scope restores; NULL if the process is not profiled. */
HPP_EXPORT void *census_scopes(void)
{
    return HPP_LIKELY(own_centres != NULL && hpp__alive()) ? own_centres : find_centres();
}

/* Stores what the end of a scope restores. */
static void keep_before(uintptr_t restored[2], bool is_entered)
{
    const hpp_centre_frame *top = own_centres->top - is_entered;
    restored[0] = is_entered ? top->before : own_centres->current;
    restored[1] = (uintptr_t)top;
}

/* Enters a scope of the calling thread, for which census_scopes has returned a stack. `*number`
 * belongs to the cost centre, and is 0 before the first time; `texts` are its label, module and
 * source. */
HPP_EXPORT void census_scope_enter(uintptr_t restored[2], uint32_t *number,
                                   const char *const texts[3], uintptr_t frame_pointer,
                                   uintptr_t return_address)
{
    uint32_t key = __atomic_load_n(number, __ATOMIC_RELAXED);
    if (HPP_UNLIKELY(key == 0)) {
        key = add_scope(texts);
        __atomic_store_n(number, key, __ATOMIC_RELAXED);
    }
    keep_before(restored,
                key != 0 && hpp__centres_enter(own_centres, hpp__centres_key(key, HPP_NODE_SCOPE),
                                               frame_pointer, return_address));
}

/* The same for a scope that continues under `node`, which was current before. */
HPP_EXPORT void census_scope_enter_under(uintptr_t restored[2], uint32_t node,
                                         uintptr_t frame_pointer, uintptr_t return_address)
{
    keep_before(restored,
                hpp__centres_enter_under(own_centres, node, frame_pointer, return_address));
}
