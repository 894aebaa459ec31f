/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces the functions that start programs: the new program gets the variables of `census run`
 * (environment.h), which the program itself does not see.
 *
 * They may be called after vfork, so they take memory from the stack only. Programs that are
 * started by a system call of the program's own, without libc, are not profiled.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_EXEC_H
#define HPP_NATIVE_TARGET_PRELOAD_EXEC_H

/* Makes the system call execve or execveat, whose number is the first argument, with the variables.
 * Returns if that fails, or if the program gets no variables. */
void hpp__exec_bare(const long arguments[]);

#endif
