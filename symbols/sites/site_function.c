/*
 * Finds which function's address the code passes to the hook at each site.
 */
#include "symbols/sites/site_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/flow/constants.h"
#include "symbols/sites/sites.h"

enum {
  PASSES_MAX = 16 /* what is known of a register rises at most twice; nearly all code settles in four passes */
};

/* A basic block: instructions of which only the first is ever jumped to. */
struct block {
  uint64_t start;
  bool has_way; /* an instruction of the function leads here */
  struct sym_constants in;
};

/* One function while it is worked on. */
struct function {
  const struct sym_hook *hook;
  const struct base_vector *sites;
  const struct sym_code_span *spans;
  uint32_t span_count;
  uint64_t *found;           /* by site */
  struct base_vector blocks; /* struct block, ascending by start */
  struct sym_constant_slots slots;
  struct sym_constants escape; /* what may hold where control arrives by a way that no instruction names: out of a
                                  switch's table, or at the landing pad of an exception */
};

static bool is_inside(const struct function *function, uint64_t address)
{
  for (uint32_t i = 0; i < function->span_count; i++)
    if (address >= function->spans[i].low && address < function->spans[i].high)
      return true;
  return false;
}

static int compare_blocks(const void *a, const void *b)
{
  const struct block *left = a, *right = b;
  return (left->start > right->start) - (left->start < right->start);
}

static int add_block(struct function *function, uint64_t start, bool has_way)
{
  struct block *block = base_vector_add(&function->blocks, 1);
  if (!block)
    return -ENOMEM;
  block->start = start;
  block->has_way = has_way;
  return 0;
}

/* The beginnings of blocks in one span: its own, where jumps lead, and after instructions that may go elsewhere. What
 * fills up the space before an aligned instruction is never run. */
static int find_blocks_of(struct function *function, const struct sym_code_span *span)
{
  struct sym_step step;
  uint64_t at = span->low;
  int error = add_block(function, at, false);
  bool is_after_end = false;
  while (!error && at < span->high && sym_step_at(function->hook, at, span->high, &step)) {
    if (is_after_end && step.is_padding) {
      at += step.size;
      continue;
    }
    if (is_after_end)
      error = add_block(function, at, false);
    at += step.size;
    is_after_end = !step.falls_through;
    if (!error && step.target && is_inside(function, step.target))
      error = add_block(function, step.target, true);
    if (!error && step.target && step.falls_through && at < span->high)
      error = add_block(function, at, true);
  }
  return error;
}

static int find_blocks(struct function *function)
{
  int error = 0;
  for (uint32_t i = 0; !error && i < function->span_count; i++)
    error = find_blocks_of(function, &function->spans[i]);
  if (error)
    return error;
  struct block *blocks = function->blocks.data;
  uint32_t kept = 0;
  qsort(blocks, function->blocks.count, sizeof *blocks, compare_blocks);
  for (uint32_t i = 0; i < function->blocks.count; i++)
    if (kept == 0 || blocks[kept - 1].start != blocks[i].start)
      blocks[kept++] = blocks[i];
    else
      blocks[kept - 1].has_way |= blocks[i].has_way;
  function->blocks.count = kept;
  return 0;
}

static bool flow_to(struct function *function, uint64_t target, const struct sym_constants *state)
{
  const struct block key = {.start = target};
  struct block *block = bsearch(&key, function->blocks.data, function->blocks.count, sizeof key, compare_blocks);
  return block && sym_constants_join(&block->in, state);
}

/* The found site whose call begins at `call`, or NULL. */
static const struct sym_found_site *site_at(const struct function *function, uint64_t call)
{
  const struct sym_found_site *sites = function->sites->data;
  uint32_t low = 0, high = function->sites->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (sites[middle].call < call)
      low = middle + 1;
    else
      high = middle;
  }
  return low < function->sites->count && sites[low].call == call ? &sites[low] : NULL;
}

static void note_site(struct function *function, uint64_t at, uint64_t value)
{
  const struct sym_found_site *site = site_at(function, at);
  if (site)
    function->found[site - (const struct sym_found_site *)function->sites->data] =
        sym_hook_code_at(function->hook, value) ? value : 0;
}

