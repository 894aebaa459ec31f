/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files for tests.
 */
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[200];

static void need(bool ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

void scratch_begin(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/census-test-XXXXXX", base ? base : "/tmp");
    need(mkdtemp(folder) != NULL, "mkdtemp");
}

const char *scratch_path(const char *name)
{
    static char paths[8][600];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static unsigned for_each_file(void (*visit)(const char *path))
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    need(dir != NULL, folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        n++;
        if (visit) {
            visit(scratch_path(entry->d_name));
        }
    }
    closedir(dir);
    return n;
}

static void remove_path(const char *path)
{
    need(remove(path) == 0, path);
}

void scratch_end(void)
{
    for_each_file(remove_path);
    need(rmdir(folder) == 0, folder);
}

unsigned scratch_n_files(void)
{
    return for_each_file(NULL);
}

void write_file(const char *path, hpf_str bytes)
{
    FILE *file = fopen(path, "wb");
    need(file != NULL, path);
    need(fwrite(bytes.data, 1, bytes.length, file) == bytes.length, path);
    need(fclose(file) == 0, path);
}

char *read_file(const char *path, size_t *length)
{
    struct stat st;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)) {
        if (file) {
            fclose(file);
        }
        return NULL;
    }
    size_t n = (size_t)st.st_size;
    char *bytes = malloc(n + 1);
    need(bytes != NULL, "malloc");
    need(fread(bytes, 1, n, file) == n, path);
    bytes[n] = '\0';
    fclose(file);
    if (length) {
        *length = n;
    }
    return bytes;
}

static void become_filter(const char *program, const char *option, const char *in, const char *out)
{
    int from = open(in, O_RDONLY);
    int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (from >= 0 && to >= 0 && dup2(from, 0) == 0 && dup2(to, 1) == 1) {
        execlp(program, program, option, (char *)NULL);
    }
    _exit(127);
}

bool run_filter(const char *program, const char *option, const char *in, const char *out)
{
    pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        become_filter(program, option, in, out);
    }
    int status = 0;
    need(waitpid(child, &status, 0) == child, "waitpid");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
