#!/usr/bin/env python3
# ctest: arguments @CMAKE_C_COMPILER@ @PROJECT_SOURCE_DIR@ @PROJECT_SOURCE_DIR@/docs/recording-format.md
"""docs/recording-format.md has every field of format/recording.h where the compiler puts it, and no other.

    test_recording_format.py COMPILER INCLUDE_FOLDER DOCUMENT
"""

import re
import subprocess
import sys

HEADING = re.compile(r"^#+ .*`struct (fmt_rec_\w+)`")
ROW = re.compile(r"^\| (\d+) \| (\d+) \| `(\w+)` \|")


def tables(path):
    """{structure: [(offset, bytes, field)]} in the document's order."""
    found, current = {}, None
    for line in open(path, encoding="utf-8"):
        heading, row = HEADING.match(line), ROW.match(line)
        if heading:
            current = found.setdefault(heading[1], [])
        elif row and current is not None:
            current.append((int(row[1]), int(row[2]), row[3]))
    return found


def main(compiler, include, document):
    checks = ['#include <stddef.h>', '#include "format/asked.h"', '#include "format/pauses.h"', '#include "format/rank_rows.h"',
              '#include "format/samples.h"', '#include "format/seal.h"', '#include "format/taken.h"']
    found = tables(document)
    if len(found) != 45 or not all(found.values()):
        print(f"{document}: {len(found)} tables of structures, 45 expected")
        return 1
    for structure, rows in found.items():
        end = 0
        for offset, size, field in rows:
            where = f"struct {structure}, {field}"
            checks.append(f'_Static_assert(offsetof({where}) == {offset}, "{where}: offset");')
            if size:
                checks.append(f'_Static_assert(sizeof((struct {structure} *)0)->{field} == {size}, "{where}: size");')
            if offset != end:
                print(f"{document}: {where}: bytes {end} to {offset} are not told")
                return 1
            end = offset + size
        checks.append(f'_Static_assert(sizeof(struct {structure}) == {end}, "struct {structure}: size");')
    source = "\n".join(checks) + "\n"
    done = subprocess.run([compiler, "-fsyntax-only", "-I", include, "-xc", "-"], input=source, text=True, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
