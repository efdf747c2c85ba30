"""The pages hold together: every path that one names exists, each page is linked exactly once, and opens with a sentence."""

import collections
import re
import unittest

import pages

# The folders of the tree: a word that begins with one of them is a path.
FOLDERS = sorted(path.name for path in pages.TOP.iterdir() if path.is_dir() and not path.name.startswith((".", "build")))
PATH = re.compile(r"(?<![\w./:~$+-])((?:%s)/[\w.*+/-]*[\w*/])" % "|".join(map(re.escape, FOLDERS)))
HEADER = re.compile(r"(?<![\w./-])callsig/\w+\.h\b")
FILE = re.compile(r"[\w-]+\.(?:c|h|S|py|cmake|sh|md|map|json)")
FIRST_SENTENCE_MAX = 300

# What a recipe calls by a name that the reader chooses.
PLACEHOLDER = re.compile(r"NAME|WHAT")

# What programs write, and files that a page tells the reader to make in a project of their own.
NOT_IN_THE_TREE = {"chrome.json", "run.json", "compile_commands.json"}


def sources():
    """The basenames of all files of the tree."""
    return {path.name for folder in FOLDERS for path in (pages.TOP / folder).rglob("*") if path.is_file()} | {
        path.name for path in pages.TOP.iterdir()}


def linked(page):
    """The pages that a page links to."""
    if page.suffix != ".md":
        return []
    found = [(page.parent / target).resolve() for target in pages.links(page.read_text())]
    return [path for path in found if path in pages.LINKED]


def reached():
    """The pages that a reader of README.md comes to by links."""
    todo = [pages.PAGES[0]]
    for page in todo:
        todo += [target for target in dict.fromkeys(linked(page)) if target not in todo]
    return todo


class Pages(unittest.TestCase):
    def test_paths_exist(self):
        checked = 0
        for page in pages.PAGES:
            text = page.read_text()
            for path in PATH.findall(text) + ["include/" + header for header in HEADER.findall(text)]:
                checked += 1
                with self.subTest(page=pages.name(page), path=path):
                    self.assertTrue(list(pages.TOP.glob(PLACEHOLDER.sub("*", path.rstrip("/")))), "no such file or folder")
        self.assertGreater(checked, 100, "paths are found in the pages")

    def test_files_named_without_their_folder_exist(self):
        known, checked = sources(), 0
        for page in pages.PAGES:
            for word in pages.inline(page.read_text()):
                if FILE.fullmatch(word) and word not in NOT_IN_THE_TREE and not PLACEHOLDER.search(word):
                    checked += 1
                    with self.subTest(page=pages.name(page), file=word):
                        self.assertTrue(word in known, "no file has this name")
        self.assertGreater(checked, 10, "files are found in the pages")

    def test_names_of_the_code_exist(self):
        sources = [path for folder in FOLDERS for path in (pages.TOP / folder).rglob("*") if path.suffix in (".c", ".h", ".S", ".py")]
        known = set(re.findall(r"\w+", "\n".join(path.read_text(errors="replace") for path in sources)))
        checked = 0
        for page in (pages.TOP / "CONTRIBUTING.md", pages.TOP / "docs" / "architecture.md"):
            for word in pages.inline(page.read_text()):
                found = re.fullmatch(r"(?:struct |enum )(\w+)|(\w+)\(\)", word)
                if found and not PLACEHOLDER.search(word):
                    checked += 1
                    with self.subTest(page=pages.name(page), name=word):
                        self.assertTrue((found.group(1) or found.group(2)) in known, "no source has this name")
        self.assertGreater(checked, 10, "names are found in the pages")

    def test_versions_are_those_of_the_code(self):
        """What the page on compatibility says of each format, where the code has its version, and another page that says it."""
        policy = " ".join((pages.TOP / "docs" / "abi-policy.md").read_text().split())
        for told, source, declared in (
                (r"`FMT_RECORDING_VERSION` is its version, (\d+)", "format/recording.h", r"#define FMT_RECORDING_VERSION (\d+)u"),
                (r"`FMT_INDEX_VERSION` is its version, (\d+)", "format/index.h", r"#define FMT_INDEX_VERSION (\d+)u"),
                (r"`callsig_schema.version`, (\d+)", "output/monitor/database_tables.c", r"INSERT INTO callsig_schema VALUES \((\d+)\)"),
                (r"`callsig_schema.version`, (\d+)", "docs/sqlite.md", r"`callsig_schema` \| `version`: (\d+)"),
                (r"`FMT_INDEX_VERSION` is its version, (\d+)", "docs/index-format.md", r"\| 8 \| 4 \| version \| (\d+) \|"),
                (r"`FMT_RECORDING_VERSION` is its version, (\d+)", "docs/recording-format.md", r"\| 8 \| 4 \| `version` \| (\d+) \|")):
            with self.subTest(told=told, source=source):
                found, code = re.search(told, policy), re.search(declared, (pages.TOP / source).read_text())
                self.assertIsNotNone(found)
                self.assertIsNotNone(code)
                self.assertEqual(found[1], code[1])

    def test_links_lead_somewhere(self):
        for page in pages.PAGES:
            for target in pages.links(page.read_text()):
                if target and not re.match(r"[a-z]+://", target):
                    with self.subTest(page=pages.name(page), link=target):
                        self.assertTrue((page.parent / target).resolve().exists(), "the link leads nowhere")

    def test_each_page_is_linked_once(self):
        counts = collections.Counter(target for page in pages.PAGES for target in linked(page))
        for page in pages.LINKED:
            with self.subTest(page=pages.name(page)):
                users = [pages.name(user) for user in pages.PAGES if page in linked(user)]
                self.assertEqual(counts[page], 1, f"linked from {users}")

    def test_each_page_can_be_reached(self):
        self.assertEqual({pages.name(page) for page in pages.LINKED if page not in reached()}, set(), "not by links from README.md")

    def test_each_page_opens_with_a_sentence(self):
        for page in pages.PAGES[1:]:
            with self.subTest(page=pages.name(page)):
                title, blank, text = page.read_text().split("\n", 2)
                self.assertTrue(title.startswith("# "))
                self.assertEqual(blank, "")
                self.assertTrue(re.match(r"[\w`*]", text), "the page opens with a sentence")
                sentence = re.match(r"(?:(?!\.\s).)*\.", " ".join(text.split("\n\n", 1)[0].split()))
                self.assertIsNotNone(sentence, "the page opens with a sentence")
                self.assertLess(len(sentence.group()), FIRST_SENTENCE_MAX)


if __name__ == "__main__":
    unittest.main()
