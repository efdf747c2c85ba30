#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI
# ctest: case _full full MPICHFull
"""Waits for some of the ranks: neighbours, who opens its memory to others or holds a lock of it, and who sends in parts. Each is held against
when the ranks say that they came.

    test_reach.py [CLASS[.TEST]]
"""

import collections
import re

from mpi_case import Case, MPIJob, main

CAME = re.compile(r"^came (\d+) ([\w ]+) (\d+)$", re.M)
START, LOCK, LOCK_ALL = "access", "lock", "lock all"
# An MPI may wait in any of these.
TOGETHER = {"MPI_Win_start": START, "MPI_Win_complete": START, "MPI_Win_lock": LOCK, "MPI_Win_flush": LOCK, "MPI_Win_unlock": LOCK,
            "MPI_Win_lock_all": LOCK_ALL, "MPI_Win_flush_all": LOCK_ALL, "MPI_Win_unlock_all": LOCK_ALL}


class Job(MPIJob):
    ranks = 3
    parts = False  # messages in parts

    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("reach", "reach.c")

    def expected_waits(self, said):
        """Seconds by rank and what it called."""
        at = {(int(rank), what): int(time) / 1e9 for rank, what, time in CAME.findall(said)}
        waits = collections.Counter()

        def late(rank, function, own, *others):
            waits[rank, function] += max(0.0, max(at[other] for other in others) - at[rank, own])

        late(1, "MPI_Neighbor_allgather", "line", (0, "line"), (2, "line"))
        late(2, "MPI_Neighbor_allgather", "line", (1, "line"))
        late(1, "MPI_Wait", "begun line", (0, "begun line"), (2, "begun line"))
        for rank in range(1, self.ranks):
            late(rank, "MPI_Neighbor_alltoall", "star", (0, "star"))
            late(rank, START, "start", (0, "post"))
            late(rank, START, "start again", (0, "post again"))
        late(0, "MPI_Win_wait", "wait again", *((rank, "complete again") for rank in range(1, self.ranks)))
        late(2, LOCK, "lock", (1, "unlock"))
        late(2, LOCK_ALL, "lock all", (1, "unlock again"))
        if self.parts:
            late(1, "MPI_Wait", "parts", (0, "ready"))
        return waits

    def waits(self):
        found = collections.Counter()
        for (rank, function), seconds in self.found_waits(self.ranks).items():
            found[rank, TOGETHER.get(function, function)] += seconds
        return found

    def test_waits(self):
        """Each is within 5 % of what the ranks' own words say, in one of a few runs: a rank may lose its processor between saying that it comes
        and coming."""
        missed = None
        for _ in range(5):
            done = self.profile_program(self.ranks, self.program, options=("--times", "exact"))
            expected, found = self.expected_waits(done.stdout), self.waits()
            self.assertGreater(sum(seconds > 0.1 for seconds in expected.values()), 6)
            off = {key: (seconds, found[key]) for key, seconds in expected.items() if seconds > 0.1 and abs(found[key] - seconds) > 0.05 * seconds}
            # Nobody waits for a lock that it can have beside the others, or that nobody has.
            off.update({(rank, kind): (0, found[rank, kind]) for rank in range(2) for kind in (LOCK, LOCK_ALL) if found[rank, kind] > 0.04})
            missed = off if missed is None else {key: off[key] for key in missed if key in off}
            if not missed:
                break
        self.assertFalse(missed, "waits by rank and function, as expected and as found")
        names = collections.Counter()
        for row in self.rows("function"):
            names[row["function"]] += row["cumtime"]
        self.assertAlmostEqual(names["{late unlock}"], found[2, LOCK] + found[2, LOCK_ALL], delta=0.02)
        for rank in range(self.ranks):
            self.assertNotIn("MPI calls whose waits are not known", self.bytes_counted(rank))
        if self.parts:
            self.assertEqual(self.bytes_counted(0)["MPI_Start bytes"], 3 * 4 * 8 * 8)
            self.assertEqual(self.bytes_counted(1)["MPI bytes from previous"], 3 * 4 * 8 * 8 + 4 + 8)


class OpenMPI(Job, Case):
    mpi = "openmpi"


class MPICHFull(Job, Case):
    mpi, parts = "mpich", True


if __name__ == "__main__":
    main()
