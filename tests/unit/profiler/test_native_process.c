/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a program does in the middle of a look at its window: the memory of a counter, which the
 * look reads after it has refreshed the window, cannot be read at first, and the signal handler
 * plays the program.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made_window.h"
#include "native/collector/profiled_process.h"
#include "scratch.h"

enum { SIZE_BYTES = 4 << 20, BLOCK_BYTES = 100, PEAK_BYTES = 5000 };

static hpp_options *profile;
static hpp__queue queue;
static hpp__names *names;
static hpp__process *process;
static made_window made;
static int file; /* of the window */
static uint32_t node;

static void begin(void)
{
    scratch_begin();
    profile = hpp_options_create();
    file = memfd_create("window", MFD_ALLOW_SEALING);
    cr_assert_eq(ftruncate(file, SIZE_BYTES), 0);
    cr_assert_eq(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    void *bytes = mmap(NULL, SIZE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    made_window_begin(&made, bytes, SIZE_BYTES);
    made.window->head.process_id = (uint32_t)getpid();
    made.window->head.key = (uint64_t)getpid() << 32 | 1;
    node = made_node(&made, 0x1003, 0, 0);
    made_allocate(&made, made_slot(&made, (uint32_t)getpid()),
                  made_site(&made, node, HPP_CALL_MALLOC), 1, BLOCK_BYTES);
}

/* Begins to profile with options of census run. */
static void start(const char *text)
{
    hpf_error err;
    cr_assert_eq(hpp_options_parse(profile, (hpf_str){text, strlen(text)}, &err), HPF_OK);
    const hpp_collector_options options = {.size = sizeof options, .profile = profile};
    cr_assert_eq(hpp__names_create(&names, NULL, 0, &err), HPF_OK);
    static hpp__memory_look memory_look;
    static hpp__largest largest;
    static hpp__other_programs other_programs;
    const hpp__profile_options to = {.profile = profile,
                                     .memory_look = &memory_look,
                                     .largest = &largest,
                                     .other_programs = &other_programs,
                                     .names = names,
                                     .process_id = (uint32_t)getpid(),
                                     .base = scratch_path("prog")};
    hpp__queue_start(&queue);
    cr_assert_eq(hpp__process_create(&process, file, -1, &to, &options, &queue, &err), HPF_OK);
    hpp__process_begin(process, true);
}

static void end(void)
{
    hpp__queue_stop(&queue);
    hpp__process_destroy(process);
    hpp__names_destroy(names);
    hpp_options_destroy(profile);
    munmap(made.window, SIZE_BYTES);
    scratch_end();
}

TestSuite(native_process, .init = begin, .fini = end, .timeout = 60);

/* The counters, as the collector reads them. */
static void *counters(void)
{
    const hpp_window_slot *slot = hpp__window_reader_slot(&process->reader, 0);
    return (void *)(uintptr_t)hpp__window_reader_cells(&process->reader, slot, 0);
}

static void grow_and_shrink(int signal_number)
{
    (void)signal_number;
    mprotect(counters(), HPP_WINDOW_PAGE_BYTES, PROT_READ | PROT_WRITE);
    made_peak(&made, 0, made_site(&made, node, HPP_CALL_CALLOC), PEAK_BYTES);
}

Test(native_process, sees_a_peak_of_a_site_that_came_after_the_refresh)
{
    start("");
    signal(SIGSEGV, grow_and_shrink);
    cr_assert_eq(mprotect(counters(), HPP_WINDOW_PAGE_BYTES, PROT_NONE), 0);
    hpp__process_tick(process, 1);
    cr_assert_eq(made.window->head.n_peaks, 1);
    hpp__process_tick(process, 1);
    cr_assert_eq(process->largest_bytes, BLOCK_BYTES + PEAK_BYTES);
    hpp__process_end(process, false);
    hpp__queue_stop(&queue);
    cr_assert_eq(process->remains.figures.peak_bytes, BLOCK_BYTES + PEAK_BYTES);
}

/* Ticks of a program that has stored any number of them. */
Test(native_process, writes_no_more_ticks_than_there_was_time_for)
{
    start("-hc -l -p");
    made_allocate(&made, 0, made_site(&made, node, HPP_CALL_TICK), UINT64_C(1) << 62, 0);
    hpp__process_tick(process, 1);
    hpp__process_end(process, false);
    hpp__queue_stop(&queue);
    cr_assert_eq(process->remains.figures.error.status, HPF_OK);
}

static bool is_hurried(void *context)
{
    return ++*(int *)context > 3;
}

Test(native_process, waits_for_images_until_it_is_hurried)
{
    const uint64_t an_hour_ns = UINT64_C(3600) * 1000000000;
    int n_asked = 0;
    start("-hr");
    process->is_hurried = is_hurried;
    process->is_hurried_context = &n_asked;
    for (size_t i = 0; i < HPP__MAX_COPIES; i++) {
        process->freezer.copies[i].is_open = true;
    }
    hpp__process_leave(process, an_hour_ns, false, -1);
    cr_expect_eq(n_asked, 4);
    hpp__process_close_images(process, an_hour_ns);
    cr_expect_eq(n_asked, 5);
    hpp__process_leave(process, an_hour_ns, false, -1); /* there will be no image */
    cr_expect_eq(n_asked, 5);
    hpp__process_end(process, false);
    hpp__queue_stop(&queue);
}

/* ---- A queue without room ---- */

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;

static void wait_for_busy(hpp__job *job)
{
    (void)job;
    pthread_mutex_lock(&busy);
    pthread_mutex_unlock(&busy);
}

Test(native_process, misses_samples_of_the_clock_but_none_of_peaks_that_come_again)
{
    static hpp__job first = {.run = wait_for_busy}, large = {.run = wait_for_busy};
    large.n_bytes = (size_t)1 << 30;
    start("-hc");
    pthread_mutex_lock(&busy);
    hpp__queue_add(&queue, &first);
    hpp__queue_add(&queue, &large);
    for (int i = 0; i < 3; i++) {
        hpp__process_peak(process, -1);
    }
    cr_expect_eq(process->n_missed, 0);
    cr_expect_gt(process->control->peak_image_ns, 0, "the program asks again at once");
    hpp__process_tick(process, 1);
    cr_expect_eq(process->n_missed, 1);
    hpp__process_tick(process, 3);
    cr_expect_eq(process->n_missed, 4);
    pthread_mutex_unlock(&busy);
    hpp__process_end(process, false);
    hpp__queue_stop(&queue);
}

Test(native_process, keeps_totals_when_it_must_end_soon)
{
    static hpp__job first = {.run = wait_for_busy};
    start("-hc");
    pthread_mutex_lock(&busy);
    hpp__queue_add(&queue, &first);
    hpp__process_tick(process, 1);
    made_allocate(&made, 0, made_site(&made, node, HPP_CALL_CALLOC), 1, PEAK_BYTES);
    hpp__process_end(process, false);
    cr_expect_not(hpp__queue_stop_within(&queue, 1));
    hpp__queue_hurry(&queue);
    hpp__names_hurry(names);
    cr_expect_not(hpp__queue_stop_within(&queue, 1));
    pthread_mutex_unlock(&busy);
    hpp__queue_stop(&queue);
    cr_expect(hpp__queue_stop_within(&queue, 0));
    const hpp_process_figures *figures = &process->remains.figures;
    cr_expect_eq(figures->error.status, HPF_OK);
    cr_expect_eq(figures->allocated_bytes, BLOCK_BYTES + PEAK_BYTES);
    cr_expect_eq(figures->peak_bytes, BLOCK_BYTES + PEAK_BYTES);
}
