/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of a symbol table, sorted by address: 16 bytes each. Names stay in the file until
 * they are asked for.
 *
 * Of several symbols at one address the one that people know wins: a function before a bare label,
 * few leading underscores ("malloc", not "__libc_malloc"), global before local, short before long.
 */
#ifndef HPP_SYMBOL_SYMTAB_H
#define HPP_SYMBOL_SYMTAB_H

#include "elf_file.h"

/* Longer names are taken as none. */
#define HPP__SYMBOL_NAME_MAX 65535

typedef struct hpp__symbol {
    uint64_t start;
    uint32_t n_bytes; /* 0: not said; up to the next symbol, maybe */
    uint32_t name;    /* offset in the strings */
} hpp__symbol;

typedef struct hpp__symtab {
    hpp__symbol *symbols;
    size_t n_symbols;
    hpp__file *file; /* borrowed */
    uint64_t strings_offset;
    uint64_t n_strings;
} hpp__symtab;

/* Reads the table in a section of type SHT_SYMTAB or SHT_DYNSYM. Keeps a reference to the file of
 * `elf`. False when there are no functions in it; then the table is empty. */
bool hpp__symtab_read(hpp__symtab *table, const hpp__elf *elf, const Elf64_Shdr *section);
void hpp__symtab_finish(hpp__symtab *table);

/* The symbol that contains an address, or the one without size that is next before it; or NULL. */
const hpp__symbol *hpp__symtab_find(const hpp__symtab *table, uint64_t address);

/* Its name, without the version behind an '@'; `into` has room for HPP__SYMBOL_NAME_MAX + 1 bytes.
 * Its length, or 0. */
size_t hpp__symtab_name(const hpp__symtab *table, const hpp__symbol *symbol, char *into);

#endif
