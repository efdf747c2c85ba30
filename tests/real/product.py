"""The built product, as the tests of real programs use it: run a program under it, read its report."""

import json
import os
import subprocess
from pathlib import Path


class Product:
    """callsig in the build folder `build`; its cache is below `scratch`, so what the machine's own user has cached is not met."""

    def __init__(self, build, scratch):
        self.build = Path(build).resolve()
        self.command = self.build / "cli" / "callsig"
        self.libraries = self.build / "profiler"
        self.plugins = self.build / "instrument"
        self.preload = self.libraries / "libcallsig.so"
        self.cache = Path(scratch).resolve() / "cache"
        if not self.command.exists():
            raise SystemExit(f"{self.command} is missing: build callsig first")

    def environment(self, **more):
        own = {name: value for name, value in os.environ.items() if not name.startswith(("CALLSIG_", "LD_PRELOAD"))}
        return dict(own, CALLSIG_CACHE_DIR=str(self.cache), LC_ALL="C.UTF-8", **more)

    def run(self, command, recording, options=(), stdin=None, cwd=None, randomised=True):
        """Runs `command` under `callsig run`: subprocess.CompletedProcess with bytes. The recording is new."""
        recording = Path(recording)
        recording.unlink(missing_ok=True)
        prefix = [] if randomised else ["setarch", "-R"]
        with open(stdin) if stdin else open(os.devnull) as source:
            return subprocess.run([*prefix, str(self.command), "run", "-o", str(recording), *options, "--", *map(str, command)],
                                  stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, env=self.environment())

    def run_preloaded(self, command, recording, stdin=None, cwd=None, **variables):
        """Runs `command` without `callsig run` and without address randomisation, in an environment that preloads the runtime:
        subprocess.CompletedProcess with bytes. The recording is new."""
        recording = Path(recording)
        recording.unlink(missing_ok=True)
        own = self.environment(CALLSIG_OUTPUT=str(recording), CALLSIG_COMMAND=str(self.command), **variables)
        with open(stdin) if stdin else open(os.devnull) as source:
            return subprocess.run(["setarch", "-R", *map(str, command)], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  cwd=cwd, env=own)

    def call(self, *arguments):
        """Runs a subcommand that must succeed: its standard output, text."""
        done = subprocess.run([str(self.command), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.environment())
        if done.returncode:
            raise SystemExit(f"callsig {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def report(self, recording, *options):
        """The report as JSON, parsed."""
        return json.loads(self.call("report", "--format", "json", *options, recording))


def plain_run(command, stdin=None, cwd=None):
    """Runs a program without callsig: subprocess.CompletedProcess with bytes."""
    with open(stdin) if stdin else open(os.devnull) as source:
        return subprocess.run([*map(str, command)], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                              env=dict(os.environ, LC_ALL="C.UTF-8"))
