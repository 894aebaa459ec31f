#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Does what a document says, in the current folder.

usage: document.py DOCUMENT

The blocks "```c" are one program, runtime.c; "```cmake" is the CMakeLists.txt that builds it. In "```console", each line
that begins with "$ " is a command, and the lines after it are its output.
"""
import re
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.M | re.S)
with open("runtime.c", "w", encoding="utf-8") as file:
    file.write("\n".join(text for language, text in blocks if language == "c"))
with open("CMakeLists.txt", "w", encoding="utf-8") as file:
    file.write("".join(text for language, text in blocks if language == "cmake"))
console = "".join(text for language, text in blocks if language == "console")
commands = [tuple(part.split("\n", 1)) for part in re.split(r"^\$ ", console, flags=re.M)[1:]]
commands.append(("cmake -S . -B build >log && cmake --build build >log && build/runtime", ""))
n_wrong = 0
for command, expected in commands:
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if (done.returncode, done.stdout) != (0, expected):
        print("$ %s\nexit status %d\n%sexpected:\n%s" % (command, done.returncode, done.stdout, expected))
        n_wrong += 1
print("%d blocks, %d commands, %d wrong" % (len(blocks), len(commands), n_wrong))
sys.exit(n_wrong > 0 or len(commands) < 3)
