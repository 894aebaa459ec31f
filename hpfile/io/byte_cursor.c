/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pieces of a source as one row of bytes.
 */
#include "io/byte_cursor.h"

#include <stdio.h>
#include <string.h>

#include "base/lex.h"

bool hpf__cursor_refill(hpf__cursor *scan)
{
    if (scan->status != HPF_OK) {
        return false;
    }
    scan->piece_offset += scan->piece.length;
    scan->piece.length = 0;
    scan->at = 0;
    scan->status = hpf_source_next(scan->source, &scan->piece, scan->err);
    return scan->status == HPF_OK;
}

hpf__location hpf__cursor_spot(const hpf__cursor *scan)
{
    uint64_t offset = scan->piece_offset + scan->at;
    uint64_t column = offset - scan->line_offset + 1;
    return (hpf__location){offset, scan->line, column < UINT32_MAX ? (uint32_t)column : UINT32_MAX};
}

/* Takes what the piece has of a line, with its line feed. */
static hpf_status take_some(hpf__cursor *scan, hpf__buffer *line, bool *is_whole)
{
    hpf__location place = hpf__cursor_spot(scan);
    const char *from = scan->piece.data + scan->at;
    const char *feed = memchr(from, '\n', scan->piece.length - scan->at);
    size_t length = feed ? (size_t)(feed - from) : scan->piece.length - scan->at;
    if (!hpf__buffer_append(line, from, length)) {
        return hpf_error_set_memory(scan->err);
    }
    scan->at += length;
    *is_whole = feed != NULL;
    if (feed) {
        hpf__cursor_pass(scan);
    }
    return line->length <= hpf__cursor_max(scan) ? HPF_OK : hpf__cursor_fail_long(scan, place);
}

hpf_status hpf__lines_next(hpf__lines *lines)
{
    hpf__cursor *scan = &lines->scan;
    hpf__buffer *line = &lines->bytes;
    bool is_whole = false;
    hpf_status status = HPF_OK;
    lines->place = hpf__cursor_spot(scan);
    line->length = 0;
    lines->text = HPF_STR("");
    if (hpf__cursor_peek(scan) == HPF__CURSOR_END) {
        return scan->status;
    }
    while (!is_whole && status == HPF_OK && hpf__cursor_peek(scan) != HPF__CURSOR_END) {
        status = take_some(scan, line, &is_whole);
    }
    if (line->length && line->bytes[line->length - 1] == '\r') {
        line->length--;
    }
    lines->text = line->length ? hpf__buffer_str(line) : lines->text;
    return status != HPF_OK || scan->status == HPF_END ? status : scan->status;
}

hpf_status hpf__lines_expected(const hpf__lines *lines, const char *what)
{
    char quoted[HPF__QUOTED_BYTES];
    return hpf__location_error(lines->place, lines->scan.err, HPF_ERR_SYNTAX,
                               "expected %s, found %s", what, hpf__quoted(quoted, lines->text));
}

hpf_status hpf__cursor_fail_long(const hpf__cursor *scan, hpf__location place)
{
    return hpf__location_error(place, scan->err, HPF_ERR_LIMIT,
                               "a name or text of more than %zu bytes", hpf__cursor_max(scan));
}

hpf_status hpf__location_error(hpf__location place, hpf_error *err, hpf_status status,
                               const char *format, ...)
{
    if (err) {
        va_list arguments;
        *err = (hpf_error){
            .status = status, .offset = place.offset, .line = place.line, .column = place.column};
        va_start(arguments, format);
        vsnprintf(err->message, sizeof err->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char *hpf__quoted(char out[HPF__QUOTED_BYTES], hpf_str text)
{
    size_t most = HPF__QUOTED_BYTES - 6; /* two quotes, "..." and a NUL */
    size_t used = 0;
    out[used++] = '\'';
    for (size_t i = 0; i < text.length && i < most; i++) {
        out[used++] = text.data[i] >= ' ' && text.data[i] <= '~' ? text.data[i] : '?';
    }
    snprintf(out + used, HPF__QUOTED_BYTES - used, "%s'", text.length > most ? "..." : "");
    return out;
}

hpf_status hpf__amount_parse(hpf_cost *out, hpf_str text, hpf__location place, hpf_error *err)
{
    char quoted[HPF__QUOTED_BYTES];
    const char *end = text.data + text.length;
    hpf__number_token token = {0};
    hpf__lexed lexed =
        text.length > 0 ? hpf__lex_number(&token, text.data, end, true) : HPF__LEX_BAD;
    if (lexed == HPF__LEX_HUGE) {
        return hpf__location_error(place, err, HPF_ERR_RANGE, "a number must be below %g",
                                   HPF__NUMBER_LIMIT);
    }
    if (lexed != HPF__LEXED || token.end != end) {
        return hpf__location_error(place, err, HPF_ERR_SYNTAX,
                                   "expected a number of 0 or more, found %s",
                                   hpf__quoted(quoted, text));
    }
    out->is_real = !token.is_whole;
    if (token.is_whole) {
        out->whole = token.whole;
    } else {
        out->real = token.real;
    }
    return HPF_OK;
}
