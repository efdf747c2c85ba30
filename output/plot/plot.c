/* callsig_plot_*(): pictures of recordings and databases. */
#include "output/plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/text/message.h"
#include "output/text/output_file.h"

int callsig_plot_new(struct callsig_plot **plot)
{
  *plot = calloc(1, sizeof **plot);
  if (!*plot)
    return out_stats_no_memory();
  (*plot)->pictures = (struct base_vector)BASE_VECTOR_OF(struct out_picture);
  return 0;
}

void callsig_plot_free(struct callsig_plot *plot)
{
  if (!plot)
    return;
  for (uint32_t i = 0; i < plot->pictures.count; i++)
    out_picture_free(out_picture_at(plot, i));
  base_vector_free(&plot->pictures);
  free(plot);
}

/* A picture of nothing yet. */
static struct out_picture *add_picture(struct callsig_plot *plot, const char *path)
{
  struct out_picture *picture = base_vector_add(&plot->pictures, 1);
  if (!picture)
    return NULL;
  picture->run.course = out_course_new();
  picture->slots = out_course_new();
  picture->nodes = (struct base_vector)BASE_VECTOR_OF(struct out_node);
  picture->counters = (struct base_vector)BASE_VECTOR_OF(struct out_node);
  picture->verdicts = (struct base_vector)BASE_VECTOR_OF(struct out_verdict);
  picture->program = "";
  picture->source = out_course_string(&picture->slots, path);
  return picture->source ? picture : NULL;
}

static bool has_pipeline(const struct callsig_pipeline *pipeline)
{
  return pipeline->stages.count + pipeline->queues.count > 0;
}

/* Takes over those that have something to show. */
static int take_pipelines(struct callsig_plot *plot, struct callsig_pipeline **pipelines, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (!has_pipeline(pipelines[i]))
      continue;
    struct out_picture *picture = add_picture(plot, pipelines[i]->info.path);
    if (!picture)
      return out_stats_no_memory();
    picture->pipeline = pipelines[i];
    picture->program = pipelines[i]->info.program;
    pipelines[i] = NULL;
  }
  return 0;
}

int out_plot_take_recording(struct callsig_plot *plot, const char *path)
{
  struct callsig_pipeline **pipelines;
  size_t count;
  int result = callsig_pipeline_load_all(path, &pipelines, &count);
  if (result < 0)
    return result;
  result = take_pipelines(plot, pipelines, count);
  callsig_pipeline_free_all(pipelines, count);
  return result;
}

int callsig_plot_add_recording(struct callsig_plot *plot, const char *path)
{
  const uint32_t before = plot->pictures.count;
  if (plot->filled)
    return -EBUSY;
  int result = out_plot_take_recording(plot, path);
  if (result == 0 && plot->pictures.count == before)
    return out_stats_fail(
        -ENODATA, "%s: no stages and no queues are recorded in it; docs/stages.md says how a program has them", path);
  return result;
}

int callsig_plot_add_database(struct callsig_plot *plot, const char *path)
{
  return callsig_plot_add_database_run(plot, path, 0);
}

int callsig_plot_add_database_run(struct callsig_plot *plot, const char *path, uint64_t number)
{
  struct base_vector runs;
  if (plot->filled)
    return -EBUSY;
  int result = out_database_courses(path, number, OUT_PLOT_POINTS, &runs);
  for (uint32_t i = 0; i < runs.count && result == 0; i++) {
    struct out_run_course *run = base_vector_at(&runs, i);
    struct out_picture *picture = add_picture(plot, path);
    if (!picture) {
      result = out_stats_no_memory();
      break;
    }
    picture->run = *run;
    picture->has_run = true;
    picture->program = run->program;
    run->course = out_course_new();
  }
  out_run_courses_free(&runs);
  return result;
}

/* Is the run that of the recording? */
static bool is_of(const struct out_picture *picture, const struct out_picture *run)
{
  return picture->pipeline && !picture->has_run && !run->pipeline && run->has_run && run->run.is_run &&
         run->run.pid == picture->pipeline->info.pid &&
         fabs((double)run->run.start_ns * 1e-9 - picture->pipeline->info.start) < 1e-5;
}

/* What a database and a recording have of the same run is one picture. */
static void join_runs(struct callsig_plot *plot)
{
  for (uint32_t i = 0; i < plot->pictures.count; i++) {
    struct out_picture *picture = out_picture_at(plot, i);
    for (uint32_t j = 0; j < plot->pictures.count && picture->pipeline; j++) {
      struct out_picture *run = out_picture_at(plot, j);
      if (!is_of(picture, run))
        continue;
      picture->run = run->run;
      picture->has_run = true;
      run->has_run = false;
    }
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < plot->pictures.count; i++) {
    struct out_picture *picture = out_picture_at(plot, i);
    if (picture->pipeline || picture->has_run)
      *out_picture_at(plot, kept++) = *picture;
    else
      out_picture_free(picture);
  }
  plot->pictures.count = kept;
}

int out_plot_fill(struct callsig_plot *plot)
{
  int result = plot->pictures.count > 0 ? 0 : out_stats_fail(-ENODATA, "there is nothing to draw");
  if (plot->filled)
    return result;
  join_runs(plot);
  for (uint32_t i = 0; i < plot->pictures.count && result == 0; i++)
    result = out_picture_fill(out_picture_at(plot, i));
  plot->filled = result == 0;
  return result;
}

int callsig_plot_write(struct callsig_plot *plot, const char *format, FILE *out)
{
  const bool html = strcmp(format, "html") == 0;
  struct out_text text = {0};
  if (!html && strcmp(format, "svg") != 0)
    return out_stats_fail(-EINVAL, "'%s' is neither svg nor html", format);
  int result = out_plot_fill(plot);
  if (result == 0 && html)
    result = out_plot_put_html(&text, plot);
  else if (result == 0)
    out_plot_put_svg(&text, plot);
  if (result == 0)
    return out_pipeline_write(&text, out);
  out_text_free(&text);
  return result;
}

int callsig_plot_write_file(struct callsig_plot *plot, const char *format, const char *path)
{
  struct out_output_file file;
  int result = out_output_file_open(&file, path);
  return result < 0 ? result : out_output_file_close(&file, callsig_plot_write(plot, format, file.stream));
}
