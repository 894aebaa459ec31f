/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each sample adds a number to the bands that it contains. Bands get zeros for the samples in
 * between with their next number, or at the end: so the work is proportional to the costs in the
 * samples.
 */
#include "html/html_columns.h"

#include <math.h>
#include <stdlib.h>

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
