"""The chapter of results.md on reductions of ranks."""

from tables import size, table, write_not_run

WORDS = {
    "private": "**Private**: a fifth of each rank's rows are its own alone, so all of them are distinct: 0.2 R N of N ranks of R rows, of which 32,768 keep a row.",
    "drawn": "**Drawn**: a fifth of each rank's rows are drawn, each from POOL that other ranks may draw as well: of N ranks "
             "0.2 R POOL (1 - (1 - 1 / POOL)^N) are distinct, of which 32,768 keep a row.",
}


def figure(one, key, scale, unit):
    """One that older results may lack."""
    return f"{one[key] * scale:{'.0f' if unit == 'ms' else '.2f'}} {unit}" if key in one else ""


def write_kind(name, kind, limit, report_limit, write):
    write(WORDS[name].replace("POOL", str(kind["pool"])) + "\n")
    spine = {one["height"]: one for one in kind["spine"]}
    by_processor = "report_processor" in kind["spine"][-1]
    lines = []
    for level in kind["levels"]:
        one = spine[level["height"]]
        lines.append([str(level["height"]), f"{one['ranks']:,}", f"{one['rows']:,}", f"{one['rows'] / one['model'] - 1:+.2%}", size(one["bytes"]),
                      f"{level['merges']:,}", f"{level['seconds'] / level['merges'] * 1e3:.0f} ms", figure(level, "processor", 1e3 / level["merges"], "ms"),
                      f"{level['longest'] * 1e3:.0f} ms", size(level["most_sent"]), size(level["memory"]),
                      figure(one, "first_rows_processor", 1, "s"), figure(one, "report_processor", 1, "s"), figure(one, "report", 1, "s")])
    write(table(["step", "ranks", "rows", "beside the model", "recording", "merges", "time of one, mean", "of a processor", "longest",
                 "most bytes sent", "memory beyond own", "report of 100 rows", "of all rows", "by the wall's clock"], lines) + "\n")
    write(f"{kind['ranks']:,} ranks of {kind['rows']:,} rows, {kind['height']} steps deep; all merges together sent {size(kind['sent'])}, and the recordings that were "
          f"there at once took {size(kind['held'])}. The longest merges of all steps, one after the other: {kind['critical']:.1f} s. "
          f"The {kind['spine'][-1]['calls']:,} calls of the root are those of all ranks.")
    write(f"Each merge stays below {limit >> 20} MiB beyond the rank's own recording up to {kind['within']['memory']:,} ranks, and the root's report "
          f"({'all rows, as CSV' if by_processor else 'its 100 first rows'}) below {report_limit:.0f} s{' of a processor' * by_processor} up to {kind['within']['report']:,}, of those that were measured.\n")


def write_ranks(part, write):
    write("## Reductions of ranks\n")
    write("Recordings of so many ranks, all of them different and any two with four fifths of their rows in common, merged two by two in a tree until one is left: "
          "log2 of the ranks in steps. Ranks become one process, as they do in FILE. What a step costs follows the rows that are left of the ranks below it: the common ones, up to 32,768 of the others, and a row of each "
          "function for those that are not kept. Each merge is a process of its own that "
          "loads both recordings, makes their processes one and writes one; two work at a time. Memory is what was resident at most, less the size of what a rank recorded "
          "itself.\n")
    for name, kind in part["kinds"].items():
        if "levels" in kind:
            write_kind(name, kind, part["limit"], part["report_limit"], write)
    write_not_run(list(part["kinds"].items()), write)
