/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses an input by the word on the command line.
 */
#include "inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "input.h"

#include "connector.h"
#include "input_file.h"
#include "input_imported.h"
#include "input_stream.h"

watch_input *watch_input_open(const char *word, const watch_input_options *options)
{
    struct stat what;
    if (strcmp(word, "-") == 0) {
        return input_stream_from_fd(STDIN_FILENO, "stdin", options);
    }
    if (connector_is_address(word)) {
        return input_stream_from_address(word, options);
    }
    if (stat(word, &what) != 0 || S_ISREG(what.st_mode)) {
        return input_is_imported(word) ? input_imported_create(word, options)
                                       : input_file_create(word, options);
    }
    if (S_ISFIFO(what.st_mode) || S_ISCHR(what.st_mode)) {
        return input_stream_from_path(word, options);
    }
    if (S_ISSOCK(what.st_mode)) {
        diag_say("%s is a socket: to connect to it, use unix:%s", word, word);
    } else {
        diag_say("%s: not a regular file, FIFO or socket", word);
    }
    return NULL;
}
