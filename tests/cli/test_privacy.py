"""Whose files and programs are trusted, and who may read what is made: nothing of another user's, and nobody else."""

import os
import stat
import unittest

import harness

RUNTIME = os.path.join(harness.RUNTIME, "libcallsig.so")


class Privacy(harness.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("program", harness.CALLS)

    def preloaded(self, **environment):
        return self.run_command(self.program, env=dict({"LD_PRELOAD": RUNTIME}, **environment))

    def cached(self):
        cache = self.path("cache")
        names = [name for name in os.listdir(cache) if name.endswith(".csi")] if os.path.isdir(cache) else []
        return [os.path.join(cache, name) for name in names]

    def mode(self, path):
        return stat.S_IMODE(os.lstat(path).st_mode)

    @unittest.skipUnless(os.getuid() == 0, "only root can give a program to another user")
    def test_privileged_program(self):
        """It records nothing, opens nothing, starts nothing, and says so once."""
        self.write("callsig", "#!/bin/sh\ntouch started\n", 0o755)
        program = self.compile("privileged", """
            #include <pthread.h>
            static void *twice(void *n) { return n; }
            int main(void) {
              pthread_t thread;
              for (int i = 0; i < 2; i++) { pthread_create(&thread, 0, twice, 0); pthread_join(thread, 0); }
              return 3; }""", libs=[os.path.join(harness.RUNTIME, "libcallsig.a"), "-pthread"])
        os.chown(program, 65534, -1)
        os.chmod(program, 0o755 | stat.S_ISUID)
        os.chmod(self.folder, 0o777)
        before = sorted(os.listdir(self.folder))
        done = self.run_command(program, env={"PATH": ".", "CALLSIG_OUTPUT": self.path("out")})
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr, "callsig: the program has privileges that its user has not: nothing is recorded; run a copy "
                                      "without them\n")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_command_of_the_current_folder(self):
        """A helper's name is looked for in PATH, but in none of its folders that depends on where the program is."""
        self.write("callsig", "#!/bin/sh\ntouch started\n", 0o755)
        for path in ("", ":", ".", ".:/nowhere", "/nowhere:", ":/nowhere"):
            done = self.preloaded(CALLSIG_COMMAND="callsig", PATH=path)
            self.assertEqual(done.returncode, 0)
            self.assertIn("no signature index, and 'callsig' cannot be run to make it (error 2)", done.stderr)
            self.assertFalse(os.path.exists(self.path("started")), path)
        self.preloaded(CALLSIG_COMMAND="callsig", PATH="/nowhere:" + self.folder + ":/bin:/usr/bin")
        self.assertTrue(os.path.exists(self.path("started")))

    def test_folder_that_others_may_write(self):
        os.mkdir(self.path("cache"))
        os.chmod(self.path("cache"), 0o777)
        words = f"{self.path('cache')}: others than this user and root may write there"
        self.assert_fails(self.callsig("run", self.program), 1, words, "CALLSIG_CACHE_DIR")
        done = self.preloaded()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(self.cached(), [])

    def spoiled(self, spoil):
        """What is in the cache is made anew after it was spoiled, by the command and by the runtime."""
        for again in (lambda: self.callsig("run", "-o", "again", self.program), self.preloaded):
            self.assertEqual(self.callsig("index", "--cache", self.program).returncode, 0)
            cached, = self.cached()
            spoil(cached)
            done = again()
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.cached(), [cached])
            self.assertEqual(os.lstat(cached).st_uid, os.geteuid())
            self.assertEqual((self.mode(cached), os.path.islink(cached)), (0o600, False))

    def test_index_that_others_may_write(self):
        self.spoiled(lambda cached: os.chmod(cached, 0o620))
        self.spoiled(lambda cached: os.chmod(cached, 0o602))

    @unittest.skipUnless(os.getuid() == 0, "only root can give a file to another user")
    def test_index_of_another_user(self):
        self.spoiled(lambda cached: os.chown(cached, 65534, 65534))

    def test_index_behind_a_link(self):
        def link(cached):
            os.rename(cached, self.path("moved"))
            os.symlink(self.path("moved"), cached)
        self.spoiled(link)

    def test_what_is_made_of_a_recording(self):
        self.assertEqual(self.callsig("run", "-o", "r", self.program).returncode, 0)
        before = os.umask(0)
        try:
            self.assertEqual(self.callsig("export", "--to", "folded", "-o", "folded", "r").returncode, 0)
            self.assertEqual(self.callsig("merge", "-o", "merged", "r", "r").returncode, 0)
            self.assertEqual(self.callsig("run", "-o", "again", self.program).returncode, 0)
        finally:
            os.umask(before)
        self.assertEqual([self.mode(self.path(name)) for name in ("r", "folded", "merged", "again")], [0o600] * 4)

    def test_umask_that_leaves_nothing(self):
        """Recordings and what is kept are for their owner all the same: they are opened again by name."""
        program = self.compile("forks", """
            #include <sys/wait.h>
            #include <unistd.h>
            static int __attribute__((noinline)) work(int n) { return n + 1; }
            int main(void) {
              if (fork() == 0)
                _exit(work(1) == 0);
              wait(NULL);
              return work(2) == 0; }""")

        def close():
            harness.follow_modes()
            os.umask(0o777)
        self.environment["CALLSIG_CACHE_DIR"] = self.path("new", "cache")
        done = self.run_command(harness.CALLSIG, "run", "-o", "r", "--apart", program, preexec_fn=close)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("error", done.stderr)
        made = [name for name in os.listdir(self.folder) if name.startswith("r") and not name.endswith(".c")]
        self.assertEqual(len(made), 2, made)
        done = self.run_command(harness.CALLSIG, "report", "--by", "function", *made, preexec_fn=harness.follow_modes)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\n +2 .*\(work\)")
        self.assertEqual([self.mode(self.path(name)) for name in (*made, "new", "new/cache")], [0o600] * 2 + [0o700] * 2)


if __name__ == "__main__":
    harness.main()
