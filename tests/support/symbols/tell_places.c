/* Prints for each of the addresses on stdin, hexadecimal and ascending, the functions that it is of: the innermost one,
 * the one that this was inlined into, and so on, on a line with tabs between. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/index.h"
#include "symbols/index/places.h"
#include "tests/support/symbols/addresses.h"

static void print_places(const struct base_strings *strings, const struct base_vector *places, uint32_t place)
{
  while (place != FMT_NONE) {
    const struct sym_place *at = base_vector_at(places, place);
    printf("%s%s", base_strings_at(strings, at->name), at->parent == FMT_NONE ? "" : "\t");
    place = at->parent;
  }
  puts("");
}

int main(int argc, char **argv)
{
  struct base_vector addresses = BASE_VECTOR_OF(uint64_t), places = BASE_VECTOR_OF(struct sym_place);
  struct base_strings *strings = base_strings_new();
  int result = argc == 2 && strings != NULL && test_read_addresses(&addresses) ? 0 : 1;
  uint32_t *place_of = calloc(addresses.count + 1u, sizeof *place_of);
  const struct sym_places_options options = {.strings = strings};
  if (result == 0 && place_of != NULL)
    result = sym_places_find(argv[1], addresses.data, addresses.count, &options, &places, place_of) == 0 ? 0 : 1;
  for (uint32_t i = 0; result == 0 && place_of != NULL && i < addresses.count; i++)
    print_places(strings, &places, place_of[i]);
  base_vector_free(&addresses);
  base_vector_free(&places);
  base_strings_free(strings);
  free(place_of);
  return result;
}
