#!/usr/bin/env python3
"""What 1,000 requests a second at `callsig run --serve` cost the program, and how many are answered.

    bench/serve.py BUILD [--rounds N] [--alone | --together] [--slow N]

A program counts rounds of instrumented calls. In each of N rounds (default 40) there are four windows of a quarter of a second: without
requests for /metrics, with, with, without, and in the next round the other way round, so that whatever else the machine does, and
whatever drifts, falls on both alike. A round's ratio is the rounds of calls in a second with requests to those without. Printed are
the median of the ratios and its 95 % interval, which is one of order statistics: a window in which something else had the
processor is an outlier, and moves neither. Once of seconds, and once of seconds of a processor that the program used itself.

The program has the first processor, and the server and whoever asks have the last one: so what is measured is what the server costs beyond
its own processor. On a machine that does other work this is pushed to the first processor by who asks on the last one; with --alone (which
needs root) the program has a real-time priority, and nothing else gets its processor while it counts. With --together the program has a
thread on every processor, and whoever asks runs at nice 19, as the server does: elsewhere it would run on another machine. --slow: so
many clients more that send half a request in each window with requests, and a quarter as many that ask for / and do not read.
"""

import argparse
import contextlib
import math
import os
import re
import resource
import socket
import statistics
import subprocess
import tempfile
import time

from runner import compile_with

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RATE, WINDOW = 1000, 0.25
BEGIN = 0.025  # seconds from the begin of requests until the program counts, and from then until they end
PROGRAM = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static atomic_ulong rounds;
static double length;
static pthread_barrier_t gate;
static __attribute__((noinline)) int leaf(int n) { int sum = 0; for (int i = 0; i < n * 10; i++) { sum += i; __asm__ volatile("" : "+r"(sum)); } return sum; }
static __attribute__((noinline)) int step(int n) { return leaf(n) + leaf(n + 1); }
static double at(clockid_t clock) { struct timespec time; clock_gettime(clock, &time); return (double)time.tv_sec + (double)time.tv_nsec * 1e-9; }
static void window(void) {
  unsigned long done = 0;
  pthread_barrier_wait(&gate);
  for (double end = at(CLOCK_MONOTONIC) + length; at(CLOCK_MONOTONIC) < end; done++) for (int i = 0; i < 100; i++) step(i % 20);
  atomic_fetch_add(&rounds, done);
  pthread_barrier_wait(&gate); }
static void *work(void *data) { for (;;) window(); return data; }
int main(int argc, char **argv) {
  pthread_t thread;
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  pthread_barrier_init(&gate, NULL, (unsigned)threads);
  for (int i = 1; i < threads; i++) pthread_create(&thread, NULL, work, NULL);
  while (scanf("%lf", &length) == 1) {
    double wall = at(CLOCK_MONOTONIC), own = at(CLOCK_PROCESS_CPUTIME_ID);
    unsigned long before = atomic_load(&rounds);
    window();
    printf("%lu %.9f %.9f\n", atomic_load(&rounds) - before, at(CLOCK_MONOTONIC) - wall, at(CLOCK_PROCESS_CPUTIME_ID) - own);
    fflush(stdout); }
  _exit(0); }
