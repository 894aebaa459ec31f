/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cost-centre stacks of a thread: its current one, its counters, its open scopes.
 *
 * Counters have one writer, their thread, and any number of readers; they are written with plain,
 * whole stores. Ticks are the exception: they are added atomically by other threads. The mutex
 * guards the list of threads and the directories of cells; the owner of a directory reads it
 * without the mutex.
 *
 * A thread that ends adds its counts to the stacks, and its struct is reused by the next new
 * thread. Nothing is ever freed, so a late tick or a stray scope finds valid memory.
 */
#include "ccs_thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "tick_list.h"

enum {
    CHUNK_CELLS = 256,
    MIN_EDGES = 512,
    MAX_FRAMES = 65000, /* scopes that are deeper are not looked for after a longjmp */
    MIN_FRAMES = 64,    /* where there is no memory for as many */
};

/* The frames of a thread without data: there is no room, so the first push creates the data. */
static hpp_frame no_frames[1] = {{UINTPTR_MAX, 0, 0, NULL}};
static hpp__thread no_thread = {.fast = {NULL, no_frames + 1}, .end = no_frames + 1};

HPP_THREAD_LOCAL hpp_thread *hpp_this_thread = &no_thread.fast;

/* Dummy data for a thread without memory. Its only cell is of MAIN, and is not counted. */
static HPP_THREAD_LOCAL struct {
    hpp__thread thread;
    hpp_frame frames[4];
    hpp__edge edge;
    hpp_cell cell;
    bool is_counted;
} lost;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static hpp__thread *active;
static hpp__thread *retired;
static hpp_losses losses;

/* ---- cells ---- */

/* Returns the cell of the stack `id` if its chunk exists, else NULL. */
static hpp_cell *existing_cell(const hpp__thread *t, uint32_t id)
{
    uint32_t chunk = id / CHUNK_CELLS;
    return chunk < t->n_chunks && t->chunks[chunk] ? &t->chunks[chunk][id % CHUNK_CELLS] : NULL;
}

static bool add_chunk(hpp__thread *t, uint32_t chunk)
{
    hpp_cell *cells = calloc(CHUNK_CELLS, sizeof *cells);
    if (!cells) {
        return false;
    }
    pthread_mutex_lock(&mutex);
    if (chunk >= t->n_chunks) {
        hpp_cell **chunks = realloc(t->chunks, (chunk + 1) * sizeof *chunks);
        for (uint32_t i = t->n_chunks; chunks && i <= chunk; i++) {
            chunks[i] = NULL;
        }
        t->chunks = chunks ? chunks : t->chunks;
        t->n_chunks = chunks ? chunk + 1 : t->n_chunks;
    }
    bool has_place = chunk < t->n_chunks;
    if (has_place) {
        t->chunks[chunk] = cells;
    }
    pthread_mutex_unlock(&mutex);
    if (!has_place) {
        free(cells);
    }
    return has_place;
}

/* Returns the thread's cell of a stack; NULL without memory for a new one. */
hpp_cell *hpp__cell_of(hpp__thread *t, const hpp_ccs *ccs)
{
    hpp_cell *c = existing_cell(t, ccs->id);
    if (HPP_UNLIKELY(!c)) {
        if (!add_chunk(t, ccs->id / CHUNK_CELLS)) {
            return NULL;
        }
        c = existing_cell(t, ccs->id);
    }
    if (HPP_UNLIKELY(c->ccs != ccs)) {
        c->ccs = ccs; /* once, before others can find the cell */
    }
    return c;
}

/* ---- the life of a thread ---- */

static void add_costs(hpp_costs *sum, const hpp_cell *c)
{
    HPP_RELAXED_ADD(&sum->entries, HPP_RELAXED_LOAD(&c->entries));
    HPP_RELAXED_ADD(&sum->ticks, HPP_RELAXED_LOAD(&c->ticks));
    HPP_RELAXED_ADD(&sum->allocated_bytes, HPP_RELAXED_LOAD(&c->allocated_bytes));
}

/* Moves a thread's counts to the stacks. */
static void hand_in(hpp__thread *t)
{
    for (uint32_t i = 0; i < t->n_chunks; i++) {
        for (uint32_t k = 0; t->chunks[i] && k < CHUNK_CELLS; k++) {
            hpp_cell *c = &t->chunks[i][k];
            if (c->ccs) {
                add_costs(c->ccs->retired, c);
                *c = (hpp_cell){.ccs = c->ccs};
            }
        }
    }
}

