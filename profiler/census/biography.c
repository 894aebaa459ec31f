/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words, counts of the current era, differences, histories, and the sums over all eras.
 */
#include "biography.h"

#include "base/array.h"
#include "traverse.h"

/* ---- Words ---- */

static uint64_t *place_of_word(hpp__biography *b, hpp_ref ref, uint64_t *in_header)
{
    return in_header ? in_header : hpp__map_add(&b->lives, ref);
}

void hpp__biography_created(hpp__biography *b, hpp_ref ref, uint64_t *life_word)
{
    uint64_t *word = place_of_word(b, ref, life_word);
    if (word) {
        hpp_life_create(word, b->era);
    } else {
        b->n_lost++;
    }
}

/* Without a word there was no memory for one, or the object is older than the profile: then the
 * use makes it known. */
void hpp__biography_used(hpp__biography *b, hpp_ref ref, uint64_t *life_word)
{
    uint64_t *word = place_of_word(b, ref, life_word);
    if (word) {
        hpp_life_use(word, b->era);
    } else {
        b->n_lost++;
    }
}

/* ---- Histories ---- */

static void free_stays(hpp__biography *b, uint32_t stay)
{
    while (stay != 0) {
        uint32_t before = b->stays[stay - 1].before;
        b->stays[stay - 1].before = b->free_stay;
        b->free_stay = stay;
        stay = before;
    }
}

/* Returns the index + 1 of a new stay, or 0. */
static uint32_t new_stay(hpp__biography *b, hpp__stay stay)
{
    uint32_t index = b->free_stay;
    if (index != 0) {
        b->free_stay = b->stays[index - 1].before;
    } else if (b->n_stays < UINT32_MAX - 1 &&
               HPF__ARRAY_RESERVE(b->stays, b->stays_capacity, b->n_stays + (size_t)1)) {
        index = ++b->n_stays;
    } else {
        return 0;
    }
    b->stays[index - 1] = stay;
    return index;
}

/* Frees the stays that ended before the era after the last use: they are not needed any more. */
static void prune(hpp__biography *b, uint32_t stay, uint64_t life)
{
    if (!hpp_life_is_used(life)) {
        return;
    }
    while (stay != 0 && b->stays[stay - 1].since > hpp_life_last_use_era(life) + 1) {
        stay = b->stays[stay - 1].before;
    }
    if (stay != 0) {
        free_stays(b, b->stays[stay - 1].before);
        b->stays[stay - 1].before = 0;
    }
}

/* Notes that an object is in `band` in the current era. */
static void note_stay(hpp__biography *b, hpp_ref ref, uint32_t band, uint64_t life)
{
    uint64_t *last = hpp__map_add(&b->history_of, ref);
    if (!last) {
        b->n_lost++;
        return;
    }
    hpp__stay *known = *last ? &b->stays[*last - 1] : NULL;
    if (known && known->band == band) {
        return;
    }
    if (known && known->since == b->era) {
        known->band = band;
        return;
    }
    uint32_t stay = new_stay(b, (hpp__stay){band, b->era, (uint32_t)*last});
    if (stay == 0) {
        b->n_lost++;
        return;
    }
    *last = stay;
    prune(b, stay, life);
}

/* ---- Differences ---- */

/* Returns the index + 1 of the difference of a band at an era, which is created if there is none;
 * or 0. */
static uint32_t difference_at(hpp__biography *b, uint32_t era, uint32_t band)
{
    uint64_t *index = hpp__map_add(&b->difference_of, (uint64_t)era << 32 | band);
    if (!index || *index != 0) {
        return index ? (uint32_t)*index : 0;
    }
    if (b->n_differences == UINT32_MAX - 1 ||
        !HPF__ARRAY_RESERVE(b->differences, b->differences_capacity,
                            b->n_differences + (size_t)1)) {
        return 0;
    }
    b->differences[b->n_differences] =
        (hpp__difference){.band = band, .next = b->eras[era - 1].first_difference};
    *index = ++b->n_differences;
    b->eras[era - 1].first_difference = b->n_differences;
    return b->n_differences;
}

