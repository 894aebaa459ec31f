/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The file's text is kept as it is, and a sorted table of where its functions are.
 */
#include "perf_map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define FILE_BYTES_MAX (256u << 20)

/* Code is freed and its place used again: at most this many claims to an address are compared. */
#define CLAIMS_MAX 32

typedef struct region {
    uint64_t start;
    uint64_t n_bytes;
    uint32_t name; /* offset in the text; a later line has a larger one */
    uint32_t n_name;
} region;

struct hpp__perf_map {
    char *path;
    hpp__text text;    /* as read so far */
    size_t n_parsed;   /* bytes of whole lines */
    struct stat known; /* of the file when it was read */
    region *regions;
    size_t n_regions;
    size_t capacity;
};

hpp__perf_map *hpp__perf_map_create(const char *path)
{
    hpp__perf_map *map = calloc(1, sizeof *map);
    if (map && !(map->path = strdup(path))) {
        free(map);
        return NULL;
    }
    return map;
}

void hpp__perf_map_destroy(hpp__perf_map *map)
{
    if (!map) {
        return;
    }
    hpp__text_finish(&map->text);
    free(map->regions);
    free(map->path);
    free(map);
}

/* ---- Reading ---- */

/* Reads a hexadecimal number and one blank; returns NULL if there is none. */
static const char *read_number(const char *at, const char *end, uint64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    if (end - at > 2 && at[0] == '0' && (at[1] | ' ') == 'x') {
        at += 2;
    }
    const char *begin = at;
    *number = 0;
    for (; at < end; at++) {
        const char *digit = memchr(digits, *at >= 'A' && *at <= 'F' ? *at | ' ' : *at, 16);
        if (!digit) {
            break;
        }
        *number = *number << 4 | (uint64_t)(digit - digits);
    }
    return at > begin && at - begin <= 16 && at < end && *at == ' ' ? at + 1 : NULL;
}

/* Adds the function of a line; ignores invalid lines. */
static bool add_line(hpp__perf_map *map, const char *line, const char *end)
{
    region new = {0};
    const char *at = read_number(line, end, &new.start);
    at = at ? read_number(at, end, &new.n_bytes) : NULL;
    if (!at || at == end || new.n_bytes == 0) {
        return true;
    }
    if (!HPF__ARRAY_RESERVE(map->regions, map->capacity, map->n_regions + 1)) {
        return false;
    }
    new.name = (uint32_t)(at - map->text.data);
    new.n_name = (uint32_t)(end - at);
    map->regions[map->n_regions++] = new;
    return true;
}

static int compare_regions(const void *left, const void *right)
{
    const region *a = left, *b = right;
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return a->name < b->name ? -1 : a->name > b->name;
}

static void parse(hpp__perf_map *map)
{
    if (!map->text.data) {
        return;
    }
    const char *end = map->text.data + map->text.length;
    const char *line = map->text.data + map->n_parsed;
    for (const char *eol; (eol = memchr(line, '\n', (size_t)(end - line))); line = eol + 1) {
        if (!add_line(map, line, eol)) {
            break;
        }
    }
    map->n_parsed = (size_t)(line - map->text.data);
    HPF__ARRAY_SORT(map->regions, map->n_regions, compare_regions);
}

/* Opens a file if it belongs to this user or to root, as perf does. */
static int open_own(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, status) != 0 || !S_ISREG(status->st_mode) ||
        (status->st_uid != 0 && status->st_uid != geteuid())) {
        close(fd);
        return -1;
    }
    return fd;
}

static void read_rest(hpp__perf_map *map, int fd, uint64_t n_bytes)
{
    char piece[16384];
    while (map->text.length < n_bytes) {
        ssize_t n = pread(fd, piece, sizeof piece, (off_t)map->text.length);
        if (n <= 0) {
            break;
        }
        hpp__text_add(&map->text, (hpf_str){piece, (size_t)n});
        if (map->text.is_short) {
            break;
        }
    }
}

bool hpp__perf_map_refresh(hpp__perf_map *map)
{
    struct stat now;
    int fd = open_own(map->path, &now);
    if (fd < 0) {
        return false;
    }
    uint64_t n_bytes = now.st_size < FILE_BYTES_MAX ? (uint64_t)now.st_size : FILE_BYTES_MAX;
    bool is_same = now.st_dev == map->known.st_dev && now.st_ino == map->known.st_ino;
    bool is_appended = is_same && n_bytes > map->text.length;
    bool is_old =
        is_same && n_bytes == map->text.length &&
        (n_bytes == FILE_BYTES_MAX || (now.st_mtim.tv_sec == map->known.st_mtim.tv_sec &&
                                       now.st_mtim.tv_nsec == map->known.st_mtim.tv_nsec));
    if (is_old) {
        close(fd);
        return false;
    }
    if (!is_appended) {
        map->text.length = map->n_parsed = map->n_regions = 0;
    }
    map->known = now;
    map->text.is_short = false;
    read_rest(map, fd, n_bytes);
    close(fd);
    parse(map);
    return true;
}

/* ---- Finding ---- */

static const region *find_region(const hpp__perf_map *map, uint64_t address)
{
    size_t n_before; /* regions that begin at the address or before */
    HPF__ARRAY_BISECT(n_before, map->n_regions, i, map->regions[i].start <= address);
    const region *latest = NULL;
    for (size_t i = 0; i < CLAIMS_MAX && i < n_before; i++) {
        const region *claim = &map->regions[n_before - 1 - i];
        if (address - claim->start < claim->n_bytes && (!latest || claim->name > latest->name)) {
            latest = claim;
        }
    }
    return latest;
}

hpf_str hpp__perf_map_find(const hpp__perf_map *map, uint64_t address)
{
    const region *found = find_region(map, address);
    return found ? (hpf_str){map->text.data + found->name, found->n_name} : HPF_STR("");
}
