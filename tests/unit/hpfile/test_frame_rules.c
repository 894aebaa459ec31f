/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include "hpfile/frame.h"

static hpf_frame_rules *rules;

static void create(const char *skip, bool skips_none)
{
    hpf_error err;
    cr_assert_eq(hpf_frame_rules_create(&rules, &skip, skip != NULL, skips_none, &err), HPF_OK);
}

static void finish(void)
{
    hpf_frame_rules_destroy(rules);
}

static hpf_frame frame(const char *label, const char *module, const char *source)
{
    return (hpf_frame){.label = {label, strlen(label)},
                       .module = {module, strlen(module)},
                       .source = {source, strlen(source)}};
}

Test(frame_rules, a_place_decides_then_a_module_then_a_label, .fini = finish)
{
    const struct {
        const char *label, *module, *source;
        hpf_frame_owner owner;
    } cases[] = {
        {"PageCache::render", "server", "/home/me/server.cpp:31", HPF_FRAME_OF_PROGRAM},
        {"std::hash<Mine>::operator()", "server", "mine.cpp:3", HPF_FRAME_OF_PROGRAM},
        {"core::Engine::run", "game", "", HPF_FRAME_OF_PROGRAM},
        {"[server]", "server", "", HPF_FRAME_OF_PROGRAM},
        {"main", "Main", "<entire-module>", HPF_FRAME_OF_PROGRAM},
        {"std::string::append", "server", "/usr/include/c++/12/bits/basic_string.h:1422",
         HPF_FRAME_OF_STANDARD},
        {"std::string::append", "server", "", HPF_FRAME_OF_STANDARD},
        {"void std::sort<int*>(int*, int*)", "", "", HPF_FRAME_OF_STANDARD},
        {"fopen", "libc.so.6", "", HPF_FRAME_OF_STANDARD},
        {"g_list_append", "libglib-2.0.so.0.7400.6", "../../../glib/glist.c:3",
         HPF_FRAME_OF_STANDARD},
        {"[libstdc++.so.6]", "libstdc++.so.6", "", HPF_FRAME_OF_STANDARD},
        {"alloc::vec::Vec<T,A>::push", "app", "/rustc/abc/library/alloc/src/vec/mod.rs:1836",
         HPF_FRAME_OF_STANDARD},
        {"alloc::fmt::format::format_inner", "app", "library/alloc/src/fmt.rs:652",
         HPF_FRAME_OF_STANDARD},
        {"<hashbrown::raw::RawTableInner>::with_capacity", "app",
         "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs:1613", HPF_FRAME_OF_STANDARD},
        {"<alloc::string::String_as_core::fmt::Write>::write_str", "app", "",
         HPF_FRAME_OF_STANDARD},
        {"json.decoder.JSONDecoder.decode", "json.decoder", "/usr/lib/python3.11/json/decoder.py:9",
         HPF_FRAME_OF_STANDARD},
        {"importlib._bootstrap._load", "importlib._bootstrap", "<frozen importlib._bootstrap>:7",
         HPF_FRAME_OF_STANDARD},
        {"requests.get", "requests", "/x/lib/python3.11/site-packages/requests/api.py:3",
         HPF_FRAME_OF_LIBRARY},
        {"serde::de", "app", "/home/me/.cargo/registry/src/serde/de.rs:1", HPF_FRAME_OF_LIBRARY},
        {"shop.<module>", "shop", "/x/venv/bin/shop:4", HPF_FRAME_OF_LIBRARY},
        {"boost::run", "app", "/usr/include/boost/run.hpp:5", HPF_FRAME_OF_LIBRARY},
        {"[libz.so.1]", "libz.so.1", "", HPF_FRAME_OF_LIBRARY},
        {"operator_new", "app", "", HPF_FRAME_OF_ALLOCATOR},
        {"operator new(unsigned long)", "app", "", HPF_FRAME_OF_ALLOCATOR},
        {"xmalloc", "app", "/home/me/x.c:3", HPF_FRAME_OF_ALLOCATOR},
        {"pool_get", "app", "/home/me/pool.c:3", HPF_FRAME_OF_ALLOCATOR},
        {"Perl_safesysmalloc", "perl", "", HPF_FRAME_OF_ALLOCATOR},
        {"jv_mem_alloc_unguarded", "jq", "", HPF_FRAME_OF_ALLOCATOR},
        {"luaM_realloc_", "lua", "", HPF_FRAME_OF_ALLOCATOR},
        {"av_mallocz", "ffmpeg", "", HPF_FRAME_OF_ALLOCATOR},
        {"leak_malloc", "app", "", HPF_FRAME_OF_PROGRAM},
        {"node_alloc", "app", "", HPF_FRAME_OF_PROGRAM},
    };
    create("^pool_", false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hpf_frame f = frame(cases[i].label, cases[i].module, cases[i].source);
        cr_expect_eq(hpf_frame_rules_owner(rules, &f), cases[i].owner, "%s %s", cases[i].label,
                     cases[i].source);
    }
}

Test(frame_rules, the_innermost_frame_of_the_program_names_a_stack, .fini = finish)
{
    const hpf_frame stack[] = {
        frame("operator_new", "app", ""),
        frame("std::string::append", "app", "/usr/include/c++/12/bits/basic_string.h:1422"),
        frame("boost::run", "app", "/usr/include/boost/run.hpp:5"),
        frame("render", "app", "app.cpp:3"),
        frame("main", "app", "app.cpp:9"),
    };
    create(NULL, false);
    cr_expect_eq(hpf_frame_rules_own(rules, stack, 5), 3);
    cr_expect_eq(hpf_frame_rules_own(rules, stack, 3), 2, "an installed library, without another");
    cr_expect_eq(hpf_frame_rules_own(rules, stack, 2), 1);
    cr_expect_eq(hpf_frame_rules_own(rules, stack, 1), 0);
    cr_expect_eq(hpf_frame_rules_own(rules, NULL, 0), 0);
    cr_expect_eq(hpf_frame_rules_own(NULL, stack, 5), 0);
}

Test(frame_rules, frames_of_the_interpreter_do_not_name_a_stack_with_python, .fini = finish)
{
    const hpf_frame stack[] = {
        frame("list_resize", "python3.11", ""),
        frame("json.loads", "json", "/usr/lib/python3.11/json/__init__.py:346"),
        frame("app.read", "app", "/home/me/app.py:3"),
    };
    create(NULL, false);
    cr_expect_eq(hpf_frame_rules_own(rules, stack, 3), 2);
    cr_expect_eq(hpf_frame_rules_own(rules, stack, 2), 1);
}

Test(frame_rules, all_frames_are_of_the_program_on_request, .fini = finish)
{
    const hpf_frame stack[] = {frame("operator_new", "app", ""), frame("main", "app", "app.cpp:9")};
    create(NULL, true);
    cr_expect_eq(hpf_frame_rules_own(rules, stack, 2), 0);
}

Test(frame_rules, rejects_an_invalid_expression)
{
    const char *skip = "a(";
    hpf_error err;
    cr_expect_eq(hpf_frame_rules_create(&rules, &skip, 1, false, &err), HPF_ERR_ARGUMENT);
    cr_expect_null(rules);
}
