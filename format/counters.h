/*
 * What a program counts by itself, and when events happened: records of format/recording.h.
 *
 * This header is internal to callsig and is not installed.
 */
#ifndef CALLSIG_FORMAT_COUNTERS_H
#define CALLSIG_FORMAT_COUNTERS_H

#include <stdint.h>

#include "format/record_tag.h"

enum fmt_counter_kind {
  FMT_COUNTER_SUM,   /* callsig_counter_add() */
  FMT_COUNTER_LEVEL, /* callsig_level_set() */
};

/* A counter or a level, by its key. */
struct fmt_rec_counter {
  struct fmt_rec_tag tag;
  uint64_t next; /* next older */
  uint64_t name; /* address of a fmt_rec_name: the key */
  uint32_t kind; /* enum fmt_counter_kind */
  uint32_t reserved32;
  uint64_t process; /* as of a stage */
  uint64_t reserved[3];
};

#define FMT_COUNTER_SLOTS 64
struct fmt_rec_counter_slot {
  uint64_t amount; /* what was added in it; of a level, the sum of the values that were set (modulo 2^64) */
  uint64_t count;  /* how often */
};

/* Makes slots twice as long: two become one. */
static inline void fmt_counter_slots_widen(struct fmt_rec_counter_slot slots[FMT_COUNTER_SLOTS])
{
  for (unsigned i = 0; i < FMT_COUNTER_SLOTS; i++) {
    const struct fmt_rec_counter_slot slot = slots[i];
    slots[i] = (struct fmt_rec_counter_slot){0};
    slots[i / 2].amount += slot.amount;
    slots[i / 2].count += slot.count;
  }
}

/* One counter as one thread counted it inside of one stage's tasks. One writer. */
struct fmt_rec_counter_use {
  struct fmt_rec_tag tag;
  uint64_t next;       /* next older of the thread */
  uint64_t counter;    /* address of a fmt_rec_counter */
  uint64_t stage;      /* address of the fmt_rec_stage of the innermost task, 0 outside of tasks */
  uint64_t count;      /* how often it was added to, or set */
  uint64_t amount;     /* the sum of what was added, or of the values that were set (modulo 2^64) */
  uint64_t last;       /* of a level: the value, a signed number, that was set last, ... */
  uint64_t last_ticks; /* ... and when something was added or set last */
  uint64_t least;      /* of a level: the least value and the greatest, 2^63 added to each; before the first */
  uint64_t most;       /* UINT64_MAX and 0 */
  uint32_t shift;      /* a slot is 2^shift ticks; the first begins with the recording */
  uint32_t reserved32;
  uint64_t reserved[4];
  struct fmt_rec_counter_slot slots[FMT_COUNTER_SLOTS];
};

/* An event's name, and how often it happened in all threads (relaxed atomic adds; total in ticks, of spans). */
struct fmt_rec_event {
  struct fmt_rec_tag tag;
  uint64_t next; /* next older */
  uint64_t name; /* address of a fmt_rec_name */
  uint64_t count, total;
  uint64_t process; /* as of a stage */
  uint64_t times;   /* address of a fmt_rec_event_times, 0 for none */
};

/* When an event happened the last times: what was counted as number i (from 0) is in places[i % FMT_EVENT_TIMES], until
 * a later one is. */
#define FMT_EVENT_TIMES 128
struct fmt_rec_event_time {
  uint64_t number;          /* i + 1, stored last; 0 while the place is being written */
  uint64_t start, duration; /* ticks */
};

struct fmt_rec_event_times {
  struct fmt_rec_tag tag;
  struct fmt_rec_event_time places[FMT_EVENT_TIMES];
};

#endif
