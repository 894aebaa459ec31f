#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints the row of profiler/native/haskell/layouts.h for a version of GHC, from the headers of its run-time system.

haskell_layouts.py GHC
"""
import os
import re
import subprocess
import sys
import tempfile

# Member of the row -> its expression, 0 for what a version does not have; of those with two, the second one is the threaded system's.
ROW = {
    "n_types": "N_CLOSURE_TYPES",
    "generation_bytes": ["sizeof(generation)"] * 2,
    "generation_threads": "offsetof(generation, threads)",
    "generation_weaks": "offsetof(generation, weak_ptr_list)",
    "generation_to": "offsetof(generation, to)",
    "generation_old_blocks": ["offsetof(generation, old_blocks)"] * 2,
    "thread_bytes": "sizeof(StgTSO)",
    "thread_what_next": "offsetof(StgTSO, what_next)",
    "thread_block_info": "offsetof(StgTSO, block_info)",
    "thread_id": "offsetof(StgTSO, id)",
    "thread_capability": "offsetof(StgTSO, cap)",
    "thread_record": "offsetof(StgTSO, trec)",
    "thread_label": "THREAD_LABEL",
    "thread_exceptions": "offsetof(StgTSO, blocked_exceptions)",
    "thread_queue": "offsetof(StgTSO, bq)",
    "record_chunk_bytes": ["sizeof(StgTRecChunk)"] * 2,
    "current_thread": "OFFSET_Capability_r + OFFSET_StgRegTable_rCurrentTSO",
    "nursery": "OFFSET_Capability_r + OFFSET_StgRegTable_rNursery",
    "current_nursery": "OFFSET_Capability_r + OFFSET_StgRegTable_rCurrentNursery",
    "binding_bytes": "BINDING_BYTES",
}


def evaluate(ghc, directory, options):
    """Returns {member: number}."""
    source = os.path.join(directory, "layout.c")
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <stddef.h>\n#include <stdio.h>\n#include \"Rts.h\"\n#include \"DerivedConstants.h\"\n"
                   "#undef main\n#if GHC < 906\n#define THREAD_LABEL 0\n#define BINDING_BYTES 0\n#else\n"
                   "#define THREAD_LABEL offsetof(StgTSO, label)\n#define BINDING_BYTES sizeof(IpeBufferEntry)\n#endif\n"
                   "int main(void)\n{\n")
        for member, expression in ROW.items():
            word = expression if isinstance(expression, str) else expression[0]
            file.write(f'    printf("{member} %zu\\n", (size_t)({word}));\n')
        file.write("}\n")
    built = os.path.join(directory, "layout")
    library = subprocess.run([ghc, "--print-libdir"], capture_output=True, text=True, check=True).stdout.strip()
    folders = [os.path.dirname(os.path.join(folder, "Rts.h")) for folder, _, files in os.walk(library, followlinks=True)
               if "Rts.h" in files]
    subprocess.run(["gcc", "-w", *options, *("-I" + folder for folder in folders), source, "-o", built], check=True)
    lines = subprocess.run([built], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0]: int(line.split()[1]) for line in lines}


def row(ghc):
    """Returns the text of the row."""
    text = subprocess.run([ghc, "--numeric-version"], capture_output=True, text=True, check=True).stdout
    version = re.match("([0-9]+)[.]([0-9]+)", text)
    options = [f"-DGHC={int(version[1]) * 100 + int(version[2])}"]
    with tempfile.TemporaryDirectory() as directory:
        plain, threaded = evaluate(ghc, directory, options), evaluate(ghc, directory, [*options, "-DTHREADED_RTS"])
    lines = [f'.version = "{version[0]}",']
    for member, expression in ROW.items():
        lines.append(f".{member} = {plain[member]}," if isinstance(expression, str) else
                     f".{member} = {{{plain[member]}, {threaded[member]}}},")
    return "".join(f"        {line}\n" for line in lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(row(sys.argv[1]), end="")
