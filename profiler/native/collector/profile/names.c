/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the resolver's functions to interned ones. A name is cleaned and classified once.
 */
#include "names.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/arena.h"
#include "hpfile/str.h"
#include "base/lex.h"
#include "base/map.h"
#include "base/names.h"
#include "base/text.h"
#include "native/python/heap/names.h"
#include "symbol/resolve.h"

#define OVERHEAD_MODULE "libcensus-preload."

struct hpp__names {
    hpp_resolver *resolver;
    hpf_arena *arena;
    hpp__map texts;     /* name of a module, by address -> number from 1 */
    hpp__map lines;     /* index of a function, line -> the function at that line */
    hpp__map functions; /* name's address and module's number -> function */
    uint32_t n_texts, n_functions;
    _Atomic bool are_final;
    hpf_frame_rules *rules;
    hpp__frame *frames; /* of the last call */
    size_t frames_capacity;
};

/* ---- Texts ---- */

static bool is_blank(char c)
{
    return hpf__is_blank(c) || c == '\0';
}

/* Returns a character that cannot control a terminal. */
static char printable(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
}

size_t hpp__names_clean(char *out, hpf_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (!is_blank(c)) {
            out[n++] = printable(c);
            continue;
        }
        bool has_next = i + 1 < text.length && !is_blank(text.data[i + 1]);
        if (n > 0 && has_next && hpf__is_word(out[n - 1]) && hpf__is_word(text.data[i + 1])) {
            out[n++] = '_';
        }
    }
    return n;
}

static hpf_str clean_copy(hpp__names *names, hpf_str text)
{
    char *copy = hpf_arena_alloc(names->arena, text.length + 1);
    return (hpf_str){copy, copy ? hpp__names_clean(copy, text) : 0};
}

/* ---- Verdicts ---- */

static bool is_of_libc(const hpp_function *function)
{
    return hpf_str_begins(function->module, "libc.so.") ||
           hpf_str_begins(function->module, "libc-2") ||
           hpf_str_begins(function->module, "ld-linux");
}

/* Returns whether a function is a caller of main or of the function of a thread. Its callers are no
 * part of a stack. */
static bool is_start(const hpp_function *function)
{
    static const char *const beginnings[] = {"libc_start_", "libc_init_first", "generic_start_main",
                                             "start_thread", "clone"};
    hpf_str bare = function->name;
    while (hpf_str_begins(bare, "_")) {
        bare = hpf_str_from(bare, 1);
    }
    bool is = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        is |= hpf_str_begins(bare, beginnings[i]);
    }
    return (is && is_of_libc(function)) || hpf_str_is(function->name, "_start");
}

/* Returns whether a function is named by its symbol alone. To read the debugging information of
 * libc takes longer than all else in a short run. */
static bool needs_no_place(const hpp_function *function)
{
    return is_of_libc(function) || is_start(function);
}

static hpp_call call_of(hpf_str linkage)
{
    return hpf_str_begins(linkage, "_Znw")   ? HPP_CALL_NEW
           : hpf_str_begins(linkage, "_Zna") ? HPP_CALL_NEW_ARRAY
                                             : HPP_CALL_MALLOC;
}

/* Returns whether a function is one of the profiler. Its operators stand for the program's.
 */
static bool is_overhead(const hpp_function *function)
{
    return hpf_str_begins(function->module, OVERHEAD_MODULE) &&
           call_of(function->linkage) == HPP_CALL_MALLOC;
}

/* ---- Functions ---- */

/* Returns a number for the name of a module, below 2^16; all further ones share the last. */
static uint64_t module_number(hpp__names *names, hpf_str module)
{
    uint64_t *number = hpp__map_add(&names->texts, (uintptr_t)module.data | 1);
    if (number && *number == 0) {
        names->n_texts += names->n_texts < UINT16_MAX;
        *number = names->n_texts;
    }
    return number ? *number : UINT16_MAX;
}

/* Returns "[module]"; a module such as "[vdso]" has brackets already. */
static hpf_str module_label(hpp__names *names, hpf_str module)
{
    bool is_bare = module.length == 0 || module.data[0] != '[';
    char *copy = hpf_arena_alloc(names->arena, module.length + 3);
    if (!copy) {
        return (hpf_str){NULL, 0};
    }
    copy[0] = '[';
    size_t n = is_bare + hpp__names_clean(copy + is_bare, module);
    copy[n] = ']';
    return (hpf_str){copy, n + is_bare};
}

