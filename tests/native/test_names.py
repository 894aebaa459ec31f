#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names of files that contain the rank, the process or the host."""
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

import harness
from harness import CENSUS, PATIENCE_S

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "solver.c")
LAUNCHERS = "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"


class Names(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)

    def run_census(self, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in LAUNCHERS}
        return subprocess.run([CENSUS, "run", "-q", *words, "--", "/bin/sh", "-c", "echo $$"], cwd=self.directory,
                              env={**environment, **variables}, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)

    def test_names_of_files(self):
        for number, launcher in enumerate(LAUNCHERS):
            done = self.run_census("-o", "%h.%r.%p%%.hp", **{launcher: str(number)})
            self.assertEqual(done.returncode, 0, done.stderr)
            name = f"{socket.gethostname()}.{number}.{done.stdout.strip()}%.hp"
            self.assertTrue(os.path.exists(os.path.join(self.directory, name)), os.listdir(self.directory))
        self.assertEqual(self.run_census("-o", "%r.svg", PMI_RANK="7").returncode, 0)
        self.assertTrue(os.path.exists(os.path.join(self.directory, "7.svg")))
        for name in "server.p", "server.2":  # no format has such a suffix
            self.assertEqual(self.run_census("-o", name).returncode, 0)
            self.assertTrue(os.path.exists(os.path.join(self.directory, name + ".census")))

    def test_names_that_are_wrong(self):
        for name, said in ("%r", "%r needs a rank"), ("a%x", "after % expected"), ("%", "after % expected"), \
                ("", "an output name is empty"), ("x" * 5000, "the name is too long"), \
                ("x.gif", "x.gif: unknown format '.gif'"), \
                ("x.massif.out", "x.massif.out: run does not write massif; make it of a recording"):
            done = self.run_census("-o", name, PMI_RANK="../../escape")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
        self.assertEqual(os.listdir(self.directory), [])

    @unittest.skipUnless(shutil.which("mpirun") and shutil.which("mpicc"), "there is no Open MPI here")
    def test_names_by_rank(self):
        if subprocess.run(["mpicc", "-E", SOURCE], capture_output=True, timeout=PATIENCE_S, check=False).returncode != 0:
            self.skipTest("there is no mpi.h here")
        solver = os.path.join(self.directory, "solver")
        subprocess.run(["mpicc", "-O1", "-g", "-o", solver, SOURCE], check=True, timeout=PATIENCE_S)
        done = subprocess.run(["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "4", CENSUS, "run", "-q",
                               "-o", "solver.%r.hp", "--", solver], cwd=self.directory, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for rank in range(4):
            with open(os.path.join(self.directory, f"solver.{rank}.hp"), encoding="utf-8") as file:
                last = file.read().split("BEGIN_SAMPLE ")[-1]
            self.assertEqual(re.findall(r"^\(\d+\)keep_part/main\t(\d+)$", last, re.M), [str(100000 * (rank + 1))])


if __name__ == "__main__":
    harness.main()
