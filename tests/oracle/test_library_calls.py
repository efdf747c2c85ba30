#!/usr/bin/env python3
# ctest: real
# ctest: skips
# ctest: case .lua full lua
# ctest: case .zstd full zstd
# ctest: case .sqlite3 full sqlite3
"""`callsig run --library-calls` counts the calls of each imported function that ltrace saw of the same command, and `--alloc` the blocks
and bytes that each function asked for as valgrind's dhat saw them; no tolerance.

    test_library_calls.py --sources FOLDER --out FOLDER --build FOLDER [--verbose] PROGRAM [VARIANT...]

ltrace stops the program at its procedure linkage table, and callsig leads the slots behind that table: both see what the program
itself calls, and neither what libraries call among themselves or what is called through pointers. ltrace's trace is counted by the
beginnings of calls: its own summary (`-c`) has those alone that returned, and so no `longjmp` and no `exit`.

Blocks are compared twice. The trace has the sizes that were asked for, whether a block was given, and the place of the call, so of which
function it is. dhat has each block by its frames, also those that libraries ask for, which callsig does not claim to see: a block is a function's
when the frame that asked the allocator is one of the program, the others are told as a sum. What was inlined has no frame and no sled: dhat
is told to name none. It charges what realloc() gives to whoever asked for the block first, callsig to whoever called realloc(): so
callsig's figures are moved to there, by what the trace tells, before they are compared.

Left out are, by name, the functions that callsig says it cannot count, each of which must have a slot that the dynamic linker fills for
its address; how often threads wait (`pthread_cond_wait`), which is the scheduler's; and zstd's run with workers, where the number of buffers in
use at a time is so, too. Exit status 77: ltrace or valgrind is missing.
"""

import bisect
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

from driver import Driver  # noqa: E402
from hook_counts import PIE_BASE  # noqa: E402
from test_equality import same_name  # noqa: E402

FULL = {name: ["gcc-O2-sleds-fixed"] for name in ("lua", "zstd", "sqlite3")}
THREADED = {("zstd", "threads")}
TOOLS = ("ltrace", "valgrind")
# zstd reads and writes by threads of their own, which wait for each other in loops.
BY_CHANCE = {"pthread_cond_wait"}
UNCOUNTED = re.compile(r"the calls of (\d+) of the functions that it imports \((.*)\) are not counted")
EXIT_STATUS = re.compile(r"^(\d+) \[0x[0-9a-f]+\] \+\+\+ exited \(status (\d+)\) \+\+\+$", re.MULTILINE)
# A call as it begins; one that is interrupted begins so, too, and its end ("<... name resumed>") is none.
CALL = re.compile(r"\d+ \[0x[0-9a-f]+\] ([A-Za-z_]\w*)\(")
ASKING = re.compile(r"(\d+) \[0x([0-9a-f]+)\] (malloc|calloc|realloc|free)\(([^)<]*)(?:\) += (\S+))?")
GIVEN = re.compile(r"(\d+) \[0x[0-9a-f]+\] <\.\.\. (?:malloc|calloc|realloc) resumed> .*\) += (\S+)")
# What asks for memory, too, and of which the trace does not have how much.
OF_UNKNOWN_SIZE = {"strdup", "__strdup", "strndup", "__strndup", "reallocarray", "aligned_alloc", "memalign", "posix_memalign", "valloc", "pvalloc"}
FRAME = re.compile(r"0x[0-9A-F]+: (\S+)")
# What gcc appends to the name of a part or a copy of a function.
PART = re.compile(r"\.(constprop|isra|part|cold|localalias)(\.\d+)?")


