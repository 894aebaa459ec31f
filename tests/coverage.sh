#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: tests/coverage.sh [CTEST_OPTION...]
#
# Prints which share of the lines and functions of each room the tests execute, and writes the other lines to
# build/coverage/missed.txt. Left out are tests that wait, or whose time goes to browsers, TeX and other builds; and
# what runs inside profiled programs, which cannot write such figures there.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset coverage > /dev/null
cmake --build --preset coverage
find build/coverage -name '*.gcda' -delete
# A test that fails executes lines, too.
ctest --test-dir build/coverage -LE '^waits$' -E '^(browser|docs|install|latex|rooms)' --timeout 400 -j "$(nproc)" "$@" |
    tail -n 15 || true
tests/coverage.py build/coverage build/coverage/missed.txt
