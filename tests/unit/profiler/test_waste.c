/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Waste in made images: equal blocks and unwritten ends compared with brute force, slack by the
 * headers of malloc, and the room of containers by the words next to an address.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "failing_alloc.h"
#include "native/collector/profile/waste.h"
#include "native/collector/graph/room.h"
#include "rng.h"

enum { MAX_BLOCKS = 40, N_GROUPS = 5, BASE = 0x100000, HEAP_BYTES = 8 << 20, HEADER_BYTES = 16 };

/* Two sites have blocks of one type; two are zero when they are new. */
static const hpp_shape shapes[N_GROUPS] = {
    {{"a@x.c:1", 7}, {"Foo", 3}, {"x", 1}, {"malloc", 6}, 0},
    {{"b@x.c:2", 7}, {"Foo", 3}, {"x", 1}, {"calloc", 6}, 0},
    {{"c@x.c:3", 7}, {"Bar", 3}, {"x", 1}, {"mmap", 4}, 0},
    {{"d@x.c:4", 7}, {"Bar", 3}, {"x", 1}, {"PyMem", 5}, 0},
    {{"e@x.c:5", 7}, {"", 0}, {"x", 1}, {"malloc", 6}, 0},
};

static unsigned char heap_memory[HEAP_BYTES];
static hpp__image_block blocks[MAX_BLOCKS];
static hpp__graph_node nodes[MAX_BLOCKS + 1];
static hpp__group groups[N_GROUPS];
static hpp__waste found;

static bool read_heap(void *context, void *out, uint64_t address, size_t n_bytes)
{
    (void)context;
    if (address < BASE || address - BASE > HEAP_BYTES || n_bytes > HEAP_BYTES - (address - BASE)) {
        return false;
    }
    memcpy(out, heap_memory + (address - BASE), n_bytes);
    return true;
}

static unsigned char *bytes_of(size_t block)
{
    return heap_memory + (blocks[block].address - BASE);
}

/* Adds a block behind the one before it, with a header as glibc writes it. */
static void add_block(size_t i, uint64_t size_bytes, uint32_t group, uint64_t slack)
{
    uint64_t before = i == 0 ? BASE : blocks[i - 1].address + blocks[i - 1].size_bytes;
    uint64_t header = (size_bytes + slack + 8) | 1;
    blocks[i] = (hpp__image_block){(before + 64) / 16 * 16 + HEADER_BYTES, size_bytes,
                                   HPP_FIRST_SITE, false};
    nodes[i] = (hpp__graph_node){.size_bytes = size_bytes, .group = group};
    memcpy(bytes_of(i) - 8, &header, sizeof header);
}

static bool find(size_t n_blocks)
{
    for (size_t i = 0; i < N_GROUPS; i++) {
        groups[i] = (hpp__group){.shape = &shapes[i]};
    }
    hpp__image image = {.blocks = blocks, .n_blocks = n_blocks, .read = read_heap};
    hpp__graph graph = {.nodes = nodes, .n_blocks = n_blocks};
    hpp__site_heap sites = {.groups = groups, .n_groups = N_GROUPS};
    hpp__graph_heap heap = {.native = &sites, .graph = &graph};
    return hpp__waste_find(&found, &heap, &image);
}

static hpf_str type_of(uint32_t group)
{
    return shapes[group].type.length > 0 ? shapes[group].type : shapes[group].description;
}

/* Returns the row of a kind for a group; one of zeros if there is none. */
static hpf_waste row_of(hpf_waste_kind kind, uint32_t group)
{
    for (size_t i = 0; i < found.n_rows; i++) {
        const hpf_waste *row = &found.rows[i];
        bool has_site = shapes[group].type.length > 0;
        if (row->kind == kind && hpf_str_equal(row->type, type_of(group)) &&
            hpf_str_equal(row->site, has_site ? shapes[group].description : HPF_STR(""))) {
            return *row;
        }
    }
    return (hpf_waste){.kind = kind};
}

