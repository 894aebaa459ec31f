/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files are numbered as the resolver numbers them. Addresses that it cannot name are counted once.
 */
#include "symbolise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/words.h"
#include "diag.h"
#include "hpprof/collector.h"
#include "hpprof/resolve.h"
#include "info_tables.h"
#include "unit_format.h"

/* The longest build id, in bytes; most files that a message lists, and its bytes. */
enum { MOST_BUILD_ID = 64, MOST_SAID = 4, SAID_BYTES = 1024 };

struct symboliser {
    hpp_resolver *resolver;
    hpf__intern texts; /* paths of files, sources of frames */
    struct module {
        hpf_str path;
        info_tables *tables; /* NULL: not needed so far */
        uint64_t n_unnamed;
    } * modules;
    size_t n_modules, modules_capacity;
    hpf__intern unnamed; /* numbers of modules and addresses */
    hpf_frame *frames;
    size_t capacity;
};

static symboliser *create(void)
{
    symboliser *s = calloc(1, sizeof *s);
    if (s && hpp_resolver_create(&s->resolver, NULL, NULL) != HPF_OK) {
        free(s);
        return NULL;
    }
    return s;
}

void symboliser_destroy(symboliser *s)
{
    if (s) {
        hpp_resolver_destroy(s->resolver);
        for (size_t i = 0; i < s->n_modules; i++) {
            info_tables_destroy(s->modules[i].tables);
        }
        hpf__intern_finish(&s->texts);
        hpf__intern_finish(&s->unnamed);
        free(s->modules);
        free(s->frames);
        free(s);
    }
}

static bool keep_text(symboliser *s, hpf_str *text)
{
    uint32_t number = 0;
    bool is_new;
    bool is_kept = hpf__intern_add(&s->texts, *text, &number, &is_new) == HPF_OK;
    *text = is_kept ? s->texts.names[number] : HPF_STR("");
    return is_kept;
}

/* Reads a build id. Returns its length; 0 if it is none, as those of Go's own compiler. */
static size_t read_build_id(hpf_str digits, uint8_t bytes[MOST_BUILD_ID])
{
    size_t n = digits.length / 2;
    for (size_t i = 0; i < n && n <= MOST_BUILD_ID && digits.length % 2 == 0; i++) {
        hpf_str pair = {digits.data + 2 * i, 2};
        uint64_t value;
        if (!hpf__take_whole(&pair, 16, &value) || pair.length > 0) {
            return 0;
        }
        bytes[i] = (uint8_t)value;
    }
    return n <= MOST_BUILD_ID && digits.length % 2 == 0 ? n : 0;
}

/* Stores the number of the file that a frame is in. Returns false without memory. */
static bool find_module(symboliser *s, const hpf_frame *frame, uint32_t *number)
{
    uint8_t build_id[MOST_BUILD_ID];
    hpf_str path = frame->module;
    if (!keep_text(s, &path)) {
        return false;
    }
    const hpp_object_file file = {.path = path.data,
                                  .build_id = build_id,
                                  .n_build_id = read_build_id(frame->build_id, build_id)};
    *number = hpp_resolver_object(s->resolver, &file);
    if (*number == UINT32_MAX) {
        return false;
    }
    return *number < s->n_modules || HPF__ARRAY_PUSH(s->modules, s->n_modules, s->modules_capacity,
                                                     ((struct module){.path = path}));
}

/* Adds a function at an address. Without a symbol, it remains an address. */
static bool push_function(symboliser *s, size_t *n, const hpp_function *f, const hpf_frame *given)
{
    hpf_frame frame = {.label = f->name,
                       .module = given->module,
                       .source = f->file,
                       .code = f->has_symbol ? 0 : given->code};
    if (f->file.length > 0 && f->line > 0) {
        char text[4096];
        int length = snprintf(text, sizeof text, "%s:%u", f->file.data, (unsigned)f->line);
        frame.source = (hpf_str){text, length < (int)sizeof text ? (size_t)length : 0};
        if (!keep_text(s, &frame.source)) {
            return false;
        }
    }
    return HPF__ARRAY_PUSH(s->frames, *n, s->capacity, frame);
}

/* Counts an address that has no function. Returns false without memory. */
static bool count_unnamed(symboliser *s, uint32_t module, uint64_t code)
{
    const uint64_t key[] = {module, code};
    uint32_t number;
    bool is_new = false;
    bool fits = hpf__intern_add(&s->unnamed, (hpf_str){(const char *)key, sizeof key}, &number,
                                &is_new) == HPF_OK;
    s->modules[module].n_unnamed += is_new;
    return fits;
}

