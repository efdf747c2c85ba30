/*
 * callsig: read, sort, restrict and print recordings, as Python's pstats does.
 *
 * A callsig_stats object belongs to its caller and is used by one thread at a time; different objects are independent.
 * Functions that can fail return 0 or a negative errno after giving one clear line to the message callback.
 *
 * Set `size` of a structure before it is handed in; fields are only ever added at the end. What a structure of options
 * has beyond the fields that the library knows must be 0: -EINVAL else, so that nothing that was asked for is ignored.
 */
#ifndef CALLSIG_STATS_H
#define CALLSIG_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "callsig/api.h"
#include "callsig/pipeline.h" /* so that a program that includes this header alone has both */

#ifdef __cplusplus
extern "C" {
#endif

struct callsig_stats;

/* What a new object is for. Set `size`. */
struct callsig_stats_options {
  size_t size;
  int timeline; /* not 0: the timelines of its recordings are read too, for the exports "chrome", "otf2" and "perfetto"
                   and for callsig_stats_dump() */
  size_t now;   /* not 0: calls that are open in a program that runs still count until now, and not until its clock was
                   last noted */
};

/* An object without recordings, for callsig_stats_add(): until the first is added, whatever needs calls is refused
 * (-EINVAL). `options` may be NULL. */
CALLSIG_STATS_API int callsig_stats_new(const struct callsig_stats_options *options, struct callsig_stats **stats);

/* Reads the recording at `path` into a new object. It trusts nothing in the file: -EINVAL when it is not a recording,
 * -ENOTSUP when a newer version wrote it. The recording may belong to a process that is still running. */
CALLSIG_STATS_API int callsig_stats_load(const char *path, struct callsig_stats **stats);

/* The same from this process's own recording, as of now; calls that are open, the caller's own among them, count until
 * now. libcallsig must be linked, or preloaded by `callsig run`, and recording: -ENOENT otherwise. */
CALLSIG_STATS_API int callsig_stats_snapshot(struct callsig_stats **stats);

/* Adds a recording: rows of the same function and signature meet. A file that cannot be opened or is no recording
 * leaves the object as it was. After an error on the way through it (-ENOMEM, -EIO) the object is good only for
 * callsig_stats_free(), and refuses with -EINVAL whatever needs calls. */
CALLSIG_STATS_API int callsig_stats_add(struct callsig_stats *stats, const char *path);

/* How many records are missing of recordings that are damaged or cut off, at least 1 for each, so that whatever is
 * shown lacks them; 0: all were whole. The message callback got a line for each when it was loaded or added. What a
 * process is just writing is no damage. */
CALLSIG_STATS_API uint64_t callsig_stats_damaged(const struct callsig_stats *stats);

/* Seals the recording in a file, open for reading and writing, that nobody writes to any more: what was reserved behind
 * its records is cut off, and checksums of all of it are put there, by which readers find what was cut or overwritten
 * since. `callsig run` does so when its program has ended; `path` is for messages. 0, also when it is sealed already;
 * -EBUSY without a message while a process still records there; -EINVAL when it is no recording, or the error of
 * reading or writing, after which it is as it was. The file has a shared flock() on return. */
CALLSIG_STATS_API int callsig_stats_seal(int file, const char *path);

/* Writes everything that was loaded and added into one recording at `path`, 0600 and sealed: grouping, filters and
 * stripped names play no part. Processes and threads stay apart with clocks of their own, so that nothing is rounded;
 * calls that were open count as they did when they were read; timelines are there when they were read:
 * callsig_stats_options. An older recording at `path` is replaced when the new one is complete. -EEXIST when something
 * else lies there; the error of writing it otherwise. */
CALLSIG_STATS_API int callsig_stats_dump(struct callsig_stats *stats, const char *path);

/* The same for the processes of one run, whose number `callsig run` gave: the recording tells of which others it was
 * made, and where one of these still lies beside it, callsig_stats_add() leaves it out. */
CALLSIG_STATS_API int callsig_stats_dump_family(struct callsig_stats *stats, const char *path, uint64_t run);

/* From now on processes that ran the same program with the same command line count as one, and so do their threads of
 * one name. Beyond 200 command lines the others of a program are one. Calls and times are the same, by everything but
 * process and thread. A process with stages, queues, events, counters, a timeline or samples stays by itself. -EINVAL
 * without recordings; after -ENOMEM the object is good only for callsig_stats_free(). */
CALLSIG_STATS_API int callsig_stats_fold_processes(struct callsig_stats *stats);

/* From now on the ranks of a parallel job that ran the same program count as one process, whose rows keep what they
 * were over the ranks (docs/mpi.md): dumped, added and folded again, in any order, the result is the same. Their times
 * become whole nanoseconds. Processes that callsig_stats_fold_processes() leaves by themselves stay so, and so does,
 * after a message, what was folded before and has the lowest rank of another. -EINVAL without recordings; after -ENOMEM
 * the object is good only for callsig_stats_free(). */
CALLSIG_STATS_API int callsig_stats_fold_ranks(struct callsig_stats *stats);

/* From now on the threads of one process that have the same name count as one, as ended threads do. Calls and times are
 * the same, by everything but the thread. After -ENOMEM the object is good only for callsig_stats_free(). */
CALLSIG_STATS_API int callsig_stats_fold(struct callsig_stats *stats);

/* A line of source, and the function that it stands in; "" and 0 where that is unknown. */
struct callsig_stats_code_line {
  const char *function, *file;
  unsigned line;
};

/* Takes the lines of a place of code: the innermost, and those at which its function and those around it are inlined.
 * `is_other`: the call instruction there calls another function than the callee. 0, or an error to be handed on. */
typedef int (*callsig_stats_found_fn)(size_t number, const struct callsig_stats_code_line *lines, size_t count,
                                      int is_other, void *to);

/* Places of code in one ELF file. */
struct callsig_stats_code {
  size_t size;
  const char *path;
  const unsigned char *build_id;
  size_t build_id_size;      /* 0: the file has none */
  const uint64_t *addresses; /* link-time, in a call instruction; ascending, some may be equal */
  const uint64_t *callees;   /* by address: link-time, what was entered by a call there; 0: unknown, or elsewhere */
  size_t count;
  callsig_stats_found_fn found; /* to be called for each whose lines are known */
  void *to;
};

/* Finds lines of code; 0 or a negative errno. Called when rows are by site, by exports that show lines, and by
 * callsig_stats_dump(): without one (NULL, the default) a place is known by its module and address, unless the
 * recording has its line. For the whole process; any thread. */
typedef int (*callsig_stats_lines_fn)(const struct callsig_stats_code *code, void *data);
CALLSIG_STATS_API void callsig_stats_set_lines(callsig_stats_lines_fn find, void *data);

/* Frees the object; NULL is allowed. */
CALLSIG_STATS_API void callsig_stats_free(struct callsig_stats *stats);

enum callsig_stats_by {
  CALLSIG_BY_FUNCTION = 1 << 0,
  CALLSIG_BY_SIGNATURE = 1 << 1, /* implies FUNCTION */
  CALLSIG_BY_STAGE = 1 << 2,
  CALLSIG_BY_THREAD = 1 << 3,
  CALLSIG_BY_MODULE = 1 << 4,
  CALLSIG_BY_PROCESS = 1 << 5, /* the processes whose recordings were added */
  CALLSIG_BY_RANK = 1 << 6,    /* their ranks in a parallel job */
  CALLSIG_BY_SITE = 1 << 7,    /* the places of their calls, where these were recorded; implies FUNCTION */
};

/* What rows are grouped by; default CALLSIG_BY_SIGNATURE. A call's stage is that of the innermost task around it,
 * itself included. -EINVAL for nothing. */
CALLSIG_STATS_API int callsig_stats_group(struct callsig_stats *stats, unsigned by);

/* Filters, NULL for none; they replace the ones before. `function` is a regular expression searched in
 * "file:line(function)", `signature` an expression over argument values ('n >= 4096 && mode == FAST';
 * docs/expressions.md), `stage` a glob for a stage's label or name or an action's name ("-": outside of any stage),
 * `thread` for a thread's name or number, `module` for a module's path or file name. `below` is an expression as
 * `function`: calls of such functions and all that is called below them; `depth` leaves calls out that have so many
 * functions or more around them, counted from the outermost function that `below` selected where there is one, and with
 * recursion folded (0: none). They select calls before rows are made. -EINVAL with a message that points at the
 * mistake. */
struct callsig_stats_filter {
  size_t size;
  const char *function;
  const char *signature;
  const char *stage;
  const char *thread;
  const char *module;
  const char *below;
  size_t depth;
};
CALLSIG_STATS_API int callsig_stats_filter(struct callsig_stats *stats, const struct callsig_stats_filter *filter);

/* Names are printed without their directories from now on; rows that become equal meet, as in pstats. */
CALLSIG_STATS_API int callsig_stats_strip_dirs(struct callsig_stats *stats);

/* Rows are by the innermost `frames` functions around a call, too (0: no longer; at most 64): its callers in the tree,
 * where recursion is folded. -EINVAL for too many. */
CALLSIG_STATS_API int callsig_stats_stack(struct callsig_stats *stats, unsigned frames);

/* Subtracts the hooks' own calibrated cost from the times of all recordings from now on, or of none. Without a call it
 * is taken off those in which not all calls were timed (docs/times.md). CSV and JSON then have fields that say how
 * much, and tables a column when it was asked for. */
CALLSIG_STATS_API int callsig_stats_compensate(struct callsig_stats *stats, int on);

/* Sorts by pstats's keys, separated by commas, pstats's prefixes allowed: "cumtime", "tottime,name"; default
 * "cumulative". NULL: "cumulative", and where recordings tell what threads slept, rows of threads that only slept come
 * last. -EINVAL for an unknown or ambiguous key, after a message that lists the keys. */
CALLSIG_STATS_API int callsig_stats_sort(struct callsig_stats *stats, const char *keys);
/* The names of the keys, 0, 1, 2 ..., in pstats's order; NULL after the last. *meaning (`meaning` may be NULL) gets
 * what a table calls it: "cumulative time". They are never freed. Any thread. */
CALLSIG_STATS_API const char *callsig_stats_sort_key(size_t index, const char **meaning);
/* Turns the order around; callsig_stats_sort() ends that. */
CALLSIG_STATS_API int callsig_stats_reverse(struct callsig_stats *stats);

enum callsig_stats_unit {
  CALLSIG_UNIT_SECONDS, /* pstats's */
  CALLSIG_UNIT_AUTO,    /* each time in the unit that fits it: "1.044ms" */
  CALLSIG_UNIT_MILLISECONDS,
  CALLSIG_UNIT_MICROSECONDS,
  CALLSIG_UNIT_NANOSECONDS,
};

/* How tables look; all zeros is how pstats's look. */
struct callsig_stats_style {
  size_t size;
  /* Names separated by commas: ncalls, pcalls, tottime, tottime%, tottime/call, cumtime, cumtime%, cumtime/call, min,
   * max, p50, p90, p99, error, cumerror, timed, cpu, wait, waiterror, cumcpu, cumwait, cumwaiterror, allocs,
   * allocbytes, unfreed, and alloc, which is these three. With a '+' before them they are added to pstats's. NULL:
   * pstats's. */
  const char *columns;
  unsigned unit;     /* enum callsig_stats_unit */
  unsigned width;    /* cells that lines are shortened to, for a terminal: leading folders of the file go first; the
                        sum in the first line stays whole, and so do all numbers and 25 cells of a name. 0: never */
  int color;         /* with a terminal's escape sequences */
  size_t name_width; /* bytes that a row's name is shortened to, in its middle; rows stay apart all the same. 0: never;
                        else at least 16 */
  int few_notes;     /* below a table stand only the first notes, and of functions those that have a row in it; a last
                        line counts the others. 0: all notes */
};
/* -EINVAL after a message that lists the columns, or the units. */
CALLSIG_STATS_API int callsig_stats_set_style(struct callsig_stats *stats, const struct callsig_stats_style *style);

/* Prints pstats's table, then one line for each thing that was widened, merged, lost, unwound or left open. Each
 * restriction is text: an integer, a fraction below 1, or a regular expression, applied in order; docs/reports.md. -EIO
 * when `out` cannot be written. Callers and callees need rows by function or signature. CSV has no place for the lines:
 * the message callback gets them. The JSON is docs/json.md's. Of a long table a second thread makes a part, which takes
 * no signals, does not write, and has ended on return. */
CALLSIG_STATS_API int callsig_stats_print(struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                                          size_t count);
CALLSIG_STATS_API int callsig_stats_print_callers(struct callsig_stats *stats, FILE *out,
                                                  const char *const *restrictions, size_t count);
CALLSIG_STATS_API int callsig_stats_print_callees(struct callsig_stats *stats, FILE *out,
                                                  const char *const *restrictions, size_t count);
/* torch.profiler's key averages, with the signatures as "Input Shapes" where rows are by them. */
CALLSIG_STATS_API int callsig_stats_print_averages(struct callsig_stats *stats, FILE *out,
                                                   const char *const *restrictions, size_t count);
CALLSIG_STATS_API int callsig_stats_print_json(struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                                               size_t count);
CALLSIG_STATS_API int callsig_stats_print_csv(struct callsig_stats *stats, FILE *out, const char *const *restrictions,
                                              size_t count);

/* Of rows by rank and function or signature: which of them ranks wait for each other most, and for whom; docs/mpi.md.
 * callsig_stats_print() prints it below the table. Nothing of other rows, and where no two ranks ran the same program.
 */
CALLSIG_STATS_API int callsig_stats_print_balance(struct callsig_stats *stats, FILE *out);

/* One row. Strings belong to the object and live until it is grouped, filtered, stripped, added to or freed. */
struct callsig_stats_row {
  size_t size;
  const char *file;
  unsigned line;
  const char *function;
  const char *signature;               /* the printed text; NULL by function */
  const char *stage, *thread, *module; /* NULL where not grouped by; stage NULL for calls outside of any, too */
  uint64_t ncalls, pcalls;             /* 0 where all of it is frames that a forked child has of its parent's */
  double tottime, cumtime, min, max;   /* seconds */
  const char *process, *rank;          /* "lua5.4 (1234)", "3" ("-" without one); NULL where not grouped by */
  /* Percentiles of the calls that ended, seconds: NAN where a histogram is missing for some of them. */
  double p50, p90, p99;
  /* Where not every call was timed: half the widths of the intervals that hold tottime and cumtime with 95 %, seconds
   * (0: exact; NAN: unknown), and how many of `ncalls` were timed; min, max and percentiles are of these. */
  double tottime_error, cumtime_error;
  uint64_t timed_calls;
  int uncertain;      /* an error is unknown, or larger than the time that it belongs to */
  const char *caller; /* "file.c:12(name)": the innermost function around the calls; NULL for none, and where rows are
                         not by the functions around them: callsig_stats_stack() */
  /* Of tottime and cumtime, what threads waited of themselves: for input, a lock, another thread or for time to pass;
   * and by how much that may be off. Seconds; NAN: unknown. The rest is time on a processor. */
  double wait, cumwait, wait_error, cumwait_error;
  const char *site; /* where the calls were made, as the table has it; NULL unless rows are by site */
  /* What the calls, without their callees, asked the allocator for: blocks, their bytes, and of these those that were
   * not freed. NAN: unknown. */
  double allocs, allocbytes, unfreed_allocs, unfreed;
};

/* Rows in the current order. */
CALLSIG_STATS_API size_t callsig_stats_row_count(struct callsig_stats *stats);
CALLSIG_STATS_API int callsig_stats_row(struct callsig_stats *stats, size_t index, struct callsig_stats_row *row);

struct callsig_stats_total {
  size_t size;
  uint64_t calls, primitive_calls;
  double time; /* the sum of tottime, seconds */
  double wait; /* of these, what threads waited of themselves, as far as it is known; NAN: it is not known at all */
};
CALLSIG_STATS_API int callsig_stats_total(struct callsig_stats *stats, struct callsig_stats_total *total);

/* How callsig_stats_scaling() finds and prints laws. NULL and 0 are the defaults. */
struct callsig_stats_scaling {
  size_t size;
  const char *time; /* "cumulative": with callees, per outermost call (default); "own": the function's own, per call */
  const char
      *measure;       /* what stands for a signature's calls: "trimmed", the mean without the longest call, of three and
                         more (default of cumulative times); "mean" (of own and compensated ones: the only); "min" */
  const char *format; /* "table" (default), "json" (docs/scaling.md), "csv", "extrap": text for Extra-P */
  const char *directory; /* of "extrap": a file for each law in this folder, which is made when it is not there; NULL:
                            to `out`, of one function alone */
  int all;               /* functions of which nothing can be said, too, and why */
};

/* For each function, its time per call as a law of its arguments: fitted to the signatures of the calls that the
 * filters select, by function and what else rows are by, in the order of callsig_stats_sort(). Restrictions are those
 * of callsig_stats_print(), of functions. docs/scaling.md says how, with sources. -EINVAL after a message; -EIO when
 * `out` cannot be written. */
CALLSIG_STATS_API int callsig_stats_scaling(struct callsig_stats *stats, const struct callsig_stats_scaling *wanted,
                                            FILE *out, const char *const *restrictions, size_t count);

/* How callsig_stats_score() prints what functions' hooks cost. NULL and 0 are the defaults. */
struct callsig_stats_score {
  size_t size;
  const char *format; /* "table" (default), "json" (docs/score.md) or "csv" */
  const char *filter; /* instead of that: what leaves the functions out that `overhead` asks to leave out. "run": for
                         callsig run --exclude-file; "gcc": for gcc @FILE; "clang": for clang -fxray-attr-list=; "sled":
                         for callsig-cc */
  const char *keep;   /* functions that are never left out: globs of their names and files, one a line */
  double overhead;    /* a budget: the smallest set of functions is chosen without which the run is at most so many
                         times as slow as the program alone; at least 1. 0: none, and no filter */
  double matters;     /* functions that surely take more than this part of the program's own time are never left out: at
                         most 1; 0: 0.01 */
};

/* For each function, what its hooks cost, by the recording's calibration, and what leaving it out saves and loses, the
 * best bargain first. Costs are of all calls; the object's filters choose which functions are listed and may be left
 * out. Restrictions are those of callsig_stats_print(), of functions, and choose what is printed. docs/score.md says
 * how, and how sure it is. -EINVAL after a message; -ERANGE after one when a filter was asked for and no set of
 * functions keeps the budget; -ENODATA when it was asked for and no cost is known; -EIO when `out` cannot be written.
 */
CALLSIG_STATS_API int callsig_stats_score(struct callsig_stats *stats, const struct callsig_stats_score *wanted,
                                          FILE *out, const char *const *restrictions, size_t count);

/* How an object leaves in a format of another tool; docs/exports.md says what each carries. */
struct callsig_stats_export {
  size_t size;
  const char *format; /* one of callsig_stats_export_format() */
  const char *weight; /* of folded and flamegraph, one number a stack: "time" or "calls"; NULL: time */
  int has_cutoff;     /* of dot and flamegraph: `cutoff` is given; else their own choice */
  double cutoff;      /* what has a smaller part of the whole is left out; at least 0, below 1 */
  const char
      *database; /* of html: the path of a database of intervals (callsig/pipeline.h) that is drawn too; or NULL */
};

/* The names of the formats, 0, 1, 2 ...; NULL after the last. They are never freed. */
CALLSIG_STATS_API const char *callsig_stats_export_format(size_t index);

/* Writes the calls that the filters select, grouped as the object is: with signatures, or by function alone. -EINVAL
 * for an unknown format, after a message that lists them, and for a grouping that the format has no room for; -EIO when
 * `out` cannot be written. Nothing is held in memory as a whole document. "otf2" is a folder, and -EINVAL here. */
CALLSIG_STATS_API int callsig_stats_export(struct callsig_stats *stats, const struct callsig_stats_export *wanted,
                                           FILE *out);

/* The same into a file, which appears at `path` when it is complete: after an error whatever was there is still there.
 * A pipe or device is written directly; a symbolic link is an error (-ELOOP). "otf2" makes a folder of the path, which
 * must not be there (-EEXIST); -ENOTSUP after a message when the library was built without it. */
CALLSIG_STATS_API int callsig_stats_export_file(struct callsig_stats *stats, const struct callsig_stats_export *wanted,
                                                const char *path);

#ifdef __cplusplus
}
#endif

#endif
