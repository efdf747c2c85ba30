/*
 * The recording: one file a process, mapped shared, in which the call tree lives while it is built.
 *
 * The runtime reserves one address range, maps the whole of it from the file, and extends the file (space allocated,
 * never sparse) block by block as records are made. Pointers inside the file are therefore plain addresses of the
 * recorded process: file offset = address - header.base. A reader trusts none of them: it checks range, alignment and
 * tag. A record is complete before the pointer to it is stored (release order), so a file cut off by SIGKILL at any
 * instant is consistent. docs/recording-format.md describes the file byte by byte.
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_RECORDING_H
#define CALLSIG_FORMAT_RECORDING_H

#include <stdint.h>

#include "format/asked.h"
#include "format/counters.h"
#include "format/record_tag.h"
#include "format/sampling.h"
#include "format/stages.h"
#include "format/tasks.h"

#define FMT_RECORDING_MAGIC   "CSIGREC" /* eight bytes with the terminating NUL */
#define FMT_RECORDING_VERSION 1u
#define FMT_REC_HEADER_LEAST  416u /* bytes that version 0.1 wrote: later fields are 0 where a header is shorter */

enum fmt_clock_kind {
  FMT_CLOCK_TSC,       /* rdtsc or cntvct: ticks, scaled by the two points below */
  FMT_CLOCK_MONOTONIC, /* clock_gettime: nanoseconds */
  FMT_CLOCK_CPU,       /* the thread's CPU time: nanoseconds */
  FMT_CLOCK_INJECTED,  /* the program's own: ticks of header.injected_hz a second */
};

/* One reading of the recording's clock beside CLOCK_MONOTONIC. */
struct fmt_rec_clock_point {
  uint64_t ticks;
  uint64_t monotonic_ns;
};

/* What could not be recorded as asked, and is reported. Written with relaxed atomic adds. */
enum fmt_rec_loss {
  FMT_LOSS_NO_SPACE,        /* calls not recorded: the file could not grow, or memory was refused */
  FMT_LOSS_NESTED,          /* calls not recorded: made by a hook's own slow path, or by a signal inside one */
  FMT_LOSS_EXIT_UNMATCHED,  /* exits without an entry, ignored */
  FMT_LOSS_UNWOUND,         /* frames closed because control left them without an exit hook (not a loss of calls) */
  FMT_LOSS_EDGES_MERGED,    /* calls counted on an edge whose caller signature was merged to stay in bounds */
  FMT_LOSS_CONTEXTS_MERGED, /* calls counted in a merged context to stay in bounds */
  FMT_LOSS_LATE,            /* calls made after their thread's data was folded */
  FMT_LOSS_NO_INDEX, /* kept for calls of modules without a signature index: a reader finds those by their functions */
  FMT_LOSS_SIGNATURES_MERGED, /* signatures, when they first occur, that would have been distinct but for widening */
  FMT_LOSS_TIMELINE, /* spans that are in no ring: their thread had none, or was folded after it had overwritten them */
  FMT_LOSS_HISTOGRAM, /* calls whose time is in no histogram: the recording was nearly full */
  FMT_LOSS_WAITED,    /* FMT_REC_WAITS_TAKEN: ticks in which threads waited for a processor, in no call's time */
  FMT_LOSS_ASKING,    /* (slots, not calls) of functions that FMT_REC_ASKED counts, whose calls cannot be counted */
  FMT_LOSS_ASKED,     /* (blocks, not calls) that were asked for by calls that are not recorded: in no record */
  FMT_LOSS_NO_SLED,   /* calls not recorded: of sleds whose module's index could not be had */
  FMT_LOSS_PROCESSES, /* (processes, not calls) that were forked and are not recorded: no recording could be made */
  FMT_LOSS_COUNT = 16
};

