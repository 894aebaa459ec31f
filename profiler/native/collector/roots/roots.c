/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects are found by their headers in memory, so their files are not needed. Nothing that is read
 * is trusted: areas are always parts of mappings.
 */
#include "roots.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "glibc_heap.h"
#include "hpfile/str.h"
#include "native/collector/image/proc.h"
#include "piece_reader.h"
#include "symbol/demangle.h"
#include "symbol/resolve.h"
#include "symbol/symbol_table.h"

enum {
    PAGE_BYTES = 4096,
    MAX_HEADERS = 64,
    MAX_NOTE_BYTES = 4096,
    THREAD_BYTES = 4096,       /* at most, of the C library's data at the thread pointer */
    STACK_TOP_BYTES = 1 << 16, /* that data is within this, at the end of a stack */
    CHUNK_HEADER_BYTES = 16,   /* of glibc, before each block */
};

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static bool add_area(hpp__roots *r, hpp__root_area area)
{
    const uint64_t word_bytes = 8;
    area.begin = (area.begin + word_bytes - 1) & ~(word_bytes - 1);
    return area.begin >= area.end || HPF__ARRAY_PUSH(r->areas, r->n_areas, r->areas_capacity, area);
}

/* ---- Objects ---- */

/* The headers of an object in memory. */
typedef struct object_headers {
    Elf64_Phdr list[MAX_HEADERS];
    size_t n;
} object_headers;

static bool read_headers(const hpp__image *image, const hpp__image_map *map, object_headers *out)
{
    Elf64_Ehdr file;
    if (!hpp__image_read(image, &file, map->begin, sizeof file) ||
        memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64 ||
        file.e_phentsize != sizeof *out->list || file.e_phoff > PAGE_BYTES) {
        return false;
    }
    out->n = file.e_phnum < MAX_HEADERS ? file.e_phnum : MAX_HEADERS;
    return hpp__image_read(image, out->list, map->begin + file.e_phoff, out->n * sizeof *out->list);
}

/* Copies the build id of an object; returns its length, 0 if there is none. */
static size_t read_build_id(const hpp__image *image, const object_headers *headers, uint64_t bias,
                            uint8_t out[64])
{
    static char notes[MAX_NOTE_BYTES];
    for (size_t i = 0; i < headers->n; i++) {
        const Elf64_Phdr *h = &headers->list[i];
        size_t n = h->p_memsz < sizeof notes ? (size_t)h->p_memsz : sizeof notes;
        if (h->p_type != PT_NOTE || !hpp__image_read(image, notes, bias + h->p_vaddr, n)) {
            continue;
        }
        Elf64_Nhdr note;
        for (size_t at = 0; at + sizeof note <= n;) {
            memcpy(&note, notes + at, sizeof note);
            size_t name_at = at + sizeof note;
            size_t id_at = name_at + ((size_t)note.n_namesz + 3) / 4 * 4;
            bool is_build_id = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                               name_at + 4 <= n && memcmp(notes + name_at, "GNU", 4) == 0;
            if (is_build_id && note.n_descsz <= 64 && id_at + note.n_descsz <= n) {
                memcpy(out, notes + id_at, note.n_descsz);
                return note.n_descsz;
            }
            at = id_at + ((size_t)note.n_descsz + 3) / 4 * 4;
        }
    }
    return 0;
}

/* Adds the parts of a segment that are mapped, up to `limit`. */
static bool add_segment(hpp__roots *r, uint64_t begin, uint64_t end, uint64_t limit,
                        uint32_t module)
{
    end = end < limit ? end : limit;
    for (const hpp__image_map *map = r->image->maps; map < r->image->maps + r->image->n_maps;
         map++) {
        bool overlaps = map->begin < end && map->end > begin;
        if (overlaps && map->is_readable &&
            !add_area(r, (hpp__root_area){begin > map->begin ? begin : map->begin,
                                          end < map->end ? end : map->end, HPP__ROOT_VARIABLE,
                                          module})) {
            return false;
        }
    }
    return true;
}

