/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Python calls the module of a script __main__; bands have the name of its file.
 */
#include "base/python_main.h"

#include <ctype.h>
#include <string.h>

#include "base/names.h"
#include "base/words.h"

static const char main_module[] = "__main__";

bool hpf__names_main(const char *expression)
{
    return expression && strstr(expression, main_module);
}

/* The script is the first word that ends in .py, or the first one after python that is no option;
 * of -m, it is the module. */
hpf_str hpf__python_script(hpf_str command)
{
    static const char suffix[] = ".py";
    bool is_after_python = false, is_argument = false;
    while (command.length > 0) {
        hpf_str word = hpf__take_until(&command, ' '), file = hpf__base_name(word);
        if (hpf_str_ends(file, suffix) && file.length > strlen(suffix)) {
            return (hpf_str){file.data, file.length - strlen(suffix)};
        }
        if (is_after_python && !is_argument && word.length > 0 && word.data[0] != '-') {
            return file;
        }
        is_argument = hpf_str_is(word, "-X") || hpf_str_is(word, "-W");
        is_after_python =
            hpf_str_begins(file, "python") || (is_after_python && !hpf_str_is(word, "-c"));
    }
    return HPF_STR("");
}

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

void hpf__write_with_main(char *out, const char *name, hpf_str script)
{
    bool is_begin = true; /* of a frame or a member */
    while (*name) {
        if (is_begin && strncmp(name, script.data, script.length) == 0 &&
            !is_in_word(name[script.length])) {
            memcpy(out, main_module, sizeof main_module - 1);
            out += sizeof main_module - 1;
            name += script.length;
            is_begin = false;
        } else {
            is_begin = !is_in_word(*name) && *name != '.';
            *out++ = *name++;
        }
    }
    *out = '\0';
}
