"""Scenarios of commands that look at a program from outside while it runs: `serve`, `export --push`, `attach` and `ctl`.

Whatever fails of the command, or wherever it is killed: the program goes on, ends as it would, and what was recorded of it is sound.
"""

import http.client
import http.server
import os
import re
import signal
import socket
import subprocess
import threading
import time

from scenario import Scenario, check_end, expect

REQUESTS = ("/healthz", "/metrics", "/debug/pprof/callsig", "/")
SERVED = 60  # seconds that an answer may take
PUSHED = 2.5  # seconds that a program runs from which profiles are sent each second


class Live(Scenario):
    """A program that runs, and one command beside it. `exact`: recording is never switched off, so that every call is recorded."""

    who, exact, preload = "program=callsig", True, True

    def command(self, folder, pid):
        raise NotImplementedError

    def beside(self, folder, program):
        """What happens while the command runs."""

    def run(self, folder, fault=(0, "any", 0)):
        product = self.bench.product
        recording = {"LD_PRELOAD": str(product.preload), "CALLSIG_OUTPUT": str(folder / "recording")} if self.preload else {}
        environment = product.environment(CALLSIG_COMMAND=str(product.command), **recording)
        with subprocess.Popen(self.program, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as program:
            try:
                expect(program.stdout.readline() == "ready\n", "the program does not begin")
                other = threading.Thread(target=self.beside, args=(folder, program))
                other.start()
                ran = self.bench.run(self.who, fault, self.command(folder, program.pid), folder)
                other.join()
                time.sleep(0.05)
                said = self.ended(program)
            finally:
                program.kill()
        ran.program = program.returncode, said
        return ran

    def ended(self, program):
        """What the program said once its input had ended."""
        output, errors = program.communicate(timeout=60)
        return output + errors

    def made(self, ran):
        status, said = ran.program
        found = re.fullmatch(r"(\d+) calls\n", said)
        expect(status == 0 and found, f"the program: status {status}, {said!r}")
        return int(found[1])

    def measure(self, folder):
        ran = self.run(folder)
        expect(ran.status == 0, f"without a fault: status {ran.status}, {ran.said}")
        self.complete(folder, ran)

    def judge(self, folder, ran):
        if self.kills:
            expect(ran.status == 128 + 9, f"status {ran.status}")
        else:
            check_end(ran)
        self.complete(folder, ran)

    def complete(self, folder, ran):
        made, recording = self.made(ran), folder / "recording"
        if not recording.exists():
            expect(not self.preload and (self.kills or ran.status != 0), "no recording")
            return
        calls, lost = self.bench.recorded(recording)
        expect(not self.exact or calls == made, f"{calls} calls of {made}")
        expect(calls + lost <= made, f"{calls} calls of {made}, and {lost} lost")


class Serve(Live):
    """`callsig serve`, which is asked for all that it has, and then interrupted."""

    def command(self, folder, pid):
        return ["sh", "-c", f"echo $$ >pid; exec '{self.bench.product.command}' serve --listen unix:served {pid}"]

    def connect(self, folder, one):
        """The name is there before the command listens: until then, a connection is refused."""
        one.settimeout(SERVED)
        while True:
            try:
                one.connect(str(folder / "served"))
                return
            except ConnectionRefusedError:
                if self.is_over(folder):
                    raise
                time.sleep(0.01)

    def ask(self, folder, path):
        """The status of the answer, None where there is none."""
        try:
            with socket.socket(socket.AF_UNIX) as one:
                self.connect(folder, one)
                connection = http.client.HTTPConnection("localhost")
                connection.sock = one
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                return answer.status
        except (OSError, http.client.HTTPException):
            return None

    def beside(self, folder, program):
        self.answers = []
        while not (folder / "served").exists():
            time.sleep(0.01)
            if self.is_over(folder):
                return
        for path in REQUESTS:
            self.answers.append(self.ask(folder, path))
        self.interrupt(folder)

    def pid(self, folder):
        file = folder / "pid"
        return int((file.exists() and file.read_text()) or 0)

    def is_over(self, folder):
        pid = self.pid(folder)
        return pid and not os.path.exists(f"/proc/{pid}")

    def interrupt(self, folder):
        """It ends at the first signal, however long that takes on a busy machine; a second one would kill it. The first is lost where it
        comes before the command has a handler."""
        while not self.is_over(folder):
            try:
                os.kill(self.pid(folder), signal.SIGINT)
            except ProcessLookupError:
                return
            until = time.monotonic() + 20
            while time.monotonic() < until and not self.is_over(folder):
                time.sleep(0.01)

    def measure(self, folder):
        super().measure(folder)
        expect(self.answers == [200] * len(REQUESTS), f"without a fault: it answered {self.answers}")


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes what is pushed."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.taken += 1
        self.send_response(200)
        self.end_headers()

    do_PUT = do_POST

    def log_message(self, *_):
        """Says nothing."""


class Push(Live):
    """`callsig export --push`, to a server that takes it all, until the program ends."""

    def run(self, folder, fault=(0, "any", 0)):
        self.is_whole = fault[0] == 0
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as self.server:
            self.server.taken = 0
            threading.Thread(target=self.server.serve_forever).start()
            try:
                return super().run(folder, fault)
            finally:
                self.server.shutdown()

    def command(self, folder, pid):
        return [self.bench.product.command, "export", "--to", "pprof", "--push", f"http://127.0.0.1:{self.server.server_port}/", "--interval", "1",
                "--spool", "spool", str(pid)]

    def beside(self, folder, program):
        time.sleep(PUSHED)
        # Where no call fails two have to come, however busy the machine is.
        until = time.monotonic() + 60
        while self.is_whole and self.server.taken < 2 and time.monotonic() < until:
            time.sleep(0.1)
        program.stdin.close()

    def ended(self, program):
        program.wait(timeout=60)
        return program.stdout.read() + program.stderr.read()

    def measure(self, folder):
        super().measure(folder)
        expect(self.server.taken > 1, f"without a fault: {self.server.taken} profiles came")


class Attach(Live):
    """`callsig attach` to a program that runs without callsig."""

    exact, preload = False, False

    def command(self, folder, pid):
        return [self.bench.product.command, "attach", "--for", "300ms", "-o", "recording", str(pid)]


class Ctl(Live):
    """`callsig ctl`: switched off and on again, a snapshot between."""

    exact = False

    def command(self, folder, pid):
        steps = " && ".join(f"'{self.bench.product.command}' ctl {pid} {step}" for step in ("off", "snapshot copy", "on", "status"))
        return ["sh", "-c", steps]

    def complete(self, folder, ran):
        super().complete(folder, ran)
        copy = folder / "copy"
        expect(copy.exists() or self.kills or ran.status != 0, "no snapshot")
        if copy.exists():
            calls, lost = self.bench.recorded(copy)
            expect(calls + lost <= self.made(ran), f"the snapshot has {calls} calls, and {lost} lost")


def killed(scenario):
    """The same, with the command killed at each of its system calls."""
    return type(f"Killed{scenario.__name__}", (scenario,), {"__doc__": scenario.__doc__, "who": "whole=callsig", "kills": True})
