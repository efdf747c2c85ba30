#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI.test_one_processor
# ctest: case _full full OpenMPI MPICHFull
"""Waits of many shapes that are planted, as a default run tells them, against when the program's ranks say that they came: also where ranks
that look for each other again and again have one processor between them.

    test_planted.py [CLASS[.TEST]]
"""

import collections
import os
import re

from mpi_case import Case, MPIJob, main

CAME = re.compile(r"^came (\d+) (\w+) (\d) (\w+) (\d+) (\d+) ([\w ]+)$", re.M)
WITHIN, LEAST, RUNS = 0.05, 0.05, 5


class Job(MPIJob):
    ranks = 3

    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("planted", "planted.c")

    @staticmethod
    def expected_waits(said):
        """Seconds by rank and function: from when a rank came to a call until the last one came that it waits for, or until it left."""
        stays, waits = collections.defaultdict(dict), collections.Counter()
        for rank, what, turn, function, came, left, whom in CAME.findall(said):
            stays[what, turn][int(rank)] = (function, int(came) / 1e9, int(left) / 1e9, whom)
        for at in stays.values():
            for rank, (function, came, left, whom) in at.items():
                others = [0] if whom == "0" else [rank] if whom == "by 0" and rank else at
                waits[rank, function] += max(0.0, min(left, max(at[other][1] for other in others)) - came)
        return waits

    def check_waits(self, *arguments, options=()):
        """Each is within 5 %, in one of a few runs: a rank may lose its processor between saying that it comes and coming."""
        missed = None
        for _ in range(RUNS):
            done = self.profile_program(self.ranks, self.program, *arguments, options=options)
            expected, found = self.expected_waits(done.stdout), self.found_waits(self.ranks)
            self.assertGreater(sum(seconds > LEAST for seconds in expected.values()), 20)
            off = {key: (round(seconds, 4), round(found[key], 4)) for key, seconds in expected.items()
                   if seconds > LEAST and abs(found[key] - seconds) > WITHIN * seconds}
            missed = off if missed is None else {key: off[key] for key in missed if key in off}
            if not missed:
                return
        self.fail(f"waits by rank and function, as expected and as found: {missed}")

    def test_one_processor(self):
        """Ranks that take turns on a processor wait for each other, and not for that."""
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(processors)})
        self.addCleanup(os.sched_setaffinity, 0, processors)
        self.check_waits()

    def test_waits(self):
        for options in ((), ("--times", "exact")):
            with self.subTest(options=options):
                self.check_waits(options=options)

    def test_spawned(self):
        """Ranks that were spawned change nothing of that, and starting them is a row."""
        if self.run_ranks(self.ranks, self.program, "spawn").returncode != 0:
            self.skipTest(f"MPI_Comm_spawn fails here without callsig: {self.mpi}")
        self.check_waits("spawn")
        calls = {(row["function"], int(row["rank"])): row["ncalls"] for row in self.rows("function,rank")}
        for rank in range(self.ranks):
            self.assertEqual((calls["MPI_Init", rank], calls["MPI_Comm_spawn", rank]), (1, 1))


class OpenMPI(Job, Case):
    mpi = "openmpi"


class MPICHFull(Job, Case):
    mpi = "mpich"


if __name__ == "__main__":
    main()
