/*
 * speedscope's file format: frames, and two sampled profiles of the same stacks, one weighted with nanoseconds and one
 * with calls.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/export/export.h"
#include "output/export/export_stacks.h"
#include "output/text/json_writer.h"

struct writer {
  const struct out_export *export;
  const struct out_stacks *stacks;
  struct out_json json;
  uint32_t *path; /* scratch: room for the deepest stack */
};

static void put_frames(struct writer *writer)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  struct out_json *json = &writer->json;
  out_json_key(json, "shared");
  out_json_open_map(json);
  out_json_key(json, "frames");
  out_json_open_array(json);
  for (uint32_t i = 0; i < writer->stacks->frames.list.count && !json->failed; i++) {
    const struct out_known_function *function = out_frame_function(&writer->stacks->frames, i);
    out_json_open_map(json);
    out_json_key_string(json, "name", writer->stacks->texts.list[i]);
    if (function && !function->is_action) {
      out_json_key_string(json, "file", out_profile_string(profile, function->file));
      out_json_key_integer(json, "line", function->line);
    }
    out_json_close_map(json);
  }
  out_json_close_array(json);
  out_json_close_map(json);
}

/* A sample: the numbers of its frames, outermost first. */
static void put_stack(struct writer *writer, uint32_t node)
{
  struct out_json *json = &writer->json;
  uint32_t depth = out_stacks_node(writer->stacks, node)->depth;
  for (uint32_t i = depth; i-- > 0; node = out_stacks_node(writer->stacks, node)->parent)
    writer->path[i] = out_stacks_node(writer->stacks, node)->frame;
  out_json_open_array(json);
  for (uint32_t i = 0; i < depth; i++)
    out_json_integer(json, writer->path[i]);
  out_json_close_array(json);
}

static void put_profile(struct writer *writer, const char *name, bool calls)
{
  const struct out_stacks *stacks = writer->stacks;
  struct out_export_clock clock = {.tick = writer->export->stats->grouping.tick}, total = clock;
  struct out_json *json = &writer->json;
  out_json_open_map(json);
  out_json_key_string(json, "type", "sampled");
  out_json_key_string(json, "name", name);
  out_json_key_string(json, "unit", calls ? "none" : "nanoseconds");
  out_json_key_integer(json, "startValue", 0);
  out_json_key_integer(json, "endValue", calls ? stacks->calls : out_export_nanoseconds(&total, stacks->own));
  out_json_key(json, "samples");
  out_json_open_array(json);
  for (uint32_t i = 0; i < stacks->list.count && !json->failed; i++)
    put_stack(writer, out_stacks_at(stacks, i)->node);
  out_json_close_array(json);
  out_json_key(json, "weights");
  out_json_open_array(json);
  for (uint32_t i = 0; i < stacks->list.count && !json->failed; i++) {
    const struct out_stack *stack = out_stacks_at(stacks, i);
    out_json_integer(json, calls ? stack->calls : out_export_nanoseconds(&clock, stack->own));
  }
  out_json_close_array(json);
  out_json_close_map(json);
}

static int write_all(struct writer *writer)
{
  const struct out_profile *profile = &writer->export->stats->profile;
  struct out_json *json = &writer->json;
  const char *program = out_profile_string(profile, out_profile_recording(profile, 0)->program);
  int result = out_json_begin(json, writer->export->out);
  if (result < 0)
    return result;
  out_json_open_map(json);
  out_json_key_string(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
  out_json_key_string(json, "name", program);
  out_json_key_string(json, "exporter", "callsig");
  out_json_key_integer(json, "activeProfileIndex", 0);
  put_frames(writer);
  out_json_key(json, "profiles");
  out_json_open_array(json);
  put_profile(writer, "time", false);
  put_profile(writer, "calls", true);
  out_json_close_array(json);
  out_json_close_map(json);
  return out_json_end(json);
}

int out_export_speedscope(const struct out_export *export)
{
  struct out_stacks stacks;
  int result = out_stacks_make(export->stats, &(struct out_stack_shape){.apart = false}, &stacks);
  if (result < 0)
    return result;
  struct writer writer = {
      .export = export, .stacks = &stacks, .path = malloc(stacks.nodes.count * sizeof *writer.path)};
  result = writer.path ? write_all(&writer) : -ENOMEM;
  free(writer.path);
  out_stacks_free(&stacks);
  return result;
}
