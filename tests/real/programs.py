"""The real programs that the tests profile: where their sources are, how they are compiled, and what they are run on.

A program is compiled from its unpacked Debian source package with the compiler alone, because its own build system would
only add dependencies. Nothing in the sources is changed. `fixed` lists definitions that take time, addresses and chance out
of a program through switches that its sources offer; the tests that compare counts between two builds use them in both.
`gcov` lists those that only the build for gcov needs, to call what is always inlined (in C++ at -O0 only: libstdc++ lacks such
functions, which an optimised build would call).
"""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

INPUTS = Path(__file__).resolve().parent / "inputs"


@dataclass
class Run:
    """One command: arguments after the program, and the file that is its standard input."""

    name: str
    args: list
    stdin: Path | None = None


@dataclass
class Program:
    name: str
    package: str
    language: str  # "c" or "c++"
    sources: list
    includes: list
    defines: list = field(default_factory=list)
    flags: list = field(default_factory=list)
    libs: list = field(default_factory=list)
    fixed: list = field(default_factory=list)
    gcov: list = field(default_factory=list)
    clang: list = field(default_factory=list)  # definitions that the program needs when clang instruments it
    prepare: object = None  # called with (package folder, generated folder) before compiling
    runs: object = None  # called with (package folder, input folder, small): list of Run


def _files(folder, patterns, exclude=()):
    found = []
    for pattern in patterns:
        found += [p for p in sorted(folder.glob(pattern)) if p.name not in exclude]
    if not found:
        raise SystemExit(f"{folder}: holds none of {' '.join(patterns)}: run scripts/get-sources.sh again")
    return found


def _lua(root):
    # luai_makeseed: hashes otherwise depend on addresses and the time; STRCACHE: the cache of API strings is otherwise
    # indexed by the address of the C string; l_randomizePivot: large sorts otherwise read two clocks.
    fixed = ["-Dluai_makeseed(L)=1u", "-DSTRCACHE_N=1", "-DSTRCACHE_M=1", "-Dl_randomizePivot()=0u"]

    def runs(package, inputs, small):
        sizes = ["6"] if small else ["60"]
        return [Run("workload", [str(INPUTS / "workload.lua"), *sizes]),
                Run("error", ["-e", "local t = setmetatable({}, {__index = function(t, k) error('no ' .. k) end}) return t.x"])]

    return Program("lua", "lua5.4", "c", _files(root / "src", ["*.c"], exclude=("luac.c",)), [],
                   defines=["-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN", "-DLUA_COMPAT_5_3"], libs=["-lm", "-ldl"], fixed=fixed, runs=runs)


def _corpus(package, inputs, size):
    """Text that compresses as source code does: the package's own sources, one after another, `size` bytes of them."""
    path = inputs / f"corpus-{size}"
    if not path.exists():
        data = b""
        for source in sorted((package / "lib").rglob("*.[ch]")):
            data += source.read_bytes()
            if len(data) >= size:
                break
        part = path.with_suffix(f".{os.getpid()}")
        part.write_bytes(data[:size])
        part.replace(path)
    return path


def _zstd(root):
    sources = _files(root / "lib", ["common/*.c", "compress/*.c", "decompress/*.c", "decompress/*.S", "dictBuilder/*.c",
                                    "legacy/zstd_v0[567].c"]) + _files(root / "programs", ["*.c"])

    def runs(package, inputs, small):
        corpus = _corpus(package, inputs, 300_000 if small else 3_000_000)
        packed = inputs / (corpus.name + ".zst")
        if not packed.exists():
            part = packed.with_suffix(f".{os.getpid()}")
            subprocess.run([inputs / "zstd-plain", "-q", "-3", "-f", "-o", part, corpus], check=True)
            part.replace(packed)
        level = "-3" if small else "-9"
        # A thread of its own would read what is packed and unpacked, and look each time a little earlier or later. Only the first run has it.
        alone = ["-q", "--no-asyncio"]
        return [Run("threads", ["-q", "-T2", level, "-B100000" if small else "-B700000", "-c", str(corpus)]),
                Run("single", [*alone, "--single-thread", level, "-c", str(corpus)]),
                Run("decompress", [*alone, "-d", "-c", str(packed)]),
                Run("broken", [*alone, "-d", "-c", str(corpus)])]

    # ZSTD_NO_INLINE and XXH_NO_INLINE_HINTS: gcov cannot count what must be inlined even at -O0.
    return Program("zstd", "libzstd", "c", sources, ["lib", "lib/common", "lib/legacy", "programs"],
                   defines=["-DZSTD_MULTITHREAD", "-DXXH_NAMESPACE=ZSTD_", "-DDEBUGLEVEL=0", "-DZSTD_LEGACY_SUPPORT=5"],
                   flags=["-pthread"], gcov=["-DZSTD_NO_INLINE=1", "-DXXH_NO_INLINE_HINTS=1"], runs=runs)


