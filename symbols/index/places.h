/*
 * Whose code addresses are of: for each the function, the one that this was inlined into, and so on outwards. Functions
 * have the names, files and lines that an index of the same module gives them.
 *
 * Internal to callsig; the command uses it. Not thread-safe.
 */
#ifndef CALLSIG_SYMBOLS_INDEX_PLACES_H
#define CALLSIG_SYMBOLS_INDEX_PLACES_H

#include <stdbool.h>
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

/* A line of source that an address is of, and the function that it stands in. */
struct sym_code_line {
  uint32_t name, file; /* strings, as in sym_place */
  uint32_t line;       /* 0 unknown */
};

/* Takes the lines of address number `number`: the innermost first, then those at which the functions were inlined;
 * `count` is 0 for code that nothing knows. `is_other`: the call instruction there calls another function of this file
 * than the callee. 0 or a negative errno, which ends the search. */
typedef int (*sym_lines_fn)(uint32_t number, const struct sym_code_line *lines, uint32_t count, bool is_other,
                            void *data);

struct sym_places_options {
  struct base_strings *strings; /* borrowed */
  sym_lines_fn lines;           /* NULL: lines are not asked for */
  void *lines_data;
  const uint8_t *build_id; /* that the file is to have, else -ENOENT; NULL: any */
  size_t build_id_size;
  const uint64_t *callees; /* by address: link-time address of a function that was entered by a call there, 0 unknown */
  bool *at_hooks; /* by address, set where the instruction calls a hook (symbols/sites/hook_calls.h); NULL: not asked
                     for */
  bool sleds_are_off;      /* then they call no hook */
  base_message_fn message; /* NULL: silent */
  void *data;
};

/* Finds the places of `count` link-time addresses of the ELF file at `path`, ascending: the innermost one's number in
 * `places` (struct sym_place, which are added) into place_of[i], FMT_NONE for code that neither debug information nor a
 * symbol knows. -ENOMEM, -E2BIG, or what sym_debugfile_open() gives, after its message. */
int sym_places_find(const char *path, const uint64_t *addresses, uint32_t count,
                    const struct sym_places_options *options, struct base_vector *places, uint32_t *place_of);

#endif
