"""Parts that time callsig's own calls in a program of each of some kinds: the programs are built, run in turns, and what they printed
becomes rows."""

import argparse
import json
import sys

import tools
from runner import Folder, NotRun, interleave, run


def fastest(command, environment):
    """One run of a program that prints {figure: ns of each repetition}: {figure: ns of the fastest}."""
    with Folder() as folder:
        printed = run(command(folder), environment(folder), cwd=folder)
        return {figure: min(ns) for figure, ns in json.loads(printed).items()}


def main(doc, part, kinds, build, subjects_of, measure, rows_of):
    """The command line of a part. `build(callsig, kind)` makes a program or raises NotRun; `subjects_of(kind)` are what `measure(callsig, program,
    subject)` is called for in turns; `rows_of(runs)` makes rows of what that gave, by subject. A row has its kind by the
    name that `kinds` begins with, a pair of that and the kinds."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    callsig = tools.Callsig(options.build)
    key, names = kinds
    programs, reasons = {}, {}
    for kind in names:
        try:
            programs[kind] = build(callsig, kind)
        except NotRun as reason:
            reasons[kind] = str(reason)
    subjects = [(kind, subject) for kind in programs for subject in subjects_of(kind)]
    runs, failed = interleave(options.rounds, subjects, lambda one: measure(callsig, programs[one[0]], *one),
                              lambda line: print(f"{part}: {line}", file=sys.stderr, flush=True))
    rows = []
    for kind in names:
        found = {subject: runs.get((kind, subject)) for subject in subjects_of(kind)}
        if all(found.values()):
            rows += [{key: kind, **row} for row in rows_of(found)]
        else:
            why = [failed[kind, subject] for subject in found if (kind, subject) in failed]
            rows.append({key: kind, "not_run": reasons.get(kind) or (why[0] if why else "no run ended")})
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"rounds": options.rounds, "rows": rows}, file, indent=1)
        file.write("\n")