static void retire(void *ending)
{
    hpp__thread *t = ending;
    hpp_this_thread = &no_thread.fast;
    pthread_mutex_lock(&mutex);
    hand_in(t);
    for (hpp__thread **link = &active; *link; link = &(*link)->next) {
        if (*link == t) {
            *link = t->next;
            break;
        }
    }
    t->next = retired;
    retired = t;
    pthread_mutex_unlock(&mutex);
}

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
    hpp__ccs_lock();
}

static void after_fork(void)
{
    hpp__ccs_unlock();
    pthread_mutex_unlock(&mutex);
}

static void prepare_process(void)
{
    pthread_key_create(&key, retire);
    pthread_atfork(before_fork, after_fork, after_fork);
}

static void destroy(hpp__thread *t)
{
    free(t->frames);
    free(t->edges);
    free(t->chunks);
    free(t);
}

static bool make_tables(hpp__thread *t)
{
    size_t n_frames = MAX_FRAMES;
    t->frames = calloc(n_frames, sizeof *t->frames);
    if (!t->frames) {
        n_frames = MIN_FRAMES;
        t->frames = calloc(n_frames, sizeof *t->frames);
    }
    t->edges = calloc(MIN_EDGES, sizeof *t->edges);
    if (!t->frames || !t->edges) {
        return false;
    }
    t->edges_mask = (MIN_EDGES - 1) * sizeof *t->edges;
    t->frames[0].address = UINTPTR_MAX;
    t->end = t->frames + n_frames;
    return hpp__cell_of(t, hpp_ccs_builtin(HPP_CCS_MAIN)) != NULL;
}

static hpp__thread *make_thread(void)
{
    hpp__thread *t = calloc(1, sizeof *t);
    if (t && !make_tables(t)) {
        destroy(t);
        t = NULL;
    }
    return t;
}

