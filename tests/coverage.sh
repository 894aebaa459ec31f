#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: tests/coverage.sh [CTEST_OPTION...]
#
# Prints which share of the lines and branches of each room the tests that do not wait execute, and writes
# build/coverage/report/index.html. Needs gcovr. What runs inside of profiled programs is left out: it cannot
# write such figures there.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset coverage > /dev/null
cmake --build --preset coverage
find build/coverage -name '*.gcda' -delete
ctest --test-dir build/coverage -LE '^waits$' -j "$(nproc)" "$@" | tail -n 3

report() {
    gcovr --root . --object-directory build/coverage --exclude profiler/native/target \
        --exclude-unreachable-branches --exclude-throw-branches "$@"
}
for room in base hpfile coverage render profiler cli; do
    echo "$room"
    report --filter "$room/" --print-summary --output /dev/null | sed -n 's/^\(lines\|branches\)/    \1/p'
done
mkdir -p build/coverage/report
report --filter '(base|hpfile|coverage|render|profiler|cli)/' --html-details build/coverage/report/index.html
