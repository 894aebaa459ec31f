/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/waste.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/words.h"
#include "snapshot/snapshot.h"

const char *hpf_waste_name(hpf_waste_kind kind)
{
    static const char *const names[HPF_N_WASTE_KINDS] = {
        [HPF_WASTE_EQUAL] = "equal",         [HPF_WASTE_ROOM] = "room",
        [HPF_WASTE_UNWRITTEN] = "unwritten", [HPF_WASTE_SLACK] = "slack",
        [HPF_WASTE_BOXED] = "boxed",         [HPF_WASTE_SIZE] = "size"};
    return names[kind];
}

const char *hpf_waste_phrase(hpf_waste_kind kind)
{
    static const char *const phrases[HPF_N_WASTE_KINDS] = {
        [HPF_WASTE_EQUAL] = "equal to another one",
        [HPF_WASTE_ROOM] = "less than half full",
        [HPF_WASTE_UNWRITTEN] = "never written from the middle on",
        [HPF_WASTE_SLACK] = "larger than asked for",
        [HPF_WASTE_BOXED] = "with a value no larger than a reference",
        [HPF_WASTE_SIZE] = "larger than asked for"};
    return phrases[kind];
}

bool hpf_waste_take_row(hpf_waste *row, hpf_str *rest)
{
    unsigned kind;
    uint64_t numbers[2];
    hpf_str type;
    if (!hpf__take_row(rest, &kind, numbers, &type) || kind >= HPF_N_WASTE_KINDS ||
        rest->length == 0 || !memchr(rest->data, '\0', rest->length)) {
        return false;
    }
    *row = (hpf_waste){.kind = (hpf_waste_kind)kind,
                       .type = type,
                       .site = hpf__take_until(rest, '\0'),
                       .n_blocks = numbers[1],
                       .bytes = numbers[0]};
    return true;
}

hpf_status hpf_snapshot_add_waste(hpf_snapshot *s, const hpf_waste *row, hpf_error *err)
{
    uint32_t type, site;
    hpf_waste copy = *row;
    if (!hpf__snapshot_text(s, row->type, &type) || !hpf__snapshot_text(s, row->site, &site)) {
        return hpf_error_set_memory(err);
    }
    copy.type = hpf_snapshot_text(s, type);
    copy.site = hpf_snapshot_text(s, site);
    return HPF__ARRAY_PUSH(s->waste, s->n_waste, s->waste_capacity, copy)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

static hpf_status add_equal_strings(hpf_snapshot *s, hpf_error *err)
{
    enum { CUT_CHARACTERS = 1024 }; /* V8 writes no more of a string */
    uint32_t type;
    uint32_t n_texts = hpf_snapshot_n_texts(s);
    uint64_t *kept_bytes = calloc((size_t)n_texts + 1, sizeof *kept_bytes);
    hpf_waste *rows = calloc((size_t)n_texts + 1, sizeof *rows);
    hpf_status status = kept_bytes && rows ? HPF_OK : hpf_error_set_memory(err);
    bool has_strings = status == HPF_OK && hpf_snapshot_find_text(s, HPF_STR("(string)"), &type);
    for (uint32_t i = 0; has_strings && i < s->n_nodes; i++) {
        uint32_t text = s->own_names[i];
        size_t length = hpf_snapshot_text(s, text).length;
        if (s->names[i] == type && length > 0 && length < CUT_CHARACTERS) {
            rows[text].n_blocks++;
            rows[text].all_bytes += s->sizes[i];
            kept_bytes[text] = s->sizes[i] > kept_bytes[text] ? s->sizes[i] : kept_bytes[text];
        }
    }
    for (uint32_t i = 0; has_strings && i < n_texts && status == HPF_OK; i++) {
        rows[i].type = hpf_snapshot_text(s, i);
        rows[i].bytes = rows[i].all_bytes - kept_bytes[i];
        if (rows[i].bytes > 0) {
            rows[i].n_blocks--;
            status = hpf_snapshot_add_waste(s, &rows[i], err);
        }
    }
    free(kept_bytes);
    free(rows);
    return status;
}

static hpf_status add_boxed_numbers(hpf_snapshot *s, hpf_error *err)
{
    hpf_waste row = {.kind = HPF_WASTE_BOXED, .type = HPF_STR("(number)")};
    uint32_t type;
    bool has_numbers = hpf_snapshot_find_text(s, row.type, &type);
    for (uint32_t i = 0; has_numbers && i < s->n_nodes; i++) {
        row.n_blocks += s->names[i] == type;
        row.bytes += s->names[i] == type ? s->sizes[i] : 0;
    }
    row.all_bytes = row.bytes;
    return row.bytes > 0 ? hpf_snapshot_add_waste(s, &row, err) : HPF_OK;
}

hpf_status hpf_snapshot_find_waste(hpf_snapshot *s, hpf_error *err)
{
    hpf_status status = add_equal_strings(s, err);
    return status == HPF_OK ? add_boxed_numbers(s, err) : status;
}

static int compare(const void *a, const void *b)
{
    const hpf_waste *x = a, *y = b;
    bool is_size = x->kind == HPF_WASTE_SIZE;
    if (is_size != (y->kind == HPF_WASTE_SIZE)) {
        return is_size ? 1 : -1;
    }
    if (is_size) {
        double left = (double)x->all_bytes / (double)x->n_blocks;
        double right = (double)y->all_bytes / (double)y->n_blocks;
        return (left > right) - (left < right);
    }
    int order = (x->bytes < y->bytes) - (x->bytes > y->bytes);
    order = order ? order : (int)x->kind - (int)y->kind;
    order = order ? order : hpf_str_compare(x->type, y->type);
    return order ? order : hpf_str_compare(x->site, y->site);
}

void hpf_waste_sort(hpf_waste *rows, size_t n)
{
    HPF__ARRAY_SORT(rows, n, compare);
}
