/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One line for each message that is new.
 */
#include "view_messages.h"

#include <stdlib.h>

#include "../diag.h"

static void changed(view *v, const watched *profile)
{
    (void)v;
    if (profile->message[0]) {
        diag_say("%s: %s", profile->name, profile->message);
    }
}

static void finish(view *v)
{
    free(v);
}

view *view_messages_create(void)
{
    view *v = malloc(sizeof *v);
    if (v) {
        *v = (view){.changed = changed, .finish = finish};
    }
    return v;
}
