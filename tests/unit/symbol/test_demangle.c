/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names as compilers make them, and as people read them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

typedef struct pair {
    const char *symbol;
    const char *name;
} pair;

static void check(const pair *pairs, size_t n)
{
    hpp__text name = {0};
    for (size_t i = 0; i < n; i++) {
        hpp__demangle(&name, (hpf_str){pairs[i].symbol, strlen(pairs[i].symbol)});
        cr_expect(name.length == strlen(pairs[i].name) &&
                      memcmp(name.data, pairs[i].name, name.length) == 0,
                  "%s becomes \"%.*s\", not \"%s\"", pairs[i].symbol, (int)name.length, name.data,
                  pairs[i].name);
    }
    hpp__text_finish(&name);
}

static void need_demangler(void)
{
    if (!hpp__demangle_is_built_in()) {
        cr_skip("libiberty is not built in");
    }
}

#define CHECK(pairs) check(pairs, sizeof(pairs) / sizeof(pairs)[0])

Test(demangle, plain_names_stay)
{
    static const pair pairs[] = {
        {"main", "main"},   {"_start", "_start"},   {"_Z", "_Z"}, {"_Znotmangled", "_Znotmangled"},
        {"_RTLD", "_RTLD"}, {".hidden", ".hidden"}, {"x", "x"}};
    CHECK(pairs);
}

Test(demangle, what_compilers_and_libraries_add_goes)
{
    static const pair pairs[] = {{"sort.cold", "sort"},
                                 {"sort.part.0", "sort"},
                                 {"sort.part.0.isra.12.cold", "sort"},
                                 {"sort.constprop.0", "sort"},
                                 {"sort.llvm.8123451", "sort"},
                                 {"sort.lto_priv.0", "sort"},
                                 {"nested.17", "nested"},
                                 {"runtime.mallocgc", "runtime.mallocgc"},
                                 {"main.main.func1.2", "main.main.func1.2"},
                                 {"__GI__IO_puts", "_IO_puts"},
                                 {"__GI_", "__GI_"},
                                 {"a.coldish", "a.coldish"}};
    CHECK(pairs);
}

Test(demangle, cxx_names_lose_parameters)
{
    need_demangler();
    static const pair pairs[] = {
        {"_Z3fooi", "foo"},
        {"_Z3fooi.part.0", "foo"},
        {"_Znwm", "operator new"},
        {"_ZdaPv", "operator delete[]"},
        {"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int>::push_back"},
        {"_Z3fooIiET_S0_", "foo<int>"},
        {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"},
        {"_ZNSt5arrayIiLm4EE4sizeEv", "std::array<int,4ul>::size"},
        {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"},
        {"_ZNKSt8functionIFviiEEclEii", "std::function<void (int,int)>::operator()"},
        {"_ZN3FooC1Ev", "Foo::Foo"},
        {"_ZN3FooC4Ev", "Foo::Foo"},
        {"_ZN3FoocvbEv", "Foo::operator bool"},
        {"_ZN1AB5cxx113fooEv", "A::foo"},
        {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc", "std::string::append"},
        {"_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_"
         "ESaISt4pairIKS5_"
         "iEEE4findERS9_",
         "std::map<std::string,int>::find"},
        {"_ZZNK1AclEiENKUlvE_clEv", "A::operator()::{lambda()#1}::operator()"},
        {"_ZZN12_GLOBAL__N_13fooEiE3bar", "(anonymous namespace)::foo::bar"},
    };
    CHECK(pairs);
}

Test(demangle, rust_names_of_both_schemes)
{
    need_demangler();
    static const pair pairs[] = {
        {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
        {"_ZN4core3fmt5write17h0123456789abcdefE.llvm.12345", "core::fmt::write"},
        {"_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$"
         "3fmt17h0123456789abcdefE",
         "<alloc::string::String as core::fmt::Display>::fmt"},
        {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
        {"_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize,f64>"},
        {"_RNCNvC7mycrate4main0B3_", "mycrate::main::{closure#0}"},
        {"_RINvC1a1bAhj4_E", "a::b::<[u8;4]>"},
    };
    CHECK(pairs);
}

Test(demangle, a_dress_for_profiles)
{
    static const pair pairs[] = {{"a, b", "a,b"},         {"x 1", "x1"},
                                 {"a\tb\nc", "a?b?c"},    {"void (int)", "void (int)"},
                                 {"A<B<C> >", "A<B<C>>"}, {" lead  more ", "lead more"},
                                 {"f[abi:cxx11]", "f"}};
    CHECK(pairs);
}

Test(demangle, cxx_names_of_debugging_information)
{
    static const pair pairs[] = {
        {"main(int, char**)::<lambda(int)>::operator()", "main::<lambda(int)>::operator()"},
        {"f<std::vector<int, std::allocator<int> > >", "f<std::vector<int>>"},
        {"f<std::allocator<int> >", "f<std::allocator<int>>"},
        {"f<A, std::allocator<int>, B>", "f<A,std::allocator<int>,B>"},
        {"f<A, std::allocator<int", "f<A,std::allocator<int"},
        {"f(int", "f(int"},
        {"a::f() const &::b", "a::f::b"}};
    CHECK(pairs);
}

Test(demangle, long_names_are_cut_on_a_character)
{
    char name[HPP__NAME_MAX_BYTES + 3];
    memset(name, 'x', sizeof name);
    memcpy(name + HPP__NAME_MAX_BYTES - 1, "\xc3\xa9\xc3", 3);
    hpp__text out = {0};
    hpp__demangle(&out, (hpf_str){name, sizeof name});
    cr_assert_eq(out.length, HPP__NAME_MAX_BYTES - 1);
    hpp__text_finish(&out);
}

Test(demangle, damaged_names_come_back)
{
    static const char whole[] = "_ZNSt6vectorISt5arrayIiLm4EESaIS1_EE9push_backERKS1_";
    hpp__text out = {0};
    for (size_t n = 0; n < sizeof whole; n++) {
        for (int c = 'A'; c < 'z'; c++) {
            char damaged[sizeof whole];
            memcpy(damaged, whole, sizeof whole);
            damaged[n] = (char)c;
            hpp__demangle(&out, (hpf_str){damaged, n});
            cr_assert_eq(out.length == 0, n == 0);
            hpp__demangle(&out, (hpf_str){damaged, sizeof whole - 1});
            cr_assert_gt(out.length, 0);
        }
    }
    hpp__text_finish(&out);
}
