/*
 * A recording on its way from a profile's arrays into a file: docs/recording-format.md.
 *
 * The file is written from front to back, every record after those that it refers to; records of one kind that refer to
 * each other lie side by side, so that their addresses are known beforehand. What memory it takes is a few bytes a
 * record. Not thread-safe.
 */
#ifndef CALLSIG_OUTPUT_MERGE_DUMP_H
#define CALLSIG_OUTPUT_MERGE_DUMP_H

#include <stdio.h>

#include "format/taken.h"
#include "output/profile/profile.h"

/* Where the file begins in the address space that its references are of. Not 0, which refers to nothing. */
#define OUT_DUMP_BASE UINT64_C(0x10000)

/* A name that was written. */
struct out_dump_name {
  uint32_t string; /* of the profile */
  uint64_t address;
};

/* Of a recording that stands for those of a run: what it was made of, and what it is known by itself. */
struct out_dump_family {
  const struct base_vector *files; /* struct fmt_rec_taken */
  uint64_t run, written_ns;
  uint32_t pid;
};

/* What lies elsewhere of a process: addresses, 0 for none. */
struct out_dump_process {
  uint64_t command, pauses;
};

struct out_dump {
  struct out_profile *profile;
  const struct base_vector *files; /* of a family; else NULL */
  FILE *out;
  uint64_t next;             /* the address of what is written next */
  uint64_t end;              /* the furthest that was written, once something is written again */
  int error;                 /* the first error of writing; nothing is written after it */
  struct base_vector names;  /* struct out_dump_name */
  struct out_idset name_set; /* of `names`, by string */
  /* Addresses by number. Owned. */
  struct out_dump_process *process_parts;
  uint64_t *modules, *call_places;
  uint64_t *stages; /* [0]: none */
  uint64_t *stage_records, *queue_records, *event_records, *counter_records;
  uint64_t *functions;                                         /* by callable */
  uint64_t *signatures;                                        /* 0: nothing refers to it */
  uint64_t *times;                                             /* by edge: its histogram, 0 for none */
  uint64_t *first_tasks, *first_uses, *first_counter_uses;     /* by thread, as first_edges */
  uint64_t *first_edges;                                       /* by thread: the head of its list, 0 for none */
  uint64_t *edges;                                             /* by edge, 0: no call; NULL unless needed */
  uint64_t *rank_rows;                                         /* by process: the head of its list, 0 for none */
  uint64_t *rings;                                             /* by thread, 0: none */
  uint64_t last_function;                                      /* the head of the list of all functions */
  uint64_t sleeps, asked;                                      /* address of number 0 of each */
  uint64_t contexts, variants, processes, threads, recursions; /* address of number 0 of each */
  struct fmt_rec_header header;
};

/* Writes everything in the profile, and of which files it is (`family`; NULL: not told), to `out`, which can be sought
 * in and stands at its beginning; afterwards it stands elsewhere. 0, -ENOMEM, or the error of writing; no message. */
int out_dump_write(struct out_profile *profile, const struct out_dump_family *family, FILE *out);

/* Appends `size` bytes and fills up to a multiple of 8; the result is their address. */
uint64_t out_dump_put(struct out_dump *dump, const void *data, size_t size);

/* What is written next takes the place of what was written at `address`. */
void out_dump_again(struct out_dump *dump, uint64_t address);

/* A fmt_rec_name of any bytes. */
uint64_t out_dump_bytes(struct out_dump *dump, const void *bytes, size_t length);

/* The fmt_rec_name of a string of the profile, written when it is new. */
uint64_t out_dump_string(struct out_dump *dump, uint32_t string);

/* Records of fixed size: their tag. */
#define OUT_DUMP_TAG(id, type)                                                                                         \
  {                                                                                                                    \
    .tag = (id), .size = sizeof(type)                                                                                  \
  }

/* The parts, in the order in which they refer to each other. 0 or -ENOMEM; errors of writing stay in the dump. */
int out_dump_processes(struct out_dump *dump); /* dump_thread.c */
int out_dump_call_places(struct out_dump *dump);
int out_dump_samples(struct out_dump *dump);    /* dump_samples.c: of the processes */
int out_dump_modules(struct out_dump *dump);    /* dump_functions.c, with their indexes */
int out_dump_stages(struct out_dump *dump);     /* dump_stage_records.c, with queues and events */
int out_dump_functions(struct out_dump *dump);  /* dump_functions.c */
int out_dump_signatures(struct out_dump *dump); /* dump_signature.c */
int out_dump_rank_rows(struct out_dump *dump);  /* dump_rank_rows.c, after functions and signatures */
int out_dump_contexts(struct out_dump *dump);   /* dump_tree.c, with variants */
int out_dump_histograms(struct out_dump *dump); /* dump_times.c */
int out_dump_edges(struct out_dump *dump);      /* dump_tree.c, with recursion records */
int out_dump_uses(struct out_dump *dump);       /* dump_stage_records.c: what threads did with stages and queues */
int out_dump_rings(struct out_dump *dump);      /* dump_timeline.c */
int out_dump_threads(struct out_dump *dump);    /* dump_thread.c */
int out_dump_innermost(
    struct out_dump *dump); /* dump_thread.c: the processes again, now that variants have addresses */

/* The address of a variant; 0 for FMT_NONE. */
static inline uint64_t out_dump_variant(const struct out_dump *dump, uint32_t variant)
{
  return variant == FMT_NONE ? 0 : dump->variants + (uint64_t)variant * sizeof(struct fmt_rec_variant);
}

/* dump_tree.c: what was asked for, by no edge yet, and its address. */
uint64_t out_dump_asked(struct out_dump *dump, const struct out_asked *asked);
/* dump_tree.c: what the edge that is written next, or its sampling record, has before it. */
void out_dump_asked_list(struct out_dump *dump, uint64_t first);

/* dump_times.c: the histogram of profile.times number `number`. */
uint64_t out_dump_times(struct out_dump *dump, uint32_t number);

/* The next older record of a list that lies side by side in its order. */
static inline uint64_t out_dump_following(const struct out_dump *dump, uint32_t number, uint32_t count, size_t size)
{
  return number + 1 < count ? dump->next + size : 0;
}

#endif
