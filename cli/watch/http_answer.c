/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Headers against what browsers would do unasked.
 */
#include "http_answer.h"

#include <stdint.h>

typedef struct header {
    const char *name, *value;
} header;

static const header common_headers[] = {
    {"Cache-Control", "no-store"},      {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"}, {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
};

struct MHD_Response *http_answer_constant(const http_mhd *mhd, hpf_str body)
{
    return mhd->create_response_from_buffer(body.length, (void *)(uintptr_t)body.data,
                                            MHD_RESPMEM_PERSISTENT);
}

void http_answer_add_headers(const http_mhd *mhd, struct MHD_Response *response,
                             const char *content_type, const char *policy)
{
    for (size_t i = 0; i < sizeof common_headers / sizeof common_headers[0]; i++) {
        mhd->add_response_header(response, common_headers[i].name, common_headers[i].value);
    }
    mhd->add_response_header(response, "Content-Security-Policy",
                             policy ? policy : "default-src 'none'; frame-ancestors 'none'");
    if (content_type) {
        mhd->add_response_header(response, "Content-Type", content_type);
    }
}

enum MHD_Result http_answer_send(const http_mhd *mhd, struct MHD_Connection *connection,
                                 unsigned status, struct MHD_Response *response)
{
    if (!response) {
        return MHD_NO;
    }
    enum MHD_Result result = mhd->queue_response(connection, status, response);
    mhd->destroy_response(response);
    return result;
}

enum MHD_Result http_answer_bare(const http_mhd *mhd, struct MHD_Connection *connection,
                                 unsigned status)
{
    struct MHD_Response *response = http_answer_constant(mhd, HPF_STR(""));
    if (response) {
        http_answer_add_headers(mhd, response, NULL, NULL);
    }
    if (response && status == MHD_HTTP_METHOD_NOT_ALLOWED) {
        mhd->add_response_header(response, "Allow", "GET, HEAD");
    }
    return http_answer_send(mhd, connection, status, response);
}
