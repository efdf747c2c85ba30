"""Pipelines whose bound is known, as arguments of run_pipeline.c, and what is true of each.

A truth is a dictionary: `bound` and `stage` are the verdict's (a set: any of them); `gain` is the most that may be promised;
`all` holds functions of the verdict and the whole answer that must be true, with what they say; with `measure` a run with twice the
threads of `stage` is made whatever is promised.
"""

import collections
import random


def says(text, function):
    return text, function


def view(verdict, name):
    return next(each for each in verdict["stages"] if each["stage"].split(":")[2].split("[")[0] == name)


def found(verdict, function):
    """What a function of the bounding stage was found doing: shares, all 0 where nobody looked while it ran."""
    looked = next((each.get("found") for each in verdict["functions"] if function in each["function"]), None)
    return looked or collections.defaultdict(float)


SLEEPING = {
    "one_is_slow": dict(run=["read=2", "decode=12,threads=2", "resize=9", "write=1"], bound="stage", stage="resize", gain=1.7,
                        all=[says("resize would leave decode", lambda v, w: 1.2 < v["doubling_gain"])]),
    "moves": dict(run=["items=400", "resize=6,then=2", "decode=2,then=10"], bound="moving", stage=None,
                  all=[says("resize, then decode", lambda v, w: [p["stage"].split(":")[2] for p in v["phases"]] == ["resize", "decode"])]),
    "some_items_are_large": dict(run=["read=1", "decode=2,every=10/30", "write=1"], bound="stage", stage="decode", gain=2.0),
    "texts_tell_which": dict(run=["read=1", "decode=2,every=10/30,text", "write=1"], bound="stage", stage="decode", plain=True,
                             all=[says("the text is named", lambda v, w: any("codec=av1" in f["function"] for f in v["functions"]))]),
    "a_lock": dict(run=["lookup=5,threads=2,lock", "update=5,threads=2,lock"], bound="stage", stage={"lookup", "update"}, gain=1.0,
                   all=[says("both wait for it", lambda v, w: v["waits_inside_too"] and v["waits_seen"] and v["lock"] > 0.5),
                        says("the function is named", lambda v, w: found(v, "lock_shared()")["lock"] > 0.8),
                        says("and the others", lambda v, w: found(v, "sleep_for(")["sleep"] > 0.8)]),
    "a_lock_plain": dict(run=["lookup=5,threads=2,lock", "update=5,threads=2,lock"], bound="stage", stage={"lookup", "update"}, gain=1.0,
                         plain=True, all=[says("both wait for it", lambda v, w: v["waits_seen"] and v["lock"] > 0.5)]),
    "its_own_lock": dict(run=["read=1", "decode=5,threads=4,lock", "write=1"], bound="stage", stage="decode", gain=1.0,
                         all=[says("it is told", lambda v, w: v["lock"] > 0.5 and v["waits_inside_too"] is None)]),
    "many_threads_lock": dict(run=["items=300"] + [name + "=2,threads=16,lock" for name in "abcde"], bound="stage", stage=set("abcde"),
                              gain=1.0, all=[says("both wait for it", lambda v, w: v["waits_seen"] and v["lock"] > 0.5),
                                             says("all was read", lambda v, w: w["unreadable"] == 0)]),
    "no_lock": dict(run=["items=800", "decode=6,threads=2,every=3/9", "resize=4,threads=2,every=5/9"], bound="stage", stage="decode", gain=1.55,
                    all=[says("nothing is shared", lambda v, w: v["waits_inside_too"] is None and v["lock"] == 0)]),
    "called_directly": dict(run=["read=1,calls,own", "decode=5,calls,own", "write=3,own"], bound="thread", stage="decode"),
    "called_directly_inclusive": dict(run=["read=1,calls", "decode=5,calls", "write=3"], bound="thread", stage="decode"),
    "sink_in_task": dict(run=["read=1", "encode=4", "send=10"], bound="stage", stage="send"),
    "sink_outside": dict(run=["read=1", "encode=4", "sink=10"], bound="sink", stage=None),
    "waits_between_tasks": dict(run=["read=1", "encode=5", "send=1,outside=9"], bound="stage", stage="send",
                                all=[says("outside", lambda v, w: v["outside_of_tasks"])]),
    "branches": dict(run=["demux=1,fan", "video=10", "audio=1"], bound="stage", stage="video"),
    "higher_branch": dict(run=["demux=1,fan", "video=1", "audio=10"], bound="stage", stage="audio",
                          all=[says("its own input", lambda v, w: view(v, "audio")["input"] == "0:1:audio")]),
    "short": dict(run=["items=12", "read=2", "decode=9", "write=1"], bound="stage", stage="decode"),
    "failures": dict(run=["read=1", "decode=6,fail=3/0.5", "write=1"], bound="stage", stage="decode",
                     all=[says("the rate is what it did",
                               lambda v, w: 0.8 < view(v, "decode")["effective_rate"] / v["throughput"] < 1.25)]),
    "batches": dict(run=["read=1,batch=8", "infer=40", "write=1"], bound="stage", stage="infer",
                    all=[says("it aggregates", lambda v, w: view(v, "read")["aggregates"])]),
    "source_ends_early": dict(run=["capacity=1000", "read=1", "decode=6", "write=1"], bound="stage", stage="decode",
                              all=[says("read has finished", lambda v, w: view(v, "read")["state"] == "finished")]),
    "puts_inside": dict(run=["read=1,inside", "decode=6,inside", "write=1"], bound="stage", stage="decode",
                        all=[says("queues are none of it",
                                  lambda v, w: all(s.get("found", {"condition": 0})["condition"] < 0.05 for s in v["stages"]))]),
    "schedule": dict(run=["items=300", "schedule=3,1", "read=1", "decode=5", "write=1"], bound="stage", stage="decode",
                     all=[says("rates of recorded time", lambda v, w: 120 < v["throughput"] < 220)]),
    "warm_up": dict(run=["read=1", "decode=2,first=1500", "write=6"], bound="stage", stage="write",
                    all=[says("it warms up", lambda v, w: v["warm_up"] and "decode" in v["warm_up"])]),
    "pauses": dict(run=["read=1", "decode=2,every=50/300", "write=1"], bound="stage", stage="decode",
                   all=[says("it pauses", lambda v, w: view(v, "decode")["pauses"])]),
    "straggler": dict(run=["read=1", "decode=8,threads=4,slow=40", "write=1"], bound="stage", stage="decode",
                      all=[says("a thread is slow", lambda v, w: v["stragglers"])]),
    "source_outside": dict(run=["source=8", "read=1", "decode=2", "write=1"], bound="source", stage=None),
}

