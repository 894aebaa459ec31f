/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One object file, read through elfutils: symbols, bounds of functions, debugging information.
 * libdwfl finds the separate debug file (build id, debug link), mini debug information, and the
 * debuginfod servers in DEBUGINFOD_URLS.
 *
 * Without elfutils (CENSUS_WITH_SYMBOLS=OFF), no object can be opened: see object_none.c.
 */
#ifndef HPP_SYMBOL_OBJECT_H
#define HPP_SYMBOL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_info.h"
#include "hpfile/event.h"
#include "symbol_table.h"

/* All objects of a resolver; they share a libdwfl session. */
typedef struct hpp__objects hpp__objects;
typedef struct hpp__object hpp__object;

/* Returns NULL if there is no memory. `debug_folder` is copied. With `symbols_only`, debugging
 * information is not read. */
hpp__objects *hpp__objects_create(const char *debug_folder, bool symbols_only);
void hpp__objects_destroy(hpp__objects *objects);

/* Opens an object file. If the file is gone, opens its separate debug file by build id; an empty
 * `build_id` is the one of any file at the path. Returns NULL if there is neither, if the build id
 * differs, or if there is no memory. Close it before the objects are destroyed. */
hpp__object *hpp__object_open(hpp__objects *objects, const char *path, hpf_str build_id);
void hpp__object_close(hpp__object *object);

/* Returns whether one of the object's files was overwritten since it was opened. They are mapped:
 * reading a file that was cut raises SIGBUS. Call this before each of the functions below. */
bool hpp__object_is_overwritten(const hpp__object *object);

/* Returns the address of the byte at an offset in the file. A file that only has debugging
 * information is taken for one whose segments follow each other in memory as in the file. */
uint64_t hpp__object_address(hpp__object *object, uint64_t offset);

/* Returns the symbol that names the code at an address, or NULL. A symbol without a size reaches
 * to the next function. */
const hpp__symbol *hpp__object_symbol(hpp__object *object, uint64_t address);

/* Returns the first symbol of code that begins at an address or after it, or NULL. */
const hpp__symbol *hpp__object_next_symbol(hpp__object *object, uint64_t address);

/* Returns the variable that contains an address. Without one, returns NULL and stores the next one,
 * or NULL, in `*next`. */
const hpp__symbol *hpp__object_variable(hpp__object *object, uint64_t address,
                                        const hpp__symbol **next);

/* Finds the first address of the function that contains `address` in the unwind tables. */
bool hpp__object_function_start(hpp__object *object, uint64_t address, uint64_t *start);

/* Stores the functions at an address as debugging information has them, innermost first; `frames`
 * has room for HPP__FRAMES_MAX. Returns their number, 0 if nothing is known. */
size_t hpp__object_frames(hpp__object *object, uint64_t address, hpp__debug_frame *frames);

/* Stores the variables that are in the frame of the function at an address, which has `rule`;
 * `locals` has room for HPP__LOCALS_MAX. Returns their number. */
size_t hpp__object_locals(hpp__object *object, uint64_t address, const hpp_caller_rule *rule,
                          hpp__debug_local *locals);

/* Replaces `out` by the type that the result of a call points to, and says whether that is a
 * structure or class. `address` is where the code goes on after the call. Returns false if it is
 * not known. */
bool hpp__object_result_type(hpp__object *object, uint64_t address, hpp__text *out,
                             bool *is_structure);

/* Replaces `out` by the member at an offset in a block of a type (members.h). Returns false if it
 * is not known. */
bool hpp__object_member(hpp__object *object, hpf_str type, uint64_t size_bytes, uint64_t offset,
                        hpp__text *out);

/* Finds the rule for the caller of the function at an address, without the name of the function.
 * Returns false as hpp__resolver_caller. */
bool hpp__object_caller(hpp__object *object, uint64_t address, hpp_caller_rule *out);

/* Returns whether GHC has linked the object: a program with its run-time system or a main function
 * of Haskell, or a library of one of its packages. */
bool hpp__object_is_of_ghc(hpp__object *object);

/* Returns whether this build can open objects. */
bool hpp__object_is_built_in(void);

#endif
