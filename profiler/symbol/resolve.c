/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An object is opened at the first question about it. Answers are kept by address; the name of a
 * function is made once for all of its addresses.
 */
#include "base/arena.h"
#include "resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "haskell_symbol.h"
#include "base/array.h"
#include "base/hash_table.h"
#include "base/names.h"
#include "hpfile/str.h"
#include "object.h"
#include "perf_map.h"
#include "base/options.h"
#include "base/words.h"
#include "hpprof/function.h"
#include "base/map.h"

/* ---- Cache ----------------------------------------------------------------------------------- */

/* The cache of a resolver: interned texts, and the functions at each address.
 *
 * Threads: use a cache in one thread at a time.
 *
 * Two kinds of table over one arena. */

typedef struct hpp__cache {
    hpf_arena *arena;
    hpp__map texts; /* hash of a text -> hpf_str; equal hashes use the next odd keys */
} hpp__cache;

/* What is known of addresses of one object. All zero is empty. */
typedef hpp__map hpp__addresses;

static bool cache_init(hpp__cache *cache)
{
    *cache = (hpp__cache){.arena = hpf_arena_create()};
    return cache->arena != NULL;
}

static void cache_finish(hpp__cache *cache)
{
    hpf_arena_destroy(cache->arena);
    hpp__map_finish(&cache->texts);
    *cache = (hpp__cache){0};
}

static const hpf_str *copy_text(hpf_arena *arena, hpf_str text)
{
    hpf_str *kept = hpf_arena_alloc(arena, sizeof *kept);
    if (kept) {
        *kept = hpf_arena_str(arena, text);
    }
    return kept && kept->data ? kept : NULL;
}

/* Returns the interned copy of a text, which ends with a NUL; an empty text without memory. */
static hpf_str cache_text(hpp__cache *cache, hpf_str text)
{
    if (text.length == 0) {
        return HPF_STR("");
    }
    for (uint64_t hash = hpf__hash_bytes(text.data, text.length) | 1;; hash += 2) {
        uint64_t *slot = hpp__map_add(&cache->texts, hash);
        if (!slot) {
            return HPF_STR("");
        }
        if (*slot == 0) {
            *slot = (uint64_t)(uintptr_t)copy_text(cache->arena, text);
        }
        const hpf_str *kept = (const hpf_str *)(uintptr_t)*slot;
        if (!kept) {
            return HPF_STR("");
        }
        if (hpf_str_equal(*kept, text)) {
            return *kept;
        }
    }
}

/* Returns what is cached for an address, or NULL. Keys of the map are not 0; nothing is cached for
 * the last of all addresses. */
static const void *cache_find(const hpp__addresses *addresses, uint64_t address)
{
    const uint64_t *slot = address < UINT64_MAX ? hpp__map_find(addresses, address + 1) : NULL;
    return slot ? (const void *)(uintptr_t)*slot : NULL;
}

static bool are_named(hpp_functions functions)
{
    for (size_t i = 0; i < functions.n; i++) {
        if (functions.list[i].name.length == 0) {
            return false;
        }
    }
    return true;
}

static hpf_str set_text(hpf_str text)
{
    return text.data ? text : HPF_STR("");
}

/* Copies a list of functions with interned texts; missing texts become empty. Returns NULL without
 * memory, or if a function has no name. */
static const hpp_functions *cache_keep(hpp__cache *cache, hpp_functions functions)
{
    if (!are_named(functions)) {
        return NULL;
    }
    hpp_functions *kept = hpf_arena_alloc(cache->arena, sizeof *kept);
    hpp_function *list = hpf_arena_array(cache->arena, functions.n, sizeof *list);
    if (!kept || !list) {
        return NULL;
    }
    for (size_t i = 0; i < functions.n; i++) {
        list[i] = functions.list[i];
        list[i].linkage = set_text(list[i].linkage);
        list[i].module = set_text(list[i].module);
        list[i].file = set_text(list[i].file);
        list[i].start_file = set_text(list[i].start_file);
    }
    *kept = (hpp_functions){list, functions.n};
    return kept;
}

