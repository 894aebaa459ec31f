/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes event logs of any size for measurements: make_eventlog cc|string N_NAMES N_LIVE MEGABYTES
 * >FILE. The same arguments give the same bytes.
 *
 * The log is as GHC 9.0 writes it. Each block holds two collections and a sample; stacks are 1 to
 * 12 deep. Of all names, a window of N_LIVE is alive, which moves on by seven with each sample.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

#define MAX_DEPTH 12

typedef struct bytes {
    unsigned char *at;
    size_t n;
} bytes;

/* A band: what stands in a record behind the amount. */
typedef struct band {
    unsigned char key[64];
    size_t key_bytes;
    uint64_t base;
} band;

static const struct {
    unsigned id;
    int n_bytes;
} types[] = {{9, 0},    {10, 0},  {18, 14},  {30, -1},  {43, 16}, {160, -1},
             {161, -1}, {162, 8}, {163, -1}, {164, -1}, {165, 8}};

static void put(bytes *to, uint64_t number, int n_bytes)
{
    for (int i = n_bytes - 1; i >= 0; i--) {
        to->at[to->n++] = (unsigned char)(number >> 8 * i);
    }
}

static void put_bytes(bytes *to, const void *from, size_t n)
{
    memcpy(to->at + to->n, from, n);
    to->n += n;
}

static void head(bytes *to, unsigned id, uint64_t time_ns)
{
    put(to, id, 2);
    put(to, time_ns, 8);
}

static void put_header(bytes *to)
{
    put_bytes(to, "hdrbhetb", 8);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        put_bytes(to, "etb\0", 4);
        put(to, types[i].id, 2);
        put(to, (uint64_t)types[i].n_bytes & 0xffff, 2);
        put(to, 5, 4);
        put_bytes(to, "event", 5);
        put(to, 0, 4);
        put_bytes(to, "ete\0", 4);
    }
    put_bytes(to, "hetehdredatb", 12);
}

static void put_begin(bytes *to, bool is_cc)
{
    head(to, 30, 1);
    put(to, 4 + 14, 2);
    put(to, 0, 4);
    put_bytes(to, "make_eventlog", 14);
    head(to, 43, 2);
    put(to, 0, 4);
    put(to, 1795225600, 8);
    put(to, 0, 4);
    head(to, 160, 3);
    put(to, 13 + 7, 2);
    put(to, 0, 1);
    put(to, 100000000, 8);
    put(to, is_cc ? 1 : 4, 4);
    put(to, 0, 7);
}

static void put_centre(bytes *to, unsigned id)
{
    char text[64];
    int n =
        snprintf(text, sizeof text, "fun%u%cMod%u%csrc/Mod.hs:%u:1-9%c", id, 0, id % 37, 0, id, 0);
    head(to, 161, 4);
    put(to, 5 + (uint64_t)n, 2);
    put(to, id, 4);
    put_bytes(to, text, (size_t)n);
    put(to, 0, 1);
}

static void make_band(band *out, bool is_cc, unsigned index, unsigned n_centres, rng *chance)
{
    bytes key = {out->key, 0};
    if (is_cc) {
        unsigned depth = 1 + (unsigned)rng_below(chance, MAX_DEPTH);
        put(&key, depth, 1);
        while (depth--) {
            put(&key, 1 + rng_below(chance, n_centres), 4);
        }
    } else {
        char text[50];
        int n = snprintf(text, sizeof text, "pkg-1.%u:Data.Type%u.Con%u", index % 9, index % 101,
                         index);
        put_bytes(&key, text, (size_t)n + 1);
    }
    out->key_bytes = key.n;
    out->base = 8 + (rng_next(chance) >> (44 + rng_below(chance, 17)));
}

/* A block of one capability: its size and end are filled in when it is full. */
static void put_block(bytes *to, const band *bands, unsigned n_names, unsigned n_live, bool is_cc,
                      uint64_t sample)
{
    uint64_t time_ns = 1000000 + sample * 100000000;
    unsigned first = (unsigned)(sample * 7 % n_names);
    size_t begin = to->n;
    head(to, 18, time_ns);
    put(to, 0, 14);
    for (unsigned i = 0; i < 4; i++) {
        head(to, i % 2 ? 10 : 9, ++time_ns);
    }
    head(to, 162, ++time_ns);
    put(to, sample, 8);
    for (unsigned i = 0; i < n_live; i++) {
        const band *b = &bands[(first + i) % n_names];
        head(to, is_cc ? 163 : 164, ++time_ns);
        put(to, 9 + b->key_bytes, 2);
        put(to, 0, 1);
        put(to, b->base * (1 + (sample + i) % 40), 8);
        put_bytes(to, b->key, b->key_bytes);
    }
    head(to, 165, ++time_ns);
    put(to, sample, 8);
    bytes mark = {to->at + begin + 10, 0};
    put(&mark, to->n - begin, 4);
    put(&mark, time_ns, 8);
}

static bool flush(bytes *to, uint64_t *written)
{
    *written += to->n;
    bool is_written = fwrite(to->at, 1, to->n, stdout) == to->n;
    to->n = 0;
    return is_written;
}

static bool write_log(bytes *to, const band *bands, unsigned n_names, unsigned n_live, bool is_cc,
                      double megabytes)
{
    uint64_t written = 0;
    bool is_written = flush(to, &written);
    for (uint64_t sample = 0; is_written && (double)written < megabytes * 1e6; sample++) {
        put_block(to, bands, n_names, n_live, is_cc, sample);
        is_written = flush(to, &written);
    }
    put(to, 0xffff, 2);
    return is_written && flush(to, &written) && fflush(stdout) == 0;
}

int main(int argc, char **argv)
{
    bool is_cc = argc == 5 && strcmp(argv[1], "cc") == 0;
    unsigned n_names = argc == 5 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    unsigned n_live = argc == 5 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    double megabytes = argc == 5 ? strtod(argv[4], NULL) : 0;
    if (n_live == 0 || n_live > n_names || n_names > 50000 || megabytes <= 0) {
        fprintf(stderr, "usage: make_eventlog cc|string N_NAMES N_LIVE MEGABYTES\n");
        return 2;
    }
    static unsigned char room[8u << 20];
    bytes out = {room, 0};
    band *bands = calloc(n_names, sizeof *bands);
    if (!bands) {
        return 1;
    }
    rng chance = {1};
    put_header(&out);
    put_begin(&out, is_cc);
    for (unsigned i = 0; i < n_names; i++) {
        make_band(&bands[i], is_cc, i, n_names, &chance);
        if (is_cc) {
            put_centre(&out, i + 1);
        }
    }
    bool is_written = write_log(&out, bands, n_names, n_live, is_cc, megabytes);
    free(bands);
    return !is_written;
}
