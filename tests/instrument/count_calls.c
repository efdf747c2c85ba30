/* The two hooks: they count entries by function, and write them to $COUNTS at the end, an address and a number a line.
 */
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 65536 };

static struct {
  void *function;
  long entries;
} slots[SLOTS];

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
  (void)caller;
  unsigned i = ((unsigned)(unsigned long)function * 2654435761u) >> 16;
  while (slots[i].function != NULL && slots[i].function != function)
    i = (i + 1) % SLOTS;
  slots[i].function = function;
  slots[i].entries++;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
  (void)function;
  (void)caller;
}

__attribute__((destructor(101))) static void write_counts(void)
{
  const char *path = getenv("COUNTS");
  FILE *file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL)
    return;
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].function != NULL)
      fprintf(file, "%lx %ld\n", (unsigned long)slots[i].function, slots[i].entries);
  fclose(file);
}
