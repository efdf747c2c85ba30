"""What the tests of the documentation share: the pages, their blocks and their inline code."""

import os
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[2]

# The pages that people read; docs/report.schema.json is linked as they are.
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", TOP / "CHANGELOG.md", *sorted((TOP / "docs").glob("*.md"))]
LINKED = [*PAGES[1:], TOP / "docs" / "report.schema.json"]

FENCE = re.compile(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")


def name(page):
    """The page as it is called from the top of the tree."""
    return os.path.relpath(page, TOP)


def blocks(text):
    """The fenced blocks: their language and their text."""
    return [(found.group(2), found.group(3)) for found in FENCE.finditer(text)]


def prose(text):
    """The text without its fenced blocks."""
    return FENCE.sub("", text)


def inline(text):
    """The inline code of the text outside of fenced blocks."""
    return INLINE.findall(prose(text))


def links(text):
    """Where the links of the text lead, without what follows '#'."""
    return [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", prose(text))]
