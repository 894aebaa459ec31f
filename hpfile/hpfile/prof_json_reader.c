/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON of a `.prof`: cost centres with ids, then a tree of stacks that speaks of these. A stack
 * takes its place when its brace opens, so parents stand before children.
 */
#include <stdlib.h>

#include "hpfile/arena.h"
#include "hpfile/prof.h"
#include "hpfile/str.h"
#include "emitter.h"
#include "intern.h"
#include "json_walk.h"

enum { DEEPEST = 2000 }; /* each level of the tree takes some of the C stack */

struct hpf_prof_file {
    hpf_prof prof;
    hpf_arena *arena;
    hpf__json_lex lex;
    hpf_error *err;
    hpf__intern ids; /* of centres: the bytes of the number */
    hpf_prof_centre *centres;
    size_t centres_capacity;
    hpf_prof_stack *stacks;
    size_t stacks_capacity;
    uint32_t open; /* the stack that is being read, or HPF_PROF_NO_PARENT */
    int depth;
    bool has_profile;
    hpf_prof_centre centre; /* being read */
};

void hpf_prof_file_destroy(hpf_prof_file *f)
{
    if (f) {
        hpf__json_lex_finish(&f->lex);
        hpf__intern_finish(&f->ids);
        hpf_arena_destroy(f->arena);
        free(f->centres);
        free(f->stacks);
        free(f);
    }
}

const hpf_prof *hpf_prof_file_report(const hpf_prof_file *f)
{
    return &f->prof;
}

/* --- values --- */

static hpf_status read_text(hpf_prof_file *f, hpf_str *text)
{
    hpf_status status = hpf__json_expect(&f->lex, HPF__JSON_STRING, "a text");
    if (status != HPF_OK) {
        return status;
    }
    *text = (hpf_str){hpf_arena_text(f->arena, f->lex.text), f->lex.text.length};
    return text->data ? HPF_OK : hpf_error_set_memory(f->err);
}

static hpf_status read_whole(hpf_prof_file *f, uint64_t *number)
{
    hpf_cost cost = {0};
    hpf_status status = hpf__json_expect(&f->lex, HPF__JSON_NUMBER, "a number");
    if (status == HPF_OK) {
        status = hpf__amount_parse(&cost, f->lex.text, f->lex.place, f->err);
    }
    if (status == HPF_OK && cost.is_real) {
        return hpf__spot_error(f->lex.place, f->err, HPF_ERR_RANGE, "expected a whole number");
    }
    *number = cost.whole;
    return status;
}

static hpf_status read_truth(hpf_prof_file *f, bool *truth)
{
    hpf_status status = hpf__json_expect(&f->lex, HPF__JSON_WORD, "true or false");
    *truth = status == HPF_OK && hpf_str_is(f->lex.text, "true");
    return status;
}

/* --- cost centres --- */

static hpf_status read_centre_member(void *context, hpf_str key)
{
    hpf_prof_file *f = context;
    hpf_prof_centre *c = &f->centre;
    if (hpf_str_is(key, "id")) {
        return read_whole(f, &c->id);
    }
    if (hpf_str_is(key, "is_caf")) {
        return read_truth(f, &c->is_caf);
    }
    hpf_str *text = hpf_str_is(key, "label")     ? &c->label
                    : hpf_str_is(key, "module")  ? &c->module
                    : hpf_str_is(key, "src_loc") ? &c->srcloc
                                                 : NULL;
    return text ? read_text(f, text) : hpf__json_pass(&f->lex);
}

/* The place of a centre with this id, which is new or not. */
static hpf_status place_of(hpf_prof_file *f, uint64_t id, uint32_t *index, bool *is_new)
{
    hpf_str key = {(const char *)&id, sizeof id};
    hpf_prof_centre *grown =
        hpf__grow(f->centres, &f->centres_capacity, (size_t)f->ids.n_names + 1, sizeof *grown);
    if (!grown) {
        return hpf_error_set_memory(f->err);
    }
    f->centres = grown;
    hpf_status status = hpf__intern_add(&f->ids, key, index, is_new);
    return status == HPF_OK ? HPF_OK : hpf_error_set_memory(f->err);
}

static hpf_status read_centre(void *context)
{
    hpf_prof_file *f = context;
    uint32_t index = 0;
    bool is_new;
    f->centre = (hpf_prof_centre){0};
    hpf_status status = hpf__json_members(&f->lex, read_centre_member, f);
    status = status == HPF_OK ? place_of(f, f->centre.id, &index, &is_new) : status;
    if (status == HPF_OK) {
        f->centre.is_hidden = hpf_prof_hides(f->centre.label, f->centre.srcloc);
        f->centres[index] = f->centre;
    }
    return status;
}

/* --- stacks --- */

