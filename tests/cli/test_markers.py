"""Tasks and actions are markers that readelf lists and gdb stops at, with their arguments, whatever is recorded."""

import re
import shutil
import unittest

import harness

# Three tasks of a stage, one of them failed and one left by a jump; an action around one of them.
PROGRAM = """
#include <setjmp.h>
#include "callsig/callsig.h"
static jmp_buf back;
static void __attribute__((noinline)) leave(struct callsig_stage *stage, const struct callsig_task_options *task)
{
  callsig_task_begin(stage, task);
  longjmp(back, 1);
}
int main(void)
{
  struct callsig_stage_options options = {.size = sizeof options, .name = "decode", .index = 1};
  struct callsig_stage *stage;
  if (callsig_stage_open(&options, &stage))
    return 1;
  struct callsig_task_options task = {.size = sizeof task, .item = 41, .signature = "size=7"};
  callsig_action_begin("load");
  callsig_task_begin(stage, &task);
  callsig_task_end(stage, 0);
  callsig_action_end("load");
  callsig_task_begin(stage, 0);
  callsig_task_end(stage, 1);
  task.item = 42;
  if (setjmp(back) == 0)
    leave(stage, &task);
  callsig_task_begin(stage, 0);
  callsig_task_cancel(stage);
  callsig_stage_close(stage);
  return 0;
}
"""

COMMANDS = """
set breakpoint pending on
set pagination off
break main
run
info probes stap callsig
delete
break -probe-stap callsig:task__begin
commands
silent
if $_probe_arg2
printf "BEGIN %s %lu %s\\n", (char *)$_probe_arg0, $_probe_arg1, (char *)$_probe_arg2
else
printf "BEGIN %s %lu -\\n", (char *)$_probe_arg0, $_probe_arg1
end
continue
end
break -probe-stap callsig:task__end
commands
silent
printf "END %s %lu %d %d\\n", (char *)$_probe_arg0, $_probe_arg1, (int)$_probe_arg2, (int)$_probe_arg3
continue
end
break -probe-stap callsig:action__begin
commands
silent
printf "ACTION %s\\n", (char *)$_probe_arg0
continue
end
break -probe-stap callsig:action__end
commands
silent
printf "DONE %s\\n", (char *)$_probe_arg0
continue
end
continue
"""

WANTED = ["ACTION load", "BEGIN 0:1:decode 41 size=7", "END 0:1:decode 41 0 0", "DONE load", "BEGIN 0:1:decode 0 -", "END 0:1:decode 0 1 0",
          "BEGIN 0:1:decode 42 size=7", "BEGIN 0:1:decode 0 -", "END 0:1:decode 0 0 1"]
LEFT = "END 0:1:decode 42 1 0"


class Markers(harness.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("tasks", PROGRAM, f"-I{harness.INCLUDE}", libs=[f"{harness.RUNTIME}/libcallsig.so", f"-Wl,-rpath,{harness.RUNTIME}"])

    def test_listed(self):
        """Also in a program that holds the static library."""
        static = self.compile("static", PROGRAM, f"-I{harness.INCLUDE}", libs=[f"{harness.RUNTIME}/libcallsig.a"])
        for file in (f"{harness.RUNTIME}/libcallsig.so", static):
            notes = self.run_command("readelf", "-nW", file)
            self.assertEqual((notes.returncode, notes.stderr), (0, ""))
            found = re.findall(r"Provider: callsig\n +Name: (\S+)\n +Location: 0x(\w+), Base: 0x(\w+), Semaphore: 0x0+\n +Arguments: (.*)", notes.stdout)
            arguments = {name: len(text.split(" ")) for name, _, _, text in found}
            self.assertEqual(arguments, {"task__begin": 3, "task__end": 4, "action__begin": 1, "action__end": 1})
            self.assertTrue(all(int(place, 16) and int(base, 16) for _, place, base, _ in found), found)

    def stops(self, **environment):
        done = self.run_command("gdb", "-nx", "-nh", "-batch", "-x", self.write("commands", COMMANDS), self.program,
                                env=dict({"CALLSIG_OUTPUT": self.path("tasks.out")}, **environment))
        self.assertIn("task__begin", done.stdout.partition("Breakpoint 1")[2], done.stderr)
        return re.findall(r"^(?:BEGIN|END|ACTION|DONE) .*", done.stdout, re.M)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_stopped_at(self):
        """The task that is left by a jump ends where that is noticed, which may be after the next has ended."""
        found = self.stops()
        self.assertLess(found.index(LEFT.replace("END", "BEGIN").replace("1 0", "size=7")), found.index(LEFT))
        self.assertEqual(found.count(LEFT), 1)
        self.assertEqual([line for line in found if line != LEFT], WANTED)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_without_a_recording(self):
        """What is switched off is marked all the same, but that nobody sees a task left then."""
        self.assertEqual(self.stops(CALLSIG_DISABLED="1"), WANTED)


if __name__ == "__main__":
    harness.main()
