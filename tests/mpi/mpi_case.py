"""What tests of MPI jobs share: which MPIs there are, how programs are built for one, and how its ranks are launched."""

import collections
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cli"))
from harness import BUILD, CALLSIG, TOP, Case, main  # noqa: E402

__all__ = ["BUILD", "CALLSIG", "HERE", "LIBRARIES", "TOP", "Case", "MPIJob", "main"]
LIBRARIES = {"openmpi": "libcallsig-mpi-openmpi.so", "mpich": "libcallsig-mpi-mpich.so"}
# What a launcher starts its part of another machine with, in place of ssh: that machine is this one by another name.
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec unshare -u sh -c "hostname $host; $*"
"""


def missing(mpi):
    """What the machine or the build lacks for programs of this MPI, in words; None: nothing."""
    for command in (f"mpicc.{mpi}", f"mpirun.{mpi}"):
        if shutil.which(command) is None:
            return f"{command} is not there"
    if not os.path.exists(os.path.join(BUILD, "profiler", LIBRARIES[mpi])):
        return f"{LIBRARIES[mpi]} is not built"
    return None


class MPIJob:
    """A job of the MPI that `mpi` names, in a Case."""

    timeout = 200  # seconds that a job may take

    def setUp(self):
        lacks = missing(self.mpi)
        if lacks:
            self.skipTest(lacks)
        super().setUp()
        self.environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def compile_mpi(self, name, source, *flags, **options):
        """Builds a source of this folder with the MPI's compiler, once for all tests of the class."""
        with open(os.path.join(HERE, source), encoding="utf-8") as file:
            return self.compile_once(name, file.read(), *flags, compiler=f"mpicc.{self.mpi}", **options)

    def mpirun(self, *arguments):
        """What MPI itself says of the machine, as of one without /sys, is none of what is looked at."""
        done = self.run_command(f"mpirun.{self.mpi}", *arguments, timeout=self.timeout)
        done.stderr = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("[hwloc/"))
        return done

    def run_ranks(self, ranks, *command):
        """So many ranks of a command, on as many processors as there are."""
        options = ["--oversubscribe"] if self.mpi == "openmpi" else []
        return self.mpirun(*options, "-n", str(ranks), *command)

    def launch_on_two(self, here, there, each=1):
        """As many ranks of one command on this machine as of another one on another, by a launcher that believes it."""
        if self.run_command("unshare", "-u", "true").returncode != 0:
            self.skipTest("no machine can be made of another name: unshare -u fails")
        agent, name = self.write("agent", AGENT, 0o755), os.uname().nodename
        hosts = f"{name}:{each},there:{each}"
        options = {"openmpi": ["--mca", "plm_rsh_agent", agent, "--mca", "oob_tcp_if_include", "lo", "--host", hosts],
                   "mpich": ["-launcher", "ssh", "-launcher-exec", agent, "-hosts", hosts]}[self.mpi]
        self.environment.update(CALLSIG_MPI_WAIT="2")
        done = self.mpirun(*options, "-n", str(each), *here, ":", "-n", str(each), *there)
        done.stderr = "".join(line for line in done.stderr.splitlines(True) if " UCX " not in line)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def run_profiled(self, ranks, *command, options=()):
        """The same below `callsig run --mpi`, into FILE."""
        return self.run_ranks(ranks, CALLSIG, "run", "--mpi", "-o", "file", *options, *command)

    def launch(self, ranks, *command):
        """The ranks of a command that has to succeed."""
        done = self.run_ranks(ranks, *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def profile_program(self, ranks, program, *arguments, options=()):
        """The same below `callsig run --mpi`, which has nothing to say."""
        done = self.launch(ranks, CALLSIG, "run", "--mpi", "-o", "file", *options, program, *arguments)
        self.assertEqual(done.stderr, "")
        return done

    def rows(self, by, ranks=None):
        """Rows of all ranks as one, or of the recordings of so many."""
        return self.rows_of(["file"] if ranks is None else self.files_of(ranks), by)

    def rows_of(self, files, by):
        done = self.callsig("report", *files, "--format", "json", "--by", by)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def bytes_counted(self, rank, figure="total"):
        """A rank's counters by their names."""
        done = self.callsig("stages", "--format", "json", f"file.rank{rank}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["key"]: row.get(figure) for row in json.loads(done.stdout)["counters"]}

    def found_waits(self, ranks):
        """Seconds by rank and function of what was waited for: a row's time that is not its own."""
        waits = collections.Counter()
        for row in self.rows("function,rank", ranks):
            if row["function"].startswith("MPI_"):
                self.assertGreaterEqual(row["tottime"], -1e-9, row)
                waits[int(row["rank"]), row["function"]] += row["cumtime"] - row["tottime"]
        return waits

    def files_of(self, ranks):
        """The ranks' own recordings."""
        return [f"file.rank{rank}" for rank in range(ranks)]