/* Returns the end of the mappings that may belong to an object: where the next file begins. */
static uint64_t limit_of(const hpp__image *image, const hpp__image_map *first)
{
    const hpp__image_map *map = first;
    const hpp__image_map *end = image->maps + image->n_maps;
    while (map < end && (map->path[0] == '\0' || strcmp(map->path, first->path) == 0)) {
        map++;
    }
    return map[-1].end;
}

static bool add_module(hpp__roots *r, const hpp__image_map *first, const object_headers *headers,
                       const char *root)
{
    const char *slash = strrchr(first->path, '/');
    hpp__root_module module = {.path = first->path, .begin = first->begin, .end = first->begin};
    module.name = hpf_str_of(slash + 1);
    module.is_libc = begins_with(slash + 1, "libc.so.") || begins_with(slash + 1, "libc-2");
    module.is_own = hpp__proc_is_own_file(first->path);
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 0; i < headers->n; i++) {
        const Elf64_Phdr *h = &headers->list[i];
        lowest = h->p_type == PT_LOAD && h->p_vaddr < lowest ? h->p_vaddr : lowest;
    }
    module.bias = first->begin - lowest / PAGE_BYTES * PAGE_BYTES;
    uint64_t limit = limit_of(r->image, first);
    uint32_t index = (uint32_t)r->n_modules;
    bool has_interpreter = false;
    uint64_t tls_bytes = 0;
    for (size_t i = 0; i < headers->n; i++) {
        const Elf64_Phdr *h = &headers->list[i];
        uint64_t begin = module.bias + h->p_vaddr, end = begin + h->p_memsz;
        if (h->p_type == PT_TLS && h->p_memsz < STACK_TOP_BYTES) {
            const uint64_t alignment = h->p_align > 0 ? h->p_align : 1;
            r->tls_bytes += h->p_memsz + h->p_align % PAGE_BYTES;
            tls_bytes = (h->p_memsz + alignment - 1) / alignment * alignment;
        }
        has_interpreter |= h->p_type == PT_INTERP;
        if (h->p_type != PT_LOAD || end < begin) {
            continue;
        }
        module.end = end > module.end ? end : module.end;
        if (h->p_flags & PF_W && !module.is_own && !add_segment(r, begin, end, limit, index)) {
            return false;
        }
    }
    if (has_interpreter && !module.is_libc && r->own_tls_bytes == 0) {
        r->own_tls_bytes = tls_bytes;
        r->program = index;
    }
    module.end = (module.end < limit ? module.end : limit) + PAGE_BYTES - 1;
    module.end = module.end / PAGE_BYTES * PAGE_BYTES;
    uint8_t build_id[64];
    size_t n_build_id = read_build_id(r->image, headers, module.bias, build_id);
    const hpp_object_file file = {
        .path = first->path,
        .build_id = n_build_id ? build_id : NULL,
        .n_build_id = n_build_id,
        .root = root,
    };
    module.object = hpp_resolver_object(r->resolver, &file);
    return HPF__ARRAY_PUSH(r->modules, r->n_modules, r->modules_capacity, module);
}

/* Returns whether a mapping can be the beginning of a loaded object, which has code or further
 * mappings. Files of data have neither. */
static bool can_begin_module(const hpp__image *image, const hpp__image_map *map)
{
    bool has_next = map + 1 < image->maps + image->n_maps && strcmp(map[1].path, map->path) == 0;
    return map->path[0] == '/' && map->offset == 0 && map->is_readable && !map->is_shared &&
           (map->is_executable || has_next);
}

