/*
 * pprof's profile (pprof.proto), gzipped. Samples are stacks of functions with calls and nanoseconds; the innermost
 * call's signature, each of its arguments, its stage and its thread are the sample's labels.
 *
 * Repeated fields of a message may come in pieces: what is written one after the other are Profile messages of one
 * entry each, which are together the whole.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/export/export_stacks.h"
#include "output/notes/notes.h"
#include "output/stats/render.h"
#include "output/text/gzip.h"
#include "pprof.pb-c.h"

/* The label keys that are no arguments' names. An argument of such a name is "arg.NAME". */
static const char *const own_keys[] = {"signature", "stage", "thread", "process", "rank", "site"};

struct writer {
  const struct out_export *export;
  const struct out_stacks *stacks;
  struct out_gzip gzip;
  struct base_strings *strings; /* what is in string_table */
  struct base_vector offsets;   /* uint32_t: offsets of `strings`, in the order of string_table */
  struct out_idset offset_set;
  struct base_vector modules; /* uint32_t: the labels of mappings 1, 2, ... */
  struct base_vector sites;   /* struct site: locations that follow those of the frames */
  struct out_idset site_set;
  bool *named_places;        /* by call place: there is a function of what is inlined there */
  struct base_vector labels; /* Callsig__Pprof__Label, of the sample being made */
  struct out_text text, key;
  struct out_packed packed;
  struct out_arguments scratch;
  int result; /* of everything so far */
};

/* A frame that makes calls at a place. */
struct site {
  uint32_t frame, place;
};

/* Writes a Profile that holds a part of the whole. */
static void put(struct writer *writer, const Callsig__Pprof__Profile *part)
{
  size_t size = callsig__pprof__profile__get_packed_size(part);
  if (writer->result < 0)
    return;
  writer->result = out_packed_room(&writer->packed, size);
  if (writer->result < 0)
    return;
  callsig__pprof__profile__pack(part, writer->packed.bytes);
  writer->result = out_gzip_write(&writer->gzip, writer->packed.bytes, size);
}

static bool equal_offset(const void *owner, uint32_t number, const void *key)
{
  return *(const uint32_t *)base_vector_at(&((const struct writer *)owner)->offsets, number) == *(const uint32_t *)key;
}

/* The index of a string in string_table, to which it is written when it is new. */
static int64_t index_of(struct writer *writer, const char *string)
{
  uint32_t offset = 0;
  if (writer->result == 0 && base_strings_add(writer->strings, string, &offset) < 0)
    writer->result = -ENOMEM;
  if (writer->result < 0)
    return 0;
  uint64_t hash = out_hash_mix(0, offset);
  uint32_t number = out_idset_find(&writer->offset_set, hash, writer, &offset, equal_offset);
  if (number != FMT_NONE)
    return number;
  uint32_t *added = base_vector_add(&writer->offsets, 1);
  if (!added || out_idset_add(&writer->offset_set, hash, writer->offsets.count - 1) < 0) {
    writer->result = -ENOMEM;
    return 0;
  }
  *added = offset;
  union {
    const char *given;
    char *taken; /* packing reads it */
  } entry = {.given = string};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  part.n_string_table = 1;
  part.string_table = &entry.taken;
  put(writer, &part);
  return writer->offsets.count - 1;
}

/* What values are: "calls" of unit "count". */
static void put_sample_type(struct writer *writer, const char *type, const char *unit)
{
  Callsig__Pprof__ValueType one = CALLSIG__PPROF__VALUE_TYPE__INIT, *list[] = {&one};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  one.type = index_of(writer, type);
  one.unit = index_of(writer, unit);
  part.n_sample_type = 1;
  part.sample_type = list;
  put(writer, &part);
}

static int put_note(const char *note, void *data)
{
  struct writer *writer = data;
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  /* pprof's tables and graphs begin with the comments, but for those that begin so. */
  out_text_clear(&writer->text);
  out_text_printf(&writer->text, "# %s", note);
  if (writer->text.failed && writer->result == 0)
    writer->result = -ENOMEM;
  int64_t comment = index_of(writer, out_text_string(&writer->text));
  part.n_comment = 1;
  part.comment = &comment;
  put(writer, &part);
  return writer->result;
}

static void put_head(struct writer *writer)
{
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  const struct out_export *export = writer->export;
  struct out_export_clock clock = {.tick = export->stats->grouping.tick};
  index_of(writer, "");
  put_sample_type(writer, "calls", "count");
  put_sample_type(writer, "time", "nanoseconds");
  part.default_sample_type = index_of(writer, "time");
  part.duration_nanos = (int64_t)out_export_nanoseconds(&clock, writer->stacks->own);
  put(writer, &part);
  int noted = out_notes(export->stats, put_note, writer);
  writer->result = writer->result < 0 ? writer->result : noted;
}

