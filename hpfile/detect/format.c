/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A look at the beginning decides.
 */
#include "detect/reader.h"
#include "hpfile/format.h"

#include "hp/hp_lex.h"
#include "hpfile/csv.h"
#include "hpfile/eventlog.h"
#include "hpfile/json_profile.h"
#include "hpfile/str.h"

/* More than the title of a report, which is the longest beginning. */
enum { LOOK_BYTES = 128 };

const char *hpf_format_name(hpf_format format)
{
    static const char *const names[] = {[HPF_FORMAT_HP] = "hp",
                                        [HPF_FORMAT_CSV] = "csv",
                                        [HPF_FORMAT_JSON] = "json",
                                        [HPF_FORMAT_EVENTLOG] = "eventlog",
                                        [HPF_FORMAT_PROF] = "prof"};
    return names[format];
}

typedef struct look {
    char bytes[LOOK_BYTES];
    size_t length;
} look;

static hpf_status take_look(look *out, hpf_source *source, hpf_error *err)
{
    hpf_str piece;
    hpf_status status = HPF_OK;
    out->length = 0;
    while (out->length < LOOK_BYTES && (status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        size_t room = LOOK_BYTES - out->length;
        size_t n = piece.length < room ? piece.length : room;
        memcpy(out->bytes + out->length, piece.data, n);
        out->length += n;
    }
    return status == HPF_END ? HPF_OK : status;
}

static bool begins_with(hpf_str text, hpf_str beginning)
{
    return text.length >= beginning.length &&
           memcmp(text.data, beginning.data, beginning.length) == 0;
}

static hpf_str without_blanks(hpf_str text)
{
    while (text.length && hpf__is_blank(*text.data)) {
        text = (hpf_str){text.data + 1, text.length - 1};
    }
    return text;
}

/* After an opening brace. */
static hpf_format format_of_object(hpf_str text)
{
    return begins_with(without_blanks(text), HPF_STR("\"program\"")) ? HPF_FORMAT_PROF
                                                                     : HPF_FORMAT_JSON;
}

/* The text of a `.prof`: a tab, the date, what it is; or the first census of retainers. */
static bool is_report(hpf_str text)
{
    static const hpf_str title = {" Time and Allocation Profiling Report", 37};
    bool is_title = false;
    for (size_t i = 1; begins_with(text, HPF_STR("\t")) && i < text.length && !is_title; i++) {
        is_title = begins_with((hpf_str){text.data + i, text.length - i}, title);
    }
    return is_title || begins_with(text, HPF_STR("Retainer Profiling: "));
}

static hpf_format format_of(hpf_str text)
{
    static const hpf_str byte_order_mark = {"\xef\xbb\xbf", 3};
    size_t skipped = begins_with(text, byte_order_mark) ? byte_order_mark.length : 0;
    if (begins_with(text, HPF_STR(HPF_EVENTLOG_MAGIC))) {
        return HPF_FORMAT_EVENTLOG;
    }
    if (is_report(text)) {
        return HPF_FORMAT_PROF;
    }
    text = without_blanks((hpf_str){text.data + skipped, text.length - skipped});
    /* The last one is of a table without names. */
    static const hpf_str heads[] = {{"time,", 5}, {"\"time\",", 7}, {"time\n", 5}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (begins_with(text, heads[i])) {
            return HPF_FORMAT_CSV;
        }
    }
    return begins_with(text, HPF_STR("{"))
               ? format_of_object((hpf_str){text.data + 1, text.length - 1})
               : HPF_FORMAT_HP;
}

hpf_status hpf_format_detect(hpf_format *out, hpf_source *source, hpf_error *err)
{
    look beginning;
    *out = HPF_FORMAT_HP;
    hpf_status status = take_look(&beginning, source, err);
    if (status != HPF_OK) {
        return status;
    }
    *out = format_of((hpf_str){beginning.bytes, beginning.length});
    return hpf_source_rewind(source, err);
}

hpf_status hpf_format_read(hpf_format format, hpf_source *source, const hpf_events *events,
                           void *context, hpf_error *err)
{
    switch (format) {
    case HPF_FORMAT_CSV:
        return hpf_csv_read(source, events, context, err);
    case HPF_FORMAT_JSON:
        return hpf_json_profile_read(source, events, context, err);
    case HPF_FORMAT_PROF:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "a report of time and allocation, not of the heap: census convert "
                             "makes stacks of it");
    case HPF_FORMAT_HP:
    case HPF_FORMAT_EVENTLOG:
        break;
    }
    return hpf_read_source(source, events, context, NULL, err);
}
