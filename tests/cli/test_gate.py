#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Rules of --fail-if, compared with figures that are calculated here from random profiles: exit status, one line for
each broken rule, JUnit and annotations. --format json is checked against the schemas in docs/formats.

test_gate.py CENSUS FORMATS FIXTURES
"""
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HEADERS = 'JOB "gate"\nDATE "Sun Nov 22 2026"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'
NAMES = ["a<b>::f", "cache", "x.max > y", "index"]
CENSUS = sys.argv[1]


def make_profile(chance, path):
    times = [i / 4 for i in range(chance.randrange(2, 30))]
    samples = [{name: chance.randrange(1, 3 * 2**20) for name in NAMES if chance.random() < 0.8} for _ in times]
    samples[0]["cache"] = samples[-1]["cache"] = 5  # no empty sample at an end
    lines = [f"BEGIN_SAMPLE {t:.6f}\n" + "".join(f"{n}\t{a}\n" for n, a in s.items()) + f"END_SAMPLE {t:.6f}\n"
             for t, s in zip(times, samples)]
    path.write_text(HEADERS + "".join(lines))
    return times, samples


def mean(times, amounts):
    area = sum((b - a) * (x + y) / 2 for a, b, x, y in zip(times, times[1:], amounts, amounts[1:]))
    return area / (times[-1] - times[0])


def slope(times, amounts):
    middle, average = sum(times) / len(times), sum(amounts) / len(times)
    return (sum((t - middle) * (a - average) for t, a in zip(times, amounts)) /
            sum((t - middle)**2 for t in times))


def figures(profile):
    times, samples = profile
    totals = [sum(s.values()) for s in samples]
    result = {"peak": max(totals), "mean": mean(times, totals), "final": totals[-1], "growth": slope(times, totals)}
    for name in NAMES:
        amounts = [s.get(name, 0) for s in samples]
        if any(amounts):
            result[name] = {"max": max(amounts), "mean": mean(times, amounts), "growth": slope(times, amounts)}
    return result


def measures(profile):
    """The amounts that census diff compares: {name or None for the total: {measure: amount}}."""
    times, samples = profile
    totals = [sum(s.values()) for s in samples]
    peak = totals.index(max(totals))
    result = {None: {"mean": mean(times, totals), "peak": totals[peak], "end": totals[-1]}}
    for name in NAMES:
        amounts = [s.get(name, 0) for s in samples]
        result[name] = {"mean": mean(times, amounts), "peak": amounts[peak], "end": amounts[-1]}
    return result


def limit_near(chance, value):
    """A limit near a value, but not so near that rounding decides: (text, bytes)."""
    factor = chance.choice([0.5, 0.9, 0.99, 1.01, 1.1, 2])
    text, unit = chance.choice([("", 1), ("K", 1024), ("k", 1024), ("MiB", 2**20), ("MB", 10**6), ("kB", 1000), ("M", 2**20)])
    number = f"{abs(value) * factor / unit:.9f}"
    return number + chance.choice(["", " "]) + text, float(number) * unit


def run(command, files, rules, *options):
    rules = [word for rule in rules for word in ("--fail-if", rule)]
    return subprocess.run([CENSUS, command, *rules, *options, *files], capture_output=True, text=True)


def check(done, command, rules, broken):
    """`broken`: for each rule whether it is broken."""
    assert done.returncode == (3 if True in broken else 0), (done, rules, broken)
    lines = done.stderr.splitlines()
    assert len(lines) == sum(broken), (done.stderr, rules, broken)
    expected = [rule for rule, is_broken in zip(rules, broken) if is_broken]
    for line, rule in zip(lines, expected):
        assert f"'{rule}'" in line.replace("%25", "%"), (line, rule)
    assert done.stdout, command


def check_junit(path, rules, broken):
    suite = xml.etree.ElementTree.parse(path).getroot().find("testsuite")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == rules
    tags = {True: "failure", False: None}
    assert [case[0].tag if len(case) else None for case in cases] == [tags[b] for b in broken]
    assert (int(suite.get("tests")), int(suite.get("failures"))) == (len(rules), broken.count(True))


def random_report_rules(chance, facts, n):
    rules, broken = [], []
    for _ in range(n):
        sign = chance.choice([">", "<", ">=", "<="])
        if chance.random() < 0.5:
            figure = chance.choice(["peak", "mean", "final"])
            text, limit = limit_near(chance, facts[figure])
            values, subject = [facts[figure]], figure
        elif chance.random() < 0.3:
            text, limit = limit_near(chance, facts["growth"])
            values, subject, text = [facts["growth"]], "growth", text + "/s"
        else:
            pattern = chance.choice(["^cache$", "c|i", "a<b>", "max > y", "nothing"])
            figure = chance.choice(["max", "mean", "growth"])
            matching = [facts[n] for n in NAMES if n in facts and re.search(pattern, n)]
            values = [m[figure] for m in matching]
            text, limit = limit_near(chance, values[0] if values else 1)
            may_lack = chance.choice(["", "?"])
            subject = f"band{may_lack}:{pattern}.{figure}"
        rules.append(f"{subject}{chance.choice(['', ' '])}{sign} {text}")
        breaks = {">": float.__gt__, "<": float.__lt__, ">=": float.__ge__, "<=": float.__le__}[sign]
        broken.append(any(breaks(float(v), float(limit)) for v in values) or (subject.startswith("band:") and not values))
    return rules, broken


def random_diff_rules(chance, a, b, n):
    rules, broken = [], []
    for _ in range(n):
        pattern = chance.choice([None, None, "cache", "i|x", "nothing"])
        names = [None] if pattern is None else [x for x in NAMES if re.search(pattern, x) and (a[x]["mean"] or b[x]["mean"])]
        measure = chance.choice(["mean", "peak", "end", ""])
        changes = [(a[x][m], b[x][m]) for x in names for m in ([measure] if measure else ["mean", "peak", "end"])]
        sign = chance.choice("+-")
        if chance.random() < 0.5:
            limit = chance.choice([0.5, 5, 50])
            text = f"{limit}%"
            values = [100 * (after - before) / before if before else float("inf") if after else 0 for before, after in changes]
        else:
            text, limit = limit_near(chance, changes[0][1] - changes[0][0] if changes else 1)
            values = [after - before for before, after in changes]
        may_lack = chance.choice(["", "?"])
        band = "" if pattern is None else f"band{may_lack}:{pattern}" + ("." if measure else "")
        rules.append(f"{band}{measure} {sign}{text}".strip())
        broken.append(any(v > limit if sign == "+" else v < -limit for v in values) or (not values and not may_lack))
    return rules, broken


def check_rules(folder):
    chance = random.Random(19)
    n_broken = n_kept = 0
    for _ in range(25):
        files = [folder / "a.hp", folder / "b.hp"]
        profiles = [make_profile(chance, path) for path in files]
        for command, paths, rules, broken in (
                ("report", files[1:], *random_report_rules(chance, figures(profiles[1]), 20)),
                ("diff", files, *random_diff_rules(chance, *map(measures, profiles), 20))):
            junit = folder / "junit.xml"
            options = ["--junit", junit, *(["--github"] if chance.random() < 0.5 else [])]
            done = run(command, paths, rules, *options)
            check(done, command, rules, broken)
            check_junit(junit, rules, broken)
            if "--github" in options:
                marked = [line for line in done.stderr.splitlines() if line.startswith("::error title=census ")]
                assert len(marked) == broken.count(True), done.stderr
            n_broken, n_kept = n_broken + broken.count(True), n_kept + broken.count(False)
    assert n_broken > 200 and n_kept > 200, (n_broken, n_kept)
    print(f"{n_broken} broken and {n_kept} kept rules agree")


def check_errors(folder, fixtures):
    growing, bins = fixtures / "growing.hp", fixtures / "cache.heapsnapshot"
    for command, files, rule in (
            ("report", [growing], "peak > 5%"), ("report", [growing], "peak"), ("report", [growing], "peak > 0x10"),
            ("report", [growing], "band:cache > 1"), ("report", [growing], "band:.max > 1"), ("report", [growing], "band:(.max > 1"),
            ("report", [growing], "peak > 1M/s"), ("report", [growing], "peek > 1M"), ("report", [growing], "peak > 1X"),
            ("diff", [growing, growing], "5%"), ("diff", [growing, growing], "peak > 5%"), ("diff", [growing, growing], "growth +5%"),
            ("report", [bins], "peak > 1")):
        done = run(command, files, [rule])
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 2 and not done.stdout, (rule, done)
    assert run("report", [growing], [], "--junit", folder / "none.xml").returncode == 2
    # A limit itself breaks a rule only with "=".
    assert [run("report", [growing], [f"peak {sign} 3000500"]).returncode for sign in (">", ">=", "<", "<=")] == [0, 3, 0, 3]
    assert run("diff", [growing, growing], ["+0%", "-0%"]).returncode == 0
    # A band that does not exist breaks a rule, unless it may be absent. The message lists names that exist.
    for command, files, rule in (("report", [growing], ":cahce.max > 1G"), ("diff", [growing, growing], ":cahce.mean +5%")):
        done = run(command, files, ["band" + rule], "--junit", folder / "none.xml")
        assert done.returncode == 3 and "fails: no band matches: there are cache, " in done.stderr, done
        assert 'failures="1"' in (folder / "none.xml").read_text()
        assert run(command, files, ["band?" + rule]).returncode == 0
    # Names are those of the report: with the numbers of stacks where they are equal without, which rules may have, too.
    one = folder / "one.hp"
    one.write_text(HEADERS + "BEGIN_SAMPLE 1\n(7)go/main\t5\n(8)go/main\t9\n(9)load/main\t7\nEND_SAMPLE 1\n")
    for rule, words in (("go.max > 1", "is broken: (8)go/main: the maximum is 9 B, and 1 more\n"),
                        ("^.7.go.max > 1", "is broken: (7)go/main: the maximum is 5 B\n"),
                        ("^.9..max > 1", "is broken: load/main: the maximum is 7 B\n"),
                        ("x.max > 1", "there are (8)go/main, load/main, (7)go/main\n")):
        assert run("report", [one], ["band:" + rule]).stderr.endswith(words), rule
    # Figures that are not defined are not kept.
    one.write_text(HEADERS + "BEGIN_SAMPLE 1\nx\t5\nEND_SAMPLE 1\n")
    done = run("report", [one], ["growth > 1M/s"], "--junit", folder / "one.xml")
    assert done.returncode == 1 and "cannot be checked" in done.stderr, done
    assert '<error message="growth needs samples of two times"/>' in (folder / "one.xml").read_text()
    # In other units, M is a million.
    one.write_text(HEADERS.replace("bytes", "words") + "BEGIN_SAMPLE 1\nx\t1000001\nEND_SAMPLE 1\n")
    assert run("report", [one], ["peak > 1M"]).returncode == 3


def changes_of(value):
    """Yields the document with one member removed or of another type."""
    def places(part, path=()):
        for key in list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            yield path + (key,)
            yield from places(part[key], path + (key,))
    for path in places(value):
        changed = copy.deepcopy(value)
        parent = changed
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = {"wrong": True} if not isinstance(parent[path[-1]], dict) else "wrong"
        yield path, changed


def check_schemas(formats, fixtures):
    import jsonschema
    newest = getattr(jsonschema, "Draft202012Validator", jsonschema.Draft7Validator)  # Debian 11 has the latter
    profiles = [fixtures / name for name in ("growing.hp", "retainers.hp", "cut.hp", "mended.hp",
                                             "time_and_heap.eventlog.xz")]
    for command, files in [("report", [p]) for p in profiles] + [("diff", [a, b]) for a, b in zip(profiles, profiles[1:])]:
        schema = json.loads((formats / f"{command}.schema.json").read_text())
        judge = newest(schema)
        judge.check_schema(schema)
        document = json.loads(run(command, files, [], "--format", "json").stdout)
        judge.validate(document)
        if files[0].name == "growing.hp":
            for path, changed in changes_of(document):
                assert not judge.is_valid(changed), path


def main():
    formats, fixtures = map(pathlib.Path, sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        check_rules(pathlib.Path(folder))
        check_errors(pathlib.Path(folder), fixtures)
    try:
        check_schemas(formats, fixtures)
    except ModuleNotFoundError:
        print("skipped: the schemas (Debian: python3-jsonschema)")
        return 77
    return 0


sys.exit(main())
