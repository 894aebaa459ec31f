#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The worst case: PAIRS of malloc and free and nothing else, FRAMES deep. REWIND=1: the program descends
# and returns for every pair.
. "$(dirname "$0")/_common.inc"
compiled micro -fno-optimize-sibling-calls
exec "$@" "$W/micro" "${FRAMES:-10}" "${PAIRS:-5000000}" ${REWIND:+rewind}