def _sqlite_amalgamation(package, generated):
    """sqlite3.c and shell.c from the package's own makefile, which needs tclsh and not its configure script."""
    command = ["make", "-s", "-f", package / "main.mk", f"TOP={package}", "BCC=cc -O1", "TCC=cc -O1", "NAWK=awk", "AR=ar",
               "sqlite3.c", "shell.c", "sqlite3.h", "sqlite3ext.h"]
    done = subprocess.run(command, cwd=generated, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"sqlite3: making the amalgamation failed (is tclsh installed?): {done.stdout.strip().splitlines()[-1]}")


def _sqlite(root):
    def runs(package, inputs, small):
        script = INPUTS / "workload.sql"
        if small:
            return [Run("memory", [":memory:"], script)]
        # Every run has a current folder of its own, so the database is new each time.
        return [Run("memory", [":memory:"], script), Run("file", ["-bail", "database"], script),
                Run("usage", ["-nonsense"])]

    return Program("sqlite3", "sqlite3", "c", ["@sqlite3.c", "@shell.c"], ["@"],
                   defines=["-DSQLITE_ENABLE_FTS5", "-DSQLITE_ENABLE_RTREE", "-DSQLITE_ENABLE_MATH_FUNCTIONS", "-DSQLITE_THREADSAFE=1",
                            "-DSQLITE_ENABLE_DBSTAT_VTAB", "-DSQLITE_ENABLE_STMTVTAB"],
                   flags=["-pthread"], libs=["-lm", "-ldl"], prepare=_sqlite_amalgamation, runs=runs)


def _jsonnet_stdlib(package, generated):
    """std.jsonnet.h: the standard library as an array of characters, as the package's makefile makes it with od."""
    text = (package / "stdlib" / "std.jsonnet").read_bytes()
    header = ",".join(str(byte) for byte in text) + ",0\n"
    (generated / "std.jsonnet.h").write_text(header)


def _jsonnet(root):
    ryml = root / "third_party/rapidyaml/rapidyaml"
    sources = (_files(root / "core", ["*.cpp"], exclude=("lexer_test.cpp", "libjsonnet_test.cpp", "parser_test.cpp"))
               + _files(root / "cmd", ["jsonnet.cpp", "utils.cpp"]) + _files(root / "third_party/md5", ["md5.cpp"])
               + _files(ryml / "src/c4/yml", ["*.cpp"]) + _files(ryml / "ext/c4core/src/c4", ["*.cpp"]))

    def runs(package, inputs, small):
        listed = [Run("workload", [str(INPUTS / "workload.jsonnet")]), Run("error", [str(INPUTS / "failing.jsonnet")])]
        if not small:
            # Those in perf_tests take 15 seconds uninstrumented, half an hour under callsig at -O0; and what bench.04 does is copying strings, a
            # quarter of an hour in callgrind at -O0, with half the calls of this one.
            listed.append(Run("benchmark", [str(package / "benchmarks/bench.03.jsonnet")]))
        return listed

    # _GLIBCXX_ASSERTIONS makes std::string's members part of the program. Without it they are inlined at -O2 and called in
    # libstdc++ at -O0; and clang's instrumentation takes the address of one that libstdc++ always inlines and does not
    # export, so that no program which moves a std::string can be linked.
    return Program("jsonnet", "jsonnet", "c++", sources,
                   ["@", "include", "core", "third_party/md5", "third_party/json", "third_party/rapidyaml/rapidyaml/src",
                    "third_party/rapidyaml/rapidyaml/ext/c4core/src"],
                   flags=["-std=c++11"], fixed=["-D_GLIBCXX_ASSERTIONS"],
                   gcov=["-D__always_inline__=__unused__"], clang=["-D_GLIBCXX_ASSERTIONS"], prepare=_jsonnet_stdlib, runs=runs)


MAKERS = {"lua": ("lua5.4", _lua), "zstd": ("libzstd", _zstd), "sqlite3": ("sqlite3", _sqlite), "jsonnet": ("jsonnet", _jsonnet)}


def program(name, sources):
    """The program `name`, whose package is unpacked in the folder `sources`."""
    package, maker = MAKERS[name]
    root = Path(sources).resolve() / package
    if not root.is_dir():
        raise SystemExit(f"{root} is missing: run scripts/get-sources.sh {sources}")
    return maker(root)
