# SPDX-License-Identifier: BSD-2-Clause
"""Unusual profiles: valid, but hard to draw."""
import random


def profile(samples, marks=(), job="odd", value_unit="bytes"):
    """Returns the bytes of a .hp file: samples are (time, {name: value}), names are bytes."""
    out = [b'JOB "%s"' % job.encode(), b'DATE "Sat Nov 21 12:00 2026"', b'SAMPLE_UNIT "seconds"',
           b'VALUE_UNIT "%s"' % value_unit.encode()]
    marks = sorted(marks)
    for when, costs in samples:
        while marks and marks[0] <= when:
            out.append(b"MARK %.6f" % marks.pop(0))
        out.append(b"BEGIN_SAMPLE %.6f" % when)
        out += [b"%s\t%d" % (name, value) for name, value in costs.items()]
        out.append(b"END_SAMPLE %.6f" % when)
    out += [b"MARK %.6f" % mark for mark in marks]
    return b"\n".join(out) + b"\n"


def noise(rng, names, n, step=0.1, high=1_000_000):
    """Returns samples in which the amount of each name varies and is sometimes missing."""
    now = {name: rng.randrange(high) for name in names}
    samples = []
    for i in range(n):
        now = {name: max(0, value + rng.randint(-high // 10, high // 10)) for name, value in now.items()}
        samples.append((i * step, {name: value for name, value in now.items() if rng.random() < 0.9}))
    return samples


def odd_profiles():
    rng = random.Random(5)
    few = [b"alpha", b"beta", b"gamma"]
    long_names = [b"(%d)" % (100 + i) + b"/".join(b"Some.Module%d.function" % (i + j) for j in range(40)) for i in range(12)]
    alike = [b"(%d)" % (100 + i) + b"x" * 300 for i in range(12)]
    scripts = ["größe", "日本語", "עברית שלום", "العربية", "देवनागरी", "e\u0301\u0302\u0303", "🐑🐑", "a\u200bb", "\u202egnp"]
    syntax = [b"<b>&amp;\"'", b"\\input{x}%$#_^~{}", b"(((", b")))", b"]]>", b" lead", b"a,b;c", b"\\", b"%!PS", b"-"]
    yield "one-sample", profile([(1.5, {b"a": 10, b"b": 20})])
    yield "one-sample-zero", profile([(0, {b"a": 0})])
    yield "no-names", profile([(i, {}) for i in range(5)])
    yield "one-empty-sample", profile([(3, {})])
    yield "no-samples", profile([])
    yield "many-names", profile(noise(rng, [b"name%d" % i for i in range(2000)], 20))
    yield "all-zero", profile([(i, {name: 0 for name in few}) for i in range(9)])
    yield "huge", profile(noise(rng, few, 30, high=1 << 62))
    yield "huge-times", profile([(i * 1e9, {name: i for name in few}) for i in range(9)])
    yield "late-times", profile([(1_700_000_000 + i, {name: 7 + i for name in few}) for i in range(20)])
    yield "tiny-times", profile([(5000 + i * 1e-6, {name: 7 + i for name in few}) for i in range(9)])
    yield "same-time", profile([(2, {b"a": i + 1, b"b": 3}) for i in range(6)])
    yield "ones", profile([(i, {b"a": 1}) for i in range(2)])
    yield "long-names", profile(noise(rng, long_names, 25))
    yield "alike-names", profile(noise(rng, alike, 25))
    yield "scripts", profile(noise(rng, [text.encode() for text in scripts], 25))
    yield "syntax", profile(noise(rng, syntax, 25), job="<&> \\\\ %$#_")
    yield "bytes", profile(noise(rng, [b"\xff\xfe", b"\xc3", b"a\x01b", b"\x7f", b"ok\xe2\x82"], 25))
    yield "many-marks", profile(noise(rng, few, 40), marks=[rng.random() * 4 for _ in range(500)])
    yield "marks-outside", profile(noise(rng, few, 10, step=1), marks=[0, 0, 9, 50, 51])
    yield "spike", profile([(i, {b"flat": 100, b"spike": 10**12 if i == 50 else 1}) for i in range(100)])
    yield "end-only", profile([(i, {b"late": 5 * (i == 99), b"a": 1}) for i in range(100)])
    yield "many-samples", profile(noise(rng, few + [b"n%d" % i for i in range(9)], 9000, step=0.001))
    yield "other", profile(noise(rng, [b"OTHER", b"(1)OTHER", b"(2)OTHER", b"SYSTEM", b"CAF"], 20))
    yield "objects", profile(noise(rng, [b"base:GHC.Maybe.Just", b"ghc-prim:GHC.Types.:", b"main:M.T", b"THUNK_1_0"], 20),
                             value_unit="objects")
    yield "long-job", profile(noise(rng, few, 20), job="program " + "--with-an-option=and-a-value " * 40)
    yield "biography", profile(noise(rng, [b"LAG", b"USE", b"VOID", b"DRAG", b"INHERENT_USE"], 20))


def write_odd_profiles(folder):
    """Writes them into a folder; their paths, in order."""
    paths = []
    for name, content in odd_profiles():
        paths.append(folder / f"odd-{name}.hp")
        paths[-1].write_bytes(content)
    return paths
