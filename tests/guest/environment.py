"""Cases where the surroundings fail the profiler: it says so in one clear line, and the program runs as if it were not there."""

import glob
import itertools
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from harness import Failure, Guest, TIMEOUT
from seccomp import PROT_EXEC, PROT_WRITE, without_mprotect

PAGE = 4096
CODE_CHUNK = 256 << 10  # profiler/sled/site_codes.c: what is made writable to add the code of a site


def expect_one_line(result, *words):
    """Exactly one line of the profiler's on stderr, with these words in it."""
    lines = [line for line in result.errors.splitlines() if line.startswith("callsig: ")]
    if len(lines) != 1 or any(word not in lines[0] for word in words):
        raise Failure(f"one line with {words} expected on stderr, found: {result.errors!r}")


def sigkill(tools, compiler, level):
    """Killed at a random moment, everything up to then reads back, frames that were open included."""
    guest = Guest(tools, "sigkill.c", compiler, level)
    for turn in range(12):
        arguments = ["threads"] if turn % 2 else []
        progress, output = os.path.join(tools.scratch, "progress"), tools.new_recording()
        environment = tools.environment(LD_PRELOAD=tools.preload, CALLSIG_OUTPUT=output)
        kill_after_start([guest.path, progress, *arguments], environment, progress)
        begun, done = started(progress)
        read = tools.read(output)
        step, main = read.calls["step"][0], read.calls["main"][0]
        if not done <= step <= begun or main != 1 or "main" not in read.open:
            raise Failure(f"turn {turn}: step called {done}..{begun} times, recorded {step}; main {main}, open {read.open}")
        tools.expect_counts(output, {"main": 1}, exact=True)
        os.unlink(progress)
        os.unlink(output)


def kill_after_start(command, environment, progress):
    """Runs the command and kills it at a random moment after its first thousand steps."""
    with subprocess.Popen(command, env=environment) as process:
        deadline = time.monotonic() + TIMEOUT
        while not os.path.exists(progress) or os.path.getsize(progress) < 16 or started(progress)[0] < 1000:
            if time.monotonic() > deadline or process.poll() is not None:
                raise Failure("the guest did not start")
            time.sleep(0.01)
        time.sleep(random.random() / 10)
        process.kill()
        status = process.wait(TIMEOUT)
    if status != -signal.SIGKILL:
        raise Failure(f"ended with {status}")


def started(path):
    with open(path, "rb") as file:
        return struct.unpack("<QQ", file.read(16))


def same_as_plain(tools, guest, arguments=(), **more):
    plain = guest.run_plain(arguments)
    result = guest.run_profiled(arguments, **more)
    tools.compare(plain, result)
    return result


def full_disk(tools, compiler, level):
    """A file system with hardly any room, for a recording that may be opened again and for one that may not: a tmpfs where that may be
    mounted, else skipped (file_limit does the same)."""
    guest = Guest(tools, "grow.c", compiler, level)
    with tempfile.TemporaryDirectory(dir=tools.scratch) as folder:
        for kilobytes, arguments in itertools.product((4, 300, 1500, 3000), ((), ("other",))):
            if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "callsig", folder],
                                              capture_output=True, check=False).returncode:
                print("     (no tmpfs can be mounted here)")
                return
            try:
                result = same_as_plain(tools, guest, arguments, output=os.path.join(folder, "recording"))
                expect_one_line(result, "recording", "disk is full")
                if os.path.exists(result.recording) and os.path.getsize(result.recording):
                    check_losses(tools, result)
            finally:
                subprocess.run(["umount", folder], check=True)


def check_losses(tools, result):
    """What did not find room is counted: nothing is missing from the sum."""
    read = tools.read(result.recording)
    told = result.told("count")
    found = sum(read.calls.get(name, [0])[0] for name in told)
    missing = sum(told.values()) - found
    if missing < 0 or missing > read.loss["no_space"]:
        raise Failure(f"{missing} calls missing, {read.loss}")


