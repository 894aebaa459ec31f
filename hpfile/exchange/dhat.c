/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of Valgrind's DHAT (docs/formats/dhat.md). The table of frames comes last, so all sites
 * of allocation are kept until then.
 */
#include <stdlib.h>

#include "event/call_stacks.h"

#include "base/names.h"
#include "event/format_row.h"
#include "exchange/valgrind_frame.h"
#include "io/json_lex.h"

typedef enum value { LIVE, BLOCKS, TOTAL } value;

/* A site of allocations; its frames are [first_frame, end_frame). */
typedef struct site {
    uint64_t at_peak, at_end; /* of the chosen value */
    size_t first_frame, end_frame;
} site;

typedef struct dhat {
    hpf__json_lex lex;
    hpf_error *err;
    hpf__call_stacks stacks;
    value value;
    site *sites;
    uint64_t *frames; /* numbers in the table */
    hpf__intern texts;
    hpf_frame *table; /* with texts of `texts` */
    size_t n_sites, n_frames, n_table;
    size_t sites_capacity, frames_capacity, table_capacity;
    hpf__buffer command, time_unit, unit;
    uint64_t peak_time, end_time;
    bool has_lifetimes;
} dhat;

static hpf_status read_text(dhat *d, hpf__buffer *text)
{
    hpf_status status = hpf__json_expect(&d->lex, HPF__JSON_STRING, "a text");
    text->length = 0;
    return status != HPF_OK || hpf__buffer_add(text, d->lex.text) ? status
                                                                  : hpf_error_set_memory(d->err);
}

/* ---- Places of allocation ---- */

static hpf_status read_frame_number(void *context)
{
    dhat *d = context;
    uint64_t number = 0;
    if (d->lex.kind != HPF__JSON_NUMBER) {
        return hpf__json_unexpected(&d->lex, "the number of a frame");
    }
    hpf_status status = hpf__json_as_whole(&d->lex, &number);
    return status != HPF_OK || HPF__ARRAY_PUSH(d->frames, d->n_frames, d->frames_capacity, number)
               ? status
               : hpf_error_set_memory(d->err);
}

static hpf_status read_site_member(void *context, hpf_str key)
{
    /* Bytes and blocks: in all, at the peak of all, at the end. */
    static const char *const keys[][2] = {
        [LIVE] = {"gb", "eb"}, [BLOCKS] = {"gbk", "ebk"}, [TOTAL] = {"tb", "tb"}};
    dhat *d = context;
    site *p = &d->sites[d->n_sites - 1];
    value which = d->has_lifetimes ? d->value : TOTAL;
    if (hpf_str_is(key, "fs")) {
        return hpf__json_items(&d->lex, read_frame_number, d);
    }
    if (hpf_str_is(key, keys[which][1])) {
        return hpf__json_whole(&d->lex, &p->at_end);
    }
    return hpf_str_is(key, keys[which][0]) ? hpf__json_whole(&d->lex, &p->at_peak)
                                           : hpf__json_pass(&d->lex);
}

static hpf_status read_site(void *context)
{
    dhat *d = context;
    const site new = {.first_frame = d->n_frames};
    if (!HPF__ARRAY_PUSH(d->sites, d->n_sites, d->sites_capacity, new)) {
        return hpf_error_set_memory(d->err);
    }
    hpf_status status = hpf__json_members(&d->lex, read_site_member, d);
    d->sites[d->n_sites - 1].end_frame = d->n_frames;
    return status;
}

static hpf_status read_frame(void *context)
{
    dhat *d = context;
    uint32_t number = 0;
    bool is_new;
    if (d->lex.kind != HPF__JSON_STRING) {
        return hpf__json_unexpected(&d->lex, "the text of a frame");
    }
    if (hpf__intern_add(&d->texts, hpf__call_stacks_text(d->lex.text), &number, &is_new) !=
        HPF_OK) {
        return hpf_error_set_memory(d->err);
    }
    hpf_frame frame = hpf__valgrind_frame(d->texts.names[number]);
    return HPF__ARRAY_PUSH(d->table, d->n_table, d->table_capacity, frame)
               ? HPF_OK
               : hpf_error_set_memory(d->err);
}

/* ---- The document ---- */

static hpf_status read_member(void *context, hpf_str key)
{
    dhat *d = context;
    uint64_t version = 0;
    if (hpf_str_is(key, "dhatFileVersion")) {
        hpf_status status = hpf__json_whole(&d->lex, &version);
        return status != HPF_OK || version == 2
                   ? status
                   : hpf__location_error(d->lex.place, d->err, HPF_ERR_VERSION,
                                         "expected version 2 of the format of DHAT");
    }
    if (hpf_str_is(key, "bklt")) {
        return hpf__json_truth(&d->lex, &d->has_lifetimes);
    }
    return hpf_str_is(key, "cmd")    ? read_text(d, &d->command)
           : hpf_str_is(key, "tu")   ? read_text(d, &d->time_unit)
           : hpf_str_is(key, "bsu")  ? read_text(d, &d->unit)
           : hpf_str_is(key, "te")   ? hpf__json_whole(&d->lex, &d->end_time)
           : hpf_str_is(key, "tg")   ? hpf__json_whole(&d->lex, &d->peak_time)
           : hpf_str_is(key, "pps")  ? hpf__json_objects(&d->lex, read_site, d)
           : hpf_str_is(key, "ftbl") ? hpf__json_items(&d->lex, read_frame, d)
                                     : hpf__json_pass(&d->lex);
}

