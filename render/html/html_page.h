/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The files of render/html as one page, cut where something is put in. The build makes it
 * (cmake/CensusPage.cmake).
 */
#ifndef HPR_HTML_PAGE_H
#define HPR_HTML_PAGE_H

#include <stddef.h>

/* The page up to the place of the allowed connections; then up to that of the data; then the rest.
 * Not terminated. */
typedef struct hpr__html_piece {
    const unsigned char *bytes;
    size_t n_bytes;
} hpr__html_piece;

enum { HPR__HTML_N_PIECES = 3 };
extern const hpr__html_piece hpr__html_pieces[HPR__HTML_N_PIECES];

#endif
