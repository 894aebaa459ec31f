/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a thread knows of cost-centre stacks: its current one, its counters, its open scopes.
 *
 * Counters have one writer, their thread, and any number of readers: they are written with plain,
 * whole stores. Ticks are the exception: whoever hands them out adds to them atomically. The mutex
 * guards the list of threads and the directories of cells against readers; the owner of a directory
 * reads it without.
 *
 * A thread that ends leaves its counts with the stacks, and its struct to the next thread that
 * begins: nothing is ever freed, so that a late tick or a stray scope finds valid memory.
 */
#include "ccs.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "thread_stack.h"

enum {
    CHUNK_CELLS = 256,
    MIN_SLOTS = 256,
    MIN_FRAMES = 64,
    MAX_FRAMES = 1 << 20, /* scopes opened deeper are not looked for after a longjmp */
};

/* What a thread has spent on one stack. */
typedef struct cell {
    const hpp_ccs *ccs; /* NULL until the thread has been there */
    uint64_t entries;
    uint64_t ticks;
    uint64_t allocated_bytes;
} cell;

/* An edge: pushing `centre` on the stack of `from` leads to that of `to`. */
typedef struct slot {
    const cell *from;
    const hpp_cc *centre;
    cell *to;
    uint64_t n_entries; /* counted for a push: 1, or 0 for a centre that is not counted */
} slot;

/* An open scope, kept outside of the C stack: a longjmp does not hurt it. */
typedef struct frame {
    uintptr_t address;
    uintptr_t return_address;
    const hpp_scope *scope;
    cell *before;
} frame;

typedef struct thread {
    cell *current;
    frame *frames; /* [0] is a sentinel above all */
    uint32_t depth;
    uint32_t n_frames;
    slot *slots; /* open addressing, at most half full; a power of two */
    uint32_t slot_mask;
    uint32_t n_used_slots;
    cell **chunks; /* cells by number of the stack; absent ones are NULL */
    uint32_t n_chunks;
    bool has_clock;
    clockid_t clock;      /* processor time of this thread */
    uint64_t credited_ns; /* of it, handed out as ticks */
    hpp__stack_range range;
    struct thread *next;
} thread;

static HPP_THREAD_LOCAL thread *self;
static HPP_THREAD_LOCAL bool is_lost; /* there was no memory for this thread: counted once */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static thread *active;
static thread *retired;
static hpp_losses losses;
static uint64_t entries_mask = UINT64_MAX;

/* ---- cells ---- */

/* The cell of the stack `id`, in a chunk that exists; or NULL. */
static cell *existing_cell(const thread *t, uint32_t id)
{
    uint32_t chunk = id / CHUNK_CELLS;
    return chunk < t->n_chunks && t->chunks[chunk] ? &t->chunks[chunk][id % CHUNK_CELLS] : NULL;
}

