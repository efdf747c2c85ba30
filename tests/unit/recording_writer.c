#include "recording_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_CAPACITY = 64 };
#define BASE UINT64_C(0x7f0000000000)

/* One open call. Functions and signatures are known by the address of their record. */
struct frame {
  uint64_t edge;
  uint64_t from_function, from_signature, function, signature, module, stage;
  uint64_t start;
  int dynamic, back;
};

struct recording_thread {
  struct recording_writer *writer;
  struct recording_thread *next;
  uint64_t record;
  struct frame *frames;
  size_t depth, capacity;
  size_t back_frames; /* open frames of back edges */
};

struct recording_writer {
  unsigned char *data;
  size_t size, capacity;
  uint32_t modules;
  struct recording_thread *threads;
};

static void *need(void *memory)
{
  if (!memory)
    abort();
  return memory;
}

static void *at(struct recording_writer *writer, uint64_t address)
{
  return writer->data + (address - BASE);
}

/* Aligned for the level of a queue. */
static uint64_t allocate(struct recording_writer *writer, size_t size)
{
  size = (size + 15) & ~(size_t)15;
  if (writer->size + size > writer->capacity) {
    writer->capacity = (writer->size + size) * 2;
    writer->data = need(realloc(writer->data, writer->capacity));
  }
  memset(writer->data + writer->size, 0, size);
  uint64_t address = BASE + writer->size;
  writer->size += size;
  return address;
}

static uint64_t make(struct recording_writer *writer, uint32_t tag, size_t size)
{
  uint64_t address = allocate(writer, size);
  *(struct fmt_rec_tag *)at(writer, address) =
      (struct fmt_rec_tag){.tag = tag, .size = (uint32_t)((size + 7) & ~(size_t)7)};
  return address;
}

static uint64_t make_name(struct recording_writer *writer, const char *text, size_t length)
{
  uint64_t address = make(writer, FMT_TAG_NAME, sizeof(struct fmt_rec_name) + length + 1);
  struct fmt_rec_name *name = at(writer, address);
  name->length = (uint32_t)length;
  memcpy(name->text, text, length);
  return address;
}

uint64_t recording_writer_make(struct recording_writer *writer, uint32_t tag, size_t size)
{
  return make(writer, tag, size);
}

uint64_t recording_writer_name(struct recording_writer *writer, const char *text)
{
  return make_name(writer, text, strlen(text));
}

void *recording_writer_at(struct recording_writer *writer, uint64_t address)
{
  return at(writer, address);
}

struct fmt_rec_header *recording_writer_header(struct recording_writer *writer)
{
  return (struct fmt_rec_header *)writer->data;
}

struct recording_writer *recording_writer_new(uint32_t pid, uint64_t hz)
{
  struct recording_writer *writer = need(calloc(1, sizeof *writer));
  allocate(writer, sizeof(struct fmt_rec_header));
  uint64_t program = make_name(writer, "/bin/test", 9);
  struct fmt_rec_header *header = recording_writer_header(writer);
  memcpy(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC);
  header->version = FMT_RECORDING_VERSION;
  header->header_size = sizeof *header;
  header->base = BASE;
  header->pid = pid;
  header->clock = FMT_CLOCK_INJECTED;
  header->injected_hz = hz;
  header->flags = FMT_REC_SIGNATURES;
  header->exit_status = -1;
  header->program = program;
  return writer;
}

void recording_writer_free(struct recording_writer *writer)
{
  while (writer->threads) {
    struct recording_thread *thread = writer->threads;
    writer->threads = thread->next;
    free(thread->frames);
    free(thread);
  }
  free(writer->data);
  free(writer);
}