static bool add_modules(hpp__roots *r)
{
    const hpp__image *image = r->image;
    char root[HPP__PROC_ROOT_BYTES];
    const char *other_root = hpp__proc_root_of_maps(image->process_id, root);
    for (size_t i = 0; i < image->n_maps; i++) {
        const hpp__image_map *map = &image->maps[i];
        object_headers headers;
        if (can_begin_module(image, map) && read_headers(image, map, &headers) &&
            !add_module(r, map, &headers, other_root)) {
            return false;
        }
    }
    return true;
}

/* Returns the object that is loaded at an address, or NULL. They are in the order of mappings. */
static const hpp__root_module *module_at(const hpp__roots *r, uint64_t address)
{
    size_t n;
    HPF__ARRAY_BISECT(n, r->n_modules, i, r->modules[i].begin <= address);
    return n > 0 && address < r->modules[n - 1].end ? &r->modules[n - 1] : NULL;
}

/* Returns where a mapping stops being one of a loaded object, its data or its zeroed data: the
 * kernel merges the latter with what the program maps next to it. */
static uint64_t end_of_module(const hpp__roots *r, const hpp__image_map *map)
{
    const hpp__root_module *module = module_at(r, map->begin);
    uint64_t end = module ? module->end : map->begin;
    return end < map->end ? end : map->end;
}

/* ---- Threads ---- */

static bool add_thread(hpp__roots *r, uint32_t index)
{
    const hpp__image_thread *t = &r->image->threads[index];
    const hpp__image_map *map = hpp__image_map_of(r->image, t->thread_pointer);
    uint64_t stack_end = t->stack_end;
    if (map) {
        uint64_t tls_begin = t->thread_pointer - r->tls_bytes;
        uint64_t tls_end = t->thread_pointer + THREAD_BYTES;
        tls_begin = tls_begin > map->begin && tls_begin < map->end ? tls_begin : map->begin;
        tls_end = tls_end < map->end ? tls_end : map->end;
        if (t->stack_begin < tls_end && t->stack_end > tls_begin) {
            tls_begin = tls_begin > t->stack_begin ? tls_begin : t->stack_begin;
            stack_end = tls_begin;
        }
        if (!add_area(r, (hpp__root_area){tls_begin, tls_end, HPP__ROOT_TLS, index})) {
            return false;
        }
    }
    return add_area(r, (hpp__root_area){t->stack_begin, stack_end, HPP__ROOT_STACK, index});
}

static bool find_object(const void *context, uint64_t address, hpp__code_object *out)
{
    const hpp__root_module *module = module_at(context, address);
    if (module) {
        *out = (hpp__code_object){module->object, module->bias, module->is_own, module->is_libc};
    }
    return module != NULL;
}

static bool add_threads(hpp__roots *r, hpp__stacks *stacks)
{
    bool is_good = hpp__thread_frames_find(stacks, r->image, r->resolver, find_object, r);
    for (uint32_t i = 0; i < r->image->n_threads && is_good; i++) {
        is_good = add_thread(r, i);
    }
    r->stacks = stacks;
    return is_good;
}

