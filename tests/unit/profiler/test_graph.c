/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Images made by hand, in this process's own memory: blocks are found by address as a linear search
 * finds them, edges are the same as in a brute-force comparison of all words, and roots are where
 * they should be.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "native/collector/roots/block_index.h"
#include "native/collector/graph/graph.h"

enum { MAX_BLOCKS = 3000, MAX_MAPS = 16, PAGE_BYTES = 4096 };

static uint32_t random_state;
static hpp__image_block *blocks; /* not in a variable: that would point to all of them */
static hpp__image_map maps[MAX_MAPS];
static hpp__image_map made[MAX_MAPS]; /* by add_map */
static size_t n_made;
static hpp__image image;
static hpp_resolver *resolver;
static hpp__graph graph;
static hpp__graph_past past;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* Copies memory of this process, as the collector copies a program's. */
static bool read_own(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    for (size_t i = 0; i < image.n_maps; i++) {
        if (address >= maps[i].begin && address + n_bytes <= maps[i].end && maps[i].is_readable) {
            struct iovec to = {out, n_bytes};
            struct iovec from = {(void *)(uintptr_t)address, n_bytes};
            return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n_bytes;
        }
    }
    return false;
}

static void *add_map(size_t n_bytes, const char *path)
{
    void *memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    size_t i = image.n_maps++;
    while (i > 0 && maps[i - 1].begin > (uintptr_t)memory) {
        maps[i] = maps[i - 1];
        i--;
    }
    maps[i] = (hpp__image_map){.begin = (uintptr_t)memory,
                               .end = (uintptr_t)memory + n_bytes,
                               .is_readable = true,
                               .is_writable = true,
                               .path = path};
    made[n_made++] = maps[i];
    return memory;
}

static void add_block(const void *address, uint64_t size_bytes, uint32_t site)
{
    blocks[image.n_blocks++] = (hpp__image_block){(uintptr_t)address, size_bytes, site, false};
}

static void begin(void)
{
    hpf_error err;
    random_state = 7;
    n_made = 0;
    blocks = calloc(MAX_BLOCKS, sizeof *blocks);
    image = (hpp__image){.process_id = (uint32_t)getpid(),
                         .frozen_id = (uint32_t)getpid(),
                         .blocks = blocks,
                         .maps = maps,
                         .read = read_own};
    cr_assert_eq(hpp_resolver_create(&resolver, NULL, &err), HPF_OK);
}

static void end(void)
{
    hpp__graph_finish(&graph);
    hpp__graph_past_finish(&past);
    hpp_resolver_destroy(resolver);
    free(blocks);
    for (size_t i = 0; i < n_made; i++) {
        munmap((void *)(uintptr_t)made[i].begin, made[i].end - made[i].begin);
    }
}

TestSuite(graph, .init = begin, .fini = end);

enum { SITE_OF_NEW = 7, SITE_OF_TEXTS, SITE_OF_ARRAYS, SITE_OF_RUST };

static bool calls_new(void *context, uint32_t site)
{
    (void)context;
    return site == SITE_OF_NEW;
}

static hpp__room_layout layout_of(void *context, uint32_t site)
{
    (void)context;
    return site == SITE_OF_TEXTS    ? HPP__ROOM_TEXT
           : site == SITE_OF_ARRAYS ? HPP__ROOM_ARRAY
           : site == SITE_OF_RUST   ? HPP__ROOM_RUST
                                    : HPP__ROOM_NONE;
}

static void make_graph(void)
{
    const hpp__graph_names names = {resolver, calls_new, layout_of, NULL};
    hpf_error err;
    hpp__graph_finish(&graph);
    cr_assert_eq(hpp__graph_init(&graph, &image, &past, &names, NULL, false, &err), HPF_OK, "%s",
                 err.message);
    cr_assert_eq(graph.n_blocks, image.n_blocks);
}

/* ---- The index ---- */

static uint32_t find_slowly(uint64_t address)
{
    for (uint32_t i = 0; i < image.n_blocks; i++) {
        bool is_inside =
            address >= blocks[i].address && address - blocks[i].address < blocks[i].size_bytes;
        if (is_inside || address == blocks[i].address) {
            return i;
        }
    }
    return HPP__NO_BLOCK;
}

