/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of frames_of_c.h, compiled with frame pointers.
 */
#define NAME(name) name##_with_fp
#include "frames_of_c.h"
