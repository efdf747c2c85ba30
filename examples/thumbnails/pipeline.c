/* The stages of the pipeline, the queues between them, and their threads. */
#include "pipeline.h"

#include <callsig/callsig.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"

enum { READ, DECODE, RESIZE, ENCODE, WRITE, STAGES };
enum { MAX_THREADS = 64, QUEUE_CAPACITY = 8 };

/* What goes through the pipeline: each stage replaces what the one before it made. Owned by whoever works on it. */
struct picture {
  const char *path;
  uint64_t number; /* 1, 2 ... */
  struct bytes file;
  struct image image;
};

struct pipeline;
typedef int (*work_fn)(const struct pipeline *pipeline, struct picture *picture);

struct stage {
  struct pipeline *pipeline;
  struct callsig_stage *handle;
  struct callsig_fifo *in, *out; /* NULL before the first stage and behind the last */
  work_fn work;
  unsigned threads;
  unsigned running; /* threads that have not ended, atomic */
  size_t done, failed;
  pthread_t ids[MAX_THREADS];
};

struct pipeline {
  const struct job *job;
  size_t taken; /* pictures that the readers have begun, atomic */
  struct stage stages[STAGES];
};

/* ------------------------------------------------------------------------------------------------------------------ */

static int read_whole(int fd, struct bytes *file)
{
  for (size_t done = 0; done < file->size;) {
    ssize_t count = read(fd, file->data + done, file->size - done);
    if (count <= 0)
      return count < 0 ? -errno : -EINVAL;
    done += (size_t)count;
  }
  return 0;
}

static int read_picture(const struct pipeline *pipeline, struct picture *picture)
{
  (void)pipeline;
  struct stat status;
  int fd = open(picture->path, O_RDONLY | O_CLOEXEC);
  bool is_known = fd >= 0 && fstat(fd, &status) == 0;
  int error = is_known ? 0 : -errno;
  if (is_known) {
    picture->file = (struct bytes){malloc((size_t)status.st_size + 1), (size_t)status.st_size};
    error = picture->file.data ? read_whole(fd, &picture->file) : -ENOMEM;
  }
  if (fd >= 0)
    close(fd);
  if (error == 0)
    callsig_counter_add("bytes", picture->file.size);
  return error;
}

static int decode_picture(const struct pipeline *pipeline, struct picture *picture)
{
  (void)pipeline;
  int error = decode_jpeg(&picture->file, &picture->image);
  free(picture->file.data);
  picture->file = (struct bytes){0};
  return error;
}

static int resize_picture(const struct pipeline *pipeline, struct picture *picture)
{
  unsigned width = pipeline->job->width < picture->image.width ? pipeline->job->width : picture->image.width;
  unsigned height = (unsigned)((uint64_t)picture->image.height * width / picture->image.width);
  struct image small;
  int error = resize(&picture->image, width, height ? height : 1, &small);
  image_free(&picture->image);
  picture->image = small;
  return error;
}

static int encode_picture(const struct pipeline *pipeline, struct picture *picture)
{
  (void)pipeline;
  int error = encode_jpeg(&picture->image, 85, &picture->file);
  image_free(&picture->image);
  return error;
}

static int write_picture(const struct pipeline *pipeline, struct picture *picture)
{
  char path[4096];
  const char *slash = strrchr(picture->path, '/');
  int length = snprintf(path, sizeof path, "%s/%s", pipeline->job->folder, slash ? slash + 1 : picture->path);
  if (length < 0 || (size_t)length >= sizeof path)
    return -ENAMETOOLONG;
  FILE *file = fopen(path, "wb");
  if (!file)
    return -errno;
  size_t written = fwrite(picture->file.data, 1, picture->file.size, file);
  int error = written == picture->file.size ? 0 : -EIO;
  callsig_counter_add("bytes", written);
  return fclose(file) != 0 && error == 0 ? -errno : error;
}

static const struct {
  const char *name;
  work_fn work;
} kinds[STAGES] = {
    [READ] = {"read", read_picture},       [DECODE] = {"decode", decode_picture}, [RESIZE] = {"resize", resize_picture},
    [ENCODE] = {"encode", encode_picture}, [WRITE] = {"write", write_picture},
};

/* ------------------------------------------------------------------------------------------------------------------ */

static void picture_free(struct picture *picture)
{
  free(picture->file.data);
  image_free(&picture->image);
  free(picture);
}

