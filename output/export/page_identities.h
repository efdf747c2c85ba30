/*
 * Who is named in the data of a page: functions and signatures, numbered as they are met, each described once.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_PAGE_IDENTITIES_H
#define CALLSIG_OUTPUT_EXPORT_PAGE_IDENTITIES_H

#include "output/export/page_block.h"
#include "output/stats/stats_object.h"

struct out_page_identities {
  struct callsig_stats *stats;     /* borrowed */
  struct out_page_block *block;    /* borrowed */
  const uint32_t *shown;           /* by function: as which it is known, beyond what the object does; NULL: itself */
  const uint32_t *row_of;          /* by signature, the same; where there is the one, there is the other */
  uint32_t *function_numbers;      /* by function of the profile, FMT_NONE until met */
  uint32_t *signature_numbers;     /* by signature of the profile */
  uint32_t *layout_numbers;        /* by layout of the profile */
  struct base_vector functions;    /* uint32_t: functions of the profile */
  struct base_vector signatures;   /* struct out_page_signature */
  struct base_vector layouts;      /* uint32_t: layouts of the profile */
  struct base_vector enumerations; /* const struct fmt_index_type * */
  struct out_arguments scratch;
  struct out_text text; /* scratch */
};

/* 0 or -ENOMEM; free with out_page_identities_free() in either case. */
int out_page_identities_init(struct out_page_identities *identities, struct callsig_stats *stats,
                             struct out_page_block *block);
void out_page_identities_free(struct out_page_identities *identities);

/* The number of a function of the profile. */
uint32_t out_page_function(struct out_page_identities *identities, uint32_t function);

/* The number of a signature of the profile, plus 1; 0 when it prints as nothing, or is FMT_NONE. The object is grouped
 * by signature. */
uint32_t out_page_signature(struct out_page_identities *identities, uint32_t signature);

/* Adds the sections that describe all that were met. -ENOMEM. */
int out_page_identities_write(struct out_page_identities *identities);

#endif
