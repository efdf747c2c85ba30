/*
 * callsig: what runs inside the profiled program.
 *
 * A program compiled with callsig-cc (or `-g -finstrument-functions`) needs none of this: `callsig run PROGRAM`
 * profiles it as it is. The functions here are for programs that link libcallsig and want to say when they are
 * profiled, with which clock, under which action's name, or which of a pipeline's stages does what. All of them may be
 * called from any thread. Functions that can fail return 0 or a negative errno.
 */
#ifndef CALLSIG_CALLSIG_H
#define CALLSIG_CALLSIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CALLSIG_API __attribute__((visibility("default"), no_instrument_function))
#if defined(__clang__) /* whose sleds go by an attribute of their own */
#define CALLSIG_NO_INSTRUMENT __attribute__((no_instrument_function, xray_never_instrument))
#else
#define CALLSIG_NO_INSTRUMENT __attribute__((no_instrument_function))
#endif
#else
#define CALLSIG_API
#define CALLSIG_NO_INSTRUMENT
#endif

/* The library's version, "MAJOR.MINOR.PATCH". Static storage. */
CALLSIG_API const char *callsig_version(void);

/* Reads the profile's clock. `data` is what callsig_set_clock() was given. It is called inside hooks: it must not call
 * instrumented code, block or change errno, and must never go backwards within a thread. */
typedef uint64_t (*callsig_clock_fn)(void *data);

/* How a process is recorded. Set `size` to sizeof(struct callsig_options) and the rest to 0 for the defaults; fields
 * are only ever added at the end. This holds for every structure here that begins with its size: what a later header
 * has added may be 0 for an older library, which refuses it otherwise (-EINVAL, and a message). Strings are copied. An
 * environment variable CALLSIG_* of the same meaning, which `callsig run` sets, wins over the field. */
struct callsig_options {
  size_t size;
  const char *output;  /* the recording's path; default callsig.out, "callsig.out.PID" when that exists; with ".rankN"
                          behind it in a job of ranks   (CALLSIG_OUTPUT) */
  int no_signatures;   /* rows by function only                                             (CALLSIG_NO_SIGNATURES=1) */
  const char *rules;   /* rules file                                                        (CALLSIG_RULES) */
  const char *include; /* globs, separated by newlines; see docs/filters.md                 (CALLSIG_INCLUDE) */
  const char *exclude; /*                                                                   (CALLSIG_EXCLUDE) */
  int cpu_clock;       /* the thread's CPU time in place of wall time                       (CALLSIG_CLOCK=cpu) */
  int start_disabled;  /* record nothing before callsig_enable()                            (CALLSIG_DISABLED=1) */
  uint64_t memory_limit; /* upper bound of the recording, bytes; default 1 GiB                (CALLSIG_MEMORY) */
  const char
      *timeline; /* record a timeline, of calls at least this long: "10us", "1ms"; "0": of all  (CALLSIG_TIMELINE) */
  uint64_t timeline_spans; /* how many spans each thread keeps, the newest; default 16384 (CALLSIG_TIMELINE_SPANS) */
  int percentiles;         /* keep a histogram of the times of each row's calls       (CALLSIG_PERCENTILES=1) */
  const char *times;       /* "auto": of calls that are short beside the reading of the clock, a random sample is timed;
                              "exact": every call; default auto, and exact with another clock than the wall's or a
                              timeline  (CALLSIG_TIMES) */
  const char *overhead;    /* with auto: how many times its own time the program may take, as in "1.5"; default: no
                              budget  (CALLSIG_OVERHEAD) */
  int call_sites;          /* tell calls apart by where they were made                        (CALLSIG_SITES=1) */
};

/* Starts recording with these options (NULL: the defaults). Without it the first instrumented call starts with the
 * defaults and the environment, and in a program with sleds the library does when it is loaded, so that options have to
 * be set in the environment. -EALREADY, and a message where there are options, when recording has started; -EINVAL for
 * options that this library does not know; -EIO when there can be no recording. */
CALLSIG_API int callsig_start(const struct callsig_options *options);