uint64_t recording_writer_module(struct recording_writer *writer, const char *path, uint64_t start, uint64_t size,
                                 const void *index, size_t index_size)
{
  uint64_t name = make_name(writer, path, strlen(path));
  uint64_t copy = 0;
  if (index) {
    copy = allocate(writer, index_size);
    memcpy(at(writer, copy), index, index_size);
  }
  uint64_t address = make(writer, FMT_TAG_MODULE, sizeof(struct fmt_rec_module));
  struct fmt_rec_module *module = at(writer, address);
  module->next = recording_writer_header(writer)->first_module;
  module->start = module->bias = start;
  module->end = start + size;
  module->path = name;
  module->index = copy;
  module->index_size = index ? index_size : 0;
  module->id = writer->modules++;
  recording_writer_header(writer)->first_module = address;
  return address;
}

static uint64_t make_variant(struct recording_writer *writer, uint64_t context, uint64_t signature)
{
  uint64_t address = make(writer, FMT_TAG_VARIANT, sizeof(struct fmt_rec_variant));
  struct fmt_rec_variant *variant = at(writer, address);
  variant->context = context;
  variant->signature = signature;
  return address;
}

static uint64_t make_edge(struct recording_thread *thread, uint64_t from, uint64_t to)
{
  uint64_t address = make(thread->writer, FMT_TAG_EDGE, sizeof(struct fmt_rec_edge));
  struct fmt_rec_edge *edge = at(thread->writer, address);
  edge->from = from;
  edge->to = to;
  edge->min = UINT64_MAX;
  edge->next = recording_thread_record(thread)->first_edge;
  recording_thread_record(thread)->first_edge = address;
  return address;
}

struct fmt_rec_thread *recording_thread_record(struct recording_thread *thread)
{
  return at(thread->writer, thread->record);
}

struct recording_thread *recording_writer_thread(struct recording_writer *writer, uint32_t tid, const char *name)
{
  struct recording_thread *thread = need(calloc(1, sizeof *thread));
  thread->writer = writer;
  thread->next = writer->threads;
  writer->threads = thread;
  thread->record = make(writer, FMT_TAG_THREAD, sizeof(struct fmt_rec_thread));
  struct fmt_rec_thread *record = recording_thread_record(thread);
  record->tid = tid;
  record->threads = 1;
  strncpy(record->name, name, sizeof record->name - 1);
  record->next = recording_writer_header(writer)->first_thread;
  recording_writer_header(writer)->first_thread = thread->record;
  uint64_t context = make(writer, FMT_TAG_CONTEXT, sizeof(struct fmt_rec_context));
  uint64_t root = make_variant(writer, context, 0);
  recording_thread_record(thread)->root = root;
  uint64_t edge = make_edge(thread, 0, root);
  recording_thread_record(thread)->root_edge = edge;
  return thread;
}

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
  found = make(writer, FMT_TAG_FUNCTION, sizeof(struct fmt_rec_function));
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
  uint64_t address =
      make(writer, FMT_TAG_SIGNATURE, sizeof(struct fmt_rec_signature) + words->count * sizeof(uint64_t));
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
  uint64_t address = make(writer, FMT_TAG_CONTEXT, sizeof(struct fmt_rec_context));
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
    to = make_variant(writer, context, signature);
  return make_edge(thread, from, to);
}

static void push(struct recording_thread *thread, const struct frame *frame)
{
  if (thread->depth == thread->capacity) {
    thread->capacity = thread->capacity ? thread->capacity * 2 : 64;
    thread->frames = need(realloc(thread->frames, thread->capacity * sizeof *thread->frames));
  }
  thread->frames[thread->depth++] = *frame;
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
  uint64_t text = make_name(writer, name, strlen(name));
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
  return make_name(writer, text, strlen(text));
}

