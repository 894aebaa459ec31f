/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/words.h"
#include "hpfile/str.h"
#include "native/collector/image/proc.h"
#include "symbol/haskell_symbol.h"

void hpp__haskell_names_finish(hpp__haskell_names *n)
{
    hpp__text_finish(&n->description);
    hpp__text_finish(&n->module);
    hpp__haskell_bindings_finish(&n->bindings);
    *n = (hpp__haskell_names){0};
}

/* ---- Code ---- */

/* Returns whether a name is one that GHC made up: a letter, then a number in digits and letters.
 */
static bool is_made_up(hpf_str name)
{
    return name.length > 2 && strchr("cs", name.data[0]) && isdigit((unsigned char)name.data[1]);
}

/* Code, and the file that it is in. */
typedef struct place {
    const char *path;
    uint64_t address; /* in the file */
    hpp_code code;
} place;

static place find_code(const hpp__haskell_names *n, const hpp__haskell_closures *c,
                       uint64_t address)
{
    const hpp__image *image = c->heap->image;
    const hpp__image_map *map = hpp__image_map_of(image, address);
    char root[HPP__PROC_ROOT_BYTES];
    const hpp_object_file file = {
        .path = map ? map->path : "",
        .root = hpp__proc_root_of_maps(image->process_id, root),
    };
    uint32_t object = hpp_resolver_object(n->resolver, &file);
    uint64_t in_file =
        map ? hpp_resolver_address(n->resolver, object, address - map->begin + map->offset) : 0;
    return (place){.path = file.path,
                   .address = in_file,
                   .code = hpp__resolver_code(n->resolver, object, in_file)};
}

/* Appends what code is: "thunk of Main.count", "thunk near Main.count", or where nothing is known,
 * "thunk at PROGRAM+0x4c20". `own` comes before a name that is the code's own: "thunk of ". */
static void add_code(hpp__haskell_names *n, const hpp__haskell_closures *c, uint64_t address,
                     const char *word, const char *own)
{
    hpp__text *out = &n->description;
    place at = find_code(n, c, address);
    hpp_code code = at.code;
    char digits[32];
    hpp__haskell_symbol symbol;
    hpp__haskell_binding mapped = {.line = 0};
    bool is_known = hpp__haskell_symbol_decode(&symbol, code.symbol);
    bool is_mapped = hpp__haskell_bindings_find(&n->bindings, c->heap->image, address, &mapped);
    if (is_mapped && !(is_known && hpf_str_equal(hpp__text_str(&symbol.module), mapped.module))) {
        hpp__haskell_symbol_finish(&symbol);
        symbol = (hpp__haskell_symbol){.package = {0}};
        hpp__text_add(&symbol.module, mapped.module);
        is_known = true;
    }
    hpf_str name = is_mapped               ? mapped.name
                   : code.is_its_own       ? hpp__text_str(&symbol.name)
                   : is_made_up(code.name) ? HPF_STR("")
                                           : code.name;
    if (is_known && name.length > 0) {
        hpp__text_add(out, hpf_str_of(own));
        hpp__haskell_symbol_add(out, &symbol, name);
    } else if (is_known) {
        hpp__text_add(out, hpf_str_of(word));
        hpp__text_add(out, HPF_STR(" near "));
        hpp__haskell_symbol_add(out, &symbol, hpp__text_str(&symbol.name));
    } else {
        int n_digits = snprintf(digits, sizeof digits, "+0x%llx", (unsigned long long)at.address);
        hpp__text_add(out, hpf_str_of(word));
        hpp__text_add(out, HPF_STR(" at "));
        hpp__text_add(out, hpf__base_name(hpf_str_of(at.path)));
        hpp__text_add(out, (hpf_str){digits, (size_t)n_digits});
    }
    n->module.length = 0;
    hpp__text_add(&n->module, is_known ? hpp__text_str(&symbol.module) : HPF_STR(""));
    n->file = mapped.line > 0 ? mapped.file : code.file;
    n->line = mapped.line > 0 ? mapped.line : code.line;
    hpp__haskell_symbol_finish(&symbol);
}

/* Returns whether a package is one of GHC's that each program uses: "base", "base-4.20.0.0". */
static bool is_standard(hpf_str package)
{
    static const char *const names[] = {"base",       "ghc-prim",    "ghc-internal",
                                        "ghc-bignum", "integer-gmp", "rts"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        bool begins = package.length >= n && memcmp(package.data, names[i], n) == 0;
        if (begins && (package.length == n || (package.length > n + 1 && package.data[n] == '-' &&
                                               isdigit((unsigned char)package.data[n + 1])))) {
            return true;
        }
    }
    return false;
}

hpp__haskell_owner hpp__haskell_names_owner(hpp__haskell_names *n, hpp__haskell_closures *c,
                                            uint32_t index)
{
    hpp__haskell_info *info = &c->infos[index];
    if (info->owner == HPP__HASKELL_NOT_LOOKED_AT) {
        hpp__haskell_symbol symbol;
        bool is_known =
            hpp__haskell_symbol_decode(&symbol, find_code(n, c, info->address).code.symbol);
        info->owner = !is_known                                     ? HPP__HASKELL_RUN_TIME_SYSTEM
                      : is_standard(hpp__text_str(&symbol.package)) ? HPP__HASKELL_LIBRARY
                                                                    : HPP__HASKELL_PROGRAM;
        hpp__haskell_symbol_finish(&symbol);
    }
    return (hpp__haskell_owner)info->owner;
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
        hpp__haskell_binding used; /* with -fdistinct-constructor-tables */
        if (hpp__haskell_bindings_find(&n->bindings, c->heap->image, info->address, &used)) {
            n->file = used.file;
            n->line = used.line;
        }
    } else if (!subject) {
        add_closure(n, c, info, "function ");
    } else if (info->type == HPP_HASKELL_STACK) {
        add_code(n, c, subject->address, "stack", "stack in ");
    } else if (info->type == HPP_HASKELL_TSO) {
        add_code(n, c, subject->address, "thread", "thread in ");
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
