/* SPDX-License-Identifier: BSD-2-Clause */
#include "bins.h"

#include "diag.h"

bool bins_read(hpf_bins *bins, const char *path)
{
    hpf_source *source;
    hpf_error err;
    if (hpf_source_open(&source, path, NULL, &err) != HPF_OK) {
        diag_error(path, &err);
        return false;
    }
    bool is_good = hpf_bins_read(bins, source, &err) == HPF_OK;
    if (!is_good) {
        diag_input(path, source, &err);
        hpf_bins_finish(bins);
    }
    hpf_source_destroy(source);
    return is_good;
}

/* Adds a file to one side of the table. Returns false after a message. */
static bool add(hpp_bins_table *table, const char *path, int side)
{
    hpf_bins bins;
    hpf_error err;
    if (!bins_read(&bins, path)) {
        return false;
    }
    bool is_good = hpp_bins_add(table, &bins, side, &err) == HPF_OK;
    if (!is_good) {
        diag_error(path, &err);
    }
    hpf_bins_finish(&bins);
    return is_good;
}

bool bins_load(hpp_bins_table *table, const char *const *paths, size_t n, bool is_diff)
{
    hpf_error err;
    if (hpp_bins_init(table, &err) != HPF_OK) {
        diag_say("%s", err.message);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!add(table, paths[i], is_diff ? (int)i : 0)) {
            hpp_bins_finish(table);
            return false;
        }
    }
    return true;
}
