/* SPDX-License-Identifier: BSD-2-Clause
 *
 * GHC names an info table by its end, where the code of the closure begins: the symbol is 16 bytes
 * after the table, in programs built with -prof 32. Profiles have the address of either. The code
 * of local closures comes before that of the function that they are in.
 */
#include "info_tables.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/descriptor.h"
#include "base/utf8.h"
#include "base/words.h"
#include "path.h"

#define SUFFIX "_info"

enum { TABLE_BYTES = 16, PROFILED_TABLE_BYTES = 32 };

typedef struct symbol {
    uint64_t address;
    size_t name_at;
} symbol;

struct info_tables {
    char *names;
    symbol *symbols; /* by address */
    size_t n_symbols;
    hpf__buffer text; /* of the last label and module */
};

/* --- symbols --- */

/* Reads a part of a file of `size` bytes. Returns NULL if it is not there, or without memory. */
static void *read_part(int fd, uint64_t size, uint64_t at, uint64_t n)
{
    char *part = at <= size && n <= size - at ? malloc(n + 1) : NULL;
    if (part && pread(fd, part, n, (off_t)at) != (ssize_t)n) {
        free(part);
        part = NULL;
    }
    if (part) {
        part[n] = '\0';
    }
    return part;
}

static int compare_symbols(const void *left, const void *right)
{
    const symbol *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

static void keep_symbols(info_tables *t, const Elf64_Sym *all, size_t n, size_t n_name_bytes)
{
    t->symbols = calloc(n + 1, sizeof *t->symbols);
    for (size_t i = 0; i < n && t->symbols; i++) {
        size_t at = all[i].st_name;
        hpf_str name = at < n_name_bytes ? hpf_str_of(t->names + at) : HPF_STR("");
        if (hpf_str_ends(name, SUFFIX) && name.length > strlen(SUFFIX) &&
            all[i].st_shndx != SHN_UNDEF) {
            t->symbols[t->n_symbols++] = (symbol){all[i].st_value, at};
        }
    }
    HPF__ARRAY_SORT(t->symbols, t->n_symbols, compare_symbols);
}

/* Opens a program of 64 bits with fixed addresses, and reads its head. Returns -1 for other files.
 */
static int open_program(const char *path, Elf64_Ehdr *head, uint64_t *size)
{
    struct stat state;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    bool is_program = fd >= 0 && fstat(fd, &state) == 0 && S_ISREG(state.st_mode) &&
                      pread(fd, head, sizeof *head, 0) == (ssize_t)sizeof *head &&
                      memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                      head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_type == ET_EXEC;
    if (fd >= 0 && !is_program) {
        close(fd);
    }
    *size = is_program ? (uint64_t)state.st_size : 0;
    return is_program ? fd : -1;
}

static void read_symbols(info_tables *t, int fd, const Elf64_Ehdr *head, uint64_t size)
{
    size_t n = head->e_shnum;
    Elf64_Shdr *sections = n ? read_part(fd, size, head->e_shoff, n * sizeof *sections) : NULL;
    for (size_t i = 0; i < n && sections && !t->symbols; i++) {
        const Elf64_Shdr *s = &sections[i];
        const Elf64_Shdr *texts = s->sh_link < n ? &sections[s->sh_link] : NULL;
        if (s->sh_type == SHT_SYMTAB && texts) {
            Elf64_Sym *all = read_part(fd, size, s->sh_offset, s->sh_size);
            t->names = read_part(fd, size, texts->sh_offset, texts->sh_size);
            if (all && t->names) {
                keep_symbols(t, all, s->sh_size / sizeof *all, texts->sh_size);
            }
            free(all);
            break;
        }
    }
    free(sections);
}

info_tables *info_tables_create(const char *path)
{
    Elf64_Ehdr head;
    uint64_t size;
    info_tables *t = calloc(1, sizeof *t);
    int fd = t ? open_program(path, &head, &size) : -1;
    if (fd >= 0) {
        read_symbols(t, fd, &head, size);
        close(fd);
    }
    return t;
}

void info_tables_destroy(info_tables *t)
{
    if (t) {
        free(t->names);
        free(t->symbols);
        hpf__buffer_finish(&t->text);
        free(t);
    }
}

/* --- names --- */

/* Returns the character that a letter after z or Z stands for; 0: none. */
static char decoded(char first, char letter)
{
    static const char lower[] = "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%zz";
    static const char upper[] = "C:L(M[N]R)ZZ";
    const char *pairs = first == 'z' ? lower : upper;
    for (size_t i = 0; pairs[i]; i += 2) {
        if (pairs[i] == letter) {
            return pairs[i + 1];
        }
    }
    return 0;
}

/* Appends a tuple such as Z2T or Z3H, or a character such as z3bbU; returns the length of its code,
 * 0 if it is none. */
static size_t append_number(hpf__buffer *out, hpf_str code, bool *fits)
{
    char digits[8] = "", *end, text[4];
    bool is_character = *code.data == 'z';
    memcpy(digits, code.data + 1, code.length - 1 < 7 ? code.length - 1 : 7);
    unsigned long n = strtoul(digits, &end, is_character ? 16 : 10);
    size_t length = 1 + (size_t)(end - digits) + 1;
    if (digits[0] < '0' || digits[0] > '9') {
        return 0;
    }
    if (is_character && *end == 'U' && n < 0x110000) {
        *fits &= hpf__buffer_append(out, text, hpf_utf8_put(text, (uint32_t)n));
        return length;
    }
    bool is_boxed = *end == 'T';
    if (is_character || (!is_boxed && *end != 'H') || n == 0 || n > 64) {
        return 0;
    }
    *fits &= hpf__buffer_append(out, "(#", is_boxed ? 1 : 2);
    for (unsigned long i = 1; i < n; i++) {
        *fits &= hpf__buffer_append(out, ",", 1);
    }
    *fits &= hpf__buffer_append(out, is_boxed ? ")" : "#)", is_boxed ? 1 : 2);
    return length;
}

/* Appends a name that GHC has encoded (compiler/GHC/Utils/Encoding). */
static bool append_decoded(hpf__buffer *out, hpf_str code)
{
    bool fits = true;
    while (code.length > 0 && fits) {
        bool is_escape = (*code.data == 'z' || *code.data == 'Z') && code.length > 1;
        char c = is_escape ? decoded(*code.data, code.data[1]) : 0;
        size_t length = is_escape && !c ? append_number(out, code, &fits) : 0;
        if (length == 0) {
            length = c ? 2 : 1;
            fits = hpf__buffer_append(out, c ? &c : code.data, 1);
        }
        code = hpf_str_from(code, length);
    }
    return fits;
}

static bool is_module(hpf_str part)
{
    return part.length > 0 && *part.data >= 'A' && *part.data <= 'Z' && !hpf_str_find(part, "zm");
}

/* Divides a symbol, PACKAGE_MODULE_NAME_info, or _con_info for a constructor. The package main has
 * no name. Symbols of the run-time system have no module. */
static void divide(hpf_str whole, hpf_str *module, hpf_str *name)
{
    hpf_str rest = {whole.data, whole.length - strlen(SUFFIX)};
    *name = rest;
    *module = hpf__take_until(&rest, '_');
    *module = is_module(*module) ? *module : hpf__take_until(&rest, '_');
    if (hpf_str_begins(whole, "stg_") || !is_module(*module) || rest.length == 0) {
        *module = HPF_STR("");
        return;
    }
    path_drop_suffix(&rest, "_con");
    *name = rest;
}

/* Returns the first symbol at an address or after it; NULL: none. */
static const symbol *symbol_from(const info_tables *t, uint64_t address)
{
    size_t first;
    HPF__ARRAY_BISECT(first, t->n_symbols, i, t->symbols[i].address < address);
    return first < t->n_symbols ? &t->symbols[first] : NULL;
}

hpf_status info_tables_find(info_tables *t, uint64_t address, hpf_frame *frame, bool *is_found,
                            hpf_error *err)
{
    const symbol *found = symbol_from(t, address);
    *is_found = found != NULL;
    if (!found) {
        return HPF_OK;
    }
    hpf_str module, name;
    char local[24] = "";
    uint64_t gap = found->address - address;
    divide(hpf_str_of(t->names + found->name_at), &module, &name);
    if (gap > 0 && gap != TABLE_BYTES && gap != PROFILED_TABLE_BYTES) {
        snprintf(local, sizeof local, ":0x%llx", (unsigned long long)address);
    }
    t->text.length = 0;
    bool fits = append_decoded(&t->text, module);
    size_t n_module = t->text.length;
    fits = fits &&
           (module.length > 0 ? append_decoded(&t->text, name) : hpf__buffer_add(&t->text, name));
    if (!fits || !hpf__buffer_append(&t->text, local, strlen(local))) {
        return hpf_error_set_memory(err);
    }
    *frame = (hpf_frame){.module = {t->text.bytes, n_module},
                         .label = {t->text.bytes + n_module, t->text.length - n_module}};
    return HPF_OK;
}
