/*
 * What was loaded from recordings, in compact arrays that refer to each other by 32-bit numbers.
 *
 * recording.c checks the file, load.c turns it into this, and the file is given up. Functions, signatures and module
 * paths are interned: the same one in another thread, module or recording has the same number. Times are ticks of the
 * recording they come from. Nothing here is thread-safe.
 */
#ifndef CALLSIG_OUTPUT_PROFILE_H
#define CALLSIG_OUTPUT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "callsig/format/index.h"
#include "callsig/format/recording.h"
#include "idset.h"
#include "kept.h"
#include "strings.h"
#include "symbols.h"
#include "vector.h"

/* Who a row is: interned by (file, line, name). */
struct cs_known_function {
  uint32_t file, line, name; /* file and name: offsets of profile.strings */
  bool is_action;            /* an action or a task: the name is "{NAME}", the file "~" */
  uint32_t address, build;   /* strings: of code that is known by its address in a build alone; else 0 */
};

/* A stage, interned by its label. Number 0 stands for calls outside of any stage; its strings are empty. */
struct cs_known_stage {
  uint32_t label, name; /* strings */
  uint32_t pipeline, index, concurrency;
};

/* A mapped module of one recording. `label` is its path's string: what modules of several recordings meet by. */
struct cs_known_module {
  struct cs_index index;  /* index.header NULL: none */
  void *data;             /* owned: what index borrows; NULL when it borrows from an earlier module that has the same */
  uint64_t index_address; /* in the recording */
  uint32_t label;
  uint32_t recording;
  uint64_t start, end, bias;
  bool unloaded;
  uint8_t build_id[32];
  uint32_t build_id_size;
  uint32_t *codes; /* by index function: number of its code, CS_NONE until needed. Owned */
};

/* A function of a module: what a context names. */
struct cs_code {
  uint32_t function;
  uint32_t module; /* CS_NONE for actions, tasks and addresses in no module */
  uint32_t layout;
  uint32_t stage;   /* of a task: its stage; else 0 */
  uint32_t entry;   /* in the module's CS_SECTION_FUNCTIONS, CS_NONE: not in an index */
  uint64_t address; /* link-time; of code that is in no index */
};

/* How the parameters of a function are laid out in words. Two codes of one function share it when their parameters are
 * equal in every detail. */
struct cs_layout {
  uint32_t function;
  const struct cs_index *index; /* NULL: parameters are unknown. Lives in a cs_known_module of the profile */
  const struct cs_index_function *entry;
  uint8_t
      *levels;   /* enum cs_widening for each arg, the highest of all threads and recordings; NULL while none. Owned */
  uint32_t next; /* the next layout of the same function, CS_NONE at the end */
};

/* A signature: the words of format/index.h with function pointers replaced by the offset of their name in
 * profile.strings (0 for NULL), so that they can be compared across processes. */
struct cs_signature {
  uint64_t first_word; /* in profile.words */
  uint32_t layout;
  uint16_t word_count;
  bool any;  /* recorded without its arguments, or any of several */
  bool text; /* of a task: the one word is a string, "name=value, name=value"; `any` is set, too */
};

struct cs_known_thread {
  uint32_t recording;
  uint32_t tid;
  uint32_t name;     /* string */
  uint32_t label;    /* string: "name (tid)" */
  uint32_t root;     /* variant: the caller of outermost functions; CS_NONE: none could be read */
  char raw_name[32]; /* as recorded */
  uint32_t state;    /* enum cs_thread_state */
  uint64_t start_ticks, end_ticks, threads;
  uint64_t overwritten; /* spans of its timeline that were there before those that are kept */
};

/* One span of a thread's timeline. */
struct cs_span {
  uint64_t start, duration; /* ticks */
  uint64_t item;
  uint32_t kind;  /* enum cs_span_kind */
  uint32_t what;  /* of a call or a task: its edge; else the string that the queue or the event is called by */
  uint32_t value; /* as recorded */
  uint32_t thread;
  bool open; /* a call that had not returned: its frame, or what a merged recording kept of it */
};

enum cs_cover {
  CS_COVER_FUNCTION = 1u << 0,    /* an enclosing context has the same function */
  CS_COVER_MODULE_CODE = 1u << 1, /* and in the same module */
  CS_COVER_MODULE = 1u << 2,      /* an enclosing context is in the same module */
  CS_COVER_STAGE_SHIFT = 3,       /* the same three, shifted: an enclosing context of the same stage */
};

