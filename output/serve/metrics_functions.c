/* Chooses the functions that have rows of their own in metrics. */
#define _GNU_SOURCE /* qsort_r */

#include "output/serve/metrics_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
  const char *file, *name;
  unsigned line;
};

static struct out_metric_function *function_at(const struct out_metric_functions *functions, uint32_t number)
{
  return base_vector_at(&functions->list, number);
}

void out_metric_functions_init(struct out_metric_functions *functions, size_t at_once)
{
  *functions = (struct out_metric_functions){.at_once = at_once, .list = BASE_VECTOR_OF(struct out_metric_function)};
}

void out_metric_functions_forget(struct out_metric_functions *functions)
{
  for (uint32_t i = 0; i < functions->list.count; i++) {
    free(function_at(functions, i)->file);
    free(function_at(functions, i)->name);
  }
  base_vector_free(&functions->list);
  out_idset_free(&functions->set);
  out_metric_functions_init(functions, functions->at_once);
}

void out_metric_functions_begin(struct out_metric_functions *functions)
{
  for (uint32_t i = 0; i < functions->list.count; i++)
    function_at(functions, i)->now = (struct out_function_count){0};
}

static bool equal_function(const void *owner, uint32_t number, const void *key)
{
  const struct out_metric_function *function = function_at(owner, number);
  const struct wanted *wanted = key;
  return function->line == wanted->line && strcmp(function->name, wanted->name) == 0 &&
         strcmp(function->file, wanted->file) == 0;
}

static int add_new(struct out_metric_functions *functions, const struct wanted *wanted, uint64_t hash,
                   struct out_function_count count)
{
  struct out_metric_function made = {
      .file = strdup(wanted->file), .name = strdup(wanted->name), .line = wanted->line, .now = count};
  struct out_metric_function *added = made.file && made.name ? base_vector_add(&functions->list, 1) : NULL;
  if (!added) {
    free(made.file);
    free(made.name);
    return -ENOMEM;
  }
  *added = made;
  return out_idset_add(&functions->set, hash, functions->list.count - 1);
}

int out_metric_functions_add(struct out_metric_functions *functions, const char *file, unsigned line, const char *name,
                             struct out_function_count count)
{
  const struct wanted wanted = {.file = file, .name = name, .line = line};
  uint64_t hash = line;
  for (const char *at = name; *at; at++)
    hash = out_hash_mix(hash, (unsigned char)*at);
  for (const char *at = file; *at; at++)
    hash = out_hash_mix(hash, (unsigned char)*at);
  uint32_t number = out_idset_find(&functions->set, hash, functions, &wanted, equal_function);
  if (number == UINT32_MAX)
    return add_new(functions, &wanted, hash, count);
  struct out_metric_function *known = function_at(functions, number);
  known->now.calls += count.calls;
  known->now.own += count.own;
  return 0;
}

static int compare_own(const void *left, const void *right, void *data)
{
  const struct out_metric_function *a = function_at(data, *(const uint32_t *)left),
                                   *b = function_at(data, *(const uint32_t *)right);
  if (a->now.own != b->now.own)
    return a->now.own < b->now.own ? 1 : -1;
  if (a->now.calls != b->now.calls)
    return a->now.calls < b->now.calls ? 1 : -1;
  return *(const uint32_t *)left < *(const uint32_t *)right ? -1 : 1;
}

int out_metric_functions_choose(struct out_metric_functions *functions)
{
  const uint32_t count = functions->list.count;
  uint32_t *order = malloc((count + 1u) * sizeof *order);
  if (!order)
    return -ENOMEM;
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  qsort_r(order, count, sizeof *order, compare_own, functions);
  for (uint32_t i = 0; i < count && i < functions->at_once; i++) {
    struct out_metric_function *function = function_at(functions, order[i]);
    if (function->has_row || functions->rows >= functions->at_once * OUT_METRICS_ROWS_EVER)
      continue;
    function->has_row = true;
    functions->rows++;
    if (function->is_told)
      function->before = function->now;
  }
  for (uint32_t i = 0; i < count; i++)
    function_at(functions, i)->is_told = true;
  free(order);
  return 0;
}

static void write_sample(struct out_metrics_text *metrics, const struct out_metric_function *function, double value)
{
  char line[16] = "";
  if (function && function->line > 0)
    snprintf(line, sizeof line, "%u", function->line);
  out_metric_begin(metrics, "");
  out_metric_label(metrics, "function", function ? function->name : "other");
  out_metric_label(metrics, "file", !function ? "" : *function->file ? function->file : "?");
  out_metric_label(metrics, "line", line);
  out_metric_end(metrics, value);
}

static void write_family(const struct out_metric_functions *functions, struct out_metrics_text *metrics,
                         const char *name, const char *help, bool is_calls)
{
  double others = 0;
  out_metric_family(metrics, "counter", name, help);
  for (uint32_t i = 0; i < functions->list.count; i++) {
    const struct out_metric_function *function = function_at(functions, i);
    const double now = is_calls ? function->now.calls : function->now.own,
                 before = is_calls ? function->before.calls : function->before.own;
    if (function->has_row)
      write_sample(metrics, function, now > before ? now - before : 0);
    others += function->has_row ? before : now;
  }
  write_sample(metrics, NULL, others);
}

void out_metric_functions_write(const struct out_metric_functions *functions, struct out_metrics_text *metrics)
{
  write_family(functions, metrics, "callsig_function_calls_total", "Calls of a function; other: of all without a row.",
               true);
  write_family(functions, metrics, "callsig_function_self_seconds_total",
               "Time in a function without its callees; other: in all without a row.", false);
}
