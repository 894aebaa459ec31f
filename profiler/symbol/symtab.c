/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All symbols are ranked once, with the strings in memory; then one symbol per address is kept.
 */
#include "symtab.h"

#include <stdlib.h>
#include <string.h>

/* A symbol lies in at most this many others. */
#define NESTING_MAX 16

/* A symbol of the table, to be sorted. */
typedef struct place {
    uint64_t start;
    size_t index;
} place;

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

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Which of two symbols at one address names it: the one that comes first. */
static int compare_ranks(const input *in, const Elf64_Sym *a, const Elf64_Sym *b)
{
    const char *name_a = in->strings + a->st_name, *name_b = in->strings + b->st_name;
    int order = compare_numbers(a->st_size == 0, b->st_size == 0);
    order = order ? order
                  : compare_numbers(ELF64_ST_TYPE(a->st_info) == STT_NOTYPE,
                                    ELF64_ST_TYPE(b->st_info) == STT_NOTYPE);
    order = order ? order : compare_numbers(count_underscores(name_a), count_underscores(name_b));
    order = order ? order
                  : compare_numbers(ELF64_ST_BIND(a->st_info) == STB_LOCAL,
                                    ELF64_ST_BIND(b->st_info) == STB_LOCAL);
    order = order ? order : compare_numbers(strcspn(name_a, "@"), strcspn(name_b, "@"));
    order = order ? order : strcmp(name_a, name_b);
    return order ? order : compare_numbers(a->st_size, b->st_size);
}

/* ---- Sorting by address ---- */

#define DIGIT_BITS 12
#define N_DIGITS   (1u << DIGIT_BITS)

/* Sorts by one digit of the distance from `base`; places of equal digits keep their order. */
static void sort_by_digit(const place *from, place *to, size_t n, uint64_t base, unsigned shift)
{
    size_t ends[N_DIGITS] = {0};
    for (size_t i = 0; i < n; i++) {
        ends[(from[i].start - base) >> shift & (N_DIGITS - 1)]++;
    }
    size_t n_before = 0;
    for (size_t digit = 0; digit < N_DIGITS; digit++) {
        size_t n_here = ends[digit];
        ends[digit] = n_before;
        n_before += n_here;
    }
    for (size_t i = 0; i < n; i++) {
        to[ends[(from[i].start - base) >> shift & (N_DIGITS - 1)]++] = from[i];
    }
}

/* Sorts places by address, digit by digit, the lowest first; addresses of a file are near each
 * other, so there are few digits. Returns the array with the result: either of the two. */
static place *sort_places(place *places, place *other, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        least = places[i].start < least ? places[i].start : least;
        most = places[i].start > most ? places[i].start : most;
    }
    for (unsigned shift = 0; shift < 64 && (most - least) >> shift > 0; shift += DIGIT_BITS) {
        sort_by_digit(places, other, n, least, shift);
        place *sorted = other;
        other = places;
        places = sorted;
    }
    return places;
}

/* ---- Building ---- */

static size_t gather(const input *in, place *places)
{
    size_t n = 0;
    for (size_t i = 0; i < in->n_symbols; i++) {
        if (is_code(in, &in->symbols[i])) {
            places[n++] = (place){in->symbols[i].st_value, i};
        }
    }
    return n;
}

/* The best of the places from `*at` on that have one address; moves `*at` behind them. */
static hpp__symbol best_of(const input *in, const place *sorted, size_t n, size_t *at)
{
    const uint64_t start = sorted[*at].start;
    const Elf64_Sym *best = &in->symbols[sorted[*at].index];
    while (++*at < n && sorted[*at].start == start) {
        const Elf64_Sym *other = &in->symbols[sorted[*at].index];
        if (compare_ranks(in, other, best) < 0) {
            best = other;
        }
    }
    uint64_t n_bytes = best->st_size < UINT32_MAX ? best->st_size : UINT32_MAX;
    return (hpp__symbol){start, (uint32_t)n_bytes, best->st_name};
}

/* Keeps the best symbol of each address; none without size inside another. */
static void keep_best(hpp__symtab *table, const input *in, const place *sorted, size_t n)
{
    uint64_t covered_end = 0;
    size_t n_kept = 0;
    for (size_t at = 0; at < n;) {
        hpp__symbol symbol = best_of(in, sorted, n, &at);
        if (symbol.n_bytes == 0 && symbol.start < covered_end) {
            continue;
        }
        if (symbol.start + symbol.n_bytes > covered_end) {
            covered_end = symbol.start + symbol.n_bytes;
        }
        table->symbols[n_kept++] = symbol;
    }
    hpp__symbol *fitting = n_kept ? realloc(table->symbols, n_kept * sizeof *fitting) : NULL;
    table->symbols = fitting ? fitting : table->symbols;
    table->n_symbols = n_kept;
}

static void build(hpp__symtab *table, const input *in)
{
    place *places = malloc(in->n_symbols * 2 * sizeof *places + 1);
    table->symbols = malloc(in->n_symbols * sizeof *table->symbols + 1);
    if (places && table->symbols) {
        size_t n = gather(in, places);
        keep_best(table, in, sort_places(places, places + n, n), n);
    }
    free(places);
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
