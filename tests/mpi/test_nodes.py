#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI
# ctest: case _full full MPICHFull
"""Rows of messages tell whether the other side runs on the same machine: by what the launcher says, or by what ranks left beside their recordings.

    test_nodes.py [CLASS[.TEST]]
"""

import collections
import os

from mpi_case import CALLSIG, Case, MPIJob, main


class Job(MPIJob):
    maxDiff = None
    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("nodes", "nodes.c")

    def nodes(self, *files):
        """Calls by rank and function: how many with which node."""
        found = collections.Counter()
        for row in self.rows_of(files, "signature,rank"):
            node = next((argument["value"] for argument in row["args"] or () if argument["name"] == "node"), None)
            if node:
                found[int(row["rank"]), row["function"], node] += row["ncalls"]
        return dict(found)

    def words(self, file):
        return [CALLSIG, "run", "--mpi", "-o", file, self.program]

    # Of four ranks, two on each of two machines.
    TWO = {(0, "MPI_Sendrecv", "same_node"): 1, (1, "MPI_Sendrecv", "other_node"): 1, (2, "MPI_Sendrecv", "same_node"): 1,
           (3, "MPI_Sendrecv", "other_node"): 1, (3, "MPI_Send", "same_node"): 1, (3, "MPI_Send", "other_node"): 2, (3, "MPI_Send", "no_node"): 1,
           **{(rank, "MPI_Recv", "any_node"): 1 for rank in range(3)}}

    def test_one(self):
        """Where the launcher started all ranks here, they are."""
        self.launch(4, *self.words("file"))
        expected = collections.Counter()
        for (rank, function, node), count in self.TWO.items():
            expected[rank, function, "same_node" if node == "other_node" else node] += count
        self.assertEqual(self.nodes(*self.files_of(4)), expected)
        self.assertNotIn("MPI bytes sent between nodes", self.bytes_counted(1))

    def test_two(self):
        self.launch_on_two(self.words("file"), self.words("file"), each=2)
        self.assertEqual(self.nodes(*self.files_of(4)), self.TWO)
        self.assertEqual(self.bytes_counted(1)["MPI bytes sent between nodes"], 4)
        self.assertEqual(self.bytes_counted(2)["MPI bytes received between nodes"], 4)
        self.assertEqual(self.bytes_counted(3)["MPI bytes sent between nodes"], 12)

    def test_apart(self):
        """Ranks that record where nothing is seen of the others know that these are elsewhere when they see all of their own machine."""
        os.mkdir(self.path("there"))
        self.launch_on_two(self.words("file"), self.words("there/file"), each=2)
        self.assertEqual(self.nodes("file.rank0", "file.rank1", "there/file.rank2", "there/file.rank3"), self.TWO)

    def test_unknown(self):
        """Where they do not see all of it, they do not know."""
        os.mkdir(self.path("there"))
        script = self.write("some", '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 0 ] && shift 5\nexec "$@"\n', 0o755)
        self.launch_on_two([script, *self.words("file")], self.words("there/file"), each=2)
        found = self.nodes("file.rank1")
        self.assertEqual(found[1, "MPI_Sendrecv", "unknown_node"], 1)


class OpenMPI(Job, Case):
    mpi = "openmpi"


class MPICHFull(Job, Case):
    mpi = "mpich"


if __name__ == "__main__":
    main()
