#!/usr/bin/env python3
"""How the soak's live reader is judged: not by how busy the machine is, but it may neither hang nor fail nor give no result."""

import os
import signal
import stat
import tempfile
import types
import unittest
from unittest import mock

import run_soak


class Readings(unittest.TestCase):
    def soak(self, script, seconds=3600):
        """A soak whose command is the script."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        scratch, command = folder.name, os.path.join(folder.name, "command")
        with open(command, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(command, stat.S_IRWXU)
        tools = types.SimpleNamespace(scratch=scratch, command=command, new_recording=lambda: "recording", environment=dict)
        soak = run_soak.Soak(tools, types.SimpleNamespace(seconds=seconds, threads=4))
        with open(soak.counts, "wb") as file:
            file.truncate(run_soak.PAGE)
        return soak

    def test_a_reader_that_works(self):
        soak = self.soak("echo '{\"rows\": []}'\n", seconds=20)
        for _ in range(4):
            soak.read_live()
        soak.rounds = [5] * 4
        soak.check_readings()
        self.assertEqual((soak.readings, soak.unsure), (4, 0))

    def test_a_reader_that_hangs(self):
        with mock.patch.object(run_soak, "HANGS", 0.2), self.assertRaisesRegex(run_soak.Failure, "hangs"):
            self.soak("exec sleep 60\n").read_live()

    def test_a_reader_that_fails(self):
        with self.assertRaisesRegex(run_soak.Failure, "exit status 3: broken"):
            self.soak("echo broken >&2; exit 3\n").read_live()

    def test_a_reader_that_works_too_much(self):
        with mock.patch.object(run_soak, "MOST_WORK", 0.001), self.assertRaisesRegex(run_soak.Failure, "of a processor"):
            self.soak("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; echo '{\"rows\": []}'\n").read_live()

    def test_a_reader_that_never_comes_to_a_result(self):
        soak = self.soak("echo '{\"rows\": []}'; echo 'threads end all the time' >&2\n", seconds=20)
        for _ in range(20):
            soak.read_live()
        soak.rounds = [1] * 20
        with self.assertRaisesRegex(run_soak.Failure, "20 readings, 20 without a quiet moment"):
            soak.check_readings()

    def test_a_reader_that_does_not_keep_up_with_children(self):
        soak = self.soak("")
        soak.recording = os.path.join(soak.tools.scratch, "recording")
        with mock.patch.object(run_soak, "MOST_UNREAD", 4):
            for left, sent in ((4, None), (5, signal.SIGSTOP), (5, None), (3, None), (2, signal.SIGCONT), (4, None)):
                for path in soak.left_by_children():
                    os.unlink(path)
                for child in range(left):
                    with open(f"{soak.recording}.{child}", "wb"):
                        pass
                process = mock.Mock()
                soak.hold(process)
                self.assertEqual(process.mock_calls, [mock.call.send_signal(sent)] if sent else [], f"{left} are unread")

    def test_as_many_as_there_is_time_for(self):
        self.assertEqual(run_soak.least_readings(3600, [1.1] * 3000), 180)
        self.assertEqual(run_soak.least_readings(20, [1.1] * 18), 4)
        self.assertEqual(run_soak.least_readings(3600, [30] * 120), 30)
        self.assertEqual(run_soak.least_readings(20, [12, 6]), 1)
        self.assertEqual(run_soak.least_readings(3600, []), 1)


if __name__ == "__main__":
    unittest.main()