static void check_around(const hpp__block_index *index, uint64_t address)
{
    for (uint64_t at = address - 20; at != address + 20; at++) {
        cr_assert_eq(hpp__block_index_find(index, at), find_slowly(at), "at %llx",
                     (unsigned long long)at);
    }
}

Test(graph, index_finds_blocks_as_a_linear_search_does)
{
    const uint64_t sizes[] = {
        0, 1, 16, 24, 40, 1000, 1024, 5000, UINT64_C(70) << 20, UINT64_C(300) << 20};
    const uint64_t gaps[] = {0, 0, 16, 48, 1024, 4096, UINT64_C(64) << 20, UINT64_C(1) << 40};
    for (int round = 0; round < 20; round++) {
        uint64_t at = 0x555500000000 + 16 * (uint64_t)next_random(100000);
        image.n_blocks = 0;
        for (int i = 0; i < 100; i++) {
            uint64_t size_bytes = sizes[next_random(sizeof sizes / sizeof *sizes)];
            add_block((const void *)(uintptr_t)at, size_bytes, 3);
            uint64_t gap = gaps[next_random(next_random(20) ? 5 : 8)];
            at = (at + size_bytes + gap) / 16 * 16 + 16;
            at = at < 0x7f0000000000 ? at : at - gap;
        }
        hpp__block_index index;
        hpf_error err;
        cr_assert_eq(hpp__block_index_init(&index, blocks, image.n_blocks, &err), HPF_OK);
        for (size_t i = 0; i < image.n_blocks; i++) {
            check_around(&index, blocks[i].address);
            check_around(&index, blocks[i].address + blocks[i].size_bytes);
            check_around(&index, blocks[i].address + blocks[i].size_bytes / 2);
        }
        check_around(&index, 0);
        check_around(&index, UINT64_MAX);
        hpp__block_index_finish(&index);
    }
    image.n_blocks = 0;
}

