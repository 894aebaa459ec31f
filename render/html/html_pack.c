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

static bool put_byte(hpf__buffer *out, unsigned byte)
{
    return HPF__ARRAY_PUSH(out->bytes, out->length, out->capacity, (char)byte);
}

static bool put_number(hpf__buffer *out, uint64_t number)
{
    bool is_good = true;
    for (; number >= 0x80; number >>= 7) {
        is_good = is_good && put_byte(out, (unsigned)(number & 0x7f) | 0x80);
    }
    return is_good && put_byte(out, (unsigned)number);
}

/* Writes the pending repetitions of the last difference: an odd number. */
static bool end_run(hpr__packer *p)
{
    bool is_good = p->n_times == 0 || put_number(&p->packed, (uint64_t)(p->n_times - 1) << 1 | 1);
    p->n_times = 0;
    return is_good;
}

bool hpr__packer_put(hpr__packer *p, int64_t number)
{
    bool is_good = p->packed.length > 0 || put_byte(&p->packed, 0);
    if (number - p->before == p->step) {
        p->n_times++;
    } else {
        is_good = is_good && end_run(p);
        p->step = number - p->before;
        /* Even: a difference, its sign in the next bit. */
        uint64_t zigzag = (uint64_t)p->step << 1 ^ (uint64_t)(p->step >> 63);
        is_good = is_good && put_number(&p->packed, zigzag << 1);
    }
    p->before = number;
    p->n++;
    return is_good;
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
    return p->packed.length == 0 ? put_byte(&p->packed, 0) : end_run(p);
}

static bool pack_whole(hpf__buffer *out, const double *numbers, size_t n, double scale)
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

/* Appends doubles, their lowest bytes first. */
static bool pack_doubles(hpf__buffer *out, const double *numbers, size_t n)
{
    bool is_good = hpf__buffer_reserve(out, n * sizeof *numbers);
    for (size_t i = 0; i < n && is_good; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int shift = 0; shift < 64; shift += 8) {
            out->bytes[out->length++] = (char)(bits >> shift & 0xff);
        }
    }
    return is_good;
}

bool hpr__pack(hpf__buffer *out, const double *numbers, size_t n)
{
    double scale = 1;
    int decimals = find_decimals(numbers, n, &scale);
    out->length = 0;
    if (!put_byte(out, decimals < 0 ? RAW_DOUBLES : (unsigned)decimals)) {
        return false;
    }
    return decimals < 0 ? pack_doubles(out, numbers, n) : pack_whole(out, numbers, n, scale);
}

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

bool hpr__packed_json(hpf_json *json, const char *key, const hpf__buffer *packed)
{
    char *text = malloc((packed->length + 2) / 3 * 4 + 1);
    if (text) {
        size_t length = put_base64(text, (const unsigned char *)packed->bytes, packed->length);
        hpf_json_str(json, key, (hpf_str){text, length});
    }
    free(text);
    return text != NULL;
}
