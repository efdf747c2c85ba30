#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI.test_counts
# ctest: case _full full OpenMPI MPICHFull
"""Calls of MPI of the kinds that few programs make: each is a row, with whom it was and how many bytes, what it waited for is told where that
can be, and messages of other calls find each other beside them.

    test_kinds.py [CLASS[.TEST]]
"""

import collections
import re

from mpi_case import Case, MPIJob, main

CAME = re.compile(r"^came (\d+) (\w+) (\d+)$", re.M)
# Calls of each rank by function and place of the other side, as kinds.c makes them.
OF_MPI_3 = {
    "MPI_Win_allocate": 1, "MPI_Win_fence": 3, ("MPI_Put", "next"): 1, ("MPI_Put", "none"): 1, ("MPI_Accumulate", "previous"): 1, ("MPI_Win_lock", "next"): 1,
    ("MPI_Get", "next"): 1, ("MPI_Fetch_and_op", "next"): 1, ("MPI_Win_flush", "next"): 1, ("MPI_Rput", "next"): 1, ("MPI_Win_unlock", "next"): 1,
    "MPI_Win_lock_all": 1, ("MPI_Get_accumulate", "self"): 1, "MPI_Win_flush_all": 1, "MPI_Win_unlock_all": 1, "MPI_Win_free": 1,
    "MPI_Cart_create": 1, "MPI_Neighbor_allgather": 1, "MPI_Neighbor_alltoall": 1, "MPI_Ineighbor_alltoall": 1,
    "MPI_Iallreduce": 1, "MPI_Ibcast": 1, "MPI_Iscan": 1, "MPI_Ireduce_scatter_block": 1, "MPI_Finalize": 1}
OF_MPI_4 = {
    **OF_MPI_3, "MPI_Allreduce_init": 1, "MPI_Bcast_init": 1, "MPI_Start": 5, ("MPI_Psend_init", "next"): 1, ("MPI_Precv_init", "previous"): 1,
    "MPI_Startall": 1, "MPI_Pready": 1, "MPI_Pready_range": 1, "MPI_Parrived": 1, ("MPI_Sendrecv", "next"): 1, ("MPI_Isendrecv", "next"): 1,
    ("MPI_Irecv", "previous"): 1, ("MPI_Isend", "next"): 1}
# Bytes by function, of a rank among `size`.
BYTES_3 = {"MPI_Put": 32, "MPI_Accumulate": 8, "MPI_Get": 16, "MPI_Fetch_and_op": 8, "MPI_Rput": 16, "MPI_Get_accumulate": 8,
           "MPI_Neighbor_allgather": 12, "MPI_Neighbor_alltoall": 24, "MPI_Ineighbor_alltoall": 40,
           "MPI_Iallreduce": 32, "MPI_Ibcast": 32, "MPI_Iscan": 16}
BYTES_4 = {**BYTES_3, "MPI_Start": 5 * 16 + 2 * 4 * 8 * 8, "MPI_Sendrecv": 16, "MPI_Isendrecv": 16, "MPI_Irecv": 8, "MPI_Isend": 8}


class Job(MPIJob):
    ranks = 3
    # What a rank waits for, of calls that rank 0 comes to late: by the word that it says before it comes, the function.
    late = [("fence", "MPI_Win_fence"), ("cart", "MPI_Allreduce"), ("iallreduce", "MPI_Waitany"), ("ibcast", "MPI_Waitall")]

    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("kinds", "kinds.c", "-Wno-stringop-overflow")

    def test_counts(self):
        self.profile_program(self.ranks, self.program)
        found = {rank: collections.Counter() for rank in range(self.ranks)}
        for row in self.rows("signature,rank", self.ranks):
            peer = next((argument["value"] for argument in row["args"] or () if argument["name"] == "peer"), None)
            found[int(row["rank"])][(row["function"], peer) if peer else row["function"]] += row["ncalls"]
        for rank in range(self.ranks):
            self.assertEqual({key: found[rank][key] for key in self.calls}, self.calls)
            told = self.bytes_counted(rank)
            self.assertEqual({name: told[name + " bytes"] for name in self.bytes}, self.bytes)
            self.assertNotIn("MPI calls whose waits are not known", told)

    def expected_waits(self, said):
        at = {(int(rank), what): int(time) / 1e9 for rank, what, time in CAME.findall(said)}
        waits = collections.Counter()
        for what, function in self.late:
            for rank in range(1, self.ranks):
                waits[rank, function] += max(0.0, at[0, what] - at[rank, what])
        if (1, "receive") in at:
            waits[1, "MPI_Recv"] += at[0, "send"] - at[1, "receive"]
        return waits

    def test_waits(self):
        """Each is within 5 % of what the ranks' own words say, in one of a few runs: a rank may lose its processor between saying that it comes
        and coming."""
        missed = None
        for _ in range(5):
            done = self.profile_program(self.ranks, self.program, options=("--times", "exact"))
            expected, found = self.expected_waits(done.stdout), self.found_waits(self.ranks)
            off = {key: (seconds, found[key]) for key, seconds in expected.items() if abs(found[key] - seconds) > 0.05 * seconds}
            missed = off if missed is None else {key: off[key] for key in missed if key in off}
            if not missed:
                return
        self.fail(f"waits by rank and function, as expected and as found: {missed}")


class OpenMPI(Job, Case):
    mpi, calls, bytes = "openmpi", OF_MPI_3, BYTES_3


class MPICHFull(Job, Case):
    mpi, calls, bytes = "mpich", OF_MPI_4, BYTES_4
    late = [*Job.late, ("start", "MPI_Waitsome")]


if __name__ == "__main__":
    main()
