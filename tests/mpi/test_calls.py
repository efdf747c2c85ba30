#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI
# ctest: case _full full OpenMPIFull MPICHFull
"""Calls of MPI as rows: how often, with whom and how many bytes against a second library that counts them, and what they
waited for against when the program's ranks say that they came.

    test_calls.py [CLASS[.TEST]]
"""

import collections
import re

from mpi_case import CALLSIG, Case, MPIJob, main

COUNTED = re.compile(r"^counted (\d+) (\w+) (\S+) (\d+) (\d+)$", re.M)
CAME = re.compile(r"^came (\d+) ([\w ]+) (\d+) (\d+)$", re.M)
WAITS = ("{late sender}", "{late receiver}", "{late ranks}", "{late root}")


class Job(MPIJob):
    """What is tried with each MPI; the classes below name it and with how many ranks."""

    maxDiff = None

    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("traffic", "traffic.c", "-pthread")

    def profile(self, ranks, *arguments, options=()):
        return self.profile_program(ranks, self.program, *arguments, options=options)

    # ---------------------------------------------------------------------------------------------------------------

    def counted(self, ranks):
        """What the other library counted: calls by rank, function and place of the other side, and bytes by rank and function."""
        library = self.compile_mpi("libcounter.so", "counter.c", "-shared", "-fPIC", "-w", instrument=False)
        done = self.launch(ranks, "env", f"LD_PRELOAD={library}", self.program)
        calls, amounts = collections.Counter(), collections.Counter()
        for rank, name, peer, number, amount in COUNTED.findall(done.stdout):
            if peer == "bytes":
                amounts[int(rank), name] += int(amount)
            else:
                calls[int(rank), name, None if peer == "-" else peer] += int(number)
        self.assertGreater(len(calls), 20 * ranks)
        return calls, amounts

    def check_traffic(self, ranks):
        calls, amounts = self.counted(ranks)
        self.profile(ranks)
        found = collections.Counter()
        for row in self.rows("signature,rank", ranks):
            if row["function"].startswith("MPI_"):
                shown = {argument["name"]: argument["value"] for argument in row["args"] if argument["state"] != "ignored"}
                self.assertNotIn(None, shown.values())
                found[int(row["rank"]), row["function"], shown.get("peer")] += row["ncalls"]
        self.assertEqual(found, calls)
        for rank in range(ranks):
            told = self.bytes_counted(rank)
            expected = {name: amount for (of, name), amount in amounts.items() if of == rank and amount}
            self.assertEqual({key[:-6]: amount for key, amount in told.items() if key.startswith("MPI_") and amount}, expected)
            # Everything that was sent to one side was counted by where it went.
            sent = sum(amount for key, amount in told.items() if key.startswith("MPI bytes to "))
            received = sum(amount for key, amount in told.items() if key.startswith("MPI bytes from "))
            messages = ("MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Issend", "MPI_Recv", "MPI_Irecv", "MPI_Sendrecv", "MPI_Start")
            self.assertEqual(sent + received, sum(expected.get(name, 0) for name in messages))
            self.assertNotIn("MPI calls whose waits are not known", told)

    def test_traffic(self):
        for ranks in self.sizes:
            with self.subTest(ranks=ranks):
                self.check_traffic(ranks)

    def between(self):
        self.program = self.compile_mpi("between", "between.c")

    def test_between(self):
        """Arguments that mean nothing in calls between two groups of ranks are not looked at."""
        self.between()
        plain = self.launch(4, self.program)
        profiled = self.profile(4)
        self.assertEqual(sorted(profiled.stdout.splitlines()), sorted(plain.stdout.splitlines()))
        for rank in range(4):
            found = self.bytes_counted(rank)
            # The lone rank gives one number, and the first of the others too, to the lone one, which takes it.
            self.assertEqual(found["MPI_Gather bytes"], 4 if rank == 0 else 0)
            self.assertEqual(found["MPI_Scatter bytes"], 4 if rank in (0, 1) else 0)
            self.assertEqual(found["MPI_Reduce_scatter bytes"], 3 * 4)

    # ---------------------------------------------------------------------------------------------------------------

    def expected_waits(self, said, ranks):
        """Seconds by rank, function and what it waited for, by when the ranks say that they came."""
        at = {(int(rank), what, int(turn)): int(time) / 1e9 for rank, what, turn, time in CAME.findall(said)}
        waits = collections.Counter()
        for turn in range(2):
            def late(rank, own, *others):
                return max(0.0, max(at[other, what, turn] for other, what in others) - at[rank, own, turn])

            waits[1, "MPI_Recv" if turn == 0 else "MPI_Waitall", "{late sender}"] += late(1, "receive", (0, "send"))
            waits[0, "MPI_Ssend", "{late receiver}"] += late(0, "ssend", (1, "late receive"))
            for rank in range(ranks):
                waits[rank, "MPI_Allreduce", "{late ranks}"] += late(rank, "allreduce", *((i, "allreduce") for i in range(ranks)))
                if rank:
                    waits[rank, "MPI_Bcast", "{late root}"] += late(rank, "bcast", (0, "bcast"))
            waits[0, "MPI_Reduce", "{late ranks}"] += late(0, "reduce", *((i, "reduce") for i in range(ranks)))
        return waits

    def check_waits(self, ranks, launch, told=lambda said: said):
        """Each wait is within 5 % of what the ranks' own words say, in one of a few runs: on a busy machine a rank may lose its processor
        between saying that it comes and coming. `launch` runs the job, and `told` corrects what it says."""
        missed = {}
        for attempt in range(5):
            done = launch()
            self.assertEqual(done.stderr, "")
            expected, found = self.expected_waits(told(done.stdout), ranks), self.found_waits(ranks)
            self.assertGreater(sum(seconds > 0.05 for seconds in expected.values()), 4)
            off = {key: (seconds, found[key[:2]]) for key, seconds in expected.items()
                   if seconds > 0.05 and abs(found[key[:2]] - seconds) > 0.05 * seconds}
            missed = off if attempt == 0 else {key: off[key] for key in missed if key in off}
            if not missed:
                return found
        self.fail(f"waits by rank, function and row, as expected and as found: {missed}")

    def check_delays(self, ranks):
        # Waits for a processor, of which there are few here, stay in the calls' times.
        found = self.check_waits(ranks, lambda: self.profile(ranks, "delays", options=("--times", "exact")))
        # In the recording of all ranks the rows of what was waited for have that time, and nothing else has.
        sums = collections.Counter()
        for row in self.rows("function"):
            sums[row["function"]] += row["cumtime"]
        self.assertAlmostEqual(sum(sums[wait] for wait in WAITS), sum(found.values()), delta=0.001 * sum(found.values()))

    def test_delays(self):
        for ranks in self.sizes:
            with self.subTest(ranks=ranks):
                self.check_delays(ranks)

    def test_odd(self):
        """Receives that came to nothing, or that found no room for what came, do not shift which message is whose: a rank that waits after them
        is seen to wait. In one of a few runs, as on a busy machine the other side may come late as well."""
        waits = collections.Counter()
        for _ in range(5):
            self.profile(2, "odd", options=("--times", "exact"))
            waits |= self.found_waits(2)
            if min(waits[1, "MPI_Recv"], waits[1, "MPI_Wait"]) > 0.1:
                break
        self.assertGreater(waits[1, "MPI_Recv"], 0.1)
        self.assertGreater(waits[1, "MPI_Wait"], 0.1)
        # A type of more bytes than an int holds.
        shown = [row["signature"] for row in self.rows("function,signature") if row["function"] == "MPI_Ssend"]
        self.assertIn("bytes=2^33..2^34", shown[0])

    def test_both_ways(self):
        """A call that sends and receives at once waits for a late sender: what it sends does not hold it up for longer, if at all."""
        self.profile(2, "both ways", options=("--times", "exact"))
        found = self.found_waits(2)
        self.assertGreater(found[0, "MPI_Sendrecv"] + found[0, "MPI_Waitall"], 0.1)
        times = {row["function"]: row["cumtime"] for row in self.rows("function")}
        self.assertGreater(times["{late sender}"], 0.1)
        self.assertLess(times.get("{late receiver}", 0), 0.02)

    def test_short_log(self):
        """Calls that find no place in the log have rows all the same, and it is told that their waits are not known."""
        self.environment["CALLSIG_MPI_LOG"] = "3"
        self.profile(2, "delays")
        told = self.bytes_counted(0)
        # 6 barriers of delays(), 4 of late_ranks(), and 3 other calls of all ranks, twice; 2 messages of each kind.
        self.assertEqual(sum(row["ncalls"] for row in self.rows("function,rank", 2) if (row["function"], row["rank"]) == ("MPI_Barrier", "0")), 10)
        self.assertGreater(told["MPI calls whose waits are not known"], 10)
        self.environment["CALLSIG_MPI_LOG"] = "many"
        done = self.launch(2, CALLSIG, "run", "--mpi", "-o", "file", self.program, "delays")
        self.assertIn("callsig: CALLSIG_MPI_LOG=many is no number of calls from 0 to 16777216: it is taken for 1048576\n", done.stderr)


