/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks, and one way from a directory to a chunk for all tables.
 */
#include "window_reader.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "native/machine/clock.h"
#include "native/machine/object_kind.h"

enum { MAX_NODES = HPP_NODES_PER_CHUNK * HPP_MAX_NODE_CHUNKS, MAX_LEAVES = 1 << 18 };

static uint32_t load(const _Atomic uint32_t *from)
{
    return atomic_load_explicit(from, memory_order_acquire);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- Opening ---- */

static void renew_count(uint32_t *count, uint32_t now, uint32_t most)
{
    now = smaller(now, most);
    *count = now > *count ? now : *count;
}

/* The program may go on meanwhile: a few more pages than are there now may be read. */
static void renew_pages(hpp__window_reader *r)
{
    enum { STAT_BLOCKS_PER_PAGE = HPP_WINDOW_PAGE_BYTES / 512, MORE_PAGES = 1024 };
    struct stat file;
    r->n_pages = r->used_bytes / HPP_WINDOW_PAGE_BYTES;
    if (r->file >= 0 && fstat(r->file, &file) == 0) {
        uint64_t n = (uint64_t)file.st_blocks / STAT_BLOCKS_PER_PAGE + MORE_PAGES;
        r->n_pages = n < r->n_pages ? n : r->n_pages;
    }
}

/* Returns how many of `most` records have room in `n_bytes`. */
static uint32_t with_room(uint64_t n_bytes, uint32_t most, size_t record_bytes)
{
    uint64_t n = n_bytes / record_bytes;
    return n < most ? (uint32_t)n : most;
}

/* Loads modules and codes last, so that a counted record refers to counted ones, and the used pages
 * after all counts, so that they contain the chunks of all counted records. */
void hpp__window_reader_refresh(hpp__window_reader *r)
{
    const hpp_window_head *head = &r->window->head;
    uint32_t n_marks = load(&head->n_marks);
    uint32_t n_peaks = load(&head->n_peaks);
    uint32_t n_slots = load(&head->n_slots);
    uint32_t n_lives = load(&head->n_lives);
    uint32_t n_watched = load(&head->n_watched);
    uint32_t n_sites = load(&head->n_sites);
    uint32_t n_nodes = load(&head->n_nodes);
    uint32_t n_modules = load(&head->n_modules);
    uint32_t n_codes = load(&head->n_codes);
    r->n_deaths = atomic_load(&head->n_deaths);
    r->n_thread_events = atomic_load(&head->n_thread_events);
    r->n_peaks = n_peaks;
    uint64_t now = atomic_load_explicit(&r->window->head.used_bytes, memory_order_acquire);
    now = now < r->size_bytes ? now : r->size_bytes;
    r->used_bytes = now > r->used_bytes ? now : r->used_bytes;
    renew_pages(r);
    uint64_t n_bytes = r->n_pages * HPP_WINDOW_PAGE_BYTES;
    renew_count(&r->n_marks, n_marks, HPP_MAX_MARKS);
    renew_count(&r->n_slots, n_slots,
                with_room(r->used_bytes, HPP_MAX_SLOTS, sizeof(hpp_window_slot)));
    renew_count(&r->n_lives, n_lives, with_room(n_bytes, HPP_MAX_LIVES, sizeof(hpp_window_life)));
    renew_count(&r->n_watched, n_watched,
                with_room(n_bytes, HPP_MAX_WATCHED, sizeof(hpp_window_watched)));
    renew_count(&r->n_sites, n_sites, with_room(n_bytes, HPP_MAX_SITES, sizeof(hpp_window_site)));
    renew_count(&r->n_nodes, n_nodes, with_room(n_bytes, MAX_NODES, sizeof(hpp_window_node)));
    renew_count(&r->n_modules, n_modules,
                with_room(n_bytes, HPP_MAX_MODULES, sizeof(hpp_window_module)));
    renew_count(&r->n_codes, n_codes, with_room(n_bytes, HPP_MAX_CODES, sizeof(hpp_window_code)));
}

hpf_status hpp__window_reader_open(hpp__window_reader *out, const void *bytes, uint64_t n_bytes,
                                   int file, hpf_error *err)
{
    const hpp_window *window = bytes;
    *out = (hpp__window_reader){.window = window, .size_bytes = n_bytes, .file = file};
    if (n_bytes < sizeof *window || n_bytes / HPP_WINDOW_PAGE_BYTES > UINT32_MAX) {
        return hpf_error_set(err, HPF_ERR_SYNTAX, "the window has an invalid size: %llu bytes",
                             (unsigned long long)n_bytes);
    }
    if (memcmp(window->head.magic, HPP_WINDOW_MAGIC, sizeof window->head.magic) != 0) {
        return hpf_error_set(err, HPF_ERR_SYNTAX, "not a window: it does not begin with %s",
                             HPP_WINDOW_MAGIC);
    }
    if (window->head.version != HPP_WINDOW_VERSION ||
        window->head.cell_bytes != sizeof(hpp_window_cell)) {
        return hpf_error_set(err, HPF_ERR_VERSION, "the window has version %u, expected %u",
                             (unsigned)window->head.version, HPP_WINDOW_VERSION);
    }
    if (window->head.machine != HPP_MACHINE) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "the window is of another kind of processor (%u in ELF, expected %u)",
                             (unsigned)window->head.machine, (unsigned)HPP_MACHINE);
    }
    hpp__window_reader_refresh(out);
    return HPF_OK;
}

