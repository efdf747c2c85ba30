"""callsig browse beside CPython's own browser of the exported profile, command by command."""

import os
import random
import re
import subprocess
import sys

import harness

SOURCE = """
enum mode { FAST, SLOW };
static volatile int sink;
static int __attribute__((noinline)) leaf(int n, enum mode mode) { for (int i = 0; i < 200 * n; i++) sink++; return n + (int)mode; }
static int __attribute__((noinline)) fact(int n) { return n < 2 ? leaf(1, FAST) : n * fact(n - 1); }
static int __attribute__((noinline)) even(int n);
static int __attribute__((noinline)) odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int __attribute__((noinline)) even(int n) { return n == 0 ? leaf(2, SLOW) : odd(n - 1); }
static int __attribute__((noinline)) outer(int n) { return leaf(n, SLOW) + leaf(n, FAST) + fact(n) + even(n); }
int main(int argc, char **argv) { (void)argv; int n = 0; for (int i = 1; i < 5 + argc; i++) n += outer(i); return n == 0; }
"""
KEYS = ["calls", "ncalls", "cumtime", "cumul", "filename", "line", "module", "name", "nfl", "pc", "stdname", "time",
        "tottime", "ti na", "calls name line", "x", "c", "time x", ""]
UNTIMED = ["calls", "filename", "line", "name", "pc", "c"]
RESTRICTIONS = ["", "3", "0", "100", "-2", "0.5", "0.01", "1.0", "1.5", "-0.5", "1e-1", "leaf", "n=3", "fact|odd", "^/",
                "nothing", "4 leaf", "leaf 2", "0.5 n=. 1", "(", "leaf ( 1"]
OTHER = ["", "  ", "foo", "foo bar", "stats10", "reverse", "!ls", "quit_", "'"]


