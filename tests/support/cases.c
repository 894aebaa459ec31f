/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads tables of cases into a tree.
 */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "source_dir.h"

static void check(const hpf__json_lex *lex, hpf_status status)
{
    if (status) {
        fprintf(stderr, "%u: %s\n", lex->scan.err->line, lex->scan.err->message);
        abort();
    }
}

static hpf_str copy_of(hpf_str text)
{
    char *copy = calloc(1, text.length + 1);
    memcpy(copy, text.data, text.length);
    return (hpf_str){copy, text.length};
}

/* Reads the value that the last token begins. */
static case_value read_value(hpf__json_lex *lex)
{
    case_value value = {.kind = lex->kind, .text = copy_of(lex->text)};
    bool is_object = lex->kind == HPF__JSON_OPEN_OBJECT;
    size_t capacity = 0;
    if (!is_object && lex->kind != HPF__JSON_OPEN_ARRAY) {
        return value;
    }
    hpf__json_kind end = is_object ? HPF__JSON_CLOSE_OBJECT : HPF__JSON_CLOSE_ARRAY;
    check(lex, hpf__json_next(lex));
    while (lex->kind != end) {
        hpf_str key = {"", 0};
        if (is_object) {
            key = copy_of(lex->text);
            check(lex, hpf__json_next(lex)); /* the colon */
            check(lex, hpf__json_next(lex));
        }
        case_value item = read_value(lex);
        item.key = key;
        if (!HPF__ARRAY_PUSH(value.items, value.n_items, capacity, item)) {
            abort();
        }
        check(lex, hpf__json_next(lex));
        if (lex->kind == HPF__JSON_COMMA) {
            check(lex, hpf__json_next(lex));
        }
    }
    return value;
}

const case_value *cases_read(const char *name)
{
    static case_value root;
    char path[4096];
    hpf_error err = {.status = HPF_OK};
    hpf__json_lex lex = {.scan = {.err = &err, .line = 1}};
    snprintf(path, sizeof path, "%s/tests/cases/%s", CENSUS_SOURCE_DIR, name);
    check(&lex, hpf_source_open(&lex.scan.source, path, NULL, &err));
    check(&lex, hpf__json_next(&lex));
    root = read_value(&lex);
    hpf__json_lex_finish(&lex);
    hpf_source_destroy(lex.scan.source);
    return &root;
}

const case_value *case_member(const case_value *object, const char *key)
{
    for (size_t i = 0; i < object->n_items; i++) {
        if (hpf_str_is(object->items[i].key, key)) {
            return &object->items[i];
        }
    }
    fprintf(stderr, "a case has no %s\n", key);
    abort();
}

double case_number_of(const case_value *value)
{
    return value->kind == HPF__JSON_NUMBER ? strtod(value->text.data, NULL) : NAN;
}

double case_number(const case_value *object, const char *key)
{
    return case_number_of(case_member(object, key));
}

bool case_bool(const case_value *object, const char *key)
{
    return hpf_str_is(case_member(object, key)->text, "true");
}

hpf_str case_text(const case_value *object, const char *key)
{
    return case_member(object, key)->text;
}

char *case_profile(const case_value *profile)
{
    const case_value *times = case_member(profile, "times"), *names = case_member(profile, "names");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("JOB \"case\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n", out);
    for (size_t t = 0; t < times->n_items; t++) {
        fprintf(out, "BEGIN_SAMPLE %s\n", times->items[t].text.data);
        for (size_t i = 0; i < names->n_items; i++) {
            fprintf(out, "%s\t%s\n", names->items[i].key.data, names->items[i].items[t].text.data);
        }
        fprintf(out, "END_SAMPLE %s\n", times->items[t].text.data);
    }
    fclose(out);
    return text;
}
