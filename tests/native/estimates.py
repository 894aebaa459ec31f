# SPDX-License-Identifier: BSD-2-Clause
"""Compares profiles of samples (--rate) of random programs (programs/sampled.c) with the sizes of all their blocks."""
import json
import math
import os
import subprocess

RATE = 16384
LEAST_SAMPLES = 2  # expected, of a site whose errors are compared in standard deviations


def variance(sizes):
    """Returns the variance of the estimate of some blocks."""
    return sum(size * size / math.expm1(size / RATE) for size in sizes)


def margin_of_none():
    """Returns how much there may be where there is no sample (hpf_margin)."""
    return RATE * (1 - 1 / 9 + 1.96 / 3) ** 3


class Estimates:
    def __init__(self):
        self.n = self.n_within = 0
        self.errors = []  # in standard deviations

    @property
    def share_within(self):
        return self.n_within / self.n

    @property
    def mean_error(self):
        return sum(self.errors) / len(self.errors)

    @property
    def mean_square_error(self):
        return sum(error * error for error in self.errors) / len(self.errors)

    def text(self):
        return (f"{self.n} amounts, {100 * self.share_within:.1f}% within their margins; {len(self.errors)} errors in "
                f"standard deviations: mean {self.mean_error:+.3f} (of no bias: 0 +- {1 / math.sqrt(len(self.errors)):.3f}), "
                f"mean square {self.mean_square_error:.2f} (of right margins: 1)")

    def note(self, sizes, found, margin):
        true, spread = sum(sizes), variance(sizes)
        self.n += 1
        self.n_within += abs(found - true) <= margin + 0.5 * len(sizes)  # weights are whole bytes
        if spread > 0 and true * true >= LEAST_SAMPLES * spread:
            self.errors.append((found - true) / math.sqrt(spread))

    def add(self, census, program, seed, folder):
        """Runs a program, and compares its last sample, by site and in all."""
        path = os.path.join(folder, "random.census")
        done = subprocess.run([census, "run", "-q", f"--rate={RATE}", "-i10", "-o", path, "--", program, "random", str(seed)],
                              env={**os.environ, "CENSUS_BIOGRAPHY_SEED": str(1000 + seed)}, stdout=subprocess.PIPE,
                              text=True, check=True)
        sizes = {words[1]: [int(word) for word in words[2:]] for words in map(str.split, done.stdout.splitlines())}
        report = [census, "report", "--by", "function", "-m0", "--format", "json"]
        whole = json.loads(subprocess.check_output([*report, path]))
        last = json.loads(subprocess.check_output([*report, "--from", repr(whole["final"]["time"]), path]))
        bands = {band["name"]: (band["max"], band["max_margin"]) for band in last["bands"]}
        for site, of_site in sizes.items():
            self.note(of_site, *bands.get(site, (0, margin_of_none())))
        self.note(sum(sizes.values(), []), last["peak"]["value"], last["peak_margin"])
