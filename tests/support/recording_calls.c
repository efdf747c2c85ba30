/* Calls that begin and end in a recording made by hand: what the runtime does with marks and fast paths, by looking
 * down the whole stack. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/recording_model.h"

/* The thread's function record, made when new. */
static uint64_t find_function(struct recording_thread *thread, uint64_t module, uint32_t number, uint32_t kind,
                              uint64_t address)
{
  struct recording_writer *writer = thread->writer;
  uint64_t found = recording_thread_record(thread)->first_function;
  while (found) {
    const struct fmt_rec_function *function = at(writer, found);
    if (function->module == module && function->function == number && function->address == address)
      return found;
    found = function->next;
  }
  found = recording_writer_make(writer, FMT_TAG_FUNCTION, sizeof(struct fmt_rec_function));
  struct fmt_rec_function *function = at(writer, found);
  function->module = module;
  function->function = number;
  function->kind = kind;
  function->address = address;
  function->next = recording_thread_record(thread)->first_function;
  recording_thread_record(thread)->first_function = found;
  return found;
}

/* The signature, context and variant of an edge, so that lists of edges serve as the index of everything below. */
static const struct fmt_rec_variant *callee(struct recording_writer *writer, const struct fmt_rec_edge *edge)
{
  return at(writer, edge->to);
}

/* A signature's words, or none, or a task's text. */
struct call_words {
  const uint64_t *words;
  uint32_t count;
  uint32_t flags;
};

static int same_signature(struct recording_writer *writer, uint64_t address, uint64_t function,
                          const struct call_words *words)
{
  const struct fmt_rec_signature *signature = at(writer, address);
  return signature->function == function && signature->flags == words->flags && signature->word_count == words->count &&
         (words->count == 0 || memcmp(signature->words, words->words, words->count * sizeof(uint64_t)) == 0);
}

static uint64_t find_signature(struct recording_thread *thread, uint64_t function, const struct call_words *words)
{
  struct recording_writer *writer = thread->writer;
  for (uint64_t i = recording_thread_record(thread)->first_edge; i; i = ((struct fmt_rec_edge *)at(writer, i))->next) {
    uint64_t signature = callee(writer, at(writer, i))->signature;
    if (signature && same_signature(writer, signature, function, words))
      return signature;
  }
  uint64_t address = recording_writer_make(writer, FMT_TAG_SIGNATURE,
                                           sizeof(struct fmt_rec_signature) + words->count * sizeof(uint64_t));
  struct fmt_rec_signature *signature = at(writer, address);
  signature->function = function;
  signature->word_count = words->count;
  signature->flags = words->flags;
  if (words->count)
    memcpy(signature->words, words->words, words->count * sizeof(uint64_t));
  return address;
}

static uint64_t context_of(struct recording_writer *writer, uint64_t variant)
{
  return ((struct fmt_rec_variant *)at(writer, variant))->context;
}

static int is_task(struct recording_writer *writer, uint64_t function)
{
  return function && ((struct fmt_rec_function *)at(writer, function))->kind == FMT_FUNCTION_KIND_TASK;
}

/* Is `function` on the path from `from` up to the root? */
static int on_path(struct recording_writer *writer, uint64_t from, uint64_t function)
{
  for (uint64_t i = from; i; i = ((struct fmt_rec_context *)at(writer, i))->parent) {
    if (((struct fmt_rec_context *)at(writer, i))->function == function)
      return 1;
  }
  return 0;
}

/* The context of a call from context `from`: an ancestor with the same function, or the child, made when new. A task
 * looks for its like up to the root, a function up to the innermost task. */
static uint64_t find_context(struct recording_thread *thread, uint64_t from, uint64_t function, int *back)
{
  struct recording_writer *writer = thread->writer;
  *back = on_path(writer, from, function);
  for (uint64_t i = from; i; i = ((struct fmt_rec_context *)at(writer, i))->parent) {
    uint64_t enclosing = ((struct fmt_rec_context *)at(writer, i))->function;
    if (enclosing == function)
      return i;
    if (is_task(writer, enclosing) && !is_task(writer, function))
      break;
  }
  for (uint64_t i = recording_thread_record(thread)->first_edge; i; i = ((struct fmt_rec_edge *)at(writer, i))->next) {
    uint64_t address = callee(writer, at(writer, i))->context;
    const struct fmt_rec_context *context = at(writer, address);
    if (context->parent == from && context->function == function)
      return address;
  }
  uint64_t address = recording_writer_make(writer, FMT_TAG_CONTEXT, sizeof(struct fmt_rec_context));
  struct fmt_rec_context *context = at(writer, address);
  context->parent = from;
  context->function = function;
  context->depth = ((struct fmt_rec_context *)at(writer, from))->depth + 1;
  return address;
}