/* ---- Chunks ---- */

/* Returns the place of a chunk of `n_bytes` that begins at page `page`, or NULL. */
static const char *chunk_at(const hpp__window_reader *r, uint32_t page, size_t n_bytes)
{
    uint64_t begin = (uint64_t)page * HPP_WINDOW_PAGE_BYTES;
    if (begin < sizeof *r->window || begin > r->used_bytes || n_bytes > r->used_bytes - begin) {
        return NULL;
    }
    return (const char *)r->window + begin;
}

/* Returns the record `index` of a table of `n`, whose chunks of `n_per_chunk` are found by
 * `directory`. */
static const void *record_at(const hpp__window_reader *r, const _Atomic uint32_t *directory,
                             uint32_t index, uint32_t n, uint32_t n_per_chunk, size_t record_bytes)
{
    if (index >= n) {
        return NULL;
    }
    const char *chunk =
        chunk_at(r, load(&directory[index / n_per_chunk]), n_per_chunk * record_bytes);
    return chunk ? chunk + index % n_per_chunk * record_bytes : NULL;
}

/* ---- Records ---- */

bool hpp__window_reader_node(const hpp__window_reader *r, uint32_t index, hpp_window_node *out)
{
    const void *record =
        record_at(r, r->window->node_pages, index, r->n_nodes, HPP_NODES_PER_CHUNK, sizeof *out);
    if (!record) {
        return false;
    }
    memcpy(out, record, sizeof *out);
    return out->address != 0 && out->parent < index && out->module_index <= r->n_modules;
}

/* Returns the record of a site in the window, or NULL. */
static const hpp_window_site *site_at(const hpp__window_reader *r, uint32_t index)
{
    return record_at(r, r->window->site_pages, index, r->n_sites, HPP_SITES_PER_CHUNK,
                     sizeof(hpp_window_site));
}

bool hpp__window_reader_site(const hpp__window_reader *r, uint32_t index, hpp_window_site *out)
{
    const hpp_window_site *record = site_at(r, index);
    if (!record) {
        return false;
    }
    memcpy(out, record, sizeof *out);
    out->call &= HPP_CALL_KIND;
    return out->node < r->n_nodes && out->call < HPP_N_CALLS;
}

bool hpp__window_reader_is_inherited(const hpp__window_reader *r, uint32_t site)
{
    const hpp_window_site *record = site_at(r, site);
    return record && (record->call & HPP_CALL_INHERITED) != 0;
}

double hpp__window_reader_rate(const hpp__window_reader *r, uint32_t site, double first_bytes)
{
    const hpp_window_site *record = first_bytes > 0 ? site_at(r, site) : NULL;
    uint32_t level = record ? record->call >> HPP_CALL_RATE_SHIFT & HPP_MAX_RATE_LEVEL : 0;
    return ldexp(first_bytes, (int)level);
}

