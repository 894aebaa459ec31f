/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The version of the libraries hpfile, hprender and hpprof, which is one.
 *
 * Before 1.0, each minor version may change the interface: members and functions go. Such a version
 * has a soname of its own (libhpfile.so.0.1), so that a program never runs with another interface
 * than it was compiled for. Micro versions remove nothing.
 *
 * Structs of options, which a program fills, begin with their size, and get new members at the end:
 *
 *     hpf_source_options options = {.size = sizeof options, .keep = true};
 *
 * The library reads no more than these bytes, and takes all later members as zero, which is their
 * default: a program works with a library that is newer than its headers. Errors: ARGUMENT for a
 * size that is not set, or is larger than the library's. Structs that the library creates also get
 * members at the end: use them by their address.
 */
#ifndef HPFILE_VERSION_H
#define HPFILE_VERSION_H

#include "hpfile/error.h"

HPF_BEGIN_DECLS

/* What the program is compiled for. The build reads the version of the project from here. */
#define HPF_VERSION_MAJOR 0
#define HPF_VERSION_MINOR 1
#define HPF_VERSION_MICRO 0

/* Returns whether that is at least a version: #if HPF_VERSION_IS_AT_LEAST(0, 2, 0). */
#define HPF_VERSION_IS_AT_LEAST(major, minor, micro)                                               \
    (HPF_VERSION_MAJOR > (major) ||                                                                \
     (HPF_VERSION_MAJOR == (major) &&                                                              \
      (HPF_VERSION_MINOR > (minor) ||                                                              \
       (HPF_VERSION_MINOR == (minor) && HPF_VERSION_MICRO >= (micro)))))

/* Returns the version of the library that the program runs with, "0.1.0": static. */
HPF_API const char *hpf_version(void);

HPF_END_DECLS
#endif