struct fmt_rec_header {
  char magic[8];
  uint32_t version;
  uint32_t header_size;
  uint64_t base;          /* address of file offset 0 in the recorded process */
  uint64_t reserved_size; /* bytes of address range */
  uint64_t next;          /* bytes allocated to blocks so far (atomic) */
  uint32_t pid, ppid;
  uint32_t clock; /* enum fmt_clock_kind */
  uint32_t flags; /* enum fmt_rec_flag */
  uint64_t injected_hz;
  uint64_t start_realtime_ns;
  struct fmt_rec_clock_point start;
  struct fmt_rec_clock_point last; /* written under last_sequence (odd while it is being written) */
  uint32_t last_sequence;
  int32_t exit_status;   /* as wait() gives it, stamped by `callsig run`; -1 unknown */
  uint64_t hook_inner;   /* ticks / 1024: what one call's hooks add between its own two clock readings */
  uint64_t hook_outer;   /* ticks / 1024: what one call's hooks add outside its readings: in its caller */
  uint64_t program;      /* address of a fmt_rec_name: the executable's path */
  uint64_t command;      /* address of a fmt_rec_name: the arguments, each followed by a NUL */
  uint64_t first_module; /* address of the newest fmt_rec_module */
  uint64_t first_thread; /* address of the newest fmt_rec_thread */
  uint64_t loss[FMT_LOSS_COUNT];
  uint64_t first_stage;   /* address of the newest fmt_rec_stage */
  uint64_t first_queue;   /* address of the newest fmt_rec_queue */
  uint64_t first_event;   /* address of the newest fmt_rec_event */
  uint64_t first_process; /* address of the newest fmt_rec_process: of a merged recording only */
  uint64_t timeline_min;  /* ticks: calls at least this long are in the rings; UINT64_MAX: no timeline */
  uint64_t rank_source;   /* address of a fmt_rec_name: the variable that `rank` was read from; 0 for none */
  int64_t rank;           /* of a parallel job, where rank_source is not 0 */
  uint64_t steps;         /* callsig_step() so far */
  uint64_t active_steps;  /* of them, those that were recorded */
  uint64_t overhead;      /* FMT_REC_SAMPLED: the budget, the program's slowdown times 1024; 0: none was asked for */
  uint64_t sample_price;  /* FMT_REC_SAMPLED: ticks / 1024 that timing one call costs above counting it */
  uint64_t run;           /* what CALLSIG_RUN was: of the `callsig run` that the recording was made for; 0: for none */
  uint64_t samples;       /* address of the newest fmt_rec_samples, written by `callsig run --beside`; 0 for none */
  uint32_t drawn_from;    /* FMT_REC_SAMPLED: of short calls, one in half as many was timed at the fewest */
  uint32_t folds;         /* twice how many threads were folded; odd while one is being folded */
  uint64_t seal;          /* address of the fmt_rec_seal (format/seal.h); 0: none, it is or was being written */
  uint64_t first_counter; /* address of the newest fmt_rec_counter */
  uint64_t request;       /* what was asked from outside (format/request.h); 0: nothing */
  uint64_t taken;         /* the request that was taken last, as it was */
  int32_t refusal;        /* of that one: 0 it was done, else a negative errno */
  uint32_t is_off;        /* 1: recording is switched off */
  uint64_t switched_ns;   /* CLOCK_REALTIME when it was switched last; 0: never since the start */
  uint64_t period;        /* how often it was made to count from zero: see fmt_rec_thread.period */
  uint64_t period_realtime_ns;      /* CLOCK_REALTIME when that was the last time; 0: never */
  struct fmt_rec_clock_point begun; /* what `start` was before the first time, which is moved on each time; else 0 */
  uint64_t switches;                /* how often it was switched since the start */
  uint64_t pauses;      /* address of the fmt_rec_pauses; 0: it has recorded all the time, or it is not told */
  uint32_t hook_hidden; /* FMT_REC_SAMPLED: ticks / 1024 of hook_inner that are not added to a call of tens of ns */
  uint32_t hook_floor;  /* and that a call without work reads beyond what is added to such ones, when it is drawn */
  uint32_t sleds;       /* enum fmt_rec_sleds (format/sled_idle.h): a futex, shared with `callsig run` and who asks */
  uint32_t counter_khz; /* FMT_CLOCK_TSC: thousands of ticks in a second, as measured at the start; 0: they were not */
};

