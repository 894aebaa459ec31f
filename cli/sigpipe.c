/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The disposition of one signal.
 */
#include "sigpipe.h"

#include <signal.h>
#include <stddef.h>

static struct sigaction before;

void sigpipe_ignore(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignored, &before);
}

void sigpipe_restore(void)
{
    sigaction(SIGPIPE, &before, NULL);
}
