/*
 * speedscope's file format: frames, and two sampled profiles of the same stacks, one weighted with nanoseconds and one
 * with calls.
 */
#include <errno.h>
#include <stdlib.h>

#include "export.h"
#include "export_stacks.h"
#include "json_writer.h"

struct writer {
  const struct cs_export *export;
  const struct cs_stacks *stacks;
  struct cs_json json;
  uint32_t *path; /* scratch: room for the deepest stack */
};

static void put_frames(struct writer *writer)
{
  const struct cs_profile *profile = &writer->export->stats->profile;
  struct cs_json *json = &writer->json;
  cs_json_key(json, "shared");
  cs_json_open_map(json);
  cs_json_key(json, "frames");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < writer->stacks->frames.list.count && !json->failed; i++) {
    const struct cs_known_function *function = cs_frame_function(&writer->stacks->frames, i);
    cs_json_open_map(json);
    cs_json_key_string(json, "name", writer->stacks->texts.list[i]);
    if (function && !function->is_action) {
      cs_json_key_string(json, "file", cs_profile_string(profile, function->file));
      cs_json_key_integer(json, "line", function->line);
    }
    cs_json_close_map(json);
  }
  cs_json_close_array(json);
  cs_json_close_map(json);
}

/* A sample: the numbers of its frames, outermost first. */
static void put_stack(struct writer *writer, uint32_t node)
{
  struct cs_json *json = &writer->json;
  uint32_t depth = cs_stacks_node(writer->stacks, node)->depth;
  for (uint32_t i = depth; i-- > 0; node = cs_stacks_node(writer->stacks, node)->parent)
    writer->path[i] = cs_stacks_node(writer->stacks, node)->frame;
  cs_json_open_array(json);
  for (uint32_t i = 0; i < depth; i++)
    cs_json_integer(json, writer->path[i]);
  cs_json_close_array(json);
}

static void put_profile(struct writer *writer, const char *name, bool calls)
{
  const struct cs_stacks *stacks = writer->stacks;
  struct cs_export_clock clock = {.tick = writer->export->stats->grouping.tick}, total = clock;
  struct cs_json *json = &writer->json;
  cs_json_open_map(json);
  cs_json_key_string(json, "type", "sampled");
  cs_json_key_string(json, "name", name);
  cs_json_key_string(json, "unit", calls ? "none" : "nanoseconds");
  cs_json_key_integer(json, "startValue", 0);
  cs_json_key_integer(json, "endValue", calls ? stacks->calls : cs_export_nanoseconds(&total, stacks->own));
  cs_json_key(json, "samples");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < stacks->list.count && !json->failed; i++)
    put_stack(writer, cs_stacks_at(stacks, i)->node);
  cs_json_close_array(json);
  cs_json_key(json, "weights");
  cs_json_open_array(json);
  for (uint32_t i = 0; i < stacks->list.count && !json->failed; i++) {
    const struct cs_stack *stack = cs_stacks_at(stacks, i);
    cs_json_integer(json, calls ? stack->calls : cs_export_nanoseconds(&clock, stack->own));
  }
  cs_json_close_array(json);
  cs_json_close_map(json);
}

static int write_all(struct writer *writer)
{
  const struct cs_profile *profile = &writer->export->stats->profile;
  struct cs_json *json = &writer->json;
  const char *program = cs_profile_string(profile, cs_profile_recording(profile, 0)->program);
  int result = cs_json_begin(json, writer->export->out);
  if (result < 0)
    return result;
  cs_json_open_map(json);
  cs_json_key_string(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
  cs_json_key_string(json, "name", program);
  cs_json_key_string(json, "exporter", "callsig");
  cs_json_key_integer(json, "activeProfileIndex", 0);
  put_frames(writer);
  cs_json_key(json, "profiles");
  cs_json_open_array(json);
  put_profile(writer, "time", false);
  put_profile(writer, "calls", true);
  cs_json_close_array(json);
  cs_json_close_map(json);
  return cs_json_end(json);
}

int cs_export_speedscope(const struct cs_export *export)
{
  struct cs_stacks stacks;
  int result = cs_stacks_make(export->stats, &(struct cs_stack_shape){.apart = false}, &stacks);
  if (result < 0)
    return result;
  struct writer writer = {
      .export = export, .stacks = &stacks, .path = malloc(stacks.nodes.count * sizeof *writer.path)};
  result = writer.path ? write_all(&writer) : -ENOMEM;
  free(writer.path);
  cs_stacks_free(&stacks);
  return result;
}
