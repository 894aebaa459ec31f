/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a running process call functions, by ptrace(2): one thread is stopped, gets the registers
 * of a call whose return address is 0, and stops again by the fault when the function returns. Then
 * it gets its own registers back. A system call in which it was blocked continues, or begins again.
 *
 * The thread must not hold a lock that dlopen takes: those of the allocator and of the loader. It
 * does not where it is blocked in a system call that neither of them makes, and where it executes
 * code of an object that is neither.
 */
#include "collector.h"

#include "native/image/proc.h"
#include "native/image/tracer.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    STATE_BYTES = 16384, /* of the floating-point and vector registers */
    RED_ZONE_BYTES = 128,
    N_TRIES = 5000,   /* to stop a thread at a safe point, a millisecond apart */
    FIRST_FILE = 100, /* descriptors of copies of the library have numbers from here on, */
    N_FILES = 800,    /* so that each copy has a path of its own */
};
static const uint64_t call_patience_ns = 20000000000;

static void pause_ms(void)
{
    const struct timespec ms = {0, 1000000};
    nanosleep(&ms, NULL);
}

/* ---- objects of the process ------------------------------------------------------------------ */

/* A mapping that is executable or begins an object. */
typedef struct mapping {
    uint64_t begin, end, offset;
    char path[PATH_MAX];
} mapping;

/* Finds the mapping that contains `address`, or, if that is 0, the first one of a file with this
 * name. */
static bool find_mapping(mapping *out, long process_id, uint64_t address, const char *name)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    bool is_found = false;
    snprintf(path, sizeof path, "/proc/%ld/maps", process_id);
    FILE *maps = fopen(path, "re");
    while (maps && !is_found && getline(&line, &room, maps) > 0) {
        int path_at = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &out->begin,
                   &out->end, &out->offset, &path_at) < 3) {
            continue;
        }
        snprintf(out->path, sizeof out->path, "%s", path_at > 0 ? line + path_at : "");
        out->path[strcspn(out->path, "\n")] = '\0';
        const char *slash = strrchr(out->path, '/');
        is_found = address ? address >= out->begin && address < out->end
                           : slash && strcmp(slash + 1, name) == 0;
    }
    free(line);
    if (maps) {
        fclose(maps);
    }
    return is_found;
}

/* Returns the value of a symbol that an object file defines for others, or 0. The file is
 * untrusted: what is outside of it is not there. */
static uint64_t find_symbol(const char *path, const char *name)
{
    struct stat file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &file) != 0 || file.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        if (fd >= 0) {
            close(fd);
        }
        return 0;
    }
    size_t n_bytes = (size_t)file.st_size;
    char *bytes = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) {
        return 0;
    }
    const Elf64_Ehdr *head = (const void *)bytes;
    const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
    uint64_t found = 0;
    bool is_elf = memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_shoff <= n_bytes &&
                  head->e_shoff % _Alignof(Elf64_Shdr) == 0 &&
                  head->e_shnum <= (n_bytes - head->e_shoff) / sizeof *sections;
    for (size_t i = 0; is_elf && i < head->e_shnum; i++) {
        const Elf64_Shdr *table = &sections[i], *texts;
        if (table->sh_type != SHT_DYNSYM || table->sh_link >= head->e_shnum) {
            continue;
        }
        texts = &sections[table->sh_link];
        if (table->sh_offset % _Alignof(Elf64_Sym) != 0 || table->sh_offset > n_bytes ||
            table->sh_size > n_bytes - table->sh_offset || texts->sh_offset > n_bytes ||
            texts->sh_size > n_bytes - texts->sh_offset) {
            continue;
        }
        const Elf64_Sym *symbols = (const void *)(bytes + table->sh_offset);
        size_t length = strlen(name) + 1;
        for (size_t k = 0; k < table->sh_size / sizeof *symbols && found == 0; k++) {
            bool is_there = symbols[k].st_shndx != SHN_UNDEF &&
                            symbols[k].st_name < texts->sh_size &&
                            length <= texts->sh_size - symbols[k].st_name;
            if (is_there &&
                memcmp(bytes + texts->sh_offset + symbols[k].st_name, name, length) == 0) {
                found = symbols[k].st_value;
            }
        }
    }
    munmap(bytes, n_bytes);
    return found;
}

