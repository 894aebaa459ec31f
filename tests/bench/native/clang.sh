#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# clang: compiles and optimizes a unit with many instances of templates of the standard library.
. "$(dirname "$0")/_common.inc"
unit=$W/clang.ii
if [ ! -s "$unit" ]; then
    clang++ -std=c++17 -E -x c++ - >"$unit.$$" <<'CC'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

template <int N> struct Nest {
    std::map<std::string, std::vector<int>> lists;
    int visit(const std::string &name)
    {
        std::vector<int> &list = lists[name + std::to_string(N)];
        list.push_back(N);
        std::sort(list.begin(), list.end());
        return (int)list.size() + Nest<N - 1>().visit(name);
    }
};

template <> struct Nest<0> {
    int visit(const std::string &) { return 0; }
};

int main(int argc, char **argv)
{
    std::regex pattern(argv[argc - 1]);
    std::cout << Nest<60>().visit("a") << std::regex_search("abc", pattern);
}
CC
    mv "$unit.$$" "$unit"
fi
exec "$@" clang++ -std=c++17 -O1 -c "$unit" -o "$W/clang.o"
