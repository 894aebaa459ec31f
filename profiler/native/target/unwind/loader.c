/* SPDX-License-Identifier: BSD-2-Clause */
#include "loader.h"

#include <string.h>
#include <sys/auxv.h>

#include "native/window/window.h"

/* Returns the program headers of the object whose first page is at a place, if it begins with an
 * ELF header. */
static const Elf64_Phdr *headers_at(uint32_t *n, const void *place)
{
    const Elf64_Ehdr *header = place;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > HPP_WINDOW_PAGE_BYTES ||
        header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > HPP_WINDOW_PAGE_BYTES) {
        *n = 0;
        return NULL;
    }
    *n = header->e_phnum;
    return (const void *)((const char *)place + header->e_phoff);
}

/* Returns the program headers of the program, which the kernel has passed. */
static const Elf64_Phdr *headers_of_program(uint32_t *n)
{
    *n = (uint32_t)getauxval(AT_PHNUM);
    return (const void *)getauxval(AT_PHDR);
}

/* Extends an object to all its segments. */
static void widen_by(struct dl_find_object *object, const Elf64_Phdr *headers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t begin = object->dlfo_link_map->l_addr + headers[i].p_vaddr;
        uintptr_t end = begin + headers[i].p_memsz;
        begin -= begin % HPP_WINDOW_PAGE_BYTES;
        if (headers[i].p_type == PT_LOAD && begin < (uintptr_t)object->dlfo_map_start) {
            object->dlfo_map_start = (void *)begin;
        }
        if (headers[i].p_type == PT_LOAD && end > (uintptr_t)object->dlfo_map_end) {
            object->dlfo_map_end = (void *)end;
        }
    }
}

#if __GLIBC_PREREQ(2, 35)

bool hpp__loader_find(struct dl_find_object *out, uintptr_t address)
{
    return _dl_find_object((void *)address, out) == 0;
}

#else

static void fill_object(struct dl_find_object *out, struct link_map *map)
{
    uint32_t n = 0;
    const Elf64_Phdr *headers = NULL;
    *out = (struct dl_find_object){.dlfo_map_start = (void *)UINTPTR_MAX, .dlfo_link_map = map};
    if (map == _r_debug.r_map) {
        headers = headers_of_program(&n);
    } else if (map->l_addr != 0) {
        headers = headers_at(&n, (const void *)map->l_addr);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (headers[i].p_type == PT_GNU_EH_FRAME) {
            out->dlfo_eh_frame = (void *)(map->l_addr + headers[i].p_vaddr);
        }
    }
    widen_by(out, headers, n);
}

/* Older loaders have no such function, and dl_iterate_phdr waits for a lock, whose holder may wait
 * for this thread. So their list is read as it is: an object is not removed while one of its
 * functions is on a stack, and while any is removed, none is found. Of other namespaces, none is
 * either. */
bool hpp__loader_find(struct dl_find_object *out, uintptr_t address)
{
    volatile const struct r_debug *loader = &_r_debug;
    struct link_map *map = loader->r_map;
    while (map && loader->r_state != RT_DELETE) {
        fill_object(out, map);
        if (address >= (uintptr_t)out->dlfo_map_start && address < (uintptr_t)out->dlfo_map_end) {
            return true;
        }
        map = map->l_next;
    }
    return false;
}

#endif

const Elf64_Phdr *hpp__loader_headers(uint32_t *n, const struct dl_find_object *object)
{
    const Elf64_Phdr *headers = headers_at(n, object->dlfo_map_start);
    if (headers != NULL) {
        return headers;
    }
    if (object->dlfo_link_map == _r_debug.r_map) {
        return headers_of_program(n);
    }
    struct dl_find_object at_bias;
    uintptr_t bias = object->dlfo_link_map->l_addr;
    return hpp__loader_find(&at_bias, bias) ? headers_at(n, (const void *)bias) : NULL;
}

void hpp__loader_widen(struct dl_find_object *object)
{
    uint32_t n;
    const Elf64_Phdr *headers = hpp__loader_headers(&n, object);
    widen_by(object, headers, n);
}

/* Every namespace has its own state, in a list that begins with version 2 of the structure, which
 * glibc has from 2.35 on. */
bool hpp__loader_is_changing(void)
{
    bool is_changing = _r_debug.r_state != RT_CONSISTENT;
#if __GLIBC_PREREQ(2, 35)
    const struct r_debug_extended *each = (const struct r_debug_extended *)(const void *)&_r_debug;
    while (_r_debug.r_version >= 2 && (each = each->r_next) != NULL) {
        is_changing |= each->base.r_state != RT_CONSISTENT;
    }
#endif
    return is_changing;
}
