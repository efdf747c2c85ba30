/* Prints which of the addresses on stdin, hexadecimal and ascending, are instructions that call a hook. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/index/places.h"
#include "tests/support/symbols/addresses.h"

int main(int argc, char **argv)
{
  struct base_vector addresses = BASE_VECTOR_OF(uint64_t), places = BASE_VECTOR_OF(struct sym_place);
  struct base_strings *strings = base_strings_new();
  int result = argc == 2 && strings != NULL && test_read_addresses(&addresses) ? 0 : 1;
  uint32_t *place_of = calloc(addresses.count + 1u, sizeof *place_of);
  bool *at_hooks = calloc(addresses.count + 1u, sizeof *at_hooks);
  const struct sym_places_options options = {.strings = strings, .at_hooks = at_hooks};
  if (place_of == NULL || at_hooks == NULL)
    result = 1;
  if (result == 0)
    result = sym_places_find(argv[1], addresses.data, addresses.count, &options, &places, place_of) == 0 ? 0 : 1;
  for (uint32_t i = 0; result == 0 && i < addresses.count; i++)
    if (at_hooks[i])
      printf("%" PRIx64 "\n", *(uint64_t *)base_vector_at(&addresses, i));
  base_vector_free(&addresses);
  base_vector_free(&places);
  base_strings_free(strings);
  free(place_of);
  free(at_hooks);
  return result;
}
