"""What tests of real programs under `callsig run --mpi` share: FILE beside the ranks' own recordings, and beside what gcov counted in each rank
of the same run."""

import collections
import csv
import io
import json
import os
import shutil
import subprocess

from mpi_case import BUILD, CALLSIG, TOP, MPIJob

# Each rank's coverage goes to a folder of its own.
APART = """#!/bin/sh
export GCOV_PREFIX="$PWD/cov$OMPI_COMM_WORLD_RANK$PMI_RANK"
exec "$@"
"""


class CountedJob(MPIJob):
    """A program that is compiled with --coverage. `sizes`: with how many ranks it runs, 2 first."""

    def fetch(self, package):
        """The folder of a Debian source package."""
        sources = os.path.join(BUILD, "sources")
        fetched = self.run_command(os.path.join(TOP, "scripts", "get-sources.sh"), sources, package)
        if fetched.returncode != 0:
            self.skipTest(fetched.stderr.strip())
        return os.path.join(sources, package)

    def run_counted(self, ranks, *command, profiled=True):
        """What the program says, which has to succeed without a word of callsig or MPI. Coverage is that of this run."""
        for rank in range(ranks):
            shutil.rmtree(self.path(f"cov{rank}"), ignore_errors=True)
        apart = self.write("apart", APART, 0o755)
        below = [CALLSIG, "run", "--mpi", "-o", "file"] if profiled else []
        done = self.run_ranks(ranks, apart, *below, *command)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def counted(self, *files, by):
        """Each row of the recordings, by function or signature and rank."""
        done = self.callsig("report", *files, "--format", "csv", "--by", by + ",rank")
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def check_sums(self, ranks, least):
        """FILE has what the ranks' own recordings have, to the call: at least so many calls."""
        for by in ("function", "signature"):
            sums = []
            for files in (["file"], self.files_of(ranks)):
                sums.append(collections.Counter())
                for row in self.counted(*files, by=by):
                    sums[-1][row["rank"], row["file"], row["line"], row["function"], row["signature"]] += int(row["ncalls"])
            self.assertGreater(sum(sums[0].values()), least)
            self.assertEqual(*sums)

    def gcov(self, rank):
        """What gcov counted in the rank: (file, function, line) and calls."""
        top = self.path(f"cov{rank}")
        for folder, _, files in os.walk(top):
            for file in (file for file in files if file.endswith(".gcda")):
                notes = os.path.join("/", os.path.relpath(folder, top), file[:-5] + ".gcno")
                shutil.copy(notes, folder)
                text = subprocess.run(["gcov", "-j", "-t", os.path.join(folder, file)], check=True, capture_output=True, text=True).stdout
                for source in (source for line in text.splitlines() for source in json.loads(line)["files"]):
                    for function in source["functions"]:
                        if function["execution_count"]:
                            yield os.path.basename(source["file"]), function["name"], function["start_line"], function["execution_count"]
