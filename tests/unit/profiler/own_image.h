/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory of the test itself as an image, without blocks.
 */
#ifndef OWN_IMAGE_H
#define OWN_IMAGE_H

#include "native/collector/image/image.h"

/* Reads the mappings of this moment; the next call replaces them. */
hpp__image own_image(void);

#endif