/* The label to be filled; the list's memory may move with the next. NULL: no memory. */
static Callsig__Pprof__Label *add_label(struct writer *writer, const char *key)
{
  Callsig__Pprof__Label *label = writer->result < 0 ? NULL : base_vector_add(&writer->labels, 1);
  if (!label) {
    writer->result = writer->result < 0 ? writer->result : -ENOMEM;
    return NULL;
  }
  callsig__pprof__label__init(label);
  label->key = index_of(writer, key);
  return label;
}

static void label_string(struct writer *writer, const char *key, const char *string)
{
  Callsig__Pprof__Label *label = add_label(writer, key);
  if (label)
    label->str = index_of(writer, string);
}

/* "count" is the unit that pprof prints plain numbers for. */
static void label_number(struct writer *writer, const char *key, int64_t number)
{
  Callsig__Pprof__Label *label = add_label(writer, key);
  if (!label)
    return;
  label->num = number;
  label->num_unit = index_of(writer, "count");
}

/* True when the argument is an integer that a label's number can be; char, bool and enum are strings. */
static bool is_number(const struct fmt_index *index, const struct out_argument *argument)
{
  if (argument->state != FMT_STATE_READ || argument->arg->kind != FMT_ARG_VALUE)
    return false;
  uint8_t kind = index->types[argument->arg->type].kind;
  return kind == FMT_TYPE_SIGNED || (kind == FMT_TYPE_UNSIGNED && argument->words[0] <= INT64_MAX);
}

/* One argument, and those inside it if it is a group, as "GROUP.NAME". writer.key holds the key so far. */
static void label_argument(struct writer *writer, const struct fmt_index *index, uint32_t number)
{
  const struct out_argument *argument = &writer->scratch.list[number];
  const char *name = fmt_index_string(index, argument->arg->name);
  size_t before = writer->key.length;
  if (argument->arg->kind == FMT_ARG_IGNORED)
    return;
  for (size_t i = 0; i < sizeof own_keys / sizeof own_keys[0] && before == 0; i++) {
    if (strcmp(name, own_keys[i]) == 0)
      out_text_puts(&writer->key, "arg");
  }
  if (writer->key.length > 0)
    out_text_putc(&writer->key, '.');
  out_text_printable(&writer->key, name, strlen(name));
  if (is_number(index, argument)) {
    label_number(writer, out_text_string(&writer->key), (int64_t)argument->words[0]);
  } else {
    out_text_clear(&writer->text);
    out_render_value(&writer->export->stats->profile, index, &writer->scratch, number, &writer->text);
    label_string(writer, out_text_string(&writer->key), out_text_string(&writer->text));
  }
  if (argument->arg->kind == FMT_ARG_GROUP && argument->state == FMT_STATE_READ &&
      !out_group_is_null(&writer->scratch, number)) {
    for (uint32_t child = out_group_child(&writer->scratch, number, number); child != FMT_NONE;
         child = out_group_child(&writer->scratch, number, child))
      label_argument(writer, index, child);
  }
  if (writer->key.failed || writer->text.failed)
    writer->result = -ENOMEM;
  writer->key.length = before;
}

static void label_signature(struct writer *writer, uint32_t number)
{
  struct callsig_stats *stats = writer->export->stats;
  const struct out_signature *signature = out_profile_signature(&stats->profile, number);
  const struct fmt_index *index = out_profile_layout(&stats->profile, signature->layout)->index;
  struct out_names names = out_stats_names(stats);
  struct out_row_key key = out_row_key_of(number);
  out_text_clear(&writer->text);
  out_row_signature(&names, &key, &writer->scratch, &writer->text);
  writer->result = writer->text.failed ? -ENOMEM : writer->result;
  if (writer->text.length == 0)
    return;
  label_string(writer, "signature", out_text_string(&writer->text));
  if (signature->any || !index || out_profile_text(&stats->profile, signature))
    return;
  if (out_arguments_of(&stats->profile, number, &writer->scratch) < 0)
    writer->result = -ENOMEM;
  out_text_clear(&writer->key);
  for (uint32_t i = 0; writer->result == 0 && i < writer->scratch.count; i = out_argument_after(&writer->scratch, i))
    label_argument(writer, index, i);
}

static void label_groups(struct writer *writer, const struct out_row_key *key)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  struct out_names names = out_stats_names(writer->export->stats);
  if (key->what != FMT_NONE)
    label_signature(writer, key->what);
  if (key->stage)
    label_string(writer, "stage", out_profile_string(profile, out_profile_stage(profile, key->stage)->label));
  if (key->thread != FMT_NONE)
    label_string(writer, "thread", out_profile_string(profile, key->thread));
  if (key->process != FMT_NONE)
    label_string(writer, "process", out_row_process(&names, key));
  if (key->rank != FMT_NONE)
    label_string(writer, "rank", out_row_rank(&names, key));
  out_text_clear(&writer->text);
  if (out_row_site(&names, key, &writer->text))
    label_string(writer, "site", out_text_string(&writer->text));
}

