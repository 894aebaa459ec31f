/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PDF 1.4, written directly: packed content in steps of 1/100 pt, text as text, and the used part
 * of each font. Source: ISO 32000-1:2008, chapters 7 (syntax), 8 (graphics), 9 (text).
 *
 * Objects are numbered before anything is written: catalog, page tree, information, resources, then
 * two for each page, then five for each font. So all references are known, and the document
 * streams.
 */
#include "backends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/utf8.h"

#include "cairo_vector.h"
#include "font_use.h"
#include "iso_date.h"
#include "scene_page.h"
#include "sfnt_subset.h"
#include "steps.h"

enum { CATALOG = 1, PAGE_TREE, INFORMATION, RESOURCES, FIRST_PAGE };
enum { PAGE, CONTENT, OBJECTS_A_PAGE };
enum { FONT, DESCENDANT, DESCRIPTOR, FONT_FILE, TO_UNICODE, OBJECTS_A_FONT };

/* What the content stream has set so far. */
typedef struct pen {
    hpf_sink *sink;
    double height_pt;
    hpr_colour fill, stroke;
    double width_pt, dash_pt;
    bool has_round_joins;
} pen;

typedef struct document {
    const hpr_scene *scene;
    const hpr_output *output;
    hpf_sink *sink;
    hpr__font_uses uses;
    size_t n_pages;
    uint64_t *offsets; /* by object */
    size_t n_objects;  /* with object 0, which is none */
} document;

static size_t page_object(size_t page, int which)
{
    return FIRST_PAGE + page * OBJECTS_A_PAGE + (size_t)which;
}

static size_t font_object(const document *d, size_t font, int which)
{
    return FIRST_PAGE + d->n_pages * OBJECTS_A_PAGE + font * OBJECTS_A_FONT + (size_t)which;
}

static void put_reference(hpf_sink *sink, size_t object)
{
    hpf_sink_whole(sink, object);
    hpf_sink_text(sink, " 0 R");
}

static void begin_object(document *d, size_t object)
{
    d->offsets[object] = hpf_sink_position(d->sink);
    hpf_sink_whole(d->sink, object);
    hpf_sink_text(d->sink, " 0 obj\n");
}

static void end_object(document *d)
{
    hpf_sink_text(d->sink, "\nendobj\n");
}

/* Rounded to `parts` of 1, in the fewest digits. */
static void put_rounded(hpf_sink *sink, double value, double parts)
{
    hpf_sink_shortest(sink, floor(value * parts + 0.5) / parts);
}

/* An object of packed bytes; `key` is the entry that is to hold their number, or "". */
static void put_stream(document *d, size_t object, const char *key, const void *bytes,
                       size_t n_bytes)
{
    uLongf packed_bytes = compressBound((uLong)n_bytes);
    unsigned char *packed = malloc(packed_bytes);
    if (!packed || compress2(packed, &packed_bytes, bytes, (uLong)n_bytes, Z_BEST_SPEED) != Z_OK) {
        hpf_error why;
        hpf_error_set_memory(&why);
        hpf_sink_fail(d->sink, &why);
        packed_bytes = 0;
    }
    begin_object(d, object);
    hpf_sink_printf(d->sink, "<</Length %lu/Filter/FlateDecode", (unsigned long)packed_bytes);
    if (key[0]) {
        hpf_sink_printf(d->sink, "/%s %zu", key, n_bytes);
    }
    hpf_sink_text(d->sink, ">>\nstream\n");
    hpf_sink_write(d->sink, packed, packed_bytes);
    hpf_sink_text(d->sink, "\nendstream");
    end_object(d);
    free(packed);
}

static bool is_printable(const char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

static void put_utf16(hpf_sink *sink, uint32_t character)
{
    if (character < 0x10000) {
        hpf_sink_printf(sink, "%04X", (unsigned)character);
    } else {
        unsigned above = (unsigned)character - 0x10000;
        hpf_sink_printf(sink, "%04X%04X", 0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF));
    }
}

