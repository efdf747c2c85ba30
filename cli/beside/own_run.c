/* Samples the profiled run, and adds the samples to its recording. */
#include "cli/beside/own_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/beside/known_modules.h"
#include "cli/beside/own_code.h"
#include "cli/beside/sampler.h"
#include "cli/beside/samples_record.h"
#include "cli/beside/used_time.h"
#include "cli/common/subcommand.h"
#include "cli/run/recording_files.h"
#include "format/index.h"

struct cli_own_run {
  struct cli_sampler *sampler; /* NULL: closed */
  const struct cli_recording_place *place;
  uint64_t recorded; /* CLOCK_MONOTONIC when recording ended, 0: not yet */
  bool is_started;
  struct cli_used before, used; /* by children of this process, and of them by the program and its own */
  unsigned unrecorded;          /* processes that executed instrumented programs without the runtime */
  char *unrecorded_program;     /* one of those; NULL: there are none, or memory was short. Owned */
};

static uint64_t nanoseconds(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Where recording was switched on again, all samples count until it is found at the end that none does. */
static uint64_t recorded_until(void *data)
{
  struct cli_own_run *own = data;
  if (own->recorded != 0)
    return own->recorded;
  const uint64_t until = cli_recording_whole_until(own->place);
  if (until == 0 || until == UINT64_MAX)
    return UINT64_MAX;
  own->recorded = nanoseconds(CLOCK_MONOTONIC) - (nanoseconds(CLOCK_REALTIME) - until);
  return own->recorded;
}

struct cli_own_run *cli_own_run_open(const struct cli_recording_place *place)
{
  struct cli_own_run *own = calloc(1, sizeof *own);
  const struct cli_sampled_recording recording = {.until = recorded_until, .data = own};
  if (own == NULL || cli_sampler_open(&own->sampler, &recording, NULL) < 0) {
    free(own);
    return NULL;
  }
  own->place = place;
  own->before = cli_used_by_children();
  return own;
}

void cli_own_run_look(struct cli_own_run *own, pid_t pid)
{
  if (own->is_started)
    cli_sampler_stop(own->sampler);
  else
    cli_sampler_start(own->sampler, pid);
  own->is_started = true;
}

void cli_own_run_end(struct cli_own_run *own)
{
  if (own == NULL)
    return;
  const struct cli_used after = cli_used_by_children();
  own->used = (struct cli_used){.user = after.user - own->before.user, .system = after.system - own->before.system};
}

/* Hands out the samples. An error, or none. */
static int close_sampler(struct cli_own_run *own, struct cli_samples *samples)
{
  int error = cli_sampler_close(own->sampler, &own->used, samples);
  own->sampler = NULL;
  uint32_t program;
  if (error == 0 && !samples->lost_programs)
    own->unrecorded = cli_unrecorded_count(&samples->unrecorded, samples->strings, &program);
  if (own->unrecorded > 0)
    own->unrecorded_program = strdup(base_strings_at(samples->strings, program));
  return error;
}

/* The part of system time that is the recorded program's own, where processes that it started have used some, or it
 * when it was recorded no more: as of user time. */
static uint64_t system_of(const struct cli_samples *samples, uint64_t system)
{
  const uint64_t all = samples->total + samples->others + samples->later;
  return (uint64_t)((double)system * ((double)samples->total / (double)all));
}

/* A module of time that was spent in no code of the program. */
static int add_time(struct cli_samples *samples, struct base_vector *places, const char *name, uint64_t ns)
{
  struct cli_place place = {.parent = FMT_NONE, .samples = ns / samples->period_ns};
  int error = base_strings_add(samples->strings, name, &place.name);
  struct cli_place *added = error == 0 ? base_vector_add(places, 1) : NULL;
  if (added == NULL)
    return -ENOMEM;
  *added = place;
  samples->total += place.samples;
  return 0;
}

void cli_own_run_write(struct cli_own_run *own, const char *program, pid_t pid, int status)
{
  const char *output = own->place->path;
  struct cli_samples samples;
  struct base_vector places = BASE_VECTOR_OF(struct cli_place);
  struct cli_known_modules known = {0};
  struct cli_sampled_run run = {.program = program, .status = status, .flags = FMT_SAMPLES_OWN_RUN};
  int error = close_sampler(own, &samples);
  run.used_ns = own->used.user;
  run.flags |= samples.lost_waits ? FMT_SAMPLES_LOST_WAITS : 0;
  samples.sleds_are_on = true;
  if (error == 0 && samples.programs <= 1 && samples.total > 0 && cli_recording_whole_until(own->place) != 0) {
    error = cli_own_code_find(output, pid, &samples);
    if (error == 0)
      error = cli_known_modules_read(&known, program, output, pid);
    if (error == 0)
      error = cli_attribute_known(&samples, &known, &places);
    if (error == 0)
      error = add_time(&samples, &places, FMT_KERNEL, samples.in_kernel ? 0 : system_of(&samples, own->used.system));
    if (error == 0)
      error = add_time(&samples, &places, FMT_WAITING, samples.waited_ns);
    if (error == 0)
      error = cli_samples_write(output, pid, &samples, &places, &run);
  }
  if (error < 0 && !(error == -ENOSPC && cli_recording_is_full(own->place)))
    cli_error("run: %s: samples of the run cannot be added, so that what hooks took is only estimated: %s", output,
              strerror(-error));
  base_vector_free(&places);
  cli_known_modules_free(&known);
  cli_samples_free(&samples);
}

void cli_own_run_tell(struct cli_own_run *own)
{
  struct cli_samples samples;
  if (own == NULL)
    return;
  if (own->sampler != NULL) {
    close_sampler(own, &samples);
    cli_samples_free(&samples);
  }
  const bool is_one = own->unrecorded == 1;
  if (own->unrecorded_program != NULL)
    cli_error("%u process%s ran %s%s%s and %s not recorded: started without the variables of callsig's environment, as "
              "by env -i or sudo",
              own->unrecorded, is_one ? "" : "es", is_one ? "" : "instrumented programs, as ", own->unrecorded_program,
              is_one ? "" : ",", is_one ? "is" : "are");
}

void cli_own_run_free(struct cli_own_run *own)
{
  struct cli_samples samples;
  if (own == NULL)
    return;
  if (own->sampler != NULL) {
    cli_sampler_close(own->sampler, &(struct cli_used){0}, &samples);
    cli_samples_free(&samples);
  }
  free(own->unrecorded_program);
  free(own);
}
