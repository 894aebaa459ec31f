/* SPDX-License-Identifier: BSD-2-Clause
 *
 * /proc/PID/smaps says how much of each mapping is resident. Anonymous mappings are divided by
 * page: the page table says which are resident, the table of blocks what is live on them.
 *
 * If not all blocks are known, a page without known ones may have others. Anonymous memory is then
 * live blocks, of which each known one stands for several, and a rest.
 */
#include "resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/descriptor.h"
#include "hpfile/margin.h"
#include "image_blocks.h"
#include "native/window/block_table.h"
#include "proc.h"
#include "thread_looks.h"

enum { N_PARTS = HPF_N_RESIDENT_PARTS };
static const uint64_t most_divided_bytes = (uint64_t)64 << 30; /* of addresses, in all */

/* A mapping, with the part that it is if it is not divided. */
typedef struct mapping {
    uint64_t begin, end;
    unsigned long device_major, device_minor, inode;
    hpf_resident_part part;
    bool is_anonymous, is_heap, is_writable, is_executable;
    double resident, proportional;
    bool *are_resident; /* its pages, if it is divided; else NULL */
} mapping;

/* A range of addresses that is being added up. */
typedef struct range {
    uint64_t begin;
    double resident, live;
    size_t first; /* block that may be in it */
} range;

typedef struct look {
    uint32_t process_id;
    hpp__window_reader *reader; /* borrowed */
    hpp__known_blocks known;
    hpf_resident_part rest; /* REST or BEFORE; LIVE: all blocks are known */
    int pagemap;
    uint64_t page_bytes;
    mapping *mappings;
    size_t n_mappings, mappings_capacity;
    hpp__image_stack *stacks; /* of threads, sorted */
    size_t n_stacks;
    uint64_t *leaves; /* entries of the table of blocks */
    size_t n_leaves;
    const hpp__image_block *blocks;
    size_t n_blocks;
    size_t next;             /* block: those before end before the page */
    double divided[N_PARTS]; /* of the mapping */
    double variance;         /* of what is live */
    range ranges[HPF_N_PINNED];
    hpp__pins *by_site;
    size_t n_sites;
    hpp__resident *out;
} look;

/* ---- Mappings ---- */

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* Says what a mapping is by its path. */
static void classify(mapping *m, const char *path, bool is_shared)
{
    m->is_heap = strcmp(path, "[heap]") == 0;
    m->part = HPF_RESIDENT_OTHER;
    if (hpp__proc_is_own_file(path)) {
        m->part = HPF_RESIDENT_PROFILER;
    } else if (begins_with(path, "[stack")) {
        m->part = HPF_RESIDENT_STACKS;
    } else if (is_shared && (path[0] != '/' || hpp__proc_is_shared_memory(path))) {
        m->part = HPF_RESIDENT_SHARED;
    } else if (path[0] == '/') {
        m->part = HPF_RESIDENT_FILES;
    } else if (begins_with(path, "[v")) {
        m->part = HPF_RESIDENT_LIBRARIES; /* the kernel's */
    } else {
        m->is_anonymous = true;
    }
}

/* Reads the line that begins a mapping. Returns false if it is another one. */
static bool read_mapping(mapping *m, char *line)
{
    unsigned long long begin, end;
    char access[5];
    int n = 0;
    *m = (mapping){0};
    if (sscanf(line, "%llx-%llx %4s %*x %lx:%lx %lu %n", &begin, &end, access, &m->device_major,
               &m->device_minor, &m->inode, &n) < 6 ||
        n == 0) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    m->begin = begin;
    m->end = end;
    m->is_writable = access[1] == 'w';
    m->is_executable = access[2] == 'x';
    classify(m, line + n, access[3] == 's');
    return begin < end;
}

/* Reads a property of the last mapping. The profiler's are the only ones that are neither reserved
 * nor dumped. */
static void read_property(mapping *m, const char *line)
{
    unsigned long long n_kib;
    if (sscanf(line, "Rss: %llu", &n_kib) == 1) {
        m->resident = (double)n_kib * 1024;
    } else if (sscanf(line, "Pss: %llu", &n_kib) == 1) {
        m->proportional = (double)n_kib * 1024;
    } else if (m->is_anonymous && begins_with(line, "VmFlags:") && strstr(line, " nr") &&
               strstr(line, " dd")) {
        m->is_anonymous = m->is_heap = false;
        m->part = HPF_RESIDENT_PROFILER;
    }
}

