#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Many programs that come and go, under one `census attach --all`."""
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import harness
from harness import CENSUS, PATIENCE_S, program

SAMPLE = re.compile(r'(\w+)\{profile="([^"]*)",program="([^"]*)",pid="(\d+)"(?:,\w+="([^"]*)")?\} (\S+)')


# Forks a worker for each line, which allocates until a pipe is closed.
SERVER = """import os, sys, time
hold, release = os.pipe()
workers = []
for line in sys.stdin:
    if line == "end\\n":
        os.close(release)
        print([os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) for worker in workers], flush=True)
        continue
    worker = os.fork()
    if worker == 0:
        os.close(release)
        os.set_blocking(hold, False)
        kept = []
        while True:
            kept = kept[-100:] + [bytearray(5000)]
            time.sleep(0.01)
            try:
                if os.read(hold, 1) == b"":
                    os._exit(7)
            except BlockingIOError:
                pass
    workers.append(worker)
    print(worker, flush=True)
"""


class Member:
    """A program that does what lines say, and answers each."""

    def __init__(self, test, command, answers=2):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, cwd=test.directory)
        self.pid, self.answers, self.lines = self.process.pid, answers, []
        for close in (self.process.stderr.close, self.process.stdout.close, self.process.wait, self.process.kill):
            test.addCleanup(close)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.lines += [self.process.stdout.readline() for _ in range(self.answers)]

    def end(self):
        """Returns all that it has printed, and its exit status."""
        self.process.stdin.close()
        self.lines += self.process.stdout.readlines()
        return self.lines, self.process.stderr.read(), self.process.wait(PATIENCE_S)


class All:
    """A `census attach --all` that serves."""

    def __init__(self, test, pattern, *options):
        self.test = test
        folder = tempfile.mkdtemp(dir=test.directory)
        self.discovery, self.errors = os.path.join(folder, "discovery.json"), os.path.join(folder, "errors")
        with open(self.errors, "wb") as errors:
            self.census = subprocess.Popen(
                [CENSUS, "attach", "--all", pattern, "-i0.05", "--discovery", self.discovery, *options], stderr=errors)
        for close in (self.census.wait, self.census.kill):
            test.addCleanup(close)
        found = test.wait_for(lambda: re.search(r"serving at http://([^/]+)/(\w+)/", self.said()))
        self.address, self.token = found[1], found[2]

    def said(self):
        with open(self.errors, encoding="utf-8") as file:
            return file.read()

    def get(self, path):
        """Returns status and body."""
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE_S)
        try:
            connection.request("GET", f"/{self.token}{path}")
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def metrics(self):
        """Returns {process: {(metric, band): value}}."""
        status, body = self.get("/metrics")
        self.test.assertEqual(status, 200)
        of = {}
        for line in body.decode().splitlines():
            found = SAMPLE.fullmatch(line)
            if found:
                self.test.assertEqual(found[2], f"{found[3]}:{found[4]}")
                of.setdefault(int(found[4]), {})[found[1], found[5]] = float(found[6])
        return of

    def kept(self, pid):
        """Returns the bytes of a process that keep_one has allocated."""
        return sum(value for (metric, band), value in self.metrics().get(pid, {}).items()
                   if metric == "census_heap_live_bytes" and band.startswith("keep_one"))

    def living(self):
        return {pid for pid, values in self.metrics().items() if ("census_heap_total_bytes", None) in values}

    def stacks(self, query=""):
        """Returns {stack: bytes} of /debug/pprof/heap."""
        status, body = self.get("/debug/pprof/heap" + query)
        self.test.assertEqual(status, 200)
        folder = tempfile.mkdtemp(dir=self.test.directory)
        with open(os.path.join(folder, "heap.pb.gz"), "wb") as file:
            file.write(body)
        subprocess.run([CENSUS, "convert", "-o", "heap.folded", "heap.pb.gz"], cwd=folder, check=True,
                       capture_output=True, timeout=PATIENCE_S)
        with open(os.path.join(folder, "heap.folded"), encoding="utf-8") as file:
            return {name: int(amount) for name, _, amount in (line.rpartition(" ") for line in file)}

    def end(self, number=signal.SIGINT):
        self.census.send_signal(number)
        status = self.census.wait(PATIENCE_S)
        self.test.assertEqual(status, 0, self.said())
        return self.said()