struct cs_context {
  uint32_t parent; /* CS_NONE for a root */
  uint32_t code;   /* CS_NONE for a root */
  uint32_t stage;  /* of the innermost task on the path, itself included; 0: none */
  uint32_t cover;  /* enum cs_cover */
};

struct cs_variant {
  uint32_t context, signature; /* signature CS_NONE for a root */
};

/* Counters of calls that were made while recursion was open, or that are open still: cs_rec_recursion. */
struct cs_recursion {
  uint64_t calls, total;
  uint64_t open; /* of the calls: those that had not ended */
  uint64_t primitive[CS_GROUP_COUNT], cumulative[CS_GROUP_COUNT];
};

struct cs_edge {
  uint32_t from, to; /* variants */
  uint32_t thread;
  uint32_t recursion; /* CS_NONE: none */
  uint64_t calls, total, children, min, max;
  uint64_t overhead; /* ticks of hooks beyond the fast path, in the caller's time */
};

/* How many of an edge's calls took how long: some buckets of a histogram as cs_rec_histogram has them, ascending. */
struct cs_times {
  uint32_t first, count; /* in profile.buckets */
  uint32_t sub_bits;
};

struct cs_bucket {
  uint64_t count; /* never 0 */
  uint32_t number;
};

struct cs_recording_info {
  uint32_t path, program;     /* strings */
  uint32_t label, rank_label; /* strings: "lua5.4 (1234)"; "3", "-" without a rank */
  uint32_t pid, clock, flags;
  int32_t exit_status;
  double tick;                     /* seconds */
  bool uncalibrated;               /* the clock's rate is unknown: a tick was taken for a nanosecond */
  uint64_t hook_inner, hook_outer; /* ticks / 1024 */
  uint64_t loss[CS_LOSS_COUNT];
  uint64_t damaged; /* records that could not be read */
  uint64_t open_frames;
  uint32_t innermost; /* the variant of the innermost open frame of the thread that was started first, CS_NONE: none */
  uint64_t folded_threads;
  struct cs_rec_process process; /* what its header says, whole; addresses in it mean nothing any more */
  uint32_t rank_source;          /* string, where process.rank_source is not 0 */
  char *command;                 /* the arguments, each followed by a NUL; NULL: unknown. Owned */
  size_t command_size;
};

struct cs_profile {
  bool keeps_timeline;  /* set before the first recording is loaded: timelines are read too */
  uint64_t overwritten; /* spans that were there before those that are kept */
  struct cs_strings *strings;
  struct cs_vector functions;  /* struct cs_known_function */
  struct cs_vector stages;     /* struct cs_known_stage; stage 0 is there from the beginning */
  struct cs_vector modules;    /* struct cs_known_module *: indexes must not move */
  struct cs_vector codes;      /* struct cs_code */
  struct cs_vector layouts;    /* struct cs_layout */
  struct cs_vector signatures; /* struct cs_signature */
  struct cs_vector words;      /* uint64_t */
  struct cs_vector threads;    /* struct cs_known_thread */
  struct cs_vector contexts;   /* struct cs_context */
  struct cs_vector preorder;   /* uint32_t: contexts, every parent before its children */
  struct cs_vector variants;   /* struct cs_variant */
  struct cs_vector edges;      /* struct cs_edge */
  struct cs_vector recursions; /* struct cs_recursion */
  struct cs_vector spans;      /* struct cs_span, when timelines are kept */
  struct cs_vector times;      /* struct cs_times */
  struct cs_vector buckets;    /* struct cs_bucket */
  struct cs_vector times_of;   /* uint32_t by edge: its times, CS_NONE: unknown; so for edges beyond its end */
  struct cs_kept kept;
  struct cs_vector recordings;   /* struct cs_recording_info */
  struct cs_vector first_layout; /* uint32_t by function */
  struct cs_idset function_set, address_set, stage_set, signature_set;
};

int cs_profile_init(struct cs_profile *profile);
void cs_profile_free(struct cs_profile *profile);

/* Typed access to the arrays. */
#define CS_PROFILE_ARRAY(type, one, many)                                                                              \
  static inline struct type *cs_profile_##one(const struct cs_profile *profile, uint32_t number)                       \
  {                                                                                                                    \
    return cs_vector_at(&profile->many, number);                                                                       \
  }
