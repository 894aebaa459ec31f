/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A small drawing with every kind of item, and programs that check the output of back ends.
 */
#ifndef CENSUS_TEST_DRAWING_H
#define CENSUS_TEST_DRAWING_H

#include "hprender/backend.h"
#include "hprender/render.h"

typedef struct drawing {
    const char *title; /* also drawn; NULL: "a drawing" */
    const char *date;
    int n_pages; /* 0: one */
    hpr_paper paper;
    bool is_encapsulated;
    double width_pt, height_pt; /* 0: 300 x 200 */
} drawing;

hpr_scene *drawing_scene(const drawing *d);

/* Returns the output of a back end, which must succeed, with a terminating NUL. The caller frees
 * it. `n_bytes` may be NULL. */
char *drawing_bytes(const hpr_backend *backend, const hpr_scene *scene, size_t *n_bytes);

/* Returns the same for the scene of a drawing. */
char *drawing_of(const char *backend, const drawing *d, size_t *n_bytes);

/* Runs a shell command with the path of a file that holds `bytes` in place of `@`. Returns the text
 * of both output streams, to be freed, and sets the exit status. Skips the test visibly, by name,
 * when the command's program is not installed. */
char *drawing_judge(const char *command, const char *bytes, size_t n_bytes, int *status);

#endif
