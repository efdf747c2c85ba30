/* Recording in a running program, switched on and off from outside. */
#ifndef CALLSIG_CLI_ATTACH_ATTACH_H
#define CALLSIG_CLI_ATTACH_ATTACH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/attach/executed.h"

struct cli_attached {
  pid_t pid;
  int process;                 /* descriptor of the process (pidfd): what it was when it was looked at */
  char path[PATH_MAX];         /* of the recording */
  int recording;               /* descriptor of it, locked for as long as this command is attached */
  struct cli_executed program; /* that was attached to */
  bool again;                  /* the process was attached to before, and goes on in the same recording */
};

/* Switches recording on. The first time the runtime is loaded into the process, which records at `output` then. NULL:
 * there is no preference, and CLI_DEFAULT_RECORDING the first time. Returns 0, or a negative errno after a message, the
 * process being as it was. */
int cli_attach(pid_t pid, const char *output, struct cli_attached *attached);

/* Was the process attached to and left again, so that nothing in it calls the runtime? Of its recording it is known
 * whether it is switched off, and `recording` is open. */
bool cli_attach_has_left(pid_t pid, bool is_off, int recording);

/* Switches it off. Returns 0, also when the process has ended; or a negative errno after a message. */
int cli_detach(struct cli_attached *attached);

#endif
