/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the layout of a record by its number and length, and splits it into fields.
 */
#include <string.h>

#include "hpfile/sink.h"
#include "base/array.h"
#include "base/big_endian.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/breakdown.h"
#include "hpfile/eventlog.h"
#include "base/utf8.h"
#include "base/words.h"

typedef struct row {
    uint16_t id;
    const char *name;
    const char *layout;
} row;

static const row rows[] = {
#define ROW(number, name, fields) {(number), #name, (fields)},
    HPF__EVENTS(ROW)
#undef ROW
};

#define N_ROWS (sizeof rows / sizeof rows[0])

/* Returns the sum of a layout's numbers, or HPF_EVENT_VARIABLE. */
static int32_t layout_bytes(const char *layout)
{
    int32_t sum = 0;
    for (const char *at = layout; (at = strchr(at, ':')) != NULL; at++) {
        if (at[1] < '1' || at[1] > '8') {
            return HPF_EVENT_VARIABLE;
        }
        sum += at[1] - '0';
    }
    return sum;
}

static const row *first_row(uint16_t id)
{
    size_t first;
    HPF__ARRAY_BISECT(first, N_ROWS, i, rows[i].id < id);
    return first < N_ROWS && rows[first].id == id ? &rows[first] : NULL;
}

static const row *row_of(const hpf_event_type *type)
{
    const row *first = first_row(type->id);
    for (const row *r = first; r && r < rows + N_ROWS && r->id == type->id; r++) {
        if (layout_bytes(r->layout) == type->n_bytes) {
            return r;
        }
    }
    bool is_variable = type->n_bytes == HPF_EVENT_VARIABLE;
    bool is_alike = first && is_variable == (layout_bytes(first->layout) == HPF_EVENT_VARIABLE);
    return is_alike ? first : NULL;
}

const char *hpf_event_name(const hpf_event_type *type)
{
    const row *r = row_of(type);
    return r ? first_row(type->id)->name : NULL;
}

/* --- fields --- */

static uint64_t read_number(const char *p, size_t n)
{
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++) {
        number = number << 8 | (unsigned char)p[i];
    }
    return number;
}

/* Returns the length of a text: all bytes up to the fields after it. */
static size_t text_bytes(const char *after, size_t n)
{
    size_t needed = (size_t)layout_bytes(after);
    return needed <= n ? n - needed : SIZE_MAX;
}

/* Fills in what is at `p`, of which `n` bytes are there; returns how many it takes, or SIZE_MAX
 * when the record is too short. `layout` begins with the kind of the field. */
static size_t cut_field(hpf_event_field *field, const char *layout, const char *p, size_t n)
{
    char kind = *layout;
    size_t length = n;
    const char *nul;
    switch (kind) {
    case 's':
        field->kind = HPF_FIELD_TEXT;
        nul = n ? memchr(p, '\0', n) : NULL;
        field->text = (hpf_str){p, nul ? (size_t)(nul - p) : n};
        return n ? field->text.length + (nul != NULL) : SIZE_MAX;
    case 'k':
        length = n ? 4 * (size_t)(unsigned char)*p : SIZE_MAX;
        field->kind = HPF_FIELD_STACK;
        field->text = (hpf_str){p + 1, length};
        return length < n ? 1 + length : SIZE_MAX;
    case 't':
        length = text_bytes(layout + 1, n);
        field->kind = HPF_FIELD_TEXT;
        field->text = (hpf_str){p, length};
        return length;
    case 'v':
    case 'b':
        field->kind = kind == 'v' ? HPF_FIELD_TEXTS : HPF_FIELD_BYTES;
        field->text = (hpf_str){p, n};
        return n;
    default:
        length = (size_t)(kind - '0');
        field->kind = HPF_FIELD_NUMBER;
        field->number = length <= n ? read_number(p, length) : 0;
        return length <= n ? length : SIZE_MAX;
    }
}

bool hpf_event_next_field(const hpf_event *event, hpf_event_cursor *cursor, hpf_event_field *field)
{
    if (!cursor->layout) {
        const row *r = row_of(event->type);
        cursor->layout = r ? r->layout : "";
    }
    const char *name = cursor->layout;
    const char *colon = strchr(name, ':');
    if (!colon) {
        return false;
    }
    *field = (hpf_event_field){.name = {name, (size_t)(colon - name)}};
    size_t n = cut_field(field, colon + 1, event->payload.data + cursor->at,
                         event->payload.length - cursor->at);
    if (n == SIZE_MAX) {
        cursor->layout = "";
        return false;
    }
    cursor->at += n;
    cursor->layout = colon[2] == ' ' ? colon + 3 : "";
    return true;
}

/* --- as text --- */

