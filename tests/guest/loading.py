"""Cases of what the dynamic loader does before the program begins."""

from harness import Guest


def early_library(tools, compiler, level):
    """What a library's constructor calls is recorded, though libraries that do not need the runtime's may come before it."""
    library = Guest(tools, "early_library.c", compiler, level, flags=("-DLIBRARY", "-shared", "-fPIC"), name="-library")
    guest = Guest(tools, "early_library.c", compiler, level, libraries=[library.path])
    for mode in tools.modes:
        result = guest.run_profiled([], mode)
        tools.expect_counts(result.recording, result.told("count"), exact=True)


CASES = {"early_library": early_library}
BUILDS = {"early_library": [("gcc", "-O2"), ("gcc-sleds", "-O0"), ("clang-sleds", "-O0")]}
