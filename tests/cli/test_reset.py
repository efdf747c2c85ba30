#!/usr/bin/env python3
# ctest: case - quick
"""callsig_reset(): stages, queues, counters, levels, events and the timeline count from zero, in every reader; a snapshot and a
merge keep that, and a database has each interval's own."""

import json
import sqlite3

import harness
from harness import Case, INCLUDE, RUNTIME

# Counts 30 of all, starts from zero inside of a task, and counts 7.
PROGRAM = r"""
#include <callsig/callsig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static struct callsig_stage *read_stage;
static struct callsig_queue *queue;
static void pause_for(long ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000}; nanosleep(&t, NULL); }
static void put(void) { callsig_queue_put_end(queue, callsig_queue_put_begin(queue), 0, 0); }
static void get(void) { callsig_queue_get_end(queue, callsig_queue_get_begin(queue), 0, 0); }
static void count(int times)
{
  for (int i = 0; i < times; i++) {
    CALLSIG_TASK(read_stage);
    CALLSIG_ACTION("step");
    callsig_counter_add("bytes", 100);
    callsig_level_set("fill", i);
    callsig_event("tick");
    put();
    get();
  }
}
static void *work(void *data) { count(30); return data; }
int main(int argc, char **argv)
{
  struct callsig_stage_options options = {.size = sizeof options, .index = 1, .name = "read"};
  struct callsig_queue_options queue_options = {.size = sizeof queue_options, .index = 1, .name = "items", .capacity = 9};
  pthread_t thread;
  callsig_stage_open(&options, &read_stage);
  callsig_queue_open(&queue_options, &queue);
  put();
  put();
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  count(30);
  pause_for(argc > 1 ? atoi(argv[1]) : 1);
  {
    CALLSIG_TASK(read_stage);
    CALLSIG_ACTION("outer");
    if (callsig_reset() != 0)
      return 1;
    pause_for(100);
  }
  count(7);
  return 0;
}
"""


class Reset(Case):
    def build(self):
        return self.compile("program", PROGRAM, "-I" + INCLUDE, instrument=False,
                            libs=("-L" + RUNTIME, "-lcallsig", "-Wl,-rpath," + RUNTIME, "-lpthread"))

    def recorded(self, *options, pause="1"):
        done = self.callsig("run", "-o", "x.out", *options, self.build(), pause)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check(self, file):
        done = self.callsig("stages", "--format", "json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        read = json.loads(done.stdout)
        stage, queue = read["stages"][0], read["queues"][0]
        self.assertEqual((stage["num_tasks"], stage["num_failures"], stage["open"]), (7, 0, 0))
        self.assertEqual((queue["puts"], queue["num_items"], queue["items"], queue["high_water"]), (7, 7, 2, 3))
        self.assertLess(queue["elapsed"], read["elapsed"] + 0.001)
        self.assertGreaterEqual(read["elapsed"], 0.1)
        self.assertEqual({event["name"]: event["count"] for event in read["events"]}, {"tick": 7})
        by_key = {counter["key"]: counter for counter in read["counters"]}
        self.assertEqual((by_key["bytes"]["count"], by_key["bytes"]["total"]), (7, 700))
        self.assertEqual((by_key["fill"]["count"], by_key["fill"]["max"]), (7, 6))
        done = self.callsig("report", "--format", "json", "--by", "function", file)
        rows = {row["function"]: row for row in json.loads(done.stdout)["rows"]}
        self.assertEqual({name: row["ncalls"] for name, row in rows.items()}, {"{step}": 7, "{outer}": 0, "{0:1:read}": 7})
        # The task that was open goes on: it takes time, and is none of this period.
        self.assertGreaterEqual(rows["{outer}"]["cumtime"], 0.1)
        self.assertGreaterEqual(rows["{0:1:read}"]["cumtime"], 0.1)

    def test_all(self):
        self.recorded("--times", "exact", "--percentiles", "--timeline=0", pause="300")
        self.check("x.out")
        done = self.callsig("merge", "-o", "merged.out", "x.out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check("merged.out")
        done = self.callsig("export", "--to", "chrome", "x.out", "-o", "x.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("x.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual(sum(event["name"] == "tick" for event in events), 7)
        # Of the time before there is nothing: all of it began after the pause.
        self.assertLess(max(event["ts"] + event.get("dur", 0) for event in events if "ts" in event), 290000)

    def test_database(self):
        self.recorded("--db", "x.db", "--interval", "0.05", pause="300")
        with sqlite3.connect(self.path("x.db")) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            self.assertIn("task_stats", tables)
            counted = [row[0] for row in database.execute("SELECT num_tasks FROM task_stats")]
        self.assertTrue(all(0 <= tasks <= 60 for tasks in counted), counted)
        self.assertEqual(sum(counted), 60 + 7)


if __name__ == "__main__":
    harness.main()
