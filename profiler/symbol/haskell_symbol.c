/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Symbols are encoded as GHC's Z-encoding (compiler/GHC/Utils/Encoding.hs) describes: letters,
 * digits and "_" between the parts stand for themselves.
 */
#include "haskell_symbol.h"

#include <ctype.h>

#include "base/utf8.h"
#include "base/words.h"
#include "hpfile/str.h"

static void add_byte(hpp__text *out, char byte)
{
    bool is_shown = (unsigned char)byte > ' ' && byte != 0x7f;
    hpp__text_add(out, is_shown ? (hpf_str){&byte, 1} : HPF_STR("?"));
}

/* Appends a tuple, whose size and kind follow "Z": "2T" is "(,)", "2H" is "(#,#)". Returns false if
 * there is none. */
static bool add_tuple(hpp__text *out, hpf_str *rest)
{
    uint64_t n;
    const uint64_t most = 100;
    if (!hpf__take_whole(rest, 10, &n) || n > most || rest->length == 0 ||
        (*rest->data != 'T' && *rest->data != 'H')) {
        return false;
    }
    bool is_unboxed = *rest->data == 'H';
    *rest = hpf_str_from(*rest, 1);
    hpp__text_add(out, is_unboxed ? HPF_STR("(#") : HPF_STR("("));
    for (uint64_t i = 1; i < n; i++) {
        add_byte(out, ',');
    }
    hpp__text_add(out, is_unboxed ? HPF_STR("#)") : HPF_STR(")"));
    return true;
}

/* Appends the character whose code follows "z": "1f4U". Returns false if there is none. */
static bool add_code_point(hpp__text *out, hpf_str *rest)
{
    uint64_t code;
    char bytes[4];
    bool is_code = hpf__take_whole(rest, 16, &code) && code <= 0x10ffff && rest->length > 0 &&
                   *rest->data == 'U';
    size_t n = is_code ? hpf_utf8_put(bytes, (uint32_t)code) : 0;
    for (size_t i = 0; i < n; i++) {
        add_byte(out, bytes[i]);
    }
    *rest = hpf_str_from(*rest, is_code ? 1 : 0);
    return is_code;
}

/* Appends what a part of a symbol stands for. Returns false if it is not encoded. */
static bool decode(hpp__text *out, hpf_str rest)
{
    static const char small[] = "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%zz";
    static const char large[] = "L(R)M[N]C:ZZ";
    while (rest.length > 0) {
        char c = *rest.data;
        rest = hpf_str_from(rest, 1);
        if (c != 'z' && c != 'Z') {
            add_byte(out, c);
            continue;
        }
        if (rest.length > 0 && isdigit((unsigned char)*rest.data)) {
            if (c == 'Z' ? !add_tuple(out, &rest) : !add_code_point(out, &rest)) {
                return false;
            }
            continue;
        }
        const char *pair = c == 'z' ? small : large;
        while (rest.length > 0 && *pair && *pair != *rest.data) {
            pair += 2;
        }
        if (rest.length == 0 || !*pair) {
            return false;
        }
        add_byte(out, pair[1]);
        rest = hpf_str_from(rest, 1);
    }
    return true;
}

bool hpp__haskell_symbol_decode(hpp__haskell_symbol *out, hpf_str symbol)
{
    hpf_str parts[5];
    size_t n = 0;
    *out = (hpp__haskell_symbol){0};
    while (symbol.length > 0 && n < 5) {
        parts[n++] = hpf__take_until(&symbol, '_');
    }
    bool has_kind = n > 2 && symbol.length == 0 &&
                    (hpf_str_is(parts[n - 1], "info") || hpf_str_is(parts[n - 1], "slow") ||
                     hpf_str_is(parts[n - 1], "fast") || hpf_str_is(parts[n - 1], "entry"));
    n -= has_kind && hpf_str_is(parts[n - 2], "con") ? 2 : 1; /* of a constructor */
    bool has_package = n == 3;
    return has_kind && (n == 2 || has_package) && parts[n - 2].length > 0 &&
           isupper((unsigned char)*parts[n - 2].data) && parts[n - 1].length > 0 &&
           (!has_package || decode(&out->package, parts[0])) &&
           decode(&out->module, parts[n - 2]) && decode(&out->name, parts[n - 1]);
}

void hpp__haskell_symbol_finish(hpp__haskell_symbol *s)
{
    hpp__text_finish(&s->package);
    hpp__text_finish(&s->module);
    hpp__text_finish(&s->name);
}

void hpp__haskell_symbol_add(hpp__text *out, const hpp__haskell_symbol *symbol, hpf_str name)
{
    if (symbol->package.length > 0) {
        hpp__text_add(out, hpp__text_str(&symbol->package));
        add_byte(out, ':');
    }
    hpp__text_add(out, hpp__text_str(&symbol->module));
    add_byte(out, '.');
    for (size_t i = 0; i < name.length; i++) {
        add_byte(out, name.data[i]);
    }
}
