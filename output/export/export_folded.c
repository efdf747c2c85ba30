/*
 * Collapsed stacks, one a line: "outermost;...;innermost WEIGHT", as stackcollapse-*.pl writes and flamegraph.pl,
 * inferno and speedscope read. Weights are nanoseconds or calls.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/export/export_stacks.h"

/* A frame's text; the semicolon, which parts frames, is escaped as other bytes are that have no place in a text. */
static void put_frame(struct out_text *line, const char *text)
{
  for (const char *semicolon; (semicolon = strchr(text, ';')) != NULL; text = semicolon + 1) {
    out_text_add(line, text, (size_t)(semicolon - text));
    out_text_puts(line, "\\x3b");
  }
  out_text_puts(line, text);
}

/* The frames from below the root down to `node`, which `path` has room for. */
static void put_path(const struct out_stacks *stacks, uint32_t node, uint32_t *path, struct out_text *line)
{
  uint32_t depth = out_stacks_node(stacks, node)->depth;
  for (uint32_t i = depth; i-- > 0; node = out_stacks_node(stacks, node)->parent)
    path[i] = out_stacks_node(stacks, node)->frame;
  for (uint32_t i = 0; i < depth; i++) {
    if (i > 0)
      out_text_putc(line, ';');
    put_frame(line, stacks->texts.list[path[i]]);
  }
}

static int write_stacks(const struct out_export *export, const struct out_stacks *stacks)
{
  struct out_text line = {0};
  struct out_export_clock clock = {.tick = export->stats->grouping.tick};
  uint32_t *path = malloc(stacks->nodes.count * sizeof *path);
  int result = path ? 0 : -ENOMEM;
  for (uint32_t i = 0; i < stacks->list.count && result == 0; i++) {
    const struct out_stack *stack = out_stacks_at(stacks, i);
    uint64_t weight = export->calls ? stack->calls : out_export_nanoseconds(&clock, stack->own);
    put_path(stacks, stack->node, path, &line);
    out_text_printf(&line, " %llu\n", (unsigned long long)weight);
    result = out_export_flush(export, &line);
  }
  free(path);
  out_text_free(&line);
  return result;
}

int out_export_folded(const struct out_export *export)
{
  struct out_stacks stacks;
  int result = out_stacks_make(export->stats, &(struct out_stack_shape){0}, &stacks);
  if (result < 0)
    return result;
  result = write_stacks(export, &stacks);
  out_stacks_free(&stacks);
  return result;
}
