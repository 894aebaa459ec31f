/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Random tokens, which can be kept in a file.
 */
#include "http_token.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool http_make_secret(char *out, size_t n_bytes)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[HTTP_TOKEN_BYTES];
    if (n_bytes > sizeof bytes) {
        errno = EINVAL;
        return false;
    }
    if (getrandom(bytes, n_bytes, 0) != (ssize_t)n_bytes) {
        return false;
    }
    for (size_t i = 0; i < n_bytes; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * n_bytes] = '\0';
    return true;
}

static hpf_status read_token(char out[HTTP_TOKEN_LENGTH + 1], int fd, const char *path,
                             hpf_error *err)
{
    char text[HTTP_TOKEN_LENGTH + 2] = "";
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return hpf_error_set_os(err, errno, "cannot read %s", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "%s: the token must be in a regular file",
                             path);
    }
    if (st.st_uid != geteuid()) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "%s belongs to another user, who would know the token", path);
    }
    ssize_t n = read(fd, text, sizeof text - 1);
    if (n < 0) {
        return hpf_error_set_os(err, errno, "cannot read %s", path);
    }
    if (st.st_mode & (S_IRWXG | S_IRWXO)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "%s can be read by other users: use chmod 600",
                             path);
    }
    if (strspn(text, "0123456789abcdef") != HTTP_TOKEN_LENGTH ||
        (n > HTTP_TOKEN_LENGTH && text[HTTP_TOKEN_LENGTH] != '\n')) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "%s: expected a token of %d hexadecimal digits in the first line",
                             path, HTTP_TOKEN_LENGTH);
    }
    memcpy(out, text, HTTP_TOKEN_LENGTH);
    out[HTTP_TOKEN_LENGTH] = '\0';
    return HPF_OK;
}

static bool write_token(int fd, char token[HTTP_TOKEN_LENGTH + 1])
{
    if (!http_make_secret(token, HTTP_TOKEN_BYTES)) {
        return false;
    }
    token[HTTP_TOKEN_LENGTH] = '\n';
    bool is_written = write(fd, token, HTTP_TOKEN_LENGTH + 1) == HTTP_TOKEN_LENGTH + 1;
    token[HTTP_TOKEN_LENGTH] = '\0';
    return is_written;
}

hpf_status http_token_from_file(char out[HTTP_TOKEN_LENGTH + 1], const char *path, hpf_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    hpf_status status = HPF_OK;
    if (fd >= 0) {
        status =
            write_token(fd, out) ? HPF_OK : hpf_error_set_os(err, errno, "cannot write %s", path);
    } else if (errno == EEXIST &&
               (fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) >= 0) {
        status = read_token(out, fd, path, err);
    } else {
        return hpf_error_set_os(err, errno, "cannot open %s", path);
    }
    close(fd);
    return status;
}
