/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Groups of names, from the syntax in which GHC (and C++) print names:
 *
 *     (308)apply/eval/main          a cost-centre stack, innermost first, numbered
 *     (270)GHC.Conc.Signal.CAF      the same, of a module's constants
 *     base:GHC.Maybe.Just           package, module, closure
 *     <main:Main.sat_s1>            the same of a thunk
 *     Data.Map.Internal             a module
 *     THUNK_1_0  Map  std::vector<int>
 *
 * A name without the requested part, or that was cut within it, forms a group of its own, named by
 * the whole name.
 */
#ifndef HPR_GROUP_H
#define HPR_GROUP_H

#include "hprender/render.h"

/* Returns the part of a name that names its group, borrowed from `name`; empty if it has none.
 *
 * MODULE: "GHC.Maybe". Of a stack, the module of the innermost part that has one.
 * TYPE: "Just"; "THUNK" without its shape; "std::vector" without its arguments. A stack has none.
 * PACKAGE: "base".
 * PREFIX: the first `n_parts` parts. The parts of a stack are separated by slashes, and its number
 * is left out; the parts of other names are the package and what dots, slashes and "::" separate.
 * STACK: all but the number. */
hpf_str hpr__part_of(hpf_str name, hpr_group group, int n_parts);

#endif