enum fmt_rec_flag {
  FMT_REC_SIGNATURES = 1u << 0,    /* signatures were recorded */
  FMT_REC_FINISHED = 1u << 1,      /* the process ended through exit(): open frames were open then */
  FMT_REC_CHILD = 1u << 2,         /* made by a forked child */
  FMT_REC_SCHEDULE = 1u << 3,      /* only the active steps of a schedule were recorded */
  FMT_REC_SAMPLED = 1u << 5,       /* not every call was timed: edges have sampling records */
  FMT_REC_WAITS_TAKEN = 1u << 6,   /* waits for a processor are in no call's time, as far as they are known */
  FMT_REC_WAITS_UNKNOWN = 1u << 7, /* those of some thread could not be told: they are in its calls' times */
  FMT_REC_FULL = 1u << 8,          /* it could not grow, so that what was new then has no place in it */
  FMT_REC_MERGED = 1u << 4, /* written by callsig_stats_dump(): times, pid and losses are in the process records */
  FMT_REC_SLEEP = 1u << 10, /* what threads slept is told, as far as FMT_REC_WAITS_UNKNOWN does not say otherwise */
  FMT_REC_ASKED = 1u << 11, /* what was asked the allocator for is told: edges have FMT_EDGE_ASKS */
  FMT_REC_FAMILY = 1u << 9, /* and for a run: `command` leads to a list of struct fmt_rec_taken, the files it is of */
};

struct fmt_rec_name {
  struct fmt_rec_tag tag;
  uint32_t length; /* bytes of text, without the final NUL */
  uint32_t reserved;
  char text[];
};

/* Modules that are none: memory with machine code of the runtime's; for format/samples.h, the kernel, and waiting. */
#define FMT_OWN_CODE "[callsig]"
#define FMT_KERNEL   "[kernel]"
#define FMT_WAITING  "[waiting]"

/* A module is an ELF file mapped into the process. A module that was unloaded keeps its record. */
struct fmt_rec_module {
  struct fmt_rec_tag tag;
  uint64_t next;       /* address of the next older module, 0 at the end */
  uint64_t start, end; /* address range of its mappings */
  uint64_t bias;       /* run-time address = link-time address + bias */
  uint64_t path;       /* address of a fmt_rec_name */
  uint64_t index;      /* address of the copy of its signature index (struct fmt_index_header), 0 for none */
  uint64_t index_size;
  uint8_t build_id[32];
  uint32_t build_id_size;
  uint32_t id;       /* 0, 1, 2 ... in order of registration; FMT_NONE (format/index.h) of FMT_OWN_CODE */
  uint32_t unloaded; /* 1 after dlclose */
  uint32_t stays;    /* 1: it was there before the program began, and cannot be unloaded */
};

enum fmt_thread_state {
  FMT_THREAD_LIVE,   /* running when last seen */
  FMT_THREAD_ENDED,  /* ended; its tree is its own */
  FMT_THREAD_FOLDED, /* the collected tree of ended threads: `threads` of them */
};