static size_t written_bytes(size_t block)
{
    size_t n = blocks[block].size_bytes;
    while (n > 0 && bytes_of(block)[n - 1] == 0) {
        n--;
    }
    return n;
}

static bool are_equal(size_t i, size_t k)
{
    return blocks[i].size_bytes == blocks[k].size_bytes &&
           hpf_str_equal(type_of(nodes[i].group), type_of(nodes[k].group)) &&
           memcmp(bytes_of(i), bytes_of(k), blocks[i].size_bytes) == 0;
}

/* Compares rows of equal blocks, unwritten ends and small blocks with those of a plain calculation.
 */
static void check_rows(size_t n)
{
    hpf_waste equal[N_GROUPS] = {0}, unwritten[N_GROUPS] = {0}, boxed[N_GROUPS] = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t size = blocks[i].size_bytes, n_written = written_bytes(i);
        uint32_t group = nodes[i].group;
        size_t n_before = 0, n_others = 0;
        for (size_t k = 0; k < n && n_written > 0 && size <= 1 << 16; k++) {
            n_others += k != i && are_equal(i, k);
            n_before += k < i && are_equal(i, k);
        }
        equal[group].n_blocks += n_before > 0;
        equal[group].bytes += n_before > 0 ? size : 0;
        equal[group].all_bytes += n_others > 0 ? size : 0;
        boxed[group].n_blocks += size <= 8;
        boxed[group].bytes += size <= 8 ? size : 0;
        if ((group == 1 || group == 2) && 2 * n_written < size) {
            unwritten[group].n_blocks++;
            unwritten[group].bytes += size - n_written;
            unwritten[group].all_bytes += size;
        }
    }
    for (uint32_t g = 0; g < N_GROUPS; g++) {
        hpf_waste row = row_of(HPF_WASTE_EQUAL, g);
        cr_assert_eq(row.n_blocks, equal[g].n_blocks);
        cr_assert_eq(row.bytes, equal[g].bytes);
        cr_assert(row.bytes == 0 || row.all_bytes == equal[g].all_bytes);
        row = row_of(HPF_WASTE_UNWRITTEN, g);
        cr_assert_eq(row.n_blocks, unwritten[g].n_blocks);
        cr_assert_eq(row.bytes, unwritten[g].bytes);
        cr_assert_eq(row.all_bytes, unwritten[g].all_bytes);
        row = row_of(HPF_WASTE_BOXED, g);
        cr_assert_eq(row.n_blocks, boxed[g].n_blocks);
        cr_assert_eq(row.bytes, boxed[g].bytes);
    }
}

static void tear_down(void)
{
    hpp__waste_finish(&found);
}

TestSuite(waste, .fini = tear_down);

/* Sizes around those that are compared, and contents with few different bytes. */
Test(waste, equal_and_unwritten_blocks_are_those_of_brute_force)
{
    rng r = {35};
    for (int round = 0; round < 800; round++) {
        size_t n = 1 + (size_t)rng_below(&r, MAX_BLOCKS);
        bool is_large = round % 40 == 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t size = is_large ? (1 << 16) - 2 + rng_below(&r, 4) : 1 + rng_below(&r, 24);
            add_block(i, size, (uint32_t)rng_below(&r, N_GROUPS), rng_below(&r, 24));
            uint64_t n_written = is_large || rng_below(&r, 3) == 0 ? size : rng_below(&r, size + 1);
            memset(bytes_of(i), 0, size);
            memset(bytes_of(i), (int)rng_below(&r, 3), n_written);
            bytes_of(i)[is_large ? 0 : rng_below(&r, size)] = (unsigned char)rng_below(&r, 2);
        }
        cr_assert(find(n));
        check_rows(n);
    }
}

