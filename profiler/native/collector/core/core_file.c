/* SPDX-License-Identifier: BSD-2-Clause */
#include "core_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/descriptor.h"

enum {
    PAGE_BYTES = 4096,
    RED_ZONE_BYTES = 128,
    MOST_NOTE_BYTES = 1 << 28,
    MOST_SEGMENTS = 1 << 20,
    /* Places in struct elf_prstatus and struct elf_prpsinfo of x86-64. */
    STATUS_BYTES = 336,
    STATUS_ID = 32,
    STATUS_REGISTERS = 112,
    N_STATUS_REGISTERS = 27,
    STATUS_FS_BASE = 21,
    ABOUT_BYTES = 136,
    ABOUT_ID = 24,
    ABOUT_NAME = 40,
};

/* A mapping, and where its memory is. */
struct hpp__core_part {
    hpp__image_map map;
    uint64_t core_offset, n_core_bytes; /* in the core file: the first bytes */
};

static bool read_at(int fd, void *out, size_t n_bytes, uint64_t offset)
{
    size_t n = 0;
    while (n < n_bytes) {
        ssize_t got = pread(fd, (char *)out + n, n_bytes - n, (off_t)(offset + n));
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        n += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Opens a file that was mapped, if it is a regular one. */
static int open_mapped(hpp__core *core, const char *path)
{
    if (core->open_path != path) {
        struct stat about;
        hpf__close(core->open_fd);
        core->open_path = path;
        core->open_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (core->open_fd >= 0 && (fstat(core->open_fd, &about) != 0 || !S_ISREG(about.st_mode))) {
            hpf__close(core->open_fd);
            core->open_fd = -1;
        }
    }
    return core->open_fd;
}

static bool read_memory(void *context, void *out, uint64_t address, size_t n_bytes)
{
    hpp__core *core = context;
    char *to = out;
    while (n_bytes > 0) {
        const hpp__image_map *map = hpp__image_map_of(&core->image, address);
        if (!map) {
            return false;
        }
        const hpp__core_part *part = &core->parts[map - core->maps];
        uint64_t place = address - map->begin, room = map->end - address;
        bool is_in_core = place < part->n_core_bytes;
        room = is_in_core && part->n_core_bytes - place < room ? part->n_core_bytes - place : room;
        size_t n = n_bytes < room ? n_bytes : (size_t)room;
        int fd = is_in_core ? core->fd : map->path[0] == '/' ? open_mapped(core, map->path) : -1;
        uint64_t offset = is_in_core ? part->core_offset + place : map->offset + place;
        if (fd < 0 || !read_at(fd, to, n, offset)) {
            return false;
        }
        to += n;
        address += n;
        n_bytes -= n;
    }
    return true;
}

/* ---- Notes ---- */

/* The numbers of registers in a note, in DWARF's order. */
static const uint8_t register_places[HPP__N_REGISTERS] = {10, 12, 11, 5, 13, 14, 4, 19, 9,
                                                          8,  7,  6,  3, 2,  1,  0, 16};

static bool add_thread(hpp__core *core, const char *status)
{
    uint64_t registers[N_STATUS_REGISTERS];
    hpp__image_thread thread = {0};
    memcpy(&thread.id, status + STATUS_ID, sizeof thread.id);
    memcpy(registers, status + STATUS_REGISTERS, sizeof registers);
    for (size_t i = 0; i < HPP__N_REGISTERS; i++) {
        thread.registers[i] = registers[register_places[i]];
    }
    thread.thread_pointer = registers[STATUS_FS_BASE];
    return HPF__ARRAY_PUSH(core->threads, core->n_threads, core->threads_capacity, thread);
}

/* Keeps the note that says which files were mapped. */
static bool keep_files(hpp__core *core, const char *note, size_t n_bytes)
{
    free(core->files);
    core->files = malloc(n_bytes + 1);
    if (core->files) {
        memcpy(core->files, note, n_bytes);
        core->files[n_bytes] = '\0';
    }
    return core->files != NULL;
}

static size_t padded(uint64_t n_bytes)
{
    return (size_t)((n_bytes + 3) / 4 * 4);
}

static hpf_status read_notes(hpp__core *core, const char *notes, size_t n_bytes,
                             size_t *n_file_bytes, hpf_error *err)
{
    size_t at = 0;
    bool is_good = true;
    while (is_good && n_bytes - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr head;
        memcpy(&head, notes + at, sizeof head);
        size_t begin = at + sizeof head + padded(head.n_namesz);
        if (begin > n_bytes || head.n_descsz > n_bytes - begin) {
            return hpf_error_set(err, HPF_ERR_SYNTAX, "a note of the core file is cut");
        }
        const char *note = notes + begin;
        if (head.n_type == NT_PRSTATUS && head.n_descsz >= STATUS_BYTES) {
            is_good = add_thread(core, note);
        } else if (head.n_type == NT_PRPSINFO && head.n_descsz >= ABOUT_BYTES) {
            memcpy(&core->image.process_id, note + ABOUT_ID, sizeof core->image.process_id);
            memcpy(core->program, note + ABOUT_NAME, sizeof core->program - 1);
        } else if (head.n_type == NT_FILE) {
            is_good = keep_files(core, note, head.n_descsz);
            *n_file_bytes = head.n_descsz;
        }
        at = begin + padded(head.n_descsz);
        at = at < n_bytes ? at : n_bytes;
    }
    return is_good ? HPF_OK : hpf_error_set_memory(err);
}

/* Adds the rest of a mapping of a file, from `at` on, of which the core file may have nothing. */
static bool add_left_out(hpp__core *core, const hpp__image_map *file, uint64_t at, uint64_t end)
{
    hpp__core_part part = {.map = *file};
    part.map.begin = at;
    part.map.end = end;
    part.map.offset = file->offset + (at - file->begin);
    return at >= end || HPF__ARRAY_PUSH(core->parts, core->n_parts, core->parts_capacity, part);
}

/* Names those of the `n` mappings that the core file has of a file, and adds those that it leaves
 * out: some programs write no segments for code. */
static bool name_file(hpp__core *core, const hpp__image_map *file, size_t n)
{
    uint64_t at = file->begin;
    size_t i;
    HPF__ARRAY_BISECT(i, n, k, core->parts[k].map.begin < file->begin);
    for (; i < n && core->parts[i].map.begin < file->end; i++) {
        hpp__image_map *map = &core->parts[i].map;
        if (map->end <= file->end) {
            map->path = file->path;
            map->offset = file->offset + (map->begin - file->begin);
            uint64_t begin = map->begin, end = map->end;
            if (begin > at && !add_left_out(core, file, at, begin)) {
                return false;
            }
            at = end > at ? end : at;
        }
    }
    return add_left_out(core, file, at, file->end);
}

/* Gives mappings the files that the note names. */
static bool name_files(hpp__core *core, size_t n_bytes)
{
    enum { HEAD_WORDS = 2, WORDS = 3 }; /* count, page size; begin, end, offset in pages */
    uint64_t head[HEAD_WORDS], words[WORDS];
    size_t n_parts = core->n_parts;
    if (n_bytes < sizeof head) {
        return true;
    }
    memcpy(head, core->files, sizeof head);
    if (head[0] > (n_bytes - sizeof head) / sizeof words) {
        return true;
    }
    const char *name = core->files + sizeof head + head[0] * sizeof words;
    const char *end = core->files + n_bytes;
    bool is_good = true;
    for (uint64_t i = 0; i < head[0] && name < end && is_good; i++) {
        memcpy(words, core->files + sizeof head + i * sizeof words, sizeof words);
        const hpp__image_map file = {.begin = words[0],
                                     .end = words[1],
                                     .offset = words[2] * head[1],
                                     .is_readable = true,
                                     .is_executable = true,
                                     .path = name};
        is_good = name_file(core, &file, n_parts);
        name += strlen(name) + 1;
    }
    return is_good;
}

static int by_begin(const void *a, const void *b)
{
    uint64_t x = ((const hpp__core_part *)a)->map.begin;
    uint64_t y = ((const hpp__core_part *)b)->map.begin;
    return (x > y) - (x < y);
}

/* Lists the mappings by address, as far as the core file or another one has them; of a damaged
 * file, without those that overlap. */
static bool list_maps(hpp__core *core)
{
    size_t n = 0;
    core->maps = malloc((core->n_parts + 1) * sizeof *core->maps);
    HPF__ARRAY_SORT(core->parts, core->n_parts, by_begin);
    for (size_t i = 0; core->maps && i < core->n_parts; i++) {
        hpp__image_map *map = &core->parts[i].map;
        map->end = map->path[0] == '/' ? map->end : map->begin + core->parts[i].n_core_bytes;
        if (map->end > map->begin && (n == 0 || map->begin >= core->maps[n - 1].end)) {
            core->maps[n] = *map;
            core->parts[n++] = core->parts[i];
        }
    }
    core->image.maps = core->maps;
    core->image.n_maps = n;
    return core->maps != NULL;
}

/* Finds the stacks of the threads. */
static void find_stacks(hpp__core *core)
{
    for (size_t i = 0; i < core->n_threads; i++) {
        hpp__image_thread *thread = &core->threads[i];
        uint64_t sp = thread->registers[HPP__REGISTER_SP];
        const hpp__image_map *map = hpp__image_map_of(&core->image, sp);
        if (!map) {
            continue;
        }
        if (thread->id == core->image.process_id && map->path[0] == '\0') {
            core->maps[map - core->maps].path = "[stack]";
        }
        uint64_t tp = thread->thread_pointer;
        thread->stack_begin = sp - map->begin > RED_ZONE_BYTES ? sp - RED_ZONE_BYTES : sp;
        thread->stack_end =
            tp >= sp && tp < map->end ? (tp / PAGE_BYTES + 1) * PAGE_BYTES : map->end;
    }
}

/* ---- Segments ---- */

static bool add_segment(hpp__core *core, const Elf64_Phdr *segment)
{
    uint64_t end = segment->p_vaddr + segment->p_memsz, n = segment->p_filesz;
    uint64_t n_file_bytes =
        segment->p_offset < core->n_bytes ? core->n_bytes - segment->p_offset : 0;
    n = n < segment->p_memsz ? n : segment->p_memsz;
    const hpp__core_part part = {
        .map = {.begin = segment->p_vaddr,
                .end = end,
                .is_readable = segment->p_flags & PF_R,
                .is_writable = segment->p_flags & PF_W,
                .is_executable = segment->p_flags & PF_X,
                .path = ""},
        .core_offset = segment->p_offset,
        .n_core_bytes = n < n_file_bytes ? n : n_file_bytes,
    };
    return end <= segment->p_vaddr || segment->p_vaddr % PAGE_BYTES != 0 ||
           HPF__ARRAY_PUSH(core->parts, core->n_parts, core->parts_capacity, part);
}

static hpf_status read_note_segment(hpp__core *core, const Elf64_Phdr *segment,
                                    size_t *n_file_bytes, hpf_error *err)
{
    if (segment->p_filesz > MOST_NOTE_BYTES) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "the notes of the core file are too long");
    }
    size_t n_bytes = (size_t)segment->p_filesz;
    char *notes = malloc(n_bytes + 1);
    hpf_status status = hpf_error_set_memory(err);
    if (notes) {
        status = read_at(core->fd, notes, n_bytes, segment->p_offset)
                     ? read_notes(core, notes, n_bytes, n_file_bytes, err)
                     : hpf_error_set(err, HPF_ERR_IO, "the core file is cut");
    }
    free(notes);
    return status;
}

