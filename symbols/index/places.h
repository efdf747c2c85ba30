/*
 * Whose code addresses are of: for each the function, the one that this was inlined into, and so on outwards. Functions
 * have the names, files and lines that an index of the same module gives them.
 *
 * Internal to callsig; the command uses it. Not thread-safe.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_PLACES_H
#define CALLSIG_SYMBOLS_INDEX_PLACES_H

#include <stdint.h>

#include "base/message.h"
#include "base/strings.h"
#include "base/vector.h"

/* A function inlined into its parent, or, without one, compiled out of line. */
struct sym_place {
  uint32_t name, file; /* offsets of the strings; file: of "" for a function that is known by its symbol alone */
  uint32_t line;       /* 0 unknown */
  uint32_t parent;     /* in the vector, before this one; FMT_NONE: none */
};

struct sym_places_options {
  struct base_strings *strings; /* borrowed */
  base_message_fn message;      /* NULL: silent */
  void *data;
};

/* Finds the places of `count` link-time addresses of the ELF file at `path`, ascending: the innermost one's number in
 * `places` (struct sym_place, which are added) into place_of[i], FMT_NONE for code that neither debug information nor a
 * symbol knows. -ENOMEM, -E2BIG, or what sym_debugfile_open() gives, after its message. */
int sym_places_find(const char *path, const uint64_t *addresses, uint32_t count,
                    const struct sym_places_options *options, struct base_vector *places, uint32_t *place_of);

#endif
