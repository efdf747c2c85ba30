"""A timeline tells when a call began, too, when hooks stopped its thread's clock in it: for the index of a module that comes late."""

import json

import harness

PLUGIN = "int late(int n) { return n + 1; }\n"

# One call has ended when the plugin's index is made, one is open.
PROGRAM = r"""
#include <dlfcn.h>
#include <unistd.h>

__attribute__((noinline)) int early(int n) { usleep(1000); return n; }

__attribute__((noinline)) int load(const char *path)
{
  void *plugin = dlopen(path, RTLD_NOW);
  int (*late)(int) = plugin ? (int (*)(int))dlsym(plugin, "late") : NULL;
  return late ? late(1) : 0;
}

int main(int argc, char **argv)
{
  return argc == 2 && early(argc) == 2 && load(argv[1]) == 2 ? 0 : 1;
}
"""


class Standstill(harness.Case):
    def test_calls_lie_around_what_they_called(self):
        plugin = self.compile("plugin.so", PLUGIN, "-shared", "-fPIC")
        program = self.compile("loads", PROGRAM, libs=["-ldl"])
        done = self.callsig("run", "--timeline=0", "-o", "file", program, plugin)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check("file")
        done = self.callsig("merge", "-o", "merged", "file", "file")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check("merged")

    def check(self, recording):
        done = self.callsig("export", "--to", "chrome", recording)
        self.assertEqual(done.returncode, 0, done.stderr)
        events = json.loads(done.stdout)
        events = events["traceEvents"] if isinstance(events, dict) else events
        calls = {event["name"]: event for event in events if event.get("ph") == "X"}
        self.assertEqual(set(calls), {"main", "early", "load", "late"})
        self.assertFalse([call for call in calls.values() if "item" in call["args"]], "a standstill is no item")
        self.assertEqual({call["tid"] for call in calls.values()}, {calls["main"]["tid"]}, "in one lane")
        for outer, inner in (("main", "early"), ("main", "load"), ("load", "late")):
            with self.subTest(outer=outer, inner=inner):
                (begin, end), (first, last) = ((call["ts"], call["ts"] + call["dur"]) for call in (calls[outer], calls[inner]))
                self.assertLessEqual(begin, first)
                self.assertGreaterEqual(end + 0.01, last)


if __name__ == "__main__":
    harness.main()
