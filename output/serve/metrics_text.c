/* Writes Prometheus's text format. */
#include "output/serve/metrics_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct out_metric_last {
  char *series; /* owned */
  double value;
};

void out_metric_memory_free(struct out_metric_memory *memory)
{
  for (uint32_t i = 0; i < memory->list.count; i++)
    free(((struct out_metric_last *)base_vector_at(&memory->list, i))->series);
  base_vector_free(&memory->list);
  out_idset_free(&memory->set);
  *memory = (struct out_metric_memory){.list = BASE_VECTOR_OF(struct out_metric_last)};
}

void out_metrics_text_free(struct out_metrics_text *metrics)
{
  out_text_free(&metrics->text);
  out_text_free(&metrics->series);
  out_text_free(&metrics->scratch);
}

void out_metric_family(struct out_metrics_text *metrics, const char *type, const char *name, const char *help)
{
  metrics->family = name;
  metrics->is_counter = strcmp(type, "gauge") != 0;
  out_text_printf(&metrics->text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void out_metric_begin(struct out_metrics_text *metrics, const char *suffix)
{
  out_text_clear(&metrics->series);
  out_text_puts(&metrics->series, metrics->family);
  out_text_puts(&metrics->series, suffix);
}

void out_metric_label(struct out_metrics_text *metrics, const char *name, const char *value)
{
  const size_t length = metrics->series.length;
  const bool is_first = length == 0 || metrics->series.data[length - 1] != '"';
  out_text_printf(&metrics->series, "%c%s=\"", is_first ? '{' : ',', name);
  out_text_clear(&metrics->scratch);
  out_text_printable(&metrics->scratch, value, strlen(value));
  for (const char *at = out_text_string(&metrics->scratch); *at; at++) {
    if (*at == '\\' || *at == '"')
      out_text_putc(&metrics->series, '\\');
    out_text_putc(&metrics->series, *at);
  }
  out_text_putc(&metrics->series, '"');
}

static bool equal_series(const void *owner, uint32_t number, const void *key)
{
  const struct out_metric_memory *memory = owner;
  return strcmp(((const struct out_metric_last *)base_vector_at(&memory->list, number))->series, key) == 0;
}

/* Remembers the value, or takes the larger one that is remembered. -ENOMEM. */
static int not_less(struct out_metric_memory *memory, const char *series, double *value)
{
  uint64_t hash = 0;
  for (const char *at = series; *at; at++)
    hash = out_hash_mix(hash, (unsigned char)*at);
  uint32_t number = out_idset_find(&memory->set, hash, memory, series, equal_series);
  if (number == UINT32_MAX) {
    const struct out_metric_last last = {.series = strdup(series), .value = *value};
    struct out_metric_last *added = last.series ? base_vector_add(&memory->list, 1) : NULL;
    if (!added) {
      free(last.series);
      return -ENOMEM;
    }
    *added = last;
    return out_idset_add(&memory->set, hash, memory->list.count - 1);
  }
  struct out_metric_last *known = base_vector_at(&memory->list, number);
  if (known->value > *value)
    *value = known->value;
  known->value = *value;
  return 0;
}

void out_metric_end(struct out_metrics_text *metrics, double value)
{
  struct out_text *series = &metrics->series, *text = &metrics->text;
  if (series->length > 0 && series->data[series->length - 1] == '"')
    out_text_putc(series, '}');
  text->failed |= series->failed | metrics->scratch.failed;
  if (metrics->is_counter && !isnan(value) && not_less(metrics->memory, out_text_string(series), &value) < 0)
    text->failed = true;
  out_text_puts(text, out_text_string(series));
  out_text_putc(text, ' ');
  if (isnan(value))
    out_text_puts(text, "NaN");
  else if (isinf(value))
    out_text_puts(text, value > 0 ? "+Inf" : "-Inf");
  else if (value >= 0 && value < 9007199254740992.0 && value == floor(value))
    out_text_integer(text, (uint64_t)value, 0);
  else
    out_text_double(text, value, false);
  out_text_putc(text, '\n');
}

int out_metrics_text_result(const struct out_metrics_text *metrics)
{
  return metrics->text.failed ? -ENOMEM : 0;
}
