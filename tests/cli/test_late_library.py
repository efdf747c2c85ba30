#!/usr/bin/env python3
# ctest: skips
"""The libraries that speak HTTP: loaded when something is to be sent or served, and told of in one line where that cannot be."""

import subprocess
import unittest

import harness

PUSH = ["export", "--to", "pprof", "--push", "http://127.0.0.1:1/", "recording"]
SERVE = ["serve", "--listen", "127.0.0.1:0", "recording"]


def built(*command):
    """Is the part of the command there? It looks for no recording before it has said so."""
    done = subprocess.run([harness.CALLSIG, *command[:-1], "/nowhere"], text=True, stderr=subprocess.PIPE, timeout=60)
    return "was built without" not in done.stderr


class LateLibrary(harness.Case):
    def broken(self, name, source):
        """Where a library of this name lies that cannot be used: no library at all, or one of this source."""
        if source is None:
            self.write(name, "")
        else:
            done = self.run_command("cc", "-shared", "-fPIC", self.write("library.c", source), "-o", self.path(name))
            self.assertEqual(done.returncode, 0, done.stderr)
        return {"LD_LIBRARY_PATH": self.folder}

    def check(self, command, name, function):
        program = self.compile("program", harness.CALLS)
        self.assertEqual(self.callsig("run", "-o", "recording", program).returncode, 0)
        for source, words in ((None, ("file too short", "install")), ("int nothing;", (function + "()", "newer"))):
            environment = self.broken(name, source)
            self.assert_fails(self.callsig(*command, env=environment), 1, name, *words)
            done = self.callsig("report", "recording", env=environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(built(*PUSH), "built without libcurl")
    def test_push(self):
        self.check(PUSH, "libcurl.so.4", "curl_easy_cleanup")

    @unittest.skipUnless(built(*SERVE), "built without libmicrohttpd")
    def test_serve(self):
        self.check(SERVE, "libmicrohttpd.so.12", "MHD_add_response_header")


if __name__ == "__main__":
    harness.main()
