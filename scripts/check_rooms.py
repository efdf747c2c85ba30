#!/usr/bin/env python3
"""Holds the tree against the order of its rooms, which the CMakeLists.txt state with callsig_room() (cmake/rooms.cmake).

    scripts/check_rooms.py [--top FOLDER] BUILD [--draw]

BUILD is a build folder of the tree at FOLDER (without it: the tree that this script is part of) with everything compiled. A
finding is one line, and the exit status 1:

  - an include or a call (or any other use of a global name) of a room that the user's room may not use;
  - files that call each other in a circle, rooms that use each other in a circle, headers that include each other in a circle;
  - a quoted include that is not written from the top of the tree; a file of the tree that is included by <>; a public header that
    includes one that is not;
  - a source that lies in a room and is in no list; a file of a library that lies in no room; what a compiler makes, among the sources;
  - a folder with more than 30 C files, a file over 500 lines, a function over 80 lines, a source whose first line is no comment.

What is read: the direct includes of every file, the dependency files that the compiler wrote (so that nothing comes in by a way
that the text does not show), and the symbols of the objects. --draw prints the rooms as a Mermaid diagram instead, as
docs/architecture.md has it.
"""

import argparse
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys

MADE = re.compile(r"\.(o|a|so|dwo|gcda|gcno)$")
FILES_IN_A_FOLDER, LINES_IN_A_FILE, LINES_IN_A_FUNCTION = 30, 500, 80
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
SEARCHED = re.compile(r"^[ \t]*#[ \t]*include[ \t]+<([^>]+)>", re.MULTILINE)
PUBLIC = "include/callsig"
PUBLIC_NAME = "callsig_"  # what the libraries give to programs, of which the command is one
# What one library uses of another by its public name: libcallsig-stats takes a snapshot of the runtime that it finds in its process.
PUBLIC_USES = {("output", "callsig_path")}
# What the profiler defines in place of the C library: whoever else uses one of them means the C library's.
STAND_INS = {"chroot", "dlclose", "fork", "makecontext", "pthread_sigmask", "setcontext", "seteuid", "setresuid", "setreuid", "setuid", "sigaction", "signal",
             "sigprocmask", "swapcontext"}


class Rooms:
    """The rooms, and for each the rooms that it may use, directly or through others."""

    def __init__(self, path):
        self.uses = {}
        for line in path.read_text().splitlines():
            room, _, uses = line.partition(":")
            if room in self.uses:
                sys.exit(f"check_rooms.py: room {room} is stated twice")
            self.uses[room] = uses.split()
        for room, uses in self.uses.items():
            for used in uses:
                if used not in self.uses:
                    sys.exit(f"check_rooms.py: room {room} uses {used}, which is no room")

    def of(self, file):
        """The room that a file lies in, or None: the longest that its folder begins with."""
        folder = pathlib.PurePath(file).parent
        for place in [folder, *folder.parents]:
            if str(place) in self.uses:
                return str(place)
        return None

    def reachable(self, room):
        """All that a room may use."""
        seen, todo = set(), [room]
        while todo:
            for used in self.uses[todo.pop()]:
                if used not in seen:
                    seen.add(used)
                    todo.append(used)
        return seen

    def draw(self):
        """A Mermaid diagram: a box a library, an arrow from a room to each that it names."""
        lines = ["graph BT"]
        libraries = collections.defaultdict(list)
        for room in self.uses:
            libraries[room.split("/")[0]].append(room)
        for library, rooms in libraries.items():
            if rooms == [library]:
                lines.append(f"  {library}")
                continue
            lines.append(f"  subgraph {library}/")
            for room in rooms:
                lines.append(f'    {node(room)}["{room.partition("/")[2] or room}"]')
            lines.append("  end")
        for room, uses in self.uses.items():
            lines += [f"  {node(room)} --> {node(used)}" for used in uses]
        return "\n".join(lines)


def node(room):
    return room.replace("/", "_")


