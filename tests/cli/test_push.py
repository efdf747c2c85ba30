#!/usr/bin/env python3
"""callsig export --push: intervals that sum to the whole, an endpoint that is away, refuses or is slow, and what waits on disk."""

import http.server
import os
import platform
import signal
import stat
import subprocess
import threading
import time
import unittest
import urllib.parse

import harness
from served import Served

BUILT = "without libcurl" not in subprocess.run([harness.CALLSIG, "export", "--to", "pprof", "--push", "http://localhost:1/", "/nowhere"],
                                                text=True, stderr=subprocess.PIPE).stderr

# The numbers of the system calls that sleep, and that wait for a connection.
WAITING = {"x86_64": ("230", "7"), "aarch64": ("115", "73")}[platform.machine()]


class Endpoint(http.server.ThreadingHTTPServer):
    """Takes profiles, or answers with the statuses that it was told, one after the other."""

    def __init__(self, *statuses, port=0):
        self.taken, self.asked, self.statuses = [], [], list(statuses)
        self.behaviour = None  # a Handler's, for what follows on its status and its headers
        super().__init__(("127.0.0.1", port), Handler)
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def end(self):
        self.shutdown()
        self.server_close()
        self.thread.join()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.server.asked.append((self.path, dict(self.headers), status))
        if status == 200:
            self.server.taken.append(body)
        self.send_response(status)
        self.send_header("Location", "/elsewhere")
        if self.server.behaviour:
            self.server.behaviour(self)
        else:
            self.send_header("Content-Length", "0")
            self.end_headers()

    def answer_without_end(self):
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except ConnectionError:
            self.close_connection = True

    def break_off(self):
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"xyz")
        self.close_connection = True

    def answer_slowly(self):
        time.sleep(3)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@unittest.skipUnless(BUILT, "built without libcurl")
