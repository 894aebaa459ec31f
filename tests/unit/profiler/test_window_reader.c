/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A window made by hand is read as it was made; one that lies is not believed; sums are of all
 * cells.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made_window.h"
#include "native/window/window_reader.h"
#include "native/window/window_sums.h"

enum { SIZE_BYTES = 4 << 20 };

static made_window made;
static hpp__window_reader reader;

static void begin(void)
{
    made_window_init(&made, SIZE_BYTES);
}

static void end(void)
{
    made_window_finish(&made);
}

static void open_window(void)
{
    hpf_error err;
    cr_assert_eq(hpp__window_reader_open(&reader, made.window, made.size_bytes, -1, &err), HPF_OK);
}

TestSuite(window_reader, .init = begin, .fini = end);

Test(window_reader, returns_lives_of_sites_that_exist)
{
    static const int64_t bytes[] = {1, -2, 3, -4};
    uint32_t site = made_site(&made, made_node(&made, 0x1234, 0, 0), HPP_CALL_MALLOC);
    uint32_t good = made_life(&made, site, 7, bytes);
    uint32_t without_site = made_life(&made, HPP_SITE_NONE, 7, bytes);
    uint32_t of_later_site = made_life(&made, site + 1, 7, bytes);
    uint32_t without_era = made_life(&made, site, 0, bytes);
    open_window();
    hpp_window_life life;
    cr_assert(hpp__window_reader_life(&reader, good, &life));
    cr_expect_eq(life.site, site);
    cr_expect_eq(life.era, 7);
    cr_expect(memcmp(life.bytes, bytes, sizeof bytes) == 0);
    cr_expect_not(hpp__window_reader_life(&reader, without_site, &life));
    cr_expect_not(hpp__window_reader_life(&reader, of_later_site, &life));
    cr_expect_not(hpp__window_reader_life(&reader, without_era, &life));
    cr_expect_not(hpp__window_reader_life(&reader, without_era + 1, &life));
}

Test(window_reader, returns_the_records_of_the_window)
{
    uint32_t module = made_module(&made, "/lib/x.so", 0x1000, 0x9000);
    uint32_t outer = made_node(&made, 0x1234, 0, module + 1);
    uint32_t inner = made_node(&made, 0x2345, outer, 0);
    uint32_t site = made_site(&made, inner, HPP_CALL_CALLOC);
    made_mark(&made, 77, "here");
    open_window();
    hpp_window_node node;
    hpp_window_site read_site;
    hpp_window_module read_module;
    hpp__window_mark mark;
    cr_assert(hpp__window_reader_node(&reader, inner, &node));
    cr_expect_eq(node.address, 0x2345);
    cr_expect_eq(node.parent, outer);
    cr_assert(hpp__window_reader_site(&reader, site, &read_site));
    cr_expect_eq(read_site.node, inner);
    cr_expect_eq(read_site.call, HPP_CALL_CALLOC);
    cr_assert(hpp__window_reader_module(&reader, module, &read_module));
    cr_expect_str_eq(read_module.path, "/lib/x.so");
    cr_assert(hpp__window_reader_mark(&reader, 0, &mark));
    cr_expect_eq(mark.time_ns, 77);
    cr_expect_str_eq(mark.text, "here");
}

static void expect_no_word(size_t *at)
{
    hpf_str word = hpp__window_reader_word(&reader, at);
    cr_expect_null(word.data);
    cr_expect_eq(word.length, 0);
}

Test(window_reader, returns_the_words_of_the_command)
{
    open_window();
    static const char *const words[] = {"/usr/bin/prog", "one", "two"};
    size_t at = 0;
    for (size_t i = 0; i < 3; i++) {
        hpf_str word = hpp__window_reader_word(&reader, &at);
        cr_assert_eq(word.length, strlen(words[i]));
        cr_expect_arr_eq(word.data, words[i], word.length);
    }
    expect_no_word(&at);
}

Test(window_reader, returns_no_word_without_an_end)
{
    open_window();
    memset(made.window->head.command, 'x', sizeof made.window->head.command);
    size_t at = 0;
    expect_no_word(&at);
    at = sizeof made.window->head.command;
    expect_no_word(&at);
}

