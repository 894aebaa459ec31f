#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`census diff` of random pairs of heap snapshots, compared with a plain calculation: the table, and the trees of the page.

The second snapshot of a pair is the first one with objects removed, added, resized and given other references. In
some pairs ids last, in others they are only numbers, of another process or say nothing, and objects are matched by
their shape. What dominates an object is found by removing each of the others.

test_snapshot_diff.py CENSUS PAIRS
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

CENSUS = pathlib.Path(sys.argv[1]).resolve()
N_PAIRS = int(sys.argv[2])
META = {"node_fields": ["type", "name", "id", "self_size", "edge_count"],
        "node_types": [["synthetic", "object", "string"], "string", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [["element", "weak"], "string_or_number", "node"]}
SITES = ["", "make", "copy"]
Node = collections.namedtuple("Node", "kind name id size site")


def make_node(chance, used):
    while (number := chance.randrange(1, 10**chance.choice([3, 12]), 2)) in used:
        pass
    used.add(number)
    return Node(chance.choice(["object"] * 4 + ["string", "synthetic"]), chance.choice(["A", "B", "C"]), number,
                chance.choice([8, 8, 16, 24]), chance.choice(SITES))


def make_pair(chance):
    """Returns the nodes of both snapshots; node 0 is the root."""
    used = {1}
    root = Node("synthetic", "(root)", 1, 0, "")
    before = [root] + [make_node(chance, used) for _ in range(chance.randrange(12))]
    after = [root]
    for node in before[1:]:
        if chance.random() < 0.8:
            size = chance.choice([node.size, node.size, node.size, 8, 40])
            name = chance.choice([node.name] * 30 + ["C"])
            after.append(node._replace(size=size, name=name))
    after += [make_node(chance, used) for _ in range(chance.randrange(6))]
    tail = after[1:]
    chance.shuffle(tail)
    after = [root] + tail
    return before, after


def make_edges(chance, n):
    """Returns the targets of each node; the root reaches all."""
    edges = [[] for _ in range(n)]
    for node in range(1, n):
        edges[chance.randrange(node)].append(node)
    for _ in range(chance.randrange(n + 1)):
        edges[chance.randrange(n)].append(chance.randrange(n))
    return edges


class Snapshot:
    def __init__(self, nodes, edges, process, has_sites):
        self.nodes, self.edges, self.process, self.has_sites = nodes, edges, process, has_sites
        everything = self.reached(None)
        # By node: what it dominates, with itself.
        self.dominated = [everything - self.reached(node) for node in range(len(nodes))]

    def reached(self, removed):
        found, left = set(), [0] if removed != 0 else []
        while left:
            node = left.pop()
            if node not in found and node != removed:
                found.add(node)
                left += self.edges[node]
        return found

    def is_object(self, node):
        return self.nodes[node].kind != "synthetic"

    def objects(self):
        return filter(self.is_object, range(len(self.nodes)))

    def type(self, node):
        return "(string)" if self.nodes[node].kind == "string" else self.nodes[node].name

    def holder(self, node):
        """The type of the nearest node of another type that dominates it: the one that all others do."""
        above = [u for u in range(len(self.nodes))
                 if node in self.dominated[u] and self.type(u) != self.type(node)]
        return self.type(max(above, key=lambda u: sum(u in self.dominated[v] for v in above), default=0))

    def site(self, node):
        return self.has_sites and self.nodes[node].site or "(no name)"

    def shape(self, node):
        return self.type(node), self.holder(node), self.nodes[node].size, self.site(node)

    def bytes(self, nodes):
        return sum(self.nodes[node].size for node in nodes)

    def write(self, path):
        types = META["node_types"][0]
        strings = sorted({node.name for node in self.nodes} | set(SITES))
        fields = META["node_fields"] + ["site"] * self.has_sites
        rows = [x for node, to in zip(self.nodes, self.edges)
                for x in (types.index(node.kind), strings.index(node.name), node.id, node.size, len(to),
                          strings.index(node.site))[:len(fields)]]
        links = [x for to in self.edges for i, target in enumerate(to) for x in (0, i, len(fields) * target)]
        head = {"meta": {**META, "node_fields": fields}, **({"process": self.process} if self.process else {})}
        path.write_text(json.dumps({"snapshot": head, "nodes": rows, "edges": links, "strings": strings}))


def partners(before, after):
    """Returns what objects were matched by, and {object after: object before}."""
    numbers = [[node.id for node in s.nodes] == list(range(1, 2 * len(s.nodes), 2)) for s in (before, after)]
    by_id = {before.nodes[node].id: node for node in before.objects()}
    shared = [(node, by_id[after.nodes[node].id]) for node in after.objects() if after.nodes[node].id in by_id]
    same = {b: a for b, a in shared if after.type(b) == before.type(a)}
    lasts = before.process or shared and len(same) >= len(shared) - len(shared) // 10
    if before.process == after.process and not any(numbers) and lasts:
        return "id", same
    shapes = collections.defaultdict(list)
    for node in before.objects():
        shapes[before.shape(node)].append(node)
    found = {}
    for node in after.objects():
        of_shape = shapes[after.shape(node)]
        if of_shape:
            found[node] = of_shape.pop(0)
    return "shape", found


def row(before, after, a, b, same):
    """What changed between the objects `a` and `b`, of which `same` are in both."""
    new, gone = b - set(same), a - set(same.values())
    retained = set().union(*(after.dominated[node] for node in new))
    return {"growth_bytes": after.bytes(b) - before.bytes(a), "before_bytes": before.bytes(a),
            "after_bytes": after.bytes(b), "new_objects": len(new), "new_bytes": after.bytes(new),
            "new_retained_bytes": after.bytes(retained), "gone_objects": len(gone),
            "gone_bytes": before.bytes(gone), "grown_bytes": after.bytes(same) - before.bytes(same.values())}


def compare(before, after, by):
    """The whole comparison, as census prints it."""
    matched_by, same = partners(before, after)
    name = {"type": Snapshot.type, "holder": Snapshot.holder, "site": Snapshot.site}[by]
    rows = []
    for one in sorted({name(s, node) for s in (before, after) for node in s.objects()}):
        a = {node for node in before.objects() if name(before, node) == one}
        b = {node for node in after.objects() if name(after, node) == one}
        here = row(before, after, a, b, {to: from_ for to, from_ in same.items() if to in b and from_ in a})
        if here["new_objects"] or here["gone_objects"] or here["grown_bytes"]:
            rows.append({**here, by: one})
    rows.sort(key=lambda r: (-r["growth_bytes"], -r["new_bytes"]))
    return {"matched_by": matched_by, "before_objects": len(list(before.objects())),
            "after_objects": len(list(after.objects())),
            "total": row(before, after, set(before.objects()), set(after.objects()), same), "rows": rows}


def tree(snapshot):
    """By path of types in the tree of dominators: retained bytes, and objects."""
    groups = collections.defaultdict(lambda: [0, 0])
    for node in range(len(snapshot.nodes)):
        above = [u for u in range(len(snapshot.nodes)) if node in snapshot.dominated[u]]
        above.sort(key=lambda u: -len(snapshot.dominated[u]))
        path = [snapshot.type(0)]
        for i, u in enumerate(above[1:], 1):
            # What has the name of the root, too, is a group below it.
            if i == 1 or snapshot.type(u) != path[-1]:
                path.append(snapshot.type(u))
        for i in range(len(path)):
            groups[tuple(path[:i + 1])][0] += snapshot.nodes[node].size
        groups[tuple(path)][1] += snapshot.is_object(node)
    return groups


def compare_page(before, after, html):
    data = json.loads(re.search(r'id="census-data">\n?(.*?)</script>', html, re.S)[1])
    trees, paths, found, growths = (tree(before), tree(after)), [], {}, {}
    for name, parent, retained, _, _, n_objects, *rest, way, was_retained, n_before, rest_before in data["groups"]:
        paths.append((paths[parent] if paths else ()) + (data["names"][name][0],))
        found[paths[-1]] = ([was_retained, n_before], [retained, n_objects])
        growths.setdefault(parent if len(paths) > 1 else None, []).append(retained - was_retained)
        assert rest == [0, 0, 0] and rest_before == 0, rest
        assert data["names"][way[-1][0]][0] == paths[-1][-1], "the largest object has the name of the group"
    assert all(of_group == sorted(of_group, reverse=True) for of_group in growths.values()), "what has grown most is first"
    expected = {path: tuple(list(groups.get(path, [0, 0])) for groups in trees) for path in {**trees[0], **trees[1]}}
    assert found == expected, f"\n{found}\nexpected\n{expected}"


def main():
    chance = random.Random(22)
    seen = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("before.heapsnapshot", "after.heapsnapshot")]
        for i in range(N_PAIRS):
            pair = make_pair(chance)
            if i % 3 == 1:
                pair = [[node._replace(id=2 * k + 1) for k, node in enumerate(nodes)] for nodes in pair]
            elif i % 6 == 2:
                ids = [node.id for node in pair[0][1:]]
                chance.shuffle(ids)
                pair = [pair[0][:1] + [node._replace(id=k) for node, k in zip(pair[0][1:], ids)], pair[1]]
            processes = chance.choice([(None, None), ("1a", "1a"), ("1a", "2b")])
            option, by = chance.choice([("type", "type"), ("retainer", "holder"), ("line", "site")])
            has_sites = by == "site" or chance.random() < 0.5
            before, after = (Snapshot(nodes, make_edges(chance, len(nodes)), process, has_sites)
                             for nodes, process in zip(pair, processes))
            for snapshot, path in zip((before, after), paths):
                snapshot.write(path)
            done = subprocess.run([CENSUS, "diff", "--format", "json", "-m0", "--by", option, *paths],
                                  stdout=subprocess.PIPE, check=True)
            expected = compare(before, after, by)
            found = json.loads(done.stdout)
            assert found == expected, f"pair {i}:\n{json.dumps(found)}\nexpected\n{json.dumps(expected)}"
            seen[found["matched_by"], by] += 1
            if i % 3 == 0:
                done = subprocess.run([CENSUS, "diff", "--format", "html", *paths], stdout=subprocess.PIPE, check=True)
                compare_page(before, after, done.stdout.decode())
    assert len(seen) == 6 and min(seen.values()) >= N_PAIRS / 17, seen


main()
