/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any input: its format is detected, it is read with a small limit for names, and what was read is
 * written and read again as each format. A profile of pprof is also copied with functions for some
 * addresses.
 */
#include <stdlib.h>

#include "event/format_row.h"
#include "fuzz.h"
#include "hpfile/format.h"
#include "hpfile/pprof.h"

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

/* Names every other address. */
static hpf_status name_address(void *context, const hpf_frame **frames, size_t *n_frames,
                               hpf_error *err)
{
    static const hpf_frame functions[] = {{.label = {"f", 1}, .source = {"f.c:1", 5}},
                                          {.label = {"g", 1}}};
    (void)context;
    (void)err;
    if ((*frames)->code % 2) {
        *frames = functions;
        *n_frames = 2;
    }
    return HPF_OK;
}

/* A copy of a profile that can be read can be read. */
static void check_copy(hpf_str bytes)
{
    hpf_source *source = NULL, *copied = NULL;
    hpf_sink *copy = hpf_sink_to_memory();
    const hpf_events nothing = {.header = NULL};
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    if (hpf_source_from_memory(&source, bytes, &keeping, NULL) == HPF_OK &&
        hpf_format_read(&hpf_format_pprof, source, &nothing, NULL, NULL, NULL) == HPF_OK &&
        hpf_source_rewind(source, NULL) == HPF_OK) {
        fuzz_require(hpf_pprof_symbolise(source, name_address, NULL, copy, NULL) == HPF_OK,
                     "a profile cannot be copied");
        fuzz_require(hpf_source_from_memory(&copied, hpf_sink_bytes(copy), NULL, NULL) == HPF_OK &&
                         hpf_format_read(&hpf_format_pprof, copied, &nothing, NULL, NULL, NULL) ==
                             HPF_OK,
                     "a copy cannot be read");
    }
    hpf_source_destroy(copied);
    hpf_source_destroy(source);
    hpf_sink_destroy(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_str bytes = {(const char *)data, size};
    check(bytes, NULL);
    check_copy(bytes);
    if (hpf_str_begins(bytes, "CENSUS")) {
        check(bytes, "all");
    }
    return 0;
}
