/* Finds which functions are shown as one when folders are left out of their files' names. */
#include "output/stats/strip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Python's os.path.basename(): what follows the last slash. */
static int strip_function(struct out_profile *profile, uint32_t number, uint32_t *stripped)
{
  struct out_known_function function = *out_profile_function(profile, number);
  const char *slash = strrchr(out_profile_string(profile, function.file), '/');
  *stripped = number;
  if (!slash)
    return 0;
  /* The strings move when one is added. */
  char *base = strdup(slash + 1);
  int result = base ? base_strings_add(profile->strings, base, &function.file) : -ENOMEM;
  free(base);
  return result < 0 ? result : out_profile_intern_function(profile, &function, stripped);
}

int out_shown_functions(struct out_profile *profile, bool strip, uint32_t **shown)
{
  uint32_t count = profile->functions.count;
  /* Stripping adds at most one function for each; an added one is shown as it is. */
  uint32_t *list = malloc((2 * (size_t)count + 1) * sizeof *list);
  int result = list ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    list[i] = i;
    if (strip)
      result = strip_function(profile, i, &list[i]);
  }
  for (uint32_t i = count; list && i < profile->functions.count; i++)
    list[i] = i;
  if (result < 0) {
    free(list);
    list = NULL;
  }
  *shown = list;
  return result;
}
