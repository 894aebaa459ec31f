/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Modules, types and packages in names, as GHC and other profilers print them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "chart/group.h"
#include "hpfile/str.h"

typedef struct sample {
    const char *name, *module, *type, *package;
} sample;

/* NULL: the name is its own group. */
static const sample samples[] = {
    {"ghc-prim:GHC.Types.I#", "GHC.Types", "I#", "ghc-prim"},
    {"ghc-prim:GHC.Types.:", "GHC.Types", ":", "ghc-prim"},
    {"ghc-prim:GHC.Tuple.(,)", "GHC.Tuple", "(,)", "ghc-prim"},
    {"base:GHC.Base..", "GHC.Base", ".", "base"},
    {"containers-0.6.4.1:Data.IntMap.Internal.Bin", "Data.IntMap.Internal", "Bin",
     "containers-0.6.4.1"},
    {"main:Main.Knoten", "Main", "Knoten", "main"},
    {"<main:Main.sat_s1>", "Main", "sat_s1", "main"},
    {"<GHC.List.sat_s4op>", "GHC.List", "sat_s4op", NULL},
    {"GHC.IO.Encoding.Iconv", "GHC.IO.Encoding.Iconv", "Iconv", NULL},
    {"Main", NULL, "Main", NULL},
    {"Data.", NULL, "Data.", NULL},
    {"THUNK_1_0", NULL, "THUNK", NULL},
    {"A_1", NULL, "A", NULL},
    {"_1", NULL, "_1", NULL},
    {"MUT_ARR_PTRS_CLEAN", NULL, "MUT_ARR_PTRS_CLEAN", NULL},
    {"sat_s1_2", NULL, "sat_s1_2", NULL},
    {"x_1", NULL, "x_1", NULL},
    {"[]", NULL, "[]", NULL},
    {"->*", NULL, "->*", NULL},
    {"<>", NULL, "<>", NULL},
    {"std::vector<int, std::allocator<int> >", NULL, "std::vector", NULL},
    {"std::map", NULL, "std::map", NULL},
    {"A<int>", NULL, "A", NULL},
    {"base:X", NULL, "X", "base"},
    {"containers:Data.Sequence.Internal.:<|", "Data.Sequence.Internal", ":<|", "containers"},
    {":<", NULL, ":<", NULL},
    {"<|", NULL, "<|", NULL},
    {"(270)GHC.Conc.Signal.CAF", "GHC.Conc.Signal", NULL, NULL},
    {"(301)passes/Main.CAF", "Main", NULL, NULL},
    {"(270)GHC.Conc.Sig...", NULL, NULL, NULL}, /* cut by GHC */
    {"(270)GHC.Conc....", NULL, NULL, NULL},
    {"(270)GHC...", NULL, NULL, NULL},
    {"(270)GHC.Conc.sig...", "GHC.Conc", NULL, NULL},
    {"(301)passes/Data.Map.insert/GHC.Co...", "Data.Map", NULL, NULL},
    {"base:GHC.Co...", NULL, NULL, "base"},
    {"std::vector<int, std::al...", NULL, "std::vector", NULL},
    {"...", NULL, NULL, NULL},
    {"(304)apply/eval/main", NULL, NULL, NULL},
    {"(5)main.\\.d/Data.Map.insert/main", "Data.Map", NULL, NULL},
    {"MAIN", NULL, "MAIN", NULL},
    {"", NULL, NULL, NULL},
    {"<>x", NULL, "<>x", NULL},
    {":", NULL, ":", NULL},
    {"a:", NULL, "a:", NULL},
    {"\xC3\xA9t\xC3\xA9:M.x", "M", "x", "\xC3\xA9t\xC3\xA9"},
};

static void expect_group(const char *name, hpr_group group, int n_parts, const char *expected)
{
    /* Memory that ends with the name, so that sanitizers see every byte read too far. */
    char *copy = malloc(strlen(name));
    memcpy(copy, name, strlen(name));
    hpf_str found = hpr__part_of((hpf_str){copy, strlen(name)}, group, n_parts);
    const char *wanted = expected ? expected : "";
    cr_expect(hpf_str_is(found, wanted), "%s, %d: '%.*s' instead of '%s'", name, (int)group,
              (int)found.length, found.data, wanted);
    free(copy);
}

Test(group, finds_modules_types_and_packages)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        expect_group(s->name, HPR_GROUP_NONE, 0, NULL);
        expect_group(s->name, HPR_GROUP_MODULE, 0, s->module);
        expect_group(s->name, HPR_GROUP_TYPE, 0, s->type);
        expect_group(s->name, HPR_GROUP_PACKAGE, 0, s->package);
    }
}

Test(group, finds_first_parts)
{
    static const struct {
        const char *name;
        int n_parts;
        const char *expected;
    } cases[] = {
        {"(304)apply/eval/main", 1, "apply"},
        {"(304)apply/eval/main", 2, "apply/eval"},
        {"(304)apply/eval/main", 3, "apply/eval/main"},
        {"(304)apply/eval/main", 9, "apply/eval/main"},
        {"(7)naive'.go/x", 1, "naive'.go"},
        {"containers-0.6.4.1:Data.Map.Bin", 1, "containers-0.6.4.1"},
        {"containers-0.6.4.1:Data.Map.Bin", 2, "containers-0.6.4.1:Data"},
        {"containers-0.6.4.1:Data.Map.Bin", 3, "containers-0.6.4.1:Data.Map"},
        {"Data.Map.Internal", 1, "Data"},
        {"GHC.Base..", 2, "GHC.Base"},
        {"GHC.Base..", 3, "GHC.Base.."},
        {"(304)apply/eval/ma...", 2, "apply/eval"}, /* cut by GHC */
        {"(304)apply/eval/ma...", 3, ""},
        {"GHC.Co...", 1, "GHC"},
        {"GHC.Co...", 2, ""},
        {"std::map::node", 2, "std::map"},
        {"f(a::b, c)", 1, "f(a::b, c)"},
        {"src/parse/lex.c:12", 2, "src/parse"},
        {"(9)f/g/h", 2, "f/g"},
        {"A.B.c", 2, "A.B"},
        {"", 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_group(cases[i].name, HPR_GROUP_PREFIX, cases[i].n_parts, cases[i].expected);
    }
}

Test(group, finds_packages_of_holders)
{
    static const struct {
        const char *name, *expected;
    } cases[] = {
        {"(7)email.header.Header", "email"},
        {"(7)email.header.Header,email.utils.x", "email"},
        {"(7)email.header.Header,emails.x", NULL},
        {"(7)email.header.Header,email", NULL},
        {"(7)email.header.Header,", NULL},
        {"(7)app.Sess...", "app"}, /* cut */
        {"(7)_ssl.a,_ssl.b,_ssl.c", "_ssl"},
        {"(7)email", NULL},
        {"(7)email.", NULL},
        {"(7).email", NULL},
        {"(7)data@libcrypto.so.3", NULL},
        {"(7)server in main", NULL},
        {"(7)a.f/b.g", NULL},
        {"email.header.Header", NULL}, /* not a set */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_group(cases[i].name, HPR_GROUP_HOLDER, 0, cases[i].expected);
    }
}
