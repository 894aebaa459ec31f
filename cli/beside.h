/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files that belong to a profile and lie beside it.
 */
#ifndef CENSUS_BESIDE_H
#define CENSUS_BESIDE_H

/* The name of the file with another suffix: "dir/run.hp.gz" and ".lines" give "dir/run.lines". The
 * caller frees it. NULL: the path is none of a profile (.hp, .eventlog), or there is no memory. */
char *beside_name(const char *path, const char *suffix);

#endif
