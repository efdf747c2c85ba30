#!/usr/bin/env python3
"""ranks_cost.py BUILD_DIR OUT.json [--private N] [--drawn N] [--rows N]

What it costs to reduce the recordings of many ranks to one: `make_rows` writes a recording for each of N ranks, of which any two have
80 % of their rows in common, and they are merged two by two in a tree by libcallsig-stats (`merge_ranks`), in which ranks become one process. Every
merge is a real one of recordings that differ, in a process of its own, and is measured: seconds, those of a processor, the most memory beyond the
rank's own recording, and the bytes that the other one sends. So are the reports of what the first ranks come to; what they take is held against
its limit by the processor, since the wall's clock tells as much of what else the machine does. The calls of what is left in the end are counted, and have to be those of all ranks.

Two kinds of the rows that ranks have not in common: `private`, which no other rank has, and `drawn`, each one of 50 that other ranks may
draw, too. What is measured stands beside the model of each.

The tree is walked depth first, so that no more is on disk at once than the results of a path, and what a worker is at.
"""

import argparse
import collections
import json
import math
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from rows_cost import attempt, measured, room
from runner import NotRun, run

POOL = 50
COMMON = 0.8
BLOCK, WORKERS = 64, 2  # so many ranks, a power of two, are reduced by one of so many workers at a time; the rest of the tree by one
MOST_APART = 32_768  # OUT_RANK_ROWS_MOST: signatures that not all ranks have, and that keep a row
SIGNATURES = 512  # of each function of make_rows
LIMIT = 64 * 2**20  # bytes beyond a rank's own recording
REPORT_LIMIT = 2.0  # seconds


class Tree:
    def __init__(self, build, rows, ranks, pool, folder, workers):
        self.callsig = os.path.join(build, "cli", "callsig")
        self.make_rows, self.merge_ranks = os.path.join(build, "make_rows"), os.path.join(build, "merge_ranks")
        self.rows, self.ranks, self.pool, self.folder = rows, ranks, pool, folder
        self.lock = threading.Lock()
        self.own = 0  # bytes of a rank's own recording, as long as that of any other one
        self.levels = {}  # height: sums and extremes of its merges
        self.spine = []  # what the first 2^k ranks come to
        self.held = self.most_held = 0  # bytes on disk
        self.workers, self.blocks = workers, collections.deque()
        self.next_block = 0  # the first rank that no worker has yet

    def path(self, first, count):
        return os.path.join(self.folder, f"{first}+{count}")

    def hold(self, size):
        with self.lock:
            self.held += size
            self.most_held = max(self.most_held, self.held)

    def take_block(self):
        """The next block, in the order of their ranks, of which no more are begun than there are workers."""
        while self.next_block < self.ranks and len(self.blocks) <= WORKERS:
            self.blocks.append(self.workers.submit(self.reduce, self.next_block, min(BLOCK, self.ranks - self.next_block)))
            self.next_block += BLOCK
        return self.blocks.popleft().result()

    def reduce_all(self, first, count):
        """As reduce(), with workers for the blocks."""
        return self.take_block() if count <= BLOCK else self.join(first, count, self.reduce_all)

    def reduce(self, first, count):
        """Makes the recording of `count` ranks from `first` on. Returns its path and the height of its tree."""
        if count > 1:
            return self.join(first, count, self.reduce)
        path = self.path(first, 1)
        run([self.make_rows, str(self.rows), path, str(first), str(self.ranks), str(self.pool)])
        self.own = os.path.getsize(path)
        self.hold(self.own)
        self.look(path, first, 1, 0)
        return path, 0

    def join(self, first, count, reduce):
        path, left = self.path(first, count), 1 << (count - 1).bit_length() - 1
        one, height = reduce(first, left)
        other, _ = reduce(first + left, count - left)
        self.merge(path, one, other, height + 1)
        self.look(path, first, count, height + 1)
        return path, height + 1

    def merge(self, path, one, other, height):
        size, sent = os.path.getsize(one), os.path.getsize(other)
        if room(self.folder) < 4 * (size + sent):
            raise NotRun(f"merging {size + sent:,} bytes takes more disk than there is")
        seconds, most, processor = run([self.merge_ranks, path, one, other]).split()
        self.hold(os.path.getsize(path))
        os.unlink(one)
        os.unlink(other)
        self.hold(-size - sent)
        with self.lock:
            self.count(height, float(seconds), float(processor), int(most) - self.own, sent)

    def count(self, height, seconds, processor, beyond, sent):
        level = self.levels.setdefault(height, {"height": height, "merges": 0, "seconds": 0, "processor": 0, "longest": 0, "memory": 0, "sent": 0,
                                                "most_sent": 0})
        level["merges"] += 1
        level["seconds"] += seconds
        level["processor"] += processor
        level["longest"] = max(level["longest"], seconds)
        level["memory"] = max(level["memory"], beyond)
        level["sent"] += sent
        level["most_sent"] = max(level["most_sent"], sent)

    def look(self, path, first, count, height):
        """Of the first 2^k ranks, and of all."""
        if first != 0 or (count & (count - 1) and count != self.ranks):
            return
        out = os.path.join(self.folder, "report")
        seconds, memory, processor = measured([self.callsig, "report", "--format", "csv", path], out)
        with open(out, "rb") as file:
            rows = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b"")) - 1
        table, _, table_processor = measured([self.callsig, "report", path, "100"], out)
        measured([self.callsig, "report", "--format", "json", path, "1"], out)
        with open(out, encoding="utf-8") as file:
            calls = json.load(file)["total_calls"]
        os.unlink(out)
        self.spine.append({"ranks": count, "height": height, "rows": rows, "model": self.model(count), "bytes": os.path.getsize(path),
                           "calls": calls, "report": seconds, "report_processor": processor, "first_rows": table,
                           "first_rows_processor": table_processor, "report_memory": memory})
        print(self.spine[-1], self.levels.get(height), flush=True)
        if calls != count * self.spine[0]["calls"]:
            raise NotRun(f"{count:,} ranks that made {self.spine[0]['calls']:,} calls each came to {calls:,}")

    def model(self, count):
        """Rows that are left of so many ranks. main() is one of the rows, and common. Of signatures that are not kept, their functions have a row each."""
        apart = self.rows * (1 - COMMON)
        distinct = apart * (self.pool * (1 - (1 - 1 / self.pool) ** count) if self.pool else count)
        if count > 1 and distinct > MOST_APART:
            distinct = MOST_APART + 2 * math.ceil(self.rows / (2 * SIGNATURES))
        return 1 + self.rows * COMMON + distinct


