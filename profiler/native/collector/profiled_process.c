/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A process's clock and its censuses; what follows from them are jobs for the queue.
 */
#include "base/arena.h"
#include "base/descriptor.h"
#include "hpfile/recording_writer.h"
#include "process_jobs.h"
#include "profiled_process.h"

#include "native/collector/image/watched_pages.h"
#include "native/machine/clock.h"
#include "collector_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t last_patience_ns = 2000000000;
static const uint64_t small_bytes = 64 << 20; /* live in a process that may have many images */
static const uint64_t peak_patience_ns = 100000000; /* for all images of peaks together */
static const uint64_t most_held_ns = 200000000; /* while an image is open, writing costs copies */
static const uint64_t rest = 16; /* time between pauses, or looks, in times of the last one */
static const uint64_t longest_run_ns = UINT64_C(1000000000) * 60 * 60 * 24 * 3660;

/* ---- The clock ---- */

static void look_at_clock(hpp__process *p)
{
    uint64_t cpu_ns;
    p->before = p->last;
    p->last.ns = hpp__now_ns();
    if (hpp__proc_cpu_ns(p->process_id, &cpu_ns) && cpu_ns > p->last.cpu_ns) {
        p->last.cpu_ns = cpu_ns;
    }
}

/* Interpolates the processor time at a moment between the last two readings. */
static uint64_t cpu_ns_at(const hpp__process *p, uint64_t at_ns)
{
    if (at_ns <= p->before.ns || p->last.ns <= p->before.ns) {
        return p->before.cpu_ns;
    }
    double part = (double)(at_ns - p->before.ns) / (double)(p->last.ns - p->before.ns);
    return p->before.cpu_ns + (uint64_t)(part * (double)(p->last.cpu_ns - p->before.cpu_ns));
}

/* Returns the profile's time of a moment up to the last reading. It is rounded to six decimals, so
 * that it is the same in all files. */
static double seconds_at(const hpp__process *p, uint64_t at_ns)
{
    at_ns = at_ns < p->last.ns ? at_ns : p->last.ns;
    uint64_t from_ns = p->by_cpu_time ? p->start_cpu_ns : p->start_ns;
    uint64_t to_ns = at_ns == p->last.ns ? p->last.cpu_ns : cpu_ns_at(p, at_ns);
    to_ns = p->by_cpu_time ? to_ns : at_ns;
    return to_ns > from_ns ? (double)((to_ns - from_ns) / 1000) / 1e6 : 0;
}

/* The same, for what is written: it never decreases. */
static double time_of(hpp__process *p, uint64_t at_ns)
{
    double time_s = seconds_at(p, at_ns);
    p->last_s = time_s > p->last_s ? time_s : p->last_s;
    return p->last_s;
}

static void start_clock(hpp__process *p)
{
    look_at_clock(p);
    uint64_t start_ns = p->reader.window->head.start_ns;
    bool is_sane = start_ns <= p->last.ns && p->last.ns - start_ns < longest_run_ns;
    p->start_ns = is_sane ? start_ns : p->last.ns;
    p->start_cpu_ns = p->rate_cpu_ns = p->last.cpu_ns;
    p->next_cpu_ns = p->last.cpu_ns + p->interval_ns;
    p->before = p->last;
}

/* ---- Looking ---- */

static void queue_mark(hpp__process *p, uint64_t at_ns, const char *text, size_t length)
{
    hpp__process_job *j = hpp__process_job_new(p, HPP__JOB_MARK);
    if (j) {
        size_t most = sizeof j->mark - 1;
        memcpy(j->mark, text, length < most ? length : most);
        j->mark_s = time_of(p, at_ns);
        hpp__process_job_add(p, j);
    }
}

/* Returns whether the window has a begin or end of a thread that was not queued. Skips one that its
 * thread does not complete. */
static bool next_thread_event(hpp__process *p, hpp_window_thread_event *out)
{
    uint64_t n = p->reader.n_thread_events;
    bool is_sane = n - p->n_thread_events <= HPP_MAX_THREAD_EVENTS;
    while (is_sane && p->n_thread_events < n &&
           !hpp__window_reader_thread_event(&p->reader, p->n_thread_events, out)) {
        if (n - p->n_thread_events < HPP_MAX_THREAD_EVENTS / 2) {
            return false;
        }
        p->n_thread_events++;
    }
    return is_sane && p->n_thread_events < n;
}

static void queue_thread(hpp__process *p, const hpp__thread_event *event, uint64_t at_ns)
{
    hpp__process_job *j = hpp__process_job_new(p, HPP__JOB_THREAD);
    if (j) {
        j->thread = *event;
        j->mark_s = time_of(p, at_ns);
        hpp__process_job_add(p, j);
    }
}

/* Queues names of threads that are new at this look. */
static void queue_names(hpp__process *p)
{
    for (uint32_t i = 0; p->logs_threads && i < p->threads.n_slots; i++) {
        hpp__held_slot *slot = &p->threads.slots[i];
        if (slot->has_new_name) {
            hpp__thread_event event = {.slot_index = i, .thread_id = slot->thread_id};
            memcpy(event.name, p->threads.names[slot->name_index].text, sizeof event.name);
            queue_thread(p, &event, p->last.ns);
            slot->has_new_name = false;
        }
    }
}

/* Queues marks, begins and ends of threads of the window in the order of time, up to a time or to
 * one that is not complete yet. */