/* The number of the mapping of a module, 0 for none. */
static uint64_t mapping_of(struct writer *writer, uint32_t module)
{
  if (module == FMT_NONE || module == 0)
    return 0;
  for (uint32_t i = 0; i < writer->modules.count; i++) {
    if (*(const uint32_t *)base_vector_at(&writer->modules, i) == module)
      return i + 1u;
  }
  uint32_t *added = base_vector_add(&writer->modules, 1);
  if (!added) {
    writer->result = -ENOMEM;
    return 0;
  }
  *added = module;
  Callsig__Pprof__Mapping mapping = CALLSIG__PPROF__MAPPING__INIT, *list[] = {&mapping};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  mapping.id = writer->modules.count;
  mapping.filename = index_of(writer, out_profile_string(&writer->export->stats->profile, module));
  mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = true;
  part.n_mapping = 1;
  part.mapping = list;
  put(writer, &part);
  return mapping.id;
}

static bool equal_site(const void *owner, uint32_t number, const void *key)
{
  const struct site *there = base_vector_at(&((const struct writer *)owner)->sites, number), *wanted = key;
  return there->frame == wanted->frame && there->place == wanted->place;
}

/* The function of code that is inlined at a place: it has no frame, and a number behind all that have. */
static uint64_t inlined_function(struct writer *writer, uint32_t number)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  const struct out_call_place *place = out_profile_call_place(profile, number);
  const uint64_t id = (uint64_t)writer->stacks->frames.list.count + 1 + number;
  if (writer->named_places[number])
    return id;
  writer->named_places[number] = true;
  Callsig__Pprof__Function function = CALLSIG__PPROF__FUNCTION__INIT, *functions[] = {&function};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  function.id = id;
  function.name = function.system_name = index_of(writer, out_profile_string(profile, place->function));
  function.filename = index_of(writer, out_profile_string(profile, place->file));
  part.n_function = 1;
  part.function = functions;
  put(writer, &part);
  return id;
}

/* Writes location `id`: a frame at a place, with the lines of what is inlined there, innermost first. */
static void put_site(struct writer *writer, uint64_t id, const struct site *site)
{
  enum { MOST = 64 };
  const struct out_profile *profile = &writer->export->stats->profile;
  Callsig__Pprof__Line lines[MOST], *list[MOST];
  Callsig__Pprof__Location location = CALLSIG__PPROF__LOCATION__INIT, *locations[] = {&location};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  location.id = id;
  location.mapping_id = mapping_of(writer, out_frames_at(&writer->stacks->frames, site->frame)->key.module);
  for (uint32_t at = site->place; at != FMT_NONE && location.n_line < MOST;) {
    const struct out_call_place *place = out_profile_call_place(profile, at);
    Callsig__Pprof__Line *line = &lines[location.n_line];
    callsig__pprof__line__init(line);
    line->function_id = place->outer == FMT_NONE ? site->frame + 1u : inlined_function(writer, at);
    line->line = place->line;
    list[location.n_line++] = line;
    at = place->outer;
  }
  location.line = list;
  part.n_location = 1;
  part.location = locations;
  put(writer, &part);
}

/* The location of a frame that made calls at a place, FMT_NONE or OUT_PLACE_UNKNOWN for no known one. */
static uint64_t location_of(struct writer *writer, uint32_t frame, uint32_t place)
{
  const struct site site = {.frame = frame, .place = place};
  if (place >= OUT_PLACE_UNKNOWN || !out_profile_call_place(&writer->export->stats->profile, place)->line)
    return frame + 1u;
  const uint64_t hash = out_hash_mix(frame, place), first = (uint64_t)writer->stacks->frames.list.count + 1;
  uint32_t number = out_idset_find(&writer->site_set, hash, writer, &site, equal_site);
  if (number != FMT_NONE)
    return first + number;
  struct site *added = base_vector_add(&writer->sites, 1);
  if (!added || out_idset_add(&writer->site_set, hash, writer->sites.count - 1) < 0) {
    writer->result = -ENOMEM;
    return 0;
  }
  *added = site;
  number = writer->sites.count - 1;
  put_site(writer, first + number, &site);
  return first + number;
}