double hpp__window_reader_rate_now(const hpp__window_reader *r, double first_bytes)
{
    uint32_t level = atomic_load(&r->window->head.rate_level);
    return ldexp(first_bytes, (int)(level < HPP_MAX_RATE_LEVEL ? level : HPP_MAX_RATE_LEVEL));
}

bool hpp__window_reader_life(const hpp__window_reader *r, uint32_t index, hpp_window_life *out)
{
    const void *record =
        record_at(r, r->window->life_pages, index, r->n_lives, HPP_LIVES_PER_CHUNK, sizeof *out);
    if (!record) {
        return false;
    }
    memcpy(out, record, sizeof *out);
    return out->site != HPP_SITE_NONE && out->site < r->n_sites && out->era != 0;
}

static bool read_death(const hpp__window_reader *r, uint64_t number, hpp_window_death *out)
{
    const hpp_window_death *record =
        record_at(r, r->window->death_pages, (uint32_t)(number % HPP_MAX_DEATHS), HPP_MAX_DEATHS,
                  HPP_DEATHS_PER_CHUNK, sizeof *out);
    if (!record || atomic_load_explicit(&record->number, memory_order_acquire) != number + 1) {
        return false;
    }
    out->number = number + 1;
    out->address = record->address;
    out->birth = record->birth;
    out->last_use = record->last_use;
    return true;
}

size_t hpp__window_reader_deaths(const hpp__window_reader *r, uint64_t *from, hpp_window_death *out)
{
    uint64_t n_waiting = r->n_deaths - *from, first_incomplete = r->n_deaths;
    size_t n = 0;
    for (uint64_t i = 0; i < n_waiting && i < HPP_MAX_DEATHS; i++) {
        if (read_death(r, *from + i, &out[n])) {
            n++;
        } else if (first_incomplete == r->n_deaths && n_waiting <= HPP_MAX_DEATHS / 2) {
            first_incomplete = *from + i;
        }
    }
    *from = first_incomplete;
    return n;
}

uint64_t hpp__window_reader_watched(const hpp__window_reader *r, uint32_t index,
                                    hpp_window_watched *out)
{
    const hpp_window_watched *record = record_at(r, r->window->watched_pages, index, r->n_watched,
                                                 HPP_WATCHED_PER_CHUNK, sizeof *record);
    if (!record) {
        return 0;
    }
    memcpy(out, record, sizeof *out);
    bool is_valid = out->n_pages != 0 && out->n_probes <= HPP_MAX_PROBES;
    return is_valid ? (uint64_t)((const char *)record - (const char *)r->window) : 0;
}

bool hpp__window_reader_module(const hpp__window_reader *r, uint32_t index, hpp_window_module *out)
{
    const void *record = record_at(r, r->window->module_pages, index, r->n_modules,
                                   HPP_MODULES_PER_CHUNK, sizeof *out);
    if (!record) {
        return false;
    }
    memcpy(out, record, sizeof *out);
    out->path[sizeof out->path - 1] = '\0';
    out->n_build_id = smaller(out->n_build_id, sizeof out->build_id);
    return out->begin < out->end;
}

bool hpp__window_reader_throw(const hpp__window_reader *r, uint32_t index, hpp_window_throw *out)
{
    const hpp_window_throw *record = &r->window->throws[index];
    if (atomic_load_explicit(&record->is_complete, memory_order_acquire) == 0) {
        return false;
    }
    memcpy(out, record, sizeof *out);
    out->type[sizeof out->type - 1] = '\0';
    return out->site < r->n_sites;
}

bool hpp__window_reader_thread_event(const hpp__window_reader *r, uint64_t number,
                                     hpp_window_thread_event *out)
{
    const hpp_window_thread_event *event =
        &r->window->thread_events[number % HPP_MAX_THREAD_EVENTS];
    if (atomic_load_explicit(&event->number, memory_order_acquire) != number + 1) {
        return false;
    }
    memcpy(out, event, sizeof *out);
    out->slot_index %= HPP_MAX_SLOTS;
    out->name[sizeof out->name - 1] = '\0';
    return true;
}