class Checked:
    """A command, run by callsig and by the tools in the same environment and under one name, each in an empty folder."""

    def __init__(self, product, program, run, title):
        self.product, self.program, self.run, self.title = product, program, run, title
        self.status = None
        self.uncounted = set()

    def profile(self, *options):
        """The rows by function of a run under callsig."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
            recording = Path(kept) / "recording"
            done = self.product.run([*same_name(folder, [self.program]), *self.run.args], recording, options, self.run.stdin, folder)
            self.same_status("callsig", done.returncode)
            told = UNCOUNTED.search(done.stderr.decode(errors="replace"))
            self.uncounted = set(told[2].split(", ")) if told else set()
            if told and (len(self.uncounted) != int(told[1]) or not self.uncounted <= slots_for_addresses(self.program)):
                raise SystemExit(f"{self.title}: {told[0]}")
            return self.product.report(recording, "--by", "function")["rows"]

    def under(self, tool, *options):
        """What a tool writes, whose option for that ends with the name of the file."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
            out = Path(kept) / "out"
            with open(self.run.stdin or "/dev/null", "rb") as stdin:
                done = subprocess.run(["setarch", "-R", tool, *options[:-1], options[-1] + str(out), *same_name(folder, [self.program]), *self.run.args],
                                      stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=self.product.environment())
            if not out.exists():
                raise SystemExit(f"{self.title}: {tool} wrote nothing: {done.stderr.decode(errors='replace').strip()[-300:]}")
            text = out.read_text(errors="replace")
            # ltrace's own is 0 whatever the program's is. It tells that of each thread, by its number; the first line is the main thread's.
            self.same_status(tool, int(dict(EXIT_STATUS.findall(text))[text.split()[0]]) if tool == "ltrace" else done.returncode)
            return text

    def same_status(self, tool, status):
        if self.status is not None and status != self.status:
            raise SystemExit(f"{self.title}: status {status} under {tool}, {self.status} before")
        self.status = status

    def tell(self, what, found, expected, more=""):
        """Prints how two {function: figures} agree; returns how many functions differ."""
        wrong = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
        print(f"{self.title:26} {what}  different {len(wrong)}{more}", flush=True)
        for name in wrong:
            print(f"    {name}: callsig {found.get(name)}, expected {expected.get(name)}")
        return len(wrong)