/* Returns "FILE:LINE", or the file if the line is 0; empty without memory. */
static hpf_str place_of(hpp__names *names, hpf_str file, uint32_t line)
{
    enum { LINE_BYTES = 12 };
    char *text = hpf_arena_alloc(names->arena, file.length + LINE_BYTES);
    if (!text) {
        return HPF_STR("");
    }
    for (size_t i = 0; i < file.length; i++) {
        text[i] = printable(file.data[i]);
    }
    int n = line > 0 ? snprintf(text + file.length, LINE_BYTES, ":%u", line) : 0;
    return (hpf_str){text, file.length + (size_t)n};
}

static hpp__function *make_function(hpp__names *names, const hpp_function *from, bool is_module)
{
    hpp__function *function = hpf_arena_alloc(names->arena, sizeof *function);
    if (!function) {
        return NULL;
    }
    *function = (hpp__function){
        .label = is_module ? module_label(names, from->module) : clean_copy(names, from->name),
        .name = from->name,
        .module = clean_copy(names, from->module),
        .source = place_of(names, from->start_file.length > 0 ? from->start_file : from->file,
                           from->start_line),
        .start_line = from->start_line,
        .index = names->n_functions,
        .call = call_of(from->linkage),
    };
    if (!function->label.data || !function->module.data) {
        return NULL;
    }
    const hpf_frame frame = {
        .label = function->label, .module = function->module, .source = function->source};
    function->is_overhead = is_overhead(from);
    function->owner = function->is_overhead ? HPF_FRAME_OF_ALLOCATOR
                                            : hpf_frame_rules_owner(names->rules, &frame);
    function->is_start = is_start(from);
    function->is_nameless = is_of_libc(from) && !from->has_symbol;
    function->is_module = is_module;
    function->plain = function;
    names->n_functions++;
    return function;
}

/* Addresses take 47 bits: the name's and the module's number fit into one key, with a bit for
 * functions that represent a module. */
static const hpp__function *function_of(hpp__names *names, const hpp_function *from)
{
    hpp_function overhead;
    if (is_overhead(from)) {
        overhead = *from; /* one function for all functions of the profiler */
        overhead.name = HPF_STR("OVERHEAD");
        overhead.linkage = overhead.file = overhead.start_file = HPF_STR("");
        overhead.start_line = 0;
        from = &overhead;
    }
    bool is_module = !from->has_symbol;
    hpf_str name = is_module ? from->module : from->name;
    uint64_t key = (uint64_t)is_module << 63 | (uint64_t)(uintptr_t)name.data << 16 |
                   module_number(names, from->module);
    uint64_t *place = hpp__map_add(&names->functions, key);
    if (place && *place == 0) {
        *place = (uintptr_t)make_function(names, from, is_module);
    }
    return place ? (const hpp__function *)(uintptr_t)*place : NULL;
}

const hpp__function *hpp__names_at_line(hpp__names *names, const hpp__frame *frame)
{
    const hpp__function *function = frame->function;
    if (function->source.length == 0 || function->is_overhead || function->is_module) {
        return function;
    }
    uint64_t *place = hpp__map_add(&names->lines, (uint64_t)function->index << 32 | frame->line);
    hpp__function *copy = place && *place == 0 ? hpf_arena_alloc(names->arena, sizeof *copy) : NULL;
    if (copy) {
        *copy = *function;
        bool is_known = frame->line > 0 && frame->path.length > 0;
        copy->source = is_known ? place_of(names, frame->path, frame->line) : HPF_STR("");
        copy->index = names->n_functions++;
        *place = (uintptr_t)copy;
    }
    return place ? (const hpp__function *)(uintptr_t)*place : NULL;
}

const hpp__function *hpp__names_special(hpp__names *names, hpf_str text)
{
    const hpp_function from = {.name = text,
                               .module = text,
                               .linkage = HPF_STR(""),
                               .file = HPF_STR(""),
                               .has_symbol = true};
    return function_of(names, &from);
}

const hpp__function *hpp__names_object_kind(hpp__names *names, const hpp__object_name *name)
{
    const hpp_function from = {.name = hpf_arena_str(names->arena, name->name),
                               .module = name->module,
                               .linkage = HPF_STR(""),
                               .file = name->file,
                               .has_symbol = true,
                               .start_line = name->line};
    hpf_str module = hpf_arena_str(names->arena, name->module);
    hpp__function *function =
        from.name.data && module.data ? make_function(names, &from, false) : NULL;
    if (function) { /* with blanks */
        function->label = from.name;
        function->module = module;
    }
    return function;
}

