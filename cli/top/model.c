/* Makes rows of rates out of two readings. */
#include "cli/top/model.h"

#include <stdlib.h>
#include <string.h>

/* Seconds a second: less of all rows together is how two estimates of what stands still differ, and has no shares. */
#define LEAST_SHARED 1e-6

/* One name's part of the two readings, on the way to its row. */
struct merged {
  const struct cli_top_sum *now;
  double calls_before, own_before;
};

void cli_top_reading_init(struct cli_top_reading *reading, double at)
{
  *reading = (struct cli_top_reading){.at = at, .sums = BASE_VECTOR_OF(struct cli_top_sum)};
}

bool cli_top_reading_add(struct cli_top_reading *reading, const char *name, const char *caller, double calls,
                         double own)
{
  struct cli_top_sum sum = {.name = base_arena_copy(&reading->memory, name, strlen(name)),
                            .caller = base_arena_copy(&reading->memory, caller, strlen(caller)),
                            .calls = calls,
                            .own = own};
  struct cli_top_sum *added = sum.name && sum.caller ? base_vector_add(&reading->sums, 1) : NULL;
  if (!added)
    return false;
  *added = sum;
  return true;
}

void cli_top_reading_free(struct cli_top_reading *reading)
{
  base_vector_free(&reading->sums);
  base_arena_free(&reading->memory);
}

void cli_top_model_init(struct cli_top_model *model)
{
  *model = (struct cli_top_model){.rows = BASE_VECTOR_OF(struct cli_top_row)};
  cli_top_reading_init(&model->before, 0);
  cli_top_reading_init(&model->now, 0);
}

void cli_top_model_forget(struct cli_top_model *model)
{
  cli_top_reading_free(&model->before);
  cli_top_reading_free(&model->now);
  model->has_before = model->has_now = false;
  base_vector_free(&model->rows);
}

void cli_top_model_free(struct cli_top_model *model)
{
  cli_top_model_forget(model);
  free(model->filter);
  free(model->expanded);
}

static int compare_sums(const void *left, const void *right)
{
  const struct cli_top_sum *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  return order ? order : strcmp(a->caller, b->caller);
}

static void sort_sums(struct cli_top_reading *reading)
{
  if (reading->sums.count > 0)
    qsort(reading->sums.data, reading->sums.count, sizeof(struct cli_top_sum), compare_sums);
}

bool cli_top_reading_goes_on(const struct cli_top_reading *reading, const struct cli_top_reading *before)
{
  return reading->began <= before->began;
}

void cli_top_model_take(struct cli_top_model *model, struct cli_top_reading *reading)
{
  sort_sums(reading);
  if (model->has_now && cli_top_reading_goes_on(reading, &model->now) && reading->at <= model->now.at) {
    cli_top_reading_free(&model->now);
  } else {
    cli_top_reading_free(&model->before);
    model->before = model->now;
    model->has_before = model->has_now && cli_top_reading_goes_on(reading, &model->now);
  }
  model->now = *reading;
  model->has_now = true;
}

bool cli_top_model_lacks_names(const struct cli_top_model *model)
{
  const struct base_vector *now = &model->now.sums;
  for (uint32_t i = 0; model->has_before && i < model->before.sums.count; i++) {
    const struct cli_top_sum *sum = base_vector_at(&model->before.sums, i);
    if (now->count == 0 || !bsearch(sum, now->data, now->count, sizeof *sum, compare_sums))
      return true;
  }
  return false;
}

/* The same name and caller in the reading before; NULL: it is new. */
static const struct cli_top_sum *find_before(const struct cli_top_model *model, const struct cli_top_sum *sum)
{
  if (!model->has_before || model->before.sums.count == 0)
    return NULL;
  return bsearch(sum, model->before.sums.data, model->before.sums.count, sizeof *sum, compare_sums);
}

/* What was added a second. Of times that are estimated less may be there than before: that is no rate below 0. */
static double rate_of(const struct cli_top_model *model, double added)
{
  const double elapsed = model->has_before ? model->now.at - model->before.at : 0;
  return elapsed > 0 && added > 0 ? added / elapsed : 0;
}

/* Adds to a row what the sum says; its rates are what was added since the reading before, until all sums are there. */
static void add_sum(const struct cli_top_model *model, const struct cli_top_sum *sum, struct cli_top_row *row)
{
  const struct cli_top_sum *before = find_before(model, sum);
  row->calls += sum->calls;
  row->own += sum->own;
  row->call_rate += sum->calls - (before ? before->calls : 0);
  row->own_rate += sum->own - (before ? before->own : 0);
}

static int compare_numbers(double left, double right)
{
  return left < right ? 1 : left > right ? -1 : 0;
}

