"""The chapter of results.md on reductions of ranks."""

from tables import size, table, write_not_run

WORDS = {
    "private": "**Private**: a fifth of each rank's rows are its own alone, so all of them stay distinct: with N ranks of R rows 0.8 R + 0.2 R N.",
    "drawn": "**Drawn**: a fifth of each rank's rows are drawn, each from POOL that other ranks may draw as well: with N ranks "
             "0.8 R + 0.2 R POOL (1 - (1 - 1 / POOL)^N), which comes to an end.",
}


def write_kind(name, kind, limit, report_limit, write):
    write(WORDS[name].replace("POOL", str(kind["pool"])) + "\n")
    spine = {one["height"]: one for one in kind["spine"]}
    lines = []
    for level in kind["levels"]:
        one = spine.get(level["height"], {})
        lines.append([str(level["height"]), f"{one['ranks']:,}" if one else "", f"{one['rows']:,}" if one else "",
                      f"{one['rows'] / one['model'] - 1:+.2%}" if one else "", size(one["bytes"]) if one else "", f"{level['merges']:,}",
                      f"{level['seconds'] / level['merges'] * 1e3:.0f} ms", f"{level['longest'] * 1e3:.0f} ms", size(level["most_sent"]),
                      size(level["memory"]), f"{one['first_rows']:.2f} s" if one else ""])
    write(table(["step", "ranks", "rows", "beside the model", "recording", "merges", "time of one, mean", "longest", "most bytes sent",
                 "memory beyond own", "report"], lines) + "\n")
    write(f"{kind['ranks']:,} ranks of {kind['rows']:,} rows were merged as a whole, {kind['whole']} steps deep; all merges together sent "
          f"{size(kind['sent'])}. The longest merges of all steps, one after the other: {kind['critical']:.1f} s.")
    if kind["height"] > kind["whole"]:
        write(f"The steps above, up to {kind['height']} for {kind['all_ranks']:,} ranks, are one merge each of what those came to with a copy of itself: all rows "
              "that can be drawn are there, so both halves of a higher tree have the same.")
    write(f"Each merge stays below {limit >> 20} MiB beyond the rank's own recording up to {kind['within']['memory']:,} ranks, and the root's report "
          f"(its 100 first rows) below {report_limit:.0f} s up to {kind['within']['report']:,}, of those that were measured.\n")


def write_ranks(part, write):
    write("## Reductions of ranks\n")
    write("Recordings of so many ranks, of which any two have four fifths of their rows in common, merged two by two in a tree until one is left: "
          "log2 of the ranks in steps. What a step costs follows the rows that stay distinct below it. Each merge is a process of its own that "
          "loads both recordings, makes their processes one and writes one; two work at a time. Memory is what was resident at most, less the size of what a rank recorded "
          "itself.\n")
    for name, kind in part["kinds"].items():
        if "levels" in kind:
            write_kind(name, kind, part["limit"], part["report_limit"], write)
    write_not_run(list(part["kinds"].items()), write)