const hpp__function *hpp__names_scope(hpp__names *names, const hpp_window_scope *scope)
{
    hpf_str source = hpf_str_of(scope->source);
    hpf_str copy = hpf_arena_str(names->arena, source);
    const hpp_function from = {.name = hpf_str_of(scope->label),
                               .module = hpf_str_of(scope->module),
                               .linkage = HPF_STR(""),
                               .file = copy.data ? copy : HPF_STR(""),
                               .has_symbol = true};
    return make_function(names, &from, false);
}

hpp__frame hpp__names_python(hpp__names *names, const hpp_window_code *code)
{
    hpf_str file = {code->texts + code->n_name, code->n_file};
    hpp__text name = {0};
    hpp__python_module(&name, file);
    size_t n_module = name.length;
    hpp__text_add(&name, HPF_STR("."));
    hpp__text_add(&name, (hpf_str){code->texts, code->n_name});
    hpf_str whole =
        name.is_short ? (hpf_str){NULL, 0} : hpf_arena_str(names->arena, hpp__text_str(&name));
    hpf_str file_copy = hpf_arena_str(names->arena, file);
    const hpp_function from = {.name = whole,
                               .module = {whole.data, n_module},
                               .linkage = HPF_STR(""),
                               .file = file_copy,
                               .has_symbol = true,
                               .start_line = code->first_line};
    hpp__text_finish(&name);
    hpp__function *function =
        whole.data && file_copy.data ? make_function(names, &from, false) : NULL;
    if (function) {
        function->is_python = true;
    }
    return (hpp__frame){.function = function, .path = from.file, .file = hpf__base_name(from.file)};
}

/* ---- Looking up ---- */

static hpp__frames frames_of(hpp__names *names, hpp_functions found)
{
    hpp__frames none = {NULL, 0};
    if (!HPF__ARRAY_RESERVE(names->frames, names->frames_capacity, found.n)) {
        return none;
    }
    for (size_t i = 0; i < found.n; i++) {
        const hpp_function *from = &found.list[i];
        names->frames[i] = (hpp__frame){
            .function = function_of(names, from),
            .path = from->file,
            .file = hpf__base_name(from->file),
            .line = from->line,
        };
        if (!names->frames[i].function) {
            return none;
        }
    }
    return (hpp__frames){names->frames, found.n};
}

hpp__frames hpp__names_at(hpp__names *names, uint32_t object, uint64_t address)
{
    return frames_of(names, hpp_resolver_find(names->resolver, object, address));
}

hpp__frames hpp__names_generated(hpp__names *names, uint32_t process_id, uint64_t address)
{
    return frames_of(names, hpp__resolver_find_generated(names->resolver, process_id, address));
}

uint32_t hpp__names_object(hpp__names *names, const hpp_window_module *module, const char *root)
{
    const hpp_object_file object = {
        .path = module->path,
        .build_id = module->n_build_id > 0 ? module->build_id : NULL,
        .n_build_id = module->n_build_id,
        .root = root,
    };
    return hpp_resolver_object(names->resolver, &object);
}

void hpp__names_hurry(hpp__names *names)
{
    atomic_store(&names->are_final, true);
}

bool hpp__names_are_final(const hpp__names *names)
{
    return atomic_load(&names->are_final);
}

hpp_resolver *hpp__names_resolver(hpp__names *names)
{
    return names->resolver;
}

/* ---- Life ---- */

hpf_status hpp__names_create(hpp__names **out, const char *const *skip, size_t n_skip,
                             hpf_error *err)
{
    *out = NULL;
    hpp__names *names = calloc(1, sizeof *names);
    if (!names) {
        return hpf_error_set_memory(err);
    }
    names->arena = hpf_arena_create();
    hpf_status status = names->arena
                            ? hpf_frame_rules_create(&names->rules, skip, n_skip, false, err)
                            : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = hpp_resolver_create(&names->resolver, NULL, err);
    }
    if (status != HPF_OK) {
        hpp__names_destroy(names);
        return status;
    }
    hpp__resolver_name_by_symbol(names->resolver, needs_no_place);
    *out = names;
    return HPF_OK;
}

void hpp__names_destroy(hpp__names *names)
{
    if (!names) {
        return;
    }
    hpf_frame_rules_destroy(names->rules);
    hpp__map_finish(&names->texts);
    hpp__map_finish(&names->functions);
    hpp__map_finish(&names->lines);
    free(names->frames);
    hpp_resolver_destroy(names->resolver);
    hpf_arena_destroy(names->arena);
    free(names);
}
