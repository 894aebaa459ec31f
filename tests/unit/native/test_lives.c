/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lives: the recorded differences add up to what each census saw of random lives, of which a log is
 * kept, also before they end.
 */
#include "native/target/lives/lives.h"

#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/window_reader.h"
#include "native/window/window_writer.h"

enum { N_SITES = 3, N_ERAS = 40, N_BLOCKS = 60, MIB = 1 << 20 };

typedef int64_t phase_table[N_SITES + 1][N_ERAS + 2][HPP_N_PHASES];

static void begin(void)
{
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, 64 * MIB), 0));
    hpp__window->head.n_sites = N_SITES + 1;
}

TestSuite(lives, .init = begin);

/* A block, and in which eras it was used. */
typedef struct block {
    hpp_life life;
    uint32_t birth, death; /* death 0: it lives */
    bool is_used[N_ERAS + 2];
} block;

/* Adds the phases of a block in the eras from its birth to `end`, or to before its death. */
static void add_truth(phase_table truth, const block *b, uint32_t end)
{
    uint32_t first = 0, last = 0;
    for (uint32_t era = 1; era <= N_ERAS; era++) {
        first = b->is_used[era] && first == 0 ? era : first;
        last = b->is_used[era] ? era : last;
    }
    for (uint32_t era = b->birth; era <= end && (b->death == 0 || era < b->death); era++) {
        hpp_phase phase = first == 0    ? HPP_PHASE_VOID
                          : era < first ? HPP_PHASE_LAG
                          : era <= last ? HPP_PHASE_USE
                                        : HPP_PHASE_DRAG;
        truth[b->life.site][era][phase] += (int64_t)b->life.bytes;
    }
}

static void read_sums(phase_table sums)
{
    const hpp_window_life *records = hpp__window_at(hpp__window->life_pages[0]);
    cr_assert(lt(u32, hpp__window->head.n_lives, HPP_LIVES_PER_CHUNK));
    for (uint32_t i = 1; i < hpp__window->head.n_lives; i++) {
        const hpp_window_life *record = &records[i];
        for (uint32_t era = record->era; era < N_ERAS + 2; era++) {
            for (int phase = 0; phase < HPP_N_PHASES; phase++) {
                sums[record->site][era][phase] += record->bytes[phase];
            }
        }
    }
}

static void compare(const block *blocks, uint32_t n, uint32_t end)
{
    static phase_table truth, sums;
    memset(truth, 0, sizeof truth);
    memset(sums, 0, sizeof sums);
    for (uint32_t i = 0; i < n; i++) {
        add_truth(truth, &blocks[i], end);
    }
    read_sums(sums);
    for (uint32_t site = 1; site <= N_SITES; site++) {
        for (uint32_t era = 1; era <= end; era++) {
            for (int phase = 0; phase < HPP_N_PHASES; phase++) {
                cr_assert(eq(i64, sums[site][era][phase], truth[site][era][phase]),
                          "site %u, era %u of %u, phase %d", site, era, end, phase);
            }
        }
    }
}

Test(lives, differences_add_up_to_what_each_census_saw)
{
    static block blocks[N_ERAS * N_BLOCKS];
    uint32_t n = 0;
    srand(7);
    for (uint32_t era = 1; era <= N_ERAS; era++) {
        for (uint32_t i = 0; i < n; i++) {
            if (blocks[i].death == 0) {
                hpp__life_rest(&blocks[i].life, era);
            }
        }
        for (int i = 0; i < N_BLOCKS; i++) {
            hpp_life life =
                hpp__life_begin((uint32_t)rand() % N_SITES + 1, (uint64_t)rand() % 100000, era);
            blocks[n++] = (block){.life = life, .birth = era};
        }
        for (uint32_t i = 0; i < n; i++) {
            block *b = &blocks[i];
            if (b->death == 0 && rand() % 4 == 0 && i % 5 != 0) {
                hpp__life_use(&b->life, era);
                b->is_used[era] = true;
            }
            if (b->death == 0 && rand() % 8 == 0) {
                hpp__life_end(&b->life, era);
                b->death = era;
            }
        }
        if (era % 8 ==
            0) { /* whatever lives is resting, or was used in the era before or this one */
            for (uint32_t i = 0; i < n; i++) {
                if (blocks[i].death == 0) {
                    hpp__life_rest(&blocks[i].life, era + 1);
                }
            }
            compare(blocks, n, era);
        }
    }
}

Test(lives, a_block_that_dies_in_its_first_era_leaves_no_trace)
{
    hpp_life life = hpp__life_begin(1, 100, 5);
    hpp__life_use(&life, 5);
    hpp__life_end(&life, 5);
    static phase_table sums;
    read_sums(sums);
    for (int phase = 0; phase < HPP_N_PHASES; phase++) {
        cr_assert(eq(i64, sums[1][5][phase], 0));
    }
}

