/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "native/target/counting/blocks.h"
#include "native/target/counting/rate.h"
#include "native/target/counting/next_allocator.h"
#include "native/target/counting/process_state.h"
#include "sample_slots.h"
#include "native/target/counting/thread.h"

_Thread_local uint64_t hpp__bytes_to_sample HPP_INITIAL_EXEC;
static _Thread_local uint64_t random_state HPP_INITIAL_EXEC; /* 0: none yet */

enum {
    MAX_COPIED_BYTES = 64 << 20, /* in a fork */
    CHECK_EVERY = 16,
};
static hpp_count_freed *count_freed;
static atomic_bool is_over;
static atomic_bool is_shared; /* another process has the same memory, and is no thread */
static atomic_flag is_stepping = ATOMIC_FLAG_INIT;

/* ---- the step -------------------------------------------------------------------------------- */

/* Gives a sample back that was freed while it was busy. */
static void end_busy(hpp_sample *sample, uint32_t era)
{
    if (!hpp__sample_move(sample, HPP_SAMPLE_BUSY, HPP_SAMPLE_LIVE)) {
        if (sample->is_tracked) {
            hpp__life_end(&sample->life, era);
            hpp__life_report(&sample->life, sample->block);
        }
        hpp__sample_release(sample);
    }
}

/* A step: it ends an era and begins another, which may be the same if the process ends. */
typedef struct era_step {
    long pagemap;
    uint32_t ended, era;
} era_step;

/* Returns the era of a use that a step finds: the one at whose end the collector has seen it, or
 * the one after its last look. If it cannot look, the one that ends. If it could not since the last
 * step, which then was taken during an image, the image does not show the use: the one that begins.
 */
static uint32_t era_of_use(const hpp_sample *sample, const era_step *step)
{
    const hpp_window_head *head = &hpp__window->head;
    uint64_t n_steps = atomic_load(&head->n_steps) - 1;
    uint64_t seen = hpp__sample_seen(sample), looked = atomic_load(&head->looked);
    bool is_after_image = looked != 0 && atomic_load(&head->image_era) != 0;
    uint32_t era = seen >> 32 == n_steps     ? (uint32_t)seen
                   : looked >> 32 == n_steps ? (uint32_t)looked + 1
                   : is_after_image          ? step->era
                                             : step->ended;
    return era < step->ended ? step->ended : era > step->era ? step->era : era;
}

static void record(hpp_sample *sample, const era_step *step, bool is_touched)
{
    if (sample->is_tracked && is_touched && sample->n_filling == 0) {
        hpp__life_use(&sample->life, era_of_use(sample, step));
    }
    if (sample->is_tracked) {
        hpp__life_rest(&sample->life, step->era);
    }
    sample->n_filling -= sample->n_filling > 0;
}

/* Whether glibc has freed a block by itself. */
static atomic_bool has_unseen_frees;

/* Returns whether glibc has freed the block of a slot by itself. Until one is found, a step looks
 * at one slot in 16; the step at the end of the process looks at all. */
static bool is_freed_unseen(const hpp_sample *sample, uint32_t slot, const era_step *step)
{
    bool is_due =
        has_unseen_frees || step->era == step->ended || (slot + step->era) % CHECK_EVERY == 0;
    return is_due && hpp__sample_is_unmapped(sample);
}

/* Ends the life of a busy sample whose block glibc has freed by itself. */
static void bury(hpp_sample *sample, const era_step *step)
{
    if (sample->is_tracked) {
        hpp__life_end(&sample->life, step->ended);
        hpp__life_report(&sample->life, sample->block);
    }
    atomic_store(&has_unseen_frees, true);
    if (count_freed != NULL) {
        count_freed((void *)sample->block);
    }
    hpp__sample_release_unmapped(sample);
}

/* Looks at a chunk of small blocks as a whole. Returns false if it has others. */
static bool look_at_small(hpp_sample_chunk *chunk, const era_step *step, bool *ok)
{
    static HPP_LARGE uint64_t entries[HPP_CHUNK_PAGES];
    if (!hpp__sample_read_chunk(chunk, step->pagemap, entries)) {
        return false;
    }
    uint32_t first = 0, n = chunk->n_used; /* slots before `first` are done with */
    for (uint32_t i = 0; i < n; i++) {
        hpp_sample *sample = &chunk->slots[i];
        if (!hpp__sample_has_entries(i, entries)) {
            *ok = hpp__sample_drop_slots(chunk, first, i) && *ok;
            first = i + 1;
        }
        if (!hpp__sample_move(sample, HPP_SAMPLE_LIVE, HPP_SAMPLE_BUSY)) {
            continue;
        }
        bool is_touched = hpp__sample_was_touched(sample, entries);
        if (!is_touched && is_freed_unseen(sample, i, step)) {
            bury(sample, step);
        } else {
            record(sample, step, is_touched);
            end_busy(sample, step->era);
        }
    }
    *ok = hpp__sample_drop_slots(chunk, first, n) && *ok;
    return true;
}

