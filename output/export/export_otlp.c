/*
 * OTLP's profiles (otlp.proto): the samples of the pprof export as one ProfilesData message, for OpenTelemetry's
 * collectors and the continuous profilers behind them. A profile of the schema has one value a sample, so there are two
 * of the same samples: time, which a viewer shows first, and calls.
 *
 * The dictionary is written as it is made: a message that comes in pieces is the pieces joined. A profile cannot be, as
 * it lies in a list: both are held, packed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/export/otlp_dictionary.h"

enum { TIME, CALLS, PROFILE_COUNT };

struct writer {
  struct out_otlp_dictionary dictionary;      /* the first: what the walk hands to it begins here */
  struct base_vector notes;                   /* out_sample_string */
  struct base_vector profiles[PROFILE_COUNT]; /* uint8_t: packed samples, each behind its tag */
  uint64_t nanoseconds;
};

static int put_head(void *data, uint64_t nanoseconds)
{
  struct writer *writer = data;
  writer->nanoseconds = nanoseconds;
  return out_otlp_put_empty_entries(&writer->dictionary);
}

static int keep_note(void *data, out_sample_string note)
{
  struct writer *writer = data;
  out_sample_string *added = base_vector_add(&writer->notes, 1);
  if (!added)
    return -ENOMEM;
  *added = note;
  return 0;
}

/* A Profile of this one sample, behind those that are there: as fields that repeat, they are one Profile. */
static int keep_sample(struct base_vector *profile, Callsig__Otlp__Sample *sample, uint64_t value)
{
  Callsig__Otlp__Profile part = CALLSIG__OTLP__PROFILE__INIT;
  int64_t values[] = {(int64_t)value};
  sample->n_values = 1;
  sample->values = values;
  part.n_samples = 1;
  part.samples = &sample;
  size_t size = callsig__otlp__profile__get_packed_size(&part);
  uint8_t *added = size > UINT32_MAX ? NULL : base_vector_add(profile, (uint32_t)size);
  if (!added)
    return -ENOMEM;
  callsig__otlp__profile__pack(&part, added);
  return 0;
}

static int put_sample(void *data, const struct out_sample *known)
{
  struct writer *writer = data;
  Callsig__Otlp__Sample sample = CALLSIG__OTLP__SAMPLE__INIT;
  int result = out_otlp_stack(&writer->dictionary, known, &sample.stack_index);
  if (result == 0)
    result = out_otlp_labels(&writer->dictionary, known);
  if (result < 0)
    return result;
  sample.n_attribute_indices = writer->dictionary.indices.count;
  sample.attribute_indices = writer->dictionary.indices.data;
  result = keep_sample(&writer->profiles[TIME], &sample, known->nanoseconds);
  return result < 0 ? result : keep_sample(&writer->profiles[CALLS], &sample, known->calls);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* The notes as an attribute, as pprof's comments are kept by OpenTelemetry's conventions; 0 when there is none. */
static int put_notes(struct writer *writer, uint32_t *index)
{
  Callsig__Otlp__AnyValue value = CALLSIG__OTLP__ANY_VALUE__INIT;
  Callsig__Otlp__ArrayValue array = CALLSIG__OTLP__ARRAY_VALUE__INIT;
  uint32_t count = writer->notes.count;
  *index = 0;
  if (!count)
    return 0;
  Callsig__Otlp__AnyValue *notes = calloc(count, sizeof *notes), **list = calloc(count, sizeof *list);
  int result = notes && list ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    callsig__otlp__any_value__init(&notes[i]);
    notes[i].value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX;
    notes[i].string_value_strindex = *(const int32_t *)base_vector_at(&writer->notes, i);
    list[i] = &notes[i];
  }
  array.n_values = count;
  array.values = list;
  value.value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_ARRAY_VALUE;
  value.array_value = &array;
  if (result == 0)
    result = out_otlp_attribute(&writer->dictionary, "pprof.profile.comment", &value, index);
  free(notes);
  free(list);
  return result;
}

/* When the first of the processes began; 0 when one does not say. */
static uint64_t start_of(const struct out_profile *profile)
{
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < profile->recordings.count; i++) {
    uint64_t start = out_profile_recording(profile, i)->process.start_realtime_ns;
    first = start < first ? start : first;
  }
  return first == UINT64_MAX ? 0 : first;
}

