/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "hpfile/str.h"

/* Returns the number of bytes before the last '/'; 0: there is none. */
static size_t folder_of(hpf_str path)
{
    size_t n = path.length;
    while (n > 0 && path.data[n - 1] != '/') {
        n--;
    }
    return n > 0 ? n - 1 : 0;
}

/* Returns whether a folder is a package. */
static bool is_package(hpf_str folder)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s/__init__.py", (int)folder.length, folder.data);
    return folder.length > 0 && n > 0 && n < (int)sizeof path && access(path, F_OK) == 0;
}

void hpp__python_module(hpp__text *out, hpf_str file)
{
    if (hpf__take_word(&file, "<frozen ")) {
        (void)hpf__drop_end(&file, ">");
        hpp__text_add(out, file);
        return;
    }
    hpf_str module = {file.data, file.length - (hpf_str_ends(file, ".py") ? 3 : 0)};
    hpf_str folder = {file.data, folder_of(file)};
    if (hpf_str_ends(module, "/__init__")) {
        module = folder;
        folder.length = folder_of(folder);
    }
    while (is_package(folder)) {
        folder.length = folder_of(folder);
    }
    size_t begin =
        folder.length + (folder.length > 0 || (module.length > 0 && *module.data == '/'));
    for (size_t i = begin; i < module.length;) {
        const char *slash = memchr(module.data + i, '/', module.length - i);
        size_t n = slash ? (size_t)(slash - module.data) - i : module.length - i;
        hpp__text_add(out, (hpf_str){module.data + i, n});
        i += n + 1;
        if (i < module.length) {
            hpp__text_add(out, HPF_STR("."));
        }
    }
}
