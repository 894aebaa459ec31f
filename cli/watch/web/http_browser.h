/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shows a URL in the user's browser.
 *
 * Command lines can be read by everybody on the machine, and the URL holds a secret: the browser is
 * given a file instead, for its owner only, that leads to the URL.
 */
#ifndef CENSUS_WATCH_HTTP_BROWSER_H
#define CENSUS_WATCH_HTTP_BROWSER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* All zero is one that was not opened. */
typedef struct http_browser {
    char path[PATH_MAX]; /* of the file */
    pid_t pid;           /* of what opens it */
} http_browser;

/* Whether there is a display to show anything at. */
bool http_browser_is_possible(void);

/* Asks the desktop to show the URL. Waits for nothing; that nothing comes of it is no failure. */
void http_browser_open(http_browser *out, const char *url);

/* Removes the file. */
void http_browser_close(http_browser *browser);

#endif
