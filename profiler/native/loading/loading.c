/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the headers of programs, and looks up names in their tables for the dynamic linker.
 */
#include "loading.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "native/machine/machine.h"
#include "native/machine/object_kind.h"

enum {
    HEAD_BYTES = 256,  /* as much as the kernel reads */
    MAX_SCRIPTS = 5,   /* that are interpreters of each other */
    MAX_SEGMENTS = 32, /* of a program */
    MAX_CHAIN = 1024,  /* symbols in one bucket */
    NAME_BYTES = 64,
    ENTRIES_AT_ONCE = 40,
};

/* A program's file, and what is known of it. */
typedef struct program {
    int fd;
    struct stat stat;
    union {
        Elf64_Ehdr elf;
        char bytes[HEAD_BYTES + 1];
    } head;
    size_t n_head;
    Elf64_Phdr segments[MAX_SEGMENTS];
    size_t n_segments;
} program;

/* ---- files ----------------------------------------------------------------------------------- */

static bool read_at(int fd, void *out, size_t n_bytes, uint64_t offset)
{
    return hpp__bare_syscall(SYS_pread64, fd, (long)out, (long)n_bytes, (long)offset, 0, 0) ==
           (long)n_bytes;
}

static void close_program(const program *p, bool is_own)
{
    if (is_own && p->fd >= 0) {
        hpp__bare_syscall(SYS_close, p->fd, 0, 0, 0, 0, 0);
    }
}

/* Opens a regular file: opening others could wait, or have an effect. */
static bool open_program(program *out, int directory, const char *path)
{
    long wrong;
    bool is_open = path[0] == '\0';
    out->fd = -1;
    out->n_segments = 0;
    wrong = hpp__bare_syscall(SYS_newfstatat, directory, (long)path, (long)&out->stat,
                              is_open ? AT_EMPTY_PATH : 0, 0, 0);
    if (wrong != 0 || !S_ISREG(out->stat.st_mode)) {
        return false;
    }
    out->fd = is_open ? directory
                      : (int)hpp__bare_syscall(SYS_openat, directory, (long)path,
                                               O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0, 0);
    long n = out->fd < 0 ? -1
                         : hpp__bare_syscall(SYS_pread64, out->fd, (long)out->head.bytes,
                                             HEAD_BYTES, 0, 0, 0);
    out->n_head = n > 0 ? (size_t)n : 0;
    out->head.bytes[out->n_head] = '\0';
    return n >= 0;
}

/* ---- privileges ------------------------------------------------------------------------------ */

/* The kernel compares the user and the group that the program will have with the real ones. */
static hpp_loading check_privileges(const program *p)
{
    mode_t mode = p->stat.st_mode;
    long user = hpp__bare_syscall(SYS_getuid, 0, 0, 0, 0, 0, 0);
    long group = hpp__bare_syscall(SYS_getgid, 0, 0, 0, 0, 0, 0);
    long next_user =
        mode & S_ISUID ? (long)p->stat.st_uid : hpp__bare_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
    bool sets_group = (mode & S_ISGID) && (mode & S_IXGRP);
    long next_group =
        sets_group ? (long)p->stat.st_gid : hpp__bare_syscall(SYS_getegid, 0, 0, 0, 0, 0, 0);
    long n_capabilities = 0;
    if (user != 0) {
        n_capabilities =
            hpp__bare_syscall(SYS_fgetxattr, p->fd, (long)"security.capability", 0, 0, 0, 0);
    }
    return next_user != user     ? HPP_LOADING_USER
           : next_group != group ? HPP_LOADING_GROUP
           : n_capabilities > 0  ? HPP_LOADING_CAPABILITIES
                                 : HPP_LOADABLE;
}

/* ---- tables of the dynamic linker ------------------------------------------------------------ */

typedef struct dynamic_tables {
    uint64_t texts, symbols, hashes; /* offsets in the file; 0: none */
} dynamic_tables;

/* Returns the offset in the file of an address; 0 if it has none. */
static uint64_t offset_of(const program *p, uint64_t address)
{
    for (size_t i = 0; i < p->n_segments; i++) {
        const Elf64_Phdr *s = &p->segments[i];
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz) {
            return s->p_offset + (address - s->p_vaddr);
        }
    }
    return 0;
}

static const Elf64_Phdr *find_segment(const program *p, uint32_t type)
{
    size_t i = 0;
    while (i < p->n_segments && p->segments[i].p_type != type) {
        i++;
    }
    return i < p->n_segments ? &p->segments[i] : NULL;
}

/* Reads the dynamic section from its beginning, some entries at a time. */
typedef struct dynamic_reader {
    const program *p;
    uint64_t offset, n_left; /* of the entries that have not been read */
    size_t at, n;
    Elf64_Dyn entries[ENTRIES_AT_ONCE];
} dynamic_reader;