static uint64_t find_edge(struct recording_thread *thread, uint64_t from, uint64_t context, uint64_t signature)
{
  struct recording_writer *writer = thread->writer;
  uint64_t to = 0;
  for (uint64_t i = recording_thread_record(thread)->first_edge; i; i = ((struct fmt_rec_edge *)at(writer, i))->next) {
    const struct fmt_rec_edge *edge = at(writer, i);
    if (callee(writer, edge)->context != context || callee(writer, edge)->signature != signature)
      continue;
    to = edge->to;
    if (edge->from == from)
      return i;
  }
  if (!to)
    to = recording_make_variant(writer, context, signature);
  return recording_make_edge(thread, from, to);
}

static void push(struct recording_thread *thread, const struct frame *frame)
{
  if (thread->depth == thread->capacity) {
    thread->capacity = thread->capacity ? thread->capacity * 2 : 64;
    thread->frames = need(realloc(thread->frames, thread->capacity * sizeof *thread->frames));
  }
  thread->frames[thread->depth++] = *frame;
}

static int in_group(const struct frame *a, const struct frame *b, unsigned group)
{
  switch (group) {
  case FMT_GROUP_FUNCTION:
    return a->function == b->function;
  case FMT_GROUP_SIGNATURE:
    return a->signature == b->signature;
  case FMT_GROUP_FUNCTION_PAIR:
    return a->from_function == b->from_function && a->function == b->function;
  case FMT_GROUP_SIGNATURE_PAIR:
    return a->from_signature == b->from_signature && a->signature == b->signature;
  case FMT_GROUP_MODULE:
    return a->module == b->module;
  case FMT_GROUP_FUNCTION_STAGE:
    return a->stage == b->stage && a->function == b->function;
  case FMT_GROUP_SIGNATURE_STAGE:
    return a->stage == b->stage && a->signature == b->signature;
  default:
    return a->stage == b->stage && a->module == b->module;
  }
}

static void count_dynamic(struct recording_thread *thread, const struct frame *frame, uint64_t duration)
{
  struct recording_writer *writer = thread->writer;
  uint64_t address = ((struct fmt_rec_edge *)at(writer, frame->edge))->recursion;
  if (!address) {
    address = recording_writer_make(writer, FMT_TAG_RECURSION, sizeof(struct fmt_rec_recursion));
    ((struct fmt_rec_edge *)at(writer, frame->edge))->recursion = address;
  }
  struct fmt_rec_recursion *recursion = at(writer, address);
  recursion->calls++;
  recursion->total += duration;
  for (unsigned group = 0; group < FMT_GROUP_COUNT; group++) {
    int outermost = 1;
    if (group >= FMT_GROUP_FUNCTION_STAGE && !frame->stage)
      break;
    for (size_t i = 0; i < thread->depth && outermost; i++)
      outermost = !in_group(&thread->frames[i], frame, group);
    recursion->primitive[group] += (uint64_t)outermost;
    recursion->cumulative[group] += outermost ? duration : 0;
  }
}

/* Counts a call of the frame that the open ones call. */
static void count(struct recording_thread *thread, const struct frame *frame, uint64_t duration)
{
  struct recording_writer *writer = thread->writer;
  if (frame->dynamic) {
    count_dynamic(thread, frame, duration);
  } else {
    struct fmt_rec_edge *edge = at(writer, frame->edge);
    edge->calls++;
    edge->total += duration;
  }
  uint64_t caller = thread->depth ? thread->frames[thread->depth - 1].edge : recording_thread_record(thread)->root_edge;
  ((struct fmt_rec_edge *)at(writer, caller))->children += duration;
}

static void enter(struct recording_thread *thread, uint64_t module, uint64_t function, const struct call_words *words,
                  uint64_t now)
{
  struct recording_writer *writer = thread->writer;
  struct frame frame = {.function = function, .module = module, .start = now};
  uint64_t from = recording_thread_record(thread)->root;
  if (thread->depth) {
    const struct frame *caller = &thread->frames[thread->depth - 1];
    from = ((struct fmt_rec_edge *)at(writer, caller->edge))->to;
    frame.from_function = caller->function;
    frame.from_signature = caller->signature;
    frame.stage = caller->stage;
  }
  if (is_task(writer, function))
    frame.stage = function;
  frame.signature = find_signature(thread, function, words);
  uint64_t context = find_context(thread, context_of(writer, from), function, &frame.back);
  frame.edge = find_edge(thread, from, context, frame.signature);
  if (frame.back)
    ((struct fmt_rec_edge *)at(writer, frame.edge))->flags |= FMT_EDGE_BACK;
  thread->back_frames += (size_t)frame.back;
  frame.dynamic = thread->back_frames > 0;
  frame.untimed = recording_sampling_skips(writer, frame.edge);
  frame.counted = frame.untimed && writer->counts_early;
  if (frame.counted)
    count(thread, &frame, recording_sampling_imputed(writer, frame.edge));
  push(thread, &frame);
}

