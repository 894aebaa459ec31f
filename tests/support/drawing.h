/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A small made-up drawing with everything that a scene can hold, and other people's programs to
 * judge what a back end makes of it.
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

/* What a back end writes, which must succeed. Freed by the caller; `*n_bytes` may be NULL. A NUL
 * stands behind it. */
char *drawing_bytes(const hpr_backend *backend, const hpr_scene *scene, size_t *n_bytes);

/* The same for a scene made on the spot. */
char *drawing_of(const char *backend, const drawing *d, size_t *n_bytes);

/* Runs `command` of the shell with a file holding `bytes` in place of `@`; returns what it printed
 * on both streams (to be freed) and its exit status. Skips the test visibly, by name, when the
 * command's program is not installed. */
char *drawing_judge(const char *command, const char *bytes, size_t n_bytes, int *status);

#endif
