/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The error struct: what is filled, and that long texts are cut, not overrun. The version.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/error.h"
#include "hpfile/version.h"

Test(error, set_fills_all_members)
{
    hpf_error err;
    memset(&err, 0xff, sizeof err);
    hpf_status status = hpf_error_set(&err, HPF_ERR_RANGE, "%d is too much", 7);
    cr_assert_eq(status, HPF_ERR_RANGE);
    cr_assert_eq(err.status, HPF_ERR_RANGE);
    cr_assert_eq(err.line, 0);
    cr_assert_eq(err.os_errno, 0);
    cr_assert_str_eq(err.message, "7 is too much");
}

Test(error, null_is_allowed)
{
    cr_assert_eq(hpf_error_set(NULL, HPF_ERR_SYNTAX, "x"), HPF_ERR_SYNTAX);
    cr_assert_eq(hpf_error_set_os(NULL, ENOENT, "x"), HPF_ERR_IO);
}

Test(error, os_text_is_appended)
{
    hpf_error err;
    hpf_error_set_os(&err, ENOENT, "cannot open x");
    cr_assert_eq(err.os_errno, ENOENT);
    cr_assert_str_eq(err.message, "cannot open x: No such file or directory");
}

Test(error, long_message_is_cut)
{
    hpf_error err;
    char text[1000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    hpf_error_set_os(&err, EIO, "%s", text);
    cr_assert_eq(strlen(err.message), sizeof err.message - 1);
}

Test(error, every_status_has_a_name)
{
    for (int status = HPF_OK; status <= HPF_ERR_UNSUPPORTED; status++) {
        cr_assert_str_neq(hpf_status_name((hpf_status)status), "unknown status");
    }
}

Test(error, the_version_is_that_of_the_headers)
{
    char expected[40];
    snprintf(expected, sizeof expected, "%d.%d.%d", HPF_VERSION_MAJOR, HPF_VERSION_MINOR,
             HPF_VERSION_MICRO);
    cr_assert_str_eq(hpf_version(), expected);
    cr_assert(HPF_VERSION_IS_AT_LEAST(0, 1, 0) && !HPF_VERSION_IS_AT_LEAST(1000, 0, 0));
}
