"""Cases of a stderr that takes no more: the program does not wait for whoever should read it."""

import os
import subprocess

from harness import Failure, Guest


def fill(pipe):
    """Writes to a pipe until it takes no more, and leaves it as it was."""
    os.set_blocking(pipe, False)
    try:
        while True:
            os.write(pipe, b"." * 4096)
    except BlockingIOError:
        os.set_blocking(pipe, True)


def unread_stderr(tools, compiler, level):
    """Its stderr is a full pipe that nobody reads, and the recording cannot be made, of which a line would tell."""
    guest = Guest(tools, "close_fds.c", compiler, level)
    plain = guest.run_plain(())
    environment = tools.environment(LD_PRELOAD=tools.preload, CALLSIG_OUTPUT=os.path.join(tools.scratch, "missing/recording"))
    reader, writer = os.pipe()
    fill(writer)
    try:
        done = subprocess.run([guest.path], stdout=subprocess.PIPE, stderr=writer, text=True, env=environment, cwd=tools.scratch,
                              timeout=60, check=False)
    finally:
        os.close(reader)
        os.close(writer)
    if (done.returncode, done.stdout) != (plain.status, plain.output):
        raise Failure(f"status {done.returncode}, output {done.stdout!r}; plain {plain.status}, {plain.output!r}")


CASES = {"unread_stderr": unread_stderr}
BUILDS = {}