# These need processors of their own: `cores` of them.
COMPUTING = {
    "processors": dict(run=["items=150", "read=1", "compress=20,cpu,threads=8", "write=1"], cores=2, bound="processor", stage="compress", gain=1.1),
    "processors_two_stages": dict(run=["items=150", "heavy=20,cpu,threads=8", "light=6,cpu"], cores=2, bound="processor",
                                  stage={"heavy", "light"}, gain=1.15),
    "processors_nearly": dict(run=["items=400", "filter=5,cpu,threads=8", "pack=4,cpu"], cores=2, bound={"stage", "processor"},
                              stage={"pack", "filter"}, gain=1.75),
    "one_core": dict(run=["items=150", "read=1", "pack=6,cpu", "write=1"], cores=1, bound="processor", stage="pack", gain=1.2),
}


def promises_nothing(verdict, _):
    return verdict["doubling_promised"] is None or verdict["doubling_promised"] <= 1


def in_turn(*stages, bound="stage", stage="decode", cores=None):
    """What tasks of `decode` wait for inside, or do, only one of them has at a time; the verdict may see that, or not."""
    truth = dict(run=["items=300", "read=0.5", *stages, "write=0.5"], bound=bound, stage=stage, measure=True,
                 all=[says("no gain may be promised", promises_nothing),
                      says("it is told why", lambda v, w: v["lock"] or v["waits_inside_too"] or v["not_seen"] or v["bound"] == "processor" or
                           v["what_would_help"]["not_predicted"])])
    return dict(truth, cores=cores) if cores else truth


