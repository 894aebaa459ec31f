/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts by address, and the objects that the addresses are in. A slot is taken by one
 * compare-and-swap of its address and never given back.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "address_histogram.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "hpprof/compiler.h"

enum {
    N_SLOTS = 1 << 16,
    MAX_PROBES = 64,
};

bool hpp__address_histogram_init(hpp__address_histogram *places)
{
    *places = (hpp__address_histogram){calloc(N_SLOTS, sizeof *places->slots), 0};
    return places->slots != NULL;
}

void hpp__address_histogram_finish(hpp__address_histogram *places)
{
    free(places->slots);
    places->slots = NULL;
}

/* Returns the slot of an address, which is taken if it was free; NULL if there is none near its
 * hash. */
static hpf_bin *find(hpp__address_histogram *places, uint64_t address)
{
    size_t home = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    for (size_t i = 0; i < MAX_PROBES; i++) {
        hpf_bin *slot = &places->slots[(home + i) % N_SLOTS];
        uint64_t taken = HPP_RELAXED_LOAD(&slot->address);
        if (taken == address ||
            (taken == 0 && HPP_RELAXED_REPLACE(&slot->address, &taken, address)) ||
            taken == address) {
            return slot;
        }
    }
    return NULL;
}

void hpp__address_histogram_add(hpp__address_histogram *places, uint64_t address, uint64_t n)
{
    hpf_bin *slot = address != 0 && places->slots ? find(places, address) : NULL;
    HPP_RELAXED_ADD(slot ? &slot->count : &places->unknown_count, n);
}

typedef struct object_list {
    hpf_bins_object *objects;
    size_t n, capacity;
} object_list;

/* Returns the build id of an object in memory; empty: none. */
static hpf_str build_id_of(const struct dl_phdr_info *object, const ElfW(Phdr) * notes)
{
    const char *at = (const char *)(uintptr_t)(object->dlpi_addr + notes->p_vaddr);
    const char *end = at + notes->p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = at + sizeof *note;
        const char *id = name + (note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            return (hpf_str){id, note->n_descsz};
        }
        at = id + (note->n_descsz + 3) / 4 * 4;
    }
    return (hpf_str){"", 0};
}

/* Adds an object to the list; without memory, leaves it out. */
static int add_object(struct dl_phdr_info *object, size_t n_bytes, void *list)
{
    (void)n_bytes;
    object_list *to = list;
    hpf_bins_object o = {.start = UINT64_MAX,
                         .bias = object->dlpi_addr,
                         .path = hpf_str_of(object->dlpi_name),
                         .build_id = {"", 0}};
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uint64_t start = object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
            o.start = start < o.start ? start : o.start;
            o.end = start + header->p_memsz > o.end ? start + header->p_memsz : o.end;
        } else if (header->p_type == PT_NOTE && o.build_id.length == 0) {
            o.build_id = build_id_of(object, header);
        }
    }
    if (o.start < o.end && HPF__ARRAY_RESERVE(to->objects, to->capacity, to->n + 1)) {
        to->objects[to->n++] = o;
    }
    return 0;
}

void hpp__address_histogram_write(const hpp__address_histogram *places, hpf_bins_kind kind,
                                  uint64_t unit, hpf_sink *sink)
{
    object_list list = {0};
    char program[PATH_MAX];
    dl_iterate_phdr(add_object, &list);
    ssize_t n_program = readlink("/proc/self/exe", program, sizeof program);
    if (list.n > 0 && list.objects[0].path.length == 0 && n_program > 0) {
        list.objects[0].path = (hpf_str){program, (size_t)n_program};
    }
    hpf_bins bins = {.kind = kind,
                     .unit = unit,
                     .unknown_count = HPP_RELAXED_LOAD(&places->unknown_count),
                     .bins = places->slots,
                     .n_bins = places->slots ? N_SLOTS : 0,
                     .objects = list.objects,
                     .n_objects = list.n};
    hpf_bins_write(sink, &bins);
    free(list.objects);
}