static bool add_chunk(thread *t, uint32_t chunk)
{
    cell *cells = calloc(CHUNK_CELLS, sizeof *cells);
    if (!cells) {
        return false;
    }
    pthread_mutex_lock(&mutex);
    if (chunk >= t->n_chunks) {
        cell **chunks = realloc(t->chunks, (chunk + 1) * sizeof *chunks);
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

/* The thread's cell of a stack; NULL without memory for a new one. */
static cell *cell_of(thread *t, const hpp_ccs *ccs)
{
    cell *c = existing_cell(t, ccs->id);
    if (HPP_UNLIKELY(!c)) {
        if (!add_chunk(t, ccs->id / CHUNK_CELLS)) {
            return NULL;
        }
        c = existing_cell(t, ccs->id);
    }
    c->ccs = ccs;
    return c;
}

/* ---- the life of a thread ---- */

static void add_costs(hpp_costs *sum, const cell *c)
{
    HPP_RELAXED_ADD(&sum->entries, HPP_RELAXED_LOAD(&c->entries));
    HPP_RELAXED_ADD(&sum->ticks, HPP_RELAXED_LOAD(&c->ticks));
    HPP_RELAXED_ADD(&sum->allocated_bytes, HPP_RELAXED_LOAD(&c->allocated_bytes));
}

/* Moves a thread's counts to the stacks. */
static void hand_in(thread *t)
{
    for (uint32_t i = 0; i < t->n_chunks; i++) {
        for (uint32_t k = 0; t->chunks[i] && k < CHUNK_CELLS; k++) {
            cell *c = &t->chunks[i][k];
            if (c->ccs) {
                add_costs(c->ccs->retired, c);
                *c = (cell){.ccs = c->ccs};
            }
        }
    }
}

static void retire(void *ending)
{
    thread *t = ending;
    self = NULL;
    pthread_mutex_lock(&mutex);
    hand_in(t);
    for (thread **link = &active; *link; link = &(*link)->next) {
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

static void destroy(thread *t)
{
    if (t) {
        free(t->frames);
        free(t->slots);
        free(t->chunks);
        free(t);
    }
}

static thread *make_thread(void)
{
    thread *t = calloc(1, sizeof *t);
    if (!t) {
        return NULL;
    }
    t->frames = calloc(MIN_FRAMES, sizeof *t->frames);
    t->slots = calloc(MIN_SLOTS, sizeof *t->slots);
    if (!t->frames || !t->slots || !cell_of(t, hpp_ccs_builtin(HPP_CCS_MAIN))) {
        destroy(t);
        return NULL;
    }
    t->frames[0].address = UINTPTR_MAX;
    t->n_frames = MIN_FRAMES;
    t->slot_mask = MIN_SLOTS - 1;
    return t;
}

static uint64_t thread_time_ns(const thread *t)
{
    struct timespec now;
    if (!t->has_clock || clock_gettime(t->clock, &now) != 0) {
        return t->credited_ns;
    }
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void begin_thread(thread *t)
{
    t->current = existing_cell(t, hpp_ccs_id(hpp_ccs_builtin(HPP_CCS_MAIN)));
    t->depth = 1;
    t->range = (hpp__stack_range){0, 0};
    t->has_clock = pthread_getcpuclockid(pthread_self(), &t->clock) == 0;
    t->credited_ns = 0;
    t->credited_ns = thread_time_ns(t);
    t->next = active;
    active = t;
}

/* Enrols the calling thread; NULL without memory. */
HPP_COLD static thread *attach(void)
{
    pthread_once(&once, prepare_process);
    pthread_mutex_lock(&mutex);
    thread *t = retired;
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
        } else if (!is_lost) {
            is_lost = true;
            losses.threads++;
        }
        pthread_mutex_unlock(&mutex);
    }
    if (t) {
        self = t;
        pthread_setspecific(key, t);
    }
    return t;
}

static inline thread *this_thread(void)
{
    return HPP_LIKELY(self != NULL) ? self : attach();
}

/* ---- pushing ---- */

static inline uint32_t home_slot(const thread *t, const cell *from, const hpp_cc *centre)
{
    uint64_t mixed = ((uintptr_t)from ^ (uintptr_t)centre << 7) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 40) & t->slot_mask;
}

/* The slot of an edge, or the free one where it belongs. */
static slot *find_slot(const thread *t, const cell *from, const hpp_cc *centre)
{
    uint32_t i = home_slot(t, from, centre);
    while (t->slots[i].from && (t->slots[i].from != from || t->slots[i].centre != centre)) {
        i = (i + 1) & t->slot_mask;
    }
    return &t->slots[i];
}

static bool grow_slots(thread *t)
{
    uint32_t n_old = t->slot_mask + 1;
    slot *old = t->slots;
    slot *slots = calloc(n_old, 2 * sizeof *slots);
    if (!slots) {
        return false;
    }
    t->slots = slots;
    t->slot_mask = 2 * n_old - 1;
    for (uint32_t i = 0; i < n_old; i++) {
        if (old[i].from) {
            *find_slot(t, old[i].from, old[i].centre) = old[i];
        }
    }
    free(old);
    return true;
}

static void count_lost_stack(void)
{
    HPP_RELAXED_ADD(&losses.stacks, 1);
}

/* The edge is new to this thread, or not in its home slot. */
HPP_COLD static cell *look_further(thread *t, cell *from, hpp_cc *centre, uint64_t *n_entries)
{
    slot *known = find_slot(t, from, centre);
    *n_entries = (centre->flags & HPP_CC_UNCOUNTED) == 0;
    if (known->from) {
        return known->to;
    }
    const hpp_ccs *ccs = hpp__ccs_child(from->ccs, centre);
    cell *to = ccs ? cell_of(t, ccs) : NULL;
    if (!to) {
        count_lost_stack();
        *n_entries = 0;
        return from;
    }
    bool has_room = t->n_used_slots <= t->slot_mask / 2 || grow_slots(t);
    if (has_room) {
        *find_slot(t, from, centre) = (slot){from, centre, to, *n_entries};
        t->n_used_slots++;
    }
    return to;
}

static inline cell *push(thread *t, cell *from, hpp_cc *centre, uint64_t *n_entries)
{
    const slot *s = &t->slots[home_slot(t, from, centre)];
    if (HPP_LIKELY(s->from == from && s->centre == centre)) {
        *n_entries = s->n_entries;
        return s->to;
    }
    return look_further(t, from, centre, n_entries);
}

static inline void add(uint64_t *counter, uint64_t n)
{
    HPP_RELAXED_STORE(counter, *counter + n);
}

static inline void enter(thread *t, hpp_cc *centre)
{
    uint64_t n_entries;
    cell *to = push(t, t->current, centre, &n_entries);
    HPP_RELEASE_STORE(&t->current, to);
    add(&to->entries, n_entries & HPP_RELAXED_LOAD(&entries_mask));
}

/* ---- scopes ---- */

static bool is_on_stack(const thread *t, uintptr_t address)
{
    return address >= t->range.low && address < t->range.high;
}

/* A scope opens in a function whose frame is not below the innermost open scope's: that scope is of
 * the same function, or was skipped by a longjmp. Closes those that were certainly skipped: scopes
 * of deeper frames, and of this frame's place where the call or the scope's own place shows that it
 * is another call. */
HPP_COLD static void close_skipped(thread *t, const hpp_scope *scope, uintptr_t address,
                                   uintptr_t return_address)
{
    if (t->range.high == 0) {
        t->range = hpp__find_stack();
    }
    if (!is_on_stack(t, address)) {
        return;
    }
    const frame *frames = t->frames;
    uint32_t n_left = t->depth;
    while (n_left > 1 && frames[n_left - 1].address < address &&
           is_on_stack(t, frames[n_left - 1].address)) {
        n_left--;
    }
    for (uint32_t i = n_left; i > 1 && frames[i - 1].address == address; i--) {
        if (frames[i - 1].return_address != return_address || frames[i - 1].scope == scope) {
            n_left = i - 1;
        }
    }
    if (n_left < t->depth) {
        t->depth = n_left;
        HPP_RELEASE_STORE(&t->current, frames[n_left].before);
    }
}

HPP_COLD static bool grow_frames(thread *t)
{
    if (t->n_frames >= MAX_FRAMES) {
        return false;
    }
    frame *frames = realloc(t->frames, 2 * t->n_frames * sizeof *frames);
    if (!frames) {
        return false;
    }
    t->frames = frames;
    t->n_frames *= 2;
    return true;
}

static inline void open_scope(thread *t, hpp_scope *scope, void *address, void *return_address)
{
    if (HPP_UNLIKELY((uintptr_t)address >= t->frames[t->depth - 1].address)) {
        close_skipped(t, scope, (uintptr_t)address, (uintptr_t)return_address);
    }
    uint32_t depth = t->depth;
    scope->before = t->current;
    scope->depth = depth;
    if (HPP_LIKELY(depth < t->n_frames) || grow_frames(t)) {
        t->frames[depth] =
            (frame){(uintptr_t)address, (uintptr_t)return_address, scope, t->current};
        t->depth = depth + 1;
    }
}

void hpp_scope_enter(hpp_scope *scope, hpp_cc *centre, void *address, void *return_address)
{
    thread *t = this_thread();
    if (HPP_UNLIKELY(!t)) {
        scope->before = NULL;
        return;
    }
    open_scope(t, scope, address, return_address);
    enter(t, centre);
}

static void set_current(thread *t, const hpp_ccs *ccs)
{
    cell *c = cell_of(t, ccs);
    if (c) {
        HPP_RELEASE_STORE(&t->current, c);
    } else {
        count_lost_stack();
    }
}

void hpp_scope_enter_under(hpp_scope *scope, const hpp_ccs *ccs, void *address,
                           void *return_address)
{
    thread *t = this_thread();
    scope->before = NULL;
    if (t) {
        open_scope(t, scope, address, return_address);
        set_current(t, ccs);
    }
}

void hpp_scope_leave(hpp_scope *scope)
{
    thread *t = self;
    if (HPP_LIKELY(t != NULL && scope->before != NULL)) {
        t->depth = scope->depth;
        HPP_RELEASE_STORE(&t->current, scope->before);
    }
}

hpp_ccs_mark hpp_ccs_save(void)
{
    const thread *t = this_thread();
    return t ? (hpp_ccs_mark){t->current->ccs, t->depth} : (hpp_ccs_mark){NULL, 0};
}

void hpp_ccs_restore(hpp_ccs_mark mark)
{
    thread *t = self;
    if (t && mark.current) {
        t->depth = mark.depth < t->depth ? mark.depth : t->depth;
        set_current(t, mark.current);
    }
}

void hpp_longjmp(hpp_jmp_buf *jump, int value)
{
    hpp_ccs_restore(jump->mark);
    longjmp(jump->environment, value);
}

/* ---- the current stack ---- */

const hpp_ccs *hpp_ccs_current(void)
{
    const thread *t = self;
    return t ? t->current->ccs : hpp_ccs_builtin(HPP_CCS_MAIN);
}

void hpp_ccs_set(const hpp_ccs *ccs)
{
    thread *t = this_thread();
    if (t) {
        set_current(t, ccs);
    }
}

void hpp_ccs_enter(hpp_cc *centre)
{
    thread *t = this_thread();
    if (t) {
        enter(t, centre);
    }
}

const hpp_ccs *hpp_ccs_push(const hpp_ccs *ccs, hpp_cc *centre)
{
    thread *t = this_thread();
    cell *from = t ? cell_of(t, ccs) : NULL;
    if (!from) {
        const hpp_ccs *child = hpp__ccs_child(ccs, centre);
        return child ? child : ccs;
    }
    uint64_t n_entries;
    return push(t, from, centre, &n_entries)->ccs;
}

void hpp_ccs_enter_function(const hpp_ccs *function)
{
    thread *t = this_thread();
    if (t && function != t->current->ccs) {
        set_current(t, hpp_ccs_append(t->current->ccs, function));
    }
}

/* ---- costs ---- */

static void allocate_untracked(size_t n_bytes)
{
    hpp_costs *main_costs = hpp_ccs_builtin(HPP_CCS_MAIN)->retired;
    HPP_RELAXED_ADD(&main_costs->allocated_bytes, n_bytes);
}

void hpp_ccs_allocated(size_t n_bytes)
{
    thread *t = this_thread();
    if (HPP_LIKELY(t != NULL)) {
        add(&t->current->allocated_bytes, n_bytes);
    } else {
        allocate_untracked(n_bytes);
    }
}

void hpp_ccs_allocated_by(const hpp_ccs *ccs, size_t n_bytes)
{
    thread *t = this_thread();
    cell *c = t ? cell_of(t, ccs) : NULL;
    if (c) {
        add(&c->allocated_bytes, n_bytes);
    } else {
        allocate_untracked(n_bytes);
    }
}

void hpp_ccs_tick(void)
{
    const thread *t = self;
    cell *current = t ? HPP_ACQUIRE_LOAD(&t->current) : NULL;
    if (current) {
        HPP_RELAXED_ADD(&current->ticks, 1);
    }
}

void hpp__threads_tick(uint64_t tick_ns)
{
    pthread_mutex_lock(&mutex);
    for (thread *t = active; t; t = t->next) {
        uint64_t n_ticks = (thread_time_ns(t) - t->credited_ns) / tick_ns;
        if (n_ticks > 0) {
            cell *current = HPP_ACQUIRE_LOAD(&t->current);
            HPP_RELAXED_ADD(&current->ticks, n_ticks);
            t->credited_ns += n_ticks * tick_ns;
        }
    }
    pthread_mutex_unlock(&mutex);
}

void hpp__threads_skip_time(void)
{
    pthread_mutex_lock(&mutex);
    for (thread *t = active; t; t = t->next) {
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
    for (const thread *t = active; t; t = t->next) {
        const cell *c = existing_cell(t, ccs->id);
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

void hpp_ccs_count_entries(bool on)
{
    HPP_RELAXED_STORE(&entries_mask, on ? UINT64_MAX : 0);
}
