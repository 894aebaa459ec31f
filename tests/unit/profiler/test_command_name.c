/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Processes are named by what tells them apart.
 */
#include <criterion/criterion.h>

#include "hpprof/command_name.h"

enum { MOST_WORDS = 12 };

Test(command_name, argument_that_tells_a_process_apart)
{
    static const struct {
        const char *words[MOST_WORDS], *name;
    } cases[] = {
        {{"/usr/lib/gcc/cc1", "-quiet", "-imultiarch", "x86_64-linux-gnu", "src/parser.c", "-o",
          "/tmp/ccx.s"},
         "cc1 parser.c"},
        {{"/usr/bin/ld", "-plugin", "/usr/lib/liblto_plugin.so", "-o", "build/app", "crt1.o"},
         "ld app"},
        {{"/usr/lib/gcc/collect2", "--eh-frame-hdr", "-o", "app", "main.o"}, "collect2 app"},
        {{"as", "--64", "-o", "parser.o", "/tmp/ccx.s"}, "as parser.o"},
        {{"./worker", "300000"}, "worker 300000"},
        {{"ld"}, "ld"},
        {{"python3", "tools/app.py", "input.csv"}, "app input.csv"},
        {{"env", "-u", "A", "B=c", "python3", "tools/app.py", "input.csv"}, "app input.csv"},
        {{"nice", "-n", "5", "timeout", "-k3", "9", "python3", "tools/app.py", "x.csv"},
         "app x.csv"},
        {{"timeout", "9"}, "timeout 9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[80];
        hpp_command_name(name, sizeof name, cases[i].words, true);
        cr_expect_str_eq(name, cases[i].name);
    }
}