static void queue_events(hpp__process *p, uint64_t end_ns)
{
    hpp__window_mark mark;
    hpp_window_thread_event thread;
    for (;;) {
        bool has_mark = hpp__window_reader_mark(&p->reader, p->n_marks, &mark);
        bool has_thread = p->logs_threads && next_thread_event(p, &thread);
        uint64_t mark_ns = has_mark ? mark.time_ns : UINT64_MAX;
        uint64_t thread_ns = has_thread ? thread.time_ns : UINT64_MAX;
        if ((!has_mark && !has_thread) || (mark_ns > end_ns && thread_ns > end_ns)) {
            return;
        }
        if (has_thread && thread_ns <= mark_ns) {
            hpp__thread_event event = {.slot_index = thread.slot_index,
                                       .thread_id = thread.thread_id,
                                       .begins = !thread.is_end,
                                       .ends = thread.is_end != 0};
            memcpy(event.name, thread.name, sizeof event.name);
            queue_thread(p, &event, thread_ns);
            p->n_thread_events++;
        } else {
            queue_mark(p, mark_ns, mark.text, strlen(mark.text));
            p->n_marks++;
        }
    }
}

static bool has_room(const hpp__process *p, size_t *n_bytes)
{
    *n_bytes = sizeof(hpp__process_job) + p->reader.n_sites * sizeof(hpp__costs);
    return hpp__queue_has_room(p->queue, *n_bytes);
}

/* Returns the total below which only the row of most processes will be used: the recording is the
 * only output and keeps no log of so small a process, and the summary describes another process,
 * the first of the largest ones. 0: there is none. `is_later`: than that one. */
static uint64_t usual_row_bytes(const hpp__profile_options *o, bool is_later)
{
    const hpp_options *profile = o->profile;
    bool is_read_otherwise = !o->recording || !o->without_hp || !o->without_prof ||
                             !o->without_eventlog || o->costs || o->latest ||
                             profile->print_on_abort || profile->heap_bins || profile->time_bins;
    bool is_more_than_sums = o->is_attached || profile->snapshot != HPP_SNAPSHOT_NEVER ||
                             profile->rate_bytes > 0 || profile->report != HPP_REPORT_NONE ||
                             profile->census->n_restrictions > 0 ||
                             hpp_census_asks_for(profile->census, HPF_BREAKDOWN_BIOGRAPHY);
    if (is_read_otherwise || is_more_than_sums) {
        return 0;
    }
    uint64_t next_bytes = o->largest->live_bytes + is_later;
    return next_bytes < HPF_RECORDING_LEAST_BYTES ? next_bytes : HPF_RECORDING_LEAST_BYTES;
}

/* Returns the same of a process if it ends with `n_more` samples, and has never been larger. */
static uint64_t row_bytes(const hpp__process *p, uint64_t n_more)
{
    bool is_other = p->is_first || p->is_haskell || p->is_snapshot_wanted ||
                    p->n_samples + n_more >= HPF_RECORDING_LEAST_SAMPLES ||
                    p->profile_options.largest->process_id == p->process_id;
    bool is_later = p->profile_options.order > p->profile_options.largest->order;
    return is_other ? 0 : usual_row_bytes(&p->profile_options, is_later);
}

static bool is_row(hpp__process *p, uint64_t n_more)
{
    uint64_t least_bytes = row_bytes(p, n_more);
    if (least_bytes == 0) {
        return false;
    }
    hpp__window_sums sums = {0};
    hpp__window_peak peak;
    hpp__window_reader_refresh(&p->reader);
    bool is_known = hpp__window_sums_take(&sums, &p->reader);
    uint64_t most = hpp__window_sums_live_bytes(&sums);
    hpp__window_sums_finish(&sums);
    bool has_peak = hpp__window_reader_peak(&p->reader, &peak) && peak.live_bytes > most;
    most = has_peak ? peak.live_bytes : most;
    most = p->largest_bytes > most ? p->largest_bytes : most;
    return is_known && most < least_bytes;
}

/* Lets a process of which only the row will be used exit without asking for a last image, and those
 * that it starts. */
static void note_small(hpp__process *p)
{
    if (p->with_images) {
        atomic_store(&p->control->small_bytes, row_bytes(p, 1));
        atomic_store(&p->control->started_small_bytes, usual_row_bytes(&p->profile_options, true));
    }
}

/* Queues a sample of the largest total that the program had noted at the last refresh, if it
 * exceeds `now_bytes` and all samples. It has no image. A newer one waits for the next look. */
static void queue_peak(hpp__process *p, uint64_t now_bytes, bool is_of_row)
{
    hpp__window_peak peak;
    size_t n_bytes;
    bool is_new = !p->with_images && hpp__window_reader_peak(&p->reader, &peak) &&
                  peak.number != p->peak_number;
    hpp__process_job *j =
        is_new && has_room(p, &n_bytes) ? hpp__process_job_new(p, HPP__JOB_SAMPLE) : NULL;
    if (!j || !hpp__window_sums_take_peak(&j->snapshot.sums, &peak, &p->reader)) {
        hpp__process_job_free(j);
        return;
    }
    uint64_t peak_bytes = hpp__window_sums_live_bytes(&j->snapshot.sums);
    p->peak_number = peak.number;
    if (peak_bytes <= now_bytes || peak_bytes <= p->largest_bytes) {
        hpp__process_job_free(j);
        return;
    }
    uint64_t at_ns = peak.time_ns != 0 ? peak.time_ns : p->last.ns;
    queue_events(p, at_ns);
    j->snapshot.time_s = time_of(p, at_ns);
    j->snapshot.reader = p->reader;
    j->snapshot.era = p->era;
    j->snapshot.resident_bytes = j->snapshot.profiler_bytes = -1;
    j->snapshot.is_peak = true;
    j->snapshot.is_of_row = is_of_row;
    j->job.n_bytes = n_bytes;
    p->largest_bytes = peak_bytes;
    hpp__process_job_add(p, j);
}