static hpf_status read_stack(void *context);

/* One that is not defined yet, or never, has no words. */
static hpf_status read_centre_id(hpf_prof_file *f)
{
    uint64_t id = 0;
    bool is_new = false;
    uint32_t index = 0;
    hpf_status status = read_whole(f, &id);
    status = status == HPF_OK ? place_of(f, id, &index, &is_new) : status;
    if (status == HPF_OK) {
        f->stacks[f->open].centre_index = index;
        if (is_new) {
            f->centres[index] = (hpf_prof_centre){.id = id};
        }
    }
    return status;
}

static hpf_status read_children(hpf_prof_file *f)
{
    if (f->depth >= DEEPEST) {
        return hpf__spot_error(f->lex.place, f->err, HPF_ERR_LIMIT,
                               "stacks deeper than %d are not read", DEEPEST);
    }
    f->depth++;
    hpf_status status = hpf__json_objects(&f->lex, read_stack, f);
    f->depth--;
    return status;
}

static hpf_status read_stack_member(void *context, hpf_str key)
{
    hpf_prof_file *f = context;
    hpf_prof_stack *s = &f->stacks[f->open];
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
    return number ? read_whole(f, number) : hpf__json_pass(&f->lex);
}

static hpf_status open_stack(hpf_prof_file *f)
{
    size_t n = f->prof.n_stacks;
    hpf_prof_stack *grown = hpf__grow(f->stacks, &f->stacks_capacity, n + 1, sizeof *grown);
    if (!grown) {
        return hpf_error_set_memory(f->err);
    }
    f->stacks = grown;
    grown[n] = (hpf_prof_stack){.parent_index = f->open, .id = n + 1, .centre_index = UINT32_MAX};
    f->open = (uint32_t)n;
    f->prof.n_stacks++;
    return HPF_OK;
}

/* Its '{' was read. */
static hpf_status read_stack(void *context)
{
    hpf_prof_file *f = context;
    hpf__spot place = f->lex.place;
    uint32_t parent = f->open;
    hpf_status status = open_stack(f);
    status = status == HPF_OK ? hpf__json_members(&f->lex, read_stack_member, f) : status;
    if (status == HPF_OK && f->stacks[f->open].centre_index == UINT32_MAX) {
        status = hpf__spot_error(place, f->err, HPF_ERR_SYNTAX, "this stack has no \"id\"");
    }
    f->open = parent;
    return status;
}

/* --- the report --- */

static hpf_status read_profile(hpf_prof_file *f)
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
    hpf_prof_file *f = context;
    uint64_t n_processors = 0;
    if (hpf_str_is(key, "program")) {
        return read_text(f, &f->prof.program);
    }
    if (hpf_str_is(key, "end_time")) {
        return read_text(f, &f->prof.date);
    }
    if (hpf_str_is(key, "tick_interval")) {
        return read_whole(f, &f->prof.tick_us);
    }
    if (hpf_str_is(key, "initial_capabilities")) {
        hpf_status status = read_whole(f, &n_processors);
        f->prof.n_processors = n_processors < UINT32_MAX ? (uint32_t)n_processors : 0;
        return status;
    }
    if (hpf_str_is(key, "cost_centres")) {
        return hpf__json_objects(&f->lex, read_centre, f);
    }
    return hpf_str_is(key, "profile") ? read_profile(f) : hpf__json_pass(&f->lex);
}

static hpf_status read_report(hpf_prof_file *f)
{
    hpf_status status = hpf__json_expect(&f->lex, HPF__JSON_OPEN_OBJECT, "'{'");
    hpf__spot place = f->lex.place;
    status = status == HPF_OK ? hpf__json_members(&f->lex, read_member, f) : status;
    status = status == HPF_OK ? hpf__json_expect(&f->lex, HPF__JSON_END, "the end of the input")
                              : status;
    if (status == HPF_OK && !f->has_profile) {
        return hpf__spot_error(place, f->err, HPF_ERR_SYNTAX,
                               "no report: there is no member \"profile\"");
    }
    f->prof.centres = f->centres;
    f->prof.n_centres = f->ids.n_names;
    f->prof.stacks = f->stacks;
    return status;
}

hpf_status hpf_prof_read_json(hpf_prof_file **out, hpf_source *source, hpf_error *err)
{
    hpf_prof_file *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f || !(f->arena = hpf_arena_create())) {
        free(f);
        return hpf_error_set_memory(err);
    }
    f->lex = (hpf__json_lex){.scan = {.source = source, .err = err, .line = 1}};
    f->err = err;
    f->open = HPF_PROF_NO_PARENT;
    hpf_status status = read_report(f);
    if (status == HPF_OK) {
        *out = f;
    } else {
        hpf_prof_file_destroy(f);
    }
    return status;
}
