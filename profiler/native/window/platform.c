/* SPDX-License-Identifier: BSD-2-Clause */
#include "platform.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>

#include "window.h"

enum {
    ADDRESS_SPACE_SHARE = 4,
    SPARE_BYTES = 64 << 20, /* below the upper limit, for what the library takes later */
    SPARE_SHARE = 2,
    MAX_YIELDS = 1000,
    START_BYTES = 1 << 20, /* that libc may need to start a program */
    NEAR_BYTES = 128 << 10,
    MOST_NEAR_BYTES = 32 << 10, /* of one request */
    PAGE_BYTES = HPP_LARGEST_PAGE_BYTES,
};

_Atomic uint32_t hpp__isolation;
atomic_bool hpp__has_no_time_stamp;

_Atomic uint64_t hpp__taken_bytes[HPP_N_LIMITS];
static uint64_t library_bytes[HPP_N_LIMITS]; /* of these: of the library itself */

/* A limit that the kernel has from us. */
static struct {
    struct rlimit own; /* of the program */
    struct rlimit set;
    bool is_set;
} limits[HPP_N_LIMITS];
static const int resources[HPP_N_LIMITS] = {RLIMIT_AS, RLIMIT_DATA};
static atomic_flag is_changing = ATOMIC_FLAG_INIT;
static uint32_t owner_id; /* process; 0: limits are left alone */

/* ---- limits ---------------------------------------------------------------------------------- */

static bool is_same(const struct rlimit *a, const struct rlimit *b)
{
    return a->rlim_cur == b->rlim_cur && a->rlim_max == b->rlim_max;
}

static long change(hpp_limit_kind kind, const struct rlimit *wanted, struct rlimit *before)
{
    return hpp__syscall(SYS_prlimit64, 0, resources[kind], (long)wanted, (long)before, 0, 0);
}

/* Returns the limit of the program, if the kernel's is `now`: it may be lowered while a program is
 * started, and another process may have changed it. */
static struct rlimit own_of(hpp_limit_kind kind, const struct rlimit *now)
{
    bool is_ours =
        limits[kind].is_set && now->rlim_max == limits[kind].set.rlim_max &&
        (now->rlim_cur == limits[kind].set.rlim_cur || now->rlim_cur == limits[kind].own.rlim_cur);
    return is_ours ? limits[kind].own : *now;
}

