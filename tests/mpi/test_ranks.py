#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick OpenMPI
# ctest: case _full full OpenMPIFull MPICHFull
"""callsig run --mpi: the recording of all ranks against what the program's own counters say of each, which the program prints;
and ranks that do not come to MPI_Finalize.

    test_ranks.py [CLASS[.TEST]]
"""

import collections
import contextlib
import csv
import fcntl
import io
import json
import os
import re
import shutil
import signal
import time

from mpi_case import BUILD, CALLSIG, HERE, LIBRARIES, Case, MPIJob, main

SAID = re.compile(r"^rank (\d+) leaf (\d+) work (\d+)$", re.M)
FORTRAN = """
program ranks
  use mpi
  implicit none
  integer :: error, i, rank
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do i = 1, 10 * (rank + 1)
    call work(i)
  end do
  call MPI_Finalize(error)
contains
  subroutine work(n)
    integer, intent(in) :: n
    if (n < 0) print *, n
  end subroutine
end program
"""


class Job(MPIJob):
    """What a job of an MPI is held to; the classes below name the MPI and how many ranks it is tried with."""

    timeout = 100

    def setUp(self):
        super().setUp()
        self.program = self.compile_mpi("program", "ranks.c")

    def launch(self, ranks, *arguments, under=None):
        """Runs the program as so many ranks, below `callsig run --mpi -o file` unless other words are given."""
        if under is None:
            return self.run_profiled(ranks, self.program, *arguments)
        return self.run_ranks(ranks, *under, self.program, *arguments)

    def counts(self, *files, by="function"):
        """Calls of leaf() and work() in the recordings, by name, or by name and rank."""
        done = self.callsig("report", *files, "--format", "csv", "--by", by)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = collections.Counter()
        for row in csv.DictReader(io.StringIO(done.stdout)):
            name = row["function"]
            if name.startswith(("MPI_", "{")):  # which test_calls.py has
                continue
            counts[(name, int(row["rank"])) if "rank" in by else name] += int(row["ncalls"])
        return counts

    def said(self, done):
        return {int(rank): {"leaf": int(leaf), "work": int(work), "main": 1} for rank, leaf, work in SAID.findall(done.stdout)}

    def left(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith(("file", ".file")))

    def check_whole(self, ranks, *arguments):
        """FILE has each rank's calls as the program counted them, and so have the ranks' own recordings."""
        done = self.launch(ranks, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        said = self.said(done)
        own = self.files_of(ranks)
        self.assertEqual(sorted(said), list(range(ranks)))
        self.assertEqual(self.left(), sorted(["file", *own]))
        expected = {(name, rank): count for rank, counts in said.items() for name, count in counts.items()}
        self.assertEqual(dict(self.counts("file", by="function,rank")), expected)
        self.assertEqual(dict(self.counts(*own, by="function,rank")), expected)
        total = collections.Counter()
        for counts in said.values():
            total.update(counts)
        self.assertEqual(self.counts("file"), total)
        self.assertEqual(os.stat(self.path("file")).st_mode & 0o777, 0o600)

    def test_whole(self):
        for ranks in self.sizes:
            with self.subTest(ranks=ranks):
                self.check_whole(ranks)

    def test_state_is_read_again(self):
        """A rank that stayed away since its file system failed once would leave what others have recorded beside FILE."""
        with open(os.path.join(HERE, "unread.c"), encoding="utf-8") as file:
            shim = self.compile("libunread.so", file.read(), "-shared", "-fPIC", "-w", instrument=False)
        self.environment.update(LD_PRELOAD=shim)
        done = self.launch(3)
        del self.environment["LD_PRELOAD"]
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.left(), sorted(["file", *self.files_of(3)]))

    def test_killed_before_the_beginning(self):
        """A rank that is killed before its MPI_Init ends the job as it does without callsig."""
        plain, done = self.launch(2, "never", under=[]), self.launch(2, "never")
        self.assertEqual(done.returncode, plain.returncode)
        self.assertIn("callsig: rank 1 was ended by signal 9 without MPI_Finalize", done.stderr)
        self.assertNotIn("file", self.left())

    def running(self):
        """The processes that run the program."""
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{process}/exe").startswith(self.program):
                    found.append(process)
        return found

    def test_killed_command(self):
        """Of a job that is given up no rank goes on: launchers kill the command that they started, and with it goes its program."""
        done = self.launch(3, "orphan")
        self.assertNotEqual(done.returncode, 0)
        # The kernel ends them at once, however long that takes on a busy machine.
        until = time.monotonic() + 60
        while (running := self.running()) and time.monotonic() < until:
            time.sleep(0.1)
        for process in running:
            os.kill(int(process), signal.SIGKILL)
        self.assertEqual(running, [])
        for rank in range(3):
            self.assertGreaterEqual(self.counts(f"file.rank{rank}")["leaf"], 1000 * (rank + 1))

    def test_left_by_a_killed_job(self):
        """What ranks of a job were about to hand on when they were killed, of which there were more, is none of the next job's."""
        self.launch(2, "early")
        os.rename(self.path("file.rank1"), self.path(".file.1.mpi-node"))
        for name in (".file.2.mpi-node", ".file.3.mpi-node", ".file.rank0.77.mpi-own", ".file.rank1.78.mpi-peer"):
            shutil.copy(self.path(".file.1.mpi-node"), self.path(name))
        for name in ("file", "file.rank0"):
            os.unlink(self.path(name))
        self.check_whole(2)

    def check_apart(self, done, ranks, *words):
        """There is no FILE, each rank that counted has its calls in a recording of its own, and it is said."""
        self.assertNotIn("file", self.left())
        for rank, counts in self.said(done).items():
            own = self.counts(f"file.rank{rank}")
            self.assertEqual({name: own[name] for name in counts}, counts)
        # What the last rank did before its end: its own work, which the others' follows from.
        last = ranks - 1
        self.assertEqual(self.counts(f"file.rank{last}")["leaf"], 1000 * ranks * ranks)
        for word in words:
            self.assertIn(word, done.stderr)

    def wait_for_ranks(self):
        """Of a rank that is killed mpirun may return before the others have ended, which hold their recordings until then."""
        for name in self.left():
            with open(self.path(name), "rb") as file:
                for _ in range(600):
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        time.sleep(0.1)
                else:
                    self.fail(f"{name} is still recorded into")

    def test_killed(self):
        done = self.launch(3, "kill")
        self.assertNotEqual(done.returncode, 0)
        self.check_apart(done, 3, "callsig: rank 2 was ended by signal 9 without MPI_Finalize: what it recorded is in file.rank2 alone")
        # What killed ranks left beside their recordings goes when the place is used again.
        self.wait_for_ranks()
        self.check_whole(3)

    def test_no_finalize(self):
        done = self.launch(3, "exit")
        self.check_apart(done, 3, "callsig: rank 2 ended with status 0 without MPI_Finalize: what it recorded is in file.rank2 alone")

    def test_rank_without(self):
        """A rank that is started by itself will never take part: the others do not wait for it."""
        options = ["--oversubscribe"] if self.mpi == "openmpi" else []
        done = self.mpirun(*options, "-n", "2", CALLSIG, "run", "--mpi", "-o", "file", self.program, ":", "-n", "1", self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "callsig: 1 of the job's ranks on this machine were not started by 'callsig run --mpi', so the "
                         "ranks' recordings stay apart\n")
        self.assertEqual(self.left(), ["file.rank0", "file.rank1"])
        for rank, counts in self.said(done).items():
            if rank < 2:
                own = self.counts(f"file.rank{rank}")
                self.assertEqual({name: own[name] for name in counts}, counts)

    def launch_apart(self, ranks, *arguments, alone=None):
        """As launch(), but the last rank is one of another machine, as far as can be seen: in a folder of its own, and the launcher tells
        of each machine's ranks. With `alone` words it is run by those."""
        os.mkdir(self.path("there"))
        below = f"{CALLSIG} run --mpi -o file"
        apart = self.write("apart", f"""#!/bin/sh
here={ranks - 1}
below="{below}"
if [ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = {ranks - 1} ]; then
  cd there
  here=1
  below="{below if alone is None else alone}"
fi
export OMPI_COMM_WORLD_LOCAL_SIZE=$here MPI_LOCALNRANKS=$here CALLSIG_MPI_WAIT=2
exec $below "$@"
""", 0o755)
        self.environment.update(CALLSIG_MPI_WAIT="2")
        done = self.launch(ranks, *arguments, under=[apart])
        # What UCX, below MPICH, says of messages that nobody took.
        done.stderr = "".join(line for line in done.stderr.splitlines(True) if " UCX " not in line)
        return done

    def check_elsewhere(self, done, ranks, own=True):
        """No FILE anywhere; the ranks' own recordings have all."""
        self.assertEqual(done.returncode, 0, done.stderr)
        there = sorted(name for name in os.listdir(self.path("there")) if "file" in name)
        self.assertEqual(self.left(), [f"file.rank{rank}" for rank in range(ranks - 1)])
        self.assertEqual(there, [f"file.rank{ranks - 1}"] if own else [])
        said = self.said(done)
        self.assertEqual(sorted(said), list(range(ranks)))
        for rank, counts in said.items():
            if rank < ranks - 1 or own:
                found = self.counts(f"file.rank{rank}" if rank < ranks - 1 else f"there/file.rank{rank}")
                self.assertEqual({name: found[name] for name in counts}, counts)

    TOO_LATE = ("callsig: not all ranks came to MPI_Finalize within 2 s (CALLSIG_MPI_WAIT), and nothing beside this one's recording tells "
                "of rank 2: the ranks' recordings stay apart\n")

    def test_machines(self):
        """Ranks of several machines that share no folder are one recording, where rank 0 runs."""
        done = self.launch_apart(3)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        expected = {(name, rank): count for rank, counts in self.said(done).items() for name, count in counts.items()}
        self.assertEqual(dict(self.counts("file", by="function,rank")), expected)

    def test_machine_without(self):
        """A rank of another machine that runs without the library comes to nothing of ours: the others do not wait for ever."""
        done = self.launch_apart(3, alone="")
        self.check_elsewhere(done, 3, own=False)
        self.assertEqual(done.stderr, self.TOO_LATE)

    def test_folded(self):
        """Where ranks are not told apart FILE has the sums of them, and what each row was over them, to the call."""
        self.environment.update(CALLSIG_MPI_APART="1")
        for ranks in self.sizes:
            done = self.launch(ranks)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            said = self.said(done)
            total = collections.Counter()
            for counts in said.values():
                total.update(counts)
            self.assertEqual(self.counts("file"), total)
            report = json.loads(self.callsig("report", "file", "--by", "function,rank", "--format", "json").stdout)
            self.assertEqual(len(report["recordings"]), 1)
            self.assertEqual((report["spread"]["of"], report["spread"]["count"]), ("rank", ranks))
            rows = [row for row in report["spread"]["rows"] if not row["function"].startswith("MPI_")]
            for row in rows:
                calls = [said[rank][row["function"]] for rank in range(ranks)]
                mean = sum(calls) / ranks
                found = row["ncalls"]
                self.assertEqual((found["min"], found["max"]), (min(calls), max(calls)))
                self.assertEqual((found["min_at"], found["max_at"]), (str(calls.index(min(calls))), str(calls.index(max(calls)))))
                self.assertAlmostEqual(found["mean"], mean, delta=1e-9 * mean)
                self.assertAlmostEqual(found["stddev"], (sum((call - mean) ** 2 for call in calls) / ranks) ** 0.5, delta=1e-6 * mean)
            self.assertEqual({row["function"] for row in rows}, {"main", "work", "leaf"})

    def test_wait_refused(self):
        for value in ("0", "soon", "1000001"):
            self.environment.update(CALLSIG_MPI_WAIT=value)
            done = self.launch(2)
            self.assertIn(f"CALLSIG_MPI_WAIT={value} is no number from 1 to 1000000: it is taken for 60\n", done.stderr)
            self.assertIn("file", self.left())

    def test_merge_fails(self):
        """A rank whose recordings cannot be merged says so, and nobody waits for it."""
        command = self.write("command", f"#!/bin/sh\n[ \"$1$OMPI_COMM_WORLD_RANK$PMI_RANK\" = merge1 ] && exit 1\nexec '{CALLSIG}' \"$@\"\n", 0o755)
        library = os.path.join(BUILD, "profiler", LIBRARIES[self.mpi])
        runtime = os.path.join(BUILD, "profiler", "libcallsig.so.0")
        done = self.launch(3, under=["env", f"LD_PRELOAD={runtime}:{library}", "CALLSIG_OUTPUT=file", f"CALLSIG_COMMAND={command}"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lacks 1 of 3 ranks (1), whose recordings are", done.stderr)
        said = self.said(done)
        self.assertEqual(self.counts("file.rank1")["leaf"], said[1]["leaf"])
        found = self.counts("file", by="function,rank")
        self.assertEqual({rank: found["leaf", rank] for rank in range(3)}, {0: said[0]["leaf"], 1: 0, 2: said[2]["leaf"]})
        self.assertEqual([name for name in self.left() if name.startswith(".")], [])

    def test_refused(self):
        plain = self.compile("plain", "int main(void) { return 0; }")
        self.assert_fails(self.callsig("run", "--mpi", "-o", "file", plain), 1, "--mpi", "plain", "leave --mpi out")
        self.write("file", "notes\n")
        done = self.launch(2)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("file: exists and is not a recording", done.stderr)
        with open(self.path("file")) as file:
            self.assertEqual(file.read(), "notes\n")


class More(Job):
    """What takes longer than a quick test may."""

    def test_machine_late(self):
        """One that comes when the others gave up neither waits for ever nor keeps them."""
        done = self.launch_apart(3, "late")
        self.check_elsewhere(done, 3)
        self.assertIn(self.TOO_LATE, done.stderr)

    def test_machine_stopped(self):
        done = self.launch_apart(3, "stop")
        self.check_elsewhere(done, 3)
        self.assertIn(self.TOO_LATE, done.stderr)

    def test_failing(self):
        """Where a rank's MPI fails while it is found out what calls waited for, the others do not wait for it for ever."""
        with open(os.path.join(HERE, "failing.c")) as file:
            self.program = self.compile("program", file.read(), "-w", "-rdynamic", compiler=f"mpicc.{self.mpi}", libs=["-ldl"])
        self.environment.update(CALLSIG_MPI_WAIT="1")
        done = self.launch(2)
        # Beside what UCX, below MPICH, says of messages that nobody took.
        ended = sorted(line for line in done.stdout.splitlines() if " UCX " not in line)
        self.assertEqual((done.returncode, ended), (0, ["ended 0", "ended 1"]))
        said = "callsig: rank {}: what calls of MPI waited for is not known: {}: the ranks' recordings stay apart\n"
        self.assertIn(said.format(1, "MPI failed"), done.stderr)
        self.assertIn(said.format(0, "a rank does not answer"), done.stderr)
        self.assertEqual(self.left(), ["file.rank0", "file.rank1"])

    def test_slow(self):
        """A rank that is known to take part is waited for, however long that takes."""
        self.environment.update(CALLSIG_MPI_WAIT="1")
        self.check_whole(3, "late")
        self.check_whole(3, "stop")

    def test_split_and_threads(self):
        self.check_whole(self.sizes[0], "split")
        self.check_whole(self.sizes[0], "multiple")

    def test_output_and_status(self):
        plain, profiled = self.launch(2, under=[]), self.launch(2)
        self.assertEqual((profiled.returncode, sorted(profiled.stdout.splitlines())),
                         (plain.returncode, sorted(plain.stdout.splitlines())))

    def test_after_finalize(self):
        """What a rank does after MPI_Finalize is in its own recording and in FILE, whether that tells ranks apart or not."""
        for apart, ranks in (("16", 3), ("1", 5)):
            self.environment.update(CALLSIG_MPI_APART=apart)
            done = self.launch(ranks, "early")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            own = self.files_of(ranks)
            self.assertEqual(self.left(), sorted(["file", *own]))
            said = self.said(done)
            self.assertEqual(self.counts("file")["leaf"], sum(counts["leaf"] + 5 for counts in said.values()))
            self.assertEqual(self.counts("file"), self.counts(*own))
            for rank, counts in said.items():
                self.assertEqual(self.counts(own[rank])["leaf"], counts["leaf"] + 5)

    def test_after_finalize_apart(self):
        """Where ranks share no folder FILE has what they did until MPI_Finalize, and their own recordings have all."""
        done = self.launch_apart(3, "early")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for rank, counts in self.said(done).items():
            self.assertEqual(self.counts("file", by="function,rank")["leaf", rank], counts["leaf"])
            self.assertEqual(self.counts(("there/" if rank == 2 else "") + f"file.rank{rank}")["leaf"], counts["leaf"] + 5)
        self.assertEqual(self.left(), ["file", "file.rank0", "file.rank1"])

    def test_folded_samples(self):
        """By default times are true by samples of each rank's run, and so are those of ranks that became one: no more is left open than each
        of them leaves."""
        self.environment.update(CALLSIG_MPI_APART="1")
        done = self.launch(3, "long")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report, own = (json.loads(self.callsig("report", *files, "--by", "function", "--format", "json").stdout)
                       for files in (["file"], self.files_of(3)))
        self.assertEqual((len(report["recordings"]), len(own["recordings"])), (1, 3))
        self.assertEqual(report["total_calls"], own["total_calls"])
        notes = " ".join(self.callsig("report", "file", "--notes").stdout.split())
        samples = [int(count) for name in self.files_of(3)
                   for count in re.findall(r"of (\d+) samples of the run", self.callsig("report", name, "--notes").stdout)]
        if len(samples) < 3:
            self.skipTest("runs cannot be sampled here")
        self.assertIn(f"of {sum(samples)} samples of the run", notes)

    def test_abort(self):
        done = self.launch(3, "abort")
        self.assertEqual(done.returncode, 9)
        self.check_apart(done, 3, "callsig: rank 2 called MPI_Abort: ")

    def test_static_runtime(self):
        """A runtime that is linked into the program is not seen by name."""
        self.program = self.compile_mpi("static", "ranks.c", "-Wl,-u,callsig_version", libs=[os.path.join(BUILD, "profiler", "libcallsig.a")])
        self.check_whole(2)

    APART = ("callsig: not all ranks came to MPI_Finalize within 2 s (CALLSIG_MPI_WAIT), and nothing beside this one's recording tells "
             "of rank 1: the ranks' recordings stay apart\n")

    def test_two_machines(self):
        os.mkdir(self.path("there"))
        ours = [CALLSIG, "run", "--mpi", "-o", "file", self.program]
        done = self.launch_on_two(ours, [CALLSIG, "run", "--mpi", "-o", "there/file", self.program])
        self.assertEqual(done.stderr, "")
        expected = {(name, rank): count for rank, counts in self.said(done).items() for name, count in counts.items()}
        self.assertEqual(dict(self.counts("file", by="function,rank")), expected)
        self.assertEqual(self.launch_on_two(ours, [self.program]).stderr, self.APART)
        self.assertEqual(self.left(), ["file.rank0"])

    def test_static_mpi(self):
        """A rank whose MPI is linked statically is refused, and where it runs by itself the others do not wait for ever."""
        archive = f"/usr/lib/{os.uname().machine}-linux-gnu/libmpich.a"
        if self.mpi != "mpich" or not os.path.exists(archive):
            self.skipTest("libmpich.a is not there")
        flags = [self.run_command("pkg-config", *words, "mpich").stdout.split() for words in (["--cflags"], ["--static", "--libs"])]
        with open(os.path.join(HERE, "ranks.c")) as file:
            static = self.compile("static", file.read(), *flags[0], libs=[archive, *(flag for flag in flags[1] if flag != "-lmpich")])
        self.assert_fails(self.callsig("run", "--mpi", "-o", "file", static), 1, "--mpi", "static", "leave --mpi out")
        self.assertEqual(self.launch_on_two([CALLSIG, "run", "--mpi", "-o", "file", self.program], [static]).stderr, self.APART)

    def test_spawned(self):
        """Spawned processes are a job of their own: not in FILE, and in a recording of their own where they are started so."""
        self.program = self.compile_mpi("spawn", "spawn.c")
        if self.launch(2, self.program, under=[]).returncode != 0:
            self.skipTest(f"MPI_Comm_spawn fails here without callsig: {self.mpi}")
        for words in ([self.program], [CALLSIG, "run", "--mpi", "-o", "other", self.program]):
            done = self.launch(2, *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            said = sorted(re.findall(r"^(\w+) (\d) leaf (\d+)$", done.stdout, re.M))
            self.assertEqual(said, [("child", "0", "70"), ("child", "1", "71"), ("parent", "0", "40"), ("parent", "1", "41")])
            found = self.counts("file", by="function,rank")
            self.assertEqual((found["leaf", 0], found["leaf", 1]), (40, 41))
            self.assertEqual(self.left(), ["file", "file.rank0", "file.rank1"])
            if len(words) > 1:
                found = self.counts("other", by="function,rank")
                self.assertEqual((found["leaf", 0], found["leaf", 1]), (70, 71))

    def test_fortran(self):
        """Whose MPI_Finalize goes by a name of its own."""
        if shutil.which(f"mpif90.{self.mpi}") is None:
            self.skipTest(f"mpif90.{self.mpi} is not there")
        self.write("fortran.f90", FORTRAN)
        made = self.run_command(f"mpif90.{self.mpi}", "-g", "-finstrument-functions", "fortran.f90", "-o", "fortran")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.program = self.path("fortran")
        done = self.launch(2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = self.counts("file", by="function,rank")
        self.assertEqual((found["work", 0], found["work", 1]), (10, 20))


class OpenMPI(Job, Case):
    mpi, sizes = "openmpi", (2, 4)


class OpenMPIFull(More, Case):
    mpi, sizes = "openmpi", (2, 4, 8)


class MPICHFull(More, Case):
    mpi, sizes = "mpich", (2, 4, 8)


if __name__ == "__main__":
    main()
