/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as counts ("Tix ..."), as boxes and a text, separated by a line "--" ("Mix ..."), or as
 * an overlay: they are refused with a place in them, or can be written and read again, combined,
 * drafted and applied.
 */
#include <string.h>

#include "fuzz.h"
#include "coverage/overlay.h"

static const char mix_text[] =
    "Mix \"a.hs\" 2026-11-22 17:43:47 UTC 7 8 [(1:5-1:5,ExpBox False),(1:1-1:5,TopLevelBox "
    "[\"f\"]),(2:7-3:4,ExpBox True),(2:9-2:9,ExpBox False),(2:1-3:4,TopLevelBox "
    "[\"g\"]),(2:3-3:9,LocalBox [\"g\",\"h\"])]";
static const char module_text[] = "f = 1\ng x = y\n  + z -- more\n";

static void check_refusal(hpf_status status, const hpf_error *err, size_t size)
{
    bool has_place = err->offset <= size && err->line >= 1 && err->column >= 1;
    fuzz_require(err->status == status && err->message[0], "no message");
    fuzz_require(has_place || status == HPF_ERR_MEMORY, "no place");
}

/* ---- Counts ---- */

static hpf_str written(const hpc_tix *tix, hpf_sink **sink)
{
    *sink = hpf_sink_to_memory();
    fuzz_require(*sink, "no memory");
    hpc_tix_write(tix, *sink);
    return hpf_sink_bytes(*sink);
}

static void require_counts(const hpc_tix *tix, bool are_zero)
{
    for (size_t i = 0; i < tix->n_modules; i++) {
        for (size_t k = 0; k < tix->modules[i].n_counts; k++) {
            fuzz_require(tix->modules[i].counts[k] <= !are_zero, "a count that cannot be");
        }
    }
}

static void fuzz_tix(hpf_str text)
{
    hpc_tix tix, again, joined;
    hpf_error err = {0};
    hpf_status status = hpc_tix_read(&tix, text, &err);
    if (status != HPF_OK) {
        check_refusal(status, &err, text.length);
        return;
    }
    hpf_sink *first, *second;
    hpf_str bytes = written(&tix, &first);
    fuzz_require(hpc_tix_read(&again, bytes, NULL) == HPF_OK, "what was written is refused");
    fuzz_require(hpf_str_equal(bytes, written(&again, &second)), "another text");
    hpf_sink_destroy(second);
    for (int how = HPC_TIX_DIFF; how <= HPC_TIX_SUB; how++) {
        if (hpc_tix_combine(&joined, &tix, &again, (hpc_tix_join)how, how == HPC_TIX_SUB, NULL) ==
            HPF_OK) {
            require_counts(&joined, true);
        }
        hpc_tix_finish(&joined);
    }
    hpc_tix_apply(&again, HPC_TIX_INV);
    require_counts(&again, false);
    hpf_sink_destroy(first);
    hpc_tix_finish(&tix);
    hpc_tix_finish(&again);
}

/* ---- Boxes ---- */

/* Drafts an overlay of all boxes, and applies it if it is one: names may contain quotes. */
static void draft(const hpc_mix *mix, hpf_str text)
{
    hpc_module_text lines;
    hpc_tix tix = {.arena = NULL};
    hpc_overlay overlay = {.arena = NULL};
    hpf_sink *sink = hpf_sink_to_memory();
    hpc_tix_module *module = hpc_tix_add(&tix, HPF_STR("p/M"), 7, mix->n_boxes);
    fuzz_require(sink && module, "no memory");
    if (hpc_module_text_init(&lines, text, NULL) == HPF_OK &&
        hpc_draft_write(module, mix, &lines, sink, NULL) == HPF_OK &&
        hpc_overlay_read(&overlay, hpf_sink_bytes(sink), NULL) == HPF_OK) {
        hpf_status status =
            hpc_overlay_apply(&overlay, HPF_STR("p:M"), mix, &lines, module->counts, NULL);
        fuzz_require(status == HPF_OK || status == HPF_ERR_RANGE, "a draft that cannot be applied");
        require_counts(&tix, false);
    }
    hpc_overlay_finish(&overlay);
    hpc_module_text_finish(&lines);
    hpc_tix_finish(&tix);
    hpf_sink_destroy(sink);
}

static void fuzz_mix(hpf_str input)
{
    hpc_mix mix, again;
    hpf_error err = {0};
    hpf_str text = input;
    while (text.length > 0 && !hpf_str_begins(text, "\n--\n")) {
        text = hpf_str_from(text, 1);
    }
    input.length -= text.length;
    hpf_status status = hpc_mix_read(&mix, input, &err);
    if (status != HPF_OK) {
        check_refusal(status, &err, input.length);
        return;
    }
    hpf_sink *first = hpf_sink_to_memory(), *second = hpf_sink_to_memory();
    fuzz_require(first && second, "no memory");
    hpc_mix_write(&mix, first);
    fuzz_require(hpc_mix_read(&again, hpf_sink_bytes(first), NULL) == HPF_OK, "refused");
    hpc_mix_write(&again, second);
    fuzz_require(hpf_str_equal(hpf_sink_bytes(first), hpf_sink_bytes(second)), "another text");
    draft(&mix, text.length > 4 ? hpf_str_from(text, 4) : HPF_STR(module_text));
    hpf_sink_destroy(first);
    hpf_sink_destroy(second);
    hpc_mix_finish(&mix);
    hpc_mix_finish(&again);
}

/* ---- Overlays ---- */

static void fuzz_overlay(hpf_str text)
{
    hpc_overlay overlay = {.arena = NULL};
    hpf_error err = {0};
    hpf_status status = hpc_overlay_read(&overlay, text, &err);
    if (status == HPF_OK) {
        hpc_mix mix;
        hpc_module_text lines;
        uint64_t counts[8] = {0};
        status = hpc_mix_read(&mix, HPF_STR(mix_text), NULL);
        fuzz_require(status == HPF_OK && mix.n_boxes <= 8, "no boxes");
        fuzz_require(hpc_module_text_init(&lines, HPF_STR(module_text), NULL) == HPF_OK, "no text");
        status = hpc_overlay_apply(&overlay, HPF_STR("M"), &mix, &lines, counts, NULL);
        fuzz_require(status == HPF_OK, "cannot be applied");
        fuzz_require(counts[3] >= counts[2], "a box does not count, but the one around it");
        hpc_module_text_finish(&lines);
        hpc_mix_finish(&mix);
    } else {
        check_refusal(status, &err, text.length);
    }
    hpc_overlay_finish(&overlay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_str text = {(const char *)data, size};
    if (hpf_str_begins(text, "Tix")) {
        fuzz_tix(text);
    } else if (hpf_str_begins(text, "Mix")) {
        fuzz_mix(text);
    } else {
        fuzz_overlay(text);
    }
    return 0;
}