def file_limit(tools, compiler, level):
    """RLIMIT_FSIZE: no SIGXFSZ, one line, and the calls that found no room are counted."""
    guest = Guest(tools, "grow.c", compiler, level)
    for size in (4096, 300 << 10, 1500 << 10, 3 << 20):
        result = same_as_plain(tools, guest, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        expect_one_line(result, "recording", "RLIMIT_FSIZE")
        if os.path.exists(result.recording) and os.path.getsize(result.recording):
            check_losses(tools, result)


def full(tools, compiler, level):
    """What finds no room takes no slow section a call, and is told in one line."""
    guest = Guest(tools, "full.c", compiler, level)
    result = same_as_plain(tools, guest)
    expect_one_line(result, "recording", "RLIMIT_FSIZE")
    check_losses(tools, result)


def unwritable(tools, compiler, level):
    """A folder that does not exist, a file in its place, and (unless root) one without permission."""
    guest = Guest(tools, "close_fds.c", compiler, level)
    for folder in ("missing/folder", "file"):
        path = os.path.join(tools.scratch, folder)
        if folder == "file":
            with open(path, "w", encoding="ascii"):
                pass
        result = same_as_plain(tools, guest, output=os.path.join(path, "recording"))
        expect_one_line(result, path)


def address_space(tools, compiler, level):
    """RLIMIT_AS: too little for the range that the profiler would like."""
    guest = Guest(tools, "close_fds.c", compiler, level)
    for size in (24 << 20, 64 << 20, 256 << 20):
        result = same_as_plain(tools, guest, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        lines = [line for line in result.errors.splitlines() if line.startswith("callsig: ")]
        if len(lines) > 1:
            raise Failure(f"more than one line: {result.errors!r}")
        if not lines:
            tools.expect_counts(result.recording, result.told("count"), exact=True)


def own_limit(tools, compiler, level):
    """512 MiB of address space, from before the program or set by itself: it has 400 of them, and every call is recorded."""
    guest = Guest(tools, "own_limit.c", compiler, level)
    size = 512 << 20
    for arguments, more in ((["sets"], {}), ([], {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))})):
        result = same_as_plain(tools, guest, arguments, **more)
        if "callsig: " in result.errors:
            raise Failure(f"{arguments}: {result.errors}")
        tools.expect_counts(result.recording, result.told("count"), exact=True)


def memory_refused(tools, compiler, level):
    """The kernel gives no more memory once the program runs: one line, and the calls that need some are counted."""
    guest = Guest(tools, "grow.c", compiler, level)
    result = same_as_plain(tools, guest, ["refused"])
    expect_one_line(result, "memory is refused", "RLIMIT_AS")
    check_losses(tools, result)
    if not tools.read(result.recording).loss["no_space"]:
        raise Failure("memory was not refused")


def no_descriptor(tools, compiler, level):
    """While the program has all the descriptors that it may have, calls that need room are counted, and one line says so; once it has
    closed some, they are recorded again."""
    guest = Guest(tools, "no_descriptor.c", compiler, level)
    result = same_as_plain(tools, guest)
    expect_one_line(result, "recording", "descriptor")
    check_losses(tools, result)
    read = tools.read(result.recording)
    if not read.loss["no_space"]:
        raise Failure("the recording did not have to grow")
    tools.expect_counts(result.recording, {"after": result.told("count")["after"]}, exact=True)


def memcheck(tools, compiler, level):
    """Its leak check reads all of the program's memory: what the recording reserves is not part of that. The index is made
    under it, too."""
    if not shutil.which("valgrind"):
        print("     (valgrind is not installed)")
        return
    guest = Guest(tools, "close_fds.c", compiler, level)
    plain = guest.run_plain([])
    path = tools.new_recording()
    result = guest.run(["valgrind", "--quiet", "--leak-check=full", "--error-exitcode=9", guest.path],
                       tools.environment(LD_PRELOAD=tools.preload, CALLSIG_OUTPUT=path), path)
    tools.compare(plain, result)
    tools.expect_counts(path, result.told("count"), exact=True)
    size = os.path.getsize(path)
    if size > 4 << 20:
        raise Failure(f"the recording took {size} bytes")


