/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which frames belong to the program itself.
 */
#include "hpfile/frame.h"

/* Returns whether a frame belongs to a library rather than to the program. In a stack with Python,
 * frames without Python belong to the interpreter. */
static bool is_of_library(const hpf_frame *f, bool has_python)
{
    static const char *const labels[] = {
        "std::",       "__gnu_cxx::", "operator new", "operator_new", "alloc::", "core::",
        "hashbrown::", "<alloc::",    "<core::",      "<std::",       "[",       "_dl_",
        "importlib.",  NULL};
    for (size_t i = 0; labels[i]; i++) {
        if (hpf_str_begins(f->label, labels[i])) {
            return true;
        }
    }
    return hpf_str_begins(f->source, "/usr/") || hpf_str_begins(f->source, "<frozen") ||
           hpf_str_find(f->source, "/site-packages/") || hpf_str_find(f->source, "/lib/python") ||
           hpf_str_find(f->source, "/rustc/") || (has_python && !hpf_str_find(f->source, ".py"));
}

size_t hpf_frames_own(const hpf_frame *frames, size_t n)
{
    bool has_python = false;
    size_t own = 0;
    for (size_t i = 0; i < n; i++) {
        has_python |= hpf_str_find(frames[i].source, ".py:") != NULL;
    }
    while (own < n && is_of_library(&frames[own], has_python)) {
        own++;
    }
    return own;
}
