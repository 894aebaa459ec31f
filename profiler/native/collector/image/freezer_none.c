/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces freezer.c and tracer.c where no code stops threads and makes system calls in their
 * place: no image can be taken.
 */
#include "freezer.h"

#include <unistd.h>

hpf_status hpp__freezer_check(hpf_error *err)
{
    return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                         "images of programs (-hr, -hy, --snapshot) are taken on x86-64 only");
}

void hpp__freezer_init(hpp__freezer *f, uint32_t process_id, int link)
{
    *f = (hpp__freezer){.process_id = process_id, .link = link};
}

void hpp__freezer_finish(hpp__freezer *f)
{
    hpf__close(f->link);
    f->link = -1;
}

hpf_status hpp__freezer_take(hpp__image **out, hpp__freezer *f, const hpp__window_reader *reader,
                             hpf_error *err)
{
    (void)f;
    (void)reader;
    *out = NULL;
    return hpp__freezer_check(err);
}

hpf_status hpp__freezer_fill(hpp__image *image, hpp__freezer *f, const hpp__window_reader *reader,
                             hpf_error *err)
{
    (void)image;
    (void)f;
    (void)reader;
    return hpp__freezer_check(err);
}

bool hpp__freezer_is_open(const hpp__freezer *f)
{
    (void)f;
    return false;
}

bool hpp__freezer_has_ended(hpp__freezer *f)
{
    (void)f;
    return true;
}

void hpp__freezer_end_helper(hpp__freezer *f)
{
    (void)f;
}

bool hpp__freezer_has_room(hpp__freezer *f)
{
    (void)f;
    return true;
}
