#!/usr/bin/env python3
"""Configures and builds callsig in one of the ways in which people build it, and runs what was built.

    tests/build/test_build.py --work FOLDER CASE      one case, in FOLDER/CASE, which is removed when it has passed
    tests/build/test_build.py --list                  the cases

A case whose compiler or tool this machine lacks is skipped: it names what is missing, and the exit status is 77. Warnings are
errors in all cases.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
COMPILERS = ("gcc-11", "gcc-12", "clang-14", "clang-16", "clang-19")
TYPES = ("Debug", "MinSizeRel", "Release", "RelWithDebInfo")
SKIPPED = 77
KINDS = ("default", "shared", "static")
WERROR = "-DCALLSIG_WERROR=ON"
# Quick tests that say nothing of how callsig was compiled: they build it again, read its sources, or hold the usual build's interface.
UNAFFECTED = r"^(build|sanitize|structure|docs|abi|install)(\.|$)"


class Failure(Exception):
    """What was expected and is not so, or a command that failed, with what it wrote."""


class Missing(Exception):
    """A tool that a case needs and this machine lacks."""


def expect(true, text):
    if not true:
        raise Failure(text)


def need(tool):
    path = shutil.which(tool)
    if not path:
        raise Missing(f"{tool} is not installed")
    return path


def run(*command, cwd=None, status=0, **variables):
    """Runs a command, whose exit status has to be `status`, and returns what it wrote."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=dict(os.environ, **variables), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != status:
        raise Failure(f"{' '.join(map(str, command))}: exit status {done.returncode} instead of {status}\n{done.stdout}")
    return done.stdout


def configure(source, build, *options, generator="Unix Makefiles", **variables):
    run("cmake", "-S", source, "-B", build, "-G", generator, *options, **variables)


def make(build, *options):
    run("cmake", "--build", build, "-j", os.cpu_count(), *options)


