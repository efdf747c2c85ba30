#!/usr/bin/env python3
# ctest: name output.exports.otf2
# ctest: skips
# ctest: arguments --build @PROJECT_BINARY_DIR@ --print-calls $<TARGET_FILE:print_calls>
"""An OTF2 archive, read by otf2-print and otf2-marker, has the calls and times of the folded export and the spans of the chrome export.

    test_otf2.py --build FOLDER --print-calls PROGRAM [RECORDING...]
"""

import argparse
import collections
import json
import lzma
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "real")]

import model  # noqa: E402
import otf2_reader  # noqa: E402
import readers  # noqa: E402
from product import Product  # noqa: E402

SKIPPED = 77
KEPT = ("pipeline-timeline", "coroutines", "merged-processes", "control")

# Tasks, a queue, events, spans that overlap, a counter and a level.
PROGRAM = """
#include "callsig/callsig.h"
static int __attribute__((noinline)) work(int n) { volatile int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
int main(void)
{
  struct callsig_stage_options options = {.size = sizeof options, .name = "decode"};
  struct callsig_stage *stage;
  struct callsig_queue_options waiting = {.size = sizeof waiting, .name = "items", .capacity = 4};
  struct callsig_queue *queue;
  if (callsig_stage_open(&options, &stage) || callsig_queue_open(&waiting, &queue))
    return 1;
  for (int i = 1; i <= 20; i++) {
    struct callsig_task_options task = {.size = sizeof task, .item = (unsigned)i};
    uint64_t one = callsig_span_begin(), token = callsig_queue_put_begin(queue);
    work(1000);
    callsig_queue_put_end(queue, token, (unsigned)i, 0);
    callsig_task_begin(stage, &task);
    uint64_t other = callsig_span_begin();
    token = callsig_queue_get_begin(queue);
    callsig_queue_get_end(queue, token, (unsigned)i, 0);
    callsig_event(i % 5 ? "frame" : "key \\"frame\\"");
    callsig_span_end("first", one);
    callsig_counter_add("bytes", work(i * 100));
    callsig_level_set("level", i);
    callsig_span_end("second", other);
    callsig_task_end(stage, 0);
  }
  callsig_queue_close(queue);
  callsig_stage_close(stage);
  return 0;
}
"""


def record(product, folder):
    (folder / "all.c").write_text(PROGRAM)
    subprocess.run(["cc", "-g", "-O1", "-finstrument-functions", f"-I{HERE.parents[2] / 'include'}", folder / "all.c", "-o", folder / "all",
                    product.libraries / "libcallsig.so", f"-Wl,-rpath,{product.libraries}"], check=True)
    done = product.run([folder / "all"], folder / "all.callsig", ["--timeline=0"])
    assert done.returncode == 0, done.stderr
    return folder / "all.callsig"