def latency(threads, *run):
    """Each task of `decode` waits for what is there for any number of them; a device of so many channels looks the same (waiting_shapes.c)."""
    return dict(run=list(run), bound="stage", stage="decode", measure=True,
                all=[says("it is predicted", lambda v, w: v["doubling_gain"] > 1.2),
                     says("there may be only so many of what they wait for", promises_nothing),
                     says("it is told why", lambda v, w: v["not_seen"] == f"0:2:decode[{threads}]")])


# What tasks wait for inside is one thing for all of them, which one thread does not show, and two hardly; or it is not.
WAITING = {
    "own_lock_1": in_turn("decode=2,held=4"),
    "own_lock_2": in_turn("decode=2,held=4,threads=2"),
    "own_lock_3": in_turn("decode=2,held=4,threads=3"),
    "own_lock_4": in_turn("decode=2,held=4,threads=4"),
    "lock_of_another_1": in_turn("decode=1,held=4", "log=0.1,held=2"),
    "lock_of_another_2": in_turn("decode=1,held=4,threads=2", "log=0.1,held=1", stage={"decode", "log"}),
    "retried_lock_2": in_turn("decode=2,held=4,retry,threads=2"),
    "computes_in_turn_1": in_turn("decode=1,held=4,cpu", bound={"stage", "processor"}, cores=2),
    "computes_in_turn_2": in_turn("decode=1,held=4,cpu,threads=2", bound={"stage", "processor"}, cores=2),
    "rate_1": in_turn("decode=1,rate=5"),
    "rate_2": in_turn("decode=1,rate=5,threads=2"),
    "rate_3": in_turn("decode=1,rate=5,threads=3"),
    "latency_1": dict(run=["items=200", "read=0.5", "decode=8", "write=0.5"], bound="stage", stage="decode", measure=True,
                      all=[says("one thread shows nothing", promises_nothing)]),
    "latency_2": latency(2, "items=400", "read=0.5", "decode=16,threads=2", "write=0.5"),
    "latency_4": latency(4, "items=600", "read=0.5", "decode=24,threads=4", "write=0.5"),
}


def waits_no_longer_than_they_can(verdict, _):
    return all(s["busy"] + s["get_wait"] + s["put_wait"] < 1.02 and not s["waits_exceed"] for s in verdict["stages"])


def seen(name, threads):
    return says(f"{threads} threads are seen", lambda v, w: view(v, name)["threads_seen"] == threads)


def is_busy(*names):
    return says("what bounds waits for nobody", lambda v, w: {view(v, name)["state"] for name in names} == {"busy"})


def phases(*names):
    return says(" then ".join(names), lambda v, w: tuple(p["stage"] and p["stage"].split(":")[2].split("[")[0] for p in v["phases"]) == names)


def recorded(least, most):
    """The share of the time in which it was recorded."""
    return says(f"{least} to {most} is recorded", lambda v, w: least < w["recorded"] / w["elapsed"] < most)