class Case:
    """A folder to work in, and what is done there to a callsig that was built."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = os.path.join(folder, "index cache")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def check_command(self, bin_folder, compiler="cc"):
        """The command says its version, and profiles a program that was compiled by its wrapper."""
        callsig = os.path.join(bin_folder, "callsig")
        expect(re.fullmatch(r"callsig \d+\.\d+\.\d+\n", run(callsig, "--version")), "callsig --version")
        hello, recording = self.path("hello"), self.path("hello.callsig")
        run(os.path.join(bin_folder, "callsig-cc"), "-O1", "-o", hello, os.path.join(HERE, "hello.c"), CALLSIG_CC=compiler)
        text = run(callsig, "run", "-o", recording, hello, CALLSIG_CACHE_DIR=self.cache)
        expect("hello 5\n" in text, text)
        report = run(callsig, "report", recording, CALLSIG_CACHE_DIR=self.cache)
        for row in ("11 function calls", "(square(n=0))", "(square(n=1))", "(main())"):
            expect(row in report, f"no {row} in:\n{report}")

    def check_outside(self, programs, bin_folder, default):
        """The outside project's programs record themselves, and are linked with the kind of library that their name says.

        bin_folder holds the command, which the runtime has make the signature index.
        """
        environment = {"CALLSIG_CACHE_DIR": self.cache, "CALLSIG_COMMAND": os.path.join(bin_folder, "callsig")}
        for kind in KINDS:
            program = os.path.join(programs, "outside_" + kind)
            text = run(program, **environment)
            expect("200 function calls" in text and "square(n=2^6..2^7)" in text, text)
            shared = (default if kind == "default" else kind) == "shared"
            needed = run("readelf", "-d", program)
            expect(("libcallsig.so.0" in needed) == shared and ("libcallsig-stats.so.0" in needed) == shared,
                   f"{program} is not linked with the {kind} libraries:\n{needed}")

    def check_package(self, prefix, *options, default="shared"):
        """The CMake package installed below prefix serves the outside project."""
        build = self.path("outside build")
        configure(os.path.join(TOP, "tests", "install", "cmake"), build, f"-DCMAKE_PREFIX_PATH={prefix}", *options)
        make(build)
        self.check_outside(build, os.path.join(prefix, "bin"), default)

    def check_pkg_config(self, prefix, libraries):
        """So does the one for pkg-config, shared and static."""
        project = self.path("outside pkg-config")
        shutil.copytree(os.path.join(TOP, "tests", "install"), project)
        environment = {"PKG_CONFIG_PATH": os.path.join(libraries, "pkgconfig"), "LD_LIBRARY_PATH": libraries,
                       "CALLSIG_CACHE_DIR": self.cache, "CALLSIG_COMMAND": os.path.join(prefix, "bin", "callsig")}
        run("make", cwd=os.path.join(project, "pkg-config"), **environment)
        for kind in ("shared", "static"):
            text = run(os.path.join(project, "pkg-config", "outside_" + kind), **environment)
            expect("200 function calls" in text and "square(n=2^6..2^7)" in text, text)


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names)


def files_of_the_tree():
    """All but git's, Python's and those of build folders, which other tests may be writing."""
    return [name for name in files_below(TOP) if not re.match(r"build|\.git/|.*__pycache__", name)]


def library_folder(prefix):
    for name in files_below(prefix):
        if os.path.basename(name) == "libcallsig.so":
            return os.path.join(prefix, os.path.dirname(name))
    raise Failure(f"no libcallsig.so below {prefix}")


def build_type(case, build_type, compiler=None):
    """A build of one type, by one compiler; installed, and used from there by an outside project."""
    options = [f"-DCMAKE_BUILD_TYPE={build_type}"]
    chosen = [f"-DCMAKE_C_COMPILER={need(compiler)}"] if compiler else []
    build, prefix = case.path("build"), case.path("installed")
    configure(TOP, build, WERROR, f"-DCMAKE_INSTALL_PREFIX={prefix}", *options, *chosen)
    make(build)
    case.check_command(os.path.join(build, "cli"), compiler or "cc")
    run("cmake", "--install", build)
    case.check_command(os.path.join(prefix, "bin"), compiler or "cc")
    case.check_package(prefix, *options, *chosen)


def release(case):
    """-O3 without assertions, out of the tree, staged with DESTDIR into a prefix with a space."""
    before = files_of_the_tree()
    build, stage = case.path("out of the tree"), case.path("stage")
    configure(TOP, build, WERROR, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_PREFIX=/opt/call sig")
    make(build)
    run("cmake", "--install", build, DESTDIR=stage)
    expect(files_of_the_tree() == before, "building out of the tree has changed the tree")
    prefix = os.path.join(stage, "opt", "call sig")
    expect(files_below(stage) == sorted(os.path.join("opt", "call sig", name) for name in files_below(prefix)),
           "something is installed outside of the prefix")
    case.check_package(prefix)
    case.check_pkg_config(prefix, library_folder(prefix))
    expect(run(os.path.join(prefix, "bin", "callsig"), "--version").startswith("callsig "), "callsig --version")
    # ld.so splits LD_PRELOAD at spaces: the command says so, where it would record nothing.
    run(os.path.join(prefix, "bin", "callsig-cc"), "-o", case.path("hello"), os.path.join(HERE, "hello.c"))
    text = run(os.path.join(prefix, "bin", "callsig"), "run", case.path("hello"), status=1)
    expect("LD_PRELOAD cannot hold a path with a space" in text, text)
    # The same build, staged into a prefix that it was not configured for.
    run("cmake", "--install", build, "--prefix", "/usr/local", DESTDIR=case.path("other"))
    case.check_command(case.path("other", "usr", "local", "bin"))


def checked(case, compiler, build_type, flags):
    """The quick tests of a build that is compiled otherwise; but for those that build again or look at the sources alone."""
    build = case.path("build")
    configure(TOP, build, WERROR, "-DBUILD_TESTING=ON", f"-DCMAKE_BUILD_TYPE={build_type}", f"-DCMAKE_C_COMPILER={need(compiler)}",
              f"-DCMAKE_C_FLAGS={flags}")
    make(build)
    run("ctest", "--test-dir", build, "-L", "quick", "-E", UNAFFECTED, "-j", os.cpu_count(), "--no-tests=error", "--output-on-failure")


def subproject(case):
    """add_subdirectory: nothing of the parent is changed, nothing is installed with it, and its programs work."""
    build, prefix = case.path("build"), case.path("installed")
    configure(os.path.join(HERE, "parent"), build, f"-DCALLSIG_TREE={TOP}", f"-DCMAKE_INSTALL_PREFIX={prefix}", WERROR)
    make(build)
    case.check_outside(os.path.join(build, "bin"), os.path.join(build, "callsig", "cli"), "shared")
    case.check_command(os.path.join(build, "callsig", "cli"))
    check_parent(build)
    run("cmake", "--install", build)
    expect(files_below(prefix) == ["bin/outside_static"], f"installed with the parent: {files_below(prefix)}")


def check_parent(build):
    """The parent's cache and tests are as they were without callsig."""
    cache = run("cmake", "-N", "-LA", build)
    for name in ("CMAKE_BUILD_TYPE:STRING=\n", "BUILD_TESTING:", "BUILD_SHARED_LIBS:"):
        expect(name.endswith("=\n") == (name in cache), f"callsig has changed the parent's {name} in its cache:\n{cache}")
    expect("No tests were found" in run("ctest", "--test-dir", build, "-N") or
           "Total Tests: 0" in run("ctest", "--test-dir", build, "-N"), "the parent has callsig's tests")


