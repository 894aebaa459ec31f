/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of commands. To add one, write NAME.c with a `const cmd cmd_NAME` and add its row.
 */
#include <string.h>

#include "cmd.h"

/* In the order of `census --help`. */
#define COMMANDS(row)                                                                              \
    row(run) row(attach) row(mark) row(core) row(cc) row(cxx) row(open) row(plot) row(watch)       \
        row(report) row(explain) row(info) row(diff) row(merge) row(convert) row(hp2ps) row(hpc)

#define DECLARE(name) extern const cmd cmd_##name;
COMMANDS(DECLARE)

#define ENTRY(name) &cmd_##name,
const cmd *const cmd_table[] = {COMMANDS(ENTRY) NULL};

const cmd *cmd_find(const char *name)
{
    int i = 0;
    while (cmd_table[i] && strcmp(cmd_table[i]->name, name) != 0) {
        i++;
    }
    return cmd_table[i];
}
