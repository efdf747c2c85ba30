/* What a sampled run gives: how often which code of which file was met. */
#ifndef CALLSIG_CLI_BESIDE_SAMPLES_H
#define CALLSIG_CLI_BESIDE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"
#include "base/vector.h"
#include "cli/beside/unrecorded.h"
#include "format/samples.h"

/* Samples at one place of a file. */
struct cli_point {
  uint32_t module; /* string: the file's path; 0: no file */
  uint32_t count;
  uint64_t offset;  /* in the file; of no file, the page's address */
  uint32_t library; /* string: the file of the code without hooks that was called there, and was met; 0: in `points` */
};

/* Points and how many of them are in order. */
struct cli_points {
  struct base_vector list; /* struct cli_point; after cli_samples_sort() ascending, each place once */
  uint32_t sorted;         /* of the points, those that cli_samples_sort() left */
};

struct cli_samples {
  struct base_strings *strings; /* owned */
  struct cli_points points;
  struct cli_points called;         /* of the points' samples, those in code without hooks that was called there */
  uint64_t total;                   /* in user code of the program's own process: the points', and unmapped */
  uint64_t unmapped;                /* of them, in code that no file was mapped to */
  uint64_t others;                  /* in processes that the program started */
  uint64_t sampler;                 /* in callsig, which takes the samples; they stand for no time of the program's */
  uint64_t later;                   /* in the program's own process, but when it was not recorded any more */
  uint64_t programs;                /* that the process executed while it was sampled, as far as that is seen */
  uint64_t lost;                    /* that the kernel had no room for */
  uint64_t waited_ns;               /* how long its threads waited of themselves, as far as that is seen */
  uint64_t period_ns;               /* CPU time that a sample stands for */
  struct cli_unrecorded unrecorded; /* programs that ran without the runtime; of a run that is recorded */
  uint64_t price_ns;                /* CPU time that taking a sample took, beside that */
  bool lost_programs;               /* not all that processes executed, or had mapped, was seen */
  bool lost_waits;                  /* not all waits were seen, and waited_ns is estimated */
  bool in_kernel;                   /* what the kernel did is among them, where it was called from */
  bool sleds_are_on;                /* they called hooks meanwhile, and are theirs */
  enum fmt_sample_method method;
};

/* -ENOMEM. Free with cli_samples_free(), also after an error. */
int cli_samples_init(struct cli_samples *samples);
void cli_samples_free(struct cli_samples *samples);

/* Counts a sample at `offset` of the file `module` (a string of the samples), or in the code without hooks of the file
 * `library` that was called there (0: none was). -ENOMEM. */
int cli_samples_add(struct cli_samples *samples, uint32_t module, uint64_t offset, uint32_t library);

/* The same of a sample at `address`, in code of no file. -ENOMEM. */
int cli_samples_add_unmapped(struct cli_samples *samples, uint64_t address);

/* Brings the points into order by module and offset, equal ones made one. */
void cli_samples_sort(struct cli_samples *samples);

#endif
