/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two samples at one time make a vertical edge.
 */
#include "life.h"

#include <math.h>
#include <string.h>

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
    hpp__output_mark(output, time_s, (hpf_str){label, strlen(label)});
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
