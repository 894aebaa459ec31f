/* SPDX-License-Identifier: BSD-2-Clause
 *
 * grows CASE MEGABYTES MICROSECONDS [FIRST]: fills megabytes, three quarters of them in a cache and
 * one in a log, with a pause after each but the first ones, and then waits, fails or kills itself.
 * Without memory, it aborts.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "case.h"

enum { MEGABYTE = 1 << 20 };

void *held[1 << 16];

static OWN_FRAME void *cache_page(void)
{
    void *page = malloc(MEGABYTE);
    STAY();
    return page;
}

static OWN_FRAME void *log_line(void)
{
    void *line = calloc(1, MEGABYTE);
    STAY();
    return line;
}

static void grow(char **arguments)
{
    must(arguments[0] && arguments[1], "MEGABYTES MICROSECONDS");
    const long us = atol(arguments[1]);
    const struct timespec while_us = {us / 1000000, us % 1000000 * 1000};
    const long n_first = arguments[2] ? atol(arguments[2]) : 0;
    for (long i = 0; i < atol(arguments[0]); i++) {
        held[i] = i % 4 == 3 ? log_line() : cache_page();
        if (!held[i]) {
            abort();
        }
        memset(held[i], 1, MEGABYTE);
        if (i >= n_first) {
            nanosleep(&while_us, NULL);
        }
    }
    say("ready\n");
}

static int waits(char **arguments)
{
    grow(arguments);
    return pause(); /* until a signal ends it */
}

static int fails(char **arguments)
{
    grow(arguments);
    return 3;
}

static int kills(char **arguments)
{
    grow(arguments);
    return raise(SIGKILL);
}

static const native_case cases[] = {
    {"waits", waits}, {"fails", fails}, {"kills", kills}, {NULL, NULL}};

int main(int argc, char **argv)
{
    return argc > 1 ? run_case(cases, argv) : 2;
}