class Browse(harness.Case):
    def setUp(self):
        super().setUp()
        program = self.compile("program", SOURCE)
        for name, arguments in (("one.out", ()), ("two.out", ("x", "y"))):
            self.assertEqual(self.callsig("run", "--times", "exact", "-o", name, program, *arguments).returncode, 0)
            done = self.callsig("export", "--to", "pstats", name, "-o", name + ".pstats")
            self.assertEqual(done.returncode, 0, done.stderr)

    def browse(self, script, *arguments):
        done = subprocess.run([harness.CALLSIG, "browse", *arguments], cwd=self.folder, env=self.environment,
                              input=script, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        return done.stdout, done.returncode

    def pstats(self, script, *files):
        """What `python3 -m pstats` prints, without prompts, the names of files, and its welcome."""
        script = re.sub(r"(\w+\.out)\b", r"\1.pstats", script)
        done = subprocess.run([sys.executable, "-m", "pstats", *(file + ".pstats" for file in files)], cwd=self.folder,
                              input=script, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout)
        text = re.sub(r"^(\w+\.out\.pstats)?% ", "", done.stdout, flags=re.M)
        text = re.sub(r"(\w+\.out\.pstats)?% ", "", text)
        text = re.sub(r"(^\w{3} \w{3} .*\.pstats\n)+\n", "", text, flags=re.M)
        text = text.replace("Welcome to the profile statistics browser.\n", "")
        return text.replace("Goodbye.\n", "")

    def compare(self, script, *files):
        ours, _ = self.browse(script + "quit\n", *files)
        ours = re.sub(r"^(no row is shown: |every call was timed: |hooks are calls ).*\n", "", ours, flags=re.M)  # notes, of which pstats has none
        ours = re.sub(r"^(allocs|allocbytes|unfreed|cpu|wait) -- .*\n", "", ours, flags=re.M)  # keys that pstats has not
        self.assertEqual(ours, self.pstats(script + "quit\n", *files), script)

    def random_script(self, dice):
        lines = ["sort " + dice.choice(["cumtime stdname", "stdname", "calls stdname"])]
        # Where recordings were added, rows that are equal by the keys are in the order of the dictionary in pstats, and
        # times are sums of rounded ones.
        adds = dice.random() < 0.5
        for _ in range(12):
            kind = dice.random()
            if kind < 0.5:
                lines.append(dice.choice(["stats", "callers", "callees"]) + " " + dice.choice(RESTRICTIONS))
            elif kind < 0.7:
                lines.append("sort " + (dice.choice(UNTIMED) + " stdname" if adds else dice.choice(KEYS)))
            elif kind < 0.8:
                # pstats forgets its order here, callsig keeps it; and what it adds later is not stripped.
                lines += [dice.choice(["read two.out", "read", "add two.out" if adds else "strip"]), "sort nfl"]
            else:
                lines.append(dice.choice(OTHER))
        return "".join(line + "\n" for line in lines)

    def test_like_pstats(self):
        for seed in range(40):
            self.compare(self.random_script(random.Random(seed)), "one.out")

    def test_like_pstats_with_nothing_loaded(self):
        os.chdir(self.folder)
        self.compare("stats\ncallers\ncallees 1\nadd one.out\nreverse\nstrip\nsort\nsort name\nread\n"
                     "read one.out\nsort name\nstats 2\n")

    def test_selects(self):
        text, status = self.browse("signature n >= 3\nstats\nsignature\nfunction fact\nstats\nfunction\nstats\n", "one.out")
        self.assertEqual(status, 0)
        first, second, third = text.split("filename:lineno(function)")[1:]
        self.assertTrue("leaf(n=3, mode=SLOW)" in first and "leaf(n=2" not in first, first)
        self.assertTrue("fact(n=2)" in second and "leaf(" not in second, second)
        self.assertTrue("fact(n=2)" in third and "leaf(n=2" in third, third)
        report = self.callsig("report", "one.out").stdout
        self.assertTrue(text.endswith(report), text)
        text, status = self.browse("stage *\nstats\n", "one.out")
        self.assertIn("no stages", text)
        # Options hold for what is read later, too.
        text, _ = self.browse("read two.out\nstats\n", "--by", "function", "-s", "name", "--strip-dirs", "one.out")
        self.assertIn(self.callsig("report", "two.out", "--by", "function", "-s", "name", "--strip-dirs").stdout, text)
        text, _ = self.browse("stats\n", "one.out", "two.out")
        self.assertEqual(text, self.callsig("report", "one.out", "two.out").stdout)

    def test_status(self):
        for script in ("foo\n", "read absent\n", "add absent\n", "signature n >\n", "function (\n", "stats 1.5\n", "sort x\n",
                       "help foo\n"):
            text, status = self.browse(script + "stats 1\n", "one.out")
            self.assertEqual(status, 1, script)
            self.assertIn("function calls", text)
        for script in ("", "\n", "sort\n", "help\n", "?\n", "help stats\n", "stats\nEOF\nfoo\n", "quit\nfoo\n"):
            self.assertEqual(self.browse(script, "one.out")[1], 0, script)
        self.assert_fails(self.callsig("browse", "absent"), 1, "absent: cannot open")
        self.assert_fails(self.callsig("browse", "one.out", "absent"), 1, "absent: cannot open")
        with open("/dev/full", "w") as full:
            for script in "stats\n", "stats\n" * 300, "callers\n" * 300:
                done = subprocess.run([harness.CALLSIG, "browse", self.path("one.out")], input=script, text=True, stdout=full,
                                      stderr=subprocess.PIPE, env=self.environment)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"^callsig: standard output: [^\n]+\n$")

    def test_help(self):
        text, _ = self.browse("help\n")
        listed = text.split("=\n")[1].split()
        self.assertEqual(sorted(listed), sorted("EOF add callees callers function help quit read reverse signature sort "
                                                "stage stats strip".split()))
        for name in listed:
            self.assertNotIn("No help", self.browse(f"help {name}\n")[0])


if __name__ == "__main__":
    harness.main()
