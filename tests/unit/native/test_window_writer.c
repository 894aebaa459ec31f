/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The program's side of the window: its initial state, pages, limits, the window of a forked child,
 * and the connection to the collector.
 */
#include "native/window/window_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

enum { MIB = 1 << 20 };

static const char *reason;

Test(window_writer, new_window_is_complete_and_sealed)
{
    int file = hpp__window_make(&reason, 64 * MIB);
    cr_assert(ge(int, file, 0));
    hpp_window_head *head = &hpp__window->head;
    cr_assert(eq(int, memcmp(head->magic, HPP_WINDOW_MAGIC, 8), 0));
    cr_assert(eq(u32, head->version, HPP_WINDOW_VERSION));
    cr_assert(eq(u64, head->size_bytes, 64 * MIB));
    cr_assert(eq(u32, head->process_id, (uint32_t)getpid()));
    cr_assert(eq(u64, head->key >> 32, (uint64_t)getpid()));
    cr_assert(eq(u32, head->n_nodes, 1));
    cr_assert(eq(u32, head->n_sites, HPP_FIRST_SITE));
    cr_assert(ne(u32, hpp__window->node_pages[0], 0));
    cr_assert(ne(u32, hpp__window->site_pages[0], 0));
    cr_assert(eq(int, ftruncate(file, 0), -1));
    cr_assert(eq(int, ftruncate(file, 128 * MIB), -1));
    cr_assert(ne(int, fcntl(file, F_GETFD) & FD_CLOEXEC, 0));
}

Test(window_writer, unused_window_takes_no_memory)
{
    int file = hpp__window_make(&reason, (uint64_t)1 << 30);
    struct stat stat;
    cr_assert(eq(int, fstat(file, &stat), 0));
    cr_assert(lt(long, stat.st_blocks * 512L, 64 * 1024));
}

Test(window_writer, pages_are_empty_and_consecutive)
{
    hpp__window_make(&reason, 16 * MIB);
    uint32_t first = hpp__window_pages(3);
    uint32_t second = hpp__window_pages(1);
    cr_assert(ge(u64, first * (uint64_t)HPP_WINDOW_PAGE_BYTES, sizeof(hpp_window)));
    cr_assert(eq(u32, second, first + 3));
    const char *bytes = hpp__window_at(second);
    for (int i = 0; i < HPP_WINDOW_PAGE_BYTES; i++) {
        cr_assert(eq(chr, bytes[i], 0));
    }
}

Test(window_writer, full_window_reserves_pages_for_cells)
{
    hpp__window_make(&reason, 16 * MIB);
    hpp__window->head.n_sites = 1000;
    while (hpp__window_pages(1) != 0) {
    }
    cr_assert(eq(u32, hpp__window_pages(2), 0));
    for (int i = 0; i < 1000 / HPP_CELLS_PER_CHUNK + 1; i++) {
        cr_assert(ne(u32, hpp__window_reserved_cells(), 0));
    }
    cr_assert(eq(u32, hpp__window_reserved_cells(), 0));
    cr_assert(eq(u64, hpp__window->head.used_bytes, hpp__window->head.size_bytes));
}

static uint64_t address_space_bytes(void)
{
    unsigned long n_pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    cr_assert(eq(int, fscanf(file, "%lu", &n_pages), 1));
    fclose(file);
    return (uint64_t)n_pages * HPP_WINDOW_PAGE_BYTES;
}

Test(window_writer, maps_only_used_address_space)
{
    uint64_t before = address_space_bytes();
    hpp__window_make(&reason, (uint64_t)1 << 32);
    cr_assert(le(u64, address_space_bytes() - before, 8 * MIB));
    uint32_t last = 0;
    for (int i = 0; i < 100 * MIB / HPP_WINDOW_PAGE_BYTES; i++) {
        last = hpp__window_pages(1);
        *(char *)hpp__window_at(last) = 1;
    }
    cr_assert(ge(u64, last * (uint64_t)HPP_WINDOW_PAGE_BYTES, 100 * MIB));
    cr_assert(le(u64, address_space_bytes() - before, 140 * MIB));
}

static void *take_slots(void *n_failures)
{
    for (int i = 0; i < 200; i++) {
        *(int *)n_failures += hpp__window_pages(33) == 0;
    }
    return NULL;
}

/* This includes threads that use up the mapped pages before one of them maps more. */
Test(window_writer, grows_for_many_threads_at_once)
{
    enum { N = 16 };
    pthread_t threads[N];
    int n_failures[N] = {0};
    hpp__window_make(&reason, (uint64_t)1 << 32);
    for (int i = 0; i < N; i++) {
        pthread_create(&threads[i], NULL, take_slots, &n_failures[i]);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        cr_assert(eq(int, n_failures[i], 0));
    }
}

