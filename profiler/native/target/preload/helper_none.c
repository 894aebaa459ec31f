/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces helper.c where the collector takes no images (image/freezer_none.c).
 */
#include "helper.h"

int hpp__helper_start(void)
{
    return -ENOSYS;
}

bool hpp__helper_end(void)
{
    return false;
}

void hpp__helper_hide(long wait_options)
{
    (void)wait_options;
}

void hpp__helper_note_mark(uint64_t time_ns)
{
    (void)time_ns;
}

void hpp__helper_rest(const void *block)
{
    (void)block;
}