Test(graph, index_refuses_invalid_blocks)
{
    const hpp__image_block bad[][2] = {
        {{0x1004, 8, 3, false}, {0x2000, 8, 3, false}},              /* not aligned */
        {{0x1000, 0x1001, 3, false}, {0x2000, 8, 3, false}},         /* overlap */
        {{0x2000, 8, 3, false}, {0x1000, 8, 3, false}},              /* not sorted */
        {{0x1000, 8, 3, false}, {0x2000, UINT64_MAX / 2, 3, false}}, /* beyond all addresses */
        {{0x1000, 8, 3, false}, {UINT64_C(1) << 47, 8, 3, false}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hpp__block_index index;
        hpf_error err;
        cr_assert_eq(hpp__block_index_init(&index, bad[i], 2, &err), HPF_ERR_SYNTAX, "%zu", i);
        hpp__block_index_finish(&index);
    }
}

Test(graph, index_of_no_blocks_finds_none)
{
    hpp__block_index index;
    hpf_error err;
    cr_assert_eq(hpp__block_index_init(&index, NULL, 0, &err), HPF_OK);
    check_around(&index, 0);
    check_around(&index, 0x1000);
    hpp__block_index_finish(&index);
}

/* ---- Edges ---- */

/* Fills `heap` with neighbouring blocks of random words: addresses of blocks, of their middles and
 * ends, and numbers. */
static void make_random_heap(unsigned char *heap, size_t n_bytes)
{
    for (size_t at = 16; at + 6000 < n_bytes && image.n_blocks < MAX_BLOCKS;) {
        uint32_t size_bytes = next_random(50) == 0 ? next_random(5000) : next_random(90);
        add_block(heap + at, size_bytes, 3);
        at = (at + size_bytes + 31 + (next_random(30) == 0 ? next_random(20000) : 0)) / 16 * 16;
    }
    for (size_t i = 0; i < image.n_blocks; i++) {
        uint64_t *words = (uint64_t *)(uintptr_t)blocks[i].address;
        for (size_t j = 0; j < blocks[i].size_bytes / 8; j++) {
            const hpp__image_block *to = &blocks[next_random((uint32_t)image.n_blocks)];
            const uint64_t choices[] = {to->address,
                                        to->address + to->size_bytes / 2,
                                        to->address + to->size_bytes,
                                        to->address + to->size_bytes - 1,
                                        next_random(1000),
                                        0};
            words[j] = choices[next_random(6)];
        }
    }
}

/* Compares the edges of a block with its words. */
static void check_edges(uint32_t block)
{
    size_t n;
    const uint32_t *edges = hpp__graph_edges(&graph, block, &n);
    const uint64_t *words = (const uint64_t *)(uintptr_t)blocks[block].address;
    size_t n_found = 0;
    uint32_t last = HPP__NO_BLOCK;
    for (size_t j = 0; j < blocks[block].size_bytes / 8; j++) {
        uint32_t to = find_slowly(words[j]);
        bool is_own = to == block && words[j] != blocks[block].address;
        if (to != HPP__NO_BLOCK && to != last && !is_own) {
            cr_assert_lt(n_found, n);
            cr_assert_eq(edges[n_found++], to);
            last = to;
        }
    }
    cr_assert_eq(n_found, n);
}

Test(graph, edges_are_those_of_all_words)
{
    make_random_heap(add_map(2 << 20, ""), 2 << 20);
    cr_assert_gt(image.n_blocks, 1500);
    make_graph();
    for (uint32_t i = 0; i < image.n_blocks; i++) {
        cr_assert_eq(graph.nodes[i].size_bytes, blocks[i].size_bytes);
        check_edges(i);
    }
    cr_assert_eq(graph.n_roots, 0);
}

/* Writes a std::string whose text is a block, and a rest. */
static void write_string(uint64_t *at, uint32_t text, uint64_t length, uint64_t capacity,
                         uint64_t rest)
{
    const uint64_t words[] = {blocks[text].address, length, capacity, rest};
    memcpy(at, words, sizeof words);
}

/* Checks the edges of a block. */
static void check_edges_are(uint32_t block, const uint32_t *expected, size_t n_expected)
{
    size_t n;
    const uint32_t *edges = hpp__graph_edges(&graph, block, &n);
    cr_assert_eq(n, n_expected, "block %u has %zu edges", block, n);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(edges[i], expected[i], "edge %zu of block %u", i, block);
    }
}

Test(graph, rest_of_a_string_refers_to_nothing_or_to_what_nothing_else_reaches)
{
    enum { HELD, ROOTED, TEXT, LOST, LOST_TEXT, REST, SHORT, N };
    char *heap = add_map(1 << 20, "");
    uint64_t *roots = add_map(PAGE_BYTES, "");
    const uint64_t sizes[N] = {64, 24, 41, 64, 43, 24, 96};
    for (uint32_t i = 0; i < N; i++) {
        add_block(heap + 256 * (i + 1), sizes[i], 3);
    }
    uint64_t *held = (void *)(uintptr_t)blocks[HELD].address;
    uint64_t *lost = (void *)(uintptr_t)blocks[LOST].address;
    uint64_t *other = (void *)(uintptr_t)blocks[SHORT].address;
    write_string(held, TEXT, 20, 40, blocks[ROOTED].address);
    held[4] = 0;
    write_string(lost, LOST_TEXT, 42, 42, blocks[REST].address);
    lost[5] = blocks[ROOTED].address;
    write_string(other, TEXT, 20, 50, blocks[ROOTED].address);       /* the capacity is another */
    write_string(other + 4, ROOTED, 30, 23, blocks[ROOTED].address); /* longer than the capacity */
    write_string(other + 8, TEXT, 20, 30, blocks[HELD].address);     /* as rounded up by malloc */
    roots[0] = blocks[HELD].address;
    roots[1] = blocks[ROOTED].address;
    roots[2] = blocks[SHORT].address;
    make_graph();
    check_edges_are(HELD, (const uint32_t[]){TEXT}, 1);
    check_edges_are(LOST, (const uint32_t[]){LOST_TEXT, REST, ROOTED}, 3);
    check_edges_are(SHORT, (const uint32_t[]){TEXT, ROOTED, TEXT}, 3);
    roots[1] = 0;
    other[3] = other[4] = other[7] = 0;
    make_graph();
    check_edges_are(HELD, (const uint32_t[]){TEXT, ROOTED}, 2);
    blocks[TEXT].site = SITE_OF_NEW;
    make_graph();
    check_edges_are(HELD, (const uint32_t[]){TEXT}, 1);
}