/* Keeps the largest total that the program had noted at the last refresh, if it is new: when it was
 * is known best now. That of a forked child includes what it has inherited. */
static void keep_peak(hpp__process *p)
{
    hpp__window_peak peak;
    if (p->with_images && !p->profile_options.haskell &&
        hpp__window_reader_peak(&p->reader, &peak) && peak.number != p->peak_number) {
        p->peak_number = peak.number;
        p->peak_bytes = peak.live_bytes;
        p->peak_s = seconds_at(p, peak.time_ns != 0 ? peak.time_ns : p->last.ns);
    }
}

/* Keeps the title that a process gave itself: the first one, and later the one of its largest
 * sample. (After exec it may be another program already, with a window that is still to come.) */
static void keep_title(hpp__process *p, uint64_t live_bytes)
{
    char title[sizeof p->title];
    hpp__program_id now;
    if (!hpp__proc_command(p->process_id, title, sizeof title) ||
        !hpp__proc_program(p->process_id, &now) || now.device != p->program.device ||
        now.inode != p->program.inode) {
        return;
    }
    bool is_new = strcmp(title, p->title) != 0;
    if (is_new && (p->n_titles < 2 || live_bytes > p->title_bytes)) {
        memcpy(p->title, title, sizeof title);
        p->n_titles++;
        p->title_bytes = live_bytes;
    } else if (!is_new && live_bytes > p->title_bytes) {
        p->title_bytes = live_bytes;
    }
}

static void look_at_limits(hpp__process *p, double resident_bytes)
{
    uint64_t taken = atomic_load(&p->control->taken_bytes);
    hpp__memory_watch_look(&p->memory, p->last.ns, resident_bytes, taken);
}

static void measure(hpp__process *p, hpp__process_sample *snapshot, bool is_alive)
{
    uint32_t process_id = is_alive ? p->process_id : 0;
    snapshot->profiler_bytes =
        hpp__memory_guard_measure(&p->guard, &p->reader, p->window, process_id, p->last.ns);
    double all_bytes = is_alive ? hpp__proc_resident_bytes(p->process_id) : -1;
    if (all_bytes < 0) {
        snapshot->resident_bytes = -1;
        snapshot->memory = p->memory.memory;
        return;
    }
    look_at_limits(p, all_bytes);
    snapshot->memory = p->memory.memory;
    double own_bytes = all_bytes - snapshot->profiler_bytes;
    snapshot->resident_bytes = own_bytes > 0 ? own_bytes : 0;
    uint32_t control =
        hpp__memory_guard_judge(&p->guard, snapshot->profiler_bytes, snapshot->resident_bytes);
    control |= p->wants_helper ? HPP_CONTROL_START_HELPER : 0;
    atomic_store_explicit(&p->control->control, control, memory_order_relaxed);
}

/* Returns whether the process has had its last image, and is about to exit. One that has isolated
 * itself, or is small, exits without notice. */
static bool has_left(hpp__process *p)
{
    const uint32_t silent = HPP_EVENT_ISOLATED | HPP_EVENT_LEFT_SMALL;
    bool wants_none = p->has_last_image || atomic_load(&p->control->events) & silent;
    return p->is_leaving || (wants_none && hpp__freezer_has_ended(&p->freezer));
}

/* Keeps the first reason why images are missed, or one that excludes images. */
static void miss_image(hpp__process *p, const hpf_error *err)
{
    if (!has_left(p)) {
        p->n_missed_images++;
        if (p->image_error.status == HPF_OK || err->status == HPF_ERR_UNSUPPORTED) {
            p->image_error = *err;
        }
    }
}

/* Waits a moment, if it is not `end_ns` yet. Returns whether it has. */
static bool wait_longer(const hpp__process *p, uint64_t end_ns)
{
    const struct timespec pause = {0, 1000000};
    bool may_wait =
        hpp__now_ns() < end_ns && !(p->is_hurried && p->is_hurried(p->is_hurried_context));
    return may_wait && (nanosleep(&pause, NULL), true);
}

/* Takes an image. Tries again, for `patience_ns` at most, while earlier images are being read. */
static void take_image(hpp__process *p, hpp__process_sample *snapshot, uint64_t patience_ns)
{
    hpf_error err;
    hpf_status status;
    uint64_t end_ns = hpp__now_ns() + patience_ns;
    uint32_t image_era = atomic_load(&p->control->image_era);
    p->freezer.max_copies =
        p->largest_bytes < small_bytes ? HPP__MAX_COPIES : HPP__MAX_LARGE_COPIES;
    p->freezer.waits_for_one = p->profile_options.haskell != NULL;
    if (p->with_lives) {
        p->freezer.next_era = (hpp__next_era){p->control, p->window, p->era + 1, p->with_images};
    }
    while ((status = hpp__freezer_take(&snapshot->image, &p->freezer, &p->reader, &err)) ==
               HPF_ERR_LIMIT &&
           wait_longer(p, end_ns)) {
    }
    if (status != HPF_OK) {
        atomic_store(&p->control->image_era, image_era);
        miss_image(p, &err);
    }
}