/* Caches what is known of an address, if there is memory; NULL is nothing. */
static void cache_add(hpp__addresses *addresses, uint64_t address, const void *kept)
{
    uint64_t *slot = kept && address < UINT64_MAX ? hpp__map_add(addresses, address + 1) : NULL;
    if (slot) {
        *slot = (uint64_t)(uintptr_t)kept;
    }
}

#define DEBUG_FOLDER "/usr/lib/debug"
#define GENERATED    HPF_STR("[generated]")
#define DELETED      " (deleted)"
#define BUILD_ID_MAX 64 /* bytes; longer ones are ignored */

typedef struct module_state {
    hpf_str path;
    hpf_str file;     /* the same, below the root of a program that maps it */
    hpf_str build_id; /* empty: none */
    hpf_str name;
    bool is_open;             /* or opening it has failed */
    hpp__object *object;      /* NULL: cannot be read */
    hpp__addresses found;     /* by address */
    hpp__addresses by_start;  /* by the first address of a function: its name */
    hpp__addresses variables; /* by the first address of a variable: its name */
    hpp__addresses callers;   /* by address: known_caller */
    hpp__addresses types;     /* by address: known_type */
    bool has_variables;       /* they have been read from the file */
    uint64_t n_unnamed;
} module_state;

typedef struct known_caller {
    hpp_caller_rule rule;
    bool is_found;
    bool has_locals; /* they have been read from the file */
    hpp_local *locals;
    size_t n_locals;
} known_caller;

typedef struct known_type {
    hpf_str name; /* empty: none */
    bool is_structure;
} known_type;

/* Generated code of one process. */
typedef struct generated_code {
    uint32_t process_id;
    hpp__perf_map *map;
    uint64_t moment; /* at which the map was read */
    hpp__addresses found;
} generated_code;

struct hpp_resolver {
    hpp__objects *objects;
    hpp__cache cache;
    module_state **modules; /* by number */
    size_t n_modules;
    size_t modules_capacity;
    hpf__hash_table by_path; /* numbers of modules */
    generated_code *processes;
    size_t n_processes;
    size_t processes_capacity;
    uint64_t moment;                     /* from 1 */
    hpp__needs_no_place *needs_no_place; /* or NULL */
    hpp__text scratch;
};

/* The answer when there is no memory for another. */
static const hpp_function nothing = {.name = {"[unknown]", 9},
                                     .linkage = {"", 0},
                                     .module = {"", 0},
                                     .file = {"", 0},
                                     .start_file = {"", 0}};
static const hpp_functions no_memory = {&nothing, 1};

hpf_status hpp_resolver_create(hpp_resolver **out, const hpp_resolver_options *options,
                               hpf_error *err)
{
    hpp_resolver_options o;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&o, options, err);
    if (status != HPF_OK) {
        return status;
    }
    hpp_resolver *resolver = calloc(1, sizeof *resolver);
    if (resolver) {
        resolver->moment = 1;
    }
    if (!resolver || !cache_init(&resolver->cache) ||
        !(resolver->objects = hpp__objects_create(o.debug_folder ? o.debug_folder : DEBUG_FOLDER,
                                                  o.symbols_only))) {
        hpp_resolver_destroy(resolver);
        return hpf_error_set_memory(err);
    }
    *out = resolver;
    return HPF_OK;
}

void hpp_resolver_destroy(hpp_resolver *resolver)
{
    if (!resolver) {
        return;
    }
    for (size_t i = 0; i < resolver->n_modules; i++) {
        hpp__object_close(resolver->modules[i]->object);
        hpp__map_finish(&resolver->modules[i]->found);
        hpp__map_finish(&resolver->modules[i]->by_start);
        hpp__map_finish(&resolver->modules[i]->variables);
        hpp__map_finish(&resolver->modules[i]->callers);
        hpp__map_finish(&resolver->modules[i]->types);
    }
    for (size_t i = 0; i < resolver->n_processes; i++) {
        hpp__perf_map_destroy(resolver->processes[i].map);
        hpp__map_finish(&resolver->processes[i].found);
    }
    free(resolver->modules);
    hpf__hash_finish(&resolver->by_path);
    free(resolver->processes);
    hpp__objects_destroy(resolver->objects);
    hpp__text_finish(&resolver->scratch);
    cache_finish(&resolver->cache);
    free(resolver);
}

