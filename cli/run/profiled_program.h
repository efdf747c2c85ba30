/* The program that `callsig run` is to profile: what the kernel will run for it, and whether that can be profiled. */
#ifndef CALLSIG_CLI_RUN_PROFILED_PROGRAM_H
#define CALLSIG_CLI_RUN_PROFILED_PROGRAM_H

#include "cli/run/elf_facts.h"

struct cli_profiled_program {
  char path[PATH_MAX];        /* what is executed */
  char image[PATH_MAX];       /* the ELF file that runs: `path`, or the interpreter of the script at `path` */
  struct cli_elf_facts facts; /* of the image */
};

/* Finds program `name` as a shell would, follows `#!` lines to the ELF file that runs, and refuses what cannot be
 * profiled however its libraries are built. Returns 0, or a negative errno after one message. */
int cli_profiled_program_find(const char *name, struct cli_profiled_program *program);

#endif