/* The fields of a profile beside its samples, packed behind them. */
static int end_profile(struct writer *writer, unsigned which, uint32_t notes)
{
  static const char *const types[] = {"time", "calls"}, *const units[] = {"nanoseconds", "count"};
  Callsig__Otlp__Profile part = CALLSIG__OTLP__PROFILE__INIT;
  Callsig__Otlp__ValueType type = CALLSIG__OTLP__VALUE_TYPE__INIT;
  int32_t index = (int32_t)notes;
  type.type_strindex = (int32_t)out_sample_string_of(writer->dictionary.walk, types[which]);
  type.unit_strindex = (int32_t)out_sample_string_of(writer->dictionary.walk, units[which]);
  part.sample_type = &type;
  part.time_unix_nano = start_of(&writer->dictionary.export->stats->profile);
  part.duration_nano = writer->nanoseconds;
  part.dropped_attributes_count = writer->dictionary.dropped;
  part.n_attribute_indices = notes ? 1 : 0;
  part.attribute_indices = &index;
  uint8_t *added = base_vector_add(&writer->profiles[which], (uint32_t)callsig__otlp__profile__get_packed_size(&part));
  if (!added)
    return -ENOMEM;
  callsig__otlp__profile__pack(&part, added);
  return 0;
}

/* The head of a field that holds `size` bytes: its number and the size, as protobuf's encoding has them. */
static size_t field_head(uint8_t head[12], unsigned field, uint64_t size)
{
  size_t length = 0;
  head[length++] = (uint8_t)(field << 3 | 2);
  for (; size > 127; size >>= 7)
    head[length++] = (uint8_t)(size | 128);
  head[length++] = (uint8_t)size;
  return length;
}

static void set_text(Callsig__Otlp__KeyValue *pair, Callsig__Otlp__AnyValue *value, const char *key, const char *text)
{
  callsig__otlp__key_value__init(pair);
  callsig__otlp__any_value__init(value);
  pair->key = out_otlp_taken(key);
  pair->value = value;
  value->value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_STRING_VALUE;
  value->string_value = out_otlp_taken(text);
}

/* Who the profiles are of, into the scratch of the dictionary: a ResourceProfiles without its list. Programs of several
 * names have none in common. Returns its size or a negative errno. */
static int64_t pack_resource(struct writer *writer)
{
  const struct out_profile *profile = &writer->dictionary.export->stats->profile;
  Callsig__Otlp__ResourceProfiles part = CALLSIG__OTLP__RESOURCE_PROFILES__INIT;
  Callsig__Otlp__Resource resource = CALLSIG__OTLP__RESOURCE__INIT;
  Callsig__Otlp__KeyValue pairs[2], *list[] = {&pairs[0], &pairs[1]};
  Callsig__Otlp__AnyValue values[2];
  uint32_t program = profile->recordings.count ? out_profile_recording(profile, 0)->program : 0;
  for (uint32_t i = 1; i < profile->recordings.count; i++)
    program = out_profile_recording(profile, i)->program == program ? program : 0;
  const char *path = out_profile_string(profile, program), *slash = strrchr(path, '/');
  set_text(&pairs[0], &values[0], "service.name", slash ? slash + 1 : path);
  set_text(&pairs[1], &values[1], "process.executable.name", slash ? slash + 1 : path);
  resource.n_attributes = *path ? 2 : 0;
  resource.attributes = list;
  part.resource = &resource;
  size_t size = callsig__otlp__resource_profiles__get_packed_size(&part);
  int result = out_packed_room(&writer->dictionary.packed, size);
  if (result < 0)
    return result;
  callsig__otlp__resource_profiles__pack(&part, writer->dictionary.packed.bytes);
  return (int64_t)size;
}

