/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A hash table of records, which are only added. The window's record and the private one have the
 * same index. If two threads add an object at once, both use the first record.
 */
#include "modules.h"

#include <elf.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

#include "bytes.h"
#include "loader.h"
#include "native/window/platform.h"
#include "native/window/window_writer.h"

enum {
    N_SLOTS = 2 * HPP_MAX_MODULES, /* a power of two */
    N_FIRST_SLOTS = 1024,          /* where a search begins: a page, enough for most programs */
    MAX_NAME_BYTES = sizeof(((hpp_window_module *)0)->path),
    MAX_BUILD_ID_BYTES = sizeof(((hpp_window_module *)0)->build_id),
    READ_BYTES = 512,
};

typedef struct build_id {
    uint32_t n;
    uint8_t bytes[MAX_BUILD_ID_BYTES];
} build_id;

typedef struct module_record {
    hpp_module module;
    uint64_t name_hash;
    build_id build_id;
    _Atomic uint32_t generation; /* that it was last seen in */
} module_record;

_Atomic uint32_t hpp__generation = 1;

static HPP_LARGE module_record records[HPP_MAX_MODULES];
static HPP_LARGE _Atomic uint32_t slots[N_SLOTS]; /* index of a record plus 1 */

/* ---- tables and notes ---------------------------------------------------------------------- */

static void fill_tables(hpp_cfi_tables *out, const struct dl_find_object *object, uintptr_t bias)
{
    *out = (hpp_cfi_tables){.header = (uintptr_t)object->dlfo_eh_frame};
    uint32_t n;
    const Elf64_Phdr *headers = hpp__loader_headers(&n, object);
    for (uint32_t i = 0; i < n && out->n_spans < HPP_CFI_MAX_SPANS; i++) {
        if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_R) {
            uintptr_t low = bias + headers[i].p_vaddr;
            out->spans[out->n_spans++] = (hpp_cfi_span){low, low + headers[i].p_memsz};
        }
    }
    if (n == 0) {
        out->n_spans = 1;
        out->spans[0] =
            (hpp_cfi_span){(uintptr_t)object->dlfo_map_start, (uintptr_t)object->dlfo_map_end};
    }
}

static bool find_build_id(build_id *out, hpp_bytes notes, uint64_t alignment)
{
    while (hpp__bytes_left(&notes) >= sizeof(Elf64_Nhdr)) {
        uint64_t n_name = hpp__bytes_fixed(&notes, 4);
        uint64_t n_content = hpp__bytes_fixed(&notes, 4);
        uint32_t type = (uint32_t)hpp__bytes_fixed(&notes, 4);
        const uint8_t *name = notes.at;
        size_t content_at =
            hpp__round_up(sizeof(Elf64_Nhdr) + n_name, alignment); /* from the note on */
        hpp__bytes_skip(&notes, content_at - sizeof(Elf64_Nhdr));
        const uint8_t *content = notes.at;
        hpp__bytes_skip(&notes, hpp__round_up(content_at + n_content, alignment) - content_at);
        if (!notes.failed && type == NT_GNU_BUILD_ID && n_name == 4 &&
            memcmp(name, "GNU", 4) == 0) {
            out->n = n_content < MAX_BUILD_ID_BYTES ? (uint32_t)n_content : MAX_BUILD_ID_BYTES;
            memcpy(out->bytes, content, out->n);
            return true;
        }
    }
    return false;
}

static void fill_build_id(build_id *out, const struct dl_find_object *object, uintptr_t bias)
{
    *out = (build_id){0};
    uint32_t n;
    const Elf64_Phdr *headers = hpp__loader_headers(&n, object);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *at = (const uint8_t *)(bias + headers[i].p_vaddr);
        bool is_inside = (uintptr_t)at >= (uintptr_t)object->dlfo_map_start &&
                         (uintptr_t)at + headers[i].p_memsz <= (uintptr_t)object->dlfo_map_end;
        if (headers[i].p_type == PT_NOTE && is_inside &&
            find_build_id(out, (hpp_bytes){at, at + headers[i].p_memsz, false},
                          headers[i].p_align == 8 ? 8 : 4)) {
            return;
        }
    }
}

