/*
 * The parser of the rules language under libFuzzer: any bytes are a rules file.
 */
/* ctest: case - quick 20000 @CALLSIG_FUZZ@/rules/functions @CALLSIG_FUZZ@/rules/types */
#include <stddef.h>
#include <stdint.h>

#include "symbols/plan/rules.h"
#include "tests/fuzz/fuzz.h"

fuzz_mutate_fn *const fuzz_mutate = NULL;

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct sym_rules *rules = NULL;
  if (sym_rules_parse((const char *)data, size, "rules.txt", ignore, NULL, &rules) == 0)
    (void)sym_rules_hash(rules);
  sym_rules_free(rules);
  return 0;
}
