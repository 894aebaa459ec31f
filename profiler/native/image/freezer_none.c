/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces freezer.c and tracer.c where no code stops threads and makes system calls in their
 * place: no image can be taken.
 */
#include "freezer.h"

hpf_status hpp__freezer_check(hpf_error *err)
{
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                         "images of programs (-hr, -hy, --snapshot) are taken on x86-64 only");
}

void hpp__freezer_init(hpp__freezer *f, uint32_t process_id)
{
    *f = (hpp__freezer){.tracer = {.process_id = process_id}};
}

void hpp__freezer_finish(hpp__freezer *f)
{
    (void)f;
}

hpf_status hpp__freezer_take(hpp__image **out, hpp__freezer *f, const hpp__window_reader *reader,
                             hpf_error *err)
{
    (void)f;
    (void)reader;
    *out = NULL;
    return hpp__freezer_check(err);
}

bool hpp__freezer_has_room(hpp__freezer *f)
{
    (void)f;
    return true;
}

void hpp__freezer_reap(hpp__freezer *f)
{
    (void)f;
}

void hpp__tracer_follow_up(hpp__tracer *t)
{
    (void)t;
}
