/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The comments at the head of a PostScript document. Cairo writes its own name, the clock's time
 * and the box of the ink there; we want the profile's title and date, and for EPS the page's box.
 * So the document streams through a filter that exchanges these lines.
 */
#ifndef HPRENDER_PS_HEADER_H
#define HPRENDER_PS_HEADER_H

#include "hpfile/sink.h"
#include "hprender/scene.h"

/* The comments that say whose document this is; boxes too when it is an EPS of such a page. */
void hpr__ps_comments(hpf_sink *sink, const hpr_scene *scene, const hpr_paper *eps_page);

/* A filter; begin with all zero but what stands above the gap. */
typedef struct hpr__ps_header {
    hpf_sink *sink;
    const hpr_scene *scene;
    bool is_eps;
    hpr_paper paper; /* of the page of an EPS */

    bool is_past;   /* everything from here on goes straight through */
    char line[512]; /* of the header, being gathered */
    size_t n_bytes;
} hpr__ps_header;

/* Takes the next bytes of the document as cairo writes them. */
void hpr__ps_header_write(hpr__ps_header *header, const unsigned char *bytes, size_t n_bytes);

/* Appends the comment `key` (like "%%Title: ") with `text` made safe: one line of printable ASCII,
 * at most 255 bytes long. What is not plain is written as a PostScript string (Document Structuring
 * Conventions 3.0, section 4.6, <text>). */
void hpr__ps_comment(hpf_sink *sink, const char *key, const char *text);

#endif
