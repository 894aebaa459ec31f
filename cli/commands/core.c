/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census core: the heap of a program that was not profiled, from its core file, as a heap snapshot.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpprof/core.h"
#include "hpfile/waste.h"

#include "cmd.h"
#include "diag.h"
#include "unit_format.h"

typedef struct core_values {
    const char *output;
} core_values;

static const opt core_options[] = {
    OPT('o', "output", OPT_TEXT, offsetof(core_values, output), "FILE",
        "the heap snapshot; default: CORE.heapsnapshot"),
    {.name = NULL},
};

static formatted in_bytes(uint64_t n_bytes)
{
    return format_amount((double)n_bytes, HPF_STR("bytes"), false);
}

static void print_figures(const hpp_core_figures *f)
{
    printf("process       %s (%ld), %s thread%s\n", f->program, f->process_id,
           format_count(f->n_threads).text, f->n_threads == 1 ? "" : "s");
    printf("live          %s in %s blocks, by the sizes that malloc gave them\n",
           in_bytes(f->live_bytes).text, format_count(f->n_live).text);
    printf("not reached   %s in %s blocks\n", in_bytes(f->lost_bytes).text,
           format_count(f->n_lost).text);
    printf("free          %s, %s of it in caches; in %s arena%s\n", in_bytes(f->free_bytes).text,
           in_bytes(f->cached_bytes).text, format_count(f->n_arenas).text,
           f->n_arenas == 1 ? "" : "s");
    for (size_t i = 0; i < f->n_waste; i++) {
        const hpp_core_waste *w = &f->waste[i];
        printf("%s%s in %s block%s, %s: %s\n", i == 0 ? "waste         " : "              ",
               in_bytes(w->bytes).text, format_count(w->n_blocks).text, w->n_blocks == 1 ? "" : "s",
               hpf_waste_phrase(w->kind), w->type);
    }
    if (f->unread_bytes > 0) {
        printf("unknown       %s of the heap, behind a damaged chunk or memory of others\n",
               in_bytes(f->unread_bytes).text);
    }
}

static char *default_output(const char *core)
{
    static const char suffix[] = ".heapsnapshot";
    char *path = malloc(strlen(core) + sizeof suffix);
    if (path) {
        strcpy(path, core);
        strcat(path, suffix);
    }
    return path;
}

static int run(const cmd *self, int argc, char **argv)
{
    core_values values = {NULL};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc != 2) {
        return cmd_misused(self, "expected a core file");
    }
    char *own_output = values.output ? NULL : default_output(argv[1]);
    const char *output = values.output ? values.output : own_output;
    hpp_core_figures figures = {.size = sizeof figures};
    hpf_error err;
    hpf_status done =
        output ? hpp_core_snapshot(argv[1], output, &figures, &err) : hpf_error_set_memory(&err);
    if (done == HPF_OK) {
        print_figures(&figures);
        printf("\nThe heap: %s\nLook at it: census open %s\n", output, output);
    } else {
        diag_say("%s: %s", argv[1], err.message);
    }
    free(own_output);
    return done == HPF_OK ? EXIT_DONE : EXIT_FAILED;
}

const cmd cmd_core = {
    .name = "core",
    .summary = "Read the heap of a program that was not profiled, from its core file",
    .operands = "CORE",
    .options = core_options,
    .run = run,
};
