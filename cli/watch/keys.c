/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrows are ESC [ A or ESC O A; what else begins with ESC [ is passed over up to its last letter.
 */
#include "keys.h"

#include <stdbool.h>

static int arrow(char letter)
{
    switch (letter) {
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    default:
        return KEY_NONE;
    }
}

int keys_next(const char *bytes, size_t n_bytes, size_t *used)
{
    bool is_sequence =
        bytes[0] == KEY_ESCAPE && n_bytes > 2 && (bytes[1] == '[' || bytes[1] == 'O');
    *used = 1;
    if (!is_sequence) {
        unsigned char c = (unsigned char)bytes[0];
        return c < 128 ? c : KEY_NONE;
    }
    size_t last = 2;
    while (last + 1 < n_bytes && (bytes[last] < '@' || bytes[last] > '~')) {
        last++;
    }
    *used = last + 1;
    return last == 2 ? arrow(bytes[2]) : KEY_NONE;
}
