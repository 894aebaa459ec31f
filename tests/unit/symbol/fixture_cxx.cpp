// SPDX-License-Identifier: BSD-2-Clause
//
// Names as C++ has them: templates, lambdas, operators, namespaces without a name.

using probe = void(const char *place);

#define NOINLINE __attribute__((noinline))

namespace shapes {

template <typename T, int N> struct box {
    NOINLINE void open(probe *at, int)
    {
        at("template");
    }
    NOINLINE int operator[](probe *at)
    {
        at("operator");
        return N;
    }
    inline __attribute__((always_inline)) void inlined(probe *at)
    {
        at("inlined"); // @inlined
    }
    NOINLINE explicit box(probe *at)
    {
        at("constructor"); // @constructor
    }
};

template <typename F> inline __attribute__((always_inline)) void call(probe *at, F function)
{
    function();
    at("called");
}

} // namespace shapes

namespace {

NOINLINE void nameless(probe *at)
{
    at("nameless");
}

} // namespace

extern "C" __attribute__((visibility("default"))) void fixture_cxx_places(probe *at)
{
    shapes::box<shapes::box<char, 1>, 4> box(at);
    box.open(at, 1);
    box[at];
    box.inlined(at); // @inlined_call
    nameless(at);
    auto lambda = [at](int) NOINLINE {
        at("lambda"); // @lambda
    };
    lambda(2);
    auto nothing = [] {};
    shapes::call(at, nothing);
    struct {
        __attribute__((always_inline)) void run(probe *at)
        {
            at("run_by_unnamed");
        }
    } unnamed;
    unnamed.run(at);
    auto inlined_lambda = [at]() __attribute__((always_inline)) { at("inlined_lambda"); };
    inlined_lambda();
    at("exported");
}
