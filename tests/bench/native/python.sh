#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# CPython with its own allocator of small objects switched off: syntax trees, JSON, dictionaries, deep
# recursion. ITEMS and DEPTH: how much of it.
. "$(dirname "$0")/_common.inc"
cat >"$W/work.py.$$" <<'PY'
import ast
import json
import os
import sys
import sysconfig

items, depth = map(int, sys.argv[1:])
folder = sysconfig.get_paths()["stdlib"]
nodes = 0
names = ["enum", "argparse", "typing", "inspect", "datetime", "tarfile", "subprocess", "pydoc", "ast",
         "pickle"]
for name in names * 2 if items > 10000 else names[:1]:
    with open(os.path.join(folder, name + ".py")) as file:
        tree = ast.parse(file.read())
    nodes += sum(1 for _ in ast.walk(tree)) + len(ast.unparse(tree))
table = {str(i): [i, {"k": "v%d" % i, "f": i * .5}] for i in range(items)}
text = json.dumps(table)
again = json.loads(text)


def grow(k):
    return (grow(k - 1), grow(k - 1)) if k else [k]


def count(tree):
    return 1 if len(tree) == 1 else count(tree[0]) + count(tree[1])


print(nodes, len(text), again == table, sum(count(grow(depth)) for i in range(4)))
PY
mv "$W/work.py.$$" "$W/work.py"
export PYTHONMALLOC=malloc PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
exec "$@" /usr/bin/python3 -s -S -B "$W/work.py" "${ITEMS:-200000}" "${DEPTH:-16}"
