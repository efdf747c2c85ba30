"""callsig merge --fold-ranks: what rows were over ranks is the same whatever the order in which these became one, and what a report of
the ranks' own recordings says."""

import itertools
import json
import math
import os
import random
import struct

import harness

# Of rank r: f(n) for n from r to 5, so that no two ranks have the same rows; recursion and threads.
SOURCE = """
#include <pthread.h>
#include <stdlib.h>
static int __attribute__((noinline)) f(int n) { volatile int sum = 0; for (int i = 0; i < n * 1000; i++) sum += i; return sum; }
static int __attribute__((noinline)) fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
static void *thread(void *argument) { return f(2) ? argument : 0; }
int main(int argc, char **argv) {
  int rank = atoi(argv[1]);
  pthread_t id;
  pthread_create(&id, 0, thread, argv);
  pthread_join(id, 0);
  for (int n = rank; n <= 5; n++) for (int i = 0; i <= rank; i++) f(n);
  return fact(rank + 2) == argc - 2; }
"""
RANKS = 5
# Seconds: times of a merged recording are whole nanoseconds, and a row sums those of its edges, less those of what they called.
ROUNDED = 1e-8


class FoldRanks(harness.Case):
    def setUp(self):
        super().setUp()
        program = self.compile("program", SOURCE, "-pthread")
        self.own = []
        for rank in range(RANKS):
            done = self.callsig("run", "--percentiles", "--times", "exact", "-o", "own", program, str(rank), env={"OMPI_COMM_WORLD_RANK": str(rank)})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.own.append(f"own.rank{rank}")

    def fold(self, out, *files):
        done = self.callsig("merge", "--fold-ranks", "-o", out, *files)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), files)
        return out

    def report(self, *files, by="function,signature,rank"):
        done = self.callsig("report", *files, "--by", by, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def spreads(self, *files, **by):
        return {(row["function"], row["signature"]): row for row in self.report(*files, **by)["spread"]["rows"]}

    def test_any_order(self):
        parts = [self.fold(f"part{rank}", own) for rank, own in enumerate(self.own)]
        expected = self.spreads(self.fold("all", *self.own))
        rows = {row["signature"]: row for row in self.report("all")["rows"]}
        random.seed(1)
        for number in range(6):
            trees = list(parts)
            for step in itertools.count():
                if len(trees) == 1:
                    break
                random.shuffle(trees)
                trees.append(self.fold(f"tree{number}.{step}", trees.pop(), trees.pop()))
            self.assertEqual(self.spreads(trees[0]), expected)
            for row in self.report(trees[0])["rows"]:
                self.assertEqual({key: row[key] for key in ("ncalls", "pcalls", "tottime", "cumtime", "min", "max")},
                                 {key: rows[row["signature"]][key] for key in ("ncalls", "pcalls", "tottime", "cumtime", "min", "max")})

    def test_equals_own(self):
        """The numbers over ranks are computed here from the report of each rank's own recording."""
        folded = self.fold("all", *self.own)
        self.assertEqual(len(self.report(folded)["recordings"]), 1)
        for by, name in (("function", "function"), ("function,signature", "signature")):
            reports = [{row[name]: row for row in self.report(own, by=by)["rows"]} for own in self.own]
            spreads = {row[name]: row for row in self.report(folded, by=by + ",rank")["spread"]["rows"]}
            self.assertEqual(set(spreads), set().union(*reports))
            for what, spread in spreads.items():
                self.assertEqual(spread["count"], RANKS)
                for quantity in ("ncalls", "tottime", "cumtime"):
                    values = [report[what][quantity] if what in report else 0 for report in reports]
                    mean = sum(values) / RANKS
                    found, near = spread[quantity], 0 if quantity == "ncalls" else ROUNDED
                    self.assertAlmostEqual(found["min"], min(values), delta=near)
                    self.assertAlmostEqual(found["max"], max(values), delta=near)
                    self.assertAlmostEqual(found["mean"], mean, delta=near + 1e-12 * mean)
                    self.assertAlmostEqual(found["stddev"], math.sqrt(sum((value - mean) ** 2 for value in values) / RANKS), delta=2 * near + 1e-9 * mean)
                    if quantity == "ncalls":
                        self.assertEqual((found["min_at"], found["max_at"]), (str(values.index(min(values))), str(values.index(max(values)))))
                    else:
                        self.assertAlmostEqual(values[int(found["max_at"])], max(values), delta=near)

    def test_sums(self):
        """Calls are those of all ranks, and times differ by what rounding each to a nanosecond does."""
        self.fold("all", *self.own)
        for by in ("function", "function,signature", "thread", "module"):
            name = {"thread": "thread", "module": "module"}.get(by, "signature" if "signature" in by else "function")
            folded = {str(row[name]).split(" (")[0]: row for row in self.report("all", by=by)["rows"]}
            sums = {}
            for row in self.report(*self.own, by=by)["rows"]:
                key = str(row[name]).split(" (")[0]
                total = sums.setdefault(key, [0, 0, 0.0, 0.0])
                for i, quantity in enumerate(("ncalls", "pcalls", "tottime", "cumtime")):
                    total[i] += row[quantity]
            self.assertEqual(set(folded), set(sums))
            for key, (ncalls, pcalls, tottime, cumtime) in sums.items():
                self.assertEqual((folded[key]["ncalls"], folded[key]["pcalls"]), (ncalls, pcalls))
                self.assertAlmostEqual(folded[key]["tottime"], tottime, delta=1e-6)
                self.assertAlmostEqual(folded[key]["cumtime"], cumtime, delta=1e-6)

    def elsewhere(self, name, of, machine):
        """The recording as another machine has it, that was started long before, and whose clock ticks slower."""
        with open(self.path(of), "rb") as file:
            data = bytearray(harness.unsealed(file.read()))
        began, ended = (struct.unpack_from("<Q", data, at)[0] for at in (80, 96))
        struct.pack_into("<Q", data, 80, began + machine * 10**15)
        struct.pack_into("<Q", data, 96, began + machine * 10**15 + (ended - began) * (1 + machine))
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def test_several_machines(self):
        """A rank's processes on several machines add up as they do apart: each machine's ticks are its own."""
        parts = [self.elsewhere(f"machine{machine}", self.own[0], machine) for machine in range(3)]
        for files in (parts, parts[::-1], parts + self.own[1:]):
            self.fold("all", *files)
            folded, apart = ({row["function"]: row for row in self.report(*names, by="function")["rows"]} for names in (["all"], files))
            self.assertEqual(set(folded), set(apart))
            for function, row in apart.items():
                self.assertEqual(folded[function]["ncalls"], row["ncalls"])
                for quantity in ("tottime", "cumtime"):
                    self.assertAlmostEqual(folded[function][quantity], row[quantity], delta=1e-6, msg=f"{files} {function} {quantity}")

    def test_percentiles(self):
        self.fold("all", *self.own)
        own = {row["signature"]: row for row in self.report(*self.own, by="function,signature")["rows"]}
        for row in self.report("all", by="function,signature")["rows"]:
            for name in ("p50", "p90"):
                # Two buckets of a sixteenth: the one that it lay in, and the one that its middle went to.
                self.assertLessEqual(abs(row[name] - own[row["signature"]][name]), 0.13 * own[row["signature"]][name] + 2e-9)

    def test_unknown(self):
        """Groups that are not told of by rank have no spread, and nothing passes for one."""
        self.fold("all", *self.own)
        for options in (["--by", "function,thread,rank"], ["--by", "function,module,rank"], ["--by", "function,rank", "--thread", "program*"]):
            done = self.callsig("report", "all", *options, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["spread"]["rows"], [])
        self.assertNotEqual(self.spreads("all", by="function,rank"), {})

    def test_hostile(self):
        """A row of more ranks than there are, or that leads nowhere, is damage that is told."""
        self.fold("all", *self.own)
        with open(self.path("all"), "rb") as file:
            whole = harness.unsealed(file.read())
        at = whole.index(b"CRRW")
        for offset, value in ((16, struct.pack("<QQ", 0, 8)), (16, struct.pack("<QQ", 12345, 0)), (32, struct.pack("<I", RANKS + 1)), (32, bytes(4))):
            with open(self.path("bad"), "wb") as file:
                file.write(whole[:at + offset] + value + whole[at + offset + len(value):])
            done = self.callsig("report", "bad", "--by", "function,rank")
            self.assertEqual(done.returncode, 1)
            self.assertIn("damaged", done.stderr)
        # A list that leads into itself ends.
        second = whole.index(b"CRRW", at + 8)
        base = int.from_bytes(whole[16:24], "little")
        with open(self.path("bad"), "wb") as file:
            file.write(whole[:at + 8] + struct.pack("<Q", base + second) + whole[at + 16:])
        self.assertIn(self.callsig("report", "bad", "--by", "function,rank").returncode, (0, 1))

    def test_rank_twice(self):
        """What two processes of one rank spent is that rank's, though they had other arguments."""
        program = self.path("program")
        for number, rank in enumerate((0, 0, 1)):
            done = self.callsig("run", "--times", "exact", "-o", f"twice{number}", program, str(number), env={"OMPI_COMM_WORLD_RANK": str(rank)})
            self.assertEqual(done.returncode, 0, done.stderr)
        self.fold("folded", "twice0.rank0", "twice1.rank0", "twice2.rank1")
        main = self.spreads("folded", by="function,rank")["main", None]["ncalls"]
        self.assertEqual((main["min"], main["min_at"], main["max"], main["max_at"]), (1, "1", 2, "0"))

    def test_folded_twice(self):
        """Jobs that became one already, and may have the same ranks, stay two: no rank counts as another one."""
        self.fold("all", *self.own)
        done = self.callsig("merge", "--fold-ranks", "-o", "both", "all", "all")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 process of ranks is not made one with others: the same rank was recorded in another one", done.stderr)
        report = self.report("both")
        self.assertEqual(len(report["recordings"]), 2)
        self.assertEqual(report["total_calls"], 2 * self.report("all")["total_calls"])
        self.assertEqual(self.callsig("report", "both").stderr, "")

    def test_written_again(self):
        """What a merged recording says of ranks is written again as it is."""
        self.fold("all", *self.own)
        texts = []
        for _ in range(3):
            self.assertEqual(self.callsig("merge", "-o", "again", "all").returncode, 0)
            os.replace(self.path("again"), self.path("all"))
            with open(self.path("all"), "rb") as file:
                texts.append(file.read())
        self.assertEqual(texts[1], texts[2])

    def test_bounded(self):
        """Of more signatures that not all ranks have than keep a row, the calls are not lost, and it is told."""
        functions, values, most = 100, 200, 32768
        lines = [f"static int __attribute__((noinline)) g{i}(int n) {{ return n + {i}; }}" for i in range(functions)]
        calls = " ".join(f"sum += g{i}(n);" for i in range(functions))
        program = self.compile("many", "\n".join([
            "#include <stdlib.h>", *lines, "int main(int argc, char **argv) { int rank = atoi(argv[1]), sum = argc;",
            f"for (int n = rank * 1000; n < rank * 1000 + {values}; n++) {{ {calls} }} return sum == 0; }}"]))
        for rank in range(2):
            done = self.callsig("run", "--times", "exact", "-o", "many.out", program, str(rank), env={"OMPI_COMM_WORLD_RANK": str(rank)})
            self.assertEqual(done.returncode, 0, done.stderr)
        self.fold("folded", "many.out.rank0", "many.out.rank1")
        gone = 2 * functions * values - most
        done = self.callsig("report", "folded", "1", "--by", "function,signature,rank")
        self.assertRegex(done.stdout, rf"(?m)^{gone} signatures merged into wider ones, to stay in bounds$")
        by_function = {row["function"]: row["ncalls"] for row in self.report("folded", by="function")["rows"]}
        self.assertEqual(by_function, {"main": 2, **{f"g{i}": 2 * values for i in range(functions)}})
        rows = [row for row in self.report("folded", by="function,signature")["rows"] if row["function"] != "main"]
        self.assertEqual(sum(row["ncalls"] for row in rows), 2 * functions * values)
        self.assertEqual(sum(row["ncalls"] == 1 and row["args"][0]["state"] == "read" for row in rows if row["args"]), most)
        for row in self.report("folded", by="function,rank")["spread"]["rows"]:
            count = 1 if row["function"] == "main" else values
            self.assertEqual((row["ncalls"]["min"], row["ncalls"]["max"], row["ncalls"]["stddev"]), (count, count, 0))

    def test_staying(self):
        """Processes that cannot be made one are told."""
        program = self.compile("other", harness.CALLS)
        for rank in range(2):
            self.callsig("run", "--timeline", "-o", "other.out", program, env={"OMPI_COMM_WORLD_RANK": str(rank)})
        done = self.callsig("merge", "--fold-ranks", "-o", "folded", "other.out.rank0", "other.out.rank1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("2 processes of ranks stay by themselves: ", done.stderr)
        self.assertEqual(len(self.report("folded")["recordings"]), 2)

    def test_without_ranks(self):
        """Processes of no job stay as they are; none at all is told."""
        program = self.compile("plain", harness.CALLS)
        self.assertEqual(self.callsig("run", "-o", "plain.out", program).returncode, 0)
        self.fold("folded", "plain.out")
        self.assertEqual({row["function"]: row["ncalls"] for row in self.report("folded", by="function")["rows"]},
                         {row["function"]: row["ncalls"] for row in self.report("plain.out", by="function")["rows"]})
        self.assertEqual(self.report("folded", by="function,rank")["spread"]["rows"], [])
        self.assertTrue(os.path.exists(self.path("folded")))


if __name__ == "__main__":
    harness.main()
