# ctest: case - quick SameBuildId
"""Two programs may have one build-id: each is shown with its own functions, and copies of one go on sharing its index."""

import os
import shutil

import harness

OTHER = harness.CALLS.replace("twice", "three").replace("work", "toil")
BUILD_ID = "-Wl,--build-id=0x1234567890abcdef1234567890abcdef12345678"

PLUGIN = """
static int __attribute__((noinline)) twice(int n) { return n * 2; }
int entry(int n) { return twice(n); }
"""
# Loads each of the files that it is given under one name.
LOADS = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    if (rename(argv[i], "plugin.so") != 0)
      return 2;
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    int (*entry)(int) = plugin ? (int (*)(int))dlsym(plugin, "entry") : 0;
    if (!entry || entry(i) == 0)
      return 1;
    dlclose(plugin);
  }
  return 0;
}
"""


class SameBuildId(harness.Case):
    def setUp(self):
        super().setUp()
        self.first = self.compile("first", harness.CALLS, BUILD_ID)
        self.other = self.compile("other", OTHER, BUILD_ID)

    def rows(self, path):
        done = self.callsig("report", path, "--by", "function", "--strip-dirs")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {}
        for line in done.stdout.splitlines():
            if ".c:" in line:
                name = line.split("(")[-1].split(")")[0]
                rows[name] = str(int(line.split()[0]) + int(rows.get(name, 0)))
        return rows

    def by_itself(self, program):
        """The calls of a program that nobody has made an index for before it began."""
        environment = {"LD_PRELOAD": os.path.join(harness.RUNTIME, "libcallsig.so"), "CALLSIG_OUTPUT": self.path("own")}
        done = self.run_command(program, env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = self.rows("own")
        os.unlink(self.path("own"))
        return rows

    def indexes(self):
        return sorted(name for name in os.listdir(self.path("cache")) if name.endswith(".csi"))

    def test_run_by_the_command(self):
        for program, names in ((self.first, ("main", "twice", "work")), (self.other, ("main", "three", "toil")), (self.first, ("main", "twice", "work"))):
            self.assertEqual(self.callsig("run", "-o", "out", program).returncode, 0)
            self.assertEqual(self.rows("out"), dict(zip(names, ("1", "3", "1"))))

    def test_run_by_themselves(self):
        for program, names in ((self.first, ("main", "twice", "work")), (self.other, ("main", "three", "toil")), (self.first, ("main", "twice", "work"))):
            self.assertEqual(self.by_itself(program), dict(zip(names, ("1", "3", "1"))))

    def test_plugin_that_is_replaced(self):
        """In one process, at one path and, as a rule, at one address."""
        for name, source in (("one", PLUGIN), ("two", PLUGIN.replace("twice", "three"))):
            self.compile(name, source, "-shared", "-fPIC", BUILD_ID)
        program = self.compile("loads", LOADS)
        done = self.callsig("run", "-o", "out", program, "one", "two")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.rows("out"), {"main": "1", "entry": "2", "twice": "1", "three": "1"})

    def test_copies(self):
        """A copy, and one that was stripped, has what the original was found to have, and no other index."""
        expected = self.by_itself(self.first)
        index = self.indexes()
        shutil.copyfile(self.first, self.path("copy"))
        os.chmod(self.path("copy"), 0o755)
        self.assertEqual(self.run_command("strip", "-o", self.path("stripped"), self.first).returncode, 0)
        for name in ("copy", "stripped", "first", "stripped"):
            self.assertEqual(self.by_itself(self.path(name)), expected, name)
            self.assertEqual(self.callsig("run", "-o", "out", self.path(name)).stderr, "")
            self.assertEqual(self.rows("out"), expected, name)
        self.assertEqual(self.indexes(), index)

    def test_a_copy_where_the_cache_cannot_be_written(self):
        self.by_itself(self.first)
        shutil.copyfile(self.first, self.path("copy"))
        os.chmod(self.path("copy"), 0o755)
        os.chmod(self.path("cache"), 0o500)
        self.assertEqual(self.by_itself(self.path("copy")), {"main": "1", "twice": "3", "work": "1"})
        os.chmod(self.path("cache"), 0o700)


if __name__ == "__main__":
    harness.main()
