/*
 * The calling-context tree of a thread: functions, signatures, contexts, nodes and edges, made when they first
 * occur.
 *
 * Records lie in the recording and are complete before a pointer to them is stored. The tables that find them lie in
 * the tree's arena. A context is a path of functions from the root; a call of a function that is on the path already
 * leads back to that ancestor (a back edge), so paths are acyclic and the tree's size does not depend on the depth of
 * recursion.
 */
#include "profiler/tree/tree.h"

#include <errno.h>

#include "format/index.h"
#include "profiler/base/histogram_record.h"
#include "profiler/base/process.h"
#include "profiler/base/recording.h"
#include "profiler/base/table.h"
#include "profiler/stack/modes.h"
#include "profiler/tree/asked.h"
#include "profiler/tree/sampling.h"
#include "profiler/tree/signature_list.h"

#define FIRST_SLOTS 8u

static uint64_t hash_words(uint64_t hash, const uint64_t *words, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    hash = prof_hash_mix(hash, words[i]);
  return hash;
}

static bool equal_words(const uint64_t *a, const uint64_t *b, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

static void copy_words(uint64_t *target, const uint64_t *source, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    target[i] = source[i];
}

static void publish(uint64_t *pointer, const void *record)
{
  __atomic_store_n(pointer, (uintptr_t)record, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static uint64_t hash_function(uint64_t module, uint32_t kind, uint32_t function, uint64_t address)
{
  /* A function that the index knows is the same wherever a copy of it lies. */
  uint64_t identity = function == FMT_NONE ? address : function;
  return prof_hash_mix(prof_hash_mix(prof_hash_mix(kind, module), function == FMT_NONE), identity);
}

struct fmt_rec_function *prof_tree_function_find(const struct prof_tree *tree, uint64_t module, uint32_t kind,
                                                 uint32_t function, uint64_t address)
{
  const uint64_t hash = hash_function(module, kind, function, address);
  const struct prof_table_slot *slot;
  for (uint64_t i = hash; (slot = prof_table_at(&tree->functions, i))->item; i++) {
    struct fmt_rec_function *known = slot->item;
    if (slot->hash == hash && known->module == module && known->kind == kind && known->function == function &&
        (function != FMT_NONE || known->address == address))
      return known;
  }
  return NULL;
}

struct fmt_rec_function *prof_tree_function(struct prof_tree *tree, uint64_t module, uint32_t kind, uint32_t function,
                                            uint64_t address)
{
  struct fmt_rec_function *known = prof_tree_function_find(tree, module, kind, function, address);
  if (known)
    return known;
  struct fmt_rec_function *made = prof_record_alloc(tree, sizeof *made);
  if (!made || !prof_table_add(&tree->functions, &tree->arena, hash_function(module, kind, function, address), made))
    return NULL;
  made->module = module;
  made->function = function;
  made->kind = kind;
  made->address = address;
  made->next = tree->record->first_function;
  made->tag = (struct fmt_rec_tag){FMT_TAG_FUNCTION, sizeof *made};
  publish(&tree->record->first_function, made);
  return made;
}

static uint64_t hash_signature(const struct fmt_rec_function *function, const uint64_t *words, uint32_t count,
                               uint32_t flags)
{
  return hash_words(prof_hash_mix((uintptr_t)function, flags), words, count);
}

struct fmt_rec_signature *prof_signature_find(const struct prof_tree *tree, const struct fmt_rec_function *function,
                                              const uint64_t *words, uint32_t count, uint32_t flags)
{
  uint64_t hash = hash_signature(function, words, count, flags);
  const struct prof_table_slot *slot;
  for (uint64_t i = hash; (slot = prof_table_at(&tree->signatures, i))->item; i++) {
    struct fmt_rec_signature *known = slot->item;
    if (slot->hash == hash && known->function == (uintptr_t)function && known->flags == flags &&
        known->word_count == count && equal_words(known->words, words, count))
      return known;
  }
  return NULL;
}

static struct fmt_rec_signature *signature_of(struct prof_tree *tree, struct fmt_rec_function *function,
                                              const uint64_t *words, uint32_t count, uint32_t flags)
{
  struct fmt_rec_signature *known = prof_signature_find(tree, function, words, count, flags);
  if (known)
    return known;
  size_t size = sizeof(struct fmt_rec_signature) + count * sizeof(uint64_t);
  struct fmt_rec_signature *made = prof_record_alloc(tree, size);
  uint64_t hash = hash_signature(function, words, count, flags);
  if (!made || !prof_table_add(&tree->signatures, &tree->arena, hash, made))
    return NULL;
  made->function = (uintptr_t)function;
  made->word_count = count;
  made->flags = flags;
  copy_words(made->words, words, count);
  made->tag = (struct fmt_rec_tag){FMT_TAG_SIGNATURE, (uint32_t)size};
  function->signatures++;
  function->distinct++;
  return flags || prof_signature_list_add(tree, function, made) ? made : NULL;
}

static uint64_t hash_context(const struct fmt_rec_context *parent, const struct fmt_rec_function *function)
{
  return prof_hash_mix(prof_hash_mix(0, (uintptr_t)parent), (uintptr_t)function);
}

static struct fmt_rec_context *find_context(const struct prof_tree *tree, const struct fmt_rec_context *parent,
                                            const struct fmt_rec_function *function)
{
  const struct prof_table_slot *slot;
  for (uint64_t i = hash_context(parent, function); (slot = prof_table_at(&tree->contexts, i))->item; i++) {
    struct fmt_rec_context *known = slot->item;
    if (known->parent == (uintptr_t)parent && known->function == (uintptr_t)function)
      return known;
  }
  return NULL;
}

struct fmt_rec_context *prof_context_of(struct prof_tree *tree, struct fmt_rec_context *parent,
                                        struct fmt_rec_function *function)
{
  struct fmt_rec_context *known = find_context(tree, parent, function);
  if (known)
    return known;
  struct fmt_rec_context *made = prof_record_alloc(tree, sizeof *made);
  if (!made || !prof_table_add(&tree->contexts, &tree->arena, hash_context(parent, function), made))
    return NULL;
  made->parent = (uintptr_t)parent;
  made->function = (uintptr_t)function;
  made->depth = parent ? parent->depth + 1 : 0;
  made->tag = (struct fmt_rec_tag){FMT_TAG_CONTEXT, sizeof *made};
  return made;
}

static struct fmt_rec_variant *make_cct_node(struct prof_tree *tree, struct fmt_rec_context *context,
                                             uint64_t signature)
{
  struct fmt_rec_variant *made = prof_record_alloc(tree, sizeof *made);
  if (!made)
    return NULL;
  made->context = (uintptr_t)context;
  made->signature = signature;
  made->last = (uintptr_t)tree->root_edge;
  made->tag = (struct fmt_rec_tag){FMT_TAG_VARIANT, sizeof *made};
  return made;
}

static struct fmt_rec_variant *cct_node_of(struct prof_tree *tree, struct fmt_rec_context *context,
                                           struct fmt_rec_signature *signature)
{
  uint64_t hash = prof_hash_mix(prof_hash_mix(1, (uintptr_t)context), (uintptr_t)signature);
  struct prof_table_slot *slot;
  for (uint64_t i = hash; (slot = prof_table_at(&tree->cct_nodes, i))->item; i++) {
    struct fmt_rec_variant *known = slot->item;
    if (known->context == (uintptr_t)context && known->signature == (uintptr_t)signature)
      return known;
  }
  struct fmt_rec_variant *made = make_cct_node(tree, context, (uintptr_t)signature);
  return made && prof_table_add(&tree->cct_nodes, &tree->arena, hash, made) ? made : NULL;
}

struct fmt_rec_variant *prof_tree_cct_node(struct prof_tree *tree, struct fmt_rec_context *context,
                                           const uint64_t *words, uint32_t count, uint32_t flags)
{
  struct fmt_rec_function *function = (struct fmt_rec_function *)context->function;
  struct fmt_rec_signature *signature = signature_of(tree, function, words, count, flags);
  return signature ? cct_node_of(tree, context, signature) : NULL;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static uint64_t hash_edge(const struct fmt_rec_variant *from, uint64_t site, const uint64_t *words, uint32_t count)
{
  const struct prof_site *suspended = prof_site_suspended(site);
  if (suspended)
    site = suspended->pc;
  return hash_words(prof_hash_mix((uintptr_t)from >> 3, site), words, count);
}

/* In the site of an edge with FMT_EDGE_INHERITED, above any address: no hook finds it. */
#define INHERITED_SITE (UINT64_C(1) << 62)

void prof_edge_key_inherit(struct prof_edge_key *key)
{
  key->site = (key->site & ~PROF_SITE_SUSPENDED) | INHERITED_SITE;
  key->flags |= FMT_EDGE_INHERITED;
  key->generic = true;
}

/* Is the edge one of the site that is looked for? By prof_site_key() it is found whether it is suspended or not. */
static bool is_at(const struct fmt_rec_edge *edge, uint64_t site)
{
  if (edge->site == site)
    return true;
  const struct prof_site *suspended = prof_site_suspended(site);
  const struct prof_fast_compare *compare = prof_edge_fast_compare(edge);
  return suspended && compare && compare->site == suspended && !(edge->flags & FMT_EDGE_INHERITED);
}

struct fmt_rec_edge *prof_edge_find(const struct prof_tree *tree, const struct fmt_rec_variant *from, uint64_t site,
                                    uint64_t function_address, const uint64_t *words, uint32_t count)
{
  uint64_t hash = hash_edge(from, site, words, count);
  const struct prof_table_slot *slot;
  for (uint64_t i = hash; (slot = prof_table_at(&tree->edges, i))->item; i++) {
    struct fmt_rec_edge *known = slot->item;
    if (slot->hash == hash && is_at(known, site) && known->function_address == function_address &&
        known->from == (uintptr_t)from && known->word_count == count && equal_words(known->words, words, count))
      return known;
  }
  return NULL;
}

bool prof_edge_add_stand_in(struct prof_tree *tree, struct fmt_rec_edge *edge)
{
  const uint64_t hash = hash_edge((const struct fmt_rec_variant *)edge->from, edge->site, NULL, 0);
  return prof_table_add(&tree->edges, &tree->arena, hash, edge);
}

/* An edge, with a sampling record before it when not all of its calls may be timed, and before that a list of what they
 * ask for when that is counted. */
static struct fmt_rec_edge *alloc_edge(struct prof_tree *tree, uint32_t count, bool sampled)
{
  const bool asks = prof_process.settings.asked;
  size_t size = sizeof(struct fmt_rec_edge) + count * sizeof(uint64_t);
  const size_t before =
      (asks ? sizeof(struct fmt_rec_asked_list) : 0) + (sampled ? sizeof(struct fmt_rec_sampling) : 0);
  uint8_t *start = prof_record_alloc(tree, before + size);
  if (!start)
    return NULL;
  struct fmt_rec_edge *edge = (struct fmt_rec_edge *)(void *)(start + before);
  edge->flags = (asks ? FMT_EDGE_ASKS : 0u) | (sampled ? FMT_EDGE_SAMPLED : 0u);
  if (asks)
    prof_edge_asked(edge)->tag = (struct fmt_rec_tag){FMT_TAG_ASKED_LIST, sizeof(struct fmt_rec_asked_list)};
  if (sampled)
    prof_edge_sampling(edge)->tag = (struct fmt_rec_tag){FMT_TAG_SAMPLING, sizeof(struct fmt_rec_sampling)};
  edge->min = UINT64_MAX;
  edge->counters = (uintptr_t)&edge->calls;
  edge->after = (uintptr_t)(tree->root_edge ? tree->root_edge : edge);
  edge->word_count = count;
  edge->tag = (struct fmt_rec_tag){FMT_TAG_EDGE, (uint32_t)size};
  return edge;
}

/* The context into which calls of the function are merged, with those of all paths into the same stage: below the
 * merged context of the stage's tasks (`task`, NULL outside of all stages). NULL: no space. */
static struct fmt_rec_context *merged_context(struct prof_tree *tree, struct fmt_rec_function *task,
                                              struct fmt_rec_function *function)
{
  struct fmt_rec_context *stage = NULL;
  if (task && function->kind != FMT_FUNCTION_KIND_TASK) {
    stage = prof_context_of(tree, NULL, task);
    if (!stage)
      return NULL;
  }
  return prof_context_of(tree, stage, function);
}

/* The edge's context, before it has one: an ancestor with the same function, a merged one, or a child of the caller's.
 * Between the caller and an ancestor no other stage may begin, unless a task folds to one of its own stage. */
static struct fmt_rec_context *target_context(struct prof_tree *tree, struct fmt_rec_context *caller,
                                              struct fmt_rec_function *function, uint32_t *flags)
{
  const bool is_task = function->kind == FMT_FUNCTION_KIND_TASK;
  bool own_module = true, own_module_here = true, merge = tree->pressure >= PROF_PRESSURE_CONTEXTS;
  struct fmt_rec_function *task = NULL; /* the innermost */
  for (struct fmt_rec_context *at = caller; at && at->function; at = (struct fmt_rec_context *)at->parent) {
    struct fmt_rec_function *ancestor = (struct fmt_rec_function *)at->function;
    if (ancestor == function && (is_task || !task)) {
      *flags |= FMT_EDGE_BACK;
      return at;
    }
    /* Active, though not in this stage: marks have to say in which groups. */
    if (ancestor == function)
      *flags |= FMT_EDGE_BACK | FMT_EDGE_GENERIC;
    own_module = own_module && ancestor->module != function->module;
    own_module_here = own_module_here && (task || ancestor->module != function->module);
    if (!task && ancestor->kind == FMT_FUNCTION_KIND_TASK)
      task = ancestor;
    /* Below a merged context the path says nothing about the stack, but for the stage. So the calls that lead into
     * merged contexts are treated as recursion: marks say what is active. */
    merge = merge || !at->parent;
  }
  if (merge && !find_context(tree, caller, function)) {
    *flags |= FMT_EDGE_BACK | FMT_EDGE_MERGED;
    return merged_context(tree, task, function);
  }
  *flags |= own_module ? FMT_EDGE_MODULE : 0u;
  *flags |= task && own_module_here && !is_task ? FMT_EDGE_STAGE_MODULE : 0u;
  return prof_context_of(tree, caller, function);
}

/* The node that stands for any signature of the context. */
static struct fmt_rec_variant *merged_cct_node(struct prof_tree *tree, struct fmt_rec_context *context)
{
  if (!context->merged_variant && context->function) {
    struct fmt_rec_variant *node = prof_tree_cct_node(tree, context, NULL, 0, FMT_SIGNATURE_NONE);
    if (!node)
      return NULL;
    publish(&context->merged_variant, node);
  }
  return (struct fmt_rec_variant *)context->merged_variant;
}

/* The context of a new edge: the key's own, or where the tree puts it. */
static struct fmt_rec_context *context_of_key(struct prof_tree *tree, struct fmt_rec_context *caller,
                                              const struct prof_edge_key *key, uint32_t *flags)
{
  *flags = key->flags;
  return key->context ? key->context : target_context(tree, caller, key->function, flags);
}

/* The edge with this key from `from` or, once the callee's context has its fill of edges, from any signature of the
 * caller. */
struct fmt_rec_edge *prof_edge_make(struct prof_tree *tree, struct fmt_rec_variant *from,
                                    const struct prof_edge_key *key)
{
  uint32_t flags;
  struct fmt_rec_context *caller = (struct fmt_rec_context *)from->context;
  struct fmt_rec_context *context = context_of_key(tree, caller, key, &flags);
  if (!context)
    return NULL;
  if (context->edges >= PROF_EDGES_MAX && caller->function) {
    from = merged_cct_node(tree, caller);
    flags |= FMT_EDGE_ANY;
    struct fmt_rec_edge *known =
        from ? prof_edge_find(tree, from, key->site, key->function_address, key->words, key->word_count) : NULL;
    if (known || !from)
      return known;
  }
  struct fmt_rec_variant *to =
      prof_tree_cct_node(tree, context, key->words, key->word_count - key->call_site, key->signature_flags);
  const bool inherited = flags & FMT_EDGE_INHERITED;
  const bool has_record = key->function->kind == FMT_FUNCTION_KIND_CODE || key->is_wait;
  bool sampled = prof_process.settings.sample_times && has_record && !inherited &&
                 !(flags & (FMT_EDGE_RETURNS | FMT_EDGE_RETURNED));
  struct fmt_rec_edge *edge = to ? alloc_edge(tree, key->word_count, sampled) : NULL;
  uint64_t hash = hash_edge(from, key->site, key->words, key->word_count);
  if (!edge || !prof_table_add(&tree->edges, &tree->arena, hash, edge))
    return NULL;
  edge->site = key->site;
  edge->from = (uintptr_t)from;
  edge->to = (uintptr_t)to;
  edge->function_address = key->function_address;
  edge->site_info = (uintptr_t)key->compare;
  edge->cfa = key->cfa;
  /* Near the limit, counts come before percentiles. */
  if (prof_process.settings.percentiles && tree->pressure == PROF_PRESSURE_NONE && !inherited)
    edge->histogram = (uintptr_t)prof_histogram_make(tree, PROF_CALL_SUB_BITS);
  flags &= ~(uint32_t)(FMT_EDGE_SAMPLED | FMT_EDGE_ASKS);
  flags |= key->call_site ? FMT_EDGE_CALL_SITE : 0u;
  edge->flags |= flags | (flags & (FMT_EDGE_ANY | FMT_EDGE_MERGED) || key->generic ? FMT_EDGE_GENERIC : 0u);
  copy_words(edge->words, key->words, key->word_count);
  prof_edge_set_mode(edge, false);
  context->edges++;
  edge->next = tree->record->first_edge;
  publish(&tree->record->first_edge, edge);
  return edge;
}

struct fmt_rec_edge *prof_edge_find_or_make(struct prof_tree *tree, struct fmt_rec_variant *from,
                                            const struct prof_edge_key *key)
{
  struct fmt_rec_edge *edge = prof_edge_find(tree, from, key->site, key->function_address, key->words, key->word_count);
  return edge ? edge : prof_edge_make(tree, from, key);
}

const uint64_t *prof_edge_words(const struct fmt_rec_edge *edge, const struct fmt_rec_signature *signature,
                                uint64_t *words)
{
  if (!(edge->flags & FMT_EDGE_CALL_SITE))
    return signature->words;
  copy_words(words, signature->words, signature->word_count);
  words[signature->word_count] = edge->words[edge->word_count - 1];
  return words;
}

struct fmt_rec_edge *prof_edge_inherited(struct prof_tree *tree, const struct fmt_rec_edge *edge, uint64_t *words)
{
  const bool call_site = edge->flags & FMT_EDGE_CALL_SITE;
  const struct fmt_rec_variant *to = (const struct fmt_rec_variant *)edge->to;
  const struct fmt_rec_signature *signature = (const struct fmt_rec_signature *)to->signature;
  struct fmt_rec_variant *from = (struct fmt_rec_variant *)edge->from;
  struct prof_edge_key key = {.site = edge->site,
                              .function_address = edge->function_address,
                              .function = (struct fmt_rec_function *)signature->function,
                              .words = prof_edge_words(edge, signature, words),
                              .word_count = signature->word_count + call_site,
                              .call_site = call_site,
                              .signature_flags = signature->flags,
                              .context = (struct fmt_rec_context *)to->context,
                              .flags = edge->flags,
                              .cfa = edge->cfa,
                              .compare = prof_edge_fast_compare(edge)};
  prof_edge_key_inherit(&key);
  return prof_edge_find_or_make(tree, from, &key);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool init_tables(struct prof_tree *tree)
{
  struct prof_table *tables[] = {&tree->edges,           &tree->contexts,  &tree->cct_nodes, &tree->signatures,
                                 &tree->signature_lists, &tree->functions, &tree->pairs,     &tree->fast_compares};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (!prof_table_init(tables[i], &tree->arena, FIRST_SLOTS))
      return false;
  return true;
}

int prof_tree_init(struct prof_tree *tree, uint32_t tid)
{
  if (!init_tables(tree))
    return -ENOMEM;
  struct fmt_rec_thread *record = prof_record_alloc(tree, sizeof *record);
  struct fmt_rec_context *context = record ? prof_record_alloc(tree, sizeof *context) : NULL;
  tree->root_edge = context ? alloc_edge(tree, 0, false) : NULL;
  tree->root = tree->root_edge ? make_cct_node(tree, context, 0) : NULL;
  if (!tree->root)
    return -ENOSPC;
  context->tag = (struct fmt_rec_tag){FMT_TAG_CONTEXT, sizeof *context};
  /* The sentinel of every prediction: no call has its site, and no exit its function. */
  tree->root_edge->to = (uintptr_t)tree->root;
  tree->root_edge->mode = PROF_MODE_NEVER;
  tree->root_edge->flags |= FMT_EDGE_GENERIC;
  record->tid = tid;
  record->threads = 1;
  record->period = __atomic_load_n(&prof_process.header->period, __ATOMIC_SEQ_CST);
  record->root = (uintptr_t)tree->root;
  record->root_edge = (uintptr_t)tree->root_edge;
  record->tag = (struct fmt_rec_tag){FMT_TAG_THREAD, sizeof *record};
  tree->record = record;
  return 0;
}

void prof_tree_publish(struct prof_tree *tree)
{
  uint64_t *first = &prof_process.header->first_thread;
  tree->record->serial = __atomic_add_fetch(&prof_process.thread_serial, 1, __ATOMIC_RELAXED);
  uint64_t newest = __atomic_load_n(first, __ATOMIC_RELAXED);
  do {
    tree->record->next = newest;
  } while (
      !__atomic_compare_exchange_n(first, &newest, (uintptr_t)tree->record, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  /* What is taken out of the list before this is there stays where it is: see lifetime/thread_exit.c. */
  if (newest)
    publish(&((struct fmt_rec_thread *)newest)->newer, tree->record);
}
