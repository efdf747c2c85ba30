/*
 * Pairs pointer parameters with the integer parameters that say how long their arrays are.
 */
#include "symbols/plan/length_pairing.h"

#include <errno.h>
#include <string.h>

#include "symbols/plan/lengthname.h"

struct search {
  struct base_arena *arena;
  struct sym_pairing_parameter *parameters;
  struct sym_length_name *names; /* of the integers */
  int *best;                     /* of the integers: the strongest match with any pointer */
  size_t count;
  bool failed; /* memory was short */
};

/* Names of void pointers that carry a caller's context through, not an array. */
static const char *const context_words[] = {
    "ctx", "context", "opaque", "user",   "userdata", "cookie", "priv", "private",
    "arg", "self",    "state",  "handle", "closure",  "ud",     "env",  NULL,
};

static bool is_pointer(const struct sym_pairing_parameter *parameter)
{
  return parameter->role >= SYM_PAIRING_VOID;
}

static void explain(struct search *search, size_t pointer, const char *text, const char *name, const char *more)
{
  const char *why = base_arena_printf(search->arena, text, name, more);
  if (!why)
    search->failed = true;
  else if (!*search->parameters[pointer].why)
    search->parameters[pointer].why = why;
}

/* Whether a length in this unit can be a number of the pointer's elements. The reason against it goes to `why`. */
static bool unit_fits(struct search *search, size_t pointer, size_t length, enum sym_length_unit unit)
{
  const struct sym_pairing_parameter *parameter = &search->parameters[pointer];
  const char *name = search->parameters[length].name;
  bool bytes_are_elements =
      parameter->role == SYM_PAIRING_VOID || parameter->role == SYM_PAIRING_HANDLE || parameter->element_size == 1;
  if (unit == SYM_UNIT_BYTES && !bytes_are_elements) {
    explain(search, pointer, "not joined: %s counts bytes and the elements are larger%s", name, "");
    return false;
  }
  if (unit != SYM_UNIT_COUNT && parameter->role == SYM_PAIRING_AGGREGATE && !bytes_are_elements) {
    explain(search, pointer, "not joined: %s may be the size of one struct in bytes%s", name, "");
    return false;
  }
  return true;
}

/* The strongest match of an integer with any pointer. */
static int best_match(const struct search *search, size_t length)
{
  int best = 0;
  for (size_t i = 0; i < search->count; i++) {
    enum sym_length_unit unit;
    if (!is_pointer(&search->parameters[i]))
      continue;
    int strength = sym_length_names(&search->names[length], search->parameters[i].name, &unit);
    if (strength > best)
      best = strength;
  }
  return best;
}

/* Of two equally sure lengths the one after the pointer is taken, then the nearer one. */
static bool is_nearer(size_t pointer, size_t candidate, int current)
{
  if (current < 0)
    return true;
  bool after = candidate > pointer, current_after = (size_t)current > pointer;
  if (after != current_after)
    return after;
  return after ? candidate < (size_t)current : candidate > (size_t)current;
}

/* Lengths that name their pointer, wherever they stand. */
static void join_by_stem(struct search *search)
{
  for (size_t pointer = 0; pointer < search->count; pointer++) {
    struct sym_pairing_parameter *parameter = &search->parameters[pointer];
    if (!is_pointer(parameter))
      continue;
    int best = 0;
    for (size_t length = 0; length < search->count; length++) {
      enum sym_length_unit unit;
      if (search->parameters[length].role != SYM_PAIRING_INTEGER)
        continue;
      int strength = sym_length_names(&search->names[length], parameter->name, &unit);
      if (strength == 0 || strength < search->best[length] || strength < best ||
          !unit_fits(search, pointer, length, unit))
        continue;
      if (strength > best || is_nearer(pointer, length, parameter->length))
        parameter->length = (int)length;
      best = strength;
    }
    if (parameter->length >= 0) {
      parameter->why = "";
      explain(search, pointer, "joined: %s is named for it%s", search->parameters[parameter->length].name, "");
    }
  }
}

static bool is_context(const struct sym_pairing_parameter *parameter)
{
  struct sym_identifier_words words;
  sym_identifier_words_split(parameter->name, &words);
  if (parameter->role != SYM_PAIRING_VOID || words.count == 0)
    return false;
  for (const char *const *word = context_words; *word; word++)
    if (strcmp(words.word[words.count - 1], *word) == 0)
      return true;
  return false;
}

/* Whether a length that does not name its pointer can be this pointer's. */
static bool accepts_plain(struct search *search, size_t pointer, size_t length, enum sym_length_unit unit)
{
  const struct sym_pairing_parameter *parameter = &search->parameters[pointer];
  const char *name = search->parameters[length].name;
  if (parameter->role == SYM_PAIRING_AGGREGATE) {
    explain(search, pointer, "not joined: %s does not name it, and a pointer to a struct is mostly one object%s", name,
            "");
    return false;
  }
  if (parameter->role == SYM_PAIRING_HANDLE) {
    explain(search, pointer, "not joined: %s does not name it, and a pointer to a void of a name is one object%s", name,
            "");
    return false;
  }
  if (parameter->role == SYM_PAIRING_POINTER) {
    explain(search, pointer, "not joined: %s does not name it, and a pointer to a pointer is mostly one result%s", name,
            "");
    return false;
  }
  if (is_context(parameter)) {
    explain(search, pointer, "not joined: by its name it is the caller's context, not an array of %s elements%s", name,
            "");
    return false;
  }
  return unit_fits(search, pointer, length, unit);
}

