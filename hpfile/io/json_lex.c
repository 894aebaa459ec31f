/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The tokens of JSON. Numbers are cut out, not read: who wants one knows what it may be.
 */
#include "io/json_lex.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "hpfile/str.h"

static hpf_status fail(const hpf__json_lex *lex, hpf__location place, const char *what)
{
    return hpf__location_error(place, lex->scan.err, HPF_ERR_SYNTAX, "%s", what);
}

/* Fails where a byte is missing: with `what` at the end of the input, else with the error of the
 * source. */
static hpf_status fail_at_end(const hpf__json_lex *lex, const char *what)
{
    return lex->scan.status == HPF_END ? fail(lex, lex->place, what) : lex->scan.status;
}

static hpf_status append(hpf__json_lex *lex, const void *bytes, size_t n_bytes)
{
    if (lex->buf.length >= hpf__cursor_max(&lex->scan)) {
        return hpf__cursor_fail_long(&lex->scan, lex->place);
    }
    return hpf__buffer_append(&lex->buf, bytes, n_bytes) ? HPF_OK
                                                         : hpf_error_set_memory(lex->scan.err);
}

static hpf_status append_code_point(hpf__json_lex *lex, uint32_t code)
{
    char bytes[4];
    return append(lex, bytes, hpf_utf8_put(bytes, code));
}

/* ---- Strings ---- */

static int digit_value(int byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

static hpf_status read_four_digits(hpf__json_lex *lex, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = digit_value(hpf__cursor_peek(&lex->scan));
        if (digit < 0) {
            return fail(lex, hpf__cursor_spot(&lex->scan), "expected four hexadecimal digits");
        }
        hpf__cursor_pass(&lex->scan);
        *code = *code * 16 + (uint32_t)digit;
    }
    return HPF_OK;
}

static bool is_low(uint32_t code)
{
    return code >= 0xdc00 && code < 0xe000;
}

/* A high surrogate that nothing has followed yet has no other half. */
static hpf_status settle_high(hpf__json_lex *lex)
{
    bool is_lone = lex->high != 0;
    lex->high = 0;
    return is_lone ? append_code_point(lex, 0xfffd) : HPF_OK;
}

/* Reads the digits after `\u`. */
static hpf_status read_unicode(hpf__json_lex *lex)
{
    uint32_t code;
    hpf_status status = read_four_digits(lex, &code);
    if (status == HPF_OK && lex->high && is_low(code)) {
        code = 0x10000 + ((lex->high - 0xd800) << 10) + (code - 0xdc00);
        lex->high = 0;
        return append_code_point(lex, code);
    }
    status = status == HPF_OK ? settle_high(lex) : status;
    if (status != HPF_OK) {
        return status;
    }
    if (code >= 0xd800 && code < 0xdc00) { /* the first of a pair */
        lex->high = code;
        return HPF_OK;
    }
    unsigned char byte = (unsigned char)(code & 0xff);
    return code >= 0xdc80 && code <= 0xdcff ? append(lex, &byte, 1)
                                            : append_code_point(lex, is_low(code) ? 0xfffd : code);
}

/* Reads an escape after its backslash. */
static hpf_status read_escape(hpf__json_lex *lex)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    hpf__location place = hpf__cursor_spot(&lex->scan);
    int byte = hpf__cursor_peek(&lex->scan);
    if (byte == HPF__CURSOR_END) {
        return fail_at_end(lex, "the string is not closed");
    }
    hpf__cursor_pass(&lex->scan);
    if (byte == 'u') {
        return read_unicode(lex);
    }
    const char *name = byte ? strchr(names, byte) : NULL;
    if (!name) {
        return fail(lex, place, "unknown escape in a string");
    }
    hpf_status status = settle_high(lex);
    return status == HPF_OK ? append(lex, &values[name - names], 1) : status;
}

/* Reads a byte without escape. */
static hpf_status read_plain(hpf__json_lex *lex, int byte)
{
    char c = (char)byte;
    hpf_status status = settle_high(lex);
    return status == HPF_OK ? append(lex, &c, 1) : status;
}

static hpf_status read_string(hpf__json_lex *lex)
{
    hpf_status status = HPF_OK;
    hpf__cursor_pass(&lex->scan);
    while (status == HPF_OK) {
        int byte = hpf__cursor_peek(&lex->scan);
        if (byte == HPF__CURSOR_END) {
            return fail_at_end(lex, "the string is not closed");
        }
        if (byte < ' ') {
            return fail(lex, hpf__cursor_spot(&lex->scan), "control character in a string");
        }
        hpf__cursor_pass(&lex->scan);
        if (byte == '"') {
            lex->kind = HPF__JSON_STRING;
            return settle_high(lex);
        }
        status = byte == '\\' ? read_escape(lex) : read_plain(lex, byte);
    }
    return status;
}

