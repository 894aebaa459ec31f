/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of the C++ run-time library that this library is in front of.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_CXX_RUNTIME_H
#define HPP_NATIVE_TARGET_PRELOAD_CXX_RUNTIME_H

#include <stdint.h>

typedef enum hpp_cxx_function { HPP_CXX_THROW, HPP_CXX_BEGIN_CATCH, HPP_N_CXX } hpp_cxx_function;

/* A function of any type. */
typedef void hpp_code(void);

/* Returns the function that the call before `pc` would reach without this library. */
hpp_code *hpp__cxx_next(hpp_cxx_function function, uintptr_t pc);

#endif
