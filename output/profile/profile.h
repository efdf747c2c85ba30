/*
 * What was loaded from recordings, in compact arrays that refer to each other by 32-bit numbers.
 *
 * recording.c checks the file, load.c turns it into this, and the file is given up. Functions, signatures and module
 * paths are interned: the same one in another thread, module or recording has the same number. Times are ticks of the
 * recording they come from. Nothing here is thread-safe.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_PROFILE_H
#define CALLSIG_OUTPUT_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strings.h"
#include "base/vector.h"
#include "format/index.h"
#include "format/open.h"
#include "format/pauses.h"
#include "format/recording.h"
#include "format/samples.h"
#include "output/profile/rank_rows.h"
#include "output/profile/stage_records.h"
#include "output/text/idset.h"

/* Who a row is: interned by (file, line, name). */
struct out_known_function {
  uint32_t file, line, name; /* file and name: offsets of profile.strings */
  bool is_action;            /* an action or a task: the name is "{NAME}", the file "~" */
  bool is_library;           /* an imported function: file and line are its declaration's */
  bool is_untimed;           /* of those: its calls have no times */
  uint32_t address, build;   /* strings: of code that is known by its address in a build alone; else 0 */
};

/* A stage, interned by its label. Number 0 stands for calls outside of any stage; its strings are empty. */
struct out_known_stage {
  uint32_t label, name; /* strings */
  uint32_t pipeline, index, concurrency;
};

/* A mapped module of one recording. `label` is its path's string: what modules of several recordings meet by. */
struct out_known_module {
  struct fmt_index index; /* index.header NULL: none */
  void *data;             /* owned: what index borrows; NULL when it borrows from an earlier module that has the same */
  uint64_t index_address; /* in the recording */
  uint32_t label;
  uint32_t recording;
  uint64_t start, end, bias;
  bool unloaded;
  bool is_joined; /* its process was made one with another that has an equal module, which stands for both */
  uint8_t build_id[32];
  uint32_t build_id_size;
};

/* What a context names: a function of a module, an action, or the task of a stage. One function may be several of them,
 * where it lies in several modules. */
struct out_callable {
  uint32_t function;
  uint32_t module; /* FMT_NONE for actions, tasks and addresses in no module */
  uint32_t layout;
  uint32_t stage;   /* of a task: its stage; else 0 */
  uint32_t entry;   /* in the module's FMT_SECTION_FUNCTIONS, FMT_NONE: not in an index */
  uint64_t address; /* link-time; of a function that is in no index */
};

/* How the parameters of a function are laid out in words. Two callables of one function share it when their parameters
 * are equal in every detail. */
struct out_layout {
  uint32_t function;
  const struct fmt_index *index; /* NULL: parameters are unknown. Lives in a out_known_module of the profile */
  const struct fmt_index_function *entry;
  uint8_t
      *levels; /* enum fmt_widening for each arg, the highest of all threads and recordings; NULL while none. Owned */
  bool is_settled; /* the levels are those of a later reading: no value widens more (out_profile_name_as()) */
  uint32_t next;   /* the next layout of the same function, FMT_NONE at the end */
};

/* A signature: the words of format/index.h with function pointers replaced by the offset of their name in
 * profile.strings (0 for NULL), so that they can be compared across processes. */
struct out_signature {
  uint64_t first_word; /* in profile.words */
  uint32_t layout;
  uint16_t word_count;
  bool any;  /* recorded without its arguments, or any of several */
  bool text; /* of a task: the one word is a string, "name=value, name=value"; `any` is set, too */
};

/* What an edge's calls asked the allocator for: fmt_rec_asked, all of the edge's records. No more is freed and lost
 * than was asked for. */
struct out_asked {
  uint64_t calls, bytes, freed_calls, freed_bytes, lost_calls, lost_bytes;
};

/* Adds `more`. */
void out_asked_add(struct out_asked *sum, const struct out_asked *more);

struct out_known_thread {
  uint32_t recording;
  uint32_t tid;
  uint32_t name;     /* string */
  uint32_t label;    /* string: "name (tid)" */
  uint32_t root;     /* variant: the caller of outermost functions; FMT_NONE: none could be read */
  char raw_name[32]; /* as recorded */
  uint32_t state;    /* enum fmt_thread_state */
  uint64_t start_ticks, end_ticks, threads;
  uint64_t overwritten;   /* spans of its timeline that were there before those that are kept */
  struct out_asked asked; /* outside of all functions */
};

