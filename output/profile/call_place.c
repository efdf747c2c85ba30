/* Interns the places that calls were made at, and has their lines looked up. */
#define _GNU_SOURCE
#include "output/profile/call_place.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "callsig/stats.h"

/* A path and a build-id name the same code in all recordings. */
static bool same_module(const struct out_profile *profile, uint32_t left, uint32_t right)
{
  if (left == right || left == FMT_NONE || right == FMT_NONE)
    return left == right;
  const struct out_known_module *a = out_profile_module(profile, left), *b = out_profile_module(profile, right);
  return a->label == b->label && a->build_id_size == b->build_id_size &&
         memcmp(a->build_id, b->build_id, sizeof a->build_id) == 0;
}

static bool equal_place(const void *owner, uint32_t number, const void *key)
{
  const struct out_call_place *there = out_profile_call_place(owner, number), *wanted = key;
  return there->address == wanted->address && there->callee == wanted->callee &&
         (there->flags & FMT_CALL_PLACE_INLINED) == (wanted->flags & FMT_CALL_PLACE_INLINED) &&
         there->file == wanted->file && there->line == wanted->line && there->function == wanted->function &&
         there->outer == wanted->outer && same_module(owner, there->module, wanted->module);
}

static int intern(struct out_profile *profile, const struct out_call_place *place, uint32_t *number)
{
  uint64_t hash = out_hash_mix(out_hash_mix(place->address, place->callee), (uint64_t)place->file << 32 | place->line);
  *number = out_idset_find(&profile->call_place_set, hash, profile, place, equal_place);
  if (*number != FMT_NONE)
    return 0;
  struct out_call_place *added = base_vector_add(&profile->call_places, 1);
  if (!added)
    return -ENOMEM;
  *added = *place;
  *number = profile->call_places.count - 1;
  return out_idset_add(&profile->call_place_set, hash, *number);
}

/* A place by its address in the process, which entered `callable` there. */
static int load_address(struct out_loader *loader, uint64_t address, bool is_inlined, uint32_t callable,
                        uint64_t callee, uint32_t *place)
{
  struct out_call_place found = {.module = out_load_module_at(loader, address),
                                 .outer = FMT_NONE,
                                 .flags = is_inlined ? FMT_CALL_PLACE_INLINED : 0};
  if (found.module != FMT_NONE) {
    const struct out_known_module *module = out_profile_module(loader->profile, found.module);
    found.address = address - module->bias;
    if (!is_inlined && callable != FMT_NONE && out_profile_callable(loader->profile, callable)->module == found.module)
      found.callee = callee - module->bias;
  }
  return intern(loader->profile, &found, place);
}

/* The record at `address`, after those that it is inlined at, which lie before it. */
static int load_record(struct out_loader *loader, uint64_t address, uint32_t *place)
{
  uint64_t chain[64], next = address;
  size_t count = 0;
  *place = FMT_NONE;
  while (next && count < sizeof chain / sizeof *chain) {
    const struct fmt_rec_call_place *record =
        out_recording_record(loader->recording, next, FMT_TAG_CALL_PLACE, sizeof *record);
    if (!record || record->outer >= next) {
      loader->recording->damaged++;
      break;
    }
    chain[count++] = next;
    next = record->outer;
  }
  int result = 0;
  while (count-- > 0 && result == 0) {
    const struct fmt_rec_call_place *at =
        out_recording_record(loader->recording, chain[count], FMT_TAG_CALL_PLACE, sizeof *at);
    if (!at)
      return 0;
    const struct fmt_rec_call_place record = *at;
    struct out_call_place found = {.module = FMT_NONE,
                                   .flags = record.flags,
                                   .address = record.address,
                                   .callee = record.callee,
                                   .line = record.line,
                                   .outer = *place};
    uint32_t module =
        record.module ? out_recording_known(loader->recording, &loader->modules, record.module) : FMT_NONE;
    if (module != FMT_NONE)
      found.module = loader->first_module + module;
    if (record.file)
      result = out_load_name(loader, record.file, "?", &found.file);
    if (result == 0 && record.function)
      result = out_load_name(loader, record.function, "?", &found.function);
    if (result == 0)
      result = intern(loader->profile, &found, place);
  }
  return result;
}

