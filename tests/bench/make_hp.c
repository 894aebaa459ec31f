/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes heap profiles of any size for measurements: make_hp N_NAMES N_LIVE MEGABYTES [noise] >FILE.
 * The same arguments give the same bytes.
 *
 * The names look like cost-centre stacks, 10 to 28 bytes long. Of all names, a window of N_LIVE
 * neighbours is alive; it slides over them as the run goes on. Each amount swings around a base of
 * its own, the bases spreading over six orders of magnitude. With `noise`, each amount is white
 * noise instead: the curves that need the most points.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

typedef struct name {
    char text[32];
    double base;
    double period;
} name;

static const char *const words[] = {"insert", "lookup", "fold",  "parse", "render", "merge",
                                    "solve",  "step",   "unify", "walk",  "build",  "emit"};

static void make_name(name *out, unsigned index, rng *chance)
{
    size_t wanted = 10 + (size_t)rng_below(chance, 19);
    size_t n = (size_t)snprintf(out->text, sizeof out->text, "(%u)", index + 100);
    while (n < wanted) {
        n += (size_t)snprintf(out->text + n, sizeof out->text - n, "%s/",
                              words[rng_below(chance, sizeof words / sizeof *words)]);
        n = n < sizeof out->text ? n : sizeof out->text - 1;
    }
    if (n > 28) {
        memcpy(out->text + 25, "...", sizeof "...");
    } else {
        out->text[n - 1] = '.';
    }
    out->base = exp2(4 + (double)rng_below(chance, 200) / 10);
    out->period = 20 + (double)rng_below(chance, 400);
}

static void print_sample(const name *names, unsigned first, unsigned n_live, unsigned index,
                         rng *noise)
{
    double time = index * 0.1;
    printf("BEGIN_SAMPLE %.6f\n", time);
    for (unsigned i = first; i < first + n_live; i++) {
        double swing = 1 + 0.5 * sin(index / names[i].period + i);
        double amount = noise ? (double)rng_below(noise, 1 << 20) : names[i].base * swing;
        printf("%s\t%.0f\n", names[i].text, floor(amount) * 8);
    }
    printf("END_SAMPLE %.6f\n", time);
}

int main(int argc, char **argv)
{
    bool is_noise = argc == 5 && strcmp(argv[4], "noise") == 0;
    argc -= is_noise;
    unsigned n_names = argc == 4 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    unsigned n_live = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    double megabytes = argc == 4 ? strtod(argv[3], NULL) : 0;
    if (n_live == 0 || n_live > n_names || megabytes <= 0) {
        fprintf(stderr, "usage: make_hp N_NAMES N_LIVE MEGABYTES [noise]\n");
        return 2;
    }
    name *names = calloc(n_names, sizeof *names);
    if (!names) {
        fprintf(stderr, "make_hp: out of memory\n");
        return 1;
    }
    rng chance = {1};
    for (unsigned i = 0; i < n_names; i++) {
        make_name(&names[i], i, &chance);
    }
    unsigned n_samples = (unsigned)(megabytes * 1e6 / (n_live * 27.0 + 48)) + 2;
    printf("JOB \"make_hp %u %u %g\"\nDATE \"Sat Nov 21 01:46 2026\"\nSAMPLE_UNIT \"seconds\"\n"
           "VALUE_UNIT \"bytes\"\n",
           n_names, n_live, megabytes);
    for (unsigned i = 0; i < n_samples; i++) {
        double way = (double)i / n_samples;
        print_sample(names, (unsigned)(way * (n_names - n_live)), n_live, i,
                     is_noise ? &chance : NULL);
    }
    free(names);
    return fflush(stdout) != 0 || ferror(stdout);
}
