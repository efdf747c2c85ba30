/* What recording_writer.c and recording_calls.c know of each other: a recording in the making, and its threads with
 * their open calls. */
#ifndef CALLSIG_TESTS_RECORDING_MODEL_H
#define CALLSIG_TESTS_RECORDING_MODEL_H

#include <stdlib.h>

#include "tests/support/random_recording.h"
#include "tests/support/recording_writer.h"

#define RECORDING_BASE UINT64_C(0x7f0000000000)

/* One open call. Functions and signatures are known by the address of their record. */
struct frame {
  uint64_t edge;
  uint64_t from_function, from_signature, function, signature, module, stage;
  uint64_t start;
  int dynamic, back, untimed, counted; /* counted: when it began */
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
  int is_sampled, counts_early, asks;
  uint32_t rate;
  struct dice dice;
};

static inline void *need(void *memory)
{
  if (!memory)
    abort();
  return memory;
}

static inline void *at(struct recording_writer *writer, uint64_t address)
{
  return writer->data + (address - RECORDING_BASE);
}

/* The record of a name of `length` bytes, which may be zeros; the result is its address. */
uint64_t recording_make_name(struct recording_writer *writer, const char *text, size_t length);
/* A record of a calling context with a signature, of an edge between two of them; the result is its address. */
uint64_t recording_make_variant(struct recording_writer *writer, uint64_t context, uint64_t signature);
uint64_t recording_make_edge(struct recording_thread *thread, uint64_t from, uint64_t to);

/* recording_sampling.c: is the call of the edge that begins now not timed? What it counts with then; and what is kept
 * of one that was timed. */
int recording_sampling_skips(struct recording_writer *writer, uint64_t edge);
uint64_t recording_sampling_imputed(struct recording_writer *writer, uint64_t edge);
void recording_sampling_note(struct recording_writer *writer, uint64_t edge, uint64_t duration);

#endif
