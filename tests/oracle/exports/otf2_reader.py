"""An OTF2 archive as otf2-print and otf2-marker read it: plain numbers."""

import collections
import re
import subprocess

QUOTED = r'"(.*?)" <(\d+)>'  # otf2-print escapes no quotes


def run(*command):
    """A reader that has something to complain of fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode or done.stderr:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.decode(errors='replace').strip()[:500]}")
    return done.stdout.decode()


def definitions(anchor):
    """({region's number: name}, {calling context: path of names, outermost first}, {location: (name, events)})."""
    regions, contexts, locations = {}, {}, {}
    for line in run("otf2-print", "-G", anchor).splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "REGION":
            number, name = re.match(rf" *(\d+) +Name: {QUOTED}", rest).group(1, 2)
            regions[int(number)] = name
        elif kind == "CALLING_CONTEXT":
            number, name, parent = re.match(rf' *(\d+) +Region: {QUOTED}.*Parent: (.*)$', rest).group(1, 2, 4)
            above = re.search(r"<(\d+)>$", parent)
            contexts[int(number)] = (*(contexts[int(above[1])] if above else ()), name)
        elif kind == "LOCATION":
            number, name, events = re.match(rf" *(\d+) +Name: {QUOTED}.*# Events: (\d+)", rest).group(1, 2, 4)
            locations[int(number)] = (name, int(events))
    return regions, contexts, locations


def events(anchor):
    """(enters, profile, levels, events by location, disorder): how often each region was entered, nested as they were left, with
    the time in it; calls and own time of each calling context; values of metrics; and the number of leaves that were of another region."""
    entered, profile, levels, count = collections.Counter(), {}, collections.Counter(), collections.Counter()
    spent, stacks, last, disorder, values = collections.Counter(), collections.defaultdict(list), {}, 0, None
    for line in run("otf2-print", anchor).splitlines():
        found = re.match(r"([A-Z_]+) +(\d+) +(\d+) +(.*)$", line)
        if not found:
            continue
        kind, location, time, rest = found[1], int(found[2]), int(found[3]), found[4]
        count[location] += 1
        assert last.get(location, 0) <= time, line
        last[location] = time
        if kind == "ENTER":
            stacks[location].append((re.search(rf"Region: {QUOTED}", rest)[1], time))
        elif kind == "LEAVE":
            name, start = stacks[location].pop()
            disorder += name != re.search(rf"Region: {QUOTED}", rest)[1]
            entered[name] += 1
            spent[name] += time - start
        elif kind == "METRIC":
            values = re.findall(r'\("(.*?)" <\d+>; \w+; ([^)]*)\)', rest)
            levels.update(name for name, _ in values)
        elif kind == "CALLING_CONTEXT_SAMPLE":
            context = int(re.search(rf"Calling Context: {QUOTED}", rest)[2])
            assert [name for name, _ in values] == ["calls", "time"], line
            assert context not in profile, line
            profile[context] = tuple(int(value) for _, value in values)
    return entered, spent, profile, levels, count, disorder + sum(map(len, stacks.values()))


def markers(anchor):
    """{(category, text): how often}. Markers follow the definition that they are of."""
    found, category = collections.Counter(), None
    for line in run("otf2-marker", anchor).splitlines():
        if line.startswith("MARKER_DEF"):
            category = re.search(r'Category: "(\w+)"', line)[1]
        elif line.startswith("MARKER "):
            found[category, re.search(r'Text: "(.*)"$', line)[1]] += 1
    return found
