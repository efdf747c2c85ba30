/* What the ELF headers and symbol tables of a file say that decides whether and how it can be profiled. */
#ifndef CALLSIG_CLI_RUN_ELF_FACTS_H
#define CALLSIG_CLI_RUN_ELF_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cli_elf_facts {
  bool native;                /* class, byte order and machine are those of this command */
  uint16_t machine;           /* e_machine */
  bool is_program;            /* ET_EXEC or ET_DYN: not an object file or a core dump */
  bool imports_hook;          /* calls __cyg_profile_func_enter of another module */
  bool defines_hook;          /* has a __cyg_profile_func_enter of its own */
  bool has_sleds;             /* lists places that the runtime may turn into calls */
  bool has_runtime;           /* it is libcallsig that defines it */
  bool has_symtab;            /* the full symbol table is there */
  bool imports_dlopen;        /* may load modules later */
  bool starts_programs;       /* may run other programs */
  char interpreter[PATH_MAX]; /* the dynamic linker it asks for; "" when statically linked */
};

/* Reads the facts of the file at `path`. Returns 0, -ENOEXEC when it is not an ELF file, -EINVAL when it is damaged, or
 * the negative errno of opening it. Gives no message. */
int cli_elf_facts_read(const char *path, struct cli_elf_facts *facts);

#endif