/* Files with code are libraries, and so is the anonymous memory that follows their variables. */
static void find_libraries(look *l)
{
    for (size_t i = 0, end; i < l->n_mappings; i = end) {
        const mapping *m = &l->mappings[i];
        bool is_code = false;
        for (end = i; end < l->n_mappings && l->mappings[end].inode == m->inode &&
                      l->mappings[end].device_major == m->device_major &&
                      l->mappings[end].device_minor == m->device_minor;
             end++) {
            is_code |= l->mappings[end].is_executable;
        }
        for (size_t j = i; j < end && is_code; j++) {
            hpf_resident_part *part = &l->mappings[j].part;
            *part = *part == HPF_RESIDENT_FILES ? HPF_RESIDENT_LIBRARIES : *part;
        }
    }
    for (size_t i = 1; i < l->n_mappings; i++) {
        const mapping *before = &l->mappings[i - 1];
        mapping *m = &l->mappings[i];
        if (m->is_anonymous && !m->is_heap && before->is_writable && before->end == m->begin &&
            !before->is_anonymous && before->part == HPF_RESIDENT_LIBRARIES) {
            m->part = HPF_RESIDENT_LIBRARIES;
        }
    }
}

/* Adds a mapping. One that grows while the file is read is there again, from its begin. */
static bool add_mapping(look *l, const mapping *next)
{
    while (l->n_mappings > 0 && l->mappings[l->n_mappings - 1].end > next->begin) {
        l->n_mappings--;
    }
    return HPF__ARRAY_PUSH(l->mappings, l->n_mappings, l->mappings_capacity, *next);
}

static bool read_mappings(look *l)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    bool is_good = true;
    mapping next;
    snprintf(path, sizeof path, "/proc/%u/smaps", (unsigned)l->process_id);
    FILE *file = fopen(path, "re");
    while (file && is_good && getline(&line, &room, file) > 0) {
        if (read_mapping(&next, line)) {
            is_good = add_mapping(l, &next);
        } else if (l->n_mappings > 0) {
            read_property(&l->mappings[l->n_mappings - 1], line);
        }
    }
    free(line);
    if (file) {
        fclose(file);
    }
    find_libraries(l);
    return is_good && l->n_mappings > 0;
}

/* ---- Stacks ---- */

static bool read_process(void *context, void *out, uint64_t address, size_t n_bytes)
{
    const look *l = context;
    return hpp__proc_read_memory(l->process_id, out, address, n_bytes);
}

static int by_begin(const void *a, const void *b)
{
    uint64_t x = ((const hpp__image_stack *)a)->begin, y = ((const hpp__image_stack *)b)->begin;
    return (x > y) - (x < y);
}

/* Finds the stack of a thread that waits, from where it is on it: its descriptor begins with its
 * own address, has that again, and is the next such place above. */
static bool find_stack_above(look *l, uint64_t sp, hpp__image_stack *out)
{
    enum { PIECE = 4096, WORDS = PIECE / 8, SELF = 2 };
    static const uint64_t most_bytes = (uint64_t)16 << 20;
    const hpp__image memory = {.read = read_process, .read_context = l};
    uint64_t words[WORDS];
    for (uint64_t at = sp & ~(uint64_t)(PIECE - 1);
         at < sp + most_bytes && read_process(l, words, at, PIECE); at += PIECE) {
        for (size_t i = 0; i + SELF < WORDS; i++) {
            uint64_t descriptor = at + i * sizeof *words;
            if (words[i] == descriptor && words[i + SELF] == descriptor &&
                hpp__image_find_stack(&memory, descriptor, out) && out->begin <= sp) {
                return true;
            }
        }
    }
    return false;
}

/* Finds the stacks of threads that are older than the profile, unless they run now. */
static void find_older_stacks(look *l)
{
    hpp__thread_looks looks = {0};
    bool is_good = hpp__thread_looks_take(&looks, l->process_id, &looks);
    hpp__image_stack *stacks =
        is_good ? realloc(l->stacks, (l->n_stacks + looks.n + 1) * sizeof *stacks) : NULL;
    l->stacks = stacks ? stacks : l->stacks;
    for (size_t i = 0; stacks && i < looks.n; i++) {
        bool is_first = looks.list[i].id == l->process_id;
        l->n_stacks += looks.list[i].is_waiting && !is_first &&
                       find_stack_above(l, looks.list[i].sp, &stacks[l->n_stacks]);
    }
    hpp__thread_looks_finish(&looks);
}