bool hpp__window_reader_mark(const hpp__window_reader *r, uint32_t index, hpp__window_mark *out)
{
    if (index >= r->n_marks) {
        return false;
    }
    const hpp_window_mark *mark = &r->window->marks[index];
    out->time_ns = atomic_load_explicit(&mark->time_ns, memory_order_acquire);
    memcpy(out->text, mark->text, sizeof out->text);
    out->text[sizeof out->text - 1] = '\0';
    return out->time_ns != 0;
}

bool hpp__window_reader_scope(const hpp__window_reader *r, uint64_t number, hpp_window_scope *out)
{
    if (number == 0 || number > HPP_MAX_SCOPES) {
        return false;
    }
    const hpp_window_scope *scope = &r->window->scopes[number - 1];
    if (atomic_load_explicit(&scope->is_complete, memory_order_acquire) == 0) {
        return false;
    }
    memcpy(out, scope, sizeof *out);
    out->label[sizeof out->label - 1] = '\0';
    out->module[sizeof out->module - 1] = '\0';
    out->source[sizeof out->source - 1] = '\0';
    return true;
}

bool hpp__window_reader_code(const hpp__window_reader *r, uint64_t number, hpp_window_code *out)
{
    const hpp_window_code *record = number == 0 || number >= r->n_codes
                                        ? NULL
                                        : record_at(r, r->window->code_pages, (uint32_t)number,
                                                    r->n_codes, HPP_CODES_PER_CHUNK, sizeof *out);
    if (!record || atomic_load_explicit(&record->is_complete, memory_order_acquire) == 0) {
        return false;
    }
    memcpy(out, record, sizeof *out);
    return (size_t)out->n_name + out->n_file <= sizeof out->texts;
}

/* ---- Pages ---- */

enum { PAGES_PER_WORD = 64 };

static bool is_known(const hpp__page_set *pages, uint64_t page)
{
    return pages && page / PAGES_PER_WORD < pages->capacity &&
           pages->exist[page / PAGES_PER_WORD] >> page % PAGES_PER_WORD & 1;
}

/* Keeps that pages exist, up to one of which that is known. Without memory, they are looked up
 * again. */
static void keep_pages(hpp__page_set *pages, uint64_t page, uint64_t end)
{
    if (pages && HPF__ARRAY_RESERVE_ZEROED(pages->exist, pages->capacity,
                                           (end + PAGES_PER_WORD - 1) / PAGES_PER_WORD)) {
        for (; page < end && !is_known(pages, page); page++) {
            pages->exist[page / PAGES_PER_WORD] |= (uint64_t)1 << page % PAGES_PER_WORD;
        }
    }
}

/* Returns the first page of [page, end) that exists, or `end`. The program may move the offset of
 * the file meanwhile, but no result depends on it. */
static uint64_t next_page(const hpp__window_reader *r, uint64_t page, uint64_t end)
{
    if (r->file < 0 || page >= end || is_known(r->pages, page)) {
        return page < end ? page : end;
    }
    off_t data = lseek(r->file, (off_t)(page * HPP_WINDOW_PAGE_BYTES), SEEK_DATA);
    uint64_t found = data < 0 ? end : (uint64_t)data / HPP_WINDOW_PAGE_BYTES;
    off_t hole = found < end ? lseek(r->file, data, SEEK_HOLE) : -1;
    if (hole > data) {
        keep_pages(r->pages, found, (uint64_t)hole / HPP_WINDOW_PAGE_BYTES);
    }
    return found < end ? found : end;
}

static uint64_t page_of(const hpp__window_reader *r, const void *place)
{
    return (uint64_t)((const char *)place - (const char *)r->window) / HPP_WINDOW_PAGE_BYTES;
}

void hpp__page_set_finish(hpp__page_set *pages)
{
    free(pages->exist);
    *pages = (hpp__page_set){0};
}

