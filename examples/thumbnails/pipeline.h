/*
 * The pipeline: read, decode, resize, encode, write.
 */
#ifndef THUMBNAILS_PIPELINE_H
#define THUMBNAILS_PIPELINE_H

#include <stddef.h>

struct job {
  unsigned decoders, resizers; /* threads */
  unsigned width;              /* of the thumbnails, which keep their picture's shape */
  unsigned times;              /* how often the files are gone through */
  const char *folder;          /* where thumbnails go; the name is the picture's */
  char **files;
  size_t file_count;
};

struct outcome {
  size_t written, failed;
};

/* Runs the whole pipeline. A picture that a stage cannot work on is told on stderr and counted, and the others go on.
 * Negative errno: the pipeline itself cannot be set up. */
int run_pipeline(const struct job *job, struct outcome *outcome);

#endif