void recording_enter_task(struct recording_thread *thread, uint64_t stage, const char *signature, uint64_t now)
{
  uint64_t function = find_function(thread, 0, UINT32_MAX, FMT_FUNCTION_KIND_TASK, stage);
  uint64_t text = signature ? find_task_text(thread, signature) : 0;
  struct call_words words = {
      .words = &text, .count = signature ? 1 : 0, .flags = signature ? FMT_SIGNATURE_TEXT : FMT_SIGNATURE_NONE};
  enter(thread, 0, function, &words, now);
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
    address = make(writer, FMT_TAG_RECURSION, sizeof(struct fmt_rec_recursion));
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

void recording_exit(struct recording_thread *thread, uint64_t now)
{
  struct recording_writer *writer = thread->writer;
  struct frame frame = thread->frames[--thread->depth];
  uint64_t duration = now - frame.start;
  thread->back_frames -= (size_t)frame.back;
  if (frame.dynamic) {
    count_dynamic(thread, &frame, duration);
  } else {
    struct fmt_rec_edge *edge = at(writer, frame.edge);
    edge->calls++;
    edge->total += duration;
  }
  struct fmt_rec_edge *edge = at(writer, frame.edge);
  edge->min = duration < edge->min ? duration : edge->min;
  edge->max = duration > edge->max ? duration : edge->max;
  uint64_t caller = thread->depth ? thread->frames[thread->depth - 1].edge : recording_thread_record(thread)->root_edge;
  ((struct fmt_rec_edge *)at(writer, caller))->children += duration;
}

void recording_widen(struct recording_thread *thread, uint64_t module, uint32_t function, uint32_t arg, uint8_t level,
                     uint32_t arg_count)
{
  struct recording_writer *writer = thread->writer;
  uint64_t record = find_function(thread, module, function, FMT_FUNCTION_KIND_CODE, function * 64);
  if (!((struct fmt_rec_function *)at(writer, record))->levels) {
    char *levels = need(calloc(1, arg_count + 1u));
    uint64_t name = make_name(writer, levels, arg_count);
    free(levels);
    ((struct fmt_rec_function *)at(writer, record))->levels = name;
  }
  struct fmt_rec_name *name = at(writer, ((struct fmt_rec_function *)at(writer, record))->levels);
  name->text[arg] = (char)level;
}

/* The open frames, in segments of STACK_CAPACITY. */
static void write_stack(struct recording_thread *thread)
{
  struct recording_writer *writer = thread->writer;
  size_t done = 0;
  uint64_t outer = 0;
  do {
    uint64_t address =
        make(writer, FMT_TAG_STACK, sizeof(struct fmt_rec_stack) + STACK_CAPACITY * sizeof(struct fmt_rec_frame));
    struct fmt_rec_stack *stack = at(writer, address);
    stack->capacity = STACK_CAPACITY;
    stack->outer = outer;
    stack->frames[0].edge = outer ? thread->frames[done - 1].edge : recording_thread_record(thread)->root_edge;
    for (size_t i = 1; i < STACK_CAPACITY && done < thread->depth; i++, done++) {
      stack->frames[i].edge = thread->frames[done].edge;
      stack->frames[i].start_ticks = thread->frames[done].start;
    }
    if (outer)
      ((struct fmt_rec_stack *)at(writer, outer))->inner = address;
    else
      recording_thread_record(thread)->first_stack = address;
    outer = address;
  } while (done < thread->depth);
}

const void *recording_writer_finish(struct recording_writer *writer, uint64_t now, size_t *size)
{
  for (struct recording_thread *thread = writer->threads; thread; thread = thread->next)
    write_stack(thread);
  struct fmt_rec_header *header = recording_writer_header(writer);
  header->last.ticks = now;
  header->last.monotonic_ns = now;
  header->next = header->reserved_size = writer->size;
  *size = writer->size;
  return writer->data;
}

void recording_writer_save(struct recording_writer *writer, uint64_t now, const char *path)
{
  size_t size;
  const void *data = recording_writer_finish(writer, now, &size);
  FILE *file = need(fopen(path, "wb"));
  if (fwrite(data, 1, size, file) != size || fclose(file) != 0)
    abort();
}
