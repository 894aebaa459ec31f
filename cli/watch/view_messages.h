/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A view that is standard error: what profiles wait for, and why they fail. For watches without a
 * terminal view, which says so itself.
 */
#ifndef CENSUS_WATCH_VIEW_MESSAGES_H
#define CENSUS_WATCH_VIEW_MESSAGES_H

#include "watch.h"

/* `of_failures`: says nothing while profiles only wait. NULL when there is no memory. */
view *view_messages_create(bool of_failures);

#endif