static uint64_t thread_time_ns(const hpp__thread *t)
{
    struct timespec now;
    if (!t->has_clock || clock_gettime(t->clock, &now) != 0) {
        return t->credited_ns;
    }
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void begin_thread(hpp__thread *t)
{
    t->fast.current = existing_cell(t, hpp_ccs_id(hpp_ccs_builtin(HPP_CCS_MAIN)));
    t->fast.top = t->frames + 1;
    t->range = (hpp__stack_range){0, 0};
    t->has_clock = pthread_getcpuclockid(pthread_self(), &t->clock) == 0;
    t->credited_ns = 0;
    t->credited_ns = thread_time_ns(t);
    t->next = active;
    active = t;
}

/* Enrols the calling thread; NULL without memory. */
HPP_COLD static hpp__thread *enrol(void)
{
    pthread_once(&once, prepare_process);
    pthread_mutex_lock(&mutex);
    hpp__thread *t = retired;
    if (t) {
        retired = t->next;
        begin_thread(t);
    }
    pthread_mutex_unlock(&mutex);
    if (!t) {
        t = make_thread();
        pthread_mutex_lock(&mutex);
        if (t) {
            begin_thread(t);
        } else if (!lost.is_counted) {
            lost.is_counted = true;
            losses.threads++;
        }
        pthread_mutex_unlock(&mutex);
    }
    if (t) {
        hpp_this_thread = &t->fast;
        pthread_setspecific(key, t);
    }
    return t;
}

hpp__thread *hpp__this_thread(void)
{
    hpp__thread *t = (hpp__thread *)hpp_this_thread;
    if (HPP_UNLIKELY(t == &no_thread)) {
        return enrol();
    }
    if (HPP_UNLIKELY(t == &lost.thread)) {
        return t->fast.top == lost.frames + 1 ? enrol() : NULL;
    }
    return t;
}

hpp__thread *hpp__lost_thread(void)
{
    hpp__thread *t = &lost.thread;
    if (!t->fast.current) {
        lost.frames[0].address = UINTPTR_MAX;
        lost.cell.ccs = hpp_ccs_builtin(HPP_CCS_MAIN);
        t->fast.current = &lost.cell;
        t->fast.top = lost.frames + 1;
        t->end = lost.frames + sizeof lost.frames / sizeof *lost.frames;
        t->edges = &lost.edge;
    }
    hpp_this_thread = &t->fast;
    return t;
}

void hpp__count_lost_stack(void)
{
    HPP_RELAXED_ADD(&losses.stacks, 1);
}

void hpp__set_current(hpp__thread *t, const hpp_ccs *ccs)
{
    hpp_cell *c = hpp__cell_of(t, ccs);
    if (c) {
        HPP_RELEASE_STORE(&t->fast.current, c);
    } else {
        hpp__count_lost_stack();
    }
}

/* ---- the current stack ---- */

const hpp_ccs *hpp_ccs_current(void)
{
    const hpp_cell *current = hpp_this_thread->current;
    return current ? current->ccs : hpp_ccs_builtin(HPP_CCS_MAIN);
}

void hpp_ccs_set(const hpp_ccs *ccs)
{
    hpp__thread *t = hpp__this_thread();
    if (t) {
        hpp__set_current(t, ccs);
    }
}

void hpp_ccs_enter_function(const hpp_ccs *function)
{
    const hpp_ccs *current = hpp_ccs_current();
    if (function != current) {
        hpp_ccs_set(hpp_ccs_append(current, function));
    }
}

/* ---- costs ---- */

static void allocate(hpp_cell *c, size_t n_bytes)
{
    if (HPP_LIKELY(c != NULL)) {
        HPP_RELAXED_STORE(&c->allocated_bytes, c->allocated_bytes + n_bytes);
    } else {
        HPP_RELAXED_ADD(&hpp_ccs_builtin(HPP_CCS_MAIN)->retired->allocated_bytes, n_bytes);
    }
}

void hpp_ccs_allocated(size_t n_bytes)
{
    const hpp__thread *t = hpp__this_thread();
    allocate(t ? t->fast.current : NULL, n_bytes);
}

void hpp_ccs_allocated_by(const hpp_ccs *ccs, size_t n_bytes)
{
    hpp__thread *t = hpp__this_thread();
    allocate(t ? hpp__cell_of(t, ccs) : NULL, n_bytes);
}

void hpp_ccs_tick(void)
{
    hpp_cell *current = HPP_ACQUIRE_LOAD(&hpp_this_thread->current);
    if (current) {
        HPP_RELAXED_ADD(&current->ticks, 1);
        hpp__tick_list_add(current->ccs, 1);
    }
}

void hpp__threads_tick(uint64_t tick_ns)
{
    pthread_mutex_lock(&mutex);
    for (hpp__thread *t = active; t; t = t->next) {
        uint64_t n_ticks = (thread_time_ns(t) - t->credited_ns) / tick_ns;
        if (n_ticks > 0) {
            hpp_cell *current = HPP_ACQUIRE_LOAD(&t->fast.current);
            HPP_RELAXED_ADD(&current->ticks, n_ticks);
            hpp__tick_list_add(current->ccs, n_ticks);
            t->credited_ns += n_ticks * tick_ns;
        }
    }
    pthread_mutex_unlock(&mutex);
}

void hpp__threads_skip_time(void)
{
    pthread_mutex_lock(&mutex);
    for (hpp__thread *t = active; t; t = t->next) {
        t->credited_ns = thread_time_ns(t);
    }
    pthread_mutex_unlock(&mutex);
}

hpp_costs hpp_ccs_costs(const hpp_ccs *ccs)
{
    hpp_costs sum = {0, 0, 0};
    pthread_mutex_lock(&mutex);
    const hpp_costs *done = ccs->retired;
    sum.entries = HPP_RELAXED_LOAD(&done->entries);
    sum.ticks = HPP_RELAXED_LOAD(&done->ticks);
    sum.allocated_bytes = HPP_RELAXED_LOAD(&done->allocated_bytes);
    for (const hpp__thread *t = active; t; t = t->next) {
        const hpp_cell *c = existing_cell(t, ccs->id);
        if (c) {
            add_costs(&sum, c);
        }
    }
    pthread_mutex_unlock(&mutex);
    return sum;
}

hpp_losses hpp_ccs_losses(void)
{
    pthread_mutex_lock(&mutex);
    hpp_losses result = {HPP_RELAXED_LOAD(&losses.stacks), losses.threads};
    pthread_mutex_unlock(&mutex);
    return result;
}
