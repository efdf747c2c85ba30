/* Walks the samples of an export in an order that does not depend on how the report is sorted. */
#include "output/export/export_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export_stacks.h"
#include "output/notes/notes.h"
#include "output/stats/render.h"

/* The label keys that are no arguments' names. An argument of such a name is "arg.NAME". */
static const char *const own_keys[] = {"signature", "stage", "thread", "process", "rank", "site"};

struct out_sample_writer {
  const struct out_export *export;
  const struct out_sample_sink *sink;
  const struct out_stacks *stacks;
  struct base_strings *strings; /* what is in the table of strings */
  struct base_vector offsets;   /* uint32_t: offsets of `strings`, in the order of the table */
  struct out_idset offset_set;
  struct base_vector modules; /* uint32_t: the labels of modules 1, 2, ... */
  struct base_vector sites;   /* struct site: locations that follow those of the frames */
  struct out_idset site_set;
  bool *named_places;        /* by call place: there is a function of what is inlined there */
  struct base_vector labels; /* struct out_sample_label, of the sample being made */
  struct out_text text, key;
  struct out_arguments scratch;
  int result; /* of everything so far */
};

/* A frame that makes calls at a place. */
struct site {
  uint32_t frame, place;
};

static bool equal_offset(const void *owner, uint32_t number, const void *key)
{
  return *(const uint32_t *)base_vector_at(&((const struct out_sample_writer *)owner)->offsets, number) ==
         *(const uint32_t *)key;
}

out_sample_string out_sample_string_of(struct out_sample_writer *writer, const char *string)
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
  writer->result = writer->sink->string(writer->sink->data, string);
  return writer->offsets.count - 1;
}

/* Keeps what a function of the sink returned, unless a string that it asked for failed before. */
static void told(struct out_sample_writer *writer, int result)
{
  writer->result = writer->result < 0 ? writer->result : result;
}

static int put_note(const char *note, void *data)
{
  struct out_sample_writer *writer = data;
  /* pprof's tables and graphs begin with the comments, but for those that begin so. */
  out_text_clear(&writer->text);
  out_text_printf(&writer->text, "# %s", note);
  if (writer->text.failed && writer->result == 0)
    writer->result = -ENOMEM;
  out_sample_string comment = out_sample_string_of(writer, out_text_string(&writer->text));
  if (writer->result == 0)
    told(writer, writer->sink->note(writer->sink->data, comment));
  return writer->result;
}

/* What is to be known of a difference. Notes are of a whole recording, and not told. */
static int put_delta_notes(struct out_sample_writer *writer, const struct out_export_delta *delta)
{
  char note[160];
  snprintf(note, sizeof note, "what was added in %.3f s to a recording of a program that runs",
           (double)delta->duration_ns * 1e-9);
  int result = put_note(note, writer);
  if (result == 0 && delta->lost > 0) {
    snprintf(note, sizeof note, "%" PRIu64 " calls could not be recorded meanwhile", delta->lost);
    result = put_note(note, writer);
  }
  if (result == 0 && (delta->less_calls > 0 || delta->less_own > 0)) {
    snprintf(note, sizeof note, "%" PRIu64 " calls and %.6f s were counted elsewhere before: they are in this, too",
             delta->less_calls, (double)delta->less_own * writer->export->stats->grouping.tick);
    result = put_note(note, writer);
  }
  return result;
}

/* When a process ran, since 1970. */
struct span {
  uint64_t begin, end;
};

static int compare_spans(const void *left, const void *right)
{
  const struct span *a = left, *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

/* What the spans cover together: processes that ran beside one another took no longer than one of them. */
static uint64_t covered(struct span *spans, uint32_t count)
{
  uint64_t sum = 0, end = 0;
  qsort(spans, count, sizeof *spans, compare_spans);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t begin = spans[i].begin > end ? spans[i].begin : end;
    sum += spans[i].end > begin ? spans[i].end - begin : 0;
    end = spans[i].end > end ? spans[i].end : end;
  }
  return sum;
}

/* How long the run was by the clock on the wall, in nanoseconds, however many threads' times are added in the samples.
 * `added`, these, where a process had another clock. */
static uint64_t duration_of(struct out_sample_writer *writer, uint64_t added)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  struct span *spans = calloc(profile->recordings.count + 1u, sizeof *spans);
  if (!spans)
    writer->result = -ENOMEM;
  for (uint32_t i = 0; i < profile->recordings.count && spans; i++) {
    const struct out_recording_info *info = out_profile_recording(profile, i);
    const struct fmt_rec_process *process = &info->process;
    if (info->clock > FMT_CLOCK_MONOTONIC || info->uncalibrated ||
        process->last.monotonic_ns < process->start.monotonic_ns) {
      free(spans);
      return added;
    }
    const uint64_t begin = process->start_realtime_ns;
    spans[i] = (struct span){begin, begin + (process->last.monotonic_ns - process->start.monotonic_ns)};
  }
  const uint64_t duration = spans ? covered(spans, profile->recordings.count) : 0;
  free(spans);
  return duration;
}

