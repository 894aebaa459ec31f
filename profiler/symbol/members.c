/* SPDX-License-Identifier: BSD-2-Clause */
#include "members.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "demangle.h"
#include "hpfile/str.h"
#include "scope_names.h"

enum {
    DEPTH_MAX = 16, /* of scopes, and of structures in structures */
};

/* ---- Names of structures ---- */

static bool has(Dwarf_Die *die, unsigned name)
{
    return dwarf_hasattr(die, name) != 0;
}

/* Adds a structure under the name of a scope and its own. */
static bool add_structure(hpp__structures *s, hpf_str scope, const char *name, Dwarf_Die die)
{
    hpp__text whole = {0}, shown = {0};
    uint32_t number;
    bool is_new;
    hpp__text_add(&whole, scope);
    hpp__text_add(&whole, hpf_str_of(name));
    hpp__clean_name(&shown, hpp__text_str(&whole));
    hpp__cxx_shorten(&shown);
    size_t n = s->names.n_names;
    bool is_good = !whole.is_short && !shown.is_short &&
                   HPF__ARRAY_RESERVE(s->list, s->capacity, n + 1) &&
                   hpf__intern_add(&s->names, hpp__text_str(&shown), &number, &is_new) == HPF_OK;
    if (is_good && is_new) {
        s->list[number] = die;
    }
    if (is_good && (hpf_str_begins(scope, "std::") || hpf_str_begins(scope, "__gnu_cxx::"))) {
        is_good = hpp__map_add(&s->of_library, (uintptr_t)die.addr) != NULL;
    }
    hpp__text_finish(&whole);
    hpp__text_finish(&shown);
    return is_good;
}

/* Adds the structures in a unit, a namespace or a structure. The name of a scope ends with "::". */
static bool add_below(hpp__structures *s, hpp__walk *walk, Dwarf_Die *parent, hpf_str scope,
                      unsigned depth)
{
    Dwarf_Die die, target;
    bool is_good = true, is_there = depth < DEPTH_MAX && hpp__walk_child(walk, parent, &die);
    for (; is_there && is_good; is_there = hpp__walk_next(walk, &die)) {
        int tag = dwarf_tag(&die);
        const char *name =
            tag == DW_TAG_namespace || tag == DW_TAG_typedef || hpp__is_structure_tag(tag)
                ? hpp__own_name(&die)
                : NULL;
        bool is_whole = hpp__is_structure_tag(tag) && !has(&die, DW_AT_declaration);
        if (name && is_whole) {
            is_good = add_structure(s, scope, name, die);
        } else if (name && tag == DW_TAG_typedef && hpp__type_of(&die, &target) &&
                   hpp__peel_type(&target, true) && hpp__is_structure_tag(dwarf_tag(&target)) &&
                   !hpp__own_name(&target)) {
            is_good = add_structure(s, scope, name, target);
        }
        if (is_good && (is_whole || tag == DW_TAG_namespace) && dwarf_haschildren(&die) > 0) {
            hpp__text inner = {0};
            hpp__text_add(&inner, scope);
            hpp__text_add(&inner, hpf_str_of(hpp__scope_name(&die)));
            hpp__text_add(&inner, HPF_STR("::"));
            is_good = !inner.is_short && add_below(s, walk, &die, hpp__text_str(&inner), depth + 1);
            hpp__text_finish(&inner);
        }
    }
    return is_good;
}

/* Without memory, some structures are not known. */
static void read_structures(hpp__structures *s, Dwarf *dwarf)
{
    Dwarf_CU *handle = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    bool is_good = true;
    s->are_read = true;
    while (is_good && dwarf_get_units(dwarf, handle, &handle, NULL, &type, &die, &split) == 0) {
        hpp__walk walk = {0};
        Dwarf_Die *unit = type == DW_UT_skeleton && split.addr ? &split : &die;
        is_good = add_below(s, &walk, unit, HPF_STR(""), 0);
    }
}

void hpp__structures_finish(hpp__structures *s)
{
    hpf__intern_finish(&s->names);
    free(s->list);
    hpp__map_finish(&s->of_library);
    *s = (hpp__structures){0};
}

/* ---- Members ---- */

/* Returns the size of a type; 0 if it is not known, as that of a flexible array. */
static uint64_t size_of(Dwarf_Die *type)
{
    Dwarf_Word n_bytes;
    return dwarf_aggregate_size(type, &n_bytes) == 0 ? n_bytes : 0;
}

static void add_index(hpp__text *out, uint64_t index)
{
    char text[24];
    int n = snprintf(text, sizeof text, "[%llu]", (unsigned long long)index);
    hpp__text_add(out, (hpf_str){text, (size_t)n});
}

