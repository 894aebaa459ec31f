#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random token soups through the real hp2ps, a strict reference reader, and ours.

What hp2ps accepts, the reference must accept (so that it may be trusted), and ours must accept with
the same headers, marks and samples. The same seed gives the same soups. Exit status 77: no hp2ps.
"""
import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile

HEADERS = (b"JOB", b"DATE", b"SAMPLE_UNIT", b"VALUE_UNIT")
TIMED = (b"BEGIN_SAMPLE", b"END_SAMPLE", b"MARK")
BLANKS = b" \t\n\r\v\f"


# A number with an exponent, and on the next line a name that begins with digits: for hp2ps the
# exponent is a name and the digits its value. Nobody means that, and we do not read it so.
AMBIGUOUS = re.compile(rb"[0-9.][eE][+-]?[0-9]+\s*\n\s*[0-9]+(?![0-9]|\s+[^0-9\s])")


class Refused(Exception):
    pass


class Undefined(Exception):
    """hp2ps writes outside its arrays here, and may crash or not."""


class Reference:
    """The syntax of hp2ps, read as its documentation of behaviour says, without any tolerance."""

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.headers = {}
        self.marks = []
        self.samples = []
        self.in_sample = False
        self.time = None
        self.costs = []
        while self.skip():
            self.statement()
        if len(self.headers) < 4 or not self.samples:
            raise Refused("incomplete")

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in BLANKS:
            self.at += 1
        return self.at < len(self.text)

    def word(self):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in BLANKS:
            self.at += 1
        return self.text[start:self.at]

    def number(self):
        if not self.skip():
            raise Refused("number expected")
        match = re.compile(rb"[0-9][0-9.]{0,31}").match(self.text, self.at)
        if not match:
            raise Refused("number expected")
        self.at = match.end()
        return match.group()

    def real(self):
        digits = self.number()
        if b"." not in digits:
            raise Refused("float expected")
        return float(b".".join(digits.split(b".")[:2]))

    def string(self):
        if not self.skip() or self.text[self.at] != ord('"'):
            raise Refused("string expected")
        match = re.compile(rb'"((?:[^"]|"")*)"(?!")').match(self.text, self.at)
        if not match:
            raise Refused("string without end")
        self.at = match.end()
        return match.group(1).replace(b'""', b'"')

    def statement(self):
        if self.text[self.at] == ord('"'):
            raise Refused("string")
        word = self.word()
        if self.at == len(self.text):
            raise Refused("word at the end")
        if word in HEADERS:
            self.headers[word] = self.string()
        elif word == b"BEGIN_SAMPLE":
            self.begin(self.real())
        elif word == b"END_SAMPLE":
            self.end(self.real())
        elif word == b"MARK":
            if self.in_sample:
                raise Refused("mark in a sample")
            self.marks.append(self.real())
        else:
            digits = self.number()
            if b"." in digits:
                raise Refused("integer expected")
            self.costs.append((word, int(digits)))

    def begin(self, time):
        if self.time is not None and time < self.time:
            raise Refused("time goes back")
        self.time = time
        self.in_sample = True

    def end(self, _):
        if not self.in_sample:
            raise Undefined("stray end")
        self.samples.append((self.time, self.costs))
        self.costs = []
        self.in_sample = False


def ours(program, path):
    """What our reader says, in the form of the reference; None when it refuses."""
    run = subprocess.run([program, path], stdout=subprocess.PIPE)
    if run.returncode not in (0, 1):
        sys.exit(f"hp_events ended with {run.returncode} on {path}")
    if run.returncode:
        return None
    headers, marks, samples, names = {}, [], [], {}
    pattern = re.compile(rb"(?s)(JOB|DATE|SAMPLE_UNIT|VALUE_UNIT) (.*)|name (\d+) (.*)|"
                         rb"mark (\S+) |sample (\S+) \[\S+\)(.*)|leftover.*|warning: .*")
    for line in run.stdout.split(b"\n"):
        match = pattern.fullmatch(line)
        if not match:
            continue
        header, text, number, name, mark, time, costs = match.groups()
        if header:
            headers[header] = text
        elif number:
            names[number] = name
        elif mark:
            marks.append(float(mark))
        elif time:
            pairs = [cost.split(b"=") for cost in costs.split()]
            samples.append((float(time), [(names[n], amount(a)) for n, a in pairs]))
    return headers, marks, samples


def amount(text):
    return float(text[:-1]) if text.endswith(b"r") else int(text)


def same_amounts(a, b):
    return len(a) == len(b) and all(
        x[0] == y[0] and (x[1] == y[1] or float(x[1]) == float(y[1])) for x, y in zip(a, b))


def same(reference, got):
    headers, marks, samples = got
    return (headers == reference.headers and marks == reference.marks
            and len(samples) == len(reference.samples)
            and all(a[0] == b[0] and same_amounts(a[1], b[1])
                    for a, b in zip(reference.samples, samples)))


class Soup:
    """Profiles that are right but for what a little malice does to them."""

    NAMES = [b"foo", b"bar", b"(304)lazy/...", b"3foo", b"42", b"e3", b"E7", b"a\\b", b"\xc3\xa4",
             b"\xff\xfe", b"x\"y", b"'", b"JOBS", b"begin_sample", b".", b"-", b"5.5.5", b"e+2"]
    BLANK = [b" ", b"\t", b"\n", b"\r\n", b"  ", b"\t\t", b"\v", b"\f", b"\n\n"]
    STRINGS = [b"seconds", b"bytes", b"", b"a b", b"C:\\", b"x\\", b"a\ty", b"50%", b"(", b"caf\xe9"]
    ODD_VALUES = [b"5.5", b"5.", b"5e3", b"1e5", b"-5", b"+5", b".5", b"0x10", b"", b"5bar", b"5e",
                  b"18446744073709551615", b"18446744073709551616", b"9" * 31, b"9" * 32,
                  b"9" * 33, b"007", b"1.5e3", b"1" + b"0" * 40]
    ODD_WORDS = [b"END_SAMPLE 1.0", b"MARK 1.0", b"BEGIN_SAMPLE 0.0", b"\"x\"", b"foo bar\t5",
                 b"JOB \"again\"", b"DATE \"\"", b"BEGIN_SAMPLE", b"MARK 2", b"5 6", b"e3 6",
                 b"JOB \"a\"\"b\"", b"DATE \"x\\\"", b"foo 5bar 6", b"lone", b"foo 1.5.7"]

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.malice = self.random.choice([0, 0.01, 0.05, 0.2])

    def quoted(self):
        """A backslash at the end of a string is only sure to be an ordinary byte at a line's end."""
        string = self.random.choice(self.STRINGS)
        return b'"' + string + b'"' + (b"\n" if string.endswith(b"\\") else b"")

    def blank(self):
        return self.random.choice(self.BLANK if self.random.random() < 0.3 else [b" ", b"\n"])

    def is_odd(self):
        return self.random.random() < self.malice

    def value(self):
        if self.is_odd():
            return self.random.choice(self.ODD_VALUES)
        return str(self.random.randrange(10 ** self.random.randrange(1, 12))).encode()

    def time(self, value):
        if self.is_odd():
            return self.random.choice(self.ODD_VALUES)
        return f"{value:.{self.random.randrange(1, 7)}f}".encode()

    def statement(self, time):
        kind = self.random.random()
        if self.is_odd():
            return self.random.choice(self.ODD_WORDS)
        if kind < 0.04:
            word = self.random.choice(HEADERS)
            return word + self.blank() + self.quoted()
        if kind < 0.08:
            return b"MARK" + self.blank() + self.time(time)
        return self.random.choice(self.NAMES) + self.blank() + self.value()

    def make(self):
        out = [word + self.blank() + self.quoted()
               for word in HEADERS if self.random.random() > self.malice / 4]
        self.random.shuffle(out)
        time = 0.0
        for _ in range(self.random.randrange(5)):
            out.append(b"BEGIN_SAMPLE" + self.blank() + self.time(time))
            out += [self.statement(time) for _ in range(self.random.randrange(6))]
            out.append(b"END_SAMPLE" + self.blank() + self.time(time))
            if self.random.random() < 0.1:
                out.append(self.statement(time))
            time += self.random.random() * self.random.choice([0, 1, 10])
        if self.is_odd():
            self.random.shuffle(out)
        text = b"".join(word + self.blank() for word in out)
        if self.is_odd():
            text = text[:self.random.randrange(len(text) + 1)]
        return text


