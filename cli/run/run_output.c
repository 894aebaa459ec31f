/* SPDX-License-Identifier: BSD-2-Clause
 *
 * NAME, then NAME.2, NAME.3 ... are tried by creating a file, so that runs at the same time have
 * different names.
 */
#include "run_output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hpfile/format.h"
#include "hpprof/command_name.h"
#include "hprender/backend.h"

#include "diag.h"
#include "path.h"

enum { MOST_NUMBER = 100000 };

void run_output_name(run_output *o, char *const *words)
{
    hpp_command_name(o->program, NAME_MAX / 2, (const char *const *)words, false);
    o->name = o->is_given ? o->given : o->program;
}

/* ---- The arguments of -o ---- */

/* Returns the suffix of a name with its dot, if it looks like one of a format, which has at least
 * two letters; else NULL. */
static const char *suffix_in(const char *path)
{
    const char *dot = strrchr(path_base(path), '.');
    bool is_suffix = dot && dot > path_base(path) && isalpha((unsigned char)dot[1]) && dot[2];
    for (const char *c = dot; is_suffix && *++c;) {
        is_suffix = isalnum((unsigned char)*c);
    }
    return is_suffix ? dot : NULL;
}

/* Returns the format of a file that only census convert writes, by its name, or NULL. */
static const hpf_format *converted_format(const char *path)
{
    for (const hpf_format *const *f = hpf_formats(); *f; f++) {
        if (((*f)->writer || (*f)->stacks) && path_has_extension(path, (*f)->extension)) {
            return *f;
        }
    }
    return NULL;
}

int run_output_read(run_output *o, const cmd *self, const opt_list *files)
{
    struct {
        const char *suffix;
        bool *is_wanted;
    } formats[] = {{".census", &o->with_recording},
                   {".hp", &o->with_hp},
                   {".eventlog", &o->with_eventlog},
                   {".prof", &o->with_prof}};
    enum { N_FORMATS = sizeof formats / sizeof *formats };
    for (size_t i = 0; i < files->n; i++) {
        const char *file = files->texts[i];
        const char *suffix = suffix_in(file);
        size_t n = suffix ? (size_t)(suffix - file) : strlen(file);
        size_t which = 0;
        while (suffix && which < N_FORMATS && strcmp(formats[which].suffix, suffix) != 0) {
            which++;
        }
        if (suffix && which == N_FORMATS && hpr_backend_by_path(file)) {
            o->pictures.texts[o->pictures.n++] = file;
            continue;
        }
        const hpf_format *converted = which == N_FORMATS ? converted_format(file) : NULL;
        if (converted) {
            return cmd_misused(self,
                               "%s: run does not write %s; make it of a recording, with "
                               "census convert",
                               file, converted->name);
        }
        if (which == N_FORMATS) {
            return cmd_misused(self,
                               "%s: unknown format '%s' (for a recording of this name, write "
                               "%s.census)",
                               file, suffix, file);
        }
        if (n == 0 || n >= sizeof o->given - 64) { /* room for a number and a suffix */
            return cmd_misused(self, "%s",
                               n == 0 ? "an output name is empty" : "the name is too long");
        }
        if (o->is_given && (strlen(o->given) != n || strncmp(o->given, file, n) != 0)) {
            return cmd_misused(
                self,
                "the files of a profile have one name: '%s' and '%.*s' differ (pictures may have "
                "other names)",
                o->given, (int)n, file);
        }
        snprintf(o->given, sizeof o->given, "%.*s", (int)n, file);
        o->name = o->given;
        o->is_given = true;
        *(suffix ? formats[which].is_wanted : &o->has_bare_name) = true;
    }
    return EXIT_DONE;
}

/* ---- Names ---- */

/* Returns the number of this process in a parallel job, as its launcher has set it, or NULL. */
static const char *own_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank && *rank && rank[strspn(rank, "0123456789")] == '\0' && strlen(rank) < 20) {
            return rank;
        }
    }
    return NULL;
}

/* Replaces %r (rank), %p (process), %h (host) and %% in the name of a file. Returns what is wrong
 * with it, or NULL. */