static void put_head(struct out_sample_writer *writer)
{
  const struct out_export *export = writer->export;
  const struct out_export_delta *delta = export->delta;
  struct out_export_clock clock = {.tick = export->stats->grouping.tick};
  const uint64_t added = out_export_nanoseconds(&clock, writer->stacks->own),
                 duration = delta ? delta->duration_ns : duration_of(writer, added);
  out_sample_string_of(writer, "");
  if (writer->result == 0)
    told(writer, writer->sink->head(writer->sink->data, duration));
  if (writer->result == 0)
    told(writer, delta ? put_delta_notes(writer, delta) : out_notes(export->stats, put_note, writer));
}

/* The label to be filled; the list's memory may move with the next. NULL: no memory. */
static struct out_sample_label *add_label(struct out_sample_writer *writer, const char *key)
{
  struct out_sample_label *label = writer->result < 0 ? NULL : base_vector_add(&writer->labels, 1);
  if (!label) {
    writer->result = writer->result < 0 ? writer->result : -ENOMEM;
    return NULL;
  }
  *label = (struct out_sample_label){.key = 0};
  label->key = out_sample_string_of(writer, key);
  return label;
}

static void label_string(struct out_sample_writer *writer, const char *key, const char *string)
{
  struct out_sample_label *label = add_label(writer, key);
  if (label)
    label->string = out_sample_string_of(writer, string);
}

/* "count" is the unit that pprof prints plain numbers for. */
static void label_number(struct out_sample_writer *writer, const char *key, int64_t number)
{
  struct out_sample_label *label = add_label(writer, key);
  if (!label)
    return;
  label->number = number;
  label->unit = out_sample_string_of(writer, "count");
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
static void label_argument(struct out_sample_writer *writer, const struct fmt_index *index, uint32_t number)
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

static void label_signature(struct out_sample_writer *writer, uint32_t number)
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

static void label_groups(struct out_sample_writer *writer, const struct out_row_key *key)
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

/* The number of a module, 0 for none. */
static uint32_t module_of(struct out_sample_writer *writer, uint32_t module)
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
  struct out_sample_module made = {.id = writer->modules.count, .label = module};
  made.filename = out_sample_string_of(writer, out_profile_string(&writer->export->stats->profile, module));
  if (writer->result == 0)
    told(writer, writer->sink->module(writer->sink->data, &made));
  return made.id;
}

static bool equal_site(const void *owner, uint32_t number, const void *key)
{
  const struct site *there = base_vector_at(&((const struct out_sample_writer *)owner)->sites, number), *wanted = key;
  return there->frame == wanted->frame && there->place == wanted->place;
}

static void put_function(struct out_sample_writer *writer, const struct out_sample_function *function)
{
  if (writer->result == 0)
    told(writer, writer->sink->function(writer->sink->data, function));
}

static void put_location(struct out_sample_writer *writer, const struct out_sample_location *location)
{
  if (writer->result == 0)
    told(writer, writer->sink->location(writer->sink->data, location));
}

/* The function of code that is inlined at a place: it has no frame, and a number behind all that have. */
static uint32_t inlined_function(struct out_sample_writer *writer, uint32_t number)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  const struct out_call_place *place = out_profile_call_place(profile, number);
  struct out_sample_function function = {.id = writer->stacks->frames.list.count + 1 + number};
  if (writer->named_places[number])
    return function.id;
  writer->named_places[number] = true;
  function.name = out_sample_string_of(writer, out_profile_string(profile, place->function));
  function.filename = out_sample_string_of(writer, out_profile_string(profile, place->file));
  put_function(writer, &function);
  return function.id;
}

/* Hands out location `id`: a frame at a place, with the lines of what is inlined there, innermost first. */
static void put_site(struct out_sample_writer *writer, uint32_t id, const struct site *site)
{
  enum { MOST = 64 };
  const struct out_profile *profile = &writer->export->stats->profile;
  struct out_sample_line lines[MOST];
  struct out_sample_location location = {.id = id, .lines = lines};
  location.module = module_of(writer, out_frames_at(&writer->stacks->frames, site->frame)->key.module);
  for (uint32_t at = site->place; at != FMT_NONE && location.line_count < MOST;) {
    const struct out_call_place *place = out_profile_call_place(profile, at);
    lines[location.line_count++] = (struct out_sample_line){
        .function = place->outer == FMT_NONE ? site->frame + 1 : inlined_function(writer, at), .line = place->line};
    at = place->outer;
  }
  put_location(writer, &location);
}

