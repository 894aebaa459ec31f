#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs do not notice that images of them are taken (-hr), whatever they do: they end as without, with
the same output. Images are taken every few milliseconds, and one at the exit."""
import os
import signal
import subprocess
import time

import harness
from harness import Native, program
from test_holders import Waiting

OFTEN = ("-hr", "-i0.005")


class Images(Native):
    def check(self, name, *cases, environment=None, all_listed=True, **more):
        """Runs cases of a program. `all_listed`: the last image has all blocks that the program says it
        kept. Returns the last result."""
        for case in cases:
            words = case.split()
            command = [program(name), *words]
            with self.subTest(case=case):
                plain = harness.run(command, environment, **more)
                census = harness.run_census(command, self.fresh(), *OFTEN, environment=environment, **more)
                self.assert_unharmed(plain, census)
                self.assertIsNotNone(census.profile)
                if all_listed:
                    kept = sum(plain.printed("live").values())
                    self.assertGreaterEqual(census.profile.total(), kept)
        return census

    def test_images_among_threads(self):
        self.check("threads", "thousand", "churns", "detaches", "cancels", "ends_values", "hands_over")

    def test_images_among_plugins(self):
        """Threads that load and unload libraries."""
        self.check("threads", " ".join(["loads", program("libplugin_one.so"), program("libplugin_two.so"),
                                        self.path("numbers")]))

    def test_images_among_forks(self):
        self.check("processes", "forks_many", "forks_with_threads", "clones_without_fork",
                   "clones_in_memory", "executes_after_vfork", "spawns", "daemonises", "closes_all",
                   "executes_itself 2 1100", all_listed=False)

    def test_images_among_jumps(self):
        """longjmp, contexts of their own stacks, deep stacks."""
        self.check("stacks", "jumps", "switches", "digs", "keeps_at_all_levels", "shares_one_stack")

    def test_images_before_the_end(self):
        self.check("ends", "returns 3", "exits_from_thread", "main_thread_exits")
        self.check("ends", "quits", "exits_quickly", "is_killed", "aborts", "faults", all_listed=False)
        self.check("peaks", "spikes", "hands_over", "is_killed", all_listed=False)

    def test_images_of_streams(self):
        self.check("library", "prints", "begins_and_ends", "strings")

    def test_images_with_other_allocators(self):
        """The last image is from the exit, so it has what the last sample of sums has. Some cases end early,
        without that image, as they do with such an allocator alone."""
        command = [program("sizes"), "million"]
        for library in (None, *harness.allocators()):
            with self.subTest(library=library):
                environment = {"LD_PRELOAD": library} if library else None
                self.check("sizes", "aligns", "resizes", environment=environment, all_listed=library is None)
                sums = harness.run_census(command, self.fresh(), "-hd", environment=environment)
                images = harness.run_census(command, self.fresh(), *OFTEN, environment=environment)
                self.assertEqual(images.profile.total(), sums.profile.total())

    def test_images_leave_caches_alone(self):
        """After an image, the program copies the pages that it writes; not those of the cache of a thousand stacks."""
        done = Waiting([program("stacks"), "roams"], self.fresh(), "-hr", "-i0.3")
        self.assertEqual(done.process.returncode, 0, done.errors)
        self.assertLess(done.printed("faults")["roam"], 100)

    def test_images_and_forks_in_signals(self):
        """A child does not have the caches of its parent, also if it was made during a lookup."""
        command = [program("stacks_bump"), "forks_in_signals"]
        plain = harness.run(command)
        self.assertEqual(plain.output, "0 children failed\n")
        for options in ("--no-children",), ():
            with self.subTest(options=options):
                census = harness.run_census(command, self.fresh(), "-hr", "-i0.02", *options)
                self.assert_unharmed(plain, census)

    def test_images_under_seccomp(self):
        """A program that isolates itself goes on, and so do its images: the process that helps is not isolated."""
        self.check("ticks", "isolates_itself prctl", "isolates_itself syscall", "isolates_itself_strictly", all_listed=False)
        path = self.path("isolated.hp")
        census = subprocess.Popen(
            [harness.CENSUS, "run", "-q", "-hr", "-i0.05", "-o", path, "--", program("ticks"), "waits_in_isolation"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(census.kill)
        end_s = time.monotonic() + harness.PATIENCE_S
        while not os.path.exists(path) or not any(100000 in bands.values() for _, bands in harness.Profile(path).samples):
            self.assertLess(time.monotonic(), end_s, "no image of the isolated program")
            time.sleep(0.02)
        self.assertEqual(census.communicate(b"")[0], b"lives\n")
        self.assertEqual(census.returncode, 5)

    def leave(self, signal_number):
        """Starts a program that goes on when the first one has ended, and ends census by a signal after some
        images. Returns the copies of the program, without those from before its exec, and its output from
        then on."""
        ours, theirs = os.pipe()
        base = self.path("left")
        census = subprocess.Popen(
            [harness.CENSUS, "run", "-q", *OFTEN, "-o", base + ".hp", "--", "sh", "-c",
             '"$0" waits <&%d & echo $!' % ours, program("ends")],
            pass_fds=[ours], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(census.kill)
        os.close(ours)
        output = b""
        while output.count(b"\n") < 3:
            output += os.read(census.stdout.fileno(), 4096)
        process_id = next(line for line in output.decode().splitlines() if line.isdigit())
        end_s = time.monotonic() + harness.PATIENCE_S
        own = "%s.%s.hp" % (base, process_id)
        while self.n_samples(own) < 3:
            self.assertLess(time.monotonic(), end_s)
            time.sleep(0.01)
        census.send_signal(signal_number)
        census.wait()
        with open("/proc/%s/task/%s/children" % (process_id, process_id), encoding="ascii") as file:
            children = [child for child in file.read().split() if self.name_of(child) == "ends"]
        os.close(theirs)
        return children, census.stdout.read().decode()

    def test_images_leave_no_copy(self):
        """census ends before the program: the last copy has been reaped."""
        self.assertEqual(self.leave(signal.SIGINT), ([], "live keep 374000\n"))

    def test_images_and_a_killed_census(self):
        """The program goes on. Its last copy has ended, too."""
        children, output = self.leave(signal.SIGKILL)
        for child in children:
            end_s = time.monotonic() + harness.PATIENCE_S
            while self.maps_of(child):
                self.assertLess(time.monotonic(), end_s)
        self.assertEqual(output, "live keep 374000\n")

    @staticmethod
    def n_samples(path):
        try:
            return len(harness.Profile(path).samples)
        except FileNotFoundError:  # also when the program has just called exec: its profile begins again
            return 0

    @staticmethod
    def name_of(process_id):
        with open("/proc/%s/comm" % process_id, encoding="utf-8") as file:
            return file.read().strip()

    @staticmethod
    def maps_of(process_id):
        """Returns the mappings of a process; none if it has ended."""
        try:
            with open("/proc/%s/maps" % process_id, encoding="ascii") as file:
                return file.read()
        except OSError:
            return ""


if __name__ == "__main__":
    harness.main()
