/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Glyph by glyph: copy the outline less its instructions, note what a composed glyph is made of,
 * and then write the six tables that a reader of documents wants.
 */
#include "sfnt_subset.h"

#include <stdlib.h>
#include <string.h>
#include FT_TRUETYPE_TABLES_H
#include FT_TRUETYPE_TAGS_H

#define HEAD_BYTES 54
#define HHEA_BYTES 36
#define MAXP_BYTES 32

/* Flags of a component of a composed glyph. */
enum {
    ARGUMENTS_ARE_WORDS = 0x0001,
    HAS_SCALE = 0x0008,
    HAS_MORE = 0x0020,
    HAS_X_AND_Y_SCALE = 0x0040,
    HAS_MATRIX = 0x0080,
    HAS_INSTRUCTIONS = 0x0100,
};

/* The tables of the subset, in the order of their tags. */
enum { GLYF, HEAD, HHEA, HMTX, LOCA, MAXP, N_TABLES };

static const FT_ULong tags[N_TABLES] = {TTAG_glyf, TTAG_head, TTAG_hhea,
                                        TTAG_hmtx, TTAG_loca, TTAG_maxp};

typedef struct cutter {
    FT_Face face;
    bool has_long_loca;
    unsigned n_long_metrics; /* glyphs with an advance of their own in hmtx */
    uint32_t *glyphs;        /* of the face, by glyph of the subset */
    size_t n_glyphs, capacity;
    unsigned char *glyph; /* the one at hand */
    size_t glyph_bytes, glyph_capacity;
    hpf_sink *tables[N_TABLES];
    bool is_damaged, is_out_of_memory;
} cutter;

