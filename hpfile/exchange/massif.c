/* SPDX-License-Identifier: BSD-2-Clause */
#include "exchange/massif.h"

const hpf_format hpf_format_massif = {
    .name = "massif",
    .extension = "massif.out",
    .summary = "massif.out of Valgrind, for ms_print and massif-visualizer",
    .is_format = hpf__massif_is_format,
    .read = hpf__massif_read,
};
