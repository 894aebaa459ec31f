#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The compiler proper of g++ (large, without frame pointers or symbols) on templates, preprocessed
# beforehand. TEMPLATES: how many instances of all of them, or 0 for a small unit.
. "$(dirname "$0")/_common.inc"
n=${TEMPLATES:-8}
unit=$W/cc1plus-$n.ii
if [ ! -s "$unit" ] && [ "$n" -eq 0 ]; then
    printf '#include <string>\nstd::string twice(const std::string &s) { return s + s; }\n' |
        g++ -std=c++17 -E -x c++ - -o "$unit.$$"
    mv "$unit.$$" "$unit"
elif [ ! -s "$unit" ]; then
    cat >"$W/cc1plus-$n.cc" <<CC
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

template <int N> struct Nest {
    std::map<int, std::vector<Nest<N - 1>>> below;
    std::tuple<Nest<N - 1>, std::string> pair;
    std::variant<int, std::string, std::vector<int>> choice;
    int visit(int x)
    {
        std::sort(below[x].begin(), below[x].end(),
                  [](auto const &a, auto const &b) { return &a < &b; });
        return Nest<N - 1>().visit(x) +
               std::visit([](auto const &value) { return (int)sizeof value; }, choice);
    }
};

template <> struct Nest<0> {
    int visit(int x) { return x; }
};

template <int N> void use(std::ostream &out)
{
    std::unordered_map<std::string, std::shared_ptr<Nest<N>>> table;
    table["a"] = std::make_shared<Nest<N>>();
    out << table["a"]->visit(N);
    use<N - 1>(out);
}

template <> void use<0>(std::ostream &) {}

int main(int argc, char **argv)
{
    std::regex pattern("([a-z]+)|([0-9]{3,})");
    std::string text(argv[0]);
    std::smatch match;
    if (std::regex_search(text, match, pattern)) {
        use<$n>(std::cout);
    }
    std::mt19937 engine(argc);
    std::set<unsigned> numbers;
    while (numbers.size() < 9) {
        numbers.insert(engine());
    }
    return (int)numbers.size();
}
CC
    g++ -std=c++17 -E "$W/cc1plus-$n.cc" -o "$unit.$$"
    mv "$unit.$$" "$unit"
fi
exec "$@" "$(g++ -print-prog-name=cc1plus)" -fpreprocessed -quiet -std=c++17 -O1 "$unit" -o /dev/null
