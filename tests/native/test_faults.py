#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Faults around a program: the program must not notice them, and census reports the ones that it can."""
import fcntl
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import time

import harness
from harness import CENSUS, Native, program


class Begun:
    """A program under census that has printed that it is ready, and waits."""

    def __init__(self, test, *command):
        self.base = test.path("profile")
        self.running = subprocess.Popen(
            [CENSUS, "run", "-q", "-hd", "-i0.05", "-o", self.base + ".hp", "--", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.running.kill)
        self.output = b""
        while not self.output.endswith(b"ready\n"):
            more = os.read(self.running.stdout.fileno(), 4096)
            assert more, self.running.stderr.read()
            self.output += more

    def end(self):
        """Lets the program continue to its end. Returns its status and its errors."""
        output, errors = self.running.communicate(timeout=harness.PATIENCE_S)
        self.output += output
        return self.running.returncode, errors.decode()

    def socket_name(self):
        """Returns the name of the collector's socket from the name of the program's window."""
        tasks = "/proc/%d/task/%d/children" % (self.running.pid, self.running.pid)
        with open(tasks, encoding="ascii") as file:
            child = file.read().split()[0]
        with open("/proc/%s/maps" % child, "rb") as file:
            return b"\0" + re.search(rb"memfd:census-window:(\S+)", file.read())[1]


class Scribbling(Native):
    """The program stores random words in its window."""

    def check(self, *options):
        for seed in range(2):
            files = harness.files_of(self.path("profile"), ".hp", ".census", ".eventlog")
            done = harness.run([CENSUS, "run", "-i0.01", *files, *options, "--",
                                program("scribbles"), str(seed), "100"])
            self.assertIn(done.status, (0, 128 + signal.SIGKILL), f"seed {seed}: {done.errors}")
            self.assertNotIn("Sanitizer", done.errors)

    def test_scribbled_window_and_ticks(self):
        self.check("-hc", "-p")

    def test_scribbled_window_and_types(self):
        self.check("-hy", "-p")

    def test_scribbled_window_and_holders(self):
        self.check("-hr")

    def test_scribbled_window_and_lives(self):
        self.check("-hb")


class Output(Native):
    """The profile cannot be written."""

    def check_unharmed(self, *options, **more):
        command = [program("ends"), "returns", "3"]
        plain = harness.run(command)
        done = harness.run([CENSUS, "run", "-q", "-i0.05", *options, "--", *command], **more)
        self.assertEqual((done.output, done.status), (plain.output, plain.status))
        return done

    def test_disk_fills_up(self):
        """The disk has room for a part of the profile: the written samples are complete."""
        folder = self.path("small")
        os.mkdir(folder)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", folder],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        command = [program("stacks"), "paths"]
        done = harness.run([CENSUS, "run", "-q", "-hc", "-i0.05",
                            "-o", folder + "/profile.hp", "--", *command])
        self.assertEqual(done.output, harness.run(command).output)
        self.assertIn("No space left on device", done.errors)

    def check_refused(self, done, path):
        """Checks that census does not start a program if its profile cannot be written."""
        self.assertEqual((done.status, done.output), (1, ""))
        self.assertIn(path, done.errors)

    def test_read_only_directory(self):
        command = [program("ends"), "returns"]
        done = harness.run([CENSUS, "run", "-o", "/sys/kernel/profile", "--", *command])
        self.check_refused(done, "/sys/kernel/profile")
        done = harness.run([CENSUS, "run", "--", *command], cwd="/sys/kernel")
        self.check_refused(done, "ends.census")

    def test_missing_directory(self):
        done = harness.run([CENSUS, "run", "-o", self.path("nowhere/profile"), "--",
                            program("ends"), "returns"])
        self.check_refused(done, self.path("nowhere/profile"))

    def test_removed_directory(self):
        """The program removes the folder of its profile, whose file census has open."""
        for options in ["-hd"], ["-hd", "--no-children"], ["-p", "--no-children"], ["-hr"]:
            folder = self.fresh()
            command = ["sh", "-c", 'until rm -r "$1" 2>&-; do :; done; exit 3', "sh", folder]
            done = harness.run([CENSUS, "run", *options, "-o", os.path.join(folder, "p.hp"), "--", *command])
            self.assertEqual(done.status, 3)
            self.assertRegex(done.errors, r"census: %s/p[^:]*: (a file of the profile was removed|cannot write)" % folder)
            self.assertNotIn("census open", done.errors)

    def test_removed_profile(self):
        """A program removes the profile of its child, which has ended and had the largest peak."""
        folder = self.fresh()
        script = '(x=$(printf "%0300000d" 0); until [ -e "$1/p.$BASHPID.hp" ]; do :; done); rm "$1"/p.*.hp; exit 3'
        done = harness.run([CENSUS, "run", "-hd", "-o", os.path.join(folder, "p.hp"), "--",
                            "bash", "-c", script, "bash", folder])
        self.assertEqual(done.status, 3)
        self.assertRegex(done.errors, r"census: (%s/p[^:]*hp was removed|.*: a file of the profile was removed)\b" % folder)
        self.assertNotIn("census open", done.errors)

    def test_run_without_proc(self):
        if harness.is_sanitized():
            self.skipTest("the sanitizer in census needs /proc")
        script = 'umount -l /proc && for path in "$1" "${1##*/}"; do rm -f "$2".*; "$path" run -q -hd -o "$2.hp" "$3" returns 3; echo $?; done'
        done = harness.run(["unshare", "-m", "sh", "-c", script, "sh", CENSUS, self.path("profile"), program("ends")],
                           {"PATH": os.path.dirname(CENSUS) + ":" + os.environ["PATH"]})
        if "unshare" in done.errors or "umount" in done.errors:
            self.skipTest("/proc cannot be unmounted here")
        self.assertEqual((done.output.splitlines()[-1], done.errors), ("3", ""))
        self.assertEqual(harness.Profile(self.path("profile.hp")).of("keep"), 364000)


class Failing(Native):
    """A call of census itself fails: the program does not notice, and census ends in order."""

    # Which calls of a kind fail, one in each run: the first, and then one in so many.
    KINDS = (("malloc", 5), ("open", 31), ("write", 4), ("mmap", 2))

    def failing_runs(self, run):
        """Calls run(environment) until the call that is to fail does not come any more."""
        if harness.is_sanitized():
            self.skipTest("the sanitizer in census has its own malloc")
        for kind, step in self.KINDS:
            number, failed = 1, self.path("failed")
            while number == 1 or os.path.exists(failed):
                if os.path.exists(failed):
                    os.remove(failed)
                with self.subTest(f"{kind}:{number}"):
                    run({**harness.preloading(program("libfailing.so"), {}), "FAIL": f"{kind}:{number}", "FAILED": failed})
                number += step
            self.assertTrue(number > 1 + step or kind in ("write", "mmap"), f"no {kind} has failed")

    def check_errors(self, errors, most=1):
        self.assertRegex(errors, r"\A((census[^\n]*\n){1,%d}(Try [^\n]*\n)?)?\Z" % most)

    def check_run(self, *options, files=(".hp",)):
        command = [program("ends"), "returns", "3"]
        plain = harness.run(command)

        def run(environment):
            written = harness.files_of(os.path.join(self.fresh(), "p"), *files)
            done = harness.run([CENSUS, "run", "-q", *options, *written, "--", *command], environment)
            self.check_errors(done.errors)
            if done.output or not done.errors:
                self.assertEqual((done.output, done.status), (plain.output, plain.status), done.errors)
            else:  # it was not started
                self.assertIn(done.status, (1, 2), done.errors)
        self.failing_runs(run)

    def test_failing_run(self):
        self.check_run("-hc")

    def test_failing_run_with_images(self):
        self.check_run("-hr", files=(".hp", ".census", ".eventlog"))

    def test_failing_attach(self):
        def run(environment):
            profile = os.path.join(self.fresh(), "p")
            target = subprocess.Popen([program("ends"), "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.addCleanup(target.kill)
            output = "".join(target.stdout.readline() for _ in range(2))
            census = subprocess.Popen([CENSUS, "attach", "-q", "-i0.02", "-o", profile + ".hp", str(target.pid)],
                                      env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)
            self.addCleanup(census.kill)
            deadline = time.monotonic() + harness.PATIENCE_S
            while census.poll() is None and not os.path.exists(environment["FAILED"]) and not (
                    os.path.exists(profile + ".hp") and harness.Profile(profile + ".hp").samples):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            census.send_signal(signal.SIGINT)
            errors = census.communicate(timeout=harness.PATIENCE_S)[1]
            self.check_errors(errors)
            self.assertIn(census.returncode, (0, 1, 2, -signal.SIGINT), errors)
            output += target.communicate(timeout=harness.PATIENCE_S)[0]
            self.assertEqual((output, target.returncode), ("live keep 364000\nready\nlive keep 374000\n", 5), errors)
        self.failing_runs(run)

    def test_failing_watch(self):
        profile = self.path("profile")
        harness.run([CENSUS, "run", "-q", "-o", profile + ".hp", "--", program("ends"), "returns"])

        def run(environment):
            with open(profile + ".hp", encoding="utf-8") as file:
                done = harness.run([CENSUS, "watch", "-", "-o", os.path.join(self.fresh(), "p.json")], environment, stdin=file)
            self.check_errors(done.errors, most=2)  # of what it reads, and of what it writes
            self.assertIn(done.status, (0, 1, 2), done.errors)
        self.failing_runs(run)


class Collector(Native):
    """The collector dies, or another process attacks it through its address."""

    def test_collector_killed(self):
        """The program continues, and so do its children."""
        script = '"$0" waits; echo "status $?"; "$0" returns 3; echo "status $?"'
        begun = Begun(self, "/bin/sh", "-c", script, program("ends"))
        begun.running.kill()
        self.assertEqual(begun.running.wait(), -signal.SIGKILL)
        begun.running.stdin.close()
        output = begun.output + begun.running.stdout.read()
        self.assertEqual(output.decode().splitlines(),
                         ["live keep 364000", "ready", "live keep 374000", "status 5",
                          "live keep 364000", "status 3"])
        self.assertEqual(begun.running.stderr.read(), b"")

    def hello(self, kind=1, magic=b"CENSUSW1"):
        return struct.pack("8sII120s", magic, kind, os.getpid(), b"\xff" * 120)

    def window(self, head, size=1 << 24, seals=0xf):
        """Returns a file with any header as a window. `seals`: those to set, except the one against
        writing."""
        file = os.memfd_create("census-window", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        os.ftruncate(file, size)
        os.pwrite(file, head, 0)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals & (fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK |
                                                      fcntl.F_SEAL_GROW))
        self.addCleanup(os.close, file)
        return file

    def send(self, name, data, files=()):
        """Sends data; the collector may close the connection at the first invalid byte."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(name)
            try:
                if data:
                    socket.send_fds(link, [data], list(files))
            except ConnectionError:
                pass

    def attack(self, name):
        null = os.open("/dev/null", os.O_RDWR)
        self.addCleanup(os.close, null)
        good = struct.pack("8sIIQ", b"CENSUSW1", 1, 32, 1 << 24)
        self.send(name, b"")
        self.send(name, b"C")
        self.send(name, b"G" * 100000)
        self.send(name, self.hello())
        self.send(name, self.hello(kind=77))
        self.send(name, self.hello(magic=b"NONSENSE"), [null])
        self.send(name, self.hello(), [null])
        self.send(name, self.hello(), [null] * 20)
        self.send(name, self.hello(kind=2), [null])
        self.send(name, self.hello(), [self.window(b"")])
        self.send(name, self.hello(), [self.window(good, size=100)])
        self.send(name, self.hello(), [self.window(good, size=4096)])
        self.send(name, self.hello(), [self.window(good + b"\xff" * 4000)])
        self.send(name, self.hello(), [self.window(struct.pack("8sII", b"CENSUSW1", 99, 32))])
        numbers = random.Random(1)
        for _ in range(20):
            self.send(name, self.hello(), [self.window(good + numbers.randbytes(200000))])
        unsealed = self.window(good, seals=0)
        self.send(name, self.hello(), [unsealed])
        time.sleep(0.2)
        os.ftruncate(unsealed, 0)

    def attack_and_end(self, name):
        """Attacks from another process, since census may accept one of its windows, and then waits for
        its end."""
        child = os.fork()
        if child == 0:
            try:
                self.attack(name)
                os._exit(0)
            finally:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_hostile_windows(self):
        """The collector also does not wait for a process that connects and sends nothing."""
        begun = Begun(self, program("ends"), "waits")
        name = begun.socket_name()
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(name)
            self.attack_and_end(name)
            status, errors = begun.end()
        self.assertEqual(status, 5, errors)
        self.assertEqual(begun.output.decode().splitlines()[-1], "live keep 374000")
        self.assertEqual(harness.Profile(begun.base + ".hp").of("keep"), 374000)

    def test_window_keeps_its_size(self):
        """`peer` rejects a window that another process could shorten."""
        peer = harness.run_peer([program("ends"), "returns", "3"], self.fresh())
        self.assertEqual((peer.status, peer.errors), (3, ""))


class Refused(Native):
    """Programs that cannot load the library: census does not run them, and reports the reason."""

    def check_refused(self, path, reason):
        done = harness.run([CENSUS, "run", "-o", self.path("profile"), "--", path, "returns"])
        self.assertEqual((done.status, done.output), (1, ""))
        self.assertRegex(done.errors, reason)
        self.assertFalse(os.path.exists(self.path("profile.hp")))

    def test_static_program(self):
        self.check_refused(program("ends_static"), "static")

    def test_setuid_program(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a program to another user")
        path = self.path("ends")
        shutil.copy(program("ends"), path)
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o4755)
        self.check_refused(path, "set-user-ID|setuid|set-uid")


class Limits(Native):
    """Resource limits: the program comes first."""

    def check_under(self, limits, *command):
        limited = ["/bin/sh", "-c", limits + ' && exec "$@"', "sh", *command]
        plain = harness.run(limited)
        self.assertEqual(plain.errors, "")
        census = harness.run_census(limited, self.fresh(), "-hd")
        self.assertEqual((census.output, census.status), (plain.output, plain.status))
        return plain, census

    def check_memory(self, command, mode, least=-2, most=4):
        """Compares how many MiB a program gets before it has no more memory: `least` more, or `most`."""
        plain = harness.run(command)
        census = harness.run_census(command, self.fresh(), mode)
        self.assertEqual((plain.output, plain.status), (census.output, census.status), census.errors)
        mib = [int(re.search(r"(\d+) MiB", done.errors).group(1)) for done in (plain, census)]
        self.assertTrue(least <= mib[1] - mib[0] <= most, f"{mode}: {mib[1]} MiB instead of {mib[0]}")

    def test_own_limits_of_memory(self):
        """A program that limits its own memory gets as much of it as without census."""
        for resource in ("as", "data"):
            for mode in ("-hc", "-hb", "-hr"):
                with self.subTest(resource=resource, mode=mode):
                    self.check_memory([program("limits"), "exhausts", resource, "90"], mode)

    def test_own_limits_are_inherited(self):
        """What a program starts inherits its limits, and not what the kernel has for it."""
        for resource in ("as", "data"):
            with self.subTest(resource):
                command = [program("limits"), "starts", resource, "300"]
                self.assert_unharmed(harness.run(command), harness.run_census(command, self.fresh(), "-hc"))

    def test_limits_of_the_shell(self):
        """Below an upper limit, the soft one is raised by what the library takes."""
        for limit in ("ulimit -S -v 150000", "ulimit -S -d 100000"):
            with self.subTest(limit):
                command = ["sh", "-c", limit + '; exec "$0" "$@"', program("limits"), "exhausts"]
                self.check_memory(command, "-hc")

    def test_small_address_space(self):
        plain, census = self.check_under("ulimit -v 400000", program("ends"), "returns", "3")
        self.check_printed(plain, census)
        self.check_under("ulimit -v 30000", program("ends"), "returns", "3")
        self.check_under("ulimit -v 9000", program("ends"), "returns", "3")

    def test_own_address_space(self):
        """The library itself takes the 12 MiB of docs/reference/native.md."""
        segments = harness.run(["readelf", "-lW", harness.PRELOAD]).output
        ends = [int(line.split()[2], 16) + int(line.split()[5], 16) for line in segments.splitlines() if " LOAD " in line]
        self.assertIn(max(ends), range(1 << 20, 12 << 20))

    def test_few_descriptors(self):
        for most in 4, 5, 10:
            self.check_under("ulimit -n %d" % most, program("ends"), "returns", "3")

    def test_file_size_limit(self):
        """The program runs without a profile, and census reports why."""
        _, census = self.check_under("ulimit -f 0", program("ends"), "returns", "3")
        self.assertIn("limit of file sizes (ulimit -f)", census.errors)

    def test_program_limits_its_address_space(self):
        self.check_program([program("ends"), "limits_itself"])

    def test_other_network_namespace(self):
        """Neither a child nor a new program can reach the collector from there."""
        child = ["unshare", "--net", "--fork", program("ends"), "returns", "3"]
        for command in child, ["unshare", "--net", program("ends"), "returns", "3"]:
            plain = harness.run(command)
            if "unshare failed" in plain.errors:
                self.skipTest("no network namespaces here")
            base = os.path.join(self.fresh(), "profile")
            census = harness.run([CENSUS, "run", "-o", base + ".hp", "--", *command])
            self.assertEqual((census.output, census.status), (plain.output, plain.status))
            self.assertIn("another network namespace", census.errors)

    def test_small_stack(self):
        plain, census = self.check_under("ulimit -s 64", program("ends"), "returns", "3")
        self.check_printed(plain, census)

    def test_closed_standard_files(self):
        """census and the program run without descriptors 0, 1 and 2."""
        base = self.path("profile")
        done = harness.run(["/bin/sh", "-c", 'exec "$@" <&- 2>&- >&-', "sh", CENSUS, "run", "-q",
                            "-hd", "-o", base + ".hp", "--", program("sizes"), "usable"])
        self.assertEqual((done.output, done.errors), ("", ""))
        self.assertEqual(done.status, 99, "the program cannot write")
        self.assertEqual(harness.Profile(base + ".hp").of("keep_usable"), 448800)

    def test_script(self):
        """Programs that a script starts have their own profiles; the script's name is that of its
        profile."""
        path = self.path("script")
        with open(path, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\n"%s" keeps 7\nexit $?\n' % program("processes"))
        os.chmod(path, 0o755)
        census = harness.run_census([path], self.fresh(), "-hd")
        self.assertEqual((census.status, census.errors), (7, ""))
        sizes = [profile.of("keep_as_child") for profile in census.others]
        self.assertEqual([size for size in sizes if size], [700])


if __name__ == "__main__":
    harness.main()