Test(window_reader, rejects_memory_that_is_no_window)
{
    hpf_error err;
    cr_expect_eq(hpp__window_reader_open(&reader, made.window, 100, -1, &err), HPF_ERR_SYNTAX);
    made.window->head.machine++;
    cr_expect_eq(hpp__window_reader_open(&reader, made.window, SIZE_BYTES, -1, &err),
                 HPF_ERR_UNSUPPORTED);
    made.window->head.version++;
    cr_expect_eq(hpp__window_reader_open(&reader, made.window, SIZE_BYTES, -1, &err),
                 HPF_ERR_VERSION);
    made.window->head.magic[0] = 'x';
    cr_expect_eq(hpp__window_reader_open(&reader, made.window, SIZE_BYTES, -1, &err),
                 HPF_ERR_SYNTAX);
}

Test(window_reader, counts_never_decrease)
{
    made_node(&made, 1, 0, 0);
    open_window();
    cr_expect_eq(reader.n_nodes, 2);
    made.window->head.n_nodes = 1;
    hpp__window_reader_refresh(&reader);
    cr_expect_eq(reader.n_nodes, 2);
}

Test(window_reader, counts_are_limited_by_the_room)
{
    made.window->head.n_nodes = UINT32_MAX;
    made.window->head.n_sites = UINT32_MAX;
    made.window->head.n_slots = UINT32_MAX;
    made.window->head.n_modules = UINT32_MAX;
    made.window->head.n_marks = UINT32_MAX;
    made.window->head.used_bytes = UINT64_MAX;
    open_window();
    cr_expect_eq(reader.used_bytes, SIZE_BYTES);
    cr_expect_leq(reader.n_nodes, SIZE_BYTES / sizeof(hpp_window_node));
    cr_expect_leq(reader.n_sites, SIZE_BYTES / sizeof(hpp_window_site));
    cr_expect_leq(reader.n_slots, SIZE_BYTES / sizeof(hpp_window_slot));
    cr_expect_leq(reader.n_modules, SIZE_BYTES / sizeof(hpp_window_module));
    cr_expect_eq(reader.n_marks, HPP_MAX_MARKS);
}

Test(window_reader, ignores_chunks_outside_of_the_used_pages)
{
    uint32_t index = made_node(&made, 1, 0, 0);
    hpp_window_node node;
    open_window();
    cr_assert(hpp__window_reader_node(&reader, index, &node));
    static const uint32_t wrong[] = {0,
                                     1,
                                     sizeof(hpp_window) / HPP_WINDOW_PAGE_BYTES - 1,
                                     UINT32_MAX,
                                     SIZE_BYTES / HPP_WINDOW_PAGE_BYTES,
                                     SIZE_BYTES / HPP_WINDOW_PAGE_BYTES - 15};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        made.window->node_pages[0] = wrong[i];
        cr_expect_not(hpp__window_reader_node(&reader, index, &node), "page %u", wrong[i]);
    }
}

Test(window_reader, ignores_invalid_records)
{
    hpp_window_node node;
    hpp_window_site site;
    hpp_window_module module;
    hpp__window_mark mark;
    uint32_t cycle = made_node(&made, 1, 2, 0);
    uint32_t itself = made_node(&made, 1, 2, 0);
    uint32_t no_module = made_node(&made, 1, 0, 7);
    uint32_t unfinished = made_node(&made, 0, 0, 0);
    uint32_t no_node = made_site(&made, 99, HPP_CALL_MALLOC);
    uint32_t no_call = made_site(&made, 1, (hpp_call)HPP_N_CALLS);
    uint32_t empty = made_module(&made, "x", 5, 5);
    uint32_t unset = made_mark(&made, 0, "later");
    open_window();
    cr_expect_not(hpp__window_reader_node(&reader, cycle, &node));
    cr_expect_not(hpp__window_reader_node(&reader, itself, &node));
    cr_expect_not(hpp__window_reader_node(&reader, no_module, &node));
    cr_expect_not(hpp__window_reader_node(&reader, unfinished, &node));
    cr_expect_not(hpp__window_reader_node(&reader, reader.n_nodes, &node));
    cr_expect_not(hpp__window_reader_site(&reader, no_node, &site));
    cr_expect_not(hpp__window_reader_site(&reader, no_call, &site));
    cr_expect_not(hpp__window_reader_module(&reader, empty, &module));
    cr_expect_not(hpp__window_reader_mark(&reader, unset, &mark));
    cr_expect_not(hpp__window_reader_mark(&reader, unset + 1, &mark));
    cr_expect_null(hpp__window_reader_slot(&reader, 0));
}

