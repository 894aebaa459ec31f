/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each address is one after a call, so the byte before it is looked up.
 */
#include "symbolise.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/words.h"
#include "hpprof/resolve.h"
#include "info_tables.h"

struct symboliser {
    hpp_resolver *resolver;
    hpf__intern paths; /* of modules that were seen */
    struct module {
        uint32_t object;
        uint64_t base;
        info_tables *tables; /* NULL: not needed so far */
    } * modules;
    size_t modules_capacity;
    hpf__intern texts; /* sources of frames */
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
        for (size_t i = 0; i < s->paths.n_names; i++) {
            info_tables_destroy(s->modules[i].tables);
        }
        hpf__intern_finish(&s->paths);
        hpf__intern_finish(&s->texts);
        free(s->modules);
        free(s->frames);
        free(s);
    }
}

/* Returns the module of a path, or NULL without memory. */
static struct module *module_of(symboliser *s, hpf_str path)
{
    uint32_t number = 0;
    bool is_new = false;
    if (hpf__intern_add(&s->paths, path, &number, &is_new) != HPF_OK ||
        !HPF__ARRAY_RESERVE(s->modules, s->modules_capacity, (size_t)number + 1)) {
        return NULL;
    }
    if (is_new) {
        const hpp_object_file file = {.path = s->paths.names[number].data};
        s->modules[number].object = hpp_resolver_object(s->resolver, &file);
        s->modules[number].base = info_tables_base(file.path);
        s->modules[number].tables = NULL;
    }
    return &s->modules[number];
}

static bool push_function(symboliser *s, size_t *n, const hpp_function *f, hpf_str path)
{
    uint32_t number = 0;
    bool is_new;
    hpf_frame frame = {.label = f->name, .module = path, .source = f->file};
    if (f->file.length > 0 && f->line > 0) {
        char text[4096];
        int length = snprintf(text, sizeof text, "%s:%u", f->file.data, (unsigned)f->line);
        size_t used = length < (int)sizeof text ? (size_t)length : 0;
        if (hpf__intern_add(&s->texts, (hpf_str){text, used}, &number, &is_new) != HPF_OK) {
            return false;
        }
        frame.source = s->texts.names[number];
    }
    return HPF__ARRAY_PUSH(s->frames, *n, s->capacity, frame);
}

/* Returns the address in a label, which ends with +0xADDRESS. */
static bool address_of(hpf_str label, uint64_t *address)
{
    size_t i = label.length;
    if (i == 0) {
        return false;
    }
    while (i > 0 && label.data[i - 1] != '+') {
        i--;
    }
    hpf_str rest = hpf_str_from(label, i);
    return i > 0 && hpf__take_word(&rest, "0x") && hpf__take_whole(&rest, 16, address) &&
           rest.length == 0 && *address > 0;
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
    struct module *m = module_of(s, given->module);
    if (!m ||
        (!m->tables && !(m->tables = info_tables_create(s->paths.names[m - s->modules].data))) ||
        !HPF__ARRAY_RESERVE(s->frames, s->capacity, 1)) {
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
        uint64_t address = 0;
        bool is_known = address_of(given->label, &address);
        const struct module *m = is_known ? module_of(s, given->module) : NULL;
        if (!is_known) {
            fits = HPF__ARRAY_PUSH(s->frames, n, s->capacity, *given);
        } else if ((fits = m != NULL)) {
            hpp_functions found = hpp_resolver_find(s->resolver, m->object, m->base + address - 1);
            for (size_t k = 0; k < found.n && fits && !is_main; k++) {
                fits = push_function(s, &n, &found.list[k], given->module);
                is_main = hpf_str_is(found.list[k].name, "main");
            }
        }
    }
    *frames = s->frames;
    *n_frames = n;
    return fits ? HPF_OK : hpf_error_set_memory(err);
}
