"""Recordings that were cut or overwritten say so before any number is shown, and the exit status does."""

import json
import os
import re
import struct

import harness

PIECE = 4096

# A pipeline of one stage, with calls of 300 signatures.
STAGED = """
#include <callsig/callsig.h>
static int __attribute__((noinline)) twice(int n) { return n * 2; }
int main(void) {
  struct callsig_stage *stage;
  callsig_stage_open(&(struct callsig_stage_options){.size = sizeof(struct callsig_stage_options), .name = "work"}, &stage);
  int sum = 0;
  for (int i = 0; i < 300; i++) {
    callsig_task_begin(stage, 0);
    sum += twice(i);
    callsig_task_end(stage, 0);
  }
  callsig_stage_close(stage);
  return sum == 0;
}
"""
MANY = """
static int __attribute__((noinline)) twice(int n) { return n * 2; }
int main(void) { int sum = 0; for (int i = 0; i < 300; i++) sum += twice(i); return sum == 0; }
"""


class Damage(harness.Case):
    def record(self):
        program = self.compile("many", MANY)
        done = self.callsig("run", "-o", "r", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("r"), "rb") as file:
            return file.read()

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def seal_of(self, data):
        return struct.unpack_from("<Q", data, harness.SEAL)[0] - struct.unpack_from("<Q", data, 16)[0]

    def assert_damaged(self, name, *words, count=1):
        """One line before the table, which is there, and a failure."""
        done = self.callsig("report", name)
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), count, done.stderr)
        for word in words:
            self.assertIn(word, lines[0])
        self.assertIn("function calls in", done.stdout)
        return lines[0]

    def test_whole(self):
        data = self.record()
        seal = self.seal_of(data)
        self.assertEqual(data[seal:seal + 4], b"CSEA")
        self.assertEqual(data[-8:], b"CSIGEND\0")
        for name in ("r", self.put("unsealed", harness.unsealed(data))):
            done = self.callsig("report", name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.callsig("report", "r").stdout, self.callsig("report", "unsealed").stdout)

    def test_killed_while_sealed(self):
        """Whoever seals a recording may be killed at any moment of it: before the header's reference, or before its last bytes."""
        data = self.record()
        begun = bytearray(data[:-8] + bytes(8))
        for name, written in (("referred", begun), ("begun", begun[:harness.SEAL] + bytes(8) + begun[harness.SEAL + 8:])):
            done = self.callsig("report", self.put(name, written))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, self.callsig("report", "r").stdout)

    def test_overwritten(self):
        """Wherever bytes were changed or zeroed, that is found, and said before the table."""
        data = self.record()
        end = self.seal_of(data)
        for at in range(PIECE, end, max(8, (end - PIECE) // 40 // 8 * 8)):
            for change in (bytes(8), b"\xff", bytes(4096)):
                changed = bytearray(data)
                changed[at:min(at + len(change), end)] = change[:end - at]
                if changed == data:
                    continue
                line = self.assert_damaged(self.put("d", changed), "d: damaged at byte ")
                found = int(re.search(r"byte (\d+)", line).group(1))
                first = next(i for i in range(at, len(data)) if changed[i] != data[i])
                self.assertEqual(found, first // PIECE * PIECE)

    def test_counted(self):
        """The line says how many records lie in what was overwritten, and none of their numbers is shown."""
        data = self.record()
        place = data.index(b"CEDG", PIECE * 3)
        page = place // PIECE * PIECE
        tags = {b"CMOD", b"CTHR", b"CFUN", b"CSIG", b"CCTX", b"CVAR", b"CEDG", b"CREC", b"CSTK", b"CNAM", b"CSMP"}
        records = sum(data[at:at + 4] in tags for at in range(page, page + PIECE, 8))
        changed = bytearray(data)
        struct.pack_into("<Q", changed, place + 72, 1 << 40)
        line = self.assert_damaged(self.put("d", changed), f"damaged at byte {page}: {records} records are not read, nor up to ")
        self.assertIn("what is shown lacks them", line)
        self.assertNotIn(str(1 << 40), self.callsig("report", "d").stdout)

    def test_behind_seal(self):
        """What was appended behind the seal counts for nothing where something else is damaged."""
        changed = bytearray(self.record())
        place = changed.index(b"CEDG", PIECE * 3)
        changed[place + 80] ^= 1
        line = self.assert_damaged(self.put("d", changed), "nor up to ")
        appended = bytes(1 << 16) + changed[place:place + 256]
        self.assertEqual(self.assert_damaged(self.put("d", changed + appended)), line)

    def test_thread(self):
        """Where a thread's record is damaged, nothing that it says is taken for what the stages did."""
        program = self.compile("staged", STAGED, "-I", harness.INCLUDE, libs=["-L" + harness.RUNTIME, "-lcallsig", "-Wl,-rpath," + harness.RUNTIME])
        self.assertEqual(self.callsig("run", "-o", "r", program).returncode, 0)
        with open(self.path("r"), "rb") as file:
            data = bytearray(file.read())
        thread = data.index(b"CTHR")
        self.assertNotIn(data.index(b"CTSK") // PIECE, {thread // PIECE})
        data[thread + 16] ^= 1
        done = self.callsig("stages", "--format", "json", self.put("d", data))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"d: damaged at byte {thread // PIECE * PIECE}: ", done.stderr)
        self.assertEqual([stage["num_tasks"] for stage in json.loads(done.stdout)["stages"]], [0])

    def test_header(self):
        """Without its header nothing of a recording can be trusted."""
        data = self.record()
        for at in (40, 72, 96, 112, 144, 160, harness.SEAL):
            changed = bytearray(data)
            changed[at:at + 8] = bytes(b ^ 0xff for b in data[at:at + 8]) if at != harness.SEAL else bytes(8)
            self.assert_fails(self.callsig("report", self.put("d", changed)), 1, "d: damaged")

    def test_cut(self):
        """A tail that is missing is missed, in a sealed recording and in one that is not."""
        data = self.record()
        for whole in (data, harness.unsealed(data)):
            for size in {len(whole) - 1, len(whole) - 8, len(whole) // 2, len(whole) // 3, PIECE + 100}:
                self.assert_damaged(self.put("d", whole[:size]), f"d: cut off at byte {size} of {len(whole)}")
        self.assert_damaged(self.put("d", data + b"\0" * 8), f"d: damaged at byte {len(data)}: all of its records")

    def test_unsealed(self):
        """Records that are missing in the middle of a recording without a seal are missed."""
        data = bytearray(harness.unsealed(self.record()))
        older = 100
        place = [found.start() for found in re.finditer(b"CEDG", data)][older]
        data[place:place + 128] = bytes(128)
        self.assert_damaged(self.put("d", data), f"d: damaged at byte {place}: 1 record is not read, nor up to {older} of calls that only it leads to")

    def test_commands(self):
        """Whatever reads a damaged recording does what it can, says so once, and fails."""
        data = bytearray(self.record())
        place = data.index(b"CEDG", PIECE * 3)
        data[place + 80] ^= 1
        self.put("d", data)
        self.assert_damaged("d")
        for command in (("report", "--format", "csv", "d"), ("report", "--format", "json", "d"), ("score", "d"), ("scaling", "d"),
                        ("export", "--to", "folded", "d"), ("merge", "-o", "m", "d"), ("diff", "d", "r"), ("stages", "d"),
                        ("stages", "--format", "json", "d"), ("browse", "d")):
            with self.subTest(command=command):
                done = self.callsig(*command)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(done.stderr.count("d: damaged at byte "), 1, done.stderr)
        merged = self.callsig("report", "m")
        self.assertEqual((merged.returncode, merged.stderr), (0, ""))
        self.assertIn("could not be read", merged.stdout)

    def test_merged(self):
        """What merge writes is sealed, too; several pipelines of one file are told of once."""
        program = self.compile("staged", STAGED, "-I", harness.INCLUDE, libs=["-L" + harness.RUNTIME, "-lcallsig", "-Wl,-rpath," + harness.RUNTIME])
        for name in ("a", "b"):
            self.assertEqual(self.callsig("run", "-o", name, program).returncode, 0)
        self.assertEqual(self.callsig("merge", "-o", "m", "a", "b").returncode, 0)
        with open(self.path("m"), "rb") as file:
            data = bytearray(file.read())
        self.assertEqual(data[-8:], b"CSIGEND\0")
        self.assertEqual(self.callsig("stages", "m").stderr, "")
        data[data.index(b"CTSK") + 30] ^= 1
        done = self.callsig("stages", self.put("d", data))
        self.assertEqual((done.returncode, done.stderr.count("damaged at byte")), (1, 1), done.stderr)

    def test_children(self):
        """Recordings of the processes that a program started are sealed when these have ended."""
        program = self.compile("forks", """
#include <sys/wait.h>
#include <unistd.h>
static int __attribute__((noinline)) twice(int n) { return n * 2; }
int main(void) { twice(1); if (fork() == 0) _exit(twice(2) == 0); wait(0); return 0; }""")
        self.assertEqual(self.callsig("run", "--apart", "-o", "r", program).returncode, 0)
        names = [name for name in os.listdir(self.folder) if re.fullmatch(r"r(\.\d+)?", name)]
        self.assertEqual(len(names), 2)
        for name in names:
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read()[-8:], b"CSIGEND\0", name)


if __name__ == "__main__":
    harness.main()
