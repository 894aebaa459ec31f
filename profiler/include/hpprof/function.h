/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions at an address, as the resolver returns them.
 */
#ifndef HPPROF_FUNCTION_H
#define HPPROF_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hpfile/event.h"

HPF_BEGIN_DECLS

/* A function at an address. Texts are never NULL and end with a NUL; they are valid until the
 * resolver is destroyed. Equal texts are equal pointers. */
typedef struct hpp_function {
    hpf_str name;    /* demangled, without parameters: "std::vector<int>::push_back" */
    hpf_str linkage; /* as in the object file; empty if there is none */
    hpf_str module;  /* the file's name without folders: "libc.so.6"; "[generated]" for path "" */
    hpf_str file;    /* source file with its folders, as the compiler recorded it; or empty */
    uint32_t line;   /* 0: unknown. For the caller of an inlined function: the line of the call */
    bool is_inlined; /* into the next of the list */
    bool has_symbol; /* false: the name is `module+0x1234` */
    hpf_str start_file;  /* where the source of the function begins; or empty */
    uint32_t start_line; /* 0: unknown */
} hpp_function;

/* The functions at one address, innermost first: the inlined ones, then the one that contains the
 * code. At least one, and never the same one twice in a row. */
typedef struct hpp_functions {
    const hpp_function *list;
    size_t n;
} hpp_functions;

/* A variable at an address. */
typedef struct hpp_variable {
    hpf_str name;        /* demangled; valid until the resolver is destroyed */
    uint64_t begin, end; /* its addresses, in the file's own terms */
} hpp_variable;

/* A variable in the frame of a function, or of a function inlined into it. */
typedef struct hpp_local {
    hpf_str name;       /* "server in main"; valid until the resolver is destroyed */
    int64_t begin, end; /* its place, relative to the canonical frame address */
    bool is_inlined;    /* the function */
    bool is_over;       /* the function has left the block of the variable */
} hpp_local;

/* How the frame of a function's caller is found from code of the function, in DWARF's numbers of
 * registers: the canonical frame address (CFA), which is the stack pointer before the call, and
 * where the function has saved registers. */
enum { HPP_CALLER_REGISTERS = 17 /* the last one is the return address */, HPP_CALLER_CFA = 17 };
typedef struct hpp_caller_rule {
    hpf_str function; /* demangled, valid until the resolver is destroyed; empty: no symbol */
    uint32_t cfa_register;
    int64_t cfa_offset;
    bool is_cfa_stored; /* it is the word at that place */
    bool is_saved[HPP_CALLER_REGISTERS];
    uint8_t saved_from[HPP_CALLER_REGISTERS]; /* a register, or HPP_CALLER_CFA */
    int64_t saved_at[HPP_CALLER_REGISTERS];   /* offsets from that */
} hpp_caller_rule;

/* Code that may have no symbol. Texts are valid until the resolver is destroyed. */
typedef struct hpp_code {
    hpf_str symbol;  /* the first one that begins there or later; empty: none */
    bool is_its_own; /* that symbol begins there */
    hpf_str name;    /* as in the source, by debugging information; empty: not known */
    hpf_str file;    /* the same, with its folders; empty: not known */
    uint32_t line;
} hpp_code;

/* Code after a call. */
typedef struct hpp__code {
    uint64_t address;
    const uint8_t *bytes;
    size_t n_bytes;
} hpp__code;

enum { HPP__RESULT_CODE_BYTES = 48 /* more are not looked at */ };

HPF_END_DECLS
#endif