/* Returns whether a frame belongs to Valgrind's own malloc. */
static bool is_malloc(const hpf_frame *frame)
{
    return hpf_str_begins(frame->source, "vg_replace_malloc.c:") ||
           hpf_str_begins(hpf__base_name(frame->module), "vgpreload_");
}

static hpf_status add_cost(dhat *d, const site *p, uint64_t amount)
{
    hpf__call_stacks *stacks = &d->stacks;
    bool fits = hpf__call_stacks_begin(stacks);
    for (size_t i = p->first_frame; fits && i < p->end_frame && !hpf__call_stacks_is_full(stacks);
         i++) {
        if (d->frames[i] >= d->n_table) {
            return hpf_error_set(d->err, HPF_ERR_SYNTAX,
                                 "a place of allocation has a frame that is not in \"ftbl\"");
        }
        const hpf_frame *frame = &d->table[d->frames[i]];
        bool is_left_out = stacks->n_frames == 0 && is_malloc(frame) && i + 1 < p->end_frame;
        fits = is_left_out || hpf__call_stacks_push(stacks, *frame);
    }
    return fits ? hpf__call_stacks_cost(stacks, amount, d->err) : hpf_error_set_memory(d->err);
}

static hpf_status emit_sample(dhat *d, uint64_t time, bool is_peak)
{
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < d->n_sites && status == HPF_OK; i++) {
        const site *p = &d->sites[i];
        status = add_cost(d, p, is_peak ? p->at_peak : p->at_end);
    }
    return status == HPF_OK
               ? hpf__emitter_sample(&d->stacks.emit, (double)time, d->lex.place, d->err)
               : status;
}

static hpf_str text_of(const hpf__buffer *text, hpf_str otherwise)
{
    return text->length ? hpf__buffer_str(text) : otherwise;
}

static hpf_status emit(dhat *d)
{
    hpf_str unit = d->value == BLOCKS && d->has_lifetimes ? HPF_STR("blocks")
                                                          : text_of(&d->unit, HPF_STR("bytes"));
    hpf_str time_unit = text_of(&d->time_unit, HPF_STR("instrs"));
    time_unit = hpf_str_is(time_unit, "instrs") ? HPF_STR("instructions") : time_unit;
    const hpf_str headers[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = text_of(&d->command, HPF_STR("")),
        [HPF_HEADER_SAMPLE_UNIT] = time_unit,
        [HPF_HEADER_VALUE_UNIT] = unit,
    };
    hpf_status status = hpf__call_stacks_headers(&d->stacks, headers, d->err);
    if (d->has_lifetimes && d->value != TOTAL) {
        status = status == HPF_OK ? hpf__emitter_sample(&d->stacks.emit, 0, d->lex.place, d->err)
                                  : status;
        status = status == HPF_OK ? emit_sample(d, d->peak_time, true) : status;
    }
    return status == HPF_OK ? emit_sample(d, d->end_time, false) : status;
}

static hpf_status read(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err)
{
    static const char *const values[] = {"live", "blocks", "total", NULL};
    size_t chosen;
    dhat d = {
        .lex = {.scan = hpf__cursor_of(source, options, err)},
        .err = err,
        .stacks = {.emit = {.events = events, .context = context}, .source = source},
        .has_lifetimes = true,
    };
    hpf_status status = hpf__choose_value(&chosen, values, options, err);
    d.value = (value)chosen;
    status = status == HPF_OK ? hpf__json_document(&d.lex, read_member, &d) : status;
    status = status == HPF_OK ? emit(&d) : status;
    hpf__call_stacks_finish(&d.stacks);
    hpf__json_lex_finish(&d.lex);
    hpf__intern_finish(&d.texts);
    hpf__buffer_finish(&d.command);
    hpf__buffer_finish(&d.time_unit);
    hpf__buffer_finish(&d.unit);
    free(d.sites);
    free(d.frames);
    free(d.table);
    return status;
}

static bool is_format(hpf_str head)
{
    hpf_str text = hpf__head_text(head);
    return hpf_str_begins(text, "{") &&
           hpf_str_begins(hpf__head_text(hpf_str_from(text, 1)), "\"dhatFileVersion\"");
}

const hpf_format hpf_format_dhat = {
    .name = "dhat",
    .summary = "dhat.out of Valgrind's DHAT",
    .is_format = is_format,
    .read = read,
    .allocated = "total",
};
