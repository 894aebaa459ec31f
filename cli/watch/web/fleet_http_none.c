/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces fleet_http.c if census is built without libmicrohttpd.
 */
#include "fleet_http.h"

#include "diag.h"

fleet_http *fleet_http_create(loop *l, const fleet_http_options *options)
{
    (void)l;
    (void)options;
    diag_say("--all is not built in: census was compiled without libmicrohttpd");
    return NULL;
}

void fleet_http_destroy(fleet_http *f)
{
    (void)f;
}

void fleet_http_attach(fleet_http *f, const hpp_collector *collector)
{
    (void)f;
    (void)collector;
}

void fleet_http_ended(fleet_http *f, const char *program, const hpp_process_figures *figures)
{
    (void)f;
    (void)program;
    (void)figures;
}

void fleet_http_address(const fleet_http *f, char *out, size_t room)
{
    (void)f;
    (void)out;
    (void)room;
}