class Push(Served):
    def endpoint(self, *statuses, **options):
        endpoint = Endpoint(*statuses, **options)
        self.addCleanup(endpoint.end)
        return endpoint

    def push(self, port, *options, **settings):
        pushing = subprocess.Popen([harness.CALLSIG, "export", "--to", "pprof", "--push", f"http://127.0.0.1:{port}/in?name=x", "--interval", "1",
                                    *options, "rec.out"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True, **settings)
        self.addCleanup(pushing.stderr.close)
        self.addCleanup(lambda: pushing.poll() is None and (pushing.kill(), pushing.wait()))
        self.wait_until(lambda: pushing.poll() is not None or self.waits(pushing.pid))
        return pushing

    def wait_until(self, condition):
        """However busy the machine is."""
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    @staticmethod
    def waits(process):
        """Has it begun with the first interval? It sleeps behind that, or waits for an answer to what it found in its folder."""
        try:
            with open(f"/proc/{process}/syscall") as file:
                return file.read().split()[0] in WAITING
        except OSError:
            return False

    def kept(self):
        """What waits to be sent. The next one may be being written, under a name that it will not keep."""
        return [name for name in os.listdir(self.path("rec.out.push")) if name != ".part"]

    def finish(self, pushing, status):
        errors = pushing.communicate(timeout=120)[1]
        self.assertEqual(pushing.returncode, status, errors)
        return errors

    def sums(self, bodies):
        calls = {}
        for body in bodies:
            for name, count in self.profile(body)[0].items():
                calls[name] = calls.get(name, 0) + count
        return calls

    def test_intervals_sum_to_the_whole(self):
        self.start(address=None)
        endpoint = self.endpoint()
        token = self.write("token", "sesame-open-0123456789\n", 0o600)
        pushing = self.push(endpoint.server_port, "--token-file", token)
        for _ in range(6):
            self.tell("rt")
            time.sleep(0.6)
        self.assertEqual(self.end(), 0)
        self.assertEqual(self.finish(pushing, 0), "")
        self.assertGreaterEqual(len(endpoint.taken), 3)
        self.assertEqual(self.sums(endpoint.taken), {"rounds": 6, "threads": 6, "steps": 24, "other": 600, "step": 1200 + 1200})
        until = None
        for path, headers, _ in endpoint.asked:
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
            self.assertEqual((query["name"], headers["Authorization"]), (["x"], "Bearer sesame-open-0123456789"))
            begin, end = int(query["from"][0]), int(query["until"][0])
            self.assertTrue(begin < end and (until is None or begin <= until), path)
            until = end
        self.assertEqual(os.listdir(self.path("rec.out.push")), [])

    def test_an_endpoint_that_comes_back(self):
        self.start(address=None)
        away = self.endpoint()
        port = away.server_port
        away.end()
        pushing = self.push(port)
        self.tell("rrr")
        self.wait_until(self.kept)
        for name in self.kept():
            self.assertEqual(stat.S_IMODE(os.stat(self.path("rec.out.push", name)).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("rec.out.push")).st_mode), 0o700)
        endpoint = self.endpoint(503, 429, port=port)
        self.tell("r")
        time.sleep(1)
        pushing.send_signal(signal.SIGTERM)
        errors = pushing.communicate(timeout=120)[1]
        self.assertIn("tried again in 1 s", errors)
        # What is left is told, and the next one's.
        left = os.listdir(self.path("rec.out.push"))
        self.assertEqual((pushing.returncode, "were not taken" in errors), (int(len(left) > 0), len(left) > 0), errors)
        if left:
            pushing = self.push(port)
            time.sleep(6)
            pushing.send_signal(signal.SIGTERM)
            self.finish(pushing, 0)
        self.assertEqual(self.sums(endpoint.taken), {"rounds": 4, "step": 800, "other": 400})

    def test_a_kept_profile_that_cannot_be_read(self):
        """Those behind it are sent all the same; it stays, and is told of once, and at the end."""
        self.start(address=None)
        oldest = "0000000000001-0000000000002.pb.gz"
        os.mkdir(self.path("rec.out.push"), 0o700)
        os.close(os.open(self.path("rec.out.push", oldest), os.O_WRONLY | os.O_CREAT, 0))
        endpoint = self.endpoint()
        pushing = self.push(endpoint.server_port, preexec_fn=harness.follow_modes)
        self.tell("rr")
        self.wait_until(lambda: endpoint.taken)
        self.assertEqual(self.end(), 0)
        errors = self.finish(pushing, 1)
        self.assertEqual(errors.count(oldest), 1, errors)
        self.assertIn("profiles that were not taken are in", errors)
        self.assertEqual(self.kept(), [oldest])
        self.assertEqual(self.sums(endpoint.taken), {"rounds": 2, "step": 400, "other": 200})

    def test_a_sent_profile_that_cannot_be_removed(self):
        """It is told of and not sent again; those behind it are sent; and it is removed at the end, if that can be done by then."""
        self.start(address=None)
        endpoint = self.endpoint()
        sent = []

        def allow_no_removal(handler):
            if not sent:
                sent.extend(self.kept())
                os.chmod(self.path("rec.out.push"), 0o500)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        endpoint.behaviour = allow_no_removal
        pushing = self.push(endpoint.server_port, preexec_fn=harness.follow_modes)
        self.tell("r")
        self.assertIn("Permission denied", pushing.stderr.readline())
        self.assertIn("was sent, and is sent a second time if it stays there", pushing.stderr.readline())
        os.chmod(self.path("rec.out.push"), 0o700)
        self.tell("r")
        self.wait_until(lambda: len(endpoint.taken) > 1)
        self.assertEqual(self.end(), 0)
        self.assertEqual(self.finish(pushing, 0), "")
        self.assertEqual((len(sent), self.kept()), (1, []))
        self.assertEqual(self.sums(endpoint.taken), {"rounds": 2, "step": 400, "other": 200})

    def test_an_endpoint_that_refuses(self):
        self.start(address=None)
        for status in (400, 302):
            endpoint = self.endpoint(*[status] * 20)
            pushing = self.push(endpoint.server_port)
            self.tell("r")
            time.sleep(1.5)
            pushing.send_signal(signal.SIGINT)
            self.assertIn(f"status {status}: the profile from", self.finish(pushing, 0))
            self.assertEqual(os.listdir(self.path("rec.out.push")), [])
            self.assertNotIn("/elsewhere", [path for path, _, _ in endpoint.asked])

    def test_answers_that_do_not_end(self):
        """What was taken is taken, and sent once, whatever comes behind its status."""
        self.start(address=None)
        for behaviour in (Handler.answer_without_end, Handler.break_off):
            endpoint = self.endpoint()
            endpoint.behaviour = behaviour
            pushing = self.push(endpoint.server_port)
            for _ in range(3):
                self.tell("r")
                time.sleep(1)
            pushing.send_signal(signal.SIGTERM)
            self.assertEqual(self.finish(pushing, 0), "")
            self.assertEqual(self.sums(endpoint.taken), {"rounds": 3, "step": 600, "other": 300})

    def test_the_end_is_not_held_up(self):
        """By an endpoint that takes its time for each of many profiles, all of which it takes."""
        self.start(address=None)
        os.mkdir(self.path("rec.out.push"), 0o700)
        for number in range(50):
            self.write(f"rec.out.push/{number:013}-{number + 1:013}.pb.gz", "x")
        endpoint = self.endpoint()
        endpoint.behaviour = Handler.answer_slowly
        pushing = self.push(endpoint.server_port)
        pushing.send_signal(signal.SIGTERM)
        self.assertIn("profiles that were not taken are in", self.finish(pushing, 1))
        left = len(os.listdir(self.path("rec.out.push")))
        self.assertIn(left + len(endpoint.taken), (50, 51))  # with what was counted meanwhile
        self.assertGreater(left, 20)

    def test_a_folder_without_room(self):
        """Profiles that cannot be kept are sent from memory; those for which that fails are lost, are told of, and end nothing."""
        self.start(address=None)
        os.makedirs(self.path("rec.out.push", ".part"), 0o700)
        os.chmod(self.path("rec.out.push"), 0o700)
        endpoint = self.endpoint()
        pushing = self.push(endpoint.server_port)
        for _ in range(3):
            self.tell("r")
            time.sleep(1)
        pushing.send_signal(signal.SIGTERM)
        errors = self.finish(pushing, 0)
        self.assertIn("Is a directory", errors)
        self.assertNotIn("lost", errors)
        self.assertEqual(self.sums(endpoint.taken), {"rounds": 3, "step": 600, "other": 300})
        endpoint = self.endpoint(*[503] * 100)
        pushing = self.push(endpoint.server_port)
        self.tell("r")
        pushing.send_signal(signal.SIGTERM)
        self.assertIn("could be neither kept nor sent: it is lost", self.finish(pushing, 1))

    def test_a_folder_that_others_reach(self):
        """Profiles are of a program's own data: they are kept where nobody else reads them, and what a link leads to is not taken."""
        self.start(address=None)
        os.mkdir(self.path("open"))
        os.mkdir(self.path("own"), 0o700)
        os.symlink("own", self.path("link"))
        for mode in (0o755, 0o710, 0o701, 0o720, 0o702):
            os.chmod(self.path("open"), mode)
            self.assertIn("--spool: open: others can reach it: make it yours alone (chmod 700)", self.finish(self.push(1, "--spool", "open"), 1), mode)
        self.assertIn("--spool: link: cannot be opened as a folder", self.finish(self.push(1, "--spool", "link"), 1))
        self.assertEqual(os.listdir(self.path("open")) + os.listdir(self.path("own")), [])

    def test_one_command_a_folder(self):
        self.start(address=None)
        endpoint = self.endpoint()
        pushing = self.push(endpoint.server_port)
        second = self.push(endpoint.server_port)
        self.assertIn("another command sends from there", self.finish(second, 1))
        self.tell("r")
        pushing.send_signal(signal.SIGTERM)
        self.finish(pushing, 0)
        self.assertEqual(self.sums(endpoint.taken)["rounds"], 1)

    def test_killed(self):
        """Whenever it is killed, the folder has whole profiles: the next command sends them."""
        self.start(address=None)
        away = self.endpoint()
        port = away.server_port
        away.end()
        for _ in range(3):
            pushing = self.push(port)
            self.tell("r")
            kept = len(os.listdir(self.path("rec.out.push")))
            for _ in range(600):
                if len([name for name in os.listdir(self.path("rec.out.push")) if name.endswith(".gz")]) > kept:
                    break
                time.sleep(0.05)
            pushing.kill()
            pushing.wait()
        self.write("rec.out.push/.part", "half of a profile")
        endpoint = self.endpoint(port=port)
        pushing = self.push(port)
        pushing.send_signal(signal.SIGTERM)
        self.finish(pushing, 0)
        self.assertEqual(self.sums(endpoint.taken), {"rounds": 3, "step": 600, "other": 300})

    def test_the_spool_is_bounded(self):
        self.start(address=None)
        os.mkdir(self.path("rec.out.push"), 0o700)
        for number in range(1, 4):
            with open(self.path("rec.out.push", f"{number:013}-{number + 1:013}.pb.gz"), "wb") as file:
                file.truncate(30 << 20)
        # What is none of ours stays.
        self.write("rec.out.push/mine", "mine")
        os.symlink("mine", self.path("rec.out.push", f"{0:013}-{1:013}.pb.gz"))
        away = self.endpoint()
        port = away.server_port
        away.end()
        pushing = self.push(port)
        self.tell("r")
        time.sleep(1.5)
        pushing.send_signal(signal.SIGTERM)
        errors = self.finish(pushing, 1)
        self.assertIn("more than 67108864 bytes wait to be sent: the profile from 0.001 on is dropped", errors)
        names = sorted(os.listdir(self.path("rec.out.push")))
        self.assertNotIn(f"{1:013}-{2:013}.pb.gz", names)
        self.assertIn(f"{3:013}-{4:013}.pb.gz", names)
        self.assertIn("mine", names)
        self.assertLessEqual(sum(os.lstat(self.path("rec.out.push", name)).st_size for name in names), 64 << 20)

    def test_counting_from_zero(self):
        self.start(address=None)
        endpoint = self.endpoint()
        pushing = self.push(endpoint.server_port)
        self.callsig("ctl", "rec.out", "reset", "--wait", "0.1s")
        self.tell("r")
        time.sleep(1.5)
        self.tell("rr")
        self.assertEqual(self.end(), 0)
        errors = self.finish(pushing, 0)
        self.assertIn("is not sent", errors)
        self.assertEqual(self.sums(endpoint.taken)["rounds"], 2)


