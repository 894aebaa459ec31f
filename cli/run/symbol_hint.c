/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One run of `dpkg-query --search` for all files. Its database may have a file in /bin that the
 * program saw in /usr/bin, or in /usr/lib that it saw in /lib, where both are the same folder.
 */
#include "symbol_hint.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define USR "/usr"
enum { MOST_FILES = 16 };

/* Appends to a list, with a comma between its items, unless the list has the item. */
static void add_item(char list[HINT_BYTES], const char *item)
{
    const char *found = strstr(list, item);
    size_t n = strlen(list), length = strlen(item);
    bool is_there = found && (found == list || found[-1] == ' ') &&
                    (found[length] == ',' || found[length] == '\0');
    if (!is_there && n + length + 3 < HINT_BYTES) {
        snprintf(list + n, HINT_BYTES - n, "%s%s", n > 0 ? ", " : "", item);
    }
}

/* Returns whether a path can be a word of a command without quotes, and is no pattern. */
static bool is_plain(hpf_str path)
{
    for (size_t i = 0; i < path.length; i++) {
        if (!isalnum((unsigned char)path.data[i]) && !strchr("/._+-", path.data[i])) {
            return false;
        }
    }
    return path.length > 1 && path.data[0] == '/';
}

static hpf_str without_usr(hpf_str path)
{
    return hpf_str_begins(path, USR "/") ? hpf_str_from(path, strlen(USR)) : path;
}

/* Reads a line "package:architecture: /path", and marks the file as found. */
static void read_line(symbol_hint *out, char *line, const hpf_str *paths, size_t n, bool *is_found)
{
    char *path = strstr(line, ": /");
    if (!path || strncmp(line, "diversion ", 10) == 0) {
        return;
    }
    *path = '\0';
    path += 2;
    path[strcspn(path, "\n")] = '\0';
    line[strcspn(line, ":,")] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (hpf_str_equal(without_usr(paths[i]), without_usr(hpf_str_of(path)))) {
            char package[200];
            bool is_libc = strcmp(line, "libc6") == 0; /* has no automatic package */
            snprintf(package, sizeof package, "%.180s-%s", line, is_libc ? "dbg" : "dbgsym");
            add_item(out->packages, package);
            is_found[i] = true;
        }
    }
}

void symbol_hint_find(symbol_hint *out, const hpf_str *paths, size_t n)
{
    char command[MOST_FILES * 600] = "dpkg-query --search", line[600];
    size_t length = strlen(command);
    bool is_found[MOST_FILES] = {false};
    *out = (symbol_hint){.packages = ""};
    n = n < MOST_FILES ? n : MOST_FILES;
    for (size_t i = 0; i < n; i++) {
        if (is_plain(paths[i]) && paths[i].length < 250) {
            hpf_str path = without_usr(paths[i]);
            length +=
                (size_t)snprintf(command + length, sizeof command - length, " %.*s " USR "%.*s",
                                 (int)path.length, path.data, (int)path.length, path.data);
        }
    }
    snprintf(command + length, sizeof command - length, " 2>/dev/null");
    FILE *answer = popen(command, "r");
    while (answer && fgets(line, sizeof line, answer)) {
        read_line(out, line, paths, n, is_found);
    }
    if (answer) {
        pclose(answer);
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_found[i]) {
            snprintf(line, sizeof line, "%.*s",
                     (int)(paths[i].length < 250 ? paths[i].length : 250), paths[i].data);
            add_item(out->others, line);
        }
    }
}