CS_PROFILE_ARRAY(cs_known_function, function, functions)
CS_PROFILE_ARRAY(cs_known_stage, stage, stages)
CS_PROFILE_ARRAY(cs_code, code, codes)
CS_PROFILE_ARRAY(cs_layout, layout, layouts)
CS_PROFILE_ARRAY(cs_signature, signature, signatures)
CS_PROFILE_ARRAY(cs_known_thread, thread, threads)
CS_PROFILE_ARRAY(cs_context, context, contexts)
CS_PROFILE_ARRAY(cs_variant, variant, variants)
CS_PROFILE_ARRAY(cs_edge, edge, edges)
CS_PROFILE_ARRAY(cs_recursion, recursion, recursions)
CS_PROFILE_ARRAY(cs_recording_info, recording, recordings)
CS_PROFILE_ARRAY(cs_span, span, spans)
#undef CS_PROFILE_ARRAY

static inline struct cs_known_module *cs_profile_module(const struct cs_profile *profile, uint32_t number)
{
  return *(struct cs_known_module **)cs_vector_at(&profile->modules, number);
}

static inline const uint64_t *cs_profile_words(const struct cs_profile *profile, const struct cs_signature *signature)
{
  return signature->word_count ? (const uint64_t *)profile->words.data + signature->first_word : NULL;
}

static inline const char *cs_profile_string(const struct cs_profile *profile, uint32_t offset)
{
  return cs_strings_at(profile->strings, offset);
}

/* How long an edge's calls took, NULL: unknown. */
static inline const struct cs_times *cs_profile_times(const struct cs_profile *profile, uint32_t edge)
{
  uint32_t number = edge < profile->times_of.count ? *(uint32_t *)cs_vector_at(&profile->times_of, edge) : CS_NONE;
  return number == CS_NONE ? NULL : cs_vector_at(&profile->times, number);
}

/* The number of the function (file, line, name), made when new. -ENOMEM. */
int cs_profile_intern_function(struct cs_profile *profile, const struct cs_known_function *function, uint32_t *number);

/* The same of code that is known by its address alone, which means nothing in another build: it is interned by file,
 * address and build (strings; build 0: unknown). Its name is the address, and with it the build's beginning as soon as
 * two builds are known to have it. */
int cs_profile_intern_address(struct cs_profile *profile, uint32_t file, uint32_t address, uint32_t build,
                              uint32_t *number);

/* The number of the stage with this label, made when new. -ENOMEM. */
int cs_profile_intern_stage(struct cs_profile *profile, const struct cs_known_stage *stage, uint32_t *number);

/* The number of the layout of `entry` (NULL: parameters unknown) for `function`, made when new. */
int cs_profile_intern_layout(struct cs_profile *profile, uint32_t function, const struct cs_index *index,
                             const struct cs_index_function *entry, uint32_t *number);

/* The number of the signature with these canonical words, made when new. `words` must not lie in profile.words. */
int cs_profile_intern_signature(struct cs_profile *profile, uint32_t layout, bool any, const uint64_t *words,
                                uint16_t word_count, uint32_t *number);

/* Adds a signature with these canonical words without looking whether it is there already, which
 * cs_profile_join_signatures() does for many at once. -ENOMEM. */
int cs_profile_add_signature(struct cs_profile *profile, uint32_t layout, bool any, const uint64_t *words,
                             uint16_t word_count, uint32_t *number);

/* The same of a task's signature, which is text. */
int cs_profile_add_text(struct cs_profile *profile, uint32_t layout, const char *text, uint32_t *number);

/* Interns the signatures from `first` on, which are those that were added since the last interning: into joined[i] the
 * number that first + i has from now on. -ENOMEM. */
int cs_profile_join_signatures(struct cs_profile *profile, uint32_t first, uint32_t *joined);

/* The text of a task's signature; NULL for every other signature. */
static inline const char *cs_profile_text(const struct cs_profile *profile, const struct cs_signature *signature)
{
  return signature->text ? cs_profile_string(profile, (uint32_t)*cs_profile_words(profile, signature)) : NULL;
}

/* The string that modules meet by, of a module's number; 0 for none (CS_NONE). */
static inline uint32_t cs_profile_label(const struct cs_profile *profile, uint32_t module)
{
  return module == CS_NONE ? 0 : cs_profile_module(profile, module)->label;
}

#endif
