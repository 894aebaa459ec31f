#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: preset.py NAME
#
# Prints cmake's options for a preset of CMakePresets.json, a line each, for a CMake that does not know presets.

import json
import pathlib
import sys


def resolve(presets, name):
    preset = presets[name]
    base = resolve(presets, preset["inherits"]) if "inherits" in preset else {"cacheVariables": {}}
    return {**base, **preset, "cacheVariables": {**base["cacheVariables"], **preset.get("cacheVariables", {})}}


def main():
    source = pathlib.Path(__file__).resolve().parent.parent
    presets = json.loads((source / "CMakePresets.json").read_text())["configurePresets"]
    preset = resolve({preset["name"]: preset for preset in presets}, sys.argv[1])
    folder = preset["binaryDir"].replace("${sourceDir}", str(source)).replace("${presetName}", sys.argv[1])
    print(f"-S{source}", f"-B{folder}", f"-G{preset['generator']}", sep="\n")
    for name, value in preset["cacheVariables"].items():
        print(f"-D{name}={value}")


main()
