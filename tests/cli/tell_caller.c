/*
 * Tells whose call of a library a thread is in, by its stack: tell_caller PROFILED FUNCTION
 *
 * PROFILED is a library with hooks, whose FUNCTION has another library call what it is given: from there the stack is
 * looked at as a sample has it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "cli/beside/callers.h"

enum { WORDS = 1024 };

static void tell(void)
{
  static uint64_t words[WORDS];
  ucontext_t context;
  getcontext(&context);
  const greg_t *gregs = context.uc_mcontext.gregs;
  const struct cli_registers registers = {.address = (uint64_t)gregs[REG_RIP],
                                          .values = {[3] = (uint64_t)gregs[REG_RBX],
                                                     [6] = (uint64_t)gregs[REG_RBP],
                                                     [7] = (uint64_t)gregs[REG_RSP],
                                                     [12] = (uint64_t)gregs[REG_R12],
                                                     [13] = (uint64_t)gregs[REG_R13],
                                                     [14] = (uint64_t)gregs[REG_R14],
                                                     [15] = (uint64_t)gregs[REG_R15]},
                                          .known = 1u << 3 | 1u << 6 | 1u << 7 | 0xF000u};
  memcpy(words, (const void *)(uintptr_t)gregs[REG_RSP], sizeof words);
  const struct cli_stack stack = {.start = (uint64_t)gregs[REG_RSP], .words = words, .count = WORDS};
  struct cli_code_map map = {.mappings = BASE_VECTOR_OF(struct cli_mapping)};
  struct base_strings *strings = base_strings_new();
  struct cli_callers callers;
  cli_callers_init(&callers, NULL);
  Dl_info info = {0};
  if (strings != NULL && cli_code_map_read(&map, strings, getpid()) == 0)
    dladdr((const void *)(uintptr_t)cli_callers_of(&callers, &map, strings, &stack, &registers), &info);
  printf("%s\n", info.dli_sname != NULL ? info.dli_sname : "?");
  cli_callers_free(&callers);
  cli_code_map_free(&map);
  base_strings_free(strings);
}

int main(int argc, char **argv)
{
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
  union {
    void *object;
    void (*call)(void (*)(void));
  } function = {.object = library != NULL ? dlsym(library, argv[2]) : NULL};
  if (function.object == NULL) {
    fprintf(stderr, "tell_caller: %s\n", library != NULL ? "no such function" : "no such library");
    return 1;
  }
  /* Beyond it what is copied ends on the stack, however little the environment takes. */
  volatile char room[8 * WORDS];
  room[0] = 0;
  function.call(tell);
  return room[0];
}
