#!/usr/bin/env python3
"""scripts/get-sources.sh fetches packages from repositories of this machine's, of which the newer has lost its files."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONTROL = "Package: tool\nVersion: {}\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\nDescription: A tool\n"
VERSIONS = ("1.0-1", "1.0-2")


class GetSources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="callsig-sources-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.sources = os.path.join(self.folder, "sources")
        for version in VERSIONS:
            self.add_source(version)
            self.add_binary(version)
        self.write("apt/sources.list", "".join(f"deb [trusted=yes] file:{self.folder}/{version} ./\n" for version in VERSIONS))

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def run_here(self, *command):
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def digest(self, path):
        """What a list says of a file: its SHA-256 and its size."""
        with open(os.path.join(self.folder, path), "rb") as file:
            data = file.read()
        return hashlib.sha256(data).hexdigest(), len(data)

    def add_source(self, version):
        """A repository that has the source package in one version, whose upstream tarball names it."""
        self.write("tool-1.0/version", version)
        self.write(f"{version}/tool_{version}.dsc", version)
        self.run_here("tar", "-czf", f"{version}/tool_1.0.orig.tar.gz", "tool-1.0")
        files = [(name, *self.digest(f"{version}/{name}")) for name in (f"tool_{version}.dsc", "tool_1.0.orig.tar.gz")]
        self.write(f"{version}/Sources", f"Package: tool\nBinary: tool\nVersion: {version}\nArchitecture: all\nFormat: 3.0 (quilt)\n"
                   "Directory: .\nChecksums-Sha256:\n" + "".join(f" {sha} {size} {name}\n" for name, sha, size in files) + "\n")

    def add_binary(self, version):
        """The binary package of this version, whose one file names it."""
        self.write("package/DEBIAN/control", CONTROL.format(version))
        self.write("package/usr/version", version)
        self.run_here("dpkg-deb", "--root-owner-group", "-b", "package", f"{version}/tool.deb")
        sha, size = self.digest(f"{version}/tool.deb")
        self.write(f"{version}/Packages", CONTROL.format(version) + f"Filename: ./tool.deb\nSize: {size}\nSHA256: {sha}\n\n")

    def get(self, *arguments):
        return subprocess.run([os.path.join(TOP, "scripts", "get-sources.sh"), *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=dict(os.environ, CALLSIG_APT_DIR=os.path.join(self.folder, "apt")))

    def lose(self, version, name):
        os.unlink(os.path.join(self.folder, version, name))

    def fetched(self, path):
        with open(os.path.join(self.sources, "tool", path)) as file:
            return file.read()

    def test_newest(self):
        done = self.get(self.sources, "tool")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{self.sources}/tool\n", ""))
        self.assertEqual(self.fetched("version"), "1.0-2")

    def test_newest_binary(self):
        done = self.get("--binary", self.sources, "tool")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.fetched("usr/version"), "1.0-2")

    def check_older(self, name, path, *options):
        """The older version is taken, and named in one line."""
        self.lose("1.0-2", name)
        done = self.get(*options, self.sources, "tool")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.fetched(path), "1.0-1")
        self.assertRegex(done.stderr, r"\Aget-sources\.sh: tool 1\.0-1 is taken, as the newest cannot be fetched: E: .*\n\Z")

    def test_newest_without_its_files(self):
        self.check_older("tool_1.0.orig.tar.gz", "version")

    def test_newest_binary_without_its_file(self):
        self.check_older("tool.deb", "usr/version", "--binary")

    def check_refused(self, reason, package):
        done = self.get(self.sources, package)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Aget-sources\.sh: cannot fetch %s: E: .*%s.*\n\Z" % (package, reason))
        self.assertEqual(os.listdir(self.sources), [])

    def test_none_with_files(self):
        for version in VERSIONS:
            self.lose(version, "tool_1.0.orig.tar.gz")
        self.check_refused("orig", "tool")

    def test_unknown_package(self):
        self.check_refused("Unable to find a source package", "nothing")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
