#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI --samples 6
# ctest: case _full full --samples 60
"""Calls of the library itself fail, one in each run: of memory, of files and of MPI. The program does what it does without it, each rank's calls are
in its own recording, and FILE has all of them or somebody says why not.

    test_faults.py [CLASS[.TEST]] [--samples N]     N calls of each rank, evenly; all without it
"""

import os
import re
import sys

from mpi_case import CALLSIG, HERE, Case, MPIJob, main

SAID = re.compile(r"^rank (\d+) leaf (\d+) got .*$", re.M)
SAMPLES = int(sys.argv.pop(sys.argv.index("--samples") + 1)) if "--samples" in sys.argv else None
if SAMPLES:
    sys.argv.remove("--samples")


class Job(MPIJob):
    ranks = 2
    timeout = 150

    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("faulted", "faulted.c")
        with open(os.path.join(HERE, "faults.c"), encoding="utf-8") as file:
            shim = self.compile("libfaults.so", file.read(), "-shared", "-fPIC", "-w", instrument=False)
        self.under = ["env", f"LD_PRELOAD={shim}", CALLSIG, "run", "--mpi", "-o", "file"]
        self.environment.update(CALLSIG_MPI_WAIT="1", FAULT_LOG=self.path("log"))

    def leaves(self, *files):
        return {int(row["rank"]): row["ncalls"] for row in self.rows_of(files, "function,rank") if row["function"] == "leaf"}

    def run_faulty(self, rank, fault):
        """Runs with one fault. What came of it, how many calls there were, and which one failed."""
        for name in os.listdir(self.folder):
            if name.startswith(("file", ".file", "log")):
                os.unlink(self.path(name))
        self.environment.update(FAULT_RANK=str(rank), FAULT=str(fault))
        done = self.run_ranks(self.ranks, *self.under, self.program)
        with open(self.path("log")) as file:
            count, name = file.read().split()
        return done, int(count), name

    def check(self, rank, fault, plain):
        done, _, name = self.run_faulty(rank, fault)
        what = f"call {fault} of rank {rank}, {name}: {done.stderr}"
        self.assertEqual(done.returncode, 0, what)
        said = sorted(line for line in done.stdout.splitlines() if SAID.match(line))
        self.assertEqual(said, plain, what)
        expected = {int(number): int(leaf) for number, leaf in SAID.findall(done.stdout)}
        own = {}
        for name in self.files_of(self.ranks):
            own.update(self.leaves(name))
        self.assertEqual(own, expected, what)
        whole = self.leaves("file") if os.path.exists(self.path("file")) else {}
        self.assertTrue(whole == expected or "callsig: " in done.stderr, f"FILE has {whole} of {expected}, and nothing says so: {what}")
        self.assertTrue(set(whole.items()) <= set(expected.items()), what)
        # A rank that did not hear, or could not write, that FILE is to be made anew is not there to go on with what the other one left for it; the
        # next job takes that away. It was said.
        left = [name for name in os.listdir(self.folder) if name.startswith(".file") and not ("callsig: " in done.stderr and name.endswith(".mpi-node"))]
        self.assertEqual(left, [], what)

    def test_calls(self):
        plain = sorted(line for line in self.launch(self.ranks, self.program).stdout.splitlines() if SAID.match(line))
        self.assertEqual(len(plain), self.ranks)
        for rank in range(self.ranks):
            done, count, name = self.run_faulty(rank, 0)
            self.assertEqual((done.returncode, name), (0, "none"), done.stderr)
            self.assertGreater(count, 100)
            step = max(1, count // SAMPLES) if SAMPLES else 1
            for fault in range(1 + rank % step, count + 1, step):
                with self.subTest(rank=rank, fault=fault):
                    self.check(rank, fault, plain)


class OpenMPI(Job, Case):
    mpi = "openmpi"


class MPICH(Job, Case):
    mpi = "mpich"


if __name__ == "__main__":
    main()
