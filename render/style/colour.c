/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Colour spaces, differences, simulated vision and contrast. See colour.h for sources.
 */
#include "style/colour.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* Rows of Machado et al., table 1, severity 1.0. */
static const double vision_matrices[HPR__N_VISIONS][3][3] = {
    [HPR__VISION_NORMAL] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [HPR__VISION_PROTAN] = {{0.152286, 1.052583, -0.204868},
                            {0.114503, 0.786281, 0.099216},
                            {-0.003882, -0.048116, 1.051998}},
    [HPR__VISION_DEUTAN] = {{0.367322, 0.860646, -0.227968},
                            {0.280085, 0.672501, 0.047413},
                            {-0.011820, 0.042940, 0.968881}},
    [HPR__VISION_TRITAN] = {{1.255528, -0.076749, -0.178779},
                            {-0.078411, 0.930809, 0.147602},
                            {0.004733, 0.691367, 0.303900}},
};

static double linear_of(double part)
{
    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static double part_of(double linear)
{
    double clipped = fmin(fmax(linear, 0), 1);
    return clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055;
}

hpr_colour hpr__colour_hex(uint32_t hex)
{
    return (hpr_colour){(double)(hex >> 16 & 0xff) / 255, (double)(hex >> 8 & 0xff) / 255,
                        (double)(hex & 0xff) / 255};
}

uint32_t hpr__colour_byte(double part)
{
    return (uint32_t)floor(fmin(fmax(part, 0), 1) * 255 + 0.5);
}

const char *hpr__colour_text(char out[HPR__COLOUR_TEXT_BYTES], hpr_colour colour)
{
    snprintf(out, HPR__COLOUR_TEXT_BYTES, "#%02x%02x%02x", hpr__colour_byte(colour.red) & 0xff,
             hpr__colour_byte(colour.green) & 0xff, hpr__colour_byte(colour.blue) & 0xff);
    return out;
}

hpr_colour hpr__colour_mix(hpr_colour a, hpr_colour b, double share)
{
    double rest = 1 - share;
    return (hpr_colour){share * a.red + rest * b.red, share * a.green + rest * b.green,
                        share * a.blue + rest * b.blue};
}

static double lab_curve(double t)
{
    const double knee = 6.0 / 29;
    return t > knee * knee * knee ? cbrt(t) : t / (3 * knee * knee) + 4.0 / 29;
}

hpr__lab hpr__lab_of(hpr_colour colour)
{
    double r = linear_of(colour.red);
    double g = linear_of(colour.green);
    double b = linear_of(colour.blue);
    double x = lab_curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    double y = lab_curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    double z = lab_curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    return (hpr__lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/* The C' and h' of CIEDE2000. */
typedef struct polar {
    double chroma, hue_deg;
} polar;

static polar polar_of(double a, double b)
{
    double hue = a == 0 && b == 0 ? 0 : atan2(b, a) * 180 / pi;
    return (polar){hypot(a, b), hue < 0 ? hue + 360 : hue};
}

static double cos_deg(double degrees)
{
    return cos(degrees * pi / 180);
}

static double seventh_power_share(double chroma)
{
    double power = pow(chroma, 7);
    return sqrt(power / (power + 6103515625.0)); /* 25^7 */
}

static double mean_hue(polar p, polar q)
{
    double sum = p.hue_deg + q.hue_deg;
    if (p.chroma * q.chroma == 0) {
        return sum;
    }
    if (fabs(p.hue_deg - q.hue_deg) <= 180) {
        return sum / 2;
    }
    return sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2;
}

double hpr__lab_difference(hpr__lab x, hpr__lab y)
{
    double mean = (hypot(x.a, x.b) + hypot(y.a, y.b)) / 2;
    double stretch = 1 + (1 - seventh_power_share(mean)) / 2;
    polar p = polar_of(stretch * x.a, x.b);
    polar q = polar_of(stretch * y.a, y.b);
    double chroma_product = p.chroma * q.chroma;
    double step = chroma_product == 0 ? 0 : q.hue_deg - p.hue_deg;
    step = step > 180 ? step - 360 : step < -180 ? step + 360 : step;
    double d_lightness = y.lightness - x.lightness;
    double d_chroma = q.chroma - p.chroma;
    double d_hue = 2 * sqrt(chroma_product) * sin(step / 2 * pi / 180);

    double lightness = (x.lightness + y.lightness) / 2 - 50;
    double chroma = (p.chroma + q.chroma) / 2;
    double hue = mean_hue(p, q);
    double t = 1 - 0.17 * cos_deg(hue - 30) + 0.24 * cos_deg(2 * hue) +
               0.32 * cos_deg(3 * hue + 6) - 0.20 * cos_deg(4 * hue - 63);
    double turn = (hue - 275) / 25;
    double rotation = -sin(60 * exp(-turn * turn) * pi / 180) * 2 * seventh_power_share(chroma);
    double l_part =
        d_lightness / (1 + 0.015 * lightness * lightness / sqrt(20 + lightness * lightness));
    double c_part = d_chroma / (1 + 0.045 * chroma);
    double h_part = d_hue / (1 + 0.015 * chroma * t);
    return sqrt(l_part * l_part + c_part * c_part + h_part * h_part + rotation * c_part * h_part);
}

hpr_colour hpr__colour_seen(hpr_colour colour, hpr__vision vision)
{
    if (vision == HPR__VISION_NORMAL) {
        return colour;
    }
    double linear[3] = {linear_of(colour.red), linear_of(colour.green), linear_of(colour.blue)};
    double seen[3];
    for (int row = 0; row < 3; row++) {
        const double *m = vision_matrices[vision][row];
        seen[row] = part_of(m[0] * linear[0] + m[1] * linear[1] + m[2] * linear[2]);
    }
    return (hpr_colour){seen[0], seen[1], seen[2]};
}

hpr__appearance hpr__appearance_of(hpr_colour colour)
{
    hpr__appearance appearance;
    for (int vision = 0; vision < HPR__N_VISIONS; vision++) {
        appearance.lab[vision] = hpr__lab_of(hpr__colour_seen(colour, (hpr__vision)vision));
    }
    return appearance;
}

bool hpr__appearance_distinct(const hpr__appearance *x, const hpr__appearance *y)
{
    if (fabs(x->lab[0].lightness - y->lab[0].lightness) < HPR__MIN_LIGHTNESS_STEP) {
        return false;
    }
    for (int vision = 0; vision < HPR__N_VISIONS; vision++) {
        if (hpr__lab_difference(x->lab[vision], y->lab[vision]) < HPR__MIN_DIFFERENCE) {
            return false;
        }
    }
    return true;
}

static double luminance_of(hpr_colour colour)
{
    return 0.2126 * linear_of(colour.red) + 0.7152 * linear_of(colour.green) +
           0.0722 * linear_of(colour.blue);
}

double hpr__colour_contrast(hpr_colour x, hpr_colour y)
{
    double a = luminance_of(x) + 0.05;
    double b = luminance_of(y) + 0.05;
    return a > b ? a / b : b / a;
}

hpr_colour hpr__colour_text_on(hpr_colour ground)
{
    const hpr_colour black = {0, 0, 0};
    const hpr_colour white = {1, 1, 1};
    return hpr__colour_contrast(ground, black) >= hpr__colour_contrast(ground, white) ? black
                                                                                      : white;
}