/* The location of a frame that made calls at a place, FMT_NONE or OUT_PLACE_UNKNOWN for no known one. */
static uint32_t location_of(struct out_sample_writer *writer, uint32_t frame, uint32_t place)
{
  const struct site site = {.frame = frame, .place = place};
  if (place >= OUT_PLACE_UNKNOWN || !out_profile_call_place(&writer->export->stats->profile, place)->line)
    return frame + 1u;
  const uint64_t hash = out_hash_mix(frame, place);
  const uint32_t first = writer->stacks->frames.list.count + 1;
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
static void put_sample(struct out_sample_writer *writer, const struct out_stack *stack, uint64_t nanoseconds,
                       uint32_t *locations)
{
  struct out_sample sample = {
      .locations = locations, .path = stack->node, .calls = stack->calls, .nanoseconds = nanoseconds};
  for (uint32_t node = stack->node; node != 0; node = out_stacks_node(writer->stacks, node)->parent)
    locations[sample.location_count++] = out_stacks_node(writer->stacks, node)->frame + 1;
  /* Where the innermost call was made is a line of its caller. What the callers' own calls led to is counted together.
   */
  if (sample.location_count > 1)
    locations[1] = location_of(writer, locations[1] - 1, out_stacks_key(writer->stacks, stack)->place);
  writer->labels.count = 0;
  label_groups(writer, out_stacks_key(writer->stacks, stack));
  sample.labels = writer->labels.data;
  sample.label_count = writer->labels.count;
  if (writer->result == 0)
    told(writer, writer->sink->sample(writer->sink->data, &sample));
}

static void put_samples(struct out_sample_writer *writer)
{
  struct out_export_clock clock = {.tick = writer->export->stats->grouping.tick};
  uint32_t *locations = calloc(writer->stacks->nodes.count, sizeof *locations);
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
static void put_frame(struct out_sample_writer *writer, uint32_t frame)
{
  const struct out_frames *frames = &writer->stacks->frames;
  const struct out_profile *profile = &writer->export->stats->profile;
  const struct out_known_function *known = out_frame_function(frames, frame);
  struct out_sample_function function = {.id = frame + 1};
  struct out_sample_line line = {.function = function.id};
  struct out_sample_location location = {.id = function.id, .lines = &line, .line_count = 1};
  location.module = module_of(writer, out_frames_at(frames, frame)->key.module);
  function.name = out_sample_string_of(writer, writer->stacks->texts.list[frame]);
  if (known) {
    function.filename = out_sample_string_of(writer, out_profile_string(profile, known->file));
    function.line = line.line = known->line;
  }
  put_location(writer, &location);
  put_function(writer, &function);
}

static void walk(struct out_sample_writer *writer)
{
  put_head(writer);
  for (uint32_t i = 0; i < writer->stacks->frames.list.count && writer->result == 0; i++)
    put_frame(writer, i);
  if (writer->result == 0)
    put_samples(writer);
  if (writer->result == 0 && writer->sink->end)
    told(writer, writer->sink->end(writer->sink->data));
}

static void free_writer(struct out_sample_writer *writer)
{
  free(writer->named_places);
  base_vector_free(&writer->sites);
  out_idset_free(&writer->site_set);
  base_strings_free(writer->strings);
  base_vector_free(&writer->offsets);
  out_idset_free(&writer->offset_set);
  base_vector_free(&writer->modules);
  base_vector_free(&writer->labels);
  out_text_free(&writer->text);
  out_text_free(&writer->key);
  out_arguments_free(&writer->scratch);
}

int out_samples_walk(const struct out_export *export, const struct out_sample_sink *sink,
                     struct out_sample_writer **made)
{
  struct out_stacks stacks;
  const struct out_stack_shape shape = {.apart = true, .modules = true, .before = export->delta ? 1 : 0};
  int result = out_stacks_make(export->stats, &shape, &stacks);
  if (result < 0)
    return result;
  if (export->delta) {
    export->delta->calls = stacks.calls;
    export->delta->own = stacks.own;
    export->delta->less_calls = stacks.less_calls;
    export->delta->less_own = stacks.less_own;
  }
  struct out_sample_writer writer = {.export = export,
                                     .sink = sink,
                                     .stacks = &stacks,
                                     .strings = base_strings_new(),
                                     .offsets = BASE_VECTOR_OF(uint32_t),
                                     .modules = BASE_VECTOR_OF(uint32_t),
                                     .sites = BASE_VECTOR_OF(struct site),
                                     .labels = BASE_VECTOR_OF(struct out_sample_label),
                                     .named_places =
                                         calloc(export->stats->profile.call_places.count + 1u, sizeof(bool))};
  *made = &writer;
  if (writer.strings && writer.named_places)
    walk(&writer);
  else
    writer.result = -ENOMEM;
  *made = NULL;
  free_writer(&writer);
  out_stacks_free(&stacks);
  return writer.result;
}
