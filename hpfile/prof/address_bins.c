/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of bins. All numbers are 64 bits, the lowest byte first: eight bytes of magic, six numbers,
 * pairs of address and count, then the objects. Where all addresses of bins fit, they have 32 bits.
 */
#include "hpfile/address_bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum {
    WORD_BYTES = 8,
    SHORT_BYTES = 4,
    VERSION = 2,
    SHORT_VERSION = 3, /* addresses of bins have 32 bits */
};

/* After the magic. */
typedef enum head_word {
    HEAD_VERSION,
    HEAD_KIND,
    HEAD_UNIT,
    HEAD_UNKNOWN,
    HEAD_N_BINS,
    HEAD_N_OBJECTS,
    N_HEAD_WORDS
} head_word;

static const char magic[WORD_BYTES] = {'h', 'p', 'f', '.', 'b', 'i', 'n', 's'};

enum { HEAD_BYTES = (1 + N_HEAD_WORDS) * WORD_BYTES };

bool hpf_bins_is_file(hpf_str bytes)
{
    return bytes.length >= sizeof magic && memcmp(bytes.data, magic, sizeof magic) == 0;
}

/* --- writing --------------------------------------------------------------------------------- */

static void put_number(hpf_sink *sink, uint64_t number, size_t n_bytes)
{
    unsigned char bytes[WORD_BYTES];
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (unsigned char)(number >> 8 * i);
    }
    hpf_sink_write(sink, bytes, n_bytes);
}

static void put_word(hpf_sink *sink, uint64_t word)
{
    put_number(sink, word, WORD_BYTES);
}

void hpf_bins_write(hpf_sink *sink, const hpf_bins *bins)
{
    size_t n_bins = 0;
    bool is_short = true;
    for (size_t i = 0; i < bins->n_bins; i++) {
        if (bins->bins[i].count != 0) {
            n_bins++;
            is_short = is_short && bins->bins[i].address <= UINT32_MAX;
        }
    }
    hpf_sink_write(sink, magic, sizeof magic);
    put_word(sink, is_short ? SHORT_VERSION : VERSION);
    put_word(sink, (uint64_t)bins->kind);
    put_word(sink, bins->unit);
    put_word(sink, bins->unknown_count);
    put_word(sink, n_bins);
    put_word(sink, bins->n_objects);
    for (size_t i = 0; i < bins->n_bins; i++) {
        if (bins->bins[i].count != 0) {
            put_number(sink, bins->bins[i].address, is_short ? SHORT_BYTES : WORD_BYTES);
            put_word(sink, bins->bins[i].count);
        }
    }
    for (size_t i = 0; i < bins->n_objects; i++) {
        const hpf_bins_object *object = &bins->objects[i];
        put_word(sink, object->start);
        put_word(sink, object->end);
        put_word(sink, object->bias);
        put_word(sink, object->path.length);
        put_word(sink, object->build_id.length);
        hpf_sink_write(sink, object->path.data, object->path.length);
        hpf_sink_write(sink, object->build_id.data, object->build_id.length);
    }
}

/* --- reading --------------------------------------------------------------------------------- */

/* A position in the file. */
typedef struct cursor {
    const char *bytes;
    size_t at, length;
} cursor;

/* Reads a number. Returns false at the end of the file. */
static bool get_number(cursor *in, uint64_t *number, size_t n_bytes)
{
    if (in->length - in->at < n_bytes) {
        return false;
    }
    *number = 0;
    for (size_t i = n_bytes; i-- > 0;) {
        *number = *number << 8 | (unsigned char)in->bytes[in->at + i];
    }
    in->at += n_bytes;
    return true;
}

static bool get_word(cursor *in, uint64_t *word)
{
    return get_number(in, word, WORD_BYTES);
}

static bool get_text(cursor *in, uint64_t length, hpf_str *text)
{
    if (length > in->length - in->at) {
        return false;
    }
    *text = (hpf_str){in->bytes + in->at, (size_t)length};
    in->at += (size_t)length;
    return true;
}

static hpf_status fail_at(hpf_error *err, hpf_status status, uint64_t offset, const char *message)
{
    hpf_error_set(err, status, "%s", message);
    if (err) {
        err->offset = offset;
    }
    return status;
}

static hpf_status slurp(hpf__buffer *all, hpf_source *source, hpf_error *err)
{
    for (;;) {
        hpf_str piece;
        hpf_status status = hpf_source_next(source, &piece, err);
        if (status != HPF_OK) {
            return status == HPF_END ? HPF_OK : status;
        }
        if (!hpf__buffer_add(all, piece)) {
            return hpf_error_set_memory(err);
        }
    }
}

static size_t address_bytes(const uint64_t head[N_HEAD_WORDS])
{
    return head[HEAD_VERSION] == SHORT_VERSION ? SHORT_BYTES : WORD_BYTES;
}

