/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HPP_NATIVE_TARGET_PRELOAD_PYTHON_HOOKS_H
#define HPP_NATIVE_TARGET_PRELOAD_PYTHON_HOOKS_H

/* Counts the blocks of Python's allocators from now on, if the program has any. */
void hpp__python_hooks_begin(void);

/* Stops that, for good. */
void hpp__python_hooks_end(void);

#endif