void hpp__resolver_name_by_symbol(hpp_resolver *resolver, hpp__needs_no_place *functions)
{
    resolver->needs_no_place = functions;
}

/* Returns a copy of the scratch text; empty if there was not enough memory. */
static hpf_str keep_scratch(hpp_resolver *resolver)
{
    const hpp__text *scratch = &resolver->scratch;
    return scratch->is_short ? HPF_STR("") : cache_text(&resolver->cache, hpp__text_str(scratch));
}

/* ---- Objects ---- */

/* Returns the name without folders, and without the text that the system appends for a deleted
 * file. */
static hpf_str name_of(hpf_str path)
{
    (void)hpf__drop_end(&path, DELETED);
    return path.length > 0 ? hpf__base_name(path) : GENERATED;
}

/* Returns whether a path names a file; generated code has "", the code of the kernel "[vdso]".
 */
static bool is_file(hpf_str path)
{
    return path.length > 0 && path.data[0] != '[';
}

/* Returns the path of an object below `root`, which may be empty. */
static hpf_str file_of(hpp_resolver *resolver, hpf_str root, hpf_str path)
{
    resolver->scratch.length = 0;
    resolver->scratch.is_short = false;
    hpp__text_add(&resolver->scratch, is_file(path) ? root : HPF_STR(""));
    hpp__text_add(&resolver->scratch, path);
    return keep_scratch(resolver);
}

static module_state *new_module(hpp_resolver *resolver, hpf_str path, hpf_str build_id,
                                hpf_str root)
{
    module_state *new = hpf_arena_alloc(resolver->cache.arena, sizeof *new);
    if (!new) {
        return NULL;
    }
    *new = (module_state){.path = cache_text(&resolver->cache, path),
                          .file = file_of(resolver, root, path),
                          .build_id = cache_text(&resolver->cache, build_id)};
    hpp__clean_name(&resolver->scratch, name_of(new->path));
    new->name = keep_scratch(resolver);
    bool is_kept = new->path.length == path.length &&new->build_id.length == build_id.length &&
                   !resolver->scratch.is_short &&new->name.length == resolver->scratch.length;
    return is_kept ? new : NULL;
}

uint32_t hpp_resolver_object(hpp_resolver *resolver, const hpp_object_file *file)
{
    hpf_str path = file->path ? hpf_str_of(file->path) : HPF_STR("");
    hpf_str build_id = {(const char *)file->build_id, file->n_build_id};
    if (!build_id.data || build_id.length > BUILD_ID_MAX) {
        build_id = HPF_STR("");
    }
    hpf_str root = file->root ? hpf_str_of(file->root) : HPF_STR("");
    uint32_t hash = hpf__hash_bytes(path.data, path.length), number;
    hpf__hash_probe probe = {0};
    while ((number = hpf__hash_next(&resolver->by_path, hash, &probe)) != HPF__HASH_NONE) {
        module_state *known = resolver->modules[number];
        bool is_same_root = known->file.length == root.length + path.length &&
                            hpf_str_equal((hpf_str){known->file.data, root.length}, root);
        if (!hpf_str_equal(known->path, path) || !hpf_str_equal(known->build_id, build_id) ||
            (build_id.length == 0 && !is_same_root)) {
            continue;
        }
        if (!known->object && !is_same_root) { /* the other program may have ended */
            known->file = file_of(resolver, root, path);
            known->is_open = false;
        }
        return number;
    }
    module_state *new = new_module(resolver, path, build_id, root);
    if (!new ||
        !HPF__ARRAY_RESERVE(resolver->modules, resolver->modules_capacity,
                            resolver->n_modules + 1) ||
        !hpf__hash_reserve(&resolver->by_path)) {
        return UINT32_MAX;
    }
    number = (uint32_t)resolver->n_modules++;
    resolver->modules[number] = new;
    hpf__hash_insert(&resolver->by_path, hash, number);
    return number;
}