/* One span of a thread's timeline. */
struct out_span {
  uint64_t start, duration; /* ticks */
  uint64_t item;            /* the program's id, 0 for none: calls have none */
  uint64_t stood_still;     /* of a call's duration: ticks for which hooks stopped its thread's clock */
  uint32_t kind;            /* enum fmt_span_kind */
  uint32_t what;  /* of a call or a task: its edge; else the string that the queue or the event is called by */
  uint32_t value; /* as recorded */
  uint32_t thread;
  bool open; /* a call that had not returned: its frame, or what a merged recording kept of it */
};

enum out_enclosing {
  OUT_ENCLOSING_FUNCTION = 1u << 0,        /* an enclosing context has the same function */
  OUT_ENCLOSING_MODULE_FUNCTION = 1u << 1, /* and in the same module */
  OUT_ENCLOSING_MODULE = 1u << 2,          /* an enclosing context is in the same module */
  OUT_ENCLOSING_STAGE_SHIFT = 3,           /* the same three, shifted: an enclosing context of the same stage */
};

struct out_context {
  uint32_t parent;    /* FMT_NONE for a root */
  uint32_t callable;  /* FMT_NONE for a root */
  uint32_t stage;     /* of the innermost task on the path, itself included; 0: none */
  uint32_t enclosing; /* enum out_enclosing */
};

struct out_variant {
  uint32_t context, signature; /* signature FMT_NONE for a root */
};

/* Counters of calls that were made while recursion was open, or that are open still: fmt_rec_recursion. */
struct out_recursion {
  uint64_t calls, total;
  uint64_t open; /* of the calls: those that had not ended, and were timed until then */
  uint64_t primitive[FMT_GROUP_COUNT], cumulative[FMT_GROUP_COUNT];
  uint64_t apart, apart_total; /* FMT_GROUP_EDGE: calls of the edge that were timed as they were the outermost ones */
};

/* How the times of an edge's calls were come by, when not all were timed: fmt_rec_sampling. */
struct out_sampling {
  uint64_t timed, timed_total;        /* of calls that ended and whose clock was read */
  uint64_t squares_low, squares_high; /* the sum of their squares */
  uint64_t imputed;                   /* what an untimed call counted with last; 0 in a merged recording */
  uint32_t sleep;                     /* FMT_NONE: the edge's calls never slept, or that is not told */
};

/* How long threads slept in an edge's calls: fmt_rec_sleep. */
struct out_sleep {
  uint64_t times, ticks, unsure, drawn, drawn_times;
};

struct out_edge {
  uint32_t from, to; /* variants */
  uint32_t thread;
  uint32_t recursion; /* FMT_NONE: none */
  uint32_t sampling;  /* FMT_NONE: every call was timed */
  uint32_t asked;     /* FMT_NONE: they asked for nothing, or that is not told */
  uint32_t place;     /* number of the place its calls were made at, FMT_NONE: not recorded */
  bool is_inherited;  /* FMT_EDGE_INHERITED: it has time and no calls */
  uint32_t inherited; /* frames that it is of then */
  bool is_returned;   /* FMT_EDGE_RETURNED: what its calls called is called by another variant of the context */
  uint64_t calls, total, children, min, max;
  uint64_t overhead; /* ticks of hooks beyond the fast path, in the caller's time */
};

/* How many of an edge's calls took how long: some buckets of a histogram as fmt_rec_histogram has them, ascending. */
struct out_times {
  uint32_t first, count; /* in profile.buckets */
  uint32_t sub_bits;
};

struct out_bucket {
  uint64_t count; /* never 0 */
  uint32_t number;
};

/* Code that was sampled in a run beside: fmt_rec_place. */
struct out_place {
  uint32_t name, file; /* strings; file 0: a module, or a function that is known by its symbol alone */
  uint32_t line;
  uint32_t parent; /* in the run's places, before this one; FMT_NONE: a module */
  uint32_t row;    /* the function that the samples count for; FMT_NONE: code without rows */
  uint64_t samples;
};

/* Where calls were made: fmt_rec_call_place. */
struct out_call_place {
  uint32_t module; /* FMT_NONE: none that is known */
  uint32_t flags;  /* enum fmt_call_place_flag */
  uint64_t address, callee;
  uint32_t file, function; /* strings; 0 unknown */
  uint32_t line;
  uint32_t outer; /* FMT_NONE: the function is out of line */
  uint32_t shown; /* the first place that reads as this one does, once lines were looked up */
};

/* The samples of a run beside a recorded one: fmt_rec_samples. */
struct out_sampled_run {
  struct fmt_rec_samples head; /* addresses in it mean nothing any more */
  uint32_t program;            /* string */
  uint32_t first, count;       /* in profile.places */
  bool is_applied;             /* of a merged recording: its times were replaced before */
};

