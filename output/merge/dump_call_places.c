/* The places that calls were made at, each after what it is inlined at. */
#include <errno.h>
#include <stdlib.h>

#include "output/merge/dump.h"
#include "output/profile/call_place.h"

/* The order of the profile's numbers is not that of who is inlined where: looking up adds outer places later. */
static void put_place(struct out_dump *dump, uint32_t number)
{
  const struct out_call_place *place = out_profile_call_place(dump->profile, number);
  if (dump->call_places[number])
    return;
  if (place->outer != FMT_NONE)
    put_place(dump, place->outer);
  struct fmt_rec_call_place record = {
      .tag = OUT_DUMP_TAG(FMT_TAG_CALL_PLACE, record),
      .module = place->module == FMT_NONE ? 0 : dump->modules[place->module],
      .address = place->address,
      .callee = place->callee,
      .file = place->file ? out_dump_string(dump, place->file) : 0,
      .function = place->function ? out_dump_string(dump, place->function) : 0,
      .outer = place->outer == FMT_NONE ? 0 : dump->call_places[place->outer],
      .line = place->line,
      .flags = place->flags,
  };
  dump->call_places[number] = out_dump_put(dump, &record, sizeof record);
}

int out_dump_call_places(struct out_dump *dump)
{
  int result = out_call_places_look_up(dump->profile);
  if (result < 0)
    return result;
  dump->call_places = calloc(dump->profile->call_places.count + 1u, sizeof *dump->call_places);
  if (!dump->call_places)
    return -ENOMEM;
  for (uint32_t i = 0; i < dump->profile->call_places.count; i++)
    put_place(dump, i);
  return 0;
}