/* Returns the value of a symbol in a file of the process, or 0. */
static uint64_t find_symbol_of(long process_id, const mapping *object, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "/proc/%ld/root%s", process_id, object->path);
    return find_symbol(path, name);
}

/* ---- a stopped thread ------------------------------------------------------------------------ */

typedef struct stopped {
    hpp__tracer tracer;
    const hpp__traced *thread;
    char state[STATE_BYTES];
    size_t n_state;
    uint64_t mask; /* of signals */
} stopped;

/* Stops a thread, and reads its registers. Returns false if that fails. */
static bool stop(stopped *s, uint32_t thread_id)
{
    struct iovec state = {s->state, sizeof s->state};
    s->thread = hpp__tracer_stop_one(&s->tracer, thread_id);
    if (s->thread && ptrace(PTRACE_GETREGSET, thread_id, NT_X86_XSTATE, &state) == 0 &&
        ptrace(PTRACE_GETSIGMASK, thread_id, sizeof s->mask, &s->mask) == 0) {
        s->n_state = state.iov_len;
        return true;
    }
    int error = errno;
    hpp__tracer_go_on(&s->tracer);
    errno = error;
    return false;
}

static bool is_waiting(long number)
{
    static const long calls[] = {
        SYS_read,         SYS_readv,     SYS_write,         SYS_writev,          SYS_poll,
        SYS_ppoll,        SYS_select,    SYS_pselect6,      SYS_epoll_wait,      SYS_epoll_pwait,
        SYS_epoll_pwait2, SYS_nanosleep, SYS_futex,         SYS_clock_nanosleep, SYS_wait4,
        SYS_waitid,       SYS_pause,     SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_accept,
        SYS_accept4,      SYS_recvfrom,  SYS_recvmsg,       SYS_recvmmsg,        SYS_sendto,
        SYS_sendmsg,      SYS_connect,   SYS_flock,         SYS_io_getevents,    SYS_semtimedop,
        SYS_semop,        SYS_msgrcv,
    };
    size_t i = 0;
    while (i < sizeof calls / sizeof *calls && calls[i] != number) {
        i++;
    }
    return i < sizeof calls / sizeof *calls;
}

/* Returns whether the thread holds no lock that dlopen takes. */
static bool is_safe(const stopped *s)
{
    mapping at;
    uint32_t process_id = s->tracer.process_id;
    if (!find_mapping(&at, process_id, s->thread->registers.rip, NULL) || at.path[0] != '/' ||
        find_symbol_of(process_id, &at, "__tls_get_addr") != 0) { /* the loader */
        return false;
    }
    long number = (long)s->thread->registers.orig_rax;
    return number >= 0 ? is_waiting(number) : find_symbol_of(process_id, &at, "malloc") == 0;
}

/* Stops a thread of the process at a safe point, if possible the first one. Call let_go in any
 * case.
 */
static hpf_status stop_safely(stopped *s, long process_id, hpf_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", process_id);
    hpp__tracer_init(&s->tracer, (uint32_t)process_id);
    for (int i = 0; i < N_TRIES; i++) {
        DIR *threads = opendir(path);
        if (!threads) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT, "there is no such process");
        }
        for (const struct dirent *e; (e = readdir(threads));) {
            uint32_t thread_id = (uint32_t)atol(e->d_name);
            if (thread_id > 0 && stop(s, thread_id)) {
                if (is_safe(s)) {
                    closedir(threads);
                    return HPF_OK;
                }
                hpp__tracer_go_on(&s->tracer);
            } else if (thread_id == process_id && errno == EPERM) {
                closedir(threads);
                return hpp__tracer_refused(hpp__proc_tracer(s->tracer.process_id),
                                           hpp__proc_ptrace_scope(HPP__PTRACE_SCOPE), err);
            }
        }
        closedir(threads);
        hpp__tracer_follow_up(&s->tracer);
        pause_ms();
    }
    return hpf_error_set(err, HPF_ERR_IO, "none of its threads could be stopped at a safe point");
}

