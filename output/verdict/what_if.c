/* Reads settings that somebody asks for. */
#include "output/verdict/what_if.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"
#include "output/verdict/forecast.h"

#define MOST_THREADS 1024u
#define MOST_ITEMS   1000000000u

static const char queue_prefix[] = "queue:";

/* One setting, taken apart. */
struct setting {
  const char *name;
  size_t length;
  bool is_queue;
  uint64_t value;
};

static bool is_named(const struct setting *setting, const char *name)
{
  return strlen(name) == setting->length && memcmp(name, setting->name, setting->length) == 0;
}

static int fail(const struct callsig_pipeline *pipeline, const char *text, size_t length, const char *why)
{
  return out_stats_fail(-EINVAL, "%s: '%.*s' %s", pipeline->info.path, (int)(length < 200 ? length : 200), text, why);
}

static int take_apart(const struct callsig_pipeline *pipeline, const char *text, size_t length, struct setting *setting)
{
  const size_t prefix = strlen(queue_prefix);
  const char *equals = text + length;
  while (equals > text && *--equals != '=')
    ;
  if (equals == text || equals + 1 == text + length)
    return fail(pipeline, text, length, "is no setting: write STAGE=THREADS or queue:QUEUE=ITEMS");
  *setting = (struct setting){.name = text, .length = (size_t)(equals - text)};
  for (const char *digit = equals + 1; digit < text + length; digit++) {
    if (*digit < '0' || *digit > '9')
      return fail(pipeline, text, length, "has no number behind '='");
    if (setting->value <= MOST_ITEMS)
      setting->value = 10 * setting->value + (uint64_t)(*digit - '0');
  }
  if (setting->length > prefix && memcmp(text, queue_prefix, prefix) == 0) {
    setting->is_queue = true;
    setting->name += prefix;
    setting->length -= prefix;
  }
  if (setting->is_queue ? setting->value > MOST_ITEMS : setting->value == 0 || setting->value > MOST_THREADS)
    return fail(pipeline, text, length,
                setting->is_queue ? "is too large: 1000000000 items at most, 0 for no bound"
                                  : "is no number of threads: 1 to 1024");
  return 0;
}

static int add(struct base_vector *asked, const struct out_stage *stage, const struct callsig_queue_stats *queue,
               uint64_t value)
{
  struct out_change *change = base_vector_add(asked, 1);
  if (!change)
    return out_stats_no_memory();
  *change = (struct out_change){.stage = stage, .queue = queue, .value = value};
  return 0;
}

/* Adds those that have the name or label. -EINVAL when there is none, or one of several is meant. */
static int find(const struct callsig_pipeline *pipeline, const char *text, size_t length, const struct setting *setting,
                struct base_vector *asked)
{
  const uint32_t count = setting->is_queue ? pipeline->queues.count : pipeline->stages.count;
  unsigned last = 0;
  bool found = false;
  int result = 0;
  for (uint32_t i = 0; i < count && result == 0; i++) {
    const struct out_stage *stage = setting->is_queue ? NULL : out_pipeline_stage_at(pipeline, i);
    const struct callsig_queue_stats *queue = stage ? NULL : &out_pipeline_queue_at(pipeline, i)->stats;
    const char *name = stage ? stage->stats.name : queue->name, *label = stage ? stage->stats.label : queue->label;
    const unsigned number = stage ? stage->stats.pipeline : queue->pipeline;
    if (!is_named(setting, name) && !is_named(setting, label))
      continue;
    if (found && last == number)
      return fail(pipeline, text, length, "is of several: write the label of one, as it is printed");
    found = true;
    last = number;
    result = add(asked, stage, queue, setting->value);
  }
  if (found || result < 0)
    return result;
  return fail(pipeline, text, length, setting->is_queue ? "is of no queue of it" : "is of no stage of it");
}

/* How long the setting at `text` is if it is of this name; 0: it is not. */
static size_t length_with(const char *text, const char *name)
{
  const size_t length = strlen(name);
  if (strncmp(text, name, length) != 0 || text[length] != '=')
    return 0;
  const size_t digits = strspn(text + length + 1, "0123456789");
  const char end = text[length + 1 + digits];
  return digits > 0 && (end == ',' || end == '\0') ? length + 1 + digits : 0;
}

static size_t longest(size_t found, const char *text, const char *name, const char *label)
{
  const size_t by_name = length_with(text, name), by_label = length_with(text, label);
  const size_t length = by_name > by_label ? by_name : by_label;
  return length > found ? length : found;
}

/* How long the setting at `text` is. Names may hold commas: it is of the longest that fits; where none does, it ends at
 * the next comma. */
static size_t length_of(const struct callsig_pipeline *pipeline, const char *text)
{
  const size_t prefix = strlen(queue_prefix);
  const bool is_queue = strncmp(text, queue_prefix, prefix) == 0;
  size_t length = 0;
  for (uint32_t i = 0; i < pipeline->stages.count; i++) {
    const struct callsig_stage_stats *stats = &out_pipeline_stage_at(pipeline, i)->stats;
    length = longest(length, text, stats->name, stats->label);
  }
  for (uint32_t i = 0; i < pipeline->queues.count && is_queue; i++) {
    const struct callsig_queue_stats *stats = &out_pipeline_queue_at(pipeline, i)->stats;
    const size_t behind = longest(0, text + prefix, stats->name, stats->label);
    length = behind > 0 && prefix + behind > length ? prefix + behind : length;
  }
  return length > 0 ? length : strcspn(text, ",");
}

int out_what_if_read(const struct callsig_pipeline *pipeline, const char *settings, struct base_vector *asked)
{
  struct setting setting = {0};
  int result = 0;
  for (const char *text = settings; text && result == 0;) {
    const size_t length = length_of(pipeline, text);
    result = take_apart(pipeline, text, length, &setting);
    if (result == 0)
      result = find(pipeline, text, length, &setting, asked);
    text = text[length] == ',' ? text + length + 1 : NULL;
  }
  return result;
}
