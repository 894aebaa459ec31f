/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How different two colours look, to whom.
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

/* One colour through all eyes. */
typedef struct hpr__appearance {
    hpr__lab lab[HPR__N_VISIONS];
} hpr__appearance;

/* What bands that touch must differ by: in lightness, for grey prints, and in CIEDE2000 to every
 * kind of eye. */
#define HPR__MIN_LIGHTNESS_STEP 20.0
#define HPR__MIN_DIFFERENCE     15.0

/* 0xrrggbb. */
hpr_colour hpr__colour_hex(uint32_t hex);
/* A part of a colour, 0..1, as 0..255. */
uint32_t hpr__colour_byte(double part);
/* `share` of `a` and the rest of `b`, mixed as the numbers are. */
hpr_colour hpr__colour_mix(hpr_colour a, hpr_colour b, double share);

hpr__lab hpr__lab_of(hpr_colour colour);
double hpr__lab_difference(hpr__lab x, hpr__lab y);
hpr_colour hpr__colour_seen(hpr_colour colour, hpr__vision vision);

hpr__appearance hpr__appearance_of(hpr_colour colour);
/* Whether both minima above are kept. */
bool hpr__appearance_distinct(const hpr__appearance *x, const hpr__appearance *y);

/* 1..21. */
double hpr__colour_contrast(hpr_colour x, hpr_colour y);
/* Black or white, whichever reads better on `ground`: always 4.5 or more. */
hpr_colour hpr__colour_ink_on(hpr_colour ground);

#endif
