/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Through surveys, sinks and back.
 */
#include "retold.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/survey.h"
#include "readings.h"

static const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};

static char *bytes_of(hpf_sink *sink, bool is_good)
{
    hpf_str bytes = hpf_sink_bytes(sink);
    char *text = is_good ? malloc(bytes.length + 1) : NULL;
    if (text) {
        memcpy(text, bytes.data, bytes.length);
        text[bytes.length] = '\0';
    }
    hpf_sink_destroy(sink);
    return text;
}

typedef struct opened {
    hpf_source *source;
    hpf_survey *survey;
} opened;

static bool open_hp(opened *out, hpf_str hp)
{
    *out = (opened){NULL, NULL};
    return hpf_source_from_memory(&out->source, hp, &keeping, NULL) == HPF_OK &&
           hpf_survey_create(&out->survey, out->source, NULL, NULL) == HPF_OK;
}

static void close_hp(opened *o)
{
    hpf_survey_destroy(o->survey);
    hpf_source_destroy(o->source);
}

hpf_writer *create_writer(const hpf_format *format, hpf_sink *sink,
                          const hpf_writer_options *options)
{
    hpf_writer *writer;
    return hpf_writer_create(&writer, format, sink, options, NULL) == HPF_OK ? writer : NULL;
}

hpf_sink *written_as(const hpf_format *format, hpf_str hp)
{
    opened o;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(format, sink, NULL);
    bool is_good = open_hp(&o, hp) &&
                   hpf_survey_emit(o.survey, format->holds_marks_in_place, &hpf_writer_events,
                                   writer, NULL) == HPF_OK &&
                   hpf_writer_finish(writer, NULL) == HPF_OK;
    hpf_writer_destroy(writer);
    close_hp(&o);
    if (!is_good) {
        hpf_sink_destroy(sink);
    }
    return is_good ? sink : NULL;
}

char *retold_as(const hpf_format *format, hpf_str hp)
{
    hpf_sink *sink = written_as(format, hp);
    return sink ? bytes_of(sink, true) : NULL;
}

static hpf_status read_as(const hpf_format *format, hpf_str text, const hpf_events *events,
                          void *context, hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_status status = hpf_source_from_memory(&source, text, &keeping, err);
    status =
        status == HPF_OK ? hpf_format_read(format, source, events, context, NULL, err) : status;
    hpf_source_destroy(source);
    return status;
}

char *events_of(const hpf_format *format, hpf_str text, hpf_error *err)
{
    hpf_sink *sink = hpf_sink_to_memory();
    return bytes_of(sink, read_as(format, text, &event_text_events, sink, err) == HPF_OK);
}

char *retold_as_hp(const hpf_format *format, hpf_str text, hpf_error *err)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_hp, sink, NULL);
    bool is_good = read_as(format, text, &hpf_writer_events, writer, err) == HPF_OK &&
                   hpf_writer_finish(writer, err) == HPF_OK;
    hpf_writer_destroy(writer);
    return bytes_of(sink, is_good);
}
