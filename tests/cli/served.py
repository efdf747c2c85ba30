"""What the tests of servers share: a program that does what it is told, callsig run beside it, and requests."""

import http.client
import os
import re
import socket
import subprocess
import tempfile

import harness
import pprof_reader

# False: the command was built without the library that its server takes.
BUILT = "libmicrohttpd" not in subprocess.run([harness.CALLSIG, "serve", "--listen", "", "/nowhere"], text=True, stderr=subprocess.PIPE).stderr

# Reads one letter after the other, does a round of it, and says so.
SERVED = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
static __attribute__((noinline)) void step(int n) { (void)n; __asm__ volatile(""); }
static __attribute__((noinline)) void other(int n) { step(n + 1); }
static __attribute__((noinline)) void wide(int n) { (void)n; __asm__ volatile(""); }
static __attribute__((noinline)) void late(int n) { for (volatile int i = 0; i < n; i++) {} }
static void *steps(void *data) { for (int i = 0; i < 50; i++) step((int)(intptr_t)data); return NULL; }
static void rounds(void) { for (int i = 0; i < 100; i++) { step(7); other(3); } }
static void threads(void) {
  pthread_t list[4];
  for (intptr_t i = 0; i < 4; i++) pthread_create(&list[i], NULL, steps, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(list[i], NULL);
}
static void widen(void) { static int n; for (int i = 0; i < 1000; i++) wide(n++ * 3); }
static struct callsig_stage *stage;
static struct callsig_queue *queue;
static void task(int failed) {
  if (!stage) {
    callsig_stage_open(&(struct callsig_stage_options){.size = sizeof(struct callsig_stage_options), .name = "de\"co\\de\n"}, &stage);
    callsig_queue_open(&(struct callsig_queue_options){.size = sizeof(struct callsig_queue_options), .name = "frames", .capacity = 4}, &queue);
  }
  callsig_task_begin(stage, NULL);
  step(1);
  usleep(3000);
  callsig_task_end(stage, failed);
  callsig_queue_put_end(queue, callsig_queue_put_begin(queue), 0, 0);
  callsig_queue_get_end(queue, callsig_queue_get_begin(queue), 0, 0);
}
int main(void) {
  for (int c; (c = getchar()) != EOF;) {
    if (c == 'r') rounds();
    if (c == 't') threads();
    if (c == 'w') widen();
    if (c == 'p' || c == 'f') task(c == 'f');
    if (c == 'l') late(60000000);
    puts("done");
    fflush(stdout);
  }
  return 0; }
"""


class Unix(http.client.HTTPConnection):
    """HTTP over a UNIX socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Served(harness.Case):
    """A program under `callsig run`, and servers of its recording."""

    def start(self, *options, address="127.0.0.1:0", program=None):
        """Starts the program; with an address, its server too. self.port or self.socket is where that listens."""
        program = program or self.compile("program", SERVED, "-I" + harness.INCLUDE,
                                          libs=("-L" + harness.RUNTIME, "-lcallsig", "-Wl,-rpath," + harness.RUNTIME, "-lpthread"))
        serve = ["--serve", address] if address else []
        self.errors = tempfile.TemporaryFile("w+")
        self.addCleanup(self.errors.close)
        self.run = subprocess.Popen([harness.CALLSIG, "run", "--times", "exact", "-o", "rec.out", *serve, *options, program], cwd=self.folder,
                                    env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.addCleanup(self.end)
        self.tell("r")
        if address:
            self.find_address(self.errors)

    def find_address(self, errors):
        errors.seek(0)
        text = errors.read()
        found = re.search(r"^callsig: serving .*?at (?:http://[^ ]*:(\d+)/|unix:(\S+))$", text, re.M)
        self.assertIsNotNone(found, text)
        self.port, self.socket = found.group(1) and int(found.group(1)), found.group(2)

    def serve(self, *arguments):
        """Starts `callsig serve`, which is ended when the test is over."""
        server = subprocess.Popen([harness.CALLSIG, "serve", *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.stop, server)
        line = server.stderr.readline()
        found = re.search(r"at (?:http://[^ ]*:(\d+)/|unix:(\S+))$", line)
        self.assertIsNotNone(found, line)
        self.port, self.socket = found.group(1) and int(found.group(1)), found.group(2)
        return server

    def stop(self, server):
        if server.poll() is None:
            server.terminate()
        server.wait(timeout=60)
        server.stderr.close()

    def tell(self, letters):
        for letter in letters:
            self.run.stdin.write(letter)
            self.run.stdin.flush()
            self.assertEqual(self.run.stdout.readline(), "done\n")

    def end(self):
        """Ends the program. The exit status of `callsig run`."""
        if not self.run.stdin.closed:
            self.run.stdin.close()
            self.run.wait(timeout=600)
            self.run.stdout.close()
        return self.run.returncode

    def guest(self):
        """The program's number."""
        with open(f"/proc/{self.run.pid}/task/{self.run.pid}/children") as file:
            children = file.read().split()
        return next(int(child) for child in children if os.readlink(f"/proc/{child}/exe").endswith("program"))

    def request(self, path, method="GET", headers=None, body=None):
        """The connection that a request was sent on."""
        connection = Unix(self.socket) if self.socket else http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers=headers or {})
        except BaseException:
            connection.close()
            raise
        return connection

    @staticmethod
    def answer(connection):
        """(status, headers, body) of what was asked for."""
        try:
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def ask(self, path, method="GET", headers=None, body=None):
        """(status, headers, body) of a request."""
        return self.answer(self.request(path, method, headers, body))

    def metrics(self, **options):
        """{name: {labels as text: value}}"""
        status, headers, body = self.ask("/metrics", **options)
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        found = {}
        for line in body.decode().splitlines():
            if not line.startswith("#"):
                series, value = line.rsplit(" ", 1)
                name, _, labels = series.partition("{")
                self.assertNotIn(labels, found.setdefault(name, {}), line)
                found[name][labels.rstrip("}")] = float(value)
        return found

    def profile(self, body):
        """{function: calls} and the samples of a profile's bytes."""
        with open(self.path("profile.gz"), "wb") as file:
            file.write(body)
        read = pprof_reader.read(self.path("profile.gz"))
        calls = {}
        for stack, values, _ in read["samples"]:
            self.assertTrue(all(value >= 0 for value in values), values)
            calls[stack[-1]] = calls.get(stack[-1], 0) + values[0]
        return {name: count for name, count in calls.items() if count}, read
