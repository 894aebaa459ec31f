/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One line for each message that is new, and for each caveat.
 */
#include "view_messages.h"

#include <stdlib.h>
#include <string.h>

#include "../diag.h"

/* The last ones of a profile, printed or empty. */
typedef struct said {
    char message[sizeof((watched *)NULL)->message];
    char caveat[sizeof((watched *)NULL)->caveat];
} said;

typedef struct messages {
    view base; /* first: a `view *` is a `messages *` */
    bool of_failures;
    said *said; /* by number of the profile */
    uint32_t n_said;
} messages;

static bool make_room(messages *m, uint32_t n)
{
    if (n <= m->n_said) {
        return true;
    }
    said *more = realloc(m->said, n * sizeof *more);
    if (!more) {
        return false;
    }
    memset(more + m->n_said, 0, (n - m->n_said) * sizeof *more);
    m->said = more;
    m->n_said = n;
    return true;
}

/* Says what differs from the last one, of `n_bytes` like that one. */
static void say(const watched *profile, const char *text, char *last, size_t n_bytes)
{
    bool differs = strcmp(last, text) != 0;
    memcpy(last, text, n_bytes);
    if (differs && *text) {
        diag_say("%s: %s", profile->name, text);
    }
}

/* Without memory for what was said, all is new. */
static void changed(view *v, const watched *profile)
{
    messages *m = (messages *)v;
    said nothing = {"", ""};
    said *last = make_room(m, profile->number + 1) ? &m->said[profile->number] : &nothing;
    if (!m->of_failures || profile->state == WATCHED_FAILED) {
        say(profile, profile->message, last->message, sizeof last->message);
        say(profile, profile->caveat, last->caveat, sizeof last->caveat);
    }
}

static void finish(view *v)
{
    free(((messages *)v)->said);
    free(v);
}

view *view_messages_create(bool of_failures)
{
    messages *m = calloc(1, sizeof *m);
    if (!m) {
        return NULL;
    }
    m->base = (view){.changed = changed, .finish = finish};
    m->of_failures = of_failures;
    return &m->base;
}
