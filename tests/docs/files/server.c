/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The server of the documents: it has sessions in a table, and works for a moment, or with the
 * argument `stay` until it is killed.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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

int main(int argc, char **argv)
{
    const struct timespec pause = {0, 2000000};
    bool stays = argc > 1 && strcmp(argv[1], "stay") == 0;
    for (size_t i = 0; i < 300 || stays; i++) {
        open_session(1000 + i % 300);
        nanosleep(&pause, NULL);
    }
    return 0;
}
