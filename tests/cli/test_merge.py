#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sums of `census merge`, compared with sums of the profiles that are calculated here.

At the time of each sample, a band is the sum of what all profiles had in their latest samples, from the first
sample of each to the first sample of the sum that is not earlier than its last. Between two samples of the sum no
profile has two.

test_merge.py CENSUS
"""
import gzip
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HEADERS = 'JOB "solver"\nDATE "{}"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n'


def make_profile(chance, names):
    """Returns a random profile: a list of (time, {name: amount})."""
    time, samples = chance.random() * 2, []
    step = chance.choice([0.1, 0.1, 0.13, 1])
    for _ in range(chance.randrange(1, 60)):
        chosen = chance.sample(names, chance.randrange(len(names)))
        samples.append((round(time, 6), {name: chance.randrange(1, 10**9) for name in chosen}))
        time += step * (0.8 + 0.4 * chance.random())
    return samples


def text_of(samples, chance, date="Sun Nov 22 14:57 2026"):
    """Returns the text of a profile, with numbers of its own for its names."""
    ids, lines = {}, []
    for time, costs in samples:
        lines.append(f"BEGIN_SAMPLE {time:.6f}")
        lines += [f"({ids.setdefault(name, len(ids) + chance.randrange(99))}){name}\t{amount}"
                  for name, amount in costs.items()]
        lines.append(f"END_SAMPLE {time:.6f}")
    return HEADERS.format(date) + "\n".join(lines) + "\n"


def read(text):
    samples = []
    for line in text.splitlines():
        if line.startswith("BEGIN_SAMPLE"):
            samples.append((float(line.split()[1]), {}))
        elif "\t" in line:
            name, amount = line.split("\t")
            samples[-1][1][name] = int(amount)
    return samples


def without_steps(samples):
    """Leaves out the second of two samples at the same time, where profiles have ended."""
    return [sample for i, sample in enumerate(samples) if i == 0 or sample[0] != samples[i - 1][0]]


def check(profiles, merged, band_of):
    samples = without_steps(merged)
    times = [time for time, _ in samples]
    assert times == sorted(times), times
    for i, (time, bands) in enumerate(samples):
        expected, before = {}, times[i - 1] if i else -1
        for number, profile in enumerate(profiles):
            assert sum(before < at <= time for at, _ in profile) <= 1, (time, number)
            latest = [costs for at, costs in profile if at <= time]
            if latest and before < profile[-1][0]:
                for name, amount in latest[-1].items():
                    band = band_of(number, name)
                    expected[band] = expected.get(band, 0) + amount
        assert bands == expected, (time, bands, expected)
    for profile in profiles:
        assert all(any(at <= time for time in times) for at, _ in profile)


def main():
    census, chance = sys.argv[1], random.Random(7)
    names = [f"f{i}/main" for i in range(8)]
    with tempfile.TemporaryDirectory() as directory:
        for n in 1, 2, 3, 20:
            profiles = [make_profile(chance, names) for _ in range(n)]
            paths = [str(pathlib.Path(directory) / f"solver.{i}.hp") for i in range(n)]
            for path, profile in zip(paths, profiles):
                pathlib.Path(path).write_text(text_of(profile, chance))
            if n > 1:
                paths[1] += ".gz"
                pathlib.Path(paths[1]).write_bytes(gzip.compress(text_of(profiles[1], chance).encode()))

            def merge(*options):
                return subprocess.run([census, "merge", *options, *paths], capture_output=True, text=True,
                                      check=True).stdout

            check(profiles, read(merge()), lambda _, name: name)
            check(profiles, read(merge("--each")), lambda number, _: f"solver.{number}")
            assert (n == 1) == (f'JOB "{n} x solver"' not in merge()), n
            # Through other formats, and back.
            other = pathlib.Path(directory) / "all.csv"
            subprocess.run([census, "merge", "-o", other, *paths], check=True)
            back = subprocess.run([census, "convert", "--format", "hp", other], capture_output=True, text=True, check=True)
            assert read(back.stdout) == read(merge()), n
            # Every second one began a minute later.
            for path, profile, i in zip(paths, profiles, range(n)):
                if path.endswith(".hp"):
                    pathlib.Path(path).write_text(text_of(profile, chance, f"Sun Nov 22 14:5{7 + i % 2} 2026"))
            later = [[(round(at + 60 * (i % 2), 6), costs) for at, costs in profile] if not paths[i].endswith("gz")
                     else profile for i, profile in enumerate(profiles)]
            check(later, read(merge("--clock", "date")), lambda _, name: name)
        # Where the dates are far apart: profiles count from their first sample to their last, at each time.
        profiles = [pathlib.Path(directory, name) for name in ("early.hp", "late.hp")]
        for path, minute, times in (profiles[0], 7, (0, 90, 200)), (profiles[1], 8, (0, 90, 200)):
            samples = "".join(f"BEGIN_SAMPLE {time}.0\n{path.stem}\t{10 + time}\nEND_SAMPLE {time}.0\n" for time in times)
            path.write_text(f'JOB "p"\nDATE "Sat Nov 21 02:0{minute} 2026"\nSAMPLE_UNIT "seconds"\nVALUE_UNIT "bytes"\n{samples}')
        done = subprocess.run([census, "merge", "--clock", "date", *profiles], check=True, capture_output=True, text=True)
        found = read(done.stdout)
        wanted = [(0, {"early": 10}), (60, {"early": 10, "late": 10}), (90, {"early": 100, "late": 10}),
                  (150, {"early": 100, "late": 100}), (200, {"early": 210, "late": 100}), (200, {"late": 100}), (260, {"late": 210})]
        assert [(time, dict(amounts)) for time, amounts in found] == wanted, found
    print("all sums agree")


main()
