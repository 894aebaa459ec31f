/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Exact lives and images: a process is stopped after its instructions, since an image may be taken
 * after any of them. Whatever the image does not show of a block that dies is reported.
 */
#include "native/target/lives/exact.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/target/compiled/shadow.h"
#include "native/target/counting/thread.h"
#include "native/window/life_table.h"
#include "native/window/window_writer.h"
#include "sanitizer.h"

enum { MIB = 1 << 20, BLOCK_BYTES = 64, BIRTH = 3, NOW = 7 };

/* Of the parts of the preload library that are not tested. */
_Thread_local hpp_thread *hpp__self;
hpp_alive_page hpp__alive_page;
_Atomic uint32_t hpp__alive_kind;
hpp_thread *hpp__thread_at(uint32_t index)
{
    (void)index;
    return NULL;
}

static _Alignas(16) char block[BLOCK_BYTES];
static volatile bool *has_acted; /* shared with the children */

static uint64_t word_of_block(void)
{
    _Atomic(uint64_t *) *leaves = (void *)(uintptr_t)hpp__window->head.life_table;
    uintptr_t granule = (uintptr_t)block / HPP_GRANULE_BYTES;
    return leaves[granule / HPP_GRANULES_PER_LIFE_LEAF][granule % HPP_GRANULES_PER_LIFE_LEAF];
}

static uint32_t last_use(uint64_t word)
{
    return (uint32_t)(word >> HPP_LIFE_LAST_USE_SHIFT) & HPP_LIFE_LAST_USE_MASK;
}

static void enter_era(uint32_t era)
{
    hpp__window->head.wanted_era = era;
    hpp__exact_keep_up();
}

/* Makes a block in era BIRTH, whose creation has ended in era NOW. */
static void begin(void)
{
    const char *reason;
    hpp_block before;
    if (HAS_SANITIZER) {
        cr_skip_test("AddressSanitizer has its shadow at the same place");
    }
    cr_assert(ge(int, hpp__window_make(&reason, 64 * MIB), 0));
    void *page = (void *)((uintptr_t)hpp__shadow_of((uintptr_t)block) / 4096 * 4096);
    cr_assert(eq(ptr, page,
                 mmap(page, 8192, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)));
    has_acted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    hpp__window->head.n_sites = 4;
    hpp__exact_start();
    enter_era(BIRTH);
    cr_assert(hpp__blocks_put(block, 3, BLOCK_BYTES, &before));
    hpp__exact_begin(block);
    enter_era(NOW);
}

TestSuite(exact, .init = begin, .timeout = 60);

static void use(void)
{
    hpp__exact_use((uintptr_t)block);
}

static void end(void)
{
    hpp__exact_end(block);
}

/* Starts a child that waits before `act`. */
static pid_t start(void (*act)(void))
{
    *has_acted = false;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        act();
        *has_acted = true;
        raise(SIGSTOP);
        _exit(0);
    }
    cr_assert(eq(int, waitpid(child, NULL, 0), child));
    return child;
}

/* Executes an instruction, or with PTRACE_CONT all. Returns whether there are more. */
static bool step(pid_t child, enum __ptrace_request request)
{
    cr_assert(zero(long, ptrace(request, child, NULL, NULL)));
    cr_assert(eq(int, waitpid(child, NULL, 0), child));
    return !*has_acted;
}

/* Reads the word of the block in a child. */
static uint64_t word_in(pid_t child)
{
    _Atomic(uint64_t *) *leaves = (void *)(uintptr_t)hpp__window->head.life_table;
    uintptr_t granule = (uintptr_t)block / HPP_GRANULE_BYTES;
    uint64_t *leaf = leaves[granule / HPP_GRANULES_PER_LIFE_LEAF];
    return (uint64_t)ptrace(PTRACE_PEEKDATA, child, leaf + granule % HPP_GRANULES_PER_LIFE_LEAF,
                            NULL);
}

static void stop(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static bool is_reported(void)
{
    uint32_t page = hpp__window->death_pages[0];
    const hpp_window_death *record = page != 0 ? hpp__window_at(page) : NULL;
    return record != NULL && record->number == 1 && record->address == (uintptr_t)block &&
           record->birth == BIRTH && record->last_use == NOW;
}

Test(exact, a_block_has_its_life_until_its_death_is_reported)
{
    use();
    hpp__window->head.image_era = NOW;
    pid_t child = start(end);
    int n_before = 0, n_after = 0;
    while (step(child, PTRACE_SINGLESTEP)) {
        bool is_alive = word_in(child) != 0;
        cr_assert(is_alive || is_reported());
        n_before += is_alive;
        n_after += !is_alive;
    }
    stop(child);
    cr_assert(gt(int, n_before, 0));
    cr_assert(gt(int, n_after, 0));
}

/* Another thread begins an era, and an image is taken, after every fifth instruction of a use. */
Test(exact, a_use_that_an_image_misses_is_one_of_a_later_era)
{
    hpp_window_head *head = &hpp__window->head;
    bool is_used = false;
    for (int n_steps = 1; !is_used; n_steps += 5) {
        head->era = head->wanted_era = NOW;
        pid_t child = start(use);
        for (int i = 0; i < n_steps && !is_used; i++) {
            is_used = !step(child, PTRACE_SINGLESTEP);
        }
        uint64_t shown = word_in(child);
        head->era = NOW + 1;
        head->wanted_era = NOW + 2;
        step(child, PTRACE_CONT);
        cr_assert(ge(u32, last_use(word_in(child)), last_use(shown) != 0 ? NOW : NOW + 1),
                  "after %d instructions", n_steps);
        stop(child);
    }

    cr_assert(zero(u32, last_use(word_of_block()))); /* only children have used it */
}