/* Opens the object at the first call, and closes it once its file is overwritten. It is called
 * before the file is read. */
static void update_object(hpp_resolver *resolver, module_state *module)
{
    if (!module->is_open && is_file(module->path)) {
        module->object = hpp__object_open(resolver->objects, module->file.data, module->build_id);
    }
    module->is_open = true;
    if (module->object && hpp__object_is_overwritten(module->object)) {
        hpp__object_close(module->object);
        module->object = NULL;
    }
}

bool hpp_resolver_is_found(hpp_resolver *resolver, uint32_t number)
{
    module_state *module = number < resolver->n_modules ? resolver->modules[number] : NULL;
    if (module) {
        update_object(resolver, module);
    }
    return module && module->object;
}

uint64_t hpp_resolver_address(hpp_resolver *resolver, uint32_t number, uint64_t offset)
{
    return hpp_resolver_is_found(resolver, number)
               ? hpp__object_address(resolver->modules[number]->object, offset)
               : offset;
}

/* ---- Names of functions ---- */

static const hpp_functions *keep_one(hpp_resolver *resolver, hpp_function function)
{
    return cache_keep(&resolver->cache, (hpp_functions){&function, 1});
}

/* Replaces the scratch text by the display name of a symbol of code. */
static void make_name(hpp_resolver *resolver, const module_state *module, hpf_str linkage)
{
    hpp__haskell_symbol symbol;
    bool is_haskell =
        hpp__haskell_symbol_decode(&symbol, linkage) && hpp__object_is_of_ghc(module->object);
    if (!is_haskell) {
        hpp__demangle(&resolver->scratch, linkage);
    } else {
        resolver->scratch.length = 0;
        hpp__haskell_symbol_add(&resolver->scratch, &symbol, hpp__text_str(&symbol.name));
        hpp__text_cut(&resolver->scratch, HPP__NAME_MAX_BYTES);
    }
    hpp__haskell_symbol_finish(&symbol);
}

static const hpp_functions *name_by_symbol(hpp_resolver *resolver, const module_state *module,
                                           const hpp__symbol *symbol)
{
    /* Without the version: "memcpy@@GLIBC_2.14". */
    hpf_str linkage = {symbol->name, 1 + strcspn(symbol->name + 1, "@")};
    make_name(resolver, module, linkage);
    return keep_one(resolver, (hpp_function){
                                  .name = keep_scratch(resolver),
                                  .linkage = cache_text(&resolver->cache, linkage),
                                  .module = module->name,
                                  .has_symbol = true,
                              });
}

static const hpp_functions *name_by_address(hpp_resolver *resolver, const module_state *module,
                                            uint64_t start)
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "+0x%llx", (unsigned long long)start);
    resolver->scratch.length = 0;
    resolver->scratch.is_short = false;
    hpp__text_add(&resolver->scratch, module->name);
    hpp__text_add(&resolver->scratch, (hpf_str){digits, (size_t)n});
    return keep_one(resolver, (hpp_function){
                                  .name = keep_scratch(resolver),
                                  .module = module->name,
                              });
}

static const hpp_functions *find_symbol(hpp_resolver *resolver, module_state *module,
                                        uint64_t address)
{
    const hpp__symbol *symbol = module->object ? hpp__object_symbol(module->object, address) : NULL;
    if (!symbol) {
        return NULL;
    }
    const hpp_functions *known = cache_find(&module->by_start, symbol->start);
    if (!known) {
        known = name_by_symbol(resolver, module, symbol);
        cache_add(&module->by_start, symbol->start, known);
    }
    return known;
}

