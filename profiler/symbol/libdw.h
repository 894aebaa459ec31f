/* SPDX-License-Identifier: BSD-2-Clause
 *
 * libdw behind a table of function pointers, filled from the library when it is first wanted:
 * linking it would cost every run of census half a millisecond. See elfutils/libdw.h.
 */
#ifndef HPP_SYMBOL_LIBDW_H
#define HPP_SYMBOL_LIBDW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hpp__libdw {
    unsigned (*elf_version)(unsigned version);
    Elf *(*elf_begin)(int fd, Elf_Cmd command, Elf *archive);
    int (*elf_cntl)(Elf *elf, Elf_Cmd command);
    int (*elf_end)(Elf *elf);
    Dwarf *(*begin)(Elf *elf, Dwarf_Cmd command, Elf_Scn *group);
    int (*end)(Dwarf *dwarf);
    int (*units)(Dwarf *dwarf, Dwarf_CU *unit, Dwarf_CU **next, Dwarf_Half *version, uint8_t *type,
                 Dwarf_Die *die, Dwarf_Die *split);
    int (*unit_info)(Dwarf_CU *unit, Dwarf_Half *version, uint8_t *type, Dwarf_Die *die,
                     Dwarf_Die *split, uint64_t *id, uint8_t *n_address, uint8_t *n_offset);
    ptrdiff_t (*ranges)(Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *start,
                        Dwarf_Addr *end);
    int (*has_pc)(Dwarf_Die *die, Dwarf_Addr address);
    int (*child)(Dwarf_Die *die, Dwarf_Die *out);
    int (*sibling)(Dwarf_Die *die, Dwarf_Die *out);
    int (*tag)(Dwarf_Die *die);
    Dwarf_Attribute *(*attribute)(Dwarf_Die *die, unsigned name, Dwarf_Attribute *out);
    Dwarf_Attribute *(*inherited)(Dwarf_Die *die, unsigned name, Dwarf_Attribute *out);
    const char *(*text)(Dwarf_Attribute *attribute);
    int (*number)(Dwarf_Attribute *attribute, Dwarf_Word *out);
    Dwarf_Die *(*reference)(Dwarf_Attribute *attribute, Dwarf_Die *out);
    Dwarf_Line *(*line_at)(Dwarf_Die *unit, Dwarf_Addr address);
    int (*line_number)(Dwarf_Line *line, int *out);
    const char *(*line_file)(Dwarf_Line *line, Dwarf_Word *time, Dwarf_Word *length);
    int (*files)(Dwarf_Die *unit, Dwarf_Files **files, size_t *n);
    const char *(*file)(Dwarf_Files *files, size_t index, Dwarf_Word *time, Dwarf_Word *length);
} hpp__libdw;

/* A walk over descriptions in the order in which they lie. In a damaged file a reference to the
 * next may lead back; the walk ends there. */
typedef struct hpp__walk {
    const hpp__libdw *call;
    uintptr_t reached; /* address of the last description; 0 at the beginning */
} hpp__walk;

/* The first child of a description, or the next sibling in place of `die`. False: there is none. */
bool hpp__walk_child(hpp__walk *walk, Dwarf_Die *parent, Dwarf_Die *out);
bool hpp__walk_next(hpp__walk *walk, Dwarf_Die *die);

/* False when the library is not on this machine. It stays loaded. */
bool hpp__libdw_load(hpp__libdw *out);

#endif
