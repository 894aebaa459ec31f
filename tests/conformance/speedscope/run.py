#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks what census writes for speedscope against the rules of its schema, and against the input.

run.py CENSUS   every sample that has stacks; exit status 1 when a rule is broken

The rules come from https://www.speedscope.app/file-format-schema.json for sampled profiles, and
what the viewer takes for granted: frames exist, samples and weights are as many, values end where
the weights do. The sums must be those of the folded stacks, or of the report itself.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")
IS_NUMBER = (int, float)

# The input, options, and how many units of the profile one of the folded amount is.
CASES = [
    ("samples/hp/foldleak-prof-hc.hp", [], 1),
    ("samples/hp/oddnames-prof-hc-long.hp", ["--at", "0.2"], 1),
    ("samples/hp/foldleak-plain-hT.hp", [], 1),
    ("samples/eventlog/foldleak-prof-lu-hc.eventlog", [], 1),
    ("samples/eventlog/foldleak-prof-lu-hc.eventlog", ["--at", "5"], 1),
    ("samples/eventlog/dragvoid-prof-l-au-hb.eventlog", [], 1),
    ("samples/eventlog/interp-prof-small-p-lau.eventlog", ["--time"], 1000000),
    ("samples/prof/interp-prof-pj.prof", [], 1000),
    ("samples/prof/oddnames-prof-pj.prof", [], 1000),
]


def convert(census, target, path, options):
    return subprocess.run([census, "convert", "--format", target, *options, path], cwd=ROOT,
                          check=True, capture_output=True).stdout


def check_members(what, value, required, optional=()):
    assert isinstance(value, dict), what
    missing = [key for key in required if key not in value]
    assert not missing, f"{what}: no {missing}"
    odd = [key for key in value if key not in required and key not in optional]
    assert not odd, f"{what}: {odd} is nothing of the format"


def check_frame(frame):
    check_members("frame", frame, ["name"], ["file", "line", "col"])
    assert isinstance(frame["name"], str) and isinstance(frame.get("file", ""), str)
    assert all(isinstance(frame.get(key, 1), int) and frame.get(key, 1) > 0
               for key in ("line", "col")), frame
    assert "line" not in frame or "file" in frame, frame


def check_profile(profile, n_frames):
    check_members("profile", profile,
                  ["type", "name", "unit", "startValue", "endValue", "samples", "weights"])
    assert profile["type"] == "sampled" and isinstance(profile["name"], str)
    assert profile["unit"] in UNITS
    samples, weights = profile["samples"], profile["weights"]
    assert len(samples) == len(weights)
    for sample in samples:
        assert sample and all(isinstance(i, int) and 0 <= i < n_frames for i in sample), sample
    assert all(isinstance(w, IS_NUMBER) and w > 0 for w in weights)
    length = profile["endValue"] - profile["startValue"]
    assert abs(length - sum(weights)) <= 1e-9 * length


def check_file(document):
    check_members("file", document, ["$schema", "shared", "profiles"],
                  ["name", "exporter", "activeProfileIndex"])
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    check_members("shared", document["shared"], ["frames"])
    frames = document["shared"]["frames"]
    for frame in frames:
        check_frame(frame)
    assert len({json.dumps(frame) for frame in frames}) == len(frames), "a frame twice"
    assert document["profiles"] and document["activeProfileIndex"] < len(document["profiles"])
    for profile in document["profiles"]:
        check_profile(profile, len(frames))


def folded_sums(text):
    """Amounts by line, of a folded file."""
    lines = (line.rpartition(" ") for line in text.decode("utf-8", "replace").splitlines())
    return {stack: int(amount) for stack, _, amount in lines}


def sums(document, profile):
    """The same of a profile, with its frames written as folded stacks have them."""
    names = [frame["name"].replace(";", ",") for frame in document["shared"]["frames"]]
    out = {}
    for sample, weight in zip(profile["samples"], profile["weights"]):
        stack = ";".join(names[i] for i in sample)
        out[stack] = out.get(stack, 0) + weight
    return out


def check_case(census, path, options, scale):
    document = json.loads(convert(census, "speedscope", path, options))
    check_file(document)
    folded = folded_sums(convert(census, "folded", path, options))
    found = sums(document, document["profiles"][0])
    assert {stack: amount * scale for stack, amount in folded.items()} == found, "other sums"
    if path.endswith(".prof"):
        folded = folded_sums(convert(census, "folded", path, ["--alloc"]))
        assert folded == sums(document, document["profiles"][1]), "other bytes"


def main():
    for path, options, scale in CASES:
        try:
            check_case(sys.argv[1], path, options, scale)
        except AssertionError as broken:
            sys.exit(f"{path} {options}: {broken}")
        print(path, *options)


if __name__ == "__main__":
    main()