def subproject_configured(case):
    """add_subdirectory, before anything is built: nothing of the parent is changed, and it can build what it links."""
    build = case.path("build")
    configure(os.path.join(HERE, "parent"), build, f"-DCALLSIG_TREE={TOP}", WERROR)
    check_parent(build)
    targets = run("cmake", "--build", build, "--target", "help").split()
    for target in ("callsig_cli", "callsig", "callsig_static", "outside_default", "outside_shared", "outside_static"):
        expect(target in targets, f"there is no target {target}: {targets}")


def subproject_installed(case):
    """add_subdirectory with CALLSIG_INSTALL and with static libraries by default: what is installed is a whole callsig."""
    build, prefix = case.path("build"), case.path("installed")
    configure(os.path.join(HERE, "parent"), build, f"-DCALLSIG_TREE={TOP}", f"-DCMAKE_INSTALL_PREFIX={prefix}", WERROR,
              "-DCALLSIG_INSTALL=ON", "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_BUILD_TYPE=Release")
    make(build)
    case.check_outside(os.path.join(build, "bin"), os.path.join(build, "callsig", "cli"), "static")
    run("cmake", "--install", build)
    case.check_command(os.path.join(prefix, "bin"))
    case.check_package(prefix, default="static")


def fetch_content(case):
    """FetchContent, from an archive of what git has of the tree; without git, of all of it."""
    archive = case.path("callsig.tar.gz")
    try:
        names = [name for name in run("git", "-C", TOP, "ls-files", "-z").split("\0") if name]
    except (Failure, OSError):
        names = files_of_the_tree()
    with tarfile.open(archive, "w:gz") as tar:
        for name in names:
            if os.path.exists(os.path.join(TOP, name)):
                tar.add(os.path.join(TOP, name), arcname=os.path.join("callsig", name))
    build = case.path("build")
    configure(os.path.join(HERE, "parent"), build, f"-DCALLSIG_ARCHIVE={archive}", WERROR)
    make(build)
    case.check_outside(os.path.join(build, "bin"), os.path.join(build, "_deps", "callsig-build", "cli"), "shared")
    case.check_command(os.path.join(build, "_deps", "callsig-build", "cli"))


def shared_libs(case, setting, default):
    """BUILD_SHARED_LIBS says which kind the names without an end mean; both kinds are made either way."""
    build, prefix = case.path("build"), case.path("installed")
    configure(TOP, build, WERROR, f"-DBUILD_SHARED_LIBS={setting}", f"-DCMAKE_INSTALL_PREFIX={prefix}")
    make(build)
    run("cmake", "--install", build)
    case.check_command(os.path.join(prefix, "bin"))
    case.check_package(prefix, default=default)
    expect("callsig" not in run("readelf", "-d", os.path.join(prefix, "bin", "callsig")).replace("libedit", ""),
           "the command is linked with a shared library of its own")


def ninja(case):
    """Ninja, which does not know of files that a rule makes unless it is told."""
    need("ninja")
    build = case.path("build")
    configure(TOP, build, WERROR, generator="Ninja")
    make(build)
    case.check_command(os.path.join(build, "cli"))


# What the build can do without, by the names that pkg-config has for it; OTF2 and MPI have options.
OPTIONAL = ("libcurl.pc", "libmicrohttpd.pc")


def pkg_config_without(folder, left_out):
    """A folder that has all packages of this machine's pkg-config but some."""
    os.mkdir(folder)
    found = {}
    for place in reversed(run("pkg-config", "--variable", "pc_path", "pkg-config").strip().split(":")):
        for name in os.listdir(place) if os.path.isdir(place) else ():
            found[name] = os.path.join(place, name)
    for name, path in found.items():
        if name not in left_out:
            os.symlink(path, os.path.join(folder, name))


def bare(case):
    """Without all that can be left out, and with a d3 from elsewhere: the command works, and what it lacks it says, in one line."""
    build, d3 = case.path("build"), case.path("another d3.js")
    shutil.copy("/usr/share/nodejs/d3/dist/d3.min.js", d3)
    pkg_config_without(case.path("pkgconfig"), OPTIONAL)
    configure(TOP, build, WERROR, "-DCALLSIG_OTF2=OFF", "-DCALLSIG_MPI=OFF", f"-DCALLSIG_D3={d3}", PKG_CONFIG_LIBDIR=case.path("pkgconfig"))
    make(build)
    case.check_command(os.path.join(build, "cli"))
    expect(not [name for name in files_below(build) if "libcallsig-mpi" in name], "there is a libcallsig-mpi")
    callsig, recording, out = os.path.join(build, "cli", "callsig"), case.path("hello.callsig"), case.path("out")
    for words, lacks in ((("serve", "--listen", "127.0.0.1:0", recording), "libmicrohttpd"),
                         (("run", "--serve", "127.0.0.1:0", case.path("hello")), "libmicrohttpd"),
                         (("export", "--to", "pprof", "--push", "http://localhost:1/", recording), "libcurl"),
                         (("export", "--to", "otf2", recording, "-o", out), "OTF2")):
        text = run(callsig, *words, status=1, CALLSIG_CACHE_DIR=case.cache)
        expect(text.count("\n") == 1 and f"this callsig was built without {lacks}: install lib" in text, text)
    expect(not os.path.exists(out), "a trace was begun")
    run(callsig, "export", "--to", "html", recording, "-o", out)
    # What stands for attaching on processors for which there is none.
    unknown = os.path.join(TOP, "cli", "attach", "arch", "unknown.c")
    run("cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only", f"-I{TOP}",
        f"-I{os.path.join(TOP, 'include')}", unknown)