Test(graph, text_of_a_string_refers_to_nothing)
{
    char *heap = add_map(1 << 20, "");
    add_block(heap + 256, 64, 3);
    add_block(heap + 512, 64, SITE_OF_TEXTS);
    for (uint32_t i = 0; i < 2; i++) {
        *(uint64_t *)(uintptr_t)blocks[i].address = blocks[1 - i].address;
    }
    make_graph();
    check_edges_are(0, (const uint32_t[]){1}, 1);
    check_edges_are(1, NULL, 0);
}

Test(graph, end_of_an_array_refers_to_nothing_or_to_what_nothing_else_reaches)
{
    enum { OWNER, ARRAY, USED, HELD, LOST, N, WORDS = 8 };
    char *heap = add_map(1 << 20, "");
    uint64_t *roots = add_map(PAGE_BYTES, "");
    for (uint32_t i = 0; i < N; i++) {
        add_block(heap + 256 * (i + 1), i == ARRAY ? WORDS * 8 : 64,
                  i == ARRAY ? SITE_OF_ARRAYS : 3);
    }
    uint64_t *owner = (void *)(uintptr_t)blocks[OWNER].address;
    uint64_t *array = (void *)(uintptr_t)blocks[ARRAY].address;
    const uint64_t begin = blocks[ARRAY].address;
    owner[1] = begin;
    owner[2] = begin + 4 * 8;
    owner[3] = begin + WORDS * 8;
    array[0] = array[3] = blocks[USED].address;
    array[2] = array[5] = blocks[HELD].address;
    array[4] = array[7] = blocks[LOST].address;
    roots[0] = blocks[OWNER].address;
    make_graph();
    check_edges_are(OWNER, (const uint32_t[]){ARRAY}, 1);
    check_edges_are(ARRAY, (const uint32_t[]){USED, HELD, USED, LOST, LOST}, 5);
    roots[1] = blocks[LOST].address;
    make_graph();
    check_edges_are(ARRAY, (const uint32_t[]){USED, HELD, USED}, 3);
    roots[2] = begin; /* a copy from when the array had fewer elements, and room for fewer */
    roots[3] = roots[4] = begin + 2 * 8;
    make_graph();
    check_edges_are(ARRAY, (const uint32_t[]){USED, HELD, USED}, 3);
    roots[3] = roots[4] = begin + WORDS * 8; /* all of it is in use */
    make_graph();
    check_edges_are(ARRAY, (const uint32_t[]){USED, HELD, USED, LOST, HELD, LOST}, 6);
    memset(&roots[2], 0, 3 * sizeof *roots);
    blocks[ARRAY].site = SITE_OF_RUST; /* room, address, length */
    owner[0] = WORDS;
    owner[2] = 3;
    make_graph();
    check_edges_are(ARRAY, (const uint32_t[]){USED, HELD}, 2);
}

Test(graph, huge_untouched_block_is_not_read)
{
    const size_t n_bytes = (size_t)64 << 30;
    char *heap = add_map(n_bytes, "");
    add_block(heap, n_bytes - PAGE_BYTES, 3);
    add_block(heap + n_bytes - PAGE_BYTES, 8, 3);
    for (size_t at = 0; at < n_bytes - PAGE_BYTES; at += n_bytes / 8) {
        *(uint64_t *)(void *)(heap + at + 1000) = blocks[1].address;
    }
    make_graph();
    cr_assert_eq(graph.n_edges, 8);
    for (size_t i = 0; i < graph.n_edges; i++) {
        cr_assert_eq(graph.edges[i], 1);
    }
}