struct fmt_rec_thread {
  struct fmt_rec_tag tag;
  uint64_t next; /* address of the next older thread, 0 at the end */
  uint32_t tid;
  uint32_t state;                  /* enum fmt_thread_state */
  char name[32];                   /* NUL-terminated comm */
  uint64_t start_ticks, end_ticks; /* end 0 while live */
  uint64_t threads;                /* 1, or how many were folded into this one */
  uint64_t root;                   /* address of the root variant: the caller of the outermost functions */
  uint64_t first_edge;             /* address of the newest fmt_rec_edge of this tree */
  uint64_t first_function;         /* address of the newest fmt_rec_function */
  uint64_t first_stack;     /* address of the outermost fmt_rec_stack of the stack that was created last; see there */
  uint64_t root_edge;       /* address of the edge that the bottom frame of each stack refers to: from 0, to root */
  uint64_t first_tasks;     /* address of the newest fmt_rec_tasks */
  uint64_t first_queue_use; /* address of the newest fmt_rec_queue_use */
  uint64_t ring;            /* address of the thread's fmt_rec_ring, 0 for none */
  uint64_t process;         /* address of a fmt_rec_process; 0: the header's own process */
  uint64_t serial;          /* 1, 2, 3 ... in order of beginning, by which a record is known from one at its address */
  uint64_t newer;           /* the runtime's own: the thread whose `next` this is */
  uint64_t first_counter_use; /* address of the newest fmt_rec_counter_use */
  /* The header's, when the thread began or last came by. Where it is another, what the thread has counted is of an
   * earlier period, and counts no more. What it has open goes on: from `end_ticks` on it is of this period, where it
   * takes time and is no call, as with FMT_EDGE_INHERITED; unless recording was switched since. */
  uint64_t period;
};

/* A function as one thread knows it: the unit of widening and of activation. */
struct fmt_rec_function {
  struct fmt_rec_tag tag;
  uint64_t next;         /* next older of the same thread */
  uint64_t module;       /* address of a fmt_rec_module, 0 for an action or a task */
  uint32_t function;     /* index in the module's FMT_SECTION_FUNCTIONS, or FMT_NONE: known by its address only */
  uint32_t kind;         /* enum fmt_function_kind */
  uint64_t address;      /* run-time this_fn; of an action, address of a fmt_rec_name; of a task, of a fmt_rec_stage */
  uint64_t active;       /* used by the runtime while recursion is open */
  uint32_t signatures;   /* distinct signatures made so far */
  uint32_t widened_args; /* args whose level is not 0 */
  uint64_t levels;    /* address of a fmt_rec_name, its text one byte an arg: enum fmt_widening; 0: none is widened */
  uint64_t distinct;  /* the runtime's own: distinct signatures as the levels make them */
  uint64_t widenings; /* the runtime's own: how often an arg was widened */
  uint64_t reserved[2];
};

enum fmt_function_kind {
  FMT_FUNCTION_KIND_CODE,
  FMT_FUNCTION_KIND_ACTION, /* a named action, callsig_action_begin() */
  FMT_FUNCTION_KIND_TASK,   /* a task of a stage, callsig_task_begin() */
};

enum fmt_widening { FMT_WIDEN_NONE, FMT_WIDEN_LOG2, FMT_WIDEN_TYPE };

/* A signature as one thread knows it. Signatures made before their function widened an arg keep the exact words; a
 * reader applies the levels of all threads to all signatures, so that rows meet. */
struct fmt_rec_signature {
  struct fmt_rec_tag tag;
  uint64_t function; /* address of a fmt_rec_function */
  uint64_t active;   /* used by the runtime */
  uint32_t word_count;
  uint32_t flags;   /* bit 0: FMT_SIGNATURE_NONE, recorded without signatures (also: any signature, merged) */
  uint64_t words[]; /* format/index.h says how they are read */
};

#define FMT_SIGNATURE_NONE 1u
#define FMT_SIGNATURE_TEXT 2u /* of a task: words[0] is the address of a fmt_rec_name, "name=value, name=value" */

/*
 * A node of the calling-context tree: a path of functions from the root, recursion folded to the ancestor.
 *
 * A context belongs to the stage of the innermost task on its path, itself included. Folding does not cross the border
 * of a stage: a function that is on the path above the innermost task only gets a context of its own below the task
 * (its edge is a FMT_EDGE_BACK all the same), and a task folds to the ancestor that is a task of the same stage. So a
 * path holds each stage once, and each function once for each stage.
 *
 * Contexts merge to stay in bounds: into one for each function in each stage. Such a context has no parent, or, below a
 * task, the merged context of the task.
 */