/* Runs a block from what is known at its entry. True when more became known at the entry of another block. */
static bool run_block(struct function *function, uint32_t index, uint64_t high)
{
  const struct block *block = base_vector_at(&function->blocks, index);
  uint64_t next = index + 1 < function->blocks.count
                      ? ((const struct block *)base_vector_at(&function->blocks, index + 1))->start
                      : UINT64_MAX;
  struct sym_constants state = block->in;
  uint64_t at = block->start;
  bool changed = false;
  struct sym_step step;
  while (at < high && at < next) {
    if (!sym_step_at(function->hook, at, high, &step))
      return changed;
    if (step.is_call)
      note_site(function, at, state.registers[function->hook->processor->function_register]);
    sym_constants_apply(&state, &function->slots, function->hook, at, &step);
    if (step.is_indirect || step.is_call)
      sym_constants_join(&function->escape, &state);
    if (step.target)
      changed |= flow_to(function, step.target, &state);
    if (!step.falls_through)
      return changed;
    at += step.size;
  }
  return at < high ? flow_to(function, at, &state) || changed : changed;
}

static uint64_t end_of_span(const struct function *function, uint64_t address)
{
  for (uint32_t i = 0; i < function->span_count; i++)
    if (address >= function->spans[i].low && address < function->spans[i].high)
      return function->spans[i].high;
  return address;
}

/* Enters blocks that were not reached, with what may hold there: those that no instruction leads to, since control must
 * come to them in another way; when there are none of these, all that are left. */
static bool enter_rest(struct function *function)
{
  bool changed = false;
  for (int may_have_way = 0; !changed && may_have_way < 2; may_have_way++)
    for (uint32_t i = 0; i < function->blocks.count; i++) {
      struct block *block = base_vector_at(&function->blocks, i);
      if (!block->in.is_reached && block->has_way <= may_have_way)
        changed |= sym_constants_join(&block->in, &function->escape);
    }
  return changed;
}

static struct block *entry_block(const struct function *function)
{
  for (uint32_t i = 0; i < function->blocks.count; i++) {
    struct block *block = base_vector_at(&function->blocks, i);
    if (block->start == function->spans[0].group)
      return block;
  }
  return base_vector_at(&function->blocks, 0);
}

/* Runs all blocks until nothing new becomes known. */
static void run(struct function *function)
{
  bool changed = true;
  sym_constants_begin(&entry_block(function)->in);
  for (unsigned pass = 0; changed && pass < PASSES_MAX; pass++) {
    changed = false;
    for (uint32_t i = 0; i < function->blocks.count; i++) {
      const struct block *block = base_vector_at(&function->blocks, i);
      if (block->in.is_reached)
        changed |= run_block(function, i, end_of_span(function, block->start));
    }
    if (!changed)
      changed = enter_rest(function);
  }
}

static bool has_site(const struct base_vector *sites, const struct sym_code_span *span)
{
  const struct sym_found_site *all = sites->data;
  uint32_t low = 0, high = sites->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (all[middle].call < span->low)
      low = middle + 1;
    else
      high = middle;
  }
  while (low < sites->count && sym_is_sled(&all[low]))
    low++;
  return low < sites->count && all[low].call < span->high;
}

int sym_site_functions_find(const struct sym_hook *hook, const struct base_vector *sites,
                            const struct base_vector *spans, uint64_t *functions)
{
  memset(functions, 0, sites->count * sizeof *functions);
  int error = 0;
  struct function function = {.hook = hook, .sites = sites, .found = functions, .blocks = BASE_VECTOR_OF(struct block)};
  for (uint32_t first = 0, end; !error && first < spans->count; first = end) {
    const struct sym_code_span *span = base_vector_at(spans, first);
    bool any = false;
    for (end = first; end < spans->count && span[end - first].group == span->group; end++)
      any |= has_site(sites, &span[end - first]);
    if (!any)
      continue;
    function.spans = span;
    function.span_count = end - first;
    function.blocks.count = 0;
    function.slots.count = 0;
    function.escape = (struct sym_constants){0};
    error = find_blocks(&function);
    if (!error)
      run(&function);
  }
  base_vector_free(&function.blocks);
  return error;
}