static int compare_rows(const void *left, const void *right, void *data)
{
  const struct cli_top_row *a = left, *b = right;
  const struct cli_top_model *model = data;
  int order = 0;
  switch (model->key) {
  case CLI_TOP_SELF:
    order = compare_numbers(a->own_rate, b->own_rate);
    break;
  case CLI_TOP_CALLS:
    order = compare_numbers(a->call_rate, b->call_rate);
    break;
  case CLI_TOP_TOTAL_CALLS:
    order = compare_numbers(a->calls, b->calls);
    break;
  case CLI_TOP_NAME:
    order = strcmp(a->name, b->name);
    break;
  default:
    break;
  }
  if (order == 0)
    order = compare_numbers(a->own, b->own);
  if (order == 0)
    order = strcmp(a->name, b->name);
  return model->reversed ? -order : order;
}

static void sort_rows(const struct cli_top_model *model, struct base_vector *rows)
{
  if (rows->count > 0)
    qsort_r(rows->data, rows->count, sizeof(struct cli_top_row), compare_rows, (void *)model);
}

/* A row for each name, or for each caller of the name `of`. */
static bool make_rows(const struct cli_top_model *model, const char *of, struct base_vector *rows)
{
  struct cli_top_row *row = NULL;
  for (uint32_t i = 0; i < model->now.sums.count; i++) {
    const struct cli_top_sum *sum = base_vector_at(&model->now.sums, i);
    if (of && strcmp(sum->name, of) != 0)
      continue;
    if (!row || of || strcmp(row->name, sum->name) != 0) {
      row = base_vector_add(rows, 1);
      if (!row)
        return false;
      row->name = !of ? sum->name : *sum->caller ? sum->caller : "(nothing that is recorded)";
      row->is_caller = of != NULL;
    }
    add_sum(model, sum, row);
  }
  for (uint32_t i = 0; i < rows->count; i++) {
    row = base_vector_at(rows, i);
    row->call_rate = rate_of(model, row->call_rate);
    row->own_rate = rate_of(model, row->own_rate);
  }
  return true;
}

/* The rates of all are those of the whole readings: whatever moved from one row to another was counted before. */
static void add_totals(struct cli_top_model *model, const struct base_vector *rows)
{
  double calls = 0, own = 0;
  model->calls = model->own = model->shared = 0;
  model->names = rows->count;
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct cli_top_row *row = base_vector_at(rows, i);
    model->shared += row->own_rate;
    model->calls += row->calls;
    model->own += row->own;
  }
  for (uint32_t i = 0; model->has_before && i < model->before.sums.count; i++) {
    const struct cli_top_sum *sum = base_vector_at(&model->before.sums, i);
    calls += sum->calls;
    own += sum->own;
  }
  model->call_rate = rate_of(model, model->calls - calls);
  model->own_rate = rate_of(model, model->own - own);
}

static bool put_row(struct cli_top_model *model, const struct cli_top_row *row)
{
  struct cli_top_row *added = base_vector_add(&model->rows, 1);
  if (!added)
    return false;
  *added = *row;
  added->share_now = model->shared >= LEAST_SHARED ? row->own_rate / model->shared : 0;
  added->share_all = model->own > 0 ? row->own / model->own : 0;
  return true;
}

/* The row, and below it its callers where they are wanted. */
static bool put_with_callers(struct cli_top_model *model, const struct cli_top_row *row)
{
  struct base_vector callers = BASE_VECTOR_OF(struct cli_top_row);
  bool done = put_row(model, row);
  if (done && model->expanded && strcmp(model->expanded, row->name) == 0) {
    done = make_rows(model, row->name, &callers);
    sort_rows(model, &callers);
    for (uint32_t i = 0; i < callers.count && done; i++)
      done = put_row(model, base_vector_at(&callers, i));
  }
  base_vector_free(&callers);
  return done;
}

bool cli_top_model_arrange(struct cli_top_model *model)
{
  struct base_vector all = BASE_VECTOR_OF(struct cli_top_row);
  base_vector_free(&model->rows);
  bool done = make_rows(model, NULL, &all);
  add_totals(model, &all);
  sort_rows(model, &all);
  for (uint32_t i = 0; i < all.count && done; i++) {
    const struct cli_top_row *row = base_vector_at(&all, i);
    if (!model->filter || strcasestr(row->name, model->filter))
      done = put_with_callers(model, row);
  }
  base_vector_free(&all);
  if (!done)
    base_vector_free(&model->rows);
  return done;
}

static const char *const key_names[CLI_TOP_KEYS] = {
    [CLI_TOP_SELF] = "self",
    [CLI_TOP_CALLS] = "calls",
    [CLI_TOP_TOTAL_SELF] = "total-self",
    [CLI_TOP_TOTAL_CALLS] = "total-calls",
    [CLI_TOP_NAME] = "name",
};

const char *cli_top_key_name(enum cli_top_key key)
{
  return key_names[key];
}

bool cli_top_key_find(const char *name, enum cli_top_key *key)
{
  for (int i = 0; i < CLI_TOP_KEYS; i++) {
    if (strcmp(key_names[i], name) == 0) {
      *key = (enum cli_top_key)i;
      return true;
    }
  }
  return false;
}
