/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All symbols are ranked once, with the strings in memory; then one symbol per address is kept.
 */
#include "symtab.h"

#include <stdlib.h>
#include <string.h>

/* A symbol lies in at most this many others. */
#define NESTING_MAX 16

/* What decides between symbols at one address. */
typedef struct candidate {
    hpp__symbol symbol; /* n_bytes 0: not said */
    const char *name;
    uint32_t length;
    uint8_t is_label;
    uint8_t n_underscores;
    uint8_t is_local;
} candidate;

/* What a table is made from. */
typedef struct input {
    const hpp__elf *elf;
    const Elf64_Sym *symbols;
    size_t n_symbols;
    const char *strings; /* ends with NUL */
    uint64_t n_strings;
} input;

static bool is_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

static uint8_t count_underscores(const char *name)
{
    uint8_t n = 0;
    while (n < UINT8_MAX && name[n] == '_' && !is_mangled(name)) {
        n++;
    }
    return n;
}

/* Functions, and labels in code (assembly does not always say what is a function). */
static bool is_code(const input *in, const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0 ||
        symbol->st_name >= in->n_strings || in->strings[symbol->st_name] == 0) {
        return false;
    }
    if (type == STT_NOTYPE) {
        return symbol->st_shndx < in->elf->n_sections &&
               in->elf->sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR &&
               in->strings[symbol->st_name] != '.';
    }
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static candidate make_candidate(const input *in, const Elf64_Sym *symbol)
{
    const char *name = in->strings + symbol->st_name;
    return (candidate){
        .symbol = {symbol->st_value,
                   symbol->st_size < UINT32_MAX ? (uint32_t)symbol->st_size : UINT32_MAX,
                   symbol->st_name},
        .name = name,
        .length = (uint32_t)strcspn(name, "@"),
        .is_label = ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE,
        .n_underscores = count_underscores(name),
        .is_local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL,
    };
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By address, the best first. */
static int compare_candidates(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    int order = compare_numbers(a->symbol.start, b->symbol.start);
    order = order ? order : compare_numbers(a->symbol.n_bytes == 0, b->symbol.n_bytes == 0);
    order = order ? order : compare_numbers(a->is_label, b->is_label);
    order = order ? order : compare_numbers(a->n_underscores, b->n_underscores);
    order = order ? order : compare_numbers(a->is_local, b->is_local);
    order = order ? order : compare_numbers(a->length, b->length);
    order = order ? order : strcmp(a->name, b->name);
    return order ? order : compare_numbers(a->symbol.n_bytes, b->symbol.n_bytes);
}

/* Keeps the best symbol of each address; none without size inside another. */
static void keep_best(hpp__symtab *table, const candidate *sorted, size_t n)
{
    uint64_t covered_end = 0;
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        const hpp__symbol *symbol = &sorted[i].symbol;
        bool is_alias = i > 0 && sorted[i - 1].symbol.start == symbol->start;
        if (is_alias || (symbol->n_bytes == 0 && symbol->start < covered_end)) {
            continue;
        }
        if (symbol->start + symbol->n_bytes > covered_end) {
            covered_end = symbol->start + symbol->n_bytes;
        }
        table->symbols[n_kept++] = *symbol;
    }
    hpp__symbol *fitting = realloc(table->symbols, n_kept * sizeof *fitting);
    table->symbols = fitting ? fitting : table->symbols;
    table->n_symbols = n_kept;
}

static bool build(hpp__symtab *table, const input *in)
{
    size_t n = 0;
    for (size_t i = 0; i < in->n_symbols; i++) {
        n += is_code(in, &in->symbols[i]);
    }
    candidate *candidates = n ? malloc(n * sizeof *candidates) : NULL;
    table->symbols = n ? malloc(n * sizeof *table->symbols) : NULL;
    if (candidates && table->symbols) {
        n = 0;
        for (size_t i = 0; i < in->n_symbols; i++) {
            if (is_code(in, &in->symbols[i])) {
                candidates[n++] = make_candidate(in, &in->symbols[i]);
            }
        }
        qsort(candidates, n, sizeof *candidates, compare_candidates);
        keep_best(table, candidates, n);
    }
    free(candidates);
    return table->n_symbols > 0;
}

bool hpp__symtab_read(hpp__symtab *table, const hpp__elf *elf, const Elf64_Shdr *section)
{
    *table = (hpp__symtab){0};
    if (section->sh_entsize != sizeof(Elf64_Sym) || section->sh_link >= elf->n_sections) {
        return false;
    }
    const Elf64_Shdr *strings_section = &elf->sections[section->sh_link];
    char *strings = hpp__elf_section_copy(elf, strings_section);
    void *symbols = strings ? hpp__elf_section_copy(elf, section) : NULL;
    if (symbols) {
        *table = (hpp__symtab){.file = elf->file,
                               .strings_offset = strings_section->sh_offset,
                               .n_strings = strings_section->sh_size};
        input in = {elf, symbols, (size_t)(section->sh_size / sizeof(Elf64_Sym)), strings,
                    strings_section->sh_size};
        build(table, &in);
    }
    free(strings);
    free(symbols);
    if (table->n_symbols == 0) {
        hpp__symtab_finish(table);
    }
    return table->n_symbols > 0;
}

void hpp__symtab_finish(hpp__symtab *table)
{
    free(table->symbols);
    *table = (hpp__symtab){0};
}

const hpp__symbol *hpp__symtab_find(const hpp__symtab *table, uint64_t address)
{
    size_t low = 0, high = table->n_symbols; /* the first symbol behind the address is in there */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->symbols[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (size_t i = 0; i < NESTING_MAX && i < low; i++) {
        const hpp__symbol *symbol = &table->symbols[low - 1 - i];
        bool is_open = i == 0 && symbol->n_bytes == 0;
        if (is_open || address - symbol->start < symbol->n_bytes) {
            return symbol;
        }
    }
    return NULL;
}

size_t hpp__symtab_name(const hpp__symtab *table, const hpp__symbol *symbol, char *into)
{
    uint64_t left = symbol->name < table->n_strings ? table->n_strings - symbol->name : 0;
    size_t limit = left < HPP__SYMBOL_NAME_MAX ? (size_t)left : HPP__SYMBOL_NAME_MAX;
    size_t length = hpp__file_text(table->file, table->strings_offset + symbol->name, into, limit);
    for (size_t i = 1; i < length; i++) {
        if (into[i] == '@') {
            return i;
        }
    }
    return length;
}
