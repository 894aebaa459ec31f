/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One row for each function. What libdw takes from libelf is found through it.
 */
#include "libdw.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libdw.so.1"

typedef struct row {
    const char *name;
    size_t offset;
} row;

static const row rows[] = {
    {"elf_version", offsetof(hpp__libdw, elf_version)},
    {"elf_begin", offsetof(hpp__libdw, elf_begin)},
    {"elf_cntl", offsetof(hpp__libdw, elf_cntl)},
    {"elf_end", offsetof(hpp__libdw, elf_end)},
    {"dwarf_begin_elf", offsetof(hpp__libdw, begin)},
    {"dwarf_end", offsetof(hpp__libdw, end)},
    {"dwarf_get_units", offsetof(hpp__libdw, units)},
    {"dwarf_cu_info", offsetof(hpp__libdw, unit_info)},
    {"dwarf_ranges", offsetof(hpp__libdw, ranges)},
    {"dwarf_haspc", offsetof(hpp__libdw, has_pc)},
    {"dwarf_child", offsetof(hpp__libdw, child)},
    {"dwarf_siblingof", offsetof(hpp__libdw, sibling)},
    {"dwarf_tag", offsetof(hpp__libdw, tag)},
    {"dwarf_attr", offsetof(hpp__libdw, attribute)},
    {"dwarf_attr_integrate", offsetof(hpp__libdw, inherited)},
    {"dwarf_formstring", offsetof(hpp__libdw, text)},
    {"dwarf_formudata", offsetof(hpp__libdw, number)},
    {"dwarf_formref_die", offsetof(hpp__libdw, reference)},
    {"dwarf_getsrc_die", offsetof(hpp__libdw, line_at)},
    {"dwarf_lineno", offsetof(hpp__libdw, line_number)},
    {"dwarf_linesrc", offsetof(hpp__libdw, line_file)},
    {"dwarf_getsrcfiles", offsetof(hpp__libdw, files)},
    {"dwarf_filesrc", offsetof(hpp__libdw, file)},
};

bool hpp__libdw_load(hpp__libdw *out)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        return false;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *address = dlsym(library, rows[i].name);
        if (!address) {
            return false;
        }
        memcpy((char *)out + rows[i].offset, &address, sizeof address);
    }
    return out->elf_version(EV_CURRENT) != EV_NONE;
}

static bool advance(hpp__walk *walk, const Dwarf_Die *to)
{
    uintptr_t address = (uintptr_t)to->addr;
    bool is_ahead = address > walk->reached;
    walk->reached = address;
    return is_ahead;
}

bool hpp__walk_child(hpp__walk *walk, Dwarf_Die *parent, Dwarf_Die *out)
{
    return walk->call->child(parent, out) == 0 && advance(walk, out);
}

bool hpp__walk_next(hpp__walk *walk, Dwarf_Die *die)
{
    return walk->call->sibling(die, die) == 0 && advance(walk, die);
}