"""


class Served:
    """The program under `callsig run --serve`, and its server."""

    def __init__(self, build, folder, processors, is_together, is_alone):
        with open(os.path.join(folder, "program.c"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        self.load = os.path.join(folder, "load")
        program = os.path.join(folder, "program")
        compile_with("cc", "-O2", "-g", "-finstrument-functions", program + ".c", "-o", program, "-lpthread")
        compile_with("cc", "-O2", os.path.join(TOP, "bench", "serve_load.c"), "-o", self.load)
        with open(os.path.join(folder, "errors"), "w+", encoding="utf-8") as errors:
            self.run = subprocess.Popen(
                [os.path.join(build, "cli", "callsig"), "run", "--serve", "127.0.0.1:0", "-o", "rec", program, str(len(processors) if is_together else 1)],
                cwd=folder, env=dict(os.environ, CALLSIG_CACHE_DIR=os.path.join(folder, "cache")), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
            self.count(0.01)
            errors.seek(0)
            self.port = int(re.search(r":(\d+)/", errors.read()).group(1))
        with open(f"/proc/{self.run.pid}/task/{self.run.pid}/children", encoding="utf-8") as file:
            children = {os.path.basename(os.readlink(f"/proc/{child}/exe")): child for child in file.read().split()}
        if not is_together:
            os.sched_setaffinity(int(children["program"]), {processors[0]})
            if is_alone:
                os.sched_setscheduler(int(children["program"]), os.SCHED_FIFO, os.sched_param(1))
        del children["program"]
        [self.server] = children.values()

    def count(self, seconds):
        """Lets the program count for so long. Its rounds in a second, and in one of a processor that it used itself."""
        self.run.stdin.write(f"{seconds}\n")
        self.run.stdin.flush()
        rounds, wall, own = (float(word) for word in self.run.stdout.readline().split())
        return rounds / wall, rounds / own

    def used(self):
        """Seconds of a processor that the server used."""
        seconds = 0
        for task in os.listdir(f"/proc/{self.server}/task"):
            with open(f"/proc/{self.server}/task/{task}/schedstat", encoding="utf-8") as file:
                seconds += int(file.read().split()[0]) / 1e9
        return seconds

    def end(self):
        self.run.stdin.close()
        self.run.wait()


@contextlib.contextmanager
def slow_clients(port, count):
    with contextlib.ExitStack() as open_ones:
        for number in range(count):
            client = open_ones.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + (b"\r\n" if number % 4 == 0 else b"X-Slow: "))
        yield


def window(served, asks, options, asked):
    """Rounds of calls in a second, and in one of a processor. What whoever asks says goes to `asked`."""
    with contextlib.ExitStack() as stack:
        if asks:
            stack.enter_context(slow_clients(served.port, options.slow))
            nice = ["nice", "-n", "19"] if options.together else []
            load = stack.enter_context(subprocess.Popen([*nice, served.load, str(served.port), "/metrics", str(RATE), str(WINDOW)], stdout=subprocess.PIPE, text=True))
        time.sleep(BEGIN)
        counted = served.count(WINDOW - 2 * BEGIN)
        if asks:
            asked.append([float(number) for number in re.findall(r"[\d.]+", load.communicate()[0])])
    return counted


def interval(values):
    """The 95 % interval of the median, of whatever distribution they are: the order statistics that a binomial distribution gives."""
    ordered, count = sorted(values), len(values)
    below, chance = 0, 0.5**count
    while chance <= 0.025:
        below += 1
        chance += math.comb(count, below) * 0.5**count
    return ordered[max(below - 1, 0)], ordered[min(count - below, count - 1)]


def used_by_ended():
    """Seconds of a processor that whoever asked and has ended used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def tell(what, values):
    least, most = interval(values)
    print(f"{what}, with requests / without: median {statistics.median(values):.4f}, 95 % interval {least:.4f} to {most:.4f}, of {len(values)} rounds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=40)
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--alone", action="store_true")
    place.add_argument("--together", action="store_true")
    parser.add_argument("--slow", type=int, default=0)
    options = parser.parse_args()
    processors = sorted(os.sched_getaffinity(0))
    if not options.together:
        os.sched_setaffinity(0, {processors[-1]})
    ratios, own, asked = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        served = Served(os.path.abspath(options.build), folder, processors, options.together, options.alone)
        before, asker_before = served.used(), used_by_ended()
        for number in range(options.rounds):
            order = (False, True, True, False) if number % 2 == 0 else (True, False, False, True)
            windows = [(asks, window(served, asks, options, asked)) for asks in order]
            sums = [[sum(values[which] for asks, values in windows if asks == is_asked) for is_asked in (True, False)] for which in (0, 1)]
            ratios.append(sums[0][0] / sums[0][1])
            own.append(sums[1][0] / sums[1][1])
        spent, asker_spent = served.used() - before, used_by_ended() - asker_before
        served.end()
    tell("rounds of calls in a second", ratios)
    tell("rounds in a second of the program's own processor time", own)
    seconds = len(asked) * WINDOW
    answers, errors, late = (sum(one[which] for one in asked) for which in (0, 1, 2))
    print(f"{answers / seconds:.0f} answers in a second of requests, {errors:.0f} errors, {late:.0f} of {answers + late:.0f} not asked as {RATE} were; "
          f"in the mean after {statistics.mean(one[3] for one in asked):.2f} ms; the server used {spent / seconds * 1e3:.1f} ms of a processor a second, and who asked {asker_spent / seconds * 1e3:.1f}")


if __name__ == "__main__":
    main()
