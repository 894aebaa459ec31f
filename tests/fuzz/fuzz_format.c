/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any input: its format is detected, it is read with a small limit for names, and what was read is
 * written and read again as each format.
 */
#include <stdlib.h>

#include "event/format_row.h"
#include "fuzz.h"
#include "hpfile/format.h"

/* Reads `bytes` into `writer` as the format that they have; of a recording, the process with the
 * largest peak, or all. */
static hpf_status convert(hpf_str bytes, const char *process, hpf_writer *writer,
                          size_t max_name_bytes)
{
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true, .process = process};
    const hpf_reader_options options = {.size = sizeof options, .max_name_bytes = max_name_bytes};
    const hpf_format *format;
    hpf_source *source = NULL;
    hpf_error err = {0};
    hpf_status status = hpf_source_from_memory(&source, bytes, &keeping, &err);
    status = status == HPF_OK ? hpf_format_detect(&format, source, &err) : status;
    status = status == HPF_OK
                 ? hpf_format_read(format, source, &hpf_writer_events, writer, &options, &err)
                 : status;
    fuzz_require(status == HPF_OK || err.message[0], "no message");
    hpf_source_destroy(source);
    return status;
}

static void check(hpf_str bytes, const char *process)
{
    static const hpf_format *const formats[] = {&hpf_format_hp, &hpf_format_tidy,
                                                &hpf_format_eventlog};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        hpf_sink *first = hpf_sink_to_memory(), *again = hpf_sink_to_memory();
        hpf_writer *writer, *rewriter;
        fuzz_require(hpf_writer_create(&writer, formats[i], first, NULL, NULL) == HPF_OK,
                     "no writer");
        fuzz_require(hpf_writer_create(&rewriter, &hpf_format_hp, again, NULL, NULL) == HPF_OK,
                     "no writer");
        if (convert(bytes, process, writer, 200) == HPF_OK) {
            fuzz_require(hpf_writer_finish(writer, NULL) == HPF_OK, "the end cannot be written");
            /* Amounts of a repeated name may add up to more than a reader accepts. */
            hpf_status status = convert(hpf_sink_bytes(first), NULL, rewriter, 0);
            fuzz_require(status == HPF_OK || status == HPF_ERR_RANGE,
                         "a written profile cannot be read");
        }
        hpf_writer_destroy(rewriter);
        hpf_writer_destroy(writer);
        hpf_sink_destroy(again);
        hpf_sink_destroy(first);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_str bytes = {(const char *)data, size};
    check(bytes, NULL);
    if (hpf_str_begins(bytes, "CENSUS")) {
        check(bytes, "all");
    }
    return 0;
}
