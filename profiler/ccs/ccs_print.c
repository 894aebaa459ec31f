/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A cost-centre stack in words, from anywhere: no memory, no locks, no stdio.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "ccs.h"

/* Output gathered for few writes. */
typedef struct printer {
    int fd;
    size_t length;
    char bytes[512];
} printer;

static void flush(printer *p)
{
    size_t done = 0;
    while (done < p->length) {
        ssize_t n = write(p->fd, p->bytes + done, p->length - done);
        if (n < 0 && errno != EINTR) {
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    p->length = 0;
}

static void put(printer *p, const char *text)
{
    for (; *text; text++) {
        if (p->length == sizeof p->bytes) {
            flush(p);
        }
        p->bytes[p->length++] = *text;
    }
}

static void put_centre(printer *p, const hpp_cc *centre)
{
    put(p, centre->module);
    put(p, ".");
    put(p, centre->label);
}

static void put_stack(printer *p, const hpp_ccs *ccs)
{
    put_centre(p, ccs->centre);
    for (const hpp_ccs *below = ccs->parent; below && below->parent; below = below->parent) {
        put(p, ",\n  called from ");
        put_centre(p, below->centre);
    }
    put(p, "\n");
}

void hpp_ccs_print(const hpp_ccs *ccs, int fd)
{
    int saved_errno = errno;
    printer p = {.fd = fd};
    put_stack(&p, ccs);
    flush(&p);
    errno = saved_errno;
}

void hpp__print_exception(const char *what, int fd)
{
    int saved_errno = errno;
    printer p = {.fd = fd};
    put(&p, "*** ");
    put(&p, what);
    put(&p, " (reporting due to -xc), stack trace:\n  ");
    put_stack(&p, hpp_ccs_current());
    flush(&p);
    errno = saved_errno;
}

/* ---- abort ---- */

static struct sigaction action_before;

static void on_abort(int number)
{
    sigaction(SIGABRT, &action_before, NULL);
    hpp__print_exception("Aborted", STDERR_FILENO);
    raise(number);
}

void hpp__ccs_abort_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_abort;
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, &action_before);
}

void hpp__ccs_abort_unwatch(void)
{
    sigaction(SIGABRT, &action_before, NULL);
}