/* Returns how many segments there are: with more than 16 bits have, the first section says so. */
static uint64_t count_segments(const hpp__core *core, const Elf64_Ehdr *head)
{
    Elf64_Shdr section;
    if (head->e_phnum != PN_XNUM) {
        return head->e_phnum;
    }
    return read_at(core->fd, &section, sizeof section, head->e_shoff) ? section.sh_info : 0;
}

static hpf_status read_segments(hpp__core *core, const Elf64_Ehdr *head, hpf_error *err)
{
    uint64_t n = count_segments(core, head);
    size_t n_file_bytes = 0;
    hpf_status status = HPF_OK;
    if (n > MOST_SEGMENTS) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "the core file has too many segments");
    }
    for (uint64_t i = 0; i < n && status == HPF_OK; i++) {
        Elf64_Phdr segment;
        if (!read_at(core->fd, &segment, sizeof segment, head->e_phoff + i * sizeof segment)) {
            return hpf_error_set(err, HPF_ERR_IO, "the core file is cut");
        }
        if (segment.p_type == PT_LOAD && !add_segment(core, &segment)) {
            return hpf_error_set_memory(err);
        }
        if (segment.p_type == PT_NOTE) {
            status = read_note_segment(core, &segment, &n_file_bytes, err);
        }
    }
    if (status != HPF_OK) {
        return status;
    }
    core->image.threads = core->threads;
    core->image.n_threads = core->n_threads;
    if (!name_files(core, n_file_bytes) || !list_maps(core)) {
        return hpf_error_set_memory(err);
    }
    find_stacks(core);
    return HPF_OK;
}

hpf_status hpp__core_open(hpp__core *core, const char *path, hpf_error *err)
{
    static const hpp__image_own no_own;
    struct stat about;
    Elf64_Ehdr head;
    *core =
        (hpp__core){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), .open_fd = -1};
    core->image = (hpp__image){.own = &no_own, .read = read_memory, .read_context = core};
    if (core->fd < 0) {
        return hpf_error_set_os(err, errno, "cannot open it");
    }
    if (fstat(core->fd, &about) != 0 || !S_ISREG(about.st_mode) ||
        !read_at(core->fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_type != ET_CORE) {
        return hpf_error_set(err, HPF_ERR_SYNTAX, "not a core file: expected ELF of type CORE");
    }
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64 ||
        head.e_phentsize != sizeof(Elf64_Phdr)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "a core file of another machine: expected 64-bit x86");
    }
    core->n_bytes = (uint64_t)about.st_size;
    return read_segments(core, &head, err);
}

void hpp__core_close(hpp__core *core)
{
    hpf__close(core->fd);
    hpf__close(core->open_fd);
    free(core->maps);
    free(core->parts);
    free(core->threads);
    free(core->files);
    *core = (hpp__core){.fd = -1, .open_fd = -1};
}