/* Records that `bytes` of a band were void, or drag, from era `from` until before era `to`. Most
 * objects that die in a row have the same band and eras. */
static void record(hpp__biography *b, uint32_t band, uint32_t from, uint32_t to, bool is_drag,
                   uint64_t bytes)
{
    hpp__interval *last = &b->last_recorded;
    if (last->begin == 0 || last->band != band || last->from != from || last->to != to) {
        *last = (hpp__interval){band, from, to, difference_at(b, from, band),
                                difference_at(b, to, band)};
    }
    if (last->begin == 0 || last->end == 0) {
        last->begin = 0;
        b->n_lost++;
        return;
    }
    hpp__difference *more = &b->differences[last->begin - 1];
    hpp__difference *less = &b->differences[last->end - 1];
    *(is_drag ? &more->drag_bytes : &more->void_bytes) += (int64_t)bytes;
    *(is_drag ? &less->drag_bytes : &less->void_bytes) -= (int64_t)bytes;
}

/* Records the same for an object with a history, from `from` until now. */
static void record_stays(hpp__biography *b, hpp_ref ref, uint32_t from, bool is_drag,
                         uint64_t bytes)
{
    const uint64_t *last = hpp__map_find(&b->history_of, ref);
    uint32_t to = b->era;
    for (uint32_t i = last ? (uint32_t)*last : 0; i != 0 && to > from;) {
        hpp__stay stay = b->stays[i - 1];
        uint32_t begin = stay.since > from ? stay.since : from;
        if (begin < to && stay.band != HPP__NO_BAND) {
            record(b, stay.band, begin, to, is_drag, bytes);
        }
        to = begin < to ? begin : to;
        i = stay.before;
    }
    b->n_lost += to > from;
}

static uint64_t life_at_death(const hpp__biography *b, hpp_ref ref, const hpp_object *object)
{
    const uint64_t *word = object->life_word ? object->life_word : hpp__map_find(&b->lives, ref);
    return word ? HPP_RELAXED_LOAD(word) : 0;
}

static bool has_phases(const hpp_object *object)
{
    return !(hpp__object_flags(object) & (HPP_INHERENTLY_USED | HPP_STATIC));
}

/* Returns the time of the census that ended an era; of the last one, if it has not ended. */
static double end_of(const hpp__biography *b, uint32_t era)
{
    era = era < b->era ? era : b->era - 1;
    return era > 0 ? b->eras[era - 1].time_s : 0;
}

bool hpp__biography_measure(const hpp__biography *b, hpp_ref ref, const hpp_object *object,
                            hpp__life_seconds *life)
{
    uint64_t word = life_at_death(b, ref, object);
    uint32_t creation = hpp_life_creation_era(word);
    if (creation == 0 || creation >= b->era || !has_phases(object)) {
        return false;
    }
    double begin_s = end_of(b, creation - 1), end_s = end_of(b, b->era);
    *life = (hpp__life_seconds){.is_used = hpp_life_is_used(word)};
    if (!life->is_used) {
        life->of[HPP__PHASE_VOID] = end_s - begin_s;
        return true;
    }
    double first_use_s = end_of(b, hpp_life_first_use_era(word) - 1);
    double last_use_s = end_of(b, hpp_life_last_use_era(word));
    life->of[HPP__PHASE_LAG] = first_use_s - begin_s;
    life->of[HPP__PHASE_USE] = last_use_s - first_use_s;
    life->of[HPP__PHASE_DRAG] = end_s - last_use_s;
    return true;
}

bool hpp__biography_dead(hpp__biography *b, hpp_ref ref, const hpp_object *object,
                         hpp__last_phase *phase)
{
    uint64_t life = life_at_death(b, ref, object);
    bool is_drag = hpp_life_is_used(life);
    uint32_t from = is_drag ? hpp_life_last_use_era(life) + 1 : hpp_life_creation_era(life);
    bool has_phase = from != 0 && from < b->era && has_phases(object);
    if (!object->life_word) {
        hpp__map_remove(&b->lives, ref);
    }
    if (b->has_histories) {
        if (has_phase) {
            record_stays(b, ref, from, is_drag, object->size_bytes);
        }
        uint64_t *last = hpp__map_find(&b->history_of, ref);
        if (last) {
            free_stays(b, (uint32_t)*last);
            hpp__map_remove(&b->history_of, ref);
        }
        return false;
    }
    *phase = (hpp__last_phase){from, is_drag, object->size_bytes};
    return has_phase;
}