/* Stops counting in every thread: open frames end now, as finished calls. Until callsig_enable(), hooks return at once.
 * Calls nest neither way: enabling twice is enabling once. */
CALLSIG_API int callsig_disable(void);
CALLSIG_API int callsig_enable(void);

/* Has the recording count from zero, from now on: calls, times, stages, queues, counters, events and the timeline. Each
 * thread does so before its next hook, so that no call is counted twice. Calls that are open go on: they take time from
 * now on and are no calls, as those are that a forked child inherits. -EBUSY with a schedule, -EIO when there is no
 * recording. */
CALLSIG_API int callsig_reset(void);

/* 1 when calls are being counted, else 0. */
CALLSIG_API int callsig_is_enabled(void);

/* The recording's path, or NULL while there is none. Owned by the library, valid until the process ends. */
CALLSIG_API const char *callsig_path(void);

/* Replaces the clock by `clock(data)`, which counts `hz` ticks a second, from now on. Only before the first recorded
 * call or right after callsig_start(); -EBUSY later. */
CALLSIG_API int callsig_set_clock(callsig_clock_fn clock, void *data, uint64_t hz);

/* Receives every message of the runtime, one line without the newline; default: stderr, after "callsig: ". It may be
 * called from a hook's slow path: the rules of callsig_clock_fn hold. */
typedef void (*callsig_message_fn)(const char *line, void *data);
CALLSIG_API void callsig_set_message(callsig_message_fn message, void *data);

/* A named action: a row of its own, `{name}`, whose callees are what runs until its end. Actions nest and must end in
 * reverse order in the thread that began them: -EINVAL for ending what is not the innermost open action. The name is
 * copied. */
CALLSIG_API int callsig_action_begin(const char *name);
CALLSIG_API int callsig_action_end(const char *name);

