"""The guests of tests/guest on aarch64, under qemu-user: output, exit status and every count, as there.

    test_guests.py --callsig COMMAND --work FOLDER CASE

Each is built by the cross compiler at -O0 and -O2, with the compiler's own hooks; the runtime is preloaded, by indexes that the command
of this machine has made before. Left out are guests that are of x86-64's registers, and those that qemu-user cannot run: what executes
another program of aarch64, has a seccomp filter, or asks for an index while it runs.
"""

import argparse
import os
import shutil
import sys

from test_aarch64 import EMULATOR, PREFIX, TOP, build_runtime, need, run

sys.path.insert(0, os.path.join(TOP, "tests", "guest"))

import run_guest  # noqa: E402
from harness import Failure, Guest, Tools  # noqa: E402


CASES = ("longjmp", "exceptions", "fork", "thread_ends", "ends", "signals", "segv", "faults", "malloc", "coroutines", "mapped_stack",
         "plugins", "unload_threads", "deep", "grow", "close_fds", "own_stderr", "small_stack", "shared_site", "children", "before_libc", "constructors")
# qemu-user ends itself at a page behind the end of its file, and at one that another thread takes away; it keeps pages over a fork that
# are to be wiped then.
BEYOND_THE_EMULATOR = (("faults", ("truncated",)), ("faults", ("thread",)), ("fork", ("raw",)))


class EmulatedGuest(Guest):
    def compile(self, source, name, extra):
        path = super().compile(source, name, extra)
        if self.hooks[0] in extra:
            run(self.tools.command, "index", "--cache", path, env=self.tools.environment())
        return path

    def run(self, command, environment, recording_path, **more):
        preload = environment.pop("LD_PRELOAD", None)
        words = [*EMULATOR, *(["-E", "LD_PRELOAD=" + preload] if preload else []), *command]
        return super().run(words, environment, recording_path, **more)


class EmulatedTools(Tools):
    def __init__(self, callsig, runtime, scratch):
        super().__init__(runtime, scratch)
        self.command = callsig

    def build_guest(self, *arguments):
        return EmulatedGuest(self, *arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--callsig", required=True, help="the command")
    parser.add_argument("--work", required=True, help="folder for what is built")
    parser.add_argument("case", choices=CASES)
    given = parser.parse_args()
    need()
    runtime = build_runtime(given.work)
    scratch = os.path.join(given.work, "guests", given.case)
    shutil.rmtree(scratch, ignore_errors=True)
    one = run_guest.CASES[given.case]
    one = one._replace(runs=[words for words in one.runs if (given.case, words) not in BEYOND_THE_EMULATOR])
    compiler = PREFIX + ("g++" if one.builds is run_guest.CXX else "gcc")
    if not shutil.which(compiler):
        print(f"skipped: {compiler} is not installed")
        return 77
    for level in ("-O0", "-O2"):
        try:
            run_guest.run_build(EmulatedTools(given.callsig, runtime, scratch), given.case, one, compiler, level)
        except Failure as failure:
            sys.exit(f"{given.case} {compiler} {level}: {failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
