#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that grow, and other changes to them while they are watched."""
import gzip
import lzma
import os
import shutil
import signal
import subprocess

import harness
from harness import ends_of_samples, plot, profile, sample


FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "fixtures")
OTHERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance", "exchange", "samples")
NONSENSE = b"END_SAMPLE 7\n"


class Files(harness.Watch):
    def test_growing_by_bytes(self):
        """Only complete samples are shown, each when its last byte is written."""
        data = profile(4)
        writer = self.open_writer("a.hp")
        running = self.start(self.path("a.hp"))
        ends = ends_of_samples(data)
        for i in range(len(data)):
            writer.write(data[i:i + 1])
            if i + 1 in ends:
                running.wait_to_show(plot(data[:i + 1]))
            elif ends[0] <= i:
                whole = max(end for end in ends if end <= i)
                self.assertEqual(harness.read(running.picture), plot(data[:whole]))
        self.assertEqual(running.end(), 0)
        self.assertNotIn(b"restarted", running.said)

    def test_growing_by_pieces(self):
        lines = sample("hp/foldleak-prof-hc.hp").splitlines(keepends=True)
        running = self.start(self.path("a.hp"))
        for n in range(37, len(lines) + 37, 37):
            self.write("a.hp", b"".join(lines[n - 37:n]), "ab")
            running.wait_to_show(plot(b"".join(lines[:n])))
        self.assertEqual(running.end(), 0)

    def test_file_created_later(self):
        running = self.start(self.path("a.hp"))
        running.wait_to_say("a.hp: the file does not exist yet")
        self.write("a.hp", profile(3))
        running.wait_to_show(plot(profile(3)))
        self.assertEqual(running.end(), 0)

    def test_folder_created_later(self):
        running = self.start(self.path("folder/a.hp"))
        running.wait_to_say("a.hp: the file does not exist yet")
        os.mkdir(self.path("folder"))
        self.write("folder/a.hp", profile(3))
        running.wait_to_show(plot(profile(3)))

    def test_truncated_and_rewritten(self):
        running = self.start(self.write("a.hp", profile(9)))
        running.wait_to_show(plot(profile(9)))
        os.truncate(self.path("a.hp"), 0)
        running.wait_to_say("restarted")
        self.write("a.hp", profile(3, "other"), "ab")
        running.wait_to_show(plot(profile(3, "other")))

    def test_truncated_in_the_middle(self):
        data = profile(9)
        running = self.start(self.write("a.hp", data))
        running.wait_to_show(plot(data))
        os.truncate(self.path("a.hp"), len(data) // 2)
        running.wait_to_show(plot(data[:len(data) // 2]))

    def rewrite(self, before, after):
        """Writes over the file without cutting it."""
        running = self.start(self.write("a.hp", before))
        running.wait_to_show(plot(before))
        self.write("a.hp", after, "r+b")
        running.wait_to_show(plot(after))
        self.assertEqual(running.end(), 0)

    def test_rewritten_with_equal_size(self):
        self.rewrite(profile(9, "one"), profile(9, "two"))

    def test_rewritten_with_more_bytes(self):
        self.rewrite(profile(9, "one"), profile(12, "two"))

    def test_rewritten_after_equal_headers(self):
        self.rewrite(profile(300), profile(300, scale=2000))

    def test_replaced_by_rename(self):
        running = self.start(self.write("a.hp", profile(9)))
        running.wait_to_show(plot(profile(9)))
        os.rename(self.write("new", profile(4, "other")), self.path("a.hp"))
        running.wait_to_show(plot(profile(4, "other")))
        self.write("a.hp", b"BEGIN_SAMPLE 9\nlate\t7\nEND_SAMPLE 9\n", "ab")
        running.wait_to_show(plot(harness.read(self.path("a.hp"))))

    def test_rotated(self):
        """Data that is written to the old file is shown until there is a new one."""
        writer = self.open_writer("a.hp", profile(3))
        running = self.start(self.path("a.hp"))
        running.wait_to_show(plot(profile(3)))
        os.rename(self.path("a.hp"), self.path("a.hp.1"))
        running.wait_to_say("file removed")
        writer.write(profile(6)[len(profile(3)):])
        running.wait_to_show(plot(profile(6)))
        self.write("a.hp", profile(2, "other"))
        running.wait_to_show(plot(profile(2, "other")))

    def test_deleted_and_returned(self):
        self.open_writer("a.hp", profile(3))
        running = self.start(self.path("a.hp"))
        running.wait_to_show(plot(profile(3)))
        os.unlink(self.path("a.hp"))
        running.wait_to_say("file removed")
        self.assertEqual(harness.read(running.picture), plot(profile(3)))
        self.write("a.hp", profile(3, "other"))
        running.wait_to_show(plot(profile(3, "other")))
        self.assertEqual(running.end(), 0)

    def test_link_to_another_file(self):
        self.write("one", profile(3))
        self.write("two", profile(4, "other"))
        os.symlink("one", self.path("a.hp"))
        running = self.start(self.path("a.hp"))
        running.wait_to_show(plot(profile(3)))
        os.symlink("two", self.path("link"))
        os.rename(self.path("link"), self.path("a.hp"))
        running.wait_to_show(plot(profile(4, "other")))

    def test_invalid_then_repaired(self):
        """The samples before the error are kept, and the file is still followed."""
        running = self.start(self.write("a.hp", profile(3)))
        running.wait_to_show(plot(profile(3)))
        self.write("a.hp", NONSENSE, "ab")
        running.wait_to_say("a.hp: line 20, column 1: ")
        os.truncate(self.path("a.hp"), 0)
        self.write("a.hp", profile(5), "ab")
        running.wait_to_show(plot(profile(5)))
        self.assertEqual(running.end(), 0)

    def test_invalid_at_the_end(self):
        running = self.start("--once", self.write("a.hp", profile(3) + NONSENSE))
        self.assertEqual(running.wait(), 1)
        self.assertEqual(harness.read(running.picture), plot(profile(3)))

    def test_not_a_profile(self):
        running = self.start(self.write("a.hp", NONSENSE))
        self.assertEqual(running.wait(), 1)
        self.assertIn(b"a.hp: line 1, column 1: ", running.said)
        self.assertFalse(os.path.exists(running.picture))

    def test_large(self):
        """The file exists at the start and is larger than one read."""
        data = profile(60000)
        self.assertGreater(len(data), 4 << 20)
        running = self.start("--once", self.write("a.hp", data))
        self.assert_ends_well(running, plot(data))

    # ---- event logs, lines, compressed files ----

    def plot_in_place(self, name, data):
        """Returns the picture that `plot` draws of a file with its sidecar files, which differs from that
        of the file alone."""
        picture = self.path("whole.json")
        subprocess.run([harness.CENSUS, "plot", "-o", picture, self.path(name)], check=True)
        self.assertNotEqual(harness.read(picture), plot(data))
        return harness.read(picture)

    def test_event_log(self):
        data = sample("eventlog/foldleak-prof-lu-hc.eventlog")
        running = self.start("--once", self.path("a.eventlog"))
        with open(self.path("a.eventlog"), "wb") as file:
            for at in range(0, len(data), 4099):
                file.write(data[at:at + 4099])
                file.flush()
        self.assert_ends_well(running, plot(data))

    def test_sidecar_of_quantities(self):
        """The sidecar file grows, too; the picture contains both."""
        rows = [b"time\twhat\tvalue\n"]
        rows += [b"%.2f\tresident\t%d\n" % (i / 10, 20000 + i) for i in range(9)]
        data = profile(9)
        half = len(rows) // 2
        self.write("a.lines", b"".join(rows[:half]))
        running = self.start(self.write("a.hp", data))
        self.write("a.lines", b"".join(rows[half:]), "ab")
        running.wait_to_show(self.plot_in_place("a.hp", data))

    def test_sidecar_of_retainer_sets(self):
        """Members of sets are known when the report is written, which is at the end."""
        for name in "retainers.hp", "retainers.prof":
            shutil.copy(os.path.join(FIXTURES, name), self.directory)
        running = self.start("--once", self.path("retainers.hp"))
        whole = self.plot_in_place("retainers.hp", harness.read(self.path("retainers.hp")))
        self.assert_ends_well(running, whole)

    def test_compressed(self):
        """Compressed profiles are finished: they are read once, with the quantities next to them."""
        self.write("a.lines", b"time\twhat\tvalue\n0.1\tresident\t5000\n0.2\tresident\t9000\n")
        log = harness.read(os.path.join(FIXTURES, "../../../samples/eventlog/foldleak-prof-lu-hc.eventlog"))
        self.write("a.hp", profile(3))
        for name, data, whole in (("a.hp.gz", gzip.compress(profile(3)), self.plot_in_place("a.hp", profile(3))),
                                  ("b.eventlog.xz", lzma.compress(log), plot(log))):
            running = self.start(self.write(name, data))
            self.assert_ends_well(running, whole)
        running = self.start(self.write("c.hp.gz", gzip.compress(profile(3))[:-20]))
        self.assertEqual(running.wait(), 1)
        self.assertIn(b"c.hp.gz: ", running.said)

    def test_finished_files_of_other_tools(self):
        """They are drawn once, and census ends without another view. Compressed ones are read, too."""
        for name in sorted(os.listdir(OTHERS)):
            data = harness.read(os.path.join(OTHERS, name))
            for name, data in (name, data), (name + ".gz", gzip.compress(data)):
                running = self.start(self.write(name, data))
                self.assert_ends_well(running, plot(data))

    def test_other_files_are_named(self):
        cannot = b"a profile in the format %s cannot be followed: give census the finished file"
        for data, is_piped, kind in (
                (b"desc: --time-unit=B\ncmd: ./a.out\ntime_unit: B\n#-----------\nsnapshot=0\n", True, cannot % b"massif"),
                (b"v 10200 2\nX ./a.out\nI 1000 4000\n", True, cannot % b"heaptrack"),
                (b"\n\x04\x08\x01\x10\x02\n\x04\x08\x03\x10\x02" + 600 * b"\x12\x00", True, cannot % b"pprof"),
                (b"time,name\n0,1\n", True, cannot % b"csv"),
                (b"time,name,value\n0,a\n", False, b"other:2:1: expected 3 cells"),
                (b"# callgrind format\nversion: 1\n", False, b"a profile of Valgrind's callgrind"),
                (b"JOB \"x\"\nBEGIN_SAMPLE x\n", False, b"line 2, column 14: ")):
            with open(self.write("other", data), "rb") as file:
                running = self.start("-", stdin=file) if is_piped else self.start(self.path("other"))
            self.assertEqual(running.wait(), 1)
            self.assertIn(kind, running.said)
            self.assertLessEqual(running.said.count(b"\n"), 3, running.said)

    # ---- the end ----

    def test_once_ends_with_the_writer(self):
        """A pause of the writer that is longer than the polling interval does not end the watch."""
        file = open(self.path("a.hp"), "wb")
        running = self.start("--once", self.path("a.hp"))
        data = profile(6)
        file.write(data[:len(data) // 2])
        file.flush()
        running.wait_to_show(plot(data[:len(data) // 2]))
        with self.assertRaises(subprocess.TimeoutExpired):
            running.process.wait(3)
        file.write(data[len(data) // 2:])
        file.close()
        self.assert_ends_well(running, plot(data))

    def test_once_ends_with_a_writer_without_complete_samples(self):
        with open(self.path("a.hp"), "wb") as file:
            file.write(profile(1)[:-5])
            file.flush()
            running = self.start("--once", self.path("a.hp"))
            listed = ["ls", "-l", f"/proc/{running.process.pid}/fd"]
            harness.wait_until(lambda: file.name in subprocess.run(listed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                                                   text=True, check=False).stdout, "census opens the file")
            with self.assertRaises(subprocess.TimeoutExpired):
                running.process.wait(3)
        self.assertEqual(running.wait(), 1)
        self.assertIn(b"a.hp: ", running.said)

    def test_growing_after_its_end(self):
        """A writer that opens the file for each sample is still followed."""
        running = self.start(self.write("a.hp", profile(3)))
        running.wait_to_show(plot(profile(3)))
        harness.time.sleep(2)  # twice the time after which it is taken for complete
        self.write("a.hp", profile(6)[len(profile(3)):], "ab")
        running.wait_to_show(plot(profile(6)))
        self.assertEqual(running.errors(), "")  # of a new beginning

    def test_growing_after_its_end_in_a_sample(self):
        """A message about an incomplete sample cannot be withdrawn."""
        data = profile(6)
        running = self.start(self.write("a.hp", data[:-9]))
        running.wait_to_say("ends inside a sample")
        self.write("a.hp", data[-9:], "ab")
        running.wait_to_show(plot(data))
        running.wait_to_say("restarted")

    def test_cut_sample_at_a_signal(self):
        """All complete samples are shown that were written before the signal."""
        data = profile(6)
        self.open_writer("a.hp", data[:-9])
        running = self.start(self.path("a.hp"))
        running.wait_to_show(plot(data[:-9]))
        self.assertEqual(running.end(signal.SIGTERM), 0)
        self.assertEqual(harness.read(running.picture), plot(data[:-9]))
        self.assertEqual(running.said, b"")

    def test_unreadable(self):
        running = self.start(self.directory)
        self.assertEqual(running.wait(), 1)
        self.assertIn(b"not a regular file", running.said)


if __name__ == "__main__":
    harness.main()
