/* Finds lines of code in the files that programs were made of. */
#include "cli/common/code_lines.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strings.h"
#include "symbols/index/places.h"

struct search {
  const struct callsig_stats_code *code;
  const struct base_strings *strings;
};

static int take_lines(uint32_t number, const struct sym_code_line *lines, uint32_t count, bool is_other, void *data)
{
  const struct search *search = data;
  struct callsig_stats_code_line *copies = malloc((count + 1u) * sizeof *copies);
  if (copies == NULL)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    copies[i] = (struct callsig_stats_code_line){.function = base_strings_at(search->strings, lines[i].name),
                                                 .file = base_strings_at(search->strings, lines[i].file),
                                                 .line = lines[i].line};
  int error = search->code->found(number, copies, count, is_other, search->code->to);
  free(copies);
  return error;
}

int cli_code_lines(const struct callsig_stats_code *code, void *data)
{
  (void)data;
  struct base_strings *strings = base_strings_new();
  struct base_vector places = BASE_VECTOR_OF(struct sym_place);
  uint32_t *place_of = malloc((code->count + 1) * sizeof *place_of);
  struct search search = {.code = code, .strings = strings};
  const struct sym_places_options options = {.strings = strings,
                                             .lines = take_lines,
                                             .lines_data = &search,
                                             .callees = code->callees,
                                             .build_id = code->build_id,
                                             .build_id_size = code->build_id_size};
  int error = strings != NULL && place_of != NULL ? 0 : -ENOMEM;
  if (error == 0)
    error = code->count > UINT32_MAX
                ? -E2BIG
                : sym_places_find(code->path, code->addresses, (uint32_t)code->count, &options, &places, place_of);
  base_vector_free(&places);
  base_strings_free(strings);
  free(place_of);
  return error;
}
