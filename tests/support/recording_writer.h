/*
 * Recordings made by hand, exactly as format/recording.h describes them: a plain, slow model of the runtime,
 * driven call by call with an integer clock.
 *
 * What the runtime does with marks and fast paths is done here by looking down the whole stack, so that the two have
 * nothing in common but the format. Allocation failures end the test.
 */
#ifndef CALLSIG_TESTS_RECORDING_WRITER_H
#define CALLSIG_TESTS_RECORDING_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "format/recording.h"

struct recording_writer;
struct recording_thread;

/* A recording of `pid` whose injected clock counts `hz` ticks a second. */
struct recording_writer *recording_writer_new(uint32_t pid, uint64_t hz);
void recording_writer_free(struct recording_writer *writer);

/* The first 32 calls of each edge that is made from now on are timed, and then one in 2^`rate`, thrown from `seed`. */
void recording_writer_sample(struct recording_writer *writer, uint64_t seed, uint32_t rate);
/* From now on the others are counted when they begin. */
void recording_writer_count_early(struct recording_writer *writer);

/* Each edge that is made from now on has a list, empty yet, of what its calls asked the allocator for. */
void recording_writer_ask(struct recording_writer *writer);

/* A record of `size` bytes, zeroed behind its tag, or the text of a name; the result is its address. */
uint64_t recording_writer_make(struct recording_writer *writer, uint32_t tag, size_t size);
uint64_t recording_writer_name(struct recording_writer *writer, const char *text);
/* The bytes at an address. Valid until the next call. */
void *recording_writer_at(struct recording_writer *writer, uint64_t address);

/* The header, to be refined before the recording is written. Valid until the next call. */
struct fmt_rec_header *recording_writer_header(struct recording_writer *writer);

/* A module with this index (NULL: none), mapped at `start` for `size` bytes with bias `start`. The result is its
 * address. */
uint64_t recording_writer_module(struct recording_writer *writer, const char *path, uint64_t start, uint64_t size,
                                 const void *index, size_t index_size);

struct recording_thread *recording_writer_thread(struct recording_writer *writer, uint32_t tid, const char *name);
/* The thread's record, to be refined. Valid until the next call. */
struct fmt_rec_thread *recording_thread_record(struct recording_thread *thread);

/* A call of function `function` of `module` begins at `now`. words NULL: recorded without its signature. */
void recording_enter(struct recording_thread *thread, uint64_t module, uint32_t function, const uint64_t *words,
                     uint32_t word_count, uint64_t now);
/* An action begins. */
void recording_enter_action(struct recording_thread *thread, const char *name, uint64_t now);
/* A task of the stage (pipeline_writer_stage()) begins; `signature` is text, NULL for none. */
void recording_enter_task(struct recording_thread *thread, uint64_t stage, const char *signature, uint64_t now);
/* The innermost call ends. */
void recording_exit(struct recording_thread *thread, uint64_t now);

/* What the guard does: argument `arg` of a function that was called is at `level` from now on. */
void recording_widen(struct recording_thread *thread, uint64_t module, uint32_t function, uint32_t arg, uint8_t level,
                     uint32_t arg_count);

/* Writes the open frames of all threads into their stacks and gives the finished bytes, owned by the writer. `now` is
 * the clock's last reading. */
const void *recording_writer_finish(struct recording_writer *writer, uint64_t now, size_t *size);

/* The bytes go to a file. */
void recording_writer_save(struct recording_writer *writer, uint64_t now, const char *path);

#endif
