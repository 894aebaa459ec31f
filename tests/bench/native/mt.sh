#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# THREADS that each allocate OPS times and free what others have allocated.
. "$(dirname "$0")/_common.inc"
compiled mt -pthread
exec "$@" "$W/mt" "${THREADS:-2}" "${OPS:-6000000}"