# Threads that are fewer than was declared, come and go, run several stages; and times in which nothing is recorded.
THREADS = {
    "fewer_threads": dict(run=["read=1", "decode=10,threads=2,declared=4", "write=1"], bound="stage", stage="decode", gain=2.0,
                          all=[seen("decode", 2), is_busy("decode")]),
    "fewer_threads_idle": dict(run=["read=2", "decode=4,threads=2,declared=8", "write=8"], bound="stage", stage="write",
                               all=[seen("decode", 2), says("it is blocked", lambda v, w: view(v, "decode")["state"] == "blocked")]),
    "fewer_threads_pool": dict(run=["read=0.5", "a=6,threads=2,declared=4,pool,own", "b=6,own,threads=2,declared=4", "write=0.5"],
                               bound="thread", stage={"a", "b"}, all=[is_busy("a", "b")]),
    "fewer_threads_lock": dict(run=["items=300", "read=1", "lookup=2,held=4,threads=2,declared=6", "write=1"], bound="stage", stage="lookup",
                               measure=True, all=[seen("lookup", 2), is_busy("lookup"), says("no gain may be promised", promises_nothing)]),
    "fewer_threads_branch": dict(run=["items=300", "read=1", "demux=1,fan", "video=8,threads=2,declared=3", "audio=1"], bound="stage",
                                 stage="video", all=[seen("video", 2), is_busy("video")]),
    "thread_of_two": dict(run=["items=150", "read=4,pool,own", "decode=4,own", "write=0.5"], bound="thread", stage={"read", "decode"},
                          all=[is_busy("read", "decode")]),
    "threads_leave": dict(run=["items=200", "read=1", "decode=20,threads=4,leave=3/900", "resize=8", "write=1"], bound="moving", stage=None,
                          all=[phases("resize", "decode"), is_busy("resize", "decode")]),
    "threads_come_late": dict(run=["items=300", "read=1", "decode=20,threads=4,late=3/1000", "resize=8", "write=1"], bound="moving",
                              stage=None, all=[phases("decode", "resize"), is_busy("resize", "decode")]),
    "reserved_slot": dict(run=["read=1", "decode=6,reserve", "write=1"], bound="stage", stage="decode",
                          all=[says("no time counts twice", waits_no_longer_than_they_can), is_busy("decode"),
                               says("it waits for no space", lambda v, w: view(v, "decode")["put_wait"] < 0.1)]),
    "reserved_slot_blocked": dict(run=["read=1", "decode=2,reserve", "write=6"], bound="stage", stage="write",
                                  all=[says("no time counts twice", waits_no_longer_than_they_can),
                                       says("decode is blocked", lambda v, w: view(v, "decode")["state"] == "blocked"),
                                       says("as long as it does not work", lambda v, w: 0.35 < view(v, "decode")["put_wait"] < 0.8)]),
    "switched_off": dict(run=["read=1", "decode=10,threads=2", "write=1", "off=200-600"], bound="stage", stage="decode",
                         all=[recorded(0.4, 0.8), is_busy("decode"), says("rates of recorded time", lambda v, w: 110 < v["throughput"] < 205)]),
    "switched_off_windows": dict(run=["items=300", "read=1", "decode=6,threads=2,declared=3", "write=2,outside=3", "windows=80/40"],
                                 bound="stage", stage="write", all=[recorded(0.5, 0.8), says("outside", lambda v, w: v["outside_of_tasks"])]),
    "switched_off_moves": dict(run=["items=300", "resize=6,then=2", "decode=2,then=10", "off=300-800"], bound="moving", stage=None,
                               all=[phases("resize", "decode"), is_busy("resize", "decode")]),
    "schedule_moves": dict(run=["items=400", "schedule=3,1", "resize=6,then=2", "decode=2,then=10"], bound="moving", stage=None,
                           all=[phases("resize", "decode"), recorded(0.15, 0.4)]),
}


def not_predicted(text):
    return says("it is told why nothing is predicted", lambda v, w: text in (v["what_would_help"]["not_predicted"] or "")
                and v["doubling_gain"] is None and not v["what_would_help"]["proposals"])


def ring(blocks, *stages, **truth):
    """Blocks go round, from the first stage to the last one and back by a queue."""
    return dict(dict(run=["items=150", "alone", "blocks=%d" % blocks, *stages], bound="stage", stage="decode", measure=True), **truth)


FEW = dict(bound="ring", stage=None, gain=1.1,
           all=[says("more blocks are proposed", lambda v, w: any(c.get("items") for p in v["what_would_help"]["proposals"] for c in p["changes"])),
                says("by the queue that they come back by", lambda v, w: v["before"].endswith(":free"))])
UNTOLD = not_predicted("for what is not told")

