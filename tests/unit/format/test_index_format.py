#!/usr/bin/env python3
# ctest: arguments @CMAKE_C_COMPILER@ @PROJECT_SOURCE_DIR@ @PROJECT_SOURCE_DIR@/docs/index-format.md
"""docs/index-format.md has every field, flag, section and operation of format/index.h where the compiler puts it, and no other.

    test_index_format.py COMPILER INCLUDE_FOLDER DOCUMENT
"""

import re
import subprocess
import sys

# What has a table of its own below a heading, and whose flags its row `flags` tells.
TABLES = {"Header": ("fmt_index_header", "FMT_INDEX_(?:HAS|BIND|LACKS)_"), "Site": ("fmt_index_site", "FMT_SITE_"), "Sled": ("fmt_index_sled", "FMT_SLED_"),
          "Function": ("fmt_index_function", "FMT_FUNCTION_"), "Arg": ("fmt_index_arg", "FMT_ARG_"), "Ops": ("fmt_op", "FMT_OPF_")}
# What a sentence lists, field by field.
SENTENCES = {"Saved": "fmt_index_saved", "Physical": "fmt_index_physical", "Type": "fmt_index_type", "Enumerator": "fmt_index_enumerator",
             "Symbol": "fmt_index_symbol", "Rule": "fmt_index_rule", "Call site": "fmt_index_call_site", "Call value": "fmt_index_call_value"}
# What the entries of a section are, by its name in the document.
ENTRIES = {"sites": "fmt_index_site", "physicals": "fmt_index_physical", "functions": "fmt_index_function", "args": "fmt_index_arg",
           "types": "fmt_index_type", "enumerators": "fmt_index_enumerator", "ops": "fmt_op", "call sites": "fmt_index_call_site",
           "call values": "fmt_index_call_value", "symbols": "fmt_index_symbol", "saved": "fmt_index_saved", "rules": "fmt_index_rule",
           "sleds": "fmt_index_sled"}
FIELD = re.compile(r"^\| (\d+) \| (\d+) \| (\w+) \| ?(.*) ?\|$", re.MULTILINE)
SECTION = re.compile(r"^\| (\d+) \| ([a-z ]+) \| (\d+) \|", re.MULTILINE)
OPERATION = re.compile(r"^\| (\d+)(?: to (\d+))? \| ([A-Z][A-Z_0-9 ]*) \|", re.MULTILINE)


def parts(text):
    """The text below each heading of the second level, by its first word."""
    return {part.split(None, 1)[0].rstrip(","): part for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]}


def told_flags(text):
    """The bits that a row says, as "1: inlined; 2: simple, ..."."""
    return {int(bit) for bit in re.findall(r"(?:^|; )(\d+)(?:, only with \d+)?: ", text)}


def declared_flags(headers, prefix):
    """The bits that the headers declare below a prefix."""
    return {1 << int(shift) for shift in re.findall(prefix + r"\w+ =\s*1u << (\d+)", headers)}


def table_checks(part, structure, fields):
    """Assertions that the fields of a table are where it says, without a gap; the header's sections are an array of their own."""
    checks, end = [], 0
    for offset, size, field, _ in fields:
        where = f"struct {structure}, {field}"
        checks += [f'_Static_assert(offsetof({where}) == {offset}, "{where}: offset");',
                   f'_Static_assert(sizeof((struct {structure} *)0)->{field} == {size}, "{where}: size");']
        if int(offset) != end:
            raise ValueError(f"{part}: bytes {end} to {offset} are not told")
        end = int(offset) + int(size)
    last = " - sizeof((struct fmt_index_header *)0)->sections" if structure == "fmt_index_header" else ""
    return [*checks, f'_Static_assert(sizeof(struct {structure}){last} == {end}, "struct {structure}: size");']


def sentence_size(text, name):
    """How many bytes a sentence like "**Type**: `u32` name (string), `u8` kind, 3 reserved" tells of."""
    found = re.search(rf"\*\*{name}\*\*: (.*?)\.(?:\s|$)", " ".join(text.split()))
    if not found:
        raise ValueError(f"{name} is not told")
    bits = sum(int(width) for width in re.findall(r"`[ui](\d+)`", found[1]))
    return bits // 8 + sum(int(count) for count in re.findall(r"\b(\d+) reserved", found[1]))


def operation_checks(part):
    """Assertions that each operation has the number of its row, and that the rows have all."""
    checks, total = [], 0
    for first, last, names in OPERATION.findall(part):
        for number, name in enumerate(names.split(), int(first)):
            checks.append(f'_Static_assert(FMT_OP_{name} == {number}, "{name}");')
            total += 1
        if last and number != int(last):
            raise ValueError(f"{names}: {first} to {number}, not to {last}")
    return [*checks, f'_Static_assert(FMT_OP_COUNT == {total}, "operations");']


def main(compiler, include, document):
    with open(document, encoding="utf-8") as file:
        text = file.read()
    headers = ""
    for name in ("index.h", "sled.h"):
        with open(f"{include}/format/{name}", encoding="utf-8") as file:
            headers += file.read()
    found = parts(text)
    checks = ['#include <stddef.h>', '#include "format/index.h"', '#include "format/sled.h"', '#include "format/source.h"']
    for heading, (structure, prefix) in TABLES.items():
        fields = FIELD.findall(found[heading].split("\n\n| number |")[0])
        checks += table_checks(heading, structure, fields)
        told = {bit for _, _, field, meaning in fields if field == "flags" for bit in told_flags(meaning)}
        if told != declared_flags(headers, prefix):
            print(f"{document}: {heading}: flags {sorted(told)} are told, {sorted(declared_flags(headers, prefix))} declared")
            return 1
    for name, structure in SENTENCES.items():
        checks.append(f'_Static_assert(sizeof(struct {structure}) == {sentence_size(text, name)}, "{name}: size");')
    sections = SECTION.findall(found["Header"])
    for number, name, size in sections:
        checks.append(f'_Static_assert(FMT_SECTION_{name.upper().replace(" ", "_")} == {number}, "section {name}");')
        if name in ENTRIES:
            checks.append(f'_Static_assert(sizeof(struct {ENTRIES[name]}) == {size}, "entries of {name}");')
    checks += [f'_Static_assert(FMT_SECTION_COUNT == {len(sections)}, "sections");',
               f'_Static_assert(sizeof(struct fmt_index_header) == {re.search("## Header, ([0-9]+) bytes", text)[1]}, "header");',
               f'_Static_assert(sizeof(struct fmt_index_source) == {re.search("as the last ([0-9]+) bytes", text)[1]}, "source");',
               *operation_checks(found["Ops"])]
    done = subprocess.run([compiler, "-fsyntax-only", "-I", include, "-xc", "-"], input="\n".join(checks) + "\n", text=True, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