struct fmt_rec_context {
  struct fmt_rec_tag tag;
  uint64_t parent;   /* address of a context; 0 for the root and for merged contexts' own root */
  uint64_t function; /* address of a fmt_rec_function; 0 for the root */
  uint32_t depth;
  uint32_t edges;          /* edges into this context */
  uint64_t merged_variant; /* address of the variant that stands for any signature, 0 until needed */
};

/* A context with one signature: the caller and the callee of edges. */
struct fmt_rec_variant {
  struct fmt_rec_tag tag;
  uint64_t context;
  uint64_t signature; /* 0 for the root */
  uint64_t last;      /* the edge taken last from here: the runtime's inline cache */
};

/* What calls may be grouped by, so that cumtime counts only outermost activations of the group. */
enum fmt_group {
  FMT_GROUP_FUNCTION,
  FMT_GROUP_SIGNATURE,
  FMT_GROUP_FUNCTION_PAIR,  /* caller function and callee function */
  FMT_GROUP_SIGNATURE_PAIR, /* the same with both signatures */
  FMT_GROUP_MODULE,
  FMT_GROUP_FUNCTION_STAGE, /* function and stage (no stage is one, too) */
  FMT_GROUP_SIGNATURE_STAGE,
  FMT_GROUP_MODULE_STAGE,
  FMT_GROUP_COUNT,
  FMT_GROUP_EDGE = 11, /* of no rows: see fmt_rec_sampling */
  FMT_GROUP_RESERVED = 12
};

/*
 * An edge: the calls from one variant to another at one probe site. Its counters are 64-bit, aligned, and written by
 * one thread with single read-modify-write instructions.
 *
 * A call is counted when it returns, or, with `imputed`, when it begins, by one of two rules:
 *  - When it was the outermost activation of each of its groups (always so while the thread has no recursion open), it
 * goes to `calls` and `total`. Except that FMT_GROUP_MODULE and FMT_GROUP_MODULE_STAGE follow from the tree: such a
 * call is outermost in its module when the edge has FMT_EDGE_MODULE, and else is inside another call of the module; it
 * is outermost in its module and stage when no context from its parent up to the innermost task on its path is of the
 * module, or it is that task.
 *  - Otherwise it goes to recursion->calls and ->total, and for each group of which it was the outermost activation
 * also to
 *    ->primitive[group] and ->cumulative[group].
 * The three groups with the stage are kept for edges into contexts of a stage; where a context has none, no frame below
 * is of a stage either, and they equal the groups without it. So for any set of edges:  ncalls = sum(calls +
 * recursion->calls);  primitive calls by group g = sum(calls + recursion->primitive[g]);  cumtime by g = sum(total +
 * recursion->cumulative[g]); tottime = sum(total + recursion->total - children). A frame that is still open adds a call
 * that ends "now": a reader computes its groups from the open stack. One that is about to begin (FMT_START_AHEAD) takes
 * no time yet, and one that was counted adds what the calls inside it took longer than what was imputed to it.
 *
 * An edge with FMT_EDGE_INHERITED is of the frames that were open when a process was forked, in the child, from that
 * moment on: these calls are its parent's. Or of those that were open when the recording was made to count from zero:
 * these are of the period before. Its times are added as those of any edge. What it has in place of calls,
 * also in its recursion record and for frames that are open, are such frames: they count nowhere. min, max and the
 * histogram are of no calls.
 */
