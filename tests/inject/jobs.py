"""The scenario of a job of MPI: `callsig run --mpi` of each rank, and what puts their recordings together."""

import collections
import json
import re
import shutil
import subprocess
from pathlib import Path

from scenario import Scenario, check_said, expect

RANKS = 2
LAUNCHER, COMPILER, LIBRARY = "mpirun.openmpi", "mpicc.openmpi", "libcallsig-mpi-openmpi.so"
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
COUNTED = ("leaf", "work", "main")


def lacks(build):
    """What the machine or the build lacks, in words; None: nothing."""
    for name in (LAUNCHER, COMPILER):
        if not shutil.which(name):
            return f"{name} is not there"
    return None if (Path(build) / "profiler" / LIBRARY).exists() else f"{LIBRARY} is not built"


def compile_ranks(product, folder):
    program = Path(folder).resolve() / "inject-ranks"
    source = Path(__file__).resolve().parent.parent / "mpi" / "ranks.c"
    subprocess.run([str(product.command.parent / "callsig-cc"), "-O1", str(source), "-o", str(program)], check=True,
                   env=product.environment(CALLSIG_CC=COMPILER))
    return [str(program)]


class Job(Scenario):
    """The commands of all ranks, of which one call fails: a rank has all of its calls somewhere, or a line says what failed."""

    who = "program=callsig"

    def run(self, folder, fault=(0, "any", 0)):
        command = [LAUNCHER, "--oversubscribe", "-n", str(RANKS), self.bench.product.command, "run", "--mpi", "-o", folder / "file"]
        ran = self.bench.run(self.who, fault, [*command, *self.program], folder, **ENVIRONMENT)
        # The launcher has words of its own for a rank that failed.
        ran.said = [line for line in ran.said if line.startswith("callsig: ")]
        return ran

    def counts(self, recording):
        """Calls of the functions that the program counts itself, by rank."""
        report = json.loads(self.bench.callsig("report", recording, "--by", "function,rank", "--format", "json").stdout or '{"rows": []}')
        return collections.Counter({(row["rank"], row["function"]): row["ncalls"] for row in report["rows"] if row["function"] in COUNTED})

    def measure(self, folder):
        ran = self.run(folder)
        self.calls = self.counts(folder / "file")
        made = {(rank, name): int(count) for rank, leaf, work in re.findall(r"rank (\d+) leaf (\d+) work (\d+)", ran.output.decode())
                for name, count in (("leaf", leaf), ("work", work), ("main", "1"))}
        expect(ran.status == 0 and not ran.said and self.calls == made and len(made) == RANKS * len(COUNTED),
               f"without a fault: status {ran.status}, {ran.said}, {self.calls} calls of {made}")

    def judge(self, folder, ran):
        whole = folder / "file"
        complete = ran.status == 0 and not ran.said
        # A launcher has statuses of its own, but that of a signal is a rank's.
        expect(ran.status < 128, f"status {ran.status}, {ran.said}")
        check_said(ran, told=not whole.exists())
        for recording in [whole, *(folder / f"file.rank{rank}" for rank in range(RANKS))]:
            expect(recording.exists() or not complete, f"no {recording.name}")
            if not recording.exists():
                continue
            there = self.counts(recording)
            expect(all(count <= self.calls[key] for key, count in there.items()), f"{recording.name}: {there} calls of {self.calls}")
            expect(recording != whole or there == self.calls or ran.said, f"{recording.name} lacks calls, and nothing says so")
        left = [path.name for path in folder.iterdir() if path.name.startswith(".file") and not path.name.endswith(".mpi-state")]
        expect(ran.status != 0 or not left, f"it left {left}")