def circles(graph):
    """The strongly connected components of more than one node (Tarjan, 1972; without recursion), each in order."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            at, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(sorted(graph.get(successor, ())))))
                    break
                if successor in on_stack:
                    low[at] = min(low[at], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    component = []
                    while not component or component[-1] != at:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    if len(component) > 1:
                        found.append(sorted(component))
    return found


class Check:
    """What is found in the tree at `top`, compiled in the folder `build`."""

    def __init__(self, top, build):
        self.top = top
        self.build = build
        self.rooms = Rooms(build / "rooms.txt")
        self.findings = []
        self.allowed = {room: {room} | self.rooms.reachable(room) for room in self.rooms.uses}
        self.files = [file for file in self.sources() if re.search(r"\.(c|h|S|cc|cpp)$", file) and (top / file).exists()]
        self.inside = {file: self.rooms.of(file) for file in self.files if self.rooms.of(file)}

    def sources(self):
        """Every file of the tree: what git knows or would add, or all that lies there where it is no working copy."""
        if not (self.top / ".git").exists():
            return [str(path.relative_to(self.top)) for path in self.top.rglob("*") if path.is_file()]
        return subprocess.run(["git", "-C", self.top, "ls-files", "--cached", "--others", "--exclude-standard"], check=True,
                              capture_output=True, text=True).stdout.splitlines()

    def find(self, text):
        self.findings.append(text)

    def may(self, user, used, how):
        """Notes it when the file `user` uses `used` against the order."""
        ours, theirs = self.inside.get(user), self.inside.get(used)
        if ours and theirs and theirs not in self.allowed[ours]:
            self.find(f"{user}: {how} {used}, but {ours}/ may not use {theirs}/")

    def includes(self):
        """Direct includes: written from the top (public headers from include/), in order, in no circle."""
        graph = collections.defaultdict(set)
        for file in self.inside:
            for name in INCLUDE.findall((self.top / file).read_text(errors="replace")):
                target = next((str(path) for path in (pathlib.PurePath(name), pathlib.PurePath("include") / name)
                               if (self.top / path).is_file()), None)
                if target is None and (self.top / file).with_name(name).is_file():
                    self.find(f'{file}: includes "{name}", which is not written from the top of the tree')
                elif target is not None:
                    graph[file].add(target)
                    self.may(file, target, "includes")
                elif name not in {path.name for path in self.build.rglob("*.h")}:
                    self.find(f'{file}: includes "{name}", which is neither in the tree nor made by the build')
            for name in SEARCHED.findall((self.top / file).read_text(errors="replace")):
                if name in self.inside:
                    self.find(f"{file}: includes <{name}>, a file of the tree, as if it were the system's")
        for file in self.files:
            if file.startswith(PUBLIC):
                graph[file] |= {f"include/{name}" for name in INCLUDE.findall((self.top / file).read_text())}
                for used in graph[file]:
                    if not used.startswith(PUBLIC):
                        self.find(f"{file}: is installed, and includes {used.removeprefix('include/')}, which is not")
        for circle in circles(graph):
            self.find("headers include each other: " + ", ".join(circle))

    def dependencies(self):
        """What the compiler read for each object, so that no folder comes in by another way."""
        seen = 0
        for command in self.commands:
            listing = self.object_of(command).with_suffix(".o.d")
            source = self.relative(command["file"])
            if source not in self.inside or not listing.exists():
                continue
            seen += 1
            for word in listing.read_text().replace("\\\n", " ").split():
                used = self.relative(word.rstrip(":"), command["directory"])
                if used in self.inside:
                    self.may(source, used, "is compiled with")
        if seen == 0:
            sys.exit(f"check_rooms.py: {self.build} holds no dependency files of compiled sources; build it with Makefiles first")

    def relative(self, path, folder="."):
        try:
            return str((pathlib.Path(folder) / path).resolve().relative_to(self.top))
        except ValueError:
            return None

    def object_of(self, command):
        words = shlex.split(command["command"])
        return pathlib.Path(command["directory"]) / words[words.index("-o") + 1]

    def symbols(self):
        """Global names: who defines them, who uses them. Objects of one target see each other, and those of libraries below."""
        defined, used = collections.defaultdict(set), collections.defaultdict(set)
        compiled = {}
        for command in self.commands:
            source, made = self.relative(command["file"]), self.object_of(command)
            if source in self.inside and made.exists() and not made.relative_to(self.build).parts[0] == "tests":
                compiled[str(made)] = source
        listing = subprocess.run(["nm", "-A", "-P", *compiled], check=True, capture_output=True, text=True).stdout if compiled else ""
        for line in listing.splitlines():
            made, _, symbol = line.partition(": ")
            name, kind = symbol.split()[:2]
            if kind in "Uwv":
                used[compiled[made]].add(name)
            elif kind.isupper():
                defined[name].add(compiled[made])
        elsewhere = self.build / "elsewhere.txt"
        others = elsewhere.read_text().split("\n") if elsewhere.is_file() else []
        for file in self.inside:
            if file in others:
                continue
            if file.endswith((".c", ".S")) and file not in compiled.values() and not file.startswith(("profiler/gstreamer/", "profiler/mpi/")):
                self.find(f"{file}: lies in room {self.inside[file]} and was not compiled: is it in the list of its CMakeLists.txt?")
        graph = collections.defaultdict(set)
        for source, names in used.items():
            graph[source] |= set()
            for name in sorted(names):
                for target in defined.get(name, ()):
                    if target == source or (name in STAND_INS and not source.startswith("profiler/")):
                        continue
                    if source.split("/")[0] == "profiler" and target.split("/")[0] not in ("profiler", "format"):
                        self.find(f"{source}: uses {name} of {target}, but the profiler depends on libc and pthreads alone")
                    graph[source].add(target)
                    if (source.split("/")[0], name) in PUBLIC_USES or (source.startswith("cli/") and name.startswith(PUBLIC_NAME)):
                        continue
                    self.may(source, target, f"uses {name} of")
        for circle in circles(graph):
            self.find("files call each other: " + ", ".join(circle))
        for circle in circles({room: set(uses) for room, uses in self.rooms.uses.items()}):
            self.find("rooms use each other: " + ", ".join(circle))

    def sizes(self):
        folders = collections.Counter(str(pathlib.PurePath(file).parent) for file in self.files if not file.endswith(".h"))
        for folder, count in sorted(folders.items()):
            if count > FILES_IN_A_FOLDER:
                self.find(f"{folder}/: {count} C files, more than {FILES_IN_A_FOLDER}")
        for file in self.files:
            lines = (self.top / file).read_text(errors="replace").splitlines()
            if len(lines) > LINES_IN_A_FILE:
                self.find(f"{file}: {len(lines)} lines, more than {LINES_IN_A_FILE}")
            if not lines or not lines[0].startswith(("/*", "//", "#!")):
                self.find(f"{file}: its first line is no comment that says what the file is for")
            start = None
            for number, line in enumerate(lines, 1):
                if line == "{":
                    start = number
                elif line.startswith("}") and start is not None:
                    if number - start - 1 > LINES_IN_A_FUNCTION:
                        self.find(f"{file}:{start}: a function of {number - start - 1} lines, more than {LINES_IN_A_FUNCTION}")
                    start = None

    def strays(self):
        """Files beside the rooms of a library, which nothing would be said of, and what a compiler left."""
        libraries = {room.split("/")[0] for room in self.rooms.uses}
        for file in self.sources():
            if MADE.search(file) and (self.top / file).exists():
                self.find(f"{file}: is made by a compiler, and no source")
        for file in self.files:
            if file.split("/")[0] in libraries and file not in self.inside:
                self.find(f"{file}: lies in no room; give it to one, or state its folder with callsig_room()")

    def run(self):
        self.commands = json.loads((self.build / "compile_commands.json").read_text())
        self.strays()
        self.includes()
        self.dependencies()
        self.symbols()
        self.sizes()
        return sorted(set(self.findings))


def main():
    parser = argparse.ArgumentParser(description="Holds the tree against the order of its rooms.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--top", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent, help="the tree that is checked")
    parser.add_argument("--draw", action="store_true", help="print the rooms as a Mermaid diagram")
    options = parser.parse_args()
    if not (options.build / "rooms.txt").is_file():
        sys.exit(f"check_rooms.py: {options.build}/rooms.txt is missing; configure the build folder first")
    if options.draw:
        print(Rooms(options.build / "rooms.txt").draw())
        return 0
    findings = Check(options.top.resolve(), options.build.resolve()).run()
    for finding in findings:
        print(finding)
    if findings:
        print(f"check_rooms.py: {len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
