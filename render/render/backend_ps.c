/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PostScript level 2 and EPS, written directly: shapes as differences in steps of 1/100 pt, text as
 * text in Type 42 fonts. Sources: PostScript Language Reference, third edition; Adobe technical
 * notes 5001 (document structuring), 5002 (EPS) and 5012 (Type 42).
 */
#include "backends.h"

#include <math.h>
#include <string.h>

#include "cairo_vector.h"
#include "font_use.h"
#include "ps_header.h"
#include "scene_page.h"
#include "sfnt_subset.h"
#include "steps.h"

/* A PostScript font has 256 codes; 0 stays the missing glyph, so a larger subset becomes several
 * fonts that share one font file: slot s is code s % 255 + 1 of font s / 255. */
#define SLOTS_A_FONT 255

/* A string holds at most 65535 bytes. */
#define MAX_STRING_BYTES 65534

typedef struct document {
    const hpr_scene *scene;
    const hpr_output *output;
    hpf_sink *sink;
    hpr__font_uses uses;
    bool is_eps;
    double height_pt; /* of the drawing area */
} document;

/* m and r: to a point, and on by a difference. B: fill. S: stroke. J: line width, dash, join. T:
 * font of a size. t: show. k: kern. */
static const char prolog[] = "%%BeginProlog\n"
                             "50 dict begin\n"
                             "/m{moveto}bind def/r{rlineto}bind def/h{closepath}bind def\n"
                             "/B{gsave setrgbcolor fill grestore}bind def\n"
                             "/S{setrgbcolor stroke}bind def/N{newpath}bind def\n"
                             "/J{setlinejoin 0 setdash setlinewidth}bind def\n"
                             "/T{selectfont}bind def/t{show}bind def/k{0 rmoveto}bind def\n"
                             "/C{setrgbcolor}bind def\n"
                             "%%EndProlog\n";

static void put_space(document *d)
{
    hpf_sink_text(d->sink, " ");
}

/* Rounded to `parts` of 1, in the fewest digits. */
static void put_rounded(hpf_sink *sink, double value, double parts)
{
    hpf_sink_shortest(sink, floor(value * parts + 0.5) / parts);
}

static void put_colour(document *d, hpr_colour colour, const char *operator)
{
    put_rounded(d->sink, colour.red, 1000);
    put_space(d);
    put_rounded(d->sink, colour.green, 1000);
    put_space(d);
    put_rounded(d->sink, colour.blue, 1000);
    hpf_sink_printf(d->sink, " %s\n", operator);
}

/* "x y operator" */
static void put_pair(document *d, int64_t x, int64_t y, char operator)
{
    char text[2 * HPR__STEPS_BYTES + 4];
    size_t n = hpr__steps_print(text, x);
    text[n++] = ' ';
    n += hpr__steps_print(text + n, y);
    text[n++] = ' ';
    text[n++] = operator;
    text[n++] = '\n';
    hpf_sink_write(d->sink, text, n);
}

static void put_path(document *d, const hpr_item *item)
{
    int64_t height = hpr__steps_of(d->height_pt);
    hpr__trace trace = hpr__trace_begin(item);
    hpr__step at = {0, 0};
    for (hpr__step corner; hpr__trace_next(&trace, &corner); at = corner) {
        if (trace.n_corners == 1) {
            put_pair(d, corner.x, height - corner.y, 'm');
        } else {
            put_pair(d, corner.x - at.x, at.y - corner.y, 'r');
        }
    }
}

/* Boxes have sharp corners; mitres on the spikes of a curve would shoot beyond its values. */
static void put_stroke(document *d, const hpr_item *item)
{
    const hpr_paint *stroke = &item->stroke;
    hpr__steps_put(d->sink, hpr__steps_of(stroke->width_pt));
    hpf_sink_text(d->sink, "[");
    if (stroke->dash_pt > 0) {
        hpr__steps_put(d->sink, hpr__steps_of(stroke->dash_pt));
    }
    hpf_sink_text(d->sink, item->n_points > 4 ? "]1 J " : "]0 J ");
    put_colour(d, stroke->colour, "S");
}