def slots_for_addresses(program):
    """The functions whose address the dynamic linker puts where code reads it."""
    text = subprocess.run(["readelf", "-rW", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return set(re.findall(r"R_X86_64_GLOB_DAT\s+[0-9a-f]+ ([^\s@]+)", text))


def calls_differ(checked, trace, verbose):
    """How many imported functions are counted otherwise than by ltrace."""
    found = Counter()
    for row in checked.profile("--library-calls", "--no-signatures"):
        if row.get("library"):
            found[row["function"]] += row["ncalls"]
    expected = Counter(match[1] for match in map(CALL.match, trace.splitlines()) if match)
    if not expected:
        raise SystemExit(f"{checked.title}: ltrace saw no call")
    if OF_UNKNOWN_SIZE & expected.keys():
        raise SystemExit(f"{checked.title}: the trace does not tell how much these ask for: {OF_UNKNOWN_SIZE & expected.keys()}")
    left_out = checked.uncounted | (BY_CHANCE & (found.keys() | expected.keys()))
    found, expected = (Counter({name: calls for name, calls in counts.items() if name not in left_out}) for counts in (found, expected))
    different = checked.tell(f"functions {len(found):3}  calls {sum(found.values()):6}, of ltrace {len(expected):3}  {sum(expected.values()):6}", found, expected,
                             f"  (left out: {', '.join(sorted(left_out)) or 'none'})")
    if verbose:
        print("".join(f"    {name:24} {calls:8} {expected[name]:8}\n" for name, calls in found.most_common()), end="")
    return different


class Askers(dict):
    """{function: [blocks, bytes]}."""

    def add(self, function, blocks, size):
        sums = self.setdefault(function, [0, 0])
        sums[0] += blocks
        sums[1] += size
        if sums == [0, 0]:
            del self[function]

    def total(self):
        return "  ".join(str(sum(column)) for column in zip(*self.values()))


def text_symbols(program):
    """[(address, name of a function without what gcc appends to it)], by address."""
    text = subprocess.run(["nm", "--defined-only", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return sorted((int(at, 16), PART.sub("", name)) for at, kind, name in (line.split(None, 2) for line in text.splitlines()) if kind in "tTwW")


def requests(trace):
    """(the call's return address, function of the allocator, its arguments, the block that it gave) for each call that the trace has."""
    begun = {}
    for line in trace.splitlines():
        asking, given = ASKING.match(line), GIVEN.match(line)
        if asking:
            call = int(asking[2], 16), asking[3], [int(word, 0) for word in asking[4].split(", ")]
            if asking[5] is None:
                begun[asking[1]] = call
            if asking[5] is not None or asking[3] == "free":
                yield *call, int(asking[5] or "0", 0)
        elif given:
            yield *begun.pop(given[1]), int(given[2], 0)


def askers_of_trace(trace, program):
    """(Askers, and what has to be added to them to have each block at the function that asked for it first)."""
    symbols = text_symbols(program)
    askers, moved, first = Askers(), Askers(), {}
    for address, name, arguments, block in requests(trace):
        function = symbols[bisect.bisect_left(symbols, (address - PIE_BASE, "")) - 1][1]
        size = arguments[0] * arguments[1] if name == "calloc" else arguments[name == "realloc"]
        was_at = first.pop(arguments[0], function) if name == "free" or (name == "realloc" and block) else function
        if block and name != "free":
            first[block] = was_at
            askers.add(function, 1, size)
            moved.add(was_at, 1, size)
            moved.add(function, -1, -size)
    return askers, moved


def askers_of_dhat(dhat, program):
    """(Askers, [blocks, bytes] that libraries asked for)."""
    own = {name for _, name in text_symbols(program)}
    askers, libraries = Askers(), [0, 0]
    for point in dhat["pps"]:
        frames = [dhat["ftbl"][frame] for frame in point["fs"]]
        asking = PART.sub("", next(FRAME.match(frame)[1] for frame in frames if "vgpreload" not in frame))
        if asking in own:
            askers.add(asking, point["tbk"], point["tb"])
        else:
            libraries = [libraries[0] + point["tbk"], libraries[1] + point["tb"]]
    return askers, libraries


def blocks_differ(checked, trace, verbose):
    """How many functions asked for other blocks or bytes than ltrace and dhat saw."""
    found = Askers()
    for row in checked.profile("--alloc", "--no-signatures"):
        found.add(row["function"], row["allocs"] or 0, row["allocbytes"] or 0)
    expected, moved = askers_of_trace(trace, checked.program)
    text = checked.under("valgrind", "--tool=dhat", "--read-inline-info=no", "--dhat-out-file=")
    of_dhat, libraries = askers_of_dhat(json.loads(text), checked.program)
    if not expected or not of_dhat:
        raise SystemExit(f"{checked.title}: ltrace or dhat saw no block")
    different = checked.tell(f"askers {len(found)}  blocks, bytes {found.total()}, of ltrace {expected.total()}", found, expected)
    if verbose:
        print("".join(f"    {name:30} {sums} {expected.get(name)} {of_dhat.get(name)}\n" for name, sums in sorted(found.items())), end="")
    for function, sums in moved.items():
        found.add(function, *sums)
    return different + checked.tell(f"askers {len(found)}  blocks, bytes {found.total()}, of dhat {of_dhat.total()}", found, of_dhat,
                                    f"  (libraries {libraries[0]}  {libraries[1]})")


def main():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"test_library_calls: {' and '.join(missing)} not installed")
        return 77
    driver = Driver(__doc__, {}, FULL, ("--verbose", {"action": "store_true", "help": "print the figures of every function"}))
    different = 0
    for name, variant in driver.chosen:
        command = driver.builder.build(name, variant)
        for run in driver.builder.runs(name, True):
            if (name, run.name) not in THREADED:
                checked = Checked(driver.product, command[0], run, f"{name} {variant} {run.name}")
                # Without a configuration it prints arguments as numbers, and is twice as fast.
                trace = checked.under("ltrace", "-f", "-i", "-F", "/dev/null", "-o", "")
                different += calls_differ(checked, trace, driver.options.verbose) + blocks_differ(checked, trace, driver.options.verbose)
    print(f"{different} functions differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
