#!/usr/bin/env python3
"""What 1,000 requests a second at `callsig run --serve` cost the program: its throughput with and without them, and what it uses itself for a round.

    bench/serve.py BUILD [PAIRS]

A program with a thread for each processor counts rounds of instrumented calls. In each of PAIRS (default 40) pairs of seconds, one second has
requests for /metrics and one has none, in turns; the ratio of the two is taken for each pair, so that what else the machine does falls on
both alike. Whoever asks runs at nice 19 here, as elsewhere it would run on another machine. Prints the mean ratio with its 95 % interval, and what the server used.
Throughput depends on who else wants the processors; what the program pays does not: the rounds that it does in a second of a processor that it used itself,
whose ratio is printed beside. It runs no code for the server, so what may be lost there is caches.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RATE = 1000
PROGRAM = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_ulong rounds;
static __attribute__((noinline)) int leaf(int n) { int sum = 0; for (int i = 0; i < n * 10; i++) { sum += i; __asm__ volatile("" : "+r"(sum)); } return sum; }
static __attribute__((noinline)) int step(int n) { return leaf(n) + leaf(n + 1); }
static void *work(void *data) { for (;;) { for (int i = 0; i < 100; i++) step(i % 20); atomic_fetch_add(&rounds, 1); } return data; }
int main(void) {
  pthread_t thread;
  for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 0; i--) pthread_create(&thread, NULL, work, NULL);
  while (getchar() != EOF) { printf("%lu\n", atomic_load(&rounds)); fflush(stdout); }
  _exit(0); }
"""


def used(pid):
    """Seconds of a processor that a process used."""
    seconds = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as file:
            seconds += int(file.read().split()[0]) / 1e9
    return seconds


def main():
    build, pairs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.c"), "w") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O2", "-g", "-finstrument-functions", "program.c", "-o", "program", "-lpthread"], cwd=folder, check=True)
        subprocess.run(["cc", "-O2", os.path.join(TOP, "bench", "serve_load.c"), "-o", "load"], cwd=folder, check=True)
        errors = open(os.path.join(folder, "errors"), "w+")
        environment = dict(os.environ, CALLSIG_CACHE_DIR=os.path.join(folder, "cache"))
        run = subprocess.Popen([os.path.join(build, "cli", "callsig"), "run", "--serve", "127.0.0.1:0", "-o", "rec", "./program"], cwd=folder,
                               env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)

        def rounds():
            run.stdin.write("x")
            run.stdin.flush()
            return int(run.stdout.readline()), time.monotonic()

        rounds()
        errors.seek(0)
        port = re.search(r":(\d+)/", errors.read()).group(1)
        with open(f"/proc/{run.pid}/task/{run.pid}/children") as file:
            children = {os.path.basename(os.readlink(f"/proc/{child}/exe")): child for child in file.read().split()}
        program = children.pop("program")
        [server] = children.values()

        def rate(asks):
            load = subprocess.Popen(["nice", "-n", "19", "./load", port, "/metrics", str(RATE), "1.0"], cwd=folder, stdout=subprocess.PIPE, text=True) if asks else None
            spent_before, (begin, before) = used(program), rounds()
            time.sleep(0.95)
            (end, after), spent_after = rounds(), used(program)
            if load:
                answers.append(int(load.communicate()[0].split()[0]))
            return (end - begin) / (after - before), (end - begin) / (spent_after - spent_before)

        answers, ratios, own, before = [], [], [], used(server)
        for number in range(pairs):
            with_first = number % 2 == 0
            first, second = rate(with_first), rate(not with_first)
            asked, quiet = (first, second) if with_first else (second, first)
            ratios.append(asked[0] / quiet[0])
            own.append(asked[1] / quiet[1])
        spent = used(server) - before
        run.stdin.close()
        run.wait()
    for what, values in (("throughput", ratios), ("rounds in a second of the program's own processor time", own)):
        half = 1.96 * statistics.stdev(values) / len(values) ** 0.5
        print(f"{pairs} pairs: {what}, with requests / without: mean {statistics.mean(values):.4f} +- {half:.4f} (95 %), median {statistics.median(values):.4f}")
    print(f"{sum(answers) / pairs:.0f} answers in a second of requests; the server used {spent / pairs * 1e3:.1f} ms of a processor for them, of 1000")


if __name__ == "__main__":
    main()