def accepted_by(hp2ps, text, folder):
    run = subprocess.run([hp2ps], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         cwd=folder)
    return run.returncode == 0 and run.stdout.startswith(b"%!PS")


def reference_of(text):
    try:
        return Reference(text)
    except Refused:
        return None


def compare(options, hp2ps, folder, seed):
    """(hp2ps accepts, a complaint or None)"""
    text = Soup(seed).make()
    path = f"{folder}/soup.hp"
    with open(path, "wb") as file:
        file.write(text)
    got = ours(options.events, path)
    if AMBIGUOUS.search(text):
        return False, None
    try:
        reference = reference_of(text)
    except Undefined:
        return False, None
    if not accepted_by(hp2ps, text, folder):
        return False, None
    if reference is None:
        return True, f"seed {seed}: hp2ps accepts what the reference refuses: {text!r}"
    if got is None:
        return True, f"seed {seed}: hp2ps accepts what we refuse: {text!r}"
    if not same(reference, got):
        return True, f"seed {seed}: {text!r}\n  reads as {got}\n  not as {vars(reference)}"
    return True, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--events", required=True, help="the program hp_events")
    parser.add_argument("--hp2ps", default="hp2ps")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    hp2ps = shutil.which(options.hp2ps)
    if not hp2ps:
        print("skipped: no hp2ps")
        return 77
    n_accepted = 0
    n_bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.rounds):
            is_accepted, complaint = compare(options, hp2ps, folder, seed)
            n_accepted += is_accepted
            if complaint:
                n_bad += 1
                print(complaint)
    print(f"{options.rounds} soups, {n_accepted} accepted by hp2ps, {n_bad} read differently")
    return 1 if n_bad or not n_accepted else 0


if __name__ == "__main__":
    sys.exit(main())
