/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as an `.aux` file: they are refused with a place in them, or give lookups that make
 * sense.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "classic/auxfile.h"

static void check_error(const hpf_error *err, size_t size)
{
    fuzz_require(err->status == HPF_ERR_SYNTAX, "refused, but not for its syntax");
    fuzz_require(err->offset <= size && err->line >= 1 && err->column >= 1, "no place");
    fuzz_require(err->message[0], "no message");
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Every word of the text may be a name. */
static void look_up_words(const hpr_auxfile *aux, hpf_str text)
{
    size_t n_orders = 0;
    size_t n_shades = 0;
    for (size_t at = 0; at < text.length;) {
        size_t begin = at;
        while (at < text.length && !is_blank(text.data[at])) {
            at++;
        }
        hpf_str word = {text.data + begin, at - begin};
        int32_t order;
        double shade = 0;
        n_orders += hpr__auxfile_order(aux, word, &order);
        n_shades += hpr__auxfile_shade(aux, word, &shade);
        fuzz_require(isfinite(shade) && shade >= 0, "a shade that is none");
        at++;
    }
    fuzz_require(n_orders >= (hpr__auxfile_n_orders(aux) > 0), "orders of no name");
    fuzz_require(n_shades >= (hpr__auxfile_n_shades(aux) > 0), "shades of no name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hpf_str text = {(const char *)data, size};
    hpr_auxfile *aux = NULL;
    hpf_error err = {0};
    if (hpr_auxfile_parse(&aux, text, &err) != HPF_OK) {
        fuzz_require(!aux, "refused, and yet something is given");
        check_error(&err, size);
        return 0;
    }
    fuzz_require(isfinite(hpr__auxfile_x_range(aux)) && isfinite(hpr__auxfile_y_range(aux)),
                 "a range that is none");
    look_up_words(aux, text);
    hpr_auxfile_destroy(aux);
    return 0;
}
