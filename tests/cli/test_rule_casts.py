"""Casts in rules: what is followed has the type that the rule says, as gdb prints the same expression."""

import json
import re
import shutil
import subprocess
import unittest

import harness

PROGRAM = r"""
#include <stdint.h>
#include <string.h>
struct header { int kind; short parts[3]; struct header *next; float scale; unsigned bits : 5; };
typedef struct { unsigned char tag; uint64_t size; } packet_t;
union word { uint64_t whole; unsigned halves[2]; };
struct buffer { void *data; char *text; uintptr_t handle; char bytes[64]; unsigned flags; void **many; const void *word; };
__attribute__((noinline)) int use(struct buffer *buf, void *raw, uintptr_t number)
{
  __asm__ volatile("" ::: "memory");
  return (int)buf->flags + (raw != 0) + (int)number;
}
struct opaque;
double unused_double;
int main(void)
{
  struct header second = {7, {4, 5, 6}, 0, 0.5f, 17}, first = {3, {1, 2, 3}, &second, 1.25f, 9};
  packet_t packet = {9, 4096};
  union word word = {0x0000000500000004};
  float floats[2] = {1.5f, 2.5f};
  void *many[2] = {&first, &second};
  struct buffer buf = {&first, (char *)&packet, (uintptr_t)&second, {0}, 1, many, &word};
  struct header third = {11, {7, 8, 9}, &first, 3.0f, 21};
  memcpy(buf.bytes, &third, sizeof third);
  __asm__ volatile("" :: "r"(&buf), "r"(floats), "r"(&first), "r"(&packet), "r"(&word), "r"(many) : "memory");
  use(&buf, floats, (uintptr_t)&first);
  return 0;
}
"""

# What rules and gdb are asked alike; `value` where a rule has to say so.
EXPRESSIONS = [
    "((struct header *)buf->data)->kind",
    "((struct header*)buf->data)->next->kind",
    "((packet_t *)buf->text)->size",
    "((packet_t*)buf->text)->tag",
    "((struct header *)buf->handle)->parts[1]",
    "((struct header *)buf->handle)->bits",
    "((struct header *)buf->bytes)->kind",
    "((struct header *)buf->bytes)->next->parts[2]",
    "((union word *)buf->word)->halves[1]",
    "((float *)raw)[1]",
    "*(int *)buf->data",
    "*(unsigned char *)buf->text",
    "((struct header **)buf->many)[1]->kind",
    "(*(struct header **)buf->many)->kind",
    "((struct header *)number)->next->kind",
    "((unsigned long *)buf->text)[1]",
    "(*buf).flags",
]

WRONG = [
    ("((struct heder *)buf->data)->kind", "no type 'struct heder'", "'header'"),
    ("((struct header *)buf->flags)->kind", "neither a pointer, nor an array, nor an integer of 8 bytes"),
    ("((struct header *)*buf)->kind", "neither a pointer"),
    ("(struct header *)buf->bytes", "is an array taken for a pointer"),
    ("((struct header *)buf->data)->kin", "no field 'kin'", "'kind'"),
    ("((long double *)raw)[0]", "no type 'long double'"),
    ("((union header *)buf->data)->kind", "no type 'union header'"),
    ("((void *)buf->data)->kind", "'kind' is asked of something that is not a struct"),
    ("((struct header *****)buf->data)->kind", "at most 4 stars"),
    ("((struct header *buf->data)->kind", "')'"),
    ("((*)buf->data)->kind", "a type comes before"),
    ("((struct header *)buf->data", "a ')' is missing"),
    ("(" * 40 + "buf" + ")" * 40, "nested at most 16 deep"),
    ("(struct header *)buf->data[0..2]", "a range stands behind the parentheses"),
]


class Casts(harness.Case):
    def run_rules(self, rules):
        path = self.write("rules.txt", rules)
        done = self.callsig("run", "--rules", path, "-o", self.path("out"), self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.callsig("report", "--format", "json", self.path("out"))
        rows = [row for row in json.loads(done.stdout)["rows"] if row["function"] == "use"]
        self.assertEqual(len(rows), 1)
        return rows[0]

    def setUp(self):
        super().setUp()
        self.program = self.compile("casts", PROGRAM, "-O1")

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not there")
    def test_gdb_prints_the_same(self):
        hidden = "".join(f"function use: {name} ignore\n" for name in ("buf", "raw", "number"))
        shown = {}
        for half in (EXPRESSIONS[:9], EXPRESSIONS[9:]):
            row = self.run_rules(hidden + "".join(f"function use: show {text} {'value' if 'float' in text else ''}\n" for text in half))
            shown.update({arg["name"]: (arg["state"], arg["value"]) for arg in row["args"] if arg["name"] in half})
        command = ["gdb", "-nx", "-batch", "-ex", "set style enabled off", "-ex", "break use", "-ex", "run"]
        for text in EXPRESSIONS:
            command += ["-ex", f"output/d ({text})" if "float" not in text else f"output ({text})", "-ex", "echo \\n"]
        done = subprocess.run([*command, self.program], capture_output=True, text=True, timeout=120, check=True)
        values = done.stdout.splitlines()[-len(EXPRESSIONS):]
        for text, value in zip(EXPRESSIONS, values, strict=True):
            self.assertEqual(shown[text][0], "read", text)
            self.assertEqual(float(shown[text][1]), float(value), text)

    def test_groups(self):
        row = self.run_rules("type buffer: h=(struct header *)data, k=((struct header *)bytes)->kind, flags\n"
                             "type header: kind, scale value\nfunction use: show (packet_t *)buf->text\n"
                             "function use: raw ignore\nfunction use: number ignore\ntype packet_t: size\n")
        self.assertEqual(row["signature"],
                         "use(buf:buffer(h:header(kind=3, scale=1.25), k=11, flags=1), (packet_t *)buf->text:packet_t(size=4096))")

    def test_a_wild_pointer_is_unreadable(self):
        row = self.run_rules("function use: show ((struct header **)number)[0]->kind\n")
        self.assertEqual([arg["state"] for arg in row["args"] if "->kind" in arg["name"]], ["unreadable"])

    def test_what_cannot_be(self):
        for text, *words in WRONG:
            with self.subTest(text):
                path = self.write("wrong.txt", f"function use: show {text}\n")
                done = self.callsig("index", self.program, "--rules", path, "--explain")
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertTrue(re.match(r"callsig: .*wrong.txt:1: ", done.stderr), done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_enumerations_stay(self):
        path = self.write("wrong.txt", "function use: show (enum nokind)buf->flags\n")
        done = self.callsig("index", self.program, "--rules", path, "--explain")
        self.assertIn("no enumeration 'nokind'", done.stderr)


if __name__ == "__main__":
    harness.main()
