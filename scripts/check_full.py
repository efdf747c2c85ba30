#!/usr/bin/env python3
"""Runs every test, and goes on where an earlier run of the same commit was interrupted.

    check_full.py BUILD CTEST ARGUMENT...

CTEST and its arguments are the command that runs them. BUILD/check-full has what is known: `of`, the commit and what differs from it;
`results`, a line for each test that has ended: its name, outcome and seconds; and `log`, all that ctest wrote. Another commit begins anew, as
does one whose tests have all ended. The last lines are the summary of all parts. Exit status 0: no test failed.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ENDED = re.compile(r"^ *\d+/\d+ +Test +#\d+: (\S+) \.*(?: +|\*\*\*)(.*?) +([0-9.]+) sec")
PASSED, SKIPPED = "Passed", "Skipped"


def tree():
    """What is tested: the commit, and a digest of what was changed since and of what git does not know."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE).stdout

    changed = git("diff", "HEAD", "--binary")
    for path in sorted(git("ls-files", "--others", "--exclude-standard", "-z").split(b"\0")):
        changed += path + Path(path.decode()).read_bytes() if path else b""
    commit = git("rev-parse", "HEAD").decode().strip()
    return f"{commit} and {hashlib.sha256(changed).hexdigest()[:16]}" if changed else commit


class Run:
    """The parts of one run."""

    def __init__(self, build, ctest):
        self.ctest, self.folder = ctest, Path(build) / "check-full"
        self.results, self.log, self.of = (self.folder / name for name in ("results", "log", "of"))
        listed = subprocess.run([*ctest, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE).stdout
        self.numbers = {test["name"]: number for number, test in enumerate(json.loads(listed)["tests"], 1)}

    def known(self):
        """{name: (outcome, seconds)}; the last line of a test counts, and one that was cut off as it was written does not."""
        lines = self.results.read_text().split("\n")[:-1] if self.results.exists() else []
        found = (line.split("\t") for line in lines)
        return {name: (outcome, float(seconds)) for name, outcome, seconds in found if name in self.numbers}

    def begin(self):
        """The numbers of the tests that are left."""
        self.folder.mkdir(exist_ok=True)
        now = tree()
        before = self.of.read_text() if self.of.exists() else None
        known = self.known() if before == now else {}
        if len(known) == len(self.numbers):
            known = {}
        self.results.write_text("".join(f"{name}\t{outcome}\t{seconds}\n" for name, (outcome, seconds) in known.items()))
        if not known:
            self.log.write_text("")
            self.of.write_text(now)
        else:
            print(f"goes on with {now}: {len(known)} of {len(self.numbers)} tests have ended", flush=True)
        return [number for name, number in self.numbers.items() if name not in known]

    def part(self, left):
        """Runs these tests. What each came to is noted as it ends."""
        chosen = self.folder / "left"
        chosen.write_text("0,0,0," + ",".join(map(str, left)) + "\n")
        with open(self.log, "a", encoding="utf-8") as log, open(self.results, "a", encoding="utf-8") as results:
            with subprocess.Popen([*self.ctest, "-I", str(chosen.resolve())], stdout=subprocess.PIPE, text=True, errors="replace") as running:
                for line in running.stdout:
                    print(line, end="", flush=True)
                    log.write(line)
                    ended = ENDED.match(line)
                    if ended:
                        results.write("\t".join(ended.groups()) + "\n")
                        results.flush()

    def summary(self):
        """Prints it; true where no test failed and all have ended."""
        known = self.known()
        bad = [f"{name} ({outcome})" for name, (outcome, _) in known.items() if outcome not in (PASSED, SKIPPED)]
        skipped = [name for name, (outcome, _) in known.items() if outcome == SKIPPED]
        hours = sum(seconds for _, seconds in known.values()) / 3600
        left = len(self.numbers) - len(known)
        for what, names in (("skipped", skipped), ("failed", bad)):
            for name in names:
                print(f"{what}: {name}")
        print(f"\n{self.of.read_text()}: of {len(self.numbers)} tests {len(known) - len(bad) - len(skipped)} passed, {len(skipped)} were skipped, "
              f"{len(bad)} failed, {left} have not run; {hours:.1f} hours of tests")
        return not bad and not left


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: scripts/check_full.py BUILD CTEST ARGUMENT...")
    run = Run(sys.argv[1], sys.argv[2:])
    run.part(run.begin())
    return 0 if run.summary() else 1


if __name__ == "__main__":
    sys.exit(main())
