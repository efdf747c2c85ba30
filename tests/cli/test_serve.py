#!/usr/bin/env python3
# ctest: skips
"""callsig serve and callsig run --serve: profiles of what was added, metrics, who may ask, and clients that mean no good."""

import http.client
import http.server
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import unittest

import harness
from served import BUILT, Served

if not BUILT:
    print("callsig was built without libmicrohttpd")
    sys.exit(77)


class Asked(threading.Thread):
    """A request that has been sent, whose answer is read in a thread of its own."""

    def __init__(self, case, path):
        super().__init__()
        self.case, self.answer = case, None
        self.connection = case.request(path)
        self.start()

    def run(self):
        self.answer = self.case.answer(self.connection)

    def result(self):
        self.join(120)
        return self.answer


class Relay(http.server.BaseHTTPRequestHandler):
    """Hands a request on to the server, and tells when that has it."""

    def do_GET(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        connection.request("GET", self.path)
        self.server.came.set()
        answer = connection.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.end_headers()
        self.wfile.write(answer.read())
        connection.close()

    def log_message(self, *ignored):
        pass


class Profiles(Served):
    def added(self, letters, seconds=2):
        """What a profile has while the program does some rounds. It has begun when the server has come to what was asked behind it, which may take a
        while where all processors are busy."""
        asked = Asked(self, f"/debug/pprof/profile?seconds={seconds}")
        self.assertEqual(self.ask("/metrics")[0], 200)
        self.tell(letters)
        status, headers, body = asked.result()
        self.assertEqual((status, headers["Content-Type"]), (200, "application/octet-stream"), body)
        return self.profile(body)

    def test_counts_are_exact(self):
        self.start()
        calls, read = self.added("rrr")
        self.assertEqual(calls, {"rounds": 3, "step": 600, "other": 300})
        labels = {(sample[2]["signature"], sample[1][0]) for sample in read["samples"] if sample[0][-1] == "step"}
        self.assertEqual(labels, {("step(n=7)", 300), ("step(n=4)", 300)})
        self.assertTrue(any("what was added in" in comment for comment in read["comments"]), read["comments"])
        # Nothing happened: the outermost function alone has time.
        calls, read = self.added("")
        self.assertEqual(calls, {})
        self.assertTrue(sum(sample[1][1] for sample in read["samples"]) > 0)
        status, _, whole = self.ask("/debug/pprof/callsig")
        self.assertEqual(status, 200)
        self.assertEqual(self.profile(whole)[0], {"main": 1, "rounds": 4, "step": 800, "other": 400})

    def test_threads_that_come_and_go(self):
        self.start()
        self.tell("t")
        calls, _ = self.added("tt")
        self.assertEqual(calls, {"threads": 2, "steps": 8, "step": 400})

    def test_arguments_that_widen_meanwhile(self):
        self.start()
        self.assertEqual(self.added("w")[0], {"widen": 1, "wide": 1000})
        self.assertEqual(self.added("ww")[0], {"widen": 2, "wide": 2000})

    def test_stages_are_labels(self):
        self.start()
        calls, read = self.added("pp")
        self.assertEqual(calls["step"], 2)
        stages = {sample[2].get("stage") for sample in read["samples"] if sample[0][-1] == "step" and sample[1][0]}
        self.assertEqual(stages, {'0:0:de"co\\de\\x0a'})

    def test_counting_from_zero(self):
        self.start()
        # Where all processors are busy, the profile may be over before the program has taken the order.
        for seconds in (2, 10, 30):
            asked = Asked(self, f"/debug/pprof/profile?seconds={seconds}")
            time.sleep(0.3)
            self.assertEqual(self.ask("/metrics")[0], 200)
            done = self.callsig("ctl", "rec.out", "reset", "--wait", "0.1s")
            self.tell("r")
            status, _, body = asked.result()
            if status != 200:
                break
        self.assertEqual(status, 409, done.stderr)
        self.assertIn(b"count from zero", body)
        self.assertEqual(self.added("r")[0], {"rounds": 1, "step": 200, "other": 100})

    def test_the_program_is_killed(self):
        self.start()
        asked = Asked(self, "/debug/pprof/profile?seconds=2")
        self.assertEqual(self.ask("/metrics")[0], 200)
        self.tell("rr")
        server = self.port
        other = self.serve("--listen", "127.0.0.1:0", "rec.out")
        beside = Asked(self, "/debug/pprof/profile?seconds=1")
        self.assertEqual(self.ask("/metrics")[0], 200)
        os.kill(self.guest(), signal.SIGKILL)
        self.run.wait(timeout=60)
        self.assertEqual(self.run.returncode, 128 + signal.SIGKILL)
        # The server of the run ends with it, and says so to whoever waits, or breaks off.
        self.assertIn(asked.result() and asked.result()[0], (None, 503))
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server))
        # Any other reads what is left.
        self.assertEqual(beside.result()[0], 200)
        self.assertEqual(self.metrics()["callsig_process_running"], {"": 0})
        self.assertEqual(self.profile(self.ask("/debug/pprof/callsig")[2])[0]["rounds"], 3)
        self.assertIsNone(other.poll())

    @unittest.skipUnless(shutil.which("go"), "there is no go")
    def test_go_fetches(self):
        self.start()
        environment = {"HOME": self.folder, "PPROF_TMPDIR": self.folder, "GOCACHE": self.path("go"), "GOFLAGS": ""}
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Relay) as relay:
            relay.port, relay.came = self.port, threading.Event()
            threading.Thread(target=relay.serve_forever).start()
            with subprocess.Popen(["go", "tool", "pprof", "-top", "-sample_index=calls",
                                   f"http://127.0.0.1:{relay.server_port}/debug/pprof/profile?seconds=2"],
                                  env=self.environment | environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as go:
                came = relay.came.wait(120)
                # It has begun when the server has come to what is asked behind it.
                status = self.ask("/metrics")[0]
                self.tell("rr")
                out, err = go.communicate()
            relay.shutdown()
        self.assertEqual((came, status, go.returncode), (True, 200, 0), err)
        rows = dict(reversed(re.match(r"\s*(\d+) .* (\S+)$", line).groups()) for line in out.splitlines() if re.match(r"\s*\d+ ", line))
        self.assertEqual(rows, {"step": "400", "other": "200", "rounds": "2"} | {k: v for k, v in rows.items() if v == "0"}, out)
        whole = self.run_command("go", "tool", "pprof", "-traces", f"http://127.0.0.1:{self.port}/debug/pprof/callsig", env=environment)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertIn("step(n=4)", whole.stdout)


class Metrics(Served):
    def rows(self):
        done = self.callsig("report", "--by", "function", "--format", "json", "rec.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["function"]: row for row in __import__("json").loads(done.stdout)["rows"]}

    def name_of(self, labels):
        """The function that a sample is of, as the format escapes it. One of the program's is called "other", too."""
        if 'function="other",file=""' in labels:
            return "(others)"
        return re.sub(r"\\(.)", r"\1", re.search(r'function="((?:[^"\\]|\\.)*)"', labels).group(1))

    def calls(self, metrics):
        return {self.name_of(labels): value for labels, value in metrics["callsig_function_calls_total"].items()}

    def test_counters_are_the_recording(self):
        self.start()
        self.tell("rrtpppf")
        time.sleep(0.3)
        metrics = self.metrics()
        self.assertEqual(self.calls(metrics)["step"], 200 * 3 + 200 + 4)
        label = 'stage="0:0:de\\"co\\\\de\\\\x0a",name="de\\"co\\\\de\\\\x0a"'
        self.assertEqual(metrics["callsig_stage_tasks_total"], {label: 4})
        self.assertEqual(metrics["callsig_stage_failures_total"], {label: 1})
        self.assertEqual(metrics["callsig_stage_task_seconds_count"], {label: 3})
        buckets = {re.search('le="([^"]*)"', key).group(1): value for key, value in metrics["callsig_stage_task_seconds_bucket"].items()}
        self.assertEqual((buckets["0.0025"], buckets["10.0"], buckets["+Inf"]), (0, 3, 3))
        self.assertGreaterEqual(metrics["callsig_stage_task_seconds_sum"][label], 0.009)
        queue = 'queue="0:0:frames",name="frames"'
        self.assertEqual(metrics["callsig_queue_puts_total"], {queue: 4})
        self.assertEqual(metrics["callsig_queue_gets_total"], {queue: 4})
        self.assertEqual(metrics["callsig_queue_items"], {queue: 0})
        self.assertEqual(metrics["callsig_queue_capacity_items"], {queue: 4})
        self.assertEqual(metrics["callsig_process_running"], {"": 1})
        self.assertEqual(metrics["callsig_recording_on"], {"": 1})
        self.serve("--listen", "127.0.0.1:0", "rec.out")
        self.assertEqual(self.end(), 0)
        metrics, rows = self.metrics(), self.rows()
        self.assertEqual(self.calls(metrics), {**{name: row["ncalls"] for name, row in rows.items()}, "(others)": 0})
        for labels, value in metrics["callsig_function_self_seconds_total"].items():
            name = self.name_of(labels)
            self.assertAlmostEqual(value, rows[name]["tottime"] if name in rows else 0, places=9)
        self.assertEqual(metrics["callsig_calls_total"][""], sum(row["ncalls"] for row in rows.values()))

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool")
    def test_promtool(self):
        self.start()
        self.tell("rtwpf")
        body = self.ask("/metrics")[2]
        done = subprocess.run(["promtool", "check", "metrics"], input=body, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b""))

    def test_rows_are_bounded_and_never_fall(self):
        self.start(address=None)
        self.serve("--listen", "127.0.0.1:0", "--functions", "2", "rec.out")
        before = None
        for letters in ("r", "w", "l", "t", "p", "rr"):
            self.tell(letters)
            time.sleep(0.3)
            metrics = self.metrics()
            for name in ("callsig_function_calls_total", "callsig_function_self_seconds_total"):
                self.assertLessEqual(len(metrics[name]), 2 * 4 + 1)
                for labels, value in (before or metrics)[name].items():
                    self.assertGreaterEqual(metrics[name][labels], value, (letters, labels))
            self.assertAlmostEqual(sum(metrics["callsig_function_calls_total"].values()), metrics["callsig_calls_total"][""])
            before = metrics
        # late() came to the front when others had rows, and has one now; what was not told of it before is in its row.
        self.settled([1], "late")
        self.assertGreater(self.calls(self.metrics())["(others)"], 0)

    def test_counting_from_zero(self):
        self.start()
        self.tell("rrr")
        self.settled([800])
        self.callsig("ctl", "rec.out", "reset", "--wait", "0.1s")
        self.tell("r")  # in whose beginning it is taken
        begun = self.settled(range(190, 201))
        self.tell("r")
        self.settled([begun + 200])

    def settled(self, expected, function="step"):
        """The calls of a function, once they are among those that are expected: a busy machine takes its time."""
        until = time.monotonic() + 20
        while (calls := self.calls(self.metrics()).get(function, 0)) not in expected:
            self.assertLess(time.monotonic(), until, (calls, expected))
            time.sleep(0.1)
        return calls

    def test_no_recording(self):
        self.start(address=None)
        shutil.copy(self.path("rec.out"), self.path("nothing"))
        self.serve("--listen", "127.0.0.1:0", "nothing")
        os.unlink(self.path("nothing"))
        self.assertEqual(self.metrics()["callsig_recording_readable"], {"": 0})
        for path in ("/", "/debug/pprof/callsig", "/debug/pprof/profile?seconds=1"):
            status, _, body = self.ask(path)
            self.assertEqual(status, 503, body)
            self.assertIn(b"nothing", body)


class Requests(Served):
    def test_what_is_refused(self):
        self.start()
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"):
            status, headers, _ = self.ask("/metrics", method)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"), method)
        self.assertEqual(self.ask("/metrics", "POST", body=b"x" * 100000)[0], 405)
        self.assertEqual(self.ask("/debug/pprof/profile", "HEAD")[0], 405)
        status, headers, body = self.ask("/metrics", "HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertGreater(int(headers["Content-Length"]), 100)
        for path in ("/etc/passwd", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//metrics", "/metrics/", "/debug/pprof"):
            self.assertEqual(self.ask(path)[0], 404, path)
        for seconds in ("", "0", "-1", "1.5", "301", "1e3", "99999999999999999999", "%00", "1%20"):
            self.assertEqual(self.ask("/debug/pprof/profile?seconds=" + seconds)[0], 400, seconds)
        self.assertEqual(self.ask("/metrics", headers={"X-Long": "x" * 30000})[0], 431)
        self.assertIn(self.ask("/" + "x" * 30000)[0], (404, 414, 431))
        self.assertEqual(self.ask("/healthz")[0], 200)

    def test_hosts(self):
        self.start()
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1]x", "[::1", "localhost:8o", "10.0.0.1", ""):
            self.assertIn(self.ask("/metrics", headers={"Host": host})[0], (400, 421), host)
        for host in ("localhost", "LocalHost:1", "127.0.0.1", "127.1.2.3:99", "[::1]:8080"):
            self.assertEqual(self.ask("/metrics", headers={"Host": host})[0], 200, host)

    def test_nonsense(self):
        self.start()
        for nonsense in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" + os.urandom(200), b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000,
                         b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
                try:
                    connection.sendall(nonsense)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(4096):
                        pass
                except ConnectionError:
                    pass
        self.assertEqual(self.ask("/healthz")[0], 200)

    def test_the_page(self):
        self.start()
        status, headers, body = self.ask("/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertTrue(body.startswith(b"<!DOCTYPE html>"))
        self.assertIn(b"profile?seconds", self.ask("/debug/pprof/")[2])

    def test_profiles_at_once(self):
        self.start()
        # Where all processors are busy, the first may be over before the server has come to the last.
        for seconds in (2, 10, 30):
            asked = [Asked(self, f"/debug/pprof/profile?seconds={seconds}") for _ in range(8)]
            statuses = sorted(one.result()[0] for one in asked)
            if statuses.count(200) == 3:
                break
        self.assertEqual(statuses, [200] * 3 + [503] * 5)
        self.assertEqual(self.ask("/debug/pprof/profile?seconds=1")[0], 200)

    def test_askers_that_leave(self):
        """A profile that nobody waits for any more makes room for another one."""
        self.start()
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
                connection.sendall(b"GET /debug/pprof/profile?seconds=300 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                time.sleep(0.3)  # so that it is taken, and not only begun
        deadline = time.monotonic() + 30
        while (status := self.ask("/debug/pprof/profile?seconds=1")[0]) == 503 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(status, 200)
        self.assertEqual(self.end(), 0)

    def status_of(self, path):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        connection.request("GET", path, headers={"Host": "localhost"})
        return connection.getresponse().status

    def ask_as(self, user, seconds):
        """Another user's process that asks for a profile, whose exit status is that of the answer, less 200; 1: none came."""
        process = os.fork()
        if process:
            return process
        status = 201
        try:
            self.status_of("/healthz")  # loads what Python needs for it, which may not be the other user's to read
            os.setuid(user)
            status = self.status_of(f"/debug/pprof/profile?seconds={seconds}")
        finally:
            os._exit((status - 200) & 255)

    @unittest.skipIf(os.geteuid(), "only root asks in another user's name")
    def test_profiles_for_all(self):
        """A user who asks for as many as there are leaves one to others, by whatever address they come."""
        refused = (503 - 200) & 255
        for self.host in ("127.0.0.1", "::1"):
            with self.subTest(host=self.host):
                self.start(address=f"[{self.host}]:0" if ":" in self.host else f"{self.host}:0")
                greedy = {self.ask_as(65534, 60) for _ in range(8)}
                for _ in range(5):
                    process, status = os.waitpid(-1, 0)
                    greedy.remove(process)
                    self.assertEqual(os.waitstatus_to_exitcode(status), refused)
                for user, wanted in ((65533, 0), (65534, refused)):
                    self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(self.ask_as(user, 1), 0)[1]), wanted)
                for process in greedy:
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, 0)
                self.end()

    def test_slow_clients(self):
        self.start()
        address, slow = ("127.0.0.1", self.port), []
        # More of them than there are places; each keeps its own by a byte now and then.
        for number in range(300):
            connection = socket.create_connection(address, timeout=20)
            self.addCleanup(connection.close)
            connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Slow: " if number % 2 else b"G")
            slow.append(connection)
        begin = time.monotonic()
        while time.monotonic() - begin < 3:
            asked = time.monotonic()
            self.assertEqual(self.ask("/metrics")[0], 200)
            self.assertLess(time.monotonic() - asked, 10)
            self.tell("r")
            for connection in slow:
                try:
                    connection.send(b"a")
                except OSError:
                    pass
        # Their time is over at the latest ten seconds after they came.
        deadline = time.monotonic() + 30
        for connection in slow:
            connection.settimeout(max(0.1, deadline - time.monotonic()))
            try:
                while connection.recv(4096):
                    pass
            except ConnectionError:
                pass

    def test_clients_that_do_not_read(self):
        self.start()
        for _ in range(40):
            connection = socket.socket()
            self.addCleanup(connection.close)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self.port))
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(self.ask("/")[0], 200)
        self.assertEqual(self.end(), 0)

    def test_a_token(self):
        token = self.write("token", "sesame-open-0123456789\n", 0o600)
        self.start("--token-file", token)
        self.assertEqual(self.ask("/metrics")[0], 401)
        self.assertIn("Bearer", self.ask("/metrics")[1]["WWW-Authenticate"])
        for given in ("Bearer", "Bearer ", "Bearer sesame-open-012345678", "Bearer sesame-open-01234567899", "Basic sesame-open-0123456789",
                      "Bearer x", "sesame-open-0123456789"):
            self.assertEqual(self.ask("/metrics", headers={"Authorization": given})[0], 401, given)
        self.metrics(headers={"Authorization": "Bearer sesame-open-0123456789"})
        # Whoever knows it may come by any name.
        self.assertEqual(self.ask("/metrics", headers={"Authorization": "bearer sesame-open-0123456789", "Host": "there.example"})[0], 200)

    def test_a_unix_socket(self):
        self.start(address="unix:serve.sock")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("serve.sock")).st_mode), 0o600)
        self.assertEqual(self.socket, os.path.realpath(self.path("serve.sock")))
        self.assertEqual(self.calls_of_step(), 200)
        done = self.callsig("serve", "--listen", "unix:serve.sock", "rec.out")
        self.assert_fails(done, 1, "unix:serve.sock", "Address already in use")
        self.assertEqual(self.end(), 0)
        self.assertFalse(os.path.exists(self.path("serve.sock")))

    def calls_of_step(self):
        return next(value for labels, value in self.metrics()["callsig_function_calls_total"].items() if 'function="step"' in labels)

    def test_a_socket_that_was_left(self):
        self.start(address=None)
        server = self.serve("--listen", "unix:" + self.path("left.sock"), "rec.out")
        server.kill()
        server.wait()
        self.assertTrue(os.path.exists(self.path("left.sock")))
        self.serve("--listen", "unix:" + self.path("left.sock"), "rec.out")
        self.assertEqual(self.calls_of_step(), 200)
        # What is no socket stays.
        self.write("file", "mine")
        self.assert_fails(self.callsig("serve", "--listen", "unix:file", "rec.out"), 1, "unix:file")
        os.symlink("left.sock", self.path("link.sock"))
        self.assert_fails(self.callsig("serve", "--listen", "unix:link.sock", "rec.out"), 1, "unix:link.sock")

    def test_the_program_does_not_see_it(self):
        self.start()
        guest = self.guest()
        self.ask("/metrics")
        self.assertEqual(len(os.listdir(f"/proc/{guest}/task")), 1)
        links = [os.readlink(f"/proc/{guest}/fd/{fd}") for fd in os.listdir(f"/proc/{guest}/fd")]
        self.assertEqual([link for link in links if link.startswith("socket:")], [])
        with open(f"/proc/{self.run.pid}/task/{self.run.pid}/children") as file:
            server = next(child for child in file.read().split() if int(child) != guest)
        with open(f"/proc/{server}/stat") as file:
            self.assertEqual(file.read().rsplit(")", 1)[1].split()[16], "19")
        # Its end is the server's, however it comes.
        self.run.kill()
        for _ in range(200):
            if not os.path.exists(f"/proc/{server}"):
                break
            time.sleep(0.05)
        else:
            self.fail("the server goes on")
        os.kill(guest, signal.SIGKILL)

    def test_a_server_that_is_killed(self):
        """The program goes on, and its end tells of it."""
        self.start()
        guest = self.guest()
        with open(f"/proc/{self.run.pid}/task/{self.run.pid}/children") as file:
            os.kill(next(int(child) for child in file.read().split() if int(child) != guest), signal.SIGKILL)
        self.tell("r")
        self.assertEqual(self.end(), 0)
        self.errors.seek(0)
        self.assertIn("callsig: run: the server had ended before the program: signal 9\n", self.errors.read())


