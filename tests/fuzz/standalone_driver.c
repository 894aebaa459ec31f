/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs a fuzz target over files, for compilers without libFuzzer: driver PATH..., where a folder
 * stands for the files in it. Ends as the target does; prints how many it ran.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned n_run;

static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size ? size : 1);
    if (!file || !bytes || fread(bytes, 1, size, file) != size) {
        perror(path);
        return 2;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    n_run++;
    return 0;
}

static int run_path(const char *path);

static int run_folder(const char *path)
{
    int result = 0;
    DIR *dir = opendir(path);
    if (!dir) {
        perror(path);
        return 2;
    }
    for (struct dirent *entry; result == 0 && (entry = readdir(dir)) != NULL;) {
        char inside[4096];
        int n = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && n > 0 && (size_t)n < sizeof inside) {
            result = run_path(inside);
        }
    }
    closedir(dir);
    return result;
}

static int run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        return 2;
    }
    return S_ISDIR(st.st_mode) ? run_folder(path) : run_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int result = run_path(argv[i]);
        if (result) {
            return result;
        }
    }
    printf("%u inputs\n", n_run);
    return n_run ? 0 : 2;
}
