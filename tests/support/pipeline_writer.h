/*
 * Stages, queues and events in recordings made by hand (recording_writer.h), as format/recording.h describes
 * them. Everything happens at times that the caller names, in ticks of the recording's clock, and in their order.
 */
#ifndef CALLSIG_TESTS_PIPELINE_WRITER_H
#define CALLSIG_TESTS_PIPELINE_WRITER_H

#include "tests/support/recording_writer.h"

/* A stage, labelled as the runtime labels it. The result is its address. */
uint64_t pipeline_writer_stage(struct recording_writer *writer, uint32_t pipeline, uint32_t index, const char *name,
                               uint32_t concurrency, uint64_t opened);
void pipeline_writer_close_stage(struct recording_writer *writer, uint64_t stage, uint64_t now);

/* A task that `thread` ran from `begin` to `end`. */
void pipeline_writer_task(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage,
                          uint64_t begin, uint64_t end, int failed);
/* That a task of the stage, which `thread` ran, ended so long behind the one before it in the stage. */
void pipeline_writer_gap(struct recording_writer *writer, struct recording_thread *thread, uint64_t stage,
                         uint64_t ticks);
/* Tasks that a callback refused. */
void pipeline_writer_drop(struct recording_writer *writer, uint64_t stage, uint64_t count);

uint64_t pipeline_writer_queue(struct recording_writer *writer, uint32_t pipeline, uint32_t index, const char *name,
                               uint64_t capacity, uint64_t opened);
void pipeline_writer_close_queue(struct recording_writer *writer, uint64_t queue, uint64_t now);

/* `thread` began to wait for room, or for an item, and had it at `end`: the queue holds one more, or one less, from
 * then on. */
void pipeline_writer_put(struct recording_writer *writer, struct recording_thread *thread, uint64_t queue,
                         uint64_t begin, uint64_t end);
void pipeline_writer_get(struct recording_writer *writer, struct recording_thread *thread, uint64_t queue,
                         uint64_t begin, uint64_t end);

/* An event, made when new, happened `count` times more and took `total` ticks more. */
void pipeline_writer_event(struct recording_writer *writer, const char *name, uint64_t count, uint64_t total);

#endif