/* The next picture of a stage: the next file for readers, else what the stage before has done. NULL at the end. */
static struct picture *next_picture(struct stage *stage)
{
  struct callsig_fifo_item item = {0};
  if (stage->in)
    return callsig_fifo_get(stage->in, &item, UINT64_MAX) == 0 ? item.data : NULL;
  const struct job *job = stage->pipeline->job;
  size_t number = __atomic_fetch_add(&stage->pipeline->taken, 1, __ATOMIC_RELAXED);
  struct picture *picture = number < job->file_count * job->times ? calloc(1, sizeof *picture) : NULL;
  if (picture) {
    picture->path = job->files[number % job->file_count];
    picture->number = number + 1;
  }
  return picture;
}

static int do_task(struct stage *stage, struct picture *picture)
{
  struct callsig_task_options options = {.size = sizeof options, .item = picture->number};
  int error = callsig_task_begin(stage->handle, &options);
  if (error < 0)
    return error;
  error = stage->work(stage->pipeline, picture);
  callsig_task_end(stage->handle, error < 0);
  return error;
}

/* Gives the picture to the next stage, or is done with it. */
static void pass_on(struct stage *stage, struct picture *picture, int error)
{
  __atomic_add_fetch(error < 0 ? &stage->failed : &stage->done, 1, __ATOMIC_RELAXED);
  if (error < 0)
    fprintf(stderr, "thumbnails: %s: %s\n", picture->path,
            error == -EINVAL ? "not a whole JPEG picture" : strerror(-error));
  if (error < 0 || !stage->out ||
      callsig_fifo_put(stage->out, (struct callsig_fifo_item){picture, picture->number}, UINT64_MAX) < 0)
    picture_free(picture);
}

static void *run_stage(void *data)
{
  struct stage *stage = data;
  for (struct picture *picture; (picture = next_picture(stage));)
    pass_on(stage, picture, do_task(stage, picture));
  if (__atomic_sub_fetch(&stage->running, 1, __ATOMIC_ACQ_REL) == 0 && stage->out)
    callsig_fifo_shut(stage->out);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int open_stage(struct pipeline *pipeline, unsigned index)
{
  struct stage *stage = &pipeline->stages[index];
  const struct job *job = pipeline->job;
  stage->pipeline = pipeline;
  stage->work = kinds[index].work;
  stage->threads = index == DECODE ? job->decoders : index == RESIZE ? job->resizers : 1;
  struct callsig_stage_options options = {
      .size = sizeof options, .index = index, .name = kinds[index].name, .concurrency = stage->threads};
  int error = callsig_stage_open(&options, &stage->handle);
  if (error < 0 || index + 1 == STAGES)
    return error;
  struct callsig_queue_options queue = {
      .size = sizeof queue, .index = index, .name = kinds[index].name, .capacity = QUEUE_CAPACITY};
  error = callsig_fifo_open(&queue, &stage->out);
  stage[1].in = stage->out;
  return error;
}

static int start_stage(struct stage *stage)
{
  stage->running = stage->threads;
  for (unsigned i = 0; i < stage->threads; i++) {
    int error = pthread_create(&stage->ids[i], NULL, run_stage, stage);
    if (error) {
      /* The threads that did start are joined; what would have worked beside them counts as ended. */
      if (__atomic_sub_fetch(&stage->running, stage->threads - i, __ATOMIC_ACQ_REL) == 0 && stage->out)
        callsig_fifo_shut(stage->out);
      stage->threads = i;
      return -error;
    }
  }
  return 0;
}

static void close_stages(struct pipeline *pipeline)
{
  for (unsigned i = 0; i < STAGES; i++) {
    callsig_fifo_close(pipeline->stages[i].out);
    callsig_stage_close(pipeline->stages[i].handle);
  }
}

int run_pipeline(const struct job *job, struct outcome *outcome)
{
  struct pipeline *pipeline = calloc(1, sizeof *pipeline);
  if (!pipeline)
    return -ENOMEM;
  pipeline->job = job;
  int error = 0;
  for (unsigned i = 0; i < STAGES && error == 0; i++)
    error = open_stage(pipeline, i);
  /* The last stage first, so that a stage that cannot start leaves nobody to wait for it: the readers come last. */
  unsigned started = STAGES;
  while (error == 0 && started > 0)
    error = start_stage(&pipeline->stages[--started]);
  if (error < 0 && started > 0 && started < STAGES && pipeline->stages[started].in)
    callsig_fifo_shut(pipeline->stages[started].in);
  *outcome = (struct outcome){0};
  for (unsigned i = started; i < STAGES; i++) {
    struct stage *stage = &pipeline->stages[i];
    for (unsigned thread = 0; thread < stage->threads; thread++)
      pthread_join(stage->ids[thread], NULL);
    outcome->failed += stage->failed;
  }
  outcome->written = pipeline->stages[WRITE].done;
  close_stages(pipeline);
  free(pipeline);
  return error;
}