/* Finds the stacks of threads, also of those that have ended, whose stack the C library keeps. */
static void find_stacks(look *l, const hpp_window_head *head)
{
    const hpp__image memory = {.read = read_process, .read_context = l};
    size_t n;
    hpp_thread_state *states = hpp__proc_read_threads(l->process_id, head, &n);
    l->stacks = calloc(n + 1, sizeof *l->stacks);
    for (size_t i = 0; l->stacks && i < n; i++) {
        l->n_stacks +=
            hpp__image_find_stack(&memory, states[i].thread_pointer, &l->stacks[l->n_stacks]);
    }
    free(states);
    if (l->known.since_attached && l->stacks) {
        find_older_stacks(l);
    }
    HPF__ARRAY_SORT(l->stacks, l->n_stacks, by_begin);
}

static bool is_of_stack(const look *l, uint64_t address)
{
    size_t n_before;
    HPF__ARRAY_BISECT(n_before, l->n_stacks, i, l->stacks[i].begin <= address);
    return n_before > 0 && address < l->stacks[n_before - 1].end;
}

/* ---- Pinned ranges ---- */

/* Returns the part of a block that is in a range. */
static double overlap(const hpp__image_block *block, uint64_t begin, uint64_t end)
{
    uint64_t block_end = block->address + block->size_bytes;
    uint64_t from = block->address > begin ? block->address : begin;
    uint64_t to = block_end < end ? block_end : end;
    return to > from ? (double)(to - from) : 0;
}

/* Ends a range: if little of it is live, the rest is pinned by the sites of its blocks. */
static void end_range(look *l, size_t which)
{
    range *r = &l->ranges[which];
    uint64_t end = r->begin + hpf_pinned_range_bytes(which);
    double live = 0;
    if (r->live > 0 && r->live * 100 < r->resident * HPP__PINNED_PERCENT) {
        for (size_t i = r->first; i < l->n_blocks && l->blocks[i].address < end; i++) {
            live += l->blocks[i].is_mapping ? 0 : overlap(&l->blocks[i], r->begin, end);
        }
    }
    for (size_t i = r->first; live > 0 && i < l->n_blocks && l->blocks[i].address < end; i++) {
        const hpp__image_block *block = &l->blocks[i];
        double share = block->is_mapping ? 0 : overlap(block, r->begin, end) / live;
        if (share > 0 && block->site < l->n_sites) {
            hpp__pinned *to = &l->by_site[block->site].ranges[which];
            to->live_bytes += r->live * share;
            to->other_bytes += (r->resident - r->live) * share;
        }
    }
    *r = (range){0};
}

/* Adds a resident page of the heap to the ranges that it is in. */
static void add_to_ranges(look *l, uint64_t page, double live)
{
    for (size_t i = 0; i < HPF_N_PINNED; i++) {
        uint64_t begin = page & ~(hpf_pinned_range_bytes(i) - 1);
        if (l->ranges[i].begin != begin) {
            end_range(l, i);
            l->ranges[i] = (range){.begin = begin, .first = l->next};
        }
        l->ranges[i].resident += (double)l->page_bytes;
        l->ranges[i].live += live;
    }
}

/* ---- Pages ---- */

/* Adds bytes of a block to the live ones of a page, as what they stand for. */
static void add_live(look *l, const hpp__image_block *block, double bytes, double *live)
{
    double size = (double)block->size_bytes;
    double rate_bytes = hpp__window_reader_rate(l->reader, block->site, l->known.rate_bytes);
    bytes *= hpf_margin_weight(size, rate_bytes) / size;
    *live += bytes;
    l->variance += hpf_margin_variance(bytes, bytes / size, rate_bytes);
}

/* Returns the part to which the rest of a page belongs. */
static hpf_resident_part part_of_rest(const look *l, const mapping *m, uint64_t page, bool is_live)
{
    bool is_heap = is_live || m->is_heap || m->part == HPF_RESIDENT_OTHER;
    if (!is_live && is_of_stack(l, page)) {
        return HPF_RESIDENT_STACKS;
    }
    return l->rest && is_heap ? l->rest
           : is_live          ? HPF_RESIDENT_GAPS
           : m->is_heap       ? HPF_RESIDENT_FREE
                              : m->part;
}

