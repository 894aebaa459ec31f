/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The laws of `.hp` on any bytes: cutting the input changes nothing; writing and reading again
 * changes nothing; the survey, of memory or of a file, adds up to what the model
 * holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "laws.h"
#include "readings.h"
#include "rng.h"

/* Few enough that profiles of a few hundred bytes are reduced too. */
#define FEW_DRAWN 16

static void check_written(const hpf_model *model)
{
    hpf_error err;
    hpf_sink *first = write_model(model);
    fuzz_require(first, "a model cannot be written");
    hpf_model *again = model_of_text(hpf_sink_bytes(first), &err);
    fuzz_require(again, "what was written is refused");
    fuzz_require(hpf_model_equal(model, again), "writing and reading changes the model");
    hpf_sink *second = write_model(again);
    hpf_str a = hpf_sink_bytes(first);
    hpf_str b = hpf_sink_bytes(second);
    fuzz_require(a.length == b.length && memcmp(a.data, b.data, a.length) == 0,
                 "writing again gives other bytes");
    hpf_sink_destroy(first);
    hpf_sink_destroy(second);
    hpf_model_destroy(again);
}

/* Checks the survey of a file. */
static void survey_file(hpf_str text, const hpf_model *model, size_t max_drawn)
{
    static FILE *file;
    if (!file && !(file = tmpfile())) {
        return;
    }
    int fd = fileno(file);
    hpf_source *source = NULL;
    bool is_written =
        ftruncate(fd, 0) == 0 && pwrite(fd, text.data, text.length, 0) == (ssize_t)text.length;
    if (!is_written || hpf_source_from_fd(&source, fd, NULL, NULL) != HPF_OK) {
        return;
    }
    law_survey(source, law_format(text), model, max_drawn, true);
    hpf_source_destroy(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_str text = {(const char *)data, size};
    rng chance = {fuzz_seed(data, size)};
    hpf_error err;
    law_cuts(text, &chance);
    hpf_model *model = model_of_text(text, &err);
    if (model) {
        check_written(model);
    }
    size_t max_drawn = rng_below(&chance, 2) ? FEW_DRAWN : 0;
    if (rng_below(&chance, 16) == 0) {
        survey_file(text, model, max_drawn);
    } else {
        law_survey_memory(text, model, max_drawn, true);
    }
    hpf_model_destroy(model);
    return 0;
}