class More(Job):
    """What takes longer than a quick test may."""

    def test_large(self):
        """A message of more bytes than an int tells is received as it was sent."""
        self.between()
        done = self.launch(2, CALLSIG, "run", "--mpi", "-o", "file", self.program, "large")
        self.assertNotIn("callsig: ", done.stderr)
        self.assertEqual(self.bytes_counted(0)["MPI bytes to next"], 2049 << 20)
        self.assertEqual(self.bytes_counted(1)["MPI bytes from next"], 2049 << 20)
        self.assertEqual(self.bytes_counted(1)["MPI_Recv bytes"], 2049 << 20)

    def check_clock(self, rate, *environment):
        """Rank 1 has a clock of its own, 1000 s ahead of the machine's and as many times as fast as `rate` says, by which it says when it came."""
        moved = ("unshare", "--time", "--monotonic", "1000", "--fork")
        if self.run_command(*moved, "true").returncode != 0:
            self.skipTest("a process cannot be given a clock of its own here: " + " ".join(moved))
        script = self.write("apart", '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 1 ] && exec env ' + " ".join([*environment, *moved]) + ' "$@"\nexec "$@"\n', 0o755)
        self.check_waits(2, lambda: self.launch(2, script, CALLSIG, "run", "--mpi", "--times", "exact", "-o", "file", self.program, "delays"),
                         lambda said: CAME.sub(lambda at: f"came {at[1]} {at[2]} {at[3]} {round(int(at[4]) / rate) - 10**12 if at[1] == '1' else at[4]}", said))
        error = self.bytes_counted(1, "max")["MPI clock error, ns"]
        self.assertTrue(0 < error < 10**8, error)
        self.assertNotIn("MPI clock error, ns", self.bytes_counted(0))
        # What rank 0's clock gains on it in each of its seconds.
        self.assertAlmostEqual(self.bytes_counted(1, "max")["MPI clock drift, ns a second"] / 1e9, 1 / rate - 1, delta=0.005)

    def test_other_clock(self):
        """A rank whose clock is ahead by a quarter of an hour, as one of another machine may be, waits for as long as it does."""
        self.check_clock(1)

    def test_drifting_clock(self):
        """One whose clock goes faster, too: without what it drifted, waits of the beginning are wrong by a fifth and more."""
        shim = self.compile_mpi("libdrift.so", "drift.c", "-shared", "-fPIC", instrument=False)
        self.check_clock(1.02, f"LD_PRELOAD={shim}")

    def test_threads(self):
        """Of MPI_THREAD_MULTIPLE nothing is lost."""
        self.profile(2, "threads")
        counts = collections.Counter()
        for row in self.rows("function,rank", 2):
            counts[int(row["rank"]), row["function"]] += row["ncalls"]
        for rank in range(2):
            for name in ("MPI_Send", "MPI_Irecv", "MPI_Wait"):
                self.assertEqual(counts[rank, name], 4 * 500)
            self.assertEqual(self.bytes_counted(rank)["MPI_Irecv bytes"], 4 * 500 * 8)


class OpenMPI(Job, Case):
    mpi, sizes = "openmpi", (2,)


class OpenMPIFull(More, Case):
    mpi, sizes = "openmpi", (2, 3, 4)


class MPICHFull(More, Case):
    mpi, sizes = "mpich", (2, 3)


if __name__ == "__main__":
    main()