struct fmt_rec_edge {
  /* First cache line: what an entry compares and follows. */
  struct fmt_rec_tag tag;
  uint64_t site;     /* probe site, run-time address; 0 when merged; with bit 63 set the runtime's own */
  uint64_t from, to; /* addresses of variants; from is 0 for the root edge */
  uint64_t after; /* the runtime's own: the edge that was taken after this one from the same variant, its prediction */
  uint64_t counters;  /* the runtime's own: where a fast call counts: &calls, or the recursion record's &calls */
  uint64_t site_info; /* the runtime's own: address of what it knows of the site */
  uint32_t mode; /* the runtime's own: may a call take the fast path while the thread is in this mode of recursion */
  uint32_t cfa;  /* the runtime's own: how the canonical frame address follows from the registers */
  /* Second cache line: what an exit checks and adds to. */
  uint64_t function_address; /* this_fn that the hooks pass at this site */
  uint64_t calls;
  uint64_t total;     /* ticks, inclusive */
  uint64_t children;  /* ticks of the calls made from these calls, inclusive */
  uint64_t min, max;  /* ticks, inclusive; UINT64_MAX and 0 before the first return */
  uint64_t recursion; /* address of a fmt_rec_recursion, 0 until needed */
  uint64_t next;      /* next older edge of the same tree */
  uint32_t flags;     /* enum fmt_edge_flag */
  uint32_t word_count;
  uint64_t overhead; /* ticks that hooks of these calls took beyond the fast path, by their own measure: in the caller's
                        time */
  uint64_t histogram; /* address of a fmt_rec_histogram of the calls' times, 0 for none */
  uint64_t words[];   /* the signature's words again, beside the counters */
};

enum fmt_edge_flag {
  FMT_EDGE_BACK = 1u << 0, /* the callee's function is an ancestor (in this stage: folded), or its context is merged */
  FMT_EDGE_GENERIC = 1u << 1, /* the runtime's own: calls of it never take the fast path */
  FMT_EDGE_MODULE = 1u << 2,  /* no ancestor's function is of the callee's module */
  FMT_EDGE_ANY = 1u << 3,     /* the caller's signature was merged: `from` stands for any */
  FMT_EDGE_MERGED = 1u << 4,  /* the callee's context is a merged one */
  FMT_EDGE_STAGE_MODULE =
      1u << 5, /* below a task, and no context from the caller's up to the innermost task is of the callee's module */
  FMT_EDGE_SAMPLED = 1u << 6,   /* a fmt_rec_sampling lies directly before the edge */
  FMT_EDGE_INHERITED = 1u << 7, /* of frames that were open at a fork, in the child: they take time and are no calls */
  FMT_EDGE_CALL_SITE = 1u << 8, /* the last word is no part of the signature: the place that the calls were made at */
  FMT_EDGE_INLINED = 1u << 9,   /* and that is where the function was inlined: a probe site, no return address */
  FMT_EDGE_LOOKS = 1u << 10,    /* the runtime's own: before a call, too, it looks whether the thread slept or waited */
  FMT_EDGE_RETURNS = 1u << 11,  /* the runtime's own: what its calls return is known when they end */
  FMT_EDGE_RETURNED = 1u << 12, /* for those that returned this: they count here, and what they call is below them */
  FMT_EDGE_ASKS = 1u << 13,     /* a fmt_rec_asked_list lies before it, and before its fmt_rec_sampling */
  FMT_EDGE_TIMED = 1u << 14, /* the runtime's own: each call of it is timed, since it is told later what they waited */
};

struct fmt_rec_recursion {
  struct fmt_rec_tag tag;
  uint64_t calls, total;
  uint64_t primitive[FMT_GROUP_RESERVED];
  uint64_t cumulative[FMT_GROUP_RESERVED];
  uint64_t active[FMT_GROUP_RESERVED]; /* the runtime's own: addresses of activation words. In a merged recording [0] is
                                         how many of the calls were open */
  uint64_t edge;                       /* the runtime's own: address of the edge that this belongs to */
};

/*
 * In a merged recording: a place that calls were made at, to which the last word of edges with FMT_EDGE_CALL_SITE
 * leads. In others that word is an address of the process: where the call returns to, or, with FMT_EDGE_INLINED, the
 * probe site of an inlined function.
 */