/* A program may lower its own limit later: the reserve for cells remains. */
Test(window_writer, is_full_if_it_cannot_grow)
{
    hpp__window_make(&reason, (uint64_t)1 << 32);
    hpp__window->head.n_sites = 1000;
    struct rlimit limit = {address_space_bytes() + 2 * MIB, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    uint32_t n = 0;
    while (hpp__window_pages(1) != 0) {
        n++;
    }
    cr_assert(lt(u32, n, 16 * MIB / HPP_WINDOW_PAGE_BYTES));
    cr_assert(ne(u32, hpp__window_reserved_cells(), 0));
}

Test(window_writer, address_space_limit_makes_it_smaller)
{
    struct rlimit limit = {100 * MIB, 100 * MIB};
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert(ge(int, hpp__window_make(&reason, (uint64_t)1 << 30), 0));
    cr_assert(eq(u64, hpp__window->head.size_bytes, 64 * MIB));
}

/* The limit is large, so that it suffices for a sanitizer too. */
Test(window_writer, leaves_most_of_the_address_space)
{
    const rlim_t n_bytes = (rlim_t)1 << 46;
    struct rlimit limit = {n_bytes, n_bytes};
    setrlimit(RLIMIT_AS, &limit);
    cr_assert(ge(int, hpp__window_make(&reason, n_bytes / 4), 0));
    cr_assert(eq(u64, hpp__window->head.size_bytes, n_bytes / 8));
}

Test(window_writer, file_size_limit_prevents_window)
{
    struct rlimit limit = {MIB, MIB};
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert(eq(int, hpp__window_make(&reason, (uint64_t)1 << 30), -1));
    cr_assert(hpp__window == NULL);
    cr_assert(strstr(reason, "ulimit -f") != NULL);
}

/* Adds a slot with a directory and a cell, like a thread's. */
static hpp_window_slot *add_slot(uint32_t index)
{
    uint32_t page = hpp__window_pages((uint32_t)(sizeof(hpp_window_slot) / HPP_WINDOW_PAGE_BYTES));
    hpp__window->slot_pages[index] = page;
    hpp_window_slot *slot = hpp__window_at(page);
    slot->state = HPP_SLOT_LIVE;
    slot->cell_pages[0] = hpp__window_pages(1);
    hpp_window_cell *cells = hpp__window_at(slot->cell_pages[0]);
    cells[2].allocations = 7;
    return slot;
}

/* Losses and statistics follow one another in the head. */
static _Atomic uint64_t *counters_of(hpp_window_head *head, size_t *n)
{
    *n = (offsetof(hpp_window_head, n_peer_cut) - offsetof(hpp_window_head, n_lost_stacks)) / 8 + 1;
    return &head->n_lost_stacks;
}

static bool counts_nothing(hpp_window_head *head)
{
    size_t n;
    const _Atomic uint64_t *counters = counters_of(head, &n);
    for (size_t i = 0; i < n; i++) {
        if (counters[i] != 0) {
            return false;
        }
    }
    return head->control == 0 && head->n_marks == 0 && head->n_peaks == 0 && head->events == 0 &&
           head->n_apart == 0;
}

/* The parent goes on between the fork and the child's copy. */
Test(window_writer, forked_child_forgets_what_the_parent_has_made_since)
{
    hpp__window_make(&reason, 64 * MIB);
    hpp_window *place = hpp__window;
    add_slot(0);
    hpp_window_slot *kept = add_slot(1);
    place->head.n_slots = 2;
    int to_child[2];
    char go = 1;
    cr_assert(eq(int, pipe(to_child), 0));
    pid_t child = fork();
    if (child == 0) {
        bool is_right = read(to_child[0], &go, 1) == 1 && hpp__window_renew(1) >= 0 &&
                        kept->cell_pages[0] != 0 && kept->cell_pages[1] != 0 &&
                        kept->cell_pages[2] == 0 && place->node_pages[0] != 0 &&
                        place->node_pages[1] == 0;
        uint32_t next = hpp__window_pages(1);
        _exit(is_right && next > kept->cell_pages[1] ? 0 : 1);
    }
    kept->cell_pages[1] = hpp__window_pages(HPP_CELL_CHUNK_PAGES);
    for (int i = 0; i < 16; i++) {
        cr_assert(ne(u32, hpp__window_pages(MIB / HPP_WINDOW_PAGE_BYTES), 0));
    }
    kept->cell_pages[2] = hpp__window_pages(HPP_CELL_CHUNK_PAGES);
    place->node_pages[1] = hpp__window_pages(1);
    place->head.n_nodes = HPP_NODES_PER_CHUNK + 1;
    place->head.n_sites = 3 * HPP_CELLS_PER_CHUNK;
    cr_assert(eq(sz, write(to_child[1], &go, 1), 1));
    int status;
    waitpid(child, &status, 0);
    cr_assert(eq(int, status, 0));
}

Test(window_writer, forked_child_gets_its_own_window)
{
    hpp__window_make(&reason, 64 * MIB);
    uint64_t parent_key = hpp__window->head.key;
    hpp_window_slot *other = add_slot(0);
    hpp_window_slot *kept = add_slot(1);
    uint32_t cell_page = kept->cell_pages[0];
    hpp_window_node *nodes = hpp__window_at(hpp__window->node_pages[0]);
    nodes[1].address = 0x1234;
    hpp__window->head.n_nodes = 2;
    hpp_window *place = hpp__window;
    size_t n_counters;
    _Atomic uint64_t *counters = counters_of(&place->head, &n_counters);
    cr_assert(eq(sz, n_counters, 12));
    for (size_t i = 0; i < n_counters; i++) {
        counters[i] = i + 2;
    }
    place->head.control = place->head.events = 3;
    place->head.n_marks = place->head.n_peaks = place->head.n_apart = 3;
    uint64_t used = place->head.used_bytes;

    int to_parent[2];
    cr_assert(eq(int, pipe(to_parent), 0));
    pid_t child = fork();
    if (child == 0) {
        int file = hpp__window_renew(1);
        const hpp_window_cell *cells = hpp__window_at(cell_page);
        bool is_right = file >= 0 && hpp__window == place && place->head.parent_key == parent_key &&
                        place->head.process_id == (uint32_t)getpid() &&
                        counts_nothing(&place->head) && place->head.used_bytes == used &&
                        nodes[1].address == 0x1234 && other->state == HPP_SLOT_FREE &&
                        other->cell_pages[0] == 0 && kept->state == HPP_SLOT_LIVE &&
                        kept->cell_pages[0] == cell_page && cells[2].allocations == 0;
        nodes[1].address = 0x4321;
        _exit(is_right ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    cr_assert(eq(int, status, 0));
    cr_assert(eq(u64, nodes[1].address, 0x1234));
    cr_assert(eq(u64, place->head.n_lost_stacks, 2));
}

static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path + 1, name);
    int socket_file = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    cr_assert(eq(int, bind(socket_file, (struct sockaddr *)&address, n), 0));
    cr_assert(eq(int, listen(socket_file, 4), 0));
    return socket_file;
}

Test(window_writer, collector_receives_the_file)
{
    char name[64];
    sprintf(name, "census-test-%d", (int)getpid());
    int listener = listen_at(name);
    int sender = hpp__window_connect(name);
    cr_assert(hpp__window_hand_in(sender, hpp__window_make(&reason, 16 * MIB), -1));

    int link = accept(listener, NULL, NULL);
    hpp_window_hello hello;
    struct iovec bytes = {&hello, sizeof(hello)};
    char rights[CMSG_SPACE(sizeof(int))];
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = rights,
                             .msg_controllen = sizeof(rights)};
    cr_assert(eq(long, recvmsg(link, &message, 0), sizeof(hello)));
    cr_assert(eq(u32, hello.kind, HPP_HELLO_WINDOW));
    cr_assert(eq(u32, hello.process_id, (uint32_t)getpid()));
    int file;
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(file));
    hpp_window *window = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    hpp__window->head.n_lost_stacks = 77;
    cr_assert(eq(u64, window->head.n_lost_stacks, 77));
}

