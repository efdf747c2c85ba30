/*
 * Stages, and what a thread and its tree know of each.
 *
 * A stage is what has one label; it lasts as long as the process. A handle (struct callsig_stage) is one opening of it,
 * with callbacks and limits of its own.
 */
#ifndef CALLSIG_PROFILER_PIPELINE_STAGE_H
#define CALLSIG_PROFILER_PIPELINE_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "callsig/callsig.h"
#include "format/recording.h"
#include "profiler/base/process.h"
#include "profiler/base/text.h"
#include "profiler/pipeline/task_work.h"
#include "profiler/stack/ring.h"
#include "profiler/stack/thread.h"

/* Texts of tasks that are kept apart, by stage; tasks with others count without a text. */
#define PROF_TEXTS_MAX   256u
#define PROF_TEXTS_SLOTS 512u /* a power of two, twice as many */

#define PROF_STAGE_NAME_MAX  1024u                      /* bytes */
#define PROF_STAGE_HOOKS_MAX 256u                       /* of one handle */
#define PROF_LABEL_MAX       (PROF_STAGE_NAME_MAX + 64) /* with the numbers around the name, and the NUL */

/* The texts of a stage's tasks. Grows under stages_lock, and is read without. */
struct prof_texts {
  uint32_t count;
  const struct fmt_rec_name *slots[PROF_TEXTS_SLOTS]; /* by their hash */
};

/* A stage, by label. In the process's arena. */
struct prof_stage {
  struct prof_stage *next;
  uint32_t number; /* 0, 1, 2 ...: its place in the tables of threads */
  uint32_t pipeline, index, concurrency;
  uint32_t opens;               /* handles that are open, under stages_lock */
  uint32_t flags;               /* enum fmt_stage_flag */
  uint32_t epoch;               /* of the recording that holds `record` */
  uint64_t last_end;            /* ticks: struct prof_task_sample */
  struct fmt_rec_stage *record; /* NULL: there is no space for it */
  struct prof_texts *texts;     /* NULL until the first */
  const char *name;             /* behind the label's last colon */
  uint32_t name_length;
  char label[];
};

/* An opening of a stage. Closed ones are used again. */
struct callsig_stage {
  struct callsig_stage *next; /* of those that are closed */
  struct prof_stage *stage;
  const char *label; /* its stage's, where a marker finds it */
  uint64_t max_failures;
  uint64_t max_failure_permille;
  uint64_t tasks, failures; /* since it was opened; atomic, counted when there is a limit */
  bool limited;
  uint32_t hook_count, hook_capacity;
  struct callsig_hooks hooks[];
};

/* What a thread has of a stage, in its tree's arena. */
struct prof_stage_use {
  struct fmt_rec_function *function;
  struct fmt_rec_tasks *tasks;
  struct fmt_rec_edge *last; /* the edge of the task that was begun last; NULL before the first */
  struct prof_task_sample sample;
};

/* "PIPELINE:INDEX:NAME", with "[CONCURRENCY]" when that is above 1; and where in it the name begins. */
void prof_stage_write_label(struct prof_text *text, uint32_t pipeline, uint32_t index, const char *name,
                            uint32_t concurrency);
const char *prof_label_name(const char *label);
/* `size` zeroed bytes in the process's arena with the label behind them, for as long as the process. NULL: no memory.
 */
void *prof_label_alloc(size_t size, const char *label);

/* The stage's record in the recording of this process; NULL when it would have to be made. Anywhere. */
static inline struct fmt_rec_stage *prof_stage_record_known(const struct prof_stage *stage)
{
  return stage->epoch == prof_process.epoch && !prof_fork_happened() ? __atomic_load_n(&stage->record, __ATOMIC_ACQUIRE)
                                                                     : NULL;
}
/* The stage with this record, or NULL. Takes stages_lock. */
struct prof_stage *prof_stage_of_record(const struct fmt_rec_stage *record);

/* The text's name record in this recording, or NULL when it is not there (yet). Anywhere. */
const struct fmt_rec_name *prof_stage_text_known(const struct prof_stage *stage, const char *text);
/* The same, made when new: NULL once the stage has its fill, or without space. In a slow section. */
const struct fmt_rec_name *prof_stage_text(struct prof_stage *stage, const char *text);
/* Has the stage so many texts that no other is kept? Anywhere. */
bool prof_stage_texts_full(const struct prof_stage *stage);

/* What a thread has of the stage or the queue with this number; NULL: nothing yet. The count is read first: where a
 * signal handler's tasks have the list grow in between, the smaller one stays inside of the larger list. Anywhere. */
static inline void *prof_use_known(const struct prof_uses *uses, uint32_t number)
{
  return number < __atomic_load_n(&uses->count, __ATOMIC_ACQUIRE) ? uses->items[number] : NULL;
}

/* What the thread has of the stage; NULL when it has none yet. Anywhere. */
static inline struct prof_stage_use *prof_stage_use_known(const struct prof_thread *t, const struct prof_stage *stage)
{
  return prof_use_known(&t->stage_uses, stage->number);
}
/* The same, made when new; NULL: no space. In a slow section. */
struct prof_stage_use *prof_stage_use(struct prof_thread *t, struct prof_stage *stage);

/* The tasks of the stage in the tree, made when new. NULL: no space. In a slow section. */
struct fmt_rec_tasks *prof_tasks_of(struct prof_tree *tree, const struct fmt_rec_stage *stage);
/* Moves the statistics of an ended thread's tasks to the tree of the folded ones, whose edges `map` finds. Gives how
 * many tasks found no space. */
uint64_t prof_tasks_merge(struct prof_tree *target, const struct fmt_rec_thread *source, prof_ring_edge_fn map,
                          void *data);
/* Sets what the thread counted of stages to zero. Under threads_lock. */
void prof_tasks_clear(const struct fmt_rec_thread *record);
/* The same of what the process counted; those that are open begin now. Under stages_lock. */
void prof_stages_clear(struct fmt_rec_header *header);
/* Makes room for a use of what has this number. False: no memory. In a slow section. */
bool prof_uses_reserve(struct prof_thread *t, struct prof_uses *uses, uint32_t number);

/* Callbacks when a stage opens and closes. What the first that failed returned, made an errno. On entry, those before
 * it are left. Outside of slow sections. */
int prof_stage_enter(struct callsig_stage *handle);
int prof_stage_leave(struct callsig_stage *handle);
/* Callbacks around a task. What the first that failed returned, made an errno; those entered are left then. Outside of
 * slow sections. */
int prof_stage_enter_task(struct callsig_stage *handle, uint64_t item);
int prof_stage_leave_task(struct callsig_stage *handle, uint64_t item, int failed);

#endif