/* Gives the thread that called functions its registers back. */
static void restore(const stopped *s)
{
    pid_t id = (pid_t)s->thread->id;
    struct iovec state = {(void *)(uintptr_t)s->state, s->n_state};
    ptrace(PTRACE_SETREGSET, id, NT_X86_XSTATE, &state);
    ptrace(PTRACE_SETREGS, id, 0, &s->thread->registers);
    ptrace(PTRACE_SETSIGMASK, id, sizeof s->mask, &s->mask);
}

static void let_go(stopped *s)
{
    hpp__tracer_go_on(&s->tracer);
    hpp__tracer_finish(&s->tracer);
}

static bool copy_to(const stopped *s, uint64_t address, const void *bytes, size_t n)
{
    struct iovec from = {(void *)(uintptr_t)bytes, n}, to = {(void *)(uintptr_t)address, n};
    return process_vm_writev((pid_t)s->thread->id, &from, 1, &to, 1, 0) == (ssize_t)n;
}

/* Copies at most `n` bytes; stops at the end of the memory. */
static bool copy_from(const stopped *s, uint64_t address, void *bytes, size_t n)
{
    struct iovec to = {bytes, n}, from = {(void *)(uintptr_t)address, n};
    return process_vm_readv((pid_t)s->thread->id, &to, 1, &from, 1, 0) > 0;
}

/* Calls a function with a text and a number. Signals wait meanwhile. */
static hpf_status call(const stopped *s, uint64_t function, const char *text, uint64_t number,
                       uint64_t *result, hpf_error *err)
{
    pid_t id = (pid_t)s->thread->id;
    struct user_regs_struct r = s->thread->registers;
    const uint64_t faults = 1u << (SIGSEGV - 1) | 1u << (SIGBUS - 1) | 1u << (SIGILL - 1) |
                            1u << (SIGFPE - 1) | 1u << (SIGTRAP - 1);
    uint64_t mask = ~faults, return_to = 0;
    size_t n = strlen(text) + 1;
    uint64_t place = (r.rsp - RED_ZONE_BYTES - n) & ~(uint64_t)63;
    r.rsp = place - sizeof return_to;
    r.rip = function;
    r.rdi = place;
    r.rsi = number;
    r.rax = 0;
    r.orig_rax = (unsigned long long)-1;
    if (!copy_to(s, place, text, n) || !copy_to(s, r.rsp, &return_to, sizeof return_to) ||
        ptrace(PTRACE_SETSIGMASK, id, sizeof mask, &mask) != 0 ||
        ptrace(PTRACE_SETREGS, id, 0, &r) != 0) {
        return hpf_error_set_os(err, errno, "cannot change its registers");
    }
    int status;
    do {
        status = ptrace(PTRACE_CONT, id, 0, 0) == 0
                     ? hpp__tracer_wait(s->thread->id, hpp__tracer_now_ns() + call_patience_ns)
                     : 0;
    } while (status >> 8 == PTRACE_EVENT_STOP);
    if (status == 0) {
        return hpf_error_set(err, HPF_ERR_IO, "a call in it does not return");
    }
    if (ptrace(PTRACE_GETREGS, id, 0, &r) != 0 || status != SIGSEGV || r.rip != return_to) {
        return hpf_error_set(err, HPF_ERR_IO, "a call in it failed with signal %d", status & 0xff);
    }
    *result = r.rax;
    return HPF_OK;
}

/* ---- the library ----------------------------------------------------------------------------- */

/* Copies the library to a file in memory. A process that was attached before has it already, and
 * its threads may still be in it: it gets another copy, under another path. Returns a descriptor,
 * or -1. */
static int copy_library(const char *library)
{
    char bytes[65536];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int from = open(library, O_RDONLY | O_CLOEXEC);
    int memory = memfd_create("libcensus-preload.so", MFD_CLOEXEC);
    ssize_t n = -1;
    if (from >= 0 && memory >= 0) {
        while ((n = read(from, bytes, sizeof bytes)) > 0 && write(memory, bytes, (size_t)n) == n) {
        }
    }
    int copy = n == 0 ? fcntl(memory, F_DUPFD_CLOEXEC, FIRST_FILE + now.tv_nsec % N_FILES) : -1;
    if (from >= 0) {
        close(from);
    }
    if (memory >= 0) {
        close(memory);
    }
    return copy;
}