Test(window_writer, missing_collector_is_harmless)
{
    cr_assert(eq(int, hpp__window_connect("census-test-without-a-collector"), -1));
}

static bool is_zero(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

Test(window_writer, small_memory_is_empty_and_given_once)
{
    enum { N = 100, LARGE = 1 << 20 };
    char *pieces[N];
    for (size_t i = 0; i < N; i++) {
        size_t n = 1000 * (i % 20 + 1);
        pieces[i] = hpp__map_near(n);
        cr_assert(eq(u64, (uintptr_t)pieces[i] % (n < 4096 ? 64 : 4096), 0));
        cr_assert(is_zero(pieces[i], n));
        memset(pieces[i], 1 + (int)i, n);
    }
    hpp__unmap(pieces[3], 4000);
    char *large = hpp__map_near(LARGE);
    cr_assert(is_zero(large, LARGE));
    for (size_t i = 0; i < N; i++) {
        cr_assert(i == 3 || pieces[i][1000 * (i % 20 + 1) - 1] == (char)(1 + i));
    }
    pieces[0][1000] = 7;
    hpp__clear(pieces[0], 1000);
    cr_assert(is_zero(pieces[0], 1000));
    cr_assert(eq(int, pieces[0][1000], 7));
    memset(large, 1, LARGE);
    hpp__clear(large, LARGE - 100);
    cr_assert(is_zero(large, LARGE - 100));
    cr_assert(eq(int, large[LARGE - 100], 1));
}

Test(window_writer, address_space_is_claimed_within_the_limit)
{
    struct rlimit limit, low;
    cr_assert(eq(int, getrlimit(RLIMIT_AS, &limit), 0));
    low = (struct rlimit){1 << 30, limit.rlim_max};
    cr_assert(eq(int, setrlimit(RLIMIT_AS, &low), 0));
    bool is_much = hpp__claim_addresses(1 << 30, false),
         is_little = hpp__claim_addresses(4096, false);
    setrlimit(RLIMIT_AS, &limit);
    cr_assert(not(is_much));
    cr_assert(is_little);
    cr_assert(limit.rlim_cur != RLIM_INFINITY || hpp__claim_addresses((size_t)1 << 46, false));
}
