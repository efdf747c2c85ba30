"""Installs into a scratch prefix, and builds outside projects against it: CMake and pkg-config, shared and static."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("CALLSIG_BUILD", os.path.join(TOP, "build")))


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp(prefix="callsig-install-")
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        first = os.path.join(cls.scratch, "first")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", first], check=True, stdout=subprocess.DEVNULL)
        # Moved, because nothing installed may depend on the place it was installed to.
        cls.prefix = os.path.join(cls.scratch, "moved")
        os.rename(first, cls.prefix)
        shutil.copytree(HERE, os.path.join(cls.scratch, "outside"))

    def setUp(self):
        lib = os.path.dirname(self.find("libcallsig.so"))
        self.environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"), LD_LIBRARY_PATH=lib,
                                PATH=os.path.join(self.prefix, "bin") + ":" + os.environ["PATH"],
                                CALLSIG_CACHE_DIR=os.path.join(self.scratch, "cache"))

    def find(self, name):
        found = glob.glob(os.path.join(glob.escape(self.prefix), "**", name), recursive=True)
        self.assertEqual(len(found), 1, name)
        return found[0]

    def command(self, *arguments, folder="."):
        done = subprocess.run(arguments, cwd=os.path.join(self.scratch, "outside", folder), env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        self.assertEqual(done.returncode, 0, " ".join(arguments) + "\n" + done.stdout + done.stderr)
        return done

    def check_program(self, path):
        """Runs it on its own, then under the installed command."""
        done = self.command(path)
        self.assertIn("200 function calls", done.stdout)
        self.assertIn("square(n=2^6..2^7))", done.stdout)
        self.assertIn("{round}", done.stdout)
        self.assertIn("old: 1 recording, 200 calls in ", done.stdout)

    def test_pkg_config(self):
        self.command("make", folder="pkg-config")
        for name in ("outside_shared", "outside_static"):
            path = os.path.join(self.scratch, "outside", "pkg-config", name)
            self.check_program(path)
            needed = self.command("readelf", "-d", path).stdout
            self.assertEqual("libcallsig" in needed, name == "outside_shared", needed)
        self.assert_sleds(os.path.join(self.scratch, "outside", "build", "outside_best"))

    def assert_sleds(self, path):
        """The program has sleds where the compiler, cc, is a gcc with an installed plug-in, and hooks elsewhere."""
        major = self.command("cc", "-dumpversion").stdout.strip().split(".")[0]
        plugins = glob.glob(os.path.join(glob.escape(self.prefix), "**", f"gcc-{major}", "callsig_sleds.so"), recursive=True)
        self.assertEqual("callsig_sleds" in self.command("readelf", "-SW", path).stdout, plugins != [], plugins)

    def test_cmake(self):
        self.command("cmake", "-S", "cmake", "-B", "build", "-DCMAKE_PREFIX_PATH=" + self.prefix)
        self.command("cmake", "--build", "build")
        for name in ("outside_shared", "outside_static"):
            path = os.path.join(self.scratch, "outside", "build", name)
            self.check_program(path)
            needed = self.command("readelf", "-d", path).stdout
            self.assertEqual("libcallsig" in needed, name == "outside_shared", needed)
        self.assert_sleds(os.path.join(self.scratch, "outside", "build", "outside_best"))

    def test_example(self):
        shutil.copytree(os.path.join(TOP, "examples", "dot"), os.path.join(self.scratch, "outside", "dot"))
        done = self.command("make", "-s", "run", folder="dot")
        tables = done.stdout.split("function calls")
        self.assertEqual(len(tables), 3, done.stdout)
        self.assertIn("(dot)", tables[1])
        self.assertIn("dot(a:array(dtype=FLOAT32, shape=(16", tables[2])
        self.assertIn("dot(a:array(dtype=FLOAT64, shape=(64", tables[2])
        self.assert_sleds(os.path.join("dot", "dot"))

    def test_command(self):
        callsig = os.path.join(self.prefix, "bin", "callsig")
        self.assertRegex(self.command(callsig, "--version").stdout, r"^callsig \d")
        wrapper = os.path.join(self.prefix, "bin", "callsig-cc")
        self.assertRegex(self.command(wrapper, "--callsig-version").stdout, r"^callsig-cc \d")
        include = "-I" + os.path.join(self.prefix, "include")
        self.command(wrapper, "--before-inlining", "-O2", include, "-o", "plain", "outside.c", *self.command(callsig, "flags", "--libs").stdout.split(),
                     "-lcallsig-stats")
        self.check_program("./plain")
        self.environment.pop("LD_LIBRARY_PATH")
        with open(os.path.join(self.scratch, "outside", "f.c"), "w") as file:
            file.write("static int f(int n) { return n; }\nint main(void) { return f(0); }\n")
        self.command(wrapper, "f.c", "-o", "f")
        self.assert_sleds("f")
        self.command(wrapper, "--before-inlining", "f.c", "-o", "f")
        self.assertIn("f(n=0))", self.command(callsig, "run", "./f").stderr)

    def test_place_that_preloading_cannot_name(self):
        place = os.path.join(self.scratch, "a b")
        shutil.copytree(self.prefix, place, symlinks=True)
        self.addCleanup(shutil.rmtree, place)
        with open(os.path.join(self.scratch, "h.c"), "w") as file:
            file.write("int main(void) { return 0; }\n")
        program = os.path.join(self.scratch, "h")
        subprocess.run(["cc", "-g", "-finstrument-functions", program + ".c", "-o", program], check=True)
        done = subprocess.run([os.path.join(place, "bin", "callsig"), "run", program], cwd=self.scratch, text=True,
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        self.assertIn("LD_PRELOAD cannot hold a path with a space or a colon", done.stderr)

    def test_pages(self):
        for page in ("callsig.1", "callsig-run.1", "callsig-report.1", "callsig-index.1", "callsig-flags.1", "callsig-cc.1", "callsig-export.1",
                     "callsig.h.3", "callsig_enable.3", "callsig_disable.3", "callsig_stats_load.3", "callsig_diff.3",
                     "callsig_diff_compare.3"):
            self.assertGreater(os.path.getsize(self.find(page)), 0)
        for page in glob.glob(os.path.join(glob.escape(self.prefix), "**", "*.[13]"), recursive=True):
            with open(page) as file:
                text = file.read()
            if text.startswith(".so "):
                self.assertTrue(os.path.exists(os.path.join(os.path.dirname(os.path.dirname(page)), text[4:].strip())))

    def test_each_function_has_a_page(self):
        declared = set()
        for header in glob.glob(os.path.join(glob.escape(os.path.dirname(self.find("callsig.h"))), "*.h")):
            with open(header) as file:
                text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
            declared |= set(re.findall(r"^CALLSIG_(?:STATS_)?API [^()]*?(callsig_\w+)\(", text, flags=re.MULTILINE))
            declared |= set(re.findall(r"^#define (CALLSIG_\w*[A-Z])\(", text, flags=re.MULTILINE))
        self.assertGreater(len(declared), 100)
        pages = {os.path.basename(page)[:-2] for page in glob.glob(os.path.join(glob.escape(self.prefix), "**", "man3", "*.3"), recursive=True)}
        # What CALLSIG_TASK(), CALLSIG_SPAN() and their like expand to is nobody's to call.
        inner = {name for name in declared if name.endswith(("_cleanup", "_scope"))}
        self.assertEqual(declared - inner - pages, set())

    def test_documents_that_are_named_are_installed(self):
        named = set()
        for page in glob.glob(os.path.join(glob.escape(self.prefix), "**", "*.[13]"), recursive=True):
            with open(page) as file:
                named |= set(re.findall(r"docs/([\w.-]+\.md)", file.read().replace("\\-", "-")))
        for line in self.command("callsig", "--help").stdout.splitlines():
            if line.startswith("  ") and len(line.split()) > 1:
                named |= set(re.findall(r"docs/([\w.-]+\.md)", self.command("callsig", "help", line.split()[0]).stdout))
        self.assertGreater(len(named), 10)
        folder = os.path.join(self.prefix, "share", "doc", "callsig", "docs")
        self.assertEqual(named - set(os.listdir(folder) if os.path.isdir(folder) else ()), set())

    def test_headers_are_c_and_cxx(self):
        include = os.path.dirname(os.path.dirname(self.find("callsig.h")))
        for header in ("callsig", "stats", "pipeline", "diff"):
            source = os.path.join(self.scratch, header + "_alone.c")
            with open(source, "w") as file:
                file.write(f"#include <callsig/{header}.h>\nint main(void) {{ return 0; }}\n")
            for compiler, language in (("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++")):
                self.command(compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I" + include, "-x",
                             language, source)

    def test_libraries_define_only_their_names(self):
        hooks = ("__cyg_profile_func_enter", "__cyg_profile_func_exit")
        wrapped = ("dlclose", "fork", "makecontext", "pthread_sigmask", "setcontext", "sigaction", "signal", "sigprocmask", "swapcontext",
                   "chroot", "seteuid", "setresuid", "setreuid", "setuid")
        for library, others in (("libcallsig", hooks + wrapped), ("libcallsig-stats", ())):
            for name, option in ((library + ".so", "--dynamic"), (library + ".a", "--extern-only")):
                text = self.command("nm", option, "--defined-only", "--format=posix", self.find(name)).stdout
                # Type A is the name of the version itself.
                lines = [line.split() for line in text.splitlines() if not line.endswith(":")]
                names = [line[0].split("@")[0] for line in lines if line[1] != "A"]
                self.assertGreater(len(names), 10, name)
                self.assertEqual([n for n in names if not n.startswith("callsig_") and n not in others], [], name)

    def test_runtime_needs_libc_alone(self):
        needed = [line.split("[")[1].split("]")[0] for line in
                  self.command("readelf", "-d", self.find("libcallsig.so")).stdout.splitlines() if "(NEEDED)" in line]
        self.assertEqual([name for name in needed if not name.startswith(("libc.so", "libpthread.so", "ld-linux"))], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
