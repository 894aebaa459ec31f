/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Loads the library into a running process, and calls its functions (attach_calls.h).
 *
 * The process makes a file in memory, this one copies the library into it, and the process loads
 * it: so the process may belong to another user, and see other files. A process that was attached
 * before has the library already, and its threads may still be in it: it gets another copy, under
 * another path.
 */
#include "hpprof/collector.h"

#include "base/descriptor.h"
#include "attach_calls.h"
#include "native/collector/collector_mark.h"
#include "native/collector/image/proc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY_NAME "libcensus-preload.so"

/* Copies the library to a file of the process. */
static bool copy_library(const hpp__guest *g, const char *library, int file)
{
    char bytes[65536], path[64];
    snprintf(path, sizeof path, "/proc/%u/fd/%d", (unsigned)g->tracer.process_id, file);
    int from = open(library, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    ssize_t n = -1;
    while (to >= 0 && (n = read(from, bytes, sizeof bytes)) > 0) {
        if (write(to, bytes, (size_t)n) != n) {
            n = -1;
            break;
        }
    }
    int error = errno;
    hpf__close(from);
    hpf__close(to);
    errno = error;
    return n == 0;
}

/* Calls a function of libc. */
static hpf_status call_libc(const hpp__guest *g, const char *name, const char *text,
                            uint64_t number, uint64_t *result, hpf_error *err)
{
    const uint64_t arguments[3] = {0, number, 0};
    uint64_t function = hpp__memory_symbol(g->tracer.process_id, g->libc, name, NULL);
    return function != 0 ? hpp__guest_call(g, function, text, arguments, result, err)
                         : hpf_error_set(err, HPF_ERR_UNSUPPORTED, "its libc has no %s", name);
}

/* Writes a path of a file of the process that no copy of the library was loaded from: each bit of
 * the number of copies is a slash with or without a dot. */
static void name_copy(const hpp__guest *g, int file, char *out, size_t n_bytes)
{
    unsigned n_copies = 0;
    for (size_t i = 0; i < g->mappings.n; i++) {
        n_copies += strstr(g->mappings.all[i].path, LIBRARY_NAME) != NULL;
    }
    size_t n = (size_t)snprintf(out, n_bytes, "/proc/self/fd");
    for (unsigned bit = 1; bit != 1u << 16; bit <<= 1) {
        n += (size_t)snprintf(out + n, n_bytes - n, n_copies & bit ? "/." : "/");
    }
    snprintf(out + n, n_bytes - n, "/%d", file);
}

/* Loads the library into the process. Stores the address of its object. */
static hpf_status load(const hpp__guest *g, const char *library, uint64_t *bias, hpf_error *err)
{
    uint64_t file, handle, text;
    char path[256], why[200] = "";
    hpf_status status = call_libc(g, "memfd_create", LIBRARY_NAME, MFD_CLOEXEC, &file, err);
    if (status != HPF_OK) {
        return status;
    }
    if ((int)file < 0 || !hpp__guest_close_later(g, (int)file)) {
        return hpf_error_set(err, HPF_ERR_IO, "it cannot make a file for the profiling library");
    }
    if (!copy_library(g, library, (int)file)) {
        return hpf_error_set_os(err, errno, "cannot copy the profiling library");
    }
    name_copy(g, (int)file, path, sizeof path);
    status = call_libc(g, "dlopen", path, RTLD_NOW, &handle, err);
    if (status == HPF_OK && handle == 0) {
        status = call_libc(g, "dlerror", NULL, 0, &text, err);
        if (status == HPF_OK) {
            hpp__guest_read_text(g, text, why, sizeof why);
            status =
                hpf_error_set(err, HPF_ERR_IO, "it cannot load the profiling library: %s", why);
        }
        return status;
    }
    if (status != HPF_OK) {
        return status;
    }
    return hpp__proc_read_memory(g->tracer.process_id, bias, handle,
                                 sizeof *bias) /* l_addr is first */
               ? HPF_OK
               : hpf_error_set_os(err, errno, "cannot read its memory");
}

/* Says why the data of a process in /proc cannot be read. */
static hpf_status refused_data(long process_id, hpf_error *err)
{
    char path[64];
    struct stat folder;
    snprintf(path, sizeof path, "/proc/%ld", process_id);
    if (geteuid() != 0 && stat(path, &folder) == 0 && folder.st_uid != geteuid()) {
        return hpf_error_set(
            err, HPF_ERR_IO,
            "it belongs to the user with number %u: attach as this user or as root",
            (unsigned)folder.st_uid);
    }
    return hpf_error_set(err, HPF_ERR_IO,
                         "it has privileges that you lack (the first process of a container, a "
                         "set-user-ID program), so the kernel does not let you read it");
}

/* Checks what would make profiling harm the process, or fail. */
static hpf_status check_process(long process_id, const char *settings, hpf_error *err)
{
    char path[64];
    uint32_t tracer_id = hpp__proc_tracer((uint32_t)process_id);
    snprintf(path, sizeof path, "/proc/%ld", process_id);
    if (access(path, F_OK) != 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "there is no such process");
    }
    if (tracer_id != 0) {
        return hpp__tracer_refused(tracer_id, 0, err);
    }
    snprintf(path, sizeof path, "/proc/%ld/exe", process_id);
    if (access(path, R_OK) != 0) {
        return errno == ENOENT
                   ? hpf_error_set(err, HPF_ERR_IO, "it has no program any more: it is ending")
                   : refused_data(process_id, err);
    }
    hpp__mappings mappings = {0};
    hpp__mappings_read(&mappings, (uint32_t)process_id);
    bool has_library = hpp__mappings_named(&mappings, LIBRARY_NAME) != NULL;
    hpp__mappings_free(&mappings);
    if (has_library) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "it was started by census run");
    }
    if (hpp__mark_finds_other((uint32_t)process_id, settings)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "another census profiles it");
    }
    return hpp_program_check(path, err);
}

