/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Differences and runs of them, in variable-length numbers of seven bits a byte.
 */
#include "html/html_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first byte: the number of decimals, or RAW_DOUBLES. */
enum { MOST_DECIMALS = 9, RAW_DOUBLES = 255 };

enum { MOST_NUMBER_BYTES = 10 };

static bool make_room(hpr__packed *out, size_t n_more)
{
    if (out->capacity - out->n_bytes >= n_more) {
        return true;
    }
    size_t capacity = 2 * out->capacity + n_more;
    unsigned char *bytes = realloc(out->bytes, capacity);
    if (bytes) {
        out->bytes = bytes;
        out->capacity = capacity;
    }
    return bytes != NULL;
}

void hpr__packed_finish(hpr__packed *packed)
{
    free(packed->bytes);
    *packed = (hpr__packed){NULL, 0, 0};
}

/* --- scaling -------------------------------------------------------------------------------- */

static bool have_decimals(const double *numbers, size_t n, double scale)
{
    for (size_t i = 0; i < n; i++) {
        double whole = nearbyint(numbers[i] * scale);
        if (!(fabs(whole) < HPR__PACK_MOST_WHOLE) || whole / scale != numbers[i]) {
            return false;
        }
    }
    return true;
}

/* Returns the smallest number of decimals that represents all numbers exactly, or -1, and sets
 * `*scale` to 10 to its power. */
static int find_decimals(const double *numbers, size_t n, double *scale)
{
    *scale = 1;
    for (int decimals = 0; decimals <= MOST_DECIMALS; decimals++, *scale *= 10) {
        if (have_decimals(numbers, n, *scale)) {
            return decimals;
        }
    }
    return -1;
}

/* --- writing -------------------------------------------------------------------------------- */

static void put_number(hpr__packed *out, uint64_t number)
{
    while (number >= 0x80) {
        out->bytes[out->n_bytes++] = (unsigned char)(number | 0x80);
        number >>= 7;
    }
    out->bytes[out->n_bytes++] = (unsigned char)number;
}

static bool put_kind(hpr__packed *out, int kind)
{
    if (!make_room(out, 1)) {
        return false;
    }
    out->bytes[out->n_bytes++] = (unsigned char)kind;
    return true;
}

static bool end_run(hpr__packer *p)
{
    if (!make_room(&p->packed, 2 * MOST_NUMBER_BYTES)) {
        return false;
    }
    if (p->n_times > 0) { /* odd: repetitions of the last difference */
        put_number(&p->packed, (uint64_t)(p->n_times - 1) << 1 | 1);
    }
    p->n_times = 0;
    return true;
}

bool hpr__packer_put(hpr__packer *p, int64_t number)
{
    bool is_again = number - p->before == p->step;
    if (p->packed.n_bytes == 0 && !put_kind(&p->packed, 0)) {
        return false;
    }
    if (is_again) {
        p->n_times++;
    } else if (end_run(p)) {
        p->step = number - p->before;
        /* Even: a difference, its sign in the next bit. */
        put_number(&p->packed, ((uint64_t)p->step << 1 ^ (uint64_t)(p->step >> 63)) << 1);
    } else {
        return false;
    }
    p->before = number;
    p->n++;
    return true;
}

bool hpr__packer_fill(hpr__packer *p, size_t n)
{
    while (p->n < n && (p->n == 0 || p->before != 0 || p->step != 0)) {
        if (!hpr__packer_put(p, 0)) {
            return false;
        }
    }
    p->n_times += n - p->n;
    p->n = n;
    return true;
}

bool hpr__packer_finish(hpr__packer *p)
{
    return p->packed.n_bytes == 0 ? put_kind(&p->packed, 0) : end_run(p);
}

static bool pack_whole(hpr__packed *out, const double *numbers, size_t n, double scale)
{
    hpr__packer packer = {.packed = *out};
    bool is_good = true;
    for (size_t i = 0; i < n && is_good; i++) {
        is_good = hpr__packer_put(&packer, (int64_t)nearbyint(numbers[i] * scale));
    }
    is_good = is_good && hpr__packer_finish(&packer);
    *out = packer.packed;
    return is_good;
}

static bool pack_doubles(hpr__packed *out, const double *numbers, size_t n)
{
    if (!make_room(out, n * sizeof *numbers)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int shift = 0; shift < 64; shift += 8) {
            out->bytes[out->n_bytes++] = (unsigned char)(bits >> shift);
        }
    }
    return true;
}

bool hpr__pack(hpr__packed *out, const double *numbers, size_t n)
{
    double scale = 1;
    int decimals = find_decimals(numbers, n, &scale);
    out->n_bytes = 0;
    if (!put_kind(out, decimals < 0 ? RAW_DOUBLES : decimals)) {
        return false;
    }
    return decimals < 0 ? pack_doubles(out, numbers, n) : pack_whole(out, numbers, n, scale);
}

/* --- base64 --------------------------------------------------------------------------------- */

static size_t put_base64(char *out, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (i + 2 < n ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) {
            out[length++] = i + k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
        }
    }
    return length;
}

bool hpr__packed_json(hpf_json *json, const char *key, const hpr__packed *packed)
{
    char *text = malloc((packed->n_bytes + 2) / 3 * 4 + 1);
    if (text) {
        hpf_json_str(json, key, (hpf_str){text, put_base64(text, packed->bytes, packed->n_bytes)});
    }
    free(text);
    return text != NULL;
}
