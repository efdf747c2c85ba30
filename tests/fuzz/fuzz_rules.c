/*
 * The parser of the rules language under libFuzzer: any bytes are a rules file.
 */
#include <stddef.h>
#include <stdint.h>

#include "fuzz.h"
#include "rules.h"

static void ignore(const char *line, void *data)
{
  (void)line;
  (void)data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct cs_rules *rules = NULL;
  if (cs_rules_parse((const char *)data, size, "rules.txt", ignore, NULL, &rules) == 0)
    (void)cs_rules_hash(rules);
  cs_rules_free(rules);
  return 0;
}