Test(lives, changes_without_a_record_are_counted)
{
    hpp__window->head.control = HPP_CONTROL_NO_NEW_STACKS;
    hpp_life life = hpp__life_begin(1, 100, 5);
    hpp__life_end(&life, 6);
    cr_assert(eq(u64, hpp__window->head.n_lost_lives, 2));
}

static void report(uint32_t birth, uint32_t last_use)
{
    const hpp_life life = {.site = 1, .birth = birth, .last_use = last_use, .bytes = 100};
    hpp__life_report(&life, birth * 16);
}

static hpp__window_reader open_reader(void)
{
    hpp__window_reader reader;
    hpf_error err;
    cr_assert(eq(int, hpp__window_reader_open(&reader, hpp__window, 64 * MIB, -1, &err), HPF_OK));
    return reader;
}

static hpp_window_death deaths[HPP_MAX_DEATHS];

static bool is_reported(uint64_t number, uint32_t birth, uint32_t last_use)
{
    hpp__window_reader reader = open_reader();
    size_t n = hpp__window_reader_deaths(&reader, &number, deaths);
    return n > 0 && deaths[0].birth == birth && deaths[0].last_use == last_use &&
           deaths[0].address == birth * 16;
}

Test(lives, reports_last_uses_that_the_last_image_did_not_show)
{
    hpp_window_head *head = &hpp__window->head;
    report(3, 7); /* there was no image */
    head->image_era = 6;
    report(3, 0); /* never used */
    report(3, 5); /* known */
    report(7, 7); /* born after the image */
    cr_assert(eq(u64, head->n_deaths, 0));
    report(3, 6);
    report(6, 7);
    head->biography_bytes = 1024;
    report(3, 5); /* a sampled block: not known */
    report(3, 0);
    cr_assert(eq(u64, head->n_deaths, 3));
    cr_assert(is_reported(0, 3, 6));
    cr_assert(is_reported(1, 6, 7));
    cr_assert(is_reported(2, 3, 5));
    cr_assert(not(is_reported(3, 0, 0)));
}

Test(lives, reports_are_lost_until_the_collector_has_read_others)
{
    hpp_window_head *head = &hpp__window->head;
    head->image_era = 6;
    head->n_deaths = HPP_MAX_DEATHS - 1;
    report(1, 6);
    report(2, 6);
    cr_assert(eq(u64, head->n_lost_lives, 1));
    head->n_deaths_read = HPP_MAX_DEATHS + 1;
    report(3, 6);
    cr_assert(is_reported(HPP_MAX_DEATHS - 1, 1, 6));
    cr_assert(not(is_reported(HPP_MAX_DEATHS, 2, 6)));
    cr_assert(is_reported(HPP_MAX_DEATHS + 1, 3, 6));
    cr_assert(eq(u64, head->n_lost_lives, 1));
}

Test(lives, deaths_after_a_refresh_are_read_after_the_next)
{
    uint64_t next = 0;
    hpp__window_reader reader = open_reader(); /* when there are no pages for deaths yet */
    hpp__window->head.image_era = 6;
    report(1, 6);
    cr_assert(eq(sz, hpp__window_reader_deaths(&reader, &next, deaths), 0));
    hpp__window_reader_refresh(&reader);
    cr_assert(eq(sz, hpp__window_reader_deaths(&reader, &next, deaths), 1));
    cr_assert(eq(u32, deaths[0].birth, 1));
    cr_assert(eq(u64, next, 1));
}

Test(lives, a_report_that_is_not_complete_is_waited_for)
{
    hpp__window->head.image_era = 6;
    report(1, 6);
    report(2, 6);
    report(3, 6);
    hpp_window_death *records = hpp__window_at(hpp__window->death_pages[0]);
    records[1].number = 0; /* its thread has not come to store it */
    uint64_t next = 0;
    hpp__window_reader reader = open_reader();
    cr_assert(eq(sz, hpp__window_reader_deaths(&reader, &next, deaths), 2));
    cr_assert(eq(u32, deaths[1].birth, 3));
    cr_assert(eq(u64, next, 1));
    records[1].number = 2;
    cr_assert(eq(sz, hpp__window_reader_deaths(&reader, &next, deaths), 2));
    cr_assert(eq(u32, deaths[0].birth, 2));
    cr_assert(eq(u64, next, 3));
}

Test(lives, a_report_that_never_ends_is_skipped)
{
    hpp__window->head.image_era = 6;
    hpp__window->head.n_deaths = 1;
    report(2, 6);
    uint64_t next = 0;
    hpp__window_reader reader = open_reader();
    cr_assert(eq(sz, hpp__window_reader_deaths(&reader, &next, deaths), 1));
    cr_assert(eq(u64, next, 0));
    hpp__window->head.n_deaths = HPP_MAX_DEATHS / 2 + 1;
    hpp__window_reader_refresh(&reader);
    cr_assert(eq(sz, hpp__window_reader_deaths(&reader, &next, deaths), 1));
    cr_assert(eq(u64, next, HPP_MAX_DEATHS / 2 + 1));
}
