"""gcc's plug-in by itself: what becomes of the list of sleds at the link, which functions it leaves out, what it refuses, that it
costs nothing, and that its other shape, calls after inlining, counts what callgrind counts."""

# ctest: case .gcc quick gcc --quick
# ctest: case .gcc_11 full gcc-11
# ctest: case .gcc_12 full gcc-12
# ctest: skips

import collections
import os
import re
import subprocess
import sys
import tempfile
import unittest

import program
from program import ENTER
from test_sleds import BUILD, HERE, check_gcc_program, plugin_of, run

PLUGINS = {plugin_of(compiler) for compiler in ("gcc-11", "gcc-12", "gcc")} - {None}
ARGUMENT = "-fplugin-arg-callsig_sleds-"
USED = "int used(int x) { return x * 3; }\nint dead(int x) { return x * 5; }\nint dead_too(int x) { return x * 7; }\n"
MAIN = "int used(int);\nint dropped(int x) { return x; }\nint main(int c, char **v) { (void)v; return used(c) - 3; }\n"

# gcc inlines the beginning of look() into use(), and calls the rest of it from both.
SPLIT = r"""
volatile int sink;
__attribute__((noinline)) int deep(int n)
{
  sink += n;
  return sink;
}
#define MORE s += deep(s & 7) * deep(i + 1) ^ deep(s & 3) * deep(p[i] + s);
int look(const int *p, int n)
{
  if (!p)
    return 0;
  int s = 0;
  for (int i = 0; i < n; i++) {
    MORE MORE MORE MORE MORE MORE MORE MORE
  }
  return s;
}
int (*volatile via)(const int *, int) = look;
__attribute__((noinline)) int use(const int *p, const int *q) { return look(p, 3) + look(q, 2) + via(p, 1); }
__attribute__((noinline)) int main_use(int c)
{
  int a[3] = {c, 2, 3}, s = 0;
  for (int i = 0; i < 10; i++)
    s += use(a, i & 1 ? a : 0);
  return s;
}
int main(int c, char **v)
{
  (void)v;
  return main_use(c) == 12345;
}
"""


