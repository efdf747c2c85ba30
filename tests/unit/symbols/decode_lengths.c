/*
 * Compares the lengths of instructions with those of a disassembler: reads what `objdump -d --wide` writes, from stdin.
 * Exit status 1 when one differs, or when more than one in a hundred is not decoded.
 */
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

int main(void)
{
  char line[4096];
  unsigned long instructions = 0, different = 0, unknown = 0;
  while (fgets(line, sizeof line, stdin)) {
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
  printf("%lu instructions, %lu of another length, %lu not decoded\n", instructions, different, unknown);
  return instructions < 1000 || different || unknown * 100 > instructions;
}
