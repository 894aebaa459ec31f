/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The files below a folder, found by the names that profiles have for them.
 *
 * A name is compared with paths, and never used as one: only files that were below the folder when
 * it was listed can be found. Symbolic links are not followed, neither then nor when a file is
 * opened; hidden files and what is in hidden folders are left out.
 *
 * Without a folder, names are the paths of files on this machine. A profile may come from anybody,
 * so only files count that have the name of a source file, and no hidden part.
 */
#ifndef HPFILE_TEXT_FOLDER_H
#define HPFILE_TEXT_FOLDER_H

#include <stdio.h>

#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

typedef struct hpf_text_folder hpf_text_folder;

/* Lists the files below a folder; NULL: no folder. Errors: IO if it cannot be read; LIMIT; MEMORY.
 */
HPF_API HPF_MUST_USE hpf_status hpf_text_folder_create(hpf_text_folder **out, const char *folder,
                                                       hpf_error *err);
HPF_API void hpf_text_folder_destroy(hpf_text_folder *folder);

/* Returns the path of the file whose path ends most like `name`; borrowed. Returns NULL without
 * any, and if there are several (`*is_ambiguous`). */
HPF_API const char *hpf_text_folder_find(const hpf_text_folder *folder, hpf_str name,
                                         bool *is_ambiguous);

/* Opens a path that was found. Returns NULL if it is no longer a regular file in the folder, cannot
 * be read, or is larger than 16 MiB. */
HPF_API FILE *hpf_text_folder_open(const hpf_text_folder *folder, const char *path);

HPF_END_DECLS
#endif
