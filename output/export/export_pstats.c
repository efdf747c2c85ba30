/*
 * Python's pstats: what cProfile dumps, marshal of {(file, line, function): (cc, nc, tt, ct, {caller: (nc, cc, tt,
 * ct)})}. The types of marshal are those that every Python 3 reads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export.h"
#include "output/text/message.h"

struct writer {
  const struct out_export *export;
  struct out_names names;
  const struct base_vector *pairs; /* struct out_pair, sorted by callee */
  struct out_text out, name;
  struct out_arguments scratch;
};

static void put_little(struct out_text *text, uint64_t value, uint32_t bytes)
{
  for (uint32_t i = 0; i < bytes; i++)
    out_text_putc(text, (char)(value >> (8 * i)));
}

/* A negative number never occurs. Beyond 31 bits marshal counts in digits of 15. */
static void put_integer(struct out_text *text, uint64_t value)
{
  if (value <= INT32_MAX) {
    out_text_putc(text, 'i');
    put_little(text, value, 4);
    return;
  }
  uint32_t digits = 0;
  for (uint64_t rest = value; rest; rest >>= 15)
    digits++;
  out_text_putc(text, 'l');
  put_little(text, digits, 4);
  for (; value; value >>= 15)
    put_little(text, value & 0x7FFF, 2);
}

static void put_float(struct out_text *text, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  out_text_putc(text, 'g');
  put_little(text, bits, 8);
}

static void put_string(struct out_text *text, const char *bytes, size_t length)
{
  out_text_putc(text, 'u');
  put_little(text, length, 4);
  out_text_add(text, bytes, length);
}

static void put_tuple(struct out_text *text, uint32_t count)
{
  out_text_putc(text, '(');
  put_little(text, count, 4);
}

/* (file, line, function). What is no code is as cProfile has built-in functions: ('~', 0, name). */
static void put_function(struct writer *writer, uint32_t row)
{
  const struct out_row_key *key = &out_rows_at(&writer->export->stats->rows, row)->key;
  const struct out_known_function *function = out_row_function(&writer->names, key);
  const char *file = out_profile_string(writer->names.profile, function->file);
  out_text_clear(&writer->name);
  if (function->is_action) {
    out_row_name(&writer->names, key, &writer->scratch, &writer->name);
  } else {
    out_row_function_text(&writer->names, key, &writer->scratch, &writer->name);
    out_row_groups(&writer->names, key, " ", &writer->name);
  }
  writer->out.failed |= writer->name.failed;
  put_tuple(&writer->out, 3);
  put_string(&writer->out, file, strlen(file));
  put_integer(&writer->out, function->line);
  put_string(&writer->out, out_text_string(&writer->name), writer->name.length);
}

/* The first pair of a callee, or where it would be. */
static uint32_t first_pair(const struct base_vector *pairs, uint32_t callee)
{
  uint32_t low = 0, high = pairs->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (((const struct out_pair *)base_vector_at(pairs, middle))->callee < callee)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int put_callers(struct writer *writer, uint32_t callee)
{
  double tick = writer->export->stats->grouping.tick;
  int result = 0;
  out_text_putc(&writer->out, '{');
  for (uint32_t i = first_pair(writer->pairs, callee); i < writer->pairs->count && result == 0; i++) {
    const struct out_pair *pair = base_vector_at(writer->pairs, i);
    if (pair->callee != callee)
      break;
    put_function(writer, pair->caller);
    put_tuple(&writer->out, 4);
    put_integer(&writer->out, pair->calls);
    put_integer(&writer->out, pair->primitive);
    put_float(&writer->out, (double)pair->own * tick);
    put_float(&writer->out, (double)pair->cumulative * tick);
    result = out_export_flush(writer->export, &writer->out);
  }
  out_text_putc(&writer->out, '0');
  return result;
}

static int put_row(struct writer *writer, uint32_t number)
{
  const struct out_row *row = out_rows_at(&writer->export->stats->rows, number);
  double tick = writer->export->stats->grouping.tick;
  put_function(writer, number);
  put_tuple(&writer->out, 5);
  put_integer(&writer->out, row->primitive);
  put_integer(&writer->out, row->calls);
  put_float(&writer->out, (double)row->own * tick);
  put_float(&writer->out, (double)row->cumulative * tick);
  return put_callers(writer, number);
}

static int put_rows(struct writer *writer)
{
  uint32_t *order = out_export_order(writer->export->stats);
  if (!order)
    return -ENOMEM;
  int result = 0;
  out_text_putc(&writer->out, '{');
  for (uint32_t i = 0; i < writer->export->stats->listed && result == 0; i++)
    result = put_row(writer, order[i]);
  out_text_putc(&writer->out, '0');
  free(order);
  return result == 0 ? out_export_flush(writer->export, &writer->out) : result;
}

static int compare_callees(const void *left, const void *right)
{
  const struct out_pair *a = left, *b = right;
  return a->callee < b->callee ? -1 : a->callee > b->callee;
}

int out_export_pstats(const struct out_export *export)
{
  struct callsig_stats *stats = export->stats;
  if (!(stats->by & CALLSIG_BY_FUNCTION))
    return out_stats_fail(-EINVAL, "pstats has rows by function: add function or signature to --by");
  if (stats->by & CALLSIG_BY_SITE)
    return out_stats_fail(-EINVAL, "pstats has no places of calls: leave site out of --by");
  struct base_vector pairs = BASE_VECTOR_OF(struct out_pair);
  struct writer writer = {.export = export, .names = out_stats_names(stats), .pairs = &pairs};
  int result = out_rows_pairs(&stats->profile, &stats->grouping, &stats->rows, &pairs);
  if (result == 0) {
    if (pairs.count > 0)
      qsort(pairs.data, pairs.count, pairs.entry_size, compare_callees);
    result = put_rows(&writer);
  }
  base_vector_free(&pairs);
  out_text_free(&writer.out);
  out_text_free(&writer.name);
  out_arguments_free(&writer.scratch);
  return result;
}
