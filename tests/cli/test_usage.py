"""Usage errors of every command: one line that names what is wrong, and exit status 2. --help and --version everywhere."""

import subprocess

import harness

COMMANDS = (
    "run",
    "attach",
    "report",
    "stages",
    "ctl",
    "merge",
    "diff",
    "browse",
    "top",
    "serve",
    "scaling",
    "score",
    "export",
    "index",
    "flags",
)


class Usage(harness.Case):
    def test_no_command(self):
        self.assert_fails(self.callsig(), 2, "no command")

    def test_unknown_command(self):
        for name in ("frobnicate", "reports", ""):
            self.assert_fails(self.callsig(name), 2, f"unknown command '{name}'")

    def test_unknown_option_before_command(self):
        self.assert_fails(self.callsig("--frob"), 2, "unknown option '--frob'")

    def test_help(self):
        done = self.callsig("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in COMMANDS:
            self.assertIn(f"  {name} ", done.stdout)
            one = self.callsig(name, "--help")
            self.assertEqual((one.returncode, one.stderr), (0, ""))
            self.assertTrue(one.stdout.startswith(f"usage: callsig {name} "), one.stdout)
        for text in (done.stdout, self.callsig("run", "--help").stdout):
            self.assertIn("compiled with callsig-cc (or -g -finstrument-functions)", " ".join(text.split()))

    def test_help_fits_a_terminal(self):
        """Of 80 columns, in which a line that wraps would go on among the options; what an option does stands behind or below it."""
        for name in (None, *COMMANDS):
            text = self.callsig(*filter(None, [name]), "--help").stdout
            self.assertEqual([line for line in text.splitlines() if len(line) > 79], [], name)
        text = self.callsig("run", "--help").stdout
        self.assertIn("\n  --times auto|exact\n                    time a random sample of the calls", text)
        self.assertRegex(text, r"\n  --overhead FACTOR time as many calls .*\n {20}[a-z]")
        self.assertRegex(self.callsig("export", "--help").stdout, r"\n {22}html +a page for a browser.*\n {34}[a-z]")

    def test_other_ways_to_help(self):
        self.assertEqual(self.callsig("help").stdout, self.callsig("--help").stdout)
        for name in COMMANDS:
            wanted = self.callsig(name, "--help").stdout
            for done in (self.callsig(name, "-h"), self.callsig("help", name)):
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, wanted, ""))
        self.assert_fails(self.callsig("help", "frobnicate"), 2, "unknown command 'frobnicate'")
        self.assert_fails(self.callsig("help", "run", "top"), 2, "one command")

    def test_version(self):
        version = self.callsig("--version")
        self.assertEqual(version.returncode, 0)
        self.assertRegex(version.stdout, r"^callsig \d+\.\d+\.\d+\n$")
        for name in COMMANDS:
            self.assertEqual(self.callsig(name, "--version").stdout, version.stdout)

    def test_unknown_options(self):
        for name in COMMANDS:
            self.assert_fails(self.callsig(name, "--frob"), 2, name, "unknown option '--frob'", f"callsig {name} --help")
            self.assert_fails(self.callsig(name, "-Z"), 2, name, "unknown option '-Z'")

    def test_option_needs_value(self):
        for command in (("run", "-o"), ("run", "-s"), ("run", "--rules"), ("run", "--include"), ("run", "--exclude"),
                        ("run", "--clock"), ("report", "-s"), ("report", "--by"), ("report", "--function"),
                        ("report", "--signature"), ("report", "--stage"), ("report", "--thread"), ("report", "--module"),
                        ("report", "--format"), ("export", "--to"), ("export", "-o"), ("export", "--by"), ("index", "--rules"), ("flags", "--cc"),
                        ("scaling", "--time"), ("scaling", "--measure"), ("scaling", "--format"), ("scaling", "--directory"),
                        ("run", "--exclude-file"), ("score", "--overhead"), ("score", "--keep"), ("score", "--matters"), ("score", "--filter"), ("score", "--format")):
            self.assert_fails(self.callsig(*command), 2, f"option '{command[1]}' needs a value")

    def test_option_takes_no_value(self):
        for command in (("run", "--no-signatures=1"), ("report", "--callers=x"), ("index", "--explain=x"),
                        ("flags", "--libs=x")):
            self.assert_fails(self.callsig(*command), 2, command[1].split("=")[0], "takes no value")

    def test_stdout_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness.CALLSIG, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "callsig: standard output: No space left on device\n")


