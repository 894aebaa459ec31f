/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A DIE (debugging information entry) has no reference to its parent. But DIEs are in the order of
 * the tree, so the way down to one goes, on each level, through the last DIE that does not begin
 * after it.
 */
#include "base/arena.h"
#include "scope_names.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define DEPTH_MAX 64

/* Typedefs and qualifiers of a type. */
#define PEEL_MAX 32

/* Copies of a function refer to its description, a definition refers to its declaration. */
#define REFERENCES_MAX 16

void hpp__scope_names_finish(hpp__scope_names *names)
{
    hpp__map_finish(&names->known);
}

static Dwarf_Die declaration_of(Dwarf_Die die)
{
    for (unsigned i = 0; i < REFERENCES_MAX; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die other;
        if (!(dwarf_attr(&die, DW_AT_abstract_origin, &attribute) ||
              dwarf_attr(&die, DW_AT_specification, &attribute)) ||
            !dwarf_formref_die(&attribute, &other)) {
            break;
        }
        die = other;
    }
    return die;
}

const char *hpp__own_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(die, DW_AT_name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Returns whether the language is C, which puts nothing before a name. */
static bool is_in_c(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word language;
    if (!dwarf_attr(unit, DW_AT_language, &attribute) ||
        dwarf_formudata(&attribute, &language) != 0) {
        return false;
    }
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11;
}

static void add(hpp__text *text, const char *piece)
{
    hpp__text_add(text, hpf_str_of(piece));
}

/* Returns what a class without a name is called. A lambda is one that can be called. */
static const char *name_of_unnamed(Dwarf_Die *type)
{
    hpp__walk walk = {0};
    Dwarf_Die child;
    for (bool is_there = hpp__walk_child(&walk, type, &child); is_there;
         is_there = hpp__walk_next(&walk, &child)) {
        const char *name = hpp__own_name(&child);
        if (dwarf_tag(&child) == DW_TAG_subprogram && name && strcmp(name, "operator()") == 0) {
            return "{lambda}";
        }
    }
    return "{unnamed}";
}

const char *hpp__scope_name(Dwarf_Die *die)
{
    const char *name = hpp__own_name(die);
    return name                                 ? name
           : dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)"
                                                : name_of_unnamed(die);
}

/* Appends the name of a scope. */
static void add_scope(hpp__text *text, Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    const char *name = tag == DW_TAG_subprogram ? hpp__own_name(die)
                       : tag == DW_TAG_namespace || hpp__is_structure_tag(tag)
                           ? hpp__scope_name(die)
                           : NULL;
    if (name) {
        add(text, name);
        add(text, "::");
    }
}

/* Finds the child of `parent` that is `wanted` or contains it. Returns false if there is none. */
static bool step_down(Dwarf_Die *parent, const Dwarf_Die *wanted, Dwarf_Die *out)
{
    hpp__walk walk = {0};
    Dwarf_Die child;
    bool found = false;
    bool is_there = hpp__walk_child(&walk, parent, &child);
    while (is_there && (uintptr_t)child.addr <= (uintptr_t)wanted->addr) {
        *out = child;
        found = true;
        is_there = hpp__walk_next(&walk, &child);
    }
    return found;
}

static void add_scopes(hpp__text *text, Dwarf_Die *unit, const Dwarf_Die *wanted)
{
    Dwarf_Die at = *unit, next;
    for (unsigned depth = 0; depth < DEPTH_MAX && step_down(&at, wanted, &next); depth++) {
        if (next.addr == wanted->addr) {
            break;
        }
        add_scope(text, &next);
        at = next;
    }
}

static const char *qualify(hpf_arena *arena, Dwarf_Die *die, const char *name)
{
    Dwarf_Die unit;
    if (dwarf_cu_info(die->cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 || is_in_c(&unit)) {
        return name;
    }
    hpp__text text = {0};
    add_scopes(&text, &unit, die);
    add(&text, name);
    const char *kept = text.is_short ? NULL : hpf_arena_text(arena, hpp__text_str(&text));
    hpp__text_finish(&text);
    return kept ? kept : name;
}

const char *hpp__scoped_name(hpp__scope_names *names, Dwarf_Die *die)
{
    Dwarf_Die declaration = declaration_of(*die);
    const char *name = hpp__own_name(&declaration);
    if (!name) {
        return NULL;
    }
    uint64_t *slot = hpp__map_add(&names->known, (uint64_t)(uintptr_t)declaration.addr);
    if (!slot) {
        return name;
    }
    if (*slot == 0) {
        *slot = (uint64_t)(uintptr_t)qualify(names->arena, &declaration, name);
    }
    return (const char *)(uintptr_t)*slot;
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
    return dwarf_child(parent, out) == 0 && advance(walk, out);
}

bool hpp__walk_next(hpp__walk *walk, Dwarf_Die *die)
{
    return dwarf_siblingof(die, die) == 0 && advance(walk, die);
}

bool hpp__type_of(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, out);
}

static bool is_qualifier(int tag)
{
    return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
           tag == DW_TAG_atomic_type;
}

/* Removes qualifiers and, if `with_names`, typedefs. Returns false for void. */
bool hpp__peel_type(Dwarf_Die *type, bool with_names)
{
    for (unsigned i = 0; i < PEEL_MAX; i++) {
        int tag = dwarf_tag(type);
        if (!is_qualifier(tag) && !(with_names && tag == DW_TAG_typedef)) {
            return true;
        }
        if (!hpp__type_of(type, type)) {
            return false;
        }
    }
    return false;
}

bool hpp__is_structure_tag(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool hpp__find_member(Dwarf_Die *member, Dwarf_Die *type, uint64_t *begin)
{
    Dwarf_Attribute attribute;
    int tag = dwarf_tag(member);
    *begin = 0;
    return (tag == DW_TAG_member || tag == DW_TAG_inheritance) && hpp__type_of(member, type) &&
           (!dwarf_attr(member, DW_AT_data_member_location, &attribute) ||
            dwarf_formudata(&attribute, begin) == 0);
}
