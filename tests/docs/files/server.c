/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The server of docs/commands.md: it has sessions in a table, and works for a moment.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

struct Session {
    struct Session *next;
    char *text;
};

static struct Session *sessions;

static __attribute__((noinline)) void *xmalloc(size_t n_bytes)
{
    void *block = malloc(n_bytes);
    if (!block) {
        abort();
    }
    return block;
}

static __attribute__((noinline)) void open_session(size_t n_bytes)
{
    struct Session *s = xmalloc(sizeof *s);
    s->next = sessions;
    s->text = xmalloc(n_bytes);
    sessions = s;
}

int main(void)
{
    const struct timespec pause = {0, 2000000};
    for (size_t i = 0; i < 300; i++) {
        open_session(1000 + i);
        nanosleep(&pause, NULL);
    }
    return 0;
}
