/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A library that was loaded with RTLD_LOCAL brings its C++ run time along, which only it and what
 * it needs can see. Its calls reach this library nevertheless, since that is first in the global
 * scope. So the next function is looked for in the global scope, then in the scope of the caller.
 * The loader has a lock: what was found is kept by the place of the call, until libraries change.
 */
#include "cxx_runtime.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "native/target/counting/process_state.h"
#include "native/target/unwind/modules.h"

enum { N_KEPT = 256, GENERATION_SHIFT = 47 };

static const char *const names[HPP_N_CXX] = {
    [HPP_CXX_THROW] = "__cxa_throw",
    [HPP_CXX_BEGIN_CATCH] = "__cxa_begin_catch",
};

static _Atomic(hpp_code *) global[HPP_N_CXX]; /* in the global scope; NULL: none known */
static atomic_bool is_not_global[HPP_N_CXX];
static HPP_LARGE struct {
    _Atomic uint64_t call; /* its address and generation; stored last */
    _Atomic(hpp_code *) code;
} kept[HPP_N_CXX][N_KEPT];

static hpp_code *look_up(void *scope, hpp_cxx_function function)
{
    return scope != NULL ? (hpp_code *)(uintptr_t)dlsym(scope, names[function]) : NULL;
}

/* Looks in the scope of an object that is loaded. */
static hpp_code *look_in_scope_of(const char *path, hpp_cxx_function function)
{
    void *scope = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    hpp_code *code = look_up(scope, function);
    if (scope != NULL) {
        dlclose(scope);
    }
    return code;
}

static HPP_COLD hpp_code *find_late(hpp_cxx_function function, uintptr_t pc)
{
    static const char *const usual[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
    Dl_info caller;
    hpp_code *code = is_not_global[function] ? NULL : look_up(RTLD_NEXT, function);
    if (code != NULL) {
        atomic_store(&global[function], code);
        return code;
    }
    is_not_global[function] = true;
    if (dladdr((const void *)(pc - 1), &caller) != 0) {
        code = look_in_scope_of(caller.dli_fname, function);
    }
    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual) && code == NULL; i++) {
        code = look_in_scope_of(usual[i], function);
    }
    if (code == NULL) {
        abort(); /* without this library, the loader would have ended the program */
    }
    return code;
}

hpp_code *hpp__cxx_next(hpp_cxx_function function, uintptr_t pc)
{
    hpp_code *code = atomic_load_explicit(&global[function], memory_order_relaxed);
    if (HPP_LIKELY(code != NULL)) {
        return code;
    }
    size_t place = pc / 4 % N_KEPT;
    uint64_t generation = atomic_load_explicit(&hpp__generation, memory_order_acquire);
    uint64_t call = pc | generation << GENERATION_SHIFT;
    if (atomic_load_explicit(&kept[function][place].call, memory_order_acquire) == call) {
        code = atomic_load_explicit(&kept[function][place].code, memory_order_acquire);
        if (atomic_load_explicit(&kept[function][place].call, memory_order_relaxed) == call) {
            return code;
        }
    }
    code = find_late(function, pc);
    if (hpp__alive()) { /* else there are no generations */
        atomic_store(&kept[function][place].call, 0);
        atomic_store(&kept[function][place].code, code);
        atomic_store(&kept[function][place].call, call);
    }
    return code;
}