/* ---- The rest ---- */

static bool is_word_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '+' || byte == '-' || byte == '.';
}

/* Reads a number, or one of three words. */
static hpf_status read_bare(hpf__json_lex *lex)
{
    int first = hpf__cursor_peek(&lex->scan);
    int byte;
    while (is_word_byte(byte = hpf__cursor_peek(&lex->scan))) {
        char c = (char)byte;
        hpf_status status = append(lex, &c, 1);
        if (status != HPF_OK) {
            return status;
        }
        hpf__cursor_pass(&lex->scan);
    }
    hpf_str text = {lex->buf.bytes, lex->buf.length};
    bool is_number = first == '-' || (first >= '0' && first <= '9');
    lex->kind = is_number ? HPF__JSON_NUMBER : HPF__JSON_WORD;
    if (!is_number && !hpf_str_is(text, "true") && !hpf_str_is(text, "false") &&
        !hpf_str_is(text, "null")) {
        return fail(lex, lex->place, "expected JSON");
    }
    return HPF_OK;
}

/* Skips blanks. Returns the first other byte, or HPF__CURSOR_END. */
static int pass_blanks(hpf__json_lex *lex)
{
    int byte;
    while ((byte = hpf__cursor_peek(&lex->scan)) == ' ' || byte == '\t' || byte == '\n' ||
           byte == '\r') {
        hpf__cursor_pass(&lex->scan);
    }
    return byte;
}

hpf_status hpf__json_next(hpf__json_lex *lex)
{
    static const char signs[] = "{}[]:,";
    int byte = pass_blanks(lex);
    lex->place = hpf__cursor_spot(&lex->scan);
    lex->buf.length = 0;
    lex->text = (hpf_str){"", 0};
    if (byte == HPF__CURSOR_END) {
        lex->kind = HPF__JSON_END;
        return lex->scan.status == HPF_END ? HPF_OK : lex->scan.status;
    }
    const char *sign = byte ? strchr(signs, byte) : NULL;
    if (sign) {
        hpf__cursor_pass(&lex->scan);
        lex->kind = (hpf__json_kind)(HPF__JSON_OPEN_OBJECT + (sign - signs));
        return HPF_OK;
    }
    hpf_status status = byte == '"'          ? read_string(lex)
                        : is_word_byte(byte) ? read_bare(lex)
                                             : fail(lex, lex->place, "expected JSON");
    if (lex->buf.length > 0) {
        lex->text = hpf__buffer_str(&lex->buf);
    }
    return status;
}

hpf_status hpf__json_pass_value(hpf__json_lex *lex)
{
    uint64_t depth = 0;
    for (;;) {
        if (lex->kind == HPF__JSON_OPEN_OBJECT || lex->kind == HPF__JSON_OPEN_ARRAY) {
            depth++;
        } else if (depth > 0 &&
                   (lex->kind == HPF__JSON_CLOSE_OBJECT || lex->kind == HPF__JSON_CLOSE_ARRAY)) {
            depth--;
        } else if (lex->kind == HPF__JSON_END ||
                   (depth == 0 && lex->kind >= HPF__JSON_CLOSE_OBJECT)) {
            return hpf__json_unexpected(lex, "a value");
        }
        if (depth == 0) {
            return HPF_OK;
        }
        hpf_status status = hpf__json_next(lex);
        if (status != HPF_OK) {
            return status;
        }
    }
}

hpf_status hpf__json_unexpected(const hpf__json_lex *lex, const char *what)
{
    static const char *const signs[] = {"'{'", "'}'", "'['", "']'", "':'", "','"};
    char quoted[HPF__QUOTED_BYTES];
    const char *found = lex->kind == HPF__JSON_END ? "the end of the input"
                        : lex->kind >= HPF__JSON_OPEN_OBJECT
                            ? signs[lex->kind - HPF__JSON_OPEN_OBJECT]
                            : hpf__quoted(quoted, lex->text);
    return hpf__location_error(lex->place, lex->scan.err, HPF_ERR_SYNTAX, "expected %s, found %s",
                               what, found);
}

void hpf__json_lex_finish(hpf__json_lex *lex)
{
    hpf__buffer_finish(&lex->buf);
}

/* Commas and brackets are checked here, once. */

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
