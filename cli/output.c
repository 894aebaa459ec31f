/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text to sinks, and the end of a sink.
 */
#include "output.h"

#include <stdlib.h>

#include "hprender/text.h"

#include "diag.h"
#include "exit.h"

void output_name(hpf_sink *sink, hpf_str name)
{
    char *text = malloc(3 * name.length + 1);
    hpf_error err;
    if (!text) {
        (void)hpf_error_set_memory(&err);
        hpf_sink_fail(sink, &err);
        return;
    }
    hpf_sink_write(sink, text, hpr_text_from_bytes(text, name));
    free(text);
}

int output_close(hpf_sink *sink, const char *name)
{
    hpf_error err;
    hpf_status status = sink ? hpf_sink_finish(sink, &err) : hpf_error_set_memory(&err);
    hpf_sink_destroy(sink);
    if (status != HPF_OK) {
        diag_error(name, &err);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}
