/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Symbols are encoded as GHC's Z-encoding (compiler/GHC/Utils/Encoding.hs) describes: letters,
 * digits and "_" between the parts stand for themselves.
 */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/utf8.h"
#include "base/words.h"
#include "hpfile/str.h"
#include "native/collector/image/proc.h"

void hpp__haskell_names_finish(hpp__haskell_names *n)
{
    hpp__text_finish(&n->description);
    hpp__text_finish(&n->module);
    *n = (hpp__haskell_names){0};
}

/* ---- Symbols ---- */

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

/* ---- Code ---- */

/* Returns whether a name is one that GHC made up: a letter, then a number in digits and letters.
 */
static bool is_made_up(hpf_str name)
{
    return name.length > 2 && strchr("cs", name.data[0]) && isdigit((unsigned char)name.data[1]);
}

/* Appends a symbol, with the name in its module that is to be shown. */
static void add_symbol(hpp__text *out, const hpp__haskell_symbol *symbol, hpf_str name)
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

/* Appends what code is: "thunk of Main.count", "thunk near Main.count", or where nothing is known,
 * "thunk at PROGRAM+0x4c20". `own` comes before a name that is the code's own: "thunk of ". */
static void add_code(hpp__haskell_names *n, const hpp__haskell_closures *c, uint64_t address,
                     const char *word, const char *own)
{
    hpp__text *out = &n->description;
    const hpp__image *image = c->heap->image;
    const hpp__image_map *map = hpp__image_map_of(image, address);
    char root[HPP__PROC_ROOT_BYTES], digits[32];
    const hpp_object_file file = {
        .path = map ? map->path : "",
        .root = hpp__proc_root(image->process_id, root) ? root : NULL,
    };
    uint32_t object = hpp_resolver_object(n->resolver, &file);
    uint64_t place =
        map ? hpp_resolver_address(n->resolver, object, address - map->begin + map->offset) : 0;
    hpp_code code = hpp__resolver_code(n->resolver, object, place);
    hpp__haskell_symbol symbol;
    bool is_known = hpp__haskell_symbol_decode(&symbol, code.symbol);
    bool has_name = code.name.length > 0 && !is_made_up(code.name);
    if (is_known && (code.is_its_own || has_name)) {
        hpp__text_add(out, hpf_str_of(own));
        add_symbol(out, &symbol, code.is_its_own ? hpp__text_str(&symbol.name) : code.name);
    } else if (is_known) {
        hpp__text_add(out, hpf_str_of(word));
        hpp__text_add(out, HPF_STR(" near "));
        add_symbol(out, &symbol, hpp__text_str(&symbol.name));
    } else {
        int n_digits = snprintf(digits, sizeof digits, "+0x%llx", (unsigned long long)place);
        hpp__text_add(out, hpf_str_of(word));
        hpp__text_add(out, HPF_STR(" at "));
        hpp__text_add(out, hpf__base_name(hpf_str_of(file.path)));
        hpp__text_add(out, (hpf_str){digits, (size_t)n_digits});
    }
    n->module.length = 0;
    hpp__text_add(&n->module, is_known ? hpp__text_str(&symbol.module) : HPF_STR(""));
    n->file = code.file;
    n->line = code.line;
    hpp__haskell_symbol_finish(&symbol);
}

/* ---- Closures ---- */

static bool is_function(uint8_t type)
{
    return type >= HPP_HASKELL_FUN && type <= HPP_HASKELL_FUN_STATIC;
}

static bool is_thunk(uint8_t type)
{
    return type >= HPP_HASKELL_THUNK && type <= HPP_HASKELL_THUNK_STATIC;
}

/* Stores the module of "package:Module.Sub.Constructor"; nothing if a name has none. */
static void keep_module(hpp__haskell_names *n)
{
    hpf_str name = hpp__text_str(&n->description);
    const char *colon = memchr(name.data, ':', name.length);
    size_t begin = colon ? (size_t)(colon - name.data) + 1 : name.length, end = begin;
    size_t at = begin;
    while (at < name.length && isupper((unsigned char)name.data[at])) {
        while (at < name.length && name.data[at] != '.') {
            at++;
        }
        end = at < name.length ? at : end;
        at++;
    }
    hpp__text_add(&n->module, (hpf_str){name.data + begin, end - begin});
}

/* Appends the name of a closure by itself. `function` comes before the name of a function. */
static void add_closure(hpp__haskell_names *n, const hpp__haskell_closures *c,
                        const hpp__haskell_info *info, const char *function)
{
    if (is_thunk(info->type)) {
        add_code(n, c, info->address, "thunk", "thunk of ");
    } else if (is_function(info->type)) {
        add_code(n, c, info->address, "function", function);
    } else {
        hpp__text name = {0};
        hpp__haskell_closure_name(c, info, &name);
        hpp__text_add(&n->description, hpp__text_str(&name));
        hpp__text_finish(&name);
    }
}

void hpp__haskell_names_make(hpp__haskell_names *n, const hpp__haskell_closures *c,
                             const hpp__haskell_info *info, const hpp__haskell_info *subject)
{
    n->description.length = n->module.length = 0;
    n->file = HPF_STR("");
    n->line = 0;
    if (hpp__haskell_is_constructor(info->type)) {
        add_closure(n, c, info, "");
        keep_module(n);
    } else if (!subject) {
        add_closure(n, c, info, "function ");
    } else {
        const char *use = info->type == HPP_HASKELL_THUNK_SELECTOR ? "field of "
                          : info->type == HPP_HASKELL_PAP          ? "partial application of "
                                                                   : "application of ";
        hpp__text_add(&n->description, hpf_str_of(use));
        add_closure(n, c, subject, "");
    }
}

void hpp__haskell_names_make_static(hpp__haskell_names *n, const hpp__haskell_closures *c,
                                    uint64_t info)
{
    n->description.length = 0;
    add_code(n, c, info, "CAF", "CAF ");
}