def stripped(tools, compiler, level):
    guest = Guest(tools, "close_fds.c", compiler, level)
    subprocess.run(["strip", "--strip-all", guest.path], check=True)
    result = same_as_plain(tools, guest)
    expect_one_line(result, guest.path)
    read = tools.read(result.recording)
    expected, found = sum(result.told("count").values()), sum(calls for calls, _ in read.calls.values())
    if expected != found:
        raise Failure(f"{expected} calls made, {found} recorded")


def no_debug(tools, compiler, level):
    guest = Guest(tools, "close_fds.c", compiler, level, debug=False)
    result = same_as_plain(tools, guest)
    expect_one_line(result, guest.path, "-g")
    tools.expect_counts(result.recording, result.told("count"), exact=True)


def control(tools, compiler, level):
    """A program that links the library: shared, and static."""
    for name in ("shared", "static"):
        guest = Guest(tools, "control.c", compiler, level, libraries=tools.link_with(name), name=name)
        path = tools.new_recording()
        result = guest.run([guest.path], tools.environment(CALLSIG_OUTPUT=path), path)
        if result.status or result.errors:
            raise Failure(f"{name}: exit status {result.status}: {result.errors}")
        tools.expect_counts(path, result.told("count"), exact=True)


def stages_of(tools, path, what="stages"):
    """What `callsig stages` says: label -> the stage, or the queue."""
    done = subprocess.run([tools.command, "stages", path, "--format", "json"], capture_output=True, text=True, timeout=TIMEOUT,
                          env=tools.environment(), check=False)
    if done.returncode:
        raise Failure(f"callsig stages {path}: {done.stderr}")
    return {found["label"]: found for found in json.loads(done.stdout)[what]}


def stages(tools, compiler, level):
    """A pipeline: its tasks end in every way, and by stage the calls sum up to the whole. Then it is killed in the middle."""
    compiler = {"gcc": "g++", "clang": "clang++"}[compiler]
    guest = Guest(tools, "stages.cpp", compiler, level, libraries=tools.link_with("shared"))
    path = tools.new_recording()
    result = guest.run([guest.path], tools.environment(CALLSIG_OUTPUT=path), path)
    if result.status or result.errors:
        raise Failure(f"exit status {result.status}: {result.errors}")
    tools.expect_counts(path, result.told("count"), exact=True)
    if not tools.command:
        return
    found = stages_of(tools, path)
    for line in result.output.splitlines():
        if line.startswith("tasks "):
            _, label, tasks, failures = line.split()
            stage = found[label]
            if (stage["num_tasks"], stage["num_failures"], stage["open"]) != (int(tasks), int(failures), 0):
                raise Failure(f"{line}: the recording says {stage}")
    queue = stages_of(tools, path, "queues")["0:0:source"]
    if queue["num_items"] != 2000:
        raise Failure(f"2000 items went through the queue, the recording says {queue}")
    compare_by_stage(tools, path)
    expect_spans(tools, guest, sum(stage["num_tasks"] for stage in found.values()))
    kill_stages(tools, guest)


def compare_by_stage(tools, path):
    """By stage, the calls and the time of each function sum up to those without stages."""
    whole = {row["function"]: (row["ncalls"], row["tottime"]) for row in tools.report_rows(path)}
    for row in tools.report_rows(path, "function,stage"):
        calls, seconds = whole[row["function"]]
        whole[row["function"]] = calls - row["ncalls"], seconds - row["tottime"]
    if any(calls or abs(seconds) > 1e-10 for calls, seconds in whole.values()):  # a tick is longer
        raise Failure(f"what remains without what is by stage: {whole}")


def expect_spans(tools, guest, tasks):
    """Every task, put and get is on the timeline."""
    path = tools.new_recording()
    result = guest.run([guest.path], tools.environment(CALLSIG_OUTPUT=path, CALLSIG_TIMELINE="100s"), path)
    read = tools.read(path)
    kinds = [sum(1 for span in read.spans if span[0] == kind) for kind in (2, 3, 4)]
    if result.status or read.loss["timeline"] or kinds != [tasks, 2000, 2000]:
        raise Failure(f"{tasks} tasks, 2000 puts, 2000 gets; spans {kinds}, lost {read.loss['timeline']}: {result.errors}")


