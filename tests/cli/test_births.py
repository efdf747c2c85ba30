# ctest: case - quick
"""A thread that nobody preempts costs no file of /proc, though waits for a processor are taken out of its times."""

import os
import unittest

import harness

# Threads one after the other, each of which says how often it read something: the kernel counts that.
PROGRAM = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define NO_HOOK __attribute__((no_instrument_function))
static volatile unsigned sink;
static unsigned long without;
__attribute__((noinline)) void work(unsigned n) { sink += n; }
NO_HOOK static long reads(void)
{
  char text[512];
  int file = open("/proc/thread-self/io", O_RDONLY);
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  const char *at = strstr(text, "syscr: ");
  return at ? strtol(at + 7, NULL, 10) : -1;
}
NO_HOOK static void *body(void *data)
{
  for (unsigned i = 0; i < 5; i++)
    work(i);
  without += reads() == 0;
  return data;
}
int main(int argc, char **argv)
{
  for (int i = 0; i < atoi(argv[1]); i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
  }
  printf("%lu\n", without);
  return argc - 2;
}
"""


class Births(harness.Case):
    def test_no_file_is_read(self):
        """Whoever is preempted within its few instructions may read; that is not half of them on any machine."""
        if not os.path.exists("/proc/thread-self/io"):
            raise unittest.SkipTest("the kernel does not count reads")
        program = self.compile("program", PROGRAM, libs=["-pthread"])
        done = self.callsig("run", program, "200")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(done.stdout.split()[0]), 100)


if __name__ == "__main__":
    harness.main()
