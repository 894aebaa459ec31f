/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The syntax follows the Haskell 2010 report, section 2.6, for strings.
 */
#include "coverage/haskell_text.h"

#include <stdio.h>

#include "base/lex.h"
#include "base/utf8.h"
#include "hpfile/sink.h"

#define N_CONTROLS 33

/* Names of the control characters by number; the name of the blank is only read. */
static const char *const control_names[N_CONTROLS] = {
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS",  "HT",  "LF",
    "VT",  "FF",  "CR",  "SO",  "SI",  "DLE", "DC1", "DC2", "DC3", "DC4", "NAK",
    "SYN", "ETB", "CAN", "EM",  "SUB", "ESC", "FS",  "GS",  "RS",  "US",  "SP"};

/* Escapes of one letter, from the character 7 on. */
static const char short_escapes[] = "abtnvfr";

void hpc_haskell_finish(hpc_haskell *h)
{
    hpf__buffer_finish(&h->scratch);
}

/* ---- Errors ---- */

hpf_status hpc_haskell_fail(const hpc_haskell *h, size_t at, hpf_status status, const char *format,
                            ...)
{
    char message[sizeof h->err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    hpf_error_set(h->err, status, "%s", message);
    if (h->err) {
        size_t line_start = 0;
        h->err->offset = at;
        h->err->line = 1;
        for (size_t i = 0; i < at; i++) {
            if (h->text.data[i] == '\n') {
                h->err->line++;
                line_start = i + 1;
            }
        }
        h->err->column = (uint32_t)(at - line_start + 1);
    }
    return status;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

hpf_status hpc_haskell_expected(hpc_haskell *h, const char *what)
{
    char c = hpc_haskell_peek(h);
    if (h->at == h->text.length) {
        return hpc_haskell_fail(h, h->at, HPF_ERR_SYNTAX, "expected %s, found the end of the file",
                                what);
    }
    size_t length = hpf_utf8_next(hpf_str_from(h->text, h->at), NULL);
    if (length == 0) {
        return hpc_haskell_fail(h, h->at, HPF_ERR_SYNTAX,
                                "expected %s, found a byte that is not UTF-8", what);
    }
    while (
        (is_letter(c) || hpf__is_digit(c)) && length < 30 && h->at + length < h->text.length &&
        (is_letter(h->text.data[h->at + length]) || hpf__is_digit(h->text.data[h->at + length]))) {
        length++;
    }
    length = length > 4 ? hpf_utf8_cut(hpf_str_from(h->text, h->at), length) : length;
    return hpc_haskell_fail(h, h->at, HPF_ERR_SYNTAX, "expected %s, found '%.*s'", what,
                            (int)length, h->text.data + h->at);
}

/* ---- Symbols and numbers ---- */

char hpc_haskell_peek(hpc_haskell *h)
{
    while (h->at < h->text.length && hpf__is_blank(h->text.data[h->at])) {
        h->at++;
    }
    return h->at < h->text.length ? h->text.data[h->at] : '\0';
}

bool hpc_haskell_take(hpc_haskell *h, const char *token)
{
    hpc_haskell_peek(h);
    size_t end = h->at + strlen(token);
    if (!hpf_str_begins(hpf_str_from(h->text, h->at), token) ||
        (is_letter(*token) && end < h->text.length &&
         (is_letter(h->text.data[end]) || hpf__is_digit(h->text.data[end])))) {
        return false;
    }
    h->at = end;
    return true;
}

hpf_status hpc_haskell_expect(hpc_haskell *h, const char *token)
{
    char what[40];
    if (hpc_haskell_take(h, token)) {
        return HPF_OK;
    }
    snprintf(what, sizeof what, "'%s'", token);
    return hpc_haskell_expected(h, what);
}

hpf_status hpc_haskell_whole(hpc_haskell *h, uint64_t most, const char *what, uint64_t *out)
{
    uint64_t value = 0;
    bool is_large = false;
    if (!hpf__is_digit(hpc_haskell_peek(h))) {
        return hpc_haskell_expected(h, what);
    }
    size_t start = h->at;
    for (; h->at < h->text.length && hpf__is_digit(h->text.data[h->at]); h->at++) {
        uint64_t digit = (uint64_t)(h->text.data[h->at] - '0');
        is_large = is_large || value > (most - digit) / 10;
        value = is_large ? value : value * 10 + digit;
    }
    if (is_large) {
        return hpc_haskell_fail(h, start, HPF_ERR_RANGE, "%s is larger than %llu", what,
                                (unsigned long long)most);
    }
    *out = value;
    return HPF_OK;
}

/* ---- Strings ---- */

static int digit_value(char c)
{
    return hpf__is_digit(c)       ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

/* Reads the digits of a character's number. */
static bool read_code(hpc_haskell *h, int base, uint32_t *code)
{
    size_t start = h->at;
    *code = 0;
    while (h->at < h->text.length && digit_value(h->text.data[h->at]) < base && *code < 0x110000) {
        *code = *code * (uint32_t)base + (uint32_t)digit_value(h->text.data[h->at++]);
    }
    return h->at > start && *code < 0x110000 && !(*code >= 0xd800 && *code < 0xe000);
}

/* Reads a name such as NUL; of two that fit, the longer one (SOH, not SO). */
static bool read_control_name(hpc_haskell *h, uint32_t *code)
{
    size_t longest = 0;
    for (uint32_t i = 0; i <= N_CONTROLS; i++) {
        const char *name = i < N_CONTROLS ? control_names[i] : "DEL";
        if (strlen(name) > longest && hpf_str_begins(hpf_str_from(h->text, h->at), name)) {
            longest = strlen(name);
            *code = i < N_CONTROLS ? i : 0x7f;
        }
    }
    h->at += longest;
    return longest > 0;
}

/* Reads what follows a backslash. Returns whether it is valid; `*has_code` if it is a character, as
 * opposed to "\&" and blanks up to another backslash. */
static bool read_escape(hpc_haskell *h, uint32_t *code, bool *has_code)
{
    char c = h->at < h->text.length ? h->text.data[h->at] : '\0';
    const char *escape = c ? strchr(short_escapes, c) : NULL;
    *has_code = c != '&' && !hpf__is_blank(c);
    if (escape || c == '\\' || c == '"' || c == '\'' || c == '&') {
        h->at++;
        *code = escape ? 7 + (uint32_t)(escape - short_escapes) : (unsigned char)c;
        return true;
    }
    if (hpf__is_blank(c)) {
        bool is_closed = hpc_haskell_peek(h) == '\\';
        h->at += is_closed;
        return is_closed;
    }
    if (c == '^' && h->at + 1 < h->text.length) {
        *code = (uint32_t)(h->text.data[h->at + 1] - '@');
        h->at += 2;
        return *code < 0x20;
    }
    if (c == 'o' || c == 'x' || c == 'O' || c == 'X') {
        h->at++;
        return read_code(h, c == 'o' || c == 'O' ? 8 : 16, code);
    }
    return hpf__is_digit(c) ? read_code(h, 10, code) : read_control_name(h, code);
}

hpf_status hpc_haskell_string(hpc_haskell *h, const char *what, hpf_str *out)
{
    if (hpc_haskell_peek(h) != '"') {
        return hpc_haskell_expected(h, what);
    }
    size_t start = h->at++;
    h->scratch.length = 0;
    while (h->at < h->text.length && h->text.data[h->at] != '"') {
        size_t place = h->at;
        char bytes[4];
        uint32_t code;
        bool has_code = true;
        size_t length = hpf_utf8_next(hpf_str_from(h->text, h->at), &code);
        h->at += length;
        if (length == 0) {
            return hpc_haskell_fail(h, place, HPF_ERR_SYNTAX, "expected UTF-8 in %s", what);
        }
        if (code == '\\' && !read_escape(h, &code, &has_code)) {
            return hpc_haskell_fail(h, place, HPF_ERR_SYNTAX, "invalid escape in %s", what);
        }
        if (has_code && !hpf__buffer_append(&h->scratch, bytes, hpf_utf8_put(bytes, code))) {
            return hpf_error_set_memory(h->err);
        }
    }
    if (h->at == h->text.length) {
        return hpc_haskell_fail(h, start, HPF_ERR_SYNTAX, "%s has no closing quote", what);
    }
    h->at++;
    *out = hpf_arena_str(h->arena, hpf__buffer_str(&h->scratch));
    return out->data ? HPF_OK : hpf_error_set_memory(h->err);
}

void hpc_haskell_show(hpf_sink *sink, hpf_str text)
{
    bool after_number = false, after_so = false;
    hpf_sink_text(sink, "\"");
    for (size_t i = 0; i < text.length;) {
        uint32_t code;
        size_t length = hpf_utf8_next(hpf_str_from(text, i), &code);
        if (length == 0) {
            code = (unsigned char)text.data[i];
            length = 1;
        }
        if ((after_number && code >= '0' && code <= '9') || (after_so && code == 'H')) {
            hpf_sink_text(sink, "\\&");
        }
        after_number = code >= 0x80;
        after_so = code == 14;
        if (code == '"' || code == '\\') {
            hpf_sink_printf(sink, "\\%c", (char)code);
        } else if (code >= 0x80) {
            hpf_sink_printf(sink, "\\%lu", (unsigned long)code);
        } else if (code == 0x7f) {
            hpf_sink_text(sink, "\\DEL");
        } else if (code >= 7 && code <= 13) {
            hpf_sink_printf(sink, "\\%c", short_escapes[code - 7]);
        } else if (code < ' ') {
            hpf_sink_printf(sink, "\\%s", control_names[code]);
        } else {
            hpf_sink_write(sink, text.data + i, 1);
        }
        i += length;
    }
    hpf_sink_text(sink, "\"");
}