struct fmt_rec_call_place {
  struct fmt_rec_tag tag;
  uint64_t module;   /* address of a fmt_rec_module; 0: none that is known */
  uint64_t address;  /* link-time, where the call returns to; 0 unknown */
  uint64_t callee;   /* link-time, the function that was entered, where it is of the same module; else 0 */
  uint64_t file;     /* address of a fmt_rec_name; 0: not looked up, or not known */
  uint64_t function; /* address of a fmt_rec_name: what the line is in; 0 as `file` */
  uint64_t outer;    /* the place, before this one, that `function` is inlined at; 0: it is out of line */
  uint32_t line;
  uint32_t flags; /* enum fmt_call_place_flag */
};

enum fmt_call_place_flag {
  FMT_CALL_PLACE_INLINED = 1u << 0, /* `address` is the probe site of a function that was inlined there */
  FMT_CALL_PLACE_TAIL = 1u << 1,    /* the call there is of another function, which left by jumping on */
  FMT_CALL_PLACE_SOUGHT = 1u << 2,  /* its line was looked up */
};

/*
 * A shadow stack: frames, outermost first, in segments. A frame is open when its edge is not 0; in a segment the open
 * frames are exactly those before the first edge of 0. A thread that runs on several machine stacks (coroutines, an
 * alternate signal stack) has a chain of segments for each.
 */
#define FMT_START_AHEAD   UINT64_MAX       /* the call is about to begin */
#define FMT_START_COUNTED (UINT64_MAX - 3) /* and above, below FMT_START_AHEAD: it was counted when it began */
#define FMT_START_UNKNOWN 0                /* of an edge with FMT_EDGE_SAMPLED: the clock was not read */

struct fmt_rec_frame {
  uint64_t edge;        /* address of a fmt_rec_edge, 0 when not open */
  uint64_t start_ticks; /* FMT_START_* where it is no time */
  uint64_t cfa;         /* canonical frame address */
  uint64_t flags;       /* the runtime's own */
};

struct fmt_rec_stack {
  struct fmt_rec_tag tag;
  uint64_t next_stack; /* outermost segment of the machine stack created before this one; 0 at the end */
  uint64_t inner;      /* the segment that continues this one, 0 for none */
  uint64_t outer;      /* the segment that this one continues, 0 for the outermost */
  uint64_t low, high;  /* the machine stack's range, 0 unknown */
  uint64_t suspended;  /* ticks at which control left this machine stack, 0 while it runs */
  uint32_t capacity;   /* frames */
  uint32_t slept_ms;   /* of a thread that lived when the process ended: milliseconds that it then had slept in its
                          innermost   open call, beyond what the edge's fmt_rec_sleep has */
  struct fmt_rec_frame frames[]; /* frame 0 is a link and not a call: its edge is the thread's root_edge in an outermost
                                   segment, else a copy of the frame that this segment continues */
};

/*
 * Times, counted in buckets: log-linear, as in HdrHistogram. With s = sub_bits, a value v below 2^s has bucket v;
 * another has bucket ((o - s + 1) << s) + ((v >> (o - s)) - 2^s), where o is the place of its highest bit. Every
 * bucket's values are within 2^-s of one another, so the middle of a bucket is within 2^-(s+1) of each. Buckets are
 * kept an octave (2^s buckets) at a time: octaves[i] is the address of 2^s counters for buckets i << s and up, 0 while
 * they are all 0.
 */
#define FMT_HISTOGRAM_OCTAVES 64
struct fmt_rec_histogram {
  struct fmt_rec_tag tag;
  uint32_t sub_bits;
  uint32_t reserved;
  uint64_t octaves[FMT_HISTOGRAM_OCTAVES];
};

enum fmt_span_kind {
  FMT_SPAN_CALL = 1, /* what: fmt_rec_edge; value: 0, or FMT_SPAN_OPEN */
  FMT_SPAN_TASK,     /* what: fmt_rec_edge of the task's frame; value: 1 failed */
  FMT_SPAN_PUT,      /* what: fmt_rec_queue; value: items in the queue afterwards */
  FMT_SPAN_GET,      /* the same */
  FMT_SPAN_EVENT,    /* what: fmt_rec_event; an instant, duration 0 */
  FMT_SPAN_RANGE,    /* what: fmt_rec_event; a span */
};

