#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: tests/stress.sh [BUILD [TIMES [CTEST_OPTION...]]]
#
# Runs each test that waits, listens, follows or reads a clock (label `waits`) TIMES times while two busy
# loops run, and prints the tests that failed. Exits with 0 only if none failed. BUILD is build/dev and
# TIMES is 50 by default; ctest's options choose among the tests: tests/stress.sh build/asan 5 -R ^watch
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/dev}
times=${2:-50}
shift $(($# < 2 ? $# : 2))

loops=()
trap 'kill "${loops[@]}"' EXIT
for _ in 1 2; do
    while :; do :; done &
    loops+=($!)
done

ctest --test-dir "$build" -L '^waits$' --repeat "until-fail:$times" --schedule-random -j 2 --output-on-failure \
    --no-tests=error "$@"