Test(waste, slack_is_what_malloc_has_added)
{
    memset(heap_memory, 1, sizeof heap_memory);
    add_block(0, 100, 0, 4);
    add_block(1, 60, 1, 12);
    add_block(2, 4000, 0, 0);
    add_block(3, 4096, 2, 8); /* of mmap, */
    add_block(4, 500, 3, 8);  /* and of Python: they have no header */
    cr_assert(find(5));
    cr_assert_eq(row_of(HPF_WASTE_SLACK, 0).bytes, 4);
    cr_assert_eq(row_of(HPF_WASTE_SLACK, 0).n_blocks, 1);
    cr_assert_eq(row_of(HPF_WASTE_SLACK, 0).all_bytes, 104);
    cr_assert_eq(row_of(HPF_WASTE_SLACK, 1).bytes, 12);
    cr_assert_eq(row_of(HPF_WASTE_SLACK, 2).bytes, 0);
    cr_assert_eq(row_of(HPF_WASTE_SLACK, 3).bytes, 0);
    const hpf_waste *sizes = &found.rows[found.n_rows - 3];
    const char *const names[] = {"up to 64 bytes", "up to 128 bytes", "up to 4096 bytes"};
    const uint64_t slack[] = {12, 4, 0}, all[] = {60, 100, 4000};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(sizes[i].kind, HPF_WASTE_SIZE);
        cr_assert(hpf_str_equal(sizes[i].type, hpf_str_of(names[i])));
        cr_assert_eq(sizes[i].bytes, slack[i]);
        cr_assert_eq(sizes[i].all_bytes, all[i]);
    }
}

Test(waste, blocks_of_another_allocator_have_no_slack)
{
    memset(heap_memory, 1, sizeof heap_memory);
    for (size_t i = 0; i < 20; i++) {
        add_block(i, 100, 0, i < 10 ? 4 : 1000);
    }
    cr_assert(find(20));
    cr_assert_eq(row_of(HPF_WASTE_SLACK, 0).n_blocks, 0);
    for (size_t i = 0; i < found.n_rows; i++) {
        cr_assert_neq(found.rows[i].kind, HPF_WASTE_SIZE);
    }
}

Test(waste, without_memory_there_are_no_rows)
{
    memset(heap_memory, 1, sizeof heap_memory);
    for (size_t i = 0; i < MAX_BLOCKS; i++) {
        add_block(i, 20 + i % 2, 0, 4);
    }
    cr_assert(find(MAX_BLOCKS)); /* buffers of the test framework */
    unsigned long nth = 1;
    for (;; nth++) {
        failing_alloc_arm(nth, false);
        bool is_found = find(MAX_BLOCKS);
        if (!failing_alloc_disarm()) {
            break;
        }
        cr_assert(is_found || found.n_rows == 0);
    }
    cr_assert_gt(nth, 4);
}

/* ---- Room ---- */

/* The block is at 0x5000. */
static void check_room(const char *type, uint64_t size_bytes, const uint64_t words[HPP__ROOM_WORDS],
                       uint64_t bytes, uint64_t used_bytes)
{
    const hpp__image_block block = {0x5000, size_bytes, HPP_FIRST_SITE, false};
    hpp__room room = {0, 0};
    hpp__room_layout layout = hpp__room_layout_of(hpf_str_of(type));
    hpp__room_layout fit = hpp__room_find(&room, layout, &block, words, 0);
    cr_assert_eq(fit, bytes > 0 ? layout : HPP__ROOM_NONE, "%s", type);
    cr_assert(bytes == 0 || (room.bytes == bytes && room.used_bytes == used_bytes), "%s", type);
}

#define WORDS(...) ((const uint64_t[HPP__ROOM_WORDS]){__VA_ARGS__})

