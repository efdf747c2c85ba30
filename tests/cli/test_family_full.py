"""Thousands of short processes, and what goes wrong while they are folded."""
# ctest: case - full

import json
import os
import random
import subprocess
import time

import harness

CALLS = """
    #include <stdlib.h>
    static void __attribute__((noinline)) work(int n) { for (volatile int i = 0; i < n; i++) {} }
    int main(int argc, char **argv) { work(argc > 1 ? atoi(argv[1]) : 7); return 0; }"""
PROCESSES, COMMANDS = 5000, 7
MOST_FILES, MOST_BYTES = 50, 100 * 1000 * 1000


class Family(harness.Case):
    def setUp(self):
        super().setUp()
        self.compile("calls", CALLS)

    def start(self, output, count, command="./calls $((i % 7))"):
        self.write("script.sh", f"i=0\nwhile [ $i -lt {count} ]; do\n  {command}\n  i=$((i + 1))\n  echo >> ended\ndone\ntouch done\n")
        return subprocess.Popen([harness.CALLSIG, "run", "-o", output, "/bin/sh", "script.sh"], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def files(self, output):
        return [entry for entry in os.scandir(self.folder) if entry.name.startswith((output, "." + output))]

    def mains(self, *files):
        done = self.callsig("report", "--format", "json", "--by", "function,process", *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["process"]: row["ncalls"] for row in json.loads(done.stdout)["rows"] if row["function"] == "main"}

    def test_short_processes(self):
        run, most_files, most_bytes = self.start("many", PROCESSES), 0, 0
        while run.poll() is None:
            sizes = []
            for entry in self.files("many"):
                try:
                    sizes.append(entry.stat().st_blocks * 512)
                except FileNotFoundError:
                    pass
            most_files, most_bytes = max(most_files, len(sizes)), max(most_bytes, sum(sizes))
            time.sleep(0.002)
        errors = run.stderr.read()
        run.stderr.close()
        self.assertEqual(run.returncode, 0, errors)
        print(f"{PROCESSES} processes: at most {most_files} files, {most_bytes / 1e6:.1f} MB")
        self.assertLessEqual(most_files, MOST_FILES)
        self.assertLessEqual(most_bytes, MOST_BYTES)
        self.assertIn(f"this was {PROCESSES} processes", errors)
        self.assertEqual([entry.name for entry in self.files("many")], ["many"])
        wanted = {n: len(range(n, PROCESSES, COMMANDS)) for n in range(COMMANDS)}
        self.assertEqual(self.mains("many"), {f"calls {n} ({count} processes)": count for n, count in wanted.items()})

    def test_many_commands(self):
        """Beyond 200 command lines, the others of a program are one."""
        run = self.start("many", 230, "./calls $i")
        self.assertEqual(run.wait(), 0)
        run.stderr.close()
        mains = self.mains("many")
        self.assertEqual(sum(mains.values()), 230)
        self.assertEqual(len(mains), 201)
        self.assertEqual([calls for process, calls in mains.items() if process.startswith("calls ... (")], [30])

    def test_killed_at_random(self):
        """SIGKILL of the command at any moment loses no call of a process that has ended, and counts none twice."""
        chance = random.Random(5)
        for turn in range(30):
            for name in [entry.name for entry in self.files("a")] + ["ended", "done"]:
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            run, moment = self.start("a", 60), chance.randrange(60)
            while not os.path.exists(self.path("ended")) or os.path.getsize(self.path("ended")) < moment:
                time.sleep(0.0005)
            time.sleep(chance.random() * 0.02)
            run.kill()
            run.wait()
            run.stderr.close()
            while not os.path.exists(self.path("done")):
                time.sleep(0.01)
            files = [entry.name for entry in self.files("a") if not entry.name.startswith(".")]
            self.assertEqual(sum(self.mains(*files).values()), 60, (turn, moment, files))


if __name__ == "__main__":
    harness.main()
