/*
 * What the tests of output/ share: recordings in scratch files, and prints as strings.
 */
#ifndef CALLSIG_TESTS_OUTPUT_SAMPLE_H
#define CALLSIG_TESTS_OUTPUT_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "callsig/stats.h"
#include "tests/support/index_writer.h"
#include "tests/support/recording_writer.h"

/* A recording in the making, with one module and one thread. */
struct sample {
  struct index_writer *index;
  struct recording_writer *recording;
  uint64_t module;
  struct recording_thread *thread;
  uint32_t int_type, unsigned_type;
};

/* Begins with the types int and unsigned; functions are added to sample->index until sample_calls(). */
void sample_begin(struct sample *sample);
/* The index is complete: makes the module, mapped at 0x10000 with the same bias, and the thread "main" (1). */
void sample_calls(struct sample *sample);
/* Writes the recording to `path` and frees everything. */
void sample_end(struct sample *sample, uint64_t now, const char *path);
/* The same, loaded. */
struct callsig_stats *sample_load(struct sample *sample, uint64_t now);

/* The recording of tests/fuzz/seeds.h, loaded. */
struct callsig_stats *sample_load_seed(void);

/* A call of `function` with these words from `begin` to `end`, without callees. */
void sample_call(struct sample *sample, uint32_t function, const uint64_t *words, uint32_t count, uint64_t begin,
                 uint64_t end);

/* A scratch path, of a file that is removed when the test ends. */
const char *scratch_path(const char *name);

typedef int (*print_fn)(struct callsig_stats *, FILE *, const char *const *, size_t);
/* What `print` prints; the caller frees it. */
char *printed(struct callsig_stats *stats, print_fn print, const char *restriction);

/* The printed signature, or the function without one, of every row in order, joined by newlines; the caller frees it.
 */
char *signatures(struct callsig_stats *stats);

/* The last message, "" for none; message_reset() forgets it. */
const char *last_message(void);
void message_reset(void);
/* Keeps messages for last_message(); a test group's set-up. */
int catch_messages(void **state);

#endif
