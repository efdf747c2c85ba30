/*
 * Makes a thumbnail of each photograph: a pipeline of five stages, each with threads of its own, joined by bounded
 * queues.
 *
 *   thumbnails [-d DECODERS] [-r RESIZERS] [-w WIDTH] [-n TIMES] -o FOLDER FILE...
 *
 * The program tells callsig of its stages, tasks and queues, so that every call belongs to the stage that made it, and
 * `callsig stages` says which stage holds the others back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline.h"

static int usage(void)
{
  fputs("usage: thumbnails [-d DECODERS] [-r RESIZERS] [-w WIDTH] [-n TIMES] -o FOLDER FILE...\n", stderr);
  return 2;
}

static int read_number(const char *text, unsigned most, unsigned *number)
{
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (errno || *end || end == text || value == 0 || value > most)
    return -EINVAL;
  *number = (unsigned)value;
  return 0;
}

static int parse(int argc, char **argv, struct job *job)
{
  int option, error = 0;
  while (error == 0 && (option = getopt(argc, argv, "d:r:w:n:o:")) != -1) {
    switch (option) {
    case 'd':
      error = read_number(optarg, 64, &job->decoders);
      break;
    case 'r':
      error = read_number(optarg, 64, &job->resizers);
      break;
    case 'w':
      error = read_number(optarg, 4096, &job->width);
      break;
    case 'n':
      error = read_number(optarg, 100000, &job->times);
      break;
    case 'o':
      job->folder = optarg;
      break;
    default:
      error = -EINVAL;
    }
  }
  job->files = argv + optind;
  job->file_count = (size_t)(argc - optind);
  return error || !job->folder || job->file_count == 0 ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
  struct job job = {.decoders = 2, .resizers = 1, .width = 256, .times = 1};
  if (parse(argc, argv, &job) < 0)
    return usage();
  struct outcome outcome;
  int error = run_pipeline(&job, &outcome);
  if (error < 0) {
    fprintf(stderr, "thumbnails: the pipeline cannot start: %s\n", strerror(-error));
    return 1;
  }
  printf("%zu thumbnails in %s, %zu pictures could not be used\n", outcome.written, job.folder, outcome.failed);
  return 0;
}
