/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames of stacks as the tools of Valgrind write them.
 */
#ifndef HPF_VALGRIND_FRAME_H
#define HPF_VALGRIND_FRAME_H

#include "base/words.h"
#include "hpfile/frame.h"

/* Splits a frame as Valgrind's tools write it, "0x109164: inner (t.c:3)" or
 * "0x4A2B: ??? (in /lib/x.so)"; its parts are borrowed from the text. A function without a name is
 * its address. A text without an address is a label. */
static inline hpf_frame hpf__valgrind_frame(hpf_str text)
{
    hpf_frame frame = {.label = text};
    size_t colon = 0, open = text.length;
    while (colon < text.length && text.data[colon] != ':') {
        colon++;
    }
    if (!hpf_str_begins(text, "0x") || colon + 2 > text.length) {
        return frame;
    }
    hpf_str address = {text.data, colon};
    hpf_str rest = hpf_str_from(text, colon + 2);
    for (size_t i = 0; i + 1 < rest.length; i++) {
        open = rest.data[i] == ' ' && rest.data[i + 1] == '(' ? i : open;
    }
    frame.label = rest;
    if (open + 3 <= rest.length && rest.data[rest.length - 1] == ')') {
        hpf_str place = {rest.data + open + 2, rest.length - open - 3};
        bool is_module = hpf_str_begins(place, "in ");
        frame.label.length = open;
        frame.module = is_module ? hpf_str_from(place, 3) : frame.module;
        frame.source = is_module ? frame.source : place;
    }
    frame.label = hpf_str_is(frame.label, "???") ? address : frame.label;
    return frame;
}

#endif
