/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Differences and runs of them, in variable-length numbers of seven bits a byte.
 */
#include "html/html_pack.h"
#include "hpfile/survey.h"

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

/* Each sample adds a number to the bands that it contains. Bands get zeros for the samples in
 * between with their next number, or at the end: so the work is proportional to the costs in the
 * samples. */

/* A pass over the samples. */
typedef struct pass {
    hpr__columns *columns;
    const hpf_overview *overview;
    const uint32_t *band_of_name;
    double *amounts;     /* by band: in this sample */
    uint32_t *touched;   /* bands that are in this sample */
    bool *is_touched;    /* by band */
    uint64_t n_seen;     /* samples */
    size_t n_drawn_seen; /* of them */
    size_t n_bytes;      /* of the bands that are left */
} pass;

static void drop_last(pass *p)
{
    hpr__columns *c = p->columns;
    hpr__packer *last = &c->packers[--c->n];
    p->n_bytes -= last->packed.length + c->costs[c->n];
    hpf__buffer_finish(&last->packed);
}

/* Adds up the amounts of each band: a sample may contain a name several times, and a band several
 * names. Returns the number of bands in the sample. */
static uint32_t add_up(pass *p, const hpf_sample *sample)
{
    uint32_t n = 0;
    for (size_t i = 0; i < sample->n_costs; i++) {
        uint32_t band = p->band_of_name[sample->costs[i].name];
        if (band < p->columns->n) {
            if (!p->is_touched[band]) {
                p->is_touched[band] = true;
                p->touched[n++] = band;
                p->amounts[band] = 0;
            }
            p->amounts[band] += hpf_cost_amount(&sample->costs[i]);
        }
    }
    return n;
}

static hpf_status put(pass *p, uint32_t band, hpf_error *err)
{
    double amount = p->amounts[band];
    hpr__packer *packer = &p->columns->packers[band];
    size_t n_before = packer->packed.length;
    if (amount != nearbyint(amount) || !(fabs(amount) < HPR__PACK_MOST_WHOLE)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "an amount is not a whole number");
    }
    if (!hpr__packer_fill(packer, p->n_drawn_seen) || !hpr__packer_put(packer, (int64_t)amount)) {
        return hpf_error_set_memory(err);
    }
    p->n_bytes += packer->packed.length - n_before;
    return HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    pass *p = context;
    const hpf_overview *o = p->overview;
    bool is_drawn =
        p->n_drawn_seen < o->n_drawn && o->drawn[p->n_drawn_seen].sample_index == p->n_seen;
    hpf_status status = HPF_OK;
    p->n_seen++;
    if (!is_drawn) {
        return HPF_OK;
    }
    uint32_t n = add_up(p, sample);
    for (uint32_t i = 0; i < n; i++) {
        p->is_touched[p->touched[i]] = false;
        status = status ? status : put(p, p->touched[i], err);
    }
    p->n_drawn_seen++;
    while (!status && p->n_bytes > p->columns->most_bytes && p->columns->n > 0) {
        drop_last(p);
    }
    return status;
}

/* Adds the zeros at the end of each series, and checks the budget again. */
static hpf_status end_all(pass *p, hpf_error *err)
{
    hpr__columns *c = p->columns;
    if (p->n_drawn_seen < p->overview->n_drawn) {
        return hpf_error_set(err, HPF_ERR_IO, "the input changed while it was read");
    }
    for (uint32_t i = 0; i < c->n; i++) {
        hpf__buffer *packed = &c->packers[i].packed;
        size_t n_before = packed->length;
        if (!hpr__packer_fill(&c->packers[i], p->n_drawn_seen) ||
            !hpr__packer_finish(&c->packers[i])) {
            return hpf_error_set_memory(err);
        }
        p->n_bytes += packed->length - n_before;
    }
    while (p->n_bytes > c->most_bytes && c->n > 0) {
        drop_last(p);
    }
    return HPF_OK;
}

hpf_status hpr__columns_pack(hpr__columns *columns, hpf_survey *survey,
                             const uint32_t *band_of_name, hpf_error *err)
{
    size_t n = columns->n ? columns->n : 1;
    pass p = {.columns = columns,
              .overview = hpf_survey_overview(survey),
              .band_of_name = band_of_name,
              .amounts = calloc(n, sizeof *p.amounts),
              .touched = calloc(n, sizeof *p.touched),
              .is_touched = calloc(n, sizeof *p.is_touched)};
    columns->packers = calloc(n, sizeof *columns->packers);
    bool has_memory = p.amounts && p.touched && p.is_touched && columns->packers;
    static const hpf_events events = {.sample = on_sample};
    for (uint32_t i = 0; i < columns->n; i++) {
        p.n_bytes += columns->costs[i];
    }
    hpf_status status =
        has_memory ? hpf_survey_emit(survey, false, &events, &p, err) : hpf_error_set_memory(err);
    status = status ? status : end_all(&p, err);
    free(p.amounts);
    free(p.touched);
    free(p.is_touched);
    return status;
}

void hpr__columns_finish(hpr__columns *columns)
{
    for (uint32_t i = 0; columns->packers && i < columns->n; i++) {
        hpf__buffer_finish(&columns->packers[i].packed);
    }
    free(columns->packers);
    columns->packers = NULL;
}
