/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A frame is a function and a location with one line. Readers accept fields in any order, so texts
 * come last.
 */
#include "hpfile/pprof.h"
#include "exchange/pprof.h"

#include <math.h>
#include <zlib.h>

#include "base/intern.h"
#include "io/protobuf.h"

/* The numbers of fields: https://github.com/google/pprof/blob/main/proto/profile.proto */
enum {
    TYPE = 1,
    SAMPLE = 2,
    MAPPING = 3,
    LOCATION = 4,
    FUNCTION = 5,
    TEXT = 6,
    TIME_NS = 9,
    DURATION_NS = 10,
    PERIOD_TYPE = 11,
    PERIOD = 12
};

typedef struct message {
    hpf__buffer bytes, part, inner; /* the profile, the message in it, a message or list in that */
    hpf__intern texts;
    bool fits;
} message;

static uint64_t text(message *m, hpf_str text)
{
    uint32_t number = 0;
    bool is_new;
    text = text.length ? text : HPF_STR("");
    m->fits = m->fits && hpf__intern_add(&m->texts, text, &number, &is_new) == HPF_OK;
    return number;
}

static void number(message *m, uint32_t field, uint64_t value)
{
    m->fits = m->fits && hpf__proto_put_number(&m->part, field, value);
}

/* Ends the message that is being put together. */
static void end(message *m, uint32_t field)
{
    m->fits = m->fits && hpf__proto_put_item(&m->bytes, field, hpf__buffer_str(&m->part));
    m->part.length = 0;
}

/* The same, of a message or list inside it. */
static void end_inner(message *m, uint32_t field)
{
    m->fits = m->fits && hpf__proto_put_bytes(&m->part, field, hpf__buffer_str(&m->inner));
    m->inner.length = 0;
}

static void put_types(message *m, const hpf_pprof_profile *profile)
{
    for (size_t i = 0; i < profile->n_types; i++) {
        const char *name = profile->types[i].name;
        number(m, 1, text(m, hpf_str_of(name)));
        number(m, 2, text(m, profile->types[i].unit));
        end(m, TYPE);
    }
}

static void put_frames(message *m, const hpf_stacks *stacks)
{
    for (uint32_t i = 0; i < hpf_stacks_n_frames(stacks) && m->fits; i++) {
        hpf_stack_frame frame = hpf_stacks_frame(stacks, i);
        uint64_t name = text(m, frame.name);
        number(m, 1, i + 1);
        number(m, 2, name);
        number(m, 3, name);
        number(m, 4, text(m, frame.file));
        number(m, 5, frame.start_line);
        end(m, FUNCTION);
        number(m, 1, i + 1);
        number(m, 2, 1);
        m->fits = m->fits && hpf__proto_put_number(&m->inner, 1, i + 1) &&
                  hpf__proto_put_number(&m->inner, 2, frame.line);
        end_inner(m, 4);
        end(m, LOCATION);
    }
}

/* Leaf first. */
static void put_sample(message *m, const hpf_stacks *stacks, uint32_t stack, const uint64_t *values,
                       size_t n_values)
{
    size_t n;
    const uint32_t *frames = hpf_stacks_frames(stacks, stack, &n);
    while (n > 0 && m->fits) {
        m->fits = hpf__proto_put_varint(&m->inner, (uint64_t)frames[--n] + 1);
    }
    end_inner(m, 1);
    for (size_t i = 0; i < n_values && m->fits; i++) {
        m->fits = hpf__proto_put_varint(&m->inner, values[i]);
    }
    end_inner(m, 2);
    end(m, SAMPLE);
}

static void put_samples(message *m, const hpf_stacks *stacks, const hpf_pprof_profile *profile)
{
    for (uint32_t i = 0; i < hpf_stacks_n(stacks) && m->fits; i++) {
        uint64_t values[4] = {0};
        bool is_used = false;
        for (size_t k = 0; k < profile->n_types; k++) {
            double amount = round(profile->types[k].amounts[i] * profile->types[k].scale);
            values[k] = amount < 0x1p63 ? (uint64_t)amount : INT64_MAX;
            is_used |= values[k] > 0;
        }
        if (is_used) {
            put_sample(m, stacks, i, values, profile->n_types);
        }
    }
}

static void put_all(message *m, const hpf_stacks *stacks, const hpf_pprof_profile *profile)
{
    text(m, HPF_STR("")); /* the first text is empty */
    put_types(m, profile);
    put_samples(m, stacks, profile);
    number(m, 1, 1);
    number(m, 5, text(m, profile->program));
    for (uint32_t has = 7; has <= 9; has++) { /* functions, file names, lines */
        number(m, has, 1);
    }
    end(m, MAPPING);
    put_frames(m, stacks);
    /* Profiles whose differences are taken must agree in this. */
    const hpf_pprof_type *type = &profile->types[profile->n_types - 1];
    number(m, 1, text(m, hpf_str_is(type->unit, "bytes") ? HPF_STR("space") : type->unit));
    number(m, 2, text(m, type->unit));
    end(m, PERIOD_TYPE);
    m->fits = m->fits && hpf__proto_put_number(&m->bytes, PERIOD, 1) &&
              hpf__proto_put_number(&m->bytes, TIME_NS, profile->time_ns) &&
              (profile->duration_ns == 0 ||
               hpf__proto_put_number(&m->bytes, DURATION_NS, profile->duration_ns));
    for (uint32_t i = 0; i < m->texts.n_names && m->fits; i++) {
        m->fits = hpf__proto_put_item(&m->bytes, TEXT, m->texts.names[i]);
    }
}

hpf_status hpf__pprof_write_gzip(hpf_str bytes, hpf_sink *sink, hpf_error *err)
{
    unsigned char out[16384];
    z_stream z = {.next_in = (const unsigned char *)bytes.data};
    const int gzip = 16;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return hpf_error_set_memory(err);
    }
    int done = Z_OK;
    while (done != Z_STREAM_END) {
        size_t most = (size_t)1 << 30;
        size_t left = bytes.length - (size_t)(z.next_in - (const unsigned char *)bytes.data);
        z.avail_in = (unsigned)(left < most ? left : most);
        z.next_out = out;
        z.avail_out = sizeof out;
        done = deflate(&z, left <= most ? Z_FINISH : Z_NO_FLUSH);
        hpf_sink_write(sink, out, sizeof out - z.avail_out);
    }
    deflateEnd(&z);
    return hpf_sink_flush(sink, err);
}

hpf_status hpf_pprof_write(const hpf_stacks *stacks, const hpf_pprof_profile *profile,
                           hpf_sink *sink, hpf_error *err)
{
    message m = {.fits = true};
    put_all(&m, stacks, profile);
    hpf_status status = m.fits ? hpf__pprof_write_gzip(hpf__buffer_str(&m.bytes), sink, err)
                               : hpf_error_set_memory(err);
    hpf__intern_finish(&m.texts);
    hpf__buffer_finish(&m.bytes);
    hpf__buffer_finish(&m.part);
    hpf__buffer_finish(&m.inner);
    return status;
}
