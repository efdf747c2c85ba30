#!/usr/bin/env python3
# ctest: skips
# ctest: case - full
"""LAMMPS of Debian's source package, C++, and its benchmark of a Lennard-Jones melt under callsig run --mpi: the melt is what it is without callsig, FILE
has what the ranks' own recordings have, to the call, and at two ranks what gcov counted in each rank of the same run.

    test_lammps.py [CLASS[.TEST]]
"""

import collections
import glob
import os
import re
import shutil

from counted_case import CountedJob
from mpi_case import Case, main

# Of LAMMPS's styles those that the melt takes, or that other files name; what they include comes with them.
STYLES = """pair_lj_cut verlet run create_box create_atoms velocity compute_temp compute_pe compute_pressure fix_nve region_block min_cg
    npair_half_bin_atomonly_newton nstencil_half_bin_3d nbin_standard ntopo_* atom_vec_*"""
OTHERS = "main atom_map text_file_reader"
KINDS = "angle atom body bond command compute dihedral dump fix improper integrate kspace minimize nbin npair nstencil ntopo pair reader region"
MAKE = """
OBJECTS = $(patsubst %.cpp,%.o,$(wildcard *.cpp))
lmp: $(OBJECTS)
\t$(CXX) --coverage -o $@ $(OBJECTS) -ldl -lpthread
%.o: %.cpp
\t$(CXX) -g -O0 -w -finstrument-functions --coverage -c -o $@ $<
"""
GIT = """const bool LAMMPS_NS::LAMMPS::has_git_info = false;
const char LAMMPS_NS::LAMMPS::git_commit[] = "", LAMMPS_NS::LAMMPS::git_branch[] = "", LAMMPS_NS::LAMMPS::git_descriptor[] = "";
"""
# bench/in.lj of the package, with 4 cells a side and 20 steps where that has 20 and 100.
MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
run 20
"""
ALWAYS_INLINE = re.compile(r"\bFMT_(ALWAYS_)?INLINE\b")
STEPS = re.compile(r"^ +\d+(?: +\S+){5} *$", re.M)


class Job(CountedJob):
    timeout, maxDiff = 500, None

    def setUp(self):
        super().setUp()
        self.all = os.path.join(self.fetch("lammps"), "src")
        self.source = os.path.realpath(self.path("lammps"))
        os.mkdir(self.source)
        self.copy_sources()
        self.write("in.lj", MELT)
        made = self.run_command("make", "-j2", "-C", self.source, f"CXX=mpicxx.{self.mpi}", timeout=1500)
        self.assertEqual(made.returncode, 0, made.stderr[-2000:])

    def text_of(self, name):
        with open(os.path.join(self.all, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def needed(self):
        """Names of the files that the melt needs, without their ends."""
        found, new = set(), set(OTHERS.split())
        for pattern in STYLES.split():
            new.update(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(self.all, pattern + ".h")))
        while new:
            name = new.pop()
            found.add(name)
            for file in (name + ".h", name + ".cpp"):
                if os.path.exists(os.path.join(self.all, file)):
                    new.update(set(re.findall(r'#include "(\w+)\.h"', self.text_of(file))) - found)
        return found

    def copy_sources(self):
        """Into a folder in which the package's own script finds no styles but these."""
        needed = self.needed() | {"fmtlib_format", "fmtlib_os"}
        for file in os.listdir(self.all):
            name, _, end = file.rpartition(".")
            is_style = end == "h" and re.search(r"^#ifdef [A-Z]+_CLASS", self.text_of(file), re.M)
            if (end == "h" and not is_style) or (end in ("h", "cpp") and name in needed) or file == "Make.sh":
                shutil.copy(os.path.join(self.all, file), self.source)
        shutil.copytree(os.path.join(self.all, "fmt"), os.path.join(self.source, "fmt"))
        self.write("lammps/Makefile", MAKE)
        self.write("lammps/lmpgitversion.h", GIT)
        self.write("lammps/lmpinstalledpkgs.h", "const char *LAMMPS_NS::LAMMPS::installed_packages[] = {NULL};\n")
        for kind in KINDS.split():
            self.write(f"lammps/packages_{kind}.h", "")
        made = self.run_command("sh", "-c", f"cd '{self.source}' && sh Make.sh style")
        self.assertEqual(made.returncode, 0, made.stderr)

    def melt(self, ranks, profiled):
        """What the melt is at its steps, as LAMMPS prints it."""
        said = self.run_counted(ranks, os.path.join(self.source, "lmp"), "-in", "in.lj", profiled=profiled)
        steps = STEPS.findall(said)
        self.assertEqual([step.split()[0] for step in steps], ["0", "20"])
        return steps

    def is_always_inline(self, path, line):
        """Whether fmt says so of the function in this line, in it or in the one before."""
        with open(path, encoding="utf-8") as file:
            return any(ALWAYS_INLINE.search(text) for text in file.readlines()[max(line - 2, 0):line])

    def check_gcov(self):
        """By line of LAMMPS's sources. What is always inlined is there for callsig alone: gcc counts it in the functions around it."""
        found, counted = collections.Counter(), collections.Counter()
        for row in self.counted("file", by="function"):
            if row["file"].startswith(self.source + os.sep):
                found[int(row["rank"]), row["file"], int(row["line"] or 0)] += int(row["ncalls"])
        for rank in range(2):
            for path, function, line, calls in self.gcov(rank):
                if path.startswith(self.source + os.sep):
                    # Debug information has no line of what calls a file's initialisation, gcov its last one.
                    counted[rank, path, 0 if function.startswith("_GLOBAL__sub_I_") else line] += calls
        inlined = {place for place in found.keys() - counted.keys() if self.is_always_inline(*place[1:])}
        self.assertEqual({place: (found[place], counted[place]) for place in (found.keys() | counted.keys()) - inlined
                          if found[place] != counted[place]}, {})
        self.assertGreater(len(counted), 1200)

    def test_counts(self):
        for ranks in self.sizes:
            with self.subTest(ranks=ranks):
                plain = self.melt(ranks, profiled=False)
                self.assertEqual(self.melt(ranks, profiled=True), plain)
                self.check_sums(ranks, 200000)
                if ranks == 2:
                    self.check_gcov()


class OpenMPI(Job, Case):
    mpi, sizes = "openmpi", (2, 4, 8)


class MPICH(Job, Case):
    """Eight of its ranks on two processors take a minute and more: they never yield one while they wait."""

    mpi, sizes, timeout = "mpich", (2, 4, 8), 1500


if __name__ == "__main__":
    main()
