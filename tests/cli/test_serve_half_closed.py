#!/usr/bin/env python3
# ctest: skips
"""callsig serve: clients that close their half of a connection behind the request, as `nc -N` does, get what others get."""

import os
import socket
import unittest

import harness
from served import BUILT, Served


@unittest.skipUnless(BUILT, "built without libmicrohttpd")
class HalfClosed(Served):
    def begin(self, *paths, path=None):
        """A connection on which these are asked for, and nothing will be any more."""
        if path:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(60)
            connection.connect(path)
        else:
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.addCleanup(connection.close)
        connection.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in paths))
        connection.shutdown(socket.SHUT_WR)
        return connection

    def finish(self, connection):
        """All that comes, until the server closes the connection."""
        return b"".join(iter(lambda: connection.recv(65536), b""))

    def assert_answered(self, answer, least=0):
        head, _, body = answer.partition(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"HTTP/1.1 200 "), head)
        self.assertIn(f"Content-Length: {len(body)}".encode(), head)
        self.assertGreater(len(body), least)

    def test_what_is_there_and_what_is_waited_for(self):
        """The connection ends behind the answer, and before one that was idle from earlier on."""
        self.start()
        for path, least in (("/healthz", 1), ("/", 10000), ("/metrics", 1000), ("/debug/pprof/callsig", 100), ("/debug/pprof/profile?seconds=1", 100)):
            for _ in range(3):
                with self.subTest(path=path), socket.create_connection(("127.0.0.1", self.port), timeout=60) as idle:
                    self.assert_answered(self.finish(self.begin(path)), least)
                    idle.setblocking(False)
                    self.assertRaises(BlockingIOError, idle.recv, 1)

    def test_several_requests(self):
        self.start()
        for paths in (["/healthz"] * 20, ["/metrics", "/healthz", "/debug/pprof/callsig", "/"]):
            answer = self.finish(self.begin(*paths))
            self.assertEqual(answer.count(b"HTTP/1.1 200 "), len(paths))

    def test_a_unix_socket(self):
        self.start(address="unix:" + os.path.join(self.folder, "socket"))
        for path in ("/metrics", "/debug/pprof/profile?seconds=1"):
            self.assert_answered(self.finish(self.begin(path, path=self.socket)), 100)

    def test_profiles_make_room(self):
        """Who closed its half may have gone: it is waited for until another one asks for its place."""
        self.start()
        # On a busy machine, the three may have been taken before the server has come to the fourth.
        for seconds in (4, 20):
            halves = [self.begin(f"/debug/pprof/profile?seconds={seconds}") for _ in range(3)]
            # They are being taken when the server has come to what was asked behind them.
            self.assertEqual(self.ask("/metrics")[0], 200)
            self.assertEqual(self.ask("/debug/pprof/profile?seconds=1")[0], 200)
            answers = [self.finish(half) for half in halves]
            if not all(answers):
                break
        self.assertEqual(sorted(len(answer) > 0 for answer in answers), [False, True, True])
        for answer in filter(None, answers):
            self.assert_answered(answer)


if __name__ == "__main__":
    harness.main()