/* Adds the functions of a frame that is an address; the address itself if its file is not found. */
static bool push_code(symboliser *s, size_t *n, const hpf_frame *given, bool *is_main)
{
    uint32_t module;
    if (!find_module(s, given, &module)) {
        return false;
    }
    uint64_t address = given->is_code_offset
                           ? hpp_resolver_address(s->resolver, module, given->code)
                           : given->code;
    if (!hpp_resolver_is_found(s->resolver, module)) {
        return count_unnamed(s, module, given->code) &&
               HPF__ARRAY_PUSH(s->frames, *n, s->capacity, *given);
    }
    hpp_functions found = hpp_resolver_find(s->resolver, module, address);
    bool fits = found.list[found.n - 1].has_symbol || count_unnamed(s, module, given->code);
    for (size_t k = 0; k < found.n && fits && !*is_main; k++) {
        fits = push_function(s, n, &found.list[k], given);
        *is_main = hpf_str_is(found.list[k].name, "main");
    }
    return fits;
}

/* Names one info table of a program. */
static hpf_status name_table(symboliser *s, const hpf_frame **frames, hpf_error *err)
{
    const hpf_frame *given = *frames;
    hpf_str digits = given->table;
    uint64_t address;
    bool is_found = false;
    hpf_frame frame = *given;
    if (!hpf__take_word(&digits, "0x") || !hpf__take_whole(&digits, 16, &address)) {
        return HPF_OK;
    }
    uint32_t module;
    if (!find_module(s, given, &module) || !HPF__ARRAY_RESERVE(s->frames, s->capacity, 1)) {
        return hpf_error_set_memory(err);
    }
    struct module *m = &s->modules[module];
    if (!m->tables && !(m->tables = info_tables_create(m->path.data))) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = info_tables_find(m->tables, address, &frame, &is_found, err);
    if (is_found) {
        s->frames[0] = frame;
        *frames = s->frames;
    }
    return status;
}

hpf_status symboliser_frames(void *context, const hpf_frame **frames, size_t *n_frames,
                             hpf_error *err)
{
    symboliser **only = context, *s = *only = *only ? *only : create();
    size_t n = 0;
    if (!s) {
        return hpf_error_set_memory(err);
    }
    if (*n_frames == 1 && (*frames)->table.length > 0) {
        return name_table(s, frames, err);
    }
    bool fits = true, is_main = false;
    for (size_t i = 0; i < *n_frames && fits && !is_main; i++) {
        const hpf_frame *given = &(*frames)[i];
        fits = given->code > 0 ? push_code(s, &n, given, &is_main)
                               : HPF__ARRAY_PUSH(s->frames, n, s->capacity, *given);
    }
    *frames = s->frames;
    *n_frames = n;
    return fits ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- What has no names ---- */

static int compare_modules(const void *left, const void *right)
{
    const struct module *const *a = left, *const *b = right;
    return ((*a)->n_unnamed < (*b)->n_unnamed) - ((*a)->n_unnamed > (*b)->n_unnamed);
}

/* Writes a file, how many of its addresses have no function, and why, behind a text. */
static void put_module(char text[SAID_BYTES], symboliser *s, const struct module *m)
{
    size_t n = strlen(text);
    uint32_t number = (uint32_t)(m - s->modules);
    bool is_file = m->path.length > 0 && *m->path.data != '[';
    const char *why = hpp_resolver_is_found(s->resolver, number) ? "no symbols"
                      : is_file                                  ? "not found, or of another build"
                                                                 : "no file";
    snprintf(text + n, SAID_BYTES - n, "%s%s in %.100s (%s)", n > 0 ? ", " : "",
             format_count(m->n_unnamed).text, m->path.length ? m->path.data : "unknown memory",
             why);
}

void symboliser_say_unnamed(symboliser *s, const char *name)
{
    char files[SAID_BYTES] = "";
    const char *missing = hpp_collector_missing(), *servers = getenv("DEBUGINFOD_URLS");
    size_t n = s ? s->n_modules : 0, n_said = 0;
    const struct module **all = calloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n && all; i++) {
        all[i] = &s->modules[i];
    }
    HPF__ARRAY_SORT(all, all ? n : 0, compare_modules);
    for (; all && n_said < n && n_said < MOST_SAID && all[n_said]->n_unnamed > 0; n_said++) {
        put_module(files, s, all[n_said]);
    }
    if (n_said > 0) {
        diag_say("%s: addresses without functions: %s%s; %s%s", name, files,
                 n_said < n && all[n_said]->n_unnamed > 0 ? ", ..." : "",
                 *missing ? "not built in: "
                 : servers && *servers
                     ? "they need these files, or debugging symbols in /usr/lib/debug"
                     : "they need these files, debugging symbols in /usr/lib/debug, or "
                       "DEBUGINFOD_URLS=https://debuginfod.elfutils.org",
                 missing);
    }
    free(all);
}
