#!/usr/bin/env python3
# ctest: skips
# ctest: case - quick
# ctest: case _long full --long
"""Prometheus itself scrapes a program that runs, and what it answers to queries is what the recording has."""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import harness
from served import BUILT, Served

if not BUILT or not shutil.which("prometheus"):
    print("there is no prometheus, or callsig was built without libmicrohttpd")
    sys.exit(77)

SECONDS = 600 if "--long" in sys.argv else 8
# Prometheus waits no longer for an answer than this, which a server at nice 19 may take where tests keep all processors busy.
INTERVAL = 5 if "--long" in sys.argv else 2


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Prometheus(Served):
    def scrape(self, port):
        """Starts Prometheus. The address of its API."""
        api = free_port()
        config = self.write("prometheus.yml", f"scrape_configs:\n- job_name: callsig\n  scrape_interval: {INTERVAL}s\n  scrape_timeout: {INTERVAL}s\n  static_configs:\n"
                            f"  - targets: ['127.0.0.1:{port}']\n")
        server = subprocess.Popen(["prometheus", "--config.file=" + config, f"--web.listen-address=127.0.0.1:{api}",
                                   "--storage.tsdb.path=" + self.path("tsdb"), "--log.level=error"], cwd=self.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait, 60)
        self.addCleanup(server.terminate)
        self.api = f"http://127.0.0.1:{api}/api/v1/"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if self.query("up") == {"callsig": 1.0}:
                    return
            except OSError:
                pass
            time.sleep(0.2)
        self.fail("Prometheus has scraped nothing")

    def query(self, text, by="job"):
        with urllib.request.urlopen(self.api + "query?" + urllib.parse.urlencode({"query": text}), timeout=60) as answer:
            found = json.load(answer)
        self.assertEqual(found["status"], "success", found)
        return {one["metric"].get(by, ""): float(one["value"][1]) for one in found["data"]["result"]}

    def names(self):
        with urllib.request.urlopen(self.api + "label/__name__/values", timeout=60) as answer:
            return json.load(answer)["data"]

    def test_queries_are_the_recording(self):
        self.start(address=None)
        self.serve("--listen", "127.0.0.1:0", "rec.out")
        self.scrape(self.port)
        begin, rounds = time.monotonic(), 0
        while time.monotonic() - begin < SECONDS:
            self.tell("rtpw" if rounds % 7 == 0 else "rp")
            rounds += 1
            time.sleep(0.2)
        window = f"[{SECONDS + 60}s]"
        self.assertEqual(self.end(), 0)
        time.sleep(2 * INTERVAL + 1)
        # Hardly a scrape came too late, and no counter ever fell.
        self.assertGreaterEqual(self.query(f"avg_over_time(up{window})")["callsig"], 0.95)
        self.assertGreaterEqual(self.query(f"count_over_time(up{window})")["callsig"], SECONDS / INTERVAL * 0.8)
        counters = [name for name in self.names() if re.fullmatch("callsig_.*_(total|count|sum|bucket)", name)]
        self.assertIn("callsig_queue_empty_seconds_total", counters)
        for name in counters:
            self.assertEqual(self.query(f"max(resets({name}{window}))"), {"": 0.0}, name)
        done = self.callsig("report", "--by", "function", "--format", "json", "rec.out")
        rows = {row["function"]: row for row in json.loads(done.stdout)["rows"]}
        calls = self.query('callsig_function_calls_total{file!=""}', by="function")
        self.assertEqual({name.replace('\\\\', '\\'): count for name, count in calls.items()}, {name: row["ncalls"] for name, row in rows.items()})
        self.assertEqual(self.query("sum(callsig_function_calls_total)"), {"": sum(row["ncalls"] for row in rows.values())})
        for name, seconds in self.query('callsig_function_self_seconds_total{file!=""}', by="function").items():
            self.assertAlmostEqual(seconds, rows[name]["tottime"], places=6)
        self.assertEqual(self.query("callsig_stage_tasks_total", by="job"), {"callsig": rounds})
        self.assertEqual(self.query("callsig_queue_puts_total", by="name"), {"frames": rounds})
        print(f"{SECONDS} s, {rounds} rounds, {int(self.query(f'count_over_time(up{window})')['callsig'])} scrapes")


if __name__ == "__main__":
    if "--long" in sys.argv:
        sys.argv.remove("--long")
    harness.main()