static void put_shape(document *d, const hpr_item *item)
{
    put_path(d, item);
    if (item->kind == HPR_ITEM_POLYGON) {
        hpf_sink_text(d->sink, "h ");
        if (item->fill.on) {
            put_colour(d, item->fill.colour, "B");
        }
    }
    if (item->stroke.on) {
        put_stroke(d, item);
    } else {
        hpf_sink_text(d->sink, "N\n");
    }
}

/* Shows glyphs of one PostScript font, with kerning between; returns how many. */
static size_t put_stretch(document *d, const hpr__glyph *glyphs, size_t n, double size_pt)
{
    unsigned first;
    unsigned slot;
    size_t font = hpr__font_uses_find(&d->uses, &glyphs[0], &first);
    hpf_sink_printf(d->sink, "/F%zu_%u ", font, first / SLOTS_A_FONT);
    hpr__steps_put(d->sink, hpr__steps_of(size_pt));
    hpf_sink_text(d->sink, " T<");
    size_t i = 0;
    for (; i < n; i++) {
        if (hpr__font_uses_find(&d->uses, &glyphs[i], &slot) != font ||
            slot / SLOTS_A_FONT != first / SLOTS_A_FONT) {
            break;
        }
        double gap_em = i ? glyphs[i].x_em - glyphs[i - 1].x_em - glyphs[i - 1].advance_em : 0;
        int64_t gap = hpr__steps_of(gap_em * size_pt);
        if (gap) {
            hpf_sink_text(d->sink, ">t ");
            hpr__steps_put(d->sink, gap);
            hpf_sink_text(d->sink, " k<");
        }
        hpf_sink_printf(d->sink, "%02X", slot % SLOTS_A_FONT + 1);
    }
    hpf_sink_text(d->sink, ">t ");
    return i;
}

static void put_text(document *d, const hpr_item *item)
{
    hpr__line line = hpr__fonts_set(d->output->fonts, item->text, item->bold);
    double start_pt = hpr__line_start_pt(item, line.width_em * item->size_pt);
    put_colour(d, item->fill.colour, "C");
    hpf_sink_text(d->sink, "gsave ");
    hpr__steps_put(d->sink, hpr__steps_of(item->at.x_pt));
    put_space(d);
    hpr__steps_put(d->sink, hpr__steps_of(d->height_pt - item->at.y_pt));
    hpf_sink_text(d->sink, " translate ");
    if (item->turn_deg != 0) {
        put_rounded(d->sink, item->turn_deg, 100);
        hpf_sink_text(d->sink, " rotate ");
    }
    put_pair(d, hpr__steps_of(start_pt), 0, 'm');
    for (size_t i = 0; i < line.n_glyphs;) {
        i += put_stretch(d, line.glyphs + i, line.n_glyphs - i, item->size_pt);
    }
    hpf_sink_text(d->sink, "grestore\n");
}

static void put_ground(document *d)
{
    const hpr_colour ground = d->scene->background;
    if (ground.red < 1 || ground.green < 1 || ground.blue < 1) {
        put_colour(d, ground, "C");
        hpf_sink_text(d->sink, "0 0 ");
        hpr__steps_put(d->sink, hpr__steps_of(d->scene->width_pt));
        put_space(d);
        hpr__steps_put(d->sink, hpr__steps_of(d->scene->height_pt));
        hpf_sink_text(d->sink, " rectfill\n");
    }
}

static void put_page_size(document *d, const hpr_paper *paper)
{
    if (!d->is_eps) {
        hpf_sink_text(d->sink, "/setpagedevice where{pop<</PageSize[");
        put_rounded(d->sink, paper->width_pt, 100);
        put_space(d);
        put_rounded(d->sink, paper->height_pt, 100);
        hpf_sink_text(d->sink, "]>>setpagedevice}if\n");
    }
}

