#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""census explain names the known fault of each program, and only what its recordings show.

test_explain.py CENSUS SAMPLES PROGRAMS   recordings of GHC in SAMPLES/explain, made-up profiles, and
                                          the programs of the sample runtime
test_explain.py CENSUS SAMPLES --ghc      Haskell programs, compiled and recorded by the GHC of this
                                          machine, before and after the change that is advised
"""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from even_times import even_times

CENSUS, SAMPLES = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
KIB = 1024
SKIPPED = 77


def explain(*paths):
    """Returns the explanation of recordings, and its text."""
    done = subprocess.run([CENSUS, "explain", "--format", "json", *paths], check=True, capture_output=True, text=True)
    text = subprocess.run([CENSUS, "explain", *paths], check=True, capture_output=True, text=True).stdout
    lines = text.splitlines()
    assert len(lines) <= 45 and max(map(len, lines)) <= 130, text
    found = json.loads(done.stdout)
    for advice in found["advice"]:
        assert advice["text"].endswith(".") and re.sub(r"\s+", " ", advice["text"]) in re.sub(r"\s+", " ", text), text
    for gap in found["open"]:
        assert f"  {gap['question']}\n      {gap['command']}\n" in text, text
    return found, text


def by_kind(found):
    return {advice["kind"]: advice for advice in found["advice"]}


def answer(found, question, not_in_use=False):
    return [a for a in found["answers"] if a["question"] == question and a["not_in_use"] == not_in_use]


# --- recordings of GHC ---------------------------------------------------------------------------

# The kind of the first advice, whom it names and where, and words of it, by program.
FAULTS = {
    "tally": ("evaluate", "tally.go.m'", "tally.hs:9", "Data.Map.Strict"),
    "counter": ("evaluate", "count.\\", "counter.hs:7", "modifyIORef'"),
    "state": ("evaluate", "main", "state.hs:", "Control.Monad.State.Strict"),
    "leak": ("evaluate", "total", "leak.hs:6", "foldl'"),
    "constant": ("constant", "squares", "constant.hs:6", "function with an argument"),
    "pages": ("growth", "render.s", "pages.hs:12", "what main (pages.hs:"),
}


def check_fault(name, folder):
    found, text = explain(*sorted(folder.glob(f"{name}-h[cdbr].hp")))
    kind, who, where, words = FAULTS[name]
    first = found["advice"][0]
    assert (first["kind"], first["name"]) == (kind, who), text
    assert first["place"].startswith(where) and words in first["text"], text
    if name == "leak":
        assert by_kind(found)["list"]["text"].find("main (leak.hs:") > 0, text
    if name == "pages":
        assert set(by_kind(found)) == {"growth"}, text
    # GHC takes data for unused: never advice if the data alone could be it.
    assert "void" not in by_kind(found), text


def check_each_alone():
    """One recording answers one question; the run for each of the others is named."""
    runs = {"c": "who makes it", "d": "what it consists of", "b": "whether it is used", "r": "who holds it"}
    for letter in runs:
        found, text = explain(SAMPLES / f"explain/tally-h{letter}.hp")
        asked = {gap["question"]: gap["command"] for gap in found["open"]}
        for other, question in runs.items():
            assert (question in asked) == (other != letter), (letter, text)
            if other != letter:
                assert asked[question] == f"tally 300000 +RTS -h{other} -i0.01 -L200", asked


# --- the sample runtime --------------------------------------------------------------------------

def record(program, size, *runs, interval="-i100"):
    """Records a program of the sample runtime in a new folder, once for each list of options."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))
    paths = []
    for options in runs:
        subprocess.run([PROGRAMS / program, size, "+RTS", *options.split(), interval, "-p"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        base = folder / re.sub(r"\W", "", options)
        for suffix in ".hp", ".prof":
            (folder / (program + suffix)).rename(base.with_suffix(suffix))
        if (folder / (program + ".lines")).exists():
            (folder / (program + ".lines")).rename(base.with_suffix(".lines"))
        base.with_suffix(".hp").write_text(even_times(base.with_suffix(".hp").read_text()))
        paths.append(base.with_suffix(".hp"))
    return paths


def check_finite_map():
    """The leak of GHC's guide: one sum that is not evaluated keeps the map."""
    runs = ["-hc", "-hd", "-hb", "-hr"]
    found, text = explain(*record("finite_map", "12", *runs))
    first = by_kind(found)["release"]
    assert "A_total (finite_map.c:" in first["text"], text
    assert "(1 object)" in first["text"] and "C_lookup <- B_scale <- A_total <- SYSTEM" in first["text"], text
    assert [step["name"] for step in found["chain"]] == ["C_lookup", "B_scale", "A_total", "SYSTEM"], text
    assert [step["objects"] for step in found["chain"]][:3] == [100, 100, 1], text
    assert by_kind(found)["void"]["text"].startswith("Do not make, or only when needed, what "), text
    asked = [gap["command"] for gap in found["open"]]
    assert "finite_map 12 +RTS -hd -hcA_total -i100" in asked, text
    # The runs that it asks for answer these questions.
    more = record("finite_map", "12", *runs, "-hd -hcA_total", "-hc -hbdrag,void", "-hr -hbdrag,void")
    found, text = explain(*more)
    released = by_kind(found)["release"]["text"]
    assert "A_total" in released and "(1 object: total)" in released, text
    assert found["open"] == [], text
    assert by_kind(found)["void"]["name"] == "build", text
    assert answer(found, "maker", True)[0]["parts"][0]["name"] == "build", text
    assert answer(found, "holder", True)[0]["parts"][0]["name"] == "C_lookup", text
    # Of one run of --savings, the same makers and holders.
    found, text = explain(*record("finite_map", "12", "--savings"))
    assert answer(found, "maker", True)[0]["parts"][0]["name"] == "build", text
    assert answer(found, "holder", True)[0]["parts"][0]["name"] == "C_lookup", text
    # Only of the map: the text says so.
    found, text = explain(*record("finite_map", "12", "-hr -hdBranch,Leaf"))
    assert "(only of -hdBranch,Leaf)" in text and answer(found, "holder")[0]["only_of"] == "-hdBranch,Leaf", text


def check_sample_programs():
    four = ["-hc", "-hd", "-hb", "-hr"]
    found, text = explain(*record("drag", "2000", *four))
    assert found["advice"][0]["kind"] == "release" and "main (drag.c:" in found["advice"][0]["text"], text
    assert "is kept after its last use" in found["advice"][0]["text"], text
    found, text = explain(*record("void", "2000", *four, "-hc -hbdrag,void"))
    assert (found["advice"][0]["kind"], found["advice"][0]["name"]) == ("void", "void_table"), text
    found, text = explain(*record("cache", "100", *four))
    assert found["advice"][0]["name"] == "second" and "100 objects, roots" in found["advice"][0]["text"], text
    found, text = explain(*record("leak", "20000", *four, interval="-i0.0005"))
    assert (found["advice"][0]["kind"], found["advice"][0]["name"]) == ("evaluate", "total"), text
    assert "main (leak.c:" in by_kind(found)["list"]["text"], text


# --- made-up profiles ----------------------------------------------------------------------------

def write(name, job, samples):
    """Writes {name: KiB} for each second as a .hp file; returns its path."""
    path = SCRATCH / name
    lines = [f'JOB "{job}"', 'DATE "d"', 'SAMPLE_UNIT "seconds"', 'VALUE_UNIT "bytes"']
    for time, costs in enumerate(samples):
        lines += [f"BEGIN_SAMPLE {time}", *(f"{n}\t{v * KIB}" for n, v in costs.items()), f"END_SAMPLE {time}"]
    path.write_text("\n".join(lines) + "\n")
    return path


def check_joined_shares():
    """A maker of 90 % and a use of 80 % have 70 % in common; one of 59 %, 39 %, less than half of the use."""
    use = write("b.hp", "p +RTS -hb", [{"DRAG": 80, "USE": 20}] * 30)
    for share, is_named in (90, True), (61, True), (59, False):
        maker = write("c.hp", "p +RTS -hc", [{"(1)make/main": share, "(2)other/main": 100 - share}] * 30)
        found, text = explain(maker, use)
        drag = by_kind(found)["drag"]
        assert abs(drag["share"] - 0.8) < 1e-9 and (drag["name"] == "make") == is_named, text
        assert "who makes what is not used" in text, text


def check_growth():
    """What grows until the end is advice; a warm-up and a constant are not."""
    def kinds(amount):
        path = write("g.hp", "p +RTS -hc", [{"(1)grow/main": amount(i), "(2)rest/main": 500} for i in range(40)])
        return by_kind(explain(path)[0])
    assert kinds(lambda i: 20 * i)["growth"]["name"] == "grow"
    assert "growth" not in kinds(lambda i: min(20 * i, 200))
    assert "growth" not in kinds(lambda i: 400)


def check_peak():
    """Who makes most of the peak is advice, also where it takes long, but not in much of the memory over time."""
    for n, is_short in (2, True), (6, False):
        samples = [{f"({i})f{i}/main": 25 for i in range(20)} | ({"(20)report/main": 700} if 10 <= t < 10 + n else {})
                   for t in range(40)]
        found, text = explain(write("k.hp", "p +RTS -hc", samples))
        peak = by_kind(found)["peak"]
        assert peak["name"] == "report" and ("only for a short time" in peak["text"]) == is_short, text


def check_native():
    lost = write("r.hp", "server \u00b7 by retainer set",
                 [{"UNREACHED": i, "(1)cache@server": 300, "(2)main(stack_of_server)": 40} for i in range(40)])
    found, text = explain(lost)
    assert [a["kind"] for a in found["advice"]] == ["leak", "release"], text
    assert "cache@server: it holds 83.4%" in found["advice"][1]["text"], text
    assert {"question": "who makes it", "command": "census run -hr -o next.census -- server"} in found["open"], text
    python = write("py.hp", "python3 a.py \u00b7 by retainer set", [{"UNREACHED": 4, "(1)__main__.x": 300}] * 30)
    assert [a["kind"] for a in explain(python)[0]["advice"]] == ["release"]


def check_chain_of_runs():
    """-hr -hcB says what holds B: the guide's way up the chain. A holder that holds itself is no step."""
    job = "p +RTS "
    paths = [write("1.hp", job + "-hr", [{"(5)B": 90, "(2)SYSTEM": 10}] * 10),
             write("2.hp", job + "-hr -hcB", [{"(5)B": 60, "(6)A": 40}] * 10),
             write("3.hp", job + "-hr -hcA", [{"(2)SYSTEM": 1}] * 10)]
    found, text = explain(*paths)
    assert [s["name"] for s in found["chain"]] == ["B", "A", "SYSTEM"], text
    assert "what A made" in found["advice"][0]["text"] and "by B <- A <- SYSTEM" in found["advice"][0]["text"], text
    found, text = explain(paths[0])
    assert "p +RTS -hr -hcB" in text, text


def check_nothing():
    calm = write("calm.hp", "p +RTS -hc", [{f"({i})f{i}/main": 10 for i in range(20)}] * 30)
    assert explain(calm)[0]["advice"] == [] and "These recordings alone do not show it" in explain(calm)[1]
    empty = write("empty.hp", "p +RTS -hc", [{}, {}])
    assert "use a shorter interval" in explain(empty)[1]


def check_refused():
    a, b = write("a.hp", "p +RTS -hc", [{"f": 1}] * 2), write("o.hp", "q +RTS -hr", [{"f": 1}] * 2)
    unknown = write("u.hp", "p", [{"f": 1}] * 2)
    for paths, message in ([a, b], "are recordings of two programs"), ([unknown], "expected a recording by"):
        done = subprocess.run([CENSUS, "explain", *paths], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and message in done.stderr and not done.stdout, done


# --- with GHC ------------------------------------------------------------------------------------

# The change that is advised, as replacements of texts; by how much the peak falls at least.
CHANGES = {
    "tally": ([("import qualified Data.Map as", "import qualified Data.Map.Strict as")], 20),
    "counter": ([("modifyIORef ref", "modifyIORef' ref")], 2),
    "state": ([("State.Lazy", "State.Strict"), ("modify (", "modify' (")], 2),
    "constant": ([("squares :: [Int]\nsquares = map (\\x -> x * x) [1 ..]",
                   "squares :: Int -> [Int]\nsquares k = map (\\x -> x * x) [k ..]"),
                  ("take n squares", "take n (squares 1)"), ("squares !! n", "squares 1 !! n")], 1.2),
}


def record_ghc(name, source, folder, runs):
    """Compiles a program and records it; returns the most bytes that were live after a collection. These depend on what
    the program allocates, not on the time."""
    (folder / f"{name}.hs").write_text(source)
    built = subprocess.run(["ghc", "-v0", "-prof", "-fprof-auto", "-rtsopts", "-O0", "-package", "transformers", "-outputdir",
                            folder / "build", "-o", folder / name, folder / f"{name}.hs"], capture_output=True, text=True,
                           check=False)
    if built.returncode != 0:
        print("cannot compile for profiling:", built.stderr)
        sys.exit(SKIPPED)
    for letter, options in runs.items():
        # The run-time system of GHC 9.0 itself faults under -hb if the program does little between two samples, as on a
        # loaded machine. With a longer time between them, it has as many samples there.
        status = -signal.SIGSEGV
        for interval in "-i0.01", "-i0.01", "-i0.02", "-i0.02", "-i0.05", "-i0.05":
            command = [folder / name, "300000", "+RTS", f"-h{letter}", *options, interval, "-L200"]
            if status in (-signal.SIGSEGV, -signal.SIGABRT):
                status = subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL).returncode
        if status != 0:
            raise subprocess.CalledProcessError(status, command)
        (folder / f"{name}.hp").rename(folder / f"{name}-h{letter}.hp")
        if options:
            (folder / f"{name}.prof").rename(folder / f"{name}-h{letter}.prof")
    done = subprocess.run([folder / name, "300000", "+RTS", "-A256k", "-t", "--machine-readable"], check=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(re.search(r'"max_bytes_used", "(\d+)"', done.stderr)[1])


def check_ghc():
    if not shutil.which("ghc"):
        print("there is no GHC here")
        sys.exit(SKIPPED)
    for name, (replacements, factor) in CHANGES.items():
        folder = SCRATCH / name
        folder.mkdir()
        source = (SAMPLES / f"programs/haskell/{name}.hs").read_text()
        before = record_ghc(name, source, folder, {"c": ["-p"], "d": [], "b": [], "r": ["-p"]})
        check_fault(name, folder)
        for old, new in replacements:
            assert old in source, (name, old)
            source = source.replace(old, new)
        after = record_ghc(name, source, folder, {"c": []})
        print(f"{name}: peak {before / 1e6:.1f} MB, after the change {after / 1e6:.1f} MB")
        assert after * factor < before, (name, before, after)


with tempfile.TemporaryDirectory() as scratch:
    SCRATCH = pathlib.Path(scratch)
    if sys.argv[3] == "--ghc":
        check_ghc()
    else:
        PROGRAMS = pathlib.Path(sys.argv[3]).resolve()
        few = sys.argv[4] == "some"
        for fault in ["tally"] if few else FAULTS:
            check_fault(fault, SAMPLES / "explain")
        for check in () if few else (check_each_alone, check_sample_programs, check_joined_shares):
            check()
        for check in (check_finite_map, check_growth, check_peak, check_native, check_chain_of_runs, check_nothing,
                      check_refused):
            check()
