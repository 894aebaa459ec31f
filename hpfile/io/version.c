/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/version.h"

#define TEXT(major, minor, micro) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(micro)
#define TEXT_OF(number)           #number

const char *hpf_version(void)
{
    return TEXT(HPF_VERSION_MAJOR, HPF_VERSION_MINOR, HPF_VERSION_MICRO);
}