def kill_stages(tools, guest):
    for turn in range(6):
        progress, output = os.path.join(tools.scratch, "progress"), tools.new_recording()
        kill_after_start([guest.path, progress], tools.environment(CALLSIG_OUTPUT=output), progress)
        begun, done = started(progress)
        stage = stages_of(tools, output)["0:1:decode[8]"]
        tasks = stage["num_tasks"] + stage["open"]
        if not done <= tasks <= begun or stage["open"] > 1 or stage["num_failures"] > stage["num_tasks"]:
            raise Failure(f"turn {turn}: {done}..{begun} tasks, the recording says {stage}")
        os.unlink(progress)
        os.unlink(output)


def filters(tools, compiler, level):
    """What is left out has no row, and its callees are still counted."""
    guest = Guest(tools, "filtered.c", compiler, level)
    everything = {"leaf": 2000, "helper": 1000, "work": 100, "main": 1}
    module = os.path.basename(guest.path)
    for include, exclude, left in (
            (None, None, "leaf helper work main"), ("leaf", None, "leaf"), ("w*\nhelper", None, "work helper"),
            (None, "helper", "leaf work main"), (None, "file:filtered.c", ""), ("file:filtered.c", "main", "leaf helper work"),
            (f"module:{module}", "function:w[aeiou]rk", "leaf helper main"), ("module:elsewhere", None, ""),
            (None, f"module:*/{module}", "")):
        settings = {name: value for name, value in (("CALLSIG_INCLUDE", include), ("CALLSIG_EXCLUDE", exclude)) if value}
        result = guest.run_profiled([], settings=settings)
        tools.compare(guest.run_plain([]), result)
        calls = {name: count for name, (count, _) in tools.read(result.recording).calls.items() if count}
        if calls != {name: everything[name] for name in left.split()}:
            raise Failure(f"include {include!r}, exclude {exclude!r}: {calls}")


def options(tools, compiler, level):
    """Options that make no sense: one line each, and the program runs on, profiled by the defaults."""
    guest = Guest(tools, "filtered.c", compiler, level)
    for name, value, words in (("CALLSIG_CLOCK", "sundial", ["CALLSIG_CLOCK", "sundial"]),
                               ("CALLSIG_MEMORY", "12 parsecs", ["CALLSIG_MEMORY", "12 parsecs"]),
                               ("CALLSIG_MEMORY", "1K", ["CALLSIG_MEMORY"]),
                               ("CALLSIG_TIMELINE", "soon", ["CALLSIG_TIMELINE", "soon"]),
                               ("CALLSIG_TIMES", "some", ["CALLSIG_TIMES", "some", "auto"]),
                               ("CALLSIG_OVERHEAD", "1.0", ["CALLSIG_OVERHEAD", "1.0", "above 1"]),
                               ("CALLSIG_RULES", "/nowhere/rules", ["/nowhere/rules"]),
                               ("CALLSIG_RULES", "/x" * 3000, ["CALLSIG_RULES", "longer"]),
                               ("CALLSIG_OUTPUT", "/x" * 3000, ["CALLSIG_OUTPUT"])):
        result = guest.run_profiled([], settings={name: value})
        tools.compare(guest.run_plain([]), result)
        expect_one_line(result, *words)
    # Of a folder that was removed no path tells where the recording would lie.
    path = guest.path
    result = guest.run(["/bin/sh", "-c", 'folder=$(mktemp -d) && cd "$folder" && rmdir "$folder" && exec "$0"', path],
                       tools.environment(LD_PRELOAD=tools.preload, CALLSIG_OUTPUT="nowhere.out"), path)
    tools.compare(guest.run_plain([]), result)
    expect_one_line(result, "CALLSIG_OUTPUT", "the current folder has no path", "nowhere.out")
    for more, words in (({"CALLSIG_TIMELINE_SPANS": "many"}, ["CALLSIG_TIMELINE_SPANS", "many"]),
                        ({"CALLSIG_CLOCK": "cpu"}, ["timeline", "wall clock"])):
        result = guest.run_profiled([], settings={"CALLSIG_TIMELINE": "1ms", **more})
        tools.compare(guest.run_plain([]), result)
        expect_one_line(result, *words)
    result = guest.run_profiled([], settings={"CALLSIG_OVERHEAD": "2", "CALLSIG_TIMES": "exact"})
    tools.compare(guest.run_plain([]), result)
    expect_one_line(result, "CALLSIG_OVERHEAD=2", "CALLSIG_TIMES=auto")
    for name, value in (("CALLSIG_CLOCK", "cpu"), ("CALLSIG_CLOCK", "wall"), ("CALLSIG_MEMORY", "4M"),
                        ("CALLSIG_TIMES", "exact"), ("CALLSIG_OVERHEAD", "1.5"),
                        ("CALLSIG_NO_SIGNATURES", "1"), ("CALLSIG_DISABLED", "0"), ("CALLSIG_DISABLED", "")):
        result = guest.run_profiled([], settings={name: value})
        if result.status or result.errors:
            raise Failure(f"{name}={value}: exit status {result.status}: {result.errors}")
        tools.expect_counts(result.recording, {"leaf": 2000, "helper": 1000, "work": 100, "main": 1}, exact=True)
    result = guest.run_profiled([], settings={"PMI_RANK": "5"})
    if result.errors or os.path.exists(result.recording) or not tools.read(result.recording + ".rank5").calls:
        raise Failure(f"rank 5: {result.errors}")
    result.remove()
    result = guest.run_profiled([], settings={"CALLSIG_DISABLED": "1"})
    if result.status or result.errors or tools.read(result.recording).calls:
        raise Failure(f"disabled: exit status {result.status}: {result.errors}")