static void begin_reading(dynamic_reader *r, const program *p)
{
    const Elf64_Phdr *dynamic = find_segment(p, PT_DYNAMIC);
    r->p = p;
    r->offset = dynamic ? dynamic->p_offset : 0;
    r->n_left = dynamic ? dynamic->p_filesz / sizeof *r->entries : 0;
    r->at = r->n = 0;
}

/* Returns the next entry, or NULL after the last one. */
static const Elf64_Dyn *next_entry(dynamic_reader *r)
{
    if (r->at == r->n) {
        r->n = r->n_left < ENTRIES_AT_ONCE ? (size_t)r->n_left : ENTRIES_AT_ONCE;
        r->at = 0;
        if (r->n == 0 || !read_at(r->p->fd, r->entries, r->n * sizeof *r->entries, r->offset)) {
            return NULL;
        }
        r->offset += r->n * sizeof *r->entries;
        r->n_left -= r->n;
    }
    const Elf64_Dyn *entry = &r->entries[r->at++];
    return entry->d_tag != DT_NULL ? entry : NULL;
}

static dynamic_tables find_tables(const program *p)
{
    dynamic_tables found = {0, 0, 0};
    dynamic_reader reader;
    begin_reading(&reader, p);
    for (const Elf64_Dyn *entry; (entry = next_entry(&reader));) {
        uint64_t *table = entry->d_tag == DT_STRTAB     ? &found.texts
                          : entry->d_tag == DT_SYMTAB   ? &found.symbols
                          : entry->d_tag == DT_GNU_HASH ? &found.hashes
                                                        : NULL;
        if (table) {
            *table = offset_of(p, entry->d_un.d_ptr);
        }
    }
    return found;
}

/* Reads a text, cut to the size of `out`. */
static void read_name(const program *p, const dynamic_tables *tables, uint64_t at,
                      char out[NAME_BYTES])
{
    long n = hpp__bare_syscall(SYS_pread64, p->fd, (long)out, NAME_BYTES - 1,
                               (long)(tables->texts + at), 0, 0);
    out[n > 0 ? n : 0] = '\0';
}

/* Returns whether a program defines a symbol for others, by the hash table of GNU: the number of
 * buckets, the first symbol in them, the number of words of the filter and its shift, the filter,
 * the first symbol of each bucket, and the hash of each symbol, whose lowest bit ends a bucket. */