int out_load_call_place(struct out_loader *loader, uint64_t address, const struct fmt_rec_edge *record,
                        uint32_t callable, uint32_t *place)
{
  *place = FMT_NONE;
  const uint64_t *word = NULL;
  if (record->word_count > 0 && record->tag.size >= sizeof *record + (uint64_t)record->word_count * sizeof *word)
    word = out_recording_bytes(loader->recording, address + sizeof *record + (record->word_count - 1u) * sizeof *word,
                               sizeof *word);
  if (!word) {
    loader->recording->damaged++;
    return 0;
  }
  if (loader->recording->header.flags & FMT_REC_MERGED)
    return load_record(loader, *word, place);
  return load_address(loader, *word, (record->flags & FMT_EDGE_INLINED) != 0, callable, record->function_address,
                      place);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* Who finds lines is the process's, as the public function says; the lock keeps the pair whole. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static callsig_stats_lines_fn finder;
static void *finder_data;

void callsig_stats_set_lines(callsig_stats_lines_fn find, void *data)
{
  pthread_mutex_lock(&lock);
  finder = find;
  finder_data = data;
  pthread_mutex_unlock(&lock);
}

/* One module's places that are looked up together. */
struct batch {
  struct out_profile *profile;
  const uint32_t *places; /* ascending by address */
  uint32_t count;
};

static int take_lines(size_t number, const struct callsig_stats_code_line *lines, size_t count, int is_other, void *to)
{
  const struct batch *batch = to;
  struct out_profile *profile = batch->profile;
  uint32_t outer = FMT_NONE;
  if (number >= batch->count)
    return -EINVAL;
  const uint32_t place = batch->places[number];
  const size_t first = out_profile_call_place(profile, place)->flags & FMT_CALL_PLACE_INLINED ? 1 : 0;
  int result = 0;
  for (size_t i = count; i-- > first && result == 0;) {
    struct out_call_place found = {
        .module = FMT_NONE, .flags = FMT_CALL_PLACE_SOUGHT, .line = lines[i].line, .outer = outer};
    result = out_load_foreign(profile->strings, lines[i].file, strlen(lines[i].file), &found.file);
    if (result == 0)
      result = out_load_foreign(profile->strings, lines[i].function, strlen(lines[i].function), &found.function);
    if (result == 0 && i > first)
      result = intern(profile, &found, &outer);
    if (result == 0 && i == first) {
      struct out_call_place *known = out_profile_call_place(profile, place);
      known->file = found.file;
      known->function = found.function;
      known->line = found.line;
      known->outer = found.outer;
    }
  }
  if (is_other)
    out_profile_call_place(profile, place)->flags |= FMT_CALL_PLACE_TAIL;
  return result;
}

static int compare_places(const void *left, const void *right, void *data)
{
  const struct out_profile *profile = data;
  const struct out_call_place *a = out_profile_call_place(profile, *(const uint32_t *)left),
                              *b = out_profile_call_place(profile, *(const uint32_t *)right);
  const uint32_t one = out_profile_module(profile, a->module)->label,
                 other = out_profile_module(profile, b->module)->label;
  int order = (one > other) - (one < other);
  if (order == 0)
    order = memcmp(out_profile_module(profile, a->module)->build_id, out_profile_module(profile, b->module)->build_id,
                   sizeof out_profile_module(profile, a->module)->build_id);
  return order ? order : (a->address > b->address) - (a->address < b->address);
}

static int look_up(struct batch *batch, callsig_stats_lines_fn find, void *data)
{
  struct out_profile *profile = batch->profile;
  const struct out_known_module *module =
      out_profile_module(profile, out_profile_call_place(profile, batch->places[0])->module);
  uint64_t *addresses = malloc((batch->count + 1u) * sizeof *addresses);
  uint64_t *callees = malloc((batch->count + 1u) * sizeof *callees);
  char *path = strdup(out_profile_string(profile, module->label));
  int result = addresses && callees && path ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < batch->count && result == 0; i++) {
    struct out_call_place *place = out_profile_call_place(profile, batch->places[i]);
    addresses[i] = place->address - 1;
    callees[i] = place->callee;
    place->flags |= FMT_CALL_PLACE_SOUGHT;
  }
  const struct callsig_stats_code code = {.size = sizeof code,
                                          .path = path,
                                          .build_id = module->build_id,
                                          .build_id_size = module->build_id_size,
                                          .addresses = addresses,
                                          .callees = callees,
                                          .count = batch->count,
                                          .found = take_lines,
                                          .to = batch};
  if (result == 0)
    result = find(&code, data);
  free(addresses);
  free(callees);
  free(path);
  /* Where a file cannot be read, its places are known by their addresses. */
  return result == -ENOMEM ? result : 0;
}

static bool reads_alike(const void *owner, uint32_t number, const void *key)
{
  const struct out_call_place *there = out_profile_call_place(owner, number), *wanted = key;
  return there->line == wanted->line && there->file == wanted->file && there->function == wanted->function &&
         there->outer == wanted->outer && (there->flags & FMT_CALL_PLACE_TAIL) == (wanted->flags & FMT_CALL_PLACE_TAIL);
}

/* A line with several calls is one place to who reads of it. */
static int join_lines(struct out_profile *profile)
{
  struct out_idset set = {0};
  int result = 0;
  for (uint32_t i = 0; i < profile->call_places.count && result == 0; i++) {
    struct out_call_place *place = out_profile_call_place(profile, i);
    const uint64_t hash = out_hash_mix((uint64_t)place->file << 32 | place->line, place->outer);
    const uint32_t known = place->line ? out_idset_find(&set, hash, profile, place, reads_alike) : FMT_NONE;
    place->shown = known == FMT_NONE ? i : known;
    if (known == FMT_NONE && place->line)
      result = out_idset_add(&set, hash, i);
  }
  out_idset_free(&set);
  return result;
}

int out_call_places_look_up(struct out_profile *profile)
{
  pthread_mutex_lock(&lock);
  callsig_stats_lines_fn find = finder;
  void *data = finder_data;
  pthread_mutex_unlock(&lock);
  const uint32_t known = profile->call_places.count;
  uint32_t *places = find && known > 0 ? malloc(known * sizeof *places) : NULL, count = 0;
  if (!find || known == 0)
    return join_lines(profile);
  if (!places)
    return -ENOMEM;
  for (uint32_t i = 0; i < known; i++) {
    const struct out_call_place *place = out_profile_call_place(profile, i);
    if (place->module != FMT_NONE && place->address && !(place->flags & FMT_CALL_PLACE_SOUGHT))
      places[count++] = i;
  }
  qsort_r(places, count, sizeof *places, compare_places, profile);
  int result = 0;
  for (uint32_t i = 0, end; i < count && result == 0; i = end) {
    const uint32_t module = out_profile_call_place(profile, places[i])->module;
    for (end = i + 1; end < count && same_module(profile, module, out_profile_call_place(profile, places[end])->module);
         end++) {
    }
    struct batch batch = {.profile = profile, .places = places + i, .count = end - i};
    result = look_up(&batch, find, data);
  }
  free(places);
  return result < 0 ? result : join_lines(profile);
}