/* Names the function by its bounds. A function that is longer than its symbol says has the name of
 * the symbol all the same. */
static const hpp_functions *find_bounds(hpp_resolver *resolver, module_state *module,
                                        uint64_t address)
{
    uint64_t start = address;
    const hpp_functions *known = NULL;
    if (module->object && hpp__object_function_start(module->object, address, &start)) {
        known = find_symbol(resolver, module, start);
    } else {
        start = address;
    }
    if (!known) {
        known = cache_find(&module->by_start, start);
    }
    if (!known) {
        known = name_by_address(resolver, module, start);
        cache_add(&module->by_start, start, known);
    }
    return known;
}

/* ---- Debugging information ---- */

static hpf_str text_or_empty(hpp__cache *cache, const char *text)
{
    return text ? cache_text(cache, hpf_str_of(text)) : HPF_STR("");
}

static bool is_named(const hpp__debug_frame *frame)
{
    return frame->linkage || frame->name;
}

static hpp_function name_by_frame(hpp_resolver *resolver, const module_state *module,
                                  const hpp__debug_frame *frame)
{
    const char *symbol = frame->linkage ? frame->linkage : frame->name;
    make_name(resolver, module, hpf_str_of(symbol));
    return (hpp_function){
        .name = keep_scratch(resolver),
        .linkage = text_or_empty(&resolver->cache, frame->linkage),
        .module = module->name,
        .has_symbol = true,
    };
}

/* Appends a function, or merges it with the last one if it is the same: a function inlined into
 * itself, usually a part that was split off, is listed once, with the inner line. Returns the new
 * number. */
static size_t add_function(hpp_function *list, size_t n, hpp_function function)
{
    const hpp_function *inner = &list[n - (n > 0)];
    bool is_same = n > 0 && inner->name.data == function.name.data &&
                   (inner->linkage.length == 0 || inner->linkage.data == function.linkage.data);
    if (is_same) {
        list[n - 1].linkage = function.linkage;
        list[n - 1].is_inlined = function.is_inlined;
        return n;
    }
    list[n] = function;
    return n + 1;
}

/* The function that holds the code is named by its symbol where there is one: all builds of a
 * program have that name, with debugging information or without. */
static const hpp_functions *find_frames(hpp_resolver *resolver, module_state *module,
                                        uint64_t address, const hpp_functions *symbol)
{
    hpp__debug_frame frames[HPP__FRAMES_MAX];
    hpp_function list[HPP__FRAMES_MAX];
    size_t n = module->object ? hpp__object_frames(module->object, address, frames) : 0;
    if (n == 0) {
        return NULL;
    }
    if (!symbol && !is_named(&frames[n - 1])) {
        symbol = find_bounds(resolver, module, address);
    }
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_outermost = i == n - 1;
        hpp_function function = nothing;
        if (is_outermost && symbol) {
            function = *symbol->list;
        } else if (is_named(&frames[i])) {
            function = name_by_frame(resolver, module, &frames[i]);
        }
        function.file = text_or_empty(&resolver->cache, frames[i].file);
        function.line = frames[i].line;
        function.start_file = text_or_empty(&resolver->cache, frames[i].start_file);
        function.start_line = frames[i].start_line;
        function.is_inlined = !is_outermost;
        n_kept = add_function(list, n_kept, function);
    }
    return cache_keep(&resolver->cache, (hpp_functions){list, n_kept});
}

hpp_functions hpp_resolver_find(hpp_resolver *resolver, uint32_t number, uint64_t address)
{
    if (number >= resolver->n_modules) {
        return no_memory;
    }
    module_state *module = resolver->modules[number];
    const hpp_functions *known = cache_find(&module->found, address);
    if (known) {
        return *known;
    }
    update_object(resolver, module);
    const hpp_functions *symbol = find_symbol(resolver, module, address);
    bool is_enough = symbol && resolver->needs_no_place && resolver->needs_no_place(symbol->list);
    known = is_enough ? symbol : find_frames(resolver, module, address, symbol);
    known = known ? known : symbol;
    known = known ? known : find_bounds(resolver, module, address);
    module->n_unnamed += known && !known->list[known->n - 1].has_symbol;
    cache_add(&module->found, address, known);
    return known ? *known : no_memory;
}

