/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Through surveys, sinks and back.
 */
#include "retold.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/json_profile.h"
#include "hpfile/survey.h"
#include "hpfile/hp_writer.h"
#include "readings.h"

static const hpf_source_options keeping = {.keep = true};

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

char *retold_as_json(hpf_str hp)
{
    opened o;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_json_profile_writer *writer = hpf_json_profile_writer_create(sink);
    bool is_good =
        open_hp(&o, hp) &&
        hpf_survey_emit(o.survey, false, &hpf_json_profile_writer_events, writer, NULL) == HPF_OK &&
        hpf_json_profile_writer_finish(writer, NULL) == HPF_OK;
    hpf_json_profile_writer_destroy(writer);
    close_hp(&o);
    return bytes_of(sink, is_good);
}

char *retold_as_csv(hpf_str hp, hpf_csv_shape shape)
{
    opened o;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_csv_writer *writer = hpf_csv_writer_create(sink, shape);
    bool is_good =
        open_hp(&o, hp) &&
        hpf_survey_emit(o.survey, false, &hpf_csv_writer_events, writer, NULL) == HPF_OK &&
        hpf_csv_writer_finish(writer, NULL) == HPF_OK;
    hpf_csv_writer_destroy(writer);
    close_hp(&o);
    return bytes_of(sink, is_good);
}

static hpf_status read_as(hpf_format format, hpf_str text, const hpf_events *events, void *context,
                          hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_status status = hpf_source_from_memory(&source, text, &keeping, err);
    status = status == HPF_OK ? hpf_format_read(format, source, events, context, err) : status;
    hpf_source_destroy(source);
    return status;
}

char *events_of(hpf_format format, hpf_str text, hpf_error *err)
{
    hpf_sink *sink = hpf_sink_to_memory();
    return bytes_of(sink, read_as(format, text, &event_text_events, sink, err) == HPF_OK);
}

char *retold_as_hp(hpf_format format, hpf_str text, hpf_error *err)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_hp_writer *writer = hpf_hp_writer_create(sink, false);
    bool is_good = read_as(format, text, &hpf_hp_writer_events, writer, err) == HPF_OK &&
                   hpf_hp_writer_finish(writer, err) == HPF_OK;
    hpf_hp_writer_destroy(writer);
    return bytes_of(sink, is_good);
}