class Run(harness.Case):
    def test_no_program(self):
        for arguments in ((), ("--",), ("-o", "x")):
            self.assert_fails(self.callsig("run", *arguments), 2, "no program given")

    def test_clock(self):
        self.assert_fails(self.callsig("run", "--clock", "moon", "true"), 2, "--clock", "'moon'", "wall nor cpu")

    def test_timeline(self):
        for least in ("", "10", "soon", "1.5ms", "-1s", "99999999s"):
            self.assert_fails(self.callsig("run", f"--timeline={least}", "true"), 2, f"--timeline={least}:", "10us")
        self.assert_fails(self.callsig("run", "--timeline", "--clock", "cpu", "true"), 2, "--timeline", "--clock wall")
        self.assert_fails(self.callsig("run", "--trigger", "f > 1ms", "--clock", "cpu", "true"), 2, "--trigger", "--clock wall")

    def test_times(self):
        self.assert_fails(self.callsig("run", "--times", "some", "true"), 2, "--times: 'some' is neither auto nor exact")
        for factor in ("", "x", "1", "1.0", "0.5", "-2", "1.", ".5", "2x", "1e3", "nan", "1000001", "99999999999999999999"):
            self.assert_fails(self.callsig("run", "--overhead", factor, "true"), 2, f"--overhead: '{factor}' is not", "1.5")
        self.assert_fails(self.callsig("run", "--overhead", "2", "--times", "exact", "true"), 2, "--overhead", "give one")
        self.assert_fails(self.callsig("run", "--overhead", "2", "--clock", "cpu", "true"), 2, "--overhead needs --times auto")
        self.assert_fails(self.callsig("run", "--overhead", "2", "--timeline", "true"), 2, "--overhead needs --times auto")

    def test_interval(self):
        for interval in ("x", "", "0", "-1", "nan", "inf", "1s", "0.001", "1e7"):
            self.assert_fails(self.callsig("run", "--db", "d", "--interval", interval, "true"), 2, "--interval: '%s' is" % interval)
        self.assert_fails(self.callsig("run", "--interval", "1", "true"), 2, "give that too")

    def test_sort_without_table(self):
        for command, what in (("run", "true"), ("attach", "1")):
            self.assert_fails(self.callsig(command, "-o", "x.out", "-s", "ncalls", what), 2, f"{command}: -s", "callsig report x.out")

    def test_sort_key(self):
        self.assert_fails(self.callsig("run", "-s", "nonsense", "true"), 2, "sort key 'nonsense' is unknown", "cumtime")


class Report(harness.Case):
    def test_group(self):
        self.assert_fails(self.callsig("report", "--by", "function,moon"), 2, "--by", "'moon'")
        self.assert_fails(self.callsig("report", "--by", ""), 2, "--by", "''")

    def test_format(self):
        self.assert_fails(self.callsig("report", "--format", "xml"), 2, "--format", "'xml'")

    def test_relations(self):
        self.assert_fails(self.callsig("report", "--callers", "--callees"), 2, "exclude each other")
        for format in ("json", "csv"):
            self.assert_fails(self.callsig("report", "--callers", "--format", format), 2, f"--format {format}")

    def test_options_without_effect(self):
        for format in ("json", "csv"):
            for options in (("--view", "averages"), ("--unit", "ms"), ("--columns", "ncalls"), ("--percent",)):
                self.assert_fails(self.callsig("report", *options, "--format", format), 2, f"--format {format}", options[0])
        for table in (("--callers",), ("--callees",), ("--view", "averages")):
            for options in (("--columns", "ncalls"), ("--percent",)):
                self.assert_fails(self.callsig("report", *options, *table), 2, f"{' '.join(table)} has columns of its own", options[0])


class Index(harness.Case):
    def test_arguments(self):
        self.assert_fails(self.callsig("index"), 2, "no ELF file given")
        self.assert_fails(self.callsig("index", "a", "b"), 2, "unexpected argument 'b'")

    def test_cache_shows_nothing(self):
        for option in ("--explain", "--coverage", "--verify"):
            self.assert_fails(self.callsig("index", "--cache", option, "a"), 2, "--cache")


class Flags(harness.Case):
    def test_arguments(self):
        self.assert_fails(self.callsig("flags", "x"), 2, "unexpected argument 'x'")
        self.assert_fails(self.callsig("flags", "--cflags", "--libs"), 2, "exclude each other")


if __name__ == "__main__":
    harness.main()