static hpf_status read_head(uint64_t head[N_HEAD_WORDS], cursor *in, hpf_error *err)
{
    if (!hpf_bins_is_file((hpf_str){in->bytes, in->length})) {
        return fail_at(err, HPF_ERR_SYNTAX, 0, "not an address bin file");
    }
    in->at = sizeof magic;
    for (int i = 0; i < N_HEAD_WORDS; i++) {
        if (!get_word(in, &head[i])) {
            return fail_at(err, HPF_ERR_SYNTAX, in->length, "the address bin file is cut");
        }
    }
    if (head[HEAD_VERSION] != VERSION && head[HEAD_VERSION] != SHORT_VERSION) {
        return fail_at(err, HPF_ERR_VERSION, (1 + HEAD_VERSION) * WORD_BYTES,
                       "unsupported version of the address bin file, expected 2 or 3");
    }
    if (head[HEAD_KIND] != HPF_BINS_TIME && head[HEAD_KIND] != HPF_BINS_HEAP) {
        return fail_at(err, HPF_ERR_SYNTAX, (1 + HEAD_KIND) * WORD_BYTES,
                       "unknown kind of address bins, expected time or heap");
    }
    if (head[HEAD_N_BINS] > (in->length - in->at) / (address_bytes(head) + WORD_BYTES)) {
        return fail_at(err, HPF_ERR_SYNTAX, in->length, "the address bin file is cut");
    }
    return HPF_OK;
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const hpf_bin *)a)->address;
    uint64_t y = ((const hpf_bin *)b)->address;
    return (x > y) - (x < y);
}

/* Reads bins that are in the file. Sorts them and adds up those with the same address. */
static hpf_status read_bins(hpf_bins *out, cursor *in, const uint64_t head[N_HEAD_WORDS],
                            hpf_error *err)
{
    size_t n_bins = (size_t)head[HEAD_N_BINS];
    hpf_bin *bins = calloc(n_bins > 0 ? n_bins : 1, sizeof *bins);
    if (!bins) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_bins; i++) {
        get_number(in, &bins[i].address, address_bytes(head));
        get_word(in, &bins[i].count);
    }
    qsort(bins, n_bins, sizeof *bins, by_address);
    size_t n = 0;
    for (size_t i = 0; i < n_bins; i++) {
        if (n > 0 && bins[n - 1].address == bins[i].address) {
            uint64_t sum = bins[n - 1].count + bins[i].count;
            bins[n - 1].count = sum < bins[i].count ? UINT64_MAX : sum;
        } else {
            bins[n++] = bins[i];
        }
    }
    out->bins = bins;
    out->n_bins = n;
    return HPF_OK;
}

static hpf_status read_objects(hpf_bins *out, cursor *in, uint64_t n, hpf_error *err)
{
    hpf_bins_object *objects = NULL;
    size_t n_objects = 0, capacity = 0;
    hpf_status status = HPF_OK;
    while (n_objects < n && status == HPF_OK) {
        hpf_bins_object o;
        uint64_t path_bytes, id_bytes;
        if (!get_word(in, &o.start) || !get_word(in, &o.end) || !get_word(in, &o.bias) ||
            !get_word(in, &path_bytes) || !get_word(in, &id_bytes) ||
            !get_text(in, path_bytes, &o.path) || !get_text(in, id_bytes, &o.build_id)) {
            status = fail_at(err, HPF_ERR_SYNTAX, in->length, "the address bin file is cut");
        } else if (!HPF__ARRAY_PUSH(objects, n_objects, capacity, o)) {
            status = hpf_error_set_memory(err);
        }
    }
    if (status == HPF_OK && in->at < in->length) {
        status = fail_at(err, HPF_ERR_SYNTAX, in->at, "unexpected bytes after the last object");
    }
    out->objects = objects;
    out->n_objects = n_objects;
    return status;
}

hpf_status hpf_bins_read(hpf_bins *out, hpf_source *source, hpf_error *err)
{
    hpf__buffer all = {0};
    uint64_t head[N_HEAD_WORDS];
    memset(out, 0, sizeof *out);
    hpf_status status = slurp(&all, source, err);
    cursor in = {all.bytes, 0, all.length};
    if (status == HPF_OK) {
        status = read_head(head, &in, err);
    }
    if (status == HPF_OK) {
        status = read_bins(out, &in, head, err);
    }
    if (status == HPF_OK) {
        out->kind = (hpf_bins_kind)head[HEAD_KIND];
        out->unit = head[HEAD_UNIT];
        out->unknown_count = head[HEAD_UNKNOWN];
        status = read_objects(out, &in, head[HEAD_N_OBJECTS], err);
    }
    out->texts = all.bytes;
    if (status != HPF_OK) {
        hpf_bins_finish(out);
    }
    return status;
}

void hpf_bins_finish(hpf_bins *bins)
{
    free((void *)(uintptr_t)bins->bins);
    free((void *)(uintptr_t)bins->objects);
    free(bins->texts);
    memset(bins, 0, sizeof *bins);
}
