"""Sleds are where they belong and nowhere else: what the compilers list is held against what objdump shows.

Each program prints what it does, and has to print what it prints without sleds.
"""

# ctest: case .gcc quick gcc --quick
# ctest: case .gcc_all full gcc
# ctest: case .gcc_11 full gcc-11
# ctest: case .clang quick clang --quick
# ctest: case .clang_all full clang
# ctest: case .clang_16 full clang-16
# ctest: case .clang_19 full clang-19
# ctest: skips

import os
import re
import shutil
import subprocess
import sys
import tempfile

import program
from program import ENTER, EXIT, FREE, LEAF, LOOP, SPARE, TAIL

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("CALLSIG_BUILD", os.path.join(HERE, "..", "..", "build")))
CALLSIG_CC = os.path.join(BUILD, "cli", "callsig-cc")
NOP5 = bytes.fromhex("0f1f440000")
RETURN6 = bytes.fromhex("c30f1f4000c3")
CXX = {"gcc": "g++", "clang": "clang++"}

# What is compiled and linked with which options; the first are what --quick takes.
VARIANTS = [
    ("-O2",),
    ("-O0",),
    ("-O3", "-flto"),
    ("-O2", "-fPIC", "-fcf-protection"),
    ("-Os", "-ffunction-sections", "-Wl,--gc-sections"),
    ("-O2", "-static"),
    ("-O2", "-mcmodel=large", "-fno-pie", "-no-pie"),
    ("-O2", "-g0", "-masm=intel"),
    ("-O2", "-mfunction-return=thunk", "-mindirect-branch=thunk", "-fcf-protection=none"),
    ("-O1", "-mharden-sls=return"),
]
QUICK = 1
# What may have none: thunks, which gcc writes as text where they are not optimized, and in clang the wrappers of thread-local
# variables, which it makes without its attributes.
MAY_LACK = {True: r"excluded$|_ZThn|_ZTv0", False: r"_ZTW|_ZThn|_ZTv0"}
GCC_ONLY = ("-mindirect-branch=thunk", "-masm=intel", "-mharden-sls=return")


def cxx_of(compiler):
    name, _, version = compiler.partition("-")
    return CXX[name] + (f"-{version}" if version else "")


