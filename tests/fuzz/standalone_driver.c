/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs a fuzz target over files, for compilers without libFuzzer: driver [-mutations=N]
 * [-seed=S] PATH..., where a folder stands for the files in it. Each file is run as it is, then
 * with N changes, the same ones for the same seed. Ends as the target does; prints how many it ran.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "rng.h"

#define MOST_GROWTH  4096u
#define MOST_CHANGES 16u /* to a kept input, one on the other */

static unsigned n_run;
static unsigned n_mutations;
static rng chance = {1};

/* One to four bytes become others. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    for (uint64_t i = rng_below(&chance, 4) + 1; i > 0 && size; i--) {
        data[rng_below(&chance, size)] = (uint8_t)rng_next(&chance);
    }
    return size;
}

static void run(const uint8_t *bytes, size_t size)
{
    /* A copy of the very size: reading behind it is found. */
    uint8_t *input = malloc(size ? size : 1);
    memcpy(input, bytes, size);
    LLVMFuzzerTestOneInput(input, size);
    free(input);
    n_run++;
}

static size_t mutate(uint8_t *bytes, size_t size, size_t max_size)
{
    return LLVMFuzzerCustomMutator
               ? LLVMFuzzerCustomMutator(bytes, size, max_size, (unsigned)rng_next(&chance))
               : LLVMFuzzerMutate(bytes, size, max_size);
}

static void run_mutations(const uint8_t *kept, size_t kept_size)
{
    size_t max_size = kept_size + MOST_GROWTH;
    uint8_t *bytes = malloc(max_size);
    size_t size = 0;
    for (unsigned i = 0; i < n_mutations; i++) {
        if (i % MOST_CHANGES == 0) {
            memcpy(bytes, kept, kept_size);
            size = kept_size;
        }
        size = mutate(bytes, size, max_size);
        run(bytes, size);
    }
    free(bytes);
}

static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size ? size : 1);
    if (!file || !bytes || fread(bytes, 1, size, file) != size) {
        perror(path);
        return 2;
    }
    fclose(file);
    run(bytes, size);
    run_mutations(bytes, size);
    free(bytes);
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

static bool is_option(const char *arg)
{
    return sscanf(arg, "-mutations=%u", &n_mutations) == 1 ||
           sscanf(arg, "-seed=%" SCNu64, &chance.state) == 1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int result = is_option(argv[i]) ? 0 : run_path(argv[i]);
        if (result) {
            return result;
        }
    }
    printf("%u inputs\n", n_run);
    return n_run ? 0 : 2;
}
