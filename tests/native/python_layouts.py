#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares profiler/native/python/layouts.h with the headers of interpreters.

python_layouts.py SOURCE [PYTHON...]

Of a build without the global lock, the fields that frames need are compared.

For each interpreter whose headers are installed, prints its version and the fields that differ. For a version without a
column in the table, prints the column. Exits with 77 if no interpreter has headers.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Field: (from this version on, expression)...; None: the version does not have it. "!": its header is not installed.
FIELDS = {
    "runtime_interpreters": [(9, "offsetof(_PyRuntimeState, interpreters.head)")],
    "interpreter_next": [(9, "offsetof(PyInterpreterState, next)")],
    "interpreter_threads": [(9, "offsetof(PyInterpreterState, tstate_head)"), (11, "offsetof(PyInterpreterState, threads.head)")],
    "interpreter_gc": [(9, "offsetof(PyInterpreterState, gc)")],
    "interpreter_modules": [(9, "offsetof(PyInterpreterState, modules)"), (12, "offsetof(PyInterpreterState, imports.modules)")],
    "thread_next": [(9, "offsetof(PyThreadState, next)")],
    "thread_interpreter": [(9, "offsetof(PyThreadState, interp)")],
    "thread_id": [(9, "offsetof(PyThreadState, thread_id)")],
    "thread_frame": [(9, "offsetof(PyThreadState, frame)"), (11, "offsetof(PyThreadState, cframe)"),
                     (13, "offsetof(PyThreadState, current_frame)")],
    "cframe_frame": [(9, None), (11, "offsetof(_PyCFrame, current_frame)"), (13, None)],
    "frame_previous": [(9, "offsetof(PyFrameObject, f_back)"), (11, "offsetof(_PyInterpreterFrame, previous)")],
    "frame_code": [(9, "offsetof(PyFrameObject, f_code)"), (11, "offsetof(_PyInterpreterFrame, f_code)"),
                   (13, "offsetof(_PyInterpreterFrame, f_executable)")],
    "frame_globals": [(9, "offsetof(PyFrameObject, f_globals)"), (11, "offsetof(_PyInterpreterFrame, f_globals)")],
    "frame_locals": [(9, "offsetof(PyFrameObject, f_localsplus)"), (11, "offsetof(_PyInterpreterFrame, localsplus)")],
    "frame_instruction": [(9, "offsetof(PyFrameObject, f_lasti)"), (11, "offsetof(_PyInterpreterFrame, prev_instr)"),
                          (13, "offsetof(_PyInterpreterFrame, instr_ptr)")],
    "frame_owner": [(9, None), (11, "offsetof(_PyInterpreterFrame, owner)")],
    "frame_stack_top": [(9, None), (11, "offsetof(_PyInterpreterFrame, stacktop)"), (14, "offsetof(_PyInterpreterFrame, stackpointer)")],
    "generator_frame": [(9, None), (11, "offsetof(PyGenObject, gi_iframe)")],
    "code_first_line": [(9, "offsetof(PyCodeObject, co_firstlineno)")],
    "code_file": [(9, "offsetof(PyCodeObject, co_filename)")],
    "code_name": [(9, "offsetof(PyCodeObject, co_name)")],
    "code_qualified_name": [(9, None), (11, "offsetof(PyCodeObject, co_qualname)")],
    "code_lines": [(9, "offsetof(PyCodeObject, co_lnotab)"), (10, "offsetof(PyCodeObject, co_linetable)")],
    "code_first_traceable": [(9, None), (11, "offsetof(PyCodeObject, _co_firsttraceable)")],
    "code_instructions": [(9, "offsetof(PyCodeObject, co_code)"), (11, "offsetof(PyCodeObject, co_code_adaptive)")],
    "code_bytes": [(9, "sizeof(PyCodeObject)"), (11, "offsetof(PyCodeObject, co_code_adaptive)")],
    "code_locals": [(9, None), (11, "offsetof(PyCodeObject, co_nlocalsplus)")],
    "code_stack": [(9, None), (11, "offsetof(PyCodeObject, co_stacksize)")],
    "ascii_bytes": [(9, "sizeof(PyASCIIObject)")],
    "compact_bytes": [(9, "sizeof(PyCompactUnicodeObject)")],
    "type_bytes": [(9, "sizeof(PyHeapTypeObject)")],
    "type_qualified_name": [(9, "offsetof(PyHeapTypeObject, ht_qualname)")],
    "keys_bytes": [(9, "!"), (11, "offsetof(PyDictKeysObject, dk_indices)")],
    "values": [(9, "!"), (11, "offsetof(PyDictValues, values)")],
    "object_bytes": [(9, "sizeof(PyObject)")],
    "code_copies": [(9, None)],
    "HPP_PYTHON_OBJECT_TYPE": [(9, "offsetof(PyObject, ob_type)")],
    "HPP_PYTHON_OBJECT_LENGTH": [(9, "offsetof(PyVarObject, ob_size)")],
    "HPP_PYTHON_TEXT_LENGTH": [(9, "offsetof(PyASCIIObject, length)")],
    "HPP_PYTHON_TEXT_STATE": [(9, "offsetof(PyASCIIObject, state)")],
    "HPP_PYTHON_BYTES_DATA": [(9, "offsetof(PyBytesObject, ob_sval)")],
    "HPP_PYTHON_TYPE_NAME": [(9, "offsetof(PyTypeObject, tp_name)")],
    "HPP_PYTHON_TYPE_BASIC_BYTES": [(9, "offsetof(PyTypeObject, tp_basicsize)")],
    "HPP_PYTHON_TYPE_FLAGS": [(9, "offsetof(PyTypeObject, tp_flags)")],
    "HPP_PYTHON_TYPE_WEAK_LIST_OFFSET": [(9, "offsetof(PyTypeObject, tp_weaklistoffset)")],
    "HPP_PYTHON_TYPE_DICT": [(9, "offsetof(PyTypeObject, tp_dict)")],
    "HPP_PYTHON_TYPE_DICT_OFFSET": [(9, "offsetof(PyTypeObject, tp_dictoffset)")],
    "HPP_PYTHON_GC_HEAD_BYTES": [(9, "sizeof(PyGC_Head)")],
}