/* An action for the rest of the enclosing block: CALLSIG_ACTION("load"); It cannot leak. */
CALLSIG_API void callsig_action_cleanup(const char **name);
#define CALLSIG_ACTION(name)        CALLSIG_ACTION_(name, __LINE__)
#define CALLSIG_ACTION_(name, line) CALLSIG_ACTION__(name, line)
#define CALLSIG_ACTION__(name, line)                                                                                   \
  __attribute__((cleanup(callsig_action_cleanup))) const char *callsig_action_##line = (name);                         \
  (void)callsig_action_begin(callsig_action_##line)

/* Profiling for the rest of the enclosing block only: CALLSIG_ENABLED_SCOPE(); */
CALLSIG_API void callsig_enabled_cleanup(int *was_enabled);
#define CALLSIG_ENABLED_SCOPE()                                                                                        \
  __attribute__((cleanup(callsig_enabled_cleanup))) int callsig_was_enabled_ = callsig_is_enabled();                   \
  (void)callsig_enable()

/*
 * Stages and tasks.
 *
 * A stage is a part of a pipeline that does one thing to item after item: its label is "PIPELINE:INDEX:NAME", with
 * "[CONCURRENCY]" behind it when that is not 1, as in "0:1:decode[10]". A task is what a stage does to one item. A task
 * is a row of its own, `{LABEL}`, and all that its thread calls until its end belongs to the stage. Tasks nest, of the
 * same stage or another. docs/stages.md is the guide.
 *
 * Unless it says otherwise, each function here may be called from any thread, in constructors, destructors and signal
 * handlers; it allocates nothing by malloc() and keeps errno. What a call does not find time or space to record is
 * counted, and the program runs on: without a recording (there is no space for one) stages, tasks and queues work all
 * the same and count nothing.
 */
struct callsig_stage;

/* What a program wants to be called for. Set `size`, `data` and the functions wanted; the others NULL. A function gives
 * 0, or anything else when it failed. They run in the thread that opens or closes the stage, begins or ends the task,
 * outside of the task's own time; they may call instrumented code. Whether calls are recorded at the time makes no
 * difference. */
struct callsig_hooks {
  size_t size;
  void *data; /* handed to each */
  /* When the stage opens. A failure fails callsig_stage_open(). */
  int (*stage_enter)(struct callsig_stage *stage, void *data);
  /* When it closes. A failure is counted, and callsig_stage_close() returns it. */
  int (*stage_exit)(struct callsig_stage *stage, void *data);
  /* Before a task. A failure drops the item: the task does not begin, callsig_task_begin() returns -ECANCELED. */
  int (*task_enter)(struct callsig_stage *stage, uint64_t item, void *data);
  /* After it. A failure drops the item: the task counts as failed, callsig_task_end() returns -ECANCELED. */
  int (*task_exit)(struct callsig_stage *stage, uint64_t item, int failed, void *data);
};

/* Set `size` to sizeof(struct callsig_stage_options) and what is not needed to 0. All of it is copied, but for the
 * callbacks' data. */
struct callsig_stage_options {
  size_t size;
  uint32_t pipeline;    /* which of the program's pipelines */
  uint32_t index;       /* the stage's place in it */
  const char *name;     /* 1 to 1024 bytes */
  uint32_t concurrency; /* how many tasks are worked on at a time; 0 is 1 */
  /* Callbacks, entered in this order and left in reverse. One that fails on entry leaves those before it, in reverse,
   * and not itself. On exit all are called. */
  const struct callsig_hooks *const *hooks;
  size_t hook_count;
  /* When too many tasks failed: callsig_task_end() says so by -EOVERFLOW. Tasks of all threads count, recorded or not,
   * since this handle was opened. */
  uint64_t max_failures;         /* more than these; 0: no limit */
  uint32_t max_failure_permille; /* more than this share of the tasks, once there are 100; 0: no limit */
  int own_time; /* not 0: the times of its tasks leave out the tasks that begin inside them in the same thread, and
                   waits for queues, for stages that call one another. The tree and the timeline keep the whole time */
};

/* Opens a stage. A stage with the same pipeline, index, name and concurrency that was open before, or is, is the same
 * stage and continues its statistics. Not in a signal handler. *stage is the caller's until callsig_stage_close().
 * -EINVAL: a name is missing or an option is out of range; -ENOMEM; what a callback returned, when that is a negative
 * errno, else -ECANCELED. */
CALLSIG_API int callsig_stage_open(const struct callsig_stage_options *options, struct callsig_stage **stage);

/* Closes it; NULL is ignored. No task of it may be begun afterwards, and none be open in any thread: one that is, is
 * recorded until its thread leaves it, without callbacks. What a stage_exit callback returned when it failed (the first
 * of them in the order of calling; as above), else 0. Not in a signal handler. */
CALLSIG_API int callsig_stage_close(struct callsig_stage *stage);

/* The stage's label. Owned by the stage. */
CALLSIG_API const char *callsig_stage_label(const struct callsig_stage *stage);

/* What is known of a task at its beginning. Set `size`; the rest may be 0. */
struct callsig_task_options {
  size_t size;
  uint64_t item;         /* the program's number of the item: the timeline joins the tasks of one item. 0: none */
  const char *signature; /* "format=I420, width=640": prints as {LABEL(format=I420, width=640)}. NULL: none. Copied. Of
                            a stage's texts the first 256 are kept apart; further ones count without a text */
};

/* Begins a task of the stage in the calling thread, as the innermost one; `options` may be NULL. 0, also when nothing
 * is recorded; -ECANCELED when a callback refused the item, -EINVAL for options that this library does not know,
 * -ENOMEM: then it has not begun and must not be ended. */
CALLSIG_API int callsig_task_begin(struct callsig_stage *stage, const struct callsig_task_options *options);

/* Ends the calling thread's innermost task, which must be of this stage. `failed`: not 0 when it did not do its work.
 * A task that control leaves without this (longjmp, an exception, the end of the function that began it or of its
 * thread) ends there as failed, without callbacks.
 * -EINVAL: the innermost open task of this thread is not of this stage (a task ends in the thread that began it):
 * nothing is ended; -ECANCELED when a task_exit callback failed: the item is to be dropped; -EOVERFLOW when the stage's
 * failures are above its limits: the task has ended, and the pipeline should. */
CALLSIG_API int callsig_task_end(struct callsig_stage *stage, int failed);

/* Ends the calling thread's innermost task, which must be of this stage, as none: it does not count as a task (there
 * was no item, in the end), though its time stays in the tree. task_exit callbacks are called, with `failed` 0. Returns
 * as callsig_task_end(). */
CALLSIG_API int callsig_task_cancel(struct callsig_stage *stage);

/* Marks the calling thread's innermost task as failed, however it ends. -EINVAL: none is open. */
CALLSIG_API int callsig_task_fail(void);

/* A task for the rest of the enclosing block: CALLSIG_TASK(stage); It cannot leak. CALLSIG_TASK_WITH(stage, &options)
 * takes options. callsig_task_fail() marks it as failed; else it succeeds, however the block is left. When a callback
 * refuses the item there is no task, and the block runs all the same: where that matters, use callsig_task_begin(). */
CALLSIG_API struct callsig_stage *callsig_task_scope(struct callsig_stage *stage,
                                                     const struct callsig_task_options *options);
CALLSIG_API void callsig_task_cleanup(struct callsig_stage **stage);
#define CALLSIG_TASK(stage)                 CALLSIG_TASK_(stage, NULL, __LINE__)
#define CALLSIG_TASK_WITH(stage, options)   CALLSIG_TASK_(stage, options, __LINE__)
#define CALLSIG_TASK_(stage, options, line) CALLSIG_TASK__(stage, options, line)
#define CALLSIG_TASK__(stage, options, line)                                                                           \
  __attribute__((cleanup(callsig_task_cleanup), unused)) struct callsig_stage *callsig_task_##line =                   \
      callsig_task_scope(stage, options)

/*
 * Queues: callsig_queue_* around any queue that a program has, or callsig_fifo_*, a queue with them built in.
 *
 * The queue that stage INDEX of a pipeline puts into has the same pipeline and index, so that a reader knows between
 * which stages it lies.
 */
struct callsig_queue;

struct callsig_queue_options {
  size_t size;
  uint32_t pipeline; /* as the stage that puts into it */
  uint32_t index;
  const char *name;  /* the stage's, as a rule; 1 to 1024 bytes. Copied */
  uint64_t capacity; /* items it can hold; 0: unbounded or unknown */
};

/* Opens the statistics of a queue, which is empty now. A queue with the same pipeline, index and name that was open
 * before, or is, is the same queue and continues its statistics. Otherwise as callsig_stage_open(). */
CALLSIG_API int callsig_queue_open(const struct callsig_queue_options *options, struct callsig_queue **queue);
/* Closes them; NULL is ignored. Nobody may be putting or getting. */
CALLSIG_API void callsig_queue_close(struct callsig_queue *queue);

/* Around a put: the first before the thread may have to wait for space, the second when the item is in the queue, by
 * the same thread; best before another thread can take the item out (under the queue's own lock). `token` is what the
 * first gave. `item`: the program's number of the item, 0 for none. `failed`: nothing was put (the queue was closed, or
 * time ran out). They never fail. */
CALLSIG_API uint64_t callsig_queue_put_begin(struct callsig_queue *queue);
CALLSIG_API void callsig_queue_put_end(struct callsig_queue *queue, uint64_t token, uint64_t item, int failed);
/* The same around a get. */
CALLSIG_API uint64_t callsig_queue_get_begin(struct callsig_queue *queue);
CALLSIG_API void callsig_queue_get_end(struct callsig_queue *queue, uint64_t token, uint64_t item, int failed);

/* The queue holds `items` now, which neither puts nor gets tell of: it was flushed, or drops items by itself. */
CALLSIG_API void callsig_queue_set_level(struct callsig_queue *queue, uint64_t items);

/*
 * A bounded queue between threads, first in first out, with its statistics. Not in signal handlers.
 */
struct callsig_fifo;

/* An item: a pointer that is the program's, and its number for the timeline. */
struct callsig_fifo_item {
  void *data;
  uint64_t item; /* 0: none */
};

/* Options as for callsig_queue_open(), of which `capacity` must be 1 to 2^32 - 1. */
CALLSIG_API int callsig_fifo_open(const struct callsig_queue_options *options, struct callsig_fifo **fifo);
/* Puts an item in, and waits for space for at most `timeout_ns` nanoseconds: 0 does not wait, UINT64_MAX waits on.
 * -EPIPE: the queue is shut; -ETIMEDOUT. */
CALLSIG_API int callsig_fifo_put(struct callsig_fifo *fifo, struct callsig_fifo_item item, uint64_t timeout_ns);
/* Takes the oldest item out, and waits for one likewise. -EPIPE: the queue is shut, and empty; -ETIMEDOUT. */
CALLSIG_API int callsig_fifo_get(struct callsig_fifo *fifo, struct callsig_fifo_item *item, uint64_t timeout_ns);
/* Shuts the queue: nothing more can be put in, and those that wait are woken. What is in it can be taken out. */
CALLSIG_API void callsig_fifo_shut(struct callsig_fifo *fifo);
/* Frees it; NULL is ignored. Nobody may be using it. Items that are left in it remain the program's. */
CALLSIG_API void callsig_fifo_close(struct callsig_fifo *fifo);

/*
 * Events: something that happened, or lasted a while, on no particular row. They are counted by name, and are marks of
 * the timeline. The name is copied when it is new; a program should have few of them.
 */
CALLSIG_API int callsig_event(const char *name);

/* Something that lasts: the first gives a token, which the second takes. Spans may overlap in any way, and end in
 * another thread. A token of 0 (nothing is recorded now) is ignored. Negative errno: -EINVAL without a name, -ENOSPC.
 */
CALLSIG_API uint64_t callsig_span_begin(void);
CALLSIG_API int callsig_span_end(const char *name, uint64_t token);

/* A span for the rest of the enclosing block: CALLSIG_SPAN("load"); */
struct callsig_span_scope {
  const char *name;
  uint64_t token;
};
CALLSIG_API void callsig_span_cleanup(const struct callsig_span_scope *scope);
#define CALLSIG_SPAN(name)        CALLSIG_SPAN_(name, __LINE__)
#define CALLSIG_SPAN_(name, line) CALLSIG_SPAN__(name, line)
#define CALLSIG_SPAN__(name, line)                                                                                     \
  __attribute__((cleanup(callsig_span_cleanup), unused)) struct callsig_span_scope callsig_span_##line = {             \
      name, callsig_span_begin()}