/* Who measured, packed: a ScopeProfiles without its list. The attributes say what pprof's profile would be. */
static size_t pack_scope(uint8_t *bytes)
{
  Callsig__Otlp__ScopeProfiles part = CALLSIG__OTLP__SCOPE_PROFILES__INIT;
  Callsig__Otlp__InstrumentationScope scope = CALLSIG__OTLP__INSTRUMENTATION_SCOPE__INIT;
  Callsig__Otlp__KeyValue pairs[2], *list[] = {&pairs[0], &pairs[1]};
  Callsig__Otlp__AnyValue values[2], numbers[PROFILE_COUNT], *order[] = {&numbers[0], &numbers[1]};
  Callsig__Otlp__ArrayValue array = CALLSIG__OTLP__ARRAY_VALUE__INIT;
  set_text(&pairs[0], &values[0], "pprof.scope.default_sample_type", "time");
  set_text(&pairs[1], &values[1], "pprof.scope.sample_type_order", "");
  for (int i = 0; i < PROFILE_COUNT; i++) {
    callsig__otlp__any_value__init(&numbers[i]);
    numbers[i].value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_INT_VALUE;
    numbers[i].int_value = PROFILE_COUNT - 1 - i;
  }
  array.n_values = PROFILE_COUNT;
  array.values = order;
  values[1].value_case = CALLSIG__OTLP__ANY_VALUE__VALUE_ARRAY_VALUE;
  values[1].array_value = &array;
  scope.name = out_otlp_taken("callsig");
  scope.n_attributes = 2;
  scope.attributes = list;
  part.scope = &scope;
  return bytes ? callsig__otlp__scope_profiles__pack(&part, bytes)
               : callsig__otlp__scope_profiles__get_packed_size(&part);
}

/* Writes the list of the one resource, of the one scope in it, of the profiles in that. */
static int write_profiles(struct writer *writer)
{
  uint8_t heads[PROFILE_COUNT][12], head[12], scope[256];
  size_t head_sizes[PROFILE_COUNT], scope_size = pack_scope(NULL), inner, outer;
  int64_t resource_size = pack_resource(writer);
  if (resource_size < 0)
    return (int)resource_size;
  if (scope_size > sizeof scope)
    return -EOVERFLOW;
  pack_scope(scope);
  inner = scope_size;
  for (int i = 0; i < PROFILE_COUNT; i++) {
    head_sizes[i] = field_head(heads[i], 2, writer->profiles[i].count);
    inner += head_sizes[i] + writer->profiles[i].count;
  }
  outer = field_head(head, 2, inner);
  uint8_t first[12];
  size_t first_size = field_head(first, 1, (uint64_t)resource_size + outer + inner);
  int result = out_otlp_put(&writer->dictionary, first, first_size);
  if (result == 0)
    result = out_otlp_put(&writer->dictionary, writer->dictionary.packed.bytes, (size_t)resource_size);
  if (result == 0)
    result = out_otlp_put(&writer->dictionary, head, outer);
  if (result == 0)
    result = out_otlp_put(&writer->dictionary, scope, scope_size);
  for (int i = 0; i < PROFILE_COUNT && result == 0; i++) {
    result = out_otlp_put(&writer->dictionary, heads[i], head_sizes[i]);
    if (result == 0)
      result = out_otlp_put(&writer->dictionary, writer->profiles[i].data, writer->profiles[i].count);
  }
  return result;
}

static int put_end(void *data)
{
  struct writer *writer = data;
  uint32_t notes;
  int result = put_notes(writer, &notes);
  for (unsigned i = 0; i < PROFILE_COUNT && result == 0; i++)
    result = end_profile(writer, i, notes);
  return result < 0 ? result : write_profiles(writer);
}

int out_export_otlp(const struct out_export *export)
{
  struct writer writer = {.notes = BASE_VECTOR_OF(out_sample_string),
                          .profiles = {BASE_VECTOR_OF(uint8_t), BASE_VECTOR_OF(uint8_t)}};
  const struct out_sample_sink sink = {.string = out_otlp_string,
                                       .head = put_head,
                                       .note = keep_note,
                                       .module = out_otlp_mapping,
                                       .function = out_otlp_function,
                                       .location = out_otlp_location,
                                       .sample = put_sample,
                                       .end = put_end,
                                       .data = &writer};
  out_otlp_dictionary_init(&writer.dictionary, export);
  int result = out_samples_walk(export, &sink, &writer.dictionary.walk);
  out_otlp_dictionary_free(&writer.dictionary);
  base_vector_free(&writer.notes);
  for (unsigned i = 0; i < PROFILE_COUNT; i++)
    base_vector_free(&writer.profiles[i]);
  return result;
}