struct out_recording_info {
  uint32_t path, program;     /* strings */
  uint32_t label, rank_label; /* strings: "lua5.4 (1234)"; "3", "-" without a rank */
  uint32_t plain_label;       /* string: the label without what tells it from others */
  uint32_t namesakes;         /* processes before it with the same plain label */
  uint32_t pid, clock, flags;
  int32_t exit_status;
  bool is_running;                 /* it was read as of now */
  double tick;                     /* seconds */
  bool uncalibrated;               /* the clock's rate is unknown: a tick was taken for a nanosecond */
  uint64_t hook_inner, hook_outer; /* ticks / 1024 */
  uint64_t loss[FMT_LOSS_COUNT];
  uint64_t damaged; /* records that could not be read */
  uint64_t open_frames;
  uint32_t innermost; /* the variant of the innermost open frame of the thread that was started first, FMT_NONE: none */
  uint64_t folded_threads;
  struct fmt_rec_process process; /* what its header says, whole; addresses in it mean nothing any more */
  uint32_t rank_source;           /* string, where process.rank_source is not 0 */
  uint32_t trigger;               /* string, where process.trigger is not 0: the call that it was written for */
  char *command;                  /* the arguments, each followed by a NUL; NULL: unknown. Owned */
  size_t command_size;
  struct fmt_rec_pauses *pauses; /* when it recorded nothing; NULL: it is not told. Owned */
  uint32_t sampled;              /* number of its sampled run, FMT_NONE: none */
};

struct out_profile {
  bool keeps_timeline;  /* set before the first recording is loaded: timelines are read too */
  uint64_t overwritten; /* spans that were there before those that are kept */
  struct base_strings *strings;
  struct base_vector functions;  /* struct out_known_function */
  struct base_vector stages;     /* struct out_known_stage; stage 0 is there from the beginning */
  struct base_vector modules;    /* struct out_known_module *: indexes must not move */
  struct base_vector callables;  /* struct out_callable */
  struct base_vector layouts;    /* struct out_layout */
  struct base_vector signatures; /* struct out_signature */
  struct base_vector words;      /* uint64_t */
  struct base_vector threads;    /* struct out_known_thread */
  struct base_vector contexts;   /* struct out_context */
  struct base_vector preorder;   /* uint32_t: contexts, every parent before its children */
  struct base_vector variants;   /* struct out_variant */
  struct base_vector edges;      /* struct out_edge */
  struct base_vector recursions; /* struct out_recursion */
  struct base_vector samplings;  /* struct out_sampling */
  struct base_vector sleeps;     /* struct out_sleep */
  struct base_vector asked;      /* struct out_asked */
  struct base_vector spans;      /* struct out_span, when timelines are kept */
  struct base_vector times;      /* struct out_times */
  struct base_vector buckets;    /* struct out_bucket */
  struct base_vector times_of;   /* uint32_t by edge: its times, FMT_NONE: unknown; so for edges beyond its end */
  struct out_stage_records stage_records;
  struct base_vector recordings;   /* struct out_recording_info */
  struct base_vector sampled_runs; /* struct out_sampled_run */
  struct base_vector places;       /* struct out_place */
  struct base_vector rank_rows;    /* struct out_rank_row, of processes that stand for ranks, or will */
  struct base_vector call_places;  /* struct out_call_place, each after what it is inlined at */
  struct base_vector first_layout; /* uint32_t by function */
  struct out_idset call_place_set;
  struct out_idset callable_set; /* callables that are in an index, by their module and their number there */
  struct out_idset function_set, address_set, stage_set, signature_set;
};

int out_profile_init(struct out_profile *profile);
void out_profile_free(struct out_profile *profile);

/* Typed access to the arrays. */
#define OUT_PROFILE_ARRAY(type, one, many)                                                                             \
  static inline struct type *out_profile_##one(const struct out_profile *profile, uint32_t number)                     \
  {                                                                                                                    \
    return base_vector_at(&profile->many, number);                                                                     \
  }
OUT_PROFILE_ARRAY(out_known_function, function, functions)
OUT_PROFILE_ARRAY(out_known_stage, stage, stages)
OUT_PROFILE_ARRAY(out_callable, callable, callables)
OUT_PROFILE_ARRAY(out_layout, layout, layouts)
OUT_PROFILE_ARRAY(out_signature, signature, signatures)
OUT_PROFILE_ARRAY(out_known_thread, thread, threads)
OUT_PROFILE_ARRAY(out_context, context, contexts)
OUT_PROFILE_ARRAY(out_variant, variant, variants)
OUT_PROFILE_ARRAY(out_edge, edge, edges)
OUT_PROFILE_ARRAY(out_recursion, recursion, recursions)
OUT_PROFILE_ARRAY(out_sampling, sampling, samplings)
OUT_PROFILE_ARRAY(out_sleep, sleep, sleeps)
OUT_PROFILE_ARRAY(out_asked, asked, asked)
OUT_PROFILE_ARRAY(out_recording_info, recording, recordings)
OUT_PROFILE_ARRAY(out_span, span, spans)
OUT_PROFILE_ARRAY(out_sampled_run, sampled_run, sampled_runs)
OUT_PROFILE_ARRAY(out_place, place, places)
OUT_PROFILE_ARRAY(out_call_place, call_place, call_places)
#undef OUT_PROFILE_ARRAY

