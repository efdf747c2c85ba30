"""Times of a recording in which the machine slept: CLOCK_MONOTONIC stood still then, while the counter went on, or began again."""

import json
import os
import struct

import harness

PROGRAM = r"""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void rest(int n) { usleep(100000u + (unsigned)n); }

int main(void)
{
  rest(1);
  if (fork() == 0) {
    rest(2);
    return 0;
  }
  return wait(NULL) > 0 ? 0 : 1;
}
"""

# Of the header: docs/recording-format.md.
START, LAST, COUNTER_KHZ = 72, 88, 508


class Suspended(harness.Case):
    def record(self):
        program = self.compile("rests", PROGRAM)
        done = self.run_command(program, env={"LD_PRELOAD": os.path.join(harness.RUNTIME, "libcallsig.so"), "CALLSIG_OUTPUT": self.path("file")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("file"), "rb") as file:
            return bytearray(file.read())

    def rested(self, *recordings):
        done = self.callsig("report", "--format", "json", "--by", "function", *recordings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(row["cumtime"] for row in json.loads(done.stdout)["rows"] if row["function"] == "rest")

    def test_times(self):
        data = self.record()
        khz, = struct.unpack_from("<I", data, COUNTER_KHZ)
        start, last = (struct.unpack_from("<QQ", data, at) for at in (START, LAST))
        rate = (last[0] - start[0]) / (last[1] - start[1]) * 1e6
        self.assertAlmostEqual(khz / rate, 1, delta=0.005)
        before = self.rested("file")
        # Of an hour the clock tells what it tells of the run.
        struct.pack_into("<QQ", data, LAST, last[0] + 3600 * 1000 * khz, last[1])
        self.write_bytes("slept", data)
        self.assertAlmostEqual(self.rested("slept"), before, delta=before * 0.01)
        done = self.callsig("merge", "-o", "merged", "slept", "slept")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(self.rested("merged"), 2 * before, delta=before * 0.02)
        # The counter has begun again.
        struct.pack_into("<QQ", data, LAST, 1000, last[1])
        self.write_bytes("again", data)
        self.assertAlmostEqual(self.rested("again"), before, delta=before * 0.01)

    def test_forked_child(self):
        """It has what its parent measured."""
        mine = struct.unpack_from("<I", self.record(), COUNTER_KHZ)
        children = [name for name in os.listdir(self.folder) if name.startswith("file.")]
        self.assertEqual(len(children), 1)
        with open(self.path(children[0]), "rb") as file:
            self.assertEqual(struct.unpack_from("<I", file.read(), COUNTER_KHZ), mine)

    def write_bytes(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    harness.main()