Test(graph, block_that_cannot_be_read_has_no_edges)
{
    char *heap = add_map(1 << 20, "");
    add_block(heap + 16, 8, 3);
    add_block(heap + PAGE_BYTES, 2 * PAGE_BYTES, 3);
    add_block(heap + 4 * PAGE_BYTES, 8, 3);
    *(uint64_t *)(void *)(heap + 16) = blocks[1].address;
    *(uint64_t *)(void *)(heap + 2 * PAGE_BYTES) = blocks[0].address;
    *(uint64_t *)(void *)(heap + 4 * PAGE_BYTES) = blocks[1].address;
    maps[1] = maps[2] = maps[0];
    image.n_maps = 3;
    maps[0].end = maps[1].begin = (uintptr_t)heap + PAGE_BYTES;
    maps[1].end = maps[2].begin = (uintptr_t)heap + 4 * PAGE_BYTES;
    maps[1].is_readable = false;
    make_graph();
    cr_assert_eq(graph.n_unread_bytes, 2 * PAGE_BYTES);
    cr_assert_eq(graph.n_edges, 2);
    cr_assert_eq(graph.edges[0], 1);
    cr_assert_eq(graph.edges[1], 1);
}

/* ---- Roots ---- */

static const hpp__graph_root *root_to(uint32_t block)
{
    const hpp__graph_root *found = NULL;
    for (size_t i = 0; i < graph.n_roots; i++) {
        size_t n;
        const uint32_t *edges = hpp__graph_edges(&graph, graph.n_blocks + i, &n);
        for (size_t j = 0; j < n; j++) {
            if (edges[j] == block) {
                cr_assert_null(found, "two roots point to block %u", block);
                found = &graph.roots[i];
            }
        }
    }
    return found;
}

static void check_root(uint32_t block, hpp__root_kind kind, const char *name)
{
    const hpp__graph_root *root = root_to(block);
    cr_assert_not_null(root, "block %u", block);
    cr_assert_eq(root->kind, kind);
    cr_assert_str_eq(root->name.data, name);
}

Test(graph, mapping_of_the_program_is_a_root_and_one_of_the_allocator_is_not)
{
    char *heap = add_map(1 << 20, "");
    uint64_t *own = add_map(PAGE_BYTES, "");
    uint64_t *named = add_map(PAGE_BYTES, "/memfd:store (deleted)");
    uint64_t *window = add_map(PAGE_BYTES, "/memfd:census-window (deleted)");
    uint64_t *library =
        add_map(PAGE_BYTES, "/memfd:libcensus-preload.so (deleted)"); /* of attach */
    for (uint32_t i = 0; i < 5; i++) {
        add_block(heap + 64 * (i + 1), 24, 3);
    }
    own[7] = blocks[0].address + 8;
    named[0] = blocks[1].address;
    window[0] = blocks[2].address;
    *(uint64_t *)(void *)(heap + 512) = blocks[3].address; /* free memory of the allocator */
    library[0] = blocks[4].address;
    make_graph();
    check_root(0, HPP__ROOT_MAPPING, "mapping");
    check_root(1, HPP__ROOT_MAPPING, "mapping of memfd:store (deleted)");
    cr_assert_null(root_to(2));
    cr_assert_null(root_to(3));
    cr_assert_null(root_to(4));
}

Test(graph, listed_mapping_of_the_library_is_no_root)
{
    char *heap = add_map(1 << 20, "");
    uint64_t *of_program = add_map(PAGE_BYTES, ""), *of_library = add_map(2 * PAGE_BYTES, "");
    add_block(heap + 64, 24, 3);
    add_block(heap + 128, 24, 3);
    of_program[0] = blocks[0].address;
    of_library[3] = blocks[1].address;
    uintptr_t begin = (uintptr_t)of_library; /* of two mappings that the kernel has merged */
    const hpp__image_own own[] = {
        {0, 0}, {begin + PAGE_BYTES, begin + 2 * PAGE_BYTES}, {begin, begin + PAGE_BYTES}};
    image.own = own;
    image.n_own = 3;
    make_graph();
    check_root(0, HPP__ROOT_MAPPING, "mapping");
    cr_assert_null(root_to(1));
    image.n_own = 0;
    make_graph();
    check_root(1, HPP__ROOT_MAPPING, "mapping");
}

