/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Code for a thread that the collector has stopped (window.h, hpp_window_gates).
 */
#ifndef HPP_NATIVE_GATE_H
#define HPP_NATIVE_GATE_H

#include "native/window/window.h"

/* Returns the addresses of the gates. */
hpp_window_gates hpp__gates(void);

#endif
