/*
 * The data of a page (docs/page-format.md): named sections of numbers of variable length, and one table of texts.
 *
 * What finds no memory sets `failed`, so that a writer checks once, at its end.
 */
#ifndef CALLSIG_OUTPUT_EXPORT_PAGE_BLOCK_H
#define CALLSIG_OUTPUT_EXPORT_PAGE_BLOCK_H

#include <stdio.h>

#include "base/strings.h"
#include "base/vector.h"
#include "output/text/text.h"

struct out_page_block {
  struct out_text sections; /* those that have ended */
  struct out_text section;  /* what is added to the one that has begun */
  char name[4];             /* of the one that has begun */
  struct base_strings *strings;
  struct base_vector offsets; /* uint32_t by text: where `strings` has it, ascending */
  bool failed;
};

void out_page_block_init(struct out_page_block *block);
void out_page_block_free(struct out_page_block *block);

/* Sections follow each other and do not nest. `name` is four letters. */
void out_page_section(struct out_page_block *block, const char *name);
void out_page_section_end(struct out_page_block *block);

/* Seven bits a byte, the lowest first; of signed numbers the sign is the lowest bit. */
void out_page_number(struct out_page_block *block, uint64_t value);
void out_page_signed(struct out_page_block *block, int64_t value);
/* IEEE 754, the lowest byte first. */
void out_page_double(struct out_page_block *block, double value);
void out_page_single(struct out_page_block *block, double value);

/* The number of a text, counted from 0: the same for the same text. */
uint32_t out_page_text(struct out_page_block *block, const char *text);

/* Ends the data with the texts and writes it, as gzip does it and in base64. 0, -EIO or -ENOMEM. */
int out_page_block_write(struct out_page_block *block, FILE *out);

#endif
