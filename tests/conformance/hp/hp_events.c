/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints what the reader says about a file: hp_events FILE. Exit status 0 when it was accepted, 1
 * when not, 2 when it could not be opened. For the scripts beside it.
 */
#include <stdio.h>

#include "readings.h"

int main(int argc, char **argv)
{
    hpf_source *source = NULL;
    hpf_error err;
    if (argc != 2 || hpf_source_open(&source, argv[1], NULL, &err) != HPF_OK) {
        fprintf(stderr, "usage: hp_events FILE\n");
        return 2;
    }
    reading r = read_from_source(source);
    hpf_str text = hpf_sink_bytes(r.text);
    size_t n_written = fwrite(text.data, 1, text.length, stdout);
    int result = n_written < text.length ? 2 : r.status != HPF_OK;
    reading_finish(&r);
    hpf_source_destroy(source);
    return result;
}
