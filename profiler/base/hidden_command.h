/*
 * A command that runs where the program does not see it: wait() does not find it, no SIGCHLD tells of it, and it
 * writes nothing to the program's descriptors.
 */
#ifndef CALLSIG_PROFILER_BASE_HIDDEN_COMMAND_H
#define CALLSIG_PROFILER_BASE_HIDDEN_COMMAND_H

/* How a command ended. */
enum prof_hidden_end {
  PROF_HIDDEN_DONE,      /* with status 0; or somebody else waited for it (__WALL), who knows */
  PROF_HIDDEN_FAILED,    /* with another status, or by a signal: the error is -EIO */
  PROF_HIDDEN_NOT_RUN,   /* it could not be executed: the error is why */
  PROF_HIDDEN_NO_MEMORY, /* nothing was begun: the error is why */
  PROF_HIDDEN_NO_PROCESS /* nothing could be cloned: the error is why */
};

/* What to run. */
struct prof_hidden {
  const char *const *arguments; /* up to a NULL */
  const char *path;             /* the folders in which a command without a slash is looked for; NULL: none */
  char *const *environment;     /* the program's, up to a NULL: what is meant for the program alone is left out
                                   (LD_PRELOAD, LD_AUDIT, CALLSIG_OUTPUT) */
  const char *variable;         /* "NAME=VALUE" in place of the program's; NULL: none */
};

/* Runs the command and waits for its end. *error is 0 or a negative errno. All signals have to be blocked in the
 * calling thread. */
enum prof_hidden_end prof_hidden_run(const struct prof_hidden *command, int *error);

#endif
