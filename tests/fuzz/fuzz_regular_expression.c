/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Expressions that are accepted compile and match in little memory and time.
 */
#include <string.h>

#include "base/regular_expression.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[200];
    size_t n = size < sizeof text - 1 ? size : sizeof text - 1;
    regex_t r;
    hpf_error err = {0};
    memcpy(text, data, n);
    text[n] = '\0';
    if (hpf__regular_expression(&r, text, &err) == HPF_OK) {
        regexec(&r, "aaaabbbb(12)main/queens", 0, NULL, 0);
        regfree(&r);
    } else {
        fuzz_require(err.message[0], "no message");
    }
    return 0;
}
