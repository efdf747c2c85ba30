"""callsig run where a recording has no room, or the command no memory: one line with the cause, and nothing that is not true beside it."""

import resource
import signal

import harness

FUNCTIONS = 320
PARAMETERS = 64
MOST_ALLOCATIONS = 40  # which are made before the program starts
MEGABYTE = 1 << 20  # what a recording begins with


def many_functions():
    """A program whose signature index is larger than what a recording begins with."""
    parameters = ", ".join(f"int parameter_{i}" for i in range(PARAMETERS))
    names = [f"function_{i:0800d}" for i in range(FUNCTIONS)]
    values = ", ".join(str(i) for i in range(PARAMETERS))
    return "\n".join([*(f"static int {name}({parameters}) {{ return parameter_3; }}" for name in names),
                      "int main(void) { int sum = 0;", *(f"sum += {name}({values});" for name in names),
                      f"return sum != 3 * {FUNCTIONS}; }}"])


class Full(harness.Case):
    def lines_of(self, size, program):
        """The lines of callsig and of the table when files may get no larger than `size`."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        done = self.callsig("run", program, preexec_fn=limit)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        lines = done.stderr.splitlines()
        own = [line for line in lines if line.startswith("callsig: ")]
        self.assertEqual(len(own), 1, done.stderr)
        return own[0], [line for line in lines if line not in own]

    def test_no_room_at_all(self):
        told, table = self.lines_of(4096, self.compile("program", harness.CALLS))
        self.assertIn("RLIMIT_FSIZE is too small): nothing is recorded", told)
        self.assertEqual(table, [])

    def test_no_room_for_the_index(self):
        """Without an index nothing is known of sleds, so that they stay off: that is not said to be the program's fault."""
        source = self.write("many.c", many_functions())
        program = self.path("many")
        built = self.run_command(harness.CALLSIG_CC, "-g", "-O0", source, "-o", program)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(self.callsig("run", "-o", "whole", program).returncode, 0)
        told, table = self.lines_of(MEGABYTE, program)
        self.assertIn("reached the limit of RLIMIT_FSIZE", told)
        missing = "the recording could not grow (disk full, out of reach, or its memory limit): a module, or calls, may be missing from it"
        self.assertIn(missing, table)
        report = self.callsig("report", "callsig.out")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn(missing, report.stdout)

    @harness.with_own_allocator
    def test_no_memory_once(self):
        """Each of the first allocations in turn finds no memory, all others do: the program runs, or one line says why it does not."""
        program = self.compile("program", harness.CALLS)
        refused = 0
        for done in self.failed_once(MOST_ALLOCATIONS, "run", "-o", "recording", program):
            if done.returncode != 0:
                refused += 1
                self.assert_fails(done, 1, "memory")
        self.assertGreater(refused, MOST_ALLOCATIONS // 4)

    @harness.with_own_allocator
    def test_no_memory_once_of_reports(self):
        """Any one allocation of a report finds no memory: one line says so, or the report is the same, but for the order of rows that
        are equal in what they are sorted by."""
        self.assertEqual(self.callsig("run", "-o", "recording", self.compile("program", harness.CALLS)).returncode, 0)
        for arguments in (("report", "recording"), ("report", "--callers", "recording"), ("report", "--by", "process", "recording")):
            whole, refused = self.callsig(*arguments), 0
            for done in self.failed_allocations(*arguments, samples=200, once=True):
                if done.returncode != 0:
                    refused += 1
                    self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
                    self.assertIn("memory", done.stderr)
                else:
                    self.assertEqual((sorted(done.stdout.splitlines()), done.stderr), (sorted(whole.stdout.splitlines()), whole.stderr))
            self.assertGreater(refused, 50)


if __name__ == "__main__":
    harness.main()
