/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Says why a program cannot be profiled.
 */
#include "hpprof/collector.h"

#include <fcntl.h>

#include "native/loading/loading.h"

bool hpp_program_has_sanitizer(const char *path, const char *preloaded)
{
    char loader[HPP_LOADER_PATH_BYTES];
    return hpp__loading_check(AT_FDCWD, path, loader) == HPP_LOADING_SANITIZER ||
           (preloaded && hpp__loading_names_sanitizer(preloaded));
}

hpf_status hpp_program_check(const char *path, hpf_error *err)
{
    static const char *const reasons[] = {
        [HPP_LOADING_USER] =
            "it changes its user at start (set-user-ID), which disables LD_PRELOAD: "
            "profile it as that user",
        [HPP_LOADING_GROUP] = "it changes its group at start (set-group-ID), which disables "
                              "LD_PRELOAD: profile it as that group",
        [HPP_LOADING_CAPABILITIES] = "it gains capabilities at start, which disables LD_PRELOAD: "
                                     "profile it as root, or profile a copy of it",
        [HPP_LOADING_NO_PROGRAM] = "it is neither an ELF program nor a script",
        [HPP_LOADING_32_BIT] = "it is a 32-bit program; only 64-bit ones can be profiled",
        [HPP_LOADING_MACHINE] = "it is a program for another kind of processor",
        [HPP_LOADING_NO_START] = "it is not a program",
        [HPP_LOADING_STATIC] = "it is linked statically, so its malloc cannot be replaced: "
                               "link it dynamically",
        [HPP_LOADING_SANITIZER] = "it has a sanitizer (of addresses, threads or memory), which "
                                  "replaces malloc itself: compile it without",
    };
    char loader[HPP_LOADER_PATH_BYTES];
    hpp_loading result = hpp__loading_check(AT_FDCWD, path, loader);
    switch (result) {
    case HPP_LOADABLE:
        return HPF_OK;
    case HPP_LOADING_UNREADABLE:
        return hpf_error_set(err, HPF_ERR_IO,
                             "its file, or the one of its interpreter, is unreadable");
    case HPP_LOADING_LIBC:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it is not linked to glibc (its loader is %.80s)", loader);
    case HPP_LOADING_OLD_LIBC:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it needs glibc 2.35 or later (its loader is %.80s)", loader);
    default:
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s", reasons[result]);
    }
}
