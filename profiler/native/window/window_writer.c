/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The program's end of the window. See window_writer.h. Pages are handed out by moving one number
 * up, so that handing them out needs no lock.
 */
#include "window_writer.h"
#include "native/machine/object_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "platform.h"

enum {
    MIN_WINDOW_BYTES = 16 << 20,
    SHRINK_FACTOR = 4,       /* from one try to the next */
    ADDRESS_SPACE_SHARE = 8, /* the collector maps the whole file, maybe under the same limit */
    FIRST_BYTES = 4 << 20,
    HEADROOM_BYTES = 1 << 20, /* that is mapped before it is needed */
    GROWTH_SHARE = 4,
    MAX_SEND_TRIES = 200,
    SEND_PAUSE_NS = 10000000,
    MAX_PLACES = 8,
    MAX_YIELDS = 100,
    MAX_PAUSES = 2000,
    PAUSE_NS = 50000,
};

/* Where a window can grow: the kernel puts no mapping there unless it is asked to, and sanitizers
 * have none there. */
static const uint64_t first_place = UINT64_C(0x420000000000);
static const uint64_t place_bytes = UINT64_C(1) << 36;

hpp_window *hpp__window;

static _Atomic uint64_t mapped_bytes; /* of the window */
static _Atomic uint32_t without_forks;
static _Atomic uint32_t *is_own_window = &without_forks;
static atomic_flag is_growing = ATOMIC_FLAG_INIT;
static atomic_bool cannot_grow;

/* ---- pages ----------------------------------------------------------------------------------- */

/* Maps more of the file. While one thread does that, others use the headroom. */
static HPP_COLD void grow(uint64_t old_bytes)
{
    uint64_t size_bytes = hpp__window->head.size_bytes;
    if (old_bytes == size_bytes || cannot_grow || atomic_flag_test_and_set(&is_growing)) {
        return;
    }
    uint64_t step = old_bytes / GROWTH_SHARE;
    step -= step % HPP_WINDOW_PAGE_BYTES;
    step = step < size_bytes - old_bytes ? step : size_bytes - old_bytes;
    if (old_bytes == atomic_load(&mapped_bytes)) {
        long result = -ENOMEM;
        if (hpp__claim_addresses(step, false)) {
            result = hpp__syscall(SYS_mremap, (long)hpp__window, (long)old_bytes,
                                  (long)(old_bytes + step), 0, 0, 0);
        }
        if (result == (long)hpp__window) {
            atomic_store(&mapped_bytes, old_bytes + step);
        } else {
            atomic_store(&cannot_grow, true);
        }
    }
    atomic_flag_clear(&is_growing);
}

