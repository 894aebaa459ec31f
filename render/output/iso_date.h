/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Dates of profiles, which are free text, in the one form that document metadata has.
 */
#ifndef HPR_ISO_DATE_H
#define HPR_ISO_DATE_H

#include <stdbool.h>

#define HPR__ISO_DATE_BYTES 20

/* "YYYY-MM-DDThh:mm:ss" from the dates that GHC writes ("Thu Aug 31 20:07 2023"), ctime
 * ("Thu Aug 31 20:07:05 2023") or ISO 8601. False when `text` is none of them. */
bool hpr__iso_date(char out[HPR__ISO_DATE_BYTES], const char *text);

#endif