static bool look_at_each(hpp_sample_chunk *chunk, const era_step *step)
{
    bool ok = true;
    for (uint32_t i = 0; i < chunk->n_used && ok; i++) {
        hpp_sample *sample = &chunk->slots[i];
        if (hpp__sample_move(sample, HPP_SAMPLE_LIVE, HPP_SAMPLE_BUSY)) {
            bool is_touched = hpp__sample_is_touched(sample, step->pagemap);
            if (!is_touched && is_freed_unseen(sample, i, step)) {
                bury(sample, step);
                continue;
            }
            bool is_filling = sample->n_filling > 0;
            record(sample, step, is_touched); /* the drop forgets when the block was seen */
            ok = is_filling ? hpp__sample_drop(sample)
                            : hpp__sample_drop_used(sample, step->pagemap, is_touched);
            end_busy(sample, step->era);
        }
    }
    return ok;
}

/* Returns false if entries cannot be dropped. */
static bool look_at_all(const era_step *step)
{
    bool ok = true;
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL && ok; c = c->next) {
        if (c->twin != 0) {
            ok = look_at_small(c, step, &ok) ? ok : look_at_each(c, step);
            for (uint32_t i = 0; i < c->n_used; i++) {
                hpp__sample_clear(&c->slots[i], c);
            }
        }
    }
    return ok;
}

/* On a busy machine a step may take longer than the time between two censuses. So the next census
 * waits until the program has had several times as long to work. */
enum { WORK_PER_STEP = 4, LONGEST_STEP_NS = 1000000000 };

/* Takes a step into `era`, or, while another thread takes one or a fork is going on, none. */
static HPP_NO_INLINE void take_step(uint32_t era)
{
    uint64_t signal_mask;
    if (atomic_flag_test_and_set(&is_stepping)) {
        return;
    }
    if (hpp__samples_begin_change(&signal_mask)) {
        hpp_window_head *head = &hpp__window->head;
        era_step step = {hpp__sample_open_pagemap(), hpp__lives_era(), era};
        uint32_t failure = 0;
        if (step.pagemap >= 0) {
            uint64_t begin_ns = hpp__now_ns();
            atomic_store(&head->next_census_ns, begin_ns + LONGEST_STEP_NS);
            atomic_fetch_add(&head->n_steps, 1);
            failure = look_at_all(&step) ? 0 : HPP_EVENT_LOCKED_MEMORY;
            hpp__syscall(SYS_close, step.pagemap, 0, 0, 0, 0, 0);
            atomic_store(&head->era, era);
            atomic_fetch_add(&head->n_steps, 1);
            uint64_t end_ns = hpp__now_ns();
            atomic_store(&head->next_census_ns, end_ns + WORK_PER_STEP * (end_ns - begin_ns));
        } else if (step.pagemap != -EMFILE && step.pagemap != -ENFILE) {
            failure = HPP_EVENT_NO_PAGEMAP;
        }
        atomic_fetch_or(&head->events, failure);
        if (failure != 0) {
            atomic_store(&is_over, true);
        }
        hpp__samples_end_change(signal_mask);
    }
    atomic_flag_clear(&is_stepping);
}

static bool is_on(void)
{
    return hpp__settings.biography_bytes != 0 && !is_over && hpp__alive();
}

void hpp__sampler_keep_up(void)
{
    if (is_on()) {
        uint32_t wanted = atomic_load_explicit(&hpp__window->head.wanted_era, memory_order_relaxed);
        if (wanted > hpp__lives_era()) {
            take_step(wanted);
        }
    }
}

