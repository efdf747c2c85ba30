/* Which functions `--below` looks for, where indexes are made. */
#include "cli/common/tops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/subcommand.h"
#include "format/hash.h"
#include "output/text/regex.h"

struct cli_tops {
  struct out_regex *regex;
};

static bool is_top(const char *name, void *data)
{
  const struct cli_tops *tops = data;
  return out_regex_search(tops->regex, name, strlen(name));
}

int cli_tops_open(const char *below, struct sym_index_options *options, struct cli_tops **tops)
{
  char message[256];
  *tops = NULL;
  if (below == NULL || *below == '\0')
    return 0;
  struct cli_tops *made = calloc(1, sizeof *made);
  int error = made != NULL ? out_regex_compile(below, &made->regex, message, sizeof message) : -ENOMEM;
  if (error < 0) {
    cli_error("--below '%s': %s", below, error == -EINVAL ? message : strerror(-error));
    free(made);
    return error;
  }
  options->is_top = is_top;
  options->below_data = made;
  options->below_hash = fmt_hash(below, strlen(below));
  *tops = made;
  return 0;
}

int cli_tops_check(const struct cli_tops *tops)
{
  if (tops == NULL || !out_regex_failed(tops->regex))
    return 0;
  cli_error("--below: the expression takes too long to search with: make it simpler");
  return -EINVAL;
}

void cli_tops_free(struct cli_tops *tops)
{
  if (tops == NULL)
    return;
  out_regex_free(tops->regex);
  free(tops);
}
