/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/resident.h"

#include <stdbool.h>

#include "base/words.h"

const char *hpf_resident_part_name(hpf_resident_part part)
{
    static const char *const names[HPF_N_RESIDENT_PARTS] = {
        [HPF_RESIDENT_LIVE] = "live blocks",
        [HPF_RESIDENT_GAPS] = "rest of pages with live blocks",
        [HPF_RESIDENT_FREE] = "free pages",
        [HPF_RESIDENT_MAPPED] = "mapped by the program",
        [HPF_RESIDENT_STACKS] = "stacks of threads",
        [HPF_RESIDENT_LIBRARIES] = "libraries",
        [HPF_RESIDENT_FILES] = "mapped files",
        [HPF_RESIDENT_SHARED] = "shared memory",
        [HPF_RESIDENT_OTHER] = "tables of the allocator, other",
        [HPF_RESIDENT_PROFILER] = "profiler",
        [HPF_RESIDENT_REST] = "rest of the heap",
        [HPF_RESIDENT_BEFORE] = "rest of the heap, and what was there before",
    };
    return names[part];
}

uint64_t hpf_pinned_range_bytes(size_t range)
{
    static const uint64_t sizes[HPF_N_PINNED] = {4 << 10, 64 << 10, 2 << 20};
    return sizes[range];
}

bool hpf_resident_take_row(hpf_resident_row *row, hpf_str *rest)
{
    uint64_t numbers[2];
    if (!hpf__take_row(rest, &row->kind, numbers, &row->name)) {
        return false;
    }
    row->bytes = numbers[0];
    row->second_bytes = numbers[1];
    return true;
}