/* In a merged recording: the call was open when the clock was read last, and its duration is until then. */
#define FMT_SPAN_OPEN 1u

struct fmt_rec_span {
  uint64_t start, duration; /* ticks */
  uint64_t what;            /* address of a record */
  uint64_t item;            /* the program's id of the item, 0 for none; of a call: see recording-format.md */
  uint32_t value;
  uint32_t kind; /* enum fmt_span_kind; stored last, 0 while the span is being written */
};

/* The flight recorder of one thread: span number i is spans[i % capacity], until it is overwritten. */
struct fmt_rec_ring {
  struct fmt_rec_tag tag;
  uint64_t capacity; /* a power of two */
  uint64_t written;  /* spans so far: those before written - capacity were overwritten */
  uint64_t reserved;
  struct fmt_rec_span spans[];
};

/* The process that threads of a merged recording come from. The fields are those of its own header. */
struct fmt_rec_process {
  struct fmt_rec_tag tag;
  uint64_t next; /* next older */
  uint32_t pid, ppid;
  uint32_t clock, flags;
  uint64_t injected_hz;
  uint64_t start_realtime_ns;
  struct fmt_rec_clock_point start, last;
  int32_t exit_status;
  uint32_t overhead; /* the header's, 0xFFFFFFFF for more */
  uint64_t hook_inner, hook_outer;
  uint64_t program, command;
  uint64_t rank_source;
  int64_t rank;
  uint64_t loss[FMT_LOSS_COUNT];
  uint64_t timeline_min, steps, active_steps;
  uint64_t open_frames; /* calls that were open, counted until then: in the recursion records of their edges */
  uint64_t innermost;   /* address of the fmt_rec_variant of the innermost open call; 0 for none */
  uint64_t source;      /* address of a fmt_rec_name: the recording that it was read from */
  uint64_t damaged;     /* records of that recording that could not be read */
  uint64_t sample_price;
  uint32_t drawn_from;  /* 0: a callsig that did not keep it merged the recordings */
  uint32_t processes;   /* of one command that were folded into this one; 0: it is one */
  uint64_t trigger;     /* address of a fmt_rec_name: the call that the recording was written for; 0 for none */
  uint64_t pauses;      /* as in the header */
  uint64_t rank_rows;   /* the newest fmt_rec_rank_row; 0 for none */
  uint32_t ranks;       /* that were folded into this one, the lowest of which `rank` is; 0: it is one, or of none */
  uint32_t hook_hidden; /* the header's */
  uint32_t hook_floor;
  uint32_t counter_khz;   /* the header's */
  uint64_t lowest_module; /* the lowest start of its modules that is at FMT_REC_HIGH_MODULES or above; 0: none is */
};

/* Modules below are those of a program at a fixed place: sizes and counts are as large as addresses near them. */
#define FMT_REC_HIGH_MODULES (UINT64_C(1) << 40)

/* What every version has written of it. */
#define FMT_REC_PROCESS_LEAST offsetof(struct fmt_rec_process, drawn_from)
/* What all wrote that kept `drawn_from` and `processes`. */
#define FMT_REC_PROCESS_DRAWN offsetof(struct fmt_rec_process, trigger)
/* And `trigger`. */
#define FMT_REC_PROCESS_TRIGGER offsetof(struct fmt_rec_process, pauses)
/* And `pauses`, and what tells of ranks, with 0 as hook_hidden. */
#define FMT_REC_PROCESS_RANKS offsetof(struct fmt_rec_process, hook_floor)
/* And `hook_floor`. */
#define FMT_REC_PROCESS_FLOOR offsetof(struct fmt_rec_process, lowest_module)

#endif
