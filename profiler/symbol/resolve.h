/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the collector asks a resolver beyond the functions at an address: generated code, variables,
 * callers, and types of results.
 */
#ifndef HPP_RESOLVE_H
#define HPP_RESOLVE_H

#include "base/text.h"
#include "hpprof/resolve.h"

/* Returns whether a function needs only the name that its symbol has, no file and no line. */
typedef bool hpp__needs_no_place(const hpp_function *function);

/* Says which functions are named by their symbols alone, without debugging information: that of an
 * object is not read as long as there are no others. */
void hpp__resolver_name_by_symbol(hpp_resolver *resolver, hpp__needs_no_place *functions);

/* Returns the function of process `process_id` at an address in no object (generated code), from
 * /tmp/perf-PID.map if the program writes one, else "[generated]". For an address that is unknown,
 * the file is read again if it has changed, once after each hpp__resolver_expect_code. */
hpp_functions hpp__resolver_find_generated(hpp_resolver *resolver, uint32_t process_id,
                                           uint64_t address);

/* Says that processes may have generated code since the last call. */
void hpp__resolver_expect_code(hpp_resolver *resolver);

/* Finds the variable at an address of an object, in the file's own terms; thread-local ones are at
 * HPP__THREAD_LOCAL (symbol_table.h). Without one, returns
 * false and stores the next variable's addresses in `*out`, or 0 and 0. */
bool hpp__resolver_variable(hpp_resolver *resolver, uint32_t object, uint64_t address,
                            hpp_variable *out);

/* Finds the rule for the caller of the function at an address. Returns false if the unwind tables
 * have none, or one that is not of this simple form. */
bool hpp__resolver_caller(hpp_resolver *resolver, uint32_t object, uint64_t address,
                          hpp_caller_rule *out);

/* Finds the variable that contains the 8 bytes at an offset from the canonical frame address of a
 * function, whose code is at `address` (hpp__resolver_caller); one that is over only if there is no
 * other, and without what others have of its place. Without one, returns false and stores the
 * place between its neighbours in `*out`. Only variables count that are in memory as long as the
 * function is there: for these, debugging information gives a place relative to the frame. */
bool hpp__resolver_local(hpp_resolver *resolver, uint32_t object, uint64_t address, int64_t offset,
                         hpp_local *out);

/* Finds the variable of an object by its name in the symbol table; its address is one of the file's
 * own. */
bool hpp__resolver_variable_named(hpp_resolver *resolver, uint32_t object, const char *name,
                                  uint64_t *address);

/* Finds what is known of code that begins at an address of an object. */
hpp_code hpp__resolver_code(hpp_resolver *resolver, uint32_t object, uint64_t address);

/* Returns the type of the object that a call returned a pointer to, by the debugging information of
 * the code at `address` after it: "struct node" in C, "ns::Node" in C++. Empty if it is not known.
 */
hpf_str hpp__resolver_result_type(hpp_resolver *resolver, uint32_t object, uint64_t address,
                                  bool *is_structure);

/* Replaces `out` by the member at an offset in a block of a type (symbol/members.h), by the
 * debugging information of the first object that has it. Returns false if none has. */
bool hpp__resolver_member(hpp_resolver *resolver, hpf_str type, uint64_t size_bytes,
                          uint64_t offset, hpp__text *out);

/* Returns what this build lacks, to be followed by "not built in"; "" if it lacks nothing. */
const char *hpp__resolver_missing(void);

#endif
