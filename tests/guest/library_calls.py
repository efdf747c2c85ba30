"""Cases of library calls: what is asked the allocator for, and calls that do not come back."""

from harness import Failure, Guest

ALLOC = {"CALLSIG_ALLOC": "1", "LD_BIND_NOW": "1"}
EVERY_CALL = {"CALLSIG_LIBRARY_CALLS": "*", "LD_BIND_NOW": "1"}
FLAGS = ("-fno-builtin", "-pthread")


def expect_asked(tools, result):
    """Blocks, bytes and bytes that are not freed are those that the program tells, and nothing was asked for in vain."""
    if not tools.command:
        return
    report = tools.report(result.recording, "function")
    found = {}
    for row in report["rows"]:
        if row["allocs"]:
            old = found.get(row["function"], (0, 0, 0))
            found[row["function"]] = tuple(a + b for a, b in zip(old, (row["allocs"], row["allocbytes"], row["unfreed"])))
    told = {}
    for line in result.output.splitlines():
        word, name, *numbers = line.split()
        if word == "asked":
            told[name] = tuple(map(int, numbers))
    if not told or {name: found.get(name) for name in told} != told:
        raise Failure(f"asked for: {found}, the program says {told}")
    lost = [note for note in report["notes"] if "blocks were asked for by calls that could not be recorded" in note]
    if lost:
        raise Failure(f"{lost}")


def check(tools, guest, arguments=()):
    plain = guest.run_plain(arguments)
    result = guest.run_profiled(arguments, settings=ALLOC)
    tools.compare(plain, result)
    expect_asked(tools, result)


def alloc_threads(tools, compiler, level):
    """Threads give each other's blocks back while counting begins again and again: what is asked for after that is exact."""
    check(tools, Guest(tools, "alloc_threads.c", compiler, level, flags=FLAGS))


def alloc_children(tools, compiler, level):
    """A block that a child of vfork() asks for is the parent's; what a child of fork() gives back is not."""
    check(tools, Guest(tools, "alloc_children.c", compiler, level, flags=FLAGS))


def alloc_modules(tools, compiler, level):
    """What a module asks for while others are being unloaded is in the row that asks."""
    guest = Guest(tools, "alloc_modules.c", compiler, level, flags=FLAGS)
    modules = [Guest(tools, "alloc_modules.c", compiler, level, flags=("-DLIBRARY", "-shared", "-fPIC", *FLAGS), name=f"-library{i}").path
               for i in range(2)]
    check(tools, guest, modules)


def library_jumps(tools, compiler, level):
    """Calls of libraries that are left by longjmp(), from a handler too, by the thread's end, and by coroutines."""
    guest = Guest(tools, "library_jumps.c", compiler, level, flags=FLAGS)
    plain = guest.run_plain([])
    result = guest.run_profiled([], settings=EVERY_CALL)
    tools.compare(plain, result)
    tools.expect_counts(result.recording, result.told("count"), exact=True)


CASES = {"alloc_threads": alloc_threads, "alloc_children": alloc_children, "alloc_modules": alloc_modules, "library_jumps": library_jumps}
BUILDS = dict.fromkeys(CASES, [("gcc", "-O2"), ("gcc-sleds", "-O0"), ("clang-sleds", "-O0")])
