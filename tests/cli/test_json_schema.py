"""What reports hold is described: JSON to the last field by docs/report.schema.json and docs/json.md, CSV by docs/reports.md."""

import csv
import io
import json
import os
import re

import harness

try:
    import jsonschema
except ImportError:
    jsonschema = None

DOCS = os.path.join(harness.TOP, "docs")
SOURCE = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int __attribute__((noinline)) leaf(int n, const char *text) { return n + text[0]; }
static int __attribute__((noinline)) keep(int n) { char *kept = malloc((size_t)n); memset(kept, 1, (size_t)n); free(kept); return n; }
static int __attribute__((noinline)) outer(int n) { return leaf(n, "a") + leaf(1, "b") + keep(n); }
int main(int argc, char **argv) { (void)argv; int s = 0; for (int i = 0; i < argc * 3000; i++) s += outer(i % 3 + 1); usleep(20000); return s == 0; }
"""
# Of each: how it is recorded, and how it is asked for.
REPORTS = {
    "plain": ([], [[], ["--by", "function"], ["--by", "stage,thread,module"], ["--raw"], ["--compensate"], ["--stack", "2"], ["--stack=1", "--by=process"]]),
    "exact": (["--times", "exact", "--percentiles"], [[], ["--compensate"], ["--by", "function,process"]]),
    "cpu": (["--clock", "cpu", "--no-signatures"], [[]]),
    "all": (["--alloc", "--sites", "--library-calls=malloc"], [["--by", "function,site"], ["--by", "site"], []]),
    "rules": (["--rules", "text.rules"], [[], ["--by", "signature,process"]]),
}


def closed(schema):
    """A copy of the schema by which no object has a field that is not described. The published one is open: fields are only ever added."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: closed(part) for key, part in schema.items()}
    return {**copy, "additionalProperties": False} if "properties" in copy and copy.get("type") == "object" else copy


def read(name):
    with open(os.path.join(DOCS, name)) as file:
        return file.read()


class Described(harness.Case):
    def reports(self, form):
        """(recordings and options, text) of all that is asked."""
        program = self.compile("program", SOURCE, "-fno-builtin")
        self.write("text.rules", "function leaf: return\nfunction leaf: text string\n")
        for name, (options, asked) in REPORTS.items():
            self.record(name, options, program)
            for arguments in asked:
                yield self.report(form, name, *arguments)
        for rank in "0", "1":
            self.record("job", [], program, *["more"] * int(rank), OMPI_COMM_WORLD_RANK=rank)
        for arguments in ([], ["--by", "function,rank"], ["--by", "signature,process"], ["--by", "rank"]):
            yield self.report(form, "job.rank0", "job.rank1", *arguments)

    def record(self, name, options, *command, **environment):
        done = self.callsig("run", "-o", name, *options, *command, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)

    def report(self, form, *arguments):
        done = self.callsig("report", "--format", form, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return arguments, done.stdout

    def test_json(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is not installed")
        schema = closed(json.loads(read("report.schema.json")))
        seen = set()
        for arguments, text in self.reports("json"):
            report = json.loads(text)
            jsonschema.validate(report, schema)
            seen |= {*report, *(key for row in report["rows"] for key in row), *(key for one in report["recordings"] for key in one)}
        self.assertEqual({"total_compensation", "spread", "rank", "p50", "stack", "site_lines", "returned", "unfreed", "library"} - seen, set())

    def test_fields_are_in_the_manual(self):
        text, schema = read("json.md").partition("\n# ")[0], json.loads(read("report.schema.json"))
        named = {word for code in re.findall("`([^`]*)`", text) for word in re.findall(r"\w+", code)}
        for part in (schema, *schema["definitions"].values()):
            for field in part.get("properties", {}):
                self.assertIn(field, named)

    def test_csv(self):
        described = re.search(r"## CSV\n(.*?)\n## ", read("reports.md"), re.S).group(1)
        names = [name for columns in re.findall(r"`([a-z0-9_,]+)`", described) for name in columns.split(",")]
        for arguments, text in self.reports("csv"):
            heading = next(csv.reader(io.StringIO(text)))
            places = [names.index(name) if name in names else name for name in heading]
            self.assertEqual([place for place in places if isinstance(place, str)], [], arguments)
            self.assertEqual(places, sorted(places), arguments)


if __name__ == "__main__":
    harness.main()