Test(graph, mapping_that_the_kernel_has_merged_with_large_blocks_is_a_root)
{
    char *small = add_map(PAGE_BYTES, "");
    char *memory = add_map(6 * PAGE_BYTES, "");
    const void *in_order[] = {small < memory ? small + 64 : memory + PAGE_BYTES + 16,
                              small < memory ? memory + PAGE_BYTES + 16 : small + 64};
    for (uint32_t i = 0; i < 2; i++) {
        add_block(in_order[i], in_order[i] == small + 64 ? 8 : 2 * PAGE_BYTES - 16, 3);
    }
    uint32_t small_one = in_order[0] == small + 64 ? 0 : 1;
    *(uint64_t *)(void *)(memory + 8) = blocks[small_one].address;
    *(uint64_t *)(void *)(memory + PAGE_BYTES + 8) = blocks[1 - small_one].address;
    *(uint64_t *)(void *)(memory + 4 * PAGE_BYTES) = blocks[1 - small_one].address;
    make_graph();
    cr_assert_eq(graph.n_roots, 2);
    check_root(small_one, HPP__ROOT_MAPPING, "mapping");
    check_root(1 - small_one, HPP__ROOT_MAPPING, "mapping");
}

Test(graph, mapping_that_is_a_block_is_scanned_and_is_a_root_of_its_site)
{
    char *memory = add_map(6 * PAGE_BYTES, ""); /* as the kernel merges neighbours */
    char *own = memory + PAGE_BYTES, *large = memory + 4 * PAGE_BYTES + 16;
    add_block(own, 2 * PAGE_BYTES, 7);
    blocks[0].is_mapping = true;
    add_block(large, PAGE_BYTES, 3);
    *(uint64_t *)(void *)(own + PAGE_BYTES) = blocks[1].address;
    *(uint64_t *)(void *)(own + 2 * PAGE_BYTES + 8) = blocks[1].address; /* no longer the block */
    *(uint64_t *)(void *)(large + PAGE_BYTES) = blocks[0].address;       /* the allocator's */
    make_graph();
    size_t n;
    cr_assert_eq(graph.n_roots, 2);
    check_root(0, HPP__ROOT_MAPPING, "");
    cr_assert_eq(root_to(0)->site, 7);
    check_root(1, HPP__ROOT_MAPPING, "mapping");
    cr_assert_eq(root_to(1)->site, 0);
    const uint32_t *edges = hpp__graph_edges(&graph, 0, &n);
    cr_assert_eq(n, 1);
    cr_assert_eq(edges[0], 1);
}

Test(graph, thread_has_registers_thread_local_memory_and_a_stack_down_to_its_pointer)
{
    enum { STACK_BYTES = 16 * PAGE_BYTES };
    static hpp__image_thread thread = {.id = 1, .name = "worker"};
    char *heap = add_map(PAGE_BYTES, "");
    char *stack = add_map(STACK_BYTES, "");
    for (uint32_t i = 0; i < 5; i++) {
        add_block(heap + 64 * (i + 1), 24, 3);
    }
    uint64_t *pointer = (uint64_t *)(void *)(stack + STACK_BYTES - 4096);
    *pointer = thread.thread_pointer = (uintptr_t)pointer;
    thread.stack_begin = (uintptr_t)stack + 5 * PAGE_BYTES;
    thread.stack_end = (uintptr_t)stack + STACK_BYTES;
    thread.registers[3] = blocks[0].address;
    *(uint64_t *)(void *)(stack + 6 * PAGE_BYTES) = blocks[1].address;
    pointer[10] = blocks[2].address;
    *(uint64_t *)(void *)(stack + 2 * PAGE_BYTES) = blocks[3].address; /* of a call that is over */
    image.threads = &thread;
    image.n_threads = 1;
    make_graph();
    check_root(0, HPP__ROOT_REGISTERS, "stack of worker");
    check_root(1, HPP__ROOT_STACK, "stack of worker");
    check_root(2, HPP__ROOT_TLS, "TLS of worker");
    cr_assert_null(root_to(3));
    cr_assert_null(root_to(4));
}