/* Loads the library at `path` into the process. Stores the address of its object. */
static hpf_status load(const stopped *s, const char *path, uint64_t *bias, hpf_error *err)
{
    mapping libc;
    char why[200] = "";
    if (!find_mapping(&libc, s->tracer.process_id, 0, "libc.so.6")) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "it does not use glibc");
    }
    uint64_t open_at = find_symbol_of(s->tracer.process_id, &libc, "dlopen");
    uint64_t error_at = find_symbol_of(s->tracer.process_id, &libc, "dlerror");
    if (open_at == 0 || error_at == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "its glibc is older than 2.34");
    }
    uint64_t handle, text;
    hpf_status status = call(s, libc.begin + open_at, path, RTLD_NOW, &handle, err);
    if (status != HPF_OK) {
        return status;
    }
    if (handle == 0) {
        status = call(s, libc.begin + error_at, "", 0, &text, err);
        if (status == HPF_OK) {
            copy_from(s, text, why, sizeof why - 1);
            status =
                hpf_error_set(err, HPF_ERR_IO, "it cannot load the profiling library: %s", why);
        }
        return status;
    }
    return copy_from(s, handle, bias, sizeof *bias) /* l_addr is first */
               ? HPF_OK
               : hpf_error_set_os(err, errno, "cannot read its memory");
}

/* Checks what would make profiling harm the process, or fail. */
static hpf_status check_process(long process_id, hpf_error *err)
{
    char path[64];
    mapping loaded;
    uint32_t tracer_id = hpp__proc_tracer((uint32_t)process_id);
    snprintf(path, sizeof path, "/proc/%ld", process_id);
    if (access(path, F_OK) != 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "there is no such process");
    }
    if (tracer_id != 0) {
        return hpp__tracer_refused(tracer_id, 0, err);
    }
    if (hpp__proc_seccomp((uint32_t)process_id) != 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it has restricted its system calls (seccomp)");
    }
    snprintf(path, sizeof path, "/proc/%ld/exe", process_id);
    if (access(path, R_OK) != 0) {
        return hpf_error_set(err, HPF_ERR_IO, "%s",
                             errno == ENOENT
                                 ? "it has no program any more: it is ending"
                                 : "not allowed to read its data in /proc: it must belong to you");
    }
    if (find_mapping(&loaded, process_id, 0, "libcensus-preload.so")) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "it was started by census run");
    }
    return hpp_program_check(path, err);
}

hpf_status hpp_attach(hpp_attached *out, long process_id, const char *library, const char *settings,
                      hpf_error *err)
{
    static stopped s;
    char path[64];
    uint64_t bias, result = 0;
    uint64_t attach_at = find_symbol(library, "census_attach");
    uint64_t detach_at = find_symbol(library, "census_detach");
    hpf_status status = check_process(process_id, err);
    if (status != HPF_OK) {
        return status;
    }
    int copy = attach_at != 0 ? copy_library(library) : -1;
    if (copy < 0) {
        return hpf_error_set_os(err, errno, "cannot copy the profiling library");
    }
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), copy);
    status = stop_safely(&s, process_id, err);
    if (status == HPF_OK) {
        status = load(&s, path, &bias, err);
        if (status == HPF_OK) {
            status = call(&s, bias + attach_at, settings, 0, &result, err);
        }
        restore(&s);
    }
    let_go(&s);
    close(copy);
    if (status == HPF_OK && (uint32_t)result != 0) {
        status = hpf_error_set(err, HPF_ERR_IO, "it cannot connect to census");
    }
    if (status == HPF_OK) {
        *out = (hpp_attached){process_id, bias + detach_at};
    }
    return status;
}

hpf_status hpp_detach(const hpp_attached *attached, hpf_error *err)
{
    static stopped s;
    uint64_t result;
    hpf_status status = stop_safely(&s, attached->process_id, err);
    if (status == HPF_OK) {
        status = call(&s, attached->detach_at, "", 0, &result, err);
        restore(&s);
    }
    let_go(&s);
    return status;
}
