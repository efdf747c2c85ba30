"""--stage finds actions: a table of functions for each."""

import json

import harness
from harness import Case, INCLUDE, RUNTIME

PROGRAM = r"""
#include <callsig/callsig.h>
static int __attribute__((noinline)) scale(int n) { volatile int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
static int __attribute__((noinline)) read_all(int n) { return scale(n); }
static int __attribute__((noinline)) decode(int n) { CALLSIG_ACTION("decode"); return scale(n); }
int main(void)
{
  int sum = scale(1);
  for (int i = 0; i < 5; i++) {
    {
      CALLSIG_ACTION("load");
      sum += read_all(2) + decode(3);
    }
    {
      CALLSIG_ACTION("save");
      sum += scale(4);
    }
    sum += decode(5);
  }
  return sum < 0;
}
"""


class ActionFilter(Case):
    def rows(self, *options):
        done = self.callsig("report", "--format", "json", *options, "a.out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {row["signature"] or row["function"]: row["ncalls"] for row in json.loads(done.stdout)["rows"]}

    def test_tables(self):
        self.compile("actions", PROGRAM, "-I" + INCLUDE, libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME))
        self.assertEqual(self.callsig("run", "-o", "a.out", "./actions").returncode, 0)
        load = {"{load}": 5, "read_all(n=2)": 5, "scale(n=2)": 5, "decode(n=3)": 5, "{decode}": 5, "scale(n=3)": 5}
        self.assertEqual(self.rows("--stage", "load"), load)
        self.assertEqual(self.rows("--stage", "l*d"), load)
        self.assertEqual(self.rows("--stage", "save"), {"{save}": 5, "scale(n=4)": 5})
        self.assertEqual(self.rows("--stage", "decode"), {"{decode}": 10, "scale(n=3)": 5, "scale(n=5)": 5})
        self.assertEqual(self.rows("--stage", "nothing"), {})
        self.assertEqual(self.rows("--stage", "save", "--function", "scale"), {"scale(n=4)": 5})
        done = self.callsig("report", "--stage", "load", "a.out")
        self.assertNotIn("no stages were recorded", done.stdout + done.stderr)
        self.assertIn("no stages were recorded", self.callsig("report", "--stage", "nothing", "a.out").stdout)
        done = self.callsig("export", "--to", "folded", "--by", "function", "--stage", "save", "a.out")
        self.assertEqual((done.returncode, "scale" in done.stdout, "read_all" in done.stdout), (0, True, False), done.stderr)


if __name__ == "__main__":
    harness.main()
