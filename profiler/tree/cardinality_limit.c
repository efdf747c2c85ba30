/*
 * The limit on a function's signatures.
 *
 * A function starts with exact signatures. When one more would exceed its budget, the arg with the most distinct values
 * widens: an integer to log2 buckets and then to its type, anything else to its type at once. The signatures that are
 * recorded already stay as they are, and are counted as the levels make them; so one round of widening frees places,
 * and the records of a function never exceed the budget times two for each arg.
 */
#include "profiler/tree/cardinality_limit.h"

#include "format/index.h"
#include "profiler/base/arena.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/signature.h"
#include "profiler/module/module_find.h"
#include "profiler/tree/signature_list.h"
#include "profiler/tree/tree.h"

/* For the distinct values of one arg: more than twice the signatures that can be counted. */
#define VALUES_SLOTS 1024u

static const struct fmt_index_type *type_of(const struct fmt_index *index, const struct fmt_index_arg *arg)
{
  return &index->types[arg->type];
}

/* May the arg widen to log2 buckets? */
static bool is_number(const struct fmt_index *index, const struct fmt_index_arg *arg)
{
  const struct fmt_index_type *type = type_of(index, arg);
  return arg->kind == FMT_ARG_VALUE && (type->kind == FMT_TYPE_SIGNED || type->kind == FMT_TYPE_UNSIGNED);
}

