/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One line for each message that is new.
 */
#include "view_messages.h"

#include <stdlib.h>
#include <string.h>

#include "../diag.h"

/* The last message of a profile, printed or empty. */
typedef struct said {
    char text[sizeof((watched *)NULL)->message];
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

/* Whether it differs from the last one. Without memory for that, any does. */
static bool is_new(messages *m, const watched *profile)
{
    if (!make_room(m, profile->number + 1)) {
        return true;
    }
    char *last = m->said[profile->number].text;
    bool differs = strcmp(last, profile->message) != 0;
    memcpy(last, profile->message, sizeof profile->message);
    return differs;
}

static void changed(view *v, const watched *profile)
{
    messages *m = (messages *)v;
    bool is_wanted = !m->of_failures || profile->state == WATCHED_FAILED;
    if (is_wanted && is_new(m, profile) && profile->message[0]) {
        diag_say("%s: %s", profile->name, profile->message);
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
