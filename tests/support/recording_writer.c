/* Recordings in memory: their records, modules and threads, and how they are finished. */
#include "tests/support/recording_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/recording_model.h"

enum { STACK_CAPACITY = 64 };
/* Aligned for the level of a queue. */
static uint64_t allocate(struct recording_writer *writer, size_t size)
{
  size = (size + 15) & ~(size_t)15;
  if (writer->size + size > writer->capacity) {
    writer->capacity = (writer->size + size) * 2;
    writer->data = need(realloc(writer->data, writer->capacity));
  }
  memset(writer->data + writer->size, 0, size);
  uint64_t address = RECORDING_BASE + writer->size;
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

uint64_t recording_make_name(struct recording_writer *writer, const char *text, size_t length)
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
  return recording_make_name(writer, text, strlen(text));
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
  uint64_t program = recording_make_name(writer, "/bin/test", 9);
  struct fmt_rec_header *header = recording_writer_header(writer);
  memcpy(header->magic, FMT_RECORDING_MAGIC, sizeof FMT_RECORDING_MAGIC);
  header->version = FMT_RECORDING_VERSION;
  header->header_size = sizeof *header;
  header->base = RECORDING_BASE;
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

void recording_writer_ask(struct recording_writer *writer)
{
  writer->asks = 1;
  recording_writer_header(writer)->flags |= FMT_REC_ASKED;
}

uint64_t recording_writer_module(struct recording_writer *writer, const char *path, uint64_t start, uint64_t size,
                                 const void *index, size_t index_size)
{
  uint64_t name = recording_make_name(writer, path, strlen(path));
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

uint64_t recording_make_variant(struct recording_writer *writer, uint64_t context, uint64_t signature)
{
  uint64_t address = make(writer, FMT_TAG_VARIANT, sizeof(struct fmt_rec_variant));
  struct fmt_rec_variant *variant = at(writer, address);
  variant->context = context;
  variant->signature = signature;
  return address;
}

/* Are calls into the variant sampled? Those of functions are, of actions and tasks each one is timed. */
static int is_sampled(struct recording_writer *writer, uint64_t to)
{
  const struct fmt_rec_variant *variant = at(writer, to);
  const struct fmt_rec_context *context = at(writer, variant->context);
  return writer->is_sampled && context->function &&
         ((struct fmt_rec_function *)at(writer, context->function))->kind == FMT_FUNCTION_KIND_CODE;
}

uint64_t recording_make_edge(struct recording_thread *thread, uint64_t from, uint64_t to)
{
  int sampled = is_sampled(thread->writer, to), asks = thread->writer->asks;
  if (asks)
    make(thread->writer, FMT_TAG_ASKED_LIST, sizeof(struct fmt_rec_asked_list));
  if (sampled)
    make(thread->writer, FMT_TAG_SAMPLING, sizeof(struct fmt_rec_sampling));
  uint64_t address = make(thread->writer, FMT_TAG_EDGE, sizeof(struct fmt_rec_edge));
  struct fmt_rec_edge *edge = at(thread->writer, address);
  edge->flags = (sampled ? (uint32_t)FMT_EDGE_SAMPLED : 0u) | (asks ? (uint32_t)FMT_EDGE_ASKS : 0u);
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
  uint64_t root = recording_make_variant(writer, context, 0);
  recording_thread_record(thread)->root = root;
  uint64_t edge = recording_make_edge(thread, 0, root);
  recording_thread_record(thread)->root_edge = edge;
  return thread;
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
      stack->frames[i].start_ticks = thread->frames[done].counted   ? FMT_START_COUNTED + done % 3
                                     : thread->frames[done].untimed ? FMT_START_UNKNOWN
                                                                    : thread->frames[done].start;
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
  header->flags |= writer->is_sampled ? (uint32_t)FMT_REC_SAMPLED : 0u;
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
