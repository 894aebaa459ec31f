/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/regular_expression.h"

#include <stdlib.h>
#include <string.h>

/* Returns the product of the numbers in the bounds of an expression: the largest of {m}, {m,n}. */
static double repetitions(const char *text)
{
    double product = 1;
    for (const char *at = strchr(text, '{'); at; at = strchr(at, '{')) {
        double most = 1;
        for (at++; *at && strchr("0123456789,\\", *at);) {
            char *end;
            double n = (double)strtoul(at, &end, 10);
            most = n > most ? n : most;
            at = end > at ? end : at + 1;
        }
        product *= most;
    }
    return product;
}

hpf_status hpf__regular_expression(regex_t *out, const char *text, hpf_error *err)
{
    enum { MOST = 4096 };
    if (strlen(text) > MOST || repetitions(text) > MOST) {
        return hpf_error_set(
            err, HPF_ERR_LIMIT,
            "regular expression '%.60s' has more than %d characters or repetitions", text, MOST);
    }
    int wrong = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
    if (wrong == REG_ESPACE) {
        return hpf_error_set_memory(err);
    }
    if (wrong != 0) {
        char why[80];
        regerror(wrong, out, why, sizeof why);
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "invalid regular expression '%.60s': %s", text,
                             why);
    }
    return HPF_OK;
}
