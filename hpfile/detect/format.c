/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of formats, which the first bytes of an input select from.
 */
#include "hpfile/format.h"

#include "base/options.h"
#include "detect/foreign.h"
#include "detect/reader.h"
#include "event/format_row.h"

#define ENTRY(name) &hpf_format_##name,
static const hpf_format *const formats[] = {HPF__FORMATS(ENTRY) NULL};

const hpf_format *const *hpf_formats(void)
{
    return formats;
}

const hpf_format *hpf_format_find(const char *name)
{
    const hpf_format *const *f = formats;
    while (*f && strcmp((*f)->name, name) != 0) {
        f++;
    }
    return *f;
}

hpf_status hpf_format_detect(const hpf_format **out, hpf_source *source, hpf_error *err)
{
    char bytes[HPF_FORMAT_HEAD_BYTES];
    hpf_str head = {bytes, 0}, piece;
    hpf_status status = HPF_OK;
    *out = &hpf_format_hp;
    while (head.length < sizeof bytes &&
           (status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        size_t room = sizeof bytes - head.length;
        size_t n = piece.length < room ? piece.length : room;
        memcpy(bytes + head.length, piece.data, n);
        head.length += n;
    }
    if (status != HPF_OK && status != HPF_END) {
        return status;
    }
    const char *foreign = hpf__foreign_name(head);
    if (foreign) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "not a profile that census reads, but %s",
                             foreign);
    }
    for (const hpf_format *const *f = formats; *f; f++) {
        if ((*f)->is_format && (*f)->is_format(head)) {
            *out = *f;
            return hpf_source_rewind(source, err);
        }
    }
    if (!hpf__may_be_hp(head)) {
        char shown[HPF__SHOWN_BYTES];
        hpf__show_beginning(shown, head);
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "not a profile: it begins with \"%s\"",
                             shown);
    }
    return hpf_source_rewind(source, err);
}

hpf_status hpf_format_read(const hpf_format *format, hpf_source *source, const hpf_events *events,
                           void *context, const hpf_reader_options *options, hpf_error *err)
{
    hpf_reader_options own;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status != HPF_OK) {
        return status;
    }
    if (!hpf__reader_is_whole(format, &own)) {
        return hpf_read_source(source, events, context, &own, err);
    }
    if (!format->read) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s can only be written", format->name);
    }
    return format->read(source, events, context, &own, err);
}
