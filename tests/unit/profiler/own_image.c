/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_MAPS = 400 };

static hpp__image_map maps[MAX_MAPS];
static char paths[MAX_MAPS][256];

static bool read_own(void *context, void *out, uint64_t address, size_t n_bytes)
{
    struct iovec to = {out, n_bytes};
    struct iovec from = {(void *)(uintptr_t)address, n_bytes};
    (void)context;
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n_bytes;
}

hpp__image own_image(void)
{
    hpp__image image = {.maps = maps, .read = read_own};
    FILE *file = fopen("/proc/self/maps", "r");
    char line[512];
    while (fgets(line, sizeof line, file) && image.n_maps < MAX_MAPS) {
        hpp__image_map *map = &maps[image.n_maps];
        char rights[5];
        *map = (hpp__image_map){.path = paths[image.n_maps]};
        paths[image.n_maps][0] = '\0';
        sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %255[^\n]", &map->begin,
               &map->end, rights, &map->offset, paths[image.n_maps]);
        map->is_readable = rights[0] == 'r';
        map->is_writable = rights[1] == 'w';
        map->is_executable = rights[2] == 'x';
        map->is_shared = rights[3] == 's';
        image.n_maps++;
    }
    fclose(file);
    return image;
}