class Errors(harness.Case):
    def test_addresses(self):
        self.write("rec.out", "")
        for address, word in (("", "no port"), ("localhost", "no port"), ("127.0.0.1:", "no port"), ("127.0.0.1:65536", "no port"), ("127.0.0.1:x", "no port"),
                              ("::1:80", "brackets"), ("[::1]80", "brackets"), ("unix:", "no path"), ("unix:" + "x" * 200, "107"),
                              ("0.0.0.0:0", "--token-file"), (":0", "--token-file"), ("[::]:0", "--token-file")):
            self.assert_fails(self.callsig("serve", "--listen", address, "rec.out"), 2, "--listen", word)
            self.assert_fails(self.callsig("run", "--serve", address, "/bin/true"), 2, "--serve", word)
        self.assert_fails(self.callsig("serve", "--listen", "no-such-host.invalid:1", "rec.out"), 1, "no-such-host.invalid")
        self.assert_fails(self.callsig("serve", "--listen", "unix:/nowhere/x", "rec.out"), 1, "/nowhere/x")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            self.assert_fails(self.callsig("serve", "--listen", port, "rec.out"), 1, "Address already in use")
        self.assertEqual(os.listdir(self.folder), ["rec.out"])

    def test_arguments(self):
        self.assert_fails(self.callsig("serve"), 1, "callsig.out")
        self.assert_fails(self.callsig("serve", "missing"), 1, "missing: No such file or directory; name a recording or a process")
        self.write("text", "no recording\n")
        self.write("empty", "")
        os.mkfifo(self.path("fifo"))
        for name in ("text", "empty", "fifo", "."):
            self.assert_fails(self.callsig("serve", "--listen", "0", name), 1, f"{name}: not a callsig recording")
        self.assert_fails(self.callsig("serve", "--listen", "unix:socket", "text"), 1, "text: not a callsig recording")
        self.assertFalse(os.path.exists(self.path("socket")))
        self.assert_fails(self.callsig("serve", "999999999"), 1, "no process 999999999")
        self.assert_fails(self.callsig("serve", "a", "b"), 2, "one process")
        self.assert_fails(self.callsig("serve", "--functions", "0", "a"), 2, "--functions")
        self.assert_fails(self.callsig("serve", "--functions", "10001", "a"), 2, "10000")
        self.assert_fails(self.callsig("run", "--token-file", "x", "/bin/true"), 2, "--serve")

    def test_tokens(self):
        self.write("rec.out", "")
        wrong = {"open": ("x" * 20, 0o644, "chmod 600"), "short": ("x" * 15 + "\n", 0o600, "16"), "long": ("x" * 1025, 0o600, "1024"),
                 "spaces": ("x" * 20 + " y", 0o600, "spaces"), "empty": ("", 0o600, "16"), "lines": ("x" * 20 + "\n\n", 0o600, "spaces")}
        for name, (text, mode, word) in wrong.items():
            self.write(name, text, mode)
            self.assert_fails(self.callsig("serve", "--token-file", name, "--listen", "0.0.0.0:0", "rec.out"), 1, name, word)
        os.symlink("short", self.path("link"))
        for name in ("link", "missing", "."):
            self.assert_fails(self.callsig("serve", "--token-file", name, "--listen", "127.0.0.1:0", "rec.out"), 1, f"--token-file: {name}:")


if __name__ == "__main__":
    harness.main()