def simulate(build, rows, ranks, pool, folder):
    start = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as workers:
        tree = Tree(build, rows, ranks, pool, folder, workers)
        _, height = tree.reduce_all(0, ranks)
    levels = [tree.levels[height] for height in sorted(tree.levels)]
    return {"ranks": ranks, "rows": rows, "pool": pool, "height": height, "seconds": time.perf_counter() - start, "levels": levels,
            "spine": tree.spine, "critical": sum(level["longest"] for level in levels), "sent": sum(level["sent"] for level in levels),
            "memory": max(level["memory"] for level in levels), "held": tree.most_held, "within": within(tree)}


def within(tree):
    """The most ranks of a power of two, or all, at which every merge stays below the limit of memory, and the root's report of all rows below
    that of time."""
    memory = [one["ranks"] for one in tree.spine if all(level["memory"] < LIMIT for level in tree.levels.values() if level["height"] <= one["height"])]
    report = [one["ranks"] for one in tree.spine if one["report_processor"] < REPORT_LIMIT]
    return {"memory": max(memory, default=0), "report": max(report, default=0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--private", type=int, default=10_000, help="ranks of the tree of private rows")
    parser.add_argument("--drawn", type=int, default=1_024, help="ranks of the tree of drawn rows")
    parser.add_argument("--rows", type=int, default=10_000)
    options = parser.parse_args()
    run(["cmake", "--build", options.build, "--target", "make_rows", "merge_ranks"])
    kinds = {}
    for name, ranks, pool in (("private", options.private, 0), ("drawn", options.drawn, POOL)):
        if ranks:
            kinds[name] = attempt(simulate, options.build, options.rows, ranks, pool)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"limit": LIMIT, "report_limit": REPORT_LIMIT, "common": COMMON, "kinds": kinds}, file, indent=1)


if __name__ == "__main__":
    main()
