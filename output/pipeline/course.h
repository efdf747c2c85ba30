/*
 * What each stage and queue did over time: by the intervals of a database, or by the slots of a recording.
 *
 * docs/json.md has it as JSON, docs/pictures.md as pictures.
 */
#ifndef CALLSIG_OUTPUT_PIPELINE_COURSE_H
#define CALLSIG_OUTPUT_PIPELINE_COURSE_H

#include "base/arena.h"
#include "base/vector.h"
#include "output/pipeline/pipeline.h"
#include "output/text/json_writer.h"

/* What a point has; NAN where it is not known. */
enum out_stage_measure {
  OUT_STAGE_TASKS, /* that ended, failures included */
  OUT_STAGE_FAILED,
  OUT_STAGE_RATE,         /* tasks a second */
  OUT_STAGE_FAILURE_RATE, /* the share of tasks that failed */
  OUT_STAGE_AVE,          /* seconds a task, of successes */
  OUT_STAGE_P50,
  OUT_STAGE_P90,
  OUT_STAGE_P99,
  OUT_STAGE_BUSY_SHARE, /* the share of its replicas' time */
  OUT_MEASURES
};

/* Of a counter or level; what a kind does not have is NAN. */
enum out_counter_measure {
  OUT_COUNTER_COUNT,  /* how often it was added to, or set */
  OUT_COUNTER_AMOUNT, /* of a counter: what was added */
  OUT_COUNTER_RATE,   /* a second */
  OUT_COUNTER_MEAN,   /* of a level: of the values that were set */
  OUT_COUNTER_LAST,   /* the value that was set last */
};

enum out_queue_measure {
  OUT_QUEUE_ITEMS, /* that were taken out */
  OUT_QUEUE_QPS,
  OUT_QUEUE_OCCUPANCY,
  OUT_QUEUE_AVE_PUT, /* seconds */
  OUT_QUEUE_P90_PUT,
  OUT_QUEUE_P99_PUT,
  OUT_QUEUE_AVE_GET,
  OUT_QUEUE_P90_GET,
  OUT_QUEUE_P99_GET,
};
_Static_assert(OUT_QUEUE_P99_GET + 1 == OUT_MEASURES, "a stage and a queue have as many");

struct out_point {
  double from, until; /* seconds since 1970 */
  double values[OUT_MEASURES];
};

enum out_series_kind { OUT_SERIES_STAGE, OUT_SERIES_QUEUE, OUT_SERIES_COUNTER, OUT_SERIES_LEVEL };

/* A stage or a queue; a counter or a level in a stage: "KEY", "KEY in STAGE". */
struct out_series {
  const char *label, *name;
  enum out_series_kind kind;
  unsigned pipeline, index, concurrency;
  uint64_t intervals;        /* that its points are made of; more than its points where some were joined */
  struct base_vector points; /* struct out_point, by time; they do not overlap */
};

/* Something that happened once or several times. */
struct out_band {
  const char *name;
  double from, until;
  uint64_t count;
  double total_time; /* of spans; NAN unknown */
};

struct out_course {
  struct base_vector series; /* struct out_series, by pipeline and index, a stage before its queue, counters last */
  struct base_vector bands;  /* struct out_band, by time */
  double start, end;         /* of all points and bands; 0 without any */
  uint64_t unreadable;       /* rows without a time */
  struct base_arena strings;
};

struct out_course out_course_new(void);
void out_course_free(struct out_course *course);

/* A series of this label, "PIPELINE:INDEX:NAME[CONCURRENCY]" where it is one. NULL when memory is short. */
struct out_series *out_course_add(struct out_course *course, const char *label, enum out_series_kind kind);
/* The series of a key in a stage, NULL or "" for outside of any. The same. */
struct out_series *out_course_add_counter(struct out_course *course, const char *key, const char *stage, bool is_level);

/* A string that lives as long as the course, with what would not print escaped. NULL when memory is short. */
const char *out_course_string(struct out_course *course, const char *text);

/* Sorts series and bands, and finds start and end. */
void out_course_finish(struct out_course *course);

/* What the runtime counted by slots of a recording: tasks, their rate, and how busy stages were. Nothing under a
 * schedule or the CPU clock. 0, or -ENOMEM after a message. */
int out_recording_course(const struct callsig_pipeline *pipeline, struct out_course *course);

/* The keys of a kind and of its measures; NULL: the kind has no such measure. */
const char *out_series_kind_name(enum out_series_kind kind);
const char *out_measure_name(enum out_series_kind kind, unsigned measure);

/* Writes the keys "series" and "events" of a map that is open. */
void out_course_write_json(struct out_json *json, const struct out_course *course);

#endif
