/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The program's end of a window, without a program.
 */
#include "made_window.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/machine/object_kind.h"

static uint32_t new_pages(made_window *w, size_t n_bytes)
{
    uint64_t n = (n_bytes + HPP_WINDOW_PAGE_BYTES - 1) / HPP_WINDOW_PAGE_BYTES;
    uint64_t begin = w->window->head.used_bytes;
    assert(begin + n * HPP_WINDOW_PAGE_BYTES <= w->size_bytes);
    w->window->head.used_bytes = begin + n * HPP_WINDOW_PAGE_BYTES;
    return (uint32_t)(begin / HPP_WINDOW_PAGE_BYTES);
}

/* The place of record `index`; its chunk is made when it is not there. */
static void *record(made_window *w, _Atomic uint32_t *directory, uint32_t index,
                    uint32_t n_per_chunk, size_t record_bytes)
{
    _Atomic uint32_t *page = &directory[index / n_per_chunk];
    if (*page == 0) {
        *page = new_pages(w, n_per_chunk * record_bytes);
    }
    return (char *)w->window + (uint64_t)*page * HPP_WINDOW_PAGE_BYTES +
           index % n_per_chunk * record_bytes;
}

void made_window_begin(made_window *w, void *bytes, uint64_t size_bytes)
{
    *w = (made_window){bytes, size_bytes};
    hpp_window_head *head = &w->window->head;
    memcpy(head->magic, HPP_WINDOW_MAGIC, sizeof head->magic);
    head->version = HPP_WINDOW_VERSION;
    head->machine = HPP_MACHINE;
    head->cell_bytes = sizeof(hpp_window_cell);
    head->size_bytes = size_bytes;
    head->used_bytes = sizeof(hpp_window);
    head->process_id = 4711;
    head->start_ns = 1000;
    head->state = HPP_WINDOW_LIVE;
    head->n_nodes = 1;
    head->n_lives = 1;
    memcpy(head->command, "/usr/bin/prog\0one\0two\0", 23);
    record(w, w->window->node_pages, 0, HPP_NODES_PER_CHUNK, sizeof(hpp_window_node));
    for (uint32_t site = 0; site < HPP_FIRST_SITE; site++) {
        made_site(w, 0, HPP_CALL_MALLOC);
    }
}

void made_window_init(made_window *w, uint64_t size_bytes)
{
    void *bytes = calloc(1, size_bytes);
    assert(bytes);
    made_window_begin(w, bytes, size_bytes);
}

void made_window_finish(made_window *w)
{
    free(w->window);
    *w = (made_window){0};
}

uint32_t made_module(made_window *w, const char *path, uint64_t begin, uint64_t end)
{
    uint32_t index = w->window->head.n_modules;
    hpp_window_module *module =
        record(w, w->window->module_pages, index, HPP_MODULES_PER_CHUNK, sizeof *module);
    module->begin = begin;
    module->end = end;
    module->bias = begin;
    snprintf(module->path, sizeof module->path, "%s", path);
    w->window->head.n_modules = index + 1;
    return index;
}

uint32_t made_node(made_window *w, uint64_t address, uint32_t parent, uint32_t module)
{
    uint32_t index = w->window->head.n_nodes;
    hpp_window_node *node =
        record(w, w->window->node_pages, index, HPP_NODES_PER_CHUNK, sizeof *node);
    *node =
        (hpp_window_node){.address = address, .parent = parent, .module_index = (uint16_t)module};
    w->window->head.n_nodes = index + 1;
    return index;
}

void made_flags(made_window *w, uint32_t node, uint16_t flags)
{
    hpp_window_node *of = record(w, w->window->node_pages, node, HPP_NODES_PER_CHUNK, sizeof *of);
    of->flags = flags;
}

uint32_t made_code(made_window *w, const char *name, const char *file, uint32_t line)
{
    uint32_t index = w->window->head.n_codes > 0 ? w->window->head.n_codes : 1;
    hpp_window_code *code =
        record(w, w->window->code_pages, index, HPP_CODES_PER_CHUNK, sizeof *code);
    size_t n_name = strnlen(name, sizeof code->texts);
    size_t n_file = strnlen(file, sizeof code->texts - n_name);
    code->first_line = line;
    code->n_name = (uint16_t)n_name;
    code->n_file = (uint16_t)n_file;
    memcpy(code->texts, name, n_name);
    memcpy(code->texts + n_name, file, n_file);
    code->is_complete = 1;
    w->window->head.n_codes = index + 1;
    return index;
}

uint32_t made_site(made_window *w, uint32_t node, hpp_call call)
{
    uint32_t index = w->window->head.n_sites;
    hpp_window_site *site =
        record(w, w->window->site_pages, index, HPP_SITES_PER_CHUNK, sizeof *site);
    *site = (hpp_window_site){node, call};
    w->window->head.n_sites = index + 1;
    return index;
}

uint32_t made_slot(made_window *w, uint32_t thread_id)
{
    uint32_t index = w->window->head.n_slots;
    hpp_window_slot *slot = record(w, w->window->slot_pages, index, 1, sizeof *slot);
    slot->state = HPP_SLOT_LIVE;
    slot->thread_id = thread_id;
    slot->n_threads = 1;
    w->window->head.n_slots = index + 1;
    return index;
}

uint32_t made_life(made_window *w, uint32_t site, uint32_t era, const int64_t bytes[HPP_N_PHASES])
{
    uint32_t index = w->window->head.n_lives;
    hpp_window_life *life =
        record(w, w->window->life_pages, index, HPP_LIVES_PER_CHUNK, sizeof *life);
    life->site = site;
    life->era = era;
    for (int phase = 0; phase < HPP_N_PHASES; phase++) {
        life->bytes[phase] = bytes[phase];
    }
    w->window->head.n_lives = index + 1;
    return index;
}

uint32_t made_mark(made_window *w, uint64_t time_ns, const char *text)
{
    uint32_t index = w->window->head.n_marks;
    hpp_window_mark *mark = &w->window->marks[index];
    snprintf(mark->text, sizeof mark->text, "%s", text);
    mark->time_ns = time_ns;
    w->window->head.n_marks = index + 1;
    return index;
}

static hpp_window_cell *cell(made_window *w, uint32_t slot_index, uint32_t site)
{
    hpp_window_slot *slot = record(w, w->window->slot_pages, slot_index, 1, sizeof *slot);
    return record(w, slot->cell_pages, site, HPP_CELLS_PER_CHUNK, sizeof(hpp_window_cell));
}

void made_peak(made_window *w, uint32_t slot, uint32_t site, int64_t n_bytes)
{
    hpp_window_head *head = &w->window->head;
    hpp_window_cell *at = cell(w, slot, site);
    head->n_peaks++;
    at->peak = head->n_peaks;
    at->peak_blocks = 1;
    at->peak_bytes = n_bytes;
}

void made_allocate(made_window *w, uint32_t slot, uint32_t site, uint64_t n, uint64_t each_bytes)
{
    cell(w, slot, site)->allocations += n;
    cell(w, slot, site)->allocated_bytes += n * each_bytes;
}

void made_free(made_window *w, uint32_t slot, uint32_t site, uint64_t n, uint64_t each_bytes)
{
    cell(w, slot, site)->frees += n;
    cell(w, slot, site)->freed_bytes += n * each_bytes;
}