/*
 * Counters and levels: numbers that a program keeps of itself, by key, as in callsig_counter_add("bytes", n). What a
 * thread adds or sets belongs to the stage of its innermost task. docs/stages.md says what is made of them. A process
 * has at most 256 keys, of 1 to 1024 bytes each, which are copied when they are new; a key is a counter or a level, as
 * it was used first. Anywhere, as stages; there is no lock, no allocation and no system call once a thread has used the
 * key in the stage. 0, also while nothing is recorded; -EINVAL: no key, an empty or longer one, or one of the other
 * kind; -ENOSPC: there are too many keys, or there is no space, which is also counted as a loss.
 */

/* Adds n to a counter: modulo 2^64. */
CALLSIG_API int callsig_counter_add(const char *key, uint64_t n);
/* A level is `value` from now on. */
CALLSIG_API int callsig_level_set(const char *key, int64_t value);

/*
 * Waits of calls that are known only when these have ended: a library that stands between a program and one by which
 * processes speak to each other learns from the other side since when that was ready. libcallsig-mpi does so.
 */
struct callsig_call;
#define CALLSIG_CALL_WAITS_MOST 4

/* Names the innermost open call of the calling thread, and all others with the same callers and arguments, for
 * callsig_call_waited(). `waits`: up to CALLSIG_CALL_WAITS_MOST names of what they may wait for; the first call tells
 * them for all. NULL: nothing is recorded now, or there is no space. What it gives is valid until the process ends. Its
 * calls are all timed from then on. Not in a signal handler. */
