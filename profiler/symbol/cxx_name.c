/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cuts on the text, with brackets balanced; a name that is not C++ has nothing to cut.
 */
#include "cxx_name.h"

typedef struct replacement {
    const char *from;
    const char *to;
} replacement;

static const replacement versions[] = {
    {"std::__cxx11::", "std::"}, {"std::__1::", "std::"}, {"std::__ndk1::", "std::"}};

static const char *const defaults[] = {",std::allocator<", ",std::char_traits<",
                                       ",std::less<",      ",std::equal_to<",
                                       ",std::hash<",      ",std::default_delete<"};

static const replacement aliases[] = {{"std::basic_string<char>", "std::string"},
                                      {"std::basic_string<wchar_t>", "std::wstring"}};

static bool has_at(const hpp__text *text, size_t at, const char *word)
{
    size_t length = strlen(word);
    return text->length - at >= length && memcmp(text->data + at, word, length) == 0;
}

static void cut(hpp__text *text, size_t begin, size_t end)
{
    memmove(text->data + begin, text->data + end, text->length - end);
    text->length -= end - begin;
}

/* Replaces all `from` by `to`, which is not longer. */
static void replace_all(hpp__text *text, const replacement *what)
{
    size_t n_from = strlen(what->from), n_to = strlen(what->to);
    for (size_t at = 0; at + n_from <= text->length; at++) {
        if (has_at(text, at, what->from)) {
            memcpy(text->data + at, what->to, n_to);
            cut(text, at + n_to, at + n_from);
        }
    }
}

/* Returns the index after the bracket that closes the one at `open`, or 0. The '>' of an arrow does
 * not count. */
static size_t after_closing(const hpp__text *text, size_t open)
{
    size_t depth = 0;
    for (size_t at = open; at < text->length; at++) {
        char c = text->data[at];
        bool is_arrow = c == '>' && text->data[at - (at > 0)] == '-';
        if (c == '<' || c == '(') {
            depth++;
        } else if ((c == '>' && !is_arrow) || c == ')') {
            if (--depth == 0) {
                return at + 1;
            }
        }
    }
    return 0;
}

/* Cuts a default argument that is the last of its list. */
static void cut_default(hpp__text *text, size_t at)
{
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        if (has_at(text, at, defaults[i])) {
            size_t end = after_closing(text, at + strlen(defaults[i]) - 1);
            if (end > 0 && end < text->length && text->data[end] == '>') {
                cut(text, at, end);
                return;
            }
        }
    }
}

/* Returns the end of parameters and their qualifiers if "::" follows, else 0. */
static size_t end_of_parameters(const hpp__text *text, size_t open)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
    size_t end = after_closing(text, open);
    for (size_t i = 0; end > 0 && i < sizeof qualifiers / sizeof qualifiers[0]; i++) {
        if (has_at(text, end, qualifiers[i])) {
            end += strlen(qualifiers[i]);
        }
    }
    return end > 0 && has_at(text, end, "::") ? end : 0;
}

static bool is_part_of_name(const hpp__text *text, size_t open)
{
    static const char operator_word[] = "operator";
    const size_t n = sizeof operator_word - 1;
    return has_at(text, open, "(anonymous") ||
           (open >= n && has_at(text, open - n, operator_word) && has_at(text, open, "()"));
}

static void cut_parameters(hpp__text *text)
{
    for (size_t at = 1; at < text->length; at++) {
        if (text->data[at] == '(' && !is_part_of_name(text, at)) {
            size_t end = end_of_parameters(text, at);
            if (end > 0) {
                cut(text, at, end);
            }
        }
    }
}

void hpp__cxx_shorten(hpp__text *name)
{
    cut_parameters(name);
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        replace_all(name, &versions[i]);
    }
    /* Removes default arguments from the right: an argument is a default only if all after it are
     * removed. */
    for (size_t at = name->length; at-- > 0;) {
        if (name->data[at] == ',') {
            cut_default(name, at);
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        replace_all(name, &aliases[i]);
    }
}
