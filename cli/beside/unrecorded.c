/* Notes by what is mapped into processes which programs run without the runtime. */
#include "cli/beside/unrecorded.h"

#include <errno.h>
#include <stdbool.h>

#include "cli/beside/code_map.h"
#include "cli/run/elf_facts.h"

struct executing {
  uint32_t program; /* string; 0: not told */
  bool has_runtime;
};

/* Is it instrumented, and has it no runtime of its own? A file that cannot be read is not. */
static bool is_without(struct cli_unrecorded *unrecorded, const struct base_strings *strings, uint32_t program)
{
  struct cli_elf_facts facts;
  uint32_t known = sym_address_map_get(&unrecorded->is_without, program);
  if (known == UINT32_MAX) {
    known = cli_elf_facts_read(base_strings_at(strings, program), &facts) == 0 &&
            (facts.has_sleds || facts.imports_hook) && !facts.has_runtime && !facts.defines_hook;
    /* Where memory is short it is asked again. */
    (void)sym_address_map_put(&unrecorded->is_without, program, known);
  }
  return known == 1;
}

static bool is_unrecorded(struct cli_unrecorded *unrecorded, const struct base_strings *strings,
                          const struct executing *executing)
{
  return executing->program != 0 && !executing->has_runtime && is_without(unrecorded, strings, executing->program);
}

/* NULL: it has executed nothing that was told. */
static struct executing *find(const struct cli_unrecorded *unrecorded, uint32_t pid)
{
  const uint32_t number = sym_address_map_get(&unrecorded->numbers, pid);
  return number != UINT32_MAX ? base_vector_at(&unrecorded->processes, number) : NULL;
}

static int execute(struct cli_unrecorded *unrecorded, const struct base_strings *strings, uint32_t pid)
{
  struct executing *executing = find(unrecorded, pid);
  if (executing != NULL) {
    if (is_unrecorded(unrecorded, strings, executing)) {
      unrecorded->ended++;
      unrecorded->last = executing->program;
    }
    *executing = (struct executing){0};
    return 0;
  }
  unrecorded->processes.entry_size = sizeof *executing;
  if (base_vector_add(&unrecorded->processes, 1) == NULL)
    return -ENOMEM;
  return sym_address_map_put(&unrecorded->numbers, pid, unrecorded->processes.count - 1);
}

int cli_unrecorded_note(struct cli_unrecorded *unrecorded, const struct base_strings *strings, uint32_t pid,
                        uint32_t path)
{
  if (unrecorded == NULL)
    return 0;
  if (path == 0)
    return execute(unrecorded, strings, pid);
  struct executing *executing = find(unrecorded, pid);
  const char *text = base_strings_at(strings, path);
  if (executing == NULL || !cli_code_map_is_module(text))
    return 0;
  /* The kernel maps the program first, and then what loads the rest. */
  if (executing->program == 0)
    executing->program = path;
  executing->has_runtime |= cli_is_runtime(text);
  return 0;
}

unsigned cli_unrecorded_count(struct cli_unrecorded *unrecorded, const struct base_strings *strings, uint32_t *program)
{
  unsigned count = unrecorded->ended;
  for (uint32_t i = 0; i < unrecorded->processes.count; i++) {
    const struct executing *executing = base_vector_at(&unrecorded->processes, i);
    if (!is_unrecorded(unrecorded, strings, executing))
      continue;
    count++;
    unrecorded->last = executing->program;
  }
  *program = unrecorded->last;
  return count;
}

void cli_unrecorded_free(struct cli_unrecorded *unrecorded)
{
  base_vector_free(&unrecorded->processes);
  sym_address_map_free(&unrecorded->numbers);
  sym_address_map_free(&unrecorded->is_without);
}