static bool is_owner(void)
{
    return owner_id != 0 && owner_id == (uint32_t)hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* Returns false if another thread, or the code that this signal handler has interrupted, is
 * changing limits for long. */
static bool begin_change(void)
{
    for (int i = 0; i < MAX_YIELDS; i++) {
        if (!atomic_flag_test_and_set(&is_changing)) {
            return true;
        }
        hpp__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
    return false;
}

static uint64_t sum_of(uint64_t limit, uint64_t n_more)
{
    return limit >= RLIM_INFINITY - n_more ? RLIM_INFINITY : limit + n_more;
}

/* Gives the kernel the limit of the program and what the library has taken. The upper limit is
 * raised if the process has the privilege. Returns whether there is room for both. */
static bool make_room(hpp_limit_kind kind, struct rlimit own, const struct rlimit *now)
{
    uint64_t wanted = sum_of(own.rlim_cur, atomic_load(&hpp__taken_bytes[kind]));
    struct rlimit set = {wanted, wanted > now->rlim_max ? wanted : now->rlim_max};
    if (is_same(&set, now)) {
        return true;
    }
    long error = change(kind, &set, NULL);
    if (error != 0) {
        set = (struct rlimit){now->rlim_max, now->rlim_max};
        error = change(kind, &set, NULL);
    }
    if (error == 0) {
        limits[kind].own = own;
        limits[kind].set = set;
        limits[kind].is_set = true;
    }
    return error == 0 && set.rlim_cur == wanted;
}

/* Returns whether the library may have what it has taken. */
static bool follow(hpp_limit_kind kind)
{
    struct rlimit now;
    if (change(kind, NULL, &now) != 0 || now.rlim_cur == RLIM_INFINITY) {
        return true;
    }
    struct rlimit own = own_of(kind, &now);
    bool has_room = false;
    if (is_owner() && begin_change()) {
        has_room = make_room(kind, own, &now);
        atomic_flag_clear(&is_changing);
    }
    uint64_t n_claimed = atomic_load(&hpp__taken_bytes[kind]) - library_bytes[kind];
    return has_room || n_claimed <= own.rlim_cur / ADDRESS_SPACE_SHARE;
}

void hpp__limits_start(uint64_t n_bytes, uint64_t n_private_bytes)
{
    if (owner_id == 0) {
        library_bytes[HPP_LIMIT_ADDRESSES] = n_bytes;
        library_bytes[HPP_LIMIT_DATA] = n_private_bytes;
        atomic_fetch_add(&hpp__taken_bytes[HPP_LIMIT_ADDRESSES], n_bytes);
        atomic_fetch_add(&hpp__taken_bytes[HPP_LIMIT_DATA], n_private_bytes);
    }
    atomic_flag_clear(&is_changing);
    owner_id = (uint32_t)hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    for (hpp_limit_kind i = 0; i < HPP_N_LIMITS; i++) {
        (void)follow(i);
    }
}

long hpp__limit_get(hpp_limit_kind kind, struct rlimit *out)
{
    struct rlimit now;
    long error = change(kind, NULL, &now);
    if (error == 0) {
        *out = own_of(kind, &now);
    }
    return error;
}

/* The upper limit of the kernel leaves room for what the library will take. */
static long set_own(hpp_limit_kind kind, const struct rlimit *wanted)
{
    struct rlimit now;
    long error = change(kind, NULL, &now);
    struct rlimit own = own_of(kind, &now);
    if (error == 0 && wanted->rlim_cur > wanted->rlim_max) {
        return -EINVAL;
    }
    if (error == 0 && wanted->rlim_max > own.rlim_max) { /* only with a privilege */
        uint64_t most = wanted->rlim_max > now.rlim_max ? wanted->rlim_max : now.rlim_max;
        now.rlim_max = sum_of(most, HPP_WINDOW_PAGE_BYTES);
        error = change(kind, &now, NULL);
    }
    if (error != 0) {
        return error;
    }
    uint64_t spare =
        atomic_load(&hpp__taken_bytes[kind]) + SPARE_BYTES + wanted->rlim_max / SPARE_SHARE;
    struct rlimit kept = {now.rlim_cur, sum_of(wanted->rlim_max, spare)};
    kept.rlim_max = kept.rlim_max < now.rlim_max ? kept.rlim_max : now.rlim_max;
    limits[kind].is_set = false;
    (void)make_room(kind, *wanted, &kept);
    if (!limits[kind].is_set) {
        error = change(kind, wanted, NULL);
    }
    return error;
}

long hpp__limit_set(hpp_limit_kind kind, const struct rlimit *wanted)
{
    if (!is_owner() || !begin_change()) {
        return change(kind, wanted, NULL);
    }
    long error = set_own(kind, wanted);
    atomic_flag_clear(&is_changing);
    return error;
}

/* Returns the field of /proc/self/statm, in bytes; UINT64_MAX if it cannot be read. */
static uint64_t used_bytes(int field)
{
    static const char path[] = "/proc/self/statm";
    char text[128] = {0};
    long file = hpp__syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    long n = file >= 0 ? hpp__syscall(SYS_read, file, (long)text, sizeof(text) - 1, 0, 0, 0) : 0;
    if (file >= 0) {
        hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
    }
    uint64_t n_pages = 0;
    for (long i = 0; i < n && field >= 0; i++) {
        if (text[i] == ' ') {
            field--;
        } else if (field == 0) {
            n_pages = n_pages * 10 + (uint64_t)(text[i] - '0');
        }
    }
    return n > 0 ? n_pages * getauxval(AT_PAGESZ) : UINT64_MAX - START_BYTES;
}

hpp_limits_shown hpp__limits_show(bool becomes_other)
{
    static const int fields[HPP_N_LIMITS] = {0, 5};
    hpp_limits_shown shown = {0};
    for (hpp_limit_kind i = 0; i < HPP_N_LIMITS; i++) {
        struct rlimit now;
        if (!limits[i].is_set || change(i, NULL, &now) != 0 || !is_same(&now, &limits[i].set)) {
            continue;
        }
        struct rlimit own = limits[i].own;
        shown.is_set[i] = true;
        shown.own[i] = own;
        own.rlim_max = becomes_other ? own.rlim_max : now.rlim_max;
        if (becomes_other || used_bytes(fields[i]) + START_BYTES <= own.rlim_cur) {
            shown.is_lowered[i] = change(i, &own, NULL) == 0;
        }
    }
    return shown;
}

void hpp__limits_hide(const hpp_limits_shown *shown, int process_id)
{
    for (hpp_limit_kind i = 0; i < HPP_N_LIMITS; i++) {
        if (shown->is_lowered[i]) {
            (void)change(i, &limits[i].set, NULL);
        }
        if (shown->is_set[i] && process_id > 0) {
            hpp__syscall(SYS_prlimit64, process_id, resources[i], (long)&shown->own[i], 0, 0, 0);
        }
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

bool hpp__claim_addresses(size_t n_bytes, bool is_private)
{
    atomic_fetch_add(&hpp__taken_bytes[HPP_LIMIT_ADDRESSES], n_bytes);
    atomic_fetch_add(&hpp__taken_bytes[HPP_LIMIT_DATA], is_private ? n_bytes : 0);
    bool may_take = follow(HPP_LIMIT_ADDRESSES) && (!is_private || follow(HPP_LIMIT_DATA));
    if (!may_take) {
        hpp__unclaim_addresses(n_bytes, is_private);
    }
    return may_take;
}

void hpp__unclaim_addresses(size_t n_bytes, bool is_private)
{
    atomic_fetch_sub(&hpp__taken_bytes[HPP_LIMIT_ADDRESSES], n_bytes);
    atomic_fetch_sub(&hpp__taken_bytes[HPP_LIMIT_DATA], is_private ? n_bytes : 0);
    (void)follow(HPP_LIMIT_ADDRESSES);
    (void)follow(HPP_LIMIT_DATA);
}

HPP_LARGE hpp_own_maps hpp__own_maps;

static bool take_place(hpp_own_map *place, uint64_t begin, uint64_t end)
{
    uint64_t unused = 0;
    bool is_taken = atomic_load_explicit(&place->begin, memory_order_relaxed) == 0 &&
                    atomic_compare_exchange_strong(&place->begin, &unused, begin);
    if (is_taken) {
        atomic_store(&place->end, end);
    }
    return is_taken;
}

static void note_map(uint64_t begin, uint64_t end)
{
    uint32_t n = atomic_load(&hpp__own_maps.n), i = 0;
    while (i < HPP_MAX_OWN_MAPS && !take_place(&hpp__own_maps.list[i], begin, end)) {
        i++;
    }
    while (n <= i && !atomic_compare_exchange_weak(&hpp__own_maps.n, &n, i + 1)) {
    }
}

static void forget_map(uint64_t begin)
{
    uint32_t n = atomic_load(&hpp__own_maps.n);
    for (uint32_t i = 0; i < n && i < HPP_MAX_OWN_MAPS; i++) {
        if (atomic_load_explicit(&hpp__own_maps.list[i].begin, memory_order_relaxed) == begin) {
            atomic_store(&hpp__own_maps.list[i].end, 0);
            atomic_store(&hpp__own_maps.list[i].begin, 0);
            return;
        }
    }
}

void *hpp__map(size_t n_bytes)
{
    if (!hpp__claim_addresses(n_bytes, true)) {
        return NULL;
    }
    long place = hpp__syscall(SYS_mmap, 0, (long)n_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place < 0 && place >= -4095) {
        hpp__unclaim_addresses(n_bytes, true);
        return NULL;
    }
    /* Neither reserved nor dumped: so the kernel does not merge it with memory of the program, and
     * the collector knows it without the list (native/collector/roots/roots.h). */
    hpp__syscall(SYS_madvise, place, (long)n_bytes, MADV_DONTDUMP, 0, 0, 0);
    note_map((uint64_t)place, (uint64_t)place + n_bytes);
    return (void *)place;
}

/* A mapping for each small piece would take longer than what a small process does with it. */
static HPP_LARGE char near[NEAR_BYTES];
static _Atomic size_t n_near_bytes;

void hpp__clear(void *place, size_t n_bytes)
{
    size_t n_pages_bytes = n_bytes / PAGE_BYTES * PAGE_BYTES; /* fails if they are locked */
    bool are_clear =
        n_pages_bytes > 0 &&
        hpp__syscall(SYS_madvise, (long)place, (long)n_pages_bytes, MADV_DONTNEED, 0, 0, 0) == 0;
    size_t n_clear = are_clear ? n_pages_bytes : 0;
    memset((char *)place + n_clear, 0, n_bytes - n_clear);
}

void *hpp__map_near(size_t n_bytes)
{
    enum { LINE_BYTES = 64 };
    size_t unit = n_bytes < HPP_WINDOW_PAGE_BYTES ? LINE_BYTES : PAGE_BYTES;
    size_t used = atomic_load(&n_near_bytes), begin = hpp__round_up(used, unit);
    while (n_bytes <= MOST_NEAR_BYTES && begin + n_bytes <= NEAR_BYTES) {
        if (atomic_compare_exchange_weak(&n_near_bytes, &used, begin + n_bytes)) {
            return near + begin;
        }
        begin = hpp__round_up(used, unit);
    }
    return hpp__map(n_bytes);
}

bool hpp__caches_stay;

void *hpp__map_cache(size_t n_bytes)
{
    void *place = hpp__map_near(hpp__round_up(n_bytes, PAGE_BYTES)); /* it shares no page */
    if (place != NULL && hpp__caches_stay) {
        hpp__syscall(SYS_madvise, (long)place, (long)n_bytes, MADV_WIPEONFORK, 0, 0, 0);
    }
    return place;
}

void hpp__unmap(void *place, size_t n_bytes)
{
    if ((uintptr_t)place - (uintptr_t)near < NEAR_BYTES) {
        return; /* it is not used again */
    }
    forget_map((uint64_t)(uintptr_t)place);
    hpp__syscall(SYS_munmap, (long)place, (long)n_bytes, 0, 0, 0, 0);
    hpp__unclaim_addresses(n_bytes, true);
}
