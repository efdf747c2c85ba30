/* Reads settings that somebody asks for. */
#include "output/verdict/what_if.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"
#include "output/verdict/forecast.h"

#define MOST_THREADS 1024u
#define MOST_ITEMS   1000000000u

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
  static const char prefix[] = "queue:";
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
  if (setting->length > sizeof prefix - 1 && memcmp(text, prefix, sizeof prefix - 1) == 0) {
    setting->is_queue = true;
    setting->name += sizeof prefix - 1;
    setting->length -= sizeof prefix - 1;
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

int out_what_if_read(const struct callsig_pipeline *pipeline, const char *settings, struct base_vector *asked)
{
  struct setting setting = {0};
  int result = 0;
  for (const char *text = settings; text && result == 0;) {
    const char *comma = strchr(text, ',');
    const size_t length = comma ? (size_t)(comma - text) : strlen(text);
    result = take_apart(pipeline, text, length, &setting);
    if (result == 0)
      result = find(pipeline, text, length, &setting, asked);
    text = comma ? comma + 1 : NULL;
  }
  return result;
}
