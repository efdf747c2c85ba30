"""callsig index: what it shows, where the cache is, and its errors."""

import itertools
import json
import os
import re
import shutil
import stat

import harness


class Index(harness.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("program", harness.CALLS)

    def index(self, *arguments, **options):
        done = self.callsig("index", self.program, *arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_explain(self):
        text = self.index("--explain")
        for word in ("twice", "work", "main", "argc"):
            self.assertIn(word, text)
        self.assertEqual(self.index(), text)

    def test_names_that_do_not_print(self):
        """Neither a program nor the names in its debug information drive a terminal."""
        source = '#line 1 "a\\033[31m\\nb.c"\n' + harness.CALLS
        os.rename(self.compile("hostile", source), self.path("hostile\x1b[32m"))
        for option in ("--explain", "--coverage", "--verify"):
            done = self.callsig("index", option, "hostile\x1b[32m")
            self.assertEqual((done.returncode, done.stderr), (0, ""), option)
            self.assertNotIn("\x1b", done.stdout, option)
            self.assertTrue(done.stdout.startswith(r"hostile\x1b[32m"), done.stdout)
        self.assertIn(r"a\x1b[31m\x0ab.c:3: work", self.callsig("index", "hostile\x1b[32m").stdout)

    def test_coverage(self):
        text = self.index("--coverage")
        self.assertNotIn("argc", text)
        shares = re.findall(r"([0-9.]+) % readable of ([0-9]+) ", text)
        self.assertEqual(len(shares), 3, text)
        self.assertEqual(len({count for _, count in shares[1:]}), 1)  # nothing is inlined, so nothing is removed

    def test_coverage_of_what_the_optimiser_removed(self):
        """`unused` has no formal_parameter in the instance that clang inlines; all declared is what the source has."""
        program = self.compile("removed", "static int f(int used, int unused) { return used * 3; }\n"
                               "int main(int argc, char **argv) { (void)argv; return f(argc, 4 * argc); }\n", "-O2", compiler="clang")
        text = self.callsig("index", "--coverage", program).stdout
        named, placed, declared = (int(count) for count in re.findall(r"% readable of ([0-9]+) ", text))
        removed = re.search(r"([0-9]+) +[0-9.]+ %  not passed or unused: removed from this instance", text)
        dies = self.run_command("readelf", "--debug-dump=info", program).stdout
        instance = dies[dies.index("DW_TAG_inlined_subroutine"):]
        present = instance[:instance.index("Abbrev Number: 0")].count("DW_TAG_formal_parameter")
        self.assertEqual(declared - named, 2 - present, text)
        self.assertEqual(int(removed[1]) if removed else 0, 2 - present, text)
        self.assertLessEqual(placed, named)

    def test_debug_information_without_parameters(self):
        """-g1 knows functions and none of their parameters; K&R's f() in -g has none, and is known."""
        source = ("int __attribute__((noinline)) f(int n) { return n + 1; }\nint __attribute__((noinline)) old() { return 2; }\n"
                  "int main(void) { return f(1) + old() != 4; }\n")
        said = "its debug information has no parameters of 3 functions (-g1, -gline-tables-only): arguments there are unknown; compile it with -g\n"
        for flags, compiler, is_known in ((["-g1"], "gcc", False), (["-ggdb1"], "gcc", False), (["-g1", "-g"], "gcc", True), (["-g", "-g1"], "gcc", False),
                                          (["-g"], "gcc", True), (["-g1"], "clang", False), (["-g"], "clang", True)):
            with self.subTest(flags=flags, compiler=compiler):
                program = self.compile("terse", source, "-std=gnu17", *flags, compiler=compiler)
                for _ in range(2):  # when the index is made, and when it is found
                    done = self.callsig("run", program)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stderr.startswith(f"callsig: {program}: {said}"), not is_known, done.stderr)
                names = {name.split("(", 1)[1] for name in self.rows(done.stderr)}
                self.assertEqual(names, {"f(n=1))", "old())", "main())"} if is_known else {"f(?))", "old(?))", "main(?))"})
                done = self.callsig("index", "--coverage", "--verify", program)
                self.assertEqual((done.returncode, done.stderr), (0, "" if is_known else f"callsig: {program}: {said}"))
                self.assertEqual("3            sites of functions whose debug information has no parameters (-g1)\n" in done.stdout,
                                 not is_known and compiler == "gcc", done.stdout)

    def test_verify(self):
        self.assertNotEqual(self.index("--verify"), "")

    def test_together(self):
        text = self.index("--explain", "--coverage", "--verify")
        for option in ("--explain", "--coverage", "--verify"):
            for line in self.index(option).splitlines():
                self.assertIn(line, text)

    def test_cache(self):
        path = self.index("--cache").rstrip("\n")
        self.assertEqual(os.path.dirname(path), self.environment["CALLSIG_CACHE_DIR"])
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700)
        before = os.stat(path)
        self.assertEqual(self.index("--cache").rstrip("\n"), path)
        self.assertEqual(os.stat(path).st_mtime_ns, before.st_mtime_ns)

    def test_cache_folder(self):
        self.environment.pop("CALLSIG_CACHE_DIR")
        path = self.index("--cache", env={"XDG_CACHE_HOME": self.path("xdg")})
        self.assertTrue(path.startswith(self.path("xdg", "callsig") + "/"), path)
        self.environment.pop("XDG_CACHE_HOME", None)
        os.mkdir(self.path("home"))
        path = self.index("--cache", env={"HOME": self.path("home")})
        self.assertTrue(path.startswith(self.path("home", ".cache", "callsig") + "/"), path)

    def test_damaged_cache_is_made_again(self):
        path = self.index("--cache").rstrip("\n")
        with open(path, "r+b") as file:
            file.seek(200)
            file.write(b"\xff" * 64)
        self.index("--cache")
        done = self.callsig("run", "-o", "x", self.program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_rules(self):
        self.write("rules", "function twice: n ignore\n")
        plain = self.index("--cache")
        ruled = self.index("--cache", "--rules", "rules")
        self.assertNotEqual(plain, ruled)
        self.assertEqual(self.index("--cache", env={"CALLSIG_RULES": "rules"}), ruled)

    def test_bad_rules(self):
        for text, word in (("function twice: n frobnicate\n", "rules:1: "), ("function nowhere: n ignore\n", "nowhere"),
                           ("function twice: m ignore\n", "m"), ("type nothing: a=b\n", "nothing")):
            self.write("rules", text)
            done = self.callsig("index", self.program, "--verify", "--rules", "rules")
            self.assertEqual(done.returncode, 1, text)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("rules:1", done.stderr)
            self.assertIn(word, done.stderr)
        self.assert_fails(self.callsig("index", self.program, "--rules", "none"), 1, "none")

    def test_bad_files(self):
        self.write("text", "hello\n")
        self.write("empty", "")
        for name in ("text", "empty", "missing", "."):
            self.assert_fails(self.callsig("index", name), 1, name)

    def test_truncated(self):
        size = os.path.getsize(self.program)
        for part in (size - 100, size // 2, size // 4, 64, 10):
            with open(self.program, "r+b") as file:
                file.truncate(part)
            done = self.callsig("index", self.program)
            self.assertIn(done.returncode, (0, 1))
            self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_languages(self):
        """Types are spelled as the unit's language does it. Compilers at hand do not name the newest: it is written into what one makes."""
        self.write("a.c", "struct s { int a; };\n__attribute__((noinline)) int f(struct s *p) { return p->a; }\n"
                          "int main(void) { struct s s = {3}; return f(&s); }\n")
        self.assertEqual(self.run_command("gcc", "-g", "-O1", "-finstrument-functions", "-dA", "-S", "a.c", "-o", "a.s").returncode, 0)
        with open(self.path("a.s")) as file:
            text = file.read()
        # By https://dwarfstd.org/languages.html: C11, C17, C++14, C++17 and C++20.
        for number, spelled in ((0x1d, "struct s*"), (0x2c, "struct s*"), (0x21, "s*"), (0x2a, "s*"), (0x2b, "s*")):
            changed, count = re.subn(r"(\.byte\t)0x1d(\t# DW_AT_language)", r"\g<1>%#x\2" % number, text)
            self.assertEqual(count, 1)
            self.write("b.s", changed)
            self.assertEqual(self.run_command("gcc", "b.s", "-o", self.path("b")).returncode, 0)
            self.assertIn(f"\n  p: {spelled}, ", self.callsig("index", "b").stdout, hex(number))
            self.assertIn("disagree 0", self.callsig("index", "--verify", "b").stdout)

    def test_body_of_a_parallel_region(self):
        """It is a function that is declared nowhere, and stands where the region does."""
        program = self.compile("parallel", "double sum;\n"
                               "int main(int argc, char **argv)\n{\n  (void)argv;\n"
                               "#pragma omp parallel for\n  for (int i = 0; i < argc; i++)\n    sum += i;\n  return 0;\n}\n", "-fopenmp", compiler=harness.CALLSIG_CC,
                               instrument=False)
        self.assertRegex(self.callsig("index", program).stdout, r"parallel\.c:5: main\._omp_fn\.0\b")

    def test_function_that_two_units_compile_differently(self):
        """Of an inline function the linker keeps the first unit's code. Where the second unit's has the same size, its description is
        given the address of the kept code, which it does not describe: here the registers are exchanged."""
        self.write("common.h", "inline __attribute__((noinline)) int scale(int first, int second) { return LEFT * 2 - RIGHT; }\n")
        self.write("one.cpp", '#define LEFT first\n#define RIGHT second\n#include "common.h"\nint one(int n) { return scale(n, 3); }\n')
        self.write("two.cpp", '#define LEFT second\n#define RIGHT first\n#include "common.h"\nint one(int);\n'
                   "int main() { return one(14) + scale(41, 5) != 102; }\n")
        done = self.run_command("g++", "-g", "-O2", "-finstrument-functions", "one.cpp", "two.cpp", "-o", "units")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.callsig("run", "-o", "recording", self.path("units")).returncode, 0)
        rows = json.loads(self.callsig("report", "--format", "json", "recording").stdout)["rows"]
        found = sorted(tuple(argument["value"] for argument in row["args"]) for row in rows if row["function"] == "scale")
        self.assertEqual(found, [(14, 3), (41, 5)])
        self.assertEqual(self.callsig("index", "--verify", "units").returncode, 0)

    def test_functions_without_a_name_of_their_own(self):
        """Functions of a class that is local to others have these in their names, and what initialises a file's objects has the file."""
        self.write("one.cpp", """template <class T> void fill(T n)
{
  struct Guard { T left; Guard(T n) : left(n) {} ~Guard() { left = 0; } };
  for (T i = 0; i < n; i++)
    Guard guard(i);
}
static int start() { fill(2); fill(3L); return [](int n) { return n; }(1); }
int first = start();
int main() { return 0; }
""")
        self.write("two.cpp", "static int start() { return 1; }\nint second = start();\n")
        fills = {f"fill<{kind}>{tail}": calls for kind, calls in (("int", 2), ("long", 3)) for tail in ("()::Guard::Guard", "()::Guard::~Guard")}
        for compiler in filter(shutil.which, ("g++", "clang++")):
            done = self.run_command(harness.CALLSIG_CC, "-g", "-O0", "one.cpp", "two.cpp", "-o", "names", env={"CALLSIG_CC": compiler})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.callsig("run", "-o", "recording", self.path("names")).returncode, 0)
            rows = json.loads(self.callsig("report", "--by", "function", "--strip-dirs", "--format", "json", "recording").stdout)["rows"]
            self.assertNotIn("(anonymous)", {row["function"] for row in rows}, compiler)
            guards = {row["function"].replace("long int", "long"): row["ncalls"] for row in rows if "Guard" in row["function"]}
            self.assertEqual(guards, fills, compiler)
            self.assertIn("start()::(anonymous)::operator()", {row["function"] for row in rows}, compiler)
            makers = sorted((row["file"], row["ncalls"]) for row in rows if row["function"].startswith("_GLOBAL__sub_I_"))
            self.assertEqual(makers, [("one.cpp", 1), ("two.cpp", 1)], compiler)
            self.assertIn("disagree 0", self.callsig("index", "--verify", "names").stdout, compiler)

    def test_thunks_have_names_that_can_be_read(self):
        """gcc tells nothing of a thunk, clang its symbol: it has the same name of both, with parameters that are not known, which is no -g1."""
        self.write("thunks.cpp", """struct A { virtual int f() = 0; int a = 1; };
struct B { virtual int g(int n) = 0; int b = 2; };
struct V { virtual int h() = 0; int v = 3; };
struct C : A, B, virtual V {
  int count = 4; volatile int total = 0;
  int f() override { return count; }
  int g(int n) override { for (int i = 0; i < n; i++) total = total + i * count; return total; }
  int h() override { for (int i = 0; i < b; i++) total = total + i * a; return total; }
};
static int __attribute__((noinline)) call(B *b, V *v) { return b->g(5) + v->h(); }
int main() { C c; B *volatile b = &c; V *volatile v = &c; return call(b, v) == 0; }
""")
        names = {"non-virtual thunk to C::g(int)": 1, "virtual thunk to C::h()": 1}
        for compiler in filter(shutil.which, ("g++", "clang++")):
            done = self.run_command(harness.CALLSIG_CC, "-O2", "thunks.cpp", "-o", "thunks", env={"CALLSIG_CC": compiler})
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.callsig("run", "-o", "recording", self.path("thunks"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("-g1", done.stderr, compiler)
            rows = json.loads(self.callsig("report", "--format", "json", "recording").stdout)["rows"]
            thunks = {row["function"]: row["ncalls"] for row in rows if "thunk" in row["function"] or row["function"].startswith("_Z")}
            # gcc writes those as text, without a sled, that it does not put the function into.
            self.assertEqual(thunks if compiler == "clang++" else {**names, **thunks}, names, compiler)
            self.assertTrue(all(row["signature"].endswith("(?)") for row in rows if row["function"] in names), rows)
            text = self.callsig("index", "--explain", "--coverage", "--verify", "thunks").stdout
            self.assertIn("disagree 0", text, compiler)
            self.assertNotIn("-g1", text, compiler)

    def test_verify_where_no_process_can_be_made(self):
        """It is held against libdwarf in a process of its own: without one it is not said to be the same."""
        source = self.write("no_fork.c", "#include <errno.h>\n#include <unistd.h>\npid_t fork(void) { errno = EAGAIN; return -1; }\n")
        library = self.path("no_fork.so")
        self.assertEqual(self.run_command("cc", "-shared", "-fPIC", source, "-o", library).returncode, 0)
        self.assert_fails(self.callsig("index", "--verify", self.program, env={"LD_PRELOAD": library}), 1, self.program, "Resource temporarily unavailable")

    def test_verify_a_parameter_that_is_set_first(self):
        """Of `at`, whose address is taken, clang tells what `words[at++]` leaves in it: that is made of what is passed, which is what is read."""
        source = """#include <string.h>
int __attribute__((noinline)) on(int *at) { return ++*at; }
int __attribute__((noinline)) find(const char **words, int at, int *which)
{
  const char *word = words[at++];
  if (strcmp(word, "tunnel") != 0)
    return -1;
  if (strcmp(words[at], "x"))
    return 0;
  *which = on(&at);
  return at;
}
int main(int argc, char **argv)
{
  const char *words[] = {"tunnel", "x", 0};
  int which = 0;
  (void)argv;
  return find(words, argc - 1, &which) != 2;
}
"""
        self.write("set.c", source)
        for compiler, options in itertools.product(filter(shutil.which, ("clang", "clang-14", "clang-16", "clang-19", "gcc")), ((), ("--before-inlining",))):
            with self.subTest(compiler=compiler, options=options):
                done = self.run_command(harness.CALLSIG_CC, *options, "-O2", "set.c", "-o", "set", env={"CALLSIG_CC": compiler})
                self.assertEqual(done.returncode, 0, done.stderr)
                text = self.callsig("index", "--explain", "--verify", "set").stdout
                self.assertIn("at=r", text)
                self.assertIn("disagree 0", text)
                done = self.callsig("run", self.path("set"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("find(words:char**, at=0, which:int*)", {name.split("(", 1)[1][:-1] for name in self.rows(done.stderr)})

    def test_verify_what_the_index_does_not_take_for_passed(self):
        """What clang tells of two parameters that are swapped is in the other one's register; and of one in parts, one part alone at the call."""
        self.write("swapped.c", """#include <stdint.h>
volatile int sink;
int __attribute__((noinline)) swapped(int x, int y) { int t = x; x = y; y = t; sink += x & 1023; sink -= y; return x * 3; }
uint32_t __attribute__((noinline)) joined(uint32_t v)
{
  uint8_t *p = (uint8_t *)&v;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
int main(int argc, char **argv) { (void)argv; return (swapped(argc, 3) + (int)joined((uint32_t)argc)) & 0; }
""")
        for compiler in filter(shutil.which, ("clang", "clang-14", "clang-16", "clang-19", "gcc")):
            with self.subTest(compiler=compiler):
                done = self.run_command(harness.CALLSIG_CC, "--before-inlining", "-O2", "swapped.c", "-o", "swapped", env={"CALLSIG_CC": compiler})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("disagree 0", self.callsig("index", "--verify", "swapped").stdout)

    def test_local_functions_that_gcc_folds(self):
        """Code of its own that gcc gives a function which it folds into another one is that function's in the unit whose code it is."""
        folded = "static int %s(int p) { sink = p; return p > 5; }\n"
        for unit, names in (("one", ("kept", "own")), ("two", ("first", "own"))):
            self.write(f"{unit}.c", "extern volatile int sink;\n" + "\n" * (unit == "two") + "".join(folded % name for name in names) +
                       "int (*volatile %s[])(int) = {%s};\n" % (unit, ", ".join(names)))
        self.write("main.c", "volatile int sink;\nextern int (*volatile one[])(int), (*volatile two[])(int);\n"
                             "int main(void) { return (one[0](1) + one[1](2) + two[0](3) + two[1](4)) & 0; }\n")
        for options in ((), ("--calls",), ("--before-inlining",)):
            with self.subTest(options=options):
                done = self.run_command(harness.CALLSIG_CC, *options, "-O2", "one.c", "two.c", "main.c", "-o", "folded", env={"CALLSIG_CC": "gcc"})
                self.assertEqual(done.returncode, 0, done.stderr)
                done = self.callsig("run", self.path("folded"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLessEqual({"one.c:3(own", "two.c:4(own"}, {os.path.basename("(".join(row.split("(")[:2])) for row in self.rows(done.stderr)}, done.stderr)

    def rows_of_described(self, name, rules=""):
        """Builds the program of that name whose debug information is written by hand, and returns the names of a run's rows, without the places."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "symbols", f"{name}.S")
        done = self.run_command("gcc", source, "-o", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("disagree 0", self.callsig("index", "--verify", name).stdout)
        self.write("rules", rules)
        done = self.callsig("run", "--rules", "rules", self.path(name))
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row.split("(", 1)[1] for row in self.rows(done.stderr)}

    def test_a_slot_that_is_used_again(self):
        """What lies in a slot before the hook's call is read there, and not what is stored when the parameter is told there no longer."""
        self.assertLessEqual({"kept(value=41))", "filled(value=7))"}, self.rows_of_described("reused_slot"))

    def test_what_is_told_behind_the_hooks_call(self):
        """Of a parameter that its function keeps, a later place is traced back, but not past a test of what it is made of, nor into the next copy."""
        self.assertEqual(self.rows_of_described("told_later") - {"probe())", "main())"},
                         {"after_exit(value=41))", "sunk(value=7))", "tested(value=?))", "chosen(value=?))", "again(value=?))", "again(value=9))"})

    def test_what_is_told_of_a_function_of_its_own(self):
        """What is computed is what it makes of its parameter, where something is added, and so is a part that is told later."""
        self.assertEqual(self.rows_of_described("told_at_entry") - {"probe())", "main())"},
                         {"counted(value=?))", "narrow(value=41))", "parted(value=?))", "late(value=?))", f"stacked({'other=?, ' * 6}value=?))"})

    def test_what_is_told_to_be_on_the_stack_first(self):
        """It is read there, and not what the function is told to have made of it when it calls the hook; nor what it only hands on to one that does not look at it."""
        self.assertEqual(self.rows_of_described("told_on_stack") - {"probe())", "main())"},
                         {f"taken({'other=?, ' * 6}value=41))", "hands(value=?))", "holds(value=41))"})

    def test_what_gcc_tells_behind_the_hooks_call(self):
        """It counts where the function's copy shows that the parameter is kept; a number, or a place of two parameters, where it looks at the parameter."""
        self.assertEqual(self.rows_of_described("told_by_gcc", "function halves: show value.a\nfunction halves: show value.b\n") - {"probe())", "main())"},
                         {"keeps(value=41))", "sets(value=?))", "reads(value=5))", "ignores(value=?))", "shares(other=?, value=?))",
                          "halves(value:struct pair, value.a=?, value.b=4))"})

    def test_what_is_told_of_an_unrolled_loop(self):
        """What was told of one copy of an inlined function is not what was passed to the next, where it ends there, or where the function has set it."""
        self.assertEqual(self.rows_of_described("told_by_copies") - {"probe())", "main())"},
                         {"stays(value=5))", "ends(value=6))", "ends(value=?))", "counts(value=7))", "counts(value=?))", "bound(value=41))", "late(value=41))",
                          "late(value=?))", "sets(value=41))", "sets(value=?))"})

    def test_what_clang_computes_of_an_inlined_functions_parameter(self):
        """Bits that are no whole bytes may be what it makes of it, and so may a register be of which its copy tells no more; what lies behind a spill is something else. A slot is told before it is filled. It computes with four bytes, which have a sign, and forgets to divide a loop's counter."""
        self.assertEqual(self.rows_of_described("told_by_clang") - {"probe())", "main())"},
                         {"masked(value=?))", "narrow(value=41))", "shifted(value=?))", "cut(value=7))", "ended(value=?))", "looped(value=41))", "left(value=?))",
                          "halved(value=-4))", "divided(value=-2))", "remaining(value=-2))", f"tripled(value={(2**32 - 21) >> 1}))", "compared(value=?))", "doubled(value=?))", "filled(value=41))"})

    def test_what_clang_tells_of_a_parameter_of_which_some_bits_count(self):
        """The others may be anything where it computes with a number of which the highest bit is the highest that counts, and in a place of which the caller made something."""
        self.assertEqual(self.rows_of_described("told_of_bits") - {"probe())", "main())"},
                         {"highest(value=?))", "lower(value=42))", "derived(value=?))", "whole(value=48))", "returned(value=?))", "loaded(value=41))", "made(value=?))", "masked(value=40))",
                          "spilled(value=?))", "byte(value=42))"})

    def test_what_clang_tells_as_one_bit(self):
        """A conversion to one bit takes that alone, with its sign. A bit that was computed may be the opposite of what it is told to be, but where it is stored as it is."""
        self.assertEqual(self.rows_of_described("told_of_truths") - {"probe())", "main())"}, {"odd(value=1))", "negative(value=-1))", "compared(value=?))", "dropped(value=?))", "stored(value=0))", "spilled(value=0))",
                          "asked(value=true))"})

    def test_what_gcc_tells_of_a_clone(self):
        """A parameter that is told late, in a register where an earlier one is told too, is not passed; nor is what a function inlined into it has of one that was taken out."""
        self.assertEqual(self.rows_of_described("told_of_clones") - {"probe())", "main())"},
                         {"lacks(other=41, value=?))", "has(other=41, value=43))", "takes(value=?))", "unknown(value=?))", "passes(value=41))", "known(value=41))"})

    def test_what_callers_tell_from_a_register(self):
        """It counts where the register is not overwritten between the copy into the argument's and the call."""
        self.assertEqual(self.rows_of_described("told_by_callers") - {"probe())", "main())"}, {"asked(value=41))", "asked(value=43))", "asked(value=?))"})


if __name__ == "__main__":
    harness.main()