/* Fills an image, if there is one. The program need not wait for this. Until images have paused it
 * for a sixteenth of the time at most, only an urgent one follows: after each, the program copies
 * the pages that it writes, which can take longer than the pause. */
static void fill_image(hpp__process *p, hpp__process_sample *snapshot)
{
    hpf_error err;
    if (!snapshot->image) {
        return;
    }
    if (hpp__freezer_fill(snapshot->image, &p->freezer, &p->reader, &err) != HPF_OK) {
        hpp__image_close(snapshot->image);
        snapshot->image = NULL;
        miss_image(p, &err);
        return;
    }
    p->n_images++;
    double pause_s = snapshot->image->pause_s;
    p->image_pause_s += pause_s;
    p->longest_pause_s = pause_s > p->longest_pause_s ? pause_s : p->longest_pause_s;
    p->next_image_ns = hpp__now_ns() + (uint64_t)(pause_s * 1e9) * rest;
    p->n_moving = snapshot->image->n_moving;
}

/* Lets a program go that has asked for an image, and waits. */
static void let_go(hpp__process *p)
{
    if (p->caller >= 0) {
        hpp__collector_socket_answer(p->caller, true);
        p->caller = -1;
    }
}

/* Takes the deaths that the program had reported at the last refresh, after the image. Without
 * memory, they wait. */
static void take_deaths(hpp__process *p, hpp__process_sample *snapshot)
{
    uint64_t n = p->reader.n_deaths - p->n_deaths;
    n = n < HPP_MAX_DEATHS ? n : HPP_MAX_DEATHS;
    snapshot->deaths = n > 0 ? malloc((size_t)n * sizeof *snapshot->deaths) : NULL;
    if (snapshot->deaths) {
        snapshot->n_deaths = hpp__window_reader_deaths(&p->reader, &p->n_deaths, snapshot->deaths);
        atomic_store(&p->control->n_deaths_read, p->n_deaths);
    }
}

/* Returns the live bytes of an image, or without one the bytes of the sums: an image may be of
 * another moment, and the first one before the program has allocated anything. Of a sample, the
 * image has a part only. */
static uint64_t live_bytes_of(const hpp__process *p, const hpp__process_sample *snapshot)
{
    const hpp__image *image = p->profile_options.profile->rate_bytes ? NULL : snapshot->image;
    uint64_t n_bytes = image ? 0 : hpp__window_sums_live_bytes(&snapshot->sums);
    for (size_t i = 0; image && i < image->n_blocks; i++) {
        n_bytes += image->blocks[i].size_bytes;
    }
    return n_bytes;
}

/* Lets the program ask for an image before its heap shrinks from a peak that is larger than what
 * is known by so much that it is worth one. */
static void want_peak(hpp__process *p, uint64_t known_bytes)
{
    if (atomic_load(&p->control->peak_image_bytes) != 0) {
        atomic_store(&p->control->peak_image_bytes, hpp_window_peak_worth(known_bytes));
    }
}

/* Before the program goes on: it asks for no other image of the same peak. */
static void raise_peak(hpp__process *p, const hpp__window_sums *sums)
{
    uint64_t live_bytes = hpp__window_sums_live_bytes(sums);
    if (p->with_images && live_bytes > p->largest_bytes) {
        want_peak(p, live_bytes);
    }
}

/* Doubles the mean number of bytes between sampled blocks if they have taken more than a hundredth
 * of the processor's time since it was last changed. The first stacks of a program take longer. */
static void adapt_rate(hpp__process *p)
{
    enum { FIRST_NS = 5000000 };
    const hpp_window_head *head = &p->reader.window->head;
    uint32_t level = atomic_load(&p->control->rate_level);
    uint64_t ticks = atomic_load(&head->rate_ticks), stamp = hpp__clock();
    if (level >= HPP_MAX_RATE_LEVEL || ticks <= p->rate_ticks || head->start_stamp == 0 ||
        stamp <= head->start_stamp || p->last.ns <= head->start_ns) {
        return;
    }
    double tick_ns = (double)(p->last.ns - head->start_ns) / (double)(stamp - head->start_stamp);
    double allowed_ns = FIRST_NS + (double)(p->last.cpu_ns - p->rate_cpu_ns) / 100;
    if ((double)(ticks - p->rate_ticks) * tick_ns > allowed_ns) {
        atomic_store(&p->control->rate_level, level + 1);
        p->rate_ticks = ticks;
        p->rate_cpu_ns = p->last.cpu_ns;
    }
}

/* Takes sums of this moment, and what happened before it: marks, and a peak. Sums without memory
 * stay empty. A sample with an image has the time of the image. */