/* Writes a text in quotes, with \xNN for each byte that is not printable UTF-8. */
static void print_text(hpf_sink *sink, hpf_str text)
{
    hpf_sink_text(sink, "\"");
    for (size_t at = 0; at < text.length;) {
        hpf_str rest = hpf_str_from(text, at);
        uint32_t code = 0;
        size_t n = hpf_utf8_next(rest, &code);
        if (n == 0 || !hpf_utf8_is_printable(code)) {
            n = n ? n : 1;
            for (size_t i = 0; i < n; i++) {
                hpf_sink_printf(sink, "\\x%02x", (unsigned char)rest.data[i]);
            }
        } else {
            hpf_sink_text(sink, code == '"' || code == '\\' ? "\\" : "");
            hpf_sink_write(sink, rest.data, n);
        }
        at += n;
    }
    hpf_sink_text(sink, "\"");
}

static void print_texts(hpf_sink *sink, hpf_str texts)
{
    hpf_sink_text(sink, "[");
    for (const char *comma = ""; texts.length > 0; comma = ",") {
        hpf_sink_text(sink, comma);
        print_text(sink, hpf__take_until(&texts, '\0'));
    }
    hpf_sink_text(sink, "]");
}

static void print_stack(hpf_sink *sink, hpf_str stack)
{
    hpf_sink_text(sink, "[");
    for (size_t at = 0; at < stack.length; at += 4) {
        hpf_sink_text(sink, at ? "," : "");
        hpf_sink_whole(sink, hpf__read4(stack.data + at));
    }
    hpf_sink_text(sink, "]");
}

static const char *stop_status(uint64_t status)
{
    static const char *const words[] = {
        [1] = "HeapOverflow",     [2] = "StackOverflow",        [3] = "ThreadYielding",
        [4] = "ThreadBlocked",    [5] = "ThreadFinished",       [6] = "ForeignCall",
        [7] = "BlockedOnMVar",    [8] = "BlockedOnBlackHole",   [9] = "BlockedOnRead",
        [10] = "BlockedOnWrite",  [11] = "BlockedOnDelay",      [12] = "BlockedOnSTM",
        [13] = "BlockedOnDoProc", [16] = "BlockedOnMsgThrowTo",
    };
    return status < sizeof words / sizeof *words ? words[status] : NULL;
}

/* Returns GHC's word for the number of a field in a record of the type, or NULL. From the user's
 * guide and the run-time system's EventLogFormat.h; break-downs have their flags. */
static const char *event_word(uint16_t type, const hpf_event_field *field)
{
    if (type == HPF__EVENT_STOP_THREAD && hpf_str_is(field->name, "status")) {
        return stop_status(field->number);
    }
    if (type == HPF__EVENT_CAPSET_CREATE && hpf_str_is(field->name, "type")) {
        static const char *const words[] = {NULL, "Custom", "OsProcess", "ClockDomain"};
        return field->number < sizeof words / sizeof *words ? words[field->number] : NULL;
    }
    if (type == HPF__EVENT_HEAP_PROF_BEGIN && hpf_str_is(field->name, "breakdown")) {
        return hpf_breakdown_flag((hpf_breakdown)field->number);
    }
    return NULL;
}

/* Prints a number, and its meaning after a colon. */
static void print_number(hpf_sink *sink, uint16_t type, const hpf_event_field *field)
{
    const char *word = event_word(type, field);
    hpf_sink_whole(sink, field->number);
    hpf_sink_text(sink, word ? ":" : "");
    hpf_sink_text(sink, word ? word : "");
}

static void print_field(hpf_sink *sink, uint16_t type, const hpf_event_field *field)
{
    hpf_sink_text(sink, " ");
    hpf_sink_str(sink, field->name);
    hpf_sink_text(sink, "=");
    switch (field->kind) {
    case HPF_FIELD_NUMBER:
        print_number(sink, type, field);
        break;
    case HPF_FIELD_TEXTS:
        print_texts(sink, field->text);
        break;
    case HPF_FIELD_STACK:
        print_stack(sink, field->text);
        break;
    default:
        print_text(sink, field->text);
    }
}

void hpf_event_print(hpf_sink *sink, const hpf_event *event)
{
    const char *name = hpf_event_name(event->type);
    hpf_sink_printf(sink, "%llu.%09u ", (unsigned long long)(event->time_ns / 1000000000),
                    (unsigned)(event->time_ns % 1000000000));
    if (event->cap == HPF_EVENT_NO_CAP) {
        hpf_sink_text(sink, "- ");
    } else {
        hpf_sink_printf(sink, "%u ", event->cap);
    }
    if (name) {
        hpf_sink_text(sink, name);
    } else {
        hpf_sink_printf(sink, "%u ", event->type->id);
        print_text(sink, event->type->description);
        hpf_sink_printf(sink, " bytes=%zu", event->payload.length);
    }
    hpf_event_cursor cursor = {0};
    hpf_event_field field;
    while (hpf_event_next_field(event, &cursor, &field)) {
        print_field(sink, event->type->id, &field);
    }
    hpf_sink_text(sink, "\n");
}