class Errors(harness.Case):
    def test_usage(self):
        push = ("export", "--to", "pprof", "--push", "http://localhost:1/")
        self.assert_fails(self.callsig("export", "--to", "folded", "--push", "http://x/"), 2, "--to pprof")
        self.assert_fails(self.callsig(*push, "-o", "x"), 2, "-o")
        self.assert_fails(self.callsig(*push, "--by", "function"), 2, "selects")
        self.assert_fails(self.callsig(*push, "a", "b"), 2, "one process")
        for interval in ("0", "0.5", "x", "3601", "nan", "inf", ""):
            self.assert_fails(self.callsig(*push, "--interval", interval), 2, "--interval")
        for option in (("--interval", "2"), ("--spool", "x"), ("--token-file", "x")):
            self.assert_fails(self.callsig("export", "--to", "pprof", *option), 2, "--push URL")

    @unittest.skipUnless(BUILT, "built without libcurl")
    def test_what_cannot_be(self):
        self.write("rec", "x" * 10000)
        push = ("export", "--to", "pprof", "--push")
        for url in ("ftp://x/", "file:///etc/passwd", "x", "", "http://", "http://x:99999/", "http://[::1/", "http://x/a b", "http://x/#part"):
            self.assert_fails(self.callsig(*push, url, "rec"), 1, "http or https")
        self.assert_fails(self.callsig(*push, "http://localhost:1/", "rec"), 1, "rec", "no recording")
        self.assert_fails(self.callsig(*push, "http://localhost:1/", "missing"), 1, "missing")
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.callsig("run", "-o", "ended", program).returncode, 0)
        self.assert_fails(self.callsig(*push, "http://localhost:1/", "ended"), 1, "ended", "-o OUT")


if __name__ == "__main__":
    harness.main()