void hpp__sampler_end(void)
{
    hpp__sampler_keep_up();
    if (is_on()) {
        take_step(hpp__lives_era());
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Ends the creation of the thread's samples. */
static void end_creation(hpp_new_samples *newest)
{
    uint64_t signal_mask;
    uint32_t n = newest->n;
    newest->n = 0;
    if (!hpp__samples_begin_change(&signal_mask)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        hpp_sample *sample = newest->samples[i];
        if (sample->serial != newest->serials[i] ||
            !hpp__sample_move(sample, HPP_SAMPLE_LIVE, HPP_SAMPLE_BUSY)) {
            continue;
        }
        if (sample->n_filling > 0 && sample->serial == newest->serials[i]) {
            hpp__sample_drop(sample);
            sample->n_filling = 0;
        }
        end_busy(sample, hpp__lives_era());
    }
    hpp__samples_end_change(signal_mask);
}

static void draw_bytes(void)
{
    hpp__bytes_to_sample = hpp__chance_bytes(&random_state, hpp__settings.biography_bytes);
}

/* Returns whether a block is a sample: among samples (rate.h), each is. */
static bool is_sample(size_t n_bytes)
{
    bool is_new = random_state == 0;
    random_state = is_new ? hpp__chance_begin() : random_state;
    if (hpp__blocks_are_samples) {
        return hpp__rate_is_due(n_bytes);
    }
    if (is_new) {
        draw_bytes();
    }
    if (n_bytes < hpp__bytes_to_sample) {
        hpp__bytes_to_sample -= n_bytes;
        return false;
    }
    draw_bytes();
    return true;
}

HPP_COLD HPP_ANY_STACK void *hpp__sampler_make(size_t n_bytes, size_t alignment, bool is_zeroed)
{
    if (!hpp__alive()) {
        return NULL;
    }
    if (hpp__settings.biography_bytes == 0 || is_over) {
        hpp__bytes_to_sample = UINT64_MAX;
        return NULL;
    }
    uint64_t begun_at = hpp__time_stamp();
    if (!is_sample(n_bytes)) {
        return NULL;
    }
    if (hpp__self != NULL && hpp__self->new_samples.n == HPP_MAX_NEW_SAMPLES) {
        end_creation(&hpp__self->new_samples);
    }
    hpp__sampler_keep_up();
    hpp_sample *sample =
        hpp__sample_take(n_bytes, alignment, is_zeroed, hpp__chance_next(&random_state));
    if (hpp__blocks_are_samples) {
        hpp__rate_add_time(begun_at);
    }
    if (sample == NULL) {
        atomic_fetch_add(&hpp__window->head.n_unsampled, 1);
        return NULL;
    }
    return (void *)sample->block;
}

void hpp__sampler_begin(void *block)
{
    hpp_sample *sample = hpp__sample_at(block);
    uint32_t site = hpp__blocks_mark(block);
    if (site != HPP_SITE_NONE && !hpp__sample_is_frozen(sample)) {
        sample->is_tracked = true;
        uint64_t bytes =
            hpp__blocks_are_samples
                ? hpp__rate_weigh((hpp_block){site, sample->n_bytes}).bytes
                : hpp__chance_represented(sample->n_bytes, hpp__settings.biography_bytes);
        sample->life = hpp__life_begin(site, bytes, hpp__lives_era());
        atomic_fetch_add(&hpp__window->head.n_samples, 1);
    }
    hpp_new_samples *newest = hpp__self != NULL ? &hpp__self->new_samples : NULL;
    if (newest != NULL && newest->n < HPP_MAX_NEW_SAMPLES) {
        newest->samples[newest->n] = sample;
        newest->serials[newest->n++] = sample->serial;
    }
    atomic_store(&sample->state, HPP_SAMPLE_LIVE);
}

/* Whether a block was used after the last step decides only what it was before: a block that was
 * used in the last era or is new keeps its phase. */
static void end_life(hpp_sample *sample)
{
    hpp_life *life = &sample->life;
    uint32_t era = hpp__lives_era();
    if (sample->n_filling == 0 && life->birth < era && life->last_use + 1 < era) {
        long pagemap = hpp__sample_open_pagemap();
        if (pagemap >= 0 && hpp__sample_is_touched(sample, pagemap)) {
            hpp__life_use(life, era);
        }
        if (pagemap >= 0) {
            hpp__syscall(SYS_close, pagemap, 0, 0, 0, 0, 0);
        }
    }
    hpp__life_end(life, era);
    hpp__life_report(life, sample->block);
}

bool hpp__sampler_free(void *block)
{
    hpp_sample *sample = hpp__sample_at(block);
    if (HPP_LIKELY(sample == NULL)) {
        return false;
    }
    hpp__sampler_keep_up();
    uint32_t state = atomic_load(&sample->state);
    uint32_t next;
    do {
        if (state == HPP_SAMPLE_LEFT) {
            return true;
        }
        if (state == HPP_SAMPLE_FREE || state == HPP_SAMPLE_TAKEN ||
            hpp__sample_is_unmapped(sample)) {
            return false; /* it was freed twice: the next allocator refuses it */
        }
        next = state == HPP_SAMPLE_LIVE ? HPP_SAMPLE_TAKEN : HPP_SAMPLE_LEFT;
    } while (!atomic_compare_exchange_strong(&sample->state, &state, next));
    if (next == HPP_SAMPLE_LEFT) {
        return true;
    }
    if (sample->is_tracked) {
        end_life(sample);
    }
    hpp__sample_release(sample);
    return true;
}

size_t hpp__sampler_room(const void *block)
{
    const hpp_sample *sample = hpp__sample_at(block);
    return sample != NULL ? hpp__sample_room(sample) : 0;
}

bool hpp__sampler_owns(const void *block, size_t *n_bytes)
{
    const hpp_sample *sample = hpp__sample_at(block);
    *n_bytes = sample != NULL ? sample->n_bytes : 0;
    return sample != NULL;
}

size_t malloc_usable_size(void *block);

HPP_EXPORT HPP_ANY_STACK size_t malloc_usable_size(void *block)
{
    size_t n_bytes;
    hpp__next_allocator_find();
    return hpp__sampler_owns(block, &n_bytes) ? n_bytes : hpp__next.usable_size(block);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* A sample in a frozen chunk is watched no longer. */
static void retire(hpp_sample *sample)
{
    if (!hpp__sample_move(sample, HPP_SAMPLE_LIVE, HPP_SAMPLE_BUSY)) {
        return;
    }
    if (sample->is_tracked && hpp__alive()) {
        hpp__life_end(&sample->life, hpp__lives_era());
        hpp__life_report(&sample->life, sample->block);
        atomic_fetch_add(&hpp__window->head.n_retired, 1);
    }
    sample->is_tracked = false;
    end_busy(sample, 0);
}

static bool has_one_thread(void)
{
    static const char path[] = "/proc/self/task";
    struct stat tasks = {0};
    return !atomic_load(&is_shared) &&
           hpp__syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)&tasks, 0, 0, 0) == 0 &&
           tasks.st_nlink == 2 + 1;
}

static void before_fork(void)
{
    if (is_on()) {
        take_step(hpp__lives_era());
    }
    bool can_thaw = is_on() && hpp__samples_bytes() <= MAX_COPIED_BYTES && has_one_thread();
    hpp__samples_freeze(can_thaw ? NULL : retire);
}

static void after_fork(void)
{
    hpp__samples_in_parent(retire);
}

static void in_child(void)
{
    hpp__samples_in_child(retire);
}

void hpp__sampler_share(void)
{
    atomic_store(&is_shared, true);
}

void hpp__sampler_on_unseen_free(hpp_count_freed *count)
{
    count_freed = count;
}

void hpp__sampler_start(void)
{
    if (hpp__settings.biography_bytes == 0) {
        return;
    }
    hpp__window->head.biography_bytes = hpp__settings.biography_bytes;
    hpp__window->head.life_table = (uintptr_t)&hpp__sample_chunks;
    hpp__window->head.n_steps = 2;
    long pagemap = hpp__sample_open_pagemap();
    if (pagemap < 0) {
        hpp__sampler_stop(HPP_EVENT_NO_PAGEMAP);
        return;
    }
    hpp__syscall(SYS_close, pagemap, 0, 0, 0, 0, 0);
    (void)pthread_atfork(before_fork, after_fork, in_child);
}

void hpp__sampler_forked(void)
{
    if (hpp__self != NULL) {
        hpp__self->new_samples.n = 0;
    }
    hpp__window->head.n_samples = hpp__window->head.n_unsampled = 0;
    hpp__window->head.n_retired = 0;
    hpp__window->head.n_watched = 0;
    hpp__window->head.n_steps = 2;
    for (hpp_sample_chunk *c = atomic_load(&hpp__sample_chunks); c != NULL; c = c->next) {
        for (uint32_t i = 0; i < c->n_used; i++) {
            c->slots[i].watched = 0;
        }
    }
    atomic_flag_clear(&is_stepping);
}

void hpp__sampler_stop(uint32_t reason)
{
    if (hpp__settings.biography_bytes != 0 && !atomic_exchange(&is_over, true) && hpp__alive()) {
        hpp__samples_freeze(retire);
        atomic_fetch_or(&hpp__window->head.events, reason);
    }
}
