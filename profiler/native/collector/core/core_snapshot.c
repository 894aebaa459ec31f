/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpprof/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "core_file.h"
#include "native/collector/roots/found_heap.h"
#include "native/collector/profile/objects.h"

/* The parts of a profile that objects need. No site is known: the window is empty. */
typedef struct parts {
    hpp_window *window;
    hpp__window_reader reader;
    hpp__names *names;
    hpp__named_stacks stacks;
    hpp__site_heap sites;
    hpp__objects objects;
} parts;

static hpf_status init_parts(parts *p, uint32_t process_id, hpf_error *err)
{
    *p = (parts){.window = calloc(1, sizeof *p->window)};
    p->reader =
        (hpp__window_reader){.window = p->window, .size_bytes = sizeof *p->window, .file = -1};
    hpf_status status =
        p->window ? hpp__names_create(&p->names, NULL, 0, err) : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = hpp__named_stacks_init(&p->stacks, p->names, &p->reader, process_id, 0, err);
    }
    if (status == HPF_OK) {
        status = hpp__site_heap_init(&p->sites, &p->stacks, NULL, &p->reader, err);
        p->sites.with_types = true;
    }
    if (status == HPF_OK) {
        status = hpp__graph_heap_init(&p->objects.heap, &p->sites, NULL, false, err);
    }
    return status;
}

static void finish_parts(parts *p)
{
    hpp__objects_finish(&p->objects);
    hpp__site_heap_finish(&p->sites);
    hpp__named_stacks_finish(&p->stacks);
    hpp__names_destroy(p->names);
    free(p->window);
}

static void count_lost(hpp_core_figures *figures, const hpp__objects *objects)
{
    for (size_t i = 0; i < objects->graph.n_blocks; i++) {
        if (!hpp__graph_heap_reaches(&objects->heap, i)) {
            figures->lost_bytes += objects->graph.nodes[i].size_bytes;
            figures->n_lost++;
        }
    }
}

/* Returns what another process has only by chance: its id, and where its first thread is. */
static uint64_t process_of(const hpp__image *image)
{
    uint64_t place = 0;
    for (size_t i = 0; i < image->n_threads; i++) {
        bool is_first = image->threads[i].id == image->process_id;
        place = is_first ? image->threads[i].thread_pointer : place;
    }
    return (uint64_t)image->process_id << 32 | (place >> 12 & UINT32_MAX) | 1;
}

static void keep_waste(hpp_core_figures *figures, const hpp__waste *waste)
{
    for (size_t i = 0; i < waste->n_rows && i < HPP_CORE_MOST_WASTE; i++) {
        const hpf_waste *row = &waste->rows[i];
        hpp_core_waste *to = &figures->waste[figures->n_waste++];
        *to = (hpp_core_waste){.kind = row->kind, .n_blocks = row->n_blocks, .bytes = row->bytes};
        memcpy(to->type, row->type.data, hpf_utf8_cut(row->type, sizeof to->type - 1));
    }
}

/* Frees the blocks of the image, which are those of `heap`, when only their addresses are needed.
 */
static hpf_status write_objects(hpp__image *image, hpp__found_blocks *heap, const char *out,
                                hpp_core_figures *figures, hpf_error *err)
{
    parts p;
    hpf_status status = init_parts(&p, image->process_id, err);
    if (status == HPF_OK &&
        !hpp__objects_open(&p.objects, image, hpp__names_resolver(p.names), NULL, true)) {
        status = hpf_error_set(err, HPF_ERR_MEMORY, "not enough memory for the graph of the heap");
    }
    if (status == HPF_OK) {
        count_lost(figures, &p.objects);
        hpp__objects_find_waste(&p.objects, image);
        keep_waste(figures, p.objects.found_waste);
        uint64_t *addresses = hpp__image_addresses(image);
        hpp__found_blocks_finish(heap);
        image->blocks = NULL;
        image->n_blocks = 0;
        status = hpp__objects_write(&p.objects, addresses, hpp__names_resolver(p.names),
                                    process_of(image), out, err);
        free(addresses);
    }
    hpp__objects_close(&p.objects);
    finish_parts(&p);
    return status;
}

hpf_status hpp_core_snapshot(const char *path, const char *out, hpp_core_figures *figures,
                             hpf_error *err)
{
    hpp__core core;
    hpp__found_blocks heap = {0};
    if (figures->size < sizeof figures->size || figures->size > sizeof *figures) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "the size of the figures is not set");
    }
    hpf_status status = hpp__core_open(&core, path, err);
    if (status == HPF_OK) {
        status = hpp__found_heap_read(&heap, &core.image, core.n_bytes, err);
    }
    hpp_core_figures all = {.size = figures->size,
                            .process_id = (long)core.image.process_id,
                            .n_threads = core.n_threads,
                            .n_arenas = heap.n_arenas,
                            .live_bytes = heap.bytes,
                            .n_live = heap.n_blocks,
                            .free_bytes = heap.free_bytes,
                            .cached_bytes = heap.cached_bytes,
                            .unread_bytes = heap.unread_bytes};
    memcpy(all.program, core.program, sizeof all.program);
    if (status == HPF_OK) {
        core.image.blocks = heap.blocks;
        core.image.n_blocks = heap.n_blocks;
        core.image.names_sizes = true;
        status = write_objects(&core.image, &heap, out, &all, err);
    }
    memcpy(figures, &all, figures->size);
    hpp__found_blocks_finish(&heap);
    hpp__core_close(&core);
    return status;
}