/* A text string of a dictionary: as it is, or as UTF-16 with its mark. */
static void put_string(hpf_sink *sink, const char *text)
{
    if (is_printable(text)) {
        hpf_sink_text(sink, "(");
        for (; *text; text++) {
            hpf_sink_write(sink, "\\", strchr("()\\", *text) != NULL);
            hpf_sink_write(sink, text, 1);
        }
        hpf_sink_text(sink, ")");
        return;
    }
    hpf_sink_text(sink, "<FEFF");
    for (size_t n = strlen(text), length; n > 0; text += length, n -= length) {
        uint32_t character = 0xFFFD;
        length = hpf_utf8_next((hpf_str){text, n}, &character);
        length = length ? length : 1;
        put_utf16(sink, character);
    }
    hpf_sink_text(sink, ">");
}

static void put_entry(hpf_sink *sink, const char *key, const char *text)
{
    if (text && text[0]) {
        hpf_sink_printf(sink, "/%s", key);
        put_string(sink, text);
    }
}

static bool is_same_colour(hpr_colour a, hpr_colour b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

static void set_colour(pen *p, hpr_colour *now, hpr_colour colour, const char *operator)
{
    if (is_same_colour(*now, colour)) {
        return;
    }
    *now = colour;
    put_rounded(p->sink, colour.red, 1000);
    hpf_sink_text(p->sink, " ");
    put_rounded(p->sink, colour.green, 1000);
    hpf_sink_text(p->sink, " ");
    put_rounded(p->sink, colour.blue, 1000);
    hpf_sink_printf(p->sink, " %s\n", operator);
}

static void set_fill(pen *p, hpr_colour colour)
{
    set_colour(p, &p->fill, colour, "rg");
}

/* Boxes have sharp corners; mitres on the spikes of a curve would shoot beyond its values. */
static void set_stroke(pen *p, const hpr_item *item)
{
    const hpr_paint *stroke = &item->stroke;
    bool is_round = item->n_points > 4;
    set_colour(p, &p->stroke, stroke->colour, "RG");
    if (p->width_pt != stroke->width_pt) {
        hpr__steps_put(p->sink, hpr__steps_of(stroke->width_pt));
        hpf_sink_text(p->sink, " w\n");
        p->width_pt = stroke->width_pt;
    }
    if (p->dash_pt != stroke->dash_pt) {
        hpf_sink_text(p->sink, "[");
        if (stroke->dash_pt > 0) {
            hpr__steps_put(p->sink, hpr__steps_of(stroke->dash_pt));
        }
        hpf_sink_text(p->sink, "] 0 d\n");
        p->dash_pt = stroke->dash_pt;
    }
    if (p->has_round_joins != is_round) {
        hpf_sink_text(p->sink, is_round ? "1 j\n" : "0 j\n");
        p->has_round_joins = is_round;
    }
}

/* One corner: "x y operator". */
static void put_corner(pen *p, hpr__step corner, char operator)
{
    char text[2 * HPR__STEPS_BYTES + 4];
    int64_t height = hpr__steps_of(p->height_pt);
    size_t n = hpr__steps_print(text, corner.x);
    text[n++] = ' ';
    n += hpr__steps_print(text + n, height - corner.y);
    text[n++] = ' ';
    text[n++] = operator;
    text[n++] = '\n';
    hpf_sink_write(p->sink, text, n);
}

static void put_path(pen *p, const hpr_item *item)
{
    hpr__trace trace = hpr__trace_begin(item);
    for (hpr__step corner; hpr__trace_next(&trace, &corner);) {
        put_corner(p, corner, trace.n_corners == 1 ? 'm' : 'l');
    }
}

static void put_shape(pen *p, const hpr_item *item)
{
    bool is_closed = item->kind == HPR_ITEM_POLYGON;
    bool is_filled = is_closed && item->fill.on;
    if (is_filled) {
        set_fill(p, item->fill.colour);
    }
    if (item->stroke.on) {
        set_stroke(p, item);
    }
    put_path(p, item);
    if (is_filled) {
        hpf_sink_text(p->sink, item->stroke.on ? "b\n" : "f\n");
    } else {
        hpf_sink_text(p->sink, is_closed ? "s\n" : "S\n");
    }
}

/* Begins a text: origin at the left end of its baseline, turned. */
static void begin_text(pen *p, const hpr_item *item, double width_pt)
{
    double turn = item->turn_deg * (acos(-1) / 180);
    double start_pt = hpr__line_start_pt(item, width_pt);
    double x_pt = item->at.x_pt + start_pt * cos(turn);
    double y_pt = p->height_pt - item->at.y_pt + start_pt * sin(turn);
    double matrix[] = {cos(turn), sin(turn), -sin(turn), cos(turn)};
    set_fill(p, item->fill.colour);
    hpf_sink_text(p->sink, "BT ");
    for (int i = 0; i < 4; i++) {
        put_rounded(p->sink, matrix[i], 1e5);
        hpf_sink_text(p->sink, " ");
    }
    hpr__steps_put(p->sink, hpr__steps_of(x_pt));
    hpf_sink_text(p->sink, " ");
    hpr__steps_put(p->sink, hpr__steps_of(y_pt));
    hpf_sink_text(p->sink, " Tm");
}

/* Shows glyphs of one font; returns how many. A number between strings is kerning, in 1/1000 em
 * to the left. */
static size_t put_stretch(pen *p, const document *d, const hpr__glyph *glyphs, size_t n,
                          double size_pt)
{
    unsigned slot;
    size_t font = hpr__font_uses_find(&d->uses, &glyphs[0], &slot);
    hpf_sink_printf(p->sink, "/F%zu ", font);
    hpr__steps_put(p->sink, hpr__steps_of(size_pt));
    hpf_sink_text(p->sink, " Tf[<");
    size_t i = 0;
    for (; i < n && glyphs[i].face == glyphs[0].face; i++) {
        double gap_em = i ? glyphs[i].x_em - glyphs[i - 1].x_em - glyphs[i - 1].advance_em : 0;
        int64_t back = (int64_t)floor(-gap_em * 1000 + 0.5);
        if (back) {
            hpf_sink_text(p->sink, ">");
            hpr__steps_put(p->sink, back);
            hpf_sink_text(p->sink, "<");
        }
        hpr__font_uses_find(&d->uses, &glyphs[i], &slot);
        hpf_sink_printf(p->sink, "%04X", slot);
    }
    hpf_sink_text(p->sink, ">]TJ");
    return i;
}

static void put_text(pen *p, const document *d, const hpr_item *item)
{
    hpr__line line = hpr__fonts_set(d->output->fonts, item->text, item->bold);
    begin_text(p, item, line.width_em * item->size_pt);
    for (size_t i = 0; i < line.n_glyphs;) {
        i += put_stretch(p, d, line.glyphs + i, line.n_glyphs - i, item->size_pt);
    }
    hpf_sink_text(p->sink, " ET\n");
}

static void put_ground(pen *p, const hpr_scene *scene)
{
    const hpr_colour white = {1, 1, 1};
    if (is_same_colour(scene->background, white)) {
        return;
    }
    set_fill(p, scene->background);
    hpf_sink_text(p->sink, "0 0 ");
    hpr__steps_put(p->sink, hpr__steps_of(scene->width_pt));
    hpf_sink_text(p->sink, " ");
    hpr__steps_put(p->sink, hpr__steps_of(scene->height_pt));
    hpf_sink_text(p->sink, " re f\n");
}

static void put_content(hpf_sink *content, const document *d, const hpr__page *page)
{
    pen p = {.sink = content, .height_pt = d->scene->height_pt, .width_pt = -1};
    hpf_sink_text(content, ".01 0 0 .01 0 0 cm\n");
    put_ground(&p, d->scene);
    for (size_t i = 0; i < page->n_items; i++) {
        const hpr_item *item = &page->items[i];
        if (item->kind == HPR_ITEM_POLYGON || item->kind == HPR_ITEM_LINE) {
            put_shape(&p, item);
        } else if (item->kind == HPR_ITEM_TEXT) {
            put_text(&p, d, item);
        }
    }
}

static void put_page(document *d, size_t index, const hpr__page *page)
{
    begin_object(d, page_object(index, PAGE));
    hpf_sink_text(d->sink, "<</Type/Page/Parent ");
    put_reference(d->sink, PAGE_TREE);
    hpf_sink_text(d->sink, "/MediaBox[0 0 ");
    put_rounded(d->sink, d->scene->width_pt, 1e4);
    hpf_sink_text(d->sink, " ");
    put_rounded(d->sink, d->scene->height_pt, 1e4);
    hpf_sink_text(d->sink, "]/Resources ");
    put_reference(d->sink, RESOURCES);
    hpf_sink_text(d->sink, "/Contents ");
    put_reference(d->sink, page_object(index, CONTENT));
    hpf_sink_text(d->sink, ">>");
    end_object(d);

    hpf_sink *content = hpf_sink_to_memory();
    hpf_error why;
    if (!content) {
        hpf_error_set_memory(&why);
        hpf_sink_fail(d->sink, &why);
        return;
    }
    put_content(content, d, page);
    if (hpf_sink_flush(content, &why) != HPF_OK) {
        hpf_sink_fail(d->sink, &why);
    }
    hpf_str bytes = hpf_sink_bytes(content);
    put_stream(d, page_object(index, CONTENT), "", bytes.data, bytes.length);
    hpf_sink_destroy(content);
}

static void put_catalog(document *d)
{
    begin_object(d, CATALOG);
    hpf_sink_text(d->sink, "<</Type/Catalog/Pages ");
    put_reference(d->sink, PAGE_TREE);
    hpf_sink_text(d->sink, ">>");
    end_object(d);

    begin_object(d, PAGE_TREE);
    hpf_sink_printf(d->sink, "<</Type/Pages/Count %zu/Kids[", d->n_pages);
    for (size_t i = 0; i < d->n_pages; i++) {
        put_reference(d->sink, page_object(i, PAGE));
        hpf_sink_text(d->sink, " ");
    }
    hpf_sink_text(d->sink, "]>>");
    end_object(d);
}

/* The date is the profile's; where it cannot be read there is none. */
static void put_information(document *d)
{
    char iso[HPR__ISO_DATE_BYTES];
    begin_object(d, INFORMATION);
    hpf_sink_text(d->sink, "<<");
    put_entry(d->sink, "Title", d->scene->title);
    put_entry(d->sink, "Creator", d->scene->creator);
    put_entry(d->sink, "Producer", d->output->software);
    if (hpr__iso_date(iso, d->scene->date)) {
        hpf_sink_printf(d->sink, "/CreationDate(D:%.4s%.2s%.2s%.2s%.2s%.2s)", iso, iso + 5, iso + 8,
                        iso + 11, iso + 14, iso + 17);
    }
    hpf_sink_text(d->sink, ">>");
    end_object(d);
}

static void put_resources(document *d)
{
    begin_object(d, RESOURCES);
    hpf_sink_text(d->sink, "<</Font<<");
    for (size_t i = 0; i < d->uses.n_fonts; i++) {
        hpf_sink_printf(d->sink, "/F%zu ", i);
        put_reference(d->sink, font_object(d, i, FONT));
    }
    hpf_sink_text(d->sink, ">>>>");
    end_object(d);
}

/* "ABCDEF+LiberationSans": a tag for the choice of glyphs, and the font's own name. */
static void put_font_name(hpf_sink *sink, const hpr__font_use *use)
{
    const char *name = FT_Get_Postscript_Name(hpr__face_metrics(use->face));
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    char tag[7] = "";
    for (size_t i = 0; i < use->n_slots; i++) {
        hash = (hash ^ use->glyphs[i]) * 1099511628211u;
    }
    for (int i = 0; i < 6; i++) {
        tag[i] = (char)('A' + hash % 26);
        hash /= 26;
    }
    hpf_sink_printf(sink, "/%s+", tag);
    for (name = name ? name : "Font"; *name; name++) {
        hpf_sink_write(sink, name, *name > ' ' && *name <= '~' && !strchr("()<>[]{}/%#", *name));
    }
}

static void put_font(document *d, size_t font)
{
    const hpr__font_use *use = &d->uses.fonts[font];
    begin_object(d, font_object(d, font, FONT));
    hpf_sink_text(d->sink, "<</Type/Font/Subtype/Type0/BaseFont");
    put_font_name(d->sink, use);
    hpf_sink_text(d->sink, "/Encoding/Identity-H/DescendantFonts[");
    put_reference(d->sink, font_object(d, font, DESCENDANT));
    hpf_sink_text(d->sink, "]/ToUnicode ");
    put_reference(d->sink, font_object(d, font, TO_UNICODE));
    hpf_sink_text(d->sink, ">>");
    end_object(d);

    begin_object(d, font_object(d, font, DESCENDANT));
    hpf_sink_text(d->sink, "<</Type/Font/Subtype/CIDFontType2/BaseFont");
    put_font_name(d->sink, use);
    hpf_sink_text(d->sink, "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
                           "/CIDToGIDMap/Identity/FontDescriptor ");
    put_reference(d->sink, font_object(d, font, DESCRIPTOR));
    hpf_sink_text(d->sink, "/W[0[");
    for (size_t i = 0; i < use->n_slots; i++) {
        const hpr__glyph glyph = {.face = use->face, .index = use->glyphs[i]};
        put_rounded(d->sink, hpr__glyph_advance_em(&glyph) * 1000, 100);
        hpf_sink_text(d->sink, " ");
    }
    hpf_sink_text(d->sink, "]]>>");
    end_object(d);
}

static void put_descriptor(document *d, size_t font)
{
    const hpr__font_use *use = &d->uses.fonts[font];
    FT_Face metrics = hpr__face_metrics(use->face);
    double scale = 1000.0 / metrics->units_per_EM;
    double ascent = metrics->ascender * scale;
    begin_object(d, font_object(d, font, DESCRIPTOR));
    hpf_sink_text(d->sink, "<</Type/FontDescriptor/FontName");
    put_font_name(d->sink, use);
    hpf_sink_printf(d->sink,
                    "/Flags 4/ItalicAngle 0/StemV 80/Ascent %.0f/Descent %.0f/CapHeight %.0f"
                    "/FontBBox[%.0f %.0f %.0f %.0f]/FontFile2 ",
                    ascent, metrics->descender * scale, ascent, metrics->bbox.xMin * scale,
                    metrics->bbox.yMin * scale, metrics->bbox.xMax * scale,
                    metrics->bbox.yMax * scale);
    put_reference(d->sink, font_object(d, font, FONT_FILE));
    hpf_sink_text(d->sink, ">>");
    end_object(d);
}

#define PAIRS_A_BLOCK 100 /* at most, of a CMap */

static void put_unicode_pairs(hpf_sink *map, const hpr__font_use *use)
{
    for (size_t from = 1; from < use->n_slots; from += PAIRS_A_BLOCK) {
        size_t left = use->n_slots - from;
        size_t n = left < PAIRS_A_BLOCK ? left : PAIRS_A_BLOCK;
        hpf_sink_printf(map, "%zu beginbfchar\n", n);
        for (size_t slot = from; slot < from + n; slot++) {
            hpf_sink_printf(map, "<%04zX> <", slot);
            put_utf16(map, use->characters[slot]);
            hpf_sink_text(map, ">\n");
        }
        hpf_sink_text(map, "endbfchar\n");
    }
}

/* What the glyphs mean, so that text can be searched and copied. */
static hpf_status put_to_unicode(document *d, size_t font, hpf_error *err)
{
    hpf_sink *map = hpf_sink_to_memory();
    if (!map) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_text(map, "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
                       "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n"
                       "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
                       "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n");
    put_unicode_pairs(map, &d->uses.fonts[font]);
    hpf_sink_text(map, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    hpf_str bytes = hpf_sink_bytes(map);
    hpf_status status = hpf_sink_flush(map, err);
    put_stream(d, font_object(d, font, TO_UNICODE), "", bytes.data, bytes.length);
    hpf_sink_destroy(map);
    return status;
}

static hpf_status put_font_file(document *d, size_t font, hpf_error *err)
{
    const hpr__font_use *use = &d->uses.fonts[font];
    hpr__subset subset;
    hpf_status status =
        hpr__sfnt_subset(&subset, hpr__face_metrics(use->face), use->glyphs, use->n_slots, err);
    if (status == HPF_OK) {
        put_stream(d, font_object(d, font, FONT_FILE), "Length1", subset.bytes, subset.n_bytes);
        hpr__subset_finish(&subset);
    }
    return status;
}

static void put_end(document *d)
{
    uint64_t start = hpf_sink_position(d->sink);
    hpf_sink_printf(d->sink, "xref\n0 %zu\n0000000000 65535 f \n", d->n_objects);
    for (size_t i = 1; i < d->n_objects; i++) {
        hpf_sink_printf(d->sink, "%010llu 00000 n \n", (unsigned long long)d->offsets[i]);
    }
    hpf_sink_printf(d->sink, "trailer\n<</Size %zu/Root %d 0 R/Info %d 0 R>>\nstartxref\n%llu\n",
                    d->n_objects, CATALOG, INFORMATION, (unsigned long long)start);
    hpf_sink_text(d->sink, "%%EOF\n");
}

static hpf_status put_document(document *d, hpf_error *err)
{
    hpf_sink_text(d->sink, "%PDF-1.4\n%\xC2\xB5\xC2\xB6\n");
    put_catalog(d);
    put_information(d);
    put_resources(d);
    size_t at = 0;
    size_t index = 0;
    for (hpr__page page; hpr__scene_next_page(d->scene, &at, &page); index++) {
        put_page(d, index, &page);
    }
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < d->uses.n_fonts && status == HPF_OK; i++) {
        put_font(d, i);
        put_descriptor(d, i);
        status = put_font_file(d, i, err);
        if (status == HPF_OK) {
            status = put_to_unicode(d, i, err);
        }
    }
    put_end(d);
    return status != HPF_OK ? status : hpf_sink_flush(d->sink, err);
}

static hpf_status write_plain(document *d, hpf_error *err)
{
    d->n_pages = hpr__scene_n_pages(d->scene);
    d->n_objects = font_object(d, d->uses.n_fonts, 0);
    d->offsets = calloc(d->n_objects, sizeof *d->offsets);
    if (!d->offsets) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = put_document(d, err);
    free(d->offsets);
    return status;
}

static hpf_status write_pdf(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    document d = {.scene = scene, .output = output, .sink = sink};
    hpf_status status = hpr__font_uses_collect(&d.uses, scene, output->fonts, err);
    if (status != HPF_OK) {
        return status;
    }
    status = d.uses.is_plain ? write_plain(&d, err) : hpr__cairo_pdf(scene, output, sink, err);
    hpr__font_uses_finish(&d.uses);
    return status;
}

const hpr_backend hpr__backend_pdf = {
    .name = "pdf",
    .extension = "pdf",
    .summary = "Portable Document Format",
    .is_graphical = true,
    .write = write_pdf,
};