def bad_index(tools, compiler, level):
    """A damaged index is made again; where it cannot be, one line says so, and calls are counted without names."""
    guest = Guest(tools, "filtered.c", compiler, level)
    plain, counts = guest.run_plain([]), {"leaf": 2000, "helper": 1000, "work": 100, "main": 1}
    tools.compare(plain, guest.run_profiled([]))
    cached = [path for path in glob.glob(os.path.join(tools.scratch, "cache", "*.csi"))
              if counts.keys() <= set(open(path, "rb").read().decode("latin-1").split("\0"))]
    if len(cached) != 1:
        raise Failure(f"one index expected in the cache, found {cached}")
    with open(cached[0], "rb") as file:
        good = file.read()
    damages = {"cut": good[:len(good) // 2], "header only": good[:96], "empty": b"", "text": b"not an index\n" * 100,
               "flipped": good[:-9] + bytes([good[-9] ^ 1]) + good[-8:], "newer": good[:8] + b"\x63" + good[9:]}
    for name, data in damages.items():
        for command in (tools.command, "/nowhere/callsig"):
            with open(cached[0], "wb") as file:
                file.write(data)
            result = guest.run_profiled([], settings={"CALLSIG_COMMAND": command})
            tools.compare(plain, result)
            if command != tools.command:
                expect_one_line(result, guest.path, "/nowhere/callsig")
                found = sorted(count for count, _ in tools.read(result.recording).calls.values())
                if found != sorted(counts.values()):
                    raise Failure(f"{name}, without a command: {found}")
                continue
            tools.expect_counts(result.recording, counts, exact=True)
            if result.errors:
                raise Failure(f"{name}: {result.errors}")


def linked(tools, compiler, level):
    """The runtime linked in, in every kind of executable; the C library static too, where it can be."""
    kinds = {"pie": [], "no-pie": ["-no-pie"], "static": ["-static"], "static-pie": ["-static-pie"]}
    for kind, options in kinds.items():
        if compiler == "clang" and kind == "static-pie":
            continue  # clang 14 does not make one of code that was compiled without being told
        flags = {"static-pie": ["-fPIE"], "no-pie": ["-fno-pie"], "static": ["-fno-pie"]}.get(kind, ["-fPIE"])
        for source, arguments in (("coroutines.c", []), ("longjmp.c", []), ("thread_ends.c", []), ("fork.c", []),
                                  ("many_threads.c", ["1000"]), ("control.c", [])):
            guest = Guest(tools, source, compiler, level, flags=flags, libraries=tools.link_with("static") + options, name=kind)
            path = tools.new_recording()
            result = guest.run([guest.path, *arguments], tools.environment(CALLSIG_OUTPUT=path), path)
            if result.status or result.errors:
                raise Failure(f"{source} {kind}: exit status {result.status}: {result.errors}")
            tools.expect_counts(path, result.told("count"), exact=True)
            result.remove()


def bucket_of(value, sub_bits):
    """The bucket of a time, as docs/recording-format.md has it."""
    if value < 1 << sub_bits:
        return value
    octave = value.bit_length() - 1
    return ((octave - sub_bits + 1) << sub_bits) + (value >> (octave - sub_bits)) - (1 << sub_bits)


def check_times(read, all_spans):
    """Every call of an edge is in its histogram once, and in the timeline, when that has all of them, with the same times."""
    durations = {}
    for kind, what, _start, duration, stood_still in read.spans:
        if kind == 1:
            durations.setdefault(what, []).append(duration - stood_still)
    for times in read.times:
        where = f"{times['name']} of {times['calls']} calls"
        if times["buckets"] is None:
            raise Failure(f"{where} has no histogram")
        if sum(times["buckets"].values()) != times["calls"]:
            raise Failure(f"{where} has {times['buckets']}")
        bits = times["sub_bits"]
        if times["calls"] and (bucket_of(times["min"], bits), bucket_of(times["max"], bits)) != \
                (min(times["buckets"]), max(times["buckets"])):
            raise Failure(f"{where}: {times['min']} to {times['max']} ticks, but {times['buckets']}")
        if all_spans:
            mine = durations.get(times["edge"], [])
            counted = {}
            for duration in mine:
                counted[bucket_of(duration, bits)] = counted.get(bucket_of(duration, bits), 0) + 1
            if counted != times["buckets"] or sum(mine) != times["total"]:
                raise Failure(f"{where}, {times['total']} ticks: {times['buckets']}, but spans of {sum(mine)} ticks: {counted}")


def times(tools, compiler, level):
    """Histograms and the timeline have each call once: signals, threads, dead frames, coroutines and folding."""
    check_timed(tools, compiler, level, (("longjmp.c", []), ("signals.c", ["stack"]), ("coroutines.c", []), ("thread_ends.c", []),
                                         ("fork.c", []), ("many_threads.c", ["300"])))


def long_times(tools, compiler, level):
    """The same of recursion, and of signals on the program's own stack."""
    check_timed(tools, compiler, level, (("signals.c", []), ("deep.c", [])))


def check_timed(tools, compiler, level, guests):
    everything = {"CALLSIG_PERCENTILES": "1", "CALLSIG_TIMELINE": "0", "CALLSIG_TIMELINE_SPANS": "262144"}
    for source, arguments in guests:
        guest = Guest(tools, source, compiler, level)
        result = same_as_plain(tools, guest, arguments, settings=everything)
        for path in [result.recording, *tools.other_recordings(result)]:
            read = tools.read(path)
            calls = sum(times["calls"] for times in read.times)
            # Where rings got smaller than asked for, to stay in bounds, some spans were overwritten.
            whole = len(read.spans) == read.spans_written and not read.loss["timeline"]
            if read.spans_written + read.loss["timeline"] != calls + read.inherited or read.loss["histogram"]:
                raise Failure(f"{source}: {calls} calls, {read.inherited} inherited, {read.spans_written} spans, {read.loss}")
            check_times(read, whole)
        tools.expect_counts(result.recording, result.told("count"), exact=source != "signals.c")
        result.remove()


def timeline(tools, compiler, level):
    """Calls below the threshold are in no ring; a small ring keeps the newest; twenty thousand threads stay in bounds."""
    guest = Guest(tools, "many_threads.c", compiler, level)
    result = same_as_plain(tools, guest, ["20000"], settings={"CALLSIG_PERCENTILES": "1", "CALLSIG_TIMELINE": "0",
                                                               "CALLSIG_TIMELINE_SPANS": "256"})
    read = tools.read(result.recording)
    calls = sum(times["calls"] for times in read.times)
    if os.path.getsize(result.recording) > 64 << 20 or read.spans_written + read.loss["timeline"] != calls:
        raise Failure(f"{os.path.getsize(result.recording)} bytes, {calls} calls, {read.spans_written} spans, {read.loss}")
    check_times(read, False)
    result.remove()
    for least in ("1us", "20ms", ""):
        result = same_as_plain(tools, Guest(tools, "longjmp.c", compiler, level), settings={"CALLSIG_TIMELINE": least})
        read = tools.read(result.recording)
        short = [span for span in read.spans if span[3] < read.timeline_min]
        if short or bool(least) != (read.timeline_min != 2**64 - 1) or any(edge["buckets"] for edge in read.times):
            raise Failure(f"CALLSIG_TIMELINE={least}: from {read.timeline_min} ticks, but {short}")
        if not least and read.spans:
            raise Failure(f"{len(read.spans)} spans without a timeline")
        result.remove()


def denied(tools, compiler, level):
    """Memory that may not be made executable: sleds stay off after one line, and the program is as if it were not there. Where
    only the code of sites may not be written, all calls are counted without it."""
    guest = Guest(tools, "filtered.c", compiler, level)
    plain, counts = guest.run_plain([]), {"leaf": 2000, "helper": 1000, "work": 100, "main": 1}
    for protection, words in ((PROT_WRITE | PROT_EXEC, "its code may not be written"),
                              (PROT_EXEC, "memory may not be made executable")):
        result = guest.run_profiled([], preexec_fn=without_mprotect(protection))
        tools.compare(plain, result)
        expect_one_line(result, guest.path, words, "is not profiled")
        if os.path.exists(result.recording) and tools.read(result.recording).calls:
            raise Failure(f"protection {protection}: {tools.read(result.recording).calls}")
        result.remove()
    apart = Guest(tools, "filtered.c", compiler, level, flags=["-falign-functions=4096"], name="apart")
    result = apart.run_profiled([], preexec_fn=without_mprotect(PROT_WRITE | PROT_EXEC, PAGE))
    tools.compare(apart.run_plain([]), result)
    expect_one_line(result, "dynamic loader cannot be watched", "not profiled by their sleds")
    tools.expect_counts(result.recording, counts, exact=True)
    for length in (None, CODE_CHUNK):
        refused = without_mprotect(PROT_WRITE | PROT_EXEC, length) if length else None
        result = guest.run_profiled([], preexec_fn=refused)
        tools.compare(plain, result)
        tools.expect_counts(result.recording, counts, exact=True)
        if result.errors:
            raise Failure(f"length {length}: {result.errors}")


CASES = {
    "denied": denied,
    "times": times,
    "times_full": long_times,
    "timeline": timeline,
    "linked": linked,
    "linked_full": linked,
    "bad_index": bad_index,
    "filters": filters,
    "options": options,
    "control": control,
    "stages": stages,
    "sigkill": sigkill,
    "full_disk": full_disk,
    "file_limit": file_limit,
    "full": full,
    "unwritable": unwritable,
    "address_space": address_space,
    "own_limit": own_limit,
    "memory_refused": memory_refused,
    "no_descriptor": no_descriptor,
    "memcheck": memcheck,
    "stripped": stripped,
    "no_debug": no_debug,
}

BUILDS = {
    "full": [("gcc", "-O2"), ("clang", "-O0"), ("gcc-sleds", "-O0"), ("clang-sleds", "-O0")],
    "denied": [("gcc-sleds", "-O0"), ("clang-sleds", "-O0")],
    "linked": [("gcc", "-O2")],
    "linked_full": [("clang", "-O0")],
    "control": [("gcc", "-O0"), ("clang", "-O2")],
    "sigkill": [("gcc", "-O2"), ("clang", "-O0")],
    "stages": [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O2")],
}