static void put_page(document *d, const hpr__page *page, size_t number, const hpr_paper *paper)
{
    hpf_sink_printf(d->sink, "%%%%Page: %zu %zu\n%%%%BeginPageSetup\n", number, number);
    put_page_size(d, paper);
    hpf_sink_text(d->sink, "%%EndPageSetup\ngsave[");
    for (int i = 0; i < 6; i++) {
        put_rounded(d->sink, paper->matrix[i], 1e6);
        put_space(d);
    }
    hpf_sink_text(d->sink, "]concat .01 .01 scale\n");
    put_ground(d);
    for (size_t i = 0; i < page->n_items; i++) {
        const hpr_item *item = &page->items[i];
        if (item->kind == HPR_ITEM_POLYGON || item->kind == HPR_ITEM_LINE) {
            put_shape(d, item);
        } else if (item->kind == HPR_ITEM_TEXT) {
            put_text(d, item);
        }
    }
    hpf_sink_text(d->sink, "grestore showpage\n");
}

static void put_hex(hpf_sink *sink, const unsigned char *bytes, size_t n_bytes)
{
    static const char digits[] = "0123456789ABCDEF";
    char line[73];
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        line[n++] = digits[bytes[i] >> 4];
        line[n++] = digits[bytes[i] & 15];
        if (n == sizeof line - 1 || i + 1 == n_bytes) {
            line[n++] = '\n';
            hpf_sink_write(sink, line, n);
            n = 0;
        }
    }
}

static void put_hex_string(hpf_sink *sink, const unsigned char *bytes, size_t n_bytes)
{
    hpf_sink_text(sink, "<");
    put_hex(sink, bytes, n_bytes);
    hpf_sink_text(sink, "00>\n"); /* each string ends in a byte that does not count */
}

/* The font file as strings, cut where a table or a glyph begins. */
static void put_sfnts(hpf_sink *sink, const hpr__subset *subset)
{
    size_t from = 0;
    size_t to = 0;
    hpf_sink_text(sink, "/sfnts[\n");
    for (size_t i = 0; i <= subset->n_breaks; i++) {
        size_t next = i < subset->n_breaks ? subset->breaks[i] : subset->n_bytes;
        if (next - from > MAX_STRING_BYTES && to > from) {
            put_hex_string(sink, subset->bytes + from, to - from);
            from = to;
        }
        to = next;
    }
    put_hex_string(sink, subset->bytes + from, to - from);
    hpf_sink_text(sink, "]def\n");
}

/* Names by which others find the characters again (Adobe Glyph List Specification, section 2). */
static void put_glyph_name(hpf_sink *sink, const hpr__font_use *use, size_t slot)
{
    uint32_t character = use->characters[slot];
    hpf_sink_printf(sink, character < 0x10000 ? "/uni%04X" : "/u%05X", (unsigned)character);
}

static void put_encoding(hpf_sink *sink, const hpr__font_use *use, size_t part)
{
    hpf_sink_text(sink, "/Encoding 256 array 0 1 255{1 index exch/.notdef put}for\n");
    for (size_t code = 1; code <= SLOTS_A_FONT; code++) {
        size_t slot = part * SLOTS_A_FONT + code - 1;
        if (slot > 0 && slot < use->n_slots) {
            hpf_sink_printf(sink, "dup %zu", code);
            put_glyph_name(sink, use, slot);
            hpf_sink_text(sink, " put\n");
        }
    }
    hpf_sink_text(sink, "def\n");
}

static void put_char_strings(hpf_sink *sink, const hpr__font_use *use)
{
    hpf_sink_printf(sink, "/CharStrings %zu dict dup begin\n/.notdef 0 def\n", use->n_slots);
    for (size_t slot = 1; slot < use->n_slots; slot++) {
        put_glyph_name(sink, use, slot);
        hpf_sink_printf(sink, " %zu def\n", slot);
    }
    hpf_sink_text(sink, "end readonly def\n");
}

static size_t n_parts(const hpr__font_use *use)
{
    return (use->n_slots + SLOTS_A_FONT - 1) / SLOTS_A_FONT;
}

