/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two samples at one time make a vertical edge.
 */
#include "life.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "census/traverse.h"

void hpp__life_created(hpp__life *life, hpp_ref ref, const hpp_object *object, double time_s)
{
    *life = (hpp__life){
        .state = HPP__LIFE_LIVES,
        .ref = ref,
        .size_bytes = object->size_bytes,
        .is_inherently_used = (hpp__object_flags(object) & HPP_INHERENTLY_USED) != 0,
        .created_s = time_s,
        .last_use_s = time_s,
    };
}

void hpp__life_used(hpp__life *life, double time_s)
{
    life->last_use_s = fmax(time_s, life->last_use_s);
    life->first_use_s = life->n_uses++ == 0 ? life->last_use_s : life->first_use_s;
}

void hpp__life_ended(hpp__life *life, double time_s)
{
    life->state = HPP__LIFE_ENDED;
    life->ref = 0;
    life->ended_s = fmax(time_s, life->last_use_s);
}

typedef enum phase { LAG, USE, DRAG, VOID, INHERENT, N_PHASES } phase;

/* Sends the end of a phase and the beginning of the next one at an event; N_PHASES is neither. */
static void send_event(const hpp__life *life, hpp__output *output, const char *label, double time_s,
                       phase before, phase after)
{
    const hpp_band bands[N_PHASES] = {
        [LAG] = {LAG, HPF_STR("LAG"), life->size_bytes},
        [USE] = {USE, HPF_STR("USE"), life->size_bytes},
        [DRAG] = {DRAG, HPF_STR("DRAG"), life->size_bytes},
        [VOID] = {VOID, HPF_STR("VOID"), life->size_bytes},
        [INHERENT] = {INHERENT, HPF_STR("INHERENT_USE"), life->size_bytes},
    };
    hpp__output_mark(output, time_s, hpf_str_of(label));
    hpp__output_sample(output, time_s, before < N_PHASES ? &bands[before] : NULL,
                       before < N_PHASES);
    hpp__output_sample(output, time_s, after < N_PHASES ? &bands[after] : NULL, after < N_PHASES);
}

void hpp__life_send(const hpp__life *life, hpp__output *output, double end_s)
{
    size_t n_uses = life->is_inherently_used ? 0 : life->n_uses;
    phase unused = life->is_inherently_used ? INHERENT : VOID;
    end_s = fmax(end_s, life->state == HPP__LIFE_ENDED ? life->ended_s : life->last_use_s);
    hpp__output_sample(output, 0, NULL, 0);
    send_event(life, output, "creation", life->created_s, N_PHASES, n_uses > 0 ? LAG : unused);
    if (n_uses == 1) {
        send_event(life, output, "only use", life->first_use_s, LAG, DRAG);
    } else if (n_uses > 1) {
        send_event(life, output, "first use", life->first_use_s, LAG, USE);
        send_event(life, output, "last use", life->last_use_s, USE, DRAG);
    }
    bool has_ended = life->state == HPP__LIFE_ENDED;
    send_event(life, output, has_ended ? "destruction" : "end of the program",
               has_ended ? life->ended_s : end_s, n_uses > 0 ? DRAG : unused, N_PHASES);
    hpp__output_sample(output, end_s, NULL, 0);
}

typedef struct phase_bands {
    hpp_band *bands;
    hpp__text *names;
    const uint64_t **bytes; /* by class of durations, of each band */
    size_t n, capacity, names_capacity, bytes_capacity;
} phase_bands;

static int add_band(const hpp_life_time *time, void *context)
{
    phase_bands *b = context;
    size_t i = b->n;
    if (!HPF__ARRAY_RESERVE(b->bands, b->capacity, i + 1) ||
        !HPF__ARRAY_RESERVE(b->names, b->names_capacity, i + 1) ||
        !HPF__ARRAY_RESERVE(b->bytes, b->bytes_capacity, i + 1)) {
        return 1;
    }
    b->n++;
    b->names[i] = (hpp__text){0};
    hpp__text_add(&b->names[i], hpf_str_of(time->phase));
    hpp__text_add(&b->names[i], HPF_STR(" "));
    hpp__text_add(&b->names[i], time->producer);
    b->bytes[i] = time->bytes;
    b->bands[i] = (hpp_band){(uint32_t)i, hpp__text_str(&b->names[i]), 0};
    for (size_t k = 0; k < HPP__N_DURATIONS; k++) {
        b->bands[i].size_bytes += time->bytes[k];
    }
    return b->names[i].is_short;
}

/* Takes the objects of a class away, and bands that are empty then. */
static void take_class(phase_bands *b, size_t class_index)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        b->bands[i].size_bytes -= b->bytes[i][class_index];
        b->bands[n] = b->bands[i];
        b->bytes[n] = b->bytes[i];
        n += b->bands[n].size_bytes > 0;
    }
    b->n = n;
}

bool hpp__life_times_send(const hpp__life_times *times, hpp__output *output)
{
    phase_bands b = {0};
    bool is_complete = hpp__life_times_each(times, add_band, &b) == 0;
    size_t n_names = b.n;
    hpp__output_sample(output, 0, b.bands, b.n);
    for (size_t k = 0; k < HPP__N_DURATIONS && is_complete; k++) {
        double seconds = hpp__life_times_seconds(times, k);
        if (seconds > 0) {
            hpp__output_sample(output, seconds, b.bands, b.n);
        }
        if (seconds >= 0) {
            take_class(&b, k);
            hpp__output_sample(output, seconds, b.bands, b.n);
        }
    }
    for (size_t i = 0; i < n_names; i++) {
        hpp__text_finish(&b.names[i]);
    }
    free(b.bands);
    free(b.names);
    free(b.bytes);
    return is_complete;
}
