/* Says of a file how many DIEs it has that another one follows or none, and of how many sym_siblings_next() and libdw
 * differ on that: "DIES DIFFERENT". */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "symbols/dwarf/siblings.h"

struct counts {
  uint64_t dies, different;
};

/* The DIE and all behind it on its level, and what is in them. */
static void compare_level(struct sym_siblings *siblings, Dwarf_Die die, struct counts *counts)
{
  int expected;
  do {
    Dwarf_Die child, mine = {.addr = NULL};
    if (dwarf_child(&die, &child) == 0)
      compare_level(siblings, child, counts);
    const int found = sym_siblings_next(siblings, &die, &mine);
    const void *from = die.addr;
    expected = dwarf_siblingof(&die, &die);
    counts->dies++;
    counts->different += found != expected ||
                         (found == 0 && (mine.addr != die.addr || dwarf_tag(&mine) != dwarf_tag(&die))) ||
                         (found != 0 && die.addr != from);
  } while (expected == 0);
}

int main(int argc, char **argv)
{
  const int file = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
  if (!dwarf) {
    fprintf(stderr, "usage: symbols_pass_siblings FILE, which has DWARF\n");
    return 2;
  }
  struct sym_siblings siblings = {0};
  struct counts counts = {0};
  Dwarf_CU *unit = NULL;
  Dwarf_Die top, split, child;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &top, &split) == 0) {
    if (dwarf_child(&top, &child) == 0)
      compare_level(&siblings, child, &counts);
    if (split.addr && dwarf_child(&split, &child) == 0)
      compare_level(&siblings, child, &counts);
  }
  printf("%ju %ju\n", (uintmax_t)counts.dies, (uintmax_t)counts.different);
  sym_siblings_free(&siblings);
  dwarf_end(dwarf);
  close(file);
  return 0;
}