static inline struct out_known_module *out_profile_module(const struct out_profile *profile, uint32_t number)
{
  return *(struct out_known_module **)base_vector_at(&profile->modules, number);
}

static inline const uint64_t *out_profile_words(const struct out_profile *profile,
                                                const struct out_signature *signature)
{
  return signature->word_count ? (const uint64_t *)profile->words.data + signature->first_word : NULL;
}

static inline const char *out_profile_string(const struct out_profile *profile, uint32_t offset)
{
  return base_strings_at(profile->strings, offset);
}

/* How long an edge's calls took, NULL: unknown. */
static inline const struct out_times *out_profile_times(const struct out_profile *profile, uint32_t edge)
{
  uint32_t number = edge < profile->times_of.count ? *(uint32_t *)base_vector_at(&profile->times_of, edge) : FMT_NONE;
  return number == FMT_NONE ? NULL : base_vector_at(&profile->times, number);
}

/* The number of the function (file, line, name), made when new. -ENOMEM. */
int out_profile_intern_function(struct out_profile *profile, const struct out_known_function *function,
                                uint32_t *number);

/* The same of code that is known by its address alone, which means nothing in another build: it is interned by file,
 * address and build (strings; build 0: unknown). Its name is the address, and with it the build's beginning as soon as
 * two builds are known to have it. */
int out_profile_intern_address(struct out_profile *profile, uint32_t file, uint32_t address, uint32_t build,
                               uint32_t *number);

/* The number of the stage with this label, made when new. -ENOMEM. */
int out_profile_intern_stage(struct out_profile *profile, const struct out_known_stage *stage, uint32_t *number);

/* The callable of the function with this number in the index of a module; FMT_NONE: it was not met. */
uint32_t out_profile_find_callable(const struct out_profile *profile, uint32_t module, uint32_t function);
/* Has a callable found by that. -ENOMEM. */
int out_profile_keep_callable(struct out_profile *profile, uint32_t number);

/* The number of the layout of `entry` (NULL: parameters unknown) for `function`, made when new. Returns 0, -ENOMEM, or
 * 1: the function has so many, as only those of a hostile index have, that it was not compared with all of them, so
 * that rows which are alike may stand apart. */
int out_profile_intern_layout(struct out_profile *profile, uint32_t function, const struct fmt_index *index,
                              const struct fmt_index_function *entry, uint32_t *number);

/* The number of the signature with these canonical words, made when new. `words` must not lie in profile.words. */
int out_profile_intern_signature(struct out_profile *profile, uint32_t layout, bool any, const uint64_t *words,
                                 uint16_t word_count, uint32_t *number);

/* Adds a signature with these canonical words without looking whether it is there already, which
 * out_profile_join_signatures() does for many at once. -ENOMEM. */
int out_profile_add_signature(struct out_profile *profile, uint32_t layout, bool any, const uint64_t *words,
                              uint16_t word_count, uint32_t *number);

/* The same of a task's signature, which is text. */
int out_profile_add_text(struct out_profile *profile, uint32_t layout, const char *text, uint32_t *number);

/* Interns the signatures from `first` on, which are those that were added since the last interning: into joined[i] the
 * number that first + i has from now on. -ENOMEM. */
int out_profile_join_signatures(struct out_profile *profile, uint32_t first, uint32_t *joined);

/* The text of a task's signature; NULL for every other signature. */
static inline const char *out_profile_text(const struct out_profile *profile, const struct out_signature *signature)
{
  return signature->text ? out_profile_string(profile, (uint32_t)*out_profile_words(profile, signature)) : NULL;
}

/* True of a variant that stands for calls of a function, not for a root. FMT_NONE is none. */
bool out_profile_is_call(const struct out_profile *profile, uint32_t variant);

/* The string that modules meet by, of a module's number; 0 for none (FMT_NONE). */
static inline uint32_t out_profile_label(const struct out_profile *profile, uint32_t module)
{
  return module == FMT_NONE ? 0 : out_profile_module(profile, module)->label;
}

#endif
