/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The temporary file is unlinked as soon as it is open, so it disappears however the program ends.
 */
#include "io/spool.h"

#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void hpf__spool_init(hpf__spool *spool, const char *directory)
{
    *spool = (hpf__spool){.fd = -1, .directory = directory ? directory : "/tmp"};
}

static int open_unnamed(const char *directory)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/census-XXXXXX", directory);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

static hpf_status write_all(hpf__spool *spool, hpf_str bytes, hpf_error *err)
{
    while (bytes.length) {
        ssize_t n = write(spool->fd, bytes.data, bytes.length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return hpf_error_set_os(err, errno, "cannot write a temporary file in %s",
                                    spool->directory);
        }
        bytes.data += n;
        bytes.length -= (size_t)n;
    }
    return HPF_OK;
}

static hpf_status move_to_file(hpf__spool *spool, hpf_error *err)
{
    spool->fd = open_unnamed(spool->directory);
    if (spool->fd < 0) {
        return hpf_error_set_os(err, errno, "cannot create a temporary file in %s",
                                spool->directory);
    }
    hpf_status status = write_all(spool, hpf__buffer_str(&spool->memory), err);
    hpf__buffer_finish(&spool->memory);
    return status;
}

hpf_status hpf__spool_append(hpf__spool *spool, hpf_str bytes, hpf_error *err)
{
    if (spool->fd < 0 && bytes.length <= HPF__SPOOL_MEMORY_BYTES - spool->memory.length) {
        spool->length += bytes.length;
        return hpf__buffer_add(&spool->memory, bytes) ? HPF_OK : hpf_error_set_memory(err);
    }
    if (spool->fd < 0) {
        hpf_status status = move_to_file(spool, err);
        if (status != HPF_OK) {
            return status;
        }
    }
    spool->length += bytes.length;
    return write_all(spool, bytes, err);
}

hpf_status hpf__spool_read(hpf__spool *spool, uint64_t offset, void *into, size_t length,
                           hpf_error *err)
{
    if (spool->fd < 0) {
        if (length) {
            memcpy(into, spool->memory.bytes + offset, length);
        }
        return HPF_OK;
    }
    char *to = into;
    while (length) {
        ssize_t n = pread(spool->fd, to, length, (off_t)offset);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return hpf_error_set_os(err, n < 0 ? errno : EIO, "cannot read a temporary file");
        }
        to += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return HPF_OK;
}

void hpf__spool_finish(hpf__spool *spool)
{
    hpf__close(spool->fd);
    hpf__buffer_finish(&spool->memory);
}
