/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Retainer sets of reports, and which names are theirs.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/retainer_sets.h"
#include "hpfile/str.h"

static const char report[] =
    "Retainer Profiling: 0, at 0.086108 seconds\n"
    "\tMax auxiliary stack size = 282\n"
    "\n"
    "Retainer sets created during profiling:\n"
    "SET 2 = {<SYSTEM.SYSTEM>}\n"
    "SET 4 = {<>}\r\n"
    "SET 7 = {<doFile[Main],main[Main],MAIN[MAIN]>, <synth_2[Main],main[Main],MAIN[MAIN]>}\n"
    "SET 9 = {<Data.Map>, <(,)>, <[]>}\n"
    "SET 48 = {<GHC.IO.Encoding.CAF>, <GHC.IO.Handle.FD.CAF>}\n"
    "SET 50 = {<Main..,Main.main>, <Main.f.g,Main.main>}\n"
    "SET 105 = {<SYSTEM.SYSTEM>, <Main.eval,Main.main>, <Main.lookupVar,Main.eval,Main.main>}";

static hpf_retainer_sets *read_report(const char *text)
{
    hpf_source *source = NULL;
    hpf_retainer_sets *sets = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){text, strlen(text)}, NULL, NULL),
                 HPF_OK);
    cr_assert_eq(hpf_retainer_sets_read(&sets, source, NULL), HPF_OK);
    hpf_source_destroy(source);
    return sets;
}

Test(sets, a_name_has_the_members_of_its_set)
{
    static const struct {
        const char *name, *whole, *members;
    } cases[] = {
        {"(2)SYSTEM", "(2)SYSTEM", "<SYSTEM.SYSTEM>"},
        {"(4)MAIN", "(4)MAIN", "<>"},
        {"(7)doFile,synth_2", "(7)doFile,synth_2",
         "<doFile[Main],main[Main],MAIN[MAIN]>, <synth_2[Main],main[Main],MAIN[MAIN]>"},
        {"(9)Data.Map,(,),[]", "(9)Data.Map,(,),[]", "<Data.Map>, <(,)>, <[]>"},
        {"(48)CAF,CAF", "(48)CAF,CAF", "<GHC.IO.Encoding.CAF>, <GHC.IO.Handle.FD.CAF>"},
        {"(50).,f.g", "(50).,f.g", "<Main..,Main.main>, <Main.f.g,Main.main>"},
        {"(105)SYSTEM,eval,lookupVa", "(105)SYSTEM,eval,lookupVar",
         "<SYSTEM.SYSTEM>, <Main.eval,Main.main>, <Main.lookupVar,Main.eval,Main.main>"},
        {"(105)SYST...", "(105)SYSTEM,eval,lookupVar",
         "<SYSTEM.SYSTEM>, <Main.eval,Main.main>, <Main.lookupVar,Main.eval,Main.main>"},
    };
    hpf_retainer_sets *sets = read_report(report);
    cr_expect_eq(hpf_retainer_sets_n(sets), 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_retainer_set set;
        hpf_str name = {cases[i].name, strlen(cases[i].name)};
        cr_assert(hpf_retainer_sets_find(sets, name, &set), "%s", cases[i].name);
        cr_expect(hpf_str_is(set.name, cases[i].whole), "%s", cases[i].name);
        cr_expect(hpf_str_is(set.members, cases[i].members), "%s", cases[i].name);
    }
    hpf_retainer_sets_destroy(sets);
}

/* GHC gives a number to one set after the other: the labels must be right, too. */
Test(sets, a_number_alone_is_not_enough)
{
    static const char *const names[] = {
        "(2)main",
        "(48)CAF",
        "(105)SYSTEM,eval",
        "(105)SYSTEM,eval,lookupVariable...",
        "(99)SYSTEM",
        "SYSTEM",
        "",
        "()SYSTEM",
        "(2)",
    };
    hpf_retainer_sets *sets = read_report(report);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hpf_retainer_set set;
        cr_expect_not(hpf_retainer_sets_find(sets, (hpf_str){names[i], strlen(names[i])}, &set),
                      "%s", names[i]);
    }
    hpf_retainer_sets_destroy(sets);
}

Test(sets, other_lines_are_skipped)
{
    static const char *const texts[] = {"", "SET", "SET 4 = {<>", "SET x = {<>}\n",
                                        "set 4 = {<>}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hpf_retainer_sets *sets = read_report(texts[i]);
        cr_expect_eq(hpf_retainer_sets_n(sets), 0, "%s", texts[i]);
        hpf_retainer_sets_destroy(sets);
    }
}

/* Members that are not as GHC writes them: nothing of it is a label. */
Test(sets, odd_members_have_no_names)
{
    hpf_retainer_set set;
    hpf_retainer_sets *sets = read_report("SET 1 = {x}\nSET 2 = {}\nSET 3 = {<a\nSET 4 = {<}\n");
    cr_expect_eq(hpf_retainer_sets_n(sets), 3);
    cr_expect_not(hpf_retainer_sets_find(sets, HPF_STR("(1)x"), &set));
    cr_expect_not(hpf_retainer_sets_find(sets, HPF_STR("(4)a"), &set));
    hpf_retainer_sets_destroy(sets);
}
