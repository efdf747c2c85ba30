#!/usr/bin/env python3
"""Runs the matrix: every hazard, preloaded, linked and static, with hooks of gcc after and before inlining and with clang's sleds.

    run_matrix.py --build BUILD_DIR [--sample | --write] [--results FILE] [--jobs N] [--keep] [--cells WORD...] [NAME...]
    run_matrix.py --list

Each cell must be what the hazard's own head expects (matrix_rows.py says how), and what the table of docs/guest-manners.md says. --write writes that
anew from a whole run; with names, their rows, and what the page says of the others stays. --results keeps in a file what was seen of each hazard, and
does not run again what is there and has not changed since: a whole run can be made in parts, of one build. --sample runs a part that is always the
same: of every fourth hazard one cell.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time

import matrix_table
from harness import Tools
from matrix import COMPILERS, agrees, run_row
from matrix_rows import Malformed, read_rows


def cells_of(row, options, lacking):
    if "root" in row.needs and os.geteuid():
        return []
    cells = [row.sampled()] if options.sample else row.cells()
    return [cell for cell in cells if cell and not lacking[cell[1]] and all(word in cell for word in options.cells)]


class Kept:
    """What was seen of the rows, in a file, so that a run goes on where another ended."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.rows = json.load(file)

    @staticmethod
    def digest(row):
        with open(row.path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()

    def get(self, row):
        """cell -> (verdict, what was found), of what was as expected."""
        found = self.rows.get(row.name, {})
        if found.get("digest") != self.digest(row):
            return {}
        cells = {tuple(cell.split()): (verdict, "") for cell, verdict in found["cells"].items()}
        return {cell: seen for cell, seen in cells.items() if cell in row.cells() and agrees(row, cell, seen[0])}

    def put(self, row, results):
        if not self.path:
            return
        cells = {" ".join(cell): verdict for cell, (verdict, _found) in results.items()}
        self.rows[row.name] = {"digest": self.digest(row), "cells": cells}
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.rows, file, indent=1, sort_keys=True)
        os.replace(self.path + ".new", self.path)


def run_rows(tools, chosen, options, kept):
    """Runs rows side by side: name -> cell -> (verdict, what was found)."""
    results, wrong = {row.name: kept.get(row) for row, cells in chosen}, 0
    chosen = [(row, [cell for cell in cells if cell not in results[row.name]]) for row, cells in chosen]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(run_row, tools.within(row.name), row, cells): row for row, cells in chosen if cells}
        for done in concurrent.futures.as_completed(running):
            row = running[done]
            seen = done.result()
            results[row.name].update(seen)
            kept.put(row, results[row.name])
            for cell, (verdict, found) in sorted(seen.items()):
                if agrees(row, cell, verdict):
                    print(f"ok   {row.name} {' '.join(cell)}: {verdict}", flush=True)
                else:
                    wrong += 1
                    print(f"FAIL {row.name} {' '.join(cell)}: {verdict}, {row.expected[cell]} expected. {found}", flush=True)
            if not options.keep:
                shutil.rmtree(os.path.join(tools.scratch, row.name), ignore_errors=True)
    return results, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", help="the build folder of callsig")
    parser.add_argument("--scratch", help="where hazards are built (default: a temporary folder)")
    parser.add_argument("--sample", action="store_true", help="only the part that `make check` runs")
    parser.add_argument("--write", action="store_true", help="write the table of docs/guest-manners.md")
    parser.add_argument("--results", help="where to keep what was seen, and to go on from")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cells", nargs="+", default=[], help="only cells with these words, such as: static clang")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    try:
        rows = read_rows()
    except Malformed as error:
        sys.exit(f"run_matrix.py: {error}")
    if options.list:
        print("\n".join(row.name for row in rows))
        return 0
    unknown = set(options.names) - {row.name for row in rows}
    if not options.build or unknown:
        parser.error("--build is missing" if not options.build else f"no hazard {', '.join(sorted(unknown))}: --list shows them")
    scratch = options.scratch or tempfile.mkdtemp(prefix="callsig-matrix-")
    tools = Tools(options.build, scratch)
    lacking = {build: tools.lacks(compiler) for build, compiler in COMPILERS.items()}
    for build, reason in lacking.items():
        if reason:
            print(f"     {build}: not built, {reason}")
    chosen = [(row, cells_of(row, options, lacking)) for row in rows if not options.names or row.name in options.names]
    began = time.monotonic()
    try:
        results, wrong = run_rows(tools, [(row, cells) for row, cells in chosen if cells], options, Kept(options.results))
    finally:
        if not options.keep and not options.scratch:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"{sum(map(len, results.values()))} cells of {len(results)} hazards in {time.monotonic() - began:.0f} s, {wrong} not as expected")
    if options.write:
        if options.names:
            results = {**matrix_table.known(rows), **results}
        if wrong or any(len(results.get(row.name, {})) != len(row.cells()) for row in rows):
            sys.exit("run_matrix.py: the table is written from a whole run in which everything is as expected")
        matrix_table.write(rows, results)
    for line in matrix_table.stale(rows, results):
        wrong += 1
        print(f"FAIL {line}: run_matrix.py --write writes the table")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
