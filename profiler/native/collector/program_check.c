/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks whether the preload library can be loaded into a program, by the rules of the kernel and
 * the loader. System V ABI, chapters 4 and 5; execve(2), "Interpreter scripts"; ld.so(8), "Secure-
 * execution mode".
 */
#include "collector.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "hpfile/str.h"
#include "native/machine/object_kind.h"

enum { MAX_SCRIPTS = 5, HEAD_BYTES = 4096, MAX_SEGMENTS = 128 };

/* A program's file, open, and its first bytes. */
typedef struct program {
    int fd;
    struct stat stat;
    union {
        Elf64_Ehdr elf;
        char bytes[HEAD_BYTES + 1];
    } head;
    size_t n_head;
} program;

static hpf_status open_program(program *out, const char *path, hpf_error *err)
{
    memset(out, 0, sizeof *out);
    out->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (out->fd < 0 || fstat(out->fd, &out->stat) != 0) {
        return hpf_error_set_os(err, errno, "cannot read the program");
    }
    ssize_t n = pread(out->fd, out->head.bytes, HEAD_BYTES, 0);
    if (n < 0) {
        return hpf_error_set_os(err, errno, "cannot read the program");
    }
    out->n_head = (size_t)n;
    return HPF_OK;
}

/* Rejects programs that gain privileges: for them the loader ignores LD_PRELOAD. */
static hpf_status check_privileges(const program *p, hpf_error *err)
{
    mode_t mode = p->stat.st_mode;
    if ((mode & S_ISUID) && p->stat.st_uid != geteuid()) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "it changes its user at start (set-user-ID), which disables LD_PRELOAD: "
            "profile it as that user");
    }
    if ((mode & S_ISGID) && (mode & S_IXGRP) && p->stat.st_gid != getegid()) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it changes its group at start (set-group-ID), which disables "
                             "LD_PRELOAD: profile it as that group");
    }
    if (geteuid() != 0 && fgetxattr(p->fd, "security.capability", NULL, 0) > 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it gains capabilities at start, which disables LD_PRELOAD: "
                             "profile it as root, or profile a copy of it");
    }
    return HPF_OK;
}

/* ---- ELF ---- */

static hpf_status check_machine(const program *p, hpf_error *err)
{
    const Elf64_Ehdr *elf = &p->head.elf;
    if (elf->e_ident[EI_CLASS] == ELFCLASS32) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it is a 32-bit program; only 64-bit ones can be profiled");
    }
    if (elf->e_machine != HPP_MACHINE) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it is a program for another kind of processor");
    }
    if (elf->e_type != ET_EXEC && elf->e_type != ET_DYN) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "it is not a program");
    }
    return HPF_OK;
}

/* Reads the path of a program's loader. Returns false if it has none. */
static bool read_loader(const program *p, char out[256])
{
    const Elf64_Ehdr *elf = &p->head.elf;
    for (size_t i = 0; i < elf->e_phnum && i < MAX_SEGMENTS; i++) {
        Elf64_Phdr segment;
        off_t at = (off_t)(elf->e_phoff + i * sizeof segment);
        if (pread(p->fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment) {
            return false;
        }
        if (segment.p_type == PT_INTERP) {
            size_t n = segment.p_filesz < 255 ? segment.p_filesz : 255;
            ssize_t got = pread(p->fd, out, n, (off_t)segment.p_offset);
            out[got > 0 ? got : 0] = '\0';
            return got > 0;
        }
    }
    return false;
}

static hpf_status check_elf(const program *p, hpf_error *err)
{
    char loader[256];
    hpf_status status = check_machine(p, err);
    if (status != HPF_OK) {
        return status;
    }
    if (!read_loader(p, loader)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it is linked statically, so its malloc cannot be replaced: "
                             "link it dynamically");
    }
    const char *slash = strrchr(loader, '/');
    if (strcmp(slash ? slash + 1 : loader, HPP_MACHINE_LOADER) != 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it is not linked to glibc (its loader is %.80s)", loader);
    }
    return HPF_OK;
}

/* ---- Scripts ---- */

/* Returns the interpreter of "#! /path argument", terminated; NULL if there is none. */
static char *interpreter_of(program *p)
{
    char *line = p->head.bytes + 2;
    line[strcspn(line, "\n")] = '\0';
    line += strspn(line, " \t");
    line[strcspn(line, " \t")] = '\0';
    return *line ? line : NULL;
}

static hpf_status check_program(program *p, const char *path, int depth, hpf_error *err)
{
    hpf_status status = open_program(p, path, err);
    if (status != HPF_OK) {
        return status;
    }
    if (p->n_head >= sizeof(Elf64_Ehdr) && memcmp(p->head.bytes, ELFMAG, SELFMAG) == 0) {
        status = check_privileges(p, err);
        return status == HPF_OK ? check_elf(p, err) : status;
    }
    bool is_script = p->n_head > 2 && memcmp(p->head.bytes, "#!", 2) == 0;
    const char *interpreter = is_script ? interpreter_of(p) : NULL;
    if (!interpreter || depth >= MAX_SCRIPTS) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it is neither an ELF program nor a script with a first line #!");
    }
    program next;
    status = check_program(&next, interpreter, depth + 1, err);
    if (next.fd >= 0) {
        close(next.fd);
    }
    return status;
}

hpf_status hpp_program_check(const char *path, hpf_error *err)
{
    program p;
    hpf_status status = check_program(&p, path, 0, err);
    if (p.fd >= 0) {
        close(p.fd);
    }
    return status;
}
