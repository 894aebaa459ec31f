/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbol_table.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A symbol is nested in at most this many others. */
#define NESTING_MAX 16

typedef struct candidate {
    hpp__symbol symbol;
    unsigned rank; /* among symbols at one address, the lowest wins */
} candidate;

/* Returns whether a symbol is a function, or a label in code: assembly does not always mark
 * functions. */
static bool is_code(const char *name, const GElf_Sym *symbol, GElf_Word section, Elf *elf)
{
    GElf_Shdr header;
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (!name || !name[0] || symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0) {
        return false;
    }
    if (type == STT_NOTYPE) {
        Elf_Scn *in = name[0] == '.' || section == (GElf_Word)-1 ? NULL : elf_getscn(elf, section);
        return in && gelf_getshdr(in, &header) && header.sh_flags & SHF_EXECINSTR;
    }
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static bool is_data(const char *name, const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return name && name[0] && symbol->st_shndx != SHN_UNDEF && symbol->st_size > 0 &&
           (type == STT_OBJECT || type == STT_COMMON || type == STT_TLS);
}

static unsigned rank_symbol(const char *name, const GElf_Sym *symbol)
{
    bool is_mangled = strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
    unsigned n_underscores = 0;
    while (!is_mangled && n_underscores < 255 && name[n_underscores] == '_') {
        n_underscores++;
    }
    return (symbol->st_size == 0 ? 1u << 10 : 0) |
           (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 1u << 9 : 0) | n_underscores << 1 |
           (GELF_ST_BIND(symbol->st_info) == STB_LOCAL);
}

/* Returns the length of a name without its version ("memcpy@@GLIBC_2.14"). */
static size_t length_of(const char *name)
{
    return name[0] ? 1 + strcspn(name + 1, "@") : 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_candidates(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    int order = compare_numbers(a->symbol.start, b->symbol.start);
    order = order ? order : compare_numbers(a->rank, b->rank);
    if (order) {
        return order;
    }
    order = compare_numbers(length_of(a->symbol.name), length_of(b->symbol.name));
    order = order ? order : strcmp(a->symbol.name, b->symbol.name);
    return order ? order : compare_numbers(a->symbol.n_bytes, b->symbol.n_bytes);
}

static size_t gather(candidate *into, size_t n, Dwfl_Module *module, uint64_t bias,
                     hpp__symbol_kind kind)
{
    size_t n_gathered = 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf;
        const char *name =
            dwfl_module_getsym_info(module, (int)i, &symbol, &address, &section, &elf, NULL);
        if (kind == HPP__SYMBOLS_OF_CODE ? is_code(name, &symbol, section, elf)
                                         : is_data(name, &symbol)) {
            bool is_local = GELF_ST_TYPE(symbol.st_info) == STT_TLS;
            uint64_t start = is_local ? HPP__THREAD_LOCAL + symbol.st_value : address - bias;
            into[n_gathered++] =
                (candidate){{start, symbol.st_size, name}, rank_symbol(name, &symbol)};
        }
    }
    return n_gathered;
}

/* Keeps the best symbol of each address, but none without size inside another. */
static void keep_best(hpp__symbol_table *table, const candidate *sorted, size_t n)
{
    uint64_t covered_end = 0;
    for (size_t i = 0; i < n; i++) {
        const hpp__symbol *symbol = &sorted[i].symbol;
        bool is_alias = i > 0 && symbol->start == sorted[i - 1].symbol.start;
        if (is_alias || (symbol->n_bytes == 0 && symbol->start < covered_end)) {
            continue;
        }
        if (symbol->start + symbol->n_bytes > covered_end) {
            covered_end = symbol->start + symbol->n_bytes;
        }
        table->symbols[table->n_symbols++] = *symbol;
    }
}

void hpp__symbol_table_read(hpp__symbol_table *table, Dwfl_Module *module, uint64_t bias,
                            hpp__symbol_kind kind)
{
    int n = dwfl_module_getsymtab(module);
    *table = (hpp__symbol_table){0};
    candidate *all = n > 0 ? malloc((size_t)n * sizeof *all) : NULL;
    size_t n_gathered = all ? gather(all, (size_t)n, module, bias, kind) : 0;
    table->symbols = n_gathered ? malloc(n_gathered * sizeof *table->symbols) : NULL;
    if (table->symbols) {
        qsort(all, n_gathered, sizeof *all, compare_candidates);
        keep_best(table, all, n_gathered);
    }
    free(all);
}

void hpp__symbol_table_finish(hpp__symbol_table *table)
{
    free(table->symbols);
    *table = (hpp__symbol_table){0};
}

/* Returns the index of the first symbol after an address. */
static size_t index_after(const hpp__symbol_table *table, uint64_t address)
{
    size_t first;
    HPF__ARRAY_BISECT(first, table->n_symbols, i, table->symbols[i].start <= address);
    return first;
}

const hpp__symbol *hpp__symbol_table_after(const hpp__symbol_table *table, uint64_t address)
{
    size_t i = index_after(table, address);
    return i < table->n_symbols ? &table->symbols[i] : NULL;
}

const hpp__symbol *hpp__symbol_table_find(const hpp__symbol_table *table, uint64_t address)
{
    size_t low = index_after(table, address);
    for (size_t i = 0; i < NESTING_MAX && i < low; i++) {
        const hpp__symbol *symbol = &table->symbols[low - 1 - i];
        bool is_open = i == 0 && symbol->n_bytes == 0;
        if (is_open || address - symbol->start < symbol->n_bytes) {
            return symbol;
        }
    }
    return NULL;
}

bool hpp__symbol_table_has(const hpp__symbol_table *table, const char *name)
{
    size_t i = 0;
    while (i < table->n_symbols && strcmp(table->symbols[i].name, name) != 0) {
        i++;
    }
    return i < table->n_symbols;
}
