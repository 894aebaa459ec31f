/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A place decides, where it is known, then a module, then a label.
 */
#include "hpfile/frame_rules.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/regular_expression.h"
#include "event/allocator_names.h"
#include "hpfile/str.h"

enum {
    MAX_MATCHED_BYTES = 1024, /* regular expressions see no more of a label */
    N_ALLOCATOR_NAMES = sizeof hpf__allocator_names / sizeof *hpf__allocator_names,
};

struct hpf_frame_rules {
    regex_t *skipped; /* those of allocators first */
    size_t n_skipped;
    bool skips_none;
};

hpf_status hpf_frame_rules_create(hpf_frame_rules **out, const char *const *skip, size_t n_skip,
                                  bool skips_none, hpf_error *err)
{
    size_t n = skips_none ? 0 : N_ALLOCATOR_NAMES + n_skip;
    hpf_frame_rules *rules = calloc(1, sizeof *rules);
    *out = NULL;
    if (rules) {
        rules->skips_none = skips_none;
        rules->skipped = calloc(n + 1, sizeof *rules->skipped);
    }
    hpf_status status = rules && rules->skipped ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        const char *text = i < N_ALLOCATOR_NAMES ? hpf__allocator_names[i].expression
                                                 : skip[i - N_ALLOCATOR_NAMES];
        status = hpf__regular_expression(&rules->skipped[i], text, err);
        rules->n_skipped += status == HPF_OK;
    }
    if (status != HPF_OK) {
        hpf_frame_rules_destroy(rules);
        return status;
    }
    *out = rules;
    return HPF_OK;
}

void hpf_frame_rules_destroy(hpf_frame_rules *rules)
{
    for (size_t i = 0; rules && i < rules->n_skipped; i++) {
        regfree(&rules->skipped[i]);
    }
    if (rules) {
        free(rules->skipped);
    }
    free(rules);
}

/* Returns whether an allocator has this label, or the user skips it. */
static bool is_skipped(const hpf_frame_rules *rules, hpf_str label)
{
    char text[MAX_MATCHED_BYTES + 1];
    size_t n = label.length < MAX_MATCHED_BYTES ? label.length : MAX_MATCHED_BYTES;
    memcpy(text, n ? label.data : "", n);
    text[n] = '\0';
    for (size_t i = 0; i < rules->n_skipped; i++) {
        bool may_match = i >= N_ALLOCATOR_NAMES || strstr(text, hpf__allocator_names[i].word);
        if (may_match && regexec(&rules->skipped[i], text, 0, NULL, 0) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins_with_any(hpf_str text, const char *const *list)
{
    while (*list && !hpf_str_begins(text, *list)) {
        list++;
    }
    return *list != NULL;
}

static bool has_any(hpf_str text, const char *const *list)
{
    while (*list && !hpf_str_find(text, *list)) {
        list++;
    }
    return *list != NULL;
}

/* Returns whether a frame is of Python: its place is a script, or code without a file. */
static bool is_python(const hpf_frame *f)
{
    static const char *const others[] = {"<frozen ", "<string>", "<stdin>", NULL};
    return hpf_str_find(f->source, ".py:") || begins_with_any(f->source, others);
}

/* Returns the owner of a place. A command of a Python package only calls the package. */
static hpf_frame_owner owner_of_source(hpf_str source)
{
    static const char *const packages[] = {"/site-packages/", "/dist-packages/",
                                           "/.cargo/registry/", NULL};
    static const char *const standard[] = {"/include/c++/", "libstdc++-v3/", "/rustc/",
                                           "/lib/python", NULL};
    static const char *const installed[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/",
                                            NULL};
    bool is_command = hpf_str_find(source, "/bin/") && !hpf_str_find(hpf__base_name(source), ".");
    return is_command || has_any(source, packages)                          ? HPF_FRAME_OF_LIBRARY
           : has_any(source, standard) || hpf_str_begins(source, "<frozen") ? HPF_FRAME_OF_STANDARD
           : begins_with_any(source, installed)                             ? HPF_FRAME_OF_LIBRARY
                                                                            : HPF_FRAME_OF_PROGRAM;
}

static bool is_of_standard_module(hpf_str module)
{
    static const char *const modules[] = {
        "libc.so",   "libc-2",  "ld-linux",   "ld-musl", "libm.so",  "libpthread.so", "libgcc_s.so",
        "libstdc++", "libc++.", "libc++abi.", "libstd-", "librt.so", "libdl.so",      NULL};
    return begins_with_any(hpf__base_name(module), modules);
}

/* Returns whether a function without a known place is one of C++, Rust or the loader by its name,
 * perhaps with a return type before it: "void std::sort<int*>(int*, int*)". */
static bool is_of_standard_label(hpf_str label)
{
    static const char *const names[] = {
        "std::",           "<std::",        "__gnu_cxx::",    "alloc::alloc::", "alloc::boxed::",
        "alloc::borrow::", "alloc::coll",   "alloc::fmt::",   "alloc::raw_vec", "alloc::rc::",
        "alloc::slice::",  "alloc::str",    "alloc::sync::",  "alloc::vec::",   "<alloc::",
        "core::array::",   "core::clone::", "core::fmt::",    "core::iter::",   "core::ops::",
        "core::option::",  "core::ptr::",   "core::result::", "core::slice::",  "core::str::",
        "<core::",         "hashbrown::",   "_dl_",           "call_init",      NULL};
    const char *type_end = hpf_str_find(label, " std::");
    if (type_end && !memchr(label.data, '(', (size_t)(type_end - label.data))) {
        return true;
    }
    return begins_with_any(label, names);
}

hpf_frame_owner hpf_frame_rules_owner(const hpf_frame_rules *rules, const hpf_frame *frame)
{
    if (!rules || rules->skips_none) {
        return HPF_FRAME_OF_PROGRAM;
    }
    if (is_skipped(rules, frame->label)) {
        return HPF_FRAME_OF_ALLOCATOR;
    }
    hpf_str module =
        hpf_str_begins(frame->label, "[") ? hpf_str_from(frame->label, 1) : frame->module;
    if (is_of_standard_module(module)) {
        return HPF_FRAME_OF_STANDARD;
    }
    if (frame->source.length > 0) {
        return owner_of_source(frame->source);
    }
    bool is_nameless = module.data == frame->label.data + 1 && hpf_str_find(module, ".so");
    return is_of_standard_label(frame->label) ? HPF_FRAME_OF_STANDARD
           : is_nameless                      ? HPF_FRAME_OF_LIBRARY
                                              : HPF_FRAME_OF_PROGRAM;
}

size_t hpf_frame_rules_own(const hpf_frame_rules *rules, const hpf_frame *frames, size_t n)
{
    hpf_frame_owner best = HPF_FRAME_OF_ALLOCATOR;
    size_t own = 0;
    bool has_python = false;
    for (size_t i = 0; i < n && !has_python && rules && !rules->skips_none; i++) {
        has_python = is_python(&frames[i]);
    }
    for (size_t i = 0; i < n && best > HPF_FRAME_OF_PROGRAM; i++) {
        hpf_frame_owner owner = has_python && !is_python(&frames[i])
                                    ? HPF_FRAME_OF_ALLOCATOR
                                    : hpf_frame_rules_owner(rules, &frames[i]);
        if (owner < best) {
            best = owner;
            own = i;
        }
    }
    return own;
}
