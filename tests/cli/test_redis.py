#!/usr/bin/env python3
# ctest: case - full
# ctest: skips
"""A Redis under load (redis-benchmark) is switched 10,000 times by `callsig ctl`, and attached to and left 1,000 times: no reply is
wrong or lost, and what is called between the answers is counted exactly.

One connection asks for each of its commands after the answer to the one before, and knows what each answer has to be: of INCR while recording is on,
of DECR while it is off. Meanwhile the load asks for SET, by 20 connections; Redis counts what it has served itself.

CALLSIG_TEST_REDIS names a folder with a redis-server with sleds and a redis-benchmark, where none is to be built."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import harness
import test_attach

SWITCHES = int(os.environ.get("CALLSIG_TEST_SWITCHES", 10000))
ATTACHES = int(os.environ.get("CALLSIG_TEST_ATTACHES", 1000))
LOAD = 20000  # requests of one run of redis-benchmark


def build(folder):
    """Redis from its Debian source as it is, with sleds: the folder of its programs."""
    sources = os.path.join(harness.BUILD, "sources")
    for command in ([os.path.join(harness.TOP, "scripts", "get-sources.sh"), sources, "redis"],
                    ["cp", "-r", os.path.join(sources, "redis"), folder],
                    ["make", "-C", os.path.join(folder, "redis"), "-j2", "CC=" + harness.CALLSIG_CC, "MALLOC=libc", "OPTIMIZATION=-O2"]):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise AssertionError(" ".join(command) + "\n" + done.stdout[-2000:])
    return os.path.join(folder, "redis", "src")


class Load(threading.Thread):
    """redis-benchmark, again and again until it is told to end."""

    def __init__(self, command):
        super().__init__(daemon=True)
        self.command, self.asked, self.failed, self.is_over = command, 0, None, threading.Event()

    def run(self):
        while not self.is_over.is_set() and self.failed is None:
            done = subprocess.run(self.command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.asked += LOAD
            if done.returncode != 0 or done.stderr:
                self.failed = done.stdout + done.stderr


class Redis(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.programs = os.environ.get("CALLSIG_TEST_REDIS")
        if not cls.programs:
            folder = tempfile.mkdtemp(prefix="callsig-redis-")
            cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            cls.programs = build(folder)

    def start(self, *before):
        """The server, after the words of `before`, and the load."""
        self.socket = self.path("socket")
        self.load = Load([os.path.join(self.programs, "redis-benchmark"), "-s", self.socket, "-t", "set", "-n", str(LOAD), "-c", "20", "-q"])
        self.server = subprocess.Popen([*before, os.path.join(self.programs, "redis-server"), "--port", "0", "--unixsocket", self.socket,
                                        "--save", "", "--appendonly", "no"], cwd=self.folder, env=self.environment, text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.stop)
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(60)
        until = time.monotonic() + 60
        while self.connection.connect_ex(self.socket) != 0:
            self.assertIsNone(self.server.poll(), "redis-server ended")
            self.assertLess(time.monotonic(), until, "redis-server does not listen")
            time.sleep(0.02)
        self.answers = self.connection.makefile("rb")
        self.number = 0
        self.load.start()

    def stop(self):
        self.load.is_over.set()
        # With what it was started by: a server that is left would keep its end of the pipe.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.server.pid, signal.SIGKILL)
        self.server.communicate()
        self.connection.close()

    def ask(self, command):
        self.connection.sendall(command + b"\r\n")
        return self.answers.readline()

    def count(self, command, step, times):
        """So many commands that change a number by `step`: each answer is the next one."""
        for _ in range(times):
            self.number += step
            self.assertEqual(self.ask(command + b" number"), b":%d\r\n" % self.number)

    def end(self):
        """Ends the load and the server. What Redis has served is what it was asked for."""
        self.load.is_over.set()
        self.load.join()
        self.assertIsNone(self.load.failed)
        self.connection.sendall(b"INFO commandstats\r\n")
        text = self.answers.read(int(self.answers.readline()[1:]) + 2).decode()
        for name, calls in (("set", self.load.asked), ("incr", self.increments), ("decr", self.decrements)):
            found = re.search(rf"cmdstat_{name}:calls=(\d+),.*failed_calls=0", text)
            self.assertTrue(found, text)
            self.assertEqual(int(found[1]), calls)
        self.connection.sendall(b"SHUTDOWN NOSAVE\r\n")
        self.assertEqual(self.answers.read(), b"")
        self.answers.close()
        self.connection.close()
        _, err = self.server.communicate(timeout=60)
        self.assertEqual(self.server.returncode, 0, err)
        return err

    def counts(self, recording):
        """function -> calls; nothing is said to be lost."""
        done = self.callsig("report", recording, "--by", "function", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual([note for note in report["notes"] if re.search("not recorded|lost|dropped", note)], [])
        return {row["function"]: row["ncalls"] for row in report["rows"]}

    def check_counts(self, recording):
        counts = self.counts(recording)
        self.assertEqual((counts.get("incrCommand"), counts.get("decrCommand")), (self.increments, None))
        # The load goes on in both, so nobody knows how much of it was recorded, but some and not all was.
        self.assertTrue(0 < counts["setCommand"] < self.load.asked, (counts["setCommand"], self.load.asked))

    def switch(self, word):
        done = self.callsig("ctl", "--wait", "60s", "x.out", word)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def switch_often(self, *options):
        self.start(harness.CALLSIG, "run", "-o", "x.out", "--off", *options)
        self.increments = self.decrements = 0
        for _ in range(SWITCHES // 2):
            self.count(b"DECR", -1, 2)
            self.switch("on")
            self.count(b"INCR", 1, 3)
            self.increments, self.decrements = self.increments + 3, self.decrements + 2
            self.switch("off")
            self.assertIsNone(self.load.failed)
        self.count(b"DECR", -1, 2)
        self.decrements += 2
        self.end()
        self.check_counts("x.out")

    def test_switched(self):
        self.switch_often()

    def test_attached(self):
        self.start()
        self.increments = self.decrements = 0
        for _ in range(ATTACHES):
            self.count(b"DECR", -1, 2)
            attached = test_attach.Attached(self, self.server, "-o", self.path("x.out"))
            self.count(b"INCR", 1, 3)
            self.assertEqual(attached.finish(), "")
            self.increments, self.decrements = self.increments + 3, self.decrements + 2
            self.assertIsNone(self.load.failed)
        self.count(b"DECR", -1, 2)
        self.decrements += 2
        self.end()
        self.check_counts("x.out")


if __name__ == "__main__":
    if not test_attach.may_trace():
        print("skipped: processes may not be traced here")
        sys.exit(77)
    harness.main()