/* ---- Slots and cells ---- */

const hpp_window_slot *hpp__window_reader_slot(const hpp__window_reader *r, uint32_t index)
{
    const void *slot =
        record_at(r, r->window->slot_pages, index, r->n_slots, 1, sizeof(hpp_window_slot));
    uint64_t page = slot ? page_of(r, slot) : 0;
    return slot && next_page(r, page, page + 1) == page ? slot : NULL;
}

uint32_t hpp__window_reader_next_chunk(const hpp__window_reader *r, const hpp_window_slot *slot,
                                       uint32_t chunk_index)
{
    if (chunk_index % HPP__CHUNKS_PER_PAGE != 0) {
        return chunk_index;
    }
    uint64_t begin = page_of(r, slot->cell_pages);
    uint64_t end = begin + HPP_MAX_CELL_CHUNKS / HPP__CHUNKS_PER_PAGE;
    uint64_t page = next_page(r, begin + chunk_index / HPP__CHUNKS_PER_PAGE, end);
    return (uint32_t)(page - begin) * HPP__CHUNKS_PER_PAGE;
}

const hpp_window_cell *hpp__window_reader_cells(const hpp__window_reader *r,
                                                const hpp_window_slot *slot, uint32_t chunk_index)
{
    const void *cells = record_at(r, slot->cell_pages, chunk_index, HPP_MAX_CELL_CHUNKS, 1,
                                  HPP_CELLS_PER_CHUNK * sizeof(hpp_window_cell));
    uint64_t page = cells ? page_of(r, cells) : 0;
    uint64_t end = page + HPP_CELL_CHUNK_PAGES;
    return cells && next_page(r, page, end) < end ? cells : NULL;
}

/* Returns the time of a stamp of the processor's clock, which goes on evenly; 0: unknown. */
static uint64_t time_of_stamp(const hpp_window_head *head, uint64_t stamp)
{
    uint64_t now_stamp = hpp__clock();
    uint64_t now_ns = hpp__now_ns();
    uint64_t start_ns = head->start_ns, start_stamp = head->start_stamp;
    if (start_stamp == 0 || stamp < start_stamp || stamp > now_stamp || start_ns > now_ns) {
        return 0;
    }
    double share = (double)(stamp - start_stamp) / (double)(now_stamp - start_stamp + 1);
    return start_ns + (uint64_t)(share * (double)(now_ns - start_ns));
}

bool hpp__window_reader_peak(const hpp__window_reader *r, hpp__window_peak *out)
{
    const hpp_window_head *head = &r->window->head;
    *out = (hpp__window_peak){r->n_peaks, time_of_stamp(head, atomic_load(&head->peak_stamp)),
                              atomic_load(&head->peak_bytes)};
    return r->n_peaks != 0 && r->n_peaks == load(&head->n_peaks);
}

const _Atomic uint64_t *hpp__window_reader_leaves(const hpp__window_reader *r, uint32_t *n)
{
    const hpp_window_head *head = &r->window->head;
    uint64_t begin = load(&head->n_leaf_pages) * (uint64_t)HPP_WINDOW_PAGE_BYTES;
    *n = 0;
    if (begin < sizeof *r->window || begin >= r->used_bytes) {
        return NULL;
    }
    uint64_t room = (r->used_bytes - begin) / sizeof(uint64_t);
    uint32_t n_leaves = smaller(load(&head->n_leaves), MAX_LEAVES);
    *n = n_leaves < room ? n_leaves : (uint32_t)room;
    return (const _Atomic uint64_t *)(const void *)((const char *)r->window + begin);
}

hpf_str hpp__window_reader_word(const hpp__window_reader *r, size_t *at)
{
    const char *words = r->window->head.command;
    size_t room = sizeof r->window->head.command;
    const char *word = words + *at;
    const char *end = *at < room ? memchr(word, '\0', room - *at) : NULL;
    if (!end || end == word) {
        return (hpf_str){NULL, 0};
    }
    *at = (size_t)(end - words) + 1;
    return (hpf_str){word, (size_t)(end - word)};
}
