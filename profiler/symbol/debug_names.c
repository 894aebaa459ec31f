/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A description does not know its parent. But descriptions lie in the order of the tree, so the way
 * down to one is found by taking, on each level, the last that does not begin behind it.
 */
#include "base/arena.h"
#include "debug_names.h"

#include "text.h"

#define DEPTH_MAX 64

/* Copies of a function refer to its description, a definition refers to its declaration. */
#define REFERENCES_MAX 16

void hpp__debug_names_finish(hpp__debug_names *names)
{
    hpp__map_finish(&names->known);
}

static Dwarf_Die declaration_of(const hpp__libdw *call, Dwarf_Die die)
{
    for (unsigned i = 0; i < REFERENCES_MAX; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die other;
        if (!(call->attribute(&die, DW_AT_abstract_origin, &attribute) ||
              call->attribute(&die, DW_AT_specification, &attribute)) ||
            !call->reference(&attribute, &other)) {
            break;
        }
        die = other;
    }
    return die;
}

static const char *own_name(const hpp__libdw *call, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return call->attribute(die, DW_AT_name, &attribute) ? call->text(&attribute) : NULL;
}

/* C has nothing to put before a name. */
static bool is_in_c(const hpp__libdw *call, Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word language;
    if (!call->attribute(unit, DW_AT_language, &attribute) ||
        call->number(&attribute, &language) != 0) {
        return false;
    }
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11;
}

static void add(hpp__text *text, const char *piece)
{
    hpp__text_add(text, (hpf_str){piece, strlen(piece)});
}

/* What a description adds to the names of those inside. */
static void add_scope(const hpp__libdw *call, hpp__text *text, Dwarf_Die *die)
{
    const char *name = own_name(call, die);
    switch (call->tag(die)) {
    case DW_TAG_namespace:
        add(text, name ? name : "(anonymous namespace)");
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        add(text, name ? name : "(unnamed)");
        break;
    case DW_TAG_subprogram:
        if (!name) {
            return;
        }
        add(text, name);
        break;
    default:
        return;
    }
    add(text, "::");
}

/* The child of `parent` that is `wanted` or holds it. */
static bool step_down(const hpp__libdw *call, Dwarf_Die *parent, const Dwarf_Die *wanted,
                      Dwarf_Die *out)
{
    hpp__walk walk = {.call = call};
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

static void add_scopes(const hpp__libdw *call, hpp__text *text, Dwarf_Die *unit,
                       const Dwarf_Die *wanted)
{
    Dwarf_Die at = *unit, next;
    for (unsigned depth = 0; depth < DEPTH_MAX && step_down(call, &at, wanted, &next); depth++) {
        if (next.addr == wanted->addr) {
            break;
        }
        add_scope(call, text, &next);
        at = next;
    }
}

static const char *qualify(hpf_arena *arena, const hpp__libdw *call, Dwarf_Die *die,
                           const char *name)
{
    Dwarf_Die unit;
    if (call->unit_info(die->cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
        is_in_c(call, &unit)) {
        return name;
    }
    hpp__text text = {0};
    add_scopes(call, &text, &unit, die);
    add(&text, name);
    const char *kept = text.is_short ? NULL : hpf_arena_text(arena, hpp__text_str(&text));
    hpp__text_finish(&text);
    return kept ? kept : name;
}

const char *hpp__debug_name(hpp__debug_names *names, const hpp__libdw *call, Dwarf_Die *die)
{
    Dwarf_Die declaration = declaration_of(call, *die);
    const char *name = own_name(call, &declaration);
    if (!name) {
        return NULL;
    }
    uint64_t *slot = hpp__map_add(&names->known, (uint64_t)(uintptr_t)declaration.addr);
    if (!slot) {
        return name;
    }
    if (*slot == 0) {
        *slot = (uint64_t)(uintptr_t)qualify(names->arena, call, &declaration, name);
    }
    return (const char *)(uintptr_t)*slot;
}