/* ---- Sums ---- */

static hpp__window_sums sums;

static void take(void)
{
    open_window();
    cr_assert(hpp__window_sums_take(&sums, &reader));
}

Test(window_reader, adds_up_the_cells_of_all_slots)
{
    uint32_t first = made_site(&made, made_node(&made, 1, 0, 0), HPP_CALL_MALLOC);
    for (int i = 0; i < 300; i++) {
        made_site(&made, 1, HPP_CALL_MALLOC);
    }
    uint32_t last = made_site(&made, 1, HPP_CALL_CALLOC);
    uint32_t slots[] = {made_slot(&made, 10), made_slot(&made, 11)};
    made_allocate(&made, slots[0], first, 3, 100);
    made_allocate(&made, slots[1], first, 2, 10);
    made_free(&made, slots[1], first, 3, 100);
    made_allocate(&made, slots[1], last, 1, 7);
    take();
    cr_expect_eq(sums.sites[first].allocations, 5);
    cr_expect_eq(hpp__costs_live_bytes(&sums.sites[first]), 20);
    cr_expect_eq(hpp__costs_live_blocks(&sums.sites[first]), 2);
    cr_expect_eq(hpp__costs_live_bytes(&sums.sites[last]), 7);
    cr_expect_eq(sums.allocated_bytes[0], 300);
    cr_expect_eq(sums.allocated_bytes[1], 27);
    hpp__window_sums_finish(&sums);
}

Test(window_reader, negative_sums_count_as_zero)
{
    uint32_t site = made_site(&made, made_node(&made, 1, 0, 0), HPP_CALL_MALLOC);
    made_free(&made, made_slot(&made, 1), site, 1, 8);
    take();
    cr_expect_eq(hpp__costs_live_bytes(&sums.sites[site]), 0);
    cr_expect_eq(hpp__costs_live_blocks(&sums.sites[site]), 0);
    hpp__window_sums_finish(&sums);
}

Test(window_reader, reads_no_more_chunks_than_there_are_pages)
{
    uint32_t slot = made_slot(&made, 1);
    uint32_t site = made_site(&made, made_node(&made, 1, 0, 0), HPP_CALL_MALLOC);
    made_allocate(&made, slot, site, 1, 1);
    made.window->head.n_slots = HPP_MAX_SLOTS;
    made.window->head.used_bytes = SIZE_BYTES;
    for (uint32_t i = 0; i < HPP_MAX_SLOTS; i++) {
        made.window->slot_pages[i] = made.window->slot_pages[0];
    }
    take();
    cr_expect_leq(sums.sites[site].allocations, SIZE_BYTES / HPP_WINDOW_PAGE_BYTES);
    hpp__window_sums_finish(&sums);
}

