/* SPDX-License-Identifier: BSD-2-Clause
 *
 * System V ABI, "Program Loading" and "Dynamic Linking"; symbols are found by DT_GNU_HASH.
 */
#include "attach_objects.h"

#include <elf.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "native/collector/image/proc.h"

enum {
    MAX_SEGMENTS = 64,
    MAX_DYNAMIC = 256,
    MAX_CHAIN = 4096,
    CODE_ALIGNMENT = 16,
    PAGE_BYTES = 4096
};

/* ---- mappings -------------------------------------------------------------------------------- */

bool hpp__mappings_read(hpp__mappings *m, uint32_t process_id)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    m->process_id = process_id;
    m->n = 0;
    snprintf(path, sizeof path, "/proc/%u/maps", (unsigned)process_id);
    FILE *maps = fopen(path, "re");
    while (maps && getline(&line, &room, maps) > 0) {
        hpp__mapping next = {0};
        uint64_t offset;
        char rights[5] = "";
        int path_at = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &next.begin,
                   &next.end, rights, &offset, &path_at) < 4 ||
            !HPF__ARRAY_RESERVE(m->all, m->capacity, m->n + 1)) {
            continue;
        }
        const hpp__mapping *last = m->n > 0 ? &m->all[m->n - 1] : NULL;
        snprintf(next.path, sizeof next.path, "%s", path_at > 0 ? line + path_at : "");
        next.path[strcspn(next.path, "\n")] = '\0';
        next.is_executable = rights[2] == 'x';
        if (next.path[0] == '/' && offset == 0) {
            next.base = next.begin;
        } else if (last && next.path[0] == '/' && strcmp(next.path, last->path) == 0) {
            next.base = last->base;
        }
        m->all[m->n++] = next;
    }
    free(line);
    if (maps) {
        fclose(maps);
    }
    return m->n > 0;
}

void hpp__mappings_free(hpp__mappings *m)
{
    free(m->all);
    *m = (hpp__mappings){0};
}

const hpp__mapping *hpp__mappings_overlap(const hpp__mappings *m, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->all[i].begin < end && begin < m->all[i].end) {
            return &m->all[i];
        }
    }
    return NULL;
}

const hpp__mapping *hpp__mappings_at(const hpp__mappings *m, uint64_t address)
{
    return hpp__mappings_overlap(m, address, address + 1);
}

const hpp__mapping *hpp__mappings_named(const hpp__mappings *m, const char *pattern)
{
    for (size_t i = 0; i < m->n; i++) {
        const char *slash = strrchr(m->all[i].path, '/');
        if (slash && m->all[i].base != 0 && fnmatch(pattern, slash + 1, 0) == 0) {
            return &m->all[i];
        }
    }
    return NULL;
}

/* ---- objects --------------------------------------------------------------------------------- */

typedef struct object {
    uint32_t process_id;
    uint64_t bias; /* is added to addresses of the file */
    Elf64_Phdr segments[MAX_SEGMENTS];
    size_t n_segments;
} object;

static bool read_at(const object *o, void *out, uint64_t address, size_t n_bytes)
{
    return hpp__proc_read_memory(o->process_id, out, address, n_bytes);
}