static void look(hpp__process *p, hpp__process_sample *snapshot, bool is_alive)
{
    hpp__window_reader_refresh(&p->reader);
    look_at_clock(p);
    if (is_alive && !snapshot->image) {
        hpp__watched_pages_look(&p->reader, p->control, p->window, p->process_id, p->era);
    }
    keep_peak(p);
    if (hpp__window_sums_take(&snapshot->sums, &p->reader)) {
        hpp__thread_figures_count(&p->threads, &p->reader, &snapshot->sums,
                                  is_alive ? p->process_id : 0);
    }
    measure(p, snapshot, is_alive);
    if (is_alive) {
        keep_title(p, hpp__window_sums_live_bytes(&snapshot->sums));
        if (!p->profile_options.keeps_rate) {
            adapt_rate(p);
        }
    }
    if (snapshot->image) {
        raise_peak(p, &snapshot->sums);
        let_go(p);
        fill_image(p, snapshot);
    }
    uint64_t live_bytes = live_bytes_of(p, snapshot);
    queue_peak(p, live_bytes, snapshot->is_of_row);
    bool is_complete = !p->with_images || snapshot->image || snapshot->is_of_row;
    p->largest_bytes = is_complete && live_bytes > p->largest_bytes ? live_bytes : p->largest_bytes;
    if (p->largest_bytes > p->profile_options.largest->live_bytes) {
        *p->profile_options.largest =
            (hpp__largest){p->largest_bytes, p->process_id, p->profile_options.order};
    }
    bool is_of_image = is_alive && snapshot->image;
    queue_events(p, is_of_image ? snapshot->image->time_ns : UINT64_MAX);
    atomic_store(&p->control->n_thread_events_read, p->n_thread_events);
    queue_names(p);
    snapshot->time_s = time_of(p, is_of_image ? snapshot->image->time_ns : p->last.ns);
    snapshot->reader = p->reader;
    snapshot->era = p->era;
    if (p->with_images && p->with_lives) {
        take_deaths(p, snapshot);
    }
}

/* Returns whether nine tenths of a limit are used, or half and all in a second, and the heap has
 * grown since the last snapshot. While an image is open, pages that the program writes to are
 * copied: where the kernel would then kill the program with the copy, not the copy alone, there is
 * one image, with room left. */
static bool comes_near_limit(hpp__process *p, uint64_t live_bytes)
{
    const hpf_memory *m = &p->memory.memory;
    hpf_memory_limit nearest = hpf_memory_nearest(m);
    double part = hpf_memory_part(m, nearest);
    double grown = live_bytes > p->near_bytes ? (double)(live_bytes - p->near_bytes) : 0;
    double second = (double)(p->last.ns - p->near_ns) / 1e9;
    p->near_bytes = live_bytes;
    p->near_ns = p->last.ns;
    if (part == 0 || (p->memory.last.kills_groups && (p->snapshot_bytes > 0 || part >= 0.95))) {
        return false;
    }
    double left = (double)m->limits[nearest].most_bytes * (1 - part);
    return (part >= 0.9 || (part >= 0.5 && grown > left * second)) &&
           live_bytes > p->snapshot_bytes + p->snapshot_bytes / 50;
}

/* Takes an image for a heap snapshot if one is wanted, or uses the sample's. Except urgent ones,
 * they wait for the one before. One with threads that were moving is replaced by the next, if that
 * is not smaller. */
static void take_snapshot(hpp__process *p, hpp__process_job *j, uint64_t patience_ns,
                          bool is_urgent)
{
    enum { MOST_BETTER = 3 };
    const uint64_t kept_bytes = p->snapshot_bytes;
    hpp_snapshot_when when = p->profile_options.profile->snapshot;
    uint64_t live_bytes = live_bytes_of(p, &j->snapshot);
    bool is_better = p->n_better_snapshots > 0 && live_bytes >= kept_bytes;
    bool is_wanted = p->is_snapshot_wanted || atomic_load(&p->is_snapshot_missed) || is_better ||
                     when == HPP_SNAPSHOT_LAST ||
                     (when == HPP_SNAPSHOT_LARGEST && live_bytes > kept_bytes + kept_bytes / 10) ||
                     (when == HPP_SNAPSHOT_OOM && comes_near_limit(p, live_bytes));
    bool is_early = atomic_load(&p->is_snapshot_queued) ||
                    (!j->snapshot.image && hpp__now_ns() < p->next_image_ns);
    if (!is_wanted || (is_early && !is_urgent)) {
        return;
    }
    p->wants_helper = atomic_load(&p->control->helper_error) == HPP_NO_HELPER_WANTED;
    if (p->wants_helper) { /* the sample that is taken when it has one will have the image */
        atomic_fetch_or(&p->control->control, HPP_CONTROL_START_HELPER);
        return;
    }
    if (!j->snapshot.image) {
        take_image(p, &j->snapshot, patience_ns);
        fill_image(p, &j->snapshot);
        /* The image may have blocks of sites that were made after the look. */
        hpp__window_reader_refresh(&p->reader);
        j->snapshot.reader = p->reader;
    }
    if (j->snapshot.image) {
        p->snapshot_bytes = live_bytes_of(p, &j->snapshot);
        if (j->snapshot.image->n_moving == 0) {
            p->n_better_snapshots = 0;
        } else if (is_better) {
            p->n_better_snapshots--;
        } else {
            p->n_better_snapshots = MOST_BETTER;
        }
        p->is_snapshot_wanted = false;
        atomic_store(&p->is_snapshot_queued, true);
        j->snapshot.keeps_objects = true;
        hpp__snapshot_callers_taken(&p->snapshot_callers);
    }
}

static uint64_t own_cpu_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Looks at what the resident set is made of, for a sixteenth of the time at most. A sampled
 * biography takes pages out of the page table. */
static void look_at_resident(hpp__process *p, hpp__process_sample *snapshot)
{
    uint64_t now_ns = hpp__now_ns(), begin_ns = own_cpu_ns();
    if (p->profile_options.profile->with_resident && !p->with_lives &&
        now_ns >= p->next_resident_ns) {
        const hpp__known_blocks known = {
            .rate_bytes = (double)p->profile_options.profile->rate_bytes,
            .since_attached = p->profile_options.is_attached,
        };
        snapshot->resident = hpp__resident_look(p->process_id, &p->reader, known);
        p->next_resident_ns = now_ns + (own_cpu_ns() - begin_ns) * rest;
    }
}

typedef enum occasion { AT_TICK, AT_PEAK, AT_END } occasion;