void hpp__biography_record(hpp__biography *b, const hpp__last_phase *phase, uint32_t band)
{
    record(b, band, phase->from, b->era, phase->is_drag, phase->bytes);
}

static void rekey(hpp__map *map, hpp_ref from, hpp_ref to)
{
    uint64_t *value = hpp__map_find(map, from);
    if (value && from != to) {
        uint64_t kept = *value;
        hpp__map_remove(map, from);
        *hpp__map_add(map, to) = kept; /* has the room that was just made */
    }
}

void hpp__biography_moved(hpp__biography *b, hpp_ref from, hpp_ref to)
{
    rekey(&b->lives, from, to);
    rekey(&b->history_of, from, to);
}

/* ---- A census ---- */

void hpp__biography_begin_census(hpp__biography *b)
{
    memset(b->now, 0, b->now_capacity * sizeof *b->now);
}

static hpp__phases *phases_of(hpp__biography *b, uint32_t band)
{
    if (!HPF__ARRAY_RESERVE_ZEROED(b->now, b->now_capacity, band + (size_t)1)) {
        band = b->lost_band;
    }
    b->now[band].band = band;
    return &b->now[band];
}

/* Returns the word of a live object; one without a word counts as created now. */
static uint64_t life_of(hpp__biography *b, hpp_ref ref, const hpp_object *object)
{
    uint64_t *word = place_of_word(b, ref, object->life_word);
    if (!word) {
        b->n_lost++;
        return hpp_life_created_in(b->era);
    }
    uint64_t life = HPP_RELAXED_LOAD(word);
    if (hpp_life_creation_era(life) == 0) {
        life |= hpp_life_created_in(b->era);
        HPP_RELAXED_STORE(word, life);
    }
    return life;
}

void hpp__biography_see(hpp__biography *b, hpp_ref ref, const hpp_object *object, uint32_t band)
{
    bool is_inherent = (hpp__object_flags(object) & HPP_INHERENTLY_USED) != 0;
    uint64_t life = is_inherent ? 0 : life_of(b, ref, object);
    if (b->has_histories && !is_inherent) {
        note_stay(b, ref, band, life);
    }
    if (band == HPP__NO_BAND) {
        return;
    }
    hpp__phases *phases = phases_of(b, band);
    if (is_inherent) {
        phases->inherent_bytes += object->size_bytes;
    } else if (!hpp_life_is_used(life)) {
        phases->unused_bytes += object->size_bytes;
    } else {
        phases->used_bytes += object->size_bytes;
        phases->used_now_bytes += hpp_life_last_use_era(life) == b->era ? object->size_bytes : 0;
    }
}

void hpp__biography_add(hpp__biography *b, uint32_t band, const hpp_phase_bytes *bytes,
                        bool is_final)
{
    hpp__phases *phases = phases_of(b, band);
    if (is_final) {
        phases->unused_bytes += bytes->lag_bytes;
        phases->void_bytes += bytes->void_bytes;
        phases->used_bytes += bytes->use_bytes;
        phases->used_now_bytes += bytes->drag_bytes;
    } else {
        phases->unused_bytes += bytes->lag_bytes + bytes->void_bytes;
        phases->used_bytes += bytes->use_bytes + bytes->drag_bytes;
        phases->used_now_bytes += bytes->use_bytes;
    }
}

static bool is_empty(const hpp__phases *phases)
{
    return phases->inherent_bytes + phases->unused_bytes + phases->used_bytes == 0;
}