static bool defines(const program *p, const dynamic_tables *tables, const char *name)
{
    struct {
        uint32_t n_buckets, first, n_words, shift;
    } head;
    uint32_t hash = 5381, at;
    uint64_t word;
    for (const char *c = name; *c; c++) {
        hash = hash * 33 + (unsigned char)*c;
    }
    if (!tables->hashes || !tables->symbols || !tables->texts ||
        !read_at(p->fd, &head, sizeof head, tables->hashes) || head.n_buckets == 0 ||
        head.n_words == 0) {
        return false;
    }
    uint64_t filter = tables->hashes + sizeof head;
    uint64_t buckets = filter + head.n_words * sizeof word;
    uint64_t chains = buckets + head.n_buckets * sizeof at;
    uint64_t bits = UINT64_C(1) << hash % 64 | UINT64_C(1) << (hash >> head.shift % 32) % 64;
    if (!read_at(p->fd, &word, sizeof word, filter + hash / 64 % head.n_words * sizeof word) ||
        (word & bits) != bits ||
        !read_at(p->fd, &at, sizeof at, buckets + hash % head.n_buckets * sizeof at) ||
        at < head.first) {
        return false;
    }
    uint32_t other = 0;
    for (int i = 0; i < MAX_CHAIN && !(other & 1); i++, at++) {
        Elf64_Sym symbol;
        char text[NAME_BYTES];
        if (!read_at(p->fd, &other, sizeof other, chains + (at - head.first) * sizeof other)) {
            return false;
        }
        if ((other | 1) == (hash | 1) &&
            read_at(p->fd, &symbol, sizeof symbol, tables->symbols + at * sizeof symbol)) {
            read_name(p, tables, symbol.st_name, text);
            if (strcmp(text, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* ---- sanitizers ------------------------------------------------------------------------------ */

/* Sanitizers that replace malloc and need most of the address space. */
static bool is_sanitizer(const char *library)
{
    static const char *const names[] = {
        "libasan.so",       "libtsan.so",       "libhwasan.so",       "libmsan.so",
        "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan", "libclang_rt.msan",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(library, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

bool hpp__loading_names_sanitizer(const char *list)
{
    const char *base = list;
    for (const char *c = list; *c; c++) {
        base = *c == ':' || *c == ' ' || *c == '/' ? c + 1 : base;
        if (base == c && is_sanitizer(base)) {
            return true;
        }
    }
    return false;
}

/* The runtime is a library that the program needs, or a part of the program. */
static bool is_sanitized(const program *p)
{
    static const char *const functions[] = {"__asan_init", "__tsan_init", "__msan_init",
                                            "__hwasan_init"};
    dynamic_tables tables = find_tables(p);
    dynamic_reader reader;
    char name[NAME_BYTES];
    begin_reading(&reader, p);
    for (const Elf64_Dyn *entry; tables.texts && (entry = next_entry(&reader));) {
        if (entry->d_tag == DT_NEEDED) {
            read_name(p, &tables, entry->d_un.d_val, name);
            if (is_sanitizer(name)) {
                return true;
            }
        }
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (defines(p, &tables, functions[i])) {
            return true;
        }
    }
    return false;
}

/* ---- programs -------------------------------------------------------------------------------- */

static bool is_elf(const program *p)
{
    return p->n_head >= sizeof p->head.elf && memcmp(p->head.bytes, ELFMAG, SELFMAG) == 0;
}

static hpp_loading check_machine(const program *p)
{
    const Elf64_Ehdr *elf = &p->head.elf;
    return elf->e_ident[EI_CLASS] == ELFCLASS32              ? HPP_LOADING_32_BIT
           : elf->e_machine != HPP_MACHINE                   ? HPP_LOADING_MACHINE
           : elf->e_type != ET_EXEC && elf->e_type != ET_DYN ? HPP_LOADING_NO_START
                                                             : HPP_LOADABLE;
}

static bool read_segments(program *p)
{
    const Elf64_Ehdr *elf = &p->head.elf;
    p->n_segments = elf->e_phnum < MAX_SEGMENTS ? elf->e_phnum : MAX_SEGMENTS;
    return elf->e_phentsize == sizeof *p->segments &&
           read_at(p->fd, p->segments, p->n_segments * sizeof *p->segments, elf->e_phoff);
}

/* Returns whether the loader is of glibc 2.35, of which the library needs functions if it was built
 * with it. */
static bool is_new_enough(const char *loader)
{
    program p = {.fd = -1};
    bool is_new = !__GLIBC_PREREQ(2, 35);
    if (!is_new && open_program(&p, AT_FDCWD, loader) && is_elf(&p) &&
        check_machine(&p) == HPP_LOADABLE && read_segments(&p)) {
        dynamic_tables tables = find_tables(&p);
        is_new = defines(&p, &tables, "__rseq_offset");
    }
    close_program(&p, true);
    return is_new;
}

static hpp_loading check_elf(program *p, char loader[HPP_LOADER_PATH_BYTES])
{
    hpp_loading result = check_machine(p);
    if (result != HPP_LOADABLE) {
        return result;
    }
    const Elf64_Phdr *interpreter = read_segments(p) ? find_segment(p, PT_INTERP) : NULL;
    if (!interpreter) {
        return HPP_LOADING_STATIC;
    }
    size_t most = HPP_LOADER_PATH_BYTES - 1;
    size_t n = interpreter->p_filesz < most ? interpreter->p_filesz : most;
    loader[n] = '\0';
    if (!read_at(p->fd, loader, n, interpreter->p_offset)) {
        loader[0] = '\0';
        return HPP_LOADING_UNREADABLE;
    }
    const char *slash = strrchr(loader, '/');
    return strcmp(slash ? slash + 1 : loader, HPP_MACHINE_LOADER) != 0 ? HPP_LOADING_LIBC
           : is_sanitized(p)        ? HPP_LOADING_SANITIZER
           : !is_new_enough(loader) ? HPP_LOADING_OLD_LIBC
                                    : HPP_LOADABLE;
}

/* Returns the interpreter of "#! /path argument", terminated. Other text is interpreted by the
 * shell. Returns NULL for what is not text. */
static const char *interpreter_of(program *p)
{
    char *line = p->head.bytes;
    size_t n_line = strcspn(line, "\n");
    bool is_text = n_line == p->n_head || line[n_line] == '\n';
    line[n_line] = '\0';
    if (strncmp(line, "#!", 2) != 0) {
        return is_text ? HPP_SHELL : NULL;
    }
    line += 2 + strspn(line + 2, " \t");
    line[strcspn(line, " \t")] = '\0';
    return *line ? line : HPP_SHELL;
}

hpp_loading hpp__loading_check(int directory, const char *path, char loader[HPP_LOADER_PATH_BYTES])
{
    program p;
    char interpreter[HEAD_BYTES];
    loader[0] = '\0';
    for (int depth = 0; depth <= MAX_SCRIPTS; depth++) {
        hpp_loading result = HPP_LOADING_UNREADABLE;
        const char *next = NULL;
        if (open_program(&p, directory, path)) {
            result = is_elf(&p) ? check_privileges(&p) : HPP_LOADING_NO_PROGRAM;
            result = result == HPP_LOADABLE ? check_elf(&p, loader) : result;
            next = result == HPP_LOADING_NO_PROGRAM ? interpreter_of(&p) : NULL;
        }
        close_program(&p, path[0] != '\0');
        if (!next) {
            return result;
        }
        memcpy(interpreter, next, strlen(next) + 1);
        path = interpreter;
        directory = AT_FDCWD;
    }
    return HPP_LOADING_NO_PROGRAM;
}