Test(waste, rooms_are_where_the_words_say)
{
    const uint64_t at = 0x5000;
    const union {
        float load;
        uint32_t bits;
    } load = {1.0F};
    check_room("array of std::vector<int> in Foo", 400, WORDS(0, at, at + 40, at + 400), 400, 40);
    check_room("array of std::vector<int>", 400, WORDS(0, at, at + 40, at + 404), 0, 0);
    check_room("array of std::vector<int>", 400, WORDS(0, at, at - 4, at + 400), 0, 0);
    check_room("array of std::vector<bool>", 400, WORDS(0, at, 0, at + 40, 17, at + 400), 400, 43);
    check_room("array of std::vector<bool>", 400, WORDS(0, at, 0, at + 40, 64, at + 400), 0, 0);
    check_room("array of std::vector<bool>", 400, WORDS(0, at, at + 40, at + 400), 0, 0);
    check_room("text of std::string", 101, WORDS(0, at, 20, 100), 100, 20);
    check_room("text of std::string", 101, WORDS(0, at, 101, 100), 0, 0);
    check_room("text of std::wstring", 404, WORDS(0, at, 20, 100), 400, 80);
    check_room("buckets of std::unordered_map<int,int>", 808, WORDS(0, at, 101, 1, 7, load.bits),
               808, 56);
    check_room("buckets of std::unordered_map<int,int>", 808, WORDS(0, at, 101, 1, 7, 0), 0, 0);
    check_room("index of std::deque<int>", 64,
               WORDS(0, at, 8, 0x6010, 0x6000, 0x6200, at + 24, 0x7020, 0x7000, 0x7200, at + 32),
               1024, 0x1f0 + 0x20);
    check_room("array of Vec<u64>", 800, WORDS(100, at, 30), 800, 240);
    check_room("array of Vec<u64>", 800, WORDS(7, at, 100, 30), 800, 240);
    check_room("array of VecDeque<u64>", 800, WORDS(100, at, 90, 30), 800, 240);
    check_room("array of VecDeque<u64>", 800, WORDS(100, at, 30, 101), 0, 0);
    check_room("text of String", 100, WORDS(100, at, 101), 0, 0);
    check_room("table of HashMap<u64,u128>", 216, WORDS(0, at + 192, 7, 5, 2), 168, 48);
    check_room("table of HashMap<u64,u128>", 216, WORDS(7, at + 192, 5, 2), 168, 48);
    check_room("table of HashMap<u64,u128>", 216, WORDS(0, at + 192, 7, 6, 2), 0, 0);
    check_room("table of HashMap<u64,u128>", 216, WORDS(0, at + 184, 7, 5, 2), 0, 0);
    check_room("table of HashSet<u8>", 36, WORDS(0, at + 16, 3, 2, 1), 12, 4);
    check_room("node of std::map<int,int>", 48, WORDS(0, at, at + 8, at + 48), 0, 0);
}

/* Whatever the words are, no more is used than there is, and a block has room for all of it. */
Test(waste, rooms_of_any_words_are_in_their_block)
{
    rng r = {7};
    for (int round = 0; round < 2000000; round++) {
        const hpp__image_block block = {0x5000, 1 + rng_below(&r, 200), HPP_FIRST_SITE, false};
        uint64_t words[HPP__ROOM_WORDS];
        hpp__room room;
        for (int i = 0; i < HPP__ROOM_WORDS; i++) {
            words[i] = rng_below(&r, 3) == 0   ? rng_next(&r)
                       : rng_below(&r, 2) == 0 ? 0x5000 + rng_below(&r, 210)
                                               : rng_below(&r, 210);
        }
        hpp__room_layout layout = (hpp__room_layout)rng_below(&r, HPP__N_ROOM_LAYOUTS);
        words[1] =
            block.address + (layout == HPP__ROOM_TABLE ? rng_below(&r, block.size_bytes) : 0);
        layout = hpp__room_find(&room, layout, &block, words, rng_below(&r, 2) * 31);
        if (layout != HPP__ROOM_NONE) {
            cr_assert_leq(room.used_bytes, room.bytes);
            cr_assert(layout == HPP__ROOM_DEQUE || room.bytes <= block.size_bytes);
        }
    }
}