/* Copies the bands that hold something into `era`. */
static bool keep_phases(hpp__biography *b, hpp__era *era)
{
    size_t n = 0;
    if (!b->keeps_phases) {
        return true;
    }
    for (size_t i = 0; i < b->now_capacity; i++) {
        n += !is_empty(&b->now[i]);
    }
    era->phases = malloc((n + 1) * sizeof *era->phases);
    if (!era->phases) {
        return false;
    }
    for (size_t i = 0; i < b->now_capacity; i++) {
        if (!is_empty(&b->now[i])) {
            era->phases[era->n_phases++] = b->now[i];
        }
    }
    return true;
}

void hpp__biography_end_census(hpp__biography *b, const hpp__era *recorded)
{
    hpp__era era = *recorded;
    if (b->era == HPP_MAX_ERA ||
        !HPF__ARRAY_RESERVE_ZEROED(b->eras, b->eras_capacity, b->era + (size_t)1) ||
        !keep_phases(b, &era)) {
        b->n_skipped++;
        return;
    }
    era.first_difference = b->eras[b->era - 1].first_difference;
    b->eras[b->era - 1] = era;
    b->era++;
}

/* ---- The end ---- */

/* Returns the part of `bytes` that a sum of differences covers. It is limited, because an object
 * may have been recorded with another size than a census found. */
static uint64_t share(int64_t sum, uint64_t bytes)
{
    return sum <= 0 ? 0 : (uint64_t)sum < bytes ? (uint64_t)sum : bytes;
}

static void sum_up_era(const hpp__biography *b, hpp__era *era, hpp__difference *sums)
{
    for (uint32_t i = era->first_difference; i != 0; i = b->differences[i - 1].next) {
        const hpp__difference *d = &b->differences[i - 1];
        sums[d->band].void_bytes += d->void_bytes;
        sums[d->band].drag_bytes += d->drag_bytes;
    }
    for (size_t i = 0; i < era->n_phases; i++) {
        hpp__phases *p = &era->phases[i];
        p->void_bytes = share(sums[p->band].void_bytes, p->unused_bytes);
        p->unused_bytes -= p->void_bytes;
        p->used_now_bytes = share(sums[p->band].drag_bytes, p->used_bytes);
        p->used_bytes -= p->used_now_bytes;
    }
}

hpf_status hpp__biography_sum_up(hpp__biography *b, hpf_error *err)
{
    if (b->is_summed_up) {
        return HPF_OK;
    }
    size_t n_bands = b->now_capacity;
    for (uint32_t i = 0; i < b->n_differences; i++) {
        n_bands = b->differences[i].band < n_bands ? n_bands : b->differences[i].band + (size_t)1;
    }
    hpp__difference *sums = calloc(n_bands + 1, sizeof *sums);
    if (!sums) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t era = 1; era < b->era; era++) {
        sum_up_era(b, &b->eras[era - 1], sums);
    }
    free(sums);
    b->is_summed_up = true;
    return HPF_OK;
}

/* ---- Life ---- */

hpf_status hpp__biography_init(hpp__biography *b, unsigned ref_shift, bool has_histories,
                               uint32_t lost_band, hpf_error *err)
{
    *b = (hpp__biography){
        .era = 1, .lost_band = lost_band, .has_histories = has_histories, .keeps_phases = true};
    b->lives.is_near = b->history_of.is_near = true;
    b->lives.unit_shift = b->history_of.unit_shift = ref_shift;
    bool ok = HPF__ARRAY_RESERVE_ZEROED(b->eras, b->eras_capacity, 1) &&
              HPF__ARRAY_RESERVE_ZEROED(b->now, b->now_capacity, lost_band + (size_t)1);
    return ok ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__biography_finish(hpp__biography *b)
{
    for (uint32_t era = 1; b->eras && era < b->era; era++) {
        free(b->eras[era - 1].phases);
    }
    free(b->eras);
    free(b->now);
    free(b->differences);
    free(b->stays);
    hpp__map_finish(&b->lives);
    hpp__map_finish(&b->difference_of);
    hpp__map_finish(&b->history_of);
    *b = (hpp__biography){0};
}
