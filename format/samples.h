/*
 * The record of a recording that holds PC samples of another run (docs/recording-format.md).
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_SAMPLES_H
#define CALLSIG_FORMAT_SAMPLES_H

#include "format/recording.h"

/* How PC samples were taken. */
enum fmt_sample_method {
  FMT_SAMPLES_PERF,  /* by the kernel, at moments of the threads' CPU time: perf_event_open() */
  FMT_SAMPLES_STOPS, /* by stopping running threads for an instant: ptrace() */
};

/*
 * PC samples of another run of the program, in which no hook ran: where its CPU time went. A reader replaces the
 * recording's times by them (docs/beside.md). Or of the profiled run itself, where FMT_SAMPLES_OWN_RUN says so: a
 * reader finds by them what the hooks took (docs/times.md). FMT_OWN_CODE is the module of callsig's own code then, and
 * FMT_KERNEL and FMT_WAITING have as many samples as the run's system time and its waiting stand for; of another run it
 * is the module of the program's calls of hooks. Time in libraries that are not profiled is in the call that led there.
 *
 * A place is code of one kind: a function, inlined into its parent or standing in it, the parent being a module; or a
 * file's code without hooks that its parent called, by the file's path. A place's parent comes before it; a module has
 * none, and its name is its path. Samples count for the innermost place alone. The entries may name functions that the
 * recording does not have: their samples are those of the nearest parent that it has, and where there is none they are
 * in code without rows. In a merged recording the times in the edges are those of the samples already.
 */
struct fmt_rec_place {
  uint64_t name;    /* address of a fmt_rec_name */
  uint64_t file;    /* address of a fmt_rec_name; 0: a file, or a function that is known by its symbol alone */
  uint64_t samples; /* in code that is of this place and of none inside of it */
  uint32_t line;
  uint32_t parent; /* number of a place before it; FMT_NONE (format/index.h): a module */
};

struct fmt_rec_samples {
  struct fmt_rec_tag tag;
  uint64_t next;     /* next older: of another process of a merged recording */
  uint64_t process;  /* address of a fmt_rec_process; 0: the header's own process */
  uint64_t program;  /* address of a fmt_rec_name: what was run */
  uint64_t period;   /* nanoseconds / 1024 of CPU time that one sample stands for */
  uint64_t samples;  /* in the program's process, wherever: places, and `unmapped` */
  uint64_t unmapped; /* of them, in code that no file was mapped to */
  uint64_t others;   /* in processes that the program started; not in `samples` */
  uint64_t lost;     /* of samples: taken, and then not kept by the kernel for want of space */
  uint64_t used_ns; /* CPU time of the run, of user code unless FMT_SAMPLES_KERNEL says more, as the kernel accounts for
                       it, without what the samples took */
  uint32_t method;  /* enum fmt_sample_method */
  int32_t exit_status; /* of the run, as wait() gives it */
  uint32_t flags;      /* enum fmt_samples_flag */
  uint32_t count;      /* of places (struct fmt_rec_place), which follow the record's fields */
};

enum fmt_samples_flag {
  FMT_SAMPLES_OTHER_BUILD = 1u << 0,  /* of another program than the one that was profiled */
  FMT_SAMPLES_OTHER_STATUS = 1u << 1, /* the two runs did not end alike */
  FMT_SAMPLES_OUTPUT_KNOWN = 1u << 2, /* what both wrote to standard output was compared */
  FMT_SAMPLES_OTHER_OUTPUT = 1u << 3, /* and was not the same */
  FMT_SAMPLES_OWN_RUN = 1u << 4,      /* of the profiled run itself, hooks and all: times are not replaced by them */
  FMT_SAMPLES_KERNEL = 1u << 5,       /* of another run: what the kernel did for it was sampled, and is in used_ns */
  FMT_SAMPLES_LOST_WAITS = 1u << 6,   /* not all switches of threads were seen, and what they waited is estimated */
};

#endif
