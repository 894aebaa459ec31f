/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Commas and brackets are checked here, once.
 */
#include "io/json_walk.h"

#include <stdlib.h>
#include <string.h>

hpf_status hpf__json_expect(hpf__json_lex *lex, hpf__json_kind kind, const char *what)
{
    hpf_status status = hpf__json_next(lex);
    return status == HPF_OK && lex->kind != kind ? hpf__json_unexpected(lex, what) : status;
}

hpf_status hpf__json_amount(hpf__json_lex *lex, hpf_cost *out)
{
    hpf_status status = hpf__json_expect(lex, HPF__JSON_NUMBER, "a number");
    return status == HPF_OK ? hpf__amount_parse(out, lex->text, lex->place, lex->scan.err) : status;
}

hpf_status hpf__json_as_whole(const hpf__json_lex *lex, uint64_t *out)
{
    hpf_cost cost = {0};
    hpf_status status = hpf__amount_parse(&cost, lex->text, lex->place, lex->scan.err);
    if (status == HPF_OK && cost.is_real) {
        return hpf__location_error(lex->place, lex->scan.err, HPF_ERR_RANGE,
                                   "expected a whole number below 2^64");
    }
    *out = cost.whole;
    return status;
}

hpf_status hpf__json_whole(hpf__json_lex *lex, uint64_t *out)
{
    hpf_status status = hpf__json_expect(lex, HPF__JSON_NUMBER, "a number");
    return status == HPF_OK ? hpf__json_as_whole(lex, out) : status;
}

hpf_status hpf__json_truth(hpf__json_lex *lex, bool *out)
{
    hpf_status status = hpf__json_expect(lex, HPF__JSON_WORD, "true or false");
    *out = status == HPF_OK && hpf_str_is(lex->text, "true");
    return status;
}

hpf_status hpf__json_pass(hpf__json_lex *lex)
{
    hpf_status status = hpf__json_next(lex);
    return status == HPF_OK ? hpf__json_pass_value(lex) : status;
}

/* Reads one key and its value. The key is copied: the value's tokens take its place. */
static hpf_status read_pair(hpf__json_lex *lex, hpf__json_member *read, void *context)
{
    char *copy = malloc(lex->text.length + 1);
    if (!copy) {
        return hpf_error_set_memory(lex->scan.err);
    }
    hpf_str key = {copy, lex->text.length};
    memcpy(copy, lex->text.data, key.length);
    hpf_status status = hpf__json_expect(lex, HPF__JSON_COLON, "':' after the name of a member");
    status = status == HPF_OK ? read(context, key) : status;
    free(copy);
    return status;
}

/* Continues after an item. Returns HPF_OK if another one follows, with its first token read, or
 * HPF_END. */
static hpf_status find_next(hpf__json_lex *lex, hpf__json_kind closing, const char *what)
{
    hpf_status status = hpf__json_next(lex);
    if (status == HPF_OK && lex->kind == closing) {
        return HPF_END;
    }
    if (status == HPF_OK && lex->kind != HPF__JSON_COMMA) {
        return hpf__json_unexpected(lex, what);
    }
    return status == HPF_OK ? hpf__json_next(lex) : status;
}

hpf_status hpf__json_members(hpf__json_lex *lex, hpf__json_member *read, void *context)
{
    hpf_status status = hpf__json_next(lex);
    if (status == HPF_OK && lex->kind == HPF__JSON_CLOSE_OBJECT) {
        return HPF_OK;
    }
    while (status == HPF_OK) {
        if (lex->kind != HPF__JSON_STRING) {
            return hpf__json_unexpected(lex, "the name of a member, in quotes");
        }
        status = read_pair(lex, read, context);
        status = status == HPF_OK ? find_next(lex, HPF__JSON_CLOSE_OBJECT, "',' or '}'") : status;
    }
    return status == HPF_END ? HPF_OK : status;
}

hpf_status hpf__json_object(hpf__json_lex *lex, hpf__json_member *read, void *context)
{
    hpf_status status = hpf__json_expect(lex, HPF__JSON_OPEN_OBJECT, "'{'");
    return status == HPF_OK ? hpf__json_members(lex, read, context) : status;
}

hpf_status hpf__json_document(hpf__json_lex *lex, hpf__json_member *read, void *context)
{
    hpf_status status = hpf__json_object(lex, read, context);
    return status == HPF_OK ? hpf__json_expect(lex, HPF__JSON_END, "the end of the input") : status;
}

hpf_status hpf__json_items(hpf__json_lex *lex, hpf_status (*read)(void *context), void *context)
{
    hpf_status status = hpf__json_expect(lex, HPF__JSON_OPEN_ARRAY, "'['");
    status = status == HPF_OK ? hpf__json_next(lex) : status;
    if (status == HPF_OK && lex->kind == HPF__JSON_CLOSE_ARRAY) {
        return HPF_OK;
    }
    while (status == HPF_OK) {
        status = read(context);
        status = status == HPF_OK ? find_next(lex, HPF__JSON_CLOSE_ARRAY, "',' or ']'") : status;
    }
    return status == HPF_END ? HPF_OK : status;
}

typedef struct object_reader {
    hpf__json_lex *lex;
    hpf_status (*read)(void *context);
    void *context;
} object_reader;

static hpf_status read_object(void *context)
{
    const object_reader *r = context;
    return r->lex->kind == HPF__JSON_OPEN_OBJECT ? r->read(r->context)
                                                 : hpf__json_unexpected(r->lex, "'{'");
}

hpf_status hpf__json_objects(hpf__json_lex *lex, hpf_status (*read)(void *context), void *context)
{
    object_reader reader = {lex, read, context};
    return hpf__json_items(lex, read_object, &reader);
}
