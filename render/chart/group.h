/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a name says of where it belongs, by the ways in which GHC (and C++) print names:
 *
 *     (308)apply/eval/main          a cost-centre stack, innermost first, numbered
 *     (270)GHC.Conc.Signal.CAF      the same, of a module's constants
 *     base:GHC.Maybe.Just           package, module, closure
 *     <main:Main.sat_s1>            the same of a thunk
 *     Data.Map.Internal             a module
 *     THUNK_1_0  Map  std::vector<int>
 *
 * A name that does not say what is asked for is a group of its own, under its whole name.
 */
#ifndef HPR_GROUP_H
#define HPR_GROUP_H

#include "hprender/render.h"

/* The group of a name: a part of it, borrowed.
 *
 * MODULE: "GHC.Maybe". Of a stack, the module of the innermost part that tells one.
 * TYPE: "Just"; "THUNK" without its shape; "std::vector" without its arguments. A stack has none.
 * PACKAGE: "base".
 * PREFIX: the first `n_parts` parts. Those of a stack stand between slashes, its number is left
 * out; those of another name are the package, and what dots, slashes and "::" part. */
hpf_str hpr__group_of(hpf_str name, hpr_group group, int n_parts);

#endif