/* Whether a pointer further left in a run is an array of the same kind as the one next to the length. */
static bool is_alike(const struct sym_pairing_parameter *nearest, const struct sym_pairing_parameter *other)
{
  return nearest->role == other->role;
}

/* A plain length takes the unbroken run of pointers before it. */
static void join_run(struct search *search, size_t length)
{
  const struct sym_length_name *name = &search->names[length];
  size_t end = length;
  /* Of "size" and "nmemb" side by side, as in fread() and qsort(), the count is the one that counts elements. */
  if (length > 0 && search->parameters[length - 1].role == SYM_PAIRING_INTEGER &&
      search->names[length - 1].form == SYM_LENGTH_PLAIN && search->names[length - 1].unit == SYM_UNIT_SIZE &&
      name->unit == SYM_UNIT_COUNT)
    end = length - 1;
  const struct sym_pairing_parameter *nearest = NULL;
  for (size_t i = end; i-- > 0;) {
    struct sym_pairing_parameter *parameter = &search->parameters[i];
    if (!is_pointer(parameter))
      return;
    if (parameter->length >= 0)
      continue;
    if (nearest && !is_alike(nearest, parameter)) {
      explain(search, i, "not joined: %s stands after a pointer of another kind%s", search->parameters[length].name,
              "");
      return;
    }
    if (!accepts_plain(search, i, length, name->unit))
      return;
    parameter->length = (int)length;
    parameter->why = "";
    explain(search, i, nearest ? "joined: %s follows it and other pointers of its kind%s" : "joined: %s follows it%s",
            search->parameters[length].name, "");
    if (!nearest)
      nearest = parameter;
  }
}

/* Whether the plain length is the element size beside a plain count, on either side of it. */
static bool is_element_size(const struct search *search, size_t length)
{
  if (search->names[length].unit != SYM_UNIT_SIZE)
    return false;
  const size_t neighbours[] = {length + 1, length - 1};
  for (size_t i = 0; i < 2; i++) {
    size_t at = neighbours[i];
    if (at < search->count && search->parameters[at].role == SYM_PAIRING_INTEGER &&
        search->names[at].form == SYM_LENGTH_PLAIN && search->names[at].unit == SYM_UNIT_COUNT)
      return true;
  }
  return false;
}

/* A length whose stem names no parameter takes the one pointer directly before it, when nothing speaks against it. */
static void join_neighbour(struct search *search, size_t length)
{
  const struct sym_length_name *name = &search->names[length];
  if (length == 0 || !is_pointer(&search->parameters[length - 1]) || search->parameters[length - 1].length >= 0)
    return;
  size_t pointer = length - 1;
  const struct sym_pairing_parameter *parameter = &search->parameters[pointer];
  if (name->form == SYM_LENGTH_PREFIX && !name->counts_units && !name->underscore) {
    explain(search, pointer, "not joined: %s counts something of another name%s", search->parameters[length].name, "");
    return;
  }
  if (name->size_of_one) {
    explain(search, pointer, "not joined: %s is by its name a bound or the size of one thing%s",
            search->parameters[length].name, "");
    return;
  }
  if (!sym_length_may_measure(name, parameter->name)) {
    explain(search, pointer, "not joined: %s is by its name the size of another thing%s",
            search->parameters[length].name, "");
    return;
  }
  if (name->unit == SYM_UNIT_SIZE && parameter->role == SYM_PAIRING_NUMBER && parameter->element_size != 1) {
    explain(search, pointer, "not joined: %s does not name it and may count bytes%s", search->parameters[length].name,
            "");
    return;
  }
  if (!accepts_plain(search, pointer, length, name->unit))
    return;
  search->parameters[pointer].length = (int)length;
  search->parameters[pointer].why = "";
  explain(search, pointer, "joined: %s follows it%s", search->parameters[length].name, "");
}

static void join_by_place(struct search *search)
{
  for (size_t length = 0; length < search->count; length++) {
    if (search->parameters[length].role != SYM_PAIRING_INTEGER || search->names[length].form == SYM_LENGTH_NOT ||
        search->best[length] > 0)
      continue;
    if (search->names[length].form != SYM_LENGTH_PLAIN)
      join_neighbour(search, length);
    else if (!is_element_size(search, length))
      join_run(search, length);
  }
}

int sym_length_pairing_find(struct base_arena *arena, struct sym_pairing_parameter *parameters, size_t count)
{
  struct search search = {.arena = arena, .parameters = parameters, .count = count};
  search.names = base_arena_alloc(arena, count * sizeof *search.names);
  search.best = base_arena_alloc(arena, count * sizeof *search.best);
  if (!search.names || !search.best)
    return -ENOMEM;
  for (size_t i = 0; i < count; i++) {
    parameters[i].length = -1;
    parameters[i].why = "";
    if (parameters[i].role == SYM_PAIRING_INTEGER)
      sym_length_name(parameters[i].name, &search.names[i]);
  }
  for (size_t i = 0; i < count; i++)
    search.best[i] = parameters[i].role == SYM_PAIRING_INTEGER ? best_match(&search, i) : 0;
  join_by_stem(&search);
  join_by_place(&search);
  return search.failed ? -ENOMEM : 0;
}