static const char *expand_name(char out[PATH_MAX], const char *given, long process_id)
{
    size_t n = 0;
    for (const char *c = given; *c; c++) {
        char text[HOST_NAME_MAX + 2] = {*c};
        if (*c == '%') {
            const char *rank = own_rank();
            switch (*++c) {
            case 'r':
                if (!rank) {
                    return "%r needs a rank: OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK or "
                           "SLURM_PROCID must be set, as by mpirun and srun";
                }
                snprintf(text, sizeof text, "%s", rank);
                break;
            case 'p':
                snprintf(text, sizeof text, "%ld", process_id);
                break;
            case 'h':
                if (gethostname(text, sizeof text - 1) != 0) {
                    return "%h: this host has no name";
                }
                break;
            case '%':
                break;
            default:
                return "after % expected r (rank), p (process), h (host) or %";
            }
        }
        size_t length = strlen(text);
        if (n + length >= PATH_MAX - 64) {
            return "the name is too long";
        }
        memcpy(out + n, text, length);
        n += length;
    }
    out[n] = '\0';
    return NULL;
}

static bool exists(const char *base, const char *suffix)
{
    char path[PATH_MAX + 16];
    struct stat file;
    snprintf(path, sizeof path, "%s%s", base, suffix);
    return lstat(path, &file) == 0;
}

/* Appends the first free number to the base. Returns an exit status after a message. */
static int choose_number(run_output *o, const char *const *suffixes)
{
    size_t n = strlen(o->base);
    const char *taken = NULL; /* suffix of the first file that exists */
    for (int number = 1; number < MOST_NUMBER; number++) {
        if (number > 1) {
            snprintf(o->base + n, sizeof o->base - n, ".%d", number);
        }
        const char *const *suffix = suffixes + 1;
        while (*suffix && !exists(o->base, *suffix)) {
            suffix++;
        }
        if (*suffix) {
            taken = taken ? taken : *suffix;
            continue;
        }
        snprintf(o->reserved, sizeof o->reserved, "%s%s", o->base, suffixes[0]);
        int fd = open(o->reserved, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            if (number > 1 && o->is_given) {
                diag_say("%.*s%s exists: writing %s", (int)n, o->base, taken, o->reserved);
            }
            return EXIT_DONE;
        }
        if (errno != EEXIST) {
            diag_say("%s: %s", o->reserved, strerror(errno));
            break;
        }
        taken = taken ? taken : suffixes[0];
    }
    o->reserved[0] = '\0';
    return EXIT_FAILED;
}

/* Checks that a picture can be created or replaced. */
static bool check_picture(const char *path)
{
    char folder[PATH_MAX];
    struct stat file;
    size_t n = (size_t)(path_base(path) - path);
    snprintf(folder, sizeof folder, "%.*s", n > 0 ? (int)n : 1, n > 0 ? path : ".");
    bool is_there = stat(path, &file) == 0;
    errno = is_there && S_ISDIR(file.st_mode) ? EISDIR : 0;
    if (errno || access(folder, is_there ? X_OK : W_OK | X_OK) != 0 ||
        (is_there && access(path, W_OK) != 0)) {
        diag_say("%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

int run_output_open(run_output *o, const cmd *self, long process_id, const char *const *suffixes)
{
    char picture[PATH_MAX];
    const char *wrong = o->is_given ? expand_name(o->base, o->name, process_id) : NULL;
    if (!o->is_given) {
        snprintf(o->base, sizeof o->base, "%s", o->name);
    }
    for (size_t i = 0; i < o->pictures.n && !wrong; i++) {
        wrong = expand_name(picture, o->pictures.texts[i], process_id);
        if (!wrong && !check_picture(picture)) {
            return EXIT_FAILED;
        }
    }
    return wrong ? cmd_misused(self, "%s", wrong) : choose_number(o, suffixes);
}

void run_output_close(run_output *o)
{
    struct stat file;
    if (o->reserved[0] && stat(o->reserved, &file) == 0 && file.st_size == 0) {
        unlink(o->reserved);
    }
    o->reserved[0] = '\0';
}

int run_output_set_process(run_output *o, const cmd *self, long process_id,
                           const char *const *suffixes)
{
    if (!o->is_given || !strstr(o->name, "%p")) {
        return EXIT_DONE;
    }
    run_output_close(o);
    return run_output_open(o, self, process_id, suffixes);
}

const char *run_output_picture(const run_output *o, size_t index, long process_id,
                               char path[PATH_MAX])
{
    return index < o->pictures.n && !expand_name(path, o->pictures.texts[index], process_id) ? path
                                                                                             : NULL;
}