# Graphs that are no row of stages: what the first stage takes comes back from the last one, told or not; and batches that follow
# what there is.
GRAPHS = {
    "ring_1": ring(1, "read=4", "decode=12", "write=4", **FEW),
    "ring_2": ring(2, "read=4", "decode=12", "write=4", gain=1.35),
    "ring_8": ring(8, "read=4", "decode=12", "write=4", gain=2.0),
    "ring_64": ring(64, "read=4", "decode=12", "write=4", gain=2.0),
    "ring_of_a_pool": ring(3, "read=3", "decode=24,threads=4", "write=3", **FEW),
    "ring_and_source": dict(run=["items=150", "blocks=1", "read=5", "decode=6", "write=5"], bound="ring", stage=None, gain=1.1),
    "ring_and_slow_source": dict(run=["items=120", "source=12", "blocks=4", "read=1", "decode=4", "write=1"], bound="source", stage=None),
    "ring_on_one_core": ring(2, "read=1", "decode=6,cpu,threads=2", "write=1", bound="processor", cores=1, gain=1.15),
    "ring_last": ring(8, "read=2", "decode=3", "write=10", stage="write", gain=2.0),
    "slots_1": dict(run=["items=150", "alone", "slots=1", "read=4", "decode=12", "write=4"], bound={"unknown", "stage"}, stage=None, all=[UNTOLD]),
    "slots_2": dict(run=["items=150", "alone", "slots=2", "read=4", "decode=12", "write=4"], bound="stage", stage="decode", measure=True,
                    all=[UNTOLD]),
    "slots_4": dict(run=["items=150", "alone", "slots=4", "read=4", "decode=12", "write=4"], bound="stage", stage="decode", measure=True,
                    all=[UNTOLD]),
    "slots_and_source": dict(run=["items=150", "slots=2", "read=4", "decode=24,threads=2", "write=4"], bound={"unknown", "stage"}, stage=None,
                             all=[UNTOLD]),
    "batches_by_time": dict(run=["items=400", "alone", "read=2", "infer=8,gather=64/10"], bound={"stage", "unknown"}, stage=None,
                            all=[not_predicted("items a task, by what there is or by time")]),
    "batches_by_number": dict(run=["items=400", "alone", "read=2", "infer=40,gather=8/2000"], bound="stage", stage="infer", gain=2.0,
                              all=[says("they are simulated", lambda v, w: "by time" not in (v["what_would_help"]["not_predicted"] or ""))]),
}


def random_graph(seed):
    """Stages in a row between which so many blocks go round that two thirds as many as have work at once do, or three times as many."""
    draw = random.Random(1000 + seed)
    names = draw.sample("abcdefgh", draw.randint(2, 5))
    threads = [draw.choice((1, 1, 2, 3)) for _ in names]
    slowest = draw.randrange(len(names))
    step = draw.uniform(6, 9)
    each = [step if i == slowest else step * draw.uniform(0.2, 0.6) for i in range(len(names))]
    at_work = sum(ms * count for ms, count in zip(each, threads)) / step
    few = draw.random() < 0.5
    blocks = max(1, int(at_work * 2 / 3)) if few else int(at_work * 3) + 1
    run = ["items=%d" % (1200 / step), "blocks=%d" % blocks, "capacity=%d" % draw.choice((2, 8, 32))] + (["alone"] if draw.random() < 0.5 else [])
    stages = ["%s=%.2f,threads=%d" % (name, ms * count, count) for name, ms, count in zip(names, each, threads)]
    if few and blocks < 0.85 * at_work:
        return dict(run=run + stages, bound="ring", stage=None, gain=1.1)
    return dict(run=run + stages, bound={"stage", "ring"} if few else "stage", stage=None if few else names[slowest])


GRAPHS.update({"graph_%d" % seed: random_graph(seed) for seed in range(6)})


def random_case(seed):
    """Three to six sleeping stages in a row, or around a fan, with one that takes half as long again as any other, for its threads."""
    draw = random.Random(seed)
    names = draw.sample("abcdefgh", draw.randint(3, 6))
    threads = [draw.choice((1, 1, 2, 4)) for _ in names]
    slowest = draw.randrange(len(names))
    step = draw.uniform(5, 9)
    each = [step if i == slowest else step * draw.uniform(0.1, 0.65) for i in range(len(names))]
    fans = len(names) - 3 if len(names) > 3 and draw.random() < 0.3 else None
    options = ["capacity=%d" % draw.choice((2, 8, 32)), "items=%d" % (1500 / step)]
    stages = ["%s=%.2f,threads=%d%s" % (name, ms * count, count, ",fan" if i == fans else "")
              for i, (name, ms, count) in enumerate(zip(names, each, threads))]
    second = max(ms for i, ms in enumerate(each) if i != slowest)
    limit = draw.random()
    if limit < 0.15:
        return dict(run=options + ["source=%.2f" % (2 * step)] + stages, bound="source", stage=None)
    if limit < 0.3 and fans is None:
        return dict(run=options + ["sink=%.2f" % (2 * step)] + stages, bound="sink", stage=None)
    return dict(run=options + stages, bound="stage", stage=names[slowest], gain=1.25 * step / second)


RANDOM = {"random_%d" % seed: random_case(seed) for seed in range(20)}