/* Takes a sample, and waits for its image for `patience_ns` at most. Returns false if the queue has
 * no room for it. */
static bool sample_patiently(hpp__process *p, uint64_t patience_ns, occasion when)
{
    size_t n_bytes;
    if (has_left(p)) {
        return true;
    }
    hpp__process_job *j = has_room(p, &n_bytes) ? hpp__process_job_new(p, HPP__JOB_SAMPLE) : NULL;
    if (!j) {
        return false;
    }
    if (p->with_images) { /* the look before makes the one during the image shorter */
        hpp__watched_pages_look(&p->reader, p->control, p->window, p->process_id, p->era);
        take_image(p, &j->snapshot, patience_ns);
        hpp__watched_pages_look_again(&p->reader, p->control, p->window, p->process_id, p->era);
        if (!j->snapshot.image && has_left(p)) {
            hpp__process_job_free(j);
            return true;
        }
    }
    look(p, &j->snapshot, true);
    look_at_resident(p, &j->snapshot);
    take_snapshot(p, j, patience_ns, when == AT_END || (when == AT_PEAK && patience_ns > 0));
    if (j->snapshot.image || !p->is_at_exit) {
        p->has_last_image = j->snapshot.image && (when == AT_END || p->is_at_exit);
    }
    atomic_store_explicit(&p->control->wanted_era, ++p->era, memory_order_relaxed);
    j->job.n_bytes = n_bytes;
    p->n_samples++;
    note_small(p);
    want_peak(p, p->with_images ? p->largest_bytes : p->snapshot_bytes);
    if (when == AT_PEAK && p->interval_ns <= most_held_ns && !p->with_lives &&
        !j->snapshot.keeps_objects) {
        /* Holds a sample of a peak back until another job comes. The next peak takes its place,
         * since it is larger: a heap that grows quickly would have a sample for each step. */
        if (p->held) {
            p->n_samples--;
            hpp__process_drop_held(p);
        }
        p->held = &j->job;
    } else {
        hpp__process_job_add(p, j);
    }
    return true;
}

/* Takes a sample of the clock, which is missed if there is no room, or if the program has not had
 * time to work since the last image, or since it took the step for the last sample. */
static void sample(hpp__process *p)
{
    uint64_t now_ns = hpp__now_ns();
    bool is_due = now_ns >= atomic_load(&p->control->next_census_ns) &&
                  (!p->with_images || now_ns >= p->next_image_ns);
    p->n_missed += !is_due || !sample_patiently(p, 0, AT_TICK);
}

void hpp__process_miss(hpp__process *p, uint64_t n_intervals)
{
    p->n_missed += p->by_cpu_time ? 0 : n_intervals;
}

void hpp__process_tick(hpp__process *p, uint64_t n_intervals)
{
    uint64_t cpu_ns;
    if (!p->by_cpu_time) {
        hpp__process_miss(p, n_intervals - 1);
        sample(p);
    } else if (hpp__proc_cpu_ns(p->process_id, &cpu_ns) && cpu_ns >= p->next_cpu_ns) {
        sample(p);
        p->next_cpu_ns = cpu_ns + p->interval_ns;
    }
}

void hpp__process_leave(hpp__process *p, uint64_t patience_ns, bool is_at_exit, int caller)
{
    uint64_t end_ns = hpp__now_ns() + patience_ns;
    p->caller = caller;
    if (p->with_images && is_row(p, 1)) {
        p->has_last_image = true; /* it needs none */
    } else if (p->with_images || p->profile_options.profile->snapshot != HPP_SNAPSHOT_NEVER) {
        hpp__process_queue_held(p); /* it makes room */
        while (!has_left(p) && !hpp__freezer_has_room(&p->freezer) && wait_longer(p, end_ns)) {
        }
        p->is_at_exit |= is_at_exit;
        (void)sample_patiently(p, is_at_exit ? last_patience_ns : 0, AT_END);
    }
    let_go(p);
}

bool hpp__process_has_room(hpp__process *p)
{
    return hpp__freezer_has_room(&p->freezer);
}

/* Waits until all images have been read. */
static void wait_for_images(hpp__process *p, uint64_t patience_ns)
{
    hpp__process_queue_held(p);
    uint64_t end_ns = hpp__now_ns() + patience_ns;
    while (hpp__freezer_is_open(&p->freezer) && wait_longer(p, end_ns)) {
    }
}

void hpp__process_close_images(hpp__process *p, uint64_t patience_ns)
{
    p->is_leaving = true;
    wait_for_images(p, patience_ns);
}

/* The program waits for the sample. Its first tenth of a second of waiting is not limited; after
 * that, it waits for a sixteenth of the time at most. Without room for the sample, the program asks
 * again later; samples of the clock alone can be missed. */
void hpp__process_peak(hpp__process *p, int caller)
{
    enum { PAUSE_NS = 10000000 };
    uint64_t begin_ns = hpp__now_ns();
    p->caller = caller;
    uint64_t patience_ns =
        p->peak_wait_ns < peak_patience_ns ? peak_patience_ns - p->peak_wait_ns : 0;
    bool is_busy = begin_ns < p->next_image_ns || atomic_load(&p->is_snapshot_queued) ||
                   !hpp__freezer_has_room(&p->freezer);
    bool is_early = begin_ns < p->next_peak_ns || (patience_ns == 0 && is_busy);
    is_early = is_early || !sample_patiently(p, patience_ns, AT_PEAK);
    uint64_t wait_ns = hpp__now_ns() - begin_ns;
    p->peak_wait_ns += wait_ns;
    uint64_t free_ns = patience_ns > 0 ? begin_ns : begin_ns + wait_ns * rest;
    uint64_t next_ns = is_early ? begin_ns + PAUSE_NS : free_ns;
    p->next_peak_ns = next_ns > p->next_peak_ns ? next_ns : p->next_peak_ns;
    atomic_store(&p->control->peak_image_ns, p->next_peak_ns);
    let_go(p);
}

