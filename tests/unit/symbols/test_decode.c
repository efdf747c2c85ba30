/*
 * The lengths of instructions, beside a disassembler's that we did not write, on code that we did: the command and
 * everything linked into it.
 *
 *   test_symbols_decode OBJDUMP PROGRAM
 *
 * Exit status 1 when one differs, or when more than one in a hundred is not decoded.
 */
/* ctest: arguments @OBJDUMP@ $<TARGET_FILE:callsig_cli> */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/flow/decode.h"

/* The bytes between the first two tabs of a line; 0: not a line of an instruction. */
static size_t read_bytes(const char *line, uint8_t bytes[32])
{
  const char *at = strchr(line, '\t'), *end = at ? strchr(at + 1, '\t') : NULL;
  size_t count = 0;
  memset(bytes, 0x90, 32);
  for (at = at ? at + 1 : NULL; end && at < end && count < 16; count++) {
    char *next;
    unsigned long value = strtoul(at, &next, 16);
    if (next == at || next > end)
      break;
    bytes[count] = (uint8_t)value;
    at = next;
  }
  return end && !strstr(end, "(bad)") ? count : 0;
}

int main(int argc, char **argv)
{
  char line[4096];
  snprintf(line, sizeof line, "'%s' -d --wide '%s'", argc == 3 ? argv[1] : "", argc == 3 ? argv[2] : "");
  FILE *listing = popen(line, "r");
  if (!listing)
    return 1;
  unsigned long instructions = 0, different = 0, unknown = 0;
  while (fgets(line, sizeof line, listing)) {
    uint8_t bytes[32];
    struct sym_instruction instruction;
    size_t size = read_bytes(line, bytes);
    if (size == 0)
      continue;
    instructions++;
    if (!sym_decode(bytes, sizeof bytes, &instruction)) {
      unknown++;
    } else if (instruction.size != size) {
      different++;
      printf("%u bytes decoded: %s", instruction.size, line);
    }
  }
  int failed = pclose(listing) != 0;
  printf("%lu instructions, %lu of another length, %lu not decoded\n", instructions, different, unknown);
  return failed || instructions < 1000 || different || unknown * 100 > instructions;
}
