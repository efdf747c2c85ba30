#!/usr/bin/env python3
# ctest: skips
"""What lies behind pointers is told as the program itself has written it down: by the code of a site, which loads it, and by the hooks."""

import collections
import json
import re
import shutil
import unittest

import harness

# Every function writes down its call as a row has to show it. The buffers are the same in all calls, and what is in them is not.
PROGRAM = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __clang__
#define N __attribute__((noinline))
#define QUIET __attribute__((noinline, xray_never_instrument))
#else
#define N __attribute__((noinline, noipa))
#define QUIET __attribute__((noinline, no_instrument_function))
#endif
#define PAGE 4096
#define LIMIT 32
struct thing { char *name; signed char tiny; bool flag; short half; int whole; unsigned natural; long huge; };
struct holder { long count; struct thing *thing; struct holder *next; };
struct __attribute__((packed)) crooked { char first; long value; };
static FILE *out;
static char *page; /* nothing is mapped behind it */
static char *const gone = (char *)0x10;
QUIET static void told(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vfprintf(out, format, list);
  va_end(list);
}
QUIET static const char *shown(const char *text)
{
  static char lines[4][LIMIT + 8];
  static unsigned line;
  char *to = lines[line++ % 4];
  if (!text)
    return "NULL";
  if (text == gone)
    return "<unreadable>";
  sprintf(to, "\"%.*s\"%s", LIMIT, text, strlen(text) > LIMIT ? "..." : "");
  return to;
}
N void one(const struct thing *thing) { told("one(thing->whole=%d)\n", thing->whole); }
N void sizes(int n, const struct thing *a, const struct thing *b)
{
  told("sizes(n=%d, a->tiny=%d, a->half=%d, b->huge=%ld, b->natural=%u)\n", n, a->tiny, a->half, b->huge, b->natural);
}
N void more(const struct thing *a, const struct thing *b)
{
  told("more(a->tiny=%d, a->flag=%s, a->half=%d, b->whole=%d, b->huge=%ld, b->natural=%u)\n", a->tiny, a->flag ? "true" : "false",
       a->half, b->whole, b->huge, b->natural);
}
N void packed(const struct crooked *at) { told("packed(at->value=%ld)\n", at->value); }
N void maybe(const struct thing *thing) { told(thing ? "maybe(thing->whole=%d)\n" : "maybe(thing=NULL, thing->whole=<unreadable>)\n", thing ? thing->whole : 0); }
N void deep(const struct holder *holder, char *p, int n)
{
  told("deep(p=%s, n=%d, holder->thing->whole=%d, holder->next->thing->half=%d)\n", p ? "set" : "NULL", n, holder->thing->whole,
       holder->next->thing->half);
}
N void named(const struct holder *holder, const char *s, char *p)
{
  told("named(s=%s, p=%s, holder->thing->name=%s, holder->next->count=%ld)\n", shown(s), p ? "set" : "NULL",
       shown(holder->thing->name), holder->next->count);
}
QUIET static char *filled(char *buffer, int length, int kind)
{
  for (int i = 0; i < length; i++)
    buffer[i] = (char)('a' + (i + kind) % 3);
  buffer[length] = 0;
  return buffer;
}
QUIET static const char *bucket(long value)
{
  static char lines[4][40];
  static unsigned line;
  const long size = value < 0 ? -value : value;
  int low = 0;
  while (size >> (low + 1))
    low++;
  char *to = lines[line++ % 4];
  sprintf(to, value < 0 ? "-2^%d..-2^%d" : "2^%d..2^%d", value < 0 ? low + 1 : low, value < 0 ? low : low + 1);
  return to;
}
/* So many values of each that a row has those of a bucket. */
N void wide(const struct thing *thing, int n)
{
  told("wide(n=%d, thing->huge=%s, thing->natural=%s)\n", n, bucket(thing->huge), bucket(thing->natural));
}
N void noted(const char *s, long n, const struct thing *thing, const char *t)
{
  told("noted(s=%s, n=%s, t=%s, thing->huge=%ld)\n", shown(s), bucket(n), shown(t), thing->huge);
}
/* Names without end: nothing is told of them any more. */
N void endless(const char *s, const char *t, int n)
{
  told("endless(s:char*, t=%s, n=%d)\n", shown(t), n);
  if (*s != 'n')
    abort();
}
N void buckets(void)
{
  struct thing thing, few;
  char name[32], text[32];
  for (long i = 0; i < 3000; i++) {
    thing = (struct thing){.huge = (i % 3 ? 1 : -1) * (16 + i * i * 7), .natural = 16 + (unsigned)i * 1400000};
    wide(&thing, i % 2);
    few = (struct thing){.huge = i / 2 % 2 - 1};
    sprintf(name, "name %ld", i);
    noted(i % 7 ? filled(text, (int)(i % 3) * 4, 0) : NULL, 16 + i % 1000, &few, i % 2 ? "odd" : "even, and longer");
    endless(name, filled(text, (int)(i % 3) * 8, 1), (int)(i % 4));
  }
}
N void text(const char *s) { told("text(s=%s)\n", shown(s)); }
N void last(long a, int b, const char *c, const char *d) { told("last(a=%ld, b=%d, c=%s, d=%s)\n", a, b, shown(c), shown(d)); }
N void first(const char *s, int n, const struct thing *thing, const char *t, long m)
{
  told("first(s=%s, n=%d, t=%s, m=%ld, thing->half=%d)\n", shown(s), n, shown(t), m, thing->half);
}
N int down(const char *s, int n, const struct thing *thing)
{
  told("down(s=%s, n=%d, thing->whole=%d)\n", shown(s), n, thing->whole);
  return n ? down(s, n - 1, thing) + 1 : 0;
}
N int other(const char *s, const struct thing *thing);
N int either(const char *s, const struct thing *thing)
{
  told("either(s=%s, thing->whole=%d)\n", shown(s), thing->whole);
  return *s ? other(s + 1, thing) + 1 : 0;
}
N int other(const char *s, const struct thing *thing)
{
  told("other(s=%s, thing->whole=%d)\n", shown(s), thing->whole);
  return *s ? either(s + 1, thing) + 1 : 0;
}
/* Of each length, at each place of eight, before the last byte that is there, and across the page before that. */
N void texts(int round)
{
  static char room[256];
  for (int length = 0; length <= LIMIT + 3; length++) {
    text(filled(room + (round + length) % 8, length, round % 2));
    text(filled(page + PAGE - length - 1, length, round % 2));
    text(filled(page - round % 40, length, round % 2));
  }
  text(NULL), text(gone);
}
N void mixed(int round)
{
  static char c[64], d[64], below[16];
  static struct thing a, b;
  static struct holder holder, behind;
  struct crooked crooked = {1, round % 4 - 1};
  a = (struct thing){.tiny = (signed char)-(round % 3), .flag = round % 2, .half = (short)(round % 2 ? -300 : 300), .whole = round % 5 - 2};
  b = (struct thing){.huge = round % 2 ? -(1l << 40) : 7, .natural = round % 3 ? 4000000000u : 1, .whole = round % 3};
  one(&a), one(&b), sizes(round % 2, &a, &b), more(&a, &b), packed(&crooked), maybe(round % 3 ? &a : NULL);
  filled(c, round % 10, 0), filled(d, round % 3 * 8, 1);
  last(round % 2, -(round % 2), round % 7 ? c : NULL, d);
  first(c, round % 2, &a, round % 5 ? d : NULL, -1);
  first(round % 4 ? d : gone, round % 2, &b, c, round % 2);
  holder = (struct holder){round % 2, round % 3 ? &a : &b, &behind}, behind = (struct holder){round % 4, round % 5 ? &b : &a, NULL};
  a.name = round % 11 ? c : NULL, b.name = d;
  named(&holder, round % 2 ? d : c, round % 3 ? c : NULL), named(&holder, c, round % 2 ? c : NULL);
  deep(&holder, round % 3 ? c : NULL, round % 2), deep(&holder, round % 2 ? d : NULL, 3);
  down(filled(below, round % 3 * 7, 0), round % 4, &b);
  either(filled(below, round % 9, 0), &b);
}
int main(int argc, char **argv)
{
  const bool blocked = argc > 3 && strcmp(argv[2], "blocked") == 0;
  sigset_t all;
  out = fopen(argv[argc - 1], "w");
  page = (char *)mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + PAGE;
  munmap(page + PAGE, PAGE);
  buckets();
  sigfillset(&all);
  for (int round = 0; round < atoi(argv[1]); round++) {
    if (blocked && round % 5 == 3)
      sigprocmask(SIG_SETMASK, &all, NULL);
    texts(round);
    mixed(round);
    if (blocked && round % 5 == 3)
      sigprocmask(SIG_UNBLOCK, &all, NULL);
  }
  return fclose(out);
}
"""

# The arguments behind pointers that a row of each function shows.
SHOWN = {
    "one": ["show thing->whole"], "sizes": ["show a->tiny", "show a->half", "show b->huge", "show b->natural"],
    "more": ["show a->tiny", "show a->flag", "show a->half", "show b->whole", "show b->huge", "show b->natural"],
    "packed": ["show at->value"], "maybe": ["show thing->whole"], "text": ["s string 32"], "last": ["c string 32", "d string 32"],
    "first": ["s string 32", "t string 32", "show thing->half"],
    "noted": ["s string 32", "t string 32", "show thing->huge"], "endless": ["s string 32", "t string 32"],
    "wide": ["show thing->huge", "show thing->natural"], "deep": ["show holder->thing->whole", "show holder->next->thing->half"],
    "named": ["s string 32", "show holder->thing->name string 32", "show holder->next->count"],
    **{name: ["s string 32", "show thing->whole"] for name in ("down", "either", "other")}}
RULES = "".join(f"function {name}: {shown}\n" for name, all_shown in SHOWN.items() for shown in all_shown)


class Followed(harness.Case):
    maxDiff = None

    def build(self, *command):
        file, program = self.write("program.c", PROGRAM), self.path("program")
        done = self.run_command(*command, "-g", file, "-o", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def sleds(self, compiler, *flags):
        program = self.build("env", f"CALLSIG_CC={compiler}", harness.CALLSIG_CC, *flags)
        sections = self.run_command("readelf", "-SW", program).stdout
        if not any(name in sections for name in ("callsig_sleds", "xray_instr_map")):
            self.skipTest(f"callsig-cc made no sleds by {compiler}")
        return program

    def compare(self, program, *options, rounds=120, arguments=()):
        recording, log = self.path("recording"), self.path("log")
        done = self.callsig("run", "--rules", self.write("rules", RULES), *options, "-o", recording, program, str(rounds), *arguments, log)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(log) as file:
            told = collections.Counter(line.strip() for line in file)
        report = self.callsig("report", recording, "--format", "json")
        self.assertEqual(report.returncode, 0, report.stderr)
        # A pointer shows its type beside what it leads to.
        rows = {re.sub(r"p:char[^,)]*", "p=set", re.sub(r"\w+:struct \w+\*, ", "", row["signature"])): row["ncalls"]
                for row in json.loads(report.stdout)["rows"]}
        for name in [name for name in rows if name.split("(")[0] in ("main", "texts", "mixed", "buckets")]:
            del rows[name]
        self.assertEqual(rows, dict(told))

    def test_gcc(self):
        program = self.sleds("gcc", "-O2", "-fno-optimize-sibling-calls")
        self.compare(program)
        self.compare(program, "--times", "exact")
        self.compare(program, "--overhead", "1.001", rounds=400)
        self.compare(program, arguments=["blocked"])
        self.compare(program, "--percentiles", "--times", "exact")

    def test_gcc_not_optimised(self):
        self.compare(self.sleds("gcc", "-O0"))

    def test_hooks(self):
        program = self.build("gcc", "-O2", "-fno-optimize-sibling-calls", "-finstrument-functions")
        self.compare(program)
        self.compare(program, arguments=["blocked"])

    @unittest.skipUnless(shutil.which("clang"), "clang is not installed")
    def test_clang(self):
        program = self.sleds("clang", "-O2", "-fno-optimize-sibling-calls")
        self.compare(program)
        self.compare(program, "--overhead", "1.001", rounds=400)
        self.compare(program, arguments=["blocked"])


if __name__ == "__main__":
    harness.main()
