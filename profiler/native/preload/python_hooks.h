/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts the blocks of Python's own allocators, in a program that is an interpreter.
 *
 * PyMem_SetAllocator replaces the allocators of the domains "mem" and "obj" by hooks that call the
 * ones before them, usually pymalloc. It may be called before the interpreter starts. The domain
 * "raw" stays as it is: it is malloc, which is counted anyway.
 *
 * With PYTHONMALLOC and -X dev, the interpreter sets its allocators while it starts, and with them
 * the hooks are gone. It calls setlocale after that and before it makes objects, so hooks are
 * installed again there. Each installation has its own context, so hooks may be above one another,
 * and above those of tracemalloc; the outermost one counts.
 */
#ifndef HPP_NATIVE_PYTHON_HOOKS_H
#define HPP_NATIVE_PYTHON_HOOKS_H

/* Installs the hooks, if the program is an interpreter. */
void hpp__python_hooks_start(void);

#endif