/* ---- names --------------------------------------------------------------------------------- */

/* Reads /proc/self/maps byte by byte. */
typedef struct maps_reader {
    int file;
    long n, at;
    char bytes[READ_BYTES];
} maps_reader;

/* Returns the next byte, or -1. */
static int next_byte(maps_reader *reader)
{
    if (reader->at == reader->n) {
        reader->at = 0;
        reader->n = hpp__syscall(SYS_read, reader->file, (long)reader->bytes, READ_BYTES, 0, 0, 0);
        if (reader->n <= 0) {
            reader->n = 0;
            return -1;
        }
    }
    return (unsigned char)reader->bytes[reader->at++];
}

static uintptr_t read_hexadecimal(maps_reader *reader)
{
    uintptr_t value = 0;
    for (;;) {
        int byte = next_byte(reader);
        if (byte >= '0' && byte <= '9') {
            value = value << 4 | (uintptr_t)(byte - '0');
        } else if (byte >= 'a' && byte <= 'f') {
            value = value << 4 | (uintptr_t)(byte - 'a' + 10);
        } else {
            return value;
        }
    }
}

/* Reads the path in the rest of a line, empty if there is none. Returns the byte that ended it. */
static int read_path(char *out, maps_reader *reader)
{
    size_t n = 0;
    int byte = next_byte(reader);
    while (byte != '\n' && byte >= 0) {
        if ((n > 0 || byte == '/') && n + 1 < MAX_NAME_BYTES) {
            out[n++] = (char)byte;
        }
        byte = next_byte(reader);
    }
    out[n] = '\0';
    return byte;
}

/* Returns the kernel's name for the file that is mapped at an address. */
static bool find_mapped_path(char *out, uintptr_t address)
{
    static const char name[] = "/proc/self/maps";
    maps_reader reader = {.n = 0};
    reader.file =
        (int)hpp__syscall(SYS_openat, AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (reader.file < 0) {
        return false;
    }
    bool is_found = false;
    for (int byte = '\n'; byte == '\n' && !is_found;) {
        is_found = read_hexadecimal(&reader) == address;
        byte = read_path(out, &reader);
    }
    hpp__syscall(SYS_close, reader.file, 0, 0, 0, 0, 0);
    return is_found && out[0] == '/';
}

/* Stores the path of an object: the linker's name if it is absolute, else the kernel's. The main
 * program has no name, and a relative one depends on an earlier working directory. Without /proc,
 * the main program has the path by which it was executed. */
static void fill_path(char *out, const struct dl_find_object *object)
{
    const char *name = object->dlfo_link_map->l_name;
    if (name[0] != '/' && find_mapped_path(out, (uintptr_t)object->dlfo_map_start)) {
        static const char deleted[] = " (deleted)";
        size_t n = strlen(out);
        if (n >= sizeof(deleted) && strcmp(out + n - (sizeof(deleted) - 1), deleted) == 0) {
            out[n - (sizeof(deleted) - 1)] = '\0';
        }
        return;
    }
    const char *executed = (const char *)getauxval(AT_EXECFN);
    name = name[0] == '\0' && executed != NULL ? executed : name;
    size_t n = strnlen(name, MAX_NAME_BYTES - 1);
    memcpy(out, name, n);
    out[n] = '\0';
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
    }
    return hash;
}

/* ---- records ------------------------------------------------------------------------------- */

static bool fill_window_record(uint32_t index, const module_record *record,
                               const struct dl_find_object *object)
{
    hpp_window_module *chunk =
        hpp__window_chunk(&hpp__window->module_pages[index / HPP_MODULES_PER_CHUNK],
                          HPP_MODULES_PER_CHUNK * sizeof(*chunk) / HPP_WINDOW_PAGE_BYTES);
    if (!chunk) {
        return false;
    }
    hpp_window_module *out = &chunk[index % HPP_MODULES_PER_CHUNK];
    out->begin = record->module.begin;
    out->end = record->module.end;
    out->bias = record->module.bias;
    out->n_build_id = record->build_id.n;
    memcpy(out->build_id, record->build_id.bytes, sizeof(out->build_id));
    fill_path(out->path, object);
    return true;
}