/* The first part has the font file, the others are copies with another encoding. */
static hpf_status put_font(document *d, size_t font, hpf_error *err)
{
    const hpr__font_use *use = &d->uses.fonts[font];
    hpr__subset subset;
    hpf_status status =
        hpr__sfnt_subset(&subset, hpr__face_metrics(use->face), use->glyphs, use->n_slots, err);
    if (status != HPF_OK) {
        return status;
    }
    hpf_sink_printf(d->sink,
                    "%%%%BeginResource: font F%zu_0\n12 dict begin\n/FontName/F%zu_0 def\n"
                    "/FontType 42 def/PaintType 0 def\n/FontMatrix[1 0 0 1 0 0]def"
                    "/FontBBox[0 0 0 0]def\n",
                    font, font);
    put_encoding(d->sink, use, 0);
    put_char_strings(d->sink, use);
    put_sfnts(d->sink, &subset);
    hpf_sink_text(d->sink, "FontName currentdict end definefont pop\n%%EndResource\n");
    for (size_t part = 1; part < n_parts(use); part++) {
        hpf_sink_printf(d->sink,
                        "/F%zu_%zu/F%zu_0 findfont dup length dict copy dup begin\n"
                        "currentdict/FID undef\n",
                        font, part, font);
        put_encoding(d->sink, use, part);
        hpf_sink_text(d->sink, "end definefont pop\n");
    }
    hpr__subset_finish(&subset);
    return HPF_OK;
}

static void put_header(document *d, const hpr_paper *paper, size_t n_pages)
{
    hpf_sink_text(d->sink, d->is_eps ? "%!PS-Adobe-3.0 EPSF-3.0\n" : "%!PS-Adobe-3.0\n");
    hpr__ps_comments(d->sink, d->scene, d->is_eps ? paper : NULL);
    hpf_sink_printf(d->sink,
                    "%%%%Pages: %zu\n%%%%DocumentData: Clean7Bit\n%%%%LanguageLevel: 2\n"
                    "%%%%EndComments\n",
                    n_pages);
    hpf_sink_text(d->sink, prolog);
}

/* The page to show next: any, or only the last of an EPS. */
static bool next_page(const document *d, size_t *at, hpr__page *page, hpr_paper *paper)
{
    while (hpr__scene_next_page(d->scene, at, page)) {
        if (!d->is_eps || *at == d->scene->n_items) {
            *paper = hpr__scene_paper(d->scene, page, d->is_eps);
            return true;
        }
    }
    return false;
}

static hpf_status put_document(document *d, hpf_error *err)
{
    hpr__page page;
    hpr_paper paper = {0};
    size_t at = 0;
    next_page(d, &at, &page, &paper);
    put_header(d, &paper, d->is_eps ? 1 : hpr__scene_n_pages(d->scene));
    hpf_sink_text(d->sink, "%%BeginSetup\n");
    for (size_t i = 0; i < d->uses.n_fonts; i++) {
        hpf_status status = put_font(d, i, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    hpf_sink_text(d->sink, "%%EndSetup\n");
    at = 0;
    for (size_t number = 1; next_page(d, &at, &page, &paper); number++) {
        put_page(d, &page, number, &paper);
    }
    hpf_sink_text(d->sink, "%%Trailer\nend\n%%EOF\n");
    return hpf_sink_flush(d->sink, err);
}

static hpf_status write_postscript(const hpr_scene *scene, const hpr_output *output, bool is_eps,
                                   hpf_sink *sink, hpf_error *err)
{
    document d = {.scene = scene,
                  .output = output,
                  .sink = sink,
                  .is_eps = is_eps,
                  .height_pt = scene->height_pt};
    hpf_status status = hpr__font_uses_collect(&d.uses, scene, output->fonts, err);
    if (status != HPF_OK) {
        return status;
    }
    status = d.uses.is_plain ? put_document(&d, err)
                             : hpr__cairo_postscript(scene, output, is_eps, sink, err);
    hpr__font_uses_finish(&d.uses);
    return status;
}

static hpf_status write_ps(const hpr_chart *chart, const hpr_scene *scene, const hpr_output *output,
                           hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    return write_postscript(scene, output, scene->is_encapsulated, sink, err);
}

static hpf_status write_eps(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    return write_postscript(scene, output, true, sink, err);
}

const hpr_backend hpr__backend_ps = {
    .name = "ps",
    .extension = "ps",
    .summary = "PostScript",
    .is_graphical = true,
    .write = write_ps,
};

const hpr_backend hpr__backend_eps = {
    .name = "eps",
    .extension = "eps",
    .summary = "Encapsulated PostScript",
    .is_graphical = true,
    .write = write_eps,
};