/* Adds a resident page of a mapping that is divided. Pages must come in the order of addresses. */
static void add_page(look *l, const mapping *m, uint64_t page)
{
    uint64_t end = page + l->page_bytes;
    double live = 0, mapped = 0, all = (double)l->page_bytes;
    while (l->next < l->n_blocks &&
           l->blocks[l->next].address + l->blocks[l->next].size_bytes <= page) {
        l->next++;
    }
    for (size_t i = l->next; i < l->n_blocks && l->blocks[i].address < end; i++) {
        const hpp__image_block *block = &l->blocks[i];
        double n_bytes = overlap(block, page, end);
        if (block->is_mapping) {
            mapped += n_bytes;
        } else if (n_bytes > 0) {
            add_live(l, block, n_bytes, &live);
        }
    }
    l->divided[HPF_RESIDENT_MAPPED] += mapped;
    l->divided[HPF_RESIDENT_LIVE] += live;
    hpf_resident_part rest = part_of_rest(l, m, page, live > 0);
    l->divided[rest] += all - live - mapped;
    if (mapped == 0 && (rest == HPF_RESIDENT_GAPS || rest == HPF_RESIDENT_FREE)) {
        add_to_ranges(l, page, live);
    }
}

/* Notes which pages of anonymous mappings are resident, before the blocks are read: a page that the
 * program touches later is not taken for one without blocks. */
static bool read_pages(look *l)
{
    uint64_t left_bytes = most_divided_bytes;
    for (size_t i = 0; i < l->n_mappings; i++) {
        mapping *m = &l->mappings[i];
        uint64_t n_bytes = m->end - m->begin;
        size_t n_pages = n_bytes / l->page_bytes;
        if (!m->is_anonymous || m->resident <= 0 || n_bytes > left_bytes) {
            continue;
        }
        left_bytes -= n_bytes;
        m->are_resident = malloc(n_pages + 1);
        if (!m->are_resident) {
            return false;
        }
        hpp__proc_resident_pages(l->pagemap, m->begin, n_pages, m->are_resident);
    }
    return true;
}

/* Returns whether there has ever been a block in a range of addresses: pages of the table exist
 * then. */