static void fill_module(hpp_module *out, const struct dl_find_object *object)
{
    uintptr_t bias = object->dlfo_link_map->l_addr;
    *out = (hpp_module){.begin = (uintptr_t)object->dlfo_map_start,
                        .end = (uintptr_t)object->dlfo_map_end,
                        .bias = bias};
    out->is_loader = bias == _r_debug.r_ldbase;
    fill_tables(&out->tables, object, bias);
}

/* Returns a new record, which no slot has yet; NULL if there is no room. */
static module_record *add_record(const struct dl_find_object *object)
{
    uint32_t index = hpp__window_next(&hpp__window->head.n_modules, HPP_MAX_MODULES);
    if (index == UINT32_MAX) {
        return NULL;
    }
    module_record *record = &records[index];
    fill_module(&record->module, object);
    record->module.number = (uint16_t)(index + 1);
    record->name_hash = hash_name(object->dlfo_link_map->l_name);
    fill_build_id(&record->build_id, object, record->module.bias);
    return fill_window_record(index, record, object) ? record : NULL;
}

/* Returns whether the object is the one of the record, in the current generation. */
static bool is_same(module_record *record, const struct dl_find_object *object, uint32_t generation)
{
    if (record->module.begin != (uintptr_t)object->dlfo_map_start ||
        record->module.end != (uintptr_t)object->dlfo_map_end) {
        return false;
    }
    if (atomic_load_explicit(&record->generation, memory_order_acquire) == generation) {
        return true;
    }
    build_id id;
    fill_build_id(&id, object, object->dlfo_link_map->l_addr);
    if (record->module.bias != object->dlfo_link_map->l_addr ||
        record->name_hash != hash_name(object->dlfo_link_map->l_name) ||
        record->build_id.n != id.n || memcmp(record->build_id.bytes, id.bytes, id.n) != 0) {
        return false;
    }
    atomic_store_explicit(&record->generation, generation, memory_order_release);
    return true;
}

static module_record *find_record(const struct dl_find_object *object)
{
    uint32_t generation = atomic_load_explicit(&hpp__generation, memory_order_acquire);
    uint64_t hash = ((uintptr_t)object->dlfo_map_start >> 12) * 0x9e3779b97f4a7c15 % N_FIRST_SLOTS;
    module_record *fresh = NULL;
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        _Atomic uint32_t *slot = &slots[(hash + i) % N_SLOTS];
        uint32_t number = atomic_load_explicit(slot, memory_order_acquire);
        if (number == 0) {
            if (!fresh && !(fresh = add_record(object))) {
                return NULL;
            }
            atomic_store_explicit(&fresh->generation, generation, memory_order_relaxed);
            if (atomic_compare_exchange_strong_explicit(slot, &number, fresh->module.number,
                                                        memory_order_acq_rel,
                                                        memory_order_acquire)) {
                return fresh;
            }
        }
        if (is_same(&records[number - 1], object, generation)) {
            return &records[number - 1];
        }
    }
    return NULL;
}

bool hpp__modules_find(hpp_module *out, uintptr_t address)
{
    struct dl_find_object object;
    if (!hpp__loader_find(&object, address)) {
        return false;
    }
    hpp__loader_widen(&object);
    const module_record *record = find_record(&object);
    if (record) {
        *out = record->module;
    } else {
        fill_module(out, &object);
    }
    return true;
}

bool hpp__modules_hold(uintptr_t address)
{
    struct dl_find_object object;
    return hpp__loader_find(&object, address);
}

uint32_t hpp__modules_new_generation(void)
{
    return atomic_fetch_add(&hpp__generation, 1) + 1;
}
