/* Prints of each instruction on stdin, a line of hexadecimal bytes, what it reads and writes: two masks of DWARF
 * numbers, then 1 where an operand is memory or an address, 1 where that is stored to, and the bytes of it. "?": it is
 * not known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/flow/operands.h"

enum { LONGEST = 15 };

static size_t read_bytes(const char *line, uint8_t bytes[LONGEST])
{
  size_t count = 0;
  for (; count < LONGEST && strspn(line, "0123456789abcdef") >= 2; line += 2, count++) {
    const char digits[3] = {line[0], line[1], '\0'};
    bytes[count] = (uint8_t)strtoul(digits, NULL, 16);
  }
  return count;
}

int main(void)
{
  char line[128];
  while (fgets(line, sizeof line, stdin)) {
    uint8_t bytes[LONGEST] = {0};
    struct sym_instruction instruction;
    if (!sym_decode(bytes, read_bytes(line, bytes), &instruction)) {
      puts("?");
      continue;
    }
    const struct sym_operands operands = sym_operands_of(&instruction);
    printf("%" PRIx64 " %" PRIx64 " %d %d %u\n", operands.reads, operands.writes, operands.has_memory, operands.stores,
           operands.size);
  }
  return ferror(stdin) != 0;
}