static bool had_blocks(const look *l, uint64_t begin, uint64_t end)
{
    const uint64_t leaf_bytes = UINT64_C(1) << HPP_LEAF_SHIFT;
    const uint64_t of_page = HPP_WINDOW_PAGE_BYTES / 4 * HPP_GRANULE_BYTES;
    size_t i;
    HPF__ARRAY_BISECT(i, l->n_leaves, j, hpp__begin_of_entry(l->leaves[j]) + leaf_bytes <= begin);
    for (; i < l->n_leaves && hpp__begin_of_entry(l->leaves[i]) < end; i++) {
        uint64_t leaf_begin = hpp__begin_of_entry(l->leaves[i]);
        uint64_t from = begin > leaf_begin ? begin : leaf_begin;
        uint64_t to = end < leaf_begin + leaf_bytes ? end : leaf_begin + leaf_bytes;
        uint64_t first = (from - leaf_begin) / of_page;
        uint64_t last = (to - 1 - leaf_begin) / of_page;
        if (hpp__proc_touched_bytes(
                l->pagemap, hpp__leaf_of_entry(l->leaves[i]) + first * HPP_WINDOW_PAGE_BYTES,
                (last - first + 1) * HPP_WINDOW_PAGE_BYTES) > 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether an allocator has, or had, blocks in a mapping, other than whole mappings. */
static bool has_blocks(const look *l, const mapping *m)
{
    size_t first;
    HPF__ARRAY_BISECT(first, l->n_blocks, i,
                      l->blocks[i].address + l->blocks[i].size_bytes <= m->begin);
    bool is_mapped = false;
    for (size_t i = first; i < l->n_blocks && l->blocks[i].address < m->end; i++) {
        if (!l->blocks[i].is_mapping) {
            return true;
        }
        is_mapped = true;
    }
    return !is_mapped && had_blocks(l, m->begin, m->end);
}

/* Divides a mapping. The parts of its pages are scaled to what smaps has said of it: a page of
 * zeros that was only read is in the page table, but is not counted. */
static void divide(look *l, mapping *m)
{
    uint64_t n_pages = (m->end - m->begin) / l->page_bytes;
    double sum = 0;
    memset(l->divided, 0, sizeof l->divided);
    m->is_heap = m->is_heap || (!l->rest && has_blocks(l, m));
    for (uint64_t i = 0; i < n_pages; i++) {
        if (m->are_resident[i]) {
            add_page(l, m, m->begin + i * l->page_bytes);
            sum += (double)l->page_bytes;
        }
    }
    if (sum <= 0) {
        l->divided[part_of_rest(l, m, m->begin, false)] = sum = 1;
    }
    for (int i = 0; i < N_PARTS; i++) {
        l->out->resident[i] += m->resident * (l->divided[i] / sum);
        l->out->proportional[i] += m->proportional * (l->divided[i] / sum);
    }
}

static void add_mappings(look *l)
{
    for (size_t i = 0; i < l->n_mappings; i++) {
        mapping *m = &l->mappings[i];
        if (m->resident <= 0) {
            continue;
        }
        if (m->are_resident) {
            divide(l, m);
        } else {
            l->out->resident[m->part] += m->resident;
            l->out->proportional[m->part] += m->proportional;
        }
    }
    for (size_t i = 0; i < HPF_N_PINNED; i++) {
        end_range(l, i);
    }
}

/* Keeps an estimate of what is live from being more than there is. */
static void bound_live(const look *l, double parts[N_PARTS])
{
    if (l->rest && parts[l->rest] < 0) {
        parts[HPF_RESIDENT_LIVE] += parts[l->rest];
        parts[l->rest] = 0;
    }
}

/* ---- All ---- */

/* Keeps the sites that pin something. */
static void keep_pins(look *l)
{
    hpp__resident *out = l->out;
    for (size_t i = 0; i < l->n_sites; i++) {
        bool has_any = false;
        for (size_t j = 0; j < HPF_N_PINNED; j++) {
            has_any |= l->by_site[i].ranges[j].other_bytes > 0;
        }
        if (has_any) {
            l->by_site[i].site = (uint32_t)i;
            l->by_site[out->n_pins++] = l->by_site[i];
        }
    }
    out->pins = l->by_site;
}

static int by_addresses(const void *a, const void *b)
{
    uint64_t x = hpp__begin_of_entry(*(const uint64_t *)a);
    uint64_t y = hpp__begin_of_entry(*(const uint64_t *)b);
    return (x > y) - (x < y);
}

/* Copies the list of leaves, which grows. */
static bool list_leaves(look *l)
{
    uint32_t n;
    const _Atomic uint64_t *listed = hpp__window_reader_leaves(l->reader, &n);
    l->leaves = malloc((n + (size_t)1) * sizeof *l->leaves);
    for (; l->leaves && l->n_leaves < n; l->n_leaves++) {
        l->leaves[l->n_leaves] = listed[l->n_leaves];
    }
    HPF__ARRAY_SORT(l->leaves, l->n_leaves, by_addresses);
    return l->leaves != NULL;
}

/* Reads the live blocks of a process that runs. */
static bool read_blocks(look *l, hpp__image_block **own)
{
    hpf_error err;
    hpp__window_reader_refresh(l->reader); /* it then has the leaves of all resident pages */
    hpp__proc_memory memory = hpp__proc_memory_open(l->process_id);
    hpf_status status = hpp__image_blocks(own, &l->n_blocks, &memory, l->reader, &err);
    hpp__proc_memory_close(&memory);
    l->blocks = *own;
    return status == HPF_OK;
}

hpp__resident *hpp__resident_look(uint32_t process_id, const hpp__window_reader *reader,
                                  hpp__known_blocks known)
{
    hpp__window_reader now = *reader;
    look l = {.process_id = process_id,
              .reader = &now,
              .known = known,
              .rest = known.since_attached   ? HPF_RESIDENT_BEFORE
                      : known.rate_bytes > 0 ? HPF_RESIDENT_REST
                                             : HPF_RESIDENT_LIVE,
              .pagemap = hpp__proc_open_pagemap(process_id),
              .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
              .n_sites = reader->n_sites,
              .out = calloc(1, sizeof *l.out)};
    hpp__image_block *own = NULL;
    l.by_site = calloc(l.n_sites + 1, sizeof *l.by_site);
    bool is_good = l.pagemap >= 0 && l.out && l.by_site && read_mappings(&l) && read_pages(&l) &&
                   read_blocks(&l, &own) && list_leaves(&l);
    if (is_good) {
        find_stacks(&l, &reader->window->head);
        l.out->page_table_bytes = hpp__proc_page_table_bytes(process_id);
        add_mappings(&l);
        l.out->margin = hpf_margin(l.out->resident[HPF_RESIDENT_LIVE], l.variance,
                                   hpp__window_reader_rate_now(reader, known.rate_bytes));
        bound_live(&l, l.out->resident);
        bound_live(&l, l.out->proportional);
        keep_pins(&l);
    } else {
        free(l.by_site);
        free(l.out);
        l.out = NULL;
    }
    hpf__close(l.pagemap);
    for (size_t i = 0; i < l.n_mappings; i++) {
        free(l.mappings[i].are_resident);
    }
    free(l.mappings);
    free(l.stacks);
    free(l.leaves);
    free(own);
    return l.out;
}

void hpp__resident_free(hpp__resident *resident)
{
    if (resident) {
        free(resident->pins);
        free(resident);
    }
}