/* Lets others run, at first those that are ready. */
static void let_others_run(int n_before)
{
    struct timespec pause = {.tv_nsec = PAUSE_NS};
    if (n_before < MAX_YIELDS) {
        hpp__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    } else {
        hpp__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
}

/* Returns the mapped bytes, once they are at least `n_bytes` or cannot be: where many threads have
 * used up the headroom, they let the one that maps more go first. A signal handler may have
 * interrupted that one, and does not wait for long. */
static uint64_t map_up_to(uint64_t n_bytes)
{
    uint64_t mapped = atomic_load_explicit(&mapped_bytes, memory_order_relaxed);
    if (HPP_LIKELY(n_bytes + HEADROOM_BYTES <= mapped)) {
        return mapped;
    }
    grow(mapped);
    mapped = atomic_load(&mapped_bytes);
    for (int i = 0; i < MAX_YIELDS + MAX_PAUSES && n_bytes > mapped && !cannot_grow &&
                    mapped < hpp__window->head.size_bytes;
         i++) {
        let_others_run(i);
        grow(mapped);
        mapped = atomic_load(&mapped_bytes);
    }
    return mapped;
}

void hpp__window_owner(_Atomic uint32_t *is_own)
{
    is_own_window = is_own;
}

/* Takes `n` pages, and leaves `reserve_bytes` for others. A child that a handler has forked in
 * between loses them. */
static uint32_t take_pages(uint32_t n, uint64_t reserve_bytes)
{
    uint64_t n_bytes = (uint64_t)n * HPP_WINDOW_PAGE_BYTES;
    uint64_t used = atomic_load_explicit(&hpp__window->head.used_bytes, memory_order_relaxed);
    do {
        uint64_t needed = used + n_bytes + reserve_bytes;
        if (atomic_load(is_own_window) == 0 || needed > map_up_to(needed)) {
            return 0;
        }
    } while (!atomic_compare_exchange_weak_explicit(&hpp__window->head.used_bytes, &used,
                                                    used + n_bytes, memory_order_release,
                                                    memory_order_relaxed));
    return atomic_load(is_own_window) == 0 ? 0 : (uint32_t)(used / HPP_WINDOW_PAGE_BYTES);
}

uint32_t hpp__window_pages(uint32_t n)
{
    uint32_t n_sites = atomic_load_explicit(&hpp__window->head.n_sites, memory_order_relaxed);
    uint64_t n_reserved = (n_sites / HPP_CELLS_PER_CHUNK + 1) * HPP_CELL_CHUNK_PAGES;
    return take_pages(n, n_reserved * HPP_WINDOW_PAGE_BYTES);
}

uint32_t hpp__window_reserved_cells(void)
{
    return take_pages(HPP_CELL_CHUNK_PAGES, 0);
}

/* ---- making ---------------------------------------------------------------------------------- */

static void close_file(int file)
{
    hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
}

static uint64_t limit_of(int resource)
{
    struct rlimit limit = {0};
    if (hpp__syscall(SYS_prlimit64, 0, resource, 0, (long)&limit, 0, 0) != 0) {
        return UINT64_MAX;
    }
    return limit.rlim_cur;
}

static char file_name[HPP_WINDOW_NAME_BYTES] = HPP_WINDOW_NAME;

void hpp__window_name(const char *socket_name)
{
    size_t n = strlen(HPP_WINDOW_NAME), n_name = strlen(socket_name);
    if (n + n_name < sizeof(file_name)) {
        memcpy(file_name + n, socket_name, n_name + 1);
    }
}

/* Returns a file descriptor or a negated errno. Growing a file beyond its limit would raise
 * SIGXFSZ.
 */
static int make_file(uint64_t size_bytes)
{
    if (size_bytes > limit_of(RLIMIT_FSIZE)) {
        return -EFBIG;
    }
    long file = hpp__syscall(SYS_memfd_create, (long)file_name, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0,
                             0, 0, 0);
    if (file < 0) {
        return (int)file;
    }
    long seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (hpp__syscall(SYS_ftruncate, file, (long)size_bytes, 0, 0, 0, 0) != 0 ||
        hpp__syscall(SYS_fcntl, file, F_ADD_SEALS, seals, 0, 0, 0) != 0) {
        close_file((int)file);
        return -EPERM;
    }
    return (int)file;
}

/* Maps the first part of a file, with `flags` that say where. */
static bool map_file(int file, uint64_t n_bytes, uint64_t place, long flags)
{
    long mapped = hpp__syscall(SYS_mmap, (long)place, (long)n_bytes, PROT_READ | PROT_WRITE,
                               flags | MAP_SHARED | MAP_NORESERVE, file, 0);
    if (mapped < 0 && mapped >= -4095) {
        return false;
    }
    hpp__syscall(SYS_madvise, mapped, (long)n_bytes, MADV_NOHUGEPAGE, 0, 0, 0);
    hpp__syscall(SYS_madvise, mapped, (long)n_bytes, MADV_DONTDUMP, 0, 0, 0);
    hpp__window = (hpp_window *)mapped;
    atomic_store(&mapped_bytes, n_bytes);
    atomic_store(is_own_window, 1);
    return true;
}

/* Maps the first part of a new window. */
static bool map_new(int file)
{
    if (!hpp__claim_addresses(FIRST_BYTES, false)) {
        return false;
    }
    for (uint64_t i = 0; i < MAX_PLACES; i++) {
        if (map_file(file, FIRST_BYTES, first_place + i * place_bytes, MAP_FIXED_NOREPLACE)) {
            return true;
        }
    }
    return map_file(file, FIRST_BYTES, 0, 0);
}

static void fill_identity(hpp_window_head *head)
{
    head->process_id = (uint32_t)hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    head->parent_id = (uint32_t)hpp__syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
    head->start_ns = hpp__system_ns();
    head->start_stamp = hpp__time_stamp();
    head->key = (uint64_t)head->process_id << 32 | (uint32_t)head->start_ns;
    atomic_store_explicit(&head->state, HPP_WINDOW_LIVE, memory_order_relaxed);
}

/* Record 0 is not used. */
static void reset_lives(hpp_window_head *head)
{
    atomic_store(&head->wanted_era, 1);
    atomic_store(&head->era, 1);
    atomic_store(&head->n_lives, 1);
    atomic_store(&head->n_lost_lives, 0);
    atomic_store(&head->image_era, 0);
    atomic_store(&head->n_deaths, 0);
    atomic_store(&head->n_deaths_read, 0);
}

static void fill_new(uint64_t size_bytes)
{
    hpp_window_head *head = &hpp__window->head;
    memcpy(head->magic, HPP_WINDOW_MAGIC, sizeof(head->magic));
    head->version = HPP_WINDOW_VERSION;
    head->machine = HPP_MACHINE;
    head->cell_bytes = sizeof(hpp_window_cell);
    head->size_bytes = size_bytes;
    atomic_store_explicit(&head->used_bytes, sizeof(hpp_window), memory_order_relaxed);
    fill_identity(head);
    uint32_t page = hpp__window_pages(HPP_NODES_PER_CHUNK * (uint32_t)sizeof(hpp_window_node) /
                                      HPP_WINDOW_PAGE_BYTES);
    atomic_store_explicit(&hpp__window->node_pages[0], page, memory_order_relaxed);
    page = hpp__window_pages(HPP_SITES_PER_CHUNK * (uint32_t)sizeof(hpp_window_site) /
                             HPP_WINDOW_PAGE_BYTES);
    atomic_store_explicit(&hpp__window->site_pages[0], page, memory_order_relaxed);
    atomic_store_explicit(&head->n_nodes, 1, memory_order_relaxed);
    atomic_store_explicit(&head->n_sites, HPP_FIRST_SITE, memory_order_relaxed);
    atomic_store_explicit(&head->n_codes, 1, memory_order_relaxed);
    reset_lives(head);
}

int hpp__window_make(const char **reason, uint64_t size_bytes)
{
    uint64_t share_bytes = limit_of(RLIMIT_AS) / ADDRESS_SPACE_SHARE;
    size_bytes = size_bytes < share_bytes ? size_bytes : share_bytes;
    size_bytes = size_bytes > MIN_WINDOW_BYTES ? size_bytes : MIN_WINDOW_BYTES;
    size_bytes -= size_bytes % HPP_WINDOW_PAGE_BYTES;
    int file = make_file(size_bytes);
    while (file == -EFBIG && size_bytes / SHRINK_FACTOR >= MIN_WINDOW_BYTES) {
        size_bytes /= SHRINK_FACTOR;
        size_bytes -= size_bytes % HPP_WINDOW_PAGE_BYTES;
        file = make_file(size_bytes);
    }
    if (file < 0) {
        *reason = file == -EFBIG ? "its limit of file sizes (ulimit -f) is too low for its counters"
                  : file == -EMFILE
                      ? "it has no free file descriptor (ulimit -n)"
                      : "it cannot create a memory file for its counters (memfd_create)";
        return -1;
    }
    if (!map_new(file)) {
        *reason = "its limit of address space (ulimit -v) is too low for its counters";
        close_file(file);
        return -1;
    }
    fill_new(size_bytes);
    return file;
}

/* ---- a child's own --------------------------------------------------------------------------- */

/* The parent may go on meanwhile, and the window is shared until the child has its own. What the
 * child needs was there at the fork, in the part that is mapped. */

static bool is_mapped(uint32_t page, uint64_t n_bytes)
{
    return (uint64_t)page * HPP_WINDOW_PAGE_BYTES + n_bytes <= atomic_load(&mapped_bytes);
}

static bool copy_bytes(int file, uint64_t offset, uint64_t n_bytes)
{
    while (n_bytes > 0) {
        long n = hpp__syscall(SYS_pwrite64, file, (long)((char *)hpp__window + offset),
                              (long)n_bytes, (long)offset, 0, 0);
        if (n == -EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        offset += (uint64_t)n;
        n_bytes -= (uint64_t)n;
    }
    return true;
}

/* Copies the first `n` records of a table, chunk by chunk, and the part of its directory that names
 * these. */
static bool copy_table(int file, _Atomic uint32_t *pages, uint32_t n, uint32_t n_per_chunk,
                       uint64_t record_bytes)
{
    uint64_t n_chunks = (n + n_per_chunk - 1) / n_per_chunk;
    if (!copy_bytes(file, (uintptr_t)pages - (uintptr_t)hpp__window, n_chunks * sizeof(*pages))) {
        return false;
    }
    for (uint32_t i = 0; n > 0; i++) {
        uint32_t n_here = n < n_per_chunk ? n : n_per_chunk;
        uint32_t page = atomic_load_explicit(&pages[i], memory_order_acquire);
        if (page != 0 && is_mapped(page, n_here * record_bytes) &&
            !copy_bytes(file, (uint64_t)page * HPP_WINDOW_PAGE_BYTES, n_here * record_bytes)) {
            return false;
        }
        n -= n_here;
    }
    return true;
}

static uint32_t load_count(_Atomic uint32_t *count, uint32_t max)
{
    uint32_t n = atomic_load_explicit(count, memory_order_acquire);
    return n < max ? n : max;
}

static bool copy_needed(int file, uint32_t kept_slot)
{
    hpp_window_head *head = &hpp__window->head;
    uint32_t n_nodes =
        load_count(&head->n_nodes, HPP_MAX_NODE_CHUNKS * (uint32_t)HPP_NODES_PER_CHUNK);
    uint32_t n_sites = load_count(&head->n_sites, HPP_MAX_SITES);
    uint32_t n_modules = load_count(&head->n_modules, HPP_MAX_MODULES);
    uint32_t n_codes = load_count(&head->n_codes, HPP_MAX_CODES);
    uint64_t n_scopes = load_count(&head->n_scopes, HPP_MAX_SCOPES);
    uint64_t n_slots = load_count(&head->n_slots, HPP_MAX_SLOTS);
    uint32_t leaf_page = atomic_load(&head->n_leaf_pages);
    uint64_t n_leaf_bytes = atomic_load(&head->n_leaves) * sizeof(uint64_t);
    uint64_t slot_at =
        (uint64_t)atomic_load(&hpp__window->slot_pages[kept_slot]) * HPP_WINDOW_PAGE_BYTES;
    uint64_t n_cell_pages = n_sites / HPP_CELLS_PER_CHUNK + 1;
    return copy_bytes(file, 0, HPP_WINDOW_PAGE_BYTES) &&
           copy_bytes(file, offsetof(hpp_window, slot_pages), n_slots * sizeof(uint32_t)) &&
           copy_table(file, hpp__window->node_pages, n_nodes, HPP_NODES_PER_CHUNK,
                      sizeof(hpp_window_node)) &&
           copy_table(file, hpp__window->site_pages, n_sites, HPP_SITES_PER_CHUNK,
                      sizeof(hpp_window_site)) &&
           copy_table(file, hpp__window->module_pages, n_modules, HPP_MODULES_PER_CHUNK,
                      sizeof(hpp_window_module)) &&
           copy_table(file, hpp__window->code_pages, n_codes, HPP_CODES_PER_CHUNK,
                      sizeof(hpp_window_code)) &&
           copy_bytes(file, offsetof(hpp_window, scopes), n_scopes * sizeof(hpp_window_scope)) &&
           (!is_mapped(leaf_page, n_leaf_bytes) ||
            copy_bytes(file, (uint64_t)leaf_page * HPP_WINDOW_PAGE_BYTES, n_leaf_bytes)) &&
           copy_bytes(file, slot_at,
                      offsetof(hpp_window_slot, cell_pages) + n_cell_pages * sizeof(uint32_t));
}

/* Forgets the chunks of a table, up to the chunk of its next record, that the parent has made since
 * the fork. */
static void forget_later(_Atomic uint32_t *pages, _Atomic uint32_t *n, uint32_t most,
                         uint32_t n_per_chunk)
{
    for (uint32_t i = 0; i <= load_count(n, most - 1) / n_per_chunk; i++) {
        if (!is_mapped(atomic_load(&pages[i]), 1)) {
            atomic_store(&pages[i], 0);
        }
    }
}

static void forget_all_later(uint32_t kept_slot)
{
    hpp_window *w = hpp__window;
    forget_later(w->node_pages, &w->head.n_nodes, HPP_MAX_NODE_CHUNKS * HPP_NODES_PER_CHUNK,
                 HPP_NODES_PER_CHUNK);
    forget_later(w->site_pages, &w->head.n_sites, HPP_MAX_SITES, HPP_SITES_PER_CHUNK);
    forget_later(w->module_pages, &w->head.n_modules, HPP_MAX_MODULES, HPP_MODULES_PER_CHUNK);
    forget_later(w->code_pages, &w->head.n_codes, HPP_MAX_CODES, HPP_CODES_PER_CHUNK);
    forget_later(w->slot_pages, &w->head.n_slots, HPP_MAX_SLOTS, 1);
    hpp_window_slot *kept = hpp__window_at(atomic_load(&w->slot_pages[kept_slot]));
    forget_later(kept->cell_pages, &w->head.n_sites, HPP_MAX_SITES, HPP_CELLS_PER_CHUNK);
    if (!is_mapped(atomic_load(&w->head.n_leaf_pages), 1)) {
        atomic_store(&w->head.n_leaf_pages, 0);
        atomic_store(&w->head.n_leaves, 0);
    }
}

/* The head was copied with all that the parent had counted. */
static void reset_head(hpp_window_head *head)
{
    head->parent_key = head->key;
    fill_identity(head);
    atomic_store(&head->control, 0);
    atomic_store(&head->n_marks, 0);
    atomic_store(&head->n_other_throws, 0);
    atomic_store(&head->n_thread_events_read, atomic_load(&head->n_thread_events));
    atomic_store(&head->n_lost_stacks, 0);
    atomic_store(&head->n_uncounted, 0);
    atomic_store(&head->uncounted_bytes, 0);
    atomic_store(&head->n_missed_frees, 0);
    atomic_store(&head->n_cut_stacks, 0);
    atomic_store(&head->n_unwinds, 0);
    atomic_store(&head->n_frames, 0);
    atomic_store(&head->n_compared, 0);
    atomic_store(&head->events, 0);
    atomic_store(&head->n_apart, 0);
    atomic_store(&head->n_peaks, 0);
    atomic_store(&head->n_checked, 0);
    atomic_store(&head->n_cache_mismatches, 0);
    atomic_store(&head->n_peer_mismatches, 0);
    atomic_store(&head->n_peer_cut, 0);
    reset_lives(head);
}

int hpp__window_renew(uint32_t kept_slot)
{
    uint64_t size_bytes = hpp__window->head.size_bytes;
    int file = make_file(size_bytes);
    if (file < 0) {
        return -1;
    }
    if (!copy_needed(file, kept_slot)) {
        close_file(file);
        return -1;
    }
    /* Loaded last: all pages that were copied, or are referred to, were in use before. */
    uint64_t used_bytes = atomic_load(&hpp__window->head.used_bytes);
    uint64_t n_bytes = atomic_load(&mapped_bytes);
    if (!map_file(file, n_bytes, (uintptr_t)hpp__window, MAP_FIXED)) {
        close_file(file);
        return -1;
    }
    atomic_store(&hpp__window->head.used_bytes, used_bytes < n_bytes ? used_bytes : n_bytes);
    forget_all_later(kept_slot);
    atomic_flag_clear(&is_growing);
    reset_head(&hpp__window->head);
    return file;
}

/* ---- handing it in --------------------------------------------------------------------------- */

/* Connects; waits while the collector has more callers than it can hold. Returns a socket or -1. */
int hpp__window_connect(const char *socket_name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(socket_name);
    if (n + 1 > sizeof(address.sun_path)) {
        return -1;
    }
    memcpy(address.sun_path + 1, socket_name, n);
    long length = (long)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
    long link =
        hpp__syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
    if (link < 0) {
        return -1;
    }
    for (int i = 0; i < MAX_SEND_TRIES; i++) {
        long result = hpp__syscall(SYS_connect, link, (long)&address, length, 0, 0, 0);
        if (result == 0) {
            return (int)link;
        }
        if (result != -EAGAIN && result != -EINTR) {
            break;
        }
        struct timespec pause = {.tv_nsec = SEND_PAUSE_NS};
        hpp__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
    close_file((int)link);
    return -1;
}

/* Sends a hello, with `n_files` descriptors. A new socket has room for it. */
static bool send_hello(int link, const hpp_window_hello *hello, const int *files, size_t n_files)
{
    struct iovec bytes = {(void *)(uintptr_t)hello, sizeof(*hello)};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(HPP_MAX_HELLO_FILES * sizeof(int))];
    } rights = {{0}};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (n_files > 0) {
        message.msg_control = &rights;
        message.msg_controllen = CMSG_SPACE(n_files * sizeof(int));
        struct cmsghdr *control = CMSG_FIRSTHDR(&message);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(n_files * sizeof(int));
        memcpy(CMSG_DATA(control), files, n_files * sizeof(int));
    }
    long n;
    do {
        n = hpp__syscall(SYS_sendmsg, link, (long)&message, MSG_NOSIGNAL, 0, 0, 0);
    } while (n == -EINTR);
    return n == (long)sizeof(*hello);
}

bool hpp__window_hand_in(int link, int file, int helper)
{
    const int files[HPP_MAX_HELLO_FILES] = {file, helper};
    hpp_window_hello hello = {.kind = HPP_HELLO_WINDOW, .process_id = hpp__window->head.process_id};
    memcpy(hello.magic, HPP_WINDOW_MAGIC, sizeof(hello.magic));
    bool done = send_hello(link, &hello, files, helper >= 0 ? 2 : 1);
    close_file(link);
    close_file(file);
    if (helper >= 0) {
        close_file(helper);
    }
    return done;
}

void hpp__window_send_helper(int link, int helper)
{
    hpp_window_hello hello = {.kind = HPP_HELLO_HELPER};
    memcpy(hello.magic, HPP_WINDOW_MAGIC, sizeof(hello.magic));
    (void)send_hello(link, &hello, &helper, 1);
    close_file(link);
    close_file(helper);
}

void hpp__window_excuse(int link, const char *reason)
{
    hpp_window_hello hello = {.kind = HPP_HELLO_EXCUSE};
    memcpy(hello.magic, HPP_WINDOW_MAGIC, sizeof(hello.magic));
    memcpy(hello.text, reason, strnlen(reason, sizeof(hello.text) - 1));
    (void)send_hello(link, &hello, NULL, 0);
    close_file(link);
}

bool hpp__window_ask(int link, hpp_hello_kind kind, int patience_s)
{
    hpp_window_hello hello = {.kind = kind};
    memcpy(hello.magic, HPP_WINDOW_MAGIC, sizeof(hello.magic));
    struct pollfd answer = {.fd = link, .events = POLLIN};
    struct timespec left = {.tv_sec = patience_s};
    long n = 0;
    if (send_hello(link, &hello, NULL, 0)) {
        do {
            n = hpp__syscall(SYS_ppoll, (long)&answer, 1, (long)&left, 0, 0, 0);
        } while (n == -EINTR);
    }
    close_file(link);
    return n == 1;
}
