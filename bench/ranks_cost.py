#!/usr/bin/env python3
"""ranks_cost.py BUILD_DIR OUT.json [--ranks N] [--drawn N] [--private N] [--rows N]

What it costs to reduce the recordings of many ranks to one: `make_rows` writes a recording for each of N ranks, of which any two have
80 % of their rows in common, and they are merged two by two in a tree by libcallsig-stats (`merge_ranks`). Every merge is a real one, in
a process of its own, and is measured: seconds, the most memory beyond the rank's own recording, and the bytes that the other one sends.
A tree is walked depth first, by two workers, so that few recordings are there at once.

Two kinds of the rows that ranks have not in common: `drawn`, each one of 50 that other ranks may draw, too, so that in the end no rank
adds one; and `private`, which no other rank has, so that all of them stay distinct. What is measured stands beside the model of each.

Of so many ranks a whole tree is made and merged. Above it, as far as the tree of --ranks is high, there is one merge for each level, of what the tree came to with
a copy of itself: where all rows that can be drawn are there, two halves of a higher tree have the same rows. Of `private` rows that is not so, and nothing is merged.
"""

import argparse
import json
import math
import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from rows_cost import attempt, measured, room
from runner import NotRun, run

POOL = 50
COMMON = 0.8
BLOCK, WORKERS = 256, 2  # so many ranks are reduced by one of so many workers at a time; the rest of the tree by one
LIMIT = 64 * 2**20  # bytes beyond a rank's own recording
REPORT_LIMIT = 2.0  # seconds


class Tree:
    def __init__(self, build, rows, ranks, pool, folder):
        self.callsig = os.path.join(build, "cli", "callsig")
        self.make_rows, self.merge_ranks = os.path.join(build, "make_rows"), os.path.join(build, "merge_ranks")
        self.rows, self.ranks, self.pool, self.folder = rows, ranks, pool, folder
        self.lock, self.blocks = threading.Lock(), {}
        self.levels = {}  # height: sums and extremes of its merges
        self.spine = []  # what the first 2^k ranks come to

    def path(self, first, count):
        return os.path.join(self.folder, f"{first}+{count}")

    def reduce(self, first, count):
        """Makes the recording of `count` ranks from `first` on. Returns its path and the height of its tree."""
        path = self.path(first, count)
        if (first, count) in self.blocks:
            return self.blocks[first, count]
        if count == 1:
            run([self.make_rows, str(self.rows), path, str(first), str(self.ranks), str(self.pool)])
            height, self.own = 0, os.path.getsize(path)
        else:
            left = 1 << (count - 1).bit_length() - 1
            (one, height), (other, _) = self.reduce(first, left), self.reduce(first + left, count - left)
            height += 1
            self.merge(path, one, other, height)
        if first == 0 and (count & (count - 1) == 0 or count == self.ranks):
            self.look(path, count, height)
        return path, height

    def merge(self, path, one, other, height):
        size, sent = os.path.getsize(one), os.path.getsize(other)
        if room(self.folder) < 4 * (size + sent):
            raise NotRun(f"merging {size + sent:,} bytes takes more disk than there is")
        seconds, most = run([self.merge_ranks, path, one, other]).split()
        os.unlink(one)
        os.unlink(other)
        with self.lock:
            self.count(height, float(seconds), int(most), sent)

    def count(self, height, seconds, most, sent):
        level = self.levels.setdefault(height, {"height": height, "merges": 0, "seconds": 0, "longest": 0, "memory": 0, "sent": 0, "most_sent": 0})
        level["merges"] += 1
        level["seconds"] += seconds
        level["longest"] = max(level["longest"], seconds)
        level["memory"] = max(level["memory"], most - self.own)
        level["sent"] += sent
        level["most_sent"] = max(level["most_sent"], sent)

    def look(self, path, count, height):
        out = os.path.join(self.folder, "report")
        seconds, memory = measured([self.callsig, "report", "--format", "csv", path], out)
        with open(out, "rb") as file:
            rows = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b"")) - 1
        table, _ = measured([self.callsig, "report", path, "100"], out)
        self.spine.append({"ranks": count, "height": height, "rows": rows, "model": self.model(count), "bytes": os.path.getsize(path),
                           "report": seconds, "first_rows": table, "report_memory": memory})
        print(self.spine[-1], self.levels.get(height), flush=True)
        os.unlink(out)

    def model(self, count):
        """Rows that stay distinct of so many ranks. main() is one of the rows, and common."""
        apart = self.rows * (1 - COMMON)
        return 1 + self.rows * COMMON + apart * (self.pool * (1 - (1 - 1 / self.pool) ** count) if self.pool else count)


def climb(tree, ranks, all_ranks):
    """The levels above a whole tree. Returns the height."""
    path, height = tree.path(0, ranks), math.ceil(math.log2(ranks))
    while 1 << height < all_ranks:
        height += 1
        copy, higher = path + ".copy", os.path.join(tree.folder, f"height{height}")
        shutil.copyfile(path, copy)
        tree.merge(higher, path, copy, height)
        path = higher
    if height > math.log2(ranks):
        tree.look(path, all_ranks, height)
    return height


def simulate(build, rows, ranks, pool, all_ranks, folder):
    tree = Tree(build, rows, ranks, pool, folder)
    start = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as workers:
        blocks = [(first, min(BLOCK, ranks - first)) for first in range(0, ranks, BLOCK)]
        made = list(workers.map(lambda block: tree.reduce(*block), blocks))
    tree.blocks = dict(zip(blocks, made))
    _, height = tree.reduce(0, ranks)
    whole = height
    if pool:
        height = climb(tree, ranks, all_ranks)
    levels = [tree.levels[height] for height in sorted(tree.levels)]
    return {"ranks": ranks, "rows": rows, "pool": pool, "whole": whole, "height": height, "all_ranks": all_ranks, "seconds": time.perf_counter() - start, "levels": levels,
            "spine": tree.spine, "critical": sum(level["longest"] for level in levels), "sent": sum(level["sent"] for level in levels),
            "memory": max(level["memory"] for level in levels), "within": within(tree)}


def within(tree):
    """The most ranks of a power of two, or all, at which every merge stays below the limit of memory, and the report of the root below
    that of time."""
    memory = [one["ranks"] for one in tree.spine if all(level["memory"] < LIMIT for level in tree.levels.values() if level["height"] <= one["height"])]
    report = [one["ranks"] for one in tree.spine if one["first_rows"] < REPORT_LIMIT]
    return {"memory": max(memory, default=0), "report": max(report, default=0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--ranks", type=int, default=10_000, help="how high the tree of drawn rows gets")
    parser.add_argument("--drawn", type=int, default=1_024, help="ranks of the whole tree of drawn rows, a power of two")
    parser.add_argument("--private", type=int, default=256, help="ranks of the whole tree of private rows")
    parser.add_argument("--rows", type=int, default=10_000)
    options = parser.parse_args()
    run(["cmake", "--build", options.build, "--target", "make_rows", "merge_ranks"])
    kinds = {}
    for name, ranks, pool in (("private", options.private, 0), ("drawn", min(options.drawn, options.ranks), POOL)):
        if ranks:
            kinds[name] = attempt(simulate, options.build, options.rows, ranks, pool, options.ranks)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"limit": LIMIT, "report_limit": REPORT_LIMIT, "common": COMMON, "kinds": kinds}, file, indent=1)


if __name__ == "__main__":
    main()
