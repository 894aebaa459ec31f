/* SPDX-License-Identifier: BSD-2-Clause
 *
 * libiberty demangles, without parameters, through callbacks that do not allocate. The rest of the
 * file cleans names.
 */
#include "demangle.h"

#include <ctype.h>
#include <stdlib.h>
#ifndef HPP_HAVE_LIBIBERTY
#define HPP_HAVE_LIBIBERTY 0
#elif HPP_HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#include "base/words.h"
#include "base/text.h"
#include "hpfile/str.h"

/* Suffixes, after a dot, of functions that the compiler split or copied. */
static const char *const clone_words[] = {"cold",       "part",     "isra",     "constprop",
                                          "localalias", "lto_priv", "clone",    "llvm",
                                          "warm",       "__uniq",   "resolver", "specialized"};

static bool is_clone_word(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof clone_words / sizeof clone_words[0]; i++) {
        if (strlen(clone_words[i]) == length && memcmp(clone_words[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_digits(const char *word, size_t length)
{
    size_t n = 0;
    while (n < length && isdigit((unsigned char)word[n])) {
        n++;
    }
    return length > 0 && n == length;
}

/* Returns a symbol without its suffixes: from the end, each dot with a word of the list or a
 * number. A number without a word is a suffix only if the name has no other dots: otherwise (Go:
 * "main.f.func1.2") it is part of the name. */
static hpf_str without_suffixes(hpf_str symbol)
{
    size_t end = symbol.length;
    for (size_t at = end; at-- > 1;) {
        if (symbol.data[at] != '.') {
            continue;
        }
        const char *word = symbol.data + at + 1;
        size_t length = end - at - 1;
        bool is_only = memchr(symbol.data, '.', at) == NULL;
        if (is_clone_word(word, length) || (is_digits(word, length) && is_only)) {
            symbol.length = at;
            end = at;
        } else if (is_digits(word, length)) {
            end = at; /* ".isra.0": the word before decides */
        } else {
            break;
        }
    }
    return symbol;
}

#if HPP_HAVE_LIBIBERTY

static void add_piece(const char *piece, size_t length, void *context)
{
    hpp__text *text = context;
    if (text->length <= HPP__NAME_MAX_BYTES) {
        hpp__text_add(text, (hpf_str){piece, length});
    }
}

/* Demangles a name. Returns false if it is not mangled. */
static bool demangle(hpp__text *out, hpf_str symbol)
{
    char *terminated = malloc(symbol.length + 1);
    if (!terminated) {
        out->is_short = true;
        return true;
    }
    memcpy(terminated, symbol.data, symbol.length);
    terminated[symbol.length] = 0;
    bool done = rust_demangle_callback(terminated, DMGL_NO_OPTS, add_piece, out) != 0;
    if (!done) {
        out->length = 0;
        done = cplus_demangle_v3_callback(terminated, DMGL_NO_OPTS, add_piece, out) != 0;
    }
    free(terminated);
    return done;
}

#else

static bool demangle(hpp__text *out, hpf_str symbol)
{
    (void)out;
    (void)symbol;
    return false;
}

#endif

bool hpp__demangle_is_built_in(void)
{
    return HPP_HAVE_LIBIBERTY;
}

static bool is_tag(const char *text, const char *end)
{
    static const char tag[] = "[abi:";
    return (size_t)(end - text) >= sizeof tag - 1 && memcmp(text, tag, sizeof tag - 1) == 0;
}

/* Returns whether a blank between these characters is left out. */
static bool is_superfluous(char before, char after)
{
    return before == ' ' || before == ',' || after == ' ' || isdigit((unsigned char)after) ||
           (before == '>' && after == '>');
}

/* Rewrites the text in place: it only becomes shorter. */
static void dress_text(hpp__text *text)
{
    const char *end = text->data + text->length;
    char *to = text->data;
    for (const char *at = text->data; at < end; at++) {
        if (is_tag(at, end)) {
            const char *close = memchr(at, ']', (size_t)(end - at));
            at = close ? close : end - 1;
        } else if (*at != ' ' ||
                   !is_superfluous(to > text->data ? to[-1] : ' ', at + 1 < end ? at[1] : ' ')) {
            *to++ = (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at;
        }
    }
    text->length = (size_t)(to - text->data);
}

static void start(hpp__text *text, hpf_str piece)
{
    text->length = 0;
    text->is_short = false;
    hpp__text_add(text, piece);
}

static void finish(hpp__text *text)
{
    if (text->length > 0) {
        dress_text(text);
    }
    hpp__text_cut(text, HPP__NAME_MAX_BYTES);
}

void hpp__clean_name(hpp__text *out, hpf_str name)
{
    start(out, name);
    finish(out);
}

void hpp__demangle(hpp__text *out, hpf_str symbol)
{
    hpf_str plain = without_suffixes(symbol);
    if (!hpf_str_is(plain, "__GI_")) {
        (void)hpf__take_word(&plain, "__GI_"); /* of names by which the C library calls itself */
    }
    bool is_mangled =
        plain.length > 2 && plain.data[0] == '_' && (plain.data[1] == 'Z' || plain.data[1] == 'R');
    start(out, HPF_STR(""));
    if (!is_mangled || !demangle(out, plain)) {
        start(out, plain);
    }
    finish(out);
    if (out->length > 0) {
        hpp__cxx_shorten(out);
    }
}

/* Cuts on the text, with brackets balanced; a name that is not C++ has nothing to cut. */

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

bool hpp__is_of_std(hpf_str function)
{
    return hpf_str_begins(function, "std::") || hpf_str_begins(function, "<std::") ||
           hpf_str_begins(function, "__gnu_cxx::");
}