CALLSIG_API struct callsig_call *callsig_call_innermost(const char *const *waits, size_t count);
/* One of these calls, which has ended and began not before `begin_ns` of CLOCK_MONOTONIC, waited `ns` of its time for
 * number `wait` of its names: that is taken off its own time and is a row {NAME} below it. No more is taken than is
 * left of the own time of these calls, in which what the thread waited for a processor counts as slept. In any thread,
 * one at a time, while the thread of the calls makes none. 0; -ESTALE: the recording has begun anew since, or the
 * thread ended and its calls were folded with others'; -ENOTSUP: the recording's clock is not the wall's; -EINVAL:
 * there is no such name. */
CALLSIG_API int callsig_call_waited(struct callsig_call *call, unsigned wait, uint64_t begin_ns, uint64_t ns);

/*
 * A schedule: which of the program's steps are recorded. A cycle is `wait` steps in which nothing is recorded, then
 * `warmup` steps in which what is costly at first sight is done and nothing is counted, then `active` steps that are
 * recorded. The program marks the steps.
 */
struct callsig_schedule_options {
  size_t size;
  uint64_t wait, warmup, active; /* active: at least 1 */
  uint64_t repeat;               /* cycles; 0: on and on. After the last one nothing is recorded */
};

/* Begins the first step of a schedule. Calls that are open end now. Before or after callsig_start(), once: -EALREADY;
 * -EINVAL; -EIO when there is no recording. callsig_enable() and callsig_disable() are the schedule's from now on:
 * -EBUSY. Not in a signal handler. */