def platform(case):
    """Another system, processor or size of pointers is refused in one line that says what it is."""
    pointers = ("-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",)
    for options, this in ((("-DCMAKE_SYSTEM_NAME=Darwin",), "Darwin"),
                          (("-DCMAKE_SYSTEM_NAME=FreeBSD", "-DCMAKE_SYSTEM_PROCESSOR=amd64"), "FreeBSD on amd64"),
                          (("-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=riscv64"), "Linux on riscv64"),
                          (("-DCMAKE_C_FLAGS=-m32", *pointers), "Linux on x86_64 with pointers of 32 bits"),
                          (("-DCMAKE_C_FLAGS=-mx32", *pointers), "Linux on x86_64 with pointers of 32 bits")):
        text = run("cmake", "-S", TOP, "-B", case.path("build"), *options, status=1)
        expect(f"callsig supports Linux on x86-64 and on aarch64, 64-bit programs alone; this is {this}\n" in text, text)
        shutil.rmtree(case.path("build"))


def no_tests(case):
    """Checking nothing is an error: no python3, and a build folder without a test."""
    text = run("cmake", "-S", TOP, "-B", case.path("build"), "-DBUILD_TESTING=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON", status=1)
    expect("tests/CMakeLists.txt" in text and "python3" in text.lower(), text)
    os.mkdir(case.path("empty"))
    commands = run("make", "-n", "-C", TOP, "check", f"BUILD={case.path('empty')}", "JOBS=1")
    command = next(line for line in commands.splitlines() if line.startswith("ctest "))
    text = run("sh", "-c", command, cwd=TOP, status=8)
    expect("No tests were found" in text, text)


def deb(case):
    """The Debian packages, installed, run and removed in a chroot of a bare Debian 12."""
    need("dpkg-shlibdeps")
    build, checker = case.path("build"), os.path.join(TOP, "scripts", "check-deb.sh")
    run("cmake", "--preset", "deb", "-B", build, WERROR, cwd=TOP)
    make(build)
    run("cpack", "-G", "DEB", cwd=build)
    packages = [os.path.join(build, name) for name in sorted(os.listdir(build)) if name.endswith(".deb")]
    expect(len(packages) >= 2, f"packages: {packages}")
    if os.geteuid() != 0:
        raise Missing("only root can make a chroot")
    need("debootstrap")
    text = run(checker, case.path("machine"), *packages)
    expect(text.endswith("removed: nothing is left\n"), text)


CASES = {
    "release": release,
    "subproject": subproject,
    "subproject_configured": subproject_configured,
    "platform": platform,
    "bare": bare,
    "no_tests": no_tests,
    "subproject_installed": subproject_installed,
    "fetch_content": fetch_content,
    "shared_libs_on": lambda case: shared_libs(case, "ON", "shared"),
    "shared_libs_off": lambda case: shared_libs(case, "OFF", "static"),
    "ninja": ninja,
    "deb": deb,
    "checked_lto": lambda case: checked(case, "gcc-12", "Release", "-O3 -flto=auto -D_FORTIFY_SOURCE=3"),
    "checked_clang": lambda case: checked(case, "clang-14", "RelWithDebInfo", ""),
}
for compiler in COMPILERS:
    for kind in TYPES:
        CASES[f"{compiler}.{kind}"] = lambda case, kind=kind, compiler=compiler: build_type(case, kind, compiler)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", help="folder for what is built")
    parser.add_argument("--list", action="store_true", help="lists the cases")
    parser.add_argument("case", nargs="?", choices=CASES, metavar="CASE")
    given = parser.parse_args()
    if given.list:
        print("\n".join(CASES))
        return 0
    if not given.case or not given.work:
        parser.error("--work FOLDER and a CASE, or --list")
    folder = os.path.join(os.path.abspath(given.work), given.case)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    try:
        CASES[given.case](Case(folder))
    except Missing as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    except Failure as failure:
        print(f"{given.case}: {failure}\n(what was built is in {folder})", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
