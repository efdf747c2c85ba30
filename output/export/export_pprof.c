/*
 * pprof's profile (pprof.proto), gzipped. Samples are stacks of functions with calls and nanoseconds; the innermost
 * call's signature, each of its arguments, its stage and its thread are the sample's labels.
 *
 * Repeated fields of a message may come in pieces: what is written one after the other are Profile messages of one
 * entry each, which are together the whole.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/export/export.h"
#include "output/export/export_samples.h"
#include "output/text/gzip.h"
#include "pprof.pb-c.h"

struct writer {
  const struct out_export *export;
  struct out_sample_writer *walk;
  struct out_gzip gzip;
  struct out_packed packed;
};

/* Writes a Profile that holds a part of the whole. */
static int put(struct writer *writer, const Callsig__Pprof__Profile *part)
{
  size_t size = callsig__pprof__profile__get_packed_size(part);
  int result = out_packed_room(&writer->packed, size);
  if (result < 0)
    return result;
  callsig__pprof__profile__pack(part, writer->packed.bytes);
  return out_gzip_write(&writer->gzip, writer->packed.bytes, size);
}

static int put_string(void *data, const char *text)
{
  union {
    const char *given;
    char *taken; /* packing reads it */
  } entry = {.given = text};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  part.n_string_table = 1;
  part.string_table = &entry.taken;
  return put(data, &part);
}

/* What values are: "calls" of unit "count". */
static int put_sample_type(struct writer *writer, const char *type, const char *unit)
{
  Callsig__Pprof__ValueType one = CALLSIG__PPROF__VALUE_TYPE__INIT, *list[] = {&one};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  one.type = out_sample_string_of(writer->walk, type);
  one.unit = out_sample_string_of(writer->walk, unit);
  part.n_sample_type = 1;
  part.sample_type = list;
  return put(writer, &part);
}

static int put_head(void *data, uint64_t nanoseconds)
{
  struct writer *writer = data;
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  int result = put_sample_type(writer, "calls", "count");
  if (result == 0)
    result = put_sample_type(writer, "time", "nanoseconds");
  part.default_sample_type = out_sample_string_of(writer->walk, "time");
  part.duration_nanos = (int64_t)nanoseconds;
  part.time_nanos = writer->export->delta ? (int64_t)writer->export->delta->begin_ns : 0;
  return result < 0 ? result : put(writer, &part);
}

static int put_note(void *data, out_sample_string note)
{
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  int64_t comment = note;
  part.n_comment = 1;
  part.comment = &comment;
  return put(data, &part);
}

static int put_mapping(void *data, const struct out_sample_module *module)
{
  Callsig__Pprof__Mapping mapping = CALLSIG__PPROF__MAPPING__INIT, *list[] = {&mapping};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  mapping.id = module->id;
  mapping.filename = module->filename;
  mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = true;
  part.n_mapping = 1;
  part.mapping = list;
  return put(data, &part);
}

static int put_function(void *data, const struct out_sample_function *known)
{
  Callsig__Pprof__Function function = CALLSIG__PPROF__FUNCTION__INIT, *functions[] = {&function};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  function.id = known->id;
  /* Where the system's name is the same, pprof takes templates and parentheses off it, and functions for one. */
  function.name = known->name;
  function.filename = known->filename;
  function.start_line = known->line;
  part.n_function = 1;
  part.function = functions;
  return put(data, &part);
}

static int put_location(void *data, const struct out_sample_location *known)
{
  Callsig__Pprof__Location location = CALLSIG__PPROF__LOCATION__INIT, *locations[] = {&location};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  Callsig__Pprof__Line *lines = calloc(known->line_count, sizeof *lines),
                       **list = calloc(known->line_count, sizeof *list);
  int result = lines && list ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < known->line_count && result == 0; i++) {
    callsig__pprof__line__init(&lines[i]);
    lines[i].function_id = known->lines[i].function;
    lines[i].line = known->lines[i].line;
    list[i] = &lines[i];
  }
  location.id = known->id;
  location.mapping_id = known->module;
  location.n_line = known->line_count;
  location.line = list;
  part.n_location = 1;
  part.location = locations;
  result = result < 0 ? result : put(data, &part);
  free(lines);
  free(list);
  return result;
}

static int put_sample(void *data, const struct out_sample *known)
{
  Callsig__Pprof__Sample sample = CALLSIG__PPROF__SAMPLE__INIT, *samples[] = {&sample};
  Callsig__Pprof__Profile part = CALLSIG__PPROF__PROFILE__INIT;
  int64_t values[] = {(int64_t)known->calls, (int64_t)known->nanoseconds};
  uint64_t *locations = calloc(known->location_count + 1u, sizeof *locations);
  Callsig__Pprof__Label *labels = calloc(known->label_count + 1u, sizeof *labels);
  Callsig__Pprof__Label **list = calloc(known->label_count + 1u, sizeof *list);
  int result = locations && labels && list ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < known->location_count && result == 0; i++)
    locations[i] = known->locations[i];
  for (uint32_t i = 0; i < known->label_count && result == 0; i++) {
    callsig__pprof__label__init(&labels[i]);
    labels[i].key = known->labels[i].key;
    labels[i].str = known->labels[i].string;
    labels[i].num = known->labels[i].number;
    labels[i].num_unit = known->labels[i].unit;
    list[i] = &labels[i];
  }
  sample.n_location_id = known->location_count;
  sample.location_id = locations;
  sample.n_value = 2;
  sample.value = values;
  sample.n_label = known->label_count;
  sample.label = list;
  part.n_sample = 1;
  part.sample = samples;
  result = result < 0 ? result : put(data, &part);
  free(locations);
  free(labels);
  free(list);
  return result;
}

int out_export_pprof(const struct out_export *export)
{
  struct writer writer = {.export = export};
  const struct out_sample_sink sink = {.string = put_string,
                                       .note = put_note,
                                       .module = put_mapping,
                                       .function = put_function,
                                       .location = put_location,
                                       .sample = put_sample,
                                       .head = put_head,
                                       .data = &writer};
  int result = out_gzip_begin(&writer.gzip, export->out);
  if (result < 0)
    return result;
  result = out_gzip_end(&writer.gzip, out_samples_walk(export, &sink, &writer.walk));
  free(writer.packed.bytes);
  return result;
}
