#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Heap snapshots of a program whose blocks hold each other in a known way: what each group retains, byte by
byte."""
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import time

import harness
from harness import Native, program

PYTHON_PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python")
TABLE, VALUES, TEXTS = 65 * 8, 64 * 1000, 64 * 50
NODES, NAMES = 1000 * 32, 1000 * 24
SHARED, LARGE, RING, LOST = 5000, 400000, 3 * 16, 700

# Retained, self, number of blocks.
HELD = {
    "cache": (TABLE + VALUES + TEXTS, 0, 0),
    "cache/make_table": (TABLE + VALUES + TEXTS, TABLE, 1),
    "cache/make_table/make_value": (VALUES + TEXTS, VALUES, 64),
    "cache/make_table/make_value/make_text": (TEXTS, TEXTS, 64),
    "first": (NODES + NAMES, 0, 0),
    "first/make_node": (NODES + NAMES, NODES, 1000),
    "first/make_node/make_name": (NAMES, NAMES, 1000),
    "make_shared": (SHARED, SHARED, 1),
    "large": (LARGE, 0, 0),
    "large/make_large": (LARGE, LARGE, 1),
    "(unreached)": (RING + LOST, 0, 0),
    "(unreached)/make_ring": (RING + LOST, RING, 3),
    "(unreached)/make_ring/make_lost": (LOST, LOST, 1),
}


class Retained(Native):
    def start(self, *options, command=(program("retained"),)):
        self.base = os.path.join(self.fresh(), "profile")
        process = subprocess.Popen(
            [harness.CENSUS, "run", "-i0.02", "-o", self.base + ".hp", *options, "--", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.process_id = process.stdout.readline().strip()
        self.printed = {}
        for line in process.stdout:
            if line == "ready\n":
                return process
            name, *sizes = line.split()
            self.printed[name] = [int(size) for size in sizes]
        self.fail("the program is not ready")

    def end(self, process):
        _, errors = process.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def groups(self):
        """What is below the root: names without their places, or None before there is a snapshot."""
        done = subprocess.run([harness.CENSUS, "report", "-m0", "--depth", "100", "--format", "csv",
                               self.base + ".heapsnapshot"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        found, path = {}, []
        for row in list(csv.DictReader(io.StringIO(done.stdout)))[1:]:
            path = path[:int(row["depth"]) - 1] + [re.split("@| in ", row["name"])[0]]
            found["/".join(path)] = (int(row["retained_bytes"]), int(row["self_bytes"]), int(row["objects"]))
        return found

    def wait_for(self, found):
        """Returns what is found, once it is: the next snapshot may replace the one that it was found in."""
        end = time.monotonic() + harness.PATIENCE_S
        while not (result := found()):
            assert time.monotonic() < end, f"did not happen: {self.groups()}"
            time.sleep(0.02)
        return result

    def whole(self, names=frozenset(("large", "(unreached)"))):
        """Returns the groups if they are all. Of an image that was taken while the program ran, old values on the stack
        may hold what is lost."""
        groups = self.groups() or {}
        return groups if names <= groups.keys() else None

    def snapshot(self):
        subprocess.run([harness.CENSUS, "mark", "--snapshot", self.process_id], check=True)

    def check(self, groups, without=()):
        held = {name: figures for name, figures in HELD.items() if not name.startswith(without or "-")}
        self.assertEqual({name: groups.get(name) for name in held}, held)
        self.assertFalse(without and any(name.startswith(without) for name in groups))

    def test_retained_bytes_of_a_snapshot_on_request(self):
        process = self.start(command=(program("retained"), "busy"))
        self.assertIsNone(self.groups())
        self.snapshot()
        self.assertIsNotNone(self.groups(), "the file is there when the command ends")
        self.check(self.wait_for(lambda: self.snapshot() or self.whole()))
        way = subprocess.run([harness.CENSUS, "report", "--bytes", "--holders", "make_text", self.base + ".heapsnapshot"],
                             capture_output=True, text=True, check=True)
        steps = [line.split(" bytes  ") for line in way.stdout.splitlines()[2:]]
        self.assertEqual([(int(size.replace(",", "")), name.split("@")[0]) for size, name in steps], [
            (TABLE + VALUES + TEXTS, "cache"), (TABLE + VALUES + TEXTS, "make_table"), (1050, "make_value"),
            (50, "make_text")])
        self.assertRegex(self.end(process), r"(?m)heap snapshot at .*: census report .*profile\.heapsnapshot$")

    def test_what_an_allocator_knows_holds_nothing(self):
        """An allocator keeps the addresses of its blocks in their mapping, below a multiple of 64 MiB."""
        bump = os.path.join(harness.PROGRAMS, "libbump.so")
        process = self.start(command=["env", "LD_PRELOAD=" + bump, program("retained"), "busy"])
        self.check(self.wait_for(lambda: self.snapshot() or self.whole()))
        self.end(process)

    def fields(self, through=None):
        """The names of the fields that lead to blocks, by size; or to objects of a type that lead to these."""
        with open(self.base + ".heapsnapshot", encoding="utf-8") as file:
            snapshot = json.load(file)
        n, nodes, edges = len(snapshot["snapshot"]["meta"]["node_fields"]), snapshot["nodes"], iter(snapshot["edges"])
        found = []  # source, field, target
        for source in range(0, len(nodes), n):
            for _ in range(nodes[source + 4]):
                kind, name, target = next(edges), next(edges), next(edges)
                found.append((source, snapshot["strings"][name] if kind == 2 else f"[{name}]", target))
        size_of = {target: nodes[target + 3] for _, _, target in found}
        if through:
            size_of = {source: nodes[target + 3] for source, _, target in found
                       if snapshot["strings"][nodes[source + 1]] == through and nodes[target + 3] > 1000}
        fields = {}
        for source, field, target in found:
            if target in size_of and nodes[source + 3] > 0:  # no variable
                fields.setdefault(size_of[target], set()).add(field)
        return fields

    def test_fields_of_structures(self):
        process = self.start("-hy", command=(program("fields"),))
        self.snapshot()
        fields = self.fields()
        self.assertEqual({name: fields.get(size) for name, (size,) in self.printed.items()}, {name: {name} for name in self.printed})
        self.end(process)

    def check_fields_of_python(self, version, python):
        process = self.start("-hy", command=(python, os.path.join(PYTHON_PROGRAMS, "fields.py")))
        self.snapshot()
        n_more = 33 if version == "3.15" else 1  # the head of a bytes object, and a NUL
        fields = {size - n_more: names for size, names in self.fields("bytearray").items()}
        self.assertEqual({name: fields.get(size) for name, (size,) in self.printed.items()}, {name: {name} for name in self.printed})
        self.assertEqual(sum(names == {"own_attribute"} for names in fields.values()), 20)
        self.end(process)

    def test_fields_of_python_objects(self):
        self.with_each(self.check_fields_of_python)

    def end_before_snapshot(self):
        """Ends a process that allocates nothing, so that it makes no helper for an image, while `census mark` waits. Returns
        what that says; None if it had not begun yet."""
        base = os.path.join(self.fresh(), "profile")
        process = subprocess.Popen([harness.CENSUS, "run", "-q", "-o", base + ".hp", "--", "sh", "-c", "echo $$; exec sleep 1000"],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        process_id = process.stdout.readline().strip()
        with open(f"/proc/{process_id}/syscall", encoding="ascii") as file:
            self.wait_for(lambda: file.seek(0) or file.read().startswith("230 "))  # clock_nanosleep
        mark = subprocess.Popen([harness.CENSUS, "mark", "--snapshot", process_id], stderr=subprocess.PIPE, text=True)
        time.sleep(0.2)
        self.assertIsNone(mark.poll(), "it waits")
        os.kill(int(process_id), signal.SIGKILL)
        said = mark.communicate(timeout=harness.PATIENCE_S)[1]
        self.assertEqual((mark.returncode, process.wait(), os.path.exists(base + ".heapsnapshot")), (1, -signal.SIGKILL, False))
        return None if re.search("No such file|not being profiled|its profiler has ended", said) else said

    def test_retained_bytes_of_a_process_that_ends_before_its_snapshot(self):
        self.assertRegex(self.wait_for(self.end_before_snapshot),
                         r"^census: process \d+: it has ended before its heap snapshot$")

    def test_two_snapshots_of_a_process_differ_by_what_was_freed_between_them(self):
        process = self.start(command=(program("retained"), "busy"))
        self.wait_for(lambda: self.snapshot() or self.whole())
        before = self.base + "-before.heapsnapshot"
        shutil.copy(self.base + ".heapsnapshot", before)
        process.stdin.write("\n")
        process.stdin.flush()
        self.wait_for(lambda: self.snapshot() or "large" not in (self.groups() or {"large"}))
        done = subprocess.run([harness.CENSUS, "diff", "--format", "json", "-m0", before, self.base + ".heapsnapshot"],
                              capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        self.assertEqual(found["matched_by"], "id")
        rows = {row["type"].split("@")[0]: row for row in found["rows"]}
        self.assertEqual((rows["make_large"]["gone_objects"], rows["make_large"]["gone_bytes"]), (1, LARGE))
        self.assertEqual([name for name in rows if name.startswith("make_")], ["make_large"])
        self.end(process)

    def free_large(self, process):
        self.wait_for(lambda: "large" in (self.groups() or {}))
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "freed\n")
        self.end(process)

    def test_retained_bytes_of_the_largest_sample_stay(self):
        """No later image of the same size replaces one that is not whole, so another run is tried."""
        self.wait_for(lambda: self.free_large(self.start("--snapshot", "largest")) or self.whole())
        self.check(self.groups())

    def test_retained_bytes_of_the_last_sample_are_those_at_the_exit(self):
        self.free_large(self.start("--snapshot", "last"))
        self.check(self.groups(), without="large")

    def test_retained_bytes_and_retainer_sets_in_one_run(self):
        process = self.start("-hr")
        self.check(self.wait_for(lambda: self.snapshot() or self.whole()))
        self.end(process)


    def test_retained_bytes_of_classes_and_containers_by_type(self):
        # The first image may be of a moment before there are blocks: a larger one replaces it.
        process = self.start("-hy", "--snapshot", "largest", command=[program("sessions")])
        self.wait_for(lambda: "sessions" in (self.groups() or {}))
        os.remove(self.base + ".heapsnapshot")
        self.snapshot()
        groups = self.wait_for(self.groups)
        self.end(process)
        session, admin = self.printed["sizes"]
        tree = "sessions/node of std::map<int,std::unique_ptr<Session>>"
        array = "/array of std::vector<int>"
        self.assertEqual({name: groups.get(name, [])[1:] for name in (
            "sessions", tree + "/Session", tree + "/Session" + array, tree + "/Admin",
            tree + "/Admin" + array, tree + "/Admin/Session", tree + "/Admin/Session" + array)}, {
                "sessions": (0, 0),
                tree + "/Session": (90 * session, 90),
                tree + "/Session" + array: (90 * 200, 90),
                tree + "/Admin": (10 * admin, 10),
                tree + "/Admin" + array: (10 * 200, 10),
                tree + "/Admin/Session": (session, 1),
                tree + "/Admin/Session" + array: (200, 1)})
        nodes = groups[tree]
        self.assertEqual((nodes[2], nodes[0] - nodes[1]),
                         (100, 91 * session + 10 * admin + 101 * 200))


    def check_python(self, _, python):
        process = self.start("-hy", "-i0.3", command=[python, "-S", os.path.join(PYTHON_PROGRAMS, "retained.py")])
        groups = self.wait_for(lambda: self.snapshot() or self.whole(self.printed.keys()))
        self.end(process)
        for group, (self_bytes,) in self.printed.items():
            retained = sum(n for name, (n,) in self.printed.items() if (name + "/").startswith(group + "/"))
            self.assertEqual(groups[group][:2], (retained, self_bytes), group)
            outer = group.rpartition("/")[0]
            if outer not in self.printed and outer != "(unreached)" and outer:
                self.assertEqual(groups[outer][:2], (retained, 0), outer)

    def test_retained_bytes_of_python_objects(self):
        """Sizes equal sys.getsizeof, to the byte; what two variables hold is retained by neither."""
        self.with_each(self.check_python)

    def test_snapshot_of_programs_that_leave_out_handlers_of_exit(self):
        """The last image is taken when they end, long before a second sample is due."""
        for case, status in ("quits", 7), ("exits_quickly", 9):
            census = harness.run_census([program("ends"), case], self.fresh(), "-i100", "-hr")
            self.assertEqual((census.status, census.errors), (status, ""))
            self.assertGreaterEqual(len(census.profile.samples), 2)
            self.assertEqual(census.profile.total(), census.printed("live")["keep"], case)

    def test_images_of_a_peak_between_samples(self):
        """The program waits for an image before it frees the largest block, long before a second sample is due."""
        peak = 300000000
        directory = self.fresh()
        plain = harness.run([program("peaks"), "spikes_slowly"])
        census = harness.run_census([program("peaks"), "spikes_slowly"], directory, "-i100", "--snapshot", "largest")
        self.assert_unharmed(plain, census)
        report = harness.run([harness.CENSUS, "report", "--bytes", os.path.join(directory, "profile.heapsnapshot")])
        self.assertRegex(report.output, r"(?m)^ +[0-9.]+% +300,?000,?000 .* spike@peaks\.c:\d+$")
        census = harness.run_census([program("peaks"), "spikes_slowly"], self.fresh(), "-i100", "-hr", "-hdspike@peaks.c:19")
        self.assert_unharmed(plain, census)
        self.assertEqual(max(sum(bands.values()) for _, bands in census.profile.samples), peak)
        for case in "wanders", "hands_over", "is_inherited":
            self.assert_unharmed(harness.run([program("peaks"), case]),
                                 harness.run_census([program("peaks"), case], self.fresh(), "--snapshot", "largest"))

    def test_peaks_that_follow_each_other_closely(self):
        """Not all of them have images in time, so the summary shows the highest, and whether a sample has it."""
        base = self.path("climbs")
        done = harness.run([harness.CENSUS, "run", "-i100", "-hr", "-o", base + ".hp", "--", program("peaks"), "climbs"])
        largest = max(sum(bands.values()) for _, bands in harness.Profile(base + ".hp").samples)
        has_sample = largest >= 30000000 / 1.1
        self.assertEqual("the peak has no sample" in done.errors, not has_sample)
        self.assertIn("; peak %.1f MiB at " % ((largest if has_sample else 30000000) / 2**20), done.errors)

    def test_time_of_a_peak_without_a_sample(self):
        """The program waits for half a second after it."""
        done = harness.run([harness.CENSUS, "run", "-hr", "-o", self.path("peak.census"), "--", program("peaks"), "spikes_in_isolation"])
        ran, ran_unit, peak, peak_unit = re.search(r"ran ([0-9.]+) (m?s); peak 29.6 MiB at ([0-9.]+) ([mµ]?s);", done.errors).groups()
        seconds = {"s": 1, "ms": 1e-3, "µs": 1e-6}
        self.assertLess(float(peak) * seconds[peak_unit], float(ran) * seconds[ran_unit] - 0.49)
        has_sample = "the peak has no sample" not in done.errors
        report = harness.run([harness.CENSUS, "report", self.path("peak.census")])
        self.assertEqual(f"; 29.6 MiB at {peak} {peak_unit} has no sample\n" not in report.output, has_sample, report.output)
        report = json.loads(harness.run([harness.CENSUS, "report", "--format", "json", self.path("peak.census")]).output)
        self.assertEqual("missed_peak" not in report, has_sample)

    def test_snapshots_leave_programs_unharmed(self):
        """Whatever programs do with processes, threads and signals, and however they end."""
        plugins = [program("libplugin_one.so"), program("libplugin_two.so"), self.path("numbers")]
        for command in (["ends", "returns", "3"], ["ends", "quits"], ["ends", "aborts"], ["ends", "is_killed"],
                        ["ends", "exits_from_thread"], ["ends", "main_thread_exits"], ["threads", "churns"],
                        ["threads", "detaches"], ["threads", "cancels"], ["threads", "loads", *plugins],
                        ["processes", "forks_with_threads"], ["processes", "executes_after_vfork"],
                        ["processes", "spawns"], ["processes", "clones_in_memory"]):
            with self.subTest(" ".join(command[:2])):
                command[0] = program(command[0])
                directory = self.fresh()
                plain = harness.run(command)
                census = harness.run_census(command, directory, "-i0.01", "--snapshot", "last")
                self.assert_unharmed(plain, census)
                for name in os.listdir(directory):
                    if name.endswith(".heapsnapshot"):
                        subprocess.run([harness.CENSUS, "report", os.path.join(directory, name)], check=True,
                                       stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    harness.main()