void recording_enter(struct recording_thread *thread, uint64_t module, uint32_t function, const uint64_t *words,
                     uint32_t word_count, uint64_t now)
{
  uint64_t record = find_function(thread, module, function, FMT_FUNCTION_KIND_CODE, function * 64);
  struct call_words call = {.words = words, .count = word_count, .flags = words ? 0 : FMT_SIGNATURE_NONE};
  enter(thread, module, record, &call, now);
}

void recording_enter_action(struct recording_thread *thread, const char *name, uint64_t now)
{
  struct recording_writer *writer = thread->writer;
  const struct call_words none = {.flags = FMT_SIGNATURE_NONE};
  for (uint64_t i = recording_thread_record(thread)->first_function; i;) {
    const struct fmt_rec_function *function = at(writer, i);
    if (function->kind == FMT_FUNCTION_KIND_ACTION &&
        strcmp(((struct fmt_rec_name *)at(writer, function->address))->text, name) == 0) {
      enter(thread, 0, i, &none, now);
      return;
    }
    i = function->next;
  }
  uint64_t text = recording_make_name(writer, name, strlen(name));
  enter(thread, 0, find_function(thread, 0, UINT32_MAX, FMT_FUNCTION_KIND_ACTION, text), &none, now);
}

/* The name record of a task's signature: of a signature that has this text, or new. */
static uint64_t find_task_text(struct recording_thread *thread, const char *text)
{
  struct recording_writer *writer = thread->writer;
  for (uint64_t i = recording_thread_record(thread)->first_edge; i; i = ((struct fmt_rec_edge *)at(writer, i))->next) {
    uint64_t address = callee(writer, at(writer, i))->signature;
    const struct fmt_rec_signature *signature = address ? at(writer, address) : NULL;
    if (signature && signature->flags & FMT_SIGNATURE_TEXT &&
        strcmp(((struct fmt_rec_name *)at(writer, signature->words[0]))->text, text) == 0)
      return signature->words[0];
  }
  return recording_writer_name(writer, text);
}

void recording_enter_task(struct recording_thread *thread, uint64_t stage, const char *signature, uint64_t now)
{
  uint64_t function = find_function(thread, 0, UINT32_MAX, FMT_FUNCTION_KIND_TASK, stage);
  uint64_t text = signature ? find_task_text(thread, signature) : 0;
  struct call_words words = {
      .words = &text, .count = signature ? 1 : 0, .flags = signature ? FMT_SIGNATURE_TEXT : FMT_SIGNATURE_NONE};
  enter(thread, 0, function, &words, now);
}

void recording_exit(struct recording_thread *thread, uint64_t now)
{
  struct recording_writer *writer = thread->writer;
  struct frame frame = thread->frames[--thread->depth];
  thread->back_frames -= (size_t)frame.back;
  if (frame.counted)
    return;
  uint64_t duration = frame.untimed ? recording_sampling_imputed(writer, frame.edge) : now - frame.start;
  count(thread, &frame, duration);
  struct fmt_rec_edge *edge = at(writer, frame.edge);
  if (!frame.untimed) {
    edge->min = duration < edge->min ? duration : edge->min;
    edge->max = duration > edge->max ? duration : edge->max;
    recording_sampling_note(writer, frame.edge, duration);
  }
}

void recording_widen(struct recording_thread *thread, uint64_t module, uint32_t function, uint32_t arg, uint8_t level,
                     uint32_t arg_count)
{
  struct recording_writer *writer = thread->writer;
  uint64_t record = find_function(thread, module, function, FMT_FUNCTION_KIND_CODE, function * 64);
  if (!((struct fmt_rec_function *)at(writer, record))->levels) {
    char *levels = need(calloc(1, arg_count + 1u));
    uint64_t name = recording_make_name(writer, levels, arg_count);
    free(levels);
    ((struct fmt_rec_function *)at(writer, record))->levels = name;
  }
  struct fmt_rec_name *name = at(writer, ((struct fmt_rec_function *)at(writer, record))->levels);
  name->text[arg] = (char)level;
}
