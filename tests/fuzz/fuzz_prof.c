/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as a report of time and allocation: they are refused with words, or are a tree with
 * parents before children, of which there are stacks, and which is the same when it is written as
 * JSON and read again.
 */
#include "fuzz.h"
#include "hpfile/stacks.h"

typedef struct sums {
    uint64_t n, entries, ticks, bytes;
} sums;

static hpf_prof_file *read_bytes(hpf_str bytes)
{
    hpf_source *source = NULL;
    hpf_prof_file *file = NULL;
    hpf_error err = {0};
    fuzz_require(hpf_source_from_memory(&source, bytes, NULL, NULL) == HPF_OK, "no source");
    hpf_status status = hpf_prof_read(&file, source, &err);
    fuzz_require((status == HPF_OK) == (file != NULL), "neither a report nor refused");
    fuzz_require(file || (err.status == status && err.message[0]), "no message");
    hpf_source_destroy(source);
    return file;
}

static sums check_tree(const hpf_prof *prof)
{
    sums all = {.n = prof->n_stacks};
    for (size_t i = 0; i < prof->n_stacks; i++) {
        const hpf_prof_stack *s = &prof->stacks[i];
        fuzz_require(s->centre_index < prof->n_centres, "a stack of no centre");
        fuzz_require(i ? s->parent_index < i : s->parent_index == HPF_PROF_NO_PARENT,
                     "a parent behind its child");
        all.entries += s->entries;
        all.ticks += s->ticks;
        all.bytes += s->allocated_bytes;
    }
    return all;
}

static void check_stacks(const hpf_prof *prof)
{
    uint32_t *numbers = calloc(prof->n_stacks + 1, sizeof *numbers);
    hpf_stacks *stacks = hpf_stacks_create();
    fuzz_require(numbers && stacks, "no memory");
    hpf_status status = hpf_stacks_of_prof(stacks, prof, true, numbers, NULL);
    fuzz_require(status == HPF_OK, "stacks are refused");
    for (size_t i = 0; i < prof->n_stacks; i++) {
        fuzz_require(numbers[i] < hpf_stacks_n(stacks), "a stack that is none");
    }
    hpf_stacks_destroy(stacks);
    free(numbers);
}

/* JSON has children in the order of the reports: only sums stay. */
static void check_written(const hpf_prof *prof, const sums *expected)
{
    hpf_sink *sink = hpf_sink_to_memory();
    fuzz_require(hpf_prof_write_json(sink, prof, NULL) == HPF_OK, "cannot be written");
    hpf_prof_file *again = read_bytes(hpf_sink_bytes(sink));
    fuzz_require(again, "what was written is refused");
    sums got = check_tree(hpf_prof_file_report(again));
    fuzz_require(got.n == expected->n && got.entries == expected->entries &&
                     got.ticks == expected->ticks && got.bytes == expected->bytes,
                 "other sums");
    hpf_prof_file_destroy(again);
    hpf_sink_destroy(sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_prof_file *file = read_bytes((hpf_str){(const char *)data, size});
    if (file) {
        const hpf_prof *prof = hpf_prof_file_report(file);
        sums all = check_tree(prof);
        check_stacks(prof);
        check_written(prof, &all);
        hpf_prof_file_destroy(file);
    }
    return 0;
}
