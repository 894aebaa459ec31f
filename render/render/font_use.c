/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One table from glyph to slot for each font.
 */
#include "font_use.h"

#include <stdlib.h>

#include "sfnt_subset.h"

static bool grow(hpr__font_use *use)
{
    size_t capacity = use->capacity ? use->capacity * 2 : 128;
    uint32_t *glyphs = realloc(use->glyphs, capacity * sizeof *glyphs);
    use->glyphs = glyphs ? glyphs : use->glyphs;
    uint32_t *characters = glyphs ? realloc(use->characters, capacity * sizeof *characters) : NULL;
    use->characters = characters ? characters : use->characters;
    use->capacity = characters ? capacity : use->capacity;
    return characters != NULL;
}

static bool add_slot(hpr__font_use *use, uint32_t glyph, uint32_t character)
{
    if (use->n_slots == use->capacity && !grow(use)) {
        return false;
    }
    use->slot_of_glyph[glyph] = (uint16_t)use->n_slots;
    use->glyphs[use->n_slots] = glyph;
    use->characters[use->n_slots] = character;
    use->n_slots++;
    return true;
}

static size_t find_font(const hpr__font_uses *uses, const hpr__face *face)
{
    size_t i = 0;
    while (i < uses->n_fonts && uses->fonts[i].face != face) {
        i++;
    }
    return i;
}

static bool add_font(hpr__font_uses *uses, hpr__face *face)
{
    hpr__font_use *use = &uses->fonts[uses->n_fonts++];
    size_t n_glyphs = (size_t)hpr__face_metrics(face)->num_glyphs;
    use->face = face;
    use->slot_of_glyph = calloc(n_glyphs ? n_glyphs : 1, sizeof *use->slot_of_glyph);
    return use->slot_of_glyph && add_slot(use, 0, 0xFFFD);
}

/* Adds the glyphs of a line; false when there is no memory. */
static bool add_line(hpr__font_uses *uses, const hpr__line *line)
{
    for (size_t i = 0; i < line->n_glyphs; i++) {
        const hpr__glyph *g = &line->glyphs[i];
        size_t font = find_font(uses, g->face);
        if (font == uses->n_fonts) {
            uses->is_plain = uses->is_plain && hpr__sfnt_may_cut(hpr__face_metrics(g->face));
            if (!add_font(uses, g->face)) {
                return false;
            }
        }
        hpr__font_use *use = &uses->fonts[font];
        if (g->index && !use->slot_of_glyph[g->index] && !add_slot(use, g->index, g->character)) {
            return false;
        }
    }
    return true;
}

static hpf_status add_text(hpr__font_uses *uses, hpr_fonts *fonts, const hpr_item *item,
                           hpf_error *err)
{
    hpf_status status = hpr__fonts_check(fonts, item->bold, err);
    if (status != HPF_OK) {
        return status;
    }
    hpr__line line = hpr__fonts_set(fonts, item->text, item->bold);
    uses->is_plain = uses->is_plain && line.is_plain;
    if (!add_line(uses, &line)) {
        return hpf_error_set_memory(err);
    }
    return hpr__fonts_check(fonts, item->bold, err);
}

hpf_status hpr__font_uses_collect(hpr__font_uses *out, const hpr_scene *scene, hpr_fonts *fonts,
                                  hpf_error *err)
{
    *out = (hpr__font_uses){.is_plain = true};
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < scene->n_items && status == HPF_OK && out->is_plain; i++) {
        if (scene->items[i].kind == HPR_ITEM_TEXT) {
            status = add_text(out, fonts, &scene->items[i], err);
        }
    }
    if (status != HPF_OK) {
        hpr__font_uses_finish(out);
    }
    return status;
}

void hpr__font_uses_finish(hpr__font_uses *uses)
{
    for (size_t i = 0; i < uses->n_fonts; i++) {
        free(uses->fonts[i].slot_of_glyph);
        free(uses->fonts[i].glyphs);
        free(uses->fonts[i].characters);
    }
    *uses = (hpr__font_uses){0};
}

size_t hpr__font_uses_find(const hpr__font_uses *uses, const hpr__glyph *glyph, unsigned *slot)
{
    size_t font = find_font(uses, glyph->face);
    *slot = uses->fonts[font].slot_of_glyph[glyph->index];
    return font;
}
