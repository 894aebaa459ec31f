/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions or variables of an object's symbol table, sorted by address. (dwfl_module_addrinfo
 * looks through the whole table at every call.)
 *
 * Where several symbols have one address, the best known name wins: a function before a bare label,
 * few leading underscores ("malloc" before "__libc_malloc"), global before local, short before
 * long.
 */
#ifndef HPP_SYMBOL_SYMBOL_TABLE_H
#define HPP_SYMBOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Dwfl_Module;

/* Of a thread-local variable, `start` is this, and its offset in the memory of a thread. */
#define HPP__THREAD_LOCAL (UINT64_C(1) << 62)

typedef struct hpp__symbol {
    uint64_t start;
    uint64_t n_bytes; /* 0: unknown */
    const char *name;
} hpp__symbol;

typedef struct hpp__symbol_table {
    hpp__symbol *symbols; /* names belong to the module */
    size_t n_symbols;
} hpp__symbol_table;

typedef enum hpp__symbol_kind {
    HPP__SYMBOLS_OF_CODE,
    HPP__SYMBOLS_OF_DATA, /* those with a size */
} hpp__symbol_kind;

/* Reads the symbols of a module; `bias` is what libdwfl adds to addresses of the file. The table is
 * empty if there are no such symbols, or no memory. */
void hpp__symbol_table_read(hpp__symbol_table *table, struct Dwfl_Module *module, uint64_t bias,
                            hpp__symbol_kind kind);
void hpp__symbol_table_finish(hpp__symbol_table *table);

/* Returns the symbol that contains an address, else the next one before it if that has no size;
 * NULL if there is neither. */
const hpp__symbol *hpp__symbol_table_find(const hpp__symbol_table *table, uint64_t address);

/* Returns the first symbol after an address, or NULL. */
const hpp__symbol *hpp__symbol_table_after(const hpp__symbol_table *table, uint64_t address);

/* Returns whether a symbol has this name. It looks at all of them. */
bool hpp__symbol_table_has(const hpp__symbol_table *table, const char *name);

#endif
