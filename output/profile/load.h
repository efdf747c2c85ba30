/*
 * From a recording's file to the profile's arrays.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_LOAD_H
#define CALLSIG_OUTPUT_PROFILE_LOAD_H

#include "output/profile/profile.h"
#include "output/profile/signature.h"
#include "output/recording/recording.h"
#include "output/recording/stage_reader.h"

/* An open frame as it was recorded, outermost first; or where a machine stack begins. */
struct out_loaded_frame {
  uint64_t edge;     /* the edge's address; 0: where a stack begins */
  uint64_t start;    /* ticks; where a stack begins, when it was left, 0: it runs */
  uint32_t slept_ms; /* of the first of a stack */
};

/* What the files of loading share: one recording on its way into a profile. */
struct out_loader {
  struct out_profile *profile;
  struct out_recording *recording;
  uint32_t number;                       /* of the process in profile.recordings whose thread is being read */
  const struct fmt_rec_clock_point *now; /* the clock as it stands, NULL: the recording's last reading */
  struct base_vector modules, functions, contexts, variants, signatures, edges, stacks, processes,
      asked; /* out_recording_number() lists */
  struct out_stage_reader stages;
  bool is_late;                    /* the thread has not entered the recording's period yet */
  uint32_t task_thread;            /* the profile's thread whose tasks are being read */
  struct base_vector stage_of;     /* uint32_t: the profile's stage by number of a stage record */
  struct base_vector callable_of;  /* uint32_t: the profile's callable by number of a function record */
  struct base_vector signature_of; /* uint32_t: the profile's signature by number of a signature record */
  struct out_arguments arguments;  /* of the signature that is being read */
  struct out_idset indexes;        /* modules of this recording, by the address of their index */
  uint32_t first_stage_record, first_queue_record, first_counter_record, first_process, first_module, first_callable,
      first_context, first_variant, first_edge; /* the profile's number of this recording's number 0 */
};

/* Adds everything in the recording to the profile. -ENOMEM after a message; damage is counted, never an error. `now`
 * may be NULL. On an error the profile is good only for out_profile_free(). */
int out_load(struct out_profile *profile, struct out_recording *recording, const struct fmt_rec_clock_point *now);

/* load_process.c: the recording's process, or those of a merged recording. */
int out_load_processes(struct out_loader *loader);
/* load_process.c: makes `number` that of the process that a thread refers to (0: the header's own). */
void out_load_choose_process(struct out_loader *loader, uint64_t address);
/* load_process.c: when all threads were read: what was open in the processes of a merged recording. */
void out_load_finish_processes(struct out_loader *loader);
/* load_samples.c: the samples of runs beside the recorded ones. After the processes. 0 or -ENOMEM. */
int out_load_samples(struct out_loader *loader);
/* load_functions.c: every module of the recording, with its index copied and opened. */
int out_load_modules(struct out_loader *loader);
/* load_name.c: the string of text that comes from elsewhere, escaped where it would not print. 0 or -ENOMEM. */
int out_load_foreign(struct base_strings *strings, const char *bytes, size_t length, uint32_t *string);
/* load_name.c: the profile's string of text that comes from the recording, escaped where it would not print. 0 or
 * -ENOMEM. */
int out_load_text(struct out_loader *loader, const char *bytes, size_t length, uint32_t *string);
/* load_name.c: the profile's string of the name record at `address`, escaped where it would not print; `missing` when
 * there is none. 0 or -ENOMEM. */
int out_load_name(struct out_loader *loader, uint64_t address, const char *missing, uint32_t *string);
/* load_signature.c: the number of this recording's module that a run-time address lies in, FMT_NONE for none; a loaded
 * one before one that was unloaded. */
uint32_t out_load_module_at(struct out_loader *loader, uint64_t address);
/* load_stages.c: keeps stages, queues, events and what threads did with them; its data is the loader. */
extern const struct out_stage_taker out_load_stage_taker;
/* load_stages.c: keeps queues, events and what threads (struct out_thread_lists, from the profile's `first_thread` on)
 * did with stages and queues. */