hpp_code hpp__resolver_code(hpp_resolver *resolver, uint32_t number, uint64_t address)
{
    hpp_code code = {.symbol = HPF_STR(""), .name = HPF_STR(""), .file = HPF_STR("")};
    hpp__debug_frame frames[HPP__FRAMES_MAX];
    module_state *module = number < resolver->n_modules ? resolver->modules[number] : NULL;
    if (module) {
        update_object(resolver, module);
    }
    if (!module || !module->object) {
        return code;
    }
    const hpp__symbol *symbol = hpp__object_next_symbol(module->object, address);
    code.symbol = text_or_empty(&resolver->cache, symbol ? symbol->name : NULL);
    code.is_its_own = symbol && symbol->start == address;
    if (hpp__object_frames(module->object, address, frames) > 0) {
        code.name = text_or_empty(&resolver->cache, frames[0].name);
        code.file = text_or_empty(&resolver->cache, frames[0].file);
        code.line = frames[0].line;
    }
    return code;
}

bool hpp__resolver_variable(hpp_resolver *resolver, uint32_t number, uint64_t address,
                            hpp_variable *out)
{
    *out = (hpp_variable){.name = HPF_STR("")};
    if (number >= resolver->n_modules) {
        return false;
    }
    module_state *module = resolver->modules[number];
    if (!module->has_variables) {
        update_object(resolver, module);
        module->has_variables = true;
    }
    const hpp__symbol *next = NULL;
    const hpp__symbol *symbol =
        module->object ? hpp__object_variable(module->object, address, &next) : NULL;
    if (!symbol) {
        out->begin = next ? next->start : 0;
        out->end = next ? next->start + next->n_bytes : 0;
        return false;
    }
    uint64_t start = symbol->start, end = symbol->start + symbol->n_bytes;
    const hpp_functions *known = cache_find(&module->variables, start);
    if (!known) {
        update_object(resolver, module); /* the name is in the file */
        known = module->object ? name_by_symbol(resolver, module, symbol) : NULL;
        cache_add(&module->variables, start, known);
    }
    *out = (hpp_variable){known ? known->list->name : HPF_STR(""), start, end};
    return known != NULL;
}

bool hpp__resolver_variable_named(hpp_resolver *resolver, uint32_t number, const char *name,
                                  uint64_t *address)
{
    if (number >= resolver->n_modules) {
        return false;
    }
    module_state *module = resolver->modules[number];
    update_object(resolver, module);
    const hpp__symbol *symbol = NULL, *next = NULL;
    for (uint64_t at = 0; module->object; at = symbol->start + symbol->n_bytes) {
        symbol = hpp__object_variable(module->object, at, &next);
        symbol = symbol ? symbol : next;
        if (!symbol || symbol->start + symbol->n_bytes <= at) {
            return false;
        }
        if (strcmp(symbol->name, name) == 0) {
            *address = symbol->start;
            return true;
        }
    }
    return false;
}

/* ---- Frames ---- */

/* Returns NULL without memory. */
static known_caller *find_caller(hpp_resolver *resolver, module_state *module, uint64_t address)
{
    const void *known = cache_find(&module->callers, address);
    known_caller *made = known ? NULL : hpf_arena_alloc(resolver->cache.arena, sizeof *made);
    if (!made) {
        return (known_caller *)(uintptr_t)known;
    }
    *made = (known_caller){.rule.function = HPF_STR("")};
    update_object(resolver, module);
    made->is_found = module->object && hpp__object_caller(module->object, address, &made->rule);
    const hpp_functions *symbol = made->is_found ? find_symbol(resolver, module, address) : NULL;
    made->rule.function = symbol ? symbol->list->name : HPF_STR("");
    cache_add(&module->callers, address, made);
    return made;
}