/* Reads the program headers of the object that begins at `base`. */
static bool read_object(object *o, uint32_t process_id, uint64_t base)
{
    Elf64_Ehdr head;
    o->process_id = process_id;
    if (base == 0 || !read_at(o, &head, base, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phnum > MAX_SEGMENTS ||
        !read_at(o, o->segments, base + head.e_phoff, head.e_phnum * sizeof *o->segments)) {
        return false;
    }
    o->n_segments = head.e_phnum;
    for (size_t i = 0; i < o->n_segments; i++) {
        if (o->segments[i].p_type == PT_LOAD) {
            o->bias = base - (o->segments[i].p_vaddr & ~(uint64_t)(PAGE_BYTES - 1));
            return true;
        }
    }
    return false;
}

/* The tables of symbols. */
typedef struct tables {
    uint64_t symbols, names, hash;
} tables;

static bool read_tables(const object *o, tables *out)
{
    Elf64_Dyn entries[MAX_DYNAMIC];
    *out = (tables){0};
    for (size_t i = 0; i < o->n_segments; i++) {
        const Elf64_Phdr *p = &o->segments[i];
        size_t n = p->p_memsz / sizeof *entries;
        n = n < MAX_DYNAMIC ? n : MAX_DYNAMIC;
        if (p->p_type != PT_DYNAMIC ||
            !read_at(o, entries, o->bias + p->p_vaddr, n * sizeof *entries)) {
            continue;
        }
        for (size_t k = 0; k < n && entries[k].d_tag != DT_NULL; k++) {
            uint64_t at = entries[k].d_un.d_ptr;
            at += at < o->bias ? o->bias : 0; /* not relocated */
            switch (entries[k].d_tag) {
            case DT_SYMTAB:
                out->symbols = at;
                break;
            case DT_STRTAB:
                out->names = at;
                break;
            case DT_GNU_HASH:
                out->hash = at;
                break;
            default:
                break;
            }
        }
    }
    return out->symbols != 0 && out->names != 0 && out->hash != 0;
}

/* Reads symbol `i`. Returns whether it is defined, and has this name. */
static bool read_symbol(const object *o, const tables *t, uint64_t i, const char *name,
                        Elf64_Sym *out)
{
    char found[64];
    size_t length = strlen(name) + 1;
    return length <= sizeof found && read_at(o, out, t->symbols + i * sizeof *out, sizeof *out) &&
           out->st_shndx != SHN_UNDEF && out->st_value != 0 &&
           read_at(o, found, t->names + out->st_name, length) && memcmp(found, name, length) == 0;
}

uint64_t hpp__memory_symbol(uint32_t process_id, uint64_t base, const char *name, uint64_t *n_bytes)
{
    object o;
    tables t;
    Elf64_Sym symbol;
    uint32_t head[4], i = 0, link = 0, hash = 5381;
    if (!read_object(&o, process_id, base) || !read_tables(&o, &t) ||
        !read_at(&o, head, t.hash, sizeof head) || head[0] == 0) {
        return 0;
    }
    for (const char *c = name; *c != '\0'; c++) {
        hash = hash * 33 + (unsigned char)*c;
    }
    uint64_t buckets = t.hash + sizeof head + head[2] * UINT64_C(8);
    uint64_t chains = buckets + head[0] * UINT64_C(4);
    if (!read_at(&o, &i, buckets + hash % head[0] * UINT64_C(4), sizeof i) || i < head[1]) {
        return 0;
    }
    for (int n = 0; n < MAX_CHAIN && (link & 1) == 0; n++, i++) {
        if (!read_at(&o, &link, chains + (i - head[1]) * UINT64_C(4), sizeof link)) {
            return 0;
        }
        if ((link | 1) == (hash | 1) && read_symbol(&o, &t, i, name, &symbol)) {
            if (n_bytes) {
                *n_bytes = symbol.st_size;
            }
            return o.bias + symbol.st_value;
        }
    }
    return 0;
}

/* Returns whether memory is unused or contains `code`. */
static bool is_free(const object *o, uint64_t address, const void *code, size_t n_bytes)
{
    unsigned char bytes[PAGE_BYTES];
    if (n_bytes > PAGE_BYTES || !read_at(o, bytes, address, n_bytes)) {
        return false;
    }
    size_t i = 0;
    while (i < n_bytes && bytes[i] == 0) {
        i++;
    }
    return i == n_bytes || memcmp(bytes, code, n_bytes) == 0;
}

uint64_t hpp__memory_room(const hpp__mappings *m, const void *code, size_t n_bytes)
{
    object o;
    for (size_t i = 0; i < m->n; i++) {
        const hpp__mapping *at = &m->all[i];
        if (!at->is_executable || !read_object(&o, m->process_id, at->base)) {
            continue;
        }
        for (size_t k = 0; k < o.n_segments; k++) {
            const Elf64_Phdr *p = &o.segments[k];
            uint64_t end = o.bias + p->p_vaddr + p->p_memsz;
            uint64_t begin = (end + CODE_ALIGNMENT - 1) & ~(uint64_t)(CODE_ALIGNMENT - 1);
            if (p->p_type == PT_LOAD && end >= at->begin && end < at->end &&
                begin % PAGE_BYTES != 0 && PAGE_BYTES - begin % PAGE_BYTES >= n_bytes &&
                is_free(&o, begin, code, n_bytes)) {
                return begin;
            }
        }
    }
    return 0;
}
