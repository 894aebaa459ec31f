/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses names into package, module and entity.
 */
#include "chart/group.h"

#include "base/names.h"

#include <string.h>

#include "hpfile/str.h"
#include "base/lex.h"
#include "base/words.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Returns whether Haskell allows a character in names. */
static bool is_word(char c)
{
    return hpf__is_word(c) || c == '\'';
}

static hpf_str up_to(hpf_str text, size_t end)
{
    return (hpf_str){text.data, end};
}

/* Returns the length of the package before a colon; 0 if there is none. */
static size_t package_length(hpf_str text)
{
    size_t i = 0;
    while (i < text.length &&
           (is_word(text.data[i]) || text.data[i] == '-' || text.data[i] == '.')) {
        i++;
    }
    bool is_there =
        i > 0 && i + 1 < text.length && text.data[i] == ':' && is_upper(text.data[i + 1]);
    return is_there ? i : 0;
}

/* The parts of a name; missing ones are empty. */
typedef struct parts {
    hpf_str package, module, entity;
} parts;

/* Returns the end of a capitalised word at `begin`, or `begin` if there is none. */
static size_t end_of_capital_word(hpf_str text, size_t begin)
{
    size_t i = begin;
    if (i < text.length && is_upper(text.data[i])) {
        while (i < text.length && is_word(text.data[i])) {
            i++;
        }
    }
    return i;
}

/* Returns whether the producer cut a name: GHC ends stacks with "..." that are longer than -L. */
static bool is_cut(hpf_str text)
{
    return hpf_str_ends(text, "...");
}

static parts parse_name(hpf_str text)
{
    if (text.length > 2 && text.data[0] == '<' && text.data[text.length - 1] == '>') {
        text = up_to(hpf_str_from(text, 1), text.length - 2);
    }
    parts p = {.package = up_to(text, package_length(text))};
    text = p.package.length > 0 ? hpf_str_from(text, p.package.length + 1) : text;
    size_t module_end = 0;
    size_t begin = 0;
    size_t end = end_of_capital_word(text, begin);
    while (end > begin && end + 1 < text.length && text.data[end] == '.') {
        module_end = end;
        begin = end + 1;
        end = end_of_capital_word(text, begin);
    }
    p.entity = hpf_str_from(text, begin);
    /* Capitalised words alone, without a package, are a module. */
    bool is_module = p.package.length == 0 && begin > 0 && end == text.length;
    p.module = up_to(text, is_module && !hpf_str_is(p.entity, "CAF") ? end : module_end);
    /* Up to the cut, a capitalised word may be part of the module, and cut as well. */
    if (is_cut(text) && begin + 3 >= text.length) {
        p.module = p.entity = up_to(text, 0);
    }
    return p;
}

static hpf_str module_of_stack(hpf_str stack)
{
    while (stack.length > 0) {
        parts p = parse_name(hpf__take_until(&stack, '/'));
        if (p.module.length > 0) {
            return p.module;
        }
    }
    return stack;
}

/* Returns "THUNK" of "THUNK_1_0". */
static hpf_str without_shape(hpf_str type)
{
    size_t end = type.length;
    while (end > 0 && hpf__is_digit(type.data[end - 1])) {
        size_t begin = end;
        while (begin > 0 && hpf__is_digit(type.data[begin - 1])) {
            begin--;
        }
        if (begin < 2 || type.data[begin - 1] != '_') {
            break;
        }
        end = begin - 1;
    }
    for (size_t i = 0; i < end; i++) {
        if (!is_upper(type.data[i]) && type.data[i] != '_') {
            return type;
        }
    }
    return up_to(type, end);
}

/* Returns "std::vector" of "std::vector<int>"; operators such as "<>" stay whole. */
static hpf_str without_arguments(hpf_str type)
{
    size_t i = 0;
    while (i < type.length && (is_word(type.data[i]) || type.data[i] == ':')) {
        i++;
    }
    bool has_arguments = i > 0 && is_word(type.data[0]) && i < type.length && type.data[i] == '<';
    return has_arguments ? up_to(type, i) : type;
}

/* Returns the length of the separator at `i`; 0 if there is none. */
static size_t separator_at(hpf_str text, size_t i, bool is_stack)
{
    if (text.data[i] == '/' || (!is_stack && text.data[i] == '.')) {
        return 1;
    }
    bool is_double =
        !is_stack && i + 1 < text.length && text.data[i] == ':' && text.data[i + 1] == ':';
    return is_double ? 2 : 0;
}

static hpf_str prefix_of(hpf_str text, int n_parts, bool is_stack)
{
    size_t package = is_stack ? 0 : package_length(text);
    size_t part_begin = package > 0 ? package + 1 : 0;
    size_t end = is_cut(text) ? text.length - 3 : text.length;
    n_parts -= package > 0;
    if (n_parts == 0) {
        return up_to(text, package);
    }
    for (size_t i = part_begin; i < end; i++) {
        if (!is_stack && memchr("(<[ \"", text.data[i], 5)) {
            break; /* arguments and operators are not divided */
        }
        size_t length = i > part_begin ? separator_at(text, i, is_stack) : 0;
        if (length > 0) {
            if (--n_parts == 0) {
                return up_to(text, i);
            }
            part_begin = i + length;
            i += length - 1;
        }
    }
    return text;
}

hpf_str hpr__part_of(hpf_str name, hpr_group group, int n_parts)
{
    hpf_str bare = hpf__without_id(name);
    bool is_stack = bare.length < name.length;
    hpf_str found = {NULL, 0};
    switch (group) {
    case HPR_GROUP_NONE:
        break;
    case HPR_GROUP_MODULE:
        found = is_stack ? module_of_stack(bare) : parse_name(bare).module;
        break;
    case HPR_GROUP_TYPE:
        found = is_stack ? found : without_arguments(without_shape(parse_name(bare).entity));
        break;
    case HPR_GROUP_PACKAGE:
        found = is_stack ? found : parse_name(bare).package;
        break;
    case HPR_GROUP_HOLDER:
        found = is_stack ? hpf__package_of_holders(bare) : found;
        break;
    case HPR_GROUP_STACK:
        return bare;
    case HPR_GROUP_PREFIX:
        found = prefix_of(bare, n_parts, is_stack);
        break;
    }
    return is_cut(found) ? up_to(found, 0) : found;
}
