#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI
# ctest: case _full full MPICH
"""The verdict over ranks: an imbalance that a program has by plan is found, with the rank, the arguments and what it costs the others, as
the program's own clock says.

    test_balance.py [CLASS[.TEST]]
"""

import json
import os
import re

from mpi_case import CALLSIG, Case, MPIJob, main

RANKS = 4
TOOK = re.compile(r"^rank (\d+) n (\d+) took (\S+)$", re.M)
ROW = re.compile(r"^ *(\S+) +(\S+) +(\S+)% \S+imbalance\.c:\d+\(work\(n=(\d+)\)\) \[max: rank (\d+)\]$", re.M)


class Job(MPIJob):
    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("imbalance", "imbalance.c")
        # The job runs once for all tests of the class, which read its recordings where they are.
        self.folder = self.kept().folder
        if not os.path.exists(self.path("file")):
            done = self.run_profiled(RANKS, self.program, options=("--clock", "cpu"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.write("told", done.stdout)
        with open(self.path("told")) as told:
            took = {(int(rank), int(n)): float(seconds) for rank, n, seconds in TOOK.findall(told.read())}
        self.assertEqual(len(took), 4 * RANKS)
        self.times = {n: [took[rank, n] for rank in range(RANKS)] for n in (1024, 2048, 4096, 8192)}

    def cost(self, n):
        """What all ranks together wait for the slowest."""
        return sum(max(self.times[n]) - time for time in self.times[n])

    def check_text(self, text):
        self.assertIn(f"What {RANKS} ranks wait for each other", text)
        rows = ROW.findall(text)
        self.assertEqual([(int(n), int(rank)) for *_, n, rank in rows[:2]], [(8192, RANKS - 1), (4096, RANKS - 1)])
        self.assertLessEqual(len(rows), 3)
        for cost, gain, percent, n, _ in rows[:2]:
            times = self.times[int(n)]
            mean = sum(times) / RANKS
            self.assertLess(abs(float(cost) - self.cost(int(n))), 0.1 * self.cost(int(n)) + 0.0005)
            self.assertLess(abs(float(gain) - (max(times) - mean)), 0.1 * (max(times) - mean) + 0.0005)
            self.assertLess(abs(float(percent) - 100 * (max(times) - mean) / max(times) * RANKS / (RANKS - 1)), 5)
        self.assertRegex(text, rf"rank {RANKS - 1} takes longest in \d of \d rows that differ, which have \d+% of what all of them cost")

    def test_planted(self):
        for files in (["file"], self.files_of(RANKS)):
            done = self.callsig("report", *files, "--by", "function,signature,rank")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.check_text(done.stdout)
            self.check_text(self.callsig("stages", *files).stdout)

    def test_waits(self):
        """What ranks wait in MPI is of those that wait, and of none that is waited for."""
        done = self.run_ranks(RANKS, CALLSIG, "run", "--mpi", "-o", "wall", self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, verdict = self.callsig("report", "wall", "--by", "function,signature,rank").stdout.split("ranks wait for each other")
        self.assertRegex(rows, r"\{late ranks\}")
        said = "what ranks wait in calls of MPI is in rows of its own, which are left out"
        self.assertIn(said, verdict)
        self.assertNotRegex(verdict.split(said)[0], r"\{late|MPI_\w+\(")

    def test_who_comes_last(self):
        """Of calls that ranks make together the one that they waited for is told, whether ranks are told apart or are one process."""
        for apart, process in (("16", False), ("1", True)):
            self.environment.update(CALLSIG_MPI_APART=apart)
            for _ in range(5):  # a rank that loses its processor may come later than the one that works for longer
                done = self.run_ranks(RANKS, CALLSIG, "run", "--mpi", "-o", "wall", self.program, "last")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                text = self.callsig("report", "wall", "--by", "function,rank").stdout
                found = re.search(r"^   rank (\d+) came last to (\d+) of (\d+) calls that ranks make together, more often than any other$", text, re.M)
                self.assertIsNotNone(found, text)
                rank, times, calls = map(int, found.groups())
                if (rank, times) == (RANKS - 1, 20):
                    break
            self.assertEqual((rank, times, calls), (RANKS - 1, 20, 20))
            self.assertNotIn("at all times is unknown", text)
            rows = json.loads(self.callsig("report", "wall", "--by", "function", "--format", "json").stdout)["rows"]
            [row] = (row for row in rows if row["function"] == "{came last}")
            self.assertEqual((row["ncalls"], row["cumtime"]), (20, 0))
            self.assertEqual(len(json.loads(self.callsig("report", "wall", "--format", "json").stdout)["recordings"]) == 1, process)

    def test_json(self):
        done = self.callsig("report", "file", "--by", "function,signature,rank", "--format", "json")
        rows = {row["signature"]: row["tottime"] for row in json.loads(done.stdout)["spread"]["rows"] if row["function"] == "work"}
        for n, times in self.times.items():
            row, mean = rows[f"work(n={n})"], sum(times) / RANKS
            deviation = (sum((time - mean) ** 2 for time in times) / RANKS) ** 0.5
            if n >= 4096:
                self.assertEqual(row["max_at"], str(RANKS - 1))
                self.assertLess(abs(row["cost"] - self.cost(n)), 0.1 * self.cost(n))
                self.assertLess(abs(row["stddev"] - deviation), 0.1 * deviation)
            self.assertAlmostEqual(row["cost"], RANKS * row["gain"], delta=1e-9)

    def test_other_groups(self):
        """The verdict is on functions and signatures over ranks, and on nothing else."""
        for by in ("function", "rank", "function,process", "function,thread,rank"):
            self.assertNotIn("wait for each other", self.callsig("report", "file", "--by", by).stdout)
        self.assertIn("wait for each other", self.callsig("report", "file", "--by", "function,rank").stdout)
        self.assertNotIn("wait for each other", self.callsig("report", "file.rank0", "--by", "function,rank").stdout)


class OpenMPI(Job, Case):
    mpi = "openmpi"


class MPICH(Job, Case):
    mpi = "mpich"


if __name__ == "__main__":
    main()