int out_load_stage_records(struct out_loader *loader, const struct base_vector *threads, uint32_t first_thread);
/* load_rank_rows.c: what ranks that were made one spent each. When all threads were read. 0 or -ENOMEM. */
int out_load_rank_rows(struct out_loader *loader);
/* load_times.c: the histogram record at `address` as a number of profile.times, FMT_NONE for none. 0 or -ENOMEM. */
int out_load_histogram(struct out_loader *loader, uint64_t address, uint32_t *number);
/* load_stages.c: the profile's stage of the stage record at `address`; 0 when there is none. 0 or -ENOMEM. */
int out_load_stage(struct out_loader *loader, uint64_t address, uint32_t *stage);
/* load_functions.c: a string of an index that lies in the recording; "?", which is damage, where such strings are more
 * than an honest recording has. */
const char *out_load_index_string(struct out_loader *loader, const struct fmt_index *index, uint32_t offset);
/* load_functions.c: the profile's callable of the function record at `address`; FMT_NONE when there is none. 0 or
 * -ENOMEM.
 */
int out_load_callable(struct out_loader *loader, uint64_t address, uint32_t *callable);
/* load_name.c: the name and the label of a thread, from what was recorded of it. 0 or -ENOMEM. */
int out_load_label_thread(struct out_profile *profile, struct out_known_thread *thread);
/* load_times.c: the histogram record at `address`, of edge `edge` (the profile's number). 0 or -ENOMEM. */
int out_load_times(struct out_loader *loader, uint64_t address, uint32_t edge);
/* load_sampling.c: adds what the edge of a sampling record slept. 0 or -ENOMEM. */
int out_load_sleep(struct out_profile *profile, struct out_sampling *sampling, const struct out_sleep *sleep);
/* load_sampling.c: the sampling record that lies before the edge at `address`, into the profile's edge, whose counters
 * have been read. One that is missing or tells what cannot be is damage, and no call of the edge counts as timed. 0 or
 * -ENOMEM. */
int out_load_sampling(struct out_loader *loader, uint64_t address, struct out_edge *edge);
/* load_asked.c: what was asked for by calls of the edge at `address`, with these flags. 0 or -ENOMEM. */
int out_load_asked(struct out_loader *loader, uint64_t address, uint32_t flags, struct out_asked *asked);
/* load_asked.c: the same, into the profile's edge. 0 or -ENOMEM. */
int out_load_edge_asked(struct out_loader *loader, uint64_t address, uint32_t flags, struct out_edge *edge);
/* load_signature.c: the profile's signature of the signature record at `address`; FMT_NONE when there is none. Its
 * number is final after out_load_join_signatures(). */
int out_load_signature(struct out_loader *loader, uint64_t address, uint32_t *signature);
/* load_signature.c: interns what out_load_signature() added to the profile from number `first` on, of the records from
 * number `first_record` on, and changes the numbers in the variants from `first_variant` on. 0 or -ENOMEM. */
int out_load_join_signatures(struct out_loader *loader, uint32_t first, uint32_t first_record, uint32_t first_variant);
/* load_timeline.c: the spans in the ring at `address` (0: none) of the profile's newest thread, whose edges have been
 * read. 0 or -ENOMEM. */
int out_load_ring(struct out_loader *loader, uint64_t address);
/* load_timeline.c: a call that is open as a span. 0 or -ENOMEM. */
int out_load_open_span(struct out_loader *loader, uint32_t edge, uint64_t start, uint64_t duration);
/* load_open.c: appends the open frames (struct out_loaded_frame) of a thread. Before its tree is read: a program that
 * goes on would open frames of edges that were not there yet. 0 or -ENOMEM. */
int out_load_stacks(struct out_loader *loader, uint64_t first_stack, struct base_vector *frames);

/* What a live thread has open. */
struct out_open_thread {
  uint32_t process;            /* loader.number */
  uint32_t first_frame, count; /* in the list of loaded frames */
  uint64_t end_ticks;
  /* Of its innermost open call it slept, beyond what is told of edges, all but the first at the least, and no more than
   * the second; in ticks. UINT64_MAX: not known. */
  uint64_t not_slept, slept_most;
};

/* load_open.c: counts the thread's open frames as calls that end now. After out_load_enclosing(). 0 or -ENOMEM. */
int out_load_open_frames(struct out_loader *loader, const struct base_vector *loaded,
                         const struct out_open_thread *thread);
/* enclosing.c: out_context.stage and .enclosing, and the preorder of the contexts from `first` on, whose callables are
 * those from `first_code` on. */
int out_load_enclosing(struct out_profile *profile, uint32_t first, uint32_t first_callable);

static inline uint64_t out_at_most(uint64_t value, uint64_t limit)
{
  return value < limit ? value : limit;
}

#endif
