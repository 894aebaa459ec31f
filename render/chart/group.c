/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Taking names apart.
 */
#include "chart/group.h"

#include "hpfile/str.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A letter, which any byte outside ASCII is taken for, a digit, or what else Haskell has in names.
 */
static bool is_word(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '\'' ||
           (c & 0x80) != 0;
}

static hpf_str from(hpf_str text, size_t begin)
{
    return (hpf_str){text.data + begin, text.length - begin};
}

static hpf_str up_to(hpf_str text, size_t end)
{
    return (hpf_str){text.data, end};
}

/* Length of the package in front of a colon; 0: there is none. */
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

/* A name of one thing, taken apart; what it does not say is empty. */
typedef struct parts {
    hpf_str package, module, entity;
} parts;

/* How far a capital word goes from `begin`; `begin` itself when there is none. */
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

static parts take_apart(hpf_str text)
{
    if (text.length > 2 && text.data[0] == '<' && text.data[text.length - 1] == '>') {
        text = up_to(from(text, 1), text.length - 2);
    }
    parts p = {.package = up_to(text, package_length(text))};
    text = p.package.length > 0 ? from(text, p.package.length + 1) : text;
    size_t module_end = 0;
    size_t begin = 0;
    size_t end = end_of_capital_word(text, begin);
    while (end > begin && end + 1 < text.length && text.data[end] == '.') {
        module_end = end;
        begin = end + 1;
        end = end_of_capital_word(text, begin);
    }
    p.entity = from(text, begin);
    /* Capital words alone, without a package: a module itself. */
    bool is_module = p.package.length == 0 && begin > 0 && end == text.length;
    p.module = up_to(text, is_module && !hpf_str_is(p.entity, "CAF") ? end : module_end);
    return p;
}

/* The part of a stack up to the next slash; `*rest` is what follows. */
static hpf_str next_of_stack(hpf_str *rest)
{
    size_t i = 0;
    while (i < rest->length && rest->data[i] != '/') {
        i++;
    }
    hpf_str part = up_to(*rest, i);
    *rest = from(*rest, i < rest->length ? i + 1 : i);
    return part;
}

static hpf_str module_of_stack(hpf_str stack)
{
    while (stack.length > 0) {
        parts p = take_apart(next_of_stack(&stack));
        if (p.module.length > 0) {
            return p.module;
        }
    }
    return stack;
}

/* "THUNK_1_0" is a THUNK. */
static hpf_str without_shape(hpf_str type)
{
    size_t end = type.length;
    while (end > 0 && is_digit(type.data[end - 1])) {
        size_t begin = end;
        while (begin > 0 && is_digit(type.data[begin - 1])) {
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

/* "std::vector<int>" is a std::vector; an operator such as "<>" is itself. */
static hpf_str without_arguments(hpf_str type)
{
    size_t i = 0;
    while (i < type.length && (is_word(type.data[i]) || type.data[i] == ':')) {
        i++;
    }
    bool has_arguments = i > 0 && is_word(type.data[0]) && i < type.length && type.data[i] == '<';
    return has_arguments ? up_to(type, i) : type;
}

/* Length of what parts a name at `i`; 0: nothing does. */
static size_t separator_at(hpf_str text, size_t i, bool is_stack)
{
    if (text.data[i] == '/' || (!is_stack && text.data[i] == '.')) {
        return 1;
    }
    bool is_double =
        !is_stack && i + 1 < text.length && text.data[i] == ':' && text.data[i + 1] == ':';
    return is_double ? 2 : 0;
}

/* Arguments and operators are not looked into. */
static bool ends_parting(char c)
{
    return c == '(' || c == '<' || c == '[' || c == ' ' || c == '"';
}

static hpf_str prefix_of(hpf_str text, int n_parts, bool is_stack)
{
    size_t package = is_stack ? 0 : package_length(text);
    size_t part_begin = package > 0 ? package + 1 : 0;
    n_parts -= package > 0;
    if (n_parts == 0) {
        return up_to(text, package);
    }
    for (size_t i = part_begin; i < text.length && !(!is_stack && ends_parting(text.data[i]));
         i++) {
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

hpf_str hpr__group_of(hpf_str name, hpr_group group, int n_parts)
{
    hpf_str bare = hpf_str_without_id(name);
    bool is_stack = bare.length < name.length;
    hpf_str found = {NULL, 0};
    switch (group) {
    case HPR_GROUP_NONE:
        break;
    case HPR_GROUP_MODULE:
        found = is_stack ? module_of_stack(bare) : take_apart(bare).module;
        break;
    case HPR_GROUP_TYPE:
        found = is_stack ? name : without_arguments(without_shape(take_apart(bare).entity));
        break;
    case HPR_GROUP_PACKAGE:
        found = is_stack ? name : take_apart(bare).package;
        break;
    case HPR_GROUP_PREFIX:
        found = prefix_of(bare, n_parts, is_stack);
        break;
    }
    return found.length > 0 ? found : name;
}