/* Writes the descriptor of a stack's thread, with glibc's note of what it has mapped. */
static uint64_t *write_descriptor(char *stack, size_t n_bytes)
{
    uint64_t *descriptor = (uint64_t *)(void *)(stack + n_bytes - 2304);
    descriptor[0] = descriptor[2] = (uintptr_t)descriptor;
    descriptor[210] = (uintptr_t)stack;
    descriptor[211] = n_bytes;
    descriptor[212] = PAGE_BYTES;
    return descriptor;
}

/* Since glibc 2.42, the kernel merges stacks that are neighbours with each other, and with other
 * memory, into one mapping. */
Test(graph, stack_of_a_thread_that_has_ended_is_no_root)
{
    enum { STACK_BYTES = 16 * PAGE_BYTES };
    static hpp__image_thread thread;
    char *heap = add_map(PAGE_BYTES, "");
    char *first = add_map(5 * STACK_BYTES, "");
    char *running = first + 3 * STACK_BYTES;
    for (uint32_t i = 0; i < 5; i++) {
        add_block(heap + 64 * (i + 1), 24, 3);
        char *stack = first + i * STACK_BYTES;
        *(uint64_t *)(void *)(stack + 2 * PAGE_BYTES) = blocks[i].address;
    }
    make_graph();
    for (uint32_t i = 0; i < 5; i++) { /* without descriptors they could be anything */
        check_root(i, HPP__ROOT_MAPPING, "mapping");
    }
    write_descriptor(first + STACK_BYTES, STACK_BYTES);
    uint64_t *ended = write_descriptor(first + 2 * STACK_BYTES, STACK_BYTES);
    ended[20] = blocks[1].address; /* what its descriptor has counts: it is used again */
    thread.thread_pointer = (uintptr_t)write_descriptor(running, STACK_BYTES);
    thread.stack_begin = (uintptr_t)running + 5 * PAGE_BYTES;
    thread.stack_end = (uintptr_t)running + STACK_BYTES;
    image.threads = &thread;
    image.n_threads = 1;
    make_graph();
    check_root(0, HPP__ROOT_MAPPING, "mapping");
    check_root(1, HPP__ROOT_MAPPING, "mapping");
    cr_assert_null(root_to(2));
    cr_assert_null(root_to(3)); /* below its stack pointer */
    check_root(4, HPP__ROOT_MAPPING, "mapping");
}

/* ---- Variables of this program ---- */

static void *volatile static_pointer;
void *graph_test_pointers[3];

/* Adds the mappings of this program's file, and the mapping of its zeroed data, which follows. */
static void add_program(const char *program)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char line[512];
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file) && image.n_maps < MAX_MAPS / 2) {
        unsigned long long map_begin, map_end, offset;
        char rights[5], path[400] = "";
        sscanf(line, "%llx-%llx %4s %llx %*s %*s %399s", &map_begin, &map_end, rights, &offset,
               path);
        bool is_zeroed =
            path[0] == '\0' && image.n_maps > 0 && maps[image.n_maps - 1].end == map_begin;
        if (strcmp(path, program) == 0 || is_zeroed) {
            maps[image.n_maps++] = (hpp__image_map){.begin = map_begin,
                                                    .end = map_end,
                                                    .offset = offset,
                                                    .is_readable = rights[0] == 'r',
                                                    .is_writable = rights[1] == 'w',
                                                    .path = is_zeroed ? "" : program};
        }
    }
    fclose(file);
}

Test(graph, variable_is_a_root_with_its_name)
{
    static char program[512];
    char expected[600];
    cr_assert_gt(readlink("/proc/self/exe", program, sizeof program - 1), 0);
    add_program(program);
    cr_assert_gt(image.n_maps, 3);
    char *heap = add_map(PAGE_BYTES, "");
    for (uint32_t i = 0; i < 2; i++) {
        add_block(heap + 64 * (i + 1), 24, 3);
    }
    static_pointer = heap + 64;
    graph_test_pointers[2] = heap + 128 + 8;
    make_graph();
    const char *name = strrchr(program, '/') + 1;
    snprintf(expected, sizeof expected, "static_pointer@%s", name);
    check_root(0, HPP__ROOT_VARIABLE, expected);
    snprintf(expected, sizeof expected, "graph_test_pointers@%s", name);
    check_root(1, HPP__ROOT_VARIABLE, expected);
}
