/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How different two colours look, also to colour-blind readers.
 *
 * sRGB (IEC 61966-2-1) to CIE L*a*b* under D65; differences by CIEDE2000 (Sharma, Wu, Dalal 2005);
 * colour-blind vision by the matrices of Machado, Oliveira, Fernandes 2009 at severity 1, applied
 * to linear light; contrast as in WCAG 2.
 */
#ifndef HPR_COLOUR_H
#define HPR_COLOUR_H

#include "hprender/chart.h"

typedef struct hpr__lab {
    double lightness, a, b; /* L* 0..100 */
} hpr__lab;

typedef enum hpr__vision {
    HPR__VISION_NORMAL,
    HPR__VISION_PROTAN,
    HPR__VISION_DEUTAN,
    HPR__VISION_TRITAN,
    HPR__N_VISIONS
} hpr__vision;

/* A colour as seen with each kind of vision. */
typedef struct hpr__appearance {
    hpr__lab lab[HPR__N_VISIONS];
} hpr__appearance;

/* Least differences of adjacent bands: in lightness, for grey prints, and in CIEDE2000 for every
 * kind of vision. */
#define HPR__MIN_LIGHTNESS_STEP 20.0
#define HPR__MIN_DIFFERENCE     15.0

enum { HPR__COLOUR_TEXT_BYTES = 8 };

/* Returns the colour 0xrrggbb. */
hpr_colour hpr__colour_hex(uint32_t hex);
/* Converts a component of a colour from 0..1 to 0..255. */
uint32_t hpr__colour_byte(double part);
/* Writes "#rrggbb" to `out`, and returns it. */
const char *hpr__colour_text(char out[HPR__COLOUR_TEXT_BYTES], hpr_colour colour);
/* Returns share * a + (1 - share) * b, by sRGB component. */
hpr_colour hpr__colour_mix(hpr_colour a, hpr_colour b, double share);

hpr__lab hpr__lab_of(hpr_colour colour);

/* Returns the CIEDE2000 difference. */
double hpr__lab_difference(hpr__lab x, hpr__lab y);

/* Returns how a colour looks with a kind of vision. */
hpr_colour hpr__colour_seen(hpr_colour colour, hpr__vision vision);

hpr__appearance hpr__appearance_of(hpr_colour colour);
/* Returns whether both least differences are kept. */
bool hpr__appearance_distinct(const hpr__appearance *x, const hpr__appearance *y);

/* Returns the contrast of WCAG 2, 1..21. */
double hpr__colour_contrast(hpr_colour x, hpr_colour y);
/* Returns black or white, whichever has more contrast with `ground`: always 4.5 or more. */
hpr_colour hpr__colour_text_on(hpr_colour ground);

#endif