bool hpp__resolver_caller(hpp_resolver *resolver, uint32_t number, uint64_t address,
                          hpp_caller_rule *out)
{
    const known_caller *known = number < resolver->n_modules
                                    ? find_caller(resolver, resolver->modules[number], address)
                                    : NULL;
    *out = known ? known->rule : (hpp_caller_rule){.function = HPF_STR("")};
    return known && known->is_found;
}

static void read_locals(hpp_resolver *resolver, module_state *module, uint64_t address,
                        known_caller *caller)
{
    hpp__debug_local list[HPP__LOCALS_MAX];
    caller->has_locals = true;
    update_object(resolver, module);
    size_t n =
        module->object ? hpp__object_locals(module->object, address, &caller->rule, list) : 0;
    caller->locals = hpf_arena_array(resolver->cache.arena, n, sizeof *caller->locals);
    for (size_t i = 0; i < n && caller->locals; i++) {
        hpf_str function = list[i].is_inlined && is_named(&list[i].function)
                               ? name_by_frame(resolver, module, &list[i].function).name
                               : caller->rule.function;
        if (hpp__is_of_std(function)) {
            continue;
        }
        hpp__clean_name(&resolver->scratch, hpf_str_of(list[i].name));
        hpp__text_add(&resolver->scratch, HPF_STR(" in "));
        hpp__text_add(&resolver->scratch, function);
        caller->locals[caller->n_locals++] =
            (hpp_local){keep_scratch(resolver), list[i].begin, list[i].end, list[i].is_inlined,
                        list[i].is_over};
    }
}

bool hpp__resolver_local(hpp_resolver *resolver, uint32_t number, uint64_t address, int64_t offset,
                         hpp_local *out)
{
    const int64_t word_bytes = 8;
    module_state *module = number < resolver->n_modules ? resolver->modules[number] : NULL;
    known_caller *caller = module ? find_caller(resolver, module, address) : NULL;
    *out = (hpp_local){.name = HPF_STR(""), .begin = INT64_MIN, .end = INT64_MAX};
    if (caller && caller->is_found && !caller->has_locals) {
        read_locals(resolver, module, address, caller);
    }
    /* The last one that fits: variables of inner blocks use the places of outer ones that are not
     * in use. Those that are over come last. */
    const hpp_local *over = NULL;
    for (size_t i = caller ? caller->n_locals : 0; i-- > 0;) {
        const hpp_local *local = &caller->locals[i];
        bool fits = local->begin <= offset && offset + word_bytes <= local->end;
        if (fits && !local->is_over) {
            *out = *local;
            return local->name.length > 0;
        }
        if (fits) {
            over = local;
            continue;
        }
        out->begin = local->end <= offset && local->end > out->begin ? local->end : out->begin;
        out->end = local->begin > offset && local->begin < out->end ? local->begin : out->end;
    }
    if (!over) {
        return false;
    }
    hpp_local between = *out; /* variables that may have a part of its place */
    *out = *over;
    out->begin = between.begin > over->begin ? between.begin : over->begin;
    out->end = between.end < over->end ? between.end : over->end;
    return over->name.length > 0;
}

static hpf_str result_type(hpp_resolver *resolver, module_state *module, uint64_t address,
                           bool *is_structure)
{
    hpp__text type = {0};
    update_object(resolver, module);
    bool is_known =
        module->object && hpp__object_result_type(module->object, address, &type, is_structure);
    if (is_known) {
        hpp__clean_name(&resolver->scratch, hpp__text_str(&type));
        hpp__cxx_shorten(&resolver->scratch);
    }
    is_known = is_known && !type.is_short;
    hpp__text_finish(&type);
    return is_known ? keep_scratch(resolver) : HPF_STR("");
}