def run(*command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def plugin_of(compiler):
    """The plug-in that the build has made for a gcc, or None."""
    if not shutil.which(compiler) or not shutil.which(cxx_of(compiler)):
        return None
    path = os.path.join(BUILD, "instrument", "gcc-" + run(compiler, "-dumpversion").strip().split(".")[0], "callsig_sleds.so")
    return path if os.path.exists(path) else None


def compile_both(compiler, source, flags, path):
    """The program with sleds, and the plain one; both print the same."""
    run(CALLSIG_CC, *flags, "-w", source, "-o", path, env={**os.environ, "CALLSIG_CC": compiler})
    run(compiler, "-g", *flags, "-w", source, "-o", path + ".plain")
    expected = run(path + ".plain")
    assert run(path) == expected, f"{source} {flags}: it prints something else with sleds"


def check_entry(made, function, sleds):
    """Exactly one entry, and it is the first instruction."""
    entries = [sled for sled in sleds if sled.kind == ENTER]
    assert len(entries) == 1, f"{function.name}: {len(entries)} entries"
    assert entries[0].address == made.entry_of(function), f"{function.name}: {entries[0].address:#x} is not its first instruction"
    # A loop whose head is the function's first instruction goes round behind the entry.
    for instruction in function.code:
        if instruction.name.startswith("j") and re.match(r"[0-9a-f]+$", instruction.operands):
            inside = function.address <= int(instruction.operands, 16) <= entries[0].address
            assert not inside or instruction.address in made.after_tails, f"{function.name}: its entry is in a loop"
    for sled in sleds:
        expected = entries[0].address if made.section == program.GCC else function.address
        assert sled.function == expected, f"{function.name}: an entry names {sled.function:#x} as its function"


def check_exits(made, function):
    """A sled of the right kind is each return, or stands right before it and before each jump to another function."""
    for part in made.parts_of(function):
        before = None
        for instruction in part.code:
            kind = made.leaves(part, instruction)
            is_sled = kind == EXIT and any(made.kinds.get(at) == EXIT and made.bytes_at(at, 6) == RETURN6
                                           for at in (instruction.address, instruction.address - 5))
            # In a function that is one asm of returns nothing has been put.
            if kind is not None and not is_sled and not (before and made.kinds.get(before.address) == kind):
                raise AssertionError(f"{part.name}: no sled of kind {kind} before {instruction.address:#x}: {instruction.name}")
            before = instruction


def check_facts(function, sleds):
    """Leaf, and about as many instructions as objdump counts."""
    names = [instruction.name for instruction in function.code]
    calls = "call" in names or any(sled.kind == TAIL for sled in sleds)
    if calls:
        assert not any(sled.flags & LEAF for sled in sleds), f"{function.name}: calls, and is listed as a leaf"
    assert len({(sled.flags, sled.instructions) for sled in sleds}) == 1, f"{function.name}: its sleds disagree"
    assert sleds[0].instructions > 0, function.name


def lines_of(path):
    """The addresses at which a line of the source begins."""
    return {int(address, 16) for address in re.findall(r" (0x[0-9a-f]+) ", run("readelf", "--debug-dump=decodedline", path))}


def check_gcc_program(path, excluded=(), lineless=()):
    made = program.Program(path)
    lines = lines_of(path)
    assert made.section == program.GCC, f"{path}: no section of sleds"
    assert {sled.version for sled in made.sleds} == {2}
    assert len(made.kinds) == len(made.sleds), "two entries name the same sled"
    for sled in made.sleds:
        is_whole = made.bytes_at(sled.address, 5) == NOP5 or sled.kind == EXIT and made.bytes_at(sled.address, 6) == RETURN6
        assert is_whole and sled.address % 8 <= 3, f"{sled.address:#x}: no sled in one word"
    placed = set()
    for function in made.own():
        sleds = made.sleds_in(function)
        if function.name in excluded:
            assert not sleds, f"{function.name} has sleds and is excluded"
        elif sleds:
            check_entry(made, function, sleds)
            check_exits(made, function)
            check_facts(function, sleds)
            assert not lines or function.address in lines or function.name.startswith(lineless), f"{function.name}: what lies before its sled has another line"
        placed.update(sleds)
    lost = {getattr(made.function_at(sled.address), "name", hex(sled.address)) for sled in set(made.sleds) - placed}
    assert not lost, f"sleds that are in no function of the program: {lost}"
    return made


def has_no_sleds(made, pattern):
    return [function.name for function in made.own() if not made.sleds_in(function) and not re.match(pattern, function.name)]


# Of a static program the C library's functions are none of ours.
def is_static(flags):
    return "-static" in flags


def check_shapes(compiler, variants, folder):
    """All shapes of functions, with these options."""
    for source, make, extra in (("shapes.c", compiler, ()), ("shapes.cc", cxx_of(compiler), ("-std=c++20",))):
        for flags in variants:
            is_gcc = compiler.startswith("gcc")
            if not is_gcc and any(flag in GCC_ONLY for flag in flags) or is_static(flags) and source == "shapes.cc":
                continue
            path = os.path.join(folder, "shapes")
            compile_both(make, os.path.join(HERE, source), (*extra, *flags), path)
            if is_gcc:
                # gcc 11 begins the line of a virtual function's thunk behind its endbr64, with sleds as without.
                made = check_gcc_program(path, excluded=("excluded",), lineless=("_ZT",) if compiler == "gcc-11" else ())
            else:
                made = check_clang_program(path)
            if not is_static(flags):
                missing = has_no_sleds(made, MAY_LACK[is_gcc])
                assert not missing, f"{source} {flags}: without sleds: {missing}"
            if source == "shapes.c" and flags == ("-O2",) and is_gcc:
                check_flags_of_c(made)


def check_flags_of_c(made):
    """What is known of single functions of shapes.c."""
    facts = {name: made.sleds_in(made.function_named(name)) for name in
             ("forever", "targeted", "exported", "nothing", "fibonacci", "tail_by_pointer", "tail", "partial", "leaps", "fatal")}
    loops = {name for name, sleds in facts.items() if sleds[0].flags & LOOP}
    leaves = {name for name, sleds in facts.items() if sleds[0].flags & LEAF}
    assert {"forever", "targeted"} <= loops and not loops & {"exported", "nothing", "tail"}, loops
    assert {"forever", "targeted", "exported", "nothing"} == leaves, leaves
    bound = {function.name.partition(".")[0] for function in made.own()
             if any(not sled.flags & FREE for sled in made.sleds_in(function))}
    assert bound == {"sums", "sumd", "add", "passes_on"}, f"a variadic or nested function's registers are free, or others' are not: {bound}"
    passed = {function.name.partition(".")[0] for function in made.own()
              if any(not sled.flags & SPARE for sled in made.sleds_in(function))}
    assert passed == bound | {"fifth_by_result", "fifth_by_pair", "sixth"}, f"r8 and r9 are spare, or not: {passed}"
    kinds = {name: {sled.kind for sled in sleds} for name, sleds in facts.items()}
    assert kinds["tail_by_pointer"] == {ENTER, TAIL} and kinds["exported"] == {ENTER, EXIT}, kinds
    exits = [sled.address for sleds in facts.values() for sled in sleds if sled.kind == EXIT]
    assert exits and all(made.bytes_at(address, 6) == RETURN6 for address in exits), "a return that is no sled"
    assert kinds["leaps"] == {ENTER} and kinds["fatal"] == {ENTER}, "an exit of what does not return"


def check_clang_program(path):
    """clang's sleds have the two shapes that are known, and an entry for each function, at its first instruction."""
    made = program.Program(path)
    assert made.section == program.XRAY, f"{path}: no section of sleds"
    assert {sled.version for sled in made.sleds} == {2}
    for sled in made.sleds:
        code = made.by_address[sled.address].bytes
        assert sled.address % 2 == 0 and code == (b"\xc3" if sled.kind == EXIT else b"\xeb\x09"), f"{sled.address:#x}: {code.hex()}"
    for function in made.own():
        sleds = made.sleds_in(function)
        if sleds:
            check_entry(made, function, sleds)
    assert "__xray_init" not in program.output_of("nm", path), "XRay's runtime is linked"
    return made


def main():
    compiler = sys.argv[1]
    if not shutil.which(compiler) or not shutil.which(cxx_of(compiler)):
        print(f"skipped: there is no {compiler}")
        return 77
    if compiler.startswith("gcc") and not plugin_of(compiler):
        print(f"skipped: no plug-in has been built for {compiler}")
        return 77
    with tempfile.TemporaryDirectory(prefix="callsig-sleds-") as folder:
        check_shapes(compiler, VARIANTS[:QUICK] if "--quick" in sys.argv[2:] else VARIANTS, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
