"""What tests of real programs under `callsig run --mpi` share: FILE beside the ranks' own recordings, and beside what gcov counted in each rank
of the same run."""

import collections
import csv
import io
import json
import os
import shutil
import struct
import subprocess

from mpi_case import BUILD, CALLSIG, TOP, MPIJob

# Each rank's coverage goes to a folder of its own.
APART = """#!/bin/sh
export GCOV_PREFIX="$PWD/cov$OMPI_COMM_WORLD_RANK$PMI_RANK"
exec "$@"
"""
FUNCTION = 0x01000000  # the tag of a function in gcov's notes


def unmark_made(path):
    """Takes the mark off the functions in a file of gcov's notes that the compiler makes (members that nobody wrote, the initialisation of
    a file's objects): they are counted like any other, but gcov is silent about what has the mark. How many had it."""
    with open(path, "rb") as file:
        notes = bytearray(file.read())

    def word(at):
        return struct.unpack_from("<I", notes, at)[0]

    # From gcc 12 on lengths are in bytes, no longer in words, and the header has a checksum.
    is_in_bytes = notes[7:5:-1] >= b"B2"
    unit = 1 if is_in_bytes else 4
    at = 16 if is_in_bytes else 12
    at += 4 + word(at) * unit + 4  # the folder of the compiler, and whether blocks that never run are told
    made = 0
    while at + 8 <= len(notes):
        if word(at) == FUNCTION:
            mark = at + 20  # behind three checksums, and the name
            mark += 4 + word(mark) * unit
            made += word(mark)
            struct.pack_into("<I", notes, mark, 0)
        at += 8 + word(at + 4) * unit
    with open(path, "wb") as file:
        file.write(notes)
    return made


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
        """What gcov counted in the rank, what the compiler makes included: path, function, line and calls."""
        top = self.path(f"cov{rank}")
        for folder, _, files in os.walk(top):
            for file in (file for file in files if file.endswith(".gcda")):
                notes = os.path.join("/", os.path.relpath(folder, top), file[:-5] + ".gcno")
                unmark_made(shutil.copy(notes, folder))
                text = subprocess.run(["gcov", "-j", "-t", os.path.join(folder, file)], check=True, capture_output=True, text=True).stdout
                for told in map(json.loads, text.splitlines()):
                    for source in told["files"]:
                        path = os.path.normpath(os.path.join(told["current_working_directory"], source["file"]))
                        for function in source["functions"]:
                            if function["execution_count"]:
                                yield path, function["name"], function["start_line"], function["execution_count"]