hpf_str hpp__resolver_result_type(hpp_resolver *resolver, uint32_t number, uint64_t address,
                                  bool *is_structure)
{
    module_state *module = number < resolver->n_modules ? resolver->modules[number] : NULL;
    const known_type *known = module ? cache_find(&module->types, address) : NULL;
    known_type *made =
        known || !module ? NULL : hpf_arena_alloc(resolver->cache.arena, sizeof *made);
    if (made) {
        *made = (known_type){.is_structure = false};
        made->name = result_type(resolver, module, address, &made->is_structure);
        cache_add(&module->types, address, made);
        known = made;
    }
    *is_structure = known && known->is_structure;
    return known ? known->name : HPF_STR("");
}

bool hpp__resolver_member(hpp_resolver *resolver, hpf_str type, uint64_t size_bytes,
                          uint64_t offset, hpp__text *out)
{
    bool is_found = false;
    for (size_t i = 0; i < resolver->n_modules && !is_found; i++) {
        module_state *module = resolver->modules[i];
        update_object(resolver, module);
        is_found =
            module->object && hpp__object_member(module->object, type, size_bytes, offset, out);
    }
    return is_found;
}

int hpp_resolver_each_unnamed(hpp_resolver *resolver, hpp_visit_object_file *visit, void *context)
{
    for (size_t i = 0; i < resolver->n_modules; i++) {
        const module_state *module = resolver->modules[i];
        bool is_listed = module->n_unnamed > 0 && is_file(module->path);
        int answer = is_listed ? visit(module->path, module->n_unnamed, context) : 0;
        if (answer != 0) {
            return answer;
        }
    }
    return 0;
}

/* ---- Generated code ---- */

static generated_code *find_process(hpp_resolver *resolver, uint32_t process_id)
{
    for (size_t i = 0; i < resolver->n_processes; i++) {
        if (resolver->processes[i].process_id == process_id) {
            return &resolver->processes[i];
        }
    }
    if (!HPF__ARRAY_RESERVE(resolver->processes, resolver->processes_capacity,
                            resolver->n_processes + 1)) {
        return NULL;
    }
    char path[40];
    snprintf(path, sizeof path, "/tmp/perf-%lu.map", (unsigned long)process_id);
    generated_code *new = &resolver->processes[resolver->n_processes];
    *new = (generated_code){.process_id = process_id, .map = hpp__perf_map_create(path)};
    resolver->n_processes += new->map != NULL;
    return new->map ? new : NULL;
}

void hpp__resolver_expect_code(hpp_resolver *resolver)
{
    resolver->moment++;
}

hpp_functions hpp__resolver_find_generated(hpp_resolver *resolver, uint32_t process_id,
                                           uint64_t address)
{
    static const hpp_function generated = {.name = {"[generated]", 11},
                                           .linkage = {"", 0},
                                           .module = {"[generated]", 11},
                                           .file = {"", 0}};
    generated_code *process = find_process(resolver, process_id);
    if (!process) {
        return no_memory;
    }
    const hpp_functions *known = cache_find(&process->found, address);
    hpf_str symbol = known ? HPF_STR("") : hpp__perf_map_find(process->map, address);
    if (!known && symbol.length == 0 && process->moment != resolver->moment) {
        process->moment = resolver->moment;
        hpp__perf_map_refresh(process->map);
        symbol = hpp__perf_map_find(process->map, address);
    }
    if (symbol.length) {
        hpp__demangle(&resolver->scratch, symbol);
        hpp_function function = generated;
        function.name = keep_scratch(resolver);
        function.linkage = cache_text(&resolver->cache, symbol);
        function.has_symbol = true;
        known = keep_one(resolver, function);
        cache_add(&process->found, address, known);
    }
    return known ? *known : (hpp_functions){&generated, 1};
}

const char *hpp__resolver_missing(void)
{
    static const char *const missing[2][2] = {
        {"", "C++ and Rust names (libiberty)"},
        {"symbols (elfutils)", "symbols (elfutils), C++ and Rust names (libiberty)"},
    };
    return missing[!hpp__object_is_built_in()][!hpp__demangle_is_built_in()];
}