class Links(unittest.TestCase):
    compiler = "gcc"
    levels = (("-O2",), ("-O0",), ("-O3", "-flto"))  # --quick takes the first alone

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="callsig-links-")
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.cxx = self.compiler.replace("gcc", "g++")
        self.plugin = "-fplugin=" + plugin_of(self.compiler)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def gcc(self, *words, plugin=True, compiler=None):
        return run(compiler or self.compiler, "-g", *([self.plugin] if plugin else []), *words, cwd=self.folder)

    def entries(self, name="a", excluded=()):
        """The functions with sleds, after a check that the list is what objdump shows."""
        made = check_gcc_program(self.path(name), excluded)
        return collections.Counter(re.sub(r"\.(isra|constprop|part|lto_priv).*", "", made.function_at(sled.address).name) for sled in made.sleds if sled.kind == ENTER)

    def test_collected_sections(self):
        """The list loses exactly what the linker drops."""
        self.write("a.c", MAIN)
        self.write("b.c", USED)
        self.gcc("-O2", "-ffunction-sections", "a.c", "b.c", "-o", "a")
        self.assertEqual(set(self.entries()), {"main", "used", "dead", "dead_too", "dropped"})
        self.gcc("-O2", "-ffunction-sections", "-Wl,--gc-sections", "a.c", "b.c", "-o", "a")
        self.assertEqual(set(self.entries()), {"main", "used"})
        self.assertNotIn("dead", run("nm", self.path("a")))

    def test_partial_link(self):
        """`ld -r` keeps all, and with --unique what the next link drops goes with its list."""
        self.write("a.c", MAIN)
        self.write("b.c", USED)
        self.gcc("-O2", "-ffunction-sections", "-c", "a.c", "b.c")
        for options, expected in (((), {"main", "used", "dead", "dead_too", "dropped"}), (("--unique=callsig_sleds",), {"main", "used"})):
            run("ld", "-r", *options, "a.o", "b.o", "-o", "both.o", cwd=self.folder)
            self.gcc("both.o", "-o", "a")
            self.assertEqual(set(self.entries()), {"main", "used", "dead", "dead_too", "dropped"})
            if options:
                self.gcc("both.o", "-Wl,--gc-sections", "-o", "a")
                self.assertEqual(set(self.entries()), expected)

    def test_groups(self):
        """Of a function that several units have, one is kept, and its sleds."""
        common = "inline __attribute__((noinline)) int shared(int x) { static int calls; return x + ++calls; }\n" \
                 "template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }\n"
        self.write("a.cc", common + "int other(int);\nint main(int c, char **) { return shared(c) + twice(c) + other(c) == 0; }\n")
        self.write("b.cc", common + "__attribute__((noinline)) int other(int x) { return shared(x) * twice(x); }\n")
        for flags in ((), ("-ffunction-sections", "-Wl,--gc-sections"), ("-flto",)):
            self.gcc("-O2", *flags, "a.cc", "b.cc", "-o", "a", compiler=self.cxx)
            found = self.entries()
            self.assertEqual((found["_Z6sharedi"], found["_Z5twiceIiET_S0_"], found["_Z5otheri"]), (1, 1, 1), (flags, found))

    def test_shared_library(self):
        """Functions that another library may replace are listed without a relocation when the library is loaded."""
        self.write("a.c", USED + "int calls(int x) { return used(x) + dead(x); }\n")
        self.gcc("-O2", "-fPIC", "-shared", "-Wl,-z,text", "-Wl,-z,defs", "a.c", "-o", "a.so")
        self.assertEqual(set(self.entries("a.so")), {"used", "dead", "dead_too", "calls"})
        place = next(section for section in program.read_sections(self.path("a.so")) if section[0] == "callsig_sleds")
        relocated = [int(line.split()[0], 16) for line in run("readelf", "-rW", self.path("a.so")).splitlines()
                     if re.match(r"[0-9a-f]{16} ", line)]
        self.assertEqual([at for at in relocated if place[3] <= at < place[3] + len(place[4])], [])
        self.assertEqual(place[2] & 0x7, 0x2, "the section is read alone")
        self.assertNotIn("TEXTREL", run("readelf", "-d", self.path("a.so")))

    def test_no_library_is_needed(self):
        self.write("a.c", MAIN + USED)
        self.gcc("-O2", "a.c", "-o", "a")
        self.gcc("-O2", "a.c", "-o", "plain", plugin=False)
        for command in (("readelf", "-d"), ("nm", "-u")):
            with_sleds, plain = (re.sub(r"0x[0-9a-f]+ .*|\d+ \(bytes\)", "", run(*command, self.path(name))) for name in ("a", "plain"))
            self.assertEqual(with_sleds, plain)

    def test_split_function(self):
        """Of a function that gcc split, of which calls count twice, the table says so."""
        self.write("a.c", SPLIT)
        command = os.path.join(BUILD, "cli", "callsig")
        note = ": gcc split this function, and a call that goes on in the rest counts twice"
        before = "-finstrument-functions"
        # With hooks that were there before inlining gcc does not split it, or the part has none that a call begins with.
        for flags, plugin, told in (((), True, True), (("-fno-partial-inlining",), True, False),
                                    ((ARGUMENT + "calls",), True, True), ((before,), False, False)):
            self.gcc("-O2", *flags, "a.c", "-o", "a", plugin=plugin)
            if before not in flags:
                self.assertEqual(".part." in run("nm", self.path("a")), told)
            run(command, "run", "-o", self.path("a.out"), self.path("a"))
            self.assertEqual("a.c:9(look)" + note in run(command, "report", self.path("a.out")), told, flags)

    def test_left_out(self):
        """The lists leave out what they leave out of -finstrument-functions: by the names that C++ shows, and by file."""
        source = "namespace space { __attribute__((noinline)) int member(int x) { return x * 3; } }\n" \
                 "struct thing { __attribute__((noinline)) int method(int x) { return x * 5; } };\n" \
                 "__attribute__((noinline)) int plain(int x) { return x * 7; }\n" \
                 "int main(int c, char **) { return space::member(c) + thing().method(c) + plain(c) == 0; }\n"
        self.write("a.cc", source)
        for lists in (("function-list=space::member",), ("function-list=method,plain",), ("file-list=a.cc",), ("file-list=b.cc",)):
            words = [f"-finstrument-functions-exclude-{name}" for name in lists]
            for flags in ((), ("-flto",)):
                self.gcc("-O2", *flags, *words, "-c", "a.cc", compiler=self.cxx)
                self.gcc("-O2", *flags, "a.o", "-o", "a", compiler=self.cxx)
                with_sleds = set(self.entries()) if "callsig_sleds" in run("readelf", "-SW", self.path("a")) else set()
                # At -O0 each function that has hooks calls them itself.
                self.gcc("-O0", "-finstrument-functions", *words, "a.cc", "-o", "hooks", compiler=self.cxx, plugin=False)
                made = program.Program(self.path("hooks"))
                hooked = {function.name for function in made.own()
                          if any(code.label.startswith("__cyg_profile_func_enter") for code in function.code)}
                self.assertEqual(with_sleds, hooked, (lists, flags))

    def test_min_instructions(self):
        self.write("a.c", MAIN + USED + "int loops(volatile int *p) { while (*p) ; return 0; }\n")
        for least, expected in (("0", {"main", "used", "dead", "dead_too", "dropped", "loops"}), ("1000", {"loops"})):
            self.gcc("-O2", f"{ARGUMENT}min-instructions={least}", "a.c", "-o", "a")
            self.assertEqual(set(self.entries()), expected)

    def test_attributes(self):
        self.write("a.c", "struct frame;\n__attribute__((interrupt)) void handler(struct frame *f) { (void)f; }\n"
                          "__attribute__((naked)) void bare(void) { __asm__(\"ret\"); }\n"
                          "__attribute__((no_instrument_function)) void quiet(void) {}\nvoid plain(void) {}\n"
                          "void unwinds(long n, void *p) { plain(); __builtin_eh_return(n, p); }\nint main(void) { return 0; }\n")
        self.gcc("-O2", "-mgeneral-regs-only", "a.c", "-o", "a")
        made = program.Program(self.path("a"))
        kinds = {function.name: [sled.kind for sled in made.sleds_in(function)] for function in made.own()}
        self.assertEqual(kinds, {"handler": [], "bare": [], "quiet": [], "plain": [0, 1], "unwinds": [0], "main": [0, 1]})

    def refused(self, *words):
        done = subprocess.run([self.compiler, *words, "-c", "a.c"], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_refused(self):
        self.write("a.c", USED)
        self.assertIn("no argument 'x'", self.refused(self.plugin, ARGUMENT + "x"))
        for value in ("", "=", "=-1", "=1x", "=9999999999"):
            self.assertIn("takes a whole number", self.refused(self.plugin, ARGUMENT + "min-instructions" + value), value)
        self.assertIn("does not go together with '-finstrument-functions'", self.refused(self.plugin, "-finstrument-functions"))
        for other in PLUGINS - {plugin_of(self.compiler)}:
            self.assertRegex(self.refused("-fplugin=" + other), r"made for gcc \d+\.\d+\.\d+ .*, and this is gcc \d+|undefined symbol")

    def test_32_bits(self):
        self.write("a.c", USED)
        self.gcc("-m32", "-c", "a.c")
        self.assertNotIn("callsig_sleds", run("readelf", "-SW", self.path("a.o")))

    def instructions(self, name):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--demangle=no", "--callgrind-out-file=" + self.path(name + ".out"), "./" + name],
                              cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1])

    def test_price_off(self):
        """Without callsig a program with sleds executes at most 2 % more instructions."""
        for flags in self.levels[:2]:
            for name, plugin in (("a", True), ("plain", False)):
                self.gcc(*flags, os.path.join(HERE, "work.c"), "-o", name, plugin=plugin)
            with_sleds, plain = self.instructions("a"), self.instructions("plain")
            self.assertGreater(plain, 10000000)
            self.assertLess(with_sleds, plain * 1.02, flags)

    def test_calls(self):
        """The other shape: every function enters as often as callgrind sees it called, and exits as often."""
        hooks = os.path.join(HERE, "count_calls.c")
        self.gcc("-O2", "-c", hooks, "-o", "hooks.o", plugin=False)
        for source, compiler, extra in (("shapes.c", self.compiler, ()), ("shapes.cc", self.cxx, ("-std=c++20",))):
            for flags in self.levels:
                self.gcc(*flags, *extra, "-w", ARGUMENT + "calls", os.path.join(HERE, source), "hooks.o", "-o", "calls", "-no-pie",
                         compiler=compiler)
                self.gcc(*flags, *extra, "-w", os.path.join(HERE, source), "-o", "plain", compiler=compiler, plugin=False)
                environment = {**os.environ, "COUNTS": self.path("counts")}
                self.assertEqual(run("./calls", cwd=self.folder, env=environment), run("./plain", cwd=self.folder))
                self.instructions("calls")
                self.compare_calls(source, flags)

    def compare_calls(self, source, flags):
        made = program.Program(self.path("calls"))
        with open(self.path("counts")) as file:
            counted = {int(words[0], 16): int(words[1]) for words in map(str.split, file)}
        seen = callgrind_calls(self.path("calls.out"), "calls")
        compared = 0
        for address, calls in counted.items():
            name = made.function_at(address).name
            # What is called through the start files or by jumps of the linker's own has no line there.
            if name in seen:
                self.assertEqual(calls, seen[name], (source, flags, name))
                compared += 1
        self.assertGreater(compared, 10)


def callgrind_calls(path, name):
    """Calls of each function of the object `name`, by the names of its symbols."""
    names, objects, calls = {}, {}, collections.Counter()
    here = there = callee = None
    with open(path) as file:
        for line in file:
            found = re.match(r"(c?ob|c?fn)=\((\d+)\)(?: (.*))?", line)
            if found:
                table = objects if "ob" in found[1] else names
                text = table.setdefault(found[2], found[3])
                if found[1] == "ob":
                    here = text
                elif found[1] == "cob":
                    there = text
                elif found[1] == "cfn":
                    callee = text
            elif line.startswith("calls="):
                if os.path.basename(there or here) == name:
                    calls[re.sub(r"'\d+$", "", callee)] += int(line[6:].split()[0])
                there = None
    return calls


if __name__ == "__main__":
    Links.compiler = sys.argv.pop(1)
    if "--quick" in sys.argv:
        sys.argv.remove("--quick")
        Links.levels = Links.levels[:1]
    if not plugin_of(Links.compiler):
        print(f"skipped: no plug-in has been built for {Links.compiler}")
        sys.exit(77)
    unittest.main()
