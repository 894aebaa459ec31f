#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that code quoted in a document stands in the files that it names.

usage: quotes.py DOCUMENT DIRECTORY

A block that begins with "```c FILE" is a quotation from DIRECTORY/FILE; a line "..." leaves something out.
"""
import os
import re
import sys

document, directory = sys.argv[1:]
with open(document, encoding="utf-8") as file:
    quotes = re.findall(r"^```c (\S+)\n(.*?)^```$", file.read(), re.M | re.S)
wrong = 0 if quotes else 1
for path, quote in quotes:
    with open(os.path.join(directory, path), encoding="utf-8") as file:
        source = file.read()
    for part in re.split(r"^\.\.\.\n", quote, flags=re.M):
        if part not in source:
            print("not in %s:\n%s" % (path, part))
            wrong += 1
print("%d quotations, %d wrong" % (len(quotes), wrong))
sys.exit(wrong != 0)
