"""What the chapters of results.md are written with."""


def table(titles, rows):
    """A Markdown table; the first column is text, the others numbers."""
    lines = ["| " + " | ".join(titles) + " |", "|---|" + "---:|" * (len(titles) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def size(count):
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count:.0f} B"


def unique(values):
    return list(dict.fromkeys(values))


def write_not_run(rows, write):
    """One line for each reason, with what it kept from running."""
    reasons = {}
    for where, row in rows:
        if "not_run" in row:
            reasons.setdefault((where, row["not_run"]), None)
    if reasons:
        write("\n".join(f"- {where}: not run: {reason}" for where, reason in reasons) + "\n")
