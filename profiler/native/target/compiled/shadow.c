/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The shadow of a program's memory: a byte for 8 bytes. Before each access, code that `census cc`
 * compiled checks that it is 0, as with AddressSanitizer, and otherwise calls a function here. Only
 * `census run -hb` sets it (preload/exact.h); else the shadow is reserved address space that
 * shares one page of zeros.
 *
 * Each program and shared object has a copy of this file. The first one reserves the shadow, before
 * the constructors of the program.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "census/hook.h"
#include "shadow.h"

void census_cc_start(void)
{
    void *place = (void *)HPP_SHADOW_OFFSET; /* NOLINT(performance-no-int-to-ptr) */
    /* Not by mmap(), which counts the memory of the program. */
    long shadow = syscall(SYS_mmap, place, HPP_SHADOW_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (shadow != (long)HPP_SHADOW_OFFSET && shadow != -1) {
        syscall(SYS_munmap, shadow, HPP_SHADOW_BYTES);
    }
    /* This fails if a part of the range is not mapped. */
    if (madvise(place, HPP_SHADOW_BYTES, MADV_NOHUGEPAGE) != 0) {
        static const char message[] =
            "census cc: cannot reserve the shadow memory of this program: address space may be "
            "limited (ulimit -v)\n";
        /* Not by write(), which checks the shadow. */
        syscall(SYS_write, STDERR_FILENO, message, sizeof message - 1);
        _exit(126);
    }
    madvise(place, HPP_SHADOW_BYTES, MADV_DONTDUMP);
    void (*announce)(void);
    CENSUS_FIND_HOOK(announce, census_shadow_ready);
    if (announce) {
        announce();
    }
}

/* In shared objects; before all constructors with a priority. */
__attribute__((section(".init_array.00000"),
               used)) static void (*const start)(void) = census_cc_start;

void hpp__shadow_hit(uintptr_t address)
{
    void (*use)(uintptr_t used);
    CENSUS_FIND_HOOK(use, census_block_used);
    if (use) {
        use(address);
    }
}

#define HIT(name)                                                                                  \
    void name(uintptr_t address);                                                                  \
    void name(uintptr_t address)                                                                   \
    {                                                                                              \
        hpp__shadow_hit(address);                                                                  \
    }
#define CHECK(name)                                                                                \
    void name(uintptr_t address);                                                                  \
    void name(uintptr_t address)                                                                   \
    {                                                                                              \
        hpp__shadow_check((const void *)address);                                                  \
    }
#define CHECK_RANGE(name)                                                                          \
    void name(uintptr_t address, size_t n_bytes);                                                  \
    void name(uintptr_t address, size_t n_bytes)                                                   \
    {                                                                                              \
        if (n_bytes > 0) {                                                                         \
            hpp__shadow_check((const void *)address);                                              \
        }                                                                                          \
    }
#define ACCESS(kind)                                                                               \
    HIT(__asan_report_##kind##1_noabort)                                                           \
    HIT(__asan_report_##kind##2_noabort)                                                           \
    HIT(__asan_report_##kind##4_noabort)                                                           \
    HIT(__asan_report_##kind##8_noabort)                                                           \
    HIT(__asan_report_##kind##16_noabort)                                                          \
    CHECK_RANGE(__asan_report_##kind##_n_noabort)                                                  \
    CHECK(__asan_##kind##1_noabort)                                                                \
    CHECK(__asan_##kind##2_noabort)                                                                \
    CHECK(__asan_##kind##4_noabort)                                                                \
    CHECK(__asan_##kind##8_noabort)                                                                \
    CHECK(__asan_##kind##16_noabort)                                                               \
    CHECK_RANGE(__asan_##kind##N_noabort)
ACCESS(load)
ACCESS(store)

/* Before calls that do not return: the stack has no shadow here. */
void __asan_handle_no_return(void);
void __asan_handle_no_return(void)
{
}

/* Before and after the constructors of global variables of C++, by gcc: they have no shadow either.
 */
void __asan_before_dynamic_init(const char *unit);
void __asan_before_dynamic_init(const char *unit)
{
    (void)unit;
}
void __asan_after_dynamic_init(void);
void __asan_after_dynamic_init(void)
{
}