class Fleet(harness.Native):
    def setUp(self):
        super().setUp()
        self.tag = "member-" + uuid.uuid4().hex  # only these processes have it in their command lines
        self.check_tracing()

    def wait_for(self, condition):
        end_s = time.monotonic() + PATIENCE_S
        while not (value := condition()):
            self.assertLess(time.monotonic(), end_s, "did not happen")
            time.sleep(0.05)
        return value

    def check_tracing(self):
        with open("/proc/self/status", encoding="ascii") as file:
            may_trace = re.search(r"CapEff:\s*(\w+)", file.read())[1]
        scope = "/proc/sys/kernel/yama/ptrace_scope"
        if os.path.exists(scope) and not int(may_trace, 16) >> 19 & 1:
            with open(scope, encoding="ascii") as file:
                if file.read().strip() != "0":
                    self.skipTest("processes may not be traced here")

    def member(self, *words):
        return Member(self, [program("attached"), self.tag, *words])

    def alone(self, *lines):
        """Returns what a program prints without census."""
        member = Member(self, [program("attached"), "alone"])
        for line in lines:
            member.ask(line)
        return member.end()

    def test_all_come_and_go(self):
        """Metrics, profiles and the list have exactly the processes that run; each is as without census."""
        members = [self.member() for _ in range(3)]
        census = All(self, self.tag)
        self.wait_for(lambda: census.living() == {member.pid for member in members})
        for i, member in enumerate(members, 1):
            member.ask(f"keep {1000 * i}")
        for i, member in enumerate(members, 1):
            self.wait_for(lambda: census.kept(member.pid) == 1000 * i)  # pylint: disable=cell-var-from-loop
            stacks = census.stacks(f"?pid={member.pid}")
            self.assertEqual([n for stack, n in stacks.items() if stack.endswith("keep_one")], [1000 * i])
        self.assertEqual([n for stack, n in census.stacks().items() if stack.endswith("keep_one")], [6000])
        for query, answer in ("?pid=1", (404, b"no process of this number is profiled here\n")), \
                ("?pid=x", (400, b"pid expects the number of a process\n")):
            self.assertEqual(census.get("/debug/pprof/heap" + query), answer)
            self.assertEqual(census.get("/debug/pprof/allocs" + query), answer)
        for path in "/events", "/source/0/00", "/control/0/x":
            self.assertEqual(census.get(path)[0], 404)

        gone = members.pop(0)
        self.assertEqual(gone.end(), self.alone("keep 1000"))
        self.wait_for(lambda: census.living() == {member.pid for member in members})
        self.assertEqual(census.get(f"/debug/pprof/heap?pid={gone.pid}")[0], 404)
        members.append(self.member())
        members[-1].ask("keep 7")
        self.wait_for(lambda: census.living() == {member.pid for member in members})
        members[-1].ask("keep 50")
        self.wait_for(lambda: census.kept(members[-1].pid) == 50)

        def listed():
            with open(census.discovery, encoding="utf-8") as file:
                targets = json.load(file)
            for target in targets:
                self.assertEqual(target["targets"], [census.address])
                self.assertEqual(target["labels"]["program"], "attached")
                self.assertEqual(target["labels"]["__param_pid"], target["labels"]["pid"])
            return {int(target["labels"]["pid"]) for target in targets}
        self.wait_for(lambda: listed() == {member.pid for member in members})
        page = census.get("/")[1].decode()
        self.assertEqual({int(pid) for pid in re.findall(r'heap\?pid=(\d+)', page)}, listed())
        self.assertIn(self.tag, page)

        said = census.end()
        self.assertIn("detached from 3 processes", said)
        self.assertNotIn("not profiled", said)
        self.assertEqual(listed(), set())
        plain = [self.alone("keep 2000", "keep 9"), self.alone("keep 3000", "keep 9"),
                 self.alone("keep 7", "keep 50", "keep 9")]
        for member, expected in zip(members, plain):
            member.ask("keep 9")
            self.assertEqual(member.end(), expected)

    def test_all_of_threads_at_sigterm(self):
        """Programs whose threads allocate without pause go on after SIGTERM."""
        members = [self.member() for _ in range(4)]
        for member in members:
            member.ask("threads 2")
        census = All(self, self.tag, "--rate", "64K")
        self.wait_for(lambda: census.living() == {member.pid for member in members})
        members[0].ask("keep 2000000")  # is in the sample for certain, with hardly a margin
        self.wait_for(lambda: census.kept(members[0].pid) == 2000000)
        values = census.metrics()[members[0].pid]
        self.assertLess(values["census_heap_margin_bytes", None], values["census_heap_total_bytes", None])
        self.assertRegex(census.get("/")[1].decode(), r"4 processes, [^<]* ± [^<]* live")
        self.assertIn("detached from 4 processes", census.end(signal.SIGTERM))
        for member in members:
            member.ask("done")
            more = ["keep 2000000"] if member is members[0] else []
            self.assertEqual(member.end(), self.alone("threads 2", *more, "done"))

    def test_all_after_exec(self):
        """The program that a process becomes is profiled instead; the process is not harmed at the end."""
        member = Member(self, ["sh", "-c", f'read line; exec "$0" {self.tag}', program("attached")])
        census = All(self, self.tag)
        self.wait_for(lambda: census.living() == {member.pid})
        self.assertEqual({profile for profile, _ in census.metrics()[member.pid]} & {"census_samples_total"},
                         {"census_samples_total"})
        member.process.stdin.write("go\n")
        member.process.stdin.flush()

        def keeps():
            member.ask("keep 100")
            return census.kept(member.pid) > 0
        self.wait_for(keeps)
        self.assertIn("detached from 1 process\n", census.end())
        member.ask("keep 5")
        lines, _, status = member.end()
        self.assertEqual((lines[-1], status), ("end\n", 5))

    def test_all_says_once_what_is_refused(self):
        """One line for each reason; the page lists all processes."""
        static = [subprocess.Popen([program("ends_static"), "waits", self.tag], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE) for _ in range(2)]
        for process in static:
            for close in (process.stdin.close, process.stdout.close, process.wait, process.kill):
                self.addCleanup(close)
        member = self.member()
        census = All(self, self.tag)
        self.wait_for(lambda: census.living() == {member.pid})
        self.wait_for(lambda: census.get("/")[1].count(b"linked statically") == 2)
        other = All(self, self.tag)
        self.wait_for(lambda: b"another census profiles it" in other.get("/")[1])
        self.wait_for(lambda: "another census profiles it" in other.said())
        self.assertEqual(other.living(), set())
        self.assertEqual(census.end().count("linked statically"), 1)
        other.end()
        member.end()

    def test_all_but_stopped_ones(self):
        """A process that a signal has stopped is attached to when it goes on."""
        stopped, member = self.member(), self.member()
        stopped.ask("keep 1")
        stopped.process.send_signal(signal.SIGSTOP)
        census = All(self, self.tag)
        self.wait_for(lambda: census.living() == {member.pid})
        member.ask("keep 10")
        self.wait_for(lambda: census.kept(member.pid) == 10)
        self.assertEqual(census.living(), {member.pid})
        stopped.process.send_signal(signal.SIGCONT)
        self.wait_for(lambda: census.living() == {member.pid, stopped.pid})
        self.assertNotIn("not profiled", census.end())
        self.assertEqual(stopped.end(), self.alone("keep 1"))
        self.assertEqual(member.end(), self.alone("keep 10"))

    def test_all_forked_children(self):
        """A server that forks its workers after it was attached to: each has a profile of its own, and goes on."""
        with open(self.path("server.py"), "w", encoding="utf-8") as file:
            file.write(SERVER)
        server = Member(self, [sys.executable, self.path("server.py"), self.tag], answers=1)
        census = All(self, self.tag)
        self.wait_for(lambda: census.living() == {server.pid})
        for _ in range(2):
            server.ask("fork")
        workers = [int(line) for line in server.lines]
        self.wait_for(lambda: census.living() == {server.pid, *workers})
        server.ask("end")
        self.wait_for(lambda: census.living() == {server.pid})
        census.end()
        self.assertEqual(server.end(), ([*map("{}\n".format, workers), "[7, 7]\n"], "", 0))

    def test_all_says_who_was_killed(self):
        member = self.member()
        census = All(self, self.tag)
        self.wait_for(lambda: census.living() == {member.pid})
        member.process.kill()
        self.wait_for(lambda: any(metric == "census_process_killed"
                                  for metric, _ in census.metrics().get(member.pid, {})))
        self.assertEqual(census.living(), set())
        self.assertIn("detached from 0 processes", census.end())

    def test_all_in_name_spaces(self):
        """A process that sees other files, processes and networks, in a program that only it sees."""
        inside = self.path("inside")
        os.mkdir(inside)
        command = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                   f'mount -t tmpfs none {inside} && cp "$0" {inside}/jailed && exec {inside}/jailed',
                   program("attached")]
        may = subprocess.run([*command[:-2], f"mount -t tmpfs none {inside}"], check=False, capture_output=True)
        if not shutil.which("unshare") or may.returncode != 0:
            self.skipTest("name spaces may not be made here")
        member = Member(self, command)
        member.ask("keep 1")
        census = All(self, f"^{inside}/jailed$")
        pid, = self.wait_for(census.living)
        member.ask("keep 3000")
        self.wait_for(lambda: census.kept(pid) == 3000)
        self.assertFalse(os.path.exists(os.path.join(inside, "jailed")))
        census.end()
        member.ask("keep 5")
        lines, _, status = member.end()
        self.assertEqual((lines[-1], status), ("end\n", 5))


if __name__ == "__main__":
    harness.main()