hpf_status hpp_attach(hpp_attached *out, long process_id, const char *library, const char *settings,
                      hpf_error *err)
{
    static hpp__guest g;
    const uint64_t none[3] = {0};
    uint64_t bias = 0, attach_at, result = 0;
    hpf_status status = check_process(process_id, settings, err);
    if (status != HPF_OK) {
        return status;
    }
    g = (hpp__guest){0};
    status = hpp__guest_enter(&g, (uint32_t)process_id, err);
    if (status == HPF_OK) {
        status = load(&g, library, &bias, err);
    }
    if (status == HPF_OK) {
        attach_at = hpp__memory_symbol((uint32_t)process_id, bias, "census_attach", NULL);
        *out = (hpp_attached){
            process_id, hpp__memory_symbol((uint32_t)process_id, bias, "census_detach", NULL)};
        status = hpp__guest_call(&g, attach_at, settings, none, &result, err);
    }
    hpp__guest_leave(&g);
    return status == HPF_OK && (uint32_t)result != 0
               ? hpf_error_set(err, HPF_ERR_IO, "it cannot connect to census")
               : status;
}

/* Returns whether a process still has the library that it was attached with: it may have ended, or
 * be another program since. */
static bool has_library(const hpp_attached *attached)
{
    hpp__mappings mappings = {0};
    hpp__mappings_read(&mappings, (uint32_t)attached->process_id);
    const hpp__mapping *at = hpp__mappings_at(&mappings, attached->detach_at);
    bool is_there = at && strstr(at->path, LIBRARY_NAME);
    hpp__mappings_free(&mappings);
    return is_there;
}

/* What waits for a collector that cannot be served goes on after some time. */
static void serve(void *collector)
{
    hpf_error err;
    hpf_status status = hpp_collector_serve(collector, &err);
    (void)status;
}

hpf_status hpp_detach(const hpp_attached *attached, hpp_collector *collector, hpf_error *err)
{
    static hpp__guest g;
    const uint64_t none[3] = {0};
    uint64_t result;
    if (!has_library(attached)) {
        return HPF_OK;
    }
    g = (hpp__guest){.between = serve, .between_context = collector};
    hpf_status status = hpp__guest_enter(&g, (uint32_t)attached->process_id, err);
    if (status == HPF_OK) {
        status = hpp__guest_call(&g, attached->detach_at, NULL, none, &result, err);
    }
    hpp__guest_leave(&g);
    return status == HPF_OK || has_library(attached) ? status : HPF_OK;
}
