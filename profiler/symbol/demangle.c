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
#include "cxx_name.h"

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
