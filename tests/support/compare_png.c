/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares two pictures: compare_png A.png B.png MOST_DIFFERENCE MOST_PER_MILLE
 *
 * Letters of another rasteriser, or of another release of a font, differ along their edges: a pixel
 * only counts when it is further than MOST_DIFFERENCE (0..255, any channel) from every pixel in the
 * 3 x 3 neighbourhood of its place in the other picture, and vice versa. Fails when more than
 * MOST_PER_MILLE of the pixels count, or when the sizes differ.
 */
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 3 };

typedef struct picture {
    png_image image;
    unsigned char *pixels;
} picture;

static bool read_picture(picture *out, const char *path)
{
    memset(out, 0, sizeof *out);
    out->image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&out->image, path)) {
        fprintf(stderr, "%s: %s\n", path, out->image.message);
        return false;
    }
    const png_color white = {255, 255, 255};
    out->image.format = PNG_FORMAT_RGB;
    out->pixels = malloc(PNG_IMAGE_SIZE(out->image));
    if (!out->pixels || !png_image_finish_read(&out->image, &white, out->pixels, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, out->pixels ? out->image.message : "out of memory");
        free(out->pixels);
        return false;
    }
    return true;
}

static const unsigned char *pixel_at(const picture *p, long x, long y)
{
    return p->pixels + CHANNELS * (y * (long)p->image.width + x);
}

static bool is_near(const unsigned char *a, const unsigned char *b, int most)
{
    for (int i = 0; i < CHANNELS; i++) {
        if (abs(a[i] - b[i]) > most) {
            return false;
        }
    }
    return true;
}

/* Whether a pixel of `in` around (x, y) is near `wanted`. */
static bool is_around(const picture *in, long x, long y, const unsigned char *wanted, int most)
{
    for (long v = y - 1; v <= y + 1; v++) {
        for (long u = x - 1; u <= x + 1; u++) {
            if (u >= 0 && v >= 0 && u < (long)in->image.width && v < (long)in->image.height &&
                is_near(pixel_at(in, u, v), wanted, most)) {
                return true;
            }
        }
    }
    return false;
}

static long count_different(const picture *a, const picture *b, int most)
{
    long n = 0;
    for (long y = 0; y < (long)a->image.height; y++) {
        for (long x = 0; x < (long)a->image.width; x++) {
            n += !is_around(b, x, y, pixel_at(a, x, y), most) ||
                 !is_around(a, x, y, pixel_at(b, x, y), most);
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    picture a, b;
    if (argc != 5 || !read_picture(&a, argv[1])) {
        return 2;
    }
    if (!read_picture(&b, argv[2])) {
        free(a.pixels);
        return 2;
    }
    int status = 1;
    if (a.image.width != b.image.width || a.image.height != b.image.height) {
        fprintf(stderr, "%u x %u, expected %u x %u\n", (unsigned)a.image.width,
                (unsigned)a.image.height, (unsigned)b.image.width, (unsigned)b.image.height);
    } else {
        long n_pixels = (long)a.image.width * (long)a.image.height;
        long n_different = count_different(&a, &b, atoi(argv[3]));
        status = (double)n_different > atof(argv[4]) * (double)n_pixels / 1000;
        fprintf(status ? stderr : stdout, "%ld of %ld pixels differ\n", n_different, n_pixels);
    }
    free(a.pixels);
    free(b.pixels);
    return status;
}
