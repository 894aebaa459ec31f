/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens a URL in the browser of the user.
 *
 * Command lines are visible to all users of the machine, and the URL contains a secret. The browser
 * is therefore started with a file that only its owner can read and that redirects to the URL.
 */
#ifndef CENSUS_WATCH_HTTP_BROWSER_H
#define CENSUS_WATCH_HTTP_BROWSER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* All zero: not opened. */
typedef struct http_browser {
    char path[PATH_MAX]; /* path of the file */
    pid_t pid;           /* process that opens it */
} http_browser;

/* Returns whether there is a display. */
bool http_browser_is_possible(void);

/* Writes the command that makes a port of this machine reachable from the user's: with the address
 * and the port through which the user came by ssh, or the name of this machine. */
void http_browser_tunnel(char *out, size_t room, unsigned port);

/* Opens the URL without waiting. Errors are ignored. */
void http_browser_open(http_browser *out, const char *url);

/* Removes the file. */
void http_browser_close(http_browser *browser);

#endif