/* `locations` has room for all of the stack. */
static void put_sample(struct writer *writer, const struct out_stack *stack, uint64_t nanoseconds, uint64_t *locations)
{
  Callsig__Pprof__Sample sample = CALLSIG__PPROF__SAMPLE__INIT, *samples[] = {&sample};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  int64_t values[] = {(int64_t)stack->calls, (int64_t)nanoseconds};
  for (uint32_t node = stack->node; node != 0; node = out_stacks_node(writer->stacks, node)->parent)
    locations[sample.n_location_id++] = out_stacks_node(writer->stacks, node)->frame + 1;
  /* Where the innermost call was made is a line of its caller. What the callers' own calls led to is counted together.
   */
  if (sample.n_location_id > 1)
    locations[1] = location_of(writer, (uint32_t)locations[1] - 1, out_stacks_key(writer->stacks, stack)->place);
  sample.location_id = locations;
  sample.n_value = 2;
  sample.value = values;
  writer->labels.count = 0;
  label_groups(writer, out_stacks_key(writer->stacks, stack));
  Callsig__Pprof__Label **list = calloc(writer->labels.count + 1u, sizeof(*list));
  if (!list) {
    writer->result = -ENOMEM;
    return;
  }
  for (uint32_t i = 0; i < writer->labels.count; i++)
    list[i] = base_vector_at(&writer->labels, i);
  sample.n_label = writer->labels.count;
  sample.label = list;
  part.n_sample = 1;
  part.sample = samples;
  put(writer, &part);
  free(list);
}

static void put_samples(struct writer *writer)
{
  struct out_export_clock clock = {.tick = writer->export->stats->grouping.tick};
  uint64_t *locations = calloc(writer->stacks->nodes.count, sizeof *locations);
  if (!locations) {
    writer->result = -ENOMEM;
    return;
  }
  for (uint32_t i = 0; i < writer->stacks->list.count && writer->result == 0; i++) {
    const struct out_stack *stack = out_stacks_at(writer->stacks, i);
    put_sample(writer, stack, out_export_nanoseconds(&clock, stack->own), locations);
  }
  free(locations);
}

/* A frame is a function of its own and the one location in it. */
static void put_frame(struct writer *writer, uint32_t frame)
{
  const struct out_frames *frames = &writer->stacks->frames;
  const struct out_profile *profile = &writer->export->stats->profile;
  const struct out_known_function *known = out_frame_function(frames, frame);
  Callsig__Pprof__Function function = CALLSIG__PPROF__FUNCTION__INIT, *functions[] = {&function};
  Callsig__Pprof__Line line = CALLSIG__PPROF__LINE__INIT, *lines[] = {&line};
  Callsig__Pprof__Location location = CALLSIG__PPROF__LOCATION__INIT, *locations[] = {&location};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  location.mapping_id = mapping_of(writer, out_frames_at(frames, frame)->key.module);
  function.id = location.id = line.function_id = frame + 1;
  function.name = function.system_name = index_of(writer, writer->stacks->texts.list[frame]);
  if (known) {
    function.filename = index_of(writer, out_profile_string(profile, known->file));
    function.start_line = line.line = known->line;
  }
  location.n_line = 1;
  location.line = lines;
  part.n_function = 1;
  part.function = functions;
  part.n_location = 1;
  part.location = locations;
  put(writer, &part);
}

static int write_profile(struct writer *writer)
{
  writer->strings = base_strings_new();
  int begun = writer->strings ? out_gzip_begin(&writer->gzip, writer->export->out) : -ENOMEM;
  if (begun < 0)
    return begun;
  put_head(writer);
  for (uint32_t i = 0; i < writer->stacks->frames.list.count && writer->result == 0; i++)
    put_frame(writer, i);
  if (writer->result == 0)
    put_samples(writer);
  return out_gzip_end(&writer->gzip, writer->result);
}

int out_export_pprof(const struct out_export *export)
{
  struct out_stacks stacks;
  int result = out_stacks_make(export->stats, &(struct out_stack_shape){.apart = true, .modules = true}, &stacks);
  if (result < 0)
    return result;
  struct writer writer = {.export = export,
                          .stacks = &stacks,
                          .offsets = BASE_VECTOR_OF(uint32_t),
                          .modules = BASE_VECTOR_OF(uint32_t),
                          .sites = BASE_VECTOR_OF(struct site),
                          .labels = BASE_VECTOR_OF(Callsig__Pprof__Label),
                          .named_places = calloc(export->stats->profile.call_places.count + 1u, sizeof(bool))};
  result = writer.named_places ? write_profile(&writer) : -ENOMEM;
  free(writer.named_places);
  base_vector_free(&writer.sites);
  out_idset_free(&writer.site_set);
  base_strings_free(writer.strings);
  base_vector_free(&writer.offsets);
  out_idset_free(&writer.offset_set);
  base_vector_free(&writer.modules);
  base_vector_free(&writer.labels);
  out_text_free(&writer.text);
  out_text_free(&writer.key);
  free(writer.packed.bytes);
  out_arguments_free(&writer.scratch);
  out_stacks_free(&stacks);
  return result;
}
