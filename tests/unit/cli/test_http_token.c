/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tokens, and the files that store them.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "watch/web/http_guard.h"

Test(http_token, secrets_differ)
{
    char one[HTTP_TOKEN_LENGTH + 1];
    char other[HTTP_TOKEN_LENGTH + 1];
    cr_assert(http_make_secret(one, HTTP_TOKEN_BYTES));
    cr_assert(http_make_secret(other, HTTP_TOKEN_BYTES));
    cr_expect_eq(strspn(one, "0123456789abcdef"), HTTP_TOKEN_LENGTH);
    cr_expect_eq(strlen(one), HTTP_TOKEN_LENGTH);
    cr_expect_str_neq(one, other);
    cr_expect(!http_make_secret(one, HTTP_TOKEN_BYTES + 1));
}

Test(http_token, file_keeps_the_token)
{
    char one[HTTP_TOKEN_LENGTH + 1];
    char other[HTTP_TOKEN_LENGTH + 1] = "";
    struct stat st;
    scratch_begin();
    const char *path = scratch_path("token");
    mode_t before = umask(0);
    cr_assert_eq(http_token_from_file(one, path, NULL), HPF_OK);
    umask(before);
    cr_assert_eq(http_token_from_file(other, path, NULL), HPF_OK);
    cr_expect_str_eq(one, other);
    cr_assert_eq(stat(path, &st), 0);
    cr_expect_eq(st.st_mode & 07777, 0600);
    scratch_end();
}

Test(http_token, rejects_pipes_and_files_of_others)
{
    enum { OTHER_USER = 65534 };
    static const char good[] = "00112233445566778899aabbccddeeff\n";
    char token[HTTP_TOKEN_LENGTH + 1];
    hpf_error err = {0};
    scratch_begin();
    const char *pipe = scratch_path("pipe");
    cr_assert_eq(mkfifo(pipe, 0600), 0);
    cr_expect_eq(http_token_from_file(token, pipe, &err), HPF_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "regular file"), "%s", err.message);
    const char *path = scratch_path("token");
    write_file(path, (hpf_str){good, sizeof good - 1});
    cr_assert_eq(chmod(path, 0600), 0);
    if (chown(path, OTHER_USER, OTHER_USER) == 0) { /* by root only */
        cr_expect_eq(http_token_from_file(token, path, &err), HPF_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "another user"), "%s", err.message);
    }
    scratch_end();
}

static void expect_refused(const char *text, mode_t mode)
{
    char token[HTTP_TOKEN_LENGTH + 1];
    hpf_error err = {0};
    const char *path = scratch_path("token");
    write_file(path, (hpf_str){text, strlen(text)});
    cr_assert_eq(chmod(path, mode), 0);
    cr_expect_eq(http_token_from_file(token, path, &err), HPF_ERR_ARGUMENT, "%s", text);
    cr_expect(strstr(err.message, "token"), "%s", err.message);
}

Test(http_token, rejects_invalid_files)
{
    static const char good[] = "00112233445566778899aabbccddeeff";
    scratch_begin();
    expect_refused("", 0600);
    expect_refused("0011\n", 0600);
    expect_refused("00112233445566778899AABBCCDDEEFF\n", 0600);
    expect_refused("00112233445566778899aabbccddeeff0\n", 0600);
    expect_refused(good, 0640);
    expect_refused(good, 0604);
    hpf_error err = {0};
    char token[HTTP_TOKEN_LENGTH + 1];
    cr_expect_eq(http_token_from_file(token, scratch_path("no/such"), &err), HPF_ERR_IO);
    scratch_end();
}