PROLOGUE = """
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <internal/pycore_gc.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_code.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#endif
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_interpframe.h>
#endif
#include <stddef.h>
#include <stdio.h>
#include "native/python/layouts.h"
#define HAS(name, ...) if (o) printf("table %s %u\\n", #name, o->name);
#define IS(name) printf("table %s %u\\n", #name, (unsigned)name);
int main(void)
{
    const hpp_python_offsets *o = hpp__python_offsets(PY_VERSION_HEX);
#ifdef Py_GIL_DISABLED
    hpp_python_offsets unlocked = *o;
    hpp__python_unlock(&unlocked);
    o = &unlocked;
#endif
    HPP_PYTHON_FIELDS(HAS)
    HAS(object_bytes)
    HAS(code_copies)
"""

HEADERS = "import sysconfig; print(sysconfig.get_path('include')); print(sysconfig.get_path('platinclude')); print('%d.%d' % sysconfig.sys.version_info[:2]); print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"


def values_of(source, folder, includes, expressions):
    """Returns what a program prints of the table and of the headers, or None if it does not compile."""
    lines = [PROLOGUE]
    lines += [f"    IS({name})" for name in expressions if name.startswith("HPP_")]
    lines += [f'    printf("headers {name} %zu\\n", (size_t)({text}));' for name, text in expressions.items()]
    program = folder / "layout.c"
    program.write_text("\n".join(lines + ["    return 0;", "}"]))
    flags = [f"-I{path}" for path in (*includes, *(f"{path}/internal" for path in includes), source / "profiler")]
    built = subprocess.run(["cc", "-w", *flags, program, "-o", folder / "layout"], capture_output=True, text=True)
    if built.returncode != 0:
        return None
    out = {"table": {}, "headers": {}}
    for line in subprocess.run([folder / "layout"], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, name, value = line.split()
        out[kind][name] = int(value)
    return out


def compare(source, python):
    """Prints how the table differs from the headers of an interpreter. Returns whether it does; None without headers."""
    found = subprocess.run([python, "-c", HEADERS], capture_output=True, text=True)
    if found.returncode != 0:
        return None
    include, platform, version, is_unlocked = found.stdout.split()
    if not pathlib.Path(include, "internal", "pycore_interp.h").exists():
        return None
    minor = int(version.split(".")[1])
    chosen = {name: [text for since, text in rows if since <= minor][-1] for name, rows in FIELDS.items()}
    if is_unlocked == "1":
        chosen = {name: text for name, text in chosen.items() if not name.startswith(("HPP_", "type_"))}
        if minor >= 14:
            chosen["code_copies"] = "offsetof(PyCodeObject, co_tlbc)"
    expressions = {name: text for name, text in chosen.items() if text not in (None, "!")}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        values = values_of(source, folder, {include, platform}, expressions)
        if values is None:
            gone = [name for name, text in expressions.items()
                    if values_of(source, folder, {include, platform}, {name: text}) is None]
            print(f"{version}: the headers have no {', '.join(gone)}")
            return True
    expected = dict(values["headers"]) | {name: 65535 for name, text in chosen.items() if text is None}
    if not any(not name.startswith("HPP_") for name in values["table"]):
        print(f"{version}: has no column; it is")
        for name, value in expected.items():
            print(f"    {name} {value if value != 65535 else 'NONE'}")
        return True
    differing = {name: value for name, value in expected.items() if values["table"].get(name) != value}
    unknown = set(values["table"]) - set(FIELDS)
    print(f"{version}: {len(expected) - len(differing)} fields as in the headers")
    for name, value in differing.items():
        print(f"    {name}: {values['table'].get(name)} in layouts.h, {value} in the headers")
    for name in unknown:
        print(f"    {name}: not compared")
    return bool(differing or unknown)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    pythons = sys.argv[2:] or sorted(map(str, pathlib.Path("/usr/bin").glob("python3.[0-9]*[0-9]")))
    results = [compare(source, python) for python in pythons]
    if all(result is None for result in results):
        print("no interpreter has headers")
        return 77
    return 1 if any(results) else 0


if __name__ == "__main__":
    sys.exit(main())