/* Returns whether a thread's stack is only known by its mapping, since its stack pointer is not. */
static bool has_lost_stack(const hpp__roots *r)
{
    for (size_t i = 0; i < r->image->n_threads; i++) {
        if (r->image->threads[i].stack_end == 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether a thread runs in a mapping on a stack that is not its own, or unknown. */
static bool is_other_stack(const hpp__roots *r, const hpp__image_map *map)
{
    for (size_t i = 0; i < r->image->n_threads; i++) {
        const hpp__image_thread *t = &r->image->threads[i];
        hpp__image_stack own;
        bool is_there = t->stack_begin >= map->begin && t->stack_begin < map->end;
        if (is_there && !(hpp__image_find_stack(r->image, t->thread_pointer, &own) &&
                          t->stack_begin >= own.begin && t->stack_begin < own.end)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a thread that runs has a descriptor at an address. */
static bool is_of_running_thread(const hpp__roots *r, uint64_t descriptor)
{
    for (size_t i = 0; i < r->image->n_threads; i++) {
        if (r->image->threads[i].thread_pointer == descriptor) {
            return true;
        }
    }
    return false;
}

/* Finds the stack that ends at an address; its thread may have ended. Its descriptor, which begins
 * with its own address, is near the end. Returns 0 if there is none. */
static uint64_t find_descriptor(const hpp__roots *r, uint64_t begin, uint64_t end,
                                hpp__image_stack *out)
{
    static uint64_t words[STACK_TOP_BYTES / sizeof(uint64_t)];
    enum { WORDS_PER_STEP = 64 / sizeof(uint64_t), OWN_WORD = 2 };
    uint64_t n_bytes = end - begin < sizeof words ? end - begin : sizeof words;
    while (!hpp__image_read(r->image, words, end - n_bytes, (size_t)n_bytes)) {
        if (n_bytes <= PAGE_BYTES) {
            return 0;
        }
        n_bytes = n_bytes / 2 / PAGE_BYTES * PAGE_BYTES; /* there is a guard */
    }
    for (size_t i = 0; i + OWN_WORD < n_bytes / sizeof *words; i += WORDS_PER_STEP) {
        uint64_t address = end - n_bytes + i * sizeof *words;
        if (words[i] == address && words[i + OWN_WORD] == address &&
            hpp__image_find_stack(r->image, address, out) && out->end == end) {
            return address;
        }
    }
    return 0;
}

/* ---- Mappings ---- */

/* Mappings of the profiler. */
typedef struct own_maps {
    hpp__image_own *list;
    size_t n, capacity;
} own_maps;

/* Reads from /proc which mappings are the profiler's: only they are neither reserved nor dumped
 * (see hpp__map). That takes longer than all else for a small process. */
static bool read_own_maps(const hpp__image *image, own_maps *own)
{
    char path[64], line[512];
    unsigned long long begin = 0, end = 0;
    bool is_good = true;
    snprintf(path, sizeof path, "/proc/%lu/smaps", (unsigned long)image->frozen_id);
    FILE *file = fopen(path, "re");
    while (file && is_good && fgets(line, sizeof line, file)) {
        unsigned long long next, next_end;
        bool is_name = line[0] >= 'A' && line[0] <= 'Z'; /* of a property of the mapping */
        if (!is_name && sscanf(line, "%llx-%llx ", &next, &next_end) == 2) {
            begin = next;
            end = next_end;
        } else if (begins_with(line, "VmFlags:") && strstr(line, " nr") && strstr(line, " dd")) {
            hpp__image_own map = {begin, end};
            is_good = HPF__ARRAY_PUSH(own->list, own->n, own->capacity, map);
        }
    }
    if (file) {
        fclose(file);
    }
    return is_good;
}

/* Returns whether a mapping is the profiler's; the kernel merges those that are neighbours. */
static bool is_own(const hpp__image_own *own, size_t n, const hpp__image_map *map)
{
    for (size_t i = 0; i < n; i++) {
        if (map->begin >= own[i].begin && map->begin < own[i].end) {
            return true;
        }
    }
    return false;
}

/* Returns whether a mapping with a name can have pointers of the program: its own copy of a file,
 * or shared memory. Reading a device may have effects; a shared file is read by others. */
static bool is_memory(const hpp__image_map *map)
{
    return map->path[0] == '\0' || (map->path[0] == '/' && !hpp__proc_is_own_file(map->path) &&
                                    (hpp__proc_is_shared_memory(map->path) ||
                                     (!map->is_shared && !begins_with(map->path, "/dev/"))));
}

/* Returns whether a mapping is an arena of the C library: at a multiple of 64 MiB, with address
 * space that it has reserved up to the next one. */
static bool is_arena(const hpp__roots *r, const hpp__image_map *map)
{
    const hpp__image_map *next = map + 1;
    return map->begin % HPP__GLIBC_HEAP_BYTES == 0 && next < r->image->maps + r->image->n_maps &&
           next->begin == map->end && !next->is_readable && next->end % HPP__GLIBC_HEAP_BYTES == 0;
}

/* Returns the number of the first block at or after an address. */
static size_t first_block_at(const hpp__image *image, uint64_t address)
{
    size_t first;
    HPF__ARRAY_BISECT(first, image->n_blocks, i, image->blocks[i].address < address);
    return first;
}

/* Stores what is no root around a block of a mapping: what the C library has mapped for it, the
 * heap that it is in, or else all of the mapping, which is of another allocator. A mapping of the
 * program is a block, and no allocator's. */
static void find_chunk(const hpp__image *image, const hpp__image_map *map,
                       const hpp__image_block *block, uint64_t *begin, uint64_t *end)
{
    bool is_mapped =
        block->address % PAGE_BYTES == CHUNK_HEADER_BYTES && block->size_bytes >= PAGE_BYTES;
    uint64_t block_end = block->address + block->size_bytes;
    uint64_t heap = block->address / HPP__GLIBC_HEAP_BYTES * HPP__GLIBC_HEAP_BYTES;
    hpp__glibc_heap_info info;
    if (block->is_mapping) {
        *begin = block->address;
        *end = block_end;
    } else if (is_mapped) { /* the kernel merges it with its neighbours */
        *begin = block->address - CHUNK_HEADER_BYTES;
        *end = (block_end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    } else if (heap >= map->begin && hpp__glibc_heap_info_read(&info, image, heap)) {
        *begin = heap;
        *end = heap + HPP__GLIBC_HEAP_BYTES;
    } else {
        *begin = map->begin;
        *end = map->end;
    }
}

/* Adds a part of a mapping, without the thread-local memory of the first thread, which the kernel
 * may have merged with it. */
static bool add_part(hpp__roots *r, uint64_t begin, uint64_t end, uint32_t map)
{
    size_t n = r->n_areas;
    for (size_t i = 0; i < n; i++) {
        const hpp__root_area tls = r->areas[i];
        if (tls.kind == HPP__ROOT_TLS && tls.begin < end && tls.end > begin) {
            if (!add_area(r, (hpp__root_area){begin, tls.begin, HPP__ROOT_MAPPING, map})) {
                return false;
            }
            begin = tls.end;
        }
    }
    return add_area(r, (hpp__root_area){begin, end, HPP__ROOT_MAPPING, map});
}

/* Finds the last stack of a running thread in an area. */
static bool find_last_stack(const hpp__roots *r, uint64_t begin, uint64_t end,
                            hpp__image_stack *out)
{
    bool is_found = false;
    for (size_t i = 0; i < r->image->n_threads; i++) {
        uint64_t descriptor = r->image->threads[i].thread_pointer;
        hpp__image_stack stack;
        if (descriptor >= begin && descriptor < end &&
            hpp__image_find_stack(r->image, descriptor, &stack) && stack.end <= end &&
            (!is_found || stack.end > out->end)) {
            *out = stack;
            is_found = true;
        }
    }
    return is_found;
}

/* Adds a part of a mapping without the stacks in it, from its end on: those of running threads are
 * areas of their own, and of those that have ended only the data of the thread are roots. */
static bool add_between_stacks(hpp__roots *r, uint64_t begin, uint64_t end, uint32_t map)
{
    while (begin < end) {
        hpp__image_stack stack;
        uint64_t descriptor = find_descriptor(r, begin, end, &stack);
        if (descriptor != 0) {
            if (!is_of_running_thread(r, descriptor) &&
                !add_area(r, (hpp__root_area){descriptor, end, HPP__ROOT_MAPPING, map})) {
                return false;
            }
        } else if (find_last_stack(r, begin, end, &stack)) {
            if (!add_part(r, stack.end, end, map)) {
                return false;
            }
        } else {
            return add_part(r, begin, end, map);
        }
        end = stack.begin;
    }
    return true;
}

/* Adds the parts of a mapping that are not the allocator's, nor stacks. */
static bool add_mapping(hpp__roots *r, const hpp__image_map *map, bool keeps_stacks)
{
    const hpp__image *image = r->image;
    uint32_t index = (uint32_t)(map - image->maps);
    uint64_t at = end_of_module(r, map);
    bool (*add)(hpp__roots *, uint64_t, uint64_t, uint32_t) =
        keeps_stacks ? add_part : add_between_stacks;
    size_t i = first_block_at(image, at);
    while (i < image->n_blocks && image->blocks[i].address < map->end) {
        uint64_t begin, end;
        find_chunk(image, map, &image->blocks[i], &begin, &end);
        if (begin > at && !add(r, at, begin, index)) {
            return false;
        }
        at = end > at ? end : at;
        size_t next = first_block_at(image, at);
        i = next > i ? next : i + 1;
    }
    return at >= map->end || add(r, at, map->end, index);
}

static bool add_mappings(hpp__roots *r)
{
    const hpp__image *image = r->image;
    own_maps read = {0};
    bool keeps_stacks = has_lost_stack(r);
    bool is_good = image->own || read_own_maps(image, &read);
    const hpp__image_own *own = image->own ? image->own : read.list;
    size_t n_own = image->own ? image->n_own : read.n;
    for (size_t i = 0; i < image->n_maps && is_good; i++) {
        const hpp__image_map *map = &image->maps[i];
        if (map->is_readable && map->is_writable && is_memory(map) && !is_own(own, n_own, map) &&
            !is_arena(r, map) && !is_other_stack(r, map)) {
            is_good = add_mapping(r, map, keeps_stacks);
        }
    }
    free(read.list);
    return is_good;
}

/* ---- Names ---- */

static void add_text(hpp__text *name, const char *text)
{
    hpp__text_add(name, hpf_str_of(text));
}

/* Limits a part to the variable of a module at an address, with its name, or to what is before the
 * next one. `bias` is of the variable's address. Returns whether there is a variable. */
static bool find_variable(const hpp__roots *r, const hpp__root_module *module, uint64_t bias,
                          uint64_t address, hpp__root_part *part, hpp__text *name)
{
    hpp_variable variable;
    bool is_found = hpp__resolver_variable(r->resolver, module->object, address - bias, &variable);
    if (is_found) {
        part->is_skipped = module->is_libc && hpf_str_is(variable.name, "main_arena");
        part->begin = variable.begin + bias;
        part->end = variable.end + bias;
        hpp__text_add(name, variable.name);
        add_text(name, "@");
        hpp__text_add(name, module->name);
    } else {
        /* Up to the next variable, at which the caller asks again. */
        uint64_t next = variable.begin + bias;
        part->begin = address;
        part->end = variable.begin > 0 && next < part->end ? next : part->end;
    }
    return is_found;
}

static hpp__root_part part_of_module(const hpp__roots *r, const hpp__root_area *area,
                                     uint64_t address, hpp__text *name)
{
    const hpp__root_module *module = &r->modules[area->index];
    hpp__root_part part = {
        .begin = area->begin, .end = area->end, .kind = HPP__ROOT_VARIABLE, .module = module->name};
    if (!find_variable(r, module, module->bias, address, &part, name)) {
        part.kind = HPP__ROOT_MODULE;
        add_text(name, "data@");
        hpp__text_add(name, module->name);
    }
    return part;
}

static void add_thread_name(hpp__text *name, const char *what, const hpp__image_thread *thread)
{
    add_text(name, what);
    add_text(name, thread->name[0] ? thread->name : "a thread"); /* it has just ended */
}

/* Returns a part of the thread-local memory: a variable of the program, as it is in all threads, or
 * what else the thread has, "TLS of worker". */
static hpp__root_part part_of_tls(const hpp__roots *r, const hpp__root_area *area, uint64_t address,
                                  hpp__text *name)
{
    const hpp__image_thread *thread = &r->image->threads[area->index];
    uint64_t end = thread->thread_pointer, begin = end - r->own_tls_bytes;
    hpp__root_part part = {
        .begin = area->begin, .end = area->end, .kind = area->kind, .module = HPF_STR("")};
    if (address < begin) {
        part.end = begin < part.end ? begin : part.end;
    } else if (address >= end) {
        part.begin = end > part.begin ? end : part.begin;
    } else {
        const hpp__root_module *program = &r->modules[r->program];
        part.end = end < part.end ? end : part.end;
        if (find_variable(r, program, begin - HPP__THREAD_LOCAL, address, &part, name)) {
            part.module = program->name;
            return part;
        }
    }
    add_thread_name(name, "TLS of ", thread);
    return part;
}

/* Returns the variable of a frame at an address, and limits the part to it; without a variable, to
 * what is between its neighbours. */
static hpp_local find_local(const hpp__roots *r, const hpp__stack_frame *frame, uint64_t address,
                            hpp__stack_part *part)
{
    hpp_local local;
    int64_t offset = (int64_t)(address - frame->cfa);
    (void)hpp__resolver_local(r->resolver, frame->code.object, frame->pc, offset, &local);
    uint64_t before = (uint64_t)offset - (uint64_t)local.begin;
    uint64_t after = (uint64_t)local.end - (uint64_t)offset;
    part->begin = address - part->begin > before ? address - before : part->begin;
    part->end = part->end - address > after ? address + after : part->end;
    return local;
}

/* Returns the function by which a part of a stack is named: the innermost one of the program, not
 * of the namespace std, that has called what owns the part; "" if there is none, as after main has
 * returned. `frame`: the owner, or NULL for the frame at an address. */
static hpf_str function_of(const hpp__thread_frames *f, const hpp__stack_frame *frame,
                           uint64_t address)
{
    size_t i;
    HPF__ARRAY_BISECT(i, f->n_frames, k, f->frames[k].cfa <= address);
    for (i = frame ? (size_t)(frame - f->frames) : i; i < f->n_frames; i++) {
        const hpp__stack_frame *of = &f->frames[i];
        if (!of->code.is_libc && !of->code.is_own && !hpp__is_of_std(of->function)) {
            return of->function;
        }
    }
    return HPF_STR("");
}

/* Returns a part of the stack or a register of a thread: "main (stack of worker)" or, for a
 * variable with a name, "server in main", in the module "stack of worker". */
static hpp__root_part part_of_thread(const hpp__roots *r, const hpp__root_area *area,
                                     uint64_t address, hpp__text *name)
{
    const hpp__image_thread *thread = &r->image->threads[area->index];
    const hpp__thread_frames *frames = &r->stacks->threads[area->index];
    hpp__stack_part part = {area->begin, area->end, HPP__NO_FRAME};
    bool is_on_stack = area->kind == HPP__ROOT_STACK;
    if (is_on_stack) {
        part = hpp__thread_frames_part(frames, address);
        part.begin = part.begin > area->begin ? part.begin : area->begin;
        part.end = part.end < area->end ? part.end : area->end;
    } else if (area->kind == HPP__ROOT_REGISTERS) {
        part.begin = address / sizeof address * sizeof address;
        part.end = part.begin + sizeof address;
        part.frame = frames->registers[address / sizeof address];
    }
    const hpp__stack_frame *frame =
        part.frame != HPP__NO_FRAME ? &frames->frames[part.frame] : NULL;
    hpf_str function = frame || is_on_stack ? function_of(frames, frame, address) : HPF_STR("");
    hpp_local local = frame && is_on_stack && !frame->code.is_libc
                          ? find_local(r, frame, address, &part)
                          : (hpp_local){.name = HPF_STR("")};
    function = local.is_over ? HPF_STR("") : function;
    bool has_local = local.name.length > 0 && !local.is_over;
    bool has_function = !has_local && function.length > 0;
    hpp__text_add(name, has_local ? local.name : function);
    size_t n_name = name->length;
    add_text(name, has_function ? " (" : "");
    size_t of_thread = name->length;
    add_thread_name(name, "stack of ", thread);
    size_t n_thread = name->length - of_thread;
    add_text(name, has_function ? ")" : "");
    hpf_str module = {hpp__text_str(name).data + of_thread, n_thread};
    name->length = has_local ? n_name : name->length; /* the module is behind it */
    uint32_t order = HPP__ORDER_LAST;
    if (frame && !local.is_over) {
        order = 2 * frame->depth + (thread->id != r->image->process_id);
        order = 3 * order + (!has_local ? 2 : local.is_inlined);
        order += frame->code.is_libc ? HPP__ORDER_LIBC : 0;
    }
    return (hpp__root_part){.begin = part.begin,
                            .end = part.end,
                            .kind = area->kind,
                            .module = has_local || has_function ? module : HPF_STR(""),
                            .order = order,
                            .is_skipped = frame && frame->code.is_own};
}

bool hpp__roots_variable(const hpp__roots *r, uint32_t module, const char *name, uint64_t *address)
{
    const hpp__root_module *m = &r->modules[module];
    bool is_found = hpp__resolver_variable_named(r->resolver, m->object, name, address);
    *address += is_found ? m->bias : 0;
    return is_found;
}

hpp__root_part hpp__roots_part(const hpp__roots *r, const hpp__root_area *area, uint64_t address,
                               hpp__text *name)
{
    if (area->kind == HPP__ROOT_VARIABLE && area->index == r->interpreter) {
        add_text(name, "Python interpreter");
        return (hpp__root_part){.begin = area->begin,
                                .end = area->end,
                                .kind = HPP__ROOT_INTERPRETER,
                                .module = r->modules[area->index].name};
    }
    if (area->kind == HPP__ROOT_VARIABLE) {
        return part_of_module(r, area, address, name);
    }
    if (area->kind == HPP__ROOT_TLS) {
        return part_of_tls(r, area, address, name);
    }
    if (area->kind != HPP__ROOT_MAPPING) {
        return part_of_thread(r, area, address, name);
    }
    const char *path = r->image->maps[area->index].path;
    add_text(name, "mapping");
    add_text(name, path[0] ? " of " : "");
    add_text(name, path[0] ? strrchr(path, '/') + 1 : "");
    return (hpp__root_part){
        .begin = area->begin, .end = area->end, .kind = area->kind, .module = HPF_STR("")};
}

bool hpp__roots_is_chunk_header(const hpp__roots *r, const hpp__root_area *area, uint64_t word,
                                const hpp__image_block *block)
{
    const uint64_t alignment = CHUNK_HEADER_BYTES;
    uint64_t chunk_bytes = (block->size_bytes + 8 + alignment - 1) / alignment * alignment;
    return area->kind == HPP__ROOT_VARIABLE && r->modules[area->index].is_libc &&
           word - block->address == chunk_bytes - alignment && word != block->address;
}

/* ---- Life ---- */

static int by_address(const void *a, const void *b)
{
    const hpp__root_area *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

hpf_status hpp__roots_init(hpp__roots *roots, const hpp__image *image, hpp__stacks *stacks,
                           hpp_resolver *resolver, hpf_error *err)
{
    *roots = (hpp__roots){.image = image, .resolver = resolver, .interpreter = UINT32_MAX};
    if (!add_modules(roots) || !add_threads(roots, stacks) || !add_mappings(roots)) {
        return hpf_error_set_memory(err);
    }
    if (roots->n_areas > 0) {
        qsort(roots->areas, roots->n_areas, sizeof *roots->areas, by_address);
    }
    return HPF_OK;
}

void hpp__roots_finish(hpp__roots *roots)
{
    free(roots->modules);
    free(roots->areas);
    *roots = (hpp__roots){0};
}