CALLSIG_API int callsig_schedule(const struct callsig_schedule_options *options);
/* Ends a step and begins the next. At a border between steps that are recorded and others, the calls that are open in
 * any thread end, and calls that began before such a border are no longer seen. -EINVAL without a schedule. Not in a
 * signal handler. */
CALLSIG_API int callsig_step(void);

/*
 * Rules in the program's own source: each macro, at file scope, puts one line of the rules language (docs/rules.md)
 * into a note section that the index reads. It makes no code and no data that is loaded.
 *
 *   CALLSIG_STRING(open_file, path)         the content of open_file's char *path
 *   CALLSIG_BUCKET(resize, width, "log2")   or "0,64,1024"
 *   CALLSIG_IGNORE(draw, cookie)
 *   CALLSIG_LENGTH(dot, a, n)               a has n elements
 *   CALLSIG_FIELD(handle, "req->hdr.kind")
 *   CALLSIG_TYPE(tensor, "dtype=type, shape=ne[0..ndim]")
 */
#define CALLSIG_RULE(text)                                                                                             \
  __asm__(".pushsection .note.callsig,\"\",%note\n\t.balign 4\n\t.long 8, 8802f - 8801f, 1\n\t"                        \
          ".asciz \"callsig\"\n8801:\n\t.asciz \"" text "\"\n8802:\n\t.balign 4\n\t.popsection")
#define CALLSIG_STRING(function, parameter)      CALLSIG_RULE("function " #function ": " #parameter " string")
#define CALLSIG_BUCKET(function, parameter, how) CALLSIG_RULE("function " #function ": " #parameter " bucket " how)
#define CALLSIG_IGNORE(function, parameter)      CALLSIG_RULE("function " #function ": " #parameter " ignore")
#define CALLSIG_LENGTH(function, parameter, length)                                                                    \
  CALLSIG_RULE("function " #function ": " #parameter " length " #length)
#define CALLSIG_FIELD(function, path) CALLSIG_RULE("function " #function ": show " path)
#define CALLSIG_TYPE(type, fields)    CALLSIG_RULE("type " #type ": " fields)

/* What the compiler's instrumentation calls. */
CALLSIG_API void __cyg_profile_func_enter(void *function, void *call_site);
CALLSIG_API void __cyg_profile_func_exit(void *function, void *call_site);

#ifdef __cplusplus
}
#endif

#endif
