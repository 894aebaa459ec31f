/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON of a `.prof`: cost centres with ids, then a tree of stacks that refers to them. A stack
 * is added when its brace opens, so parents come before children.
 */
#include "hpfile/prof.h"
#include "hpfile/str.h"
#include "base/intern.h"
#include "io/json_lex.h"
#include "prof/prof_file.h"

typedef struct json_report {
    hpf_prof_file *file;
    hpf__json_lex lex;
    hpf_error *err;
    hpf__intern ids; /* of centres: the bytes of the number */
    uint32_t open;   /* the stack that is being read, or HPF_PROF_NO_PARENT */
    int depth;
    bool has_profile;
    hpf_prof_centre centre; /* being read */
} json_report;

/* --- values --- */

static hpf_status read_text(json_report *f, hpf_str *text)
{
    hpf_status status = hpf__json_expect(&f->lex, HPF__JSON_STRING, "a text");
    return status == HPF_OK ? hpf__prof_file_keep(f->file, f->lex.text, text, f->err) : status;
}

/* --- cost centres --- */

static hpf_status read_centre_member(void *context, hpf_str key)
{
    json_report *f = context;
    hpf_prof_centre *c = &f->centre;
    if (hpf_str_is(key, "id")) {
        return hpf__json_whole(&f->lex, &c->id);
    }
    if (hpf_str_is(key, "is_caf")) {
        return hpf__json_truth(&f->lex, &c->is_caf);
    }
    hpf_str *text = hpf_str_is(key, "label")     ? &c->label
                    : hpf_str_is(key, "module")  ? &c->module
                    : hpf_str_is(key, "src_loc") ? &c->srcloc
                                                 : NULL;
    return text ? read_text(f, text) : hpf__json_pass(&f->lex);
}

/* Returns the place of the centre with this id; a new one has no texts yet. */
static hpf_status place_of(json_report *f, uint64_t id, uint32_t *index)
{
    bool is_new;
    hpf_str key = {(const char *)&id, sizeof id};
    if (hpf__intern_add(&f->ids, key, index, &is_new) != HPF_OK) {
        return hpf_error_set_memory(f->err);
    }
    hpf_status status = hpf__prof_file_fit_centre(f->file, *index, f->err);
    if (status == HPF_OK && is_new) {
        f->file->centres[*index].id = id;
    }
    return status;
}

static hpf_status read_centre(void *context)
{
    json_report *f = context;
    uint32_t index = 0;
    f->centre = (hpf_prof_centre){0};
    hpf_status status = hpf__json_members(&f->lex, read_centre_member, f);
    status = status == HPF_OK ? place_of(f, f->centre.id, &index) : status;
    if (status == HPF_OK) {
        f->centre.is_hidden = hpf__prof_hides(f->centre.label, f->centre.srcloc);
        f->file->centres[index] = f->centre;
    }
    return status;
}

/* --- stacks --- */

static hpf_status read_stack(void *context);

static hpf_status read_centre_id(json_report *f)
{
    uint64_t id = 0;
    uint32_t index = 0;
    hpf_status status = hpf__json_whole(&f->lex, &id);
    status = status == HPF_OK ? place_of(f, id, &index) : status;
    if (status == HPF_OK) {
        f->file->stacks[f->open].centre_index = index;
    }
    return status;
}

static hpf_status read_children(json_report *f)
{
    if (f->depth >= HPF__PROF_DEEPEST) {
        return hpf__location_error(f->lex.place, f->err, HPF_ERR_LIMIT, "a stack deeper than %d",
                                   HPF__PROF_DEEPEST);
    }
    f->depth++;
    hpf_status status = hpf__json_objects(&f->lex, read_stack, f);
    f->depth--;
    return status;
}

static hpf_status read_stack_member(void *context, hpf_str key)
{
    json_report *f = context;
    hpf_prof_stack *s = &f->file->stacks[f->open];
    if (hpf_str_is(key, "id")) {
        return read_centre_id(f);
    }
    if (hpf_str_is(key, "children")) {
        return read_children(f);
    }
    uint64_t *number = hpf_str_is(key, "entries") ? &s->entries
                       : hpf_str_is(key, "ticks") ? &s->ticks
                       : hpf_str_is(key, "alloc") ? &s->allocated_bytes
                                                  : NULL;
    return number ? hpf__json_whole(&f->lex, number) : hpf__json_pass(&f->lex);
}

static hpf_status open_stack(json_report *f)
{
    hpf_status status = hpf__prof_file_add_stack(f->file, f->open, f->err);
    if (status == HPF_OK) {
        f->open = (uint32_t)(f->file->prof.n_stacks - 1);
    }
    return status;
}

/* Its '{' was read. */
static hpf_status read_stack(void *context)
{
    json_report *f = context;
    hpf__location place = f->lex.place;
    uint32_t parent = f->open;
    hpf_status status = open_stack(f);
    status = status == HPF_OK ? hpf__json_members(&f->lex, read_stack_member, f) : status;
    if (status == HPF_OK && f->file->stacks[f->open].centre_index == UINT32_MAX) {
        status = hpf__location_error(place, f->err, HPF_ERR_SYNTAX, "this stack has no \"id\"");
    }
    f->open = parent;
    return status;
}

/* --- the report --- */

static hpf_status read_profile(json_report *f)
{
    hpf_status status = hpf__json_expect(&f->lex, HPF__JSON_OPEN_OBJECT, "'{'");
    if (status == HPF_OK && f->has_profile) {
        return hpf__json_unexpected(&f->lex, "one \"profile\"");
    }
    f->has_profile = true;
    return status == HPF_OK ? read_stack(f) : status;
}

static hpf_status read_member(void *context, hpf_str key)
{
    json_report *f = context;
    uint64_t n_processors = 0;
    if (hpf_str_is(key, "program")) {
        return read_text(f, &f->file->prof.program);
    }
    if (hpf_str_is(key, "end_time")) {
        return read_text(f, &f->file->prof.date);
    }
    if (hpf_str_is(key, "tick_interval")) {
        return hpf__json_whole(&f->lex, &f->file->prof.tick_us);
    }
    if (hpf_str_is(key, "initial_capabilities")) {
        hpf_status status = hpf__json_whole(&f->lex, &n_processors);
        f->file->prof.n_processors = n_processors < UINT32_MAX ? (uint32_t)n_processors : 0;
        return status;
    }
    if (hpf_str_is(key, "cost_centres")) {
        return hpf__json_objects(&f->lex, read_centre, f);
    }
    return hpf_str_is(key, "profile") ? read_profile(f) : hpf__json_pass(&f->lex);
}

static hpf_status read_report(json_report *f)
{
    hpf_status status = hpf__json_expect(&f->lex, HPF__JSON_OPEN_OBJECT, "'{'");
    hpf__location place = f->lex.place;
    status = status == HPF_OK ? hpf__json_members(&f->lex, read_member, f) : status;
    status = status == HPF_OK ? hpf__json_expect(&f->lex, HPF__JSON_END, "the end of the input")
                              : status;
    if (status == HPF_OK && !f->has_profile) {
        return hpf__location_error(place, f->err, HPF_ERR_SYNTAX,
                                   "no report: there is no member \"profile\"");
    }
    return status;
}

hpf_status hpf__prof_read_json(hpf_prof_file *file, hpf__cursor scan, hpf_error *err)
{
    json_report f = {.file = file, .lex = {.scan = scan}, .err = err, .open = HPF_PROF_NO_PARENT};
    hpf_status status = read_report(&f);
    hpf__json_lex_finish(&f.lex);
    hpf__intern_finish(&f.ids);
    return status;
}
