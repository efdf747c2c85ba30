/*
 * A stream that is compressed on its way out, by zlib, as gzip does it. The same bytes give the same file: no time and
 * no name are in it.
 */
#ifndef CALLSIG_OUTPUT_TEXT_GZIP_H
#define CALLSIG_OUTPUT_TEXT_GZIP_H

#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct out_gzip {
  z_stream stream;
  FILE *out; /* borrowed */
  unsigned char buffer[16384];
};

/* 0 or -ENOMEM. */
int out_gzip_begin(struct out_gzip *gzip, FILE *out);

/* 0 or -EIO. */
int out_gzip_write(struct out_gzip *gzip, const void *bytes, size_t size);

/* Writes what is left when `result`, how things went so far, is 0, and gives the memory back. Returns `result` or -EIO.
 */
int out_gzip_end(struct out_gzip *gzip, int result);

#endif
