"""What the scripts that count instructions share: callgrind's count of a program's main(), what one round takes, and files of bounds."""

import os
import re
import shutil

from runner import run


def valgrind_is_missing(script):
    """Says so; the script then exits with status 77."""
    if shutil.which("valgrind") is not None:
        return False
    print(f"{script}: valgrind is not installed")
    return True


def instructions(command, environment, folder, before=(), collect="main"):
    """What callgrind counts of a command, within one function and all that it calls: what threads and constructors do is none of it.
    Without that function, all of it. `before` starts valgrind."""
    out = os.path.join(folder, "callgrind.out")
    run([*before, "valgrind", "--tool=callgrind", *([f"--toggle-collect={collect}"] if collect else []), f"--callgrind-out-file={out}", *command],
        environment, folder)
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE).group(1))


def per_round(count, few, many):
    """What a round takes: those of many rounds less those of few. `count` is a function of the number of rounds."""
    return (count(many) - count(few)) / (many - few)


def read_bounds(path, *allowed):
    """The bounds of a file, by the words before them, which are one of each list of `allowed`; without a path none. By the word itself
    where there is one list."""
    bounds = {}
    if path is None:
        return bounds
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            *words, bound = line.split("#", 1)[0].split() or [None]
            if bound is None:
                continue
            if len(words) != len(allowed) or any(word not in known for word, known in zip(words, allowed)):
                raise SystemExit(f"{path}:{number}: want {' '.join('WORD' for _ in allowed)} INSTRUCTIONS, the words as the script's own tables have them")
            bounds[words[0] if len(words) == 1 else tuple(words)] = float(bound)
    return bounds


def verdict(count, bound):
    """What stands behind a count, and whether it is above its bound (None: it has none)."""
    if bound is None:
        return "", False
    return f"  bound {bound:.1f}" + ("  ABOVE" if count > bound else ""), count > bound


def tell(counts, bounds, beside=lambda kind, count: ""):
    """Prints a line for each kind that was counted, with what `beside` says of it. The exit status: 1 where one is above its bound."""
    status = 0
    for kind, count in counts.items():
        said, is_above = verdict(count, bounds.get(kind))
        status |= is_above
        print(f"{kind:8} {count:7.1f}{beside(kind, count)}{said}")
    return int(status)