def command(product, *arguments):
    return subprocess.run([product.command, "export", "--to", "otf2", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=product.environment())


def is_built(product):
    return "CALLSIG_HAS_OTF2:INTERNAL=ON" in (product.build / "CMakeCache.txt").read_text()


def check_profile(product, recording, anchor, contexts, profile):
    """Each path's calls and own time, and their sums: names of the same path are one stack of the folded export."""
    for column, weight in ((0, "calls"), (1, "time")):
        wanted = readers.folded(product.call("export", "--to", "folded", "--weight", weight, recording))
        found = collections.Counter()
        for context, values in profile.items():
            found[tuple(name.replace(";", "\\x3b") for name in contexts[context])] += values[column]
        assert wanted == dict(found), (recording, weight, list(wanted.items() ^ found.items())[:2])
    report = json.loads(product.call("report", "--format", "json", recording))
    assert sum(row["ncalls"] for row in report["rows"]) == sum(calls for calls, _ in profile.values())


def check_timeline(product, recording, anchor, entered, spent, levels):
    trace = json.loads(product.call("export", "--to", "chrome", recording))["traceEvents"]
    wanted, times, marks, queues = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter()
    for event in trace:
        if event["ph"] == "X":
            name = event["args"].get("signature", event["name"])
            wanted[name] += 1
            times[name] += round(event["dur"] * 1000)
            if event["cat"] == "wait":
                queues["queue " + event["name"].partition(" ")[2]] += 1
        elif event["ph"] == "i":
            marks["event", event["name"]] += 1
        elif event["ph"] == "b":
            marks["span", event["name"]] += 1
        elif event["ph"] == "C" and not event["name"].startswith("queue "):
            queues[event["name"]] += 1
    assert wanted == entered, (recording, list(wanted.items() ^ entered.items())[:4])
    assert times == spent, (recording, "times")
    levels = collections.Counter({name: count for name, count in levels.items() if name not in ("calls", "time")})
    assert queues == levels, (recording, queues, levels)
    assert marks == otf2_reader.markers(anchor), (recording, marks)
    return sum(wanted.values())


def compare(product, recording, folder):
    archive = folder / "archive.otf2"
    shutil.rmtree(archive, ignore_errors=True)
    done = command(product, "-o", archive, recording)
    assert (done.returncode, done.stderr) == (0, ""), done
    for path in (archive, *archive.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    anchor = archive / "traces.otf2"
    _, contexts, locations = otf2_reader.definitions(anchor)
    entered, spent, profile, levels, count, disorder = otf2_reader.events(anchor)
    assert disorder == 0, "a region was left that was not the innermost"
    assert {number: events for number, (_, events) in locations.items() if events} == dict(count), "events of locations"
    check_profile(product, recording, anchor, contexts, profile)
    spans = 0
    if command(product, "--to", "chrome", "-o", folder / "chrome", recording).returncode == 0:
        spans = check_timeline(product, recording, anchor, entered, spent, levels)
    else:
        assert not entered
    return len(profile), spans


def check_folders(product, recording, folder):
    """What is there is not replaced, nothing is left of what failed, and one line says why."""
    there = folder / "there"
    there.mkdir()
    for path, status, words in ((there, 1, "is there already"), (folder / "no" / "folder", 1, "No such file"), (None, 2, "-o OUT")):
        done = command(product, *(["-o", path] if path else []), recording)
        assert done.returncode == status and words in done.stderr and done.stderr.count("\n") == 1, done
    (folder / "link").symlink_to(folder / "target")
    assert command(product, "-o", folder / "link", recording).returncode == 1
    full = folder / "full"
    for blocks in (0, 1, 4, 8):
        limited = f'ulimit -f {blocks}; trap "" XFSZ; exec "$@"'
        done = subprocess.run(["sh", "-c", limited, "sh", product.command, "export", "--to", "otf2", "-o", full, recording],
                              stderr=subprocess.PIPE, text=True, env=product.environment())
        assert done.returncode == 1 and "make room" in done.stderr and done.stderr.count("\n") == 1 and not full.exists(), (blocks, done)
    assert not [name for name in os.listdir(folder) if name.startswith(".")], os.listdir(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder of callsig")
    parser.add_argument("--print-calls", required=True, help="the built print_calls")
    parser.add_argument("recordings", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        product = Product(options.build, folder)
        recordings = [Path(path).resolve() for path in options.recordings]
        if not recordings:
            for kept in KEPT:
                recordings.append(folder / kept)
                recordings[-1].write_bytes(lzma.decompress((HERE.parents[1] / "kept" / "recordings" / f"{kept}.xz").read_bytes()))
            recordings.append(record(product, folder))
            for seed in range(3):
                model.Profile(seed, threads=1 + seed, stages=seed % 2 == 1, hz=1000).write(folder / "sequence")
                subprocess.run([options.print_calls, folder / "sequence", folder / f"recording{seed}", "stats"], stdout=subprocess.DEVNULL, check=True)
                recordings.append(folder / f"recording{seed}")
        if not is_built(product):
            done = command(product, "-o", folder / "archive", recordings[0])
            assert done.returncode == 1 and "built without OTF2" in done.stderr and done.stderr.count("\n") == 1, done
            print("skipped: callsig was built without libopen-trace-format2-dev, and says so")
            return SKIPPED
        if not shutil.which("otf2-print"):
            print("skipped: otf2-print (otf2-tools) is not installed")
            return SKIPPED
        paths, spans = map(sum, zip(*(compare(product, recording, folder) for recording in recordings)))
        check_folders(product, recordings[0], folder)
    assert paths and (spans or options.recordings)
    print(f"{len(recordings)} recordings, {paths} paths, {spans} spans: as the other exports have them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