void hpp__process_mark(hpp__process *p, hpf_str label)
{
    hpp__window_reader_refresh(&p->reader);
    look_at_clock(p);
    queue_events(p, UINT64_MAX);
    queue_mark(p, p->last.ns, label.data, label.length);
}

void hpp__process_helper(hpp__process *p, int helper)
{
    wait_for_images(p, last_patience_ns); /* their copies end with the socket */
    hpp__freezer_finish(&p->freezer);
    hpp__freezer_init(&p->freezer, p->process_id, helper);
    p->wants_helper = false;
    if (p->is_snapshot_wanted) {
        sample(p);
    }
}

void hpp__process_snapshot(hpp__process *p, int caller)
{
    hpp__snapshot_callers_add(&p->snapshot_callers, caller);
    p->is_snapshot_wanted = true;
    sample(p);
}

bool hpp__process_has_changed(const hpp__process *p)
{
    hpp__program_id now;
    return hpp__proc_program(p->process_id, &now) &&
           (now.device != p->program.device || now.inode != p->program.inode);
}

void hpp__process_end(hpp__process *p, bool forget)
{
    hpp__process_job *j = hpp__process_job_new(p, HPP__JOB_END);
    struct pollfd end = {.fd = p->pidfd, .events = POLLIN};
    bool is_running = p->pidfd >= 0 && poll(&end, 1, 0) == 0;
    p->has_ended = true;
    p->is_forgotten = forget;
    if (forget && p->profile_options.largest->process_id == p->process_id) {
        *p->profile_options.largest = (hpp__largest){0};
    }
    hpp__snapshot_callers_drop(&p->snapshot_callers);
    if (j) {
        j->wait_status =
            is_running ? HPP__STATUS_RUNS : hpp__proc_wait_status(p->process_id, p->pidfd);
        j->mark_s = (double)(hpp__now_ns() - p->start_ns) / 1e9;
    }
    if (p->pidfd >= 0) {
        close(p->pidfd);
        p->pidfd = -1;
    }
    if (!j) {
        return; /* the files stay as the last sample left them */
    }
    bool has_exited = p->reader.window->head.most_resident_bytes != 0; /* by itself */
    if (!is_running && !has_exited) {
        hpp__memory_watch_end(&p->memory, j->wait_status);
    }
    if (!forget) {
        bool takes_image = is_running && p->with_images && !has_left(p);
        if (takes_image) {
            take_image(p, &j->snapshot, last_patience_ns);
        }
        /* A sample of sums may come with one of a peak. */
        j->snapshot.is_of_row = !takes_image && is_row(p, p->with_images ? 1 : 2);
        hpp__process_count_held(p, j->snapshot.is_of_row);
        look(p, &j->snapshot, false);
        p->has_last_image = takes_image ? j->snapshot.image != NULL : p->has_last_image;
        j->snapshot.lacks_image = p->with_images && !p->is_haskell && !p->has_last_image;
        if (p->peak_bytes > hpp_window_peak_worth(p->largest_bytes)) {
            j->snapshot.peak_bytes = p->peak_bytes;
            j->snapshot.peak_s = p->peak_s;
        }
        p->n_samples++;
    }
    hpp__freezer_end_helper(&p->freezer);
    j->forget = forget;
    hpp__process_job_add(p, j);
}

void hpp__process_rename(hpp__process *p, const char *base)
{
    hpp__process_job *j = hpp__process_job_new(p, HPP__JOB_RENAME);
    const char *copy = hpf_arena_text(p->names_arena, hpf_str_of(base));
    if (!j || !copy) {
        free(j);
        return; /* the files of the next one take the place of these */
    }
    j->new_base = copy;
    p->base = copy;
    hpp__process_job_add(p, j);
}

uint64_t hpp__process_age_ns(const hpp__process *p)
{
    return hpp__now_ns() - p->start_ns;
}

/* ---- Life ---- */

/* Checks the file of a window. Sealed memory cannot be shortened while it is read. Holes of huge
 * pages cannot always be filled, and even reading fills them. */
static hpf_status check_file(int window, uint64_t *size_bytes, hpf_error *err)
{
    struct stat file;
    int seals = fcntl(window, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "the window is not sealed memory");
    }
    if (fstat(window, &file) != 0 || file.st_size < (off_t)sizeof(hpp_window) ||
        (uint64_t)file.st_size > HPP__WINDOW_BYTES || file.st_blksize != sysconf(_SC_PAGESIZE)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "the window has an invalid size");
    }
    *size_bytes = (uint64_t)file.st_size;
    return HPF_OK;
}

/* Checks that the window belongs to the process that sent it. Its process id may differ from the
 * one that the collector sees, since process ids have name spaces. */
static hpf_status check_owner(const hpp_window_head *head, hpf_error *err)
{
    if (head->process_id == 0 || head->key >> 32 != head->process_id) {
        return hpf_error_set(err, HPF_ERR_SYNTAX,
                             "the window does not belong to the process that sent it");
    }
    return HPF_OK;
}

