/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A handler of SIGABRT, installed only with -xc.
 */
#include "abort.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ccs/ccs.h"

static struct sigaction action_before;

static void on_abort(int number)
{
    sigaction(SIGABRT, &action_before, NULL);
    hpp__print_exception("Aborted", STDERR_FILENO);
    raise(number);
}

void hpp__abort_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_abort;
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, &action_before);
}

void hpp__abort_unwatch(void)
{
    sigaction(SIGABRT, &action_before, NULL);
}
