/* SPDX-License-Identifier: BSD-2-Clause
 *
 * libmicrohttpd behind a table of function pointers, filled from the library when it is first
 * wanted: it brings libraries for encryption with it, and linking them would cost every run of
 * census some milliseconds.
 */
#ifndef CENSUS_WATCH_HTTP_MHD_H
#define CENSUS_WATCH_HTTP_MHD_H

#include <microhttpd.h>

/* The functions that are used, without their prefix. */
#define HTTP_MHD_FUNCTIONS(row)                                                                    \
    row(start_daemon) row(quiesce_daemon) row(stop_daemon) row(run) row(get_timeout)               \
        row(get_daemon_info) row(get_connection_info) row(get_connection_values)                   \
            row(suspend_connection) row(resume_connection) row(queue_response)                     \
                row(create_response_from_buffer) row(create_response_from_callback)                \
                    row(add_response_header) row(destroy_response)

#define HTTP_MHD_FIELD(name) __typeof__(MHD_##name) *name;
typedef struct http_mhd {
    HTTP_MHD_FUNCTIONS(HTTP_MHD_FIELD)
} http_mhd;
#undef HTTP_MHD_FIELD

/* NULL when the library is not on this machine, or too old. It stays loaded. */
const http_mhd *http_mhd_load(void);

#endif