static hpf_status map_window(hpp__process *p, hpf_error *err)
{
    hpf_status status = check_file(p->window, &p->size_bytes, err);
    if (status != HPF_OK) {
        return status;
    }
    void *bytes = mmap(NULL, p->size_bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, p->window, 0);
    p->bytes = bytes == MAP_FAILED ? NULL : bytes;
    void *control =
        mmap(NULL, HPP_WINDOW_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, p->window, 0);
    p->control = control == MAP_FAILED ? NULL : control;
    if (!p->bytes || !p->control) {
        return hpf_error_set_os(err, errno, "cannot map a window");
    }
    status = hpp__window_reader_open(&p->reader, p->bytes, p->size_bytes, p->window, err);
    p->reader.pages = &p->pages;
    return status == HPF_OK ? check_owner(&p->reader.window->head, err) : status;
}

static hpf_status copy_options(hpp__process *p, const hpp__profile_options *profile, hpf_error *err)
{
    p->profile_options = *profile;
    p->remains.arena = hpf_arena_create();
    p->names_arena = hpf_arena_create();
    if (!p->remains.arena || !p->names_arena) {
        return hpf_error_set_memory(err);
    }
    const char *base = hpf_arena_text(p->names_arena, hpf_str_of(profile->base));
    p->profile_options.base = base;
    p->base = base;
    p->remains.figures.base = base;
    p->remains.figures.process_id = p->process_id;
    return base ? HPF_OK : hpf_error_set_memory(err);
}

/* Finds out whether closures of a Haskell program are to be read. */
static void find_haskell(hpp__process *p, const hpp_collector_options *options)
{
    p->is_haskell =
        hpp__profile_has_closures(options->profile) && !options->without_python &&
        hpp__freezer_check(NULL) == HPF_OK &&
        hpp__haskell_program_find(&p->haskell, p->process_id, p->profile_options.other_programs);
    if (p->is_haskell && p->haskell.layout) {
        p->profile_options.haskell = p->haskell.layout;
        p->with_images |= hpp__profile_counts_closures(options->profile);
    }
}

void hpp__process_begin(hpp__process *p, bool is_at_once)
{
    p->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)p->process_id, 0);
    hpp__proc_program(p->process_id, &p->program);
    start_clock(p);
    look_at_limits(p, 0);
    p->is_first = is_at_once;
    uint64_t run_start_ns = p->profile_options.run_start_ns;
    if (run_start_ns != 0 && p->start_ns > run_start_ns) {
        p->profile_options.start_s = (double)((p->start_ns - run_start_ns) / 1000) / 1e6;
    }
    if (is_at_once) {
        hpp__process_start_profile(p);
    }
    if (is_at_once && !p->with_images) {
        sample(p);
    }
    note_small(p);
}

hpf_status hpp__process_create(hpp__process **out, int window, int helper,
                               const hpp__profile_options *profile,
                               const hpp_collector_options *options, hpp__queue *queue,
                               hpf_error *err)
{
    *out = NULL;
    hpp__process *p = calloc(1, sizeof *p);
    if (!p) {
        close(window);
        hpf__close(helper);
        return hpf_error_set_memory(err);
    }
    *p = (hpp__process){
        .process_id = profile->process_id,
        .era = 1,
        .pidfd = -1,
        .caller = -1,
        .window = window,
        .by_cpu_time = options->by_cpu_time,
        .interval_ns = options->profile->interval_ns,
        .queue = queue,
        .written = options->written,
        .written_context = options->written_context,
        .is_hurried = options->is_hurried,
        .is_hurried_context = options->is_hurried_context,
        .guard = {.max_bytes = options->max_overhead_bytes,
                  .max_percent = options->max_overhead_percent},
        .memory = {.process_id = profile->process_id,
                   .cgroups = options->cgroups ? options->cgroups : "/sys/fs/cgroup",
                   .newest = profile->memory_look},
        .with_images = hpp__profile_needs_images(options->profile),
        .logs_threads = hpp__profile_logs_threads(options->profile),
        .with_lives = hpp_census_asks_for(options->profile->census, HPF_BREAKDOWN_BIOGRAPHY),
    };
    pthread_mutex_init(&p->costs.lock, NULL);
    hpp__snapshot_callers_init(&p->snapshot_callers);
    hpp__freezer_init(&p->freezer, p->process_id, helper);
    hpf_status status = map_window(p, err);
    if (status == HPF_OK) {
        p->n_thread_events = atomic_load(&p->control->n_thread_events_read);
        status = copy_options(p, profile, err);
        find_haskell(p, options);
        p->profile_options.costs = options->keeps_costs ? &p->costs : NULL;
        p->profile_options.latest = options->keeps_latest ? &p->costs : NULL;
    }
    if (status != HPF_OK) {
        hpp__process_destroy(p);
        return status;
    }
    *out = p;
    return HPF_OK;
}

void hpp__process_destroy(hpp__process *p)
{
    if (!p) {
        return;
    }
    hpf__close(p->pidfd);
    hpp__process_drop_held(p);
    hpp__shared_costs_clear(&p->costs);
    pthread_mutex_destroy(&p->costs.lock);
    hpp__snapshot_callers_finish(&p->snapshot_callers);
    hpp__profile_destroy(p->profile);
    hpp__process_close_window(p);
    hpp__page_set_finish(&p->pages);
    hpp__freezer_finish(&p->freezer);
    hpp__thread_figures_finish(&p->threads);
    hpf_arena_destroy(p->remains.arena);
    hpf_arena_destroy(p->names_arena);
    free(p);
}
