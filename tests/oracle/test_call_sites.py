#!/usr/bin/env python3
# ctest: real .lua .sqlite3 .zstd
# ctest: skips
# ctest: case - quick --small
# ctest: case .lua full --full lua
# ctest: case .sqlite3 full --full sqlite3
# ctest: case .zstd full --full zstd
"""Where calls were made, by `callsig report --by site`, equals what callgrind saw of the same binary: for every function, how often it
was called from each line; no tolerance. callsig's export for callgrind has the same lines.

    test_call_sites.py --small, or --sources FOLDER --out FOLDER --build FOLDER (--full | PROGRAM VARIANT...)

callgrind names the call instruction of every call and the line that it belongs to. A jump from one function to another it counts as a
call, too: there callsig has the line that the jumping function was called from, so that of a function that is jumped to each line has
at least its calls, and all lines together the jumps' more. Exit status 77: valgrind or gcc's plug-in is missing.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))

import callgrind_counts  # noqa: E402
from driver import Driver  # noqa: E402
from product import Product  # noqa: E402
from test_equality import same_name  # noqa: E402

FULL = {name: ["gcc-O2-sleds-fixed"] for name in ("lua", "sqlite3", "zstd")}
THREADED = {("zstd", "threads")}
CLONE = re.compile(r"\.(constprop|isra|part|lto_priv|localalias)(\.\d+)?")
SMALL = {"helper.h": """
static int leaf(int n);
static inline __attribute__((always_inline)) int helper(int n) {
  return leaf(n) + 1;
}
""", "small.c": """
#include <stdlib.h>
#include "helper.h"
#define KEEP(n) __asm__ volatile("" : "+r"(n))
static __attribute__((noinline)) int leaf(int n) { KEEP(n); return n * 2; }
static __attribute__((noinline)) int middle(int n)
{
  int sum = leaf(n);
  for (int i = 0; i < 5; i++)
    sum += leaf(i & 1);
  return sum + helper(n);
}
static __attribute__((noinline)) int jumps(int n)
{
  KEEP(n);
  return leaf(n + 100);
}
struct pool { int jobs, is_on; };
static void set(struct pool *pool, int on)
{
  if (on == pool->is_on)
    return;
  if (pool->jobs && pool->is_on)
    leaf(pool->jobs);
  pool->is_on = on;
}
/* gcc folds the two and describes one, of which it inlines a copy into the other. */
void set_first(struct pool *pool, int on) { set(pool, on); }
void set_second(struct pool *pool, int on) { set(pool, on); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static __attribute__((noinline)) int recurse(int n)
{
  if (n < 2)
    return leaf(n);
  int one = recurse(n - 1);
  return one +
         recurse(n - 2);
}
int main(void)
{
  int values[] = {3, 1, 2};
  struct pool pool = {1, 1};
  void (*volatile first)(struct pool *, int) = set_first, (*volatile second)(struct pool *, int) = set_second;
  int (*volatile pointer)(int) = middle;
  int sum = middle(1) + middle(2);
  sum += helper(7);
  sum += jumps(3);
  sum += pointer(4);
  first(&pool, 0);
  second(&pool, 1);
  second(&pool, 0);
  qsort(values, 3, sizeof values[0], compare);
  return sum + recurse(9) == 0;
}
"""}


def symbols(program):
    """{address: a symbol of the function there}."""
    text = subprocess.run(["nm", "--defined-only", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {int(at, 16): CLONE.sub("", name) for at, kind, name in (line.split(None, 2) for line in text.splitlines()) if kind in "tTwW"}


def jumps(program):
    """The addresses of the jump instructions."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {int(at, 16) for at in re.findall(r"^\s*([0-9a-f]+):\s+(?:notrack |bnd )?j\w+", text, re.MULTILINE)}


def callgrind_sites(path, program, names, jumping):
    """({(callee, file, line): calls} of call instructions, {callee: calls by jumps}) within the object `program`."""
    called_from, jumped = Counter(), Counter()
    current = called = file = pending = None
    with open(path, errors="replace") as lines:
        for line in lines:
            key, _, value = line.strip().partition("=")
            if key == "ob":
                current = value
            elif key == "cob":
                called = value
            elif key in ("fl", "fi", "fe"):
                file = os.path.basename(value)
            elif key == "calls":
                count, target = value.split()[:2]
                pending = (int(count), int(target, 16)) if current == program and (called or current) == program else None
                called = None
            elif line.startswith("0x") and pending:
                address, number = line.split()[:2]
                count, target = pending
                if target in names and int(address, 16) in jumping:
                    jumped[names[target]] += count
                elif target in names:
                    called_from[names[target], file, int(number)] += count
                pending = None
            elif line.startswith("0x"):
                pending = None
    return called_from, jumped


def report_sites(product, recording):
    """({(callee, file, line): calls} of known places, {callee: calls that are told as tail calls})."""
    found, tails = Counter(), Counter()
    for row in product.report(recording, "--by", "site")["rows"]:
        if row["site"].endswith("by a tail call"):
            tails[row["function"]] += row["ncalls"]
        elif row["site_lines"]:
            innermost = row["site_lines"][0]
            found[row["function"], os.path.basename(innermost["file"]), innermost["line"]] += row["ncalls"]
    return found, tails


def exported_sites(path):
    """{(callee, file, line): calls} of an export, which names everything once."""
    found, names, file, callee, count = Counter(), {}, None, None, None
    for line in Path(path).read_text().splitlines():
        match = re.match(r"(\w+)=\((\d+)\)(?: (.*))?$", line)
        if match:
            key, number, name = match.groups()
            kind = "fn" if key.endswith("fn") else "ob" if key.endswith("ob") else "file"
            if name is not None:
                names[kind, number] = name
            if key in ("fl", "fi", "fe"):
                file = os.path.basename(names[kind, number])
            elif key == "cfn":
                callee = re.sub(r" \(.*", "", names[kind, number])
        elif line.startswith("calls="):
            count = int(line[6:].split()[0])
        elif count is not None:
            found[callee, file, int(line.split()[0])] += count
            count = None
    return found


def differences(found, tails, expected, jumped):
    """What does not agree, as lines."""
    wrong, more = [], defaultdict(int)
    for key in sorted(found.keys() | expected.keys()):
        more[key[0]] += found[key] - expected[key]
        if found[key] < expected[key] or (found[key] != expected[key] and not jumped[key[0]]):
            wrong.append(f"{key}: callsig {found[key]}, callgrind {expected[key]}")
    for callee in sorted(more.keys() | jumped.keys() | tails.keys()):
        if more[callee] + tails[callee] != jumped[callee]:
            wrong.append(f"{callee}: {tails[callee]} tail calls and {more[callee]} calls more than call instructions, {jumped[callee]} jumps")
    return wrong


def compare(product, command, args, stdin, title):
    """How many places differ."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        counts, recording, export = Path(kept) / "counts", Path(kept) / "recording", Path(kept) / "export"
        program = os.path.realpath(command[0])
        done = callgrind_counts.run([*same_name(folder, [program]), *args], counts, "--dump-instr=yes", "--dump-line=yes", stdin=stdin, cwd=folder)
        expected, jumped = callgrind_sites(counts, program, symbols(program), jumps(program))
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        recording, export = Path(kept) / "recording", Path(kept) / "export"
        ran = product.run([*same_name(folder, [program]), *args], recording, ("--sites", "--no-signatures"), stdin, folder, randomised=False)
        if ran.returncode != done.returncode:
            raise SystemExit(f"{title}: status {ran.returncode} under callsig, {done.returncode} in callgrind")
        found, tails = report_sites(product, recording)
        # What has hooks, by its calls and not by its places, which are what is held against callgrind here.
        known = {row["function"] for row in product.report(recording, "--by", "function")["rows"]}
        product.call("export", "--to", "callgrind", "--by", "function", recording, "-o", export)
        exported = exported_sites(export)
    expected = Counter({key: calls for key, calls in expected.items() if key[0] in known})
    jumped = Counter({callee: calls for callee, calls in jumped.items() if callee in known})
    wrong = differences(found, tails, expected, jumped)
    # Of a function that some line jumps on to, the export has the jumps there, too.
    wrong += [f"export {key}: {exported[key]}, report {found[key]}" for key in sorted(found)
              if exported[key] < found[key] or (exported[key] != found[key] and not tails[key[0]])]
    print(f"{title}: places {len(found)}  calls {sum(found.values())}  by jumps {sum(jumped.values())}  different {len(wrong)}", flush=True)
    for line in wrong[:20]:
        print(f"    {line}")
    if not found:
        raise SystemExit(f"{title}: no place is known")
    return len(wrong)


def compare_small():
    with tempfile.TemporaryDirectory() as folder:
        product = Product(os.environ["CALLSIG_BUILD"], folder)
        for name, text in SMALL.items():
            Path(folder, name).write_text(text)
        version = subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        plugin = product.plugins / f"gcc-{version}" / "callsig_sleds.so"
        if not plugin.exists():
            print("test_call_sites: gcc's plug-in is not there")
            return 77
        program = Path(folder, "small")
        subprocess.run(["gcc", "-g", "-O2", f"-fplugin={plugin}", "small.c", "-o", program], cwd=folder, check=True)
        return compare(product, [str(program)], [], None, "small") > 0


def main():
    if shutil.which("valgrind") is None or shutil.which("objdump") is None:
        print("test_call_sites: valgrind or objdump is not installed")
        return 77
    if "--small" in sys.argv:
        return compare_small()
    driver = Driver(__doc__, FULL, FULL)
    different = 0
    for name, variant in driver.chosen:
        command = driver.builder.build(name, variant)
        for run in driver.builder.runs(name, True):
            if (name, run.name) not in THREADED:
                different += compare(driver.product, command, run.args, run.stdin, f"{name} {variant} {run.name}")
    print(f"{different} places differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
