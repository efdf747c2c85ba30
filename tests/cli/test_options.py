"""Every option that a parser takes stands in --help and in the manual page, as it is taken, and neither names another one."""

import collections
import os
import re
import subprocess

import harness

# An option where it is named: not in the middle of a word.
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
MANUAL = os.path.join(harness.TOP, "man")


def read_parsers():
    """Command -> option -> whether it has a value: none, value, optional. From the tables that the command is compiled with."""
    done = subprocess.run([os.path.join(harness.BUILD, "tests", "list_options")], check=True, text=True, stdout=subprocess.PIPE)
    parsers = collections.defaultdict(dict)
    for line in done.stdout.splitlines():
        command, option, kind = line.split()
        parsers[command][option] = kind
    return parsers


def options_of_heading(text):
    """The options that a heading such as "-o, --output OUT" or "--timeline[=MIN]" defines, with whether they have a value."""
    names = OPTION.findall(text)
    rest = OPTION.sub("", text).replace(",", " ", max(0, len(names) - 1)).strip()
    return {name: "optional" if rest.startswith("[=") else "value" if rest else "none" for name in names}


def plain(text):
    """The text of a page without troff's markup; a macro's arguments are what its line says, without spaces between them."""
    lines = []
    for line in text.splitlines():
        macro = re.match(r"\.(BR|RB|BI|IB|RI|IR|B|I)\s+(.*)$", line)
        if macro:
            words = [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', macro.group(2))]
            line = (" " if len(macro.group(1)) == 1 else "").join(words)
        elif line.startswith("."):
            line = "" if not line.startswith((".SH", ".TP")) else line
        lines.append(re.sub(r"\\f[A-Z]|\\&", "", line).replace("\\-", "-"))
    return "\n".join(lines)


def page_of(name):
    with open(os.path.join(MANUAL, name + ".1")) as file:
        text = plain(file.read())
    parts = re.split(r"^\.SH (.*)$", text, flags=re.M)
    return text, dict(zip(parts[1::2], parts[2::2]))


class Options(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.parsers = read_parsers()

    def help_of(self, name):
        done = self.callsig(name, "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def taken_where_named(self, name, text):
        """The options that a text on a command may name: its own, and those of the commands that it names."""
        named = {name, *re.findall(r"callsig[ -](\w+)", text)}
        return {option for command in named & set(self.parsers) for option in self.parsers[command]}

    def test_parsers(self):
        """All commands are there, and each has what all have."""
        self.assertEqual(set(self.parsers), set(re.findall(r"^  (\w+) ", self.callsig("--help").stdout, re.M)))
        for name, parser in self.parsers.items():
            self.assertEqual((parser["--help"], parser["--version"]), ("none", "none"), name)

    def test_help_defines_what_is_taken(self):
        for name, parser in self.parsers.items():
            defined = {}
            for line in self.help_of(name).splitlines():
                heading = re.match(r"  (-.*?)(?:  |$)", line)
                if heading:
                    defined.update(options_of_heading(heading.group(1)))
            self.assertEqual(defined, parser, name)

    def test_help_names_nothing_else(self):
        compiler = {option for shape in ((), ("--before-inlining",))
                    for option in self.callsig("flags", "--cflags", *shape).stdout.split()}
        for name in self.parsers:
            text = self.help_of(name)
            self.assertEqual(set(OPTION.findall(text)) - self.taken_where_named(name, text) - compiler, set(), name)

    def test_manual_defines_what_is_taken(self):
        for name, parser in self.parsers.items():
            described = page_of("callsig-" + name)[1]["OPTIONS"]
            self.assertEqual(set(parser) - set(OPTION.findall(described)), set(), name)
            for heading in re.findall(r"^\.TP\n(.*)$", described, re.M):
                defined = options_of_heading(heading)
                # A list of options that another page describes gives no values.
                if len(defined) <= 2:
                    for option, kind in defined.items():
                        self.assertEqual((option, kind), (option, parser.get(option)), f"{name}: {heading}")

    def test_groups_are_described(self):
        """What --by takes, which its error line lists, stands in the help and in the pages that describe it. Runs cannot
        be compared by all of them: what is said then lists those that they can be compared by."""
        described = set()
        for name in (name for name, parser in self.parsers.items() if "--by" in parser):
            groups = re.search(r"none of ([\w, ]+);", self.callsig(name, "--by", "").stderr)[1].split(", ")
            self.assertGreater(len(groups), 3, name)
            if name == "diff":
                self.callsig("run", "-o", "recording", self.compile("calls", harness.CALLS))
                refused = self.callsig(name, "--by", "process", "recording", "recording").stderr
                taken = re.search(r"compared by ([\w, ]+) or (\w+):", refused)
                groups = [*taken[1].split(", "), taken[2]]
            texts = [re.search(r"^  --by (.*?)^  -", self.help_of(name), re.M | re.S)[1]]
            texts += re.findall(r"^\.TP\n--by (.*?)(?=\n\n|\n\.TP)", page_of("callsig-" + name)[1]["OPTIONS"], re.M | re.S)
            # A heading with other options beside it refers to the page of the report.
            for text in (text for text in texts if not text.startswith(",")):
                self.assertEqual([group for group in groups if not re.search(rf"\b{group}\b", text)], [], f"{name}: {text}")
            described |= {name} if len(texts) > 1 else set()
        self.assertLessEqual({"report", "export"}, described)

    def test_manual_names_nothing_else(self):
        for name in self.parsers:
            text, sections = page_of("callsig-" + name)
            taken = self.taken_where_named(name, text)
            for title in ("SYNOPSIS", "OPTIONS"):
                self.assertEqual(set(OPTION.findall(sections[title])) - taken, set(), f"{name}: {title}")
            # Elsewhere options of one letter and of one dash may be a compiler's or another tool's.
            long = {option for option in OPTION.findall(text) if option.startswith("--")}
            self.assertEqual(long - taken, set(), name)

    def test_synopsis(self):
        """A SYNOPSIS names all options, or that there are some, and has a blank between what stands apart."""
        for name, parser in self.parsers.items():
            synopsis = page_of("callsig-" + name)[1]["SYNOPSIS"]
            if "[OPTION...]" not in synopsis:
                named = set(OPTION.findall(synopsis)) | {"--help", "--version"}
                named |= {"--output"} if "-o" in named else set()
                self.assertEqual(set(parser) - named, set(), name)
        for name in ("callsig", *("callsig-" + name for name in self.parsers)):
            self.assertNotRegex(page_of(name)[1]["SYNOPSIS"], r"\][\w\[]", name)

    def test_variables(self):
        """callsig(1) names the variables of the environment that are asked for, but those that the command sets for its programs."""
        asked = set()
        for folder in "cli", "profiler", "symbols", "output", "base":
            for path, _, names in os.walk(os.path.join(harness.TOP, folder)):
                for name in (name for name in names if name.endswith(".c")):
                    with open(os.path.join(path, name)) as file:
                        asked |= set(re.findall(r'(?:getenv|environment|number_of)\("(CALLSIG_\w+)"', file.read()))
        self.assertGreater(len(asked), 10)
        told = set(re.findall(r"CALLSIG_\w+", page_of("callsig")[1]["ENVIRONMENT"]))
        self.assertEqual(asked - told - {"CALLSIG_INDEXED", "CALLSIG_RUN", "CALLSIG_WINDOW"}, set())

    def test_command_itself(self):
        """`callsig` without a subcommand: what it takes, and that its page and help name all subcommands."""
        text, sections = page_of("callsig")
        own = set(OPTION.findall(sections["SYNOPSIS"].split("callsig --help")[1]) + ["--help"])
        self.assertEqual(own, {"-h", "--help", "--version"})
        for option in own:
            done = self.callsig(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""), option)
            self.assertIn(option, self.callsig("--help").stdout)
        for name in self.parsers:
            self.assertRegex(sections["SYNOPSIS"], rf"callsig {name}\b")
            self.assertIn(f"callsig-{name}(1)", sections["DESCRIPTION"])
        long = {option for option in OPTION.findall(text) if option.startswith("--")}
        self.assertEqual(long - own - self.taken_where_named("", text), set())

    def test_compiler_wrapper(self):
        own = {"--callsig-help", "--callsig-version"}
        chosen = {"--before-inlining", "--calls", "--min-instructions"}
        for option in own:
            done = self.run_command(harness.CALLSIG_CC, option)
            self.assertEqual((done.returncode, done.stderr), (0, ""), option)
        for text in (self.run_command(harness.CALLSIG_CC, "--callsig-help").stdout, page_of("callsig-cc")[0]):
            self.assertEqual(set(re.findall(r"--callsig-\w+", text)), own)
            self.assertLessEqual(chosen, set(OPTION.findall(text)))


if __name__ == "__main__":
    harness.main()