static bool add_path(const hpp__structures *s, hpp__text *out, Dwarf_Die structure, uint64_t offset,
                     unsigned depth);

/* Appends the rest of a path: what is at an offset in a member or an element of a type. */
static void add_rest(const hpp__structures *s, hpp__text *out, Dwarf_Die type, uint64_t offset,
                     unsigned depth)
{
    Dwarf_Die element;
    if (depth > DEPTH_MAX || !hpp__peel_type(&type, true)) {
        return;
    }
    if (dwarf_tag(&type) == DW_TAG_array_type && hpp__type_of(&type, &element)) {
        uint64_t n_bytes = size_of(&element);
        if (n_bytes > 0) {
            add_index(out, offset / n_bytes);
            add_rest(s, out, element, offset % n_bytes, depth + 1);
        }
    } else if (hpp__is_structure_tag(dwarf_tag(&type)) &&
               !hpp__map_find(&s->of_library, (uintptr_t)type.addr)) {
        size_t length = out->length;
        hpp__text_add(out, HPF_STR("."));
        if (!add_path(s, out, type, offset, depth + 1)) {
            out->length = length;
        }
    }
}

/* Appends the path to the member at an offset in a structure: its name, after those of the
 * structures that contain it. Classes that it inherits from add no name. */
static bool add_path(const hpp__structures *s, hpp__text *out, Dwarf_Die structure, uint64_t offset,
                     unsigned depth)
{
    hpp__walk walk = {0};
    Dwarf_Die member, type;
    bool is_there = depth <= DEPTH_MAX && hpp__peel_type(&structure, true) &&
                    hpp__walk_child(&walk, &structure, &member);
    for (; is_there; is_there = hpp__walk_next(&walk, &member)) {
        uint64_t begin;
        if (!hpp__find_member(&member, &type, &begin) || has(&member, DW_AT_external) ||
            has(&member, DW_AT_bit_size) || offset < begin) {
            continue;
        }
        Dwarf_Die plain = type;
        bool is_flexible = hpp__peel_type(&plain, true) && dwarf_tag(&plain) == DW_TAG_array_type;
        uint64_t n_bytes = size_of(&type);
        if (n_bytes > 0 ? offset - begin >= n_bytes : !is_flexible) {
            continue;
        }
        const char *name = dwarf_tag(&member) == DW_TAG_member ? hpp__own_name(&member) : NULL;
        if (name) {
            hpp__text_add(out, hpf_str_of(name));
            add_rest(s, out, type, offset - begin, depth);
            return true;
        }
        if (add_path(s, out, type, offset - begin, depth + 1)) {
            return true;
        }
    }
    return false;
}

/* Takes the number of elements from the end of "Node[12]"; 0 without one. */
static uint64_t take_count(hpf_str *type)
{
    uint64_t n = 0;
    size_t at = type->length;
    while (at > 0 && type->data[at - 1] != '[') {
        at--;
    }
    hpf_str digits = hpf_str_from(*type, at);
    bool is_count = at > 1 && hpf__take_whole(&digits, 10, &n) && hpf_str_is(digits, "]");
    if (is_count) {
        type->length = at - 1;
    }
    return is_count ? n : 0;
}

static bool is_pointer(hpf_str type)
{
    return type.length > 0 && type.data[type.length - 1] == '*';
}

bool hpp__structures_member(hpp__structures *s, Dwarf *dwarf, hpf_str type, uint64_t size_bytes,
                            uint64_t offset, hpp__text *out)
{
    enum { WORD_BYTES = 8 };
    uint32_t number;
    uint64_t n = take_count(&type);
    out->length = 0;
    if (is_pointer(type)) {
        add_index(out, offset / WORD_BYTES);
        return !out->is_short;
    }
    (void)(hpf__take_word(&type, "struct ") || hpf__take_word(&type, "union "));
    if (!s->are_read) {
        read_structures(s, dwarf);
    }
    if (!hpf__intern_find(&s->names, type, &number)) {
        return false;
    }
    Dwarf_Die structure = s->list[number];
    uint64_t n_bytes = size_of(&structure);
    /* What `new` stores before the elements of an array: how many there are. */
    uint64_t n_before = n > 0 && size_bytes > n * n_bytes ? size_bytes - n * n_bytes : 0;
    if (n_bytes == 0 || offset < n_before) {
        return false;
    }
    offset -= n_before;
    if (n == 0 && offset >= n_bytes && add_path(s, out, structure, offset, 0)) {
        return !out->is_short; /* in a flexible array */
    }
    if (n > 0 || offset >= n_bytes) {
        add_index(out, offset / n_bytes);
        hpp__text_add(out, HPF_STR("."));
    }
    return add_path(s, out, structure, offset % n_bytes, 0) && !out->is_short;
}
