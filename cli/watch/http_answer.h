/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Answers to requests, with the headers that all of them have: nothing is cached, framed, sniffed,
 * shown to other sites or told to them.
 */
#ifndef CENSUS_WATCH_HTTP_ANSWER_H
#define CENSUS_WATCH_HTTP_ANSWER_H

#include "hpfile/event.h"

#include "http_mhd.h"

/* An answer of bytes that stay where they are; NULL when there is no memory. */
struct MHD_Response *http_answer_constant(const http_mhd *mhd, hpf_str body);

/* Adds the common headers, `content_type` unless it is NULL, and the Content-Security-Policy; NULL:
 * that nothing is allowed. */
void http_answer_add_headers(const http_mhd *mhd, struct MHD_Response *response,
                             const char *content_type, const char *policy);

/* Sends the answer, and gives it up; NULL: ends the connection. */
enum MHD_Result http_answer_send(const http_mhd *mhd, struct MHD_Connection *connection,
                                 unsigned status, struct MHD_Response *response);

/* Sends an answer without a word. */
enum MHD_Result http_answer_bare(const http_mhd *mhd, struct MHD_Connection *connection,
                                 unsigned status);

#endif
