/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What debugging information says about an address: the function, the functions inlined there,
 * files and lines.
 *
 * libdw's own search (dwarf_getscopes) reads the whole unit at every call, and dwarf_addrdie needs
 * .debug_aranges, which Clang does not write. So this module keeps two kinds of sorted tables:
 * address ranges of units, read at first; and address ranges of the functions of a unit, read when
 * an address in that unit is first looked up.
 */
#ifndef HPP_SYMBOL_DEBUG_INFO_H
#define HPP_SYMBOL_DEBUG_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "hpprof/function.h"

#define HPP__FRAMES_MAX 64

struct Dwarf;

/* A function at an address. Texts are valid as long as the debugging information. */
typedef struct hpp__debug_frame {
    const char *linkage;    /* NULL: none; C has none */
    const char *name;       /* NULL: only file and line are known */
    const char *file;       /* NULL: unknown */
    uint32_t line;          /* 0: unknown */
    const char *start_file; /* where the function begins; NULL: unknown */
    uint32_t start_line;    /* 0: unknown */
} hpp__debug_frame;

/* A variable in a frame: [begin, end), relative to the canonical frame address. */
#define HPP__LOCALS_MAX 256
typedef struct hpp__debug_local {
    const char *name;
    hpp__debug_frame function;
    bool is_inlined; /* the function */
    bool is_over;    /* its block is not the one at the address, nor around that */
    int64_t begin, end;
} hpp__debug_local;

typedef struct hpp__debug_info hpp__debug_info;

/* Reads the address ranges of the units in `dwarf`, which must outlive the result. Returns NULL if
 * there are none, or no memory. */
hpp__debug_info *hpp__debug_info_read(struct Dwarf *dwarf);
void hpp__debug_info_free(hpp__debug_info *in);

/* Stores the functions at an address, innermost first; `frames` has room for HPP__FRAMES_MAX.
 * Returns their number, 0 if nothing is known. */
size_t hpp__debug_info_find(hpp__debug_info *in, uint64_t address, hpp__debug_frame *frames);

/* Stores the variables that are in the frame of the function at an address, which has `rule`;
 * `locals` has room for HPP__LOCALS_MAX. Returns their number. */
size_t hpp__debug_info_locals(hpp__debug_info *in, uint64_t address, const hpp_caller_rule *rule,
                              hpp__debug_local *locals);

/* Replaces `out` by the type that the result of a call points to (result_type.h), and says whether
 * that is a structure or class. Returns false if it is not known. */
bool hpp__debug_info_result_type(hpp__debug_info *in, const hpp__code *code, hpp__text *out,
                                 bool *is_structure);

/* Replaces `out` by the member at an offset in a block of a type (members.h). Returns false if it
 * is not known. */
bool hpp__debug_info_member(hpp__debug_info *in, hpf_str type, uint64_t size_bytes, uint64_t offset,
                            hpp__text *out);

#endif