/* A sparse window whose slots are all the same one, and so are its chunks of cells and of sites. */
Test(window_reader, reads_no_more_than_exists_of_a_sparse_window)
{
    enum { BLOCK_BYTES = 512, MOST_MORE_BYTES = 8 << 20 };
    const uint64_t size_bytes = UINT64_C(4) << 30;
    hpf_error err;
    hpp__window_sums all = {0};
    struct stat before, after;
    made_window sparse;
    int file = memfd_create("window", 0);
    cr_assert_eq(ftruncate(file, (off_t)size_bytes), 0);
    void *bytes =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    cr_assert_neq(bytes, MAP_FAILED);
    made_window_begin(&sparse, bytes, size_bytes);
    uint32_t slot = made_slot(&sparse, 1);
    uint32_t site = made_site(&sparse, made_node(&sparse, 0x1234, 0, 0), HPP_CALL_MALLOC);
    made_allocate(&sparse, slot, site, 1, 16);
    hpp_window *w = sparse.window;
    hpp_window_slot *of =
        (void *)((char *)bytes + (uint64_t)w->slot_pages[slot] * HPP_WINDOW_PAGE_BYTES);
    for (uint32_t i = 0; i < HPP_MAX_SLOTS; i++) {
        w->slot_pages[i] = w->slot_pages[slot];
    }
    for (uint32_t i = 0; i < HPP_MAX_CELL_CHUNKS; i++) {
        of->cell_pages[i] = of->cell_pages[0];
    }
    w->head.n_slots = HPP_MAX_SLOTS;
    w->head.n_sites = HPP_MAX_SITES;
    w->head.n_nodes = UINT32_MAX;
    w->head.used_bytes = size_bytes;
    cr_assert_eq(fstat(file, &before), 0);
    cr_assert_eq(hpp__window_reader_open(&reader, bytes, size_bytes, file, &err), HPF_OK);
    cr_assert(hpp__window_sums_take(&all, &reader));
    cr_assert_eq(fstat(file, &after), 0);
    uint64_t exists_bytes = (uint64_t)before.st_blocks * BLOCK_BYTES + MOST_MORE_BYTES;
    uint64_t n_read = 0;
    for (uint32_t i = 0; i < all.n_sites; i++) {
        n_read += all.sites[i].allocations; /* one for each time that the chunk was read */
    }
    cr_expect_leq(n_read * HPP_WINDOW_PAGE_BYTES, exists_bytes);
    cr_expect_leq(reader.n_sites * sizeof(hpp_window_site), exists_bytes);
    cr_expect_leq(reader.n_nodes * sizeof(hpp_window_node), exists_bytes);
    cr_expect_leq((uint64_t)after.st_blocks * BLOCK_BYTES, exists_bytes);
    hpp__window_sums_finish(&all);
    munmap(bytes, size_bytes);
    close(file);
}

/* A sparse window whose slots are in holes, each in one of its own; so are the cells of the first
 * slot. Read twice, since the first time could make pages that are read the second time. */
Test(window_reader, leaves_the_holes_of_a_sparse_window)
{
    enum { SLOT_PAGES = 60, FIRST_HOLE = 10000, BLOCK_BYTES = 512 };
    const uint64_t size_bytes = UINT64_C(4) << 30;
    hpf_error err;
    hpp__window_sums all = {0};
    hpp__page_set pages = {0};
    struct stat before, after;
    made_window sparse;
    int file = memfd_create("window", 0);
    cr_assert_eq(ftruncate(file, (off_t)size_bytes), 0);
    void *bytes =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    cr_assert_neq(bytes, MAP_FAILED);
    made_window_begin(&sparse, bytes, size_bytes);
    uint32_t slot = made_slot(&sparse, 1);
    uint32_t site = made_site(&sparse, made_node(&sparse, 0x1234, 0, 0), HPP_CALL_MALLOC);
    made_allocate(&sparse, slot, site, 1, 16);
    hpp_window *w = sparse.window;
    hpp_window_slot *of =
        (void *)((char *)bytes + (uint64_t)w->slot_pages[slot] * HPP_WINDOW_PAGE_BYTES);
    for (uint32_t i = 1; i < HPP_MAX_SLOTS; i++) {
        w->slot_pages[i] = FIRST_HOLE + i * SLOT_PAGES;
    }
    for (uint32_t i = 1; i < HPP_MAX_CELL_CHUNKS; i++) {
        of->cell_pages[i] = FIRST_HOLE + i * HPP_CELL_CHUNK_PAGES;
    }
    w->head.n_slots = HPP_MAX_SLOTS;
    w->head.n_sites = HPP_MAX_SITES;
    w->head.used_bytes = size_bytes;
    cr_assert_eq(fstat(file, &before), 0);
    cr_assert_eq(hpp__window_reader_open(&reader, bytes, size_bytes, file, &err), HPF_OK);
    reader.pages = &pages;
    for (int i = 0; i < 2; i++) {
        hpp__window_reader_refresh(&reader);
        cr_assert(hpp__window_sums_take(&all, &reader));
        cr_expect_eq(all.sites[site].allocations, 1);
    }
    cr_assert_eq(fstat(file, &after), 0);
    /* One page may be new: a chunk of cells is read whole. */
    cr_expect_leq((uint64_t)(after.st_blocks - before.st_blocks) * BLOCK_BYTES,
                  HPP_WINDOW_PAGE_BYTES);
    hpp__window_sums_finish(&all);
    hpp__page_set_finish(&pages);
    munmap(bytes, size_bytes);
    close(file);
}