static unsigned read_16(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static uint32_t read_32(const unsigned char *bytes)
{
    return (uint32_t)read_16(bytes) << 16 | read_16(bytes + 2);
}

static void set_16(unsigned char *bytes, unsigned value)
{
    bytes[0] = (unsigned char)(value >> 8);
    bytes[1] = (unsigned char)value;
}

static void set_32(unsigned char *bytes, uint32_t value)
{
    set_16(bytes, value >> 16);
    set_16(bytes + 2, value & 0xFFFF);
}

static void put_32(hpf_sink *sink, uint32_t value)
{
    unsigned char bytes[4];
    set_32(bytes, value);
    hpf_sink_write(sink, bytes, sizeof bytes);
}

/* Reads a piece of a table of the face; false when there is no such piece. */
static bool load(FT_Face face, FT_ULong tag, size_t offset, void *out, size_t n_bytes)
{
    FT_ULong length = (FT_ULong)n_bytes;
    return n_bytes == 0 || FT_Load_Sfnt_Table(face, tag, (FT_Long)offset, out, &length) == 0;
}

bool hpr__sfnt_may_cut(FT_Face face)
{
    if (FT_Get_FSType_Flags(face) &
        (FT_FSTYPE_RESTRICTED_LICENSE_EMBEDDING | FT_FSTYPE_NO_SUBSETTING)) {
        return false;
    }
    for (int i = 0; i < N_TABLES; i++) {
        FT_ULong length = 0;
        if (FT_Load_Sfnt_Table(face, tags[i], 0, NULL, &length) != 0) {
            return false;
        }
    }
    return true;
}

static bool add_glyph(cutter *c, uint32_t glyph)
{
    if (c->n_glyphs == c->capacity) {
        size_t capacity = c->capacity ? c->capacity * 2 : 128;
        uint32_t *glyphs = realloc(c->glyphs, capacity * sizeof *glyphs);
        if (!glyphs) {
            c->is_out_of_memory = true;
            return false;
        }
        c->glyphs = glyphs;
        c->capacity = capacity;
    }
    c->glyphs[c->n_glyphs++] = glyph;
    return true;
}

/* The number in the subset of a glyph of the face, which joins when it is new. */
static unsigned renumber(cutter *c, uint32_t glyph)
{
    for (size_t i = 0; i < c->n_glyphs; i++) {
        if (c->glyphs[i] == glyph) {
            return (unsigned)i;
        }
    }
    return add_glyph(c, glyph) ? (unsigned)c->n_glyphs - 1 : 0;
}

/* Where the glyph lies in the table glyf of the face. */
static bool locate(cutter *c, uint32_t glyph, size_t *begin, size_t *end)
{
    unsigned char entry[8];
    size_t width = c->has_long_loca ? 4 : 2;
    if (!load(c->face, TTAG_loca, glyph * width, entry, 2 * width)) {
        return false;
    }
    *begin = c->has_long_loca ? read_32(entry) : read_16(entry) * 2u;
    *end = c->has_long_loca ? read_32(entry + 4) : read_16(entry + 2) * 2u;
    return *begin <= *end;
}

static bool load_glyph(cutter *c, uint32_t glyph)
{
    size_t begin;
    size_t end;
    if (!locate(c, glyph, &begin, &end)) {
        return false;
    }
    c->glyph_bytes = end - begin;
    if (c->glyph_bytes > c->glyph_capacity) {
        unsigned char *bytes = realloc(c->glyph, c->glyph_bytes);
        if (!bytes) {
            c->is_out_of_memory = true;
            return false;
        }
        c->glyph = bytes;
        c->glyph_capacity = c->glyph_bytes;
    }
    return load(c->face, TTAG_glyf, begin, c->glyph, c->glyph_bytes);
}

/* Contours: header, ends of contours, number of instructions, instructions, points. */
static bool copy_simple(cutter *c, size_t n_contours)
{
    size_t head = 10 + 2 * n_contours;
    if (head + 2 > c->glyph_bytes) {
        return false;
    }
    size_t points = head + 2 + read_16(c->glyph + head);
    if (points > c->glyph_bytes) {
        return false;
    }
    set_16(c->glyph + head, 0);
    hpf_sink_write(c->tables[GLYF], c->glyph, head + 2);
    hpf_sink_write(c->tables[GLYF], c->glyph + points, c->glyph_bytes - points);
    return true;
}

static size_t component_bytes(unsigned flags)
{
    size_t n = flags & ARGUMENTS_ARE_WORDS ? 8 : 6;
    if (flags & HAS_SCALE) {
        return n + 2;
    }
    if (flags & HAS_X_AND_Y_SCALE) {
        return n + 4;
    }
    return flags & HAS_MATRIX ? n + 8 : n;
}

/* Components: flags, glyph, placement; instructions behind the last. */
static bool copy_composed(cutter *c)
{
    size_t at = 10;
    for (unsigned flags = HAS_MORE; flags & HAS_MORE;) {
        if (at + 4 > c->glyph_bytes) {
            return false;
        }
        flags = read_16(c->glyph + at);
        set_16(c->glyph + at, flags & ~(unsigned)HAS_INSTRUCTIONS);
        set_16(c->glyph + at + 2, renumber(c, read_16(c->glyph + at + 2)));
        at += component_bytes(flags);
    }
    if (at > c->glyph_bytes) {
        return false;
    }
    hpf_sink_write(c->tables[GLYF], c->glyph, at);
    return true;
}

static void pad(hpf_sink *sink)
{
    hpf_sink_write(sink, "\0\0\0", (4 - hpf_sink_position(sink) % 4) % 4);
}

static bool copy_outline(cutter *c, uint32_t glyph)
{
    put_32(c->tables[LOCA], (uint32_t)hpf_sink_position(c->tables[GLYF]));
    if (!load_glyph(c, glyph)) {
        return false;
    }
    if (c->glyph_bytes == 0) {
        return true; /* a blank */
    }
    if (c->glyph_bytes < 10) {
        return false;
    }
    unsigned n_contours = read_16(c->glyph);
    bool done = n_contours < 0x8000 ? copy_simple(c, n_contours) : copy_composed(c);
    pad(c->tables[GLYF]);
    return done;
}

static bool copy_metrics(cutter *c, uint32_t glyph)
{
    unsigned char entry[4];
    unsigned last = c->n_long_metrics - 1;
    bool done;
    if (glyph < c->n_long_metrics) {
        done = load(c->face, TTAG_hmtx, 4 * (size_t)glyph, entry, 4);
    } else {
        size_t bearing = 4 * (size_t)c->n_long_metrics + 2 * (size_t)(glyph - c->n_long_metrics);
        done = load(c->face, TTAG_hmtx, 4 * (size_t)last, entry, 2) &&
               load(c->face, TTAG_hmtx, bearing, entry + 2, 2);
    }
    hpf_sink_write(c->tables[HMTX], entry, done ? 4 : 0);
    return done;
}

/* All glyphs: the list grows while composed glyphs name their parts. */
static bool copy_glyphs(cutter *c)
{
    for (size_t i = 0; i < c->n_glyphs; i++) {
        if (!copy_outline(c, c->glyphs[i]) || !copy_metrics(c, c->glyphs[i]) ||
            c->is_out_of_memory || c->n_glyphs > 0xFFFF) {
            return false;
        }
    }
    put_32(c->tables[LOCA], (uint32_t)hpf_sink_position(c->tables[GLYF]));
    return true;
}

/* head, hhea, maxp of the face, read first for what they say, written last with what has changed.
 */
typedef struct headers {
    unsigned char head[HEAD_BYTES];
    unsigned char hhea[HHEA_BYTES];
    unsigned char maxp[MAXP_BYTES];
} headers;

static bool load_headers(cutter *c, headers *h)
{
    if (!load(c->face, TTAG_head, 0, h->head, HEAD_BYTES) ||
        !load(c->face, TTAG_hhea, 0, h->hhea, HHEA_BYTES) ||
        !load(c->face, TTAG_maxp, 0, h->maxp, MAXP_BYTES)) {
        return false;
    }
    c->has_long_loca = read_16(h->head + 50) == 1;
    c->n_long_metrics = read_16(h->hhea + 34);
    return c->n_long_metrics > 0;
}

static void write_headers(cutter *c, headers *h)
{
    set_32(h->head + 8, 0);  /* sum of the whole file: set at the end */
    set_16(h->head + 50, 1); /* long offsets in loca */
    set_16(h->hhea + 34, (unsigned)c->n_glyphs);
    set_16(h->maxp + 4, (unsigned)c->n_glyphs);
    hpf_sink_write(c->tables[HEAD], h->head, HEAD_BYTES);
    hpf_sink_write(c->tables[HHEA], h->hhea, HHEA_BYTES);
    hpf_sink_write(c->tables[MAXP], h->maxp, MAXP_BYTES);
}

static uint32_t sum_of(const unsigned char *bytes, size_t n_bytes)
{
    uint32_t sum = 0;
    for (size_t i = 0; i + 4 <= n_bytes; i += 4) {
        sum += read_32(bytes + i);
    }
    return sum;
}

static const unsigned char *bytes_of(hpf_sink *sink, size_t *n_bytes)
{
    hpf_str bytes = hpf_sink_bytes(sink);
    *n_bytes = bytes.length;
    return (const unsigned char *)bytes.data;
}

#define DIRECTORY_BYTES (12 + 16 * (size_t)N_TABLES)

static void set_directory(unsigned char *out, const size_t offsets[N_TABLES],
                          const size_t lengths[N_TABLES])
{
    set_32(out, 0x00010000);
    set_16(out + 4, N_TABLES);
    set_16(out + 6, 64); /* 16 * the power of two up to N_TABLES, its logarithm, the remainder */
    set_16(out + 8, 2);
    set_16(out + 10, 16 * N_TABLES - 64);
    for (int i = 0; i < N_TABLES; i++) {
        unsigned char *entry = out + 12 + 16 * i;
        set_32(entry, (uint32_t)tags[i]);
        set_32(entry + 4, sum_of(out + offsets[i], (lengths[i] + 3) / 4 * 4));
        set_32(entry + 8, (uint32_t)offsets[i]);
        set_32(entry + 12, (uint32_t)lengths[i]);
    }
}

/* Tables and, within glyf, glyphs that are not blank. */
static void set_breaks(hpr__subset *out, cutter *c, const size_t offsets[N_TABLES])
{
    size_t n_bytes;
    const unsigned char *loca = bytes_of(c->tables[LOCA], &n_bytes);
    for (size_t i = 0; i < c->n_glyphs; i++) {
        size_t at = offsets[GLYF] + read_32(loca + 4 * i);
        if (out->n_breaks == 0 || at > out->breaks[out->n_breaks - 1]) {
            out->breaks[out->n_breaks++] = at;
        }
    }
    for (int i = HEAD; i < N_TABLES; i++) {
        out->breaks[out->n_breaks++] = offsets[i];
    }
}

static bool assemble(hpr__subset *out, cutter *c)
{
    size_t offsets[N_TABLES];
    size_t lengths[N_TABLES];
    out->n_bytes = DIRECTORY_BYTES;
    for (int i = 0; i < N_TABLES; i++) {
        offsets[i] = out->n_bytes;
        bytes_of(c->tables[i], &lengths[i]);
        out->n_bytes += (lengths[i] + 3) / 4 * 4;
    }
    out->bytes = calloc(1, out->n_bytes);
    out->breaks = calloc(c->n_glyphs + N_TABLES, sizeof *out->breaks);
    if (!out->bytes || !out->breaks) {
        return false;
    }
    for (int i = 0; i < N_TABLES; i++) {
        const unsigned char *table = bytes_of(c->tables[i], &lengths[i]);
        memcpy(out->bytes + offsets[i], table, lengths[i]);
    }
    set_directory(out->bytes, offsets, lengths);
    set_32(out->bytes + offsets[HEAD] + 8, 0xB1B0AFBA - sum_of(out->bytes, out->n_bytes));
    set_breaks(out, c, offsets);
    return true;
}

static bool open_tables(cutter *c)
{
    bool has_all = true;
    for (int i = 0; i < N_TABLES; i++) {
        c->tables[i] = hpf_sink_to_memory();
        has_all = has_all && c->tables[i];
    }
    return has_all;
}

static bool close_tables(cutter *c)
{
    bool is_whole = true;
    for (int i = 0; i < N_TABLES; i++) {
        is_whole = is_whole && c->tables[i] && hpf_sink_flush(c->tables[i], NULL) == HPF_OK;
    }
    return is_whole;
}

static void destroy_tables(cutter *c)
{
    for (int i = 0; i < N_TABLES; i++) {
        hpf_sink_destroy(c->tables[i]);
    }
}

hpf_status hpr__sfnt_subset(hpr__subset *out, FT_Face face, const uint32_t *glyphs, size_t n_glyphs,
                            hpf_error *err)
{
    cutter c = {.face = face};
    headers h;
    *out = (hpr__subset){0};
    c.is_out_of_memory = !open_tables(&c);
    for (size_t i = 0; i < n_glyphs && !c.is_out_of_memory; i++) {
        add_glyph(&c, glyphs[i]);
    }
    if (!c.is_out_of_memory) {
        c.is_damaged = !load_headers(&c, &h) || !copy_glyphs(&c);
    }
    if (!c.is_out_of_memory && !c.is_damaged) {
        write_headers(&c, &h);
        c.is_out_of_memory = !close_tables(&c) || !assemble(out, &c);
    }
    destroy_tables(&c);
    free(c.glyphs);
    free(c.glyph);
    if (c.is_out_of_memory) {
        return hpf_error_set_memory(err);
    }
    return c.is_damaged ? hpf_error_set(err, HPF_ERR_SYNTAX, "the font %.60s is damaged",
                                        face->family_name ? face->family_name : "")
                        : HPF_OK;
}

void hpr__subset_finish(hpr__subset *subset)
{
    free(subset->bytes);
    free(subset->breaks);
    *subset = (hpr__subset){0};
}
