#!/usr/bin/env python3
# ctest: case - quick --build @PROJECT_BINARY_DIR@ --print-calls $<TARGET_FILE:print_calls>
# ctest: case .lua full lua
# ctest: case .zstd full zstd
# ctest: case .sqlite3 full sqlite3
# ctest: real .lua .zstd .sqlite3
"""callsig report beside CPython's pstats on callsig's own pstats export: byte for byte.

    test_pstats_report.py --build FOLDER --print-calls PROGRAM [--profiles N]          generated profiles
    test_pstats_report.py --build FOLDER --sources FOLDER --out FOLDER PROGRAM         a real program's recording
"""

import argparse
import io
import os
import pstats
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import test_pstats  # noqa: E402

KEYS = sorted(pstats.Stats.sort_arg_dict_default)
RESTRICTIONS = [[], ["5"], ["0.5"], ["0.1", "3"], ["main|f|a"], [r"\(", "0.3"], ["n=1"], ["[bad"], ["no such name"], ["0"], ["100000"], ["it's", "2"]]
TABLES = ["stats", "callers", "callees"]

# Names as C, C++, compilers and other languages make them; in the file names, too.
ODD = [
    ("/src/odd/a.c", 1, "f"),
    ("/src/odd/a.c", 1, "f.part.0"),
    ("/src/odd/b/a.c", 1, "f"),
    ("/src/odd/b/a.c", 10, "operator()(int)"),
    ("/src/odd/b/a.c", 9, "f2"),
    ("/src/odd/b/a.c", 9, "f$"),
    ("relative.c", 0, "ns::Shape<int,_char>::~Shape"),
    ("/src/odd/größe.c", 7, "größe"),
    ("/src/odd/a'b.c", 3, "it's"),
    ('/src/odd/q"q.c', 3, 'q"'),
    ("/src/odd/z.c", 4294967295, "幅"),
    ("/src/odd/z.c", 2, "(f"),
    ("~tilde.c", 5, "{brace}"),
]


class Made:
    """What pstats.Stats() accepts without printing a file's name before each table."""

    def __init__(self, stats):
        self.stats = stats

    def create_stats(self):
        pass


class Compared:
    def __init__(self, callsig, folder, recording, label):
        self.callsig, self.folder, self.recording, self.label, self.checks = callsig, folder, recording, label, 0

    def run(self, *arguments):
        done = subprocess.run([self.callsig, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            sys.exit(f"{self.label}: callsig {' '.join(arguments)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def export(self, by):
        path = os.path.join(self.folder, "export.pstats")
        self.run("export", "--to", "pstats", "--by", by, "-o", path, self.recording)
        return pstats.Stats(path).stats

    def reference(self, numbers, key, table, restrictions, strip):
        out = io.StringIO()
        stats = pstats.Stats(Made(dict(numbers)), stream=out)
        if strip:
            stats.strip_dirs()
        stats.sort_stats(key)
        getattr(stats, f"print_{table}")(*[int(one) if one.isdigit() else float(one) if one.startswith("0.") else one for one in restrictions])
        return out.getvalue()

    def compare(self, numbers, by, key, table, restrictions, strip=False):
        arguments = ["report", "--full-names", "--by", by, "-s", key] + ([f"--{table}"] if table != "stats" else []) + ["--strip-dirs"] * strip
        got = self.run(*arguments, self.recording, "--", *restrictions)
        wanted = self.reference(numbers, key, table, restrictions, strip)
        # Notes of what the recording lost or left open follow the table.
        rest = got[len(wanted):]
        if not got.startswith(wanted) or any(line.startswith(" ") for line in rest.splitlines()):
            sys.exit(f"{self.label}: differs from pstats: {' '.join(arguments)} {restrictions}\n--- pstats\n{wanted}--- callsig\n{got}")
        self.checks += 1


def odd_calls(source, depth):
    """Calls of which many take no time."""
    calls = []
    for _ in range(source.randrange(1, 5)):
        ticks = source.choice([0, 0, 0, 1, 1000])
        if depth and source.random() < 0.8:
            calls.append((ticks, (source.randrange(len(ODD)), source.randrange(0, 2), odd_calls(source, depth - 1))))
        else:
            calls.append((ticks, None))
    return calls


def generated(options, folder):
    checks = 0
    for seed in range(options.profiles):
        source = random.Random(seed)
        known = test_pstats.KNOWN if seed % 2 else ODD
        calls = test_pstats.random_calls(source, 5, 6) if seed % 2 else odd_calls(source, 5)
        sequence, recording = os.path.join(folder, "sequence"), os.path.join(folder, "recording")
        # strip_dirs() adds floats where names become equal: ticks of 1/1024 s, so that Python's sums are exact, too.
        hz = 1024 if known is ODD else source.choice([1000, 7, 1000003])
        test_pstats.write_sequence(sequence, hz, known, calls)
        subprocess.run([options.print_calls, sequence, recording, "stats"], stdout=subprocess.DEVNULL, check=True)
        compared = Compared(options.callsig, folder, recording, f"profile {seed}")
        for number, by in enumerate(("function", "signature")):
            numbers = compared.export(by)
            for i, key in enumerate(KEYS):
                turn = seed + number + i
                table = TABLES[turn % 3]
                # Of callers that become equal, pstats's strip_dirs() forgets all but one.
                strip = turn % 4 == 0 and (table == "stats" or known is not ODD)
                compared.compare(numbers, by, key, table, RESTRICTIONS[turn // 3 % len(RESTRICTIONS)], strip)
        checks += compared.checks
    return checks


def real(options, folder):
    import build
    from product import Product
    product = Product(options.build, options.out)
    builder = build.Builder(options.sources, options.out, options.callsig_libraries or product.libraries)
    command = builder.build(options.program, "gcc-O2-fixed")
    run = builder.runs(options.program, small=True)[0]
    recording = os.path.join(folder, "recording")
    product.run([*command, *run.args], recording, ("--times", "exact"), run.stdin, folder)
    compared = Compared(options.callsig, folder, recording, options.program)
    for by in ("function", "signature"):
        numbers = compared.export(by)
        for i, key in enumerate(KEYS):
            for table in TABLES:
                compared.compare(numbers, by, key, table, RESTRICTIONS[i % len(RESTRICTIONS)])
        for restrictions in RESTRICTIONS:
            compared.compare(numbers, by, "cumulative", "stats", restrictions)
        compared.compare(numbers, by, "cumulative", "stats", [], True)
    return compared.checks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--print-calls", help="tests/oracle/pstats/print_calls.c, built")
    parser.add_argument("--profiles", type=int, default=50)
    parser.add_argument("--sources")
    parser.add_argument("--out")
    parser.add_argument("--callsig", dest="callsig_libraries")
    parser.add_argument("program", nargs="?")
    options = parser.parse_args()
    options.callsig = os.path.join(options.build, "cli", "callsig")
    with tempfile.TemporaryDirectory() as folder:
        checks = real(options, folder) if options.program else generated(options, folder)
    print(f"{checks} comparisons with pstats, all equal")


if __name__ == "__main__":
    main()
