/* SPDX-License-Identifier: BSD-2-Clause
 *
 * UTF-8: telling valid sequences, and cutting where no character is hurt. Names are bytes; these
 * are for showing and for shortening them.
 */
#ifndef HPFILE_UTF8_H
#define HPFILE_UTF8_H

#include "hpfile/error.h"
#include "hpfile/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Length in bytes (1 to 4) of the valid character at the start of `text`, or 0 when the first byte
 * begins none (or `text` is empty). Overlong forms, surrogates and numbers above U+10FFFF are not
 * valid. `code_point`, unless NULL, receives its number. */
HPF_API size_t hpf_utf8_next(hpf_str text, uint32_t *code_point);

/* Length of the longest prefix of at most `most_bytes` bytes that does not end inside a character.
 * Bytes that are no UTF-8 count as characters of their own. */
HPF_API size_t hpf_utf8_cut(hpf_str text, size_t most_bytes);

#ifdef __cplusplus
}
#endif
#endif