/* Applies levels to a signature's words in place and gives the new number of words. Anywhere. */
static uint32_t widen_words(const struct fmt_index_function *function_info, const struct fmt_index *index,
                            const uint8_t *levels, uint64_t *words)
{
  const struct fmt_index_arg *args = index->args + function_info->first_arg;
  uint32_t in = function_info->state_words, out = in;
  for (unsigned i = 0; i < function_info->arg_count; i++) {
    unsigned state = prof_signature_state(words, i);
    uint32_t size = prof_signature_arg_words(&args[i], state, &words[in]);
    bool content = (size && (state == FMT_STATE_READ || state == FMT_STATE_LOG2)) || state == FMT_STATE_UNREADABLE;
    if (content && levels[i] == FMT_WIDEN_TYPE) {
      prof_signature_set_state(words, i, FMT_STATE_TYPE);
    } else if (size && state == FMT_STATE_READ && levels[i] == FMT_WIDEN_LOG2) {
      prof_signature_set_state(words, i, FMT_STATE_LOG2);
      words[out++] = (uint64_t)fmt_bucket_log2(words[in], type_of(index, &args[i])->is_signed);
    } else {
      for (uint32_t k = 0; k < size; k++)
        words[out + k] = words[in + k];
      out += size;
    }
    in += size;
  }
  return out;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A count of distinct 64-bit values; a value stands for longer contents by its hash. */
struct values {
  uint64_t slots[VALUES_SLOTS]; /* 0: free */
  uint32_t count;
};

static void values_add(struct values *values, uint64_t value)
{
  uint64_t hash = prof_hash_mix(1, value) | 1;
  for (uint64_t i = hash >> 8;; i++) {
    uint64_t *slot = &values->slots[i % VALUES_SLOTS];
    if (*slot == hash || values->count >= VALUES_SLOTS / 2)
      return;
    if (*slot == 0) {
      *slot = hash;
      values->count++;
      return;
    }
  }
}

/* What is at hand while args widen: their function, and memory for one signature and one set of values. */
struct widening {
  struct prof_tree *tree;
  const struct fmt_index_function *info;
  const struct fmt_index *index;
  struct fmt_rec_function *function;
  uint8_t *levels;
  uint64_t words[FMT_SIGNATURE_MAX_WORDS];
  struct values values;
};

static uint64_t hash_of(uint64_t seed, const uint64_t *words, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    seed = prof_hash_mix(seed, words[i]);
  return seed;
}

typedef void (*signature_fn)(struct widening *widening, uint32_t count, unsigned arg);

/* Visits words as the levels make them, which widening->words holds then. */
static void visit_words(struct widening *widening, const uint64_t *words, uint32_t count, signature_fn visit,
                        unsigned arg)
{
  for (uint32_t i = 0; i < count; i++)
    widening->words[i] = words[i];
  visit(widening, widen_words(widening->info, widening->index, widening->levels, widening->words), arg);
}

/* Visits the function's signatures as the levels make them, and an extra one. */
static void each_signature(struct widening *widening, const uint64_t *extra, uint32_t extra_count, signature_fn visit,
                           unsigned arg)
{
  const struct prof_signature_link *link = prof_signature_list(widening->tree, widening->function);
  widening->values.count = 0;
  for (unsigned i = 0; i < VALUES_SLOTS; i++)
    widening->values.slots[i] = 0;
  visit_words(widening, extra, extra_count, visit, arg);
  for (; link; link = link->next)
    visit_words(widening, link->signature->words, link->signature->word_count, visit, arg);
}

static void visit_whole(struct widening *widening, uint32_t count, unsigned arg)
{
  (void)arg;
  values_add(&widening->values, hash_of(0, widening->words, count));
}

static void visit_arg(struct widening *widening, uint32_t count, unsigned arg)
{
  (void)count;
  const struct fmt_index_arg *args = widening->index->args + widening->info->first_arg;
  uint32_t at = widening->info->state_words;
  for (unsigned i = 0; i < arg; i++)
    at += prof_signature_arg_words(&args[i], prof_signature_state(widening->words, i), &widening->words[at]);
  unsigned state = prof_signature_state(widening->words, arg);
  values_add(&widening->values,
             hash_of(state, &widening->words[at], prof_signature_arg_words(&args[arg], state, &widening->words[at])));
}

/* The arg with the most distinct values among those that can still widen; arg_count when none can. */
static unsigned most_varied(struct widening *widening, const uint64_t *extra, uint32_t extra_count)
{
  unsigned best = widening->info->arg_count;
  uint32_t most = 1;
  for (unsigned arg = 0; arg < widening->info->arg_count; arg++) {
    if (widening->levels[arg] == FMT_WIDEN_TYPE)
      continue;
    each_signature(widening, extra, extra_count, visit_arg, arg);
    if (widening->values.count > most) {
      most = widening->values.count;
      best = arg;
    }
  }
  return best;
}

/* The function's levels, one byte an arg, made when there are none. NULL: no space. */
static uint8_t *make_levels(struct prof_tree *tree, struct fmt_rec_function *function, uint32_t args)
{
  if (!function->levels) {
    size_t size = (sizeof(struct fmt_rec_name) + args + 8) & ~(size_t)7;
    struct fmt_rec_name *name = prof_record_alloc(tree, size);
    if (!name)
      return NULL;
    name->length = args;
    name->tag = (struct fmt_rec_tag){FMT_TAG_NAME, (uint32_t)size};
    __atomic_store_n(&function->levels, (uintptr_t)name, __ATOMIC_RELEASE);
  }
  return (uint8_t *)((struct fmt_rec_name *)function->levels)->text;
}

static void set_level(struct fmt_rec_function *function, uint8_t *level, uint8_t value)
{
  function->widened_args += *level == FMT_WIDEN_NONE;
  *level = value;
  function->widenings++;
}

bool prof_cardinality_raise(struct prof_tree *tree, struct fmt_rec_function *function,
                            const struct fmt_rec_name *levels)
{
  uint8_t *own = make_levels(tree, function, levels->length);
  for (uint32_t i = 0; own && i < levels->length; i++)
    if ((uint8_t)levels->text[i] > own[i])
      set_level(function, &own[i], (uint8_t)levels->text[i]);
  return own != NULL;
}

/* Widens args until the function's signatures, with the new one, are within the budget. */
static void widen(struct widening *widening, const uint64_t *extra, uint32_t extra_count)
{
  each_signature(widening, extra, extra_count, visit_whole, 0);
  uint32_t before = widening->values.count;
  while (widening->values.count > PROF_CARDINALITY_BUDGET) {
    unsigned arg = most_varied(widening, extra, extra_count);
    if (arg == widening->info->arg_count)
      break;
    const struct fmt_index_arg *args = widening->index->args + widening->info->first_arg;
    bool to_buckets = widening->levels[arg] == FMT_WIDEN_NONE && is_number(widening->index, &args[arg]);
    set_level(widening->function, &widening->levels[arg], to_buckets ? FMT_WIDEN_LOG2 : FMT_WIDEN_TYPE);
    each_signature(widening, extra, extra_count, visit_whole, 0);
  }
  widening->function->distinct = widening->values.count;
  prof_count_loss(FMT_LOSS_SIGNATURES_MERGED, before - widening->values.count);
}

uint32_t prof_cardinality_widen(const struct fmt_index_function *function_info, const struct fmt_index *index,
                                const struct fmt_rec_function *function, uint64_t *words, uint32_t count)
{
  return function->levels ? widen_words(function_info, index, prof_function_levels(function), words) : count;
}

bool prof_cardinality_admit(struct prof_tree *tree, const struct fmt_index_function *function_info,
                            const struct fmt_index *index, struct fmt_rec_function *function, uint64_t *words,
                            uint32_t *count)
{
  *count = prof_cardinality_widen(function_info, index, function, words, *count);
  if (*count <= function_info->state_words || function->distinct < PROF_CARDINALITY_BUDGET ||
      prof_signature_find(tree, function, words, *count, 0))
    return true;
  struct prof_arena scratch = {0};
  struct widening *widening = prof_arena_alloc(&scratch, sizeof *widening);
  if (!widening)
    return false;
  widening->tree = tree;
  widening->info = function_info;
  widening->index = index;
  widening->function = function;
  widening->levels = make_levels(tree, function, function_info->arg_count);
  bool done = widening->levels != NULL;
  if (done) {
    widen(widening, words, *count);
    *count = widen_words(function_info, index, widening->levels, words);
  }
  prof_arena_free(&scratch);
  return done;
}

bool prof_cardinality_admit_recorded(struct prof_tree *tree, const struct fmt_rec_module *module,
                                     struct fmt_rec_function *function, uint64_t *words, uint32_t *count)
{
  const struct prof_module *known = __atomic_load_n(&prof_process.modules, __ATOMIC_ACQUIRE);
  while (known && known->record != module)
    known = known->next;
  if (!known || !known->index.header || function->function == FMT_NONE)
    return true;
  return prof_cardinality_admit(tree, &known->index.functions[function->function], &known->index, function, words,
                                count);
}
