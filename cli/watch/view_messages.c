/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One line for each message that is new.
 */
#include "view_messages.h"

#include <stdlib.h>

#include "../diag.h"

typedef struct messages {
    view base; /* first: a `view *` is a `messages *` */
    bool of_failures;
} messages;

/* What a profile that has ended has to say, it said before. */
static void changed(view *v, const watched *profile)
{
    bool is_failure = profile->state == WATCHED_FAILED;
    bool is_news = profile->message[0] && profile->state != WATCHED_ENDED;
    if (is_news && (is_failure || !((messages *)v)->of_failures)) {
        diag_say("%s: %s", profile->name, profile->message);
    }
}

static void finish(view *v)
{
    free(v);
}

view *view_messages_create(bool of_failures)
{
    messages *m = malloc(sizeof *m);
    if (!m) {
        return NULL;
    }
    *m = (messages){{.changed = changed, .finish = finish}, of_failures};
    return &m->base;
}
