/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of edited functions: known edits, and random ones, of which the truth is known.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "rng.h"
#include "hpfile/match.h"

enum { MOST = 64, MOST_NAME = 48 };

/* Names of two versions, and the numbers of what the old ones became. */
typedef struct versions {
    char names[MOST][MOST_NAME];
    hpf_str texts[MOST];
    uint64_t sides[MOST];
    uint32_t moved_to[MOST];
    uint32_t n;
} versions;

static uint32_t add(versions *v, const char *name, int side)
{
    uint32_t i = 0;
    while (i < v->n && strcmp(v->names[i], name) != 0) {
        i++;
    }
    if (i == v->n) {
        snprintf(v->names[i], MOST_NAME, "%s", name);
        v->texts[i] = (hpf_str){v->names[i], strlen(v->names[i])};
        v->n++;
    }
    v->sides[i] |= UINT64_C(1) << side;
    return i;
}

/* Adds names, each followed by a comma. */
static void add_all(versions *v, const char *names, int side)
{
    for (const char *at = names; *at; at += strcspn(at, ",") + 1) {
        char name[MOST_NAME];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        add(v, name, side);
    }
}

static void expect_moves(const char *before, const char *after, const char *expected)
{
    versions v = {.n = 0};
    char found[400] = "";
    size_t length = 0;
    add_all(&v, before, 0);
    add_all(&v, after, 1);
    cr_assert(hpf_moved_lines_find(v.texts, v.n, v.sides, v.moved_to));
    for (uint32_t i = 0; i < v.n; i++) {
        if (v.moved_to[i] != i) {
            length += (size_t)snprintf(found + length, sizeof found - length, "%s>%s,", v.names[i],
                                       v.names[v.moved_to[i]]);
        }
    }
    cr_expect_str_eq(found, expected);
}

Test(moved_lines, known_edits)
{
    expect_moves("f a.c:120,", "f a.c:131,", "f a.c:120>f a.c:131,");
    expect_moves("f@a.c:7,g@a.c:9,", "f@a.c:8,g@b.c:10,", "f@a.c:7>f@a.c:8,");
    /* all of a function moved, one line is new in front */
    expect_moves("f a.c:10,f a.c:20,", "f a.c:5,f a.c:15,f a.c:25,",
                 "f a.c:10>f a.c:15,f a.c:20>f a.c:25,");
    /* moved by the distance of two lines: 20 is in both, and means another call */
    expect_moves("f a.c:10,f a.c:20,", "f a.c:20,f a.c:30,",
                 "f a.c:10>f a.c:20,f a.c:20>f a.c:30,");
    /* edited in the middle */
    expect_moves("f a.c:10,f a.c:20,f a.c:30,", "f a.c:10,f a.c:24,f a.c:34,",
                 "f a.c:20>f a.c:24,f a.c:30>f a.c:34,");
    /* one call is gone, or new: the others did not move */
    expect_moves("f a.c:10,f a.c:20,f a.c:30,", "f a.c:10,f a.c:30,", "");
    expect_moves("f a.c:10,f a.c:30,", "f a.c:10,f a.c:20,f a.c:30,", "");
    /* places as GHC writes them */
    expect_moves("go Main.hs:12:1-30,", "go Main.hs:14:1-30,",
                 "go Main.hs:12:1-30>go Main.hs:14:1-30,");
    expect_moves("go M.hs:(2;1)-(9;2),", "go M.hs:(3;1)-(10;2),",
                 "go M.hs:(2;1)-(9;2)>go M.hs:(3;1)-(10;2),");
    /* no lines */
    expect_moves("a:1,10.0.0.1:80,f a.c:,:3,", "a:2,10.0.0.1:81,f a.c:x,:4,", "");
}

/* A function with random lines moves, and some of its lines go: each of the others is matched with
 * itself. */
Test(moved_lines, a_moved_function_keeps_its_lines_whatever_goes)
{
    rng chance = {20};
    for (int round = 0; round < 500; round++) {
        versions v = {.n = 0};
        uint32_t old_of[MOST], new_of[MOST], n_kept = 0;
        unsigned shift = (unsigned)rng_below(&chance, 50), line = 1;
        for (int i = 0; i < 20; i++) {
            char name[MOST_NAME];
            line += 100 + (unsigned)rng_below(&chance, 7) * 100 + (unsigned)i;
            snprintf(name, sizeof name, "f a.c:%u", line);
            uint32_t before = add(&v, name, 0);
            snprintf(name, sizeof name, "f a.c:%u", line + shift);
            if (rng_below(&chance, 4) > 0) {
                old_of[n_kept] = before;
                new_of[n_kept++] = add(&v, name, 1);
            }
        }
        cr_assert(hpf_moved_lines_find(v.texts, v.n, v.sides, v.moved_to));
        for (uint32_t i = 0; i < n_kept && n_kept > 2; i++) {
            cr_expect_str_eq(v.names[v.moved_to[old_of[i]]], v.names[new_of[i]]);
        }
        /* no line of the new version has two of the old one */
        unsigned n_users[MOST] = {0};
        for (uint32_t i = 0; i < v.n; i++) {
            n_users[v.moved_to[i]] += v.sides[i] & 1;
        }
        for (uint32_t i = 0; i < v.n; i++) {
            cr_expect_leq(n_users[i], 1);
        }
    }
}
